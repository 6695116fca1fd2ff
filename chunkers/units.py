"""What a block is cut between: lines, items, tables; and which lines look like headings."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import strip_range
from lrdoc.chunkers.markup import Markup
from lrdoc.chunkers.tables import Item

Range = tuple[int, int]
MAX_ANCHOR_CHARS = 100

_NUMBERED = re.compile(r"\(?[0-9a-zA-Z]{1,3}[.)]\s")
_NO_HEADING = re.compile(
    r"[.。;；,，!！?？{}…]$|[.。!！?？][\"”’)]$"  # the end of a sentence, or code
    r"|^[-*+•·‣▪◦–>|]|^\[\^|^\[[0-9]"  # items of lists, quotations, table lines, notes
    r"|^</?[a-zA-Z]|<(?:table|drawing|equation)\b|[;{}]|^[!@$%^&=\\/`]|\w\([^)]*\)\s*$|=\s*\S+\("
)
_HEADING_LINES = re.compile(r"(?:\s*#{1,6}[ \t][^\n]*(?:\n|$))+\s*")


class Unit(NamedTuple):
    """A stretch of a block that is cut only when it does not fit."""

    start: int
    end: int
    tokens: int
    kind: Literal["line", "code", "item", "table", "rows", "long_row"]
    item: Item | None = None
    row: int = -1
    """The row of a long row."""


def read_lines(counter: RangeCounter, markup: Markup, start: int, end: int) -> list[Unit]:
    """The lines of [start, end) that are not blank. A line end inside an item, such as an equation of several lines,
    ends no line."""
    text = counter.text
    units: list[Unit] = []
    place = start
    in_code = False
    whole = [(item.start, item.end) for item in markup.items_in(start, end) if item.kind != "table"]
    while place < end:
        stop = text.find("\n", place, end)
        while stop >= 0:
            i = bisect.bisect_right(whole, (stop, end + 1)) - 1
            if i < 0 or not whole[i][0] < stop < whole[i][1]:
                break
            stop = text.find("\n", whole[i][1], end)
        stop = end if stop < 0 else stop
        a, b = strip_range(text, place, stop)
        if a < b:
            fence = text.startswith(("```", "~~~"), a)
            item = markup.items_in(a, a + 1)
            kind: Literal["line", "code", "item"] = "line"
            if fence or in_code:
                kind = "code"
            elif item and item[0].end >= b:
                kind = "item"
            in_code ^= fence
            # Indentation belongs to the line.
            begin = place if text[place:a].strip("\n") else a
            units.append(Unit(begin, b, counter.count(begin, b), kind, item[0] if kind == "item" else None))
        place = stop + 1
    return units


def is_anchor(text: str, units: Sequence[Unit], i: int) -> bool:
    """Whether unit i looks like a heading: a short line, no list item, no tag, no code, not the end of a sentence."""
    unit = units[i]
    if unit.kind != "line" or i + 1 == len(units) or unit.end - unit.start > MAX_ANCHOR_CHARS:
        return False
    line = text[unit.start : unit.end]
    if line[:1].isspace() or _NO_HEADING.search(line) or not any(char.isalpha() for char in line):
        return False
    if _NUMBERED.match(line) is None:
        return True
    # One of several numbered lines in a row is an item of a list.
    return not any(
        units[j].kind == "line" and _NUMBERED.match(text, units[j].start, units[j].end)
        for j in (i - 1, i + 1)
        if 0 <= j < len(units)
    )


def is_heading_text(text: str, place: Range) -> bool:
    """Whether nothing but heading lines stands in a range."""
    return _HEADING_LINES.fullmatch(text[place[0] : place[1]]) is not None
