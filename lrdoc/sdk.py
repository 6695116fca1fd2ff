"""What an engine of your own imports. See docs/howto/add-an-engine.md.

Three ways to write one, each in one short file:

- text out: subclass `TextParser` and return a string, or pieces with their places;
- document out: a class with `parse(source, params, context)` that fills a `DocumentBuilder` (or makes a `Document`);
- a service: subclass `ServiceParser`; it keeps what was fetched, so that your code only asks and reads.

Describe the engine with a `ParserSpec` and name it under the entry-point group `lrdoc.parsers`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from lrdoc.document import (
    Anchor,
    Asset,
    Block,
    Cell,
    Citation,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Mark,
    Note,
    NoteRef,
    ParseWarning,
    Position,
    Source,
    Table,
    Text,
    merge_text,
    plain_text,
)
from lrdoc.errors import (
    Cancelled,
    EmptyDocumentError,
    EncryptedFileError,
    EngineError,
    EngineNotConfigured,
    LimitExceeded,
    LrdocError,
    SourceError,
    TransportError,
    UnsupportedFormatError,
)
from lrdoc.params import ParamSpec
from lrdoc.parsers.base import AssetSink, Availability, ParseContext, Parser, ParserSpec, SourceFile
from lrdoc.parsers.building import DocumentBuilder, make_table, make_text_document
from lrdoc.parsers.services.bundle import BundleKey, Fetched, ServiceParser, sign
from lrdoc.variables import variable

__all__ = [
    "Anchor",
    "Asset",
    "AssetSink",
    "Availability",
    "Block",
    "BundleKey",
    "Cancelled",
    "Cell",
    "Citation",
    "Document",
    "DocumentBuilder",
    "Drawing",
    "EmptyDocumentError",
    "EncryptedFileError",
    "EngineError",
    "EngineNotConfigured",
    "Equation",
    "Fetched",
    "InlineEquation",
    "LimitExceeded",
    "LrdocError",
    "Mark",
    "Note",
    "NoteRef",
    "ParamSpec",
    "ParseContext",
    "ParseWarning",
    "Parser",
    "ParserSpec",
    "Position",
    "ServiceParser",
    "Source",
    "SourceError",
    "SourceFile",
    "Table",
    "Text",
    "TextParser",
    "TransportError",
    "UnsupportedFormatError",
    "make_table",
    "make_text_document",
    "merge_text",
    "plain_text",
    "sign",
    "variable",
]


class TextParser(ABC):
    """Base of engines that make plain text. Their `ParserSpec` says `structured=False`."""

    @abstractmethod
    def read(
        self, source: SourceFile, params: Mapping[str, Any], context: ParseContext
    ) -> str | Iterable[tuple[str, Source | None]]:
        """The text of the file, or pieces of it with their places.

        Call `context.check()` in every loop. Raise SourceError, saying what is wrong, for a file that cannot be read.
        """

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """A document of kind raw."""
        context.check()
        return make_text_document(source, self.read(source, params, context))
