"""Shortens an item's content to a budget of tokens: tables at row boundaries, other text at characters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from lrdoc.text.tokens import Tokenizer

_ROW = re.compile(r"<tr\b.*?</tr\s*>", re.DOTALL | re.IGNORECASE)
_LAST_ROWS = 1
"""Rows from the end that are kept as a sample when a table is shortened: totals stand there."""


def largest(most: int, fits: Callable[[int], bool]) -> int:
    """The greatest n ≤ most for which `fits` holds, by bisection; `fits(0)` is taken to hold."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def trim_content(content: str, budget: int, tokenizer: Tokenizer) -> str:
    """Content of at most `budget` tokens, with a note of what was left out."""
    before = tokenizer.count(content)
    if before <= budget:
        return content
    rows = _json_rows(content)
    if rows is not None:
        return _trim_rows(
            [json.dumps(row, ensure_ascii=False) for row in rows], "[", ",\n", "]", budget, before, tokenizer
        )
    html_rows = [match.group() for match in _ROW.finditer(content)]
    if html_rows:
        return _trim_rows(html_rows, "<table>", "\n", "</table>", budget, before, tokenizer)
    return _cut(content, budget, before, tokenizer)


def _json_rows(content: str) -> list[list[object]] | None:
    if not content.lstrip().startswith("["):
        return None
    try:
        rows = json.loads(content)
    except ValueError:
        return None
    return rows if isinstance(rows, list) and all(isinstance(row, list) for row in rows) else None


def _trim_rows(
    rows: list[str], start: str, between: str, end: str, budget: int, before: int, tokenizer: Tokenizer
) -> str:
    """The first rows, and the last one where it fits: the head names the columns, the end often holds totals."""
    tail = rows[-_LAST_ROWS:] if len(rows) > 3 else []

    def joined(count: int, with_tail: bool) -> str:
        kept = rows[:count] + (tail if with_tail else [])
        left_out = len(rows) - len(kept)
        text = start + between.join(kept) + end
        return f"{text}\n<!-- {left_out} of {len(rows)} rows left out, {before} tokens in all -->"

    for with_tail in (True, False):
        if with_tail and not tail:
            continue
        most = len(rows) - (len(tail) if with_tail else 0)
        count = largest(most, lambda n, t=with_tail: tokenizer.count(joined(n, t)) <= budget)  # type: ignore[misc]
        if count >= 1:
            return joined(count, with_tail)
    return _cut(start + rows[0], budget, before, tokenizer)


def _cut(text: str, budget: int, before: int, tokenizer: Tokenizer) -> str:
    note = f"\n<!-- cut, {before} tokens in all -->"
    room = budget - tokenizer.count(note)
    if room <= 0:
        note, room = "", budget
    count = largest(len(text), lambda n: tokenizer.count(text[:n]) <= room)
    return text[:count] + note
