"""Paragraphs: their text, marks, fields, and what else stands in a line.

`read_paragraph` is the hottest code of the engine: plain runs are read in one loop without calls, everything else goes
through the table `_INLINE`. Wrappers (links, insertions, controls) push an iterator on a stack of our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lxml import etree

from lrdoc.document import Anchor, Mark, Source
from lrdoc.parsers.docx import drawings, equations, notes
from lrdoc.parsers.docx.changes import change_mark
from lrdoc.parsers.docx.fields import enter_field, field_character
from lrdoc.parsers.docx.names import MC, PARAID, R_ID, UNDERSTOOD, VAL, W14, M, W
from lrdoc.parsers.docx.state import Element, Field, Line, Walk
from lrdoc.parsers.docx.styles import is_on, outline_level, vertical_of
from lrdoc.parsers.docx.symbols import PRIVATE_USE, map_private_use, symbol_text

Marks = tuple[Mark, ...]
Descent = tuple[Iterable[Any], Marks]
"""Where to go on: elements to read, and the marks for what is found there."""
Handler = Callable[[Line, Any, Marks], Descent | None]

_T, _R, _RPR, _PPR = W + "t", W + "r", W + "rPr", W + "pPr"
_P, _TBL = W + "p", W + "tbl"
_PRESERVED = "{http://www.w3.org/XML/1998/namespace}space"

BOLD, ITALIC, STRIKE, UNDERLINE, CODE, SUP, SUB = (
    Mark("bold"),
    Mark("italic"),
    Mark("strike"),
    Mark("underline"),
    Mark("code"),
    Mark("sup"),
    Mark("sub"),
)


def read_paragraph(walk: Walk, element: Element, path: str, line: Line | None = None) -> Line:
    """Read a w:p. `line`: the paragraph before, whose mark is deleted, so that this one goes on in it."""
    reader = walk.reader
    paraid = element.get(PARAID)
    source = Source(walk.part, path, paraid, walk.page)
    ppr = element.find(_PPR)
    if paraid is None:
        reader.without_paraid += 1
    elif walk.paraids is not None:
        walk.paraids.append(paraid)
    if ppr is None:
        style = reader.styles.paragraph(None)
        if line is None:
            line = Line(walk, source, style)
        else:
            line.set_source(source)
            line.style = style
            line.deleted_mark = False
        if style.is_numbered:
            _number(line, None, None)
        line.level = style.level
        if style.page_break_before:
            page_break(line)
    else:
        line = _read_properties(walk, ppr, source, line)
    line.paraid = line.paraid or paraid
    if walk.toc_depth or walk.toc_controls:
        line.in_toc = True
    read_inline(line, element, (CODE,) if line.style.is_code else ())
    if walk.break_pending and not line.is_empty:
        walk.break_pending = _ends_with_break(line)
    return line


def _read_properties(walk: Walk, ppr: Element, source: Source, line: Line | None) -> Line:
    reader = walk.reader
    options = reader.options
    if options.changes == "reject":
        ppr = _before_change(ppr, W + "pPrChange", _PPR)
    style_id: str | None = None
    outline: Element | None = None
    numbered = deleted = False
    page_before: bool | None = None
    for child in ppr:
        tag = child.tag
        if tag == _PSTYLE:
            style_id = child.get(VAL)
        elif tag == _NUMPR:
            numbered = True
        elif tag == _OUTLINE:
            outline = child
        elif tag == _RPR:
            deleted = _mark_is_gone(child, options.changes)
        elif tag == _PAGE_BREAK_BEFORE:
            page_before = is_on(child)
        elif tag == _SECTPR:
            reader.sections.append(child)
    style = reader.styles.paragraph(style_id)
    if line is None:
        line = Line(walk, source, style)
    else:
        line.set_source(source)
        line.style = style
    line.deleted_mark = deleted
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
    if numbered or style.is_numbered:
        _number(line, ppr, style_id)
    return line


_PSTYLE, _NUMPR, _OUTLINE = W + "pStyle", W + "numPr", W + "outlineLvl"
_PAGE_BREAK_BEFORE, _SECTPR = W + "pageBreakBefore", W + "sectPr"
_INS, _DEL, _MOVE_FROM, _MOVE_TO = W + "ins", W + "del", W + "moveFrom", W + "moveTo"


def _mark_is_gone(rpr: Element, changes: str) -> bool:
    """Whether the paragraph mark itself is deleted (or, when changes are rejected, inserted)."""
    if changes == "annotate":
        return False
    gone = (_DEL, _MOVE_FROM) if changes == "accept" else (_INS, _MOVE_TO)
    return any(child.tag in gone for child in rpr)


def _before_change(element: Element, change: str, inner: str) -> Element:
    """Properties as they were before a tracked change of formatting."""
    changed = element.find(change)
    before = changed.find(inner) if changed is not None else None
    if before is None:
        return element
    # Paragraph mark and section are not part of the recorded former properties.
    merged = etree.Element(element.tag)
    merged.extend([_copy(child) for child in before])
    merged.extend([_copy(child) for child in element if child.tag in (_RPR, _SECTPR)])
    return merged


def _copy(element: Element) -> Element:
    return etree.fromstring(etree.tostring(element, with_tail=False))


def _number(line: Line, ppr: Element | None, style_id: str | None) -> None:
    """Find the list of a paragraph; its label is counted when the paragraph turns out to be shown."""
    default = style_id if style_id is not None else line.reader.styles.default_paragraph
    line.number = line.walk.numbering.resolve(ppr, default)


# Pages --------------------------------------------------------------------------------------------------------------


def page_break(line: Line) -> None:
    """An explicit page break: what follows stands on the next page."""
    walk = line.walk
    if walk.page is None:
        return
    walk.page += 1
    walk.break_pending = True
    line.break_at = (len(line.parts), len(line.buffer))
    _turn_page(line)


def _recorded_break(line: Line) -> None:
    """w:lastRenderedPageBreak: Word began a new page here when it last saved. Behind an explicit break it is that one."""
    walk = line.walk
    if walk.page is None or walk.is_nested:
        return
    if walk.break_pending:
        walk.break_pending = False
        if line.is_empty or _ends_with_break(line):
            return
    walk.page += 1
    _turn_page(line)


def _turn_page(line: Line) -> None:
    source = line.source
    line.set_source(Source(source.part, source.path, source.paraid, line.walk.page))


def _ends_with_break(line: Line) -> bool:
    if line.break_at is None:
        return False
    parts, texts = line.break_at
    after = "".join(line.buffer[texts:] if len(line.parts) == parts else line.buffer)
    return len(line.parts) <= parts + 1 and not after.strip()


# Runs ---------------------------------------------------------------------------------------------------------------


def read_inline(line: Line, element: Any, marks: Marks = ()) -> None:
    """Read the content of a paragraph, or of anything else that holds runs."""
    walk = line.walk
    hidden = line.hidden = line.style.is_hidden and walk.options.hidden == "drop"
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
                            if not text.isprintable():
                                text = _clean(text, node)
                            if walk.muted or walk.open_marks or line.hidden:
                                line.text(text, run_marks)
                            else:
                                if run_marks != line.marks:
                                    line.flush()
                                    line.marks = run_marks
                                line.buffer.append(text)
                    elif tag == _RPR:
                        run_marks = _run_format(line, node, marks)
                    else:
                        handler = _INLINE.get(tag, _descend)
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
                handler = _INLINE.get(tag, _descend)
                if handler is None:
                    continue
                descent = handler(line, child, marks)
                if descent is None:
                    continue
                stack.append((iterator, marks, hidden))
            iterator, marks = iter(descent[0]), descent[1]
            break
        else:
            if not stack:
                break
            iterator, marks, hidden = stack.pop()
            line.hidden = hidden
    line.flush()


_BLANKS = str.maketrans({"\n": " ", "\r": " "})


def _clean(text: str, node: Any) -> str:
    """Text of a w:t with line ends, which are blanks there, and characters of symbol fonts."""
    if "\n" in text or "\r" in text:
        if node.get(_PRESERVED) != "preserve":
            text = text.strip("\r\n\t ")
        text = text.translate(_BLANKS)
    if PRIVATE_USE.search(text) is not None:
        run = node.getparent()
        rpr = run.find(_RPR) if run is not None else None
        fonts = rpr.find(W + "rFonts") if rpr is not None else None
        if fonts is not None:
            for key in ("ascii", "hAnsi", "cs"):
                text = map_private_use(text, fonts.get(W + key) or "")
    return text


_RSTYLE, _B, _I, _STRIKE, _DSTRIKE, _U = W + "rStyle", W + "b", W + "i", W + "strike", W + "dstrike", W + "u"
_VERT, _VANISH, _RPR_CHANGE = W + "vertAlign", W + "vanish", W + "rPrChange"
_FORMAT = {_B: 0, _I: 1, _STRIKE: 2, _DSTRIKE: 2, _U: 3}
_FORMAT_MARKS = (BOLD, ITALIC, STRIKE, UNDERLINE)
_combined: dict[tuple[Any, ...], Marks] = {}
_MOST_COMBINED = 4096


def _run_format(line: Line, rpr: Any, marks: Marks) -> Marks:
    """Marks of a run; sets `line.hidden`."""
    if line.walk.options.changes == "reject":
        rpr = _before_change(rpr, _RPR_CHANGE, _RPR)
    style: Any = None
    flags: list[bool | None] | None = None
    vertical: str | None = None
    has_vertical = False
    vanish: bool | None = None
    for child in rpr:
        tag = child.tag
        at = _FORMAT.get(tag)
        if at is not None:
            if flags is None:
                flags = [None, None, None, None]
            on = is_on(child)
            # A run may have both kinds of strike-through; one that is on counts.
            flags[at] = on or bool(flags[at])
        elif tag == _RSTYLE:
            style = line.reader.styles.run(child.get(VAL) or "")
        elif tag == _VERT:
            has_vertical, vertical = True, vertical_of(child.get(VAL))
        elif tag == _VANISH:
            vanish = is_on(child)
    code = False
    if style is not None:
        code = style.is_code
        if flags is None:
            flags = [style.bold, style.italic, style.strike, style.underline]
        else:
            inherited = (style.bold, style.italic, style.strike, style.underline)
            flags = [own if own is not None else other for own, other in zip(flags, inherited, strict=True)]
        if not has_vertical:
            vertical = style.vertical
        if vanish is None and style.hidden is not None:
            # Hidden is a toggle: a character style inside a hidden paragraph style shows again.
            vanish = style.hidden != line.style.is_hidden
    if vanish is not None:
        line.hidden = vanish and line.walk.options.hidden == "drop"
    if flags is None and not code and vertical is None:
        return marks
    key = (marks, tuple(flags) if flags is not None else None, code, vertical)
    known = _combined.get(key)
    if known is None:
        known = _combine(key)
        if len(_combined) < _MOST_COMBINED:
            _combined[key] = known
    return known


def _combine(key: tuple[Any, ...]) -> Marks:
    outer, flags, code, vertical = key
    found = list(outer)
    if flags is not None:
        found += [mark for mark, on in zip(_FORMAT_MARKS, flags, strict=True) if on]
    if code and CODE not in found:
        found.append(CODE)
    if vertical is not None:
        found.append(SUP if vertical == "sup" else SUB)
    return tuple(found)


# Everything else in a line ------------------------------------------------------------------------------------------


def _descend(line: Line, element: Any, marks: Marks) -> Descent | None:
    """A wrapper: smart tags, custom XML, controls, directions, and whatever is not known."""
    return (element, marks) if len(element) else None


def _text(line: Line, element: Any, marks: Marks) -> None:
    if element.text:
        text = element.text
        line.text(text if text.isprintable() else _clean(text, element), marks)


def _deleted_text(line: Line, element: Any, marks: Marks) -> None:
    if line.walk.options.shows_deletions:
        _text(line, element, marks)


def _character(character: str) -> Handler:
    def add(line: Line, element: Any, marks: Marks) -> None:
        line.text(character, marks)

    return add


def _line_break(line: Line, element: Any, marks: Marks) -> None:
    line.text("\n", marks)
    if element.get(W + "type") == "page" and not line.is_silent and not line.walk.is_nested:
        line.flush()
        page_break(line)


def _symbol(line: Line, element: Any, marks: Marks) -> None:
    value = element.get(W + "char") or ""
    try:
        code = int(value, 16)
    except ValueError:
        code = 0
    text = symbol_text(code, element.get(W + "font") or "")
    if text:
        line.text(text, marks)
    else:
        line.reader.warn("bad_value", f"w:sym has the code {value!r}, which is no character", line.source)


def _instruction(line: Line, element: Any, marks: Marks) -> None:
    fields = line.walk.fields
    if fields and not fields[-1].in_result and element.text:
        fields[-1].instruction.append(element.text)


def _deleted_instruction(line: Line, element: Any, marks: Marks) -> None:
    if line.walk.options.shows_deletions:
        _instruction(line, element, marks)


def _field_character(line: Line, element: Any, marks: Marks) -> None:
    field_character(line, element)


def _simple_field(line: Line, element: Any, marks: Marks) -> Descent | None:
    field = Field(in_result=True)
    enter_field(line, field, element.get(W + "instr") or "")
    if field.is_toc:
        line.walk.toc_depth -= 1
    if field.mark is not None:
        marks = (*marks, field.mark)
    return element, marks


def _hyperlink(line: Line, element: Any, marks: Marks) -> Descent | None:
    rel = line.reader.package.rel(line.walk.part, element.get(R_ID))
    anchor = element.get(W + "anchor")
    target = rel.raw if rel is not None else ""
    if anchor:
        target = f"{target}#{anchor}"
    if target:
        marks = (*marks, Mark("link", target))
    return element, marks


def _revision(kind: str) -> Handler:
    inserted = kind in ("ins", "moveTo")

    def enter(line: Line, element: Any, marks: Marks) -> Descent | None:
        options = line.walk.options
        if options.changes == "annotate":
            return element, (*marks, change_mark(element, "ins" if inserted else "del"))
        if inserted == (options.changes == "accept"):
            return element, marks
        return None

    return enter


def _control(line: Line, element: Any, marks: Marks) -> Descent | None:
    content = element.find(W + "sdtContent")
    return (content, marks) if content is not None else None


def _ruby(line: Line, element: Any, marks: Marks) -> None:
    """Base text with its reading behind it in parentheses."""
    base = "".join(_ruby_text(element, "rubyBase"))
    reading = "".join(_ruby_text(element, "rt"))
    if base:
        line.text(base, marks)
    if reading:
        line.generated("(")
        line.text(reading, marks)
        line.generated(")")


def _ruby_text(element: Any, name: str) -> Iterator[str]:
    for child in element.iterchildren(W + name):
        for text in child.iter(_T):
            if text.text:
                yield text.text


def choose_branch(element: Any) -> Any | None:
    """The branch of mc:AlternateContent that is read: the first Choice that is understood, else the Fallback."""
    fallback = None
    for branch in element:
        if branch.tag == MC + "Choice":
            spaces = branch.nsmap
            required = (branch.get("Requires") or "").split()
            if all(spaces.get(prefix) in UNDERSTOOD for prefix in required):
                return branch
        elif branch.tag == MC + "Fallback" and fallback is None:
            fallback = branch
    return fallback


def _alternate(line: Line, element: Any, marks: Marks) -> Descent | None:
    branch = choose_branch(element)
    return (branch, marks) if branch is not None else None


def _bookmark(line: Line, element: Any, marks: Marks) -> None:
    name = element.get(W + "name")
    if name and name != "_GoBack" and not line.is_silent:
        line.add(Anchor(name))


def _comment_start(line: Line, element: Any, marks: Marks) -> None:
    comment_id = element.get(W + "id")
    if comment_id is not None and line.walk.options.comments != "drop":
        line.walk.comments[comment_id] = Mark("comment", comment_id)
        line.walk.renew_marks()


def _comment_end(line: Line, element: Any, marks: Marks) -> None:
    if line.walk.comments.pop(element.get(W + "id"), None) is not None:
        line.walk.renew_marks()


def _graphic(line: Line, element: Any, marks: Marks) -> None:
    if not line.is_silent:
        drawings.read_graphic(line, element, marks)


def _equation(line: Line, element: Any, marks: Marks) -> None:
    if not line.is_silent:
        equations.read_equation(line, element)


def _note(line: Line, element: Any, marks: Marks) -> None:
    if not line.is_silent:
        notes.read_reference(line, element)


def _inner_block(line: Line, element: Any, marks: Marks) -> None:
    """Block content inside a paragraph, which the standard does not allow outside text boxes."""
    if not line.is_silent:
        line.box(element, element.tag.rpartition("}")[2])


def _page(line: Line, element: Any, marks: Marks) -> None:
    _recorded_break(line)


def _subdocument(line: Line, element: Any, marks: Marks) -> None:
    rel = line.reader.package.rel(line.walk.part, element.get(R_ID))
    line.reader.warn(
        "subdocument_left_out",
        f"The text of the linked document {rel.raw if rel is not None else ''!r} is not part of this file",
        line.source,
    )


_SKIPPED = (
    "pPr rPr sdtPr sdtEndPr smartTagPr customXmlPr proofErr permStart permEnd bookmarkEnd fldData footnoteRef "
    "endnoteRef annotationRef separator continuationSeparator commentReference pgNum dayShort monthShort yearShort "
    "dayLong monthLong yearLong moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd customXmlInsRangeStart "
    "customXmlInsRangeEnd customXmlDelRangeStart customXmlDelRangeEnd customXmlMoveFromRangeStart "
    "customXmlMoveFromRangeEnd customXmlMoveToRangeStart customXmlMoveToRangeEnd sectPr tblPr tblGrid trPr tcPr"
).split()

_INLINE: dict[str, Handler | None] = {
    **{W + name: None for name in _SKIPPED},
    _T: _text,
    _R: _descend,
    W + "delText": _deleted_text,
    W + "tab": _character("\t"),
    W + "ptab": _character("\t"),
    W + "cr": _character("\n"),
    W + "br": _line_break,
    W + "noBreakHyphen": _character("\u2011"),
    W + "softHyphen": _character("\u00ad"),
    W + "sym": _symbol,
    W + "instrText": _instruction,
    W + "delInstrText": _deleted_instruction,
    W + "fldChar": _field_character,
    W + "fldSimple": _simple_field,
    W + "hyperlink": _hyperlink,
    W + "ins": _revision("ins"),
    W + "moveTo": _revision("moveTo"),
    W + "del": _revision("del"),
    W + "moveFrom": _revision("moveFrom"),
    W + "sdt": _control,
    W + "ruby": _ruby,
    MC + "AlternateContent": _alternate,
    W + "bookmarkStart": _bookmark,
    W + "commentRangeStart": _comment_start,
    W + "commentRangeEnd": _comment_end,
    W + "drawing": _graphic,
    W + "pict": _graphic,
    W + "object": _graphic,
    W + "contentPart": _graphic,
    W14 + "contentPart": _graphic,
    M + "oMath": _equation,
    M + "oMathPara": _equation,
    W + "footnoteReference": _note,
    W + "endnoteReference": _note,
    W + "lastRenderedPageBreak": _page,
    W + "subDoc": _subdocument,
    _P: _inner_block,
    _TBL: _inner_block,
    W + "txbxContent": _inner_block,
}
