"""Inputs that grow in one direction: linear means at most 2.6 times the CPU for twice the size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from measure import Measured
from report import Line

DOUBLING = 2.6
_TRIES = 4
_NOISE_S = 0.01
"""Below this, start-up noise hides the growth."""


def lines_of(group: str, series: Sequence[tuple[str, Callable[[], Measured]]], quick: bool) -> list[Line]:
    """Measure inputs of which each is twice as large as the one before. With `quick` nothing is demanded."""
    found = _measured([measure for _, measure in series], 1 if quick else _TRIES)
    lines: list[Line] = []
    for i, (what, _) in enumerate(series):
        ratio = found[i].seconds / found[i - 1].seconds if i and found[i - 1].seconds else None
        lines.append(
            Line(
                group,
                what,
                found[i].seconds,
                found[i].peak_mib,
                ratio,
                "half the size",
                limit=f"≤ {DOUBLING}×" if ratio else "",
                ok=quick or i == 0 or _is_linear(found[i - 1], found[i]),
            )
        )
    return lines


def _measured(measures: Sequence[Callable[[], Measured]], tries: int) -> list[Measured]:
    """Where an input seems to cost too much, it and the one before are measured again, and the fastest runs count: a
    busy machine disturbs some measurements, real growth shows in all."""
    found = [measure() for measure in measures]
    for i in range(1, len(found)):
        for _ in range(tries - 1):
            if _is_linear(found[i - 1], found[i]):
                break
            for k in (i - 1, i):
                found[k] = min(found[k], measures[k](), key=lambda measured: measured.seconds)
    return found


def _is_linear(half: Measured, whole: Measured) -> bool:
    return whole.seconds <= DOUBLING * half.seconds or whole.seconds < _NOISE_S
