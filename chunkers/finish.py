"""From cuts to chunks: ids, heading, block references, provenance."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lrdoc.chunkers.base import Chunk, ChunkHeading, Insert, InsertKind, TableSlice
from lrdoc.chunkers.document import BlockSpan, ChunkDocument


@dataclass(slots=True)
class Draft:
    """A chunk before it has an id."""

    content: str
    tokens: int
    spans: list[tuple[int, int]]
    inserts: list[Insert] = field(default_factory=list)
    heading: ChunkHeading | None = None
    """None: that of the block where the chunk begins."""
    tables: tuple[TableSlice, ...] = ()


class ContentBuilder:
    """Puts a chunk's content together from slices of the text and inserted stretches."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[str] = []
        self._length = 0
        self.spans: list[tuple[int, int]] = []
        self.inserts: list[Insert] = []

    def slice(self, start: int, end: int) -> None:
        """Add text[start:end]."""
        if start >= end:
            return
        last = self.inserts[-1].chars[1] if self.inserts else -1
        if self.spans and self.spans[-1][1] == start and last != self._length:
            self.spans[-1] = (self.spans[-1][0], end)
        else:
            self.spans.append((start, end))
        self._add(self._text[start:end])

    def insert(self, text: str, kind: InsertKind) -> None:
        """Add text that does not stand in the document at this place."""
        if text:
            self.inserts.append(Insert((self._length, self._length + len(text)), kind))
            self._add(text)

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    @property
    def content(self) -> str:
        return "".join(self._parts)


def drafts_of_ranges(text: str, ranges: Iterable[tuple[int, int, int]]) -> list[Draft]:
    """Drafts of plain ranges (start, end, tokens)."""
    return [Draft(text[start:end], tokens, [(start, end)]) for start, end, tokens in ranges]


def finish(document: ChunkDocument, strategy: str, drafts: Sequence[Draft]) -> tuple[Chunk, ...]:
    """Give drafts their ids, order, headings, references and provenance."""
    return tuple(_chunk_of(document, strategy, draft, order) for order, draft in enumerate(drafts))


def chunk_id(doc_id: str, order: int) -> str:
    """The id under which a chunk is stored."""
    return f"{doc_id}-chunk-{order:03d}"


def _chunk_of(document: ChunkDocument, strategy: str, draft: Draft, order: int) -> Chunk:
    blocks: list[BlockSpan] = []
    for start, end in draft.spans:
        for block in document.blocks_in(start, end):
            if not blocks or blocks[-1] is not block:
                blocks.append(block)
    heading = draft.heading
    if heading is None and blocks:
        heading = heading_of(blocks[0])
    return Chunk(
        chunk_id=chunk_id(document.doc_id, order),
        chunk_order_index=order,
        content=draft.content,
        tokens=draft.tokens,
        strategy=strategy,
        heading=heading,
        refs=tuple(dict.fromkeys(block.id for block in blocks if block.id)),
        spans=tuple(draft.spans),
        inserts=tuple(draft.inserts),
        sections=tuple(
            heading_of(block) for block in blocks if block.heading and any(a <= block.start < b for a, b in draft.spans)
        ),
        tables=draft.tables,
        provenance=tuple(provenance_of(document, draft.spans, draft.inserts)),
    )


def heading_of(block: BlockSpan) -> ChunkHeading:
    """Heading, level and headings above of a block."""
    return ChunkHeading(block.level, block.heading, block.parents)


def content_places(spans: Sequence[tuple[int, int]], inserts: Sequence[Insert]) -> list[tuple[int, tuple[int, int]]]:
    """(place in the content, range of the text) of every slice; a slice that an insert interrupts gives several."""
    places: list[tuple[int, tuple[int, int]]] = []
    gaps = [insert.chars for insert in inserts]
    place, g = 0, 0
    for start, end in spans:
        while True:
            while g < len(gaps) and gaps[g][0] == place:
                place = gaps[g][1]
                g += 1
            room = gaps[g][0] - place if g < len(gaps) else end - start
            taken = min(room, end - start)
            if taken:
                places.append((place, (start, start + taken)))
            place += taken
            start += taken
            if start >= end:
                break
    return places


def provenance_of(
    document: ChunkDocument, spans: Sequence[tuple[int, int]], inserts: Sequence[Insert]
) -> list[dict[str, Any]]:
    """Provenance entries of the text at `spans`, clipped, with `chars` as ranges of the chunk's content."""
    found: list[dict[str, Any]] = []
    for place, (start, end) in content_places(spans, inserts):
        if document.source_map:
            _clip(found, document.source_map, 0, start, end, place, None)
        for block in document.blocks_in(start, end):
            a, b = max(start, block.start), min(end, block.end)
            here = place + a - start
            if block.provenance:
                _clip(found, block.provenance, block.start, a, b, here, block.id)
            elif block.positions:
                entry = {"chars": [here, here + b - a], "block": block.id, "positions": list(block.positions)}
                found.append(entry)
            elif block.id:
                found.append({"chars": [here, here + b - a], "block": block.id})
    return found


def _clip(
    found: list[dict[str, Any]],
    entries: Sequence[Mapping[str, Any]],
    base: int,
    start: int,
    end: int,
    place: int,
    block: str | None,
) -> None:
    """Add the entries that touch text[start:end]; their ranges count from `base`."""
    i = bisect.bisect_right(entries, start - base, key=lambda e: e["chars"][1])
    while i < len(entries):
        a, b = entries[i]["chars"][0] + base, entries[i]["chars"][1] + base
        if a >= end:
            return
        a, b = max(a, start), min(b, end)
        if a < b:
            entry: dict[str, Any] = {"chars": [place + a - start, place + b - start]}
            if block is not None:
                entry["block"] = block
            entry.update((key, value) for key, value in entries[i].items() if key != "chars")
            found.append(entry)
        i += 1
