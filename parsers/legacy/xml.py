"""XML of no known kind: its texts in element order, one line for each element that holds text."""

from __future__ import annotations

import functools
import re
from html.entities import html5

from lxml import etree

from lrdoc.document import Source
from lrdoc.errors import SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.archive import parse_xml
from lrdoc.parsers.legacy.html import read_html
from lrdoc.parsers.legacy.output import TextOut
from lrdoc.parsers.legacy.plain import read_text, xml_declared_encoding

_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,40});")
_DECLARED = re.compile(r"<!ENTITY\s{1,9}([A-Za-z][A-Za-z0-9]{1,40})\s")
_XHTML = "{http://www.w3.org/1999/xhtml}html"


def read_xml(source: SourceFile, out: TextOut) -> str:
    """Character data in document order; markup, comments and processing instructions are no text."""
    with source.path.open("rb") as stream:
        head = stream.read(2048)
    text = read_text(source, out, xml_declared_encoding(head))
    # The text is decoded already: what the declaration says of its encoding no longer holds.
    root, fault = parse_xml(name_characters(_without_declaration(text)).encode("utf-8", "ignore"), entities=True)
    if root is None:
        raise SourceError(f"{source.name} is not XML: {fault}", hint="Rename it to .txt to take it as it is.")
    if fault:
        out.warn("xml_repaired", f"The file is not well-formed XML ({fault}); what can be read of it was kept.")
    if root.tag == _XHTML:
        return read_html(source, out)
    _walk(root, out)
    if fault and not out.parts:
        raise SourceError(
            f"Nothing can be read of {source.name}, which is not XML: {fault}", hint="Get the file again."
        )
    return ""


def name_characters(text: str) -> str:
    """Entities that HTML has and XML has not (`&eacute;`) as numbers, unless the file declares or quotes them."""
    if "&" not in text:
        return text
    first, *sections = text.split("<![CDATA[")
    pieces = [_ENTITY.sub(_as_number, first)]
    for section in sections:
        quoted, end, rest = section.partition("]]>")
        pieces += ["<![CDATA[", quoted, end, _ENTITY.sub(_as_number, rest)]
    declared = set(_DECLARED.findall(text))
    return "".join(pieces) if not declared & _names().keys() else text


def _as_number(match: re.Match[str]) -> str:
    character = _names().get(match[1])
    return match[0] if character is None else "".join(f"&#{ord(c)};" for c in character)


@functools.cache
def _names() -> dict[str, str]:
    known = ("amp", "lt", "gt", "quot", "apos")
    return {name[:-1]: text for name, text in html5.items() if name.endswith(";") and name[:-1] not in known}


def _without_declaration(text: str) -> str:
    text = text.lstrip("\ufeff \t\r\n")
    return text[text.index("?>") + 2 :] if text.startswith("<?xml") and "?>" in text else text


def _walk(root: etree._Element, out: TextOut) -> None:
    """An element that mixes text and elements is one line; elsewhere every text is a line of its own."""
    line: list[str] = []
    start: Source | None = None
    mixed_depth = 0
    depth = 0

    def flush() -> None:
        nonlocal start
        text = "".join(line)
        line.clear()
        out.line(" ".join(text.split()), start)
        start = None

    def add(text: str | None, element: etree._Element) -> None:
        nonlocal start
        if text and text.strip():
            if start is None:
                number: int = getattr(element, "sourceline", None) or 1
                start = Source(lines=(number, number + 1))
            line.append(text)
        elif text and line:
            line.append(" ")

    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            out.context.check()
            depth += 1
            if not mixed_depth:
                flush()
                if _is_mixed(element):
                    mixed_depth = depth
            add(element.text if isinstance(element.tag, str) else None, element)
        else:
            if depth == mixed_depth:
                mixed_depth = 0
                flush()
            elif not mixed_depth:
                flush()
            depth -= 1
            if depth:
                add(element.tail, element)
    flush()


def _is_mixed(element: etree._Element) -> bool:
    if not len(element):
        return False
    if element.text and element.text.strip():
        return True
    return any(child.tail and child.tail.strip() for child in element)
