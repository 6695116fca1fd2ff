"""Chunkers beside one plain encoding of the same text, and their growth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import growth
import inputs
import inputs_chunkers as texts
import measure
from inputs import Make
from report import Line

LIMITS = {"F": 2.5, "R": 4.0, "P": 4.0}
V_SECONDS = 2.0
PEER = Path(__file__).resolve().parents[2] / "build" / "judge" / "langchain"
"""Where scripts/_judges installs LangChain's splitters; measured when they are there."""


def run(folder: Path, quick: bool, peers: bool) -> list[Line]:
    return [*_speed(folder, quick), *_growth(folder, quick)]


def _speed(folder: Path, quick: bool) -> list[Line]:
    size = 100_000 if quick else 5_000_000
    runs = 1 if quick else 5
    label = f"{size / 1e6:g} MB text"
    text = inputs.prepared(folder, f"chunks{size}.txt", lambda p: texts.write_text(p, texts.mixed_markdown(size)))
    blocks = inputs.prepared(
        folder,
        f"chunks{size}.blocks.jsonl",
        lambda p: texts.write_blocks(p, texts.blocks_of(texts.mixed_markdown(size))),
    )
    floor = measure.measure("work_chunkers", "encode", str(text), runs=runs)
    lines = [Line("chunkers", f"{label}: one encode", floor.seconds, floor.peak_mib)]
    for strategy, most in LIMITS.items():
        source = blocks if strategy == "P" else text
        ours = measure.measure("work_chunkers", strategy, str(source), runs=runs)
        ratio = ours.seconds / floor.seconds
        lines.append(
            Line(
                "chunkers",
                f"{label}: {strategy}",
                ours.seconds,
                ours.peak_mib,
                ratio,
                "encode",
                f"≤ {most}×",
                quick or ratio <= most,
            )
        )
    ours = measure.measure("work_chunkers", "V", str(text), runs=runs)
    lines.append(
        Line(
            "chunkers",
            f"{label}: V without the model",
            ours.seconds,
            ours.peak_mib,
            ours.seconds / floor.seconds,
            "encode",
            f"≤ {V_SECONDS:g} s",
            quick or ours.seconds <= V_SECONDS,
        )
    )
    if PEER.is_dir():
        peer = measure.measure("work_chunkers", "langchain-R", str(text), str(PEER), runs=min(runs, 2))
        ratio = peer.seconds / floor.seconds
        lines.append(Line("chunkers", f"{label}: langchain recursive", peer.seconds, peer.peak_mib, ratio, "encode"))
    return lines


def _growth(folder: Path, quick: bool) -> list[Line]:
    series: list[tuple[str, str, int, str, Callable[[int], Any]]] = [
        ("P", "table rows", 6_000, "400", texts.table_block),
        ("P", "blocks of ideal size", 8_000, "200", texts.ideal_blocks),
        ("P", "short lines", 100_000, "200", texts.short_lines),
        ("R", "characters without separator", 5_000_000, "", texts.no_separator),
        ("R", "characters in one line", 1_000_000, "", texts.one_line),
        ("F", "characters without separator", 5_000_000, "", texts.no_separator),
    ]
    lines: list[Line] = []
    for strategy, what, most, size, make in series:
        suffix = "blocks.jsonl" if strategy == "P" else "txt"
        measures: list[tuple[str, Callable[[], measure.Measured]]] = []
        for n in (most // 4, most // 2, most):
            count = max(n // 50, 1) if quick else n
            name = f"chunk_{what.replace(' ', '_')}{count}.{suffix}"
            source = inputs.prepared(folder, name, _writer(strategy, make, count))
            one = partial(measure.measure, "work_chunkers", strategy, str(source), size, runs=1 if quick else 3)
            measures.append((f"{strategy}: {count} {what}", one))
        lines += growth.lines_of("chunkers", measures, quick)
    return lines


def _writer(strategy: str, make: Callable[[int], Any], count: int) -> Make:
    if strategy == "P":
        return lambda path: texts.write_blocks(path, make(count))
    return lambda path: texts.write_text(path, make(count))
