"""What the meta line says of itself and of the lines below it, so that a changed character anywhere is found."""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import UNSET, Raw

from lrdoc.sidecar.shapes import SourceMap

OWN = "meta"
"""Key of `lrdoc.digests` for the digest that `meta_digest` gives."""


def meta_digest(line: bytes) -> str:
    """sha256 of a meta line as compact JSON, but for the clock and this digest itself."""
    return hashlib.sha256(_facts(line)).hexdigest()


def source_map_digest(source_map: SourceMap) -> str:
    """The same for the source map of plain text: its facts, then its places and marks as they are stored."""
    marks = source_map.marks if isinstance(source_map.marks, Raw) else Raw(b"")
    digest = hashlib.sha256(
        _facts(msgspec.json.encode(msgspec.structs.replace(source_map, map=Raw(b"[]"), marks=UNSET)))
    )
    digest.update(bytes(source_map.map))
    digest.update(bytes(marks))
    return digest.hexdigest()


def _facts(line: bytes) -> bytes:
    """The JSON of a meta line or source map without what changes by itself."""
    try:
        facts = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return line  # No parse writes what cannot be read, so this matches no digest.
    facts.pop("parse_time", None)
    ours = facts.get("lrdoc")
    if isinstance(ours, dict):
        if isinstance(ours.get("raw"), dict):
            ours["raw"].pop("parse_time", None)
        if isinstance(ours.get("digests"), dict):
            ours["digests"].pop(OWN, None)
            if not ours["digests"]:
                del ours["digests"]
    return msgspec.json.encode(facts)
