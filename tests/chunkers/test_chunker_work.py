"""The work is in proportion to the text: how many characters are encoded, and hostile inputs that would cost more."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

from lrdoc.chunkers.base import ChunkContext
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.markup import find_items
from lrdoc.chunkers.registry import Registry
from lrdoc.testing.chunkers import CharTokenizer, FakeEmbedder, check_chunks
from lrdoc.text.tokens import Offsets, load_tokenizer

REGISTRY = Registry()
INNER = load_tokenizer("o200k_base")
WORDS = "index policy graph system engine answer table document query chunk model queue data server memory".split()


class Recording:
    """Counts the characters that are encoded."""

    name = "recording"
    safe_cut = INNER.safe_cut  # type: ignore[attr-defined]

    def __init__(self) -> None:
        self.characters = 0

    def encode(self, text: str) -> Sequence[int]:
        self.characters += len(text)
        return INNER.encode(text)

    def decode(self, tokens: list[int]) -> str:
        return INNER.decode(tokens)

    def count(self, text: str) -> int:
        self.characters += len(text)
        return INNER.count(text)

    def boundaries(self, text: str) -> Offsets:
        self.characters += len(text)
        return INNER.boundaries(text)


def prose(n_words: int) -> str:
    rnd = random.Random(n_words)
    words = rnd.choices(WORDS, k=n_words)
    return " ".join(word + (".\n\n" if i % 60 == 59 else "." if i % 9 == 8 else "") for i, word in enumerate(words))


def encoded(strategy: str, document: ChunkDocument, size: int) -> float:
    """How many times the text was encoded."""
    tokenizer = Recording()
    context = ChunkContext(tokenizer, FakeEmbedder())
    options = REGISTRY.options(strategy, {"chunk_token_size": size})
    if "chunk_overlap_token_size" in options:
        options["chunk_overlap_token_size"] = size // 10
    result = REGISTRY.chunker(strategy).chunk(document, options, context)
    times = tokenizer.characters / len(document.text)
    check_chunks(document, result, context, size)
    return times


def lines_of(blocks: Sequence[tuple[str, str]]) -> ChunkDocument:
    return ChunkDocument.from_lines(
        [
            {"type": "content", "blockid": f"b{i}", "heading": heading, "level": 1, "content": content}
            for i, (heading, content) in enumerate(blocks)
        ]
    )


@pytest.mark.parametrize(("strategy", "most"), [("F", 1.4), ("R", 1.6), ("V", 2.0), ("P", 1.6)])
def test_prose_is_encoded_little_more_than_once(strategy: str, most: float) -> None:
    text = prose(20_000)
    document = lines_of([("A", "# A\n" + part) for part in text.split("\n\n")]) if strategy == "P" else None
    assert encoded(strategy, document or ChunkDocument.from_text(text), 400) < most


def test_a_long_table_is_encoded_a_few_times() -> None:
    rows = [["id", "name", "note"], *([str(i), f"item {i}", " ".join(WORDS[:6])] for i in range(1500))]
    content = f'# T\n<table id="tb-1" format="json">{json.dumps(rows)}</table>'
    assert encoded("P", lines_of([("T", content)]), 400) < 6


def test_many_full_blocks_are_not_compared_with_one_another() -> None:
    blocks = [(f"S{i}", f"# S{i}\n" + " ".join(random.Random(i).choices(WORDS, k=150))) for i in range(800)]
    assert encoded("P", lines_of(blocks), 200) < 3


def test_one_word_without_end_is_encoded_a_few_times() -> None:
    text = "".join(random.Random(1).choices("0123456789abcdef", k=100_000))
    for strategy in "FR":
        assert encoded(strategy, ChunkDocument.from_text(text), 400) < 4


HOSTILE = {
    "open tables": "<table " * 30_000,
    "open tables with quotes": '<table "' * 30_000,
    "tables without end": '<table id="a">' * 20_000,
    "closing tags": "</table>" * 20_000,
    "equations without end": "<equation>" * 20_000,
    "nested tables": "<table>" * 10_000 + "</table>" * 10_000,
    "a string without end": '<table format="json">[["' + '\\"' * 60_000 + "</table>",
    "a row of brackets": '<table format="json">[' + "[" * 50_000 + "</table>",
    "deep arrays": '<table format="json">[["a"],' + "[" * 3_000 + "]" * 3_000 + "]</table>",
    "rows without cells": '<table format="html">' + "<tr>" * 20_000 + "</table>",
    "cells that span everything": '<table format="html">'
    + "".join('<tr><td rowspan="9999">x</td></tr>' for _ in range(300))
    + "</table>",
    "headings": "# a\n" * 20_000,
    "blank lines": "# a" + "\n" * 100_000 + "x",
    "fences": "```\n" * 20_000,
    "spaces": "x" + " " * 200_000 + "y",
    "joiners": "\u200d" * 30_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_blocks_cost_no_more_than_their_length(name: str) -> None:
    document = lines_of([("A", HOSTILE[name])])
    context = ChunkContext(CharTokenizer(), FakeEmbedder())
    options = REGISTRY.options("P", {"chunk_token_size": 2000})
    start = time.process_time()
    result = REGISTRY.chunker("P").chunk(document, options, context)
    assert time.process_time() - start < 8
    check_chunks(document, result, context, 2000)


def test_items_are_found_in_one_pass() -> None:
    text = HOSTILE["tables without end"] + '<equation id="e">x</equation>' + HOSTILE["closing tags"]
    start = time.process_time()
    found = find_items(text)
    assert time.process_time() - start < 2
    assert len(found) == 1


def deep_document() -> ChunkDocument:
    lines: list[dict[str, Any]] = []
    parents: list[str] = []
    for i in range(3000):
        lines.append(
            {
                "type": "content",
                "blockid": f"b{i}",
                "heading": f"H{i}",
                "level": i + 1,
                "parent_headings": parents[-50:],
                "content": f"# H{i}",
            }
        )
        parents.append(f"H{i}")
    return ChunkDocument.from_lines(lines)


def test_thousands_of_levels_are_merged_in_time() -> None:
    context = ChunkContext(CharTokenizer())
    document = deep_document()
    start = time.process_time()
    result = REGISTRY.chunker("P").chunk(document, REGISTRY.options("P", {"chunk_token_size": 400}), context)
    assert time.process_time() - start < 8
    check_chunks(document, result, context, 400)
