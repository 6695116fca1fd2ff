"""Where pages begin: breaks that someone made, and those that Word records of its last layout."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from lrdoc.document import Source
from lrdoc.parsers.docx.names import VAL, W
from lrdoc.parsers.docx.state import Element, Line
from lrdoc.parsers.docx.styles import Styles, is_on

_SECTPR, _SECTPR_CHANGE = W + "sectPr", W + "sectPrChange"


def page_sections(body: Any) -> frozenset[Element]:
    """w:sectPr elements after which a new page begins: the type of a break stands in the section that follows it."""
    sections = [section for section in body.iterdescendants(_SECTPR) if section.getparent().tag != _SECTPR_CHANGE]
    found = []
    for section, following in pairwise(sections):
        kind = following.find(W + "type")
        if kind is None or kind.get(VAL) not in ("continuous", "nextColumn"):
            found.append(section)
    return frozenset(found)


def records_pages(body: Any, styles: Styles) -> bool:
    """Word records the page breaks of its last layout; other programs only those that someone made."""
    if next(body.iter(W + "lastRenderedPageBreak"), None) is not None:
        return True
    if any(element.get(W + "type") == "page" for element in body.iter(W + "br")):
        return True
    if any(is_on(element) for element in body.iter(W + "pageBreakBefore")):
        return True
    return styles.page_break_styles()


def page_break(line: Line) -> None:
    """An explicit page break: what follows stands on the next page."""
    walk = line.walk
    if walk.page is None:
        return
    walk.page += 1
    walk.break_pending = True
    line.break_at = (len(line.parts), len(line.buffer))
    _turn_page(line)


def recorded_break(line: Line) -> None:
    """w:lastRenderedPageBreak: a new page began here when Word last saved. Behind an explicit break it is that one."""
    walk = line.walk
    if walk.page is None or walk.is_nested:
        return
    if walk.break_pending:
        walk.break_pending = False
        if line.is_empty or ends_with_break(line):
            return
    walk.page += 1
    _turn_page(line)


def _turn_page(line: Line) -> None:
    source = line.source
    line.set_source(Source(source.part, source.path, source.paraid, line.walk.page))


def ends_with_break(line: Line) -> bool:
    if line.break_at is None:
        return False
    parts, texts = line.break_at
    after = "".join(line.buffer[texts:] if len(line.parts) == parts else line.buffer)
    return len(line.parts) <= parts + 1 and not after.strip()
