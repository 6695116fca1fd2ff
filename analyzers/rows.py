"""The rows of tables: of JSON ones, and of HTML ones with nested tables taken along whole."""

from __future__ import annotations

import json
import re
from typing import Any

_TAG = re.compile(r"<(/?)(table|tr)\b[^<>]*>", re.IGNORECASE)


def read_list(body: str) -> list[Any] | None:
    """The list that a JSON text is, None when it is none or cannot be read."""
    if not body.lstrip().startswith("["):
        return None
    try:
        value: list[Any] = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value


def json_rows(body: str) -> list[list[Any]] | None:
    """The rows of a JSON table, None when it is no list of lists."""
    rows = read_list(body)
    return rows if rows is not None and all(isinstance(row, list) for row in rows) else None


def json_text(value: object) -> str:
    """A value as JSON on one line; an ellipsis for one nested so deeply that it was only just read."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return '"…"'


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
