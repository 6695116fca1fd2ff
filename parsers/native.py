"""The native engine: one name for users, inside one parser per family of formats, loaded when first needed."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping
from typing import Any

from lrdoc.document import Document
from lrdoc.errors import EngineNotConfigured, UnsupportedFormatError
from lrdoc.parsers.base import ParseContext, Parser, SourceFile

_PARSERS: Mapping[str, str] = {
    **dict.fromkeys(("docx", "docm", "dotx", "dotm"), "lrdoc.parsers.docx.parser:DocxParser"),
    **dict.fromkeys(("md", "markdown", "mdx"), "lrdoc.parsers.markdown.parser:MarkdownParser"),
    **dict.fromkeys(("textpack", "textbundle"), "lrdoc.parsers.textpack.parser:TextpackParser"),
}


class NativeParser:
    """Word and markdown files, by suffix."""

    def __init__(self) -> None:
        self._made: dict[str, Parser] = {}
        self._lock = threading.Lock()

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """Hand the file to the parser of its format."""
        # A name that is all suffix (".md", from ".[native].md") has none in the eyes of pathlib.
        suffix = source.suffix or source.name.rpartition(".")[2].lower()
        impl = _PARSERS.get(suffix)
        if impl is None:
            known = " ".join(sorted(_PARSERS))
            raise UnsupportedFormatError(f"The native engine takes no .{suffix} files", hint=f"It takes {known}")
        return self._parser(impl).parse(source, params, context)

    def _parser(self, impl: str) -> Parser:
        with self._lock:
            parser = self._made.get(impl)
            if parser is None:
                module, _, name = impl.partition(":")
                try:
                    made: Parser = getattr(importlib.import_module(module), name)()
                except (ImportError, AttributeError) as e:
                    text = f"{impl} is not part of this installation ({e})"
                    raise EngineNotConfigured(f"The native engine cannot read this format: {text}") from e
                parser = self._made[impl] = made
            return parser
