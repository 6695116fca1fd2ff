"""Bundles of parsing services: made in a few words, built into documents, and held against what they say."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

from lrdoc.document import Citation, Document, Drawing, Equation, InlineEquation, Part, Table, Text
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.services.bundle import ServiceParser
from lrdoc.sidecar.check import check_folder
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document
from lrdoc.testing.assets import MemoryAssets

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d494844520000000100000001080000000039d8d7a30000000a49444154789c63600000000200010d0a2db40000000049454e44ae426082"
)


def write_bundle(folder: Path, files: Mapping[str, Any]) -> Path:
    """Files of a bundle; what is not bytes is written as JSON."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode())
    return folder


def unzip(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    return folder


def build(parser: ServiceParser, bundle: Path, name: str, **more: Any) -> Document:
    """The document of a bundle, without service."""
    source = SourceFile(bundle.parent / name, name)
    return parser.build(bundle, source, {}, ParseContext(MemoryAssets(), **more))


def write_and_check(parser: ServiceParser, bundle: Path, name: str, folder: Path) -> list[str]:
    """Write the document of a bundle as a parsed folder; what `check` finds wrong with it."""
    target = folder / f"{name}.parsed"
    target.mkdir(parents=True)
    source = SourceFile(bundle.parent / name, name)
    document = parser.build(bundle, source, {}, ParseContext(FolderAssets(target, name)))
    info = FolderInfo("doc-test", name, parser.engine_name, "2026-01-01T00:00:00.000000+00:00")
    write_document(document, info, target)
    return [str(problem) for problem in check_folder(target)]


def letters(text: str) -> str:
    """Letters and digits alone: markup, blanks, labels and addresses of links do not count."""
    text = re.sub(r"\]\([^()\s]*\)", "]", text)
    return "".join(c for c in unescape(re.sub(r"<[^<>]*>", " ", text)) if c.isalnum())


def shown(parts: Iterable[Part]) -> Iterator[str]:
    """All texts of the parts in order, with those of the fields of items."""
    for part in parts:
        if isinstance(part, Text | Citation):
            yield part.text
        elif isinstance(part, InlineEquation):
            yield part.latex
        elif isinstance(part, Table | Drawing | Equation):
            if isinstance(part, Table):
                yield part.html or ""
                for row in part.rows:
                    for cell in row:
                        yield from shown(cell.parts if cell is not None else ())
            if isinstance(part, Equation):
                yield part.latex
            yield part.caption
            yield from part.footnotes
            yield from strings(dict(part.extras))


def strings(value: Any) -> Iterator[str]:
    """All strings in a JSON value, in order."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            stack += reversed(list(one.values()))
        elif isinstance(one, list | tuple):
            stack += reversed(one)


def streams(document: Document) -> tuple[str, str]:
    """Letters of the body and of the regions."""
    body, regions = (
        letters("\n".join(text for block in blocks for text in shown(block.parts)))
        for blocks in (document.blocks, document.regions)
    )
    return body, regions


def missing(document: Document, items: Iterable[Sequence[str]]) -> list[str]:
    """Strings of the items that are not in the document in the order of the items."""
    found = streams(document)
    cursors = [0, 0]
    lost: list[str] = []
    for texts in items:
        ends = list(cursors)
        for text in texts:
            wanted = letters(text)
            if not wanted:
                continue
            for n in (0, 1):
                place = found[n].find(wanted, cursors[n])
                if place >= 0:
                    ends[n] = max(ends[n], place + len(wanted))
                    break
            else:
                lost.append(text)
        cursors = ends
    return lost
