"""Runs: the marks that their properties make, and the characters that need a second look."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from lrdoc.document import Mark
from lrdoc.parsers.docx.names import VAL, XML_SPACE, W
from lrdoc.parsers.docx.state import Element, Line
from lrdoc.parsers.docx.styles import is_on, vertical_of
from lrdoc.parsers.docx.symbols import PRIVATE_USE, map_private_use

Marks = tuple[Mark, ...]

_RPR, _SECTPR = W + "rPr", W + "sectPr"
BOLD, ITALIC, STRIKE, UNDERLINE, CODE, SUP, SUB = (
    Mark("bold"),
    Mark("italic"),
    Mark("strike"),
    Mark("underline"),
    Mark("code"),
    Mark("sup"),
    Mark("sub"),
)
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def _unescape(match: re.Match[str]) -> str:
    """Halves of surrogate pairs and control characters have no visible form."""
    code = int(match[1], 16)
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code >= 0xFFFE:
        return " "
    return chr(code)


_BLANKS = str.maketrans({"\n": " ", "\r": " "})


def clean_text(text: str, node: Any) -> str:
    """Text of a w:t: line ends are blanks there, `_x0041_` stands for a character, symbol fonts show others."""
    if "_x" in text:
        text = _ESCAPED.sub(_unescape, text)
    if "\n" in text or "\r" in text:
        if node.get(XML_SPACE) != "preserve":
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


def run_format(line: Line, rpr: Any, marks: Marks) -> Marks:
    """Marks of a run; sets `line.hidden`."""
    if line.walk.options.changes == "reject":
        rpr = before_change(rpr, _RPR_CHANGE, _RPR)
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


def before_change(element: Element, change: str, inner: str) -> Element:
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
