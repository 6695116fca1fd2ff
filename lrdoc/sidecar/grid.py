"""Which cell shows at which position of a table's grid."""

from __future__ import annotations

from collections.abc import Sequence

from lrdoc.document import Cell

Span = tuple[int, int, int, int]
"""Row, column, row span, column span."""


def width_of(rows: Sequence[Sequence[object]]) -> int:
    """Columns of the grid; rows that are shorter count as filled up with empty cells."""
    return max(map(len, rows), default=0)


def cover(rows: Sequence[Sequence[Cell | None]]) -> tuple[list[Span], dict[tuple[int, int], tuple[int, int]]]:
    """The spans that are larger than one cell, and for each position under them the position of their cell.

    A span ends at the edge of the grid and before a position that is taken, so that every cell stays visible and the
    work is in proportion to the grid whatever the spans say.
    """
    spans: list[Span] = []
    owners: dict[tuple[int, int], tuple[int, int]] = {}
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if cell is None or (cell.row_span <= 1 and cell.col_span <= 1):
                continue
            col_span = 1
            while col_span < cell.col_span and _free(rows, owners, r, c + col_span):
                col_span += 1
            row_span = 1
            while row_span < cell.row_span and all(_free(rows, owners, r + row_span, c + k) for k in range(col_span)):
                row_span += 1
            if row_span > 1 or col_span > 1:
                spans.append((r, c, row_span, col_span))
                for i in range(row_span):
                    for k in range(col_span):
                        if i or k:
                            owners[r + i, c + k] = (r, c)
    return spans, owners


def _free(
    rows: Sequence[Sequence[Cell | None]], owners: dict[tuple[int, int], tuple[int, int]], r: int, c: int
) -> bool:
    return r < len(rows) and c < len(rows[r]) and rows[r][c] is None and (r, c) not in owners
