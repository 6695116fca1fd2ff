"""What the walk through a Word document rests on: escapes, alternatives, and what leads to other parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from lrdoc.audit.base import ANY
from lrdoc.audit.docx_package import STROKES, names, understood

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_TEXT_LEAVES = frozenset({"w:t", "w:delText", "m:t", "a:t"})
_SYMBOL_FONT = re.compile("symbol|wingdings|webdings", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x1f\x7f\ufffe\uffff]")
_BLANK_IN_SYMBOL_FONTS = "\uf020"


@dataclass(slots=True)
class Rules:
    """What the engine's parameters change about the text that has to be there."""

    changes: str = "accept"
    hidden: str = "drop"


@dataclass(slots=True)
class References:
    """What the walk met that leads to other parts: (kind, id, path), kinds as the element that names them."""

    found: list[tuple[str, str, str]] = field(default_factory=list)
    dropped: set[tuple[str, str]] = field(default_factory=set)

    def add(self, kind: str, id_: str | None, path: str, shown: bool) -> None:
        if id_ is None:
            return
        if shown:
            self.found.append((kind, id_, path))
        else:
            self.dropped.add((kind, id_))


def symbol_shown(code: str | None, font: str | None) -> str:
    """A blank for blanks and control characters, in every font; what any other code looks like depends on the font."""
    try:
        sign = chr(int(code or "", 16))
    except (ValueError, OverflowError):
        return ANY
    if _CONTROL.match(sign):
        return " "
    if _SYMBOL_FONT.match(font or "") and sign > "\x7f":
        return " " if sign == _BLANK_IN_SYMBOL_FONTS else ANY
    return " " if sign.isspace() else ANY


def decode_escapes(text: str) -> str:
    """`_xHHHH_` as Word shows it; halves of surrogate pairs and control characters have no visible form."""
    if "_x" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code >= 0xFFFE:
            return " "
        return chr(code)

    return _ESCAPED.sub(character, text)


def visible_text(element: etree._Element) -> str:
    """All characters below an element that could be shown, for counting what a dropped branch holds."""
    if names[element.tag] in _TEXT_LEAVES:
        return element.text or ""
    return "".join(node.text or "" for node in element.iter() if names[node.tag] in _TEXT_LEAVES)


def choose_branch(element: etree._Element) -> etree._Element | None:
    """The branch of mc:AlternateContent that is shown: the first Choice that is understood, else Fallback."""
    drawn = fallback = None
    for branch in element:
        name = names[branch.tag]
        if name == "mc:Choice":
            spaces = [str(branch.nsmap.get(prefix, "")) for prefix in str(branch.get("Requires", "")).split()]
            if spaces and drawn is None and all(map(understood, spaces)):
                if not STROKES.intersection(spaces):
                    return branch
                drawn = branch
        elif name == "mc:Fallback" and fallback is None:
            fallback = branch
    return drawn if fallback is None else fallback
