"""The recorded cases: which of them our chunkers cut at the same places, and why the others differ."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chunk_cases import Case, recorded_cases
from shared_files import shared_dir

SHARED = shared_dir()
PAGE = Path(__file__).resolve().parents[2] / "docs" / "chunking.md"
needs_shared = pytest.mark.skipif(SHARED is None, reason="the recorded cases are not there")


@pytest.fixture(scope="module")
def cases() -> list[tuple[Case, bool]]:
    assert SHARED is not None
    return [(case, case.is_equal()) for case in recorded_cases(SHARED)]


@needs_shared
def test_the_page_lists_every_case_that_differs(cases: list[tuple[Case, bool]]) -> None:
    listed = re.findall(r"^\| `([^`]+)` \| ([A-C][0-9]+|size|cap)\b", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(key for key, _ in listed) == sorted(case.key for case, equal in cases if not equal)


@needs_shared
def test_most_recorded_cases_are_cut_at_the_same_places(cases: list[tuple[Case, bool]]) -> None:
    def share(strategies: str) -> float:
        chosen = [equal for case, equal in cases if case.strategy in strategies]
        return sum(chosen) / len(chosen)

    assert share("FV") >= 0.9
    assert share("P") >= 0.5
    assert share("R") >= 0.8
