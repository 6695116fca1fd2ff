"""The assets folder as an asset sink: bytes go to disk as they are met."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path
from typing import IO

from lrdoc.document import Asset
from lrdoc.errors import LimitExceeded, SidecarError
from lrdoc.sidecar.names import assets_folder, stem_of
from lrdoc.text.clean import clean

_PIECE = 1 << 18
_LONGEST_NAME = 120
_UNWANTED = re.compile(r'[<>:"|?*&%#\[\]]')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")


class FolderAssets:
    """Stores assets in `<folder>/<stem>.blocks.assets/`, which is made with the first of them.

    Identical bytes are one file. Names are taken from the first suggestion, made safe for every file system, and made
    unique by "-2", "-3" … behind the stem, without regard to case.
    """

    def __init__(self, folder: Path, document_name: str) -> None:
        self.folder = folder / assets_folder(stem_of(document_name))
        self._by_digest: dict[str, Asset] = {}
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def put(self, data: bytes | IO[bytes], suggested_name: str, *, max_bytes: int | None = None) -> Asset:
        """Store bytes and return the asset. Raises LimitExceeded when there are more than `max_bytes`."""
        if isinstance(data, bytes):
            return self._put_bytes(data, suggested_name, max_bytes)
        return self._put_stream(data, suggested_name, max_bytes)

    def _put_bytes(self, data: bytes, suggested_name: str, max_bytes: int | None) -> Asset:
        if max_bytes is not None and len(data) > max_bytes:
            raise _too_large(suggested_name, max_bytes)
        digest = hashlib.sha256(data).hexdigest()
        known = self._by_digest.get(digest)
        if known is not None:
            return known
        name = self._free_name(suggested_name)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes(data)
        except OSError as e:
            raise SidecarError(f"the picture {name} cannot be stored: {e.strerror or e}") from e
        return self._keep(Asset(name, digest, len(data)))

    def _put_stream(self, data: IO[bytes], suggested_name: str, max_bytes: int | None) -> Asset:
        # The digest is known only at the end: the bytes stand under a name that no asset has until then.
        part = self.folder / ".part"
        hasher = hashlib.sha256()
        size = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                with part.open("wb") as out:
                    while piece := data.read(_PIECE):
                        size += len(piece)
                        if max_bytes is not None and size > max_bytes:
                            raise _too_large(suggested_name, max_bytes)
                        hasher.update(piece)
                        out.write(piece)
                known = self._by_digest.get(hasher.hexdigest())
                if known is not None:
                    return known
                name = self._free_name(suggested_name)
                part.rename(self.folder / name)
            finally:
                part.unlink(missing_ok=True)
        except OSError as e:
            raise SidecarError(f"the picture {suggested_name} cannot be stored: {e.strerror or e}") from e
        return self._keep(Asset(name, hasher.hexdigest(), size))

    def _keep(self, asset: Asset) -> Asset:
        self._by_digest[asset.sha256] = asset
        return asset

    def _free_name(self, suggested_name: str) -> str:
        name = safe_name(suggested_name)
        stem, dot, suffix = name.rpartition(".")
        if not dot:
            stem, suffix = name, ""
        n = self._next.get(name.casefold(), 1)
        candidate = name if n == 1 else f"{stem}-{n}{dot}{suffix}"
        while candidate.casefold() in self._taken:
            n += 1
            candidate = f"{stem}-{n}{dot}{suffix}"
        self._next[name.casefold()] = n + 1
        self._taken.add(candidate.casefold())
        return candidate


def safe_name(suggested: str) -> str:
    """A file name that every file system takes: no folder, no control, no reserved character; "asset" for nothing."""
    name = unicodedata.normalize("NFC", clean(suggested)).replace("\\", "/").rpartition("/")[2]
    name = "".join(c for c in _UNWANTED.sub("_", name) if c.isprintable()).strip(". ")
    stem, dot, suffix = name.rpartition(".")
    if not dot or len(suffix) > 20:
        stem, dot, suffix = name, "", ""
    room = _LONGEST_NAME - len((dot + suffix).encode())
    stem = stem.encode()[: max(room, 1)].decode("utf-8", "ignore").strip(". ")
    name = f"{stem or 'asset'}{dot}{suffix}"
    return f"_{name}" if _RESERVED.match(name) else name


def _too_large(name: str, max_bytes: int) -> LimitExceeded:
    return LimitExceeded(f"{name or 'an asset'} holds more than {max_bytes} bytes")
