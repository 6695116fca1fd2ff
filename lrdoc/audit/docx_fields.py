"""Fields of a Word document: which are open at a point of the walk, and what they show of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from lrdoc.audit.base import ANY
from lrdoc.audit.docx_package import attribute, names
from lrdoc.audit.docx_styles import child


@dataclass(slots=True)
class _Field:
    """An open complex field; its instruction comes first, then what it shows."""

    begin: etree._Element
    form: etree._Element | None
    in_code: bool = True
    code: str = ""

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

    def character(self, element: etree._Element) -> Iterator[str]:
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
                self.open.pop()

    def close(self) -> None:
        """The end of what a field may stand in."""
        self.unclosed.update(field.begin for field in self.open)
        self.open = []


def button_text(code: str) -> str:
    """MACROBUTTON and GOTOBUTTON show what stands behind the macro or place that they lead to."""
    words = code.split(None, 2)
    return words[2] if len(words) == 3 and words[0].upper() in ("MACROBUTTON", "GOTOBUTTON") else ""


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
