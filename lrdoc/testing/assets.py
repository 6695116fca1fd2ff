"""Asset sinks that need no folder."""

from __future__ import annotations

import hashlib
from typing import IO

from lrdoc.document import Asset
from lrdoc.errors import LimitExceeded


class NoAssets:
    """Refuses every asset: for engines that must not store any."""

    def put(self, data: bytes | IO[bytes], suggested_name: str, *, max_bytes: int | None = None) -> Asset:
        raise AssertionError(f"the engine stored {suggested_name}")


class MemoryAssets:
    """Keeps assets in memory: name → bytes in `files`."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._names: dict[str, str] = {}

    def put(self, data: bytes | IO[bytes], suggested_name: str, *, max_bytes: int | None = None) -> Asset:
        content = data if isinstance(data, bytes) else data.read()
        if max_bytes is not None and len(content) > max_bytes:
            raise LimitExceeded(f"{suggested_name} has {len(content)} bytes, more than {max_bytes}")
        digest = hashlib.sha256(content).hexdigest()
        name = self._names.get(digest)
        if name is None:
            name = suggested_name or "asset"
            while name in self.files:
                name = "_" + name
            self._names[digest] = name
            self.files[name] = content
        return Asset(name, digest, len(content))
