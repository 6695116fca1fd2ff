"""The plain-text engine: one reader for each kind of file, one text out."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from lrdoc.document import Block, Document, Part, Text, merge_text
from lrdoc.errors import EmptyDocumentError, LimitExceeded, SourceError, UnsupportedFormatError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.legacy.output import TextOut
from lrdoc.parsers.legacy.settings import LegacySettings

Reader: TypeAlias = Callable[[SourceFile, TextOut], str]
"""Writes the text of a file to the output and returns its title, "" when the file tells none."""

_AS_THEY_ARE = (
    "txt md markdown mdx tex json yaml yml log conf ini properties sql bat sh c h cpp hpp py java js ts swift go rb "
    "php css scss less"
)
READERS: dict[str, str] = {
    **dict.fromkeys(_AS_THEY_ARE.split(), "plain:read_plain"),
    "csv": "csv_table:read_csv",
    "docx": "docx:read_docx",
    "epub": "epub:read_epub",
    "htm": "html:read_html",
    "html": "html:read_html",
    "odt": "odt:read_odt",
    "pdf": "pdf:read_pdf",
    "pptx": "pptx:read_pptx",
    "rtf": "rtf:read_rtf",
    "xhtml": "html:read_html",
    "xlsx": "xlsx:read_xlsx",
    "xml": "xml:read_xml",
}
"""Suffix → module and function in this package, imported on first use."""


class LegacyParser:
    """Text out of everything, without structure beside it (`Document.kind` "raw")."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        settings = context.settings if isinstance(context.settings, LegacySettings) else LegacySettings()
        where = READERS.get(source.suffix)
        if where is None:
            raise UnsupportedFormatError(
                f"The plain-text engine takes no .{source.suffix} files",
                hint="Choose another engine, or save the file in one of: " + ", ".join(sorted(READERS)) + ".",
            )
        context.check()
        _check_file(source, settings)
        out = TextOut(context, settings)
        module, _, function = where.partition(":")
        reader: Reader = getattr(importlib.import_module(f"lrdoc.parsers.legacy.{module}"), function)
        title = reader(source, out)
        parts: tuple[Part, ...] = merge_text(_watched(out.finished(), context))
        if not parts:
            raise EmptyDocumentError(f"{source.name} holds no text", hint=_advice(source.suffix))
        block = Block(parts=parts)
        return Document(
            format=source.suffix, title=title or source.stem, blocks=(block,), warnings=tuple(out.warnings), kind="raw"
        )


def _watched(parts: Iterable[Text], context: ParseContext) -> Iterator[Text]:
    for i, part in enumerate(parts):
        if not i & 0xFFF:
            context.check()
        yield part


def _check_file(source: SourceFile, settings: LegacySettings) -> None:
    try:
        size = source.path.stat().st_size
    except OSError as error:
        raise SourceError(f"{source.name} cannot be opened: {error.strerror}") from error
    if size == 0:
        raise EmptyDocumentError(f"{source.name} is empty (0 bytes)", hint="Get the file again.")
    if 0 < settings.max_file_bytes < size:
        raise LimitExceeded(
            f"{source.name} has {size} bytes, more than {settings.max_file_bytes}",
            limit="LEGACY_MAX_FILE_BYTES",
            hint="Raise LEGACY_MAX_FILE_BYTES if the file is meant to be that large.",
        )


def _advice(suffix: str) -> str:
    if suffix == "pdf":
        return "The pages are pictures; use an engine with OCR: mineru or docling."
    if suffix in ("docx", "pptx"):
        return "If it holds pictures of text, use an engine with OCR: mineru or docling."
    return "There is nothing to index in it."
