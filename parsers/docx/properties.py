"""Document properties: core, application and custom ones, for `doc_attributes`."""

from __future__ import annotations

from typing import Any

from lxml import etree

from lrdoc.parsers.docx.names import local_name
from lrdoc.parsers.docx.package import Package

_LONGEST = 20_000


def read_properties(package: Package) -> dict[str, Any]:
    """Core properties by their own names (title, creator, modified …); "app" and "custom" hold the others."""
    found: dict[str, Any] = {}
    for rel in package.rels("").values():
        if rel.external or not package.has(rel.target):
            continue
        if rel.kind == "core-properties":
            found.update(_simple(package.xml(rel.target)))
        elif rel.kind in ("extended-properties", "extendedProperties"):
            values = _simple(package.xml(rel.target))
            if values:
                found["app"] = values
        elif rel.kind in ("custom-properties", "customProperties"):
            values = _custom(package.xml(rel.target))
            if values:
                found["custom"] = values
    return found


def _simple(root: etree._Element | None) -> dict[str, str]:
    """Elements that hold text and nothing else."""
    values: dict[str, str] = {}
    if root is None:
        return values
    for child in root:
        text = (child.text or "").strip()
        name = local_name(child.tag)
        if name and text and not len(child):
            values.setdefault(name, text[:_LONGEST])
    return values


def _custom(root: etree._Element | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if root is None:
        return values
    for child in root:
        name = child.get("name")
        typed = next(iter(child), None)
        if not name or typed is None:
            continue
        text = "".join(str(piece) for piece in typed.itertext()).strip()[:_LONGEST]
        values.setdefault(name, _typed(local_name(typed.tag), text))
    return values


def _typed(kind: str, text: str) -> Any:
    if kind == "bool":
        return text.lower() in ("1", "true")
    if kind in ("i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint"):
        try:
            return int(text) if len(text) <= 20 else text
        except ValueError:
            return text
    return text
