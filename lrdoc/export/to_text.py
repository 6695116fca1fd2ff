"""Plain text: what a person would read aloud, without any marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lrdoc.document import (
    Block,
    Citation,
    Drawing,
    Equation,
    InlineEquation,
    NoteRef,
    Part,
    Table,
    Text,
)
from lrdoc.export.view import View, render_tables, squash, told_lines


def render(view: View) -> Iterator[str]:
    """Blocks are separated by a blank line; cells by tabs, rows by line ends."""
    if view.document.kind == "raw":
        yield from view.raw_text()
        return
    first = True
    for block in view.blocks:
        text = _block(block)
        if text.strip():
            yield text if first else f"\n{text}"
            first = False


def _block(block: Block) -> str:
    told = told_lines(block)
    lines = [_parts(block.parts, told)]
    lines.extend(f"[{note.mark}] {_parts(note.parts, told)}" for note in block.notes)
    return "\n".join(lines).strip("\n") + "\n"


def _parts(parts: Sequence[Part], told: frozenset[str]) -> str:
    tables = render_tables(parts, lambda table, done: _table(table, done, told))
    return _inline(parts, tables, told)


def _inline(parts: Sequence[Part], tables: Mapping[int, str], told: frozenset[str]) -> str:
    words: list[str] = []
    for part in parts:
        if isinstance(part, Text | Citation):
            words.append(part.text)
        elif isinstance(part, InlineEquation | Equation):
            words.append(part.latex)
        elif isinstance(part, NoteRef):
            words.append(f"[{part.mark}]")
        elif isinstance(part, Drawing):
            name = part.caption or str(part.extras.get("alt_text") or "")
            words.append(f"[picture: {name}]" if name and squash(name) not in told else "[picture]")
        elif isinstance(part, Table):
            words.append(tables[id(part)])
    return "".join(words)


def _table(table: Table, done: Mapping[int, str], told: frozenset[str]) -> str:
    if table.html is not None:
        from lrdoc.export.html_tables import html_to_rows

        rows = html_to_rows(table.html)
    else:
        rows = [["" if cell is None else _inline(cell.parts, done, told) for cell in row] for row in table.rows]
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in rows]
    if table.caption and squash(table.caption) not in told:
        lines.insert(0, table.caption)
    return "\n".join(lines)
