"""Did you mean …: the nearest of a few known words."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 64
"""Longer words are no typing mistakes of ours; the cost of a comparison stays bounded."""


def edit_distance(a: str, b: str, limit: int) -> int:
    """Insertions, deletions, changes and swaps of neighbours that lead from `a` to `b`; `limit + 1` when more."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
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
    folded = word.casefold()
    if not folded or len(folded) > _LONGEST:
        return ""
    best, best_distance = "", limit + 1
    for candidate in known:
        distance = edit_distance(folded, candidate.casefold(), min(limit, max(1, len(candidate) // 3)))
        if distance <= min(limit, max(1, len(candidate) // 3)) and distance < best_distance:
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
