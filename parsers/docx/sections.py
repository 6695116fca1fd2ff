"""Blocks of the body: one heading and what stands under it."""

from __future__ import annotations

from typing import Any

import msgspec

from lrdoc.document import (
    MAX_HEADING_CHARS,
    Anchor,
    Block,
    Equation,
    Position,
    Table,
    Text,
    plain_text,
)
from lrdoc.parsers.building import HeadingPath
from lrdoc.parsers.docx.headings import is_contents_word
from lrdoc.parsers.docx.lines import Lines
from lrdoc.parsers.docx.state import BREAK, Line, Reader, Walk


class Sections:
    """Takes the paragraphs and tables of the body and cuts them at headings (decision A4)."""

    def __init__(self, reader: Reader, walk: Walk) -> None:
        self.reader = reader
        self.walk = walk
        self.blocks: list[Block] = []
        self.title = ""
        """Text of the first Title paragraph."""
        self._path = HeadingPath()
        self._outer: tuple[str, ...] = ()
        """Headings above the current block."""
        self._heading = self._label = ""
        self._level = 0
        self._is_title = False
        self._lines = Lines(walk)
        self._toc = Lines(walk)
        self._toc_paraids: list[str] = []
        walk.paraids = []
        self._paraids = walk.paraids
        self._n_notes = 0
        """How many of the notes that wait for the end of their block were called before the current paragraph."""

    def paragraph(self, line: Line) -> None:
        self._place(line)
        self._n_notes = len(self.reader.called_notes)

    def _place(self, line: Line) -> None:
        style = line.style
        if line.in_toc or style.is_toc or style.is_toc_heading:
            by_field_only = not (self.walk.toc_controls or style.is_toc or style.is_toc_heading)
            if not (by_field_only and line.level) and self.reader.options.toc != "body":
                if not self._toc.lines:
                    self._take_contents_heading()
                if line.paraid and self._paraids and self._paraids[-1] == line.paraid:
                    self._toc_paraids.append(self._paraids.pop())
                self._toc.paragraph(line)
                return
        elif self._toc.lines:
            self._finish_toc()
        level = line.level
        if style.is_title:
            level = -(level or 1)
        if level and not line.is_empty and self._begin(line, level):
            return
        self._lines.paragraph(line)

    def table(self, table: Table) -> None:
        if self.walk.toc_depth or self.walk.toc_controls:
            if self.reader.options.toc != "body":
                self._toc.table(table)
                self._n_notes = len(self.reader.called_notes)
                return
        elif self._toc.lines:
            self._finish_toc()
        self._lines.table(table)
        self._n_notes = len(self.reader.called_notes)

    def finish(self) -> tuple[Block, ...]:
        """All blocks; the last one ends here."""
        self._finish_toc()
        self._n_notes = len(self.reader.called_notes)
        self._lines.close()
        self._finish_block(self._paraids)
        regions, notes = self.reader.regions, self.reader.called_notes
        if notes and regions and not self.blocks:
            # Only a contents list calls them; there is no block whose end they could stand at.
            regions[-1] = msgspec.structs.replace(regions[-1], notes=tuple(notes))
            notes.clear()
        return tuple(self.blocks)

    def _begin(self, line: Line, level: int) -> bool:
        """Begin a block with this paragraph as its heading, unless it makes none. A negative level: it is a title."""
        parts, behind = _heading_parts(line)
        text = plain_text(parts).strip()
        if not text:
            return False
        label = line.label
        if label is not None and not label.is_bullet:
            parts.insert(0, Text(label.prefix))
            text = label.prefix + text
        if len(text) > MAX_HEADING_CHARS:
            self.reader.warn(
                "heading_too_long",
                f"A heading of {len(text)} characters at level {abs(level)} became body text; headings have at most "
                f"{MAX_HEADING_CHARS}",
                line.source,
            )
            return False
        is_title = False
        if level < 0:
            is_title = not self.title and not self._path
            level = 0 if is_title else -level
            self.title = self.title or text
        own = [line.paraid] if line.paraid and self._paraids and self._paraids[-1] == line.paraid else []
        self._finish_block(self._paraids[: len(self._paraids) - len(own)])
        self._paraids[:] = own
        self._outer = () if is_title else self._path.enter(level, text)
        self._heading, self._level, self._is_title = text, level, is_title
        self._label = label.text if label is not None and not label.is_bullet else ""
        if self.walk.anchors:
            parts = self._lines.with_anchors(parts)
        if line.end_marks:
            self._lines.ends[len(self._lines.lines)] = line.end_marks
        self._lines.lines.append(parts)
        for part in behind:
            self._lines.lines.append([part])
        self._lines.add_later(line)
        return True

    def _finish_block(self, paraids: list[str]) -> None:
        lines = self._lines
        if lines.lines:
            # The heading that ends this block was read already: what it calls stands in its own block.
            notes = tuple(self.reader.called_notes[: self._n_notes])
            del self.reader.called_notes[: self._n_notes]
            self.blocks.append(
                Block(
                    heading=self._heading,
                    level=self._level,
                    parents=self._outer,
                    parts=lines.join(),
                    notes=notes,
                    label=self._label,
                    is_title_block=self._is_title,
                    positions=(paraid_position(paraids),),
                )
            )
        self._lines = Lines(self.walk)

    def _finish_toc(self) -> None:
        if self._toc.lines and self.reader.options.toc == "region":
            self.reader.regions.append(
                Block(parts=self._toc.join(), region="TOC", positions=(paraid_position(self._toc_paraids),))
            )
        elif self._toc.lines:
            characters = sum(len("".join(plain_text(line).split())) for line in self._toc.lines)
            first = next((part.source for line in self._toc.lines for part in line if type(part) is Text), None)
            message = f"A table of contents of {characters} characters was left out (toc=drop)"
            self.reader.warn("toc_dropped", message, first)
        self._toc = Lines(self.walk)
        self._toc_paraids = []

    def _take_contents_heading(self) -> None:
        """The word "Contents" right above the entries belongs to them, whatever its style."""
        lines = self._lines.lines
        if len(lines) > (1 if self._heading else 0) and is_contents_word(plain_text(lines[-1])):
            self._toc.lines.append(lines.pop())


def paraid_position(paraids: list[str]) -> Position:
    """Position of a block between its first and last paragraph that have an id."""
    return Position("paraid", range=(paraids[0], paraids[-1]) if paraids else None)


def _heading_parts(line: Line) -> tuple[list[Any], list[Any]]:
    """A heading as one line, and display equations that follow it."""
    parts: list[Any] = []
    behind: list[Any] = []
    for part in line.parts:
        if part is BREAK:
            continue
        if type(part) is Equation:
            behind.append(part)
        elif type(part) is Text:
            text = " ".join(part.text.split())
            if part.text[0].isspace() and _continues(parts):
                text = f" {text}"
            if text and part.text[-1].isspace():
                text = f"{text} " if not text.isspace() else text
            if text:
                parts.append(Text(text, part.source, part.marks))
        else:
            parts.append(part)
    while parts and type(parts[-1]) is Text and parts[-1].text[-1] == " ":
        last = parts.pop()
        if stripped := last.text.rstrip():
            parts.append(Text(stripped, last.source, last.marks))
    return parts, behind


def _continues(parts: list[Any]) -> bool:
    """Whether a blank may follow: not at the start of the line, not after another blank."""
    for part in reversed(parts):
        if type(part) is Text:
            return bool(part.text[-1] != " ")
        if type(part) is not Anchor:
            return True
    return False
