"""Reading what is to be cut from disk: a parsed folder or a blocks.jsonl of any implementation, or plain text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from lrdoc.chunkers.document import ChunkDocument
from lrdoc.errors import SidecarError, SourceError

_UNREADABLE = (msgspec.DecodeError, RecursionError)
"""What reading a line raises that holds no JSON, or JSON nested without end."""

BLOCKS = ".blocks.jsonl"
SOURCE_MAP = ".source_map.json"


@dataclass(frozen=True, slots=True)
class ChunkSource:
    """A document read from disk."""

    document: ChunkDocument
    meta: Mapping[str, Any] = field(default_factory=dict)
    """The meta line, or the head of the source map."""

    @property
    def stored_options(self) -> tuple[str, Mapping[str, Any]]:
        """(processing options, chunk options) that were kept when the document was parsed; empty when none were."""
        kept = self.meta.get("lrdoc")
        if not isinstance(kept, Mapping):
            return "", {}
        options, chunk_options = kept.get("process_options"), kept.get("chunk_options")
        return (
            options if isinstance(options, str) else "",
            chunk_options if isinstance(chunk_options, Mapping) else {},
        )


def is_chunkable(path: Path) -> bool:
    """Whether a path is something that was parsed already: a folder with blocks or text, or a blocks.jsonl."""
    if path.is_dir():
        return bool(find_document(path))
    return path.name.endswith((BLOCKS, ".jsonl")) and path.is_file()


def find_document(folder: Path) -> Path | None:
    """The blocks.jsonl of a parsed folder, else its source map, else None."""
    for suffix in (BLOCKS, SOURCE_MAP):
        found = sorted(folder.glob(f"*{suffix}"))
        if found:
            return found[0]
    return None


def read_source(path: Path) -> ChunkSource:
    """Read a parsed folder, a blocks.jsonl, a source map or a text. Raises SourceError or SidecarError."""
    if path.is_dir():
        found = find_document(path)
        if found is None:
            raise SidecarError(
                f"{path} holds no document",
                hint=f"A parsed folder has a file that ends in {BLOCKS} or {SOURCE_MAP}.",
            )
        path = found
    if path.name.endswith(SOURCE_MAP):
        return _read_text(path.with_name(path.name.removesuffix(SOURCE_MAP) + ".txt"), path)
    if path.suffix == ".jsonl":
        return _read_blocks(path)
    return _read_text(path, None)


def _read_blocks(path: Path) -> ChunkSource:
    decode = msgspec.json.Decoder().decode
    lines: list[Mapping[str, Any]] = []
    meta: Mapping[str, Any] = {}
    unreadable = 0
    with _open(path) as file:
        for raw in file:
            if not raw.strip():
                continue
            try:
                line = decode(raw)
            except _UNREADABLE:
                unreadable += 1
                continue
            if not isinstance(line, dict):
                unreadable += 1
            elif line.get("type") == "meta" and not meta:
                meta = line
                lines.append(line)
            else:
                lines.append(line)
    if unreadable and not any("content" in line for line in lines):
        raise SidecarError(f"{path} holds no line of a blocks.jsonl", hint="Each line is a JSON object.")
    tables = _read_tables(path.with_name(path.name.removesuffix(".jsonl").removesuffix(".blocks") + ".tables.json"))
    return ChunkSource(ChunkDocument.from_lines(lines, tables), meta)


def _read_tables(path: Path) -> Mapping[str, Any]:
    """The tables of tables.json; a missing or unreadable file only costs header rows that the text does not have."""
    if not path.is_file():
        return {}
    try:
        value = msgspec.json.decode(path.read_bytes())
    except (*_UNREADABLE, OSError):
        return {}
    tables = value.get("tables") if isinstance(value, dict) else None
    return tables if isinstance(tables, dict) else {}


def _read_text(path: Path, source_map: Path | None) -> ChunkSource:
    with _open(path) as file:
        text = file.read().decode("utf-8", "replace")
    head: Mapping[str, Any] = {}
    if source_map is not None:
        try:
            value = msgspec.json.decode(source_map.read_bytes())
        except (*_UNREADABLE, OSError) as e:
            raise SidecarError(f"{source_map} cannot be read: {e}") from e
        head = value if isinstance(value, dict) else {}
    entries = head.get("map")
    usable = [e for e in entries if _is_entry(e)] if isinstance(entries, list) else []
    usable.sort(key=lambda e: tuple(e["chars"]))
    name = head.get("document_name")
    return ChunkSource(ChunkDocument.from_text(text, usable, title=name if isinstance(name, str) else ""), head)


def _is_entry(entry: Any) -> bool:
    chars = entry.get("chars") if isinstance(entry, dict) else None
    return isinstance(chars, list) and len(chars) == 2 and all(type(c) is int and c >= 0 for c in chars)


def _open(path: Path) -> Any:
    try:
        return path.open("rb")
    except OSError as e:
        raise SourceError(f"{path} cannot be read: {e.strerror or e}") from e
