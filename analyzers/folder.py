"""The files of a parsed folder as the analysis reads and rewrites them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from lrdoc.analyzers.base import KINDS, AnalysisError, Item, Kind
from lrdoc.errors import SidecarError
from lrdoc.sidecar.commit import replace_file
from lrdoc.sidecar.names import items_file

_decode_line = msgspec.json.Decoder(dict[str, Any]).decode
_UNREADABLE = (msgspec.DecodeError, RecursionError)
"""What reading a line raises that holds no JSON object, or one nested without end."""


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, msgspec.ValidationError, OverflowError):
        # Half a character, or a number beyond 64 bits, in a file of another writer.
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _indented(value: Any, line_end: bytes) -> bytes:
    return msgspec.json.format(_encode(value), indent=2).replace(b"\n", line_end)


@dataclass(slots=True)
class ItemFile:
    """One item file: its root object, changed in place and written again as a whole."""

    path: Path
    kind: Kind
    root: dict[str, Any]

    def items(self) -> list[Item]:
        entries = self.root.get(self.kind.root)
        if not isinstance(entries, dict):
            return []
        return [Item(key, self.kind, value) for key, value in entries.items() if isinstance(value, dict)]

    def update(self, item_id: str, facts: Mapping[str, Any]) -> None:
        entry = self.root[self.kind.root][item_id]
        for key, value in facts.items():
            if value is None:
                entry.pop(key, None)
            else:
                entry[key] = value

    def save(self) -> None:
        """Readers see the old file or the new one, whole."""
        replace_file(self.path, self._pieces(), scratch_beside=self.path.parent.parent)

    def _pieces(self) -> Iterator[bytes]:
        """The file, item by item: the surroundings of thousands of items are long."""
        start = b"{\n  "
        for key, value in self.root.items():
            yield start + _encode(key) + b": "
            start = b",\n  "
            if key != self.kind.root or not isinstance(value, dict) or not value:
                yield _indented(value, b"\n  ")
                continue
            inner = b"{\n    "
            for item_id, entry in value.items():
                yield inner + _encode(item_id) + b": " + _indented(entry, b"\n    ")
                inner = b",\n    "
            yield b"\n  }"
        yield b"\n}\n" if self.root else b"{}\n"


@dataclass(slots=True)
class AnalysisFolder:
    """A parsed folder with what the analysis needs of it."""

    path: Path
    document_name: str
    doc_id: str
    process_options: str
    files: list[ItemFile] = field(default_factory=list)
    missing: list[Kind] = field(default_factory=list)
    """Kinds that were asked for and have no file."""
    blocks: dict[str, str] = field(default_factory=dict)
    """Content of the blocks that items stand in, by block id."""


def open_folder(path: Path, options: str | None) -> AnalysisFolder:
    """Read what `options` (letters of i, t, e; None: what the parse was asked for) need of a folder.

    Raises SidecarError when it is no parsed folder, AnalysisError when an item file is damaged.
    """
    names = sorted(file.name for file in path.glob("*.blocks.jsonl")) if path.is_dir() else []
    if not names:
        raise SidecarError(
            f"{path} holds no blocks.jsonl",
            hint="Name a .parsed folder with structure; the plain-text engine writes none to analyse.",
        )
    blocks_path = path / names[0]
    stem = names[0].removesuffix(".blocks.jsonl")
    meta = _meta(blocks_path)
    told = meta.get("lrdoc")
    stored = told.get("process_options") if isinstance(told, dict) else None
    chosen = options if options is not None else (stored if isinstance(stored, str) else "")
    folder = AnalysisFolder(path, str(meta.get("document_name") or stem), str(meta.get("doc_id") or ""), chosen)
    for kind in KINDS:
        if kind.option not in chosen:
            continue
        item_path = path / items_file(stem, kind.root)
        if not item_path.is_file():
            folder.missing.append(kind)
            continue
        folder.files.append(ItemFile(item_path, kind, _read_items(item_path)))
    wanted = {str(item.data.get("blockid")) for file in folder.files for item in file.items()}
    for source in (blocks_path, path / f"{stem}.regions.jsonl"):
        if wanted and source.is_file():
            folder.blocks.update(_contents(source, wanted))
    return folder


def _meta(path: Path) -> dict[str, Any]:
    with path.open("rb") as lines:
        first = lines.readline()
    try:
        meta = _decode_line(first)
    except _UNREADABLE as error:
        raise SidecarError(f"{path.name} does not begin with a meta line: {error}", where="line 1") from error
    if meta.get("type") != "meta":
        raise SidecarError(f"{path.name} does not begin with a meta line", where="line 1")
    return meta


def _contents(path: Path, wanted: set[str]) -> Iterable[tuple[str, str]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = _decode_line(line)
            except _UNREADABLE as error:
                raise SidecarError(f"{path.name} is damaged: {error}", where=f"line {number}") from error
            block_id = row.get("blockid")
            if block_id in wanted and isinstance(row.get("content"), str):
                yield str(block_id), row["content"]


def _read_items(path: Path) -> dict[str, Any]:
    try:
        root = json.loads(path.read_bytes())
    except (ValueError, OSError, RecursionError) as error:
        raise AnalysisError(f"{path.name} cannot be read: {error}", hint="Parse the document again.") from error
    return root if isinstance(root, dict) else {}
