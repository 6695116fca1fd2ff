"""Names and ids: documents, folders, files, items, blocks."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePath

from lrdoc.document import ItemKind
from lrdoc.errors import SidecarError, UsageError
from lrdoc.text.clean import clean

ITEM_PREFIX: dict[ItemKind, str] = {"table": "tb", "drawing": "im", "equation": "eq"}
ITEM_ROOT: dict[ItemKind, str] = {"table": "tables", "drawing": "drawings", "equation": "equations"}
"""The key that holds the items in their file, and the middle of the file's name."""

_DOC_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]{0,199}")
_LONGEST_NAME = 255
"""Bytes of a file name on the usual file systems."""
_LONGEST_ENDING = len(".regions.jsonl.parsed")
"""Room for what is put behind a stem or a file name."""


def make_doc_id(canonical_name: str) -> str:
    """`doc-` and the md5 of the canonical file name."""
    return "doc-" + hashlib.md5(canonical_name.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def check_doc_id(doc_id: str) -> str:
    """The id itself. Raises UsageError when it could not stand in item ids, attributes and keys."""
    if not _DOC_ID.fullmatch(doc_id):
        raise UsageError(
            f"{doc_id!r} cannot be a document id",
            hint="Use up to 200 letters, digits and . _ : @ + - and begin with a letter or digit.",
        )
    return doc_id


def doc_hash(doc_id: str) -> str:
    """The part of a document id that stands in item ids."""
    return doc_id.removeprefix("doc-")


def block_id(doc_id: str, index: int, heading: str, content: str) -> str:
    """Id of the line at position `index` (from 0; regions count on after the body)."""
    text = f"{doc_id}:{index}:{heading}:{content}"
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def check_document_name(name: str) -> str:
    """The name itself. Raises SidecarError when it is no plain file name."""
    if not name or name in {".", ".."} or "/" in name or "\\" in name or "\0" in name:
        raise SidecarError(f"{name!r} is no file name")
    return name


def stem_of(document_name: str) -> str:
    """What the names of all files in the folder begin with: the name without its last suffix, shortened when the
    file system could not take the longest of them."""
    return _fit(PurePath(clean(document_name)).stem)


def parsed_name(canonical_name: str) -> str:
    """Name of the folder: `report.docx.parsed`."""
    return f"{_fit(clean(canonical_name))}.parsed"


def parsed_dir(parent: Path, canonical_name: str, *, now: int = 0) -> Path:
    """Where the parsed folder of a document goes inside `parent`.

    An existing folder is the document's own and will be exchanged. Only when something else holds the name, `_001` to
    `_999` and at last `_<now>` (seconds since 1970) are put behind it.
    """
    plain = parent / parsed_name(canonical_name)
    candidates = [plain, *(parent / f"{plain.name}_{n:03}" for n in range(1, 1000))]
    for path in candidates:
        if path.is_dir() or not _exists(path):
            return path
    return parent / f"{plain.name}_{now}"


def blocks_file(stem: str) -> str:
    return f"{stem}.blocks.jsonl"


def regions_file(stem: str) -> str:
    return f"{stem}.regions.jsonl"


def items_file(stem: str, root: str) -> str:
    """`root` is a value of ITEM_ROOT."""
    return f"{stem}.{root}.json"


def assets_folder(stem: str) -> str:
    return f"{stem}.blocks.assets"


def text_file(stem: str) -> str:
    return f"{stem}.txt"


def source_map_file(stem: str) -> str:
    return f"{stem}.source_map.json"


def _exists(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _fit(name: str) -> str:
    """The name, or its beginning and a digest when it is too long."""
    data = name.encode()
    room = _LONGEST_NAME - _LONGEST_ENDING
    if len(data) <= room:
        return name
    digest = hashlib.md5(data, usedforsecurity=False).hexdigest()[:8]
    return data[: room - 9].decode("utf-8", "ignore") + "~" + digest
