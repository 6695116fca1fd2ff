"""R and V beside the splitters of LangChain, wherever none of our own rules makes a difference."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chunk_cases import StubEmbedder
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lrdoc.chunkers.base import DEFAULT_SENTENCE_PATTERN, ChunkContext
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.registry import Registry
from lrdoc.testing.chunkers import CharTokenizer
from lrdoc.text.tokens import EstimateTokenizer, Tokenizer, as_tokenizer, load_tokenizer

pytestmark = pytest.mark.judge

REGISTRY = Registry()
TOKENIZERS: dict[str, Tokenizer] = {
    "char": as_tokenizer(CharTokenizer()),
    "estimate": EstimateTokenizer(),
    "o200k_base": load_tokenizer("o200k_base"),
}
CASCADE = ["\n\n", "\n", " ", ""]

words = st.text(st.sampled_from("abcdefgABC0123.,()-_#"), min_size=1, max_size=12)
lines = st.lists(words, min_size=1, max_size=15).map(" ".join)
texts = st.lists(lines, max_size=30).flatmap(
    lambda found: st.lists(st.sampled_from(["\n", "\n\n", "\n\n\n"]), min_size=len(found), max_size=len(found)).map(
        lambda ends: "".join(line + end for line, end in zip(found, ends, strict=True))
    )
)


PACKAGES = Path(__file__).resolve().parents[2] / "build" / "judge" / "langchain"
"""Where scripts/_judges installs LangChain."""


def load(module: str) -> Any:
    # At the end of the path: what else is in that folder must not hide the packages of this environment.
    if PACKAGES.is_dir() and str(PACKAGES) not in sys.path:
        sys.path.append(str(PACKAGES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(module, reason="scripts/_judges installs LangChain", exc_type=ImportError)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(text=texts, size=st.integers(16, 120), share=st.integers(0, 5))
def test_r_cuts_where_langchain_cuts(tokenizer: str, text: str, size: int, share: int) -> None:
    splitters = load("langchain_text_splitters")
    count = TOKENIZERS[tokenizer].count
    overlap = size * share // 10
    splitter = splitters.RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, separators=CASCADE, keep_separator=True, length_function=count,
        add_start_index=True,
    )  # fmt: skip
    # Blanks at the end of a text stand in no chunk; LangChain lets them choose the separator for the last line.
    text = text.rstrip()
    found = splitter.create_documents([text])
    theirs = [(d.metadata["start_index"], d.page_content) for d in found]
    spans = [(start, start + len(content)) for start, content in theirs]
    # Rules of our own: the size holds for every chunk as it stands, the overlap too, none lies inside its neighbour.
    assume(all(count(content) <= size for _, content in theirs))
    for (a, b), (c, d) in itertools.pairwise(spans):
        assume(a < c and b < d)
        assume(c >= b or count(text[c:b].strip()) <= overlap)
    options = REGISTRY.options(
        "R", {"chunk_token_size": size, "chunk_overlap_token_size": overlap, "separators": CASCADE}
    )
    ours = REGISTRY.chunker("R").chunk(ChunkDocument.from_text(text), options, ChunkContext(TOKENIZERS[tokenizer]))
    assert [chunk.content for chunk in ours.chunks] == [content for _, content in theirs]


class Embeddings:
    """LangChain's interface of the same vectors."""

    def embed_documents(self, found: Sequence[str]) -> list[list[float]]:
        rows: list[list[float]] = StubEmbedder().embed(found).tolist()
        return rows


sentences = st.lists(
    st.lists(st.sampled_from("alpha beta gamma delta river forest engine budget 0.95".split()), min_size=1, max_size=8)
    .map(" ".join)
    .map(lambda words: words + ". "),
    max_size=40,
).map("".join)


@pytest.mark.parametrize("kind", ["percentile", "standard_deviation", "interquartile", "gradient"])
@settings(max_examples=150, deadline=None)
@given(
    text=sentences,
    buffer=st.integers(0, 3),
    amount=st.sampled_from([None, 50.0, 1.0]),
    least=st.sampled_from([None, 60]),
)
def test_v_breaks_where_langchain_breaks(
    kind: str, text: str, buffer: int, amount: float | None, least: int | None
) -> None:
    chunkers = load("langchain_experimental.text_splitter")
    splitter = chunkers.SemanticChunker(
        Embeddings(), buffer_size=buffer, breakpoint_threshold_type=kind, breakpoint_threshold_amount=amount,
        sentence_split_regex=DEFAULT_SENTENCE_PATTERN, min_chunk_size=least,
    )  # fmt: skip
    theirs = [piece for piece in ("".join(part.split()) for part in splitter.split_text(text)) if piece]
    options = REGISTRY.options(
        "V",
        {
            "chunk_token_size": 100_000,
            "breakpoint_threshold_type": kind,
            "breakpoint_threshold_amount": amount,
            "buffer_size": buffer,
            "min_chunk_size": least,
        },
    )
    context = ChunkContext(CharTokenizer(), StubEmbedder())
    ours = REGISTRY.chunker("V").chunk(ChunkDocument.from_text(text), options, context)
    assert ["".join(chunk.content.split()) for chunk in ours.chunks] == theirs
