"""Block content: paragraphs, tables, controls and what wraps them, at every level (ISO 29500-1, 17.2.2).

`blocks` is a generator for `state.run`. It gives each paragraph and table to a sink: `Lines` collects the lines of a
cell, note or text box; `sections.Sections` builds the blocks of the body.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lrdoc.document import Part, Source
from lrdoc.parsers.docx import altchunk
from lrdoc.parsers.docx.branches import choose_branch
from lrdoc.parsers.docx.changes import WRAPPERS, change_mark
from lrdoc.parsers.docx.inline import UNSHOWN
from lrdoc.parsers.docx.lines import Lines, Sink, count_label, read_boxes
from lrdoc.parsers.docx.names import MC, VAL, M, W, local_name
from lrdoc.parsers.docx.state import Element, Job, Line, Reader, Walk, run
from lrdoc.parsers.docx.tables import read_table
from lrdoc.parsers.docx.text import MARKERS, read_inline, read_marker, read_paragraph


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
    context = walk.reader.context
    for child in element:
        tag = child.tag
        if tag == _P:
            paragraphs += 1
            if not paragraphs % _LOOK_EVERY:
                context.check()
                context.progress("parse", paragraphs, None)
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
            yield read_table(walk, child, f"{path}/tbl[{tables}]", sink)
        else:
            name = local_name(tag)
            number = counts[name] = counts.get(name, 0) + 1
            job = _other(walk, child, f"{path}/{name}[{number}]", sink)
            if job is not None:
                yield job
    if walk.carry is not None and not is_wrapper:
        yield from _finish_carry(walk, sink)


_LOOK_EVERY = 200
"""Paragraphs between two looks whether to go on; some milliseconds."""
_P, _TBL, _SDT = W + "p", W + "tbl", W + "sdt"


def _finish_carry(walk: Walk, sink: Sink) -> Job:
    """The deleted mark has no following paragraph to join: the paragraph stays if something is left of it."""
    line, walk.carry = walk.carry, None
    if line is None:
        return
    if not line.is_empty:
        count_label(walk, line)
    yield from read_boxes(walk, line)
    sink.paragraph(line)


def _other(walk: Walk, element: Any, path: str, sink: Sink) -> Job | None:
    """Block content that is neither paragraph nor table."""
    tag = element.tag
    if tag == W + "sectPr":
        walk.reader.sections.append(element)
        return None
    if tag in UNSHOWN:
        return None
    if tag == _SDT:
        return _read_control(walk, element, path, sink)
    if tag == MC + "AlternateContent":
        branch = choose_branch(element)
        if branch is None:
            return None
        return blocks(walk, branch, f"{path}/{local_name(branch.tag)}[1]", sink, is_wrapper=True)
    if tag in WRAPPERS:
        return _read_change(walk, element, path, sink) if walk.options.shows(WRAPPERS[tag]) else None
    if tag == W + "altChunk":
        return altchunk.read_chunk(walk, element, path, sink)
    if tag in MARKERS:
        read_marker(walk, element, path)
        return None
    if tag in _INLINE_CONTENT:
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


def _read_change(walk: Walk, element: Any, path: str, sink: Sink) -> Job:
    """Tracked changes around paragraphs and tables."""
    outer = walk.changes
    if walk.options.changes == "annotate":
        walk.set_changes((*outer, change_mark(element, WRAPPERS[element.tag])))
    yield blocks(walk, element, path, sink, is_wrapper=True)
    if walk.changes is not outer:
        walk.set_changes(outer)


def _read_loose(walk: Walk, element: Any, path: str, sink: Sink) -> Job:
    """Runs, links and equations that stand where a paragraph should."""
    line = Line(walk, Source(walk.place, path, None, walk.page), walk.reader.styles.paragraph(None))
    read_inline(line, (element,))
    yield from read_boxes(walk, line)
    if line.parts or line.later:
        if walk.carry is not None:
            yield from _finish_carry(walk, sink)
        sink.paragraph(line)


_INLINE_CONTENT = frozenset(
    [W + name for name in ("r", "hyperlink", "fldSimple", "smartTag", "drawing", "pict", "object", "t", "bdo", "dir")]
    + [M + "oMath", M + "oMathPara"]
)


def read_story(reader: Reader, element: Element, part: str, path: str) -> tuple[Part, ...]:
    """Read the block content of an element that is a story of its own; see `Reader.read_blocks`."""
    walk = reader.walk(part)
    walk.begin(element)
    lines = Lines(walk)
    run(blocks(walk, element, path, lines), reader)
    return lines.finish()
