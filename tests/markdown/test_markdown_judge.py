"""Tables compared with those that pandoc reads."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_builder import parse_bytes
from shared_files import shared_dir

from lrdoc.document import Document, Drawing, Table, iter_items, plain_text
from lrdoc.errors import EmptyDocumentError
from lrdoc.parsers.markdown.settings import MarkdownSettings

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed"),
]
Grid = list[list[str]]

# pandoc 2.17 takes no table that interrupts a paragraph, no row without a pipe and some other freedoms that GFM gives.
KNOWN_DIFFERENCES = 14


def ours(document: Document) -> list[Grid]:
    grids: list[Grid] = []
    for block in document.blocks:
        for parts in (block.parts, *(note.parts for note in block.notes)):
            for item in iter_items(parts):
                if isinstance(item, Table) and item.rows and item.header_rows == 1:
                    grids.append([[_words(cell.parts if cell else ()) for cell in row] for row in item.rows])
    return grids


def _words(parts: Any) -> str:
    text = "".join(part.caption if isinstance(part, Drawing) else plain_text([part]) for part in parts)
    return " ".join(text.split())


def pandocs(text: bytes) -> list[Grid]:
    done = subprocess.run(
        ["pandoc", "-f", "gfm", "-t", "json"], input=text, capture_output=True, check=True, timeout=60
    )
    return [_grid(table) for table in _find(json.loads(done.stdout)["blocks"], "Table")]


def _find(value: Any, kind: str) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _find(item, kind)
    elif isinstance(value, dict):
        if value.get("t") == kind:
            yield value["c"]
        else:
            yield from _find(list(value.values()), kind)


def _grid(table: Any) -> Grid:
    _, _, _, head, bodies, foot = table
    rows = [*head[1], *(row for body in bodies for row in [*body[2], *body[3]]), *foot[1]]
    return [[" ".join("".join(_inline(cell[4])).split()) for cell in row[1]] for row in rows]


def _inline(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _inline(item)
    elif isinstance(value, dict):
        kind, content = value.get("t"), value.get("c")
        if kind == "Str":
            yield content
        elif kind in ("Space", "SoftBreak", "LineBreak"):
            yield " "
        elif kind in ("Code", "Math", "Link", "Image", "Span"):
            yield from [content[1]] if kind in ("Code", "Math") else _inline(content[1])
        elif kind not in ("RawInline", "Note"):
            yield from _inline(content)


def _cases() -> list[tuple[str, str, str]]:
    """Every example of the grammar library's own fixtures: name, text, expected HTML."""
    shared = shared_dir()
    cases: list[tuple[str, str, str]] = []
    for path in sorted(shared.glob("corpus/md/mdit/*.md")) if shared else []:
        found = re.findall(r"^\.\n(.*?)^\.\n(.*?)^\.$", path.read_text(), re.DOTALL | re.MULTILINE)
        cases += [(f"{path.stem} {n}", text, html) for n, (text, html) in enumerate(found, 1)]
    return cases


def _parse(text: bytes, folder: Path) -> list[Grid]:
    try:
        return ours(parse_bytes(text, folder, settings=MarkdownSettings(download_enabled=False)))
    except EmptyDocumentError:
        return []


def test_tables_of_the_corpus_are_those_of_pandoc(tmp_path: Path) -> None:
    shared = shared_dir()
    if shared is None:
        return
    compared = 0
    for path in sorted([*shared.glob("corpus/md/*/*.md"), *shared.glob("corpus/synthetic/*.md")]):
        if path.parent.name == "mdit" or "non-utf8" in path.name or path.name == "latin1.md":
            continue
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        expected = pandocs(text)
        found = _parse(text, tmp_path)
        # a table inside a list item after a line of text is one for GitHub, not for pandoc
        assert [grid for grid in found if grid in expected] == expected, path.name
        assert len(found) - len(expected) <= 1, path.name
        compared += len(expected)
    assert compared >= 8


def test_examples_of_the_grammar_are_read_as_pandoc_or_as_expected(tmp_path: Path) -> None:
    different = []
    cases = _cases()
    for name, text, html in cases:
        found = _parse(text.encode(), tmp_path)
        if found != pandocs(text.encode()):
            different.append(name)
            assert sum(len(grid) for grid in found) == html.count("<tr>"), name
    assert len(different) <= KNOWN_DIFFERENCES, different
    assert not cases or len(cases) > 100
