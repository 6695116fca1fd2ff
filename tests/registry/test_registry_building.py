"""The helpers with which engines make documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lrdoc.document import plain_text
from lrdoc.errors import EmptyDocumentError
from lrdoc.sdk import (
    DocumentBuilder,
    Drawing,
    ParseContext,
    Source,
    SourceFile,
    Text,
    TextParser,
    make_table,
    make_text_document,
)
from lrdoc.testing.assets import MemoryAssets
from lrdoc.testing.structure import find_outline_faults, find_table_faults, find_type_faults

FILE = SourceFile(Path("a.toy"), "a.toy")
HERE = Source(lines=(1, 2))


def builder() -> DocumentBuilder:
    return DocumentBuilder(FILE)


def test_headings_make_blocks_with_the_right_parents() -> None:
    document = builder()
    document.line("before", HERE)
    for text, level in (("A", 1), ("B", 3), ("C", 3), ("D", 2), ("E", 1)):
        document.heading(text, level, HERE)
    built = document.build()
    assert [(b.heading, b.level, b.parents) for b in built.blocks] == [
        ("", 0, ()), ("A", 1, ()), ("B", 3, ("A",)), ("C", 3, ("A",)), ("D", 2, ("A",)), ("E", 1, ()),
    ]  # fmt: skip
    assert built.title == "A"
    assert not find_outline_faults(built)
    assert not find_type_faults(built)


def test_lines_and_items_stand_on_lines_of_their_own() -> None:
    document = builder()
    document.heading("A", 1, HERE)
    document.line("one\ntwo\n", HERE)
    document.item(Drawing(src="x", source=HERE))
    document.line("three", HERE)
    (block,) = document.build().blocks
    assert plain_text(block.parts) == "A\none\ntwo\n\nthree"


def test_titles_come_from_the_file_the_headings_or_the_name() -> None:
    document = builder()
    document.heading("Deep", 2, HERE)
    document.heading("Top", 1, HERE)
    assert document.build().title == "Top"
    document = builder()
    document.title = "Given"
    document.line("x", HERE)
    assert document.build().title == "Given"
    document = builder()
    document.line("x", HERE)
    assert document.build().title == "a"


def test_a_heading_that_is_too_long_is_text_with_a_warning() -> None:
    document = builder()
    document.heading("x" * 201, 1, HERE)
    document.heading("  \n ", 1, HERE)
    document.heading("two\nlines", 12, HERE)
    built = document.build()
    assert [w.code for w in built.warnings] == ["long_heading"]
    assert [b.heading for b in built.blocks] == ["", "two lines"]
    assert built.blocks[1].level == 9


def test_nothing_is_an_error() -> None:
    with pytest.raises(EmptyDocumentError):
        builder().build()
    document = builder()
    document.line("  \n ", HERE)
    with pytest.raises(EmptyDocumentError):
        document.build()
    with pytest.raises(EmptyDocumentError):
        make_text_document(FILE, " \n")


def test_short_rows_are_filled_up() -> None:
    table = make_table([["a", "b"], ["c"], []], HERE, header_rows=5)
    document = builder()
    document.item(table)
    assert not find_table_faults(document.build())
    assert table.header_rows == 3


def test_a_text_engine_returns_a_string_or_pieces(tmp_path: Path) -> None:
    class Lines(TextParser):
        def read(
            self, source: SourceFile, params: Mapping[str, Any], context: ParseContext
        ) -> str | Iterator[tuple[str, Source | None]]:
            text = source.path.read_text()
            if params.get("whole"):
                return text
            return ((line + "\n", Source(lines=(n, n + 1))) for n, line in enumerate(text.split("\n"), 1))

    path = tmp_path / "a.toy"
    path.write_text("one\r\ntwo")
    source = SourceFile(path, "a.toy")
    whole = Lines().parse(source, {"whole": True}, ParseContext(MemoryAssets()))
    assert whole.kind == "raw"
    assert plain_text(whole.blocks[0].parts) == "one\ntwo"
    pieces = Lines().parse(source, {}, ParseContext(MemoryAssets()))
    assert [part.source for part in pieces.blocks[0].parts if isinstance(part, Text)] == [
        Source(lines=(1, 2)),
        Source(lines=(2, 3)),
    ]
    assert not find_type_faults(pieces)
