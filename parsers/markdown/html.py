"""Raw HTML in markdown: tags, text, and the structure of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import NamedTuple

from lrdoc.parsers.markdown.tabletags import match_tables

MARKS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "s": "strike",
    "strike": "strike",
    "del": "strike",
    "u": "underline",
    "ins": "underline",
    "code": "code",
    "kbd": "code",
    "samp": "code",
    "tt": "code",
    "sup": "sup",
    "sub": "sub",
}
"""Elements that are kept as a mark of the text inside them."""

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup option p pre search "
    "section summary table tbody td tfoot th thead title tr ul video audio iframe select".split()
)
"""Elements that stand on lines of their own."""

_INLINE = frozenset(
    "a abbr acronym area base bdi bdo big blink br button canvas cite col colgroup command data datalist dfn embed "
    "font frame frameset img input label link map mark marquee meta meter nobr noembed noframes noscript object output "
    "param picture progress q rb rp rt rtc ruby slot small source span svg template time track var wbr".split()
)
_HIDDEN = ("script", "style")
"""Their text is never shown."""

KNOWN = BLOCKS | _INLINE | MARKS.keys() | frozenset((*_HIDDEN, "textarea"))
"""Elements of HTML. Anything else in angle brackets was meant to be read: `<T>`, `<your name>`, `<equation>`."""

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:._-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*+)>")
_ATTRIBUTE = re.compile(r"([^\s=\"'<>/]+)(?:\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_HIDDEN_END = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE | re.ASCII) for name in _HIDDEN}


class Tag(NamedTuple):
    """An opening or closing tag."""

    name: str
    closing: bool
    attributes: Mapping[str, str]
    start: int
    end: int


def read_tag(text: str, pos: int = 0) -> Tag | None:
    """The tag that begins at `pos`."""
    match = _TAG.match(text, pos)
    if match is None:
        return None
    name = match[2].lower()
    inside = match[3]
    attributes: dict[str, str] = {}
    if not match[1] and inside.strip(" \t\n/"):
        for found in _ATTRIBUTE.finditer(inside):
            value = found[2] if found[2] is not None else found[3] if found[3] is not None else found[4] or ""
            attributes.setdefault(found[1].lower(), unescape(value))
    return Tag(name, bool(match[1]), attributes, match.start(), match.end())


class Piece(NamedTuple):
    """A stretch of an HTML fragment: a tag, a whole table, or text with its entities resolved."""

    kind: str
    """tag, table or text."""
    text: str
    """Text; for a table its source."""
    tag: Tag | None
    start: int
    """Offset in the fragment."""
    end: int


def pieces(text: str) -> Iterator[Piece]:
    """The fragment without comments, scripts and styles. Tags that are not HTML are text. Costs one pass."""
    tables = dict(match_tables(text))
    pos = done = 0
    size = len(text)
    while (pos := text.find("<", pos)) >= 0:
        begin = pos
        tag: Tag | None = None
        if text.startswith("<!--", pos):
            end = text.find("-->", pos + 2)
            end = size if end < 0 else end + 3
        elif text.startswith("<![CDATA[", pos):
            end = text.find("]]>", pos)
            end = size if end < 0 else end
            if done < begin:
                yield Piece("text", unescape(text[done:begin]), None, done, begin)
            yield Piece("text", text[pos + 9 : end], None, pos + 9, end)
            done = pos = min(size, end + 3)
            continue
        elif text.startswith("<!", pos):
            end = text.find(">", pos)
            end = size if end < 0 else end + 1
        elif pos in tables:
            end = tables[pos]
            if done < begin:
                yield Piece("text", unescape(text[done:begin]), None, done, begin)
            yield Piece("table", text[pos:end], None, pos, end)
            done = pos = end
            continue
        else:
            tag = read_tag(text, pos)
            if tag is None or tag.name not in KNOWN:
                pos += 1
                continue
            end = tag.end
            if tag.name in _HIDDEN and not tag.closing:
                close = _HIDDEN_END[tag.name].search(text, end)
                if close is not None:
                    end = close.end()
                    tag = None
        if done < begin:
            yield Piece("text", unescape(text[done:begin]), None, done, begin)
        if tag is not None:
            yield Piece("tag", "", tag, begin, end)
        done = pos = end
    if done < size:
        yield Piece("text", unescape(text[done:]), None, done, size)


class RawCell(NamedTuple):
    """A cell as it is written."""

    start: int
    """Where its content begins."""
    end: int
    row_span: int
    col_span: int
    header: bool


class RawRow(NamedTuple):
    cells: list[RawCell]
    start: int
    end: int
    in_head: bool


class RawTable(NamedTuple):
    """The outermost table of a fragment; offsets count from the fragment's beginning."""

    rows: list[RawRow]
    caption: tuple[int, int] | None
    head: tuple[int, int] | None
    """`<thead>…</thead>` with its tags."""

    @property
    def header_rows(self) -> int:
        """Leading rows inside thead, or else made of th only."""
        count = 0
        for row in self.rows:
            if not row.in_head and (self.head is not None or not all(cell.header for cell in row.cells)):
                break
            count += 1
        return count if count < len(self.rows) or self.head is not None else 0


_MAX_COL_SPAN = 1000
_MAX_GRID = 1_000_000
"""Positions in a grid; a table that claims more is measured by its cells alone."""


def read_table(text: str, check: Callable[[], None]) -> RawTable:
    """Rows and cells of `<table>…</table>`; what nested tables hold belongs to their cell. One pass.

    `check` is called now and then and raises to stop the work.
    """
    nested = [span for span in match_tables(text) if span[0] > 0]
    inner = dict(nested)
    rows: list[RawRow] = []
    cells: list[RawCell] = []
    row_start = -1
    cell: tuple[int, Tag] | None = None
    in_head = False
    head_start = -1
    head: tuple[int, int] | None = None
    caption_start = -1
    caption: tuple[int, int] | None = None
    pos = 0

    def end_cell(at: int) -> None:
        nonlocal cell
        if cell is not None:
            begin, opening = cell
            cells.append(
                RawCell(
                    begin,
                    at,
                    _span(opening.attributes.get("rowspan"), 65534),
                    _span(opening.attributes.get("colspan"), _MAX_COL_SPAN),
                    opening.name == "th",
                )
            )
            cell = None

    def end_row(at: int) -> None:
        nonlocal cells, row_start
        end_cell(at)
        if cells:
            rows.append(RawRow(cells, row_start if row_start >= 0 else cells[0].start, at, in_head))
        cells, row_start = [], -1

    while (pos := text.find("<", pos)) >= 0:
        if pos in inner:
            pos = inner[pos]
            continue
        if text.startswith("<!--", pos):
            end = text.find("-->", pos + 2)
            pos = len(text) if end < 0 else end + 3
            continue
        tag = read_tag(text, pos)
        if tag is None:
            pos += 1
            continue
        match tag.name, tag.closing:
            case "td" | "th", False:
                end_cell(tag.start)
                cell = tag.end, tag
            case "td" | "th", True:
                end_cell(tag.start)
            case "tr", False:
                check()
                end_row(tag.start)
                row_start = tag.start
            case "tr", True:
                end_row(tag.end)
            case "thead", False:
                end_row(tag.start)
                in_head, head_start = True, tag.start
            case "thead", True:
                end_row(tag.start)
                if in_head and head is None:
                    head = head_start, tag.end
                in_head = False
            case "tbody" | "tfoot" | "table", _:
                if tag.start or tag.closing:
                    end_row(tag.start)
                    if in_head and head is None and tag.name != "table":
                        head = head_start, tag.start
                    in_head = False
            case "caption", False:
                caption_start = tag.end
            case "caption", True:
                if caption is None and caption_start >= 0:
                    caption = caption_start, tag.start
        pos = tag.end
    end_row(len(text))
    return RawTable(rows, caption, head)


def _span(value: str | None, most: int) -> int:
    digits = (value or "").strip()
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        return 1
    return max(1, min(int(digits), most))


Place = tuple[int, int, int, int, RawCell]
"""Row, column, row span and column span within the grid, and the cell."""


def lay_out(table: RawTable) -> tuple[int, int, list[Place] | None]:
    """Rows, columns and the places of all cells as a browser would lay them out; no places when there are too many."""
    height = len(table.rows)
    width = 0
    total = 0
    places: list[Place] = []
    busy: dict[int, int] = {}
    """Column → first row that is free again."""
    for r, row in enumerate(table.rows):
        c = 0
        for cell in row.cells:
            while busy.get(c, 0) > r:
                c += 1
            col_span = 1
            while col_span < cell.col_span and busy.get(c + col_span, 0) <= r:
                col_span += 1
            row_span = min(cell.row_span, height - r)
            total += row_span * col_span
            if total > _MAX_GRID:
                widest = max(sum(cell.col_span for cell in row.cells) for row in table.rows)
                return height, widest, None
            if row_span > 1:
                for k in range(c, c + col_span):
                    busy[k] = r + row_span
            places.append((r, c, row_span, col_span, cell))
            c += col_span
            width = max(width, c)
    if height * width > _MAX_GRID:
        return height, width, None
    return height, width, places
