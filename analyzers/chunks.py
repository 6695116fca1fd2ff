"""Chunks made of analysed items, so that pictures, tables and equations can be found by what they say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lrdoc.analyzers.base import DRAWINGS, EQUATIONS, TABLES, AnalysisError, Item
from lrdoc.analyzers.folder import AnalysisFolder, open_folder
from lrdoc.analyzers.rows import json_text, read_list
from lrdoc.analyzers.trim import largest
from lrdoc.sidecar.escape import unescape
from lrdoc.text.tokens import Tokenizer

MAX_TOKENS = 20480
MIN_DESCRIPTION_TOKENS = 100
_LABEL = {"drawing": "Image", "table": "Table", "equation": "Equation"}
_HEADER_CHARS = 2000


@dataclass(frozen=True, slots=True)
class ItemChunk:
    """One analysed item as a chunk."""

    chunk_id: str
    chunk_order_index: int
    content: str
    tokens: int
    kind: str
    item_id: str
    heading: dict[str, Any]
    llm_cache_list: tuple[str, ...]
    provenance: dict[str, Any]
    """Block id and, for pictures, path of the asset."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "chunk_id": self.chunk_id,
            "chunk_order_index": self.chunk_order_index,
            "content": self.content,
            "tokens": self.tokens,
            "sidecar": {"type": self.kind, "id": self.item_id, "refs": [{"type": self.kind, "id": self.item_id}]},
            "llm_cache_list": list(self.llm_cache_list),
            "heading": self.heading,
            "strategy": "mm",
            "spans": [],
            "provenance": self.provenance,
        }


def item_chunks(
    path: Path, options: str | None, tokenizer: Tokenizer, *, doc_id: str = "", first_index: int = 0
) -> list[ItemChunk]:
    """Chunks of the successfully analysed items of the chosen kinds, in the order of the files.

    `first_index`: order index of the first, one more than the last text chunk's. Raises AnalysisError when an item's
    analysis failed, since a document with holes must not pass for whole.
    """
    folder = open_folder(path, options)
    return list(_chunks(folder, tokenizer, doc_id or folder.doc_id, first_index))


def _chunks(folder: AnalysisFolder, tokenizer: Tokenizer, doc_id: str, index: int) -> Iterator[ItemChunk]:
    for file in folder.files:
        for number, item in enumerate(file.items()):
            result = item.data.get("llm_analyze_result")
            status = result.get("status") if isinstance(result, dict) else None
            where = f"{item.kind.root}/{item.id}"
            if status == "failure":
                message = result.get("message", "") if isinstance(result, dict) else ""
                raise AnalysisError(
                    f"{where}: llm_analyze_result.status='failure' ({message})", hint="Analyse the document again."
                )
            if status != "success" or not isinstance(result, dict):
                continue
            content = _content(item, _strings(result, item, where), tokenizer)
            cache = item.data.get("llm_cache_list")
            provenance = {"blockid": item.data.get("blockid")}
            if item.data.get("path"):
                provenance["path"] = item.data["path"]
            yield ItemChunk(
                chunk_id=f"{doc_id}-mm-{item.kind.name}-{number:03d}",
                chunk_order_index=index,
                content=content,
                tokens=tokenizer.count(content),
                kind=item.kind.name,
                item_id=item.id,
                heading=item.heading_dict,
                llm_cache_list=tuple(str(key) for key in cache) if isinstance(cache, list) else (),
                provenance=provenance,
            )
            index += 1


def _strings(result: dict[str, Any], item: Item, where: str) -> dict[str, str]:
    fields = {}
    for name in item.kind.fields:
        value = result.get(name)
        if not isinstance(value, str) or not value.strip():
            raise AnalysisError(f"{where}: llm_analyze_result has no {name}", hint="Analyse the document again.")
        fields[name] = value
    return fields


def _content(item: Item, fields: dict[str, str], tokenizer: Tokenizer) -> str:
    """Name, description, caption, header row and notes; a description that is too long is shortened."""
    label = _LABEL[item.kind.name]
    head = f"[{label} Name]{fields['name']}"
    if item.kind is DRAWINGS:
        head += f"\n[{label} Type]{fields['type']}"
    if item.kind is EQUATIONS:
        head = f"{fields['equation']}\n{head}"
    tail = ""
    if item.caption.strip() and item.caption not in fields["description"]:
        tail += f"\n\n[{label} Caption]{item.caption}"
    header = _header(item) if item.kind is TABLES else ""
    if header:
        tail += f"\n\n[{label} Header]{header}"
    if item.footnotes:
        tail += f"\n\n[{label} Footnotes]" + "; ".join(item.footnotes)
    description = fields["description"]
    frame = tokenizer.count(head + "\n\n" + tail)
    room = max(MAX_TOKENS - frame, MIN_DESCRIPTION_TOKENS)
    if tokenizer.count(description) > room:
        size = largest(len(description), lambda n: tokenizer.count(description[:n]) <= room)
        description = description[:size]
    content = f"{head}\n\n{description}{tail}"
    if tokenizer.count(content) > MAX_TOKENS:
        raise AnalysisError(
            f"{item.kind.root}/{item.id}: the item's own facts have more than {MAX_TOKENS} tokens",
            hint="Shorten its caption or footnotes.",
        )
    return content


def _header(item: Item) -> str:
    """Column heads of a json table on one line for each header row."""
    told = item.data.get("table_header")
    if not isinstance(told, str) or item.data.get("format") != "json":
        return ""
    rows = [row for row in read_list(told) or () if isinstance(row, list)]
    return "\n".join(" | ".join(unescape(_cell(cell)) for cell in row) for row in rows)[:_HEADER_CHARS]


def _cell(value: Any) -> str:
    return json_text(value) if isinstance(value, list | dict) else str(value)
