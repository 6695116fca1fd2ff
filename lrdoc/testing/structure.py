"""What must be true of every Document: each function lists what is not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from lrdoc.document import (
    MAX_HEADING_CHARS,
    Anchor,
    Block,
    Cell,
    Citation,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Note,
    NoteRef,
    ParseWarning,
    Part,
    Source,
    Table,
    Text,
    iter_items,
    plain_text,
)
from lrdoc.testing.case import Run

_CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_PARTS = (Text, Anchor, InlineEquation, NoteRef, Citation, Table, Drawing, Equation)
MOST_UNSOURCED = 0.2
"""Share of the characters that may be the engine's own: labels, fences, names of columns."""


def all_blocks(document: Document) -> Iterator[Block]:
    yield from document.blocks
    yield from document.regions


def walk(parts: Iterable[Part]) -> Iterator[Part]:
    """All parts in order, those inside cells after their table. Does not recurse."""
    stack = [iter(parts)]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
            continue
        yield part
        if isinstance(part, Table):
            stack.append(iter([p for row in part.rows for cell in row if cell is not None for p in cell.parts]))


def all_parts(document: Document) -> Iterator[Part]:
    for block in all_blocks(document):
        yield from walk(block.parts)
        for note in block.notes:
            yield from walk(note.parts)


def find_type_faults(document: object) -> list[str]:
    """Wrong types, which the model does not check when values are made."""
    if not isinstance(document, Document):
        return [f"parse returned {type(document).__name__}, expected Document"]
    for name in ("blocks", "regions", "warnings"):
        if not isinstance(getattr(document, name), tuple):
            return [f"{name} is a {type(getattr(document, name)).__name__}, expected a tuple"]
    blocks: list[Any] = list(all_blocks(document))
    for block in blocks:
        if not isinstance(block, Block):
            return [f"blocks hold a {type(block).__name__}, expected Block"]
        if not isinstance(block.parts, tuple) or not all(isinstance(note, Note) for note in block.notes):
            return [f"block {block.heading!r}: parts and notes are tuples of parts and notes"]
    if not all(isinstance(warning, ParseWarning) for warning in document.warnings):
        return ["warnings hold something else than ParseWarning"]
    for part in all_parts(document):
        fault = _part_fault(part)
        if fault:
            return [fault]
    try:
        msgspec.json.encode(document)
    except (TypeError, ValueError, UnicodeEncodeError) as e:
        return [f"attributes and extras hold JSON values only: {e}"]
    if document.kind == "raw":
        ok = len(document.blocks) == 1 and all(isinstance(part, Text) for part in document.blocks[0].parts)
        return [] if ok else ["a raw document is one block of Text parts"]
    return []


def _part_fault(part: Any) -> str:
    if not isinstance(part, _PARTS):
        return f"parts hold a {type(part).__name__}, expected Text, Table, Drawing, …"
    text: Any = part.text if isinstance(part, Text) else ""
    if not isinstance(text, str):
        return f"a Text holds {type(text).__name__}, expected str"
    source = getattr(part, "source", None)
    if source is not None and not isinstance(source, Source):
        return f"a source is {type(source).__name__}, expected Source or None"
    if isinstance(part, Table):
        rows: Any = part.rows
        if not isinstance(rows, tuple) or not all(isinstance(row, tuple) for row in rows):
            return "the rows of a table are tuples"
        if not all(cell is None or isinstance(cell, Cell) for row in rows for cell in row):
            return "a table holds something else than Cell or None"
    return ""


def find_source_faults(document: Document, data: bytes) -> list[str]:
    """Text without a place, and places outside the file."""
    own = total = 0
    example = ""
    for part in all_parts(document):
        if not isinstance(part, Text):
            continue
        visible = sum(map(str.isalnum, part.text))
        total += visible
        if part.source is None:
            own += visible
            example = example or part.text.strip()[:40]
        elif not _says_something(part.source):
            return [f"the source of {part.text[:40]!r} says nothing; give path, lines, page or another place"]
        elif fault := _place_fault(part.source, data):
            return [f"the source of {part.text[:40]!r}: {fault}"]
    if total and own > total * MOST_UNSOURCED:
        share = round(100 * own / total)
        return [f"{share} % of the text has no source, for example {example!r}; only labels may go without"]
    for item in (part for part in all_parts(document) if isinstance(part, Table | Drawing | Equation)):
        if item.source is None or not _says_something(item.source):
            return [f"a {type(item).__name__} has no source"]
    return []


def _place_fault(source: Source, data: bytes) -> str:
    """What cannot be right about a place, whatever the format is."""
    if source.lines is not None:
        first, end = source.lines
        # A file has at most one line more than it has bytes; the end of the range is one behind its last line.
        if not 1 <= first < end <= len(data) + 2:
            return f"lines {list(source.lines)} are no half-open range, from 1, of lines of the file"
    for name in ("page", "slide"):
        number = getattr(source, name)
        if number is not None and number < 1:
            return f"{name} {number}: the first is 1"
    return ""


def _says_something(source: Source) -> bool:
    return bool(source.where() or source.paraid or source.chapter or source.bbox or source.part)


def find_reference_faults(document: Document) -> list[str]:
    """Citations without target, keys that are used twice, notes that nothing calls or that are missing."""
    faults: list[str] = []
    keys: set[str] = set()
    for block in all_blocks(document):
        for part in (*block.parts, *(p for note in block.notes for p in note.parts)):
            for item in iter_items((part,)):
                if item.key and item.key in keys:
                    faults.append(f"two items have the key {item.key!r}")
                keys.add(item.key)
    for part in all_parts(document):
        if isinstance(part, Citation) and (not part.target or part.target not in keys):
            faults.append(f"the citation {part.text!r} leads to {part.target!r}, which is no item's key")
    for block in all_blocks(document):
        called = {part.mark for part in walk(block.parts) if isinstance(part, NoteRef)}
        called |= {part.mark for note in block.notes for part in walk(note.parts) if isinstance(part, NoteRef)}
        given = [note.mark for note in block.notes]
        faults += [f"note {mark!r} is called and has no text in its block" for mark in sorted(called - set(given))]
        faults += [f"note {mark!r} has a text and is not called in its block" for mark in given if mark not in called]
        if len(set(given)) < len(given):
            faults.append("two notes of a block have the same mark")
    return faults


def find_asset_faults(run: Run) -> list[str]:
    """Assets that were never stored, or stored and never shown."""
    faults: list[str] = []
    shown: set[str] = set()
    for part in all_parts(run.document):
        if not isinstance(part, Drawing) or part.asset is None:
            continue
        shown.add(part.asset.name)
        data = run.assets.files.get(part.asset.name)
        if data is None:
            faults.append(f"the drawing names the asset {part.asset.name!r}, which was not stored through the sink")
        elif len(data) != part.asset.size:
            faults.append(f"the asset {part.asset.name!r} has another size than stored; use what put() returned")
    faults += [
        f"the asset {name!r} was stored and no drawing shows it" for name in run.assets.files if name not in shown
    ]
    return faults


def find_outline_faults(document: Document) -> list[str]:
    """Headings on wrong levels, under wrong parents, or not at the beginning of their block."""
    faults: list[str] = []
    above: list[tuple[int, str]] = []
    for block in document.blocks:
        where = f"heading {block.heading[:40]!r}"
        if not block.heading:
            if block.level:
                faults.append(f"a block without heading has level {block.level}, expected 0")
            continue
        first = plain_text(block.parts).split("\n", 1)[0]
        if first != block.heading and not block.is_title_block:
            faults.append(f"{where}: the block begins with {first[:40]!r}, expected the heading's own line")
        if "\n" in block.heading or len(block.heading) > MAX_HEADING_CHARS:
            faults.append(f"{where}: a heading is one line of at most {MAX_HEADING_CHARS} characters")
        if block.is_title_block and block.level == 0:
            continue
        if not 1 <= block.level <= 9:
            faults.append(f"{where}: level {block.level}, expected 1 to 9")
        while above and above[-1][0] >= block.level:
            above.pop()
        expected = tuple(name for _, name in above)
        if block.parents != expected:
            faults.append(f"{where}: parents are {block.parents}, expected {expected}")
        above.append((block.level, block.heading))
    return faults


def find_table_faults(document: Document) -> list[str]:
    """Grids that are no rectangles, or spans that leave them or overlap."""
    faults: list[str] = []
    for part in all_parts(document):
        if not isinstance(part, Table):
            continue
        if part.html is not None:
            if part.rows or not part.html.lstrip().lower().startswith("<table"):
                faults.append("an html table holds its outer tag and no grid")
            continue
        faults += _grid_faults(part)
    return faults


def _grid_faults(table: Table) -> list[str]:
    rows = table.rows
    widths = {len(row) for row in rows}
    if not rows or widths in ({0}, set()):
        return ["a table has no cells"]
    if len(widths) > 1:
        return [f"the rows of a table have {min(widths)} to {max(widths)} cells; a grid is a rectangle"]
    if not 0 <= table.header_rows <= len(rows):
        return [f"a table of {len(rows)} rows has {table.header_rows} header rows"]
    width = widths.pop()
    covered: set[tuple[int, int]] = set()
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if cell is None:
                continue
            if cell.row_span < 1 or cell.col_span < 1 or r + cell.row_span > len(rows) or c + cell.col_span > width:
                return [f"a cell in row {r + 1} spans {cell.row_span}×{cell.col_span} and leaves the table"]
            for place in ((r + i, c + j) for i in range(cell.row_span) for j in range(cell.col_span)):
                if place in covered:
                    return [f"two cells cover row {place[0] + 1}, column {place[1] + 1}"]
                covered.add(place)
    missing = len(rows) * width - len(covered)
    return [f"{missing} places of a table hold no cell and are covered by none"] if missing else []


def find_warning_faults(document: Document) -> list[str]:
    """Warnings without a stable code, a sentence or a readable place."""
    faults: list[str] = []
    for warning in document.warnings:
        if not _CODE.fullmatch(warning.code):
            faults.append(f"the code {warning.code!r} is not in lower_snake_case")
        elif len(warning.message.split()) < 2:
            faults.append(f"the warning {warning.code} says {warning.message!r}; write a sentence")
        elif warning.source is not None and not warning.where:
            faults.append(f"the warning {warning.code} has a place that says nothing; None is the whole file")
    return faults
