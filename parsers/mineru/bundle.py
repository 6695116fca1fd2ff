"""Which file of a MinerU bundle holds its content, and what that file says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lrdoc.errors import EngineError
from lrdoc.parsers.mineru.content_list import find_list, read_content_list
from lrdoc.parsers.mineru.content_list_v2 import read_content_list_v2
from lrdoc.parsers.mineru.items import Item
from lrdoc.parsers.mineru.paged import read_pages
from lrdoc.parsers.services.builder import read_json
from lrdoc.parsers.services.bundle import MANIFEST

CONTENT_LIST = "content_list.json"
MIDDLE = "middle_json.json"
STRUCTURED = "structured_content.json"
_DEEPEST = 4
"""Folders below the bundle in which files are looked for."""


def find_content(bundle: Path, stem: str) -> Path | None:
    """The file that holds the content: the best of those that a version of MinerU may have written."""
    found = [
        (rank, len(path.relative_to(bundle).parts), path.relative_to(bundle).as_posix(), path)
        for path in _json_files(bundle)
        if (rank := _rank(path.name, stem)) is not None
    ]
    return min(found)[3] if found else None


def _json_files(bundle: Path) -> Iterator[Path]:
    folders = [(bundle, 0)]
    while folders:
        folder, depth = folders.pop()
        for path in sorted(folder.iterdir()):
            if path.is_symlink():
                continue
            if path.is_dir():
                if depth < _DEEPEST:
                    folders.append((path, depth + 1))
            elif path.suffix == ".json" and path.name != MANIFEST:
                yield path


def _rank(name: str, stem: str) -> int | None:
    names = (CONTENT_LIST, f"{stem}_{CONTENT_LIST}")
    if name in names:
        return names.index(name)
    endings = ("_content_list.json", MIDDLE, STRUCTURED, "_middle.json", "content_list_v2.json")
    return next((n + 2 for n, ending in enumerate(endings) if name.endswith(ending)), None)


class Content:
    """The content of a bundle."""

    def __init__(self, bundle: Path, path: Path, suffix: str, check: Callable[[], None]) -> None:
        self.folder = path.parent
        """Pictures are named from here."""
        self.name = path.relative_to(bundle).as_posix()
        self.suffix = suffix
        self.check = check
        self.value: Any = read_json(path, "mineru")

    def items(self) -> Iterator[Item]:
        """Items in order. Raises EngineError when the file is of no known form."""
        name = self.name.rpartition("/")[2]
        value = self.value
        if isinstance(value, list) and value and all(isinstance(page, list) for page in value):
            return read_content_list_v2(value, name, self.suffix, self.check)
        if isinstance(value, dict) and isinstance(value.get("pdf_info", value.get("pages")), list):
            return read_pages(value, name, self.suffix, self.check)
        if find_list(value) is not None:
            return read_content_list(value, name, self.suffix, self.check)
        raise EngineError(
            f"mineru: {self.name} has no form that is known",
            hint="Say which version of MinerU wrote it; the newest one known here is 4.0.",
        )

    @property
    def version(self) -> str:
        """The version that wrote the file, when it says so."""
        if not isinstance(self.value, dict):
            return ""
        metadata = self.value.get("metadata")
        producer = metadata.get("producer") if isinstance(metadata, Mapping) else None
        version = producer.get("version") if isinstance(producer, Mapping) else self.value.get("_version_name")
        return version if isinstance(version, str) else ""
