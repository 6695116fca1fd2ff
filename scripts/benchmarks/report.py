"""Lines of a benchmark table and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement. `ratio` compares it with the floor or the line before, as `basis` says."""

    group: str
    what: str
    seconds: float | None
    """CPU seconds; None when the value is not a time."""
    peak_mib: float | None = None
    ratio: float | None = None
    basis: str = ""
    limit: str = ""
    """What must hold, in words: "≤ 10×"; "" when nothing is demanded."""
    ok: bool = True
    note: str = ""


def _cells(line: Line) -> list[str]:
    return [
        line.group,
        line.what,
        "" if line.seconds is None else f"{line.seconds:.3f}",
        "" if line.peak_mib is None else f"{line.peak_mib:.0f}",
        "" if line.ratio is None else f"{line.ratio:.2f}× {line.basis}".rstrip(),
        line.limit,
        ("ok" if line.ok else "FAILED") if line.limit else "",
        line.note,
    ]


def render(lines: Iterable[Line]) -> str:
    """The lines as a markdown table."""
    head = ["group", "what", "CPU s", "MiB", "ratio", "limit", "", "note"]
    rows = [head, *map(_cells, lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    text = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    text.insert(1, "-|-".join("-" * width for width in widths))
    return "\n".join(f"| {line}" for line in text)
