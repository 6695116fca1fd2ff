"""What presentations and workbooks share: names of elements, paragraphs of shapes, charts and diagrams."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from lxml import etree

from lrdoc.audit.base import SourceText, Stretch
from lrdoc.audit.docx_package import Package, names
from lrdoc.audit.docx_parts import chart_texts, diagram_texts

_STRICT = "http://purl.oclc.org/ooxml/"
_OPEN = "http://schemas.openxmlformats.org/"
_PREFIXES = {
    _OPEN + "presentationml/2006/main": "p",
    _STRICT + "presentationml/main": "p",
    _OPEN + "spreadsheetml/2006/main": "s",
    _STRICT + "spreadsheetml/main": "s",
    _OPEN + "drawingml/2006/spreadsheetDrawing": "xdr",
    _STRICT + "drawingml/spreadsheetDrawing": "xdr",
    "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "tc",
}
_KNOWN = ("http://schemas.microsoft.com/office/", _OPEN, "urn:schemas-microsoft-com:vml")
_PICTURED = re.compile(r"(?:/ink|Ink|/model3d)$")


class _Names(dict[Any, str]):
    def __missing__(self, tag: Any) -> str:
        name = names[tag]
        if isinstance(tag, str) and tag.startswith("{"):
            uri, _, local = tag[1:].partition("}")
            if uri in _PREFIXES:
                name = f"{_PREFIXES[uri]}:{local}"
        self[tag] = name
        return name


short = _Names()
"""Short name of an element's tag: "p:sp", "a:t", "?:x" for foreign ones, "" for comments."""


def branch_of(element: etree._Element) -> etree._Element | None:
    """The branch of mc:AlternateContent that a current program shows; ink as the picture of its Fallback."""
    choices = [child for child in element if short[child.tag] == "mc:Choice"]
    others = [child for child in element if short[child.tag] == "mc:Fallback"]
    for choice in choices:
        uris = [str(choice.nsmap.get(prefix, "")) for prefix in str(choice.get("Requires", "")).split()]
        if uris and all(uri.startswith(_KNOWN) for uri in uris):
            drawn = any(map(_PICTURED.search, uris)) or any(
                str(child.tag).endswith(("}contentPart", "}model3d")) for child in choice
            )
            return others[0] if drawn and others else choice
    return others[0] if others else None


def shown(root: etree._Element, stop: frozenset[str] = frozenset()) -> Iterator[etree._Element]:
    """Elements below the root in order, one branch of alternatives; what is below an element of `stop` is not."""
    stack = list(reversed(root))
    while stack:
        element = stack.pop()
        name = short[element.tag]
        if name == "mc:AlternateContent":
            branch = branch_of(element)
            if branch is not None:
                stack.extend(reversed(branch))
            continue
        if not name:
            continue
        yield element
        if name not in stop:
            stack.extend(reversed(element))


def paragraph(element: etree._Element) -> str:
    """Text of an a:p with the characters of its formulas."""
    words = []
    for child in shown(element):
        name = short[child.tag]
        if name in ("a:t", "m:t"):
            words.append(child.text or "")
        elif name in ("a:br", "a:tab"):
            words.append(" ")
    return "".join(words)


def reference(element: etree._Element, name: str) -> str:
    """Value of an attribute of the relationships' namespace ("id", "dm")."""
    for key, value in element.attrib.items():
        if names[key] == f"r:{name}":
            return str(value)
    return ""


def add_referred(package: Package, part: str, element: etree._Element, text: SourceText, done: set[str]) -> None:
    """Texts of the chart or the diagram that an element of a part refers to."""
    kind = short[element.tag]
    related = package.relationships(part).get(reference(element, "dm" if kind == "dgm:relIds" else "id"))
    if related is None or related.external or related.target in done:
        return
    root = package.xml(related.target)
    if root is None:
        return
    done.add(related.target)
    if kind == "dgm:relIds":
        text.stretches += diagram_texts(related.target, root, 0)
        return
    text.stretches += chart_texts(related.target, root, 0)
    for other in package.relationships(related.target).values():
        shapes = package.xml(other.target) if other.type == "chartUserShapes" and not other.external else None
        if shapes is not None:
            text.stretches += [
                Stretch(other.target, "", "chart", paragraph(node), compare="bag")
                for node in shown(shapes, frozenset({"a:p"}))
                if short[node.tag] == "a:p" and paragraph(node).strip()
            ]


REFERENCES = frozenset({"c:chart", "cx:chart", "dgm:relIds"})


def plain(text: str) -> str:
    """Text without characters that have no place in plain text: control codes, byte order marks, lone surrogates."""
    if text.isprintable():
        return text
    return "".join(character if character.isspace() or not _is_control(character) else "" for character in text)


def _is_control(character: str) -> bool:
    return character in "\ufeff\ufffe\uffff" or unicodedata.category(character) in ("Cc", "Cs")
