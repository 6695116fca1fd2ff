"""Which runs are hidden, as the styles say, and which paragraphs carry a number made by Word."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from lrdoc.audit.docx_package import attribute, names

_OFF = frozenset({"0", "false", "off"})


_TOC_STYLE = re.compile(r"(toc \d+|toc heading|table of figures)$", re.IGNORECASE)


def _name(style: etree._Element) -> str:
    node = child(style, "w:name")
    return (attribute(node, "w:val") or "") if node is not None else ""


def child(element: etree._Element | None, name: str) -> etree._Element | None:
    """First child with the short name."""
    if element is not None:
        for node in element:
            if names[node.tag] == name:
                return node
    return None


def toggle(properties: etree._Element | None, name: str) -> bool | None:
    """Value of an on/off property, None where it is not given."""
    node = child(properties, name)
    if node is None:
        return None
    return (attribute(node, "w:val") or "1").lower() not in _OFF


@dataclass(slots=True)
class _Style:
    based_on: str
    vanish: bool | None
    numbered: bool
    toc: bool


@dataclass(slots=True)
class Styles:
    """The styles part, reduced to what hides text and what numbers it."""

    default_vanish: bool = False
    default_paragraph: str = ""
    _styles: dict[str, _Style] = field(default_factory=dict)
    _vanish: dict[str, bool] = field(default_factory=dict)
    _numbered: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def read(cls, root: etree._Element | None) -> Styles:
        styles = cls()
        for node in root if root is not None else ():
            name = names[node.tag]
            if name == "w:docDefaults":
                defaults = child(child(node, "w:rPrDefault"), "w:rPr")
                styles.default_vanish = bool(toggle(defaults, "w:vanish"))
            elif name == "w:style":
                id_ = attribute(node, "w:styleId") or ""
                base = child(node, "w:basedOn")
                paragraph = child(node, "w:pPr")
                styles._styles.setdefault(
                    id_,
                    _Style(
                        based_on=(attribute(base, "w:val") or "") if base is not None else "",
                        vanish=toggle(child(node, "w:rPr"), "w:vanish"),
                        numbered=child(paragraph, "w:numPr") is not None,
                        toc=_TOC_STYLE.match(_name(node)) is not None,
                    ),
                )
                is_default = (attribute(node, "w:default") or "0").lower() not in _OFF
                if is_default and attribute(node, "w:type") == "paragraph" and not styles.default_paragraph:
                    styles.default_paragraph = id_
        return styles

    def _chain(self, id_: str) -> list[_Style]:
        chain: list[_Style] = []
        seen: set[str] = set()
        while id_ in self._styles and id_ not in seen:
            seen.add(id_)
            chain.append(self._styles[id_])
            id_ = self._styles[id_].based_on
        return chain

    def vanish(self, id_: str) -> bool:
        """What the style says with the styles that it is based on: the nearest wins."""
        known = self._vanish.get(id_)
        if known is None:
            known = next((style.vanish for style in self._chain(id_) if style.vanish is not None), False)
            self._vanish[id_] = known
        return known

    def numbered(self, id_: str) -> bool:
        known = self._numbered.get(id_)
        if known is None:
            known = self._numbered[id_] = any(style.numbered for style in self._chain(id_))
        return known

    def is_toc(self, id_: str) -> bool:
        """Whether the style is one of Word's own for tables of contents and of figures."""
        style = self._styles.get(id_)
        return style is not None and style.toc

    def hidden(self, paragraph_style: str, run_properties: etree._Element | None) -> bool:
        """Whether a run is hidden. A direct property decides; those of styles toggle (ECMA-376 part 1, 17.7.3)."""
        direct: bool | None = None
        run_style = ""
        if run_properties is not None:
            for node in run_properties:
                name = names[node.tag]
                if name == "w:vanish":
                    direct = (attribute(node, "w:val") or "1").lower() not in _OFF
                elif name == "w:rStyle":
                    run_style = attribute(node, "w:val") or ""
        if direct is not None:
            return direct
        if self.default_vanish:
            return True
        own = self.vanish(run_style) if run_style else False
        return own != self.vanish(paragraph_style or self.default_paragraph)
