"""Work in a thread that nobody waits for when it is not wanted any more."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_daemon(work: Callable[[], T]) -> T:
    """The result of `work`, done in a thread of its own.

    When the caller is cancelled, the thread finishes unheard: neither the loop nor the end of the process waits for it,
    as both would for a thread of a pool. `work` must therefore leave nothing behind but its result.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(worked: concurrent.futures.Future[T]) -> None:
        if done.cancelled():
            return
        error = worked.exception()
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(worked.result())

    def run() -> None:
        worked: concurrent.futures.Future[T] = concurrent.futures.Future()
        try:
            worked.set_result(work())
        except BaseException as error:  # the waiting task raises it
            worked.set_exception(error)
        try:
            loop.call_soon_threadsafe(settle, worked)
        except RuntimeError:
            return  # the loop has ended meanwhile

    threading.Thread(target=run, name="lrdoc-picture", daemon=True).start()
    return await done
