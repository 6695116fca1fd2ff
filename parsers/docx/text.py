"""Paragraphs: properties and text.

`read_inline` is the hottest code of the engine: plain runs are read in one loop without calls, everything else goes
through the table `INLINE`. Wrappers (links, insertions, controls) push an iterator on a stack of our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lxml import etree

from lrdoc.document import Mark, Source, Text
from lrdoc.parsers.docx.changes import is_gone, whole_changes
from lrdoc.parsers.docx.equations import settle_equations
from lrdoc.parsers.docx.inline import INLINE, Descent, descend
from lrdoc.parsers.docx.names import PARAID, VAL, W
from lrdoc.parsers.docx.pages import ends_with_break, page_break
from lrdoc.parsers.docx.runs import CODE, Marks, before_change, clean_text, run_format
from lrdoc.parsers.docx.state import Element, Line, Walk
from lrdoc.parsers.docx.styles import ParagraphStyle, is_on, outline_level

_MANY = 1_000
"""Runs of a paragraph between two looks whether to go on; some milliseconds."""
_T, _R, _RPR, _PPR = W + "t", W + "r", W + "rPr", W + "pPr"


def read_plain(walk: Walk, element: Element, path: str) -> tuple[Text, ...] | None:
    """Text of a paragraph that has no properties and holds nothing but plain runs; None when it takes a closer look.

    Most cells of most tables are like this.
    """
    if walk.fields or walk.open_marks or walk.anchors or walk.break_pending or not walk.has_plain_style:
        return None
    texts: list[str] = []
    for child in element:
        if child.tag != _R:
            return None
        for node in child:
            if node.tag != _T:
                return None
            text = node.text
            if text:
                if "_x" in text or not text.isprintable():
                    return None
                texts.append(text)
    paraid = element.get(PARAID)
    if paraid is None:
        walk.reader.counts.without_paraid += 1
    elif walk.paraids is not None:
        walk.paraids.append(paraid)
    shown = "".join(texts).strip()
    return (Text(shown, Source(walk.place, path, paraid, walk.page)),) if shown else ()


def read_paragraph(walk: Walk, element: Element, path: str, line: Line | None = None) -> Line:
    """Read a w:p. `line`: the paragraph before, whose mark is deleted, so that this one goes on in it."""
    reader = walk.reader
    paraid = element.get(PARAID)
    source = Source(walk.place, path, paraid, walk.page)
    if paraid is None:
        reader.counts.without_paraid += 1
    elif walk.paraids is not None:
        walk.paraids.append(paraid)
    content: Any = iter(element)
    first = next(content, None)
    if first is not None and first.tag == _PPR:
        line = _read_properties(walk, first, source, line)
    else:
        # No properties: what was taken from the iterator has to be read as well.
        content = element
        style = reader.styles.paragraph(None)
        line = _begin(walk, source, style, line)
        if style.is_numbered:
            _number(line, None, None)
        line.level = style.level
        if style.page_break_before:
            page_break(line)
    if line.paraid is None:
        line.paraid = paraid
    if walk.toc_depth or walk.toc_controls:
        line.in_toc = True
    if len(element) > _MANY:
        content = _with_looks(content, reader.context.check)
    read_inline(line, content, (CODE,) if line.style.is_code else ())
    if line.has_equation and not line.deleted_mark:
        settle_equations(line)
    if line.ends_section is not None:
        reader.sections.append(line.ends_section)
        if line.ends_section in walk.page_sections:
            page_break(line)
    if walk.break_pending and not line.is_empty:
        walk.break_pending = ends_with_break(line)
    return line


def read_marker(walk: Walk, element: Element, path: str) -> None:
    """Read a bookmark or an end of a comment range that stands between paragraphs, rows or cells."""
    line = Line(walk, Source(walk.place, path, None, walk.page), walk.reader.styles.paragraph(None))
    read_inline(line, (element,))
    walk.keep_anchors(line.parts)


MARKERS = frozenset(W + name for name in ("bookmarkStart", "commentRangeStart", "commentRangeEnd"))


def _begin(walk: Walk, source: Source, style: ParagraphStyle, line: Line | None) -> Line:
    """A new line, or the one before, which goes on and takes the properties of this paragraph."""
    if line is None:
        return Line(walk, source, style)
    line.set_source(source)
    line.style = style
    line.deleted_mark = False
    line.number = None
    return line


def _read_properties(walk: Walk, ppr: Element, source: Source, line: Line | None) -> Line:
    reader = walk.reader
    options = reader.options
    if options.changes == "reject":
        ppr = before_change(ppr, W + "pPrChange", _PPR)
    style_id: str | None = None
    outline: Element | None = None
    deleted = joins = False
    end_marks: tuple[Mark, ...] = ()
    num_pr: Element | None = None
    page_before: bool | None = None
    section: Element | None = None
    for child in ppr:
        tag = child.tag
        if tag == _PSTYLE:
            style_id = child.get(VAL)
        elif tag == _NUMPR:
            num_pr = child
        elif tag == _OUTLINE:
            outline = child
        elif tag == _RPR:
            if options.changes == "annotate":
                end_marks = whole_changes(child)
            else:
                deleted = is_gone(child, options)
        elif tag == _PAGE_BREAK_BEFORE:
            page_before = is_on(child)
        elif tag == _FRAMEPR:
            joins = child.get(W + "dropCap") in ("drop", "margin")
        elif tag == _SECTPR:
            section = child
    style = reader.styles.paragraph(style_id)
    line = _begin(walk, source, style, line)
    line.deleted_mark = deleted or joins
    line.ends_section = section
    if end_marks:
        line.end_marks = end_marks
    line.level = style.level
    if outline is not None:
        level = outline_level(outline)
        if level is None:
            value = outline.get(VAL)
            reader.warn(
                "bad_value", f"w:outlineLvl has the value {value!r}, which is no level; it was passed over", source
            )
        else:
            line.level = level
    if page_before or (page_before is None and style.page_break_before):
        page_break(line)
    if num_pr is not None or style.is_numbered:
        _number(line, num_pr, style_id)
    return line


_NUM_ID, _ILVL = W + "numId", W + "ilvl"
_PSTYLE, _NUMPR, _OUTLINE = W + "pStyle", W + "numPr", W + "outlineLvl"
_PAGE_BREAK_BEFORE, _SECTPR, _FRAMEPR = W + "pageBreakBefore", W + "sectPr", W + "framePr"


def _number(line: Line, num_pr: Element | None, style_id: str | None) -> None:
    """Find the list of a paragraph; its label is counted when the paragraph turns out to be shown."""
    num_id = ilvl = None
    if num_pr is not None:
        for child in num_pr:
            tag = child.tag
            if tag == _NUM_ID:
                num_id = (child.get(VAL) or "").strip()
            elif tag == _ILVL:
                ilvl = (child.get(VAL) or "").strip()
    default = style_id if style_id is not None else line.walk.reader.styles.default_paragraph
    line.number = line.walk.numbering.resolve_values(num_id, ilvl, default)


def _with_looks(elements: Iterable[Any], check: Callable[[], None]) -> Iterator[Any]:
    """The same elements, with a look now and then whether to go on."""
    for number, element in enumerate(elements):
        if not number % _MANY:
            check()
        yield element


def _elements(inner: Iterable[Any], walk: Walk) -> Iterator[Any]:
    is_long = isinstance(inner, etree._Element) and len(inner) > _MANY
    return _with_looks(inner, walk.reader.context.check) if is_long else iter(inner)


def read_inline(line: Line, element: Any, marks: Marks = ()) -> None:
    """Read the content of a paragraph, or of anything else that holds runs."""
    walk = line.walk
    hidden = line.style.is_hidden and walk.reader.options.hidden == "drop"
    line.hidden = hidden
    stack: list[tuple[Iterator[Any], Marks, bool]] = []
    iterator = iter(element)
    while True:
        for child in iterator:
            tag = child.tag
            if tag == _R:
                run_marks = marks
                content = iter(child)
                descent: Descent | None = None
                for node in content:
                    tag = node.tag
                    if tag == _T:
                        text = node.text
                        if text:
                            if "_x" in text or not text.isprintable():
                                text = clean_text(text, node)
                            if walk.muted or walk.open_marks or line.hidden:
                                line.text(text, run_marks)
                            else:
                                if run_marks != line.marks:
                                    line.flush()
                                    line.marks = run_marks
                                line.buffer.append(text)
                    elif tag == _RPR:
                        run_marks = run_format(line, node, marks)
                    else:
                        handler = INLINE.get(tag, descend)
                        if handler is not None:
                            descent = handler(line, node, run_marks)
                            if descent is not None:
                                break
                if descent is None:
                    line.hidden = hidden
                    continue
                # The rest of the run comes back as an ordinary level of the stack.
                stack.append((iterator, marks, hidden))
                stack.append((content, run_marks, line.hidden))
                hidden = line.hidden
            else:
                handler = INLINE.get(tag, descend)
                if handler is None:
                    continue
                descent = handler(line, child, marks)
                if descent is None:
                    continue
                stack.append((iterator, marks, hidden))
            iterator, marks = _elements(descent[0], walk), descent[1]
            break
        else:
            if not stack:
                break
            iterator, marks, hidden = stack.pop()
            line.hidden = hidden
    line.flush()
