"""What chunkers cut: the merged text of a document with its blocks, tables and provenance.

Built from the lines of a blocks.jsonl of any implementation, or from plain text with an optional source map. Contents
stay as stored (escaped); the merged text is the non-blank contents joined by one blank line.
"""

from __future__ import annotations

import bisect
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

BLOCK_JOIN = "\n\n"
MAX_LEVEL = 64


class BlockSpan(msgspec.Struct, frozen=True):
    """One content line of blocks.jsonl and where its content stands in the merged text."""

    id: str
    start: int
    end: int
    heading: str = ""
    level: int = 0
    parents: tuple[str, ...] = ()
    is_title: bool = False
    provenance: tuple[Mapping[str, Any], ...] = ()
    """Entries as stored: `chars` are ranges of the line's content."""
    positions: tuple[Any, ...] = ()
    """`positions` as stored, for lines without provenance."""


class TableInfo(msgspec.Struct, frozen=True):
    """What tables.json says about a table beyond its tag."""

    header: str = ""
    """JSON array of header rows, or `<thead>…</thead>`; "" when there is none."""
    caption: str = ""
    spans: tuple[tuple[int, int, int, int], ...] = ()
    """[row, column, row span, column span] of merged cells."""


@dataclass(frozen=True, slots=True)
class ChunkDocument:
    """One document to cut."""

    text: str
    """The merged text. Spans of chunks are ranges of it."""
    blocks: tuple[BlockSpan, ...] = ()
    """Empty for plain text."""
    tables: Mapping[str, TableInfo] = field(default_factory=dict)
    doc_id: str = ""
    """Chunk ids begin with it."""
    title: str = ""
    source_map: tuple[Mapping[str, Any], ...] = ()
    """For plain text: provenance entries whose `chars` are ranges of the text."""
    notes: tuple[str, ...] = ()
    """What could not be read: lines that are no content lines."""

    @classmethod
    def from_text(
        cls, text: str, source_map: Sequence[Mapping[str, Any]] = (), *, doc_id: str = "", title: str = ""
    ) -> ChunkDocument:
        """Plain text, with the `map` of its source map when it has one."""
        return cls(text, doc_id=doc_id or id_of_text(text), title=title, source_map=tuple(source_map))

    @classmethod
    def from_lines(
        cls,
        lines: Iterable[Mapping[str, Any]],
        tables: Mapping[str, Any] | None = None,
        *,
        doc_id: str = "",
        title: str = "",
    ) -> ChunkDocument:
        """Lines of a blocks.jsonl (a meta line among them is used) and the `tables` map of tables.json.

        Takes whatever implementations write: lines that are not content are passed over, a level may be a text.
        """
        blocks: list[BlockSpan] = []
        contents: list[str] = []
        notes: list[str] = []
        place = 0
        for number, line in enumerate(lines):
            kind = line.get("type", "content")
            if kind == "meta":
                doc_id = doc_id or _text(line.get("doc_id"))
                title = title or _text(line.get("doc_title"))
                continue
            content = line.get("content")
            if kind != "content" or not isinstance(content, str):
                notes.append(f"line {number + 1} is no content line and was passed over")
                continue
            if not content.strip():
                continue
            if contents:
                place += len(BLOCK_JOIN)
            contents.append(content)
            blocks.append(_block_of(line, place, place + len(content)))
            place += len(content)
        text = BLOCK_JOIN.join(contents)
        known = {str(key): _table_of(item) for key, item in (tables or {}).items() if isinstance(item, Mapping)}
        return cls(text, tuple(blocks), known, doc_id or id_of_text(text), title, notes=tuple(notes))

    def blocks_in(self, start: int, end: int) -> tuple[BlockSpan, ...]:
        """Blocks that share at least one character with [start, end), in order."""
        first = bisect.bisect_right(self.blocks, start, key=lambda b: b.end)
        last = bisect.bisect_left(self.blocks, end, key=lambda b: b.start)
        return self.blocks[first:last]


def id_of_text(text: str) -> str:
    """A document id for text that comes without one."""
    return "doc-" + hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _block_of(line: Mapping[str, Any], start: int, end: int) -> BlockSpan:
    parents = line.get("parent_headings")
    provenance = line.get("provenance")
    positions = line.get("positions")
    return BlockSpan(
        id=_text(line.get("blockid")),
        start=start,
        end=end,
        heading=_text(line.get("heading")),
        level=read_level(line.get("level")),
        parents=tuple(_text(p) for p in parents) if isinstance(parents, list | tuple) else (),
        is_title=line.get("is_title_block") is True,
        provenance=tuple(_entries(provenance, end - start)),
        positions=tuple(positions) if isinstance(positions, list | tuple) else (),
    )


def _entries(provenance: Any, length: int) -> list[Mapping[str, Any]]:
    """Usable provenance entries in ascending order of their ranges."""
    found: list[tuple[int, int, Mapping[str, Any]]] = []
    for entry in provenance if isinstance(provenance, list | tuple) else ():
        chars = entry.get("chars") if isinstance(entry, Mapping) else None
        if isinstance(chars, list | tuple) and len(chars) == 2 and all(type(c) is int for c in chars):
            start, end = max(chars[0], 0), min(chars[1], length)
            if start < end:
                found.append((start, end, entry))
    found.sort(key=lambda f: f[:2])
    return [entry for _, _, entry in found]


def read_level(value: Any) -> int:
    """A heading level as stored, or 1 for what cannot be read ("H1" is 1)."""
    if value is None:
        return 0
    if isinstance(value, bool):
        return 1
    if isinstance(value, int):
        return min(max(value, 0), MAX_LEVEL)
    if isinstance(value, float):
        return min(max(int(value), 0), MAX_LEVEL) if value == value and abs(value) < 1e9 else 1
    digits = re.search(r"[0-9]{1,3}", value) if isinstance(value, str) else None
    return min(int(digits[0]), MAX_LEVEL) if digits else 1


def _table_of(item: Mapping[str, Any]) -> TableInfo:
    extras = item.get("extras")
    spans = extras.get("spans") if isinstance(extras, Mapping) else None
    usable = [
        (s[0], s[1], s[2], s[3])
        for s in (spans if isinstance(spans, list | tuple) else ())
        if isinstance(s, list | tuple) and len(s) == 4 and all(type(n) is int and n >= 0 for n in s)
    ]
    return TableInfo(_text(item.get("table_header")), _text(item.get("caption")), tuple(usable))
