"""The rows of an HTML table, nested tables taken along whole."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(table|tr)\b[^<>]*>", re.IGNORECASE)


def html_rows(markup: str) -> list[tuple[int, int]]:
    """Places of the rows of the outermost table, in order; one that is never closed ends where the next begins."""
    places: list[tuple[int, int]] = []
    depth = 0
    own: int | None = None
    """Depth of the table whose rows are wanted: that of the first row."""
    begin: int | None = None
    end = len(markup)
    for tag in _TAG.finditer(markup):
        closing, name = bool(tag.group(1)), tag.group(2).lower()
        if name == "table":
            depth += -1 if closing else 1
            if own is not None and depth < own:
                end = tag.start()
                break
        elif own is None:
            if not closing:
                own, begin = depth, tag.start()
        elif depth == own:
            if begin is not None:
                places.append((begin, tag.end() if closing else tag.start()))
            begin = None if closing else tag.start()
    if begin is not None:
        places.append((begin, end))
    return places
