"""Charts, SmartArt and chunks of other formats: text that stands outside the paragraphs of a Word document."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator

from lxml import etree

from lrdoc.audit.base import Stretch
from lrdoc.audit.docx_package import attribute, names
from lrdoc.audit.docx_shown import choose_branch
from lrdoc.audit.html_text import decode, html_text
from lrdoc.audit.rtf_text import rtf_text

_NOT_SHOWN = frozenset({"c:extLst", "cx:extLst", "a:extLst", "c:errBars", "c:f", "cx:f", "c:formatCode"})
_SHARED = frozenset({"c:cat", "c:xVal", "cx:strDim"})


def _descend(root: etree._Element, skipped: frozenset[str]) -> Iterator[tuple[str, etree._Element, bool]]:
    """All elements in order with their short name, one branch of alternatives; the last value tells what is shared."""
    stack = [(iter([root]), False)]
    while stack:
        element = next(stack[-1][0], None)
        if element is None:
            stack.pop()
            continue
        shared = stack[-1][1]
        name = names[element.tag]
        if name in skipped or not name:
            continue
        if name == "cx:txPr" and _is_repeated(element):
            continue
        if name == "mc:AlternateContent":
            branch = choose_branch(element)
            if branch is not None:
                stack.append((iter(branch), shared))
            continue
        yield name, element, shared
        stack.append((iter(element), shared or name in _SHARED))


def _is_repeated(formatting: etree._Element) -> bool:
    """cx:txPr: shown where the title has no text of its own, a copy of it otherwise."""
    return any(
        names[node.tag] == "cx:tx" and "".join(str(text) for text in node.itertext()).strip()
        for node in formatting.itersiblings(preceding=True)
    )


def _paragraph_text(paragraph: etree._Element) -> str:
    return "".join(node.text or "" for node in paragraph.iter() if names[node.tag] == "a:t")


def chart_texts(part: str, root: etree._Element, container: int) -> list[Stretch]:
    """Titles, labels, series names, categories and values as the file caches them."""
    found: list[Stretch] = []
    for name, element, shared in _descend(root, _NOT_SHOWN):
        if name == "a:p":
            text = _paragraph_text(element)
        elif name in ("c:v", "cx:v") or (name == "cx:pt" and not len(element)) or name == "c:name":
            text = element.text or ""
        else:
            continue
        if text.strip():
            found.append(Stretch(part, "", "chart", text, container=container, repeatable=shared, compare="bag"))
    return found


def diagram_texts(part: str, root: etree._Element, container: int) -> list[Stretch]:
    """Texts of the points of a SmartArt, without those that only lay it out."""
    found: list[Stretch] = []
    for name, element, _ in _descend(root, frozenset({"a:extLst", "dgm:extLst"})):
        if name != "dgm:pt" or attribute(element, "dgm:type") == "pres" or element.get("type") == "pres":
            continue
        for node in element.iter():
            if names[node.tag] == "a:p":
                text = _paragraph_text(node)
                if text.strip():
                    found.append(Stretch(part, "", "diagram", text, container=container, compare="bag"))
    return found


def chunk_kind(name: str, content_type: str) -> str:
    """html, mht, text, rtf, docx or "" for an imported chunk."""
    suffix = name.rpartition(".")[2].lower()
    for kind, words in (
        ("mht", ("message/rfc822", "multipart/related", "mht", "mhtml")),
        ("html", ("html", "htm", "xhtml")),
        ("rtf", ("rtf",)),
        ("docx", ("wordprocessingml", "docx", "docm", "dotx", "dotm")),
        ("text", ("text/plain", "txt")),
    ):
        if any(word in content_type for word in words) or suffix in words:
            return kind
    return ""


def chunk_text(kind: str, data: bytes) -> str | None:
    """Visible text of a chunk, None when this kind is not read."""
    if kind == "html":
        return html_text(data)
    if kind == "text":
        return decode(data)
    if kind == "rtf":
        return rtf_text(data)
    if kind == "mht":
        message = email.message_from_bytes(data, policy=email.policy.default)
        for part in message.walk():
            if part.get_content_type() in ("text/html", "application/xhtml+xml"):
                content = part.get_payload(decode=True)
                if isinstance(content, bytes):
                    return html_text(content)
    return None
