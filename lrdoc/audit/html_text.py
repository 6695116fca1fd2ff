"""Visible text of HTML, for counting."""

from __future__ import annotations

import codecs
import re

from lxml import etree

_UNSEEN = frozenset(
    {"script", "style", "head", "title", "template", "noscript", "meta", "link", "object", "iframe", "svg", "datalist"}
)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_\-:]+)", re.IGNORECASE)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(data: bytes, declared: str = "") -> str:
    """Text of bytes: a byte order mark decides, then what is declared, then UTF-8, then Windows-1252."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    for encoding in (declared, "utf-8"):
        if encoding:
            try:
                return data.decode(encoding)
            except (LookupError, UnicodeDecodeError):
                continue
    return data.decode("cp1252", "replace")


def html_text(data: bytes, declared: str = "") -> str:
    """All text that a browser shows, elements separated by spaces."""
    if not declared and (match := _CHARSET.search(data[:4096])):
        declared = match[1].decode("ascii", "replace")
    text = decode(data, declared)
    text = text.replace("\x00", "")
    if not text.strip():
        return ""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return ""
    if root is None:
        return ""
    pieces: list[str] = []
    unseen = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        skipped = isinstance(element.tag, str) and element.tag in _UNSEEN
        pieces.append(" ")
        if event == "start":
            unseen += skipped
            if not unseen:
                pieces.append(element.text or "")
        else:
            unseen -= skipped
            if not unseen:
                pieces.append(element.tail or "")
    return "".join(pieces)
