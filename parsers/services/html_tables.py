"""Tables that a service gives as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lrdoc.document import Cell, Source, Table, Text
from lrdoc.parsers.markdown.html import RawTable, lay_out, pieces, read_table, read_tag
from lrdoc.parsers.markdown.tabletags import match_tables

_ROW = re.compile(r"<t[rdh](?=[\s/>])", re.IGNORECASE)
_IMAGE = re.compile(r"<img(?=[\s/>])", re.IGNORECASE)
_OPEN = re.compile(r"<table(?=[\s/>])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HtmlTables:
    """What a piece of HTML holds: tables, and text that stands around them."""

    tables: tuple[Table, ...] = ()
    around: str = ""
    pictures: tuple[str, ...] = ()
    """Addresses of the pictures in cells."""


def read_html_tables(html: str, source: Source, check: Callable[[], None]) -> HtmlTables:
    """The outermost tables of the HTML; rows without `<table>` get one. No table at all: everything is `around`."""
    html = _without_comments(html)
    spans = _outermost(match_tables(html))
    if not spans and _ROW.search(html):
        # The tag that opens or closes the table is missing: a table that was cut off.
        opening = _OPEN.search(html)
        html = f"{html[opening.start() :]}</table>" if opening is not None else f"<table>{html}</table>"
        spans = _outermost(match_tables(html))
    tables: list[Table] = []
    around: list[str] = []
    pictures: list[str] = []
    done = 0
    for start, end in spans:
        check()
        around.append(html[done:start])
        tables.append(to_table(html[start:end], source, check))
        pictures += _pictures(html[start:end])
        done = end
    around.append(html[done:])
    return HtmlTables(tuple(tables), plain("\n".join(around)), tuple(pictures))


def to_table(html: str, source: Source, check: Callable[[], None]) -> Table:
    """One table with its outer tag. Tables in its cells make it a grid, since HTML in HTML cannot be read back."""
    raw = read_table(html, check)
    height, width, places = lay_out(raw)
    caption = plain(html[raw.caption[0] : raw.caption[1]]) if raw.caption else ""
    if len(match_tables(html)) > 1 and places is not None and height and width:
        grid: list[list[Cell | None]] = [[Cell() for _ in range(width)] for _ in range(height)]
        for row, column, row_span, col_span, cell in places:
            check()
            for r in range(row, row + row_span):
                for c in range(column, column + col_span):
                    grid[r][c] = None
            text = plain(html[cell.start : cell.end])
            grid[row][column] = Cell((Text(text, source),) if text else (), row_span, col_span)
        rows = tuple(tuple(line) for line in grid)
        return Table(rows, raw.header_rows, caption=caption, source=source, extras={"nested_tables": True})
    return Table(html=html, dimension=(height, width), header_html=_header(html, raw), caption=caption, source=source)


def to_grid(rows: Sequence[Sequence[str]], source: Source, header_rows: int = 0) -> Table | None:
    """A table of texts; short rows are filled up. None when it has no cells."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return None
    grid = tuple(
        tuple(Cell((Text(text, source),) if text else ()) for text in (*row, *[""] * (width - len(row))))
        for row in rows
    )
    return Table(grid, min(header_rows, len(grid)), source=source)


def plain(html: str) -> str:
    """Text of the HTML: blocks and cells on lines of their own."""
    if "<" not in html and "&" not in html:
        return html.strip()
    words: list[str] = []
    for piece in pieces(html):
        if piece.kind == "table":
            # pieces() gives a table whole; what is in it is read without its outer tags.
            inner = re.sub(r"<(/?)table(?=[\s/>])[^<>]*>", r"<\1div>", piece.text, flags=re.IGNORECASE)
            words += [p.text if p.kind == "text" else _break(p.tag.name if p.tag else "") for p in pieces(inner)]
        elif piece.tag is not None:
            words.append(_break(piece.tag.name))
        else:
            words.append(piece.text)
    lines = (" ".join(line.split()) for line in "".join(words).split("\n"))
    return "\n".join(line for line in lines if line)


def _break(name: str) -> str:
    return "\n" if name in ("p", "br", "div", "li", "tr", "td", "th", "table", "ul", "ol") else ""


def _outermost(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for span in spans:
        if not found or span[0] >= found[-1][1]:
            found.append(span)
    return found


def _pictures(html: str) -> list[str]:
    """Addresses of all pictures, those in nested tables too."""
    tags = (read_tag(html, match.start()) for match in _IMAGE.finditer(html))
    return [address for tag in tags if tag is not None and (address := tag.attributes.get("src", ""))]


def _without_comments(html: str) -> str:
    words: list[str] = []
    done = 0
    while (start := html.find("<!--", done)) >= 0 and (end := html.find("-->", start + 2)) >= 0:
        words.append(html[done:start])
        done = end + 3
    return "".join([*words, html[done:]])


def _header(html: str, raw: RawTable) -> str | None:
    if raw.head is not None:
        return html[raw.head[0] : raw.head[1]]
    count = raw.header_rows
    if not count:
        return None
    return f"<thead>{html[raw.rows[0].start : raw.rows[count - 1].end]}</thead>"
