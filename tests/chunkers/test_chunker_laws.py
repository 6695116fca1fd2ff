"""Laws that every strategy keeps for any text, tokenizer and size of at least 16 tokens."""

from __future__ import annotations

import copy
import itertools
import json
import os
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lrdoc.chunkers.base import ChunkContext, ChunkResult, LiveOptions
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.registry import Registry
from lrdoc.errors import ChunkingError
from lrdoc.testing.chunkers import CharTokenizer, FakeEmbedder, check_chunks
from lrdoc.text.tokens import EstimateTokenizer, as_tokenizer, load_tokenizer

REGISTRY = Registry()
MORE = int(os.environ.get("LRDOC_LAW_EXAMPLES", "1"))
"""How many times as many examples are tried."""


class WordTokenizer:
    """One token per word; white space costs nothing."""

    name = "word"

    def __init__(self) -> None:
        self.words: dict[str, int] = {}

    def encode(self, text: str) -> list[int]:
        return [self.words.setdefault(word, len(self.words)) for word in text.split()]

    def decode(self, tokens: list[int]) -> str:
        names = list(self.words)
        return " ".join(names[token] for token in tokens)


class ByteTokenizer:
    """One token per byte, as the worst of byte-level vocabularies."""

    name = "byte"

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, tokens: list[int]) -> str:
        return bytes(tokens).decode("utf-8", "replace")


TOKENIZERS: dict[str, Any] = {
    "char": CharTokenizer(),
    "byte": ByteTokenizer(),
    "word": WordTokenizer(),
    "estimate": EstimateTokenizer(),
    "o200k_base": load_tokenizer("o200k_base"),
    "cl100k_base": load_tokenizer("cl100k_base"),
}

words = st.text(
    st.sampled_from("abcdeABC 0123.,;!?'\"-_()#\n\r\t。，！？；数据处理é́\u200d😀👩🔬𠮷\ufeff\x00"), max_size=40
)
texts = st.one_of(
    st.text(max_size=200),
    st.lists(words, max_size=40).map(" ".join),
    st.lists(words, max_size=30).map("\n\n".join),
    st.tuples(words, st.integers(1, 60)).map(lambda pair: pair[0] * pair[1]),
)
cells = st.text(st.sampled_from('ab 12\\"/<>é。\n'), max_size=25)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    number = draw(st.integers(1, 9999))
    rows = draw(st.lists(st.lists(cells, min_size=1, max_size=4), min_size=1, max_size=14))
    name = f"tb-{number:04d}"
    if draw(st.booleans()):
        body = json.dumps(rows, ensure_ascii=False).replace("</", "<\\/")
        item = {"table_header": json.dumps(rows[:1])} if draw(st.booleans()) else {}
        return f'<table id="{name}" format="json">{body}</table>', {name: item}
    escaped = [[cell.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for cell in row] for row in rows]
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in escaped]
    body = f"<thead>{lines[0]}</thead><tbody>{''.join(lines[1:])}</tbody>" if draw(st.booleans()) else "".join(lines)
    return f'<table id="{name}" format="html">{body}</table>', {name: {}}


equations = st.text(st.sampled_from("xy_^{}1+ "), max_size=60).map(
    lambda t: f'<equation id="eq-1" format="latex">{t}</equation>'
)


@st.composite
def documents(draw: st.DrawFn) -> ChunkDocument:
    """Documents with headings of any depth, paragraphs, tables and equations."""
    lines: list[dict[str, Any]] = []
    known: dict[str, Any] = {}
    parents: list[tuple[int, str]] = []
    for n in range(draw(st.integers(1, 8))):
        level = draw(st.integers(0, 4))
        heading = draw(st.sampled_from(["", "A", "1 Introduction", "结论", "References"])) if level else ""
        while parents and parents[-1][0] >= level:
            parents.pop()
        parts = [f"{'#' * level} {heading}"] if heading else []
        for kind in draw(st.lists(st.sampled_from(["text", "text", "line", "table", "equation"]), max_size=5)):
            if kind == "table":
                table, item = draw(tables())
                known.update(item)
                parts.append(table)
            elif kind == "equation":
                parts.append(draw(equations))
            elif kind == "line":
                parts.append(draw(st.sampled_from(["Step one: begin", "- item", "```", "code = 1", "A short title"])))
            else:
                parts.append(draw(texts).replace("<", "&lt;"))
        lines.append(
            {
                "type": "content",
                "blockid": f"b{n}",
                "content": "\n".join(parts),
                "heading": heading,
                "level": level,
                "parent_headings": [name for _, name in parents],
                "is_title_block": level == 0 and draw(st.booleans()),
            }
        )
        if heading:
            parents.append((level, heading))
    return ChunkDocument.from_lines(lines, known)


def run(strategy: str, document: ChunkDocument, tokenizer: str, size: int, **options: Any) -> ChunkResult:
    context = ChunkContext(TOKENIZERS[tokenizer], FakeEmbedder())
    built = REGISTRY.options(strategy, {"chunk_token_size": size, **options})
    before = copy.deepcopy(built)
    result = REGISTRY.chunker(strategy).chunk(document, built, context)
    assert built == before
    check_chunks(document, result, context, size)
    return result


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("strategy", "FRVP")
@settings(max_examples=12 * MORE, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts, size=st.integers(16, 80), share=st.integers(0, 9))
def test_any_text_is_cut_by_the_laws(strategy: str, tokenizer: str, text: str, size: int, share: int) -> None:
    """Spans ascend, content equals its slices, nothing is lost, tokens are exact and within the size."""
    options = {} if strategy == "V" else {"chunk_overlap_token_size": size * share // 10}
    document = ChunkDocument.from_text(text)
    result = run(strategy, document, tokenizer, size, **options)
    assert result == run(strategy, document, tokenizer, size, **options)


@pytest.mark.parametrize("tokenizer", ["char", "estimate", "o200k_base"])
@pytest.mark.parametrize("strategy", "FRVP")
@settings(max_examples=25 * MORE, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents(), size=st.integers(16, 200), share=st.integers(0, 9))
def test_any_document_is_cut_by_the_laws(
    strategy: str, tokenizer: str, document: ChunkDocument, size: int, share: int
) -> None:
    options = {} if strategy == "V" else {"chunk_overlap_token_size": size * share // 10}
    result = run(strategy, document, tokenizer, size, **options)
    assert result == run(strategy, document, tokenizer, size, **options)


def test_an_item_that_stands_in_code_keeps_the_size() -> None:
    """Its tags are written around each piece, and leave no room for one."""
    content = 'Step one: begin\n```\n<equation id="eq-1" format="latex"></equation>'
    document = ChunkDocument.from_lines([{"type": "content", "blockid": "b1", "content": content}])
    result = run("P", document, "byte", 16, chunk_overlap_token_size=0)
    assert [(warning.code, warning.where) for warning in result.warnings] == [("item_cut_as_text", "equation eq-1")]


@pytest.mark.parametrize("tokenizer", ["char", "o200k_base"])
@settings(max_examples=40 * MORE, deadline=None)
@given(document=documents(), size=st.integers(16, 200))
def test_every_piece_of_a_table_is_a_table(tokenizer: str, document: ChunkDocument, size: int) -> None:
    """JSON bodies can be read and their rows are arrays, HTML tags are balanced, however small the pieces."""
    result = run("P", document, tokenizer, size, chunk_overlap_token_size=10)
    if any(warning.code == "item_cut_as_text" for warning in result.warnings):
        return
    for chunk in result.chunks:
        assert chunk.content.count("<table") == chunk.content.count("</table>")
        assert chunk.content.count("<equation") == chunk.content.count("</equation>")
        for body in re.findall(r'<table id="[^"]*" format="json">(.*?)</table>', chunk.content, re.DOTALL):
            rows = json.loads(body)
            assert rows and all(isinstance(row, list) for row in rows)
        for body in re.findall(r'<table id="[^"]*" format="html">(.*?)</table>', chunk.content, re.DOTALL):
            for name in ("tr", "td", "thead", "tbody"):
                assert body.count(f"<{name}>") == body.count(f"</{name}>"), body


@settings(max_examples=40 * MORE, deadline=None)
@given(document=documents(), size=st.integers(16, 200))
def test_p_never_repeats_text_across_sections(document: ChunkDocument, size: int) -> None:
    """Overlap stands inside one section only: what two chunks share belongs to one block."""
    chunks = run("P", document, "char", size, chunk_overlap_token_size=20).chunks
    for first, second in itertools.pairwise(chunks):
        shared = min(first.spans[-1][1], second.spans[-1][1]) - second.spans[0][0]
        if shared > 0:
            start = second.spans[0][0]
            assert len(document.blocks_in(start, start + shared)) == 1


@pytest.mark.parametrize("strategy", "FR")
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@settings(max_examples=12 * MORE, deadline=None)
@given(text=texts, size=st.integers(16, 60), overlap=st.integers(0, 15))
def test_overlap_stays_within_its_bound(strategy: str, tokenizer: str, text: str, size: int, overlap: int) -> None:
    document = ChunkDocument.from_text(text)
    chunks = run(strategy, document, tokenizer, size, chunk_overlap_token_size=overlap).chunks
    count = as_tokenizer(TOKENIZERS[tokenizer]).count
    for first, second in itertools.pairwise(chunks):
        shared = text[second.spans[0][0] : first.spans[0][1]].strip()
        assert not shared or count(shared) <= overlap


@pytest.mark.parametrize("strategy", "FRVP")
@settings(max_examples=12 * MORE, deadline=None)
@given(document=documents(), size=st.integers(16, 300))
def test_prefix_and_content_keep_the_size_together(strategy: str, document: ChunkDocument, size: int) -> None:
    options = {} if strategy == "V" else {"chunk_overlap_token_size": size // 3}
    run(strategy, document, "char", size, context_prefix=True, **options)


@settings(max_examples=12 * MORE, deadline=None)
@given(text=texts, pattern=st.sampled_from([r"\.", r"\s+", r"[。.]\s*", r"(a|b)", r"", r"x*"]))
def test_v_loses_nothing_with_any_pattern(text: str, pattern: str) -> None:
    document = ChunkDocument.from_text(text)
    context = ChunkContext(CharTokenizer(), FakeEmbedder(), LiveOptions(sentence_split_regex=pattern))
    options = REGISTRY.options("V", {"chunk_token_size": 40, "min_chunk_token_size": 10})
    check_chunks(document, REGISTRY.chunker("V").chunk(document, options, context), context, 40)


@pytest.mark.parametrize("strategy", "FRVP")
def test_a_size_below_16_is_an_error_that_names_both(strategy: str) -> None:
    with pytest.raises(ChunkingError, match=r"15.*16"):
        run(strategy, ChunkDocument.from_text("some text"), "char", 15, **_no_overlap(strategy))


class HugeTokenizer(CharTokenizer):
    """The snowman has 40 tokens."""

    def encode(self, text: str) -> list[int]:
        return [code for char in text for code in ([1] * 39 + [0x2603] if char == "☃" else [ord(char)])]

    def decode(self, tokens: list[int]) -> str:
        return "".join(chr(token) for token in tokens if token != 1)


@pytest.mark.parametrize("strategy", "FRVP")
def test_a_character_over_the_size_is_an_error_that_names_both(strategy: str) -> None:
    context = ChunkContext(HugeTokenizer(), FakeEmbedder())
    options = REGISTRY.options(strategy, {"chunk_token_size": 20, **_no_overlap(strategy)})
    with pytest.raises(ChunkingError, match=r"☃.*40.*20"):
        REGISTRY.chunker(strategy).chunk(ChunkDocument.from_text("a snowman ☃ here"), options, context)


def _no_overlap(strategy: str) -> dict[str, int]:
    return {} if strategy == "V" else {"chunk_overlap_token_size": 0}
