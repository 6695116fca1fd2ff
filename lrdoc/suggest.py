"""Did you mean …: the nearest of a few known words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

_LONGEST = 64
"""Longer words are no typing mistakes of ours; the cost of a comparison stays bounded."""


def edit_distance(a: str, b: str, limit: int) -> int:
    """Insertions, deletions, changes and swaps of neighbours that lead from `a` to `b`; `limit + 1` when more."""
    if a == b:
        return 0
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    # What both begin and end with costs nothing.
    start = 0
    while start < len(a) and start < len(b) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if limit == 1:
        near = len(a) <= 1 and len(b) <= 1
        return 1 if near or (len(a) == len(b) == 2 and a == b[::-1]) else 2
    if not a or not b:
        return len(a) + len(b)
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, last = last, row
    return min(last[-1], limit + 1)


def nearest(word: str, known: Iterable[str], limit: int = 2) -> str:
    """The known word that was probably meant, "" when none is near. Case does not count."""
    if not word or len(word) > _LONGEST:
        return ""
    return _nearest(word.casefold(), tuple(known), limit)


@lru_cache(maxsize=512)
def _nearest(folded: str, known: tuple[str, ...], limit: int) -> str:
    best, best_distance = "", limit + 1
    for candidate in known:
        allowed = min(limit, max(1, len(candidate) // 3))
        distance = edit_distance(folded, candidate.casefold(), allowed)
        if distance <= allowed and distance < best_distance:
            best, best_distance = candidate, distance
    return best


def one_of(words: Iterable[str], limit: int = 40) -> str:
    """ "a, b or c" for messages; a long list is cut."""
    listed = list(words)
    if len(listed) > limit:
        return ", ".join(listed[:limit]) + f" and {len(listed) - limit} more"
    if len(listed) < 2:
        return "".join(listed)
    return ", ".join(listed[:-1]) + " or " + listed[-1]
