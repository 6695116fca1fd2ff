"""GitHub-flavoured markdown: what it cannot say (merged cells, tables in cells) stands as HTML in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote

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
from lrdoc.export.html_tables import safe_link
from lrdoc.export.view import View, label_of, lines_of, pieces_of, squash, stands_alone, told_lines

_SPECIAL = re.compile(r"[\\`*\[\]<$]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|&(?=#?\w+;)|!(?=\[)")
_LINE_START = re.compile(r"(\s*)(#{1,6}(?=\s|$)|[-+=>|](?=\s|$|-|=)|>|\d{1,9}(?=[.)](?:\s|$)))")
_FENCE = re.compile(r"\s*(~~~|```)")
_AROUND = {"bold": ("**", "**"), "italic": ("*", "*"), "strike": ("~~", "~~"), "underline": ("<u>", "</u>")}
_TAGS = frozenset(["sup", "sub", "ins", "del"])


def render(view: View) -> Iterator[str]:
    """Paragraphs are separated by a blank line, lines of a list are not."""
    if view.document.kind == "raw":
        yield from view.raw_text()
        return
    first = True
    for block in view.blocks:
        text = _Section(view, block).render()
        if text:
            yield text if first else f"\n{text}"
            first = False


class _Section:
    """One block."""

    def __init__(self, view: View, block: Block) -> None:
        self.view = view
        self.block = block
        self.told = told_lines(block)

    def render(self) -> str:
        block = self.block
        lines = list(lines_of(block.parts))
        pieces: list[tuple[str, bool]] = []
        """Paragraphs, and whether each is a line of a list."""
        if (block.level > 0 or block.is_title_block) and lines:
            heading = self._inline(lines.pop(0)).strip()
            pieces.append((f"{'#' * min(max(block.level, 1), 6)} {heading}".strip(), False))
        for line in lines:
            pieces.extend(self._line(line))
        pieces.extend((self._note(note), False) for note in block.notes)
        return _join(pieces)

    def _note(self, note: Note) -> str:
        lines = [self._inline(line).strip() for line in lines_of(note.parts)]
        return f"[^{note.mark}]: " + "\n\n    ".join(line for line in lines if line)

    def _line(self, line: Sequence[Part]) -> Iterator[tuple[str, bool]]:
        label, depth = label_of(line)
        if label:
            is_list = label == "-" or re.fullmatch(r"\d{1,9}[.)]", label) is not None
            text = self._inline(line[1:]).strip()
            yield f"{'   ' * depth if is_list else ''}{label} {text}", is_list
            return
        for piece in pieces_of(line):
            if not isinstance(piece, list):
                yield self._inline([piece]), False
            elif text := self._inline(piece, alone=stands_alone(piece)).strip():
                yield _guard(text, piece), False

    def _inline(self, parts: Sequence[Part], *, alone: bool = False) -> str:
        words: list[str] = []
        for part in parts:
            if isinstance(part, Text):
                words.append(_text(part))
            elif isinstance(part, Anchor):
                continue
            elif isinstance(part, InlineEquation):
                words.append(f"${_math(part.latex)}$" if part.latex.strip() else "")
            elif isinstance(part, NoteRef):
                words.append(f"[^{part.mark}]")
            elif isinstance(part, Citation):
                words.append(_escape(part.text))
            elif isinstance(part, Drawing):
                words.append(self._drawing(part, alone))
            elif isinstance(part, Equation):
                words.append(f"$$\n{_math(part.latex)}\n$$" + self._below(part.caption))
            else:
                words.append(self._table(part))
        return "".join(words)

    def _below(self, caption: str) -> str:
        return f"\n\n{_escape(caption)}" if caption and squash(caption) not in self.told else ""

    def _drawing(self, drawing: Drawing, alone: bool) -> str:
        alt = _escape(" ".join(str(drawing.extras.get("alt_text") or drawing.caption or "picture").split()))
        if drawing.asset is not None:
            return f"![{alt}]({self.view.address(drawing.asset)})" + (self._below(drawing.caption) if alone else "")
        return f"![{alt}]({_address(drawing.src)})" if safe_link(drawing.src) else f"\\[{alt}\\]"

    def _table(self, table: Table) -> str:
        if not table.rows and table.html is None:
            return ""
        if table.html is not None or not _is_simple(table):
            return self._html(table)
        notes = "".join(f"\n\n{_escape(note)}" for note in table.footnotes if squash(note) not in self.told)
        return self._pipes(table) + self._below(table.caption) + notes

    def _pipes(self, table: Table) -> str:
        rows = [[self._pipe_cell(cell) for cell in row] for row in table.rows]
        width = max(map(len, rows))
        head = rows.pop(0) if table.header_rows else [""] * width
        lines = [head, ["---"] * width, *rows]
        return "\n".join(f"| {' | '.join(line + [''] * (width - len(line)))} |" for line in lines)

    def _pipe_cell(self, cell: Cell | None) -> str:
        if cell is None:
            return ""
        lines = [self._inline(line).strip() for line in lines_of(cell.parts)]
        return "<br>".join(lines).replace("|", "\\|")

    def _html(self, table: Table) -> str:
        """A table that markdown cannot say. A blank line would end it, so there is none in it."""
        from lrdoc.export.to_html import table_to_html

        return re.sub(r"\n\s*\n", "\n", table_to_html(self.view, self.block, self.told, table)).strip()


def _is_simple(table: Table) -> bool:
    return table.header_rows <= 1 and all(
        cell is not None
        and cell.row_span == cell.col_span == 1
        and not any(isinstance(part, Table | Equation) for part in cell.parts)
        for row in table.rows
        for cell in row
    )


def _join(pieces: Sequence[tuple[str, bool]]) -> str:
    words: list[str] = []
    for n, (text, in_list) in enumerate(pieces):
        if n:
            words.append("\n" if in_list and pieces[n - 1][1] else "\n\n")
        words.append(text)
    return "".join(words) + "\n" if words else ""


def _guard(text: str, run: Sequence[Part]) -> str:
    """The paragraph, so that its beginning is not taken for a heading, a list, a quotation, a rule or code."""
    if not run or not isinstance(run[0], Text):
        return text
    match = _LINE_START.match(text)
    if match is not None:
        at = match.end() if match[2][-1].isdigit() else match.start(2)
        return f"{text[:at]}\\{text[at:]}"
    return f"\\{text}" if _FENCE.match(text) else text


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", text)


def _math(latex: str) -> str:
    return " ".join(latex.split())


def _address(address: str) -> str:
    return quote(address, safe="/:?#[]@!$&'*+,;=%~-._")


def _text(part: Text) -> str:
    kinds = {mark.kind for mark in part.marks}
    if "code" in kinds and part.text.strip() and "\n" not in part.text:
        longest = max((len(run) for run in re.findall(r"`+", part.text)), default=0)
        ticks = "`" * (longest + 1)
        pad = " " if longest or part.text[0] == " " or part.text[-1] == " " else ""
        text = f"{ticks}{pad}{part.text}{pad}{ticks}"
        return _linked(text, part.marks)
    text = _escape(part.text)
    core = text.strip()
    if not core or not part.marks:
        return text
    start = text.index(core)
    lead, tail = text[:start], text[start + len(core) :]
    for mark in part.marks:
        if mark.kind in _TAGS:
            core = f"<{mark.kind}>{core}</{mark.kind}>"
        elif mark.kind in _AROUND:
            opening, closing = _AROUND[mark.kind]
            core = f"{opening}{core}{closing}"
    return lead + _linked(core, part.marks) + tail


def _linked(text: str, marks: Sequence[Mark]) -> str:
    for mark in marks:
        if mark.kind == "link" and safe_link(mark.target):
            return f"[{text}]({_address(mark.target)})"
    return text
