"""Items inside the merged text (tables, equations, drawings, citations) and how ranges of the text are written out."""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping, Sequence

from lrdoc.chunkers.base import TableSlice
from lrdoc.chunkers.document import TableInfo
from lrdoc.chunkers.finish import ContentBuilder
from lrdoc.chunkers.tables import CutState, Insertion, Item, TableCuts, clip_spans, n_body_header, read_table, row_at

_TAG = re.compile(r'<(/?)(table|equation|drawing|cite)\b((?:[^<>"]|"[^"]*")*)>', re.IGNORECASE)
_ATTRIBUTE = re.compile(r'([\w:-]+)\s*=\s*"([^"]*)"')
_NOTHING = CutState()


def find_items(text: str) -> list[Item]:
    """Outermost items in order. Tags without their partner are ordinary text."""
    pairs: list[Item] = []
    waiting: dict[str, list[re.Match[str]]] = {"table": [], "equation": [], "cite": []}
    for found in _TAG.finditer(text):
        name = found[2].lower()
        if name == "drawing":
            if not found[1]:
                pairs.append(_item(found, found.end(), found.end()))
        elif not found[1]:
            waiting[name].append(found)
        elif waiting[name]:
            pairs.append(_item(waiting[name].pop(), found.start(), found.end()))
    pairs.sort(key=lambda item: (item.start, -item.end))
    outermost: list[Item] = []
    for item in pairs:
        if not outermost or item.start >= outermost[-1].end:
            outermost.append(item)
    return outermost


def _item(tag: re.Match[str], body_end: int, end: int) -> Item:
    attributes = {name.lower(): value for name, value in _ATTRIBUTE.findall(tag[3])}
    where = (tag.start(), end, tag.end(), body_end, attributes.get("id", ""), attributes.get("format", "").lower())
    match tag[2].lower():
        case "table":
            return Item("table", *where)
        case "equation":
            return Item("equation", *where)
        case "drawing":
            return Item("drawing", *where)
        case _:
            return Item("cite", *where)


class Markup:
    """All items of one text. For one document; not to be shared by threads."""

    def __init__(self, text: str, tables: Mapping[str, TableInfo]) -> None:
        self.text = text
        self.items = find_items(text)
        self._starts = [item.start for item in self.items]
        self._infos = tables
        self._tables: dict[int, TableCuts | None] = {}
        self._as_text: set[int] = set()

    def items_in(self, start: int, end: int) -> list[Item]:
        """Items that begin in [start, end)."""
        return self.items[bisect.bisect_left(self._starts, start) : bisect.bisect_left(self._starts, end)]

    def item_around(self, place: int) -> Item | None:
        """The item that a cut at this place divides."""
        i = bisect.bisect_left(self._starts, place) - 1
        if i >= 0 and self.items[i].start < place < self.items[i].end:
            return self.items[i]
        return None

    def cut_as_text(self, item: Item) -> None:
        """From now on nothing is inserted where this item is cut: its tags leave no room for its content."""
        self._as_text.add(item.start)

    def is_cut_as_text(self, item: Item) -> bool:
        return item.start in self._as_text

    def table(self, item: Item) -> TableCuts | None:
        """How a table can be cut; None when it is not readable as one."""
        if item.start not in self._tables:
            self._tables[item.start] = read_table(self.text, item, self._infos.get(item.id))
        return self._tables[item.start]

    def state(self, place: int) -> CutState:
        """What a cut at this place needs."""
        item = self.item_around(place)
        if item is None or item.kind in ("drawing", "cite") or item.start in self._as_text:
            return _NOTHING
        table = self.table(item) if item.kind == "table" else None
        if table is not None:
            return table.state(place)
        tag = self.text[item.start : item.body_start]
        return CutState(((tag, "open"),), f"</{item.kind}>")

    def write(self, ranges: Sequence[tuple[int, int]]) -> ContentBuilder:
        """The content of a piece that holds these ranges of the text, in order."""
        builder = ContentBuilder(self.text)
        for i, (start, end) in enumerate(ranges):
            if i:
                builder.insert("\n\n", "join")
            state = self.state(start)
            for opened, kind in state.opener:
                builder.insert(opened, kind)
            place = start
            fills = [*state.fills, *self._missing_header(start, end)]
            for fill in fills:
                if place <= fill.place <= end:
                    builder.slice(place, fill.place)
                    builder.insert(fill.text, fill.kind)
                    place = fill.place
            builder.slice(place, end)
            builder.insert(self.state(end).closer, "close")
        return builder

    def _missing_header(self, start: int, end: int) -> list[Insertion]:
        """Headers of tables that begin in the range and have their header rows in tables.json only."""
        fills = []
        for item in self.items_in(start, end) if self._infos else ():
            info = self._infos.get(item.id)
            if item.kind != "table" or info is None or not info.header or self.is_cut_as_text(item):
                continue
            table = self.table(item)
            if table is None or table.header is None or table.header.in_body:
                continue
            if item.format == "html" or not table.header.text.startswith("["):
                fills.append(Insertion(item.body_start, table.header.text, "header"))
            else:
                fills.append(Insertion(table.rows[0][0], table.header.text + ", ", "header"))
        return fills

    def slices(self, start: int, end: int) -> tuple[TableSlice, ...]:
        """Which rows of divided tables stand in [start, end)."""
        found: list[TableSlice] = []
        items = {item.start: item for item in (self.item_around(start), self.item_around(end)) if item is not None}
        for item in items.values():
            table = self.table(item) if item.kind == "table" and not self.is_cut_as_text(item) else None
            if table is None:
                continue
            first = row_at(table, start) if start > item.start else 0
            last = row_at(table, end - 1) + 1 if end < item.end else len(table.rows)
            header = table.header
            repeats = header is not None and table.is_header_repeated and start > item.start
            n = header.rows if header is not None and repeats and first >= n_body_header(table) else 0
            found.append(
                TableSlice(item.id, (first, last), len(table.rows), n, clip_spans(table.spans, first, last, n))
            )
        return tuple(found)
