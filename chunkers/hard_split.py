"""Cutting chunks that are over an embedding model's input limit. The last safeguard, after all strategies."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lrdoc.chunkers.base import Chunk, ChunkContext, Insert, bound_separators
from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import Cutter
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import Draft, content_places, finish
from lrdoc.errors import SettingsError
from lrdoc.text.tokens import as_tokenizer


def split_to_limit(
    chunks: Sequence[Chunk], document: ChunkDocument, limit: int | None, overlap: int, context: ChunkContext
) -> tuple[Chunk, ...]:
    """The chunks, those over `limit` tokens cut into pieces that overlap by at most `overlap`; order counted anew.

    No more than half a piece is repeated, whatever `overlap` says. A piece keeps heading and spans of what it holds,
    and references only the blocks that it holds text of. `limit` None: nothing is cut. The prefix counts: it is
    dropped from a chunk where it does not fit.
    """
    if overlap < 0:
        raise SettingsError(
            f"EMBEDDING_CHUNK_OVERLAP_TOKEN_SIZE={overlap}: must not be negative; set it to 0 for no overlap"
        )
    if limit is None or all(chunk.tokens + chunk.prefix_tokens <= limit for chunk in chunks):
        return tuple(chunks)
    tokenizer = as_tokenizer(context.tokenizer)
    separators, _ = bound_separators(context.live.separators)
    done: list[Chunk] = []
    for chunk in chunks:
        context.check()
        if chunk.tokens <= limit:
            fits = chunk.tokens + chunk.prefix_tokens <= limit
            done.append(chunk if fits else msgspec.structs.replace(chunk, prefix="", prefix_tokens=0))
            continue
        counter = RangeCounter(chunk.content, tokenizer)
        cutter = Cutter(counter, limit, min(overlap, limit // 2), separators, context.check)
        pieces = cutter.cut(0, len(chunk.content))
        drafts = [_piece(chunk, start, end, tokens) for start, end, tokens in pieces]
        for part, made in enumerate(finish(document, chunk.strategy, drafts), start=1):
            done.append(
                msgspec.structs.replace(
                    made,
                    chunk_id=f"{chunk.chunk_id}-s{part:02d}",
                    split_part=part,
                    split_total=len(pieces),
                )
            )
    return tuple(msgspec.structs.replace(chunk, chunk_order_index=i) for i, chunk in enumerate(done))


def _piece(chunk: Chunk, start: int, end: int, tokens: int) -> Draft:
    """A piece of a chunk's content, with the spans and inserts that stand in it."""
    spans: list[tuple[int, int]] = []
    for place, (a, b) in content_places(chunk.spans, chunk.inserts):
        first, last = max(place, start), min(place + b - a, end)
        if first < last:
            span = (a + first - place, a + last - place)
            if spans and spans[-1][1] == span[0] and not _divided(chunk.inserts, first, start, end):
                span = (spans.pop()[0], span[1])
            spans.append(span)
    inserts = []
    for insert in chunk.inserts:
        first, last = max(insert.chars[0], start), min(insert.chars[1], end)
        if first < last:
            inserts.append(Insert((first - start, last - start), insert.kind))
    return Draft(chunk.content[start:end], tokens, spans, inserts, chunk.heading, chunk.tables)


def _divided(inserts: Sequence[Insert], place: int, start: int, end: int) -> bool:
    """Whether an insert ends just before a place of the content."""
    return any(insert.chars[1] == place and insert.chars[0] >= start for insert in inserts)
