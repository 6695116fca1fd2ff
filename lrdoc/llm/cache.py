"""Keeps answers in a SQLite file, so that asking the same again costs nothing.

A key tells everything that an answer depends on (`base.request_key`). Neither keys nor rows hold secrets. Answers that
were cut off are not kept.
"""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from lrdoc.llm.base import ChatModel, Reply, Request, Usage, request_key

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, "
    "host TEXT NOT NULL, purpose TEXT NOT NULL, answer TEXT NOT NULL) WITHOUT ROWID"
)


class AnswerCache:
    """Answers by key. Safe to use from several threads and processes; a damaged file is set aside."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._connection = self._connect()
            except sqlite3.DatabaseError:
                # A cache may be lost, an answer may not be wrong.
                self.path.replace(self.path.with_name(self.path.name + ".damaged"))
                self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=30, check_same_thread=False, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(_SCHEMA)
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def get(self, key: str) -> str | None:
        with self._lock:
            row = self._open().execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, key: str, role: str, model: ChatModel, purpose: str, answer: str) -> None:
        with self._lock:
            self._open().execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)",
                (key, role, model.name, model.host, purpose, answer),
            )

    def remove(self, key: str) -> None:
        with self._lock:
            self._open().execute("DELETE FROM answers WHERE key = ?", (key,))

    def close(self) -> None:
        with self._lock:
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

    async def complete(self, request: Request, *, fresh: bool = False) -> Reply:
        key = request_key(self.model, self._role, request)
        if not fresh:
            kept = self._cache.get(key)
            if kept is not None:
                return Reply(kept, cached=True, cache_key=key)
        reply = await self.model.complete(request, fresh=fresh)
        if reply.finish_reason == "length":
            return reply
        self._cache.put(key, self._role, self.model, request.purpose, reply.text)
        return Reply(reply.text, reply.finish_reason, reply.usage, cache_key=key)

    @property
    def usage(self) -> Usage:
        """Tokens of the answers that were not kept already."""
        told = getattr(self.model, "usage", None)
        return told if isinstance(told, Usage) else Usage()

    async def close(self) -> None:
        await self.model.close()
