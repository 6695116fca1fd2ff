"""The analysis stage with a model that answers at once: what the stage itself costs for each item."""

from __future__ import annotations

from pathlib import Path

import measure
from report import Line


def run(folder: Path, quick: bool, peers: bool) -> list[Line]:
    lines: list[Line] = []
    for count in (20,) if quick else (250, 1000):
        measured = measure.measure("work_analysis", str(count), runs=1 if quick else 2)
        each = measured.seconds / count * 1000
        lines.append(
            Line(
                "analysis",
                f"{count} tables, {each:.2f} ms an item",
                measured.seconds,
                measured.peak_mib,
                limit="≤ 3 ms an item",
                ok=quick or each <= 3,
            )
        )
    return lines
