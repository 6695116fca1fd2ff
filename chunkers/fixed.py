"""F: windows of a fixed number of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lrdoc.chunkers.base import ChunkContext, ChunkResult, check_overlap, check_size
from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import Piece, stays_left, strip_range
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import drafts_of_ranges, finish
from lrdoc.chunkers.prefix import add_prefixes, size_without_prefix
from lrdoc.errors import ChunkingError
from lrdoc.text.tokens import as_tokenizer

_PREVIEW_CHARS = 80


class FixedChunker:
    """Cuts every `size - overlap` tokens, but never inside a character."""

    def chunk(self, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext) -> ChunkResult:
        tokenizer = as_tokenizer(context.tokenizer)
        size, overlap = options["chunk_token_size"], options["chunk_overlap_token_size"]
        check_size(size)
        check_overlap(size, overlap)
        room = size_without_prefix(size, options)
        pieces = _cut(
            RangeCounter(document.text, tokenizer),
            room,
            min(overlap, room - 1),
            options["split_by_character"] or "",
            options["split_by_character_only"],
            context,
        )
        chunks = finish(document, "fixed_token", drafts_of_ranges(document.text, pieces))
        return ChunkResult(add_prefixes(chunks, document, tokenizer, size, options))


def _cut(
    counter: RangeCounter, size: int, overlap: int, separator: str, only: bool, context: ChunkContext
) -> list[Piece]:
    text = counter.text
    if not separator:
        return cut_windows(counter, size, overlap, context)
    pieces: list[Piece] = []
    for start, end in _segments(text, separator, keep=not only):
        a, b = strip_range(text, start, end)
        if a == b:
            continue
        context.check()
        tokens = counter.count(a, b)
        if tokens <= size:
            pieces.append(Piece(a, b, tokens))
        elif only:
            raise ChunkingError(
                f"Chunk token length {tokens} exceeds chunk_token_size {size}. "
                f"Preview: {text[a : a + _PREVIEW_CHARS]!r}",
                hint="Raise chunk_token_size, or allow cuts elsewhere with split_by_character_only=false.",
            )
        else:
            segment = cut_windows(RangeCounter(text[a:b], counter.tokenizer), size, overlap, context)
            pieces.extend(Piece(a + piece.start, a + piece.end, piece.tokens) for piece in segment)
    return pieces


def _segments(text: str, separator: str, keep: bool) -> Iterator[tuple[int, int]]:
    """Ranges between separators. `keep`: the separator is part of the segment before or after it, so that no text is
    lost; else it is left out, as str.split does."""
    left = stays_left(separator)
    start, place = 0, text.find(separator)
    while place >= 0:
        after = place + len(separator)
        yield start, after if keep and left else place
        start = place if keep and not left else after
        place = text.find(separator, after)
    yield start, len(text)


def cut_windows(counter: RangeCounter, size: int, overlap: int, context: ChunkContext) -> list[Piece]:
    """Windows of at most `size` tokens over the whole text, each but the first beginning with the last `overlap`
    tokens of the one before."""
    text, bounds = counter.text, counter.bounds
    total = len(bounds) - 1
    pieces: list[Piece] = []
    first = 0
    while first < total:
        context.check()
        last = min(first + size, total)
        while True:
            a, b = strip_range(text, bounds[first], bounds[last])
            tokens = counter.count(a, b) if a < b else 0
            if tokens <= size:
                break
            # A slice can have more tokens than the window it was cut from, by what happens at its ends.
            shorter = max(last - (tokens - size), first + 1)
            if shorter == last:
                raise ChunkingError(
                    f"the character {text[a:b]!r} alone has {tokens} tokens, more than chunk_token_size {size}",
                    hint="Raise chunk_token_size.",
                )
            last = shorter
        if a < b:
            if pieces and a <= pieces[-1].start:
                pieces.pop()
            if not pieces or b > pieces[-1].end:
                pieces.append(Piece(a, b, tokens))
        if last == total:
            break
        first = _next_window(counter, first, last, overlap)
    return pieces


def _next_window(counter: RangeCounter, first: int, last: int, overlap: int) -> int:
    """Index of the token that the next window begins with."""
    bounds = counter.bounds
    following = max(last - overlap, first + 1)
    while following < last:
        a, b = strip_range(counter.text, bounds[following], bounds[last])
        if a == b or counter.count(a, b) <= overlap:
            break
        following += 1
    # Tokens that begin at the same character are parts of it: the character is not cut.
    while following < last and bounds[following] == bounds[first]:
        following += 1
    return following
