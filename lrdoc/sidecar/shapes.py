"""The JSON objects of the format, field by field in the order in which they are written.

They are what the writer makes and the reader takes: an unknown key is passed over, and what other implementations leave
out has a default. `strict` says what `check` demands.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

VERSION = "1.0"

ANALYSIS_KEYS = ("surrounding", "llm_analyze_result", "llm_cache_list")
"""What the analysis stage adds to an item."""


class SourceShape(msgspec.Struct, omit_defaults=True):
    name: str = ""
    bytes: int = 0
    sha256: str = ""


class WarningShape(msgspec.Struct):
    code: str
    message: str = ""
    where: str = ""


class LrdocShape(msgspec.Struct):
    """The key `lrdoc` of the meta line and of the source map."""

    parse_engine: str = ""
    """Stored form with parameters."""
    process_options: str = ""
    chunk_options: dict[str, Any] | None = None
    source: SourceShape = msgspec.field(default_factory=SourceShape)
    content_hash: str = ""
    digests: dict[str, str] | UnsetType = UNSET
    """tables, drawings, equations, regions, blocks, meta → sha256 of what the parse wrote there."""
    raw: RawShape | UnsetType = UNSET
    warnings: list[WarningShape] = []


class RawShape(msgspec.Struct):
    """What the meta line says of a structured document, for one that has no meta line."""

    document_format: str
    doc_id: str
    parse_engine: str
    parse_time: str
    doc_title: str = ""
    doc_attributes: dict[str, Any] | UnsetType = UNSET


class MetaLine(msgspec.Struct):
    type: Literal["meta"]
    format: str
    version: str
    document_name: str
    document_format: str
    document_hash: str
    table_file: bool
    equation_file: bool
    drawing_file: bool
    asset_dir: bool
    blocks: int
    doc_id: str
    parse_engine: str = ""
    parse_time: str = ""
    doc_title: str = ""
    split_option: dict[str, Any] | UnsetType = UNSET
    bbox_attributes: dict[str, Any] | UnsetType = UNSET
    doc_attributes: dict[str, Any] | UnsetType = UNSET
    lrdoc: LrdocShape | UnsetType = UNSET


class MetaOut(msgspec.Struct):
    """The meta line in the order of its keys."""

    type: str
    format: str
    version: str
    document_name: str
    document_format: str
    document_hash: str
    table_file: bool
    equation_file: bool
    drawing_file: bool
    asset_dir: bool
    split_option: Raw | UnsetType
    blocks: int
    doc_id: str
    parse_engine: str
    parse_time: str
    doc_title: str
    bbox_attributes: Raw | UnsetType
    doc_attributes: Raw | UnsetType
    lrdoc: Raw


class PositionShape(msgspec.Struct):
    type: str
    anchor: str | UnsetType | None = UNSET
    range: list[Any] | UnsetType | None = UNSET
    charspan: list[int] | UnsetType | None = UNSET
    origin: str | UnsetType | None = UNSET


class ContentLine(msgspec.Struct):
    type: str
    blockid: str
    format: str
    content: str
    heading: str
    parent_headings: list[str] = []
    level: int = 0
    session_type: str = "body"
    table_slice: str = "none"
    positions: list[PositionShape] = []
    table_header: str | UnsetType = UNSET
    is_title_block: bool | UnsetType = UNSET
    label: str | UnsetType = UNSET
    provenance: Raw | UnsetType = UNSET
    marks: Raw | UnsetType = UNSET
    extras: dict[str, Any] | UnsetType = UNSET


class CharsShape(msgspec.Struct):
    """The place of a provenance entry or mark; the rest of the object is read apart, as another class."""

    chars: tuple[int, int]


class MarkShape(msgspec.Struct, omit_defaults=True):
    chars: tuple[int, int]
    kind: str
    target: str = ""
    author: str = ""
    date: str = ""


class _Item(msgspec.Struct):
    """What stands before the facts of a kind. What stands behind them is repeated: fields are written in this order."""

    id: str
    blockid: str
    heading: str
    parent_headings: list[str] = []


class TableItem(_Item):
    dimension: list[int] = []
    format: str = "json"
    content: str = ""
    caption: str = ""
    footnotes: list[str] = []
    table_header: str | UnsetType = UNSET
    self_ref: str | UnsetType = UNSET
    extras: dict[str, Any] | UnsetType = UNSET


class DrawingItem(_Item):
    format: str = ""
    path: str = ""
    src: str = ""
    caption: str = ""
    footnotes: list[str] = []
    self_ref: str | UnsetType = UNSET
    extras: dict[str, Any] | UnsetType = UNSET


class EquationItem(_Item):
    format: str = "latex"
    content: str = ""
    caption: str = ""
    footnotes: list[str] = []
    self_ref: str | UnsetType = UNSET
    extras: dict[str, Any] | UnsetType = UNSET


AnyItem = TableItem | DrawingItem | EquationItem


class TablesFile(msgspec.Struct):
    version: str
    tables: dict[str, TableItem]


class DrawingsFile(msgspec.Struct):
    version: str
    drawings: dict[str, DrawingItem]


class EquationsFile(msgspec.Struct):
    version: str
    equations: dict[str, EquationItem]


class SourceMap(msgspec.Struct):
    version: str
    document_name: str
    text_sha256: str
    lrdoc: LrdocShape | UnsetType = UNSET
    map: Raw = Raw(b"[]")
    marks: Raw | UnsetType = UNSET
