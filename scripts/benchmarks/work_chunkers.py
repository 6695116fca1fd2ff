"""Chunking one file: `measure.py` calls `prepare` in a child process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def prepare(what: str, path: str, size: str = "") -> Callable[[], object]:
    """`what`: encode, F, R, V, P, or the peer langchain-R, for which `size` is the folder where it is installed."""
    from lrdoc.text.tokens import load_tokenizer

    tokenizer = load_tokenizer("o200k_base")
    tokenizer.count("warm")
    if what == "encode":
        # The floor is tiktoken itself, with the same vocabulary.
        encoding = tokenizer._encoding  # type: ignore[attr-defined]
        text = Path(path).read_text(encoding="utf-8")
        return lambda: encoding.encode_to_numpy(text, disallowed_special=())
    if what == "langchain-R":
        sys.path.append(size)
        return _langchain(Path(path).read_text(encoding="utf-8"), tokenizer)
    from lrdoc.chunkers.base import ChunkContext
    from lrdoc.chunkers.reading import read_source
    from lrdoc.chunkers.registry import Registry

    registry = Registry()
    document = read_source(Path(path)).document
    options = registry.options(what, {"chunk_token_size": int(size)} if size else {})
    if size and "chunk_overlap_token_size" in options:
        options["chunk_overlap_token_size"] = int(size) // 10
    context = ChunkContext(tokenizer, RandomVectors())
    chunker = registry.chunker(what)
    return lambda: chunker.chunk(document, options, context)


class RandomVectors:
    """An embedder that costs nothing, so that V is measured without a model."""

    name = "random"
    dimension = 64
    max_input_tokens = None

    def __init__(self) -> None:
        import numpy as np

        self._rnd = np.random.default_rng(1)

    def embed(self, texts: Sequence[str], *, context: str = "document") -> Any:
        return self._rnd.random((len(texts), self.dimension)) - 0.5


def _langchain(text: str, tokenizer: Any) -> Callable[[], object]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    encoding = tokenizer._encoding
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=1200,
        chunk_overlap=100,
        length_function=lambda t: len(encoding.encode_ordinary(t)),
        separators=["\n\n", "\n", "。", "！", "？", "；", "，", " ", ""],
        keep_separator=True,
    )
    return lambda: splitter.split_text(text)
