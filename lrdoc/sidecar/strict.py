"""What `check` demands of the JSON objects, and what the shipped schemas say: both come from these classes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from lrdoc.sidecar.shapes import (
    ContentLine,
    DrawingItem,
    EquationItem,
    LrdocShape,
    MetaLine,
    PositionShape,
    RawShape,
    SourceShape,
    TableItem,
    WarningShape,
)

Count = Annotated[int, Meta(ge=0)]
Hex32 = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Range = Annotated[list[Count], Meta(min_length=2, max_length=2)]
Region = Annotated[str, Meta(pattern="^[A-Za-z][A-Za-z_]*$")]
Time = Annotated[
    str,
    Meta(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$"),
]
DigestName = Literal["tables", "drawings", "equations", "regions", "blocks", "meta"]
MarkName = Literal[
    "bold", "italic", "strike", "underline", "code", "link", "anchor", "ref", "comment", "ins", "del", "note"
]


class StrictSource(SourceShape, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    bytes: Count = 0
    sha256: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")] = ""


class StrictRaw(RawShape, forbid_unknown_fields=True, kw_only=True):
    parse_time: Time


class StrictWarning(WarningShape, forbid_unknown_fields=True, kw_only=True):
    code: Annotated[str, Meta(min_length=1)]


class StrictLrdoc(LrdocShape, forbid_unknown_fields=True, kw_only=True):
    source: StrictSource = msgspec.field(default_factory=StrictSource)
    content_hash: Hex32 = ""
    digests: dict[DigestName, Sha256] | UnsetType = UNSET  # type: ignore[assignment]
    raw: StrictRaw | UnsetType = UNSET
    warnings: list[StrictWarning] = msgspec.field(default_factory=list)  # type: ignore[assignment]


class StrictMeta(MetaLine, kw_only=True):
    """Line 1 of blocks.jsonl."""

    format: Literal["lightrag"]
    version: Annotated[str, Meta(pattern=r"^1\.[0-9]+$")]
    document_name: Annotated[str, Meta(min_length=1)]
    document_hash: Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]
    blocks: Count
    doc_id: Annotated[str, Meta(min_length=1)]
    parse_engine: Annotated[str, Meta(min_length=1)]
    parse_time: Time
    doc_title: str
    doc_summary: str | UnsetType = UNSET
    lrdoc: StrictLrdoc | UnsetType = UNSET


class StrictPosition(PositionShape, forbid_unknown_fields=True, kw_only=True):
    type: Literal["paraid", "bbox", "heading", "absolute"]
    range: Annotated[list[Any], Meta(min_length=2, max_length=4)] | UnsetType | None = UNSET
    charspan: Range | UnsetType | None = UNSET


class StrictProvenance(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    chars: Range
    part: str | UnsetType = UNSET
    path: str | UnsetType = UNSET
    paraid: str | UnsetType = UNSET
    page: int | UnsetType = UNSET
    lines: Range | UnsetType = UNSET
    slide: int | UnsetType = UNSET
    sheet: str | UnsetType = UNSET
    cells: str | UnsetType = UNSET
    chapter: str | UnsetType = UNSET
    bbox: Annotated[list[float], Meta(min_length=4, max_length=4)] | UnsetType = UNSET


class StrictMark(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    chars: Range
    kind: MarkName
    target: str | UnsetType = UNSET
    author: str | UnsetType = UNSET
    date: str | UnsetType = UNSET


class StrictContent(ContentLine, kw_only=True):
    """Lines 2 … of blocks.jsonl and all lines of regions.jsonl."""

    type: Literal["content"]
    blockid: Hex32
    format: Literal["plain_text"]
    content: Annotated[str, Meta(min_length=1)]
    parent_headings: list[str]
    level: Count
    session_type: Region
    table_slice: str
    positions: list[StrictPosition]  # type: ignore[assignment]
    provenance: list[StrictProvenance] | UnsetType = UNSET  # type: ignore[assignment]
    marks: list[StrictMark] | UnsetType = UNSET  # type: ignore[assignment]


class StrictTable(TableItem, forbid_unknown_fields=True, kw_only=True):
    blockid: Hex32
    dimension: Range
    format: Literal["json", "html"]
    content: str
    caption: str
    footnotes: list[str]
    surrounding: dict[str, Any] | UnsetType = UNSET
    llm_analyze_result: dict[str, Any] | UnsetType = UNSET
    llm_cache_list: list[str] | UnsetType = UNSET


class StrictDrawing(DrawingItem, forbid_unknown_fields=True, kw_only=True):
    blockid: Hex32
    format: str
    path: str
    src: str
    caption: str
    footnotes: list[str]
    surrounding: dict[str, Any] | UnsetType = UNSET
    llm_analyze_result: dict[str, Any] | UnsetType = UNSET
    llm_cache_list: list[str] | UnsetType = UNSET


class StrictEquation(EquationItem, forbid_unknown_fields=True, kw_only=True):
    blockid: Hex32
    format: Literal["latex"]
    content: str
    caption: str
    footnotes: list[str]
    surrounding: dict[str, Any] | UnsetType = UNSET
    llm_analyze_result: dict[str, Any] | UnsetType = UNSET
    llm_cache_list: list[str] | UnsetType = UNSET


class StrictTables(msgspec.Struct, forbid_unknown_fields=True):
    version: Literal["1.0"]
    tables: dict[str, StrictTable]


class StrictDrawings(msgspec.Struct, forbid_unknown_fields=True):
    version: Literal["1.0"]
    drawings: dict[str, StrictDrawing]


class StrictEquations(msgspec.Struct, forbid_unknown_fields=True):
    version: Literal["1.0"]
    equations: dict[str, StrictEquation]


class StrictSourceMap(msgspec.Struct, forbid_unknown_fields=True):
    version: Literal["1.0"]
    document_name: Annotated[str, Meta(min_length=1)]
    text_sha256: Sha256
    lrdoc: StrictLrdoc
    map: list[StrictProvenance]
    marks: list[StrictMark] | UnsetType = UNSET


SCHEMAS: dict[str, type] = {
    "meta": StrictMeta,
    "content": StrictContent,
    "tables": StrictTables,
    "drawings": StrictDrawings,
    "equations": StrictEquations,
    "source_map": StrictSourceMap,
}
"""Name of the shipped schema → the class from which it is made."""
