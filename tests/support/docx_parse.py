"""Parse docx packages in tests and look at what came out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docx_builder import docx

from lrdoc.document import (
    Block,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Mark,
    NoteRef,
    Part,
    Table,
    Text,
    iter_items,
)
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx.parser import DocxParser
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.testing.assets import MemoryAssets


def parse_bytes(
    data: bytes,
    *,
    name: str = "test.docx",
    settings: DocxSettings | None = None,
    assets: MemoryAssets | None = None,
    **params: Any,
) -> Document:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "source"
        path.write_bytes(data)
        return parse_path(path, name=name, settings=settings, assets=assets, **params)


def parse_path(
    path: Path,
    *,
    name: str = "",
    settings: DocxSettings | None = None,
    assets: MemoryAssets | None = None,
    **params: Any,
) -> Document:
    context = ParseContext(assets=assets if assets is not None else MemoryAssets(), settings=settings)
    return DocxParser().parse(SourceFile(path, name or path.name), params, context)


def parse_body(body: str = "", *, params: dict[str, Any] | None = None, **package: Any) -> Document:
    """Parse a package with this body; `package` goes to the builder."""
    return parse_bytes(docx(body, **package), **(params or {}))


def shown(parts: Iterable[Part]) -> str:
    """Parts as text: items in angle brackets, calls of notes as [^1]."""
    words = []
    for part in parts:
        match part:
            case Text():
                words.append(part.text)
            case InlineEquation():
                words.append(f"${part.latex}$")
            case NoteRef():
                words.append(f"[^{part.mark}]")
            case Table():
                words.append("<table>")
            case Drawing():
                words.append("<drawing>")
            case Equation():
                words.append(f"$${part.latex}$$")
    return "".join(words)


def lines(document: Document) -> list[str]:
    """All lines of the body."""
    return [line for block in document.blocks for line in shown(block.parts).split("\n")]


def body_text(document: Document) -> str:
    return "\n".join(lines(document))


def tables(document: Document) -> list[Table]:
    """All tables, those in cells after their host."""
    return [item for block in document.blocks for item in iter_items(block.parts) if isinstance(item, Table)]


def drawings(document: Document) -> list[Drawing]:
    return [item for block in document.blocks for item in iter_items(block.parts) if isinstance(item, Drawing)]


def rows(table: Table) -> list[list[str | None]]:
    """Texts of the grid; None where another cell covers the position."""
    return [[None if cell is None else shown(cell.parts) for cell in row] for row in table.rows]


def spans(table: Table) -> list[tuple[int, int, int, int]]:
    """(row, column, rows, columns) of cells that cover more than one position."""
    return [
        (y, x, cell.row_span, cell.col_span)
        for y, row in enumerate(table.rows)
        for x, cell in enumerate(row)
        if cell is not None and (cell.row_span > 1 or cell.col_span > 1)
    ]


def texts(parts: Iterable[Part]) -> list[Text]:
    return [part for part in parts if isinstance(part, Text)]


def all_texts(document: Document) -> list[Text]:
    """Every Text of the body, also in cells and notes."""
    found: list[Text] = []
    for block in (*document.blocks, *document.regions):
        for parts in (block.parts, *(note.parts for note in block.notes)):
            found += texts(parts)
            for item in iter_items(parts):
                if isinstance(item, Table):
                    found += [t for row in item.rows for cell in row if cell is not None for t in texts(cell.parts)]
    return found


def marked(document: Document, kind: str) -> list[tuple[str, Mark]]:
    """Texts that carry a mark of this kind."""
    return [(text.text, mark) for text in all_texts(document) for mark in text.marks if mark.kind == kind]


def outline(document: Document) -> list[tuple[int, str]]:
    """(level, heading) of all blocks that have a heading."""
    return [(block.level, block.heading) for block in document.blocks if block.heading]


def codes(document: Document) -> list[str]:
    """Codes of all warnings but the one about missing paragraph ids, which small test files always get."""
    return [warning.code for warning in document.warnings if warning.code != "missing_paraid"]


def region(document: Document, name: str) -> list[Block]:
    return [block for block in document.regions if block.region == name]
