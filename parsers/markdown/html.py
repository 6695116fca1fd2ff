"""Raw HTML in markdown: tags, text, and the structure of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import NamedTuple

import msgspec

from lrdoc.document import MarkKind
from lrdoc.parsers.markdown.tabletags import match_tables

MARKS: Mapping[str, MarkKind] = {
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

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:._-]*+)((?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>")
_MARKUP = re.compile(rf"{_TAG.pattern}|<!--|<!\[CDATA\[|<!|<[Tt][Aa][Bb][Ll][Ee](?=[\s/>])")
"""Where something other than text begins. The last: a table whose first tag is broken."""
_ATTRIBUTE = re.compile(r"([^\s=\"'<>/]+)(?:\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_HIDDEN_END = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE | re.ASCII) for name in _HIDDEN}


class Tag(msgspec.Struct, frozen=True, gc=False):
    """An opening or closing tag."""

    name: str
    closing: bool
    inside: str
    """What stands behind the name."""
    start: int
    end: int

    @property
    def attributes(self) -> Mapping[str, str]:
        """Names in lower case; values without quotes, entities resolved. Read anew at each call."""
        found: dict[str, str] = {}
        if not self.closing:
            for match in _ATTRIBUTE.finditer(self.inside):
                found.setdefault(match[1].lower(), unescape(match[2] or match[3] or match[4] or ""))
        return found


def read_tag(text: str, pos: int = 0) -> Tag | None:
    """The tag that begins at `pos`."""
    match = _TAG.match(text, pos)
    return None if match is None else _tag(match)


def _tag(match: re.Match[str]) -> Tag:
    slash, name, inside = match.groups()
    return Tag(name.lower(), bool(slash), inside, *match.span())


class Piece(msgspec.Struct, frozen=True, gc=False):
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
    unclosed: set[str] = set()
    """Scripts and styles that nothing closes any more."""
    pos = done = 0
    size = len(text)
    while (match := _MARKUP.search(text, pos)) is not None:
        begin, end = match.span()
        piece: Piece | None = None
        if begin in tables:
            end = tables[begin]
            piece = Piece("table", text[begin:end], None, begin, end)
        elif match[2] is not None:
            tag = _tag(match)
            if tag.name not in KNOWN:
                pos = begin + 1
                continue
            piece = Piece("tag", "", tag, begin, end)
            if tag.name in _HIDDEN and not tag.closing and tag.name not in unclosed:
                close = _HIDDEN_END[tag.name].search(text, end)
                if close is None:
                    unclosed.add(tag.name)
                else:
                    piece, end = None, close.end()
        elif match[0] == "<!--":
            end = _behind(text, "-->", begin + 2)
        elif match[0] == "<![CDATA[":
            inside, end = end, _behind(text, "]]>", end)
            piece = Piece("text", text[inside:end].removesuffix("]]>"), None, inside, end)
        elif match[0] == "<!":
            end = _behind(text, ">", end)
        else:
            pos = begin + 1
            continue
        if done < begin:
            yield Piece("text", unescape(text[done:begin]), None, done, begin)
        if piece is not None:
            yield piece
        done = pos = end
    if done < size:
        yield Piece("text", unescape(text[done:]), None, done, size)


def _behind(text: str, mark: str, pos: int) -> int:
    """Offset behind the next `mark`, the end of the text when there is none."""
    found = text.find(mark, pos)
    return len(text) if found < 0 else found + len(mark)


class RawCell(msgspec.Struct, frozen=True, gc=False):
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
    nested: bool
    """Other tables stand in it."""

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
    spans = match_tables(text)
    inner = dict(span for span in spans if span[0] > 0)
    reader = _TableReader(check)
    pos = 0
    while (match := _MARKUP.search(text, pos)) is not None:
        if match.start() in inner:
            pos = inner[match.start()]
        elif match[2] is not None:
            reader.tag(_tag(match))
            pos = match.end()
        elif match[0] == "<!--":
            pos = _behind(text, "-->", match.start() + 2)
        else:
            pos = match.start() + 1
    reader.end_row(len(text))
    return RawTable(reader.rows, reader.caption, reader.head, nested=len(spans) > 1)


class _TableReader:
    """Takes the tags of one table, without those of nested ones."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.rows: list[RawRow] = []
        self.caption: tuple[int, int] | None = None
        self.head: tuple[int, int] | None = None
        self._check = check
        self._cells: list[RawCell] = []
        self._row_start = -1
        self._cell: Tag | None = None
        """The tag of the cell that is open."""
        self._in_head = False
        self._head_start = -1
        self._caption_start = -1

    def tag(self, tag: Tag) -> None:
        name, closing = tag.name, tag.closing
        if name == "td" or name == "th":
            self._end_cell(tag.start)
            if not closing:
                self._cell = tag
        elif name == "tr":
            if closing:
                self.end_row(tag.end)
            else:
                self._check()
                self.end_row(tag.start)
                self._row_start = tag.start
        elif name == "thead":
            self.end_row(tag.start)
            if closing:
                self._end_head(tag.end)
            else:
                self._in_head, self._head_start = True, tag.start
        elif name == "tbody" or name == "tfoot":
            self.end_row(tag.start)
            self._end_head(tag.start)
        elif name == "table":
            if tag.start:
                self.end_row(tag.start)
                self._in_head = False
        elif name == "caption":
            if not closing:
                self._caption_start = tag.end
            elif self.caption is None and self._caption_start >= 0:
                self.caption = self._caption_start, tag.start

    def _end_cell(self, at: int) -> None:
        tag = self._cell
        if tag is not None:
            rows = columns = 1
            if tag.inside:
                attributes = tag.attributes
                rows = _span(attributes.get("rowspan"), 65534)
                columns = _span(attributes.get("colspan"), _MAX_COL_SPAN)
            self._cells.append(RawCell(tag.end, at, rows, columns, tag.name == "th"))
            self._cell = None

    def end_row(self, at: int) -> None:
        """What comes from `at` on is not in the row."""
        self._end_cell(at)
        if self._cells:
            start = self._row_start if self._row_start >= 0 else self._cells[0].start
            self.rows.append(RawRow(self._cells, start, at, self._in_head))
            self._cells = []
        self._row_start = -1

    def _end_head(self, at: int) -> None:
        if self._in_head and self.head is None:
            self.head = self._head_start, at
        self._in_head = False


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
