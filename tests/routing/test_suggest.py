"""Suggestions: the nearest known word, and distances as in a plain table."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lrdoc.suggest import edit_distance, nearest, one_of


def plain_distance(a: str, b: str) -> int:
    table = [[i + j if not i * j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, change)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


SHORT = st.text("abc", max_size=6)


@given(SHORT, SHORT, st.integers(1, 4))
def test_the_distance_is_that_of_the_full_table_up_to_the_limit(a: str, b: str, limit: int) -> None:
    assert edit_distance(a, b, limit) == min(plain_distance(a, b), limit + 1)


def test_the_nearest_word_is_found_whatever_its_case() -> None:
    engines = ["legacy", "native", "mineru", "docling"]
    assert nearest("minru", engines) == "mineru"
    assert nearest("NAITVE", engines) == "native"
    assert nearest("zebra", engines) == ""
    assert nearest("", engines) == ""
    assert nearest("n" * 10_000, engines) == ""


def test_words_are_listed_in_prose() -> None:
    assert one_of([]) == ""
    assert one_of(["a"]) == "a"
    assert one_of(["a", "b", "c"]) == "a, b or c"
    assert one_of(map(str, range(50))).endswith("and 10 more")
