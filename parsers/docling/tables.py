"""The cells of a docling table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lrdoc.document import Cell, Part, Source, Text
from lrdoc.parsers.services.builder import as_text

_MOST_CELLS = 500_000
_MOST_EMPTY = 10_000
_EMPTY = Cell()

_Found = tuple[int, int, int, int, Mapping[str, Any]]
"""Row, column, rows, columns and the cell."""


def read_grid(
    data: Any, source: Source, rich: Callable[[Mapping[str, Any]], tuple[Part, ...] | None]
) -> tuple[tuple[tuple[Cell | None, ...], ...], int]:
    """The grid with its spans, and how many leading rows are header rows.

    `rich` gives the parts of a cell that refers to a group of texts and items, None for a plain cell.
    """
    if not isinstance(data, dict):
        return (), 0
    cells = _cells(data)
    if not cells:
        return (), 0
    height = max(row + rows for row, _, rows, _, _ in cells)
    width = max(column + columns for _, column, _, columns, _ in cells)
    if height * width > _MOST_CELLS:
        cells = _pack(cells)
        height = cells[-1][0] + 1
        width = max(column for _, column, _, _, _ in cells) + 1
    else:
        # Empty rows and columns at the end, as far as they are worth it.
        told = max(height, _whole(data.get("num_rows"))), max(width, _whole(data.get("num_cols")))
        if told[0] * told[1] <= max(_MOST_EMPTY, 4 * height * width):
            height, width = told
    owners: dict[tuple[int, int], tuple[int, int]] = {}
    grid: list[list[Cell | None]] = [[_EMPTY] * width for _ in range(height)]
    heads: list[list[bool]] = [[] for _ in range(height)]
    for row, column, rows, columns, cell in cells:
        parts = rich(cell)
        if parts is None:
            text = as_text(cell.get("text"))
            parts = (Text(text, source),) if text else ()
        owner = owners.get((row, column))
        if owner is not None:
            # Two cells at one place: both are read, the second in the first.
            r, c = owner
            first = grid[r][c]
            if first is not None and parts:
                between = (Text("\n"),) if first.parts else ()
                grid[r][c] = Cell((*first.parts, *between, *parts), first.row_span, first.col_span)
            continue
        rows, columns = _free(owners, row, column, rows, columns)
        for r in range(row, row + rows):
            for c in range(column, column + columns):
                owners[r, c] = row, column
                grid[r][c] = None
            heads[r].append(cell.get("column_header") is True)
        grid[row][column] = Cell(parts, rows, columns)
    header_rows = 0
    for flags in heads:
        if not flags or not all(flags):
            break
        header_rows += 1
    return tuple(tuple(line) for line in grid), header_rows


def _cells(data: Mapping[str, Any]) -> list[_Found]:
    """(row, column, rows, columns, cell) of all cells, in the order of reading."""
    found: list[_Found] = []
    cells = data.get("table_cells")
    if isinstance(cells, list) and cells:
        for cell in cells:
            if isinstance(cell, dict):
                row, column = _whole(cell.get("start_row_offset_idx")), _whole(cell.get("start_col_offset_idx"))
                rows = max(_whole(cell.get("end_row_offset_idx")) - row, 1)
                columns = max(_whole(cell.get("end_col_offset_idx")) - column, 1)
                found.append((row, column, rows, columns, cell))
    else:
        grid = data.get("grid")
        for r, line in enumerate(grid if isinstance(grid, list) else ()):
            for c, cell in enumerate(line if isinstance(line, list) else ()):
                if not isinstance(cell, dict):
                    continue
                row, column = cell.get("start_row_offset_idx", r), cell.get("start_col_offset_idx", c)
                if (row, column) == (r, c):
                    rows, columns = _whole(cell.get("row_span")) or 1, _whole(cell.get("col_span")) or 1
                    found.append((r, c, rows, columns, cell))
    return sorted(found, key=lambda one: one[:2])


def _pack(cells: list[_Found]) -> list[_Found]:
    """The cells of a table that is mostly empty or claims more than there is: without spans, row below row."""
    packed: list[_Found] = []
    last, row, column = -1, -1, 0
    for where, _, _, _, cell in cells:
        row, column = (row, column + 1) if where == last else (row + 1, 0)
        last = where
        packed.append((row, column, 1, 1, cell))
    return packed


def _free(taken: Mapping[tuple[int, int], object], row: int, column: int, rows: int, columns: int) -> tuple[int, int]:
    """The span without places that another cell has."""
    width = 1
    while width < columns and (row, column + width) not in taken:
        width += 1
    height = 1
    while height < rows and not any((row + height, c) in taken for c in range(column, column + width)):
        height += 1
    return height, width


def _whole(value: Any) -> int:
    return value if type(value) is int and 0 <= value < 1_000_000 else 0
