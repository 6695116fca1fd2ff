"""Measure how the cost of some work grows with its input, on machines of any speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
SHORTEST_S = 0.005
TRIES = 5


def costs_in_proportion(work: Callable[[T], object], make: Callable[[int], T], small: int, large: int) -> None:
    """Times as much input costs at most two and a half times as many times; a quadratic step costs its square.

    A busy machine may disturb a measurement; a quadratic step shows in all.
    """
    most = 2.5 * large / small
    inputs = [make(count) for count in (small, large)]
    ratios: list[float] = []
    for _ in range(TRIES):
        short, long = (_cpu_s(work, value) for value in inputs)
        ratios.append(long / max(short, SHORTEST_S))
        if ratios[-1] < most:
            return
    raise AssertionError(f"{large / small:g} times the input costs {min(ratios):.0f} times as much")


def _cpu_s(work: Callable[[T], object], value: T) -> float:
    started = time.process_time()
    work(value)
    return time.process_time() - started
