"""Documents that grow in one direction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import growth
import inputs
import measure
from report import Line


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
        measures: list[tuple[str, Callable[[], measure.Measured]]] = []
        for size in [max(1, n // 50) for n in sizes] if quick else sizes:
            source = inputs.prepared(folder, f"{what.replace(' ', '_')}{size}.{suffix}", maker(size))
            one = partial(measure.measure, "work", "parse", str(source), runs=1 if quick else 2)
            measures.append((f"{size} {what} ({suffix})", one))
        lines += growth.lines_of("scale", measures, quick)
    return lines
