"""What a list of chunks looks like: sizes, and where cuts fell."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any, Literal

from lrdoc.chunkers.base import Chunk
from lrdoc.chunkers.document import ChunkDocument

CutKind = Literal["heading", "block", "paragraph", "line", "table_row", "item", "sentence", "word", "character"]
CUT_KINDS: tuple[CutKind, ...] = (
    "heading",
    "block",
    "paragraph",
    "line",
    "table_row",
    "item",
    "sentence",
    "word",
    "character",
)
_SENTENCE_ENDS = frozenset(".!?。！？…；;")
_CLOSING = frozenset("\"')]}”’」』）】》")
_BINS = 8


def classify_cut(document: ChunkDocument, before: Chunk, after: Chunk) -> CutKind:
    """Between what the text was cut; of chunks that overlap, where the first one ends."""
    text = document.text
    if not before.spans or not after.spans:
        return "block"
    place = before.spans[-1][1]
    begin = max(after.spans[0][0], place)
    for block in document.blocks_in(begin, begin + 1):
        if not text[block.start : begin].strip():
            return "heading" if block.heading else "block"
    if any(insert.kind == "close" for insert in before.inserts[-1:]):
        return "table_row" if before.tables else "item"
    gap = text[place:begin]
    if "\n\n" in gap.replace("\r", ""):
        return "paragraph"
    if "\n" in gap or text[place - 1] == "\n":
        return "line"
    last = place - 1
    while last > 0 and text[last] in _CLOSING:
        last -= 1
    if text[last] in _SENTENCE_ENDS and (gap or ord(text[last]) > 0x7F):
        return "sentence"
    if gap or not (text[place - 1].isalnum() and text[begin : begin + 1].isalnum()):
        return "word"
    return "character"


def statistics(document: ChunkDocument, chunks: Sequence[Chunk], size: int) -> dict[str, Any]:
    """Counts as JSON values: tokens, a histogram of sizes, kinds of cuts, repeated characters."""
    tokens = sorted(chunk.tokens for chunk in chunks)
    cuts: Counter[str] = Counter(classify_cut(document, before, after) for before, after in itertools.pairwise(chunks))
    repeated = place = 0
    for start, end in sorted(span for chunk in chunks for span in chunk.spans):
        repeated += max(min(end, place) - start, 0)
        place = max(place, end)
    return {
        "chunks": len(chunks),
        "characters": len(document.text),
        "characters_repeated": repeated,
        "tokens": {
            "total": sum(tokens),
            "min": tokens[0] if tokens else 0,
            "median": int(median(tokens)) if tokens else 0,
            "max": tokens[-1] if tokens else 0,
            "size": size,
        },
        "histogram": histogram(tokens, size),
        "cuts": {kind: cuts[kind] for kind in CUT_KINDS if cuts[kind]},
    }


def histogram(tokens: Sequence[int], size: int) -> list[dict[str, int]]:
    """How many chunks have how many tokens: equal steps up to the size."""
    step = max(-(-size // _BINS), 1)
    counts = Counter(min((n - 1) // step, _BINS - 1) if n else 0 for n in tokens)
    return [
        {"from": i * step + 1, "to": min((i + 1) * step, size), "chunks": counts[i]}
        for i in range(_BINS)
        if i * step < size
    ]
