"""The first blocks of a document, as lines for a terminal."""

from __future__ import annotations

from unicodedata import east_asian_width

from lrdoc.cli.common import printable
from lrdoc.document import Block, Document, plain_text

WIDTH = 100


def outline(document: Document, limit: int) -> tuple[list[str], int]:
    """A line for each of the first `limit` blocks, and how many blocks there are beyond them."""
    if limit <= 0:
        return [], 0
    if document.kind == "raw":
        lines = [line.strip() for line in plain_text(document.blocks[0].parts).splitlines() if line.strip()]
        return [clip(line) for line in lines[:limit]], 0
    lines = [describe(block) for block in document.blocks[:limit]]
    return lines, max(0, len(document.blocks) - limit)


def describe(block: Block) -> str:
    """The heading, indented by its level, and the beginning of the text under it."""
    text = " ".join(plain_text(block.parts).split())
    heading = " ".join(block.heading.split())
    body = text[len(heading) :].lstrip() if text.startswith(heading) else text
    indent = "  " * max(0, block.level - 1)
    if not heading:
        return clip(indent + (body or "(items only)"))
    mark = "#" * min(block.level, 6) + " " if block.level else ""
    return clip(f"{indent}{mark}{heading}" + (f": {body}" if body else ""))


def clip(text: str) -> str:
    """Cut to the columns of a line, without control characters; wide characters take two columns."""
    text = printable(text[: WIDTH + 1])
    if text.isascii() and len(text) <= WIDTH:
        return text
    used = 0
    for at, character in enumerate(text):
        used += 2 if east_asian_width(character) in "WF" else 1
        if used > WIDTH:
            return text[: at - 1] + "…"
    return text
