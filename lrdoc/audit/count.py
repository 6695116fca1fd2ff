"""The one call: a source file and the folder that a parse wrote of it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lrdoc.audit.base import SourceReader, SourceText
from lrdoc.audit.compare import Comparison
from lrdoc.audit.result import AuditResult
from lrdoc.audit.written import read_folder
from lrdoc.errors import UnsupportedFormatError

READERS: Mapping[str, str] = MappingProxyType(
    {
        "docx": "lrdoc.audit.docx:READER",
        "docm": "lrdoc.audit.docx:READER",
        "dotx": "lrdoc.audit.docx:READER",
        "dotm": "lrdoc.audit.docx:READER",
        "md": "lrdoc.audit.markdown:READER",
        "markdown": "lrdoc.audit.markdown:READER",
        "mdx": "lrdoc.audit.markdown:READER",
        "textpack": "lrdoc.audit.markdown:READER",
        "textbundle": "lrdoc.audit.markdown:READER",
    }
)
"""Suffix → the reader that knows what the format's own program shows; loaded on first use."""

_AS_THEY_ARE = (
    "txt md markdown mdx tex json yaml yml log conf ini properties sql bat sh c h cpp hpp py java js ts swift go rb "
    "php css scss less"
)
PLAIN_READERS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_AS_THEY_ARE.split(), "lrdoc.audit.plain:TEXT"),
        "pptx": "lrdoc.audit.pptx:READER",
        "xlsx": "lrdoc.audit.xlsx:READER",
        "odt": "lrdoc.audit.odt:READER",
        "epub": "lrdoc.audit.epub:READER",
        "html": "lrdoc.audit.html:READER",
        "htm": "lrdoc.audit.html:READER",
        "xhtml": "lrdoc.audit.html:READER",
        "csv": "lrdoc.audit.plain:CELLS",
        "xml": "lrdoc.audit.plain:XML",
    }
)
"""The same for folders with plain text, which hold other kinds as well and markdown as it is."""


def supported(suffix: str) -> bool:
    """Whether files with this suffix (without dot) can be counted, whatever engine parsed them."""
    return suffix.lower() in READERS


def count(source: Path, folder: Path) -> AuditResult:
    """Compare a source with the parsed folder made of it.

    Raises UnsupportedFormatError for a kind of file that cannot be counted, SourceError when the source and
    SidecarError when the folder cannot be read.
    """
    is_plain = any(folder.glob("*.source_map.json")) and not any(folder.glob("*.blocks.jsonl"))
    reader = _reader(source.suffix[1:].lower(), is_plain=is_plain)
    written = read_folder(folder, reader.place)
    text = reader.read(source, written.params)
    if reader.align is not None:
        reader.align(text, written)
    return Comparison(text, written).result()


def read_source(source: Path, params: Mapping[str, Any] | None = None) -> SourceText:
    """What the source shows, for a look at the counter's own reading."""
    suffix = source.suffix[1:].lower()
    return _reader(suffix, is_plain=suffix not in READERS).read(source, params or {})


def _reader(suffix: str, *, is_plain: bool = False) -> SourceReader:
    readers = {**READERS, **PLAIN_READERS} if is_plain else READERS
    impl = readers.get(suffix)
    if impl is None:
        raise UnsupportedFormatError(
            f"completeness of .{suffix or '?'} files cannot be counted",
            hint=f"it can of: {', '.join(sorted(set(readers).difference(_AS_THEY_ARE.split())))}"
            + (" and of files that are text already" if is_plain else ""),
        )
    module, _, name = impl.partition(":")
    reader = getattr(importlib.import_module(module), name)
    assert isinstance(reader, SourceReader)
    return reader
