"""What two sequences have in common, in order."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

Gap = tuple[int, int, int, int]
"""a[i:j] stands where b[k:l] does; one of the two may be empty."""

_SMALL = 250_000
"""Product of the lengths up to which a gap is searched exhaustively."""


def align(a: Sequence[T], b: Sequence[T]) -> list[tuple[int, int]]:
    """Pairs (i, j) with a[i] == b[j], rising in both.

    Anchors are the elements that stand once in each (as in a patience diff), what is between two anchors is searched
    in the same way. Cost grows with n·log n, whatever the sequences hold.
    """
    pairs: list[tuple[int, int]] = []
    work: list[tuple[int, int, int, int]] = [(0, len(a), 0, len(b))]
    while work:
        i, j, k, m = work.pop()
        while i < j and k < m and a[i] == b[k]:
            pairs.append((i, k))
            i, k = i + 1, k + 1
        while i < j and k < m and a[j - 1] == b[m - 1]:
            j, m = j - 1, m - 1
            pairs.append((j, m))
        if i == j or k == m:
            continue
        anchors = _anchors(a, b, i, j, k, m)
        if anchors:
            pairs += anchors
            for (i0, k0), (i1, k1) in zip([(i - 1, k - 1), *anchors], [*anchors, (j, m)], strict=True):
                if i0 + 1 < i1 and k0 + 1 < k1:
                    work.append((i0 + 1, i1, k0 + 1, k1))
        elif (j - i) * (m - k) <= _SMALL:
            matcher = SequenceMatcher(None, a[i:j], b[k:m], autojunk=False)
            pairs += [(i + x + n, k + y + n) for x, y, size in matcher.get_matching_blocks() for n in range(size)]
    return sorted(pairs)


def _anchors(a: Sequence[T], b: Sequence[T], i: int, j: int, k: int, m: int) -> list[tuple[int, int]]:
    """The longest rising run of elements that stand once on each side."""
    count_a, count_b = Counter(a[i:j]), Counter(b[k:m])
    place_b = {b[n]: n for n in range(k, m) if count_b[b[n]] == 1}
    both = [(n, place_b[a[n]]) for n in range(i, j) if count_a[a[n]] == 1 and a[n] in place_b]
    tails: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(both):
        at = bisect_left(tails, place)
        before.append(tops[at - 1] if at else -1)
        if at == len(tails):
            tails.append(place)
            tops.append(index)
        else:
            tails[at], tops[at] = place, index
    found: list[tuple[int, int]] = []
    index = tops[-1] if tops else -1
    while index >= 0:
        found.append(both[index])
        index = before[index]
    return found[::-1]


def gaps(pairs: Sequence[tuple[int, int]], size_a: int, size_b: int) -> list[Gap]:
    """The stretches between the pairs."""
    found: list[Gap] = []
    i = k = 0
    for x, y in (*pairs, (size_a, size_b)):
        if x > i or y > k:
            found.append((i, x, k, y))
        i, k = x + 1, y + 1
    return found
