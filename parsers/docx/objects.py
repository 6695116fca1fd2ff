"""Embedded objects: what was embedded, and the file itself as an asset."""

from __future__ import annotations

import posixpath
from typing import Any

from lrdoc.parsers.docx.media import store_file
from lrdoc.parsers.docx.names import O, R, W
from lrdoc.parsers.docx.ole import package_name
from lrdoc.parsers.docx.state import Line

_OBJECTS = frozenset((O + "OLEObject", W + "objectEmbed", W + "objectLink", W + "control"))
_MOST_BYTES = 16 * 1024 * 1024
"""Larger packages keep the name of their part: reading them twice costs more than the name is worth."""
_EQUATION_EDITORS = ("equation.", "mathtype", "eqnedit")


def read_object(line: Line, element: Any) -> dict[str, str] | None:
    """Facts about the object in a w:object, with the stored file under "asset"; None when it holds none."""
    found = next((child for child in element if child.tag in _OBJECTS), None)
    if found is None:
        return None
    program = found.get("ProgID") or found.get(W + "progId") or found.get(W + "name") or ""
    facts = {"prog_id": program}
    rel = line.reader.package.rel(line.walk.part, found.get(R + "id"))
    if rel is not None and rel.external:
        facts["target"] = rel.raw
    elif rel is not None:
        asset = store_file(line.reader, rel.target, line.source)
        facts["name"] = _package_name(line, rel.target) or posixpath.basename(rel.target)
        if asset is not None:
            facts["asset"] = asset.name
    if program.lower().startswith(_EQUATION_EDITORS):
        line.reader.warn(
            "equation_object",
            f"An equation made with {program} is kept as a picture; convert it in Word to an Office Math equation to "
            "have it as LaTeX",
            line.source,
        )
    return {key: value for key, value in facts.items() if value}


def _package_name(line: Line, part: str) -> str:
    """Name of the file inside an OLE package, "" when this is none."""
    package = line.reader.package
    if not 512 <= package.size(part) <= _MOST_BYTES or not part.lower().endswith((".bin", ".ole")):
        return ""
    return package_name(package.read(part) or b"")
