"""Limits how many requests a model gets at a time; the most urgent waits least."""

from __future__ import annotations

import asyncio
import heapq
import itertools

from lrdoc.llm.base import ChatModel, Reply, Request, Usage


class PriorityGate:
    """Lets `width` tasks pass at a time, waiting ones in order of priority and then of arrival."""

    def __init__(self, width: int) -> None:
        self._free = width
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()

    async def enter(self, priority: int) -> None:
        if self._free > 0 and not self._waiting:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (priority, next(self._arrivals), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class QueuedModel:
    """A model with a limit, and an account of what it was asked."""

    def __init__(self, model: ChatModel, max_async: int) -> None:
        self.model = model
        self.name = model.name
        self.binding = model.binding
        self.host = model.host
        self.usage = Usage()
        self._gate = PriorityGate(max_async)

    async def complete(self, request: Request, *, fresh: bool = False) -> Reply:
        await self._gate.enter(request.priority)
        try:
            reply = await self.model.complete(request, fresh=fresh)
        finally:
            self._gate.leave()
        self.usage += reply.usage
        return reply

    async def close(self) -> None:
        await self.model.close()
