"""The raw bundle: downloaded pictures of one document, kept for the next parse (public specification, 6.3).

`_manifest.json` says what is valid. It is replaced last and in one step: killed at any moment, the folder holds files
that no manifest names, which are not used, or the old state. Every entry is checked by size and hash when it is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

MANIFEST = "_manifest.json"
_VERSION = "1"
_ENGINE = "native_md"
_FILE = re.compile(r"[0-9a-f]{16}\.[a-z0-9]{1,5}")


class RawCache:
    """Pictures by their address."""

    def __init__(self, folder: Path | None, source: bytes, signature: str, *, ignore: bool) -> None:
        """`signature` names the options under which the entries were made; `ignore`: begin anew."""
        self._folder = folder
        self._source = {"sha256": hashlib.sha256(source).hexdigest(), "size": len(source)}
        self._signature = signature
        self._entries: dict[str, dict[str, Any]] = {}
        self._used: dict[str, dict[str, Any]] = {}
        self._fresh = True
        """Nothing of what lies in the folder is valid."""
        self._changed = False
        if folder is not None and not ignore:
            self._entries = self._load(folder)
            self._fresh = not self._entries

    def _load(self, folder: Path) -> dict[str, dict[str, Any]]:
        try:
            manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(manifest, dict) or any(manifest.get(key) != value for key, value in self._head().items()):
            return {}
        images = manifest.get("images")
        if not isinstance(images, dict):
            return {}
        return {url: entry for url, entry in images.items() if isinstance(entry, dict)}

    def _head(self) -> dict[str, Any]:
        return {
            "version": _VERSION,
            "engine": _ENGINE,
            "source_content_hash": f"sha256:{self._source['sha256']}",
            "source_size": self._source["size"],
            "options_signature": self._signature,
        }

    def get(self, url: str) -> bytes | None:
        """The bytes that were kept, None when there are none or they are not what they were."""
        entry = self._entries.get(url)
        if entry is None or self._folder is None:
            return None
        name = entry.get("file")
        if not isinstance(name, str) or not _FILE.fullmatch(name):
            return None
        path = self._folder / name
        try:
            if path.is_symlink():
                return None
            data = path.read_bytes()
        except OSError:
            return None
        if len(data) != entry.get("size") or entry.get("sha256") != f"sha256:{hashlib.sha256(data).hexdigest()}":
            return None
        self._used[url] = entry
        return data

    def put(self, url: str, data: bytes, extension: str) -> None:
        """Keep the bytes. A folder that cannot be written costs the next parse a download, nothing else."""
        if self._folder is None:
            return
        name = f"{hashlib.sha256(url.encode('utf-8', 'replace')).hexdigest()[:16]}.{extension}"
        try:
            if self._fresh and not self._changed:
                if self._folder.is_dir() and not self._folder.is_symlink():
                    shutil.rmtree(self._folder)
                self._folder.mkdir(parents=True, exist_ok=True)
            _replace(self._folder / name, data)
        except OSError:
            return
        self._changed = True
        self._used[url] = {
            "file": name,
            "sha256": f"sha256:{hashlib.sha256(data).hexdigest()}",
            "size": len(data),
            "fmt": extension,
        }

    def finish(self, *, complete: bool) -> None:
        """Write the manifest. After a whole parse it names what the document uses, and nothing else is kept."""
        if self._folder is None or not (self._changed or (complete and self._used.keys() != self._entries.keys())):
            return
        entries = self._used if complete else {**self._entries, **self._used}
        manifest = {**self._head(), "images": entries}
        with contextlib.suppress(OSError):
            if not entries and not self._folder.is_dir():
                return
            text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
            _replace(self._folder / MANIFEST, text.encode("utf-8", "replace"))
            if complete:
                kept = {entry["file"] for entry in entries.values()}
                for path in self._folder.iterdir():
                    if path.name not in kept and (_FILE.fullmatch(path.name) or path.name.endswith(".tmp")):
                        path.unlink()


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
