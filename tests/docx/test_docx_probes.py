"""The files of corpus/probes, and the table that docs/docx.md makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx_parse import parse_path
from docx_probes import PROBES, Probe, probe_table
from shared_files import shared_dir

DOCS = Path(__file__).resolve().parents[2] / "docs" / "docx.md"


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


def test_the_table_in_the_docs_is_the_one_of_the_probes() -> None:
    text = DOCS.read_text(encoding="utf-8")
    missing = [line for line in probe_table() if line not in text]
    assert not missing, "docs/docx.md lacks:\n" + "\n".join(missing)
