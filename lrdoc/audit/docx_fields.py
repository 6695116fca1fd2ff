"""Fields of a Word document: which are open at a point of the walk, and what they show of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from lrdoc.audit.base import ANY
from lrdoc.audit.docx_package import attribute, names
from lrdoc.audit.docx_styles import child

Shown = str | tuple[str, ...]
"""Text, or the texts of a formula."""
_EQ = re.compile(r"\s*EQ(?=[\s\\]|$)", re.IGNORECASE)
_EQ_TOKEN = re.compile(
    r'(?P<format>\\\*\s*(?:"[^"]*"|“[^”]*”|[^\s"\\]+))|(?P<sign>\\[lrbfv]c\s*\\?\S)'
    r"|\\(?P<option>[a-z]{2})(?![a-z])\s*(?:-?\d+)?|\\(?P<head>[abdfilorsx])(?![a-z])|\\(?P<escaped>.)"
    r"|(?P<mark>[(),;])|(?P<text>[^\\(),;]+)",
    re.IGNORECASE | re.DOTALL,
)
_ENCLOSING = {"○": "\u20dd", "◯": "\u20dd", "□": "\u20de", "◇": "\u20df", "△": "\u20e4"}


@dataclass(slots=True)
class _Field:
    """An open complex field; its instruction comes first, then what it shows."""

    begin: etree._Element
    form: etree._Element | None
    in_code: bool = True
    code: str = ""
    is_empty: bool = True
    """Nothing of a result was met."""

    @property
    def name(self) -> str:
        return (self.code.split() or [""])[0].upper()


@dataclass(slots=True)
class Fields:
    """The complex fields that are open, innermost last."""

    open: list[_Field] = field(default_factory=list)
    unclosed: set[etree._Element] = field(default_factory=set)
    """Characters that begin a field which never ended."""
    ignored: set[etree._Element] = field(default_factory=set)
    """Those of them that begin nothing when the walk is done again."""

    def in_code(self) -> bool:
        """Whether what is met now belongs to an instruction."""
        return any(field.in_code for field in self.open)

    def in_toc(self) -> bool:
        return any(not field.in_code and field.name == "TOC" for field in self.open)

    def add_code(self, text: str) -> None:
        if self.open:
            self.open[-1].code += text

    def note_result(self) -> None:
        for each in self.open:
            each.is_empty = False

    def character(self, element: etree._Element) -> Iterator[Shown]:
        """Take in a w:fldChar; yields what the field shows of itself, once the state is such that it is shown."""
        if element in self.ignored:
            return
        kind = attribute(element, "w:fldCharType")
        if kind == "begin":
            self.open.append(_Field(element, child(element, "w:ffData")))
        elif kind in ("separate", "end") and self.open:
            current = self.open[-1]
            if current.in_code:
                current.in_code = False
                if current.form is not None:
                    yield _form_text(current.form, current.name)
                if kind == "end":
                    yield ANY if current.name == "SYMBOL" else button_text(current.code)
            if kind == "end":
                if current.is_empty:
                    yield equation_shown(current.code)
                self.open.pop()

    def close(self) -> None:
        """The end of what a field may stand in."""
        self.unclosed.update(field.begin for field in self.open)
        self.open = []


def button_text(code: str) -> str:
    """MACROBUTTON and GOTOBUTTON show what stands behind the macro or place that they lead to."""
    words = code.split(None, 2)
    return words[2] if len(words) == 3 and words[0].upper() in ("MACROBUTTON", "GOTOBUTTON") else ""


def equation_shown(code: str) -> Shown:
    """What an EQ field shows, which has no result; "" for another one.

    A reading above its base comes behind it, a sign that encloses is a mark behind what it encloses; anything else is
    a formula.
    """
    name = _EQ.match(code)
    if name is None:
        return ""
    shape: list[str] = []
    texts: list[str] = []
    options: set[str] = set()
    for token in _EQ_TOKEN.finditer(code, name.end()):
        kind, value = token.lastgroup, token[token.lastgroup or 0]
        if kind == "option":
            options.add(value.lower())
        elif kind == "head":
            shape.append(value.lower())
        elif kind == "mark":
            shape.append(value.replace(";", ","))
        elif kind in ("text", "escaped") and shape[-1:] == ["T"]:
            texts[-1] += value
        elif kind in ("text", "escaped") and value.strip():
            shape.append("T")
            texts.append(value)
    texts = [text.strip() for text in texts]
    form = "".join(shape)
    if form == "o(s(T),T)" and "up" in options:
        return texts[1] + texts[0]
    if form == "o(T,T)" and texts[0] in _ENCLOSING:
        return texts[1] + _ENCLOSING[texts[0]]
    return tuple(texts)


def _form_text(data: etree._Element, name: str) -> str:
    """The state of a form field: a box, the chosen entry; "" where the text behind the instruction says it."""
    if name == "FORMCHECKBOX":
        return ANY
    choices = child(data, "w:ddList")
    if choices is None or name != "FORMDROPDOWN":
        return ""
    entries = [attribute(node, "w:val") or "" for node in choices if names[node.tag] == "w:listEntry"]
    chosen = child(choices, "w:result")
    if chosen is None:
        chosen = child(choices, "w:default")
    value = (attribute(chosen, "w:val") or "0") if chosen is not None else "0"
    index = int(value) if value.isdecimal() and len(value) < 6 else 0
    return entries[index] if index < len(entries) else ""
