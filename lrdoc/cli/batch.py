"""Run one function over many tasks, in this process or in several; results come in the order of the tasks.

Ctrl-C sets a flag that the running tasks look at, so that each leaves its folder clean; a second Ctrl-C interrupts at
once. A process that dies (out of memory, a crash inside a library) costs its own task alone.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.context import BaseContext

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class Flag(Protocol):
    """Set when the work should stop; an event of a thread or of processes."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...


class Work(Protocol[T_contra, R_co]):
    """What is done with a task. Plain data, so that it can be sent to another process."""

    def start(self, stop: Flag) -> Callable[[T_contra], R_co]:
        """Called once in each process; returns the function for the tasks."""

    def lost(self, task: T_contra) -> R_co:
        """The result of a task whose process died."""


def default_jobs() -> int:
    """Processors, at most 4."""
    return max(1, min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1))


def run_batch(work: Work[T, R], tasks: Sequence[T], jobs: int) -> Iterator[R]:
    """Results in the order of the tasks, each as soon as it and those before it are there. Raises KeyboardInterrupt."""
    if jobs <= 1 or len(tasks) <= 1:
        stop = threading.Event()
        with stopping(stop):
            function = work.start(stop)
            for task in tasks:
                yield function(task)
                if stop.is_set():
                    raise KeyboardInterrupt
        return
    yield from _Pool(work, min(jobs, len(tasks))).run(tasks)


@contextmanager
def stopping(stop: Flag) -> Iterator[None]:
    """Inside, the first Ctrl-C sets the flag and the second raises KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _SharedFlag:
    """A flag that several processes see.

    The event of multiprocessing has a lock: a process that dies while it looks would hold it for ever, and so would a
    signal handler that sets the flag while its own process looks.
    """

    def __init__(self, context: BaseContext) -> None:
        self._set = context.RawValue("b", 0)

    def set(self) -> None:
        self._set.value = 1

    def is_set(self) -> bool:
        return bool(self._set.value)


_function: Callable[[Any], Any] | None = None


def _start_process(work: Work[Any, Any], stop: Flag) -> None:
    """The parent alone takes Ctrl-C; the flag tells the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    global _function
    _function = work.start(stop)


def _run_task(task: Any) -> Any:
    assert _function is not None
    return _function(task)


class _Pool(Generic[T, R]):
    def __init__(self, work: Work[T, R], jobs: int) -> None:
        import multiprocessing

        self._work = work
        self._jobs = jobs
        # fork, where there is one: the modules are loaded already, and no thread of ours runs.
        self._context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
        self._stop = _SharedFlag(self._context)

    def run(self, tasks: Sequence[T]) -> Iterator[R]:
        from concurrent.futures.process import BrokenProcessPool

        with stopping(self._stop):
            pool = self._open(self._jobs)
            futures = [pool.submit(_run_task, task) for task in tasks]
            try:
                for future, task in zip(futures, tasks, strict=True):
                    try:
                        result = self._wait(future)
                    except BrokenProcessPool:
                        # The dead process broke the pool for every task that was left; each gets one of its own.
                        pool.shutdown(wait=True)
                        result = self._run_alone(task)
                    yield result
            finally:
                if not all(future.done() for future in futures):
                    self._stop.set()
                pool.shutdown(wait=True, cancel_futures=True)

    def _open(self, jobs: int) -> ProcessPoolExecutor:
        from concurrent.futures import ProcessPoolExecutor

        return ProcessPoolExecutor(jobs, self._context, _start_process, (self._work, self._stop))

    def _wait(self, future: Future[R]) -> R:
        from concurrent.futures import CancelledError

        try:
            result = future.result()
        except CancelledError:
            raise KeyboardInterrupt from None
        if self._stop.is_set():
            raise KeyboardInterrupt
        return result

    def _run_alone(self, task: T) -> R:
        from concurrent.futures.process import BrokenProcessPool

        with self._open(1) as pool:
            try:
                return self._wait(pool.submit(_run_task, task))
            except BrokenProcessPool:
                return self._work.lost(task)
