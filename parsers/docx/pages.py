"""Whether a document says where its pages begin."""

from __future__ import annotations

from typing import Any

from lrdoc.parsers.docx.names import VAL, W
from lrdoc.parsers.docx.styles import Styles, is_on


def records_pages(body: Any, styles: Styles) -> bool:
    """Word records the page breaks of its last layout; other programs only those that someone made."""
    if next(body.iter(W + "lastRenderedPageBreak"), None) is not None:
        return True
    if any(element.get(W + "type") == "page" for element in body.iter(W + "br")):
        return True
    if any(is_on(element) for element in body.iter(W + "pageBreakBefore")):
        return True
    return styles.page_break_styles()


__all__ = ["VAL", "records_pages"]
