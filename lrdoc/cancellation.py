"""How work hears that it is to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lrdoc.errors import Cancelled

_LOOK_S = 0.05


def _never() -> bool:
    return False


@dataclass(slots=True, kw_only=True)
class Cancellable:
    """What the contexts of engines and chunkers have in common."""

    cancelled: Callable[[], bool] = _never
    """True when the caller wants the work to stop."""
    clock: Callable[[], float] = time.monotonic
    _next_look: float = field(default=0.0, repr=False)

    def check(self) -> None:
        """Raise Cancelled when the caller wants the work to stop. Cheap: call it in every loop."""
        now = self.clock()
        if now >= self._next_look:
            self._next_look = now + _LOOK_S
            if self.cancelled():
                raise Cancelled()
