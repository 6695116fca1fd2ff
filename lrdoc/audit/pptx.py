"""What a presentation shows: shapes, tables, charts, diagrams, descriptions, notes and comments of each slide."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from lrdoc.audit.base import SourceReader, SourceText, Stretch
from lrdoc.audit.docx_package import Package
from lrdoc.audit.office import REFERENCES, add_referred, branch_of, paragraph, plain, reference, short, shown
from lrdoc.errors import SourceError

_SHAPES = frozenset({"p:sp", "p:grpSp", "p:cxnSp", "p:pic", "p:graphicFrame", "p:contentPart"})
_NOT_TEXT = {"sldNum": "slide_number", "dt": "date", "sldImg": "slide_image"}
"""Placeholders that the program fills itself."""


def read(path: Path, params: Mapping[str, Any]) -> SourceText:
    text = SourceText()
    with Package(path) as package:
        main = package.main_part()
        root = package.xml(main)
        if root is None:
            raise SourceError(f"{path.name} has no readable presentation")
        relations = package.relationships(main)
        done: set[str] = set()
        for entry in root.iter():
            if short[entry.tag] == "p:sldId":
                slide = relations.get(reference(entry, "id"))
                if slide is not None and not slide.external and slide.target not in done:
                    done.add(slide.target)
                    _slide(package, slide.target, text, done)
    return text


def _slide(package: Package, part: str, text: SourceText, done: set[str]) -> None:
    _shapes(package, part, "text", text, done)
    for relation in package.relationships(part).values():
        if relation.external:
            continue
        if relation.type == "notesSlide":
            _shapes(package, relation.target, "note", text, done)
        elif relation.type == "comments":
            _comments(package, relation.target, text)


def _comments(package: Package, part: str, text: SourceText) -> None:
    root = package.xml(part)
    if root is None:
        return
    for number, comment in enumerate((e for e in root.iter() if short[e.tag] in ("p:text", "p188:txBody")), start=1):
        words = [comment.text or ""] if short[comment.tag] == "p:text" else []
        words += [paragraph(child) for child in comment if short[child.tag] == "a:p"]
        text.stretches.append(Stretch(part, f"comment[{number}]", "comment", plain(" ".join(words))))


def _shapes(package: Package, part: str, kind: str, text: SourceText, done: set[str]) -> None:
    root = package.xml(part)
    tree = next((e for e in root.iter() if short[e.tag] == "p:spTree"), None) if root is not None else None
    if tree is None:
        return
    numbers: dict[etree._Element, int] = {}
    for element in tree.iter():
        if element is not tree and short[element.tag] in _SHAPES:
            numbers[element] = len(numbers) + 1
    stack = list(reversed(tree))
    while stack:
        shape = stack.pop()
        name = short[shape.tag]
        if name == "mc:AlternateContent":
            branch = branch_of(shape)
            stack.extend(reversed(branch) if branch is not None else ())
            continue
        if name not in _SHAPES:
            continue
        own, role = _properties(shape)
        if role in _NOT_TEXT:
            text.exclude(_NOT_TEXT[role], "".join(paragraph(p) for p in shape.iter() if short[p.tag] == "a:p"))
            continue
        place = f"shape[{numbers[shape]}]"
        description = own.get("descr") or own.get("title") or "" if own is not None else ""
        text.stretches.append(Stretch(part, f"{place}/alt", "description", plain(description)))
        if name == "p:grpSp":
            stack.extend(reversed(shape))
        elif name == "p:graphicFrame":
            _frame(package, part, shape, place, kind, text, done)
        else:
            bodies = (child for child in shape if short[child.tag] == "p:txBody")
            _paragraphs(next(bodies, None), part, place, kind, text)


def _properties(shape: etree._Element) -> tuple[etree._Element | None, str | None]:
    """The element that holds name and description, and the type of the placeholder."""
    own, role = None, None
    for first in shape:
        for second in first if short[first.tag].startswith("p:nv") else ():
            if short[second.tag] == "p:cNvPr":
                own = second
            for third in second:
                if short[second.tag] == "p:nvPr" and short[third.tag] == "p:ph":
                    role = str(third.get("type") or "")
    return own, role


def _paragraphs(body: etree._Element | None, part: str, place: str, kind: str, text: SourceText) -> None:
    number = 0
    for child in body if body is not None else ():
        if short[child.tag] == "a:p":
            number += 1
            text.stretches.append(Stretch(part, f"{place}/p[{number}]", kind, plain(paragraph(child))))


def _frame(
    package: Package, part: str, frame: etree._Element, place: str, kind: str, text: SourceText, done: set[str]
) -> None:
    number = 0
    for element in shown(frame, REFERENCES | {"a:tbl", "a:p"}):
        name = short[element.tag]
        if name == "a:tbl":
            _table(element, part, place, text)
        elif name in REFERENCES:
            add_referred(package, part, element, text, done)
        elif name == "a:p":
            number += 1
            text.stretches.append(Stretch(part, f"{place}/p[{number}]", kind, plain(paragraph(element))))


def _table(table: etree._Element, part: str, place: str, text: SourceText) -> None:
    rows = [row for row in table if short[row.tag] == "a:tr"]
    for r, row in enumerate(rows, start=1):
        for c, cell in enumerate((cell for cell in row if short[cell.tag] == "a:tc"), start=1):
            words = " ".join(paragraph(p) for p in cell.iter() if short[p.tag] == "a:p")
            if any(cell.get(name) in ("1", "true") for name in ("hMerge", "vMerge")):
                text.exclude("covered_cell", words)
                continue
            text.stretches.append(Stretch(part, f"{place}/tr[{r}]/tc[{c}]", "cell", plain(words)))


READER = SourceReader(read)
