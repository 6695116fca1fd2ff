"""Native textpack: .textpack archives and unpacked .textbundle folders."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lrdoc.document import Document, Source
from lrdoc.errors import SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.markdown.convert import Warnings
from lrdoc.parsers.markdown.parser import parse_bytes
from lrdoc.parsers.textpack.bundle import Bundle, FolderBundle, ZipBundle, read_info


class TextpackParser:
    """Parses the one markdown text of a bundle, with its pictures."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """Like markdown; relative references are read from the bundle."""
        warnings = Warnings()
        with _opened(source.path, source.name) as bundle:
            info, problem = read_info(bundle.info())
            if problem:
                where = Source(part="info.json")
                warnings.add("bundle_info_unreadable", f"info.json cannot be read: {problem}.", where)
            attributes = {"textbundle": dict(info)} if info else None
            return parse_bytes(
                bundle.body(),
                source,
                params,
                context,
                warnings,
                files=bundle,
                part=bundle.body_name,
                attributes=attributes,
            )


@contextlib.contextmanager
def _opened(path: Path, name: str) -> Iterator[Bundle]:
    if path.is_dir():
        yield FolderBundle(path, name)
        return
    if not path.exists():
        raise SourceError(f"{name} does not exist")
    bundle = ZipBundle(path, name)
    try:
        yield bundle
    finally:
        bundle.close()
