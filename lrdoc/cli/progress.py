"""A progress bar on the terminal, for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY_S = 0.5
"""Shorter work shows nothing, and does not pay for loading rich."""


class ProgressBar:
    """Counts files; while it is not shown it costs nothing. Not shown at all when stderr is no terminal."""

    def __init__(self, total: int, *, enabled: bool) -> None:
        self._total = total
        self._done = 0
        self._enabled = enabled and sys.stderr.isatty()
        self._since = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def update(self, text: str) -> None:
        """What is being done now."""
        if not self._enabled or time.monotonic() - self._since < DELAY_S:
            return
        if self._bar is None:
            self._show()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=text, completed=self._done)

    def advance(self) -> None:
        """One more file is done."""
        self._done += 1

    def hide(self) -> None:
        """Take the bar away, so that lines can be printed; the next update shows it again."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=self._total)
        self._bar.start()
