"""What an HTML parser does in quadratic time, found in one pass over the tags before it starts.

A parser by the HTML standard looks up the stack of open elements at each start tag, opens all formatting elements
again that were left open in an earlier paragraph, and compares each attribute with those before it.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate, repeat

from lrdoc.errors import LimitExceeded

_TAG = re.compile(r"<(/?[a-zA-Z][a-zA-Z0-9]*)")
_WHOLE_TAG = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)([^>]*)>?|<(/[a-zA-Z][a-zA-Z0-9]*)")
_RAW = re.compile(r"<!--|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s>/])", re.IGNORECASE)
_SELECT = re.compile(r"<(/?)select(?=[\s>/])", re.IGNORECASE)
_CLOSED_BY_OTHERS = frozenset(
    "p li dt dd tr td th thead tbody tfoot option optgroup rt rp colgroup "
    "area base br col embed hr img input link meta param source track wbr".split()
)
"""Elements that need no end tag: they do not count as open."""
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_MOST_ALIKE = 3
"""Of formatting elements that are alike no more than this many are opened again (HTML standard, 13.2.4.3)."""
_MOST_FORMATTING = 20
"""Formatting elements open at once that are no reason for a closer look."""
_MOST_REOPENED = 200_000
_MOST_ATTRIBUTES = 2_000
_MANY_ATTRIBUTES = re.compile(
    r"<[a-zA-Z][^\s>/]*+(?:[\s/]*+[^\s>=/\"'][^\s>=/]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]++))?+)"
    f"{{{_MOST_ATTRIBUTES}}}"
)
_MANY_OPTIONS = 2_000


def guard(text: str, deepest: int) -> str:
    """The text as it can be parsed in bounded time. Raises LimitExceeded for one that cannot.

    Lists of very many options are taken as ordinary elements, since choosing among them is quadratic too.
    """
    tags = _TAG.findall(text)
    if _looks_costly(tags, deepest or 2_000):
        _measure(_without_raw_text(text), deepest or 2_000)
    if _MANY_ATTRIBUTES.search(text) is not None:
        raise LimitExceeded(
            f"An element has {_MOST_ATTRIBUTES} attributes or more",
            limit="attributes of an element",
            hint="The file is damaged, or made to do harm.",
        )
    if tags.count("option") + tags.count("OPTION") + tags.count("Option") > _MANY_OPTIONS:
        text = _SELECT.sub(r"<\1div", text)
    return text


def _looks_costly(tags: list[str], deepest: int) -> bool:
    """A quick look that takes nothing costly for harmless: more are counted as open than are."""
    counts = Counter(tags)
    weights: dict[str, int] = {}
    for tag, count in counts.items():
        if tag[0] != "/":
            weights[tag] = 0 if tag.lower() in _CLOSED_BY_OTHERS else 1
        elif tag[1:].lower() not in _CLOSED_BY_OTHERS and count <= counts[tag[1:]]:
            weights[tag] = -1  # end tags that are too many close nothing
    if _swing(tags, weights) > deepest:
        return True
    formatting = {tag: weight for tag, weight in weights.items() if tag.strip("/").lower() in _FORMATTING}
    return bool(formatting) and _swing(tags, formatting) > _MOST_FORMATTING


def _swing(tags: list[str], weights: dict[str, int]) -> int:
    """How far the sum of the weights rises from its lowest: no less than the elements that are open at once."""
    sums = list(accumulate(map(weights.get, tags, repeat(0)), initial=0))
    return max(sums) - min(sums)


def _measure(text: str, deepest: int) -> None:
    """The same with formatting elements that are alike counted as the parser keeps them."""
    opened: dict[str, list[str]] = {}
    alike: dict[str, int] = {}
    depth = formatting = reopened = 0
    for match in _WHOLE_TAG.finditer(text):
        start, attributes, end = match.groups()
        if end is not None:
            stack = opened.get(end[1:].lower())
            if stack:
                key = stack.pop()
                depth -= 1
                if key:
                    alike[key] -= 1
                    formatting -= alike[key] < _MOST_ALIKE
            continue
        name = start.lower()
        if name in _FORMATTING:
            key = name + attributes
            alike[key] = alike.get(key, 0) + 1
            if alike[key] <= _MOST_ALIKE:
                formatting += 1
                depth += 1
                opened.setdefault(name, []).append(key)
            else:
                alike[key] -= 1
        else:
            reopened += formatting
            if name not in _CLOSED_BY_OTHERS:
                opened.setdefault(name, []).append("")
                depth += 1
        if depth > deepest or reopened > _MOST_REOPENED:
            raise LimitExceeded(
                f"Elements are nested more than {deepest} deep",
                limit="LEGACY_MAX_NESTING",
                hint="Raise LEGACY_MAX_NESTING if the file is meant to be that deep.",
            )


def _without_raw_text(text: str) -> str:
    """Scripts, styles and comments hold no elements."""
    kept: list[str] = []
    position = 0
    while (match := _RAW.search(text, position)) is not None:
        kept.append(text[position : match.start()])
        closing = "-->" if match[1] is None else f"</{match[1]}"
        end = text.find(closing, match.end())
        if end < 0 and match[1] is not None and not match[1].isupper():
            end = text.find(closing.upper(), match.end())
        if end < 0:
            return "".join(kept)
        position = end
    kept.append(text[position:])
    return "".join(kept)
