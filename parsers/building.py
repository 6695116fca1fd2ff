"""Helpers with which an engine makes a Document: blocks under headings, plain text, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lrdoc.document import (
    MAX_HEADING_CHARS,
    Block,
    Cell,
    Document,
    Item,
    Mark,
    ParseWarning,
    Part,
    Source,
    Table,
    Text,
    merge_text,
)
from lrdoc.errors import EmptyDocumentError
from lrdoc.parsers.base import SourceFile


class HeadingPath:
    """The headings above the next one, by their levels."""

    __slots__ = ("_above",)

    def __init__(self) -> None:
        self._above: list[tuple[int, str]] = []

    def __bool__(self) -> bool:
        return bool(self._above)

    def enter(self, level: int, heading: str) -> tuple[str, ...]:
        """Go on under this heading; returns its parents, outermost first: the open headings of smaller levels."""
        while self._above and self._above[-1][0] >= level:
            self._above.pop()
        parents = tuple(name for _, name in self._above)
        self._above.append((level, heading))
        return parents


class DocumentBuilder:
    """Collects lines, items and headings in reading order and makes blocks of them.

    A heading begins a block; its parents follow from the levels. Text before the first heading is a block without one.
    """

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.title = ""
        """What the file calls itself; "": its first heading of level 1, else its first heading, else its name."""
        self.attributes: dict[str, Any] = {}
        self.split_option: dict[str, Any] = {}
        self.warnings: list[ParseWarning] = []
        self._blocks: list[Block] = []
        self._parts: list[Part] = []
        self._heading: tuple[str, int, tuple[str, ...]] = ("", 0, ())
        self._path = HeadingPath()

    def heading(self, text: str, level: int, source: Source | None = None) -> None:
        """Begin a block. A heading that is too long is a line of text, with a warning."""
        line = " ".join(text.split())
        if not line:
            return
        if len(line) > MAX_HEADING_CHARS:
            message = f"a heading of {len(line)} characters is kept as text; at most {MAX_HEADING_CHARS} are a heading"
            self.warn("long_heading", message, source)
            self.line(line, source)
            return
        self._close()
        level = min(max(level, 1), 9)
        self._heading = (line, level, self._path.enter(level, line))
        self._parts = [Text(line, source)]

    def line(self, text: str, source: Source | None = None, marks: tuple[Mark, ...] = ()) -> None:
        """Add lines of text. `source` None says that the text is not the file's."""
        self.parts([Text(text.strip("\n"), source, marks)])

    def parts(self, parts: Iterable[Part]) -> None:
        """Add one line made of several parts."""
        kept = merge_text(parts)
        if not kept:
            return
        if self._parts:
            self._parts.append(Text("\n"))
        self._parts += kept

    def item(self, item: Item) -> None:
        """Add a table, picture or equation on a line of its own."""
        self.parts([item])

    def warn(self, code: str, message: str, source: Source | None = None) -> None:
        """Tell the reader what was left out, guessed or repaired, and where."""
        self.warnings.append(ParseWarning(code, message, source))

    def build(self) -> Document:
        """The document. Raises EmptyDocumentError when nothing was added."""
        self._close()
        if not self._blocks:
            raise EmptyDocumentError(f"{self.source.name} holds nothing to extract")
        headings = [block for block in self._blocks if block.heading]
        first = next((b.heading for b in headings if b.level == 1), headings[0].heading if headings else "")
        return Document(
            self.source.suffix,
            self.title or first or self.source.stem,
            tuple(self._blocks),
            attributes=self.attributes,
            split_option=self.split_option,
            warnings=tuple(self.warnings),
        )

    def _close(self) -> None:
        parts = merge_text(self._parts)
        self._parts = []
        if not any(not isinstance(part, Text) or part.text.strip() for part in parts):
            return
        heading, level, parents = self._heading
        self._blocks.append(Block(heading, level, parents, parts))


def make_table(
    rows: Sequence[Sequence[str]],
    source: Source | None = None,
    *,
    header_rows: int = 0,
    caption: str = "",
    extras: Mapping[str, Any] | None = None,
) -> Table:
    """A table of plain texts; short rows are filled up."""
    width = max((len(row) for row in rows), default=0)
    grid = tuple(
        tuple(Cell((Text(text, source),) if text else ()) for text in (*row, *[""] * (width - len(row))))
        for row in rows
    )
    return Table(grid, min(header_rows, len(grid)), caption=caption, source=source, extras=extras or {})


def make_text_document(
    source: SourceFile,
    text: str | Iterable[tuple[str, Source | None]],
    *,
    title: str = "",
    attributes: Mapping[str, Any] | None = None,
    warnings: Iterable[ParseWarning] = (),
) -> Document:
    """A document of plain text: one string, whose lines are its source, or pieces with their places.

    Raises EmptyDocumentError when there is nothing but blanks.
    """
    if isinstance(text, str):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = [(text, Source(lines=(1, text.count("\n") + 2)))]
    parts = merge_text(Text(piece, place) for piece, place in text)
    if not any(isinstance(part, Text) and part.text.strip() for part in parts):
        raise EmptyDocumentError(f"{source.name} holds nothing to extract")
    return Document(
        source.suffix,
        title or source.stem,
        (Block(parts=parts),),
        attributes=attributes or {},
        warnings=tuple(warnings),
        kind="raw",
    )
