"""Inputs that grow in one direction: linear means at most 2.6 times the CPU for twice the size."""

from __future__ import annotations

from pathlib import Path

import inputs
import measure
from inputs import Make
from report import Line

DOUBLING = 2.6


def series() -> list[tuple[str, str, list[int], inputs.Maker]]:
    return [
        ("docx", "pictures", [1000, 2000, 4000], inputs.pictures),
        ("docx", "paragraphs", [12500, 25000, 50000], inputs.paragraphs),
        ("docx", "table rows", [1250, 2500, 5000], inputs.long_table),
        ("docx", "equations", [500, 1000, 2000], inputs.equations),
        ("docx", "headings", [5000, 10000, 20000], inputs.headings),
    ] + [
        ("md", kind, [5000, 10000, 20000], lambda n, kind=kind: inputs.markdown_scale(kind, n))
        for kind in ("sections", "dollars", "tabletags", "brackets", "fences")
    ]


def run(folder: Path, quick: bool, peers: bool) -> list[Line]:
    lines: list[Line] = []
    for suffix, what, sizes, maker in series():
        before: float | None = None
        for size in [max(1, n // 50) for n in sizes] if quick else sizes:
            make: Make = maker(size)
            source = inputs.prepared(folder, f"{what.replace(' ', '_')}{size}.{suffix}", make)
            now = measure.measure("work", "parse", str(source), runs=1 if quick else 2)
            ratio = now.seconds / before if before else None
            lines.append(
                Line(
                    "scale",
                    f"{size} {what} ({suffix})",
                    now.seconds,
                    now.peak_mib,
                    ratio,
                    "half the size",
                    limit=f"≤ {DOUBLING}×" if ratio else "",
                    # Below a hundredth of a second start-up noise hides the growth.
                    ok=quick or ratio is None or ratio <= DOUBLING or now.seconds < 0.01,
                )
            )
            before = now.seconds
    return lines
