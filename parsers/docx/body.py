"""Block content: paragraphs, tables, controls and what wraps them, at every level (ISO 29500-1, 17.2.2).

`blocks` is a generator for `state.run`. It gives each paragraph and table to a sink: `Lines` collects the lines of a
cell, note or text box; `sections.Sections` builds the blocks of the body.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from lrdoc.document import Anchor, Drawing, Equation, Part, Source, Table, Text
from lrdoc.parsers.docx import altchunk
from lrdoc.parsers.docx.branches import choose_branch
from lrdoc.parsers.docx.captions import Caption, attach, certain_caption
from lrdoc.parsers.docx.names import MC, VAL, M, W, local_name
from lrdoc.parsers.docx.numbering import Label
from lrdoc.parsers.docx.state import BREAK, NEWLINE, Box, Job, Line, Walk
from lrdoc.parsers.docx.text import read_inline, read_paragraph

_INDENT = "  "
_ITEMS = frozenset((Table, Drawing, Equation))


class Sink(Protocol):
    """Takes what `blocks` reads."""

    def paragraph(self, line: Line) -> None: ...

    def table(self, table: Table) -> None: ...


def blocks(
    walk: Walk, element: Iterable[Any], path: str, sink: Sink, *, is_wrapper: bool = False, paragraphs: int = 0
) -> Job:
    """Read the block content of an element (or of several).

    `path` is its place; steps count among siblings of the same name. `is_wrapper`: the element only stands around
    content of its parent, such as a control, so that a paragraph may go on behind it. `paragraphs`: how many of them
    were read before.
    """
    counts: dict[str, int] = {}
    tables = 0
    for child in element:
        tag = child.tag
        if tag == _P:
            paragraphs += 1
            line = read_paragraph(walk, child, f"{path}/p[{paragraphs}]", walk.carry)
            if line.deleted_mark:
                walk.carry = line
                continue
            walk.carry = None
            if line.number is not None:
                count_label(walk, line)
            if line.later:
                yield from read_boxes(walk, line)
            sink.paragraph(line)
        elif tag == _TBL:
            if walk.carry is not None:
                yield from _finish_carry(walk, sink)
            tables += 1
            from lrdoc.parsers.docx.tables import read_table

            yield read_table(walk, child, f"{path}/tbl[{tables}]", sink)
        else:
            name = local_name(tag)
            number = counts[name] = counts.get(name, 0) + 1
            job = _other(walk, child, f"{path}/{name}[{number}]", sink)
            if job is not None:
                yield job
    if walk.carry is not None and not is_wrapper:
        yield from _finish_carry(walk, sink)


_P, _TBL, _SDT = W + "p", W + "tbl", W + "sdt"


def count_label(walk: Walk, line: Line) -> None:
    """Count a numbered paragraph and give it its label."""
    line.label = walk.numbering.label(*line.number) if line.number is not None else None


def _finish_carry(walk: Walk, sink: Sink) -> Job:
    """The deleted mark has no following paragraph to join: the paragraph stays if something is left of it."""
    line, walk.carry = walk.carry, None
    if line is None:
        return
    if not line.is_empty:
        count_label(walk, line)
    yield from read_boxes(walk, line)
    sink.paragraph(line)


def read_boxes(walk: Walk, line: Line) -> Job:
    for later in line.later:
        if type(later) is Box:
            inner = walk.nested()
            lines = Lines(inner)
            element = later.element
            if element.tag in (_P, _TBL):
                yield blocks(inner, (element,), later.path.rpartition("/")[0], lines)
            else:
                yield blocks(inner, element, later.path, lines)
            later.parts = lines.finish()


def _other(walk: Walk, element: Any, path: str, sink: Sink) -> Job | None:
    """Block content that is neither paragraph nor table."""
    tag = element.tag
    if tag in _SKIPPED:
        return None
    if tag == _SDT:
        return _read_control(walk, element, path, sink)
    if tag == MC + "AlternateContent":
        branch = choose_branch(element)
        if branch is None:
            return None
        return blocks(walk, branch, f"{path}/{local_name(branch.tag)}[1]", sink, is_wrapper=True)
    if tag in _CHANGES:
        options = walk.options
        shown = options.shows_insertions if _CHANGES[tag] else options.shows_deletions
        return blocks(walk, element, path, sink, is_wrapper=True) if shown else None
    if tag == W + "altChunk":
        return altchunk.read_chunk(walk, element, path, sink)
    if tag == W + "sectPr":
        walk.reader.sections.append(element)
        return None
    if tag in _MARKERS or tag in _INLINE_CONTENT:
        return _read_loose(walk, element, path, sink)
    return blocks(walk, element, path, sink, is_wrapper=True)


def _read_control(walk: Walk, element: Any, path: str, sink: Sink) -> Job:
    """A content control. Its content is read whatever the control is; one that holds a contents list is noted."""
    content = element.find(W + "sdtContent")
    if content is None:
        return
    gallery = element.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    is_toc = gallery is not None and (gallery.get(VAL) or "").lower() == "table of contents"
    walk.toc_controls += is_toc
    yield blocks(walk, content, path, sink, is_wrapper=True)
    walk.toc_controls -= is_toc


def _read_loose(walk: Walk, element: Any, path: str, sink: Sink) -> Job:
    """Runs, links, equations, bookmarks and comment ranges that stand where a paragraph should."""
    line = Line(walk, Source(walk.place, path, None, walk.page), walk.reader.styles.paragraph(None))
    read_inline(line, (element,))
    yield from read_boxes(walk, line)
    if line.parts or line.later:
        sink.paragraph(line)


_CHANGES = {W + "ins": True, W + "moveTo": True, W + "del": False, W + "moveFrom": False}
_MARKERS = frozenset(W + name for name in ("bookmarkStart", "commentRangeStart", "commentRangeEnd"))
_INLINE_CONTENT = frozenset(
    [W + name for name in ("r", "hyperlink", "fldSimple", "smartTag", "drawing", "pict", "object", "t", "bdo", "dir")]
    + [M + "oMath", M + "oMathPara"]
)
_SKIPPED = frozenset(
    W + name
    for name in (
        "bookmarkEnd proofErr permStart permEnd moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd "
        "customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart customXmlDelRangeEnd "
        "customXmlMoveFromRangeStart customXmlMoveFromRangeEnd customXmlMoveToRangeStart customXmlMoveToRangeEnd "
        "sdtPr sdtEndPr customXmlPr tcPr trPr tblPr tblGrid tblPrEx pPr rPr"
    ).split()
)


# Lines --------------------------------------------------------------------------------------------------------------


def line_parts(line: Line) -> list[Part]:
    """Parts of a paragraph without what follows it on lines of its own; empty when nothing is shown.

    Blanks at both ends go, and so does the line end that a page break leaves.
    """
    parts = _trim(_resolve_breaks(line.parts) if line.has_breaks else line.parts)
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


def _trim(parts: list[Any]) -> list[Any]:
    """A copy without blanks at the ends."""
    result = list(parts)
    if not result:
        return result
    first, end = 0, len(parts)
    head, tail = result[0], result[-1]
    if type(head) is type(tail) is Text and not head.text[0].isspace() and not tail.text[-1].isspace():
        return result
    while first < end:
        part = result[first]
        if type(part) is Text:
            text = part.text
            if text[0].isspace():
                text = text.lstrip()
                if not text:
                    del result[first]
                    end -= 1
                    continue
                result[first] = Text(text, part.source, part.marks)
            break
        if type(part) is not Anchor:
            break
        first += 1
    last = len(result) - 1
    while last >= 0:
        part = result[last]
        if type(part) is Text:
            text = part.text
            if text[-1].isspace():
                text = text.rstrip()
                if not text:
                    del result[last]
                    last -= 1
                    continue
                result[last] = Text(text, part.source, part.marks)
            break
        if type(part) is not Anchor:
            break
        last -= 1
    return result


def _resolve_breaks(parts: list[Any]) -> list[Any]:
    """Line ends in place of breaks, where something stands on both sides and no line end is there yet."""
    result: list[Any] = []
    pending = False
    for part in parts:
        if part is BREAK:
            pending = any(type(known) is not Anchor for known in result)
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
        result.append(part)
    return result


class Lines:
    """Lines of a cell, note, text box or block."""

    __slots__ = ("captions", "items", "later", "lines", "walk")

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.lines: list[list[Any]] = []
        self.captions: dict[int, Caption] = {}
        """Lines that are captions by style or field."""
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
                parts = _trim(parts)
        else:
            parts = line_parts(line)
            if len(parts) > 1 or (parts and type(parts[0]) is not Text):
                self._note_items(parts)
        if parts:
            if style.is_caption or line.is_seq:
                caption = certain_caption(line, parts)
                if caption is not None:
                    self.captions[len(self.lines)] = caption
            self.lines.append(parts)
        if line.later:
            self.add_later(line)

    def _note_items(self, parts: list[Any]) -> None:
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
        """All lines in normal form, captions tied to their items."""
        if self.items:
            attach(self.lines, self.captions, self.items, self.later)
        return join_lines(self.lines)


def join_lines(lines: list[list[Any]]) -> tuple[Part, ...]:
    """Lines separated by line ends, in the normal form of `document.merge_text`."""
    if len(lines) == 1:
        return _normal(lines[0])
    parts: list[Any] = []
    for line in lines:
        if parts:
            parts.append(NEWLINE)
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
