"""What stands in a line besides plain runs: one handler for each element, in the table `INLINE`.

A handler adds to the line, or says where to go on reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from lrdoc.document import Anchor, Mark
from lrdoc.parsers.docx import comments, drawings, equations, notes
from lrdoc.parsers.docx.branches import choose_branch
from lrdoc.parsers.docx.changes import WRAPPERS, change_mark, with_changes
from lrdoc.parsers.docx.eqfields import show_formula
from lrdoc.parsers.docx.fields import button_text, enter_field, field_character
from lrdoc.parsers.docx.names import MC, R_ID, W14, M, W
from lrdoc.parsers.docx.pages import page_break, recorded_break
from lrdoc.parsers.docx.runs import Marks, clean_text
from lrdoc.parsers.docx.state import Field, Line, changes_in
from lrdoc.parsers.docx.symbols import symbol_text

Descent = tuple[Iterable[Any], Marks]
"""Where to go on: elements to read, and the marks for what is found there."""
Handler = Callable[[Line, Any, Marks], Descent | None]


def descend(line: Line, element: Any, marks: Marks) -> Descent | None:
    """A wrapper: smart tags, custom XML, controls, directions, and whatever is not known."""
    return (element, marks) if len(element) else None


def _text(line: Line, element: Any, marks: Marks) -> None:
    if element.text:
        line.text(clean_text(element.text, element), marks)


def _deleted_text(line: Line, element: Any, marks: Marks) -> None:
    if line.walk.options.shows("del"):
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
    if line.walk.options.shows("del"):
        _instruction(line, element, marks)


def _field_character(line: Line, element: Any, marks: Marks) -> None:
    field_character(line, element)


def _simple_field(line: Line, element: Any, marks: Marks) -> Descent | None:
    field = Field(in_result=True)
    instruction = element.get(W + "instr") or ""
    enter_field(line, field, instruction)
    if not len(element):
        if button := button_text(instruction):
            line.text(button, marks)
        if field.formula_at is not None:
            show_formula(line, instruction, marks)
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


def _revision(line: Line, element: Any, marks: Marks) -> Descent | None:
    kind = WRAPPERS[element.tag]
    options = line.walk.options
    if options.changes == "annotate":
        mark = change_mark(element, kind)
        return element, marks if mark in line.walk.changes else (*marks, mark)
    return (element, marks) if options.shows(kind) else None


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
        for text in child.iter(W + "t"):
            if text.text:
                yield clean_text(text.text, text)


def _alternate(line: Line, element: Any, marks: Marks) -> Descent | None:
    branch = choose_branch(element)
    return (branch, marks) if branch is not None else None


def _bookmark(line: Line, element: Any, marks: Marks) -> None:
    name = element.get(W + "name")
    # Those of form fields stand in the instruction.
    if name and name != "_GoBack":
        line.add(Anchor(name))


def _comment_start(line: Line, element: Any, marks: Marks) -> None:
    comment_id = element.get(W + "id")
    if comment_id is not None and line.walk.options.comments != "drop":
        line.walk.comments[comment_id] = comments.comment_mark(line.reader, comment_id)
        line.walk.renew_marks()


def _comment_reference(line: Line, element: Any, marks: Marks) -> None:
    if not line.is_silent:
        comments.read_reference(line, element)


def _comment_end(line: Line, element: Any, marks: Marks) -> None:
    if line.walk.comments.pop(element.get(W + "id"), None) is not None:
        line.walk.renew_marks()


def _graphic(line: Line, element: Any, marks: Marks) -> None:
    if not line.is_silent:
        with _told_changes(line, marks):
            drawings.read_graphic(line, element, marks)


def _equation(line: Line, element: Any, marks: Marks) -> None:
    if not line.is_silent:
        with _told_changes(line, marks):
            equations.read_equation(line, element)


@contextmanager
def _told_changes(line: Line, marks: Marks) -> Iterator[None]:
    """What is added inside tells which tracked changes are around it."""
    changes = (*line.walk.changes, *changes_in(marks))
    if not changes:
        yield
        return
    line.flush()
    parts, later = len(line.parts), len(line.later)
    yield
    line.parts[parts:] = [with_changes(part, changes) for part in line.parts[parts:]]
    for following in line.later[later:]:
        if isinstance(following, list):
            following[:] = [with_changes(part, changes) for part in following]


def _note(line: Line, element: Any, marks: Marks) -> None:
    if not line.is_silent:
        notes.read_reference(line, element)


def _inner_block(line: Line, element: Any, marks: Marks) -> None:
    """Block content inside a paragraph, which the standard does not allow outside text boxes."""
    if not line.is_silent:
        line.box(element, element.tag.rpartition("}")[2], marks)


def _page(line: Line, element: Any, marks: Marks) -> None:
    recorded_break(line)


def _subdocument(line: Line, element: Any, marks: Marks) -> None:
    rel = line.reader.package.rel(line.walk.part, element.get(R_ID))
    line.reader.warn(
        "subdocument_left_out",
        f"The text of the linked document {rel.raw if rel is not None else ''!r} is not part of this file",
        line.source,
    )


UNSHOWN = frozenset(
    W + name
    for name in (
        "pPr rPr sdtPr sdtEndPr smartTagPr customXmlPr proofErr permStart permEnd bookmarkEnd fldData footnoteRef "
        "endnoteRef annotationRef separator continuationSeparator pgNum dayShort monthShort yearShort "
        "dayLong monthLong yearLong moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd "
        "customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart customXmlDelRangeEnd "
        "customXmlMoveFromRangeStart customXmlMoveFromRangeEnd customXmlMoveToRangeStart customXmlMoveToRangeEnd "
        "sectPr tblPr tblPrEx tblGrid trPr tcPr"
    ).split()
)
"""Elements that show nothing and hold nothing that is shown, wherever they stand."""

INLINE: dict[str, Handler | None] = {
    **dict.fromkeys(UNSHOWN),
    W + "t": _text,
    W + "r": descend,
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
    **dict.fromkeys(WRAPPERS, _revision),
    W + "sdt": _control,
    W + "ruby": _ruby,
    MC + "AlternateContent": _alternate,
    W + "bookmarkStart": _bookmark,
    W + "commentRangeStart": _comment_start,
    W + "commentRangeEnd": _comment_end,
    W + "commentReference": _comment_reference,
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
    W + "p": _inner_block,
    W + "tbl": _inner_block,
    W + "txbxContent": _inner_block,
    W + "altChunk": _inner_block,
}
