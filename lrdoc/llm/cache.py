"""Keeps answers in a SQLite file, so that asking the same again costs nothing.

A key tells everything that an answer depends on (`base.request_key`). Neither keys nor rows hold secrets. Answers that
were cut off are not kept. A file that cannot be read or written never stops an analysis: it is told, and the answers
are used without being kept.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from lrdoc.llm.base import ChatModel, Reply, Request, request_key

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, "
    "host TEXT NOT NULL, purpose TEXT NOT NULL, answer TEXT NOT NULL) WITHOUT ROWID"
)
_BUSY_S = 0.05
"""SQLite itself waits no longer for another process: whoever asks also wants to hear of a cancellation."""
LONGEST_WAIT_S = 5.0
"""A file that is locked for longer is not used."""

T = TypeVar("T")


class CacheBusy(Exception):
    """Another process holds the file just now."""


class AnswerCache:
    """Answers by key. Safe to use from several threads and processes; a damaged file is set aside."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        """Why nothing is kept any more; "" while all is well."""
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, key: str) -> str | None:
        """The answer, None when there is none. Raises CacheBusy."""

        def read(connection: sqlite3.Connection) -> str | None:
            row = connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
            return None if row is None else str(row[0])

        return self._use(read)

    def put(self, key: str, role: str, model: ChatModel, purpose: str, answer: str) -> bool:
        """Keep an answer; False when it cannot be kept. Raises CacheBusy."""
        row = (key, role, model.name, model.host, purpose, answer)

        def write(connection: sqlite3.Connection) -> bool:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
            return True

        return bool(self._use(write))

    def close(self) -> None:
        with self._lock:
            self._shut()

    def give_up(self, reason: str) -> None:
        """Use the file no more."""
        with self._lock:
            self.problem = self.problem or f"answers are not kept in {self.path}: {reason}"
            self._shut()

    def _use(self, action: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._lock:
            for _ in range(2):
                if self.problem:
                    return None
                try:
                    return action(self._open())
                except (sqlite3.Error, OSError) as error:
                    self._judge(error)
            return None

    def _judge(self, error: sqlite3.Error | OSError) -> None:
        """Wait for a lock, set a damaged file aside, and do without one that cannot be used."""
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise CacheBusy from error
        self._shut()
        if code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            # A cache may be lost, an answer may not be wrong.
            try:
                self.path.replace(self.path.with_name(self.path.name + ".damaged"))
                for ending in ("-wal", "-shm"):
                    self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
            except OSError as refused:
                error = refused
            else:
                return
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        self.problem = f"answers are not kept in {self.path}: {reason}"

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(_SCHEMA)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _shut(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class CachedModel:
    """A model whose answers are kept."""

    def __init__(self, model: ChatModel, cache: AnswerCache, role: str) -> None:
        self.model = model
        self.name = model.name
        self.binding = model.binding
        self.host = model.host
        self._cache = cache
        self._role = role
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock for each request that is being asked."""

    async def complete(self, request: Request, *, fresh: bool = False) -> Reply:
        key = request_key(self.model, self._role, request)
        # Who asks the same at the same time waits for the first one's answer and finds it kept.
        turn = self._turns.setdefault(key, asyncio.Lock())
        async with turn:
            if not fresh:
                kept = await self._patiently(lambda: self._cache.get(key))
                if kept is not None:
                    return Reply(kept, cached=True, cache_key=key)
            reply = await self.model.complete(request, fresh=fresh)
            if reply.finish_reason == "length":
                return reply
            stored = await self._patiently(
                lambda: self._cache.put(key, self._role, self.model, request.purpose, reply.text)
            )
        return Reply(reply.text, reply.finish_reason, reply.usage, cache_key=key if stored else "")

    async def _patiently(self, action: Callable[[], T]) -> T | None:
        """Try again while another process holds the file, without holding up other tasks."""
        deadline = time.monotonic() + LONGEST_WAIT_S
        while True:
            try:
                return action()
            except CacheBusy:
                if time.monotonic() >= deadline:
                    self._cache.give_up(f"another process has locked it for more than {LONGEST_WAIT_S:g} s")
                    return None
            await asyncio.sleep(_BUSY_S)

    async def close(self) -> None:
        await self.model.close()
