"""What is cut and what comes out: reading from disk, provenance, prefixes, custom functions, reports."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lrdoc.chunkers.base import Chunk, ChunkContext, ChunkHeading, ChunkResult, Insert, bound_separators
from lrdoc.chunkers.custom import CustomChunker
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.reading import is_chunkable, read_source
from lrdoc.chunkers.registry import Registry
from lrdoc.chunkers.report import classify_cut, statistics
from lrdoc.errors import Cancelled, ChunkingError, SidecarError, SourceError, UsageError
from lrdoc.testing.chunkers import CharTokenizer, check_chunk, check_chunks, sample_document
from lrdoc.text.tokens import load_tokenizer

REGISTRY = Registry()
CONTEXT = ChunkContext(CharTokenizer())


def cut(strategy: str, document: ChunkDocument, size: int, **options: Any) -> tuple[Chunk, ...]:
    built = REGISTRY.options(strategy, {"chunk_token_size": size, "chunk_overlap_token_size": 0, **options})
    result = REGISTRY.chunker(strategy).chunk(document, built, CONTEXT)
    check_chunks(document, result, CONTEXT, size)
    return result.chunks


def write_lines(path: Path, lines: list[Any]) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


META = {
    "type": "meta",
    "doc_id": "doc-x",
    "doc_title": "The title",
    "lrdoc": {"process_options": "teR", "chunk_options": {"chunk_token_size": 90, "recursive_character": {}}},
}
LINE = {"type": "content", "blockid": "b1", "content": "# A\ntext", "heading": "A", "level": 1, "parent_headings": []}


def test_a_parsed_folder_and_its_blocks_file_are_the_same(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.blocks.jsonl", [META, LINE, "", "no json", {"type": "content", "content": "  "}])
    (tmp_path / "x.tables.json").write_text('{"tables": {"tb-1": {"table_header": "[[1]]", "caption": "C"}}}')
    folder, file = read_source(tmp_path), read_source(path)
    assert folder.document == file.document
    assert (file.document.doc_id, file.document.title, file.document.text) == ("doc-x", "The title", "# A\ntext")
    assert file.document.tables["tb-1"].caption == "C"
    assert file.stored_options == ("teR", META["lrdoc"]["chunk_options"])  # type: ignore[index]
    assert is_chunkable(tmp_path)
    assert is_chunkable(path)
    assert not is_chunkable(tmp_path / "x.tables.json")


def test_lines_of_other_implementations_are_taken_as_they_are(tmp_path: Path) -> None:
    lines = [
        {"content": "no type"},
        {"type": "content", "content": 5},
        {"type": "other", "content": "left out"},
        {"type": "content", "content": "odd", "heading": None, "level": "H2", "parent_headings": "x", "provenance": 3},
        ["a", "list"],
    ]
    document = read_source(write_lines(tmp_path / "y.jsonl", lines)).document
    assert document.text == "no type\n\nodd"
    assert [block.level for block in document.blocks] == [0, 2]
    assert len(document.notes) == 2


@pytest.mark.parametrize("tables", ["", "[]", "{", '{"tables": [1]}', '{"tables":' * 100_000])
def test_unreadable_tables_only_cost_headers(tmp_path: Path, tables: str) -> None:
    write_lines(tmp_path / "x.blocks.jsonl", [LINE])
    (tmp_path / "x.tables.json").write_text(tables)
    assert read_source(tmp_path).document.text == "# A\ntext"


def test_plain_text_with_its_source_map(tmp_path: Path) -> None:
    (tmp_path / "n.txt").write_text("First page.\n\nSecond page.", encoding="utf-8")
    entries = [{"chars": [13, 25], "page": 2}, {"chars": [0, 11], "page": 1}, {"chars": "bad"}]
    (tmp_path / "n.source_map.json").write_text(json.dumps({"document_name": "n.pdf", "map": entries}))
    document = read_source(tmp_path).document
    first, second = cut("R", document, 16)
    assert first.provenance == ({"chars": [0, 11], "page": 1},)
    assert second.provenance == ({"chars": [0, 12], "page": 2},)
    assert document.title == "n.pdf"


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match="holds no document"):
        read_source(tmp_path)
    with pytest.raises(SourceError, match="cannot be read"):
        read_source(tmp_path / "gone.blocks.jsonl")
    with pytest.raises(SidecarError, match="no line of a blocks"):
        read_source(write_lines(tmp_path / "bad.blocks.jsonl", ["x", "y"]))
    deep = '{"map":' * 100_000
    (tmp_path / "deep.blocks.jsonl").write_text(deep)
    with pytest.raises(SidecarError, match="no line of a blocks"):
        read_source(tmp_path / "deep.blocks.jsonl")
    (tmp_path / "deep.source_map.json").write_text(deep)
    (tmp_path / "deep.txt").write_text("x")
    with pytest.raises(SidecarError, match="cannot be read"):
        read_source(tmp_path / "deep.source_map.json")


def test_every_chunk_leads_back_to_paragraph_and_block() -> None:
    document = sample_document()
    for chunk in cut("R", document, 40):
        for entry in chunk.provenance:
            a, b = entry["chars"]
            text = chunk.content[a:b]
            block = next(block for block in document.blocks if block.id == entry["block"])
            assert text in document.text[block.start : block.end]
            number = int(entry["path"].removeprefix("body/p[").removesuffix("]"))
            assert number in (2 * int(block.id[-1]), 2 * int(block.id[-1]) + 1)
        covered = {i for entry in chunk.provenance for i in range(*entry["chars"])}
        missing = {chunk.content[i] for i in range(len(chunk.content)) if i not in covered}
        assert all(char.isspace() or char == "#" for char in missing)


def test_blocks_without_provenance_give_their_positions() -> None:
    line = {**LINE, "positions": [{"type": "paraid", "range": ["A", "B"]}]}
    (chunk,) = cut("P", ChunkDocument.from_lines([line]), 50)
    assert chunk.provenance[0]["positions"] == [{"type": "paraid", "range": ["A", "B"]}]


def test_a_chunk_is_one_json_object() -> None:
    chunk = cut("P", sample_document(), 200)[0]
    row = json.loads(json.dumps(chunk.to_dict()))
    assert list(row)[:4] == ["chunk_id", "chunk_order_index", "content", "tokens"]
    assert row["chunk_id"] == "doc-sample-chunk-000"
    assert row["heading"] == {"level": 1, "heading": "1 Section", "parent_headings": []}
    assert row["sidecar"]["id"] == "block-1"
    assert "prefix" not in row


def test_the_prefix_names_path_and_caption_and_stays_apart() -> None:
    content = '# A\n<table id="tb-1" format="json">[["a", "b"], ["1", "2"]]</table>'
    line = {**LINE, "content": content, "parent_headings": ["Top"]}
    document = ChunkDocument.from_lines([line], {"tb-1": {"caption": "Table 1: Things"}}, title="Book")
    (chunk,) = cut("P", document, 200, context_prefix=True)
    assert chunk.prefix == "Book > Top > A\nTable 1: Things\n\n"
    assert chunk.content == content
    assert chunk.text_for_embedding == chunk.prefix + content
    assert chunk.to_dict()["prefix_tokens"] == len(chunk.prefix)


def test_the_bounds_of_a_cascade_answer_in_two_ways() -> None:
    many = [f"s{i}" for i in range(70)]
    kept, notes = bound_separators([*many, ""])
    assert (len(kept), kept[-1], len(notes)) == (64, "", 1)
    kept, notes = bound_separators(["x" * 257, "\n"])
    assert (kept, len(notes)) == (("\n", ""), 1)
    assert bound_separators(["x" * 300])[0] == ("\n\n", "\n", " ", "")
    assert bound_separators(["\n"])[0] == ("\n", "")


def test_changed_separators_are_told_in_r() -> None:
    built = REGISTRY.options("R", {"chunk_token_size": 40, "chunk_overlap_token_size": 0, "separators": ["x" * 300]})
    result = REGISTRY.chunker("R").chunk(sample_document(), built, CONTEXT)
    assert [warning.code for warning in result.warnings] == ["separators_changed"]


# Functions of a caller


def run_custom(function: Any, document: ChunkDocument | None = None) -> ChunkResult:
    options = REGISTRY.options("C", {"chunk_token_size": 50, "split_by_character": "\n"})
    return CustomChunker(function).chunk(document or sample_document(), options, CONTEXT)


def test_a_function_gets_the_six_arguments_and_its_rows_their_places() -> None:
    seen: list[Any] = []

    def by_block(tokenizer: Any, content: str, separator: Any, only: bool, overlap: int, size: int) -> list[Any]:
        seen.extend([separator, only, overlap, size])
        return [{"content": part + "\n"} for part in content.split("\n\n")]

    document = sample_document()
    result = run_custom(by_block, document)
    assert seen == ["\n", False, 100, 50]
    assert [chunk.refs for chunk in result.chunks] == [("block-1",), ("block-2",), ("block-3",), ("block-4",)]
    for chunk in result.chunks:
        check_chunk(document, chunk)


async def slow(tokenizer: Any, content: str, *rest: Any) -> list[Any]:
    await asyncio.sleep(0)
    return [{"content": content}]


def test_a_coroutine_function_works_with_and_without_a_running_loop() -> None:
    async def inside() -> ChunkResult:
        return run_custom(slow)

    assert run_custom(slow) == asyncio.run(inside())


def test_text_that_is_not_in_the_document_is_marked() -> None:
    rows = [{"content": "a summary", "heading": {"level": 2, "heading": "H", "parent_headings": ["T"]}}]
    result = run_custom(lambda *args: rows)
    (chunk,) = result.chunks
    assert (chunk.spans, chunk.inserts) == ((), (Insert((0, 9), "text"),))
    assert chunk.heading == ChunkHeading(2, "H", ("T",))
    assert [warning.code for warning in result.warnings] == ["not_in_text"]


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (lambda *args: "text", "gave a str"),
        (lambda *args: ["text"], "row 0"),
        (lambda *args: [{"text": "x"}], "row 0"),
        (lambda *args: 1 / 0, "failed on doc-sample: ZeroDivisionError"),
    ],
)
def test_a_function_that_does_not_fit_names_the_document(function: Any, word: str) -> None:
    with pytest.raises(ChunkingError, match=word):
        run_custom(function)


def test_c_without_a_function_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="CustomChunker"):
        REGISTRY.chunker("C").chunk(sample_document(), REGISTRY.options("C"), CONTEXT)


def test_a_run_is_cancelled() -> None:
    for strategy in "FRP":
        context = ChunkContext(load_tokenizer("o200k_base"), cancelled=lambda: True)
        with pytest.raises(Cancelled):
            REGISTRY.chunker(strategy).chunk(sample_document(), REGISTRY.options(strategy), context)


# Reports


def test_cuts_are_told_by_what_stands_between() -> None:
    def kind(text: str, end: int, start: int) -> str:
        document = ChunkDocument.from_text(text)
        before = Chunk("a", 0, text[:end], end, "x", spans=((0, end),))
        after = Chunk("b", 1, text[start:], 1, "x", spans=((start, len(text)),))
        return classify_cut(document, before, after)

    assert kind("one.\n\ntwo", 4, 6) == "paragraph"
    assert kind("one\ntwo", 3, 4) == "line"
    assert kind("One. Two", 4, 5) == "sentence"
    assert kind("一。二", 2, 2) == "sentence"
    assert kind("one two", 3, 4) == "word"
    assert kind("onetwo", 3, 3) == "character"


def test_statistics_count_sizes_cuts_and_repetition() -> None:
    document = sample_document()
    stats = statistics(document, cut("P", document, 200), 200)
    assert stats["cuts"] == {"heading": stats["chunks"] - 1}
    assert sum(row["chunks"] for row in stats["histogram"]) == stats["chunks"]
    assert stats["histogram"][-1]["to"] == 200
    assert stats["characters_repeated"] == 0
    assert statistics(document, (), 200)["tokens"]["max"] == 0
