"""Globs over suffixes match what fnmatch matches, without its long compilation."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from lrdoc.routing.glob import compile_glob, is_wild


@given(st.text("ab*?[]!-", max_size=8), st.text("abc-!]", max_size=6))
def test_a_pattern_matches_as_in_the_standard_library(pattern: str, suffix: str) -> None:
    # Ranges that end before they start match nothing in either; fnmatch rewrites them first.
    assert compile_glob(pattern)(suffix) == fnmatchcase(suffix, pattern)


def test_a_pattern_is_wild_when_it_can_match_more_than_one_suffix() -> None:
    assert [is_wild(p) for p in ("pdf", "p*", "p?f", "[pd]f")] == [False, True, True, True]


def test_many_stars_do_not_take_long() -> None:
    before = time.process_time()
    assert not compile_glob("*a" * 60 + "b")("a" * 5000)
    assert time.process_time() - before < 1
