"""Conformance kit for chunkers: what every strategy keeps, whatever the text.

A chunker's test file is a subclass with a fixture:

    class TestMine(ChunkerConformance):
        @pytest.fixture
        def chunker_spec(self): return SPEC
"""

from __future__ import annotations

import copy
import itertools
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lrdoc.chunkers.base import Chunk, ChunkContext, ChunkerSpec, ChunkResult
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import content_places
from lrdoc.chunkers.registry import build_options, check_spec, load_chunker
from lrdoc.errors import Cancelled
from lrdoc.text.tokens import EstimateTokenizer, as_tokenizer


class CharTokenizer:
    """One token per code point: counts can be checked by eye."""

    name = "char"

    def encode(self, text: str) -> list[int]:
        return [ord(char) for char in text]

    def decode(self, tokens: list[int]) -> str:
        return "".join(map(chr, tokens))


class FakeEmbedder:
    """Counts words by the sum of their characters: the same text has the same vector, no model is needed."""

    name = "fake"
    dimension = 32
    max_input_tokens: int | None = None

    def __init__(self) -> None:
        self.calls: list[int] = []
        """How many texts each call had."""

    def embed(self, texts: Sequence[str], *, context: str = "document") -> NDArray[np.float64]:
        self.calls.append(len(texts))
        rows = np.zeros((len(texts), self.dimension))
        for i, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                rows[i, sum(map(ord, word)) % self.dimension] += 1.0
        return rows


def check_chunks(
    document: ChunkDocument,
    result: ChunkResult,
    context: ChunkContext,
    size: int,
    *,
    left_out: Iterable[tuple[int, int]] = (),
    has_spans: bool = True,
) -> None:
    """AssertionError when a result breaks a law. `left_out`: ranges of the text that were dropped on purpose."""
    tokenizer = as_tokenizer(context.tokenizer)
    chunks = result.chunks
    assert [chunk.chunk_order_index for chunk in chunks] == list(range(len(chunks))), "order indexes have gaps"
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks), "two chunks have the same id"
    for chunk in chunks:
        check_chunk(document, chunk)
        assert chunk.tokens == tokenizer.count(chunk.content), "tokens are not those of the content"
        assert chunk.tokens <= size, f"{chunk.tokens} tokens, {size} allowed"
        if chunk.prefix:
            assert tokenizer.count(chunk.text_for_embedding) <= size, "prefix and content are over the size"
    if not has_spans:
        return
    begins = [chunk.spans[0][0] for chunk in chunks]
    assert begins == sorted(begins), "chunks do not ascend"
    plain = [chunk.spans[0] for chunk in chunks if len(chunk.spans) == 1 and not chunk.inserts]
    for (a, b), (c, d) in itertools.pairwise(plain):
        assert not (a <= c and d <= b) and not (c <= a and b <= d), "a chunk lies inside its neighbour"
    check_nothing_lost(document, chunks, left_out)


def check_chunk(document: ChunkDocument, chunk: Chunk) -> None:
    """A chunk's content is its slices and inserts, its spans ascend, its references and provenance fit."""
    assert chunk.content.strip(), "an empty chunk"
    assert chunk.content == chunk.content.strip(), "white space around a chunk"
    for start, end in chunk.spans:
        assert 0 <= start < end <= len(document.text), "a span outside the text"
    for (_, end), (start, _) in itertools.pairwise(chunk.spans):
        assert end <= start, "spans do not ascend"
    rebuilt = []
    place = 0
    for insert in chunk.inserts:
        rebuilt.append(chunk.content[place : insert.chars[0]])
        place = insert.chars[1]
    rebuilt.append(chunk.content[place:])
    assert "".join(rebuilt) == "".join(document.text[a:b] for a, b in chunk.spans), "content is not its slices"
    for where, (a, b) in content_places(chunk.spans, chunk.inserts):
        assert chunk.content[where : where + b - a] == document.text[a:b], "a slice stands at another place"
    ids = {block.id for block in document.blocks}
    assert set(chunk.refs) <= ids, "a reference to a block that is not there"
    for entry in chunk.provenance:
        a, b = entry["chars"]
        assert 0 <= a < b <= len(chunk.content), "provenance outside the content"


_COMMA = re.compile(r"\s*,\s*")


def check_nothing_lost(
    document: ChunkDocument, chunks: Iterable[Chunk], left_out: Iterable[tuple[int, int]] = ()
) -> None:
    """Nothing but white space stands outside all chunks, but for the comma between two rows of a divided table."""
    place = 0
    text = document.text
    spans = sorted([*(span for chunk in chunks for span in chunk.spans), *left_out])
    for start, end in [*spans, (len(text), len(text))]:
        if start > place:
            gap = text[place:start]
            assert not gap.strip() or _COMMA.fullmatch(gap), f"lost: {gap[:80]!r} at {place}"
        place = max(place, end)


class ChunkerConformance:
    """Subclass it and give `chunker_spec`; options that the chunker needs go into `options`."""

    options: Mapping[str, Any] = {}
    size = 40
    is_verbatim = True
    """False: the chunker writes text of its own, so its chunks need no spans."""

    def run(self, spec: ChunkerSpec, document: ChunkDocument, tokenizer: Any = None, **changes: Any) -> ChunkResult:
        """One run with small chunks."""
        values: dict[str, Any] = {"chunk_token_size": self.size}
        if spec.option("chunk_overlap_token_size") is not None:
            values["chunk_overlap_token_size"] = 8
        options = build_options(spec, {**values, **self.options, **changes})
        context = ChunkContext(tokenizer or CharTokenizer(), FakeEmbedder())
        before = copy.deepcopy(options)
        result = load_chunker(spec).chunk(document, options, context)
        assert options == before, "the options were changed"
        check_chunks(document, result, context, options["chunk_token_size"], has_spans=self.is_verbatim)
        return result

    def test_the_specification_fits(self, chunker_spec: ChunkerSpec) -> None:
        check_spec(chunker_spec)

    def test_texts_are_cut_by_the_laws(self, chunker_spec: ChunkerSpec) -> None:
        for text in SAMPLE_TEXTS:
            for tokenizer in (CharTokenizer(), EstimateTokenizer()):
                self.run(chunker_spec, ChunkDocument.from_text(text), tokenizer)

    def test_blocks_are_cut_by_the_laws(self, chunker_spec: ChunkerSpec) -> None:
        self.run(chunker_spec, sample_document())

    def test_empty_text_gives_no_chunk(self, chunker_spec: ChunkerSpec) -> None:
        for text in ("", "  \n \n "):
            assert self.run(chunker_spec, ChunkDocument.from_text(text)).chunks == ()

    def test_the_same_input_gives_the_same_chunks(self, chunker_spec: ChunkerSpec) -> None:
        assert self.run(chunker_spec, sample_document()) == self.run(chunker_spec, sample_document())

    def test_two_threads_do_not_disturb_each_other(self, chunker_spec: ChunkerSpec) -> None:
        expected = self.run(chunker_spec, sample_document())
        found: list[ChunkResult] = []
        threads = [
            threading.Thread(target=lambda: found.append(self.run(chunker_spec, sample_document()))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [expected] * 4

    def test_a_cancelled_run_ends(self, chunker_spec: ChunkerSpec) -> None:
        context = ChunkContext(CharTokenizer(), FakeEmbedder(), cancelled=lambda: True)
        options = build_options(
            chunker_spec, {"chunk_token_size": self.size, **_no_overlap(chunker_spec), **self.options}
        )
        try:
            load_chunker(chunker_spec).chunk(sample_document(), options, context)
        except Cancelled:
            return
        raise AssertionError("the chunker never called context.check()")

    def test_chunks_become_json(self, chunker_spec: ChunkerSpec) -> None:
        import json

        for chunk in self.run(chunker_spec, sample_document()).chunks:
            row = json.loads(json.dumps(chunk.to_dict()))
            assert row["content"] == chunk.content
            assert row["chunk_order_index"] == chunk.chunk_order_index


def _no_overlap(spec: ChunkerSpec) -> dict[str, int]:
    return {"chunk_overlap_token_size": 0} if spec.option("chunk_overlap_token_size") is not None else {}


SAMPLE_TEXTS: tuple[str, ...] = (
    "One short line.",
    "First paragraph. It has two sentences.\n\nSecond paragraph, which is somewhat longer than the first one was.",
    "没有空格的一段文字。它有几个句子，还有逗号；以及问号？最后一句！" * 4,
    "x" * 300,
    "😀 emoji 👩‍🔬 with joiners and é accents " * 8,
    "line\r\nline\r\n\r\n" * 12,
    "\n\n\n   indented\n\t\ttabs   \n\n\n" * 5,
)


def sample_document() -> ChunkDocument:
    """A small document with headings, provenance and nothing special."""
    lines = []
    for n in range(1, 5):
        heading = f"{n} Section"
        body = f"Paragraph {n} says something. It goes on for a while, and then it ends.\nA second line of {n}."
        content = f"# {heading}\n{body}"
        lines.append(
            {
                "type": "content",
                "blockid": f"block-{n}",
                "content": content,
                "heading": heading,
                "level": 1,
                "parent_headings": [],
                "provenance": [
                    {"chars": [2, 2 + len(heading)], "path": f"body/p[{2 * n}]"},
                    {"chars": [3 + len(heading), len(content)], "path": f"body/p[{2 * n + 1}]"},
                ],
            }
        )
    return ChunkDocument.from_lines(lines, doc_id="doc-sample", title="Sample")
