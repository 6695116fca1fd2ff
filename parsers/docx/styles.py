"""Styles: what a paragraph or run inherits through `w:basedOn` (ISO 29500-1, 17.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree

from lrdoc.parsers.docx.headings import (
    heading_level_of_id,
    heading_level_of_name,
    is_caption_name,
    is_code_name,
    is_title_name,
    is_toc_heading_name,
    is_toc_name,
)
from lrdoc.parsers.docx.names import VAL, W

_OFF = frozenset({"0", "false", "off", "none"})
_LONGEST_CHAIN = 100
_BODY_LEVEL = 9
"""Value of w:outlineLvl that says "body text"."""


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph style says, inheritance included."""

    style_id: str | None = None
    level: int = 0
    """Heading level 1–9, 0 for body text."""
    is_title: bool = False
    is_caption: bool = False
    is_toc: bool = False
    is_toc_heading: bool = False
    is_code: bool = False
    is_hidden: bool = False
    is_numbered: bool = False
    """Some style of the chain has w:numPr."""
    page_break_before: bool = False


@dataclass(frozen=True, slots=True)
class RunStyle:
    """What a character style says, inheritance included. None: nothing."""

    bold: bool | None = None
    italic: bool | None = None
    strike: bool | None = None
    underline: bool | None = None
    vertical: Literal["sup", "sub"] | None = None
    hidden: bool | None = None
    is_code: bool = False


_NO_STYLE = ParagraphStyle()
_NO_RUN_STYLE = RunStyle()


def is_on(element: etree._Element | None) -> bool:
    """Value of an on/off property; one without a value is on."""
    return element is not None and (element.get(VAL) or "1").strip().lower() not in _OFF


def outline_level(element: etree._Element | None) -> int | None:
    """w:outlineLvl as a heading level 1–9; 0 for "body text"; None when it is missing or no number."""
    if element is None:
        return None
    value = (element.get(VAL) or "").strip()
    if not (value.isascii() and value.isdigit()) or len(value) > 2 or int(value) > _BODY_LEVEL:
        return None
    return 0 if int(value) == _BODY_LEVEL else int(value) + 1


class Styles:
    """The styles part. Works without one: built-in names and ids still count."""

    def __init__(self, root: etree._Element | None) -> None:
        self._elements: dict[str, etree._Element] = {}
        self._default: str | None = None
        self._paragraphs: dict[str | None, ParagraphStyle] = {}
        self._runs: dict[str, RunStyle] = {}
        self._hidden_by_default = False
        if root is None:
            return
        for style in root.iter(W + "style"):
            style_id = style.get(W + "styleId")
            if style_id is None or style_id in self._elements:
                continue
            self._elements[style_id] = style
            if style.get(W + "type") == "paragraph" and (style.get(W + "default") or "0").lower() not in _OFF:
                self._default = self._default or style_id
        self._hidden_by_default = is_on(root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}vanish"))

    @property
    def default_paragraph(self) -> str | None:
        """Id of the style of paragraphs that name none."""
        return self._default

    def chain(self, style_id: str | None) -> Iterator[etree._Element]:
        """The style with this id (the default paragraph style for None), then those it is based on; loops end.

        Chains that people make have a handful of links; longer ones than `_LONGEST_CHAIN` are cut.
        """
        seen: set[str] = set()
        current = style_id if style_id is not None else self._default
        while current is not None and current not in seen and len(seen) < _LONGEST_CHAIN:
            seen.add(current)
            element = self._elements.get(current)
            if element is None:
                return
            yield element
            parent = element.find(W + "basedOn")
            current = parent.get(VAL) if parent is not None else None

    def paragraph(self, style_id: str | None) -> ParagraphStyle:
        known = self._paragraphs.get(style_id)
        if known is None:
            known = self._paragraphs[style_id] = self._resolve_paragraph(style_id)
        return known

    def run(self, style_id: str) -> RunStyle:
        known = self._runs.get(style_id)
        if known is None:
            known = self._runs[style_id] = self._resolve_run(style_id)
        return known

    def page_break_styles(self) -> bool:
        """Whether any style puts its paragraphs on a new page."""
        return any(is_on(style.find(f"{W}pPr/{W}pageBreakBefore")) for style in self._elements.values())

    def _resolve_paragraph(self, style_id: str | None) -> ParagraphStyle:
        level: int | None = None
        hidden: bool | None = None
        page_break: bool | None = None
        names: list[str] = []
        numbered = False
        for style in self.chain(style_id):
            own_names = _names(style)
            names += own_names
            ppr = style.find(W + "pPr")
            if level is None:
                level = outline_level(ppr.find(W + "outlineLvl")) if ppr is not None else None
            if level is None:
                level = next((found for name in own_names if (found := heading_level_of_name(name))), None)
            if ppr is not None:
                numbered = numbered or ppr.find(W + "numPr") is not None
                if page_break is None and (element := ppr.find(W + "pageBreakBefore")) is not None:
                    page_break = is_on(element)
            if hidden is None and (element := style.find(f"{W}rPr/{W}vanish")) is not None:
                hidden = is_on(element)
        if not names and style_id is not None:
            names = [style_id]
            level = heading_level_of_id(style_id)
        own = names[:1]
        return ParagraphStyle(
            style_id=style_id,
            level=level or 0,
            # Some templates give their title an outline level, so that it stands in the contents list.
            is_title=any(map(is_title_name, names if not level else own)),
            is_caption=any(map(is_caption_name, names)),
            is_toc=any(map(is_toc_name, names)),
            is_toc_heading=any(map(is_toc_heading_name, names)),
            is_code=any(map(is_code_name, own)),
            is_hidden=self._hidden_by_default if hidden is None else hidden,
            is_numbered=numbered,
            page_break_before=bool(page_break),
        )

    def _resolve_run(self, style_id: str) -> RunStyle:
        found: dict[str, bool | None] = dict.fromkeys(("b", "i", "strike", "dstrike", "u", "vanish"))
        vertical: Literal["sup", "sub"] | None = None
        vertical_known = False
        names: list[str] = []
        for style in self.chain(style_id):
            names += _names(style)
            rpr = style.find(W + "rPr")
            if rpr is None:
                continue
            for key, value in found.items():
                if value is None and (element := rpr.find(W + key)) is not None:
                    found[key] = is_on(element)
            align = rpr.find(W + "vertAlign")
            if not vertical_known and align is not None:
                vertical_known = True
                vertical = vertical_of(align.get(VAL))
        if not names:
            names = [style_id]
        strike = found["strike"]
        if strike is None:
            strike = found["dstrike"]
        return RunStyle(
            bold=found["b"],
            italic=found["i"],
            strike=strike,
            underline=found["u"],
            vertical=vertical,
            hidden=found["vanish"],
            is_code=any(map(is_code_name, names[:1])),
        )


def vertical_of(value: str | None) -> Literal["sup", "sub"] | None:
    """w:vertAlign as a mark."""
    if value == "superscript":
        return "sup"
    return "sub" if value == "subscript" else None


def _names(style: etree._Element) -> list[str]:
    names: list[str] = []
    for key in ("name", "aliases"):
        element = style.find(W + key)
        if element is not None:
            value = element.get(VAL) or ""
            names += [value] if key == "name" else value.split(",")
    return names
