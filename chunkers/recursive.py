"""R: recursively along a cascade of separators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lrdoc.chunkers.base import (
    ChunkContext,
    ChunkResult,
    ChunkWarning,
    bound_separators,
    check_overlap,
    check_size,
)
from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import Cutter
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import drafts_of_ranges, finish
from lrdoc.chunkers.prefix import add_prefixes, size_without_prefix
from lrdoc.text.tokens import as_tokenizer


class RecursiveChunker:
    """Cuts at the strongest separator first and goes to weaker ones only where a piece is still too long."""

    def chunk(self, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext) -> ChunkResult:
        size, overlap = options["chunk_token_size"], options["chunk_overlap_token_size"]
        check_size(size)
        check_overlap(size, overlap)
        separators, notes = bound_separators(options["separators"])
        tokenizer = as_tokenizer(context.tokenizer)
        room = size_without_prefix(size, options)
        cutter = Cutter(RangeCounter(document.text, tokenizer), room, min(overlap, room - 1), separators, context.check)
        pieces = cutter.cut(0, len(document.text))
        chunks = finish(document, "recursive_character", drafts_of_ranges(document.text, pieces))
        return ChunkResult(
            add_prefixes(chunks, document, tokenizer, size, options),
            tuple(ChunkWarning("separators_changed", note + ".") for note in notes),
        )
