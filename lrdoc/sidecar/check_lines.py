"""Check the content lines of a document."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from lrdoc.document import (
    Anchor,
    Block,
    Citation,
    Drawing,
    InlineEquation,
    NoteRef,
    Part,
    Source,
    Table,
    Text,
)
from lrdoc.errors import SidecarError
from lrdoc.sidecar import names
from lrdoc.sidecar.check_items import ItemChecker
from lrdoc.sidecar.parse import ContentParser
from lrdoc.sidecar.problems import Report
from lrdoc.sidecar.read import heading_prefix, parse_block
from lrdoc.sidecar.shapes import ContentLine
from lrdoc.text.clean import is_clean

_MOST_DROPPED = 64
"""Other implementations count blocks that they dropped: the index of a line may be ahead by as many."""


class LineChecker:
    """Checks the lines one after another, body first, then regions."""

    def __init__(self, doc_id: str, ours: bool, items: ItemChecker, report: Report) -> None:
        self.doc_id = doc_id
        self.ours = ours
        self.items = items
        self.report = report
        self.index = 0
        self._content = ContentParser(items.items, names.doc_hash(doc_id), _no_asset)
        self._headings: set[str] = set()
        self._calls: dict[str, str] = {}
        self._notes: dict[str, str] = {}

    def check(self, line: ContentLine, where: str, *, region: bool) -> None:
        if not is_clean(line.content) or line.content != line.content.strip():
            self.report.problem("unclean_text", "control characters, or white space at an end of the content", where)
        self._block_id(line, where)
        self.items.name_assets(line.extras)
        if not region:
            self._parents(line, where)
        if not isinstance(line.provenance, msgspec.Raw):
            self.report.lacks("provenance", "lines without provenance")
        if any(position.type == "paraid" and not _any(position.range) for position in line.positions):
            self.report.lacks("paraid", "blocks without the id of a paragraph")
        try:
            for found in self._content.tags(line.content):
                self.items.compare(found, line.content, line, where)
            block = parse_block(line, self._content)
        except SidecarError as e:
            code = "provenance" if "provenance" in e.message else "marks" if "mark" in e.message else "content"
            self.report.problem(code, str(e), where)
        except (msgspec.MsgspecError, RecursionError) as e:
            self.report.problem("schema", str(e), where)
        else:
            self._heading(line, block, where)
            self._note_calls(block, where)

    def finish(self) -> None:
        """Report note marks without text and notes that nothing calls."""
        if not self.ours:
            return
        for mark, where in self._calls.items():
            if mark not in self._notes:
                self.report.problem("note", f"[^{mark}] has no text", where)
        for mark, where in self._notes.items():
            if mark not in self._calls:
                self.report.problem("note", f"nothing calls the note [^{mark}]", where)

    def _block_id(self, line: ContentLine, where: str) -> None:
        for index in range(self.index, self.index + (1 if self.ours else _MOST_DROPPED)):
            if names.block_id(self.doc_id, index, line.heading, line.content) == line.blockid:
                self.index = index + 1
                return
        self.report.problem("blockid", "it is not that of this heading and content at this place", where)
        self.index += 1

    def _parents(self, line: ContentLine, where: str) -> None:
        for parent in line.parent_headings:
            if parent not in self._headings:
                self.report.problem("parents", f"no block before has the heading {parent!r}", where)
        if line.heading:
            self._headings.add(line.heading)

    def _heading(self, line: ContentLine, block: Block, where: str) -> None:
        """The heading is the first line of the content."""
        label = line.label if isinstance(line.label, str) else ""
        if label and _squash(label) not in _squash(line.heading):
            self.report.problem("label", f"the heading does not include the label {label!r}", where)
        prefix = heading_prefix(line.content, line.level)
        if line.level > 0 and not prefix and self.ours:
            self.report.problem("heading", "the content does not begin with # marks", where)
        if not line.heading or (not prefix and not self.ours):
            return
        shown = _squash(_first_line(block.parts, with_equations=True))
        without = _squash(_first_line(block.parts, with_equations=False))
        if _squash(line.heading) not in (shown, without):
            self.report.problem("heading", f"the first line of the content is not {line.heading!r}", where)

    def _note_calls(self, block: Block, where: str) -> None:
        for note in block.notes:
            self._notes.setdefault(note.mark, where)
        stack: list[Iterable[Part]] = [block.parts, *(note.parts for note in block.notes)]
        while stack:
            for part in stack.pop():
                if isinstance(part, NoteRef):
                    self._calls.setdefault(part.mark, where)
                elif isinstance(part, Table):
                    stack.extend(cell.parts for row in part.rows for cell in row if cell is not None)


def _first_line(parts: Iterable[Part], *, with_equations: bool) -> str:
    words: list[str] = []
    for part in parts:
        if isinstance(part, Text):
            line, end, _ = part.text.partition("\n")
            words.append(line)
            if end:
                break
        elif isinstance(part, Citation):
            words.append(part.text)
        elif isinstance(part, InlineEquation):
            if with_equations:
                words.append(part.latex)
        elif not isinstance(part, Anchor | NoteRef | Drawing):
            break
    return "".join(words)


def _squash(text: str) -> str:
    return "".join(text.split())


def _any(values: object) -> bool:
    return isinstance(values, list) and any(values)


def _no_asset(shape: object, source: Source | None, key: str) -> Drawing:
    """Checking the text needs no picture."""
    return Drawing(source=source, key=key)
