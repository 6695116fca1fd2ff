"""Pictures and other graphics in a line."""

from __future__ import annotations

import posixpath
from typing import Any

from lrdoc.document import Drawing, Mark
from lrdoc.parsers.docx.names import MC, A, R, V, W
from lrdoc.parsers.docx.package import PART_ERRORS
from lrdoc.parsers.docx.state import Line


def read_graphic(line: Line, element: Any, marks: tuple[Mark, ...] = ()) -> None:
    """A w:drawing, w:pict or w:object: its pictures stay in the line, its text boxes follow the paragraph."""
    package = line.reader.package
    for node in element.iter(A + "blip", V + "imagedata", W + "txbxContent"):
        if any(ancestor.tag in (W + "txbxContent", MC + "Fallback") for ancestor in _between(node, element)):
            continue
        if node.tag == W + "txbxContent":
            line.box(node)
            continue
        rel = package.rel(line.walk.part, node.get(R + "link") or node.get(R + "embed") or node.get(R + "id"))
        if rel is None:
            continue
        suffix = posixpath.splitext(rel.target)[1][1:].lower().replace("jpg", "jpeg")
        if rel.external:
            line.add(Drawing(None, suffix, rel.raw, source=line.source))
            continue
        stream = package.stream(rel.target)
        if stream is None:
            line.reader.warn("picture_missing", f"The picture {rel.target} is not in the package", line.source)
            continue
        try:
            asset = line.reader.context.assets.put(stream, posixpath.basename(rel.target))
        except PART_ERRORS as error:
            line.reader.warn("picture_unreadable", f"The picture {rel.target} cannot be read: {error}", line.source)
            continue
        line.add(Drawing(asset, suffix, source=line.source))


def _between(node: Any, outer: Any) -> Any:
    for ancestor in node.iterancestors():
        if ancestor is outer:
            return
        yield ancestor
