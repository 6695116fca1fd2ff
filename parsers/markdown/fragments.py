"""HTML in markdown becomes parts: blocks of it line by line, tables as items."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

import msgspec

from lrdoc.document import Cell, Drawing, Part, Source, Table, Text
from lrdoc.parsers.markdown.flow import Flow
from lrdoc.parsers.markdown.html import Place, RawTable, lay_out, pieces, read_table, read_tag
from lrdoc.parsers.markdown.images import Pictures
from lrdoc.parsers.markdown.tabletags import match_tables

_MAX_TABLE_DEPTH = 5
"""Tables inside tables; what lies deeper is text in its cell."""
_SCRIPT = re.compile(r"<(script|style)(?=[\s>])", re.IGNORECASE | re.ASCII)
_EMBEDDED = re.compile(r"data:[\w.+/-]{0,100};base64,[A-Za-z0-9+/=%\s]{40,}", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


class Fragments:
    """Reads the HTML of one document."""

    def __init__(self, pictures: Pictures, render: Callable[[str], str], check: Callable[[], None]) -> None:
        """`render` turns markdown between HTML tags into HTML, for tables with blank lines in their cells."""
        self._pictures = pictures
        self._render = render
        self._titles: list[tuple[str, str]] = []
        """Those of links in cells of the table that is being read."""
        self._check = check

    def block(self, flow: Flow, text: str, first_line: int, part: str = "") -> None:
        """Append an HTML block whose first line is `first_line` of the source."""
        line, done = first_line, 0
        flow.source = here = Source(part, lines=(line, line + 1))
        preformatted = 0
        for piece in pieces(text):
            self._check()
            begun = text.count("\n", done, piece.start)
            done = piece.start
            if begun:
                line += begun
                here = Source(part, lines=(line, line + 1))
            flow.source = here
            if piece.tag is not None:
                if piece.tag.name == "pre":
                    preformatted = max(0, preformatted + (-1 if piece.tag.closing else 1))
                flow.tag(piece.tag)
            elif piece.kind == "text":
                _lines(flow, piece.text, line, part, verbatim=preformatted > 0)
            else:
                flow.source = Source(part, lines=(line, line + text.count("\n", done, piece.end) + 1))
                self.table(flow, piece.text)

    def table(self, flow: Flow, html: str) -> None:
        """Append `<table>…</table>` as an item, and what it holds."""
        if _BLANK_LINE.search(html):
            html = self._rendered(html)
        self._put(flow, self._items(html, flow.source, 1))
        flow.titles += self._titles
        self._titles.clear()

    def _put(self, flow: Flow, parts: list[Part]) -> None:
        for part in parts:
            if isinstance(part, Table | Drawing):
                flow.item(part)
            else:
                flow.parts.append(part)

    def _rendered(self, html: str) -> str:
        rendered = self._render(html)
        spans = match_tables(rendered)
        # what stood around the table was nothing, so the outermost one is the whole
        return rendered[spans[0][0] : spans[0][1]] if spans else html

    def _items(self, html: str, source: Source, depth: int) -> list[Part]:
        """The table, and behind it the pictures that stand in its cells."""
        html = _without_hidden(html)
        raw = read_table(html, self._check)
        height, width, places = lay_out(raw)
        if raw.nested and places is not None and depth < _MAX_TABLE_DEPTH and not _has_stray_text(html, raw):
            grid: list[list[Cell | None]] = [[Cell()] * width for _ in range(height)]
            for row, column, row_span, col_span, cell in places:
                for r in range(row, row + row_span):
                    for c in range(column, column + col_span):
                        grid[r][c] = None
                parts = self._cell(html[cell.start : cell.end], source, depth)
                grid[row][column] = Cell(parts, row_span, col_span)
            return [
                Table(
                    rows=tuple(tuple(line) for line in grid),
                    header_rows=raw.header_rows,
                    caption=self._plain(html, raw.caption, source),
                    source=source,
                )
            ]
        if raw.nested:
            flow = Flow(self._pictures, source)
            flow.parts.append(Text("\n", source))
            self._flat(flow, html)
            self._titles += flow.titles
            return flow.parts
        html, drawings = self._pictures_of(html, source, places or [])
        if drawings:
            raw = read_table(html, self._check)
        items: list[Part] = [
            Table(
                html=_EMBEDDED.sub("data:", html),
                dimension=(height, width),
                header_html=_header(html, raw),
                caption=self._plain(html, raw.caption, source),
                source=source,
            )
        ]
        return items + drawings

    def _cell(self, html: str, source: Source, depth: int) -> tuple[Part, ...]:
        flow = Flow(self._pictures, source)
        for piece in pieces(html):
            if piece.kind == "table":
                self._put(flow, self._items(piece.text, source, depth + 1))
            elif piece.tag is not None:
                flow.tag(piece.tag)
            else:
                _lines(flow, piece.text, None, source.part)
        self._titles += flow.titles
        return tuple(flow.parts)

    def _flat(self, flow: Flow, html: str) -> None:
        """Tables too deep or too wide for a grid: their text, row by row."""
        pos = html.find(">") + 1
        # without the opening tags no piece is a table, so nothing is looked at twice
        for piece in pieces(re.sub(r"<table(?=[\s/>])[^<>]*+>", "<tr>", html[pos:], flags=re.IGNORECASE)):
            if piece.tag is not None:
                flow.tag(piece.tag)
            else:
                _lines(flow, piece.text, None, flow.source.part)

    def _pictures_of(self, html: str, source: Source, places: Sequence[Place]) -> tuple[str, list[Part]]:
        """The table with the names of stored files in place of embedded bytes, and its pictures."""
        drawings: list[Part] = []
        words: list[str] = []
        done = 0
        for match in re.finditer(r"<img(?=[\s/>])", html, re.IGNORECASE):
            tag = read_tag(html, match.start())
            if tag is None or tag.start < done:
                continue
            flow = Flow(self._pictures, source)
            flow.image_tag(tag)
            name = ""
            for drawing in flow.parts:
                if isinstance(drawing, Drawing):
                    drawings.append(_in_cell(drawing, tag.start, places))
                    name = drawing.asset.name if drawing.asset is not None else ""
            written = html[tag.start : tag.end]
            attributes = tag.attributes
            if attributes.get("src", "")[:5].lower() == "data:":
                alt = attributes.get("alt", "").replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
                written = f'<img src="{name}" alt="{alt}">'
            words += [html[done : tag.start], written]
            done = tag.end
        return "".join([*words, html[done:]]), drawings

    def _plain(self, html: str, span: tuple[int, int] | None, source: Source) -> str:
        if span is None:
            return ""
        return " ".join(
            "".join(piece.text for piece in pieces(html[span[0] : span[1]]) if piece.kind == "text").split()
        )


def _lines(flow: Flow, text: str, line: int | None, part: str, *, verbatim: bool = False) -> None:
    """Text of an HTML fragment: its lines without indentation, no empty ones. The first is written on `line`."""
    if "\n" not in text:
        flow.text(text.lstrip(" \t\r") if flow.line_is_empty and not verbatim else text)
        return
    lines = text.split("\n")
    last = len(lines) - 1
    for n, words in enumerate(lines):
        if n:
            if verbatim:
                flow.newline()
            else:
                flow.break_line()
            if line is not None:
                flow.source = Source(part, lines=(line + n, line + n + 1))
        if not verbatim:
            if flow.line_is_empty:
                words = words.lstrip(" \t\r")
            if n < last:
                words = words.rstrip(" \t\r")
        flow.text(words)


def _without_hidden(html: str) -> str:
    """The table without comments, scripts and styles."""
    words: list[str] = []
    done = 0
    while (start := html.find("<!--", done)) >= 0 and (end := html.find("-->", start + 2)) >= 0:
        words.append(html[done:start])
        done = end + 3
    html = "".join([*words, html[done:]])
    words = []
    done = 0
    lowered = html.lower() if _SCRIPT.search(html) else ""
    while lowered and (match := _SCRIPT.search(html, done)) is not None:
        end = lowered.find(f"</{match[1].lower()}", match.end())
        close = html.find(">", end) if end >= 0 else -1
        if close < 0:
            break
        words.append(html[done : match.start()])
        done = close + 1
    return "".join([*words, html[done:]])


def _in_cell(drawing: Drawing, offset: int, places: Sequence[Place]) -> Drawing:
    """The picture with row and column of the cell that it stands in."""
    index = bisect_right(places, offset, key=lambda place: place[4].start) - 1
    if index < 0 or offset >= places[index][4].end:
        return drawing
    return msgspec.structs.replace(drawing, extras={**drawing.extras, "cell": list(places[index][:2])})


def _has_stray_text(html: str, table: RawTable) -> bool:
    """Something stands in the table outside of all cells, where a grid has no place for it."""
    spans = [(cell.start, cell.end) for row in table.rows for cell in row.cells]
    if table.caption is not None:
        spans = sorted([*spans, table.caption])
    done = html.find(">") + 1
    for start, end in [*spans, (len(html), len(html))]:
        for piece in pieces(html[done:start]):
            if piece.kind == "table" or (piece.kind == "text" and piece.text.strip()):
                return True
        done = max(done, end)
    return False


def _header(html: str, raw: RawTable) -> str | None:
    """`<thead>…</thead>`, or one made of the leading rows of th cells."""
    if raw.head is not None:
        return html[raw.head[0] : raw.head[1]] if html[: raw.head[1]].rstrip().endswith(">") else None
    count = raw.header_rows
    if not count:
        return None
    rows = "".join(html[row.start : row.end] for row in raw.rows[:count])
    return f"<thead>{rows}</thead>"
