"""Times that are promised, measured so that a busy machine does not disturb them."""

from __future__ import annotations

import time
from collections.abc import Callable

TRIES = 4
LONGEST_S = 120.0


def soonest(attempt: Callable[[], float], limit_s: float) -> float:
    """The least of several measured times, no more being made than are needed to keep the limit.

    A busy machine may delay some tries; a fault delays all.
    """
    least = attempt()
    for _ in range(TRIES - 1):
        if least < limit_s:
            break
        least = min(least, attempt())
    return least


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Return as soon as the condition holds; fail after a time that no machine needs."""
    deadline = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)
