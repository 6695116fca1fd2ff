"""Work in a thread that nobody waits for when it is not wanted any more."""

from __future__ import annotations

import asyncio
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

    def tell(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except BaseException as error:  # the waiting task raises it
            failure = error
        try:
            loop.call_soon_threadsafe(tell, result, failure)
        except RuntimeError:
            return  # the loop has ended meanwhile

    threading.Thread(target=run, name="lrdoc-picture", daemon=True).start()
    return await done
