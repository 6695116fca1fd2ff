"""Tables that came as HTML: made harmless for a page, or read as rows of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

_KEPT = frozenset(
    "table caption colgroup col thead tbody tfoot tr th td p div span br hr b i em strong u s del ins sub sup small"
    " mark code pre kbd samp var blockquote ul ol li dl dt dd h1 h2 h3 h4 h5 h6 a abbr cite q".split()
)
_VOID = frozenset(["br", "hr", "col"])
_DROPPED = frozenset(["script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "math", "head"])
"""Their content goes with them."""
_ATTRIBUTES = frozenset(["rowspan", "colspan", "span", "align", "valign", "scope", "headers", "start", "title", "dir"])
_SAFE_LINKS = ("http://", "https://", "mailto:", "#")
_CELLS = frozenset(["td", "th"])
_BREAKS = frozenset(["br", "p", "li", "div", "tr", "td", "th"])


def safe_link(address: str) -> bool:
    """True for an address that runs no script when it is followed."""
    return address.strip().lower().startswith(_SAFE_LINKS)


def clean_html(html: str) -> str:
    """The HTML with harmless tags and attributes only, as a browser would repair it."""
    pieces: list[str] = []
    for event, node in _walk(html):
        name = node.tag or ""
        if event == "text":
            pieces.append(escape(node.text_content or "", quote=False))
        elif name in _KEPT:
            if event == "open":
                pieces.append(f"<{name}{_attributes(node.attributes)}>")
            elif name not in _VOID:
                pieces.append(f"</{name}>")
    return "".join(pieces)


def html_to_rows(html: str) -> list[list[str]]:
    """Text of the cells, row by row; those of a nested table stand in the cell that holds it, text outside of cells in
    rows of its own."""
    rows: list[list[list[str]]] = []
    depth = 0
    for event, node in _walk(html):
        name = node.tag or ""
        if name in _CELLS:
            depth += 1 if event == "open" else -1
        if event == "text":
            text = node.text_content or ""
            if depth:
                rows[-1][-1].append(text)
            elif text.strip():
                rows.append([[text]])
        elif event == "open" and name == "tr" and not depth:
            rows.append([])
        elif event == "open" and name in _CELLS and depth == 1:
            rows[-1].append([])
        elif depth and name in _BREAKS:
            rows[-1][-1].append(" ")
    texts = [[" ".join("".join(words).split()) for words in row] for row in rows]
    return [row for row in texts if any(row)]


def _walk(html: str) -> Iterator[tuple[str, LexborNode]]:
    """The nodes below the body in document order, without those that must go: open, text, close. Does not recurse."""
    body = LexborHTMLParser(html).body
    node = body.child if body is not None else None
    above: list[LexborNode] = []
    while node is not None:
        if node.is_text_node:
            yield "text", node
        elif node.is_element_node and node.tag not in _DROPPED:
            yield "open", node
            child = node.child
            if child is not None:
                above.append(node)
                node = child
                continue
            yield "close", node
        following = node.next
        while following is None and above:
            node = above.pop()
            yield "close", node
            following = node.next
        node = following


def _attributes(attributes: Mapping[str, str | None]) -> str:
    words = [(name, value or "") for name, value in attributes.items() if name in _ATTRIBUTES]
    href = attributes.get("href")
    if href and safe_link(href):
        words.append(("href", href))
    return "".join(f' {name}="{escape(value)}"' for name, value in words)
