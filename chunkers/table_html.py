"""HTML tables: `<table … format="html"><thead>…</thead><tbody><tr>…</tr></tbody></table>`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from lrdoc.chunkers.base import InsertKind
from lrdoc.chunkers.document import TableInfo
from lrdoc.chunkers.tables import CutState, Header, Insertion, Item, Spans, row_at

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b((?:[^<>\"]|\"[^\"]*\")*)>")
_ENTITY = re.compile(r"&[#a-zA-Z0-9]{1,16};")
_SPAN = re.compile(r"\b(rowspan|colspan)\s*=\s*[\"']?\s*([0-9]{1,4})", re.IGNORECASE)
_MOST_REACHING = 64
_VOID = frozenset("area base br col drawing embed hr img input link meta source wbr".split())
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_ENDS = {
    "td": frozenset({"td", "th"}),
    "th": frozenset({"td", "th"}),
    "tr": frozenset({"tr", "td", "th"}),
    "li": frozenset({"li"}),
    "p": frozenset({"p"}),
}
"""An opening tag ends an open element of these names without an end tag of its own."""


class _Cell(NamedTuple):
    start: int
    end: int
    row_span: int
    col_span: int


class _Reaching(NamedTuple):
    """A cell of an earlier row that reaches into a row."""

    column: int
    width: int
    rows_left: int
    cell: _Cell


def read_html(text: str, item: Item, info: TableInfo | None) -> HtmlTable | None:
    """The rows of an HTML table; None when the body has none."""
    rows: list[tuple[int, int]] = []
    groups: list[str] = []
    group = ""
    depth, row_start, head_start = 0, -1, -1
    head: tuple[int, int, int] | None = None

    def end_row(end: int) -> None:
        nonlocal row_start
        if row_start >= 0:
            rows.append((row_start, end))
            groups.append(group)
        row_start = -1

    for found in _TAG.finditer(text, item.body_start, item.body_end):
        name, closing = found[2].lower(), bool(found[1])
        if name == "table":
            depth += -1 if closing else 1
        elif depth == 0 and name == "tr":
            end_row(found.end() if closing else found.start())
            if not closing:
                row_start = found.start()
        elif depth == 0 and name in _GROUPS:
            end_row(found.start())
            group = "" if closing else found[0]
            if name == "thead" and not closing and head_start < 0:
                head_start = found.start()
            elif name == "thead" and closing and head_start >= 0 and head is None:
                head = (head_start, found.end(), len(rows))
    end_row(item.body_end)
    if not rows:
        return None
    return HtmlTable(text, item, rows, _header_of(text, rows, head, info), info.spans if info else (), groups)


def _header_of(
    text: str, rows: list[tuple[int, int]], head: tuple[int, int, int] | None, info: TableInfo | None
) -> Header | None:
    header: Header | None = None
    if head is not None and head[2] and rows[0][0] >= head[0]:
        header = Header(head[2], True, text[head[0] : head[1]])
    elif info is not None and info.header.lstrip().lower().startswith("<thead"):
        n = len(re.findall(r"<tr\b", info.header, re.IGNORECASE)) or 1
        return Header(n, False, info.header)
    else:
        first = text[rows[0][0] : rows[0][1]]
        names = {found[2].lower() for found in _TAG.finditer(first) if not found[1]}
        if "th" in names and "td" not in names:
            header = Header(1, True, f"<thead>{first.strip()}</thead>")
    return header if header is not None and header.rows < len(rows) else None


@dataclass(slots=True)
class HtmlTable:
    """See `TableCuts`."""

    text: str
    item: Item
    rows: list[tuple[int, int]]
    header: Header | None
    spans: Spans
    groups: list[str]
    """The tag of the row group around each row, "" for none."""
    is_header_repeated: bool = True
    _reaching: dict[int, list[_Reaching]] | None = field(default=None, repr=False)

    def start_of(self, row: int) -> int:
        return self.item.start if row == 0 else self.rows[row][0]

    def end_of(self, row: int) -> int:
        return self.item.end if row == len(self.rows) - 1 else self.rows[row + 1][0]

    def state(self, place: int) -> CutState:
        row = row_at(self, place)
        a, b = self.rows[row]
        inside: list[re.Match[str]] = []
        for found in _TAG.finditer(self.text, a, b) if a < place < b else ():
            if found.end() > place:
                break
            _push(inside, found)
        group = self.groups[row]
        opener: list[tuple[str, InsertKind]] = [(self.text[self.item.start : self.item.body_start], "open")]
        header = self.header
        if header is not None and self.is_header_repeated and (not header.in_body or row >= header.rows):
            opener.append((header.text, "header"))
        opened = group + "".join(found[0] for found in inside)
        if opened:
            opener.append((opened, "open"))
        names = [found[2].lower() for found in inside]
        if group:
            names.insert(0, group[1:6])
        closer = "".join(f"</{name}>" for name in reversed(names)) + "</table>"
        return CutState(tuple(opener), closer, tuple(self._continued(row)) if place <= a else ())

    def unbreakable(self, row: int) -> list[tuple[int, int]]:
        a, b = self.rows[row]
        start, end = self.start_of(row), self.end_of(row)
        ranges = [found.span() for found in _TAG.finditer(self.text, a, b)]
        ranges += [found.span() for found in _ENTITY.finditer(self.text, a, b)]
        ranges.sort()
        apart = [r for i, r in enumerate(ranges) if i == 0 or r[0] >= ranges[i - 1][1]]
        # What stands before the row and after it goes with its first and its last tag.
        if apart and apart[0][0] == a:
            apart[0] = (start, apart[0][1])
        if apart and apart[-1][1] == b:
            apart[-1] = (apart[-1][0], end)
        elif b < end:
            apart.append((b, end))
        return apart

    def _continued(self, row: int) -> list[Insertion]:
        """Cells of earlier rows that reach into this row, to be put into it with the rest of their span."""
        reaching = self._reaching_cells().get(row)
        if not reaching:
            return []
        waiting = sorted(reaching, key=lambda r: r.column)
        cells = _cells_of(self.text, self.rows[row])
        fills: list[Insertion] = []
        column = 0
        for cell in cells:
            while waiting and waiting[0].column <= column:
                column = waiting[0].column + waiting[0].width
                fills.append(self._fill(cell.start, waiting.pop(0)))
            column += cell.col_span
        row_end = self.rows[row][1]
        closing = self.text.rfind("</", *self.rows[row])
        end = cells[-1].end if cells else (closing if closing >= 0 else row_end)
        fills.extend(self._fill(end, rest) for rest in waiting)
        return fills

    def _fill(self, place: int, rest: _Reaching) -> Insertion:
        body = self.text[rest.cell.start : rest.cell.end]
        tag_end = body.find(">") + 1
        tag = _SPAN.sub(
            lambda m: m[0].replace(m[2], str(rest.rows_left)) if m[1].lower() == "rowspan" else m[0], body[:tag_end]
        )
        return Insertion(place, tag + body[tag_end:], "cell")

    def _reaching_cells(self) -> dict[int, list[_Reaching]]:
        if self._reaching is None:
            found: dict[int, list[_Reaching]] = {}
            active: list[_Reaching] = []
            for i, row in enumerate(self.rows):
                active = [r._replace(rows_left=r.rows_left - 1) for r in active if r.rows_left > 1]
                if active:
                    found[i] = active
                taken = sorted((r.column, r.width) for r in active)
                column = 0
                begun: list[_Reaching] = []
                for cell in _cells_of(self.text, row):
                    while taken and taken[0][0] <= column:
                        start, width = taken.pop(0)
                        column = max(column, start + width)
                    if cell.row_span > 1:
                        begun.append(_Reaching(column, cell.col_span, cell.row_span, cell))
                    column += cell.col_span
                active = active + begun
                if len(active) > _MOST_REACHING:
                    # No real table looks like this, and repeating them all would leave no room for a row.
                    found = {}
                    break
            self._reaching = found
        return self._reaching


def _push(stack: list[re.Match[str]], found: re.Match[str]) -> None:
    """Follow one tag: opening tags go on the stack, closing ones take theirs and what it holds away."""
    name = found[2].lower()
    if found[1]:
        for i in range(len(stack) - 1, -1, -1):
            if stack[i][2].lower() == name:
                del stack[i:]
                return
        return
    if name in _VOID or found[3].rstrip().endswith("/"):
        return
    if stack and stack[-1][2].lower() in _ENDS.get(name, ()):
        stack.pop()
    stack.append(found)


def _cells_of(text: str, row: tuple[int, int]) -> list[_Cell]:
    """The cells of a row; nested tables are passed over."""
    cells: list[_Cell] = []
    depth, start = 0, -1
    spans: dict[str, int] = {}
    for found in _TAG.finditer(text, *row):
        name, closing = found[2].lower(), bool(found[1])
        if name == "table":
            depth += -1 if closing else 1
        elif depth == 0 and name in ("td", "th", "tr"):
            if start >= 0:
                end = found.end() if closing and name != "tr" else found.start()
                cells.append(_Cell(start, end, max(spans.get("rowspan", 1), 1), max(spans.get("colspan", 1), 1)))
                start = -1
            if not closing and name != "tr":
                start = found.start()
                spans = {key.lower(): int(value) for key, value in _SPAN.findall(found[3])}
    if start >= 0:
        cells.append(_Cell(start, row[1], max(spans.get("rowspan", 1), 1), max(spans.get("colspan", 1), 1)))
    return cells
