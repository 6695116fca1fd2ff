"""What a browser shows of an HTML file, without its styles: text, values of forms and descriptions of pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lrdoc.audit.base import Place, SourceReader, SourceText, Stretch
from lrdoc.audit.html_text import decode
from lrdoc.audit.office import plain
from lrdoc.audit.written import Written
from lrdoc.errors import SourceError

_NOT_SHOWN = frozenset(
    "head title script style template noembed noframes iframe object embed applet audio video canvas map svg "
    "datalist".split()
)
_FIELDS = frozenset({"text", "search", "tel", "url", "email", "number", "date", "submit", "reset", "button"})
_CHARSET = re.compile(
    rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)|<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE
)
_READ_AS = re.compile(r"read as ([\w.-]+?)\.? ")
_CONCEALED = re.compile(r"display:none|visibility:(?:hidden|collapse)", re.IGNORECASE)


def visible_html(markup: str, text: SourceText, part: str = "") -> None:
    """Add what is shown as one stretch; what is hidden is counted as excluded."""
    from selectolax.lexbor import LexborHTMLParser

    root = LexborHTMLParser(markup).root
    words: list[str] = []
    hidden: list[str] = []
    stack: list[tuple[Any, bool]] = [(root, True)] if root is not None else []
    while stack:
        node, seen = stack.pop()
        # Siblings wait below the children of the node: the walk keeps the order of the file.
        if node.next is not None and node is not root:
            stack.append((node.next, seen))
        tag = node.tag or ""
        if tag == "-text":
            (words if seen else hidden).append(node.text_content or "")
            continue
        if tag.startswith(("-", "_", "!")):
            continue
        if tag in _NOT_SHOWN:
            continue
        attributes = node.attributes or {}
        if seen and _is_concealed(tag, attributes):
            seen = False
        if tag == "img":
            (words if seen else hidden).append(f" {attributes.get('alt') or ''} ")
        elif tag == "input" and seen:
            kind = (attributes.get("type") or "text").lower()
            if kind in _FIELDS:
                words.append(f" {attributes.get('value') or ''} ")
            elif kind in ("checkbox", "radio"):
                words.append("☒" if "checked" in attributes else "☐")
        if node.child is not None:
            stack.append((node.child, seen))
    found = plain("".join(words))
    if "\ufffd" not in markup:
        found = found.replace("\ufffd", "")  # the mark of references that name no character
    text.stretches.append(Stretch(part, "", "text", found))
    text.exclude("hidden", "".join(hidden))


def _is_concealed(tag: str, attributes: Mapping[str, str | None]) -> bool:
    style = re.sub(r"\s", "", attributes.get("style") or "")
    kind = attributes.get("type")
    return "hidden" in attributes or (tag == "input" and kind == "hidden") or bool(_CONCEALED.search(style))


def decode_html(data: bytes) -> str:
    """By byte order mark, by what the file declares, as UTF-8 or UTF-16 without a mark, else as Windows-1252."""
    found = _CHARSET.search(data[:4096])
    declared = (found[1] or found[2]).decode("ascii", "replace") if found else ""
    if declared.lower().startswith("utf-16"):
        declared = ""
    if declared.lower() in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"):
        declared = "cp1252"
    if not declared and not data.startswith((b"\xff\xfe", b"\xfe\xff")) and data[:400].count(b"\0") > 50:
        return data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-16-be", "replace")
    return decode(data, declared)


class _Page(SourceText):
    data: bytes = b""


def read(path: Path, params: Mapping[str, Any]) -> SourceText:
    text = _Page()
    try:
        text.data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"cannot read {path.name}: {error.strerror}") from error
    visible_html(decode_html(text.data), text)
    return text


def align(text: SourceText, written: Written) -> None:
    """Where the engine had to guess the encoding and says so, its guess is taken."""
    encoding = guessed_encoding(written)
    if isinstance(text, _Page) and encoding:
        text.stretches.clear()
        text.excluded.clear()
        visible_html(text.data.decode(encoding, "ignore"), text)


def guessed_encoding(written: Written) -> str:
    """The encoding that a warning names as a guess; "" when there is none."""
    for warning in written.warnings:
        found = _READ_AS.search(str(warning.get("message", "")))
        if warning.get("code") == "encoding_guessed" and found:
            return found[1]
    return ""


def place(entry: Mapping[str, Any]) -> Place:
    """A chapter, or the whole file: readers may cut paragraphs differently."""
    return str(entry.get("part", "")), ""


READER = SourceReader(read, place, align)
