"""V: between sentences where the meaning changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lrdoc.chunkers.base import (
    DEFAULT_SENTENCE_PATTERN,
    ChunkContext,
    ChunkResult,
    ChunkWarning,
    bound_separators,
    check_size,
)
from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import Cutter, Piece, strip_range
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import drafts_of_ranges, finish
from lrdoc.chunkers.prefix import add_prefixes, size_without_prefix
from lrdoc.errors import ChunkingError
from lrdoc.llm.embedder import embed_in_batches
from lrdoc.text.tokens import as_tokenizer

Range = tuple[int, int]
Numbers = NDArray[np.floating[Any]]

_DEFAULT_AMOUNTS = {"percentile": 95.0, "standard_deviation": 3.0, "interquartile": 1.5, "gradient": 95.0}
_MAX_PATTERN_CHARS = 1000
_PATTERN_SECONDS = 5.0


class VectorChunker:
    """Groups neighbouring sentences and cuts where the distance of their embeddings is over a threshold."""

    def chunk(self, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext) -> ChunkResult:
        size = options["chunk_token_size"]
        check_size(size)
        room = size_without_prefix(size, options)
        text = document.text
        tokenizer = as_tokenizer(context.tokenizer)
        counter = RangeCounter(text, tokenizer)
        separators, _ = bound_separators(context.live.separators)
        cutter = Cutter(counter, room, 0, separators, context.check)
        warnings: list[ChunkWarning] = []
        stored = options.get("sentence_split_regex")
        if stored is not None and stored != context.live.sentence_split_regex:
            warnings.append(
                ChunkWarning(
                    "stored_pattern_ignored",
                    "The stored sentence_split_regex was ignored; the pattern comes from "
                    "CHUNK_V_SENTENCE_SPLIT_REGEX or the caller only.",
                )
            )
        pieces: list[Piece] = []
        if context.embedder is None:
            warnings.append(
                ChunkWarning(
                    "no_embedder",
                    "V needs an embedding model and there is none; the text was cut recursively (R) without overlap. "
                    "Install lrdoc[embed] or set EMBEDDING_BINDING_HOST.",
                )
            )
            pieces = cutter.cut(0, len(text))
        else:
            sentences = list(split_sentences(text, context.live.sentence_split_regex))
            distances = self._distances(text, sentences, options["buffer_size"], context)
            for start, end in _groups(text, sentences, distances, options, counter):
                a, b = strip_range(text, start, end)
                if a == b:
                    continue
                context.check()
                tokens = counter.count(a, b)
                if tokens <= room:
                    pieces.append(Piece(a, b, tokens))
                else:
                    pieces.extend(cutter.cut(a, b))
        chunks = finish(document, "semantic_vector", drafts_of_ranges(text, pieces))
        return ChunkResult(add_prefixes(chunks, document, tokenizer, size, options), tuple(warnings))

    def _distances(self, text: str, sentences: list[Range], buffer: int, context: ChunkContext) -> Numbers:
        """1 - cosine of each sentence, together with its neighbours, and the next one."""
        if len(sentences) < 2 or context.embedder is None:
            return np.zeros(0)
        words = [text[a:b] for a, b in sentences]
        combined = [" ".join(words[max(i - buffer, 0) : i + buffer + 1]) for i in range(len(words))]
        vectors = embed_in_batches(
            context.embedder, combined, tokenizer=as_tokenizer(context.tokenizer), check=context.check
        )
        return distances_of(vectors)


def distances_of(vectors: Numbers) -> Numbers:
    """1 - cosine similarity of each row and the next; a similarity that is no number counts as 0."""
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    dots = np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        similarity = dots / (norms[:-1] * norms[1:])
    similarity[~np.isfinite(similarity)] = 0.0
    return np.asarray(1.0 - similarity)


def split_sentences(text: str, pattern: str) -> Iterator[Range]:
    """Ranges of the sentences: what stands between the matches of the pattern."""
    start = 0
    for a, b in _matches(text, pattern):
        yield start, a
        start = b
    yield start, len(text)


def _matches(text: str, pattern: str) -> Iterator[Range]:
    if pattern == DEFAULT_SENTENCE_PATTERN:
        for found in re.finditer(pattern, text):
            yield found.span()
        return
    if len(pattern) > _MAX_PATTERN_CHARS:
        raise ChunkingError(
            f"the sentence pattern has {len(pattern)} characters, more than {_MAX_PATTERN_CHARS}",
            hint="Shorten CHUNK_V_SENTENCE_SPLIT_REGEX.",
        )
    # Python's own engine cannot be stopped while it backtracks; this one takes a time limit.
    import regex

    try:
        for found in regex.finditer(pattern, text, timeout=_PATTERN_SECONDS):
            yield found.span()
    except regex.error as e:
        raise ChunkingError(
            f"the sentence pattern {pattern!r} is no regular expression: {e}",
            hint="Correct CHUNK_V_SENTENCE_SPLIT_REGEX.",
        ) from e
    except TimeoutError as e:
        raise ChunkingError(
            f"the sentence pattern {pattern!r} did not come to an end on this text within {_PATTERN_SECONDS:g} seconds",
            hint="Write CHUNK_V_SENTENCE_SPLIT_REGEX without nested repetition.",
        ) from e


def _groups(
    text: str, sentences: list[Range], distances: Numbers, options: Mapping[str, Any], counter: RangeCounter
) -> Iterator[Range]:
    """Ranges of neighbouring sentences with nothing in between that would be a break."""
    kind = options["breakpoint_threshold_type"]
    n = len(sentences)
    if n == 1:
        yield sentences[0]
        return
    if n == 2 and kind == "gradient":
        # A gradient needs two distances.
        yield sentences[0][0], sentences[1][0]
        yield sentences[1]
        return
    values, threshold = _threshold(distances, options)
    least_chars = options["min_chunk_size"] or 0
    least_tokens = options["min_chunk_token_size"] or 0
    groups: list[Range] = []
    first = 0
    chars = 0
    for i, value in enumerate(values.tolist()):
        # The length is that of the sentences joined by one space each.
        chars += sentences[i][1] - sentences[i][0] + (1 if i > first else 0)
        if value <= threshold or chars < least_chars:
            continue
        # What the pattern matched belongs to the text too: the group ends where the next sentence begins.
        here = (sentences[first][0], sentences[i + 1][0])
        if least_tokens and counter.count(*here) < least_tokens:
            continue
        groups.append(here)
        first, chars = i + 1, 0
    last = (sentences[first][0], sentences[-1][1])
    if groups and least_tokens and counter.count(*last) < least_tokens:
        last = (groups.pop()[0], last[1])
    yield from groups
    yield last


def _threshold(distances: Numbers, options: Mapping[str, Any]) -> tuple[Numbers, float]:
    """(values to compare, threshold that a break exceeds)."""
    kind = options["breakpoint_threshold_type"]
    wanted = options["number_of_chunks"]
    if wanted is not None:
        n = len(distances)
        wanted = min(max(wanted, 1), n)
        share = 100.0 if n == 1 else 100.0 * (n - wanted) / (n - 1)
        return distances, float(np.percentile(distances, share))
    amount = options["breakpoint_threshold_amount"]
    amount = _DEFAULT_AMOUNTS[kind] if amount is None else amount
    if kind in ("percentile", "gradient") and not 0 <= amount <= 100:
        raise ChunkingError(
            f"breakpoint_threshold_amount is {amount:g}, but for {kind} it is a percentile",
            hint="Choose a number from 0 to 100.",
        )
    if kind == "percentile":
        return distances, float(np.percentile(distances, amount))
    if kind == "standard_deviation":
        return distances, float(np.mean(distances) + amount * np.std(distances))
    if kind == "interquartile":
        q1, q3 = np.percentile(distances, [25, 75])
        return distances, float(np.mean(distances) + amount * (q3 - q1))
    gradient = np.gradient(distances)
    return gradient, float(np.percentile(gradient, amount))
