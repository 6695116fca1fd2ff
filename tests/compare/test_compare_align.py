"""Alignment of two sequences: laws and cost."""

from __future__ import annotations

import itertools
import random

import pytest
from growth import costs_in_proportion
from hypothesis import given
from hypothesis import strategies as st

from lrdoc.export.align import align, gaps

SEQUENCES = st.lists(st.sampled_from("abcdef"), max_size=40)


@given(SEQUENCES, SEQUENCES)
def test_pairs_are_equal_and_rise(a: list[str], b: list[str]) -> None:
    pairs = align(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < x and j < y for (i, j), (x, y) in itertools.pairwise(pairs))


@given(SEQUENCES, SEQUENCES)
def test_pairs_and_gaps_cover_both(a: list[str], b: list[str]) -> None:
    pairs = align(a, b)
    found = gaps(pairs, len(a), len(b))
    assert len(pairs) + sum(j - i for i, j, _, _ in found) == len(a)
    assert len(pairs) + sum(m - k for _, _, k, m in found) == len(b)


@given(SEQUENCES)
def test_a_sequence_is_all_in_itself(a: list[str]) -> None:
    assert align(a, a) == [(n, n) for n in range(len(a))]


@given(SEQUENCES, st.integers(0, 39))
def test_one_element_less_is_one_element_less(a: list[str], at: int) -> None:
    if at < len(a):
        assert len(align(a, a[:at] + a[at + 1 :])) == len(a) - 1


@pytest.mark.parametrize("kind", ["unique", "few", "same", "shuffled"])
def test_cost_grows_in_proportion(kind: str) -> None:
    def make(n: int) -> tuple[list[str], list[str]]:
        source = random.Random(1)
        a = {
            "few": [str(source.randrange(5)) for _ in range(n)],
            "same": ["x"] * n,
        }.get(kind, [str(i) for i in range(n)])
        b = [one for one in a if source.random() > 0.05]
        if kind == "shuffled":
            source.shuffle(b)
        return a, b

    def work(both: tuple[list[str], list[str]]) -> None:
        pairs = align(*both)
        assert kind in ("few", "shuffled") or len(pairs) == len(both[1])

    costs_in_proportion(work, make, 7_500, 60_000)
