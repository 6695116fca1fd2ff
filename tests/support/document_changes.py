"""A document with some of its parts left out, doubled or replaced, at every depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from lrdoc.document import Block, Cell, Document, Equation, InlineEquation, Note, Part, Table, Text

Change = Callable[[Part], Iterable[Part]]
"""Gives what stands in place of one part."""


def change_parts(parts: Iterable[Part], change: Change) -> tuple[Part, ...]:
    def walk() -> Iterator[Part]:
        for part in parts:
            for changed in change(part):
                if isinstance(changed, Table):
                    rows = tuple(
                        tuple(
                            None
                            if cell is None
                            else Cell(change_parts(cell.parts, change), cell.row_span, cell.col_span)
                            for cell in row
                        )
                        for row in changed.rows
                    )
                    yield msgspec.structs.replace(changed, rows=rows)
                else:
                    yield changed

    return tuple(walk())


def change_block(block: Block, change: Change) -> Block:
    notes = tuple(Note(note.mark, change_parts(note.parts, change)) for note in block.notes)
    return msgspec.structs.replace(block, parts=change_parts(block.parts, change), notes=notes)


def change_document(document: Document, change: Change) -> Document:
    return msgspec.structs.replace(
        document,
        blocks=tuple(change_block(block, change) for block in document.blocks),
        regions=tuple(change_block(block, change) for block in document.regions),
    )


def holds(part: Part, word: str) -> bool:
    if isinstance(part, Text):
        return word in part.text and part.source is not None
    return isinstance(part, Equation | InlineEquation) and word in part.latex
