"""The tree of a DoclingDocument: references, places, and inline text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lrdoc.document import InlineEquation, Mark, MarkKind, Part, Position, Source, Text, merge_text
from lrdoc.parsers.services.builder import FLOWING, SLIDES, Place, as_text, numbers

_REF = re.compile(r"#/([A-Za-z_]+)(?:/([0-9]{1,9}))?")
_LATEX = re.compile(r"\\[A-Za-z]+|[\^_]\{|[\^_][A-Za-z0-9\\]")
_WORDY = frozenset("docx docm dotx dotm doc odt rtf pptx ppt odp html htm xhtml md markdown tex latex epub".split())
"""Formats whose formulas are LaTeX wherever docling names one."""
_FORMATTING: dict[str, MarkKind] = {
    "bold": "bold",
    "italic": "italic",
    "underline": "underline",
    "strikethrough": "strike",
}
_NO_BLANK_BEFORE = ",.;:!?)]}»”’%，。；：！？）】》、…"
_NO_BLANK_BEHIND = "([{«“‘¿¡（【《$€£#"

Node = Mapping[str, Any]


class Tree:
    """A DoclingDocument by its references."""

    def __init__(self, value: Mapping[str, Any], file: str, suffix: str) -> None:
        self.value = value
        self.file = file
        self.suffix = suffix
        origin = value.get("origin")
        self.origin: Mapping[str, Any] = origin if isinstance(origin, dict) else {}

    def find(self, ref: Any) -> tuple[str, Node] | None:
        """The node that a reference names, and its reference in one spelling."""
        if isinstance(ref, dict):
            ref = ref.get("$ref", ref.get("cref"))
        match = _REF.fullmatch(ref) if isinstance(ref, str) else None
        if match is None:
            return None
        node = self.value.get(match[1])
        if match[2] is not None:
            index = int(match[2])
            node = node[index] if isinstance(node, list) and index < len(node) else None
            ref = f"#/{match[1]}/{index}"
        return (str(ref), node) if isinstance(node, dict) else None

    def children(self, node: Node, key: str = "children") -> Iterator[tuple[str, Node]]:
        refs = node.get(key)
        for ref in refs if isinstance(refs, list) else ():
            found = self.find(ref)
            if found is not None:
                yield found

    def collections(self) -> Iterator[tuple[str, Node]]:
        """All nodes of all collections, in the order of the file."""
        for name, nodes in self.value.items():
            if isinstance(nodes, list):
                for index, node in enumerate(nodes):
                    if isinstance(node, dict):
                        yield f"#/{name}/{index}", node

    def place(self, ref: str, node: Node, sheet: str | None = None) -> Place:
        """Page and box as the service says them; `range` is [left, top, right, bottom] in the origin of the page."""
        page: int | None = None
        box: tuple[float, float, float, float] | None = None
        positions: list[Position] = []
        prov = node.get("prov")
        for one in prov if isinstance(prov, list) else ():
            if not isinstance(one, dict):
                continue
            number = one.get("page_no")
            number = number if type(number) is int and 0 < number < 1 << 31 else None
            bbox = one.get("bbox")
            found = numbers([bbox.get(side) for side in "ltrb"], 4) if isinstance(bbox, dict) else None
            if found is not None and page is None:
                box = (found[0], found[1], found[2], found[3])
            page = page or number
            span = one.get("charspan")
            chars = numbers(span, 2)
            top_left = isinstance(bbox, dict) and bbox.get("coord_origin") == "TOPLEFT"
            if number is not None or found is not None:
                positions.append(
                    Position(
                        "bbox",
                        None if number is None else str(number),
                        found,
                        None if chars is None or found is None else (int(chars[0]), int(chars[1])),
                        "LEFTTOP" if found is not None and top_left else None,
                    )
                )
        slide = page if self.suffix in SLIDES else None
        known = None if slide is not None or self.suffix in FLOWING else page
        return Place(Source(self.file, ref, page=known, slide=slide, sheet=sheet, bbox=box), tuple(positions))

    def is_latex(self, node: Node) -> bool:
        """Whether the text of a formula is LaTeX; without its model docling gives what the page shows."""
        text = as_text(node.get("text"))
        original = as_text(node.get("orig"))
        return self.suffix in _WORDY or (bool(original) and text != original) or _LATEX.search(text) is not None


def text_of(node: Node) -> str:
    """The text of a node; what the page shows when docling made nothing of it."""
    return as_text(node.get("text")) or as_text(node.get("orig"))


def marks_of(node: Node) -> tuple[Mark, ...]:
    """Emphasis and link of a text."""
    marks: list[Mark] = []
    formatting = node.get("formatting")
    if isinstance(formatting, dict):
        marks += [Mark(kind) for name, kind in _FORMATTING.items() if formatting.get(name) is True]
        if formatting.get("script") in ("super", "sub"):
            marks.append(Mark("sup" if formatting["script"] == "super" else "sub"))
    link = as_text(node.get("hyperlink"))
    if link:
        marks.append(Mark("link", link))
    return tuple(sorted(marks, key=lambda mark: (mark.kind, mark.target)))


def inline_parts(tree: Tree, node: Node, source: Source) -> list[Part]:
    """The text of a node as parts of a line."""
    text = text_of(node)
    label = node.get("label")
    if label == "formula" and text.strip() and tree.is_latex(node):
        return [InlineEquation(text.strip(), source)]
    marks = marks_of(node)
    if label == "code" and text:
        marks = tuple(sorted((*marks, Mark("code")), key=lambda mark: (mark.kind, mark.target)))
    return [Text(text, source, marks)] if text else []


def join(pieces: Iterable[list[Part]]) -> list[Part]:
    """Pieces of a line with blanks where docling took them away, and none where there were none."""
    line: list[Part] = []
    for piece in pieces:
        if line and piece and _needs_blank(line[-1], piece[0]):
            line.append(Text(" "))
        line += piece
    return list(merge_text(line))


def _needs_blank(before: Part, after: Part) -> bool:
    last, first = _edge(before, -1), _edge(after, 0)
    if not last or not first or last.isspace() or first.isspace():
        return False
    if first in _NO_BLANK_BEFORE or last in _NO_BLANK_BEHIND:
        return False
    if _is_script(after) or (_is_script(before) and isinstance(after, Text) and len(after.text.split()[0]) <= 2):
        return False
    return not (_is_wide(last) and _is_wide(first))


def _edge(part: Part, index: int) -> str:
    if isinstance(part, Text):
        return part.text[index] if part.text else ""
    return "x" if isinstance(part, InlineEquation) else ""


def _is_wide(character: str) -> bool:
    """Of a script that writes no blanks: Chinese, Japanese and their marks."""
    return "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or "\uff00" <= character <= "\uffef"


def _is_script(part: Part) -> bool:
    return isinstance(part, Text) and any(mark.kind in ("sup", "sub") for mark in part.marks)
