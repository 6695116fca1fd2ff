"""HTML pages inside Word documents: headings, paragraphs, lists, tables and pictures by address."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from lrdoc.document import Cell, Drawing, Mark, Source, Table, Text
from lrdoc.parsers.docx.lines import Lines
from lrdoc.parsers.docx.numbering import Label
from lrdoc.parsers.docx.state import Line, Walk
from lrdoc.parsers.docx.styles import ParagraphStyle

_UNSEEN = frozenset(
    "script style head title template noscript meta link object iframe svg datalist canvas audio video".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 "
    "h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul "
    "caption option select".split()
)
_MARKS = {
    **dict.fromkeys(("b", "strong"), Mark("bold")),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), Mark("italic")),
    **dict.fromkeys(("s", "strike", "del"), Mark("strike")),
    **dict.fromkeys(("u", "ins"), Mark("underline")),
    **dict.fromkeys(("code", "kbd", "samp", "tt", "pre"), Mark("code")),
    "sup": Mark("sup"),
    "sub": Mark("sub"),
}
_BLANKS = re.compile("[ \t\r\n\f]+")
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_\-:]+)", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_WIDEST, _TALLEST = 1024, 65_534


def decode(data: bytes, declared: str = "") -> str:
    """Text of bytes: a byte order mark decides, then what is declared, then UTF-8, then Windows-1252."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    for encoding in (declared, "utf-8"):
        if encoding:
            try:
                return data.decode(encoding)
            except (LookupError, UnicodeDecodeError):
                continue
    return data.decode("cp1252", "replace")


def read_html(walk: Walk, data: bytes, source: Source, sink: Any) -> None:
    """Give the blocks of an HTML page to the sink, all with the same source."""
    walk.reader.package.budget.spend_part(data, source.part)
    match = _CHARSET.search(data[:4096])
    text = decode(data, match[1].decode("ascii", "replace") if match else "").replace("\0", "")
    if not text.strip():
        return
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        walk.reader.warn("altchunk_left_out", f"The embedded page cannot be read: {error}", source)
        return
    if root is not None:
        _Page(walk, source, sink).read(root)


@dataclass(slots=True)
class _Grid:
    """A table while its rows are read."""

    rows: list[list[tuple[Any, int, int]]] = field(default_factory=list)
    data_rows: set[int] = field(default_factory=set)
    """Rows that hold a td outside thead."""
    in_head: int = 0
    caption: Any = None


class _Page:
    """The walk over one page. Events come in order, so depth costs nothing."""

    def __init__(self, walk: Walk, source: Source, sink: Any) -> None:
        self.walk = walk
        self.source = source
        self.sinks: list[Any] = [sink]
        self.tables: list[_Grid] = []
        self.lists: list[list[int | None]] = [[]]
        """One stack of lists for each cell around: the next number of an ordered list, None for bullets."""
        self.marks: list[Mark] = []
        self.preserved = 0
        self.label: Label | None = None
        self.level = 0
        self.line = self._new_line()

    def read(self, root: Any) -> None:
        unseen = 0
        check = self.walk.reader.context.check
        for event, element in etree.iterwalk(root, events=("start", "end")):
            tag = element.tag if isinstance(element.tag, str) else ""
            check()
            if event == "start":
                unseen += tag in _UNSEEN
                if not unseen:
                    self._start(tag, element)
                    self._text(element.text)
            else:
                if not unseen:
                    self._end(tag)
                unseen -= tag in _UNSEEN
                if not unseen:
                    self._text(element.tail)
        self._flush()

    def _new_line(self) -> Line:
        return Line(self.walk, self.source, ParagraphStyle())

    def _text(self, text: str | None) -> None:
        if not text:
            return
        line = self.line
        if not self.preserved:
            text = _BLANKS.sub(" ", text)
            if text[0] == " " and self._ends_blank():
                text = text[1:]
        if text:
            line.parts.append(Text(text, self.source, tuple(dict.fromkeys(self.marks))))

    def _ends_blank(self) -> bool:
        parts = self.line.parts
        return not parts or (type(parts[-1]) is Text and parts[-1].text[-1] in " \n")

    def _flush(self) -> None:
        """The current line ends."""
        line = self.line
        if not line.is_empty:
            line.level, line.label = self.level, self.label
            self.sinks[-1].paragraph(line)
            self.label = None
        self.line = self._new_line()

    def _start(self, tag: str, element: Any) -> None:
        if tag in _BLOCKS:
            self._flush()
        mark = _MARKS.get(tag)
        if mark is not None:
            self.marks.append(mark)
        if tag == "br":
            self.line.parts.append(Text("\n", self.source))
        elif tag == "a":
            self.marks.append(Mark("link", element.get("href") or ""))
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.level = int(tag[1])
        elif tag == "pre":
            self.preserved += 1
        elif tag in ("ul", "menu"):
            self.lists[-1].append(None)
        elif tag == "ol":
            start = element.get("start") or "1"
            self.lists[-1].append(int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 1)
        elif tag == "li":
            self._item()
        elif tag == "img":
            self._image(element)
        elif tag == "table":
            self.tables.append(_Grid())
        elif self.tables:
            self._start_in_table(tag, element)

    def _start_in_table(self, tag: str, element: Any) -> None:
        grid = self.tables[-1]
        if tag == "thead":
            grid.in_head += 1
        elif tag == "tr":
            grid.rows.append([])
        elif tag in ("td", "th", "caption"):
            lines = Lines(self.walk)
            self.sinks.append(lines)
            self.lists.append([])
            if tag == "caption":
                grid.caption = lines
            else:
                if not grid.rows:
                    grid.rows.append([])
                if tag == "td" and not grid.in_head:
                    grid.data_rows.add(len(grid.rows) - 1)
                spans = (_span(element.get("colspan"), _WIDEST), _span(element.get("rowspan"), _TALLEST))
                grid.rows[-1].append((lines, *spans))

    def _item(self) -> None:
        lists = self.lists[-1]
        depth = max(0, len(lists) - 1)
        number = lists[-1] if lists else None
        if number is None:
            self.label = Label("-", "space", True, depth)
        else:
            self.label = Label(f"{number}.", "space", False, depth)
            lists[-1] = number + 1

    def _image(self, element: Any) -> None:
        address = element.get("src") or ""
        if address.startswith("data:"):
            address = ""
        alt = element.get("alt") or ""
        suffix = address.partition("?")[0].rpartition(".")[2].lower() if "." in address else ""
        known = suffix if suffix in ("png", "jpeg", "gif", "bmp", "svg", "webp", "tiff") else ""
        extras = {"alt_text": alt} if alt else {}
        self.line.parts.append(
            Drawing(None, "jpeg" if suffix == "jpg" else known, address, source=self.source, extras=extras)
        )

    def _end(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._flush()
        if (tag in _MARKS or tag == "a") and self.marks:
            self.marks.pop()
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.level = 0
        elif tag == "pre":
            self.preserved -= 1
        elif tag in ("ul", "ol", "menu") and self.lists[-1]:
            self.lists[-1].pop()
        elif tag == "li":
            self.label = None
        elif tag == "table" and self.tables:
            self._end_table(self.tables.pop())
        elif tag == "thead" and self.tables:
            self.tables[-1].in_head -= 1
        elif tag in ("td", "th", "caption") and self.tables and len(self.sinks) > 1:
            self.sinks.pop()
            self.lists.pop()

    def _end_table(self, grid: _Grid) -> None:
        if grid.caption is not None and grid.caption.lines:
            for line in grid.caption.lines:
                caption = self._new_line()
                caption.parts += line
                self.sinks[-1].paragraph(caption)
        rows = place_cells(grid.rows)
        if any(cell is not None and cell.parts for row in rows for cell in row):
            first_data = min(grid.data_rows, default=0)
            self.sinks[-1].table(Table(rows, first_data, source=self.source))


def _span(value: str | None, most: int) -> int:
    if value is None or not (value.isascii() and value.isdigit()) or len(value) > 6:
        return 1
    return min(max(1, int(value)), most)


def place_cells(rows: list[list[tuple[Any, int, int]]]) -> tuple[tuple[Cell | None, ...], ...]:
    """The rectangular grid of rows of (lines, columns, rows) as HTML lays them out."""
    taken: dict[tuple[int, int], Cell | None] = {}
    width = 0
    # Spans far beyond the cells that are there are no layout but an attack on memory.
    free_positions = 200_000 + 200 * sum(map(len, rows))
    for y, row in enumerate(rows):
        x = 0
        for lines, columns, height in row:
            while (y, x) in taken:
                x += 1
            columns = min(columns, max(1, _WIDEST - x))
            height = min(height, len(rows) - y)
            free = 1
            while free < columns and (y, x + free) not in taken:
                free += 1
            if free * height > free_positions:
                free = height = 1
            free_positions -= free * height
            for covered_y in range(y, y + height):
                for covered_x in range(x, x + free):
                    taken[covered_y, covered_x] = None
            taken[y, x] = Cell(lines.finish(), height, free)
            x += free
        width = max(width, x)
    width = max(width, max((x for _, x in taken), default=-1) + 1)
    empty = Cell()
    return tuple(tuple(taken.get((y, x), empty) for x in range(width)) for y in range(len(rows)))
