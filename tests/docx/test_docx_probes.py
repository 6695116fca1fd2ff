"""The files of corpus/probes."""

from __future__ import annotations

import pytest
from docx_parse import parse_path
from docx_probes import PROBES, Probe
from shared_files import shared_dir


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.file)
def test_a_probe_is_right(probe: Probe) -> None:
    shared = shared_dir()
    if shared is None:
        pytest.skip("the shared corpus is not here")
    assert probe.check(parse_path(shared / "corpus/probes" / f"{probe.file}.docx"))


def test_every_probe_is_looked_at() -> None:
    shared = shared_dir()
    if shared is None:
        pytest.skip("the shared corpus is not here")
    assert {f"{probe.file}.docx" for probe in PROBES} == {
        path.name for path in (shared / "corpus/probes").glob("*.docx")
    }
