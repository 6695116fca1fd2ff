"""altChunk: documents of other kinds that Word takes in when it opens the file (ISO 29500-1, 17.17.2)."""

from __future__ import annotations

from typing import Any

from lrdoc.document import Source
from lrdoc.parsers.docx.names import R_ID
from lrdoc.parsers.docx.state import Job, Walk


def read_chunk(walk: Walk, element: Any, path: str, sink: Any) -> Job | None:
    """Read the part that a w:altChunk points to."""
    rel = walk.reader.package.rel(walk.part, element.get(R_ID))
    walk.reader.warn(
        "altchunk_left_out",
        f"The embedded part {rel.target if rel is not None else ''!r} was not read",
        Source(walk.part, path),
    )
    return None
