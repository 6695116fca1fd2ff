"""Word documents: what the native engine reads, flattened to text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lrdoc.document import (
    Asset,
    Block,
    Cell,
    Citation,
    Drawing,
    Equation,
    InlineEquation,
    NoteRef,
    Part,
    Table,
    Text,
)
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx.parser import DocxParser
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.parsers.legacy.output import TextOut


class _NoAssets:
    """Pictures are not kept by the plain-text engine."""

    def put(self, data: object, suggested_name: str, *, max_bytes: int | None = None) -> Asset:
        return Asset(suggested_name, "", 0)


def read_docx(source: SourceFile, out: TextOut) -> str:
    limits = DocxSettings(
        max_uncompressed_bytes=out.settings.max_uncompressed_bytes, max_entries=out.settings.max_entries
    )
    context = ParseContext(
        assets=_NoAssets(), settings=limits, cancelled=out.context.cancelled, progress=out.context.progress
    )
    document = DocxParser().parse(source, {}, context)
    out.warnings.extend(document.warnings)
    for block in (*document.blocks, *document.regions):
        out.gap()
        _write_block(block, out)
    return document.title


def _write_block(block: Block, out: TextOut) -> None:
    for line in _lines(block.parts):
        _write_line(line, out)
    for note in block.notes:
        for i, line in enumerate(_lines(note.parts)):
            lead = Text(f"[{note.mark}] ") if i == 0 else None
            _write_line([lead, *line] if lead else line, out)


def _lines(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Parts of each line; an item is a line of its own."""
    line: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and "\n" in part.text:
            pieces = part.text.split("\n")
            for piece in pieces[:-1]:
                if piece:
                    line.append(Text(piece, part.source))
                yield line
                line = []
            if pieces[-1]:
                line.append(Text(pieces[-1], part.source))
        elif isinstance(part, Table | Equation | Drawing):
            yield line
            yield [part]
            line = []
        else:
            line.append(part)
    yield line


def _write_line(line: list[Part], out: TextOut) -> None:
    if len(line) == 1 and isinstance(line[0], Table):
        _write_table(line[0], out)
        return
    texts = [piece for part in line for piece in _pieces(part)]
    if not any(text.text.strip() for text in texts):
        return
    out.inline(texts)


def _pieces(part: Part) -> Iterator[Text]:
    if isinstance(part, Text | Citation):
        yield Text(part.text, part.source)
    elif isinstance(part, InlineEquation | Equation):
        yield Text(part.latex, part.source)
    elif isinstance(part, NoteRef):
        yield Text(f"[{part.mark}]")
    elif isinstance(part, Drawing):
        alt = part.extras.get("alt_text")
        if isinstance(alt, str) and alt.strip():
            yield Text(alt, part.source)


def _write_table(table: Table, out: TextOut) -> None:
    """Rows as lines; tables inside cells follow the table that holds them."""
    waiting = [table]
    while waiting:
        current = waiting.pop()
        inner: list[Table] = []
        out.gap()
        for row in current.rows:
            out.row_of_texts(_cell(cell, inner) for cell in row)
        out.gap()
        waiting.extend(reversed(inner))


def _cell(cell: Cell | None, inner: list[Table]) -> list[Text]:
    if cell is None:
        return []
    texts: list[Text] = []
    for part in cell.parts:
        if isinstance(part, Table):
            inner.append(part)
        else:
            texts.extend(_pieces(part))
    return texts
