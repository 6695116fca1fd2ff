"""All 101 features of Word files that the documentation names, by what is written to the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx_features import FEATURES, Feature
from docx_probes import PROBES, Probe, feature_table
from docx_written import write_bytes
from shared_files import shared_dir

DOCS = Path(__file__).resolve().parents[2] / "docs" / "docx.md"


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: f"{feature.number:03} {feature.feature}")
def test_a_feature_is_kept_where_it_belongs(feature: Feature) -> None:
    written = write_bytes(feature.data(), feature.name)
    assert feature.check(written), written


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.file)
def test_a_probe_is_written_whole(probe: Probe) -> None:
    """What comes out of the probes is looked at in test_docx_probes; here that nothing gets lost on the way."""
    shared = shared_dir()
    if shared is None:
        pytest.skip("the shared corpus is not here")
    written = write_bytes((shared / "corpus/probes" / f"{probe.file}.docx").read_bytes())
    assert written.blocks


def test_every_feature_is_looked_at() -> None:
    assert sorted([probe.number for probe in PROBES] + [feature.number for feature in FEATURES]) == list(range(101))


def test_the_table_in_the_docs_names_every_feature() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert "\n".join(feature_table()) in text
