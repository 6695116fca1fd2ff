"""Native markdown: .md, .markdown, .mdx."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lrdoc.document import Document
from lrdoc.errors import EmptyDocumentError, SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.markdown.convert import Warnings, convert
from lrdoc.parsers.markdown.files import FolderFiles
from lrdoc.parsers.markdown.images import Files
from lrdoc.parsers.markdown.remote import open_remote
from lrdoc.parsers.markdown.settings import MarkdownSettings
from lrdoc.text.encodings import decode

_NO_FILES = (
    "relative pictures beside a markdown file are not read; use native(local_images=true) or pack text and pictures "
    "as .textpack."
)


class MarkdownParser:
    """Parses one markdown file."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """Blocks cut at ATX and setext headings; tables, equations and pictures as items."""
        try:
            data = source.path.read_bytes()
        except OSError as e:
            raise SourceError(f"{source.name} cannot be read: {e.strerror or e}") from e
        files = FolderFiles(source.path.parent) if params.get("local_images") else None
        return parse_bytes(data, source, params, context, Warnings(), files=files, no_files=_NO_FILES)


def parse_bytes(
    data: bytes,
    source: SourceFile,
    params: Mapping[str, Any],
    context: ParseContext,
    warnings: Warnings,
    *,
    files: Files | None,
    no_files: str = "",
    part: str = "",
    attributes: Mapping[str, Any] | None = None,
) -> Document:
    """The document of a text that stands in the file, or in the file's `part`."""
    settings = context.settings if isinstance(context.settings, MarkdownSettings) else MarkdownSettings()
    text = _decode(data, source.name, warnings)
    with open_remote(settings, context, data) as remote:
        return convert(
            text,
            # a name that is all suffix (".md") has one too
            format=source.suffix or source.name.rpartition(".")[2].lower(),
            stem=source.stem,
            params=params,
            context=context,
            settings=settings,
            warnings=warnings,
            files=files,
            remote=remote,
            no_files=no_files,
            part=part,
            attributes=attributes,
        )


def _decode(data: bytes, name: str, warnings: Warnings) -> str:
    """The text of the file; a guessed encoding is a warning, an empty file an error."""
    if not data.strip():
        raise EmptyDocumentError(f"{name} is empty", hint="Check that this is the right file.")
    decoded = decode(data)
    if decoded.guessed:
        lost = decoded.text.count("\ufffd")
        warnings.add(
            "encoding_guessed",
            f"The file is not valid UTF-8; it was read as {decoded.encoding}"
            + (f", and {lost} byte sequence(s) could not be read" if lost else "")
            + ". Save it as UTF-8 if characters look wrong.",
        )
    return decoded.text
