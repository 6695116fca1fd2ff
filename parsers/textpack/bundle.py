"""TextBundle: one markdown text with its pictures, as a folder or packed as a zip archive.

The text is found by its suffix: in the one `*.textbundle` folder when there is one, else at the top. Nothing is
unpacked to disk, and nothing that leads out of the package is read.
"""

from __future__ import annotations

import json
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from lrdoc.errors import EncryptedFileError, LimitExceeded, SourceError
from lrdoc.parsers.markdown.files import FolderFiles, check_reference, too_large
from lrdoc.parsers.markdown.refused import PictureError

MAX_ENTRIES = 10_000
MAX_BYTES = 512 * 1024 * 1024
_MAX_RATIO = 200
_RATIO_FLOOR = 32 * 1024 * 1024
"""Below this size a high compression ratio harms nobody."""
_MAX_INFO = 1024 * 1024
_BODIES = (".md", ".markdown")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError)
"""What unpacking an entry raises when it is damaged or packed in a way that nobody knows."""


class Bundle(Protocol):
    """An opened package."""

    body_name: str
    """Name of the text inside the package, for provenance."""

    def body(self) -> bytes: ...

    def info(self) -> bytes | None:
        """info.json, None when there is none."""

    def read(self, reference: str, max_bytes: int) -> bytes:
        """A picture by its path from the folder of the text. Raises PictureError."""


class FolderBundle:
    """A .textbundle folder (or a folder named .textpack)."""

    def __init__(self, path: Path, name: str) -> None:
        try:
            entries = sorted(path.iterdir())
        except OSError as e:
            raise SourceError(f"{name} cannot be read: {e.strerror or e}") from e
        inner = [
            entry.name for entry in entries if _is_bundle(entry.name) and entry.is_dir() and not entry.is_symlink()
        ]
        self._root = path / _only_bundle(inner, name) if inner else path
        found = sorted(entry for entry in self._root.iterdir() if entry.name.lower().endswith(_BODIES))
        for entry in found:
            if entry.is_symlink():
                raise SourceError(f"The text {entry.name} of {name} is a link, which is not followed")
        self._body = self._root / _only_body([entry.name for entry in found if entry.is_file()], name)
        self.body_name = self._body.relative_to(path).as_posix()
        self._files = FolderFiles(self._root)

    def body(self) -> bytes:
        try:
            return self._body.read_bytes()
        except OSError as e:
            raise SourceError(f"{self._body.name} cannot be read: {e.strerror or e}") from e

    def info(self) -> bytes | None:
        path = self._root / "info.json"
        try:
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_INFO:
                return None
            return path.read_bytes()
        except OSError:
            return None

    def read(self, reference: str, max_bytes: int) -> bytes:
        return self._files.read(reference, max_bytes)


class ZipBundle:
    """A .textpack archive."""

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        try:
            self._archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as e:
            raise SourceError(f"{name} is not a textpack: it is not a zip archive ({e})") from None
        except OSError as e:
            raise SourceError(f"{name} cannot be read: {e.strerror or e}") from e
        try:
            self._open(path.stat().st_size)
        except BaseException:
            self._archive.close()
            raise

    def _open(self, archive_bytes: int) -> None:
        infos = self._archive.infolist()
        if len(infos) > MAX_ENTRIES:
            raise LimitExceeded(f"{self._name} holds {len(infos)} entries; a textpack may hold {MAX_ENTRIES}")
        total = sum(info.file_size for info in infos)
        if total > MAX_BYTES:
            raise LimitExceeded(f"{self._name} unpacks to {total} bytes; a textpack may unpack to {MAX_BYTES}")
        if total > _RATIO_FLOOR and total > _MAX_RATIO * max(1, archive_bytes):
            raise LimitExceeded(f"{self._name} unpacks to {total // max(1, archive_bytes)} times its size, like a bomb")
        self._members: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            self._check(info)
            parts = tuple(part for part in info.filename.split("/") if part not in ("", "."))
            if not info.is_dir() and parts and parts[0] != "__MACOSX":
                self._members.setdefault("/".join(parts), info)
        bundles = {path.split("/", 1)[0] for path in self._members if "/" in path}
        bundles |= {info.filename.split("/", 1)[0] for info in infos if "/" in info.filename}
        inner = sorted(entry for entry in bundles if _is_bundle(entry))
        self._root = f"{_only_bundle(inner, self._name)}/" if inner else ""
        depth = self._root.count("/")
        bodies = sorted(
            path.removeprefix(self._root)
            for path in self._members
            if path.startswith(self._root) and path.count("/") == depth and path.lower().endswith(_BODIES)
        )
        self.body_name = self._root + _only_body([body for body in bodies if not body.startswith("._")], self._name)

    def _check(self, info: zipfile.ZipInfo) -> None:
        path = info.filename
        shown = path if len(path) <= 80 else f"{path[:79]}…"
        if "\\" in info.orig_filename or "\\" in path:
            raise SourceError(f"{self._name} was refused: the entry {shown!r} has a backslash in its path")
        if path.startswith("/") or (len(path) > 1 and path[1] == ":"):
            raise SourceError(f"{self._name} was refused: the entry {shown!r} has an absolute path")
        if ".." in path.split("/"):
            raise SourceError(f"{self._name} was refused: the entry {shown!r} leads out of the package")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise SourceError(f"{self._name} was refused: the entry {shown!r} is a link")
        if info.flag_bits & 1:
            raise EncryptedFileError(f"{self._name} is encrypted", hint="Pack it again without a password.")

    def _read(self, info: zipfile.ZipInfo, limit: int) -> bytes:
        with self._archive.open(info) as file:
            data = file.read(min(limit, info.file_size) + 1)
        if len(data) > info.file_size:
            raise zipfile.BadZipFile("an entry is longer than it says")
        return data

    def body(self) -> bytes:
        try:
            return self._read(self._members[self.body_name], MAX_BYTES)
        except _BROKEN as e:
            raise SourceError(f"The text {self.body_name} of {self._name} cannot be unpacked: {e}") from None

    def info(self) -> bytes | None:
        info = self._members.get(f"{self._root}info.json")
        if info is None or info.file_size > _MAX_INFO:
            return None
        try:
            return self._read(info, _MAX_INFO)
        except _BROKEN:
            return None

    def read(self, reference: str, max_bytes: int) -> bytes:
        path = self._root + "/".join(check_reference(reference))
        info = self._members.get(path)
        if info is None:
            raise PictureError("picture_not_found", f"The picture {reference!r} is not in the package.")
        if info.file_size > max_bytes:
            raise too_large(reference)
        try:
            return self._read(info, max_bytes)
        except _BROKEN as e:
            raise PictureError("picture_unreadable", f"The picture {reference!r} cannot be unpacked: {e}.") from None

    def close(self) -> None:
        self._archive.close()


def read_info(data: bytes | None) -> tuple[Mapping[str, Any], str]:
    """What info.json says about the bundle, and why it cannot be read ("" when it can, or is not there)."""
    if data is None:
        return {}, ""
    try:
        values = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as e:
        return {}, " ".join(str(e).split())[:120]
    if not isinstance(values, dict):
        return {}, "it is no JSON object"
    known = ("version", "type", "transient", "creatorURL", "creatorIdentifier", "sourceURL")
    return {key: values[key] for key in known if isinstance(values.get(key), str | int | bool)}, ""


def _is_bundle(name: str) -> bool:
    return name.lower().endswith(".textbundle")


def _only_bundle(names: list[str], name: str) -> str:
    if len(names) > 1:
        raise SourceError(
            f"{name} holds {len(names)} .textbundle folders ({', '.join(names[:5])}); a textpack holds one",
            hint="Pack each of them on its own.",
        )
    return names[0]


def _only_body(names: list[str], name: str) -> str:
    if not names:
        raise SourceError(
            f"{name} holds no text: a file ending in .md or .markdown is missing beside its pictures",
            hint="It belongs at the top of the package, or into its .textbundle folder.",
        )
    if len(names) > 1:
        raise SourceError(
            f"{name} holds {len(names)} texts ({', '.join(names[:5])}); a textpack holds one",
            hint="Pack each of them on its own.",
        )
    return names[0]
