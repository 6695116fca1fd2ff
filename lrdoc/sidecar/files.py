"""The files of a folder while they are written: they grow line by line, never in memory as a whole."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import msgspec

from lrdoc.errors import SidecarError
from lrdoc.sidecar.encode import strings_in
from lrdoc.sidecar.names import items_file
from lrdoc.sidecar.shapes import VERSION

_SPILL = 8 << 20
"""Bytes of lines that are held until the meta line is known; more go to a file."""


class Lines:
    """Lines that have to wait for the meta line."""

    def __init__(self, spill: Path, files: ExitStack) -> None:
        self._path = spill
        self._files = files
        self._held: list[bytes] = []
        self._size = 0
        self._file: IO[bytes] | None = None
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """sha256 of the lines so far, as they will stand in the file."""
        return self._digest.hexdigest()

    def add(self, line: bytes) -> None:
        self._digest.update(line)
        self._digest.update(b"\n")
        self._held.append(line)
        self._size += len(line)
        if self._size > _SPILL:
            if self._file is None:
                self._file = self._files.enter_context(self._path.open("wb"))
            self._file.write(b"\n".join(self._held) + b"\n")
            self._held = []
            self._size = 0

    def finish(self, out: IO[bytes]) -> None:
        """Copy all lines to `out` and remove what was spilled."""
        if self._file is not None:
            self._file.close()
            with self._path.open("rb") as spilled:
                shutil.copyfileobj(spilled, out, 1 << 20)
            self._path.unlink()
        if self._held:
            out.write(b"\n".join(self._held) + b"\n")


class LineFile:
    """A file of lines without a meta line, made with the first of them."""

    def __init__(self, path: Path, files: ExitStack) -> None:
        self._path = path
        self._files = files
        self._file: IO[bytes] | None = None
        self._digest = hashlib.sha256()
        self.count = 0

    def add(self, line: bytes) -> None:
        if self._file is None:
            self._file = self._files.enter_context(self._path.open("wb"))
        data = line + b"\n"
        self._digest.update(data)
        self._file.write(data)
        self.count += 1

    def finish(self) -> str:
        """Close the file; returns the digest of the lines."""
        if self._file is not None:
            self._file.close()
        return self._digest.hexdigest()


class ItemFile:
    """`<stem>.tables.json` and its like, made with the first item."""

    def __init__(self, folder: Path, stem: str, root: str, files: ExitStack) -> None:
        self._path = folder / items_file(stem, root)
        self._root = root
        self._files = files
        self._file: IO[bytes] | None = None
        self._digest = hashlib.sha256()
        self.count = 0

    def add(self, item_id: str, item: bytes) -> None:
        """Add an item in compact JSON."""
        self._digest.update(item + b"\n")
        if self._file is None:
            self._file = self._files.enter_context(self._path.open("wb"))
            self._file.write(b'{\n  "version": "%b",\n  "%b": {\n' % (VERSION.encode(), self._root.encode()))
        else:
            self._file.write(b",\n")
        # Line ends inside strings are escaped: every line end here is one of the layout.
        pretty = msgspec.json.format(item, indent=2).replace(b"\n", b"\n    ")
        self._file.write(b'    "%b": %b' % (item_id.encode(), pretty))
        self.count += 1

    def finish(self) -> str:
        """End the file; returns the digest of the items."""
        if self._file is not None:
            self._file.write(b"\n  }\n}\n")
            self._file.close()
        return self._digest.hexdigest()


class AssetFiles:
    """Which files of the assets folder the document names."""

    def __init__(self, folder: Path, copy_from: Path | None) -> None:
        self._folder = folder
        self._copy_from = copy_from
        self._stored = list_files(folder)
        self._other = list_files(copy_from) - self._stored if copy_from is not None else set()
        self._named: set[str] = set()

    def need(self, name: str) -> None:
        """The document shows this asset. Raises SidecarError when it is not there."""
        if name not in self._stored and name not in self._other:
            raise SidecarError(
                f"the picture {name!r} is not in the assets folder",
                where=str(self._folder.name),
                hint="An engine stores pictures through the asset sink before it names them.",
            )
        self._named.add(name)

    def mark(self, value: Any) -> None:
        """Strings in this JSON value may name assets, with or without the folder."""
        if value and (self._stored or self._other):
            prefix = f"{self._folder.name}/"
            for text in strings_in(value):
                name = text.removeprefix(prefix)
                if name in self._stored or name in self._other:
                    self._named.add(name)

    def finish(self) -> int:
        """Copy what is named and missing, remove what nothing names; returns how many are there."""
        copied = sorted(self._named & self._other)
        if copied and self._copy_from is not None:
            self._folder.mkdir(exist_ok=True)
            for name in copied:
                shutil.copyfile(self._copy_from / name, self._folder / name)
        for name in sorted(self._stored - self._named):
            (self._folder / name).unlink()
        if not self._named and self._folder.is_dir():
            self._folder.rmdir()
        return len(self._named)


def list_files(folder: Path) -> set[str]:
    """Names of the regular files in a folder; none when there is no folder. Links are not followed."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if entry.is_file(follow_symlinks=False)}
    except (FileNotFoundError, NotADirectoryError):
        return set()
