"""What stands in the margins: headers and footers of the sections, and comments (decision A2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lrdoc.document import Block, Position
from lrdoc.parsers.docx.comments import comment_regions
from lrdoc.parsers.docx.names import R_ID, W
from lrdoc.parsers.docx.state import Reader
from lrdoc.parsers.docx.styles import is_on

_PATHS = {"header": "hdr", "footer": "ftr"}


@dataclass(slots=True)
class _Margin:
    """One header or footer part and where it is used."""

    region: str
    part: str
    kinds: list[str] = field(default_factory=list)
    """default, first, even."""
    sections: list[int] = field(default_factory=list)
    """Sections that have it, their own or taken over from the one before; from 1."""
    is_shown: bool = False
    """Word shows it: first pages and even pages have their own only when the section or document says so."""


def read_margins(reader: Reader) -> tuple[list[Block], list[Block]]:
    """Add headers, footers and comments to the regions of the document.

    Returns the blocks that go into the body instead: headers before it, footers behind it (parameter `headers`).
    """
    before: list[Block] = []
    behind: list[Block] = []
    place = reader.options.headers
    if place != "drop":
        for margin in _find(reader):
            block = _read(reader, margin, "body" if place == "body" else margin.region)
            if block is None:
                continue
            if place == "region":
                reader.regions.append(block)
            else:
                (before if margin.region == "header" else behind).append(block)
    if reader.options.comments == "region":
        reader.regions += comment_regions(reader)
    return before, behind


def _read(reader: Reader, margin: _Margin, region: str) -> Block | None:
    root = reader.package.xml(margin.part)
    if root is None:
        return None
    reader.called_notes.clear()
    parts = reader.read_blocks(root, margin.part, _PATHS[margin.region])
    if not parts:
        return None
    notes = tuple(reader.called_notes)
    reader.called_notes.clear()
    extras: dict[str, Any] = {"kinds": margin.kinds, "sections": margin.sections}
    if not margin.is_shown:
        extras["shown"] = False
    return Block(parts=parts, notes=notes, region=region, positions=(Position("paraid"),), extras=extras)


def _find(reader: Reader) -> list[_Margin]:
    """Headers and footers in the order of the sections, each part once."""
    package = reader.package
    even_is_shown = _shows_even(reader)
    found: dict[str, _Margin] = {}
    current: dict[tuple[str, str], str] = {}
    for number, section in enumerate(reader.sections, 1):
        title_page = section.find(W + "titlePg")
        shown = {
            "default": True,
            "first": title_page is not None and is_on(title_page),
            "even": even_is_shown,
        }
        for element in section:
            region = {W + "headerReference": "header", W + "footerReference": "footer"}.get(element.tag)
            if region is None:
                continue
            rel = package.rel(package.main, element.get(R_ID))
            kind = element.get(W + "type") or "default"
            if rel is not None and not rel.external and package.has(rel.target):
                current[region, kind if kind in shown else "default"] = rel.target
        for region in ("header", "footer"):
            for kind, is_shown in shown.items():
                part = current.get((region, kind))
                if part is None:
                    continue
                margin = found.setdefault(part, _Margin(region, part))
                if kind not in margin.kinds:
                    margin.kinds.append(kind)
                if number not in margin.sections[-1:]:
                    margin.sections.append(number)
                margin.is_shown = margin.is_shown or is_shown
    return list(found.values())


def _shows_even(reader: Reader) -> bool:
    part = reader.package.related(reader.package.main, "settings")
    root = reader.package.xml(part) if part is not None else None
    element = root.find(W + "evenAndOddHeaders") if root is not None else None
    return element is not None and is_on(element)
