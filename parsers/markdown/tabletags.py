"""Which `</table>` closes which `<table>`."""

from __future__ import annotations

import re

_TAGS = re.compile(r"<!--|<(/?)table(?=[\s/>])", re.IGNORECASE)
_END = re.compile(r"[<>]")


def match_tables(text: str) -> list[tuple[int, int]]:
    """(start, end) offsets of every table that is closed, nested ones too, in the order of their starts.

    Tags in comments do not count. One pass over the text, whatever it holds.
    """
    if "<" not in text:
        return []
    last_comment_end = text.rfind("-->")
    spans: list[tuple[int, int]] = []
    open_at: list[int] = []
    pos = 0
    while (match := _TAGS.search(text, pos)) is not None:
        pos = match.end()
        if match[1] is None:
            if pos - 2 <= last_comment_end:
                pos = text.index("-->", pos - 2) + 3
            continue
        end = _END.search(text, pos)
        if end is None:
            break
        pos = end.end() if end[0] == ">" else end.start()
        if not match[1]:
            open_at.append(match.start())
        elif open_at and end[0] == ">":
            spans.append((open_at.pop(), pos))
    spans.sort()
    return spans
