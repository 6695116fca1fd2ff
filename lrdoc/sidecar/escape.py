"""Escaping of prose that looks like our markup (docs/sidecar-format.md, "Escaping").

In text from the source
- `<` or `</` before one of our tag names becomes `&lt;` or `&lt;/`;
- `&lt;` before such a name, also when escaped already (`&amp;lt;`), gets one more `amp;`;
- `[` before `^` or before an item id and `]`, also with backslashes between, gets one more backslash,
  because `[^1]` is our note mark and `[im-…-0001]` is our reference from a cell.
Every change puts characters in behind one `<`, `&` or `[`, so offsets can be carried over exactly.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

_TAG = r"/?(?i:table|drawing|equation|cite|sup|sub)(?![A-Za-z0-9_])"
_BLOCK_TAG = r"/?(?i:table|drawing|equation|cite)(?![A-Za-z0-9_])"
_ITEM = r"(?:tb|im|eq)-[A-Za-z0-9._:@+-]{1,200}-[0-9]{4,}\]"

ITEM_REFERENCE = re.compile(rf"\[({_ITEM[:-2]})\]")
"""`[im-<hash>-0003]`: how an item shows in the cell that holds it."""
NOTE_MARK = r"[^\s\[\]^\\<>&]{1,64}"
"""What may stand between `[^` and `]`."""

_ESCAPE = re.compile(rf"<(?={_TAG})|&(?=(?:amp;)*lt;{_TAG})|\[(?=\\*(?:\^|{_ITEM}))")
_ESCAPE_HTML = re.compile(rf"<(?={_BLOCK_TAG})|&(?=(?:amp;)*lt;{_TAG})|\[(?=\\*(?:\^|{_ITEM}))")
_UNESCAPE = re.compile(rf"&amp;(?=(?:amp;)*lt;{_TAG})|&lt;(?={_TAG})|\[\\(?=\\*(?:\^|{_ITEM}))")

_ESCAPED = {"<": "&lt;", "&": "&amp;", "[": "[\\"}
_UNESCAPED = {"&lt;": "<", "&amp;": "&", "[\\": "["}


def needs_escape(text: str) -> bool:
    """False when `escape` surely changes nothing."""
    return "<" in text or "&" in text or "[" in text


def escape(text: str) -> str:
    """Text as it stands in `content`."""
    if not needs_escape(text):
        return text
    return _ESCAPE.sub(lambda m: _ESCAPED[m[0]], text)


def escape_html(html: str) -> str:
    """Body of an html table as it stands in `content`: like `escape`, but its own `<sup>` and `<sub>` stay."""
    return _ESCAPE_HTML.sub(lambda m: _ESCAPED[m[0]], html)


def unescape(text: str) -> str:
    """Exact inverse of `escape` and of `escape_html`."""
    if "&" not in text and "[\\" not in text:
        return text
    return _UNESCAPE.sub(lambda m: _UNESCAPED[m[0]], text)


def escape_with_offsets(text: str, offsets: Sequence[int]) -> tuple[str, list[int]]:
    """The escaped text, and where the given offsets (in code points) lie in it."""
    places: list[int] = []
    growth: list[int] = []
    for match in _ESCAPE.finditer(text):
        places.append(match.start())
        growth.append(len(_ESCAPED[match[0]]) - 1)
    if not places:
        return text, list(offsets)
    total = [0, *accumulate(growth)]
    # What is put in belongs to the character that it follows: only offsets behind that character move.
    return escape(text), [offset + total[bisect_left(places, offset)] for offset in offsets]


def unescape_with_offsets(text: str, offsets: Sequence[int]) -> tuple[str, list[int]]:
    """The unescaped text, and where the given offsets into the escaped text lie in it."""
    places: list[int] = []
    shrink: list[int] = []
    for match in _UNESCAPE.finditer(text):
        places.append(match.start())
        shrink.append(len(match[0]) - 1)
    if not places:
        return text, list(offsets)
    total = [0, *accumulate(shrink)]
    moved: list[int] = []
    for offset in offsets:
        before = bisect_left(places, offset)
        shift = total[before]
        if before and offset < places[before - 1] + shrink[before - 1] + 1:
            # Inside an escape sequence, which only a foreign file has: behind the character it stands for.
            shift = total[before - 1] + offset - places[before - 1] - 1
        moved.append(offset - shift)
    return unescape(text), moved
