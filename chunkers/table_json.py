"""JSON tables: `<table … format="json">[["a", "b"], ["1", "2"]]</table>`."""

from __future__ import annotations

import bisect
import json
import re
from dataclasses import dataclass

from lrdoc.chunkers.base import InsertKind
from lrdoc.chunkers.document import TableInfo
from lrdoc.chunkers.tables import CutState, Header, Item, Spans

# A string without end reaches to the end: looked for again at every quote in it, it would cost its length each time.
_STRING = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_TOKEN = re.compile(_STRING + r"|[\[\]]", re.DOTALL)
_ROW_TOKEN = re.compile(_STRING + r'|[\[\],]|[^\s\[\],"]+', re.DOTALL)
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}|\\.|&[#a-zA-Z0-9]{1,16};")
_NUMBER = re.compile(r"[-+(]?[$€£¥]?\s*[0-9][0-9.,' ]*\s*%?\)?")
_CLOSE = "]</table>"
_KEY_CHARS = 60
_SAMPLE_ROWS = 40


def read_json(text: str, item: Item, info: TableInfo | None) -> JsonTable | None:
    """The rows of a JSON table; None when the body is no array of arrays."""
    rows: list[tuple[int, int]] = []
    depth = start = 0
    for found in _TOKEN.finditer(text, item.body_start, item.body_end):
        if found[0] == "[":
            depth += 1
            if depth == 2:
                start = found.start()
        elif found[0] == "]":
            if depth == 2:
                rows.append((start, found.end()))
            depth -= 1
    if depth != 0 or not rows:
        return None
    return JsonTable(text, item, rows, _header_of(text, rows, info), info.spans if info is not None else ())


def _header_of(text: str, rows: list[tuple[int, int]], info: TableInfo | None) -> Header | None:
    stored = _read_rows(info.header) if info is not None and info.header else []
    if stored:
        n = len(stored)
        if [_read(text[a:b]) for a, b in rows[:n]] != stored:
            written = (json.dumps(row, ensure_ascii=False).replace("</", "<\\/") for row in stored)
            return Header(n, False, ", ".join(written))
    elif _looks_like_header([_read(text[a:b]) for a, b in rows[:_SAMPLE_ROWS]]):
        n = 1
    else:
        return None
    return Header(n, True, text[rows[0][0] : rows[n - 1][1]]) if n < len(rows) else None


def _read(body: str) -> object:
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value


def _read_rows(header: str) -> list[object]:
    rows = _read(header)
    return rows if isinstance(rows, list) and all(isinstance(row, list) for row in rows) else []


def _looks_like_header(rows: list[object]) -> bool:
    """Whether the first row names the columns: short different texts over columns of numbers or of longer texts."""
    table = [[str(cell).strip() for cell in row] for row in rows if isinstance(row, list)]
    if len(table) < 2 or not table[0]:
        return False
    names, body = table[0], table[1:]
    if not all(names) or len(set(names)) < len(names) or any(len(name) > 60 for name in names):
        return False
    if any(_NUMBER.fullmatch(name) for name in names):
        return False
    for column in range(len(names)):
        values = [row[column] for row in body if column < len(row) and row[column]]
        if values and 2 * sum(bool(_NUMBER.fullmatch(value)) for value in values) > len(values):
            return True
    lengths = [len(cell) for row in body for cell in row]
    longest = max(map(len, names))
    return bool(lengths) and longest <= 30 and sum(lengths) > 2 * longest * len(lengths)


@dataclass(slots=True)
class JsonTable:
    """See `TableCuts`."""

    text: str
    item: Item
    rows: list[tuple[int, int]]
    header: Header | None
    spans: Spans
    is_header_repeated: bool = True

    def start_of(self, row: int) -> int:
        if row == 0:
            return self.item.start
        # The comma after the row before stands between the repeated header and this row.
        return self.rows[row - 1][1] if self._repeats(row) else self.rows[row][0]

    def end_of(self, row: int) -> int:
        return self.item.end if row == len(self.rows) - 1 else self.rows[row][1]

    def _repeats(self, row: int) -> bool:
        """Whether the header is put before a piece that begins with this row."""
        header = self.header
        return header is not None and self.is_header_repeated and (not header.in_body or row >= header.rows)

    def state(self, place: int) -> CutState:
        tag = self.text[self.item.start : self.item.body_start] + "["
        row = bisect.bisect_right(self.rows, place, key=lambda r: r[1])
        opener: list[tuple[str, InsertKind]] = [(tag, "open")]
        repeats = self.header is not None and self._repeats(row)
        if self.header is not None and repeats:
            opener.append((self.header.text, "header"))
        if row == len(self.rows) or place <= self.rows[row][0]:
            gap_end = self.rows[row][0] if row < len(self.rows) else self.item.body_end
            if repeats and "," not in self.text[place:gap_end] and row < len(self.rows):
                opener.append((", ", "join"))
            return CutState(tuple(opener), _CLOSE)
        if repeats:
            opener.append((", ", "join"))
        column, key, where = self._place_in_row(row, place)
        shown = column + 1 if where == "after" else column
        cells = [key or '""', *['""'] * (shown - 1)] if shown else []
        begin = "[" + ", ".join(cells)
        if cells and where != "after":
            begin += ", "
        if where == "inside":
            begin += '"'
        opener.append((begin, "cell"))
        return CutState(tuple(opener), {"inside": '"]', "before": '""]', "after": "]"}[where] + _CLOSE)

    def _place_in_row(self, row: int, place: int) -> tuple[int, str, str]:
        """(column, first cell when it is a short text, before | inside | after its value)."""
        column, key, where = 0, "", "before"
        for found in _ROW_TOKEN.finditer(self.text, self.rows[row][0] + 1, self.rows[row][1]):
            if found.start() >= place:
                break
            if found[0] == ",":
                column, where = column + 1, "before"
            elif found[0][0] == '"' and place < found.end():
                where = "inside"
            else:
                where = "after"
                if column == 0 and len(found[0]) <= _KEY_CHARS and found[0][0] not in "[]":
                    key = found[0]
        return column, key, where

    def unbreakable(self, row: int) -> list[tuple[int, int]]:
        a, b = self.rows[row]
        ranges = [(self.start_of(row), a + 1)]
        for found in _ROW_TOKEN.finditer(self.text, a + 1, b - 1):
            if found[0][0] != '"':
                ranges.append(found.span())
                continue
            inside = (found.start() + 1, found.end() - 1)
            ranges.extend(escape.span() for escape in _ESCAPE.finditer(self.text, *inside))
        ranges.append((b - 1, self.end_of(row)))
        return [r for r in ranges if r[1] - r[0] > 1]
