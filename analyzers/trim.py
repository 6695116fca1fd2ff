"""Shortens an item's content to a budget of tokens: tables at row boundaries, other text at characters."""

from __future__ import annotations

from collections.abc import Callable

from lrdoc.analyzers.rows import html_rows, json_rows, json_text
from lrdoc.text.tokens import Tokenizer

_LAST_ROWS = 1
"""Rows from the end that are kept as a sample when a table is shortened: totals stand there."""


def largest(most: int, fits: Callable[[int], bool]) -> int:
    """The greatest n ≤ most for which `fits` holds; `fits(0)` is taken to hold.

    Found by doubling and then bisection, so that no more is ever looked at than twice what fits.
    """
    low, high = 0, 1
    while high < most and fits(high):
        low, high = high, high * 2
    high = min(high, most)
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
    rows = json_rows(content)
    if rows is not None:
        return _trim_rows([json_text(row) for row in rows], "[", ",\n", "]", budget, before, tokenizer)
    places = html_rows(content)
    if places:
        # A caption and column groups stand before the first row.
        start = content[: places[0][0]]
        start = start if start.lstrip()[:6].lower() == "<table" else "<table>" + start
        # What stands between two rows (the end of the head, say) goes with the first of them.
        ends = [begin for begin, _ in places[1:]] + [places[-1][1]]
        rows_of_html = [content[begin:end] for (begin, _), end in zip(places, ends, strict=True)]
        return _trim_rows(rows_of_html, start, "", "</table>", budget, before, tokenizer)
    return _cut(content, budget, before, tokenizer)


def _trim_rows(
    rows: list[str], start: str, between: str, end: str, budget: int, before: int, tokenizer: Tokenizer
) -> str:
    """The first rows, and the last one where it fits: the head names the columns, the end often holds totals."""
    tails = [rows[-_LAST_ROWS:], []] if len(rows) > 3 else [[]]

    def joined(count: int, tail: list[str]) -> str:
        kept = rows[:count] + tail
        left_out = len(rows) - len(kept)
        text = start + between.join(kept) + end
        return f"{text}\n<!-- {left_out} of {len(rows)} rows left out, {before} tokens in all -->"

    def most(tail: list[str]) -> int:
        return largest(len(rows) - len(tail), lambda n: tokenizer.count(joined(n, tail)) <= budget)

    for tail in tails:
        count = most(tail)
        if count >= 1:
            return joined(count, tail)
    return _cut(start + rows[0], budget, before, tokenizer)


def _cut(text: str, budget: int, before: int, tokenizer: Tokenizer) -> str:
    note = f"\n<!-- cut, {before} tokens in all -->"
    room = budget - tokenizer.count(note)
    if room <= 0:
        note, room = "", budget
    count = largest(len(text), lambda n: tokenizer.count(text[:n]) <= room)
    return text[:count] + note


def cut_text(text: str, budget: int, tokenizer: Tokenizer, *, from_end: bool = False) -> str:
    """At most `budget` tokens of a text, with an ellipsis where it was cut; its end when `from_end`."""
    if tokenizer.count(text) <= budget:
        return text

    def cut(count: int) -> str:
        return "…" + text[len(text) - count :] if from_end else text[:count] + "…"

    count = largest(len(text), lambda n: tokenizer.count(cut(n)) <= budget)
    return cut(count) if count else ""
