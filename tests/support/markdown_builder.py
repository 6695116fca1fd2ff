"""Parse a piece of markdown in memory, and show a document in a few readable lines."""

from __future__ import annotations

import base64
import hashlib
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from lrdoc.document import (
    Asset,
    Cell,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Item,
    NoteRef,
    Part,
    Table,
    Text,
    iter_items,
)
from lrdoc.errors import LimitExceeded
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.markdown.parser import MarkdownParser
from lrdoc.parsers.markdown.settings import MarkdownSettings


class MemoryAssets:
    """Keeps assets by name."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def put(self, data: bytes | IO[bytes], suggested_name: str, *, max_bytes: int | None = None) -> Asset:
        content = data if isinstance(data, bytes) else data.read()
        if max_bytes is not None and len(content) > max_bytes:
            raise LimitExceeded("too large")
        self.files[suggested_name] = content
        return Asset(suggested_name, hashlib.sha256(content).hexdigest(), len(content))


def parse_bytes(
    data: bytes,
    folder: Path,
    *,
    name: str = "doc.md",
    assets: MemoryAssets | None = None,
    settings: MarkdownSettings | None = None,
    cache: Path | None = None,
    context: ParseContext | None = None,
    **params: Any,
) -> Document:
    """The document of a file with this content in `folder`."""
    path = folder / name
    path.write_bytes(data)
    context = context or ParseContext(assets or MemoryAssets(), settings or MarkdownSettings(), cache_dir=cache)
    return MarkdownParser().parse(SourceFile(path, name), params, context)


def png(width: int = 2, height: int = 2, shade: int = 0) -> bytes:
    """A small valid picture."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + bytes([shade]) * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def data_url(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def show(parts: Iterable[Part]) -> str:
    """Content as a reader sees it, items as short words in angle brackets."""
    words: list[str] = []
    for part in parts:
        if isinstance(part, Text):
            words.append(part.text)
        elif isinstance(part, InlineEquation):
            words.append(f"⟨{part.latex}⟩")
        elif isinstance(part, NoteRef):
            words.append(f"⟨note {part.mark}⟩")
        elif isinstance(part, Equation):
            words.append(f"⟨equation {part.latex}⟩")
        elif isinstance(part, Drawing):
            words.append(f"⟨drawing {part.caption}⟩")
        elif isinstance(part, Table):
            words.append("⟨html table⟩" if part.html is not None else f"⟨table {cells(part)}⟩")
    return "".join(words)


def cells(table: Table) -> list[list[str | None]]:
    """Text of a table's grid; None where a span covers the place."""
    return [[show_cell(cell) for cell in row] for row in table.rows]


def show_cell(cell: Cell | None) -> str | None:
    return None if cell is None else show(cell.parts)


def items(document: Document) -> list[Item]:
    return [item for block in document.blocks for item in iter_items(block.parts)]


def tables(document: Document) -> list[Table]:
    return [item for item in items(document) if isinstance(item, Table)]


def drawings(document: Document) -> list[Drawing]:
    return [item for item in items(document) if isinstance(item, Drawing)]


def equations(document: Document) -> list[Equation]:
    return [item for item in items(document) if isinstance(item, Equation)]


def codes(document: Document) -> list[str]:
    return [warning.code for warning in document.warnings]


def texts(document: Document) -> list[Text]:
    return [part for block in document.blocks for part in block.parts if isinstance(part, Text)]


def marked(document: Document, kind: str) -> list[str]:
    """Stretches of text that carry a mark."""
    return [text.text for text in texts(document) if any(mark.kind == kind for mark in text.marks)]
