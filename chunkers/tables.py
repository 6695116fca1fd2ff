"""Tables as they stand in the merged text: where they can be cut between rows, and what the pieces need.

A piece of a table is a table again: its tag is closed and opened again, header rows are repeated, a long row goes on in
the same column, a cell that spans the cut is put into the next piece with the rest of its span.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from lrdoc.chunkers.base import InsertKind
from lrdoc.chunkers.document import TableInfo

Spans = tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One tag of ours with its body; ranges of the merged text."""

    kind: Literal["table", "equation", "drawing", "cite"]
    start: int
    end: int
    body_start: int
    body_end: int
    id: str = ""
    format: str = ""


class Insertion(NamedTuple):
    """What is put into a piece at a place of the text."""

    place: int
    text: str
    kind: InsertKind


class CutState(NamedTuple):
    """What makes a cut inside an item good."""

    opener: tuple[tuple[str, InsertKind], ...] = ()
    """Before the piece that begins at the cut."""
    closer: str = ""
    """After the piece that ends at the cut."""
    fills: tuple[Insertion, ...] = ()
    """Inside the piece that begins at the cut."""


class Header(NamedTuple):
    """Header rows of a table."""

    rows: int
    """How many there are."""
    in_body: bool
    """They are the first rows of the body; False: only tables.json has them."""
    text: str
    """What repeats them: JSON rows without brackets around them, or `<thead>…</thead>`."""


class TableCuts(Protocol):
    """A table that can be cut."""

    item: Item
    rows: list[tuple[int, int]]
    """Ranges of the rows in the body, header rows included."""
    header: Header | None
    spans: Spans
    """Merged cells as tables.json tells them."""
    is_header_repeated: bool
    """False: the header is too long to stand in every piece."""

    def start_of(self, row: int) -> int:
        """Where a piece begins whose first row is `row`."""

    def end_of(self, row: int) -> int:
        """Where a piece ends whose last row is `row`."""

    def state(self, place: int) -> CutState:
        """What a cut at this place needs."""

    def unbreakable(self, row: int) -> list[tuple[int, int]]:
        """Ranges inside a row that a cut must not divide, such as tags and escapes."""


def n_body_header(table: TableCuts) -> int:
    """How many leading rows of the body are header rows."""
    return table.header.rows if table.header is not None and table.header.in_body else 0


def row_at(table: TableCuts, place: int) -> int:
    """The row of a place; a place between two rows belongs to the later one."""
    return min(bisect.bisect_right(table.rows, place, key=lambda r: r[1]), len(table.rows) - 1)


def clip_spans(spans: Spans, first: int, last: int, header_rows: int) -> Spans:
    """Merged cells of rows [first, last), counted from the first row of the piece, before which `header_rows` rows are
    repeated; merged cells of the repeated header stay."""
    clipped = set()
    for row, column, n_rows, n_columns in spans:
        if row + n_rows <= header_rows:
            clipped.add((row, column, n_rows, n_columns))
        a, b = max(row, first), min(row + n_rows, last)
        if a < b and (b - a > 1 or n_columns > 1):
            clipped.add((a - first + header_rows, column, b - a, n_columns))
    return tuple(sorted(clipped))


def read_table(text: str, item: Item, info: TableInfo | None) -> TableCuts | None:
    """How a table can be cut; None when its body is no table."""
    from lrdoc.chunkers.table_html import read_html
    from lrdoc.chunkers.table_json import read_json

    if item.format == "json" or (item.format != "html" and text[item.body_start : item.body_end].lstrip()[:1] == "["):
        return read_json(text, item, info)
    return read_html(text, item, info)
