"""Fields: instructions are not text, results are (ISO 29500-1, 17.16)."""

from __future__ import annotations

import re

from lxml import etree

from lrdoc.document import Mark
from lrdoc.parsers.docx.eqfields import is_formula, show_formula
from lrdoc.parsers.docx.names import VAL, W
from lrdoc.parsers.docx.state import Field, Line
from lrdoc.parsers.docx.styles import is_on
from lrdoc.parsers.docx.symbols import symbol_text

_FLD_CHAR_TYPE = W + "fldCharType"
_FFDATA = W + "ffData"
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|“([^”]*)”|(\S+)')
_BUTTON = re.compile(r"\s*(?:MACRO|GOTO)BUTTON\s+\S+\s+(.*)", re.IGNORECASE | re.DOTALL)
CHECKED, UNCHECKED = "☒", "☐"


def field_character(line: Line, element: etree._Element) -> None:
    """A w:fldChar: a field begins, its result begins, or it ends."""
    walk = line.walk
    if walk.ignored and element in walk.ignored:
        return
    kind = element.get(_FLD_CHAR_TYPE)
    if kind == "begin":
        walk.fields.append(Field(form=element.find(_FFDATA)))
        walk.muted += 1
    elif kind == "separate":
        if walk.fields and not walk.fields[-1].in_result:
            _begin_result(line, walk.fields[-1])
    elif kind == "end" and walk.fields:
        ended = walk.fields[-1]
        if not ended.in_result:
            _begin_result(line, ended)
            button = button_text("".join(ended.instruction))
            if button:
                line.text(button)
        if ended.formula_at is not None:
            line.flush()
            if ended.formula_at == (line, len(line.parts)):
                show_formula(line, "".join(ended.instruction))
        walk.fields.pop()
        if ended.mark is not None:
            walk.field_marks.pop()
            walk.renew_marks()
        if ended.is_toc:
            walk.toc_depth -= 1
            if not walk.toc_depth and line.is_empty:
                # Only the end stands in this paragraph: what follows it is no entry.
                line.in_toc = False


def _begin_result(line: Line, field: Field) -> None:
    """The instruction is complete."""
    instruction = "".join(field.instruction)
    field.in_result = True
    walk = line.walk
    walk.muted -= 1
    enter_field(line, field, instruction)
    if field.mark is not None:
        walk.field_marks.append(field.mark)
        walk.renew_marks()
    shown = _shown_by_instruction(line, instruction, field.form)
    if shown:
        line.text(shown)


def enter_field(line: Line, field: Field, instruction: str) -> None:
    """Note what a field with this instruction means for its result."""
    words = _words(instruction)
    name = words[0].upper() if words else ""
    if name == "HYPERLINK":
        field.mark = hyperlink_mark(words)
    elif name in ("REF", "PAGEREF", "NOTEREF") and len(words) > 1:
        field.mark = Mark("ref", words[1])
    elif name == "SEQ" and len(words) > 1:
        line.is_seq = words[1]
    elif is_formula(instruction):
        line.flush()
        field.formula_at = (line, len(line.parts))
    elif name == "TOC":
        field.is_toc = True
        line.walk.toc_depth += 1
        line.in_toc = True


def hyperlink_mark(words: list[str]) -> Mark | None:
    """HYPERLINK "address" \\l "place in it"."""
    address = anchor = ""
    arguments = iter(words[1:])
    for word in arguments:
        switch = word.lower()
        if switch == "\\l":
            anchor = next(arguments, "")
        elif switch in ("\\o", "\\t"):
            next(arguments, None)
        elif not switch.startswith("\\") and not address:
            address = word
    target = f"{address}#{anchor}" if anchor else address
    return Mark("link", target) if target else None


def _words(instruction: str) -> list[str]:
    """Words of an instruction; quoted ones without their quotes. A backslash in quotes is doubled in addresses."""
    words = []
    for match in _WORD.finditer(instruction):
        if match[1] is not None:
            words.append(re.sub(r"\\(.)", r"\1", match[1]))
        else:
            words.append(match[2] if match[2] is not None else match[3])
    return words


def button_text(instruction: str) -> str:
    """What Word shows for a field that runs a macro or leads to a place: MACROBUTTON NoMacro [Click here]."""
    match = _BUTTON.fullmatch(instruction)
    return match[1].strip() if match is not None else ""


def _shown_by_instruction(line: Line, instruction: str, form: etree._Element | None) -> str:
    """What Word shows for a field that stores no result."""
    words = _words(instruction)
    name = words[0].upper() if words else ""
    if name == "SYMBOL" and len(words) > 1:
        return _symbol_of_field(words)
    if form is None:
        return ""
    if name == "FORMCHECKBOX":
        box = form.find(W + "checkBox")
        state = None
        if box is not None:
            state = box.find(W + "checked")
            if state is None:
                state = box.find(W + "default")
        return CHECKED if is_on(state) else UNCHECKED
    if name == "FORMDROPDOWN":
        choices = form.find(W + "ddList")
        if choices is not None:
            entries = [entry.get(VAL) or "" for entry in choices.iterchildren(W + "listEntry")]
            chosen = choices.find(W + "result")
            if chosen is None:
                chosen = choices.find(W + "default")
            value = (chosen.get(VAL) or "0") if chosen is not None else "0"
            index = int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 0
            return entries[index] if index < len(entries) else ""
    return ""


def _symbol_of_field(words: list[str]) -> str:
    """SYMBOL 183 \\f "Symbol"."""
    try:
        code = int(words[1], 0)
    except ValueError:
        return ""
    font = ""
    for at, word in enumerate(words):
        if word.lower() == "\\f" and at + 1 < len(words):
            font = words[at + 1]
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return ""
    if font:
        return symbol_text(code, font)
    if "\\u" in (word.lower() for word in words) or code > 255:
        return chr(code)
    return bytes([code]).decode("cp1252", "replace")
