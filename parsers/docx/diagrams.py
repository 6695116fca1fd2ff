"""SmartArt: the texts of its points as indented lines, in the order in which the diagram nests them (21.4)."""

from __future__ import annotations

from typing import Any

from lrdoc.document import Drawing, Part, Source, Text
from lrdoc.parsers.docx.names import DGM, A
from lrdoc.parsers.docx.state import Line

_INDENT = "  "
_MAX_INDENT = 8


def read_diagram(line: Line, rel_id: str | None, extras: dict[str, Any]) -> None:
    """Read the diagram data that a relationship of the current part leads to; its lines follow the paragraph."""
    reader = line.reader
    package = reader.package
    rel = package.rel(line.walk.part, rel_id)
    root = package.xml(rel.target) if rel is not None and not rel.external else None
    if rel is None or root is None:
        reader.warn(
            "diagram_missing",
            "A SmartArt diagram has no readable data part; its texts are missing",
            line.source,
        )
        line.add(Drawing(source=line.source, extras=extras))
        return
    part = package.prefix + rel.target
    line.add(Drawing(source=line.source, extras={**extras, "diagram": part}))
    known = reader.shared.setdefault("diagrams", set())
    if part not in known:
        known.add(part)
        for parts in diagram_lines(root, part):
            line.after(parts)


def diagram_lines(root: Any, part: str) -> list[list[Part]]:
    """Lines of a dgm:dataModel: one for each paragraph of each point that shows text."""
    points: dict[str, tuple[int, Any]] = {}
    for number, point in enumerate(root.iter(DGM + "pt"), 1):
        if point.get("type") != "pres":
            points.setdefault(point.get("modelId") or f"#{number}", (number, point))
    children: dict[str, list[tuple[int, int, str]]] = {}
    inner: set[str] = set()
    for order, link in enumerate(root.iter(DGM + "cxn")):
        if link.get("type", "parOf") == "parOf":
            source, target = link.get("srcId") or "", link.get("destId") or ""
            if source in points and target in points:
                children.setdefault(source, []).append((_number(link.get("srcOrd")), order, target))
                inner.add(target)
    tops = [identity for identity in points if identity not in inner]
    lines: list[list[Part]] = []
    seen: set[str] = set()
    # Points that only loops lead to come last.
    for start in [*tops, *points]:
        stack = [(start, 0)]
        while stack:
            identity, depth = stack.pop()
            if identity in seen:
                continue
            seen.add(identity)
            number, point = points[identity]
            is_document = point.get("type") == "doc"
            lines += _point_lines(point, Source(part, f"dataModel/pt[{number}]"), depth)
            below = depth if is_document else depth + 1
            stack += [(child, below) for _, _, child in sorted(children.get(identity, ()), reverse=True)]
    return lines


def _point_lines(point: Any, source: Source, depth: int) -> list[list[Part]]:
    lines: list[list[Part]] = []
    for number, paragraph in enumerate(point.iter(A + "p"), 1):
        text = " ".join("".join(node.text or "" for node in paragraph.iter(A + "t")).split())
        if text:
            mark = Text(_INDENT * min(depth, _MAX_INDENT) + "- ")
            lines.append([mark, Text(text, Source(source.part, f"{source.path}/p[{number}]"))])
    return lines


def _number(value: str | None) -> int:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
