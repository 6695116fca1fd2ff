"""The merged text of a document, and its hashes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from lrdoc.errors import SidecarError
from lrdoc.sidecar.names import doc_hash

SEPARATOR = "\n\n"
"""Between the contents of two blocks; belongs to neither."""
MARKER = "{{LRdoc}}"
"""Stands before the merged text where a store keeps it, so that it is not taken for plain text."""

_HASHED_ID = re.compile(r"-(?<=tb-|im-|eq-)(?<![A-Za-z0-9]...)[0-9a-f]{32}-([0-9]{4,})(?![0-9])")
"""From the first hyphen of an id on: looking for one character first is many times as fast."""
_ASSET_PATH = re.compile(r'path="[^"\n]*?\.blocks\.assets/')


class MergedHash:
    """Takes the contents of a document's blocks one after another and gives both hashes of the merged text."""

    def __init__(self, doc_id: str) -> None:
        self._doc_hash = doc_hash(doc_id)
        self._exact = hashlib.sha256()
        self._neutral = hashlib.md5(usedforsecurity=False)
        self._first = True

    def add(self, content: str) -> bytes:
        """Returns the content in UTF-8."""
        if not self._first:
            self._exact.update(b"\n\n")
            self._neutral.update(b"\n\n")
        self._first = False
        data = content.encode("utf-8", "surrogatepass")
        self._exact.update(data)
        neutral = neutralise(content, self._doc_hash)
        self._neutral.update(data if neutral is content else neutral.encode("utf-8", "surrogatepass"))
        return data

    @property
    def document_hash(self) -> str:
        return f"sha256:{self._exact.hexdigest()}"

    @property
    def content_hash(self) -> str:
        return self._neutral.hexdigest()


def neutralise(text: str, own_hash: str = "") -> str:
    """The text without what differs between two files of equal content: item ids and the folder of the assets.

    `own_hash` is the document's own part of the ids, needed when it is not the usual 32 hex digits.
    """
    if "tb-" in text or "im-" in text or "eq-" in text:
        text = _HASHED_ID.sub(r"-<DOC>-\1", text)
        if own_hash and own_hash in text:
            text = re.sub(rf"\b(tb|im|eq)-{re.escape(own_hash)}-([0-9]{{4,}})", r"\1-<DOC>-\2", text)
    if ".blocks.assets/" in text:
        text = _ASSET_PATH.sub('path="<ASSETS>/', text)
    return text


def content_hash(merged: str, doc_id: str = "") -> str:
    """Equal for two documents with the same content under different names."""
    data = neutralise(merged, doc_hash(doc_id)).encode("utf-8", "surrogatepass")
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def document_hash(merged: str) -> str:
    return f"sha256:{hashlib.sha256(merged.encode('utf-8', 'surrogatepass')).hexdigest()}"


def merge(contents: Iterable[str]) -> str:
    return SEPARATOR.join(content for content in contents if content and not content.isspace())


class _Content(msgspec.Struct):
    content: str = ""


def read_merged(blocks_path: Path) -> str:
    """Merged text of a `.blocks.jsonl`; nothing else of the lines is looked at."""
    decoder = msgspec.json.Decoder(_Content)
    contents: list[str] = []
    try:
        with blocks_path.open("rb") as lines:
            next(lines, b"")
            contents.extend(decoder.decode(line).content for line in lines if not line.isspace())
    except OSError as e:
        raise SidecarError(f"{blocks_path.name} cannot be read: {e.strerror or e}") from e
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as e:
        raise SidecarError(f"a line is not valid: {e}", where=f"{blocks_path.name}, line {len(contents) + 2}") from e
    return merge(contents)
