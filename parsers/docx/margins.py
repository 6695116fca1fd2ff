"""Regions outside the body: headers, footers and comments."""

from __future__ import annotations

from lrdoc.document import Block
from lrdoc.parsers.docx.state import Reader


def read_margins(reader: Reader) -> None:
    """Add headers, footers and comments to the regions of the document."""
    package = reader.package
    for rel in list(package.rels(package.main).values()):
        place = reader.options.comments if rel.kind == "comments" else reader.options.headers
        if rel.kind not in ("header", "footer", "comments") or rel.external or place == "drop":
            continue
        root = package.xml(rel.target)
        if root is None:
            continue
        if rel.kind == "comments":
            for at, comment in enumerate(root, 1):
                parts = reader.read_blocks(comment, rel.target, f"comments/comment[{at}]")
                if parts:
                    reader.regions.append(Block(parts=parts, region="comment"))
        else:
            parts = reader.read_blocks(root, rel.target, "hdr" if rel.kind == "header" else "ftr")
            if parts:
                reader.regions.append(Block(parts=parts, region=rel.kind))
