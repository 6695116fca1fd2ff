"""The cells of a docling table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lrdoc.document import Cell, Part, Source, Text
from lrdoc.parsers.served import as_text

_MOST_CELLS = 2_000_000


def read_grid(
    data: Any, source: Source, rich: Callable[[Mapping[str, Any]], tuple[Part, ...] | None]
) -> tuple[tuple[tuple[Cell | None, ...], ...], int]:
    """The grid with its spans, and how many leading rows are header rows.

    `rich` gives the parts of a cell that refers to a group of texts and items, None for a plain cell.
    """
    if not isinstance(data, dict):
        return (), 0
    cells = _cells(data)
    height = max([_whole(data.get("num_rows")), *(row + rows for row, _, rows, _, _ in cells)], default=0)
    width = max([_whole(data.get("num_cols")), *(column + columns for _, column, _, columns, _ in cells)], default=0)
    if not cells or not height or not width or height * width > _MOST_CELLS:
        return (), 0
    taken: set[tuple[int, int]] = set()
    grid: list[list[Cell | None]] = [[Cell() for _ in range(width)] for _ in range(height)]
    heads: list[list[bool]] = [[] for _ in range(height)]
    for row, column, rows, columns, cell in cells:
        if (row, column) in taken:
            continue
        rows, columns = _free(taken, row, column, rows, columns)
        for r in range(row, row + rows):
            for c in range(column, column + columns):
                taken.add((r, c))
                grid[r][c] = None
            heads[r].append(cell.get("column_header") is True)
        parts = rich(cell)
        if parts is None:
            text = as_text(cell.get("text"))
            parts = (Text(text, source),) if text else ()
        grid[row][column] = Cell(parts, rows, columns)
    header_rows = 0
    for flags in heads:
        if not flags or not all(flags):
            break
        header_rows += 1
    return tuple(tuple(line) for line in grid), header_rows


def _cells(data: Mapping[str, Any]) -> list[tuple[int, int, int, int, Mapping[str, Any]]]:
    """(row, column, rows, columns, cell) of all cells, in the order of reading."""
    found: list[tuple[int, int, int, int, Mapping[str, Any]]] = []
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
    if sum(rows * columns for _, _, rows, columns, _ in found) > _MOST_CELLS:
        found = [(row, column, 1, 1, cell) for row, column, _, _, cell in found]
    return sorted(found, key=lambda one: one[:2])


def _free(taken: set[tuple[int, int]], row: int, column: int, rows: int, columns: int) -> tuple[int, int]:
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
