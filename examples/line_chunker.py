"""A chunker of one's own: as many whole lines as fit. docs/howto/add-a-chunker.md explains it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lrdoc.chunkers.base import ChunkContext, ChunkerSpec, ChunkResult, OptionSpec, check_size
from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import Cutter, Piece, strip_range
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import drafts_of_ranges, finish
from lrdoc.text.tokens import as_tokenizer

SPEC = ChunkerSpec(
    letter="",  # letters are for built-in strategies; this one is chosen by its name
    name="whole_lines",
    impl="line_chunker:LineChunker",
    options=(
        OptionSpec("chunk_token_size", int, None, "largest number of tokens", nullable=True, in_hint=True),
        OptionSpec("comment", str, "", "lines that begin with this start a new chunk"),
    ),
    help="as many whole lines as fit",
)


class LineChunker:
    def chunk(self, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext) -> ChunkResult:
        size = options["chunk_token_size"]
        check_size(size)
        text, comment = document.text, options["comment"]
        counter = RangeCounter(text, as_tokenizer(context.tokenizer))
        # A line that does not fit is cut between words.
        cutter = Cutter(counter, size, 0, (" ", ""), context.check)
        pieces: list[Piece] = []
        start = place = 0
        for line in text.splitlines(keepends=True):
            context.check()
            end = place + len(line)
            begins = bool(comment) and line.startswith(comment)
            if start < place and (begins or counter.count(*strip_range(text, start, end)) > size):
                pieces.extend(cutter.cut(start, place))
                start = place
            place = end
        pieces.extend(cutter.cut(start, place))
        return ChunkResult(finish(document, SPEC.name, drafts_of_ranges(text, pieces)))
