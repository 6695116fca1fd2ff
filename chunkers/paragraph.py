"""P: along headings, paragraphs and table rows.

Blocks are cut where they are too long (`fragments`), small ones are merged along the outline (`sections`), and each
result is written out so that a divided table is a table again (`markup`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lrdoc.chunkers.base import (
    ChunkContext,
    ChunkHeading,
    ChunkResult,
    ChunkWarning,
    bound_separators,
    check_size,
)
from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import Cutter, strip_range
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import Draft, drafts_of_ranges, finish
from lrdoc.chunkers.fragments import BlockSplitter, Fragment, Sizes
from lrdoc.chunkers.markup import Markup
from lrdoc.chunkers.prefix import add_prefixes, size_without_prefix
from lrdoc.chunkers.references import REFERENCE_HEADINGS, find_references
from lrdoc.chunkers.sections import Outline
from lrdoc.errors import ChunkingError
from lrdoc.text.tokens import as_tokenizer

STRATEGY = "paragraph_semantic"


class ParagraphChunker:
    """Never mixes the end of one section with the beginning of an unrelated one."""

    def chunk(self, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext) -> ChunkResult:
        size, overlap = options["chunk_token_size"], options["chunk_overlap_token_size"]
        check_size(size)
        if overlap < 0:
            raise ChunkingError(
                f"chunk_overlap_token_size must not be negative, got {overlap}", hint="Set it to 0 for no overlap."
            )
        room = size_without_prefix(size, options)
        sizes = Sizes(room, min(overlap, room - 1))
        separators, _ = bound_separators(context.live.separators)
        tokenizer = as_tokenizer(context.tokenizer)
        counter = RangeCounter(document.text, tokenizer)
        warnings: list[ChunkWarning] = []
        if not document.blocks:
            drafts = []
            if document.text.strip():
                warnings.append(
                    ChunkWarning(
                        "no_blocks",
                        "P works on blocks.jsonl and this document has none; the text was cut recursively (R). "
                        "Parse it with an engine that writes blocks (native, mineru, docling).",
                    )
                )
                cutter = Cutter(counter, room, sizes.overlap, separators, context.check)
                drafts = drafts_of_ranges(document.text, cutter.cut(0, len(document.text)))
        else:
            splitter = BlockSplitter(
                document, counter, Markup(document.text, document.tables), sizes, separators, context, warnings
            )
            drafts = _cut(document, splitter, options, context)
        chunks = finish(document, STRATEGY, drafts)
        return ChunkResult(add_prefixes(chunks, document, tokenizer, size, options), tuple(warnings))


def _cut(
    document: ChunkDocument, splitter: BlockSplitter, options: Mapping[str, Any], context: ChunkContext
) -> list[Draft]:
    dropped = _references(document, options, context, splitter.warnings)
    fragments: list[Fragment] = []
    for row in range(len(document.blocks)):
        context.check()
        if row not in dropped:
            fragments.extend(splitter.split(row))
    outline = Outline(splitter, context)
    fragments = outline.glue_headings(fragments)
    fragments = outline.merge_levels(fragments)
    return _drafts(document, splitter, fragments)


def _references(
    document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext, warnings: list[ChunkWarning]
) -> frozenset[int]:
    """Indexes of the blocks that are left out, with a warning that names them."""
    if not options["drop_references"]:
        return frozenset()
    tail_n = options.get("references_tail_n")
    names = options.get("references_headings") or context.live.references_headings or REFERENCE_HEADINGS
    found = find_references(document.blocks, names, context.live.references_tail_n if tail_n is None else tail_n)
    if not found:
        return frozenset()
    headings = ", ".join(repr(document.blocks[i].heading) for i in found[:5])
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    if len(found) == len(document.blocks):
        warnings.append(
            ChunkWarning(
                "references_kept",
                f"Leaving out the references ({headings}{more}) would leave nothing; they were kept.",
            )
        )
        return frozenset()
    warnings.append(
        ChunkWarning(
            "references_dropped",
            f"{len(found)} block(s) of references were left out as asked (drop_references): {headings}{more}.",
        )
    )
    return frozenset(found)


def _drafts(document: ChunkDocument, splitter: BlockSplitter, fragments: list[Fragment]) -> list[Draft]:
    parts_of = Counter(fragment.row for fragment in fragments)
    part: Counter[int] = Counter()
    drafts: list[Draft] = []
    for fragment in fragments:
        ranges = []
        for start, end in fragment.ranges:
            a, b = strip_range(document.text, start, end)
            if a < b:
                ranges.append((a, b))
        if not ranges:
            continue
        heading = fragment.heading
        if parts_of[fragment.row] > 1:
            part[fragment.row] += 1
            heading = f"{heading} [part {part[fragment.row]}]".lstrip()
        level = fragment.level if fragment.is_anchor else document.blocks[fragment.row].level
        written = splitter.markup.write(ranges)
        drafts.append(
            Draft(
                written.content,
                splitter.counter.tokenizer.count(written.content) if written.inserts else fragment.tokens,
                written.spans,
                written.inserts,
                ChunkHeading(level, heading, fragment.parents),
                tuple(table for a, b in ranges for table in splitter.markup.slices(a, b)),
            )
        )
    return drafts
