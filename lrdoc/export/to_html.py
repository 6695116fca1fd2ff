"""One self-contained HTML page: pictures are in it, equations are MathML, nothing is loaded and nothing runs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from lrdoc.document import (
    Anchor,
    Block,
    Cell,
    Citation,
    Drawing,
    Equation,
    InlineEquation,
    Mark,
    Note,
    NoteRef,
    Part,
    Table,
    Text,
)
from lrdoc.export.html_tables import clean_html, safe_link
from lrdoc.export.math import to_mathml
from lrdoc.export.view import (
    SHOWN,
    View,
    label_of,
    lines_of,
    pieces_of,
    render_tables,
    squash,
    stands_alone,
    told_lines,
)

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_SIMPLE = {
    "bold": "strong",
    "italic": "em",
    "strike": "s",
    "underline": "u",
    "code": "code",
    "sup": "sup",
    "sub": "sub",
}


def render(view: View) -> Iterator[str]:
    """The page, piece by piece; only one block and its pictures are held at a time."""
    title = escape(view.document.title or view.parsed.info.document_name)
    style = (Path(__file__).parent / "page.css").read_text("utf-8")
    yield (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n<style>\n{style}</style>\n'
        "</head>\n<body>\n"
    )
    if view.document.kind == "raw":
        yield f"<pre>{escape(''.join(view.raw_text()), quote=False)}</pre>\n"
    else:
        for n, block in enumerate(view.blocks):
            yield _Page(view, block, told_lines(block)).section(view.is_body(n))
    yield "</body>\n</html>\n"


class _Page:
    """One block of the page."""

    def __init__(self, view: View, block: Block, told: frozenset[str], *, embed: bool = True) -> None:
        """`told`: the lines of the block, for captions that need not be shown again."""
        self.view = view
        self.block = block
        self.told = told
        self.embed = embed
        self.tables: Mapping[int, str] = {}

    def section(self, body: bool) -> str:
        block = self.block
        lines = list(lines_of(block.parts))
        self.tables = render_tables(block.parts, self.table)
        pieces = ["<section>\n" if body else f'<aside class="region">\n<p class="name">{escape(block.region)}</p>\n']
        if (block.level > 0 or block.is_title_block) and lines:
            tag = f"h{min(block.level, 6)}" if block.level > 0 else "h1"
            pieces.append(f"<{tag}>{self._inline(lines.pop(0))}</{tag}>\n")
        pieces.extend(self._line(line) for line in lines)
        if block.notes:
            pieces.append(f'<div class="notes">\n{"".join(map(self._note, block.notes))}</div>\n')
        pieces.append("</section>\n" if body else "</aside>\n")
        return "".join(pieces)

    def _note(self, note: Note) -> str:
        self.tables = render_tables(note.parts, self.table)
        mark = escape(note.mark)
        lines = "<br>".join(self._inline(line) for line in lines_of(note.parts))
        return f'<div class="note" id="note-{mark}"><a href="#call-{mark}">{mark}</a> {lines}</div>\n'

    def _line(self, line: Sequence[Part]) -> str:
        """A line of the text: a paragraph, and tables, equations and lone pictures on their own."""
        if stands_alone(line):
            return self._inline(line, alone=True) + "\n"
        label, depth = label_of(line)
        css = f' class="item" style="margin-left:{2 * depth + 2}em"' if label else ""
        pieces: list[str] = []
        for piece in pieces_of(line):
            if not isinstance(piece, list):
                pieces.append(self._inline([piece]) + "\n")
            elif (inline := self._inline(piece)).strip():
                pieces.append(f"<p{css}>{inline}</p>\n")
        return "".join(pieces)

    def _inline(self, parts: Sequence[Part], *, alone: bool = False, done: Mapping[int, str] | None = None) -> str:
        tables = self.tables if done is None else done
        words: list[str] = []
        for part in parts:
            if isinstance(part, Text):
                words.append(_text(part))
            elif isinstance(part, Anchor):
                words.append(f'<a id="anchor-{escape(part.name)}"></a>')
            elif isinstance(part, InlineEquation):
                words.append(to_mathml(part.latex, block=False))
            elif isinstance(part, NoteRef):
                mark = escape(part.mark)
                words.append(f'<sup class="call" id="call-{mark}"><a href="#note-{mark}">{mark}</a></sup>')
            elif isinstance(part, Citation):
                target = self.view.targets.get(part.target)
                text = escape(part.text, quote=False)
                words.append(f'<a href="#{target}">{text}</a>' if target else text)
            elif isinstance(part, Drawing):
                words.append(self._drawing(part, alone))
            elif isinstance(part, Equation):
                words.append(self._equation(part))
            else:
                words.append(tables[id(part)])
        return "".join(words)

    def _name(self, key: str) -> str:
        target = self.view.targets.get(key) if key else None
        return f' id="{target}"' if target else ""

    def _caption(self, caption: str) -> str:
        return escape(caption, quote=False) if caption and squash(caption) not in self.told else ""

    def _drawing(self, drawing: Drawing, alone: bool) -> str:
        alt = escape(str(drawing.extras.get("alt_text") or drawing.caption or ""))
        if drawing.asset is None:
            shown = f"[picture{': ' + alt if alt else ''}]"
            if safe_link(drawing.src):
                shown = f'<a href="{escape(drawing.src)}">{shown}</a>'
        else:
            media = self.view.media_type(drawing)
            if self.embed:
                data = f"data:{media};base64,{b64encode(self.view.picture(drawing)).decode()}"
            else:
                data = escape(self.view.address(drawing.asset))
            if media in SHOWN:
                shown = f'<img src="{data}" alt="{alt}">'
            else:
                name = escape(drawing.asset.name)
                shown = f'<a download="{name}" href="{data}">[picture {name}]</a>'
        if not alone:
            return f'<span class="picture"{self._name(drawing.key)}>{shown}</span>'
        caption = self._caption(drawing.caption)
        caption = f"<figcaption>{caption}</figcaption>" if caption else ""
        return f"<figure{self._name(drawing.key)}>{shown}{caption}{_footnotes(drawing.footnotes)}</figure>"

    def _equation(self, equation: Equation) -> str:
        caption = self._caption(equation.caption)
        number = f' <span class="number">{caption}</span>' if caption else ""
        return f'<div class="equation"{self._name(equation.key)}>{to_mathml(equation.latex, block=True)}{number}</div>'

    def table(self, table: Table, done: Mapping[int, str]) -> str:
        caption = self._caption(table.caption)
        if table.html is not None:
            caption = f'<p class="caption">{caption}</p>' if caption else ""
            return f'<div class="table"{self._name(table.key)}>{caption}{clean_html(table.html)}</div>'
        # A header cell that reaches below the header rows would be cut at the end of a thead.
        n_head = table.header_rows
        if any(
            cell is not None and r + cell.row_span > n_head for r, row in enumerate(table.rows[:n_head]) for cell in row
        ):
            n_head = 0
        pieces = [f"<table{self._name(table.key)}>"]
        if caption:
            pieces.append(f"<caption>{caption}</caption>")
        for name, first, rows in (("thead", 0, table.rows[:n_head]), ("tbody", n_head, table.rows[n_head:])):
            if rows:
                lines = "".join(self._row(row, r < table.header_rows, done) for r, row in enumerate(rows, first))
                pieces.append(f"<{name}>{lines}</{name}>")
        pieces.append("</table>" + _footnotes(table.footnotes))
        return "".join(pieces)

    def _row(self, row: Sequence[Cell | None], header: bool, done: Mapping[int, str]) -> str:
        tag = "th" if header else "td"
        cells: list[str] = []
        for cell in row:
            if cell is None:
                continue
            spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
            spans += f' colspan="{cell.col_span}"' if cell.col_span > 1 else ""
            lines = "<br>".join(self._inline(line, done=done) for line in lines_of(cell.parts))
            cells.append(f"<{tag}{spans}>{lines}</{tag}>")
        return f"<tr>{''.join(cells)}</tr>\n"


def table_to_html(view: View, block: Block, told: frozenset[str], table: Table) -> str:
    """A table of a block, its pictures as links."""
    page = _Page(view, block, told, embed=False)
    return render_tables([table], page.table)[id(table)]


def _footnotes(footnotes: Sequence[str]) -> str:
    if not footnotes:
        return ""
    return "".join(f'<p class="footnote">{escape(note, quote=False)}</p>' for note in footnotes)


def _text(part: Text) -> str:
    html = escape(part.text, quote=False)
    for mark in part.marks:
        opening, closing = _tags(mark)
        html = f"{opening}{html}{closing}"
    return html


def _tags(mark: Mark) -> tuple[str, str]:
    if mark.kind in _SIMPLE:
        return f"<{_SIMPLE[mark.kind]}>", f"</{_SIMPLE[mark.kind]}>"
    if mark.kind == "link":
        return (f'<a href="{escape(mark.target)}">', "</a>") if safe_link(mark.target) else ("", "")
    if mark.kind == "ref":
        return f'<a href="#anchor-{escape(mark.target)}">', "</a>"
    if mark.kind in ("ins", "del"):
        who = f"{mark.author} {mark.date}".strip()
        return f'<{mark.kind} title="{escape(who)}">' if who else f"<{mark.kind}>", f"</{mark.kind}>"
    return f'<span class="{mark.kind}" title="{escape(mark.target)}">', "</span>"
