"""The files that a command line means: files named one by one, and folders walked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lrdoc.errors import SourceError

BUNDLE_SUFFIXES = (".textbundle",)
"""Folders that are documents."""


@dataclass(frozen=True, slots=True)
class Input:
    """One source of a call."""

    path: Path
    folder: str = ""
    """Folder below the folder argument, "" for files that were named; `-o` keeps it."""
    named: bool = True
    """Named on the command line, not met in a folder."""


def is_document(path: Path) -> bool:
    """A file, or a folder that is a document. True for what does not exist or cannot be asked: the parse tells."""
    return not os.path.isdir(path) or path.suffix.lower() in BUNDLE_SUFFIXES  # noqa: PTH112 (Path.is_dir raises for long names)


def list_inputs(argument: Path) -> Iterator[Input]:
    """The file itself, or every document below the folder."""
    if is_document(argument):
        yield Input(argument)
    else:
        yield from walk_folder(argument)


def walk_folder(root: Path) -> Iterator[Input]:
    """Every file below `root` in sorted order, but for outputs, raw bundles, hidden and lock files.

    Links to folders are not followed. Raises SourceError for a folder that cannot be read.
    """
    stack = [("", root)]
    while stack:
        below, path = stack.pop()
        if below and is_document(path):
            yield Input(path, below.rpartition("/")[0], named=False)
            continue
        try:
            with os.scandir(path) as found:
                entries = sorted((e for e in found if not is_passed_over(e)), key=lambda e: e.name, reverse=True)
        except OSError as e:
            raise SourceError(f"The folder {path} cannot be read: {e.strerror or e}") from e
        stack.extend((f"{below}/{e.name}" if below else e.name, path / e.name) for e in entries)


def is_passed_over(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    if name.startswith((".", "~$")) or name == "__parsed__":
        return True
    if entry.is_dir():
        return name.endswith((".parsed", "_raw")) or entry.is_symlink()
    return not entry.is_file()
