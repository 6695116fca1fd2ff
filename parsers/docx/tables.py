"""Tables: the true grid with its spans (ISO 29500-1, 17.4).

A cell that spans several positions stands at the first one; the others are None. Cells that continue a vertical merge
belong to the cell above that starts at the same grid column, and to nothing else; one with text stands for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from lrdoc.document import Cell, Part, Source, Table
from lrdoc.errors import LimitExceeded
from lrdoc.parsers.docx.branches import choose_branch
from lrdoc.parsers.docx.changes import WRAPPERS, change_mark, is_gone, whole_changes
from lrdoc.parsers.docx.inline import UNSHOWN
from lrdoc.parsers.docx.lines import Lines, count_label, read_boxes
from lrdoc.parsers.docx.names import MC, PARAID, VAL, W, local_name
from lrdoc.parsers.docx.notes import note_texts
from lrdoc.parsers.docx.runs import before_change
from lrdoc.parsers.docx.state import NEWLINE, Job, Walk
from lrdoc.parsers.docx.styles import is_on
from lrdoc.parsers.docx.text import MARKERS, read_marker, read_paragraph, read_plain

MAX_COLUMNS = 1024
"""Word allows 63. What lies beyond goes into the last column, with a warning."""
_MAX_POSITIONS_PER_CELL = 200
_FREE_POSITIONS = 200_000


@dataclass(slots=True)
class _Cell:
    """A cell while the grid is built."""

    column: int
    width: int
    parts: Sequence[Part]
    height: int = 1
    continues: bool = False
    """w:vMerge without "restart"."""
    restarts: bool = False


@dataclass(slots=True)
class _Row:
    cells: list[_Cell] = field(default_factory=list)
    width: int = 0
    """First column after the last cell."""
    is_header: bool = False


_P, _TR, _TC, _TRPR, _TCPR, _SDT = W + "p", W + "tr", W + "tc", W + "trPr", W + "tcPr", W + "sdt"
_ALTERNATE = MC + "AlternateContent"
_EMPTY = Cell()


def read_table(walk: Walk, element: Any, path: str, sink: Any) -> Job:
    """Read a w:tbl and give it to the sink. Tables without any content are left out."""
    source = Source(walk.place, path, None, walk.page)
    notes_before = len(walk.reader.note_calls)
    walk.in_cell += 1
    rows: list[_Row] = []
    annotates = walk.options.changes == "annotate"
    for row_element, row_path in _children(walk, element, path, _TR, "tr"):
        row = _Row()
        after = 0
        for child in row_element if row_element.tag == _TR else ():
            tag = child.tag
            if tag == _TRPR:
                after = _row_layout(child, row, walk, row_path)
            elif tag == _TC:
                break
        if after < 0:
            continue
        outer = walk.changes
        if annotates:
            walk.set_changes(outer + whole_changes(row_element.find(_TRPR)))
        yield from _read_cells(walk, row_element, row_path, row, source)
        if annotates:
            walk.set_changes(outer)
        row.width += after
        row.width = min(row.width, MAX_COLUMNS)
        rows.append(row)
        walk.reader.context.check()
    walk.in_cell -= 1
    table = _build(walk, element, rows, source, notes_before)
    if table is not None:
        sink.table(table)


def _read_cells(walk: Walk, element: Any, path: str, row: _Row, table: Source) -> Job:
    """Read the cells of a row. Each begins on the page where the row begins."""
    page_before, page_after = walk.page, walk.page
    merging = False
    outer = walk.changes
    cells = _children(walk, element, path, _TC, "tc") if element.tag == _TR else ((element, path),)
    for cell_element, cell_path in cells:
        width, vertical, horizontal = 1, "", ""
        if cell_element.tag != _TC:
            # A paragraph or the like stands where a cell or row should: it gets a cell of its own.
            lines = Lines(walk)
            yield _read_misplaced(walk, cell_element, cell_path, lines)
            if lines.lines:
                row.cells.append(_Cell(row.width, 1, lines.finish()))
                row.width += 1
            continue
        content = iter(cell_element)
        child = next(content, None)
        if child is not None and child.tag == _TCPR:
            width, vertical, horizontal = _cell_layout(child, walk, cell_path)
            if not width:
                continue
            if walk.options.changes == "annotate":
                walk.set_changes(outer + whole_changes(child))
            child = next(content, None)
        parts: tuple[Part, ...] = ()
        walk.page = page_before
        if child is not None:
            plain = read_plain(walk, child, f"{cell_path}/p[1]") if child.tag == _P else None
            if plain is not None:
                parts = plain
                child = next(content, None)
            if child is not None:
                lines = Lines(walk)
                if plain:
                    lines.lines.append(list(plain))
                yield from _read_content(walk, child, content, cell_path, lines, plain is not None)
                parts = lines.finish()
                if page_after is not None and walk.page is not None:
                    page_after = max(page_after, walk.page)
        if walk.changes is not outer:
            walk.set_changes(outer)
        if horizontal == "continue" and merging:
            last = row.cells[-1]
            last.width += width
            _join(last, parts)
        elif row.width + width > MAX_COLUMNS and row.cells:
            message = f"A row has more than {MAX_COLUMNS} columns; the rest went into its last cell"
            walk.reader.warn("table_too_wide", message, table)
            _join(row.cells[-1], parts)
            continue
        else:
            row.cells.append(_Cell(row.width, width, parts, 1, vertical == "continue", vertical == "restart"))
            merging = horizontal == "restart"
        row.width += width
    walk.page = page_after


def _read_misplaced(walk: Walk, element: Any, path: str, lines: Lines) -> Job:
    place, _, step = path.rpartition("/")
    number = int(step.rpartition("[")[2][:-1])
    return walk.reader.blocks(walk, (element,), place, lines, paragraphs=number - 1)


def _read_content(walk: Walk, child: Any, rest: Any, path: str, lines: Lines, is_later: bool) -> Job:
    """Read what a cell holds from `child` on. Most cells are one paragraph, which needs no job of its own."""
    paragraphs = int(is_later)
    if child.tag == _P and not is_later:
        paragraphs = 1
        line = read_paragraph(walk, child, f"{path}/p[1]")
        child = next(rest, None)
        if line.deleted_mark:
            walk.carry = line
        else:
            count_label(walk, line)
            if line.later:
                yield from read_boxes(walk, line)
            lines.paragraph(line)
            if child is None:
                return
    remaining = () if child is None else chain((child,), rest)
    yield walk.reader.blocks(walk, remaining, path, lines, paragraphs=paragraphs)


_GRID_BEFORE, _GRID_AFTER, _TBL_HEADER = W + "gridBefore", W + "gridAfter", W + "tblHeader"


def _row_layout(properties: Any, row: _Row, walk: Walk, path: str) -> int:
    """Columns that stay free after the last cell of a row; -1 when a tracked change takes the row away."""
    options = walk.options
    if is_gone(properties, options):
        return -1
    if options.changes == "reject":
        properties = before_change(properties, W + "trPrChange", _TRPR)
    after = 0
    for child in properties:
        tag = child.tag
        if tag == _TBL_HEADER:
            row.is_header = is_on(child)
        elif tag == _GRID_BEFORE:
            row.width = _value(child, walk, path, 0)
        elif tag == _GRID_AFTER:
            after = _value(child, walk, path, 0)
    return after


_TRACKED_CELLS = frozenset((W + "cellMerge", W + "cellDel", W + "cellIns", W + "tcPrChange"))
_GRID_SPAN, _V_MERGE, _H_MERGE, _CELL_MERGE = W + "gridSpan", W + "vMerge", W + "hMerge", W + "cellMerge"


def _cell_layout(properties: Any, walk: Walk, path: str) -> tuple[int, str, str]:
    """Columns of a cell, and its part in a vertical and a horizontal merge: restart, continue or "".

    A cell of no columns is one that a tracked change takes away.
    """
    rejecting = walk.options.changes == "reject"
    width, vertical, horizontal = 1, "", ""
    is_tracked = rejecting
    for child in before_change(properties, W + "tcPrChange", _TCPR) if rejecting else properties:
        tag = child.tag
        if tag == _GRID_SPAN:
            width = max(1, _value(child, walk, path, 1))
        elif tag == _V_MERGE:
            vertical = "restart" if child.get(VAL) == "restart" else "continue"
        elif tag == _H_MERGE:
            horizontal = "restart" if child.get(VAL) == "restart" else "continue"
        elif tag in _TRACKED_CELLS:
            is_tracked = True
    if is_tracked:
        if is_gone(properties, walk.options):
            return 0, "", ""
        merge = properties.find(_CELL_MERGE)
        # Where both states are shown, cells stay apart: merging them would put the text of one into the other.
        accepting = walk.options.changes == "accept"
        state = merge.get(W + ("vMerge" if accepting else "vMergeOrig")) if merge is not None else None
        if state is not None:
            vertical = "restart" if state == "rest" else "continue"
    return width, vertical, horizontal


def _children(walk: Walk, element: Any, path: str, wanted: str, name: str) -> Iterable[tuple[Any, str]]:
    """Rows of a table or cells of a row with their paths, and what else stands between them."""
    found: list[tuple[Any, str]] = []
    number = 0
    for child in element:
        tag = child.tag
        if tag == wanted:
            number += 1
            found.append((child, f"{path}/{name}[{number}]"))
        elif tag not in UNSHOWN:
            return _wrapped_children(walk, element, path, wanted, name)
    return found


def _wrapped_children(walk: Walk, element: Any, path: str, wanted: str, name: str) -> Iterator[tuple[Any, str]]:
    """The same, in order, through controls, custom XML, changes and alternatives."""
    counts: dict[str, int] = {}
    options = walk.options
    stack = [(iter(element), path, counts, walk.changes)]
    while stack:
        iterator, place, counts, outer = stack[-1]
        for child in iterator:
            tag = child.tag
            if tag == wanted:
                number = counts[name] = counts.get(name, 0) + 1
                yield child, f"{place}/{name}[{number}]"
                continue
            if tag in UNSHOWN:
                continue
            step = local_name(tag)
            number = counts[step] = counts.get(step, 0) + 1
            inner = child
            inner_place = f"{place}/{step}[{number}]"
            if tag in _MISPLACED:
                yield child, inner_place
                continue
            if tag in MARKERS:
                read_marker(walk, child, inner_place)
                continue
            changes = outer
            if tag in WRAPPERS:
                if not options.shows(WRAPPERS[tag]):
                    continue
                if options.changes == "annotate":
                    changes = (*outer, change_mark(child, WRAPPERS[tag]))
                    walk.set_changes(changes)
            if tag == _SDT:
                inner = child.find(W + "sdtContent")
            elif tag == _ALTERNATE:
                inner = choose_branch(child)
                inner_place += f"/{local_name(inner.tag)}[1]" if inner is not None else ""
            if inner is not None and len(inner):
                stack.append((iter(inner), inner_place, {}, changes))
                break
        else:
            stack.pop()
            if stack and stack[-1][3] is not outer:
                walk.set_changes(stack[-1][3])


_MISPLACED = frozenset((W + "p", W + "tbl", _TC, W + "altChunk"))
"""What may stand between rows or cells of a damaged table and must not be lost."""


def _value(element: Any, walk: Walk, path: str, default: int) -> int:
    """A count of columns; one that makes no sense costs itself, not the table."""
    value = (element.get(VAL) or "").strip()
    if value.isascii() and value.isdigit() and len(value) <= 4 and int(value) < MAX_COLUMNS:
        return int(value)
    walk.reader.warn(
        "bad_value",
        f"w:{local_name(element.tag)} has the value {value!r}, which is no count of columns; it was passed over",
        Source(walk.place, path),
    )
    return default


def _join(cell: _Cell, parts: tuple[Part, ...]) -> None:
    """Add what belongs to a cell as further lines."""
    if not parts:
        return
    if not cell.parts:
        cell.parts = parts
        return
    joined: list[Part] = cell.parts if isinstance(cell.parts, list) else list(cell.parts)
    joined += (NEWLINE, *parts)
    cell.parts = joined


def _build(walk: Walk, element: Any, rows: list[_Row], source: Source, notes_before: int) -> Table | None:
    if not any(cell.parts for row in rows for cell in row.cells):
        return None
    width = max(row.width for row in rows)
    cells = sum(len(row.cells) for row in rows)
    if len(rows) * width > _FREE_POSITIONS + _MAX_POSITIONS_PER_CELL * cells:
        raise LimitExceeded(
            f"A table of {cells} cells claims a grid of {len(rows)} by {width} positions",
            limit="DOCX_MAX_NODES",
            where=source.where(),
        )
    if any(cell.continues for row in rows for cell in row.cells):
        _merge_down(rows)
    grid: list[list[Cell | None]] = [[_EMPTY] * width for _ in rows]
    for number, row in enumerate(rows):
        target = grid[number]
        for cell in row.cells:
            column, height = cell.column, cell.height
            if height == 1 and cell.width == 1:
                if cell.parts and column < width:
                    target[column] = Cell(tuple(cell.parts))
            elif height:
                _place(cell, grid, number, width)
    headers = 0
    while headers < len(rows) and rows[headers].is_header:
        headers += 1
    first = element.find(f".//{W}p")
    if first is not None and (paraid := first.get(PARAID)) is not None:
        source = Source(source.part, source.path, paraid, source.page)
    extras: dict[str, Any] = {}
    properties = element.find(W + "tblPr")
    if properties is not None:
        for key, name in (("title", "tblCaption"), ("alt_text", "tblDescription")):
            described = properties.find(W + name)
            if described is not None and described.get(VAL):
                extras[key] = described.get(VAL)
    return Table(
        rows=tuple(map(tuple, grid)),
        header_rows=headers,
        footnotes=note_texts(walk.reader, walk.reader.note_calls[notes_before:]),
        source=source,
        extras=extras,
    )


def _merge_down(rows: list[_Row]) -> None:
    """Let cells grow over the empty ones below that continue them; those get the height 0."""
    above: dict[int, _Cell] = {}
    for row in rows:
        current: dict[int, _Cell] = {}
        for cell in row.cells:
            owner = above.get(cell.column) if cell.continues else None
            if owner is not None and owner.width == cell.width and not cell.parts:
                owner.height += 1
                cell.height = 0
                current[cell.column] = owner
            elif cell.restarts or owner is not None:
                # Word hides text in a continued cell. It must not be lost, nor stand before what is read before it.
                current[cell.column] = cell
        above = current


def _place(cell: _Cell, grid: list[list[Cell | None]], number: int, width: int) -> None:
    """Put a cell that covers several positions into the grid."""
    columns = range(cell.column, min(cell.column + cell.width, width))
    for covered in range(number, number + cell.height):
        for at in columns:
            grid[covered][at] = None
    if columns:
        grid[number][cell.column] = Cell(tuple(cell.parts), cell.height, len(columns))
