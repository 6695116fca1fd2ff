"""Settings of the docx engine."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class DocxSettings:
    """Limits that protect the machine from hostile files. Values of 0 or less switch a limit off."""

    max_uncompressed_bytes: int = variable(
        "DOCX_MAX_UNCOMPRESSED_BYTES",
        512 * MIB,
        "Most bytes that all parts of a package may have unpacked.",
        unit="bytes",
    )
    max_entries: int = variable("DOCX_MAX_ENTRIES", 10_000, "Most entries of a package.")
    max_compression_ratio: int = variable(
        "DOCX_MAX_COMPRESSION_RATIO",
        100,
        "Unpacked bytes per packed byte above which a file is named in a warning; the size and node limits decide.",
    )
    ratio_floor_bytes: int = variable(
        "DOCX_RATIO_FLOOR_BYTES", 16 * MIB, "The compression ratio is not looked at below this size.", unit="bytes"
    )
    max_parts: int = variable(
        "DOCX_MAX_PARTS",
        5_000,
        "Most XML parts that are read for one document (headers, charts, diagrams, embedded documents).",
    )
    max_nodes: int = variable(
        "DOCX_MAX_NODES", 20_000_000, "Most XML elements and attributes of all parts that are read together."
    )
    max_depth: int = variable(
        "DOCX_MAX_DEPTH", 2_000, "Deepest nesting of tables, cells, text boxes and other containers in one another."
    )
