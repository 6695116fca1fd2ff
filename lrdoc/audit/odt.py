"""What an OpenDocument text shows: paragraphs with their notes and boxes, tables, embedded objects and page margins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from lrdoc.audit.base import SourceReader, SourceText, Stretch
from lrdoc.audit.docx_package import Package
from lrdoc.audit.office import plain
from lrdoc.errors import SourceError

_OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
_PREFIXES = {
    **{f"{_OPEN}{name}:1.0": name for name in ("text", "table", "office", "style", "form", "script")},
    f"{_OPEN}drawing:1.0": "draw",
    f"{_OPEN}svg-compatible:1.0": "svg",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/1998/Math/MathML": "math",
}
_NO_TEXT = frozenset(
    "text:sequence-decls text:variable-decls text:user-field-decls text:dde-connection-decls office:forms "
    "text:alphabetical-index-auto-mark-file office:scripts office:event-listeners office:binary-data "
    "table:table-source text:table-of-content-source text:illustration-index-source text:table-index-source "
    "text:alphabetical-index-source text:bibliography-source text:user-index-source text:object-index-source".split()
)
_ASIDE = frozenset({"svg:title", "svg:desc", "dc:creator", "dc:date"})
"""Elements outside of paragraphs whose own text is shown: descriptions of pictures, who commented and when."""
_LINES = frozenset({"text:p", "text:h"})
_MATH = frozenset({"math:mi", "math:mn", "math:mo", "math:mtext"})


class _Names(dict[Any, str]):
    def __missing__(self, tag: Any) -> str:
        uri, _, local = str(tag)[1:].partition("}") if isinstance(tag, str) else ("", "", "")
        self[tag] = f"{_PREFIXES.get(uri, '?')}:{local}"
        return self[tag]


_name = _Names()


def _attribute(element: etree._Element, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if _name[key] == name), "")


@dataclass(slots=True)
class _Line:
    words: list[str] = field(default_factory=list)
    after: list[_Line] = field(default_factory=list)
    """Notes, boxes and descriptions inside, which are read after the line."""

    def texts(self) -> list[str]:
        found: list[str] = []
        stack = [self]
        while stack:
            line = stack.pop()
            found.append("".join(line.words))
            stack.extend(reversed(line.after))
        return found


class _Walk:
    """Takes a part apart into its outermost paragraphs and table rows."""

    def __init__(self, package: Package, part: str, text: SourceText) -> None:
        self.package = package
        self.part = part
        self.text = text
        self.counts: dict[str, int] = {}

    def run(self, root: etree._Element, kind: str) -> None:
        lines: list[_Line] = []
        units: list[tuple[str, _Line]] = []
        """The outermost paragraph or row that is open, with its place."""
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            name = _name[element.tag]
            if event == "start":
                if name in _NO_TEXT or self.is_left_out(name, element):
                    walk.skip_subtree()
                    continue
                self.start(name, element, lines, units)
            else:
                if name in _NO_TEXT or self.is_left_out(name, element, count=False):
                    pass
                elif name in _LINES or name in _ASIDE or name == "table:table-row":
                    line = lines.pop()
                    if not lines:
                        place, _ = units.pop()
                        words = plain(" ".join(line.texts()))
                        self.text.stretches.append(
                            Stretch(self.part, place, "cell" if place.startswith("row") else kind, words)
                        )
                if element is not root and lines and element.tail and not _is_row_gap(element):
                    lines[-1].words.append(element.tail)

    def start(self, name: str, element: etree._Element, lines: list[_Line], units: list[tuple[str, _Line]]) -> None:
        local = name.partition(":")[2]
        if name in _LINES or name == "table:table-row":
            counted = "row" if local == "table-row" else local
            self.counts[counted] = self.counts.get(counted, 0) + 1
            self.open(f"{counted}[{self.counts[counted]}]", lines, units)
        elif name in _ASIDE:
            self.open("alt" if name.startswith("svg") else "comment", lines, units)
        elif name == "draw:object":
            self.embedded(element, lines)
        if (
            lines
            and element.text
            and isinstance(element.tag, str)
            and not local.startswith("table")
            and name not in ("text:s", "text:tab")
        ):
            lines[-1].words.append(element.text)

    def open(self, place: str, lines: list[_Line], units: list[tuple[str, _Line]]) -> None:
        line = _Line()
        if lines:
            lines[-1].after.append(line)
        else:
            units.append((place, line))
        lines.append(line)

    def is_left_out(self, name: str, element: etree._Element, *, count: bool = True) -> bool:
        kind = ""
        if name == "text:tracked-changes":
            kind = "deleted"
        elif name == "text:section":
            gone = _attribute(element, "text:display") == "none" or _attribute(element, "text:is-hidden") == "true"
            kind = "hidden" if gone else ""
        elif name in ("text:hidden-text", "text:conditional-text") and _attribute(element, "text:is-hidden") == "true":
            kind = "hidden"
        if kind and count:
            self.text.exclude(kind, "".join(map(str, element.itertext())))
        return bool(kind)

    def embedded(self, element: etree._Element, lines: list[_Line]) -> None:
        """A formula inside the line, the texts of a chart or of another document after it."""
        href = _attribute(element, "xlink:href").removeprefix("./")
        part = f"{href}/content.xml"
        root = self.package.xml(part) if href and ":" not in href else None
        if root is None:
            root, part = next(element.iterchildren("*"), None), self.part
        if root is None:
            return
        if _name[root.tag].startswith("math:"):
            words = "".join(e.text or "" for e in root.iter() if _name[e.tag] in _MATH)
            if lines:
                lines[-1].words.append(words)
            else:
                self.text.stretches.append(Stretch(part, "math", "formula", plain(words)))
            return
        rows = [row for row in root.iter() if _name[row.tag] == "table:table-row"]
        paragraphs = [p for row in rows for p in row.iter() if _name[p.tag] == "text:p"]
        inside = set(paragraphs)
        paragraphs += [p for p in root.iter() if _name[p.tag] in _LINES and p not in inside]
        words = " ".join("".join(map(str, p.itertext())) for p in paragraphs)
        if lines:
            lines[-1].after.append(_Line([words]))
        else:
            self.text.stretches.append(Stretch(part, "object", "chart", plain(words)))


def _is_row_gap(element: etree._Element) -> bool:
    """Whether the tail of an element stands between cells or paragraphs of a row, where no text is shown."""
    return not (element.tail or "").strip()


def read(path: Path, params: Mapping[str, Any]) -> SourceText:
    text = SourceText()
    with Package(path) as package:
        root = package.xml("content.xml")
        body = next((e for e in root.iter() if _name[e.tag] == "office:text"), None) if root is not None else None
        if body is None:
            raise SourceError(f"{path.name} has no readable text")
        _Walk(package, "content.xml", text).run(body, "text")
        styles = package.xml("styles.xml")
        walk = _Walk(package, "styles.xml", text)
        for page in styles.iter() if styles is not None else ():
            for margin in page.iterchildren("*") if _name[page.tag] == "style:master-page" else ():
                walk.run(margin, "margin")
    return text


READER = SourceReader(read)
