"""Native markdown: .md, .markdown, .mdx."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lrdoc.document import Document
from lrdoc.errors import EmptyDocumentError, SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.markdown.convert import Warnings, convert
from lrdoc.parsers.markdown.files import FolderFiles
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
        settings = settings_of(context)
        try:
            data = source.path.read_bytes()
        except OSError as e:
            raise SourceError(f"{source.name} cannot be read: {e.strerror or e}") from e
        warnings = Warnings()
        text = decode_text(data, source.name, warnings)
        files = FolderFiles(source.path.parent) if params.get("local_images") else None
        with open_remote(settings, context, data) as remote:
            return convert(
                text,
                format=suffix_of(source),
                stem=source.stem,
                params=params,
                context=context,
                settings=settings,
                warnings=warnings,
                files=files,
                remote=remote,
                no_files=_NO_FILES,
            )


def suffix_of(source: SourceFile) -> str:
    """Suffix of the name; a name that is all suffix (".md") has one too."""
    return source.suffix or source.name.rpartition(".")[2].lower()


def settings_of(context: ParseContext) -> MarkdownSettings:
    """The markdown slice of the settings, the defaults when the caller has none."""
    return context.settings if isinstance(context.settings, MarkdownSettings) else MarkdownSettings()


def decode_text(data: bytes, name: str, warnings: Warnings) -> str:
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
