"""What a parsed folder says about itself besides the document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec


class SourceFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The file that was parsed: name with its hint, size and digest, never a path."""

    name: str = ""
    bytes: int = 0
    sha256: str = ""


class FolderInfo(msgspec.Struct, frozen=True):
    """Facts of one parse. Warnings belong to the document."""

    doc_id: str
    document_name: str
    """Canonical file name with extension."""
    parse_engine: str
    """Bare engine name: native, legacy, mineru."""
    parse_time: str
    """ISO 8601, UTC, microseconds, "+00:00". The only clock in the output."""
    stored_engine: str = ""
    """Engine with its parameters, "native(toc=body)"; "" when there are none or the folder does not say."""
    process_options: str = ""
    chunk_options: Mapping[str, Any] | None = None
    """Slim snapshot of the chosen chunking strategy's parameters."""
    source: SourceFacts = SourceFacts()


class Written(msgspec.Struct, frozen=True):
    """What was written into a folder."""

    folder: Path
    parse_format: str
    """lightrag or raw."""
    document_hash: str
    """ "sha256:" and the digest of the merged text."""
    content_hash: str
    blocks: int = 0
    regions: int = 0
    tables: int = 0
    drawings: int = 0
    equations: int = 0
    assets: int = 0
    blocks_path: Path | None = None
    """lightrag: the .blocks.jsonl; None for raw."""
    text_path: Path | None = None
    """raw: the .txt; None for lightrag."""
    source_map_path: Path | None = None

    def moved_to(self, folder: Path) -> Written:
        """The same facts about the folder under its final name."""

        def moved(path: Path | None) -> Path | None:
            return None if path is None else folder / path.name

        return msgspec.structs.replace(
            self,
            folder=folder,
            blocks_path=moved(self.blocks_path),
            text_path=moved(self.text_path),
            source_map_path=moved(self.source_map_path),
        )
