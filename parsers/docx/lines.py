"""Lines of text: what becomes of a paragraph when it is read, and how lines stand together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from lrdoc.document import Anchor, Drawing, Equation, Mark, Part, Table, Text
from lrdoc.parsers.docx.captions import Caption, attach, certain_caption
from lrdoc.parsers.docx.names import W
from lrdoc.parsers.docx.notes import note_texts
from lrdoc.parsers.docx.numbering import Label
from lrdoc.parsers.docx.state import BREAK, NEWLINE, Box, Job, Line, Walk

_INDENT = "  "
_ITEMS = frozenset((Table, Drawing, Equation))
_P, _TBL, _ALT_CHUNK = W + "p", W + "tbl", W + "altChunk"


class Sink(Protocol):
    """Takes what `blocks` reads."""

    def paragraph(self, line: Line) -> None: ...

    def table(self, table: Table) -> None: ...


def count_label(walk: Walk, line: Line) -> None:
    """Count a numbered paragraph and give it its label."""
    line.label = walk.numbering.label(*line.number) if line.number is not None else None


def read_boxes(walk: Walk, line: Line) -> Job:
    for later in line.later:
        if type(later) is Box:
            inner = walk.nested(later.changes)
            lines = Lines(inner)
            element = later.element
            if element.tag in (_P, _TBL, _ALT_CHUNK):
                yield walk.reader.blocks(inner, (element,), later.path.rpartition("/")[0], lines)
            else:
                yield walk.reader.blocks(inner, element, later.path, lines)
            later.parts = lines.finish()
            walk.anchors += inner.anchors


def line_parts(line: Line) -> list[Part]:
    """Parts of a paragraph without what follows it on lines of its own; empty when nothing is shown.

    Blanks at both ends go, and so does the line end that a page break leaves; code keeps its indentation.
    """
    parts = _trim(_resolve_breaks(line.parts) if line.has_breaks else line.parts, both=not line.style.is_code)
    label = line.label
    for part in parts:
        if type(part) is not Anchor:
            if label is not None:
                parts.insert(0, Text(_label_text(label)))
            return parts
    if label is None or label.is_bullet or not line.walk.in_cell:
        return []
    return [*parts, Text(label.text)]


def _label_text(label: Label) -> str:
    return _INDENT * label.level + label.prefix


def _trim(parts: list[Any], *, both: bool = True) -> list[Any]:
    """A copy without blanks at the ends; `both` False: at the end only."""
    if not parts:
        return []
    head, tail = parts[0], parts[-1]
    if type(head) is type(tail) is Text and not head.text[0].isspace() and not tail.text[-1].isspace():
        return list(parts)
    result = _without_blanks(parts, str.lstrip) if both else list(parts)
    result.reverse()
    result = _without_blanks(result, str.rstrip)
    result.reverse()
    return result


def _without_blanks(parts: list[Any], strip: Callable[[str], str]) -> list[Any]:
    """Parts without blanks before the first thing that is shown; bookmarks there stay."""
    result: list[Any] = []
    for at, part in enumerate(parts):
        if type(part) is Text:
            text = strip(part.text)
            if not text:
                continue
            result.append(part if len(text) == len(part.text) else Text(text, part.source, part.marks))
            result += parts[at + 1 :]
            break
        result.append(part)
        if type(part) is not Anchor:
            result += parts[at + 1 :]
            break
    return result


def _resolve_breaks(parts: list[Any]) -> list[Any]:
    """Line ends in place of breaks, where something stands on both sides and no line end is there yet."""
    result: list[Any] = []
    pending = has_content = False
    for part in parts:
        if part is BREAK:
            pending = has_content
            continue
        if pending and type(part) is Text:
            stripped = part.text.lstrip()
            if not stripped:
                continue
            part = Text(stripped, part.source, part.marks)
        if pending and type(part) is not Anchor:
            while result and type(result[-1]) is Text and result[-1].text[-1].isspace():
                last = result.pop()
                if stripped := last.text.rstrip():
                    result.append(Text(stripped, last.source, last.marks))
            if result:
                result.append(NEWLINE)
            pending = False
        has_content = has_content or type(part) is not Anchor
        result.append(part)
    return result


class Lines:
    """Lines of a cell, note, text box or block."""

    __slots__ = ("captions", "ends", "items", "later", "lines", "walk")

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.lines: list[list[Any]] = []
        self.captions: dict[int, Caption] = {}
        """Lines that are captions by style or field."""
        self.ends: dict[int, tuple[Mark, ...]] = {}
        """Lines whose end was inserted or deleted, where both states are shown."""
        self.items: list[int] = []
        """Lines that hold a table, picture or display equation."""
        self.later: dict[int, int] = {}
        """Lines that follow a paragraph as a part of it, and the line of the paragraph."""

    def paragraph(self, line: Line) -> None:
        parts = line.parts
        style = line.style
        if len(parts) == 1 and line.label is None and type(parts[0]) is Text:
            # The common case: one stretch of text.
            text = parts[0].text
            if text[0].isspace() or text[-1].isspace():
                parts = _trim(parts, both=not style.is_code)
        else:
            parts = line_parts(line)
            if len(parts) > 1 or (parts and type(parts[0]) is not Text):
                self._note_items(parts)
        if parts:
            if self.walk.anchors:
                parts = self.with_anchors(parts)
            if style.is_caption or line.is_seq:
                caption = certain_caption(line, parts)
                if caption is not None:
                    self.captions[len(self.lines)] = caption
            if line.end_marks:
                self.ends[len(self.lines)] = line.end_marks
            self.lines.append(parts)
        elif line.parts:
            self.walk.keep_anchors(line.parts)
        if line.later:
            self.add_later(line)

    def with_anchors(self, parts: list[Any]) -> list[Any]:
        """A line that begins with the bookmarks that wait for it."""
        waiting, self.walk.anchors = self.walk.anchors, []
        return waiting + parts

    def _note_items(self, parts: Iterable[Any]) -> None:
        for part in parts:
            if type(part) in _ITEMS:
                self.items.append(len(self.lines))
                return

    def add_later(self, line: Line) -> None:
        """What follows a paragraph on lines of its own."""
        host = len(self.lines) - 1
        for later in line.later:
            parts = later.parts if type(later) is Box else later
            if parts:
                self._note_items(parts)
                self.later[len(self.lines)] = host
                self.lines.append(list(parts))

    def table(self, table: Table) -> None:
        self.items.append(len(self.lines))
        self.lines.append([table])

    def finish(self) -> tuple[Part, ...]:
        """All lines of a story or cell, in normal form."""
        self.close()
        return self.join()

    def close(self) -> None:
        """Nothing more comes: bookmarks that wait for a line stand at the end of the last one."""
        if self.walk.anchors and self.lines:
            self.lines[-1] = self.lines[-1] + self.with_anchors([])

    def join(self) -> tuple[Part, ...]:
        """All lines in normal form, captions tied to their items."""
        if self.items:
            attach(self.lines, self.captions, self.items, self.later, partial(note_texts, self.walk.reader))
        return join_lines(self.lines, self.ends)


def join_lines(lines: list[list[Any]], ends: Mapping[int, tuple[Mark, ...]]) -> tuple[Part, ...]:
    """Lines separated by line ends, in the normal form of `document.merge_text`; `ends`: marks of line ends."""
    if len(lines) == 1:
        return _normal(lines[0])
    parts: list[Any] = []
    for number, line in enumerate(lines):
        if parts:
            marks = ends.get(number - 1)
            parts.append(Text("\n", None, marks) if marks else NEWLINE)
        parts += line
    return _normal(parts)


def _normal(parts: list[Any]) -> tuple[Part, ...]:
    """`document.merge_text`, without building anything anew when there is nothing to merge."""
    result: list[Any] = []
    previous: Any = None
    for part in parts:
        if type(part) is Text and previous is not None and type(previous) is Text:
            source = part.source
            if (source is previous.source or source == previous.source) and part.marks == previous.marks:
                previous = result[-1] = Text(previous.text + part.text, source, part.marks)
                continue
        result.append(part)
        previous = part
    return tuple(result)
