"""Native textpack: .textpack archives and unpacked .textbundle folders."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lrdoc.document import Document, Source
from lrdoc.errors import SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.markdown.convert import Warnings, convert
from lrdoc.parsers.markdown.parser import decode_text, settings_of, suffix_of
from lrdoc.parsers.markdown.remote import open_remote
from lrdoc.parsers.textpack.bundle import Bundle, FolderBundle, ZipBundle, read_info


class TextpackParser:
    """Parses the one markdown text of a bundle, with its pictures."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """Like markdown; relative references are read from the bundle."""
        settings = settings_of(context)
        warnings = Warnings()
        with _opened(source.path, source.name) as bundle:
            data = bundle.body()
            text = decode_text(data, source.name, warnings)
            info, problem = read_info(bundle.info())
            if problem:
                warnings.add(
                    "bundle_info_unreadable", f"info.json cannot be read: {problem}.", Source(part="info.json")
                )
            with open_remote(settings, context, data) as remote:
                return convert(
                    text,
                    format=suffix_of(source),
                    stem=source.stem,
                    params=params,
                    context=context,
                    settings=settings,
                    warnings=warnings,
                    files=bundle,
                    remote=remote,
                    no_files="",
                    part=bundle.body_name,
                    attributes={"textbundle": dict(info)} if info else None,
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
