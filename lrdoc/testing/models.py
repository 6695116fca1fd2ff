"""A language model that says what it is told to, for tests of one's own stages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any

from lrdoc.errors import ModelError
from lrdoc.llm.base import Reply, Request, Usage

Answer = str | dict[str, Any] | Exception | Reply


class ScriptedModel:
    """Answers from a script and remembers what it was asked.

    The script is either a function from request to answer or the answers in their order. A dict is sent as JSON, an
    exception is raised; a script that has run out raises ModelError. `delay_s` is how long an answer takes.
    """

    binding = "scripted"
    host = "memory"

    def __init__(
        self, script: Callable[[Request], Answer] | Iterable[Answer], *, name: str = "scripted", delay_s: float = 0.0
    ) -> None:
        self.name = name
        self.requests: list[Request] = []
        self.greatest_concurrency = 0
        self._delay_s = delay_s
        self._running = 0
        self._next: Callable[[Request], Answer]
        if callable(script):
            self._next = script
        else:
            answers = iter(script)
            self._next = lambda request: next(answers, ModelError("the script has run out"))

    async def complete(self, request: Request, *, fresh: bool = False) -> Reply:
        self.requests.append(request)
        self._running += 1
        self.greatest_concurrency = max(self.greatest_concurrency, self._running)
        try:
            if self._delay_s:
                await asyncio.sleep(self._delay_s)
            answer = self._next(request)
        finally:
            self._running -= 1
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Reply(text, usage=Usage(len(request.text) // 4, len(text) // 4, 1))

    async def close(self) -> None:
        return None
