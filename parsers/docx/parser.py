"""The native docx engine: a Word file goes in, a Document comes out."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from typing import Any

from lrdoc.document import Block, Document
from lrdoc.errors import EmptyDocumentError, SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx import margins
from lrdoc.parsers.docx.body import blocks, read_story
from lrdoc.parsers.docx.names import W
from lrdoc.parsers.docx.package import Budget, Package
from lrdoc.parsers.docx.pages import page_sections, records_pages
from lrdoc.parsers.docx.properties import read_properties
from lrdoc.parsers.docx.sections import Sections
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.parsers.docx.sniff import refuse_bad_zip, refuse_by_content
from lrdoc.parsers.docx.state import Options, Reader, WarningLog, read_definitions, run


class DocxParser:
    """Reads docx, docm, dotx and dotm files."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """Parse one file (see `lrdoc.parsers.base.Parser`)."""
        settings = context.settings if isinstance(context.settings, DocxSettings) else DocxSettings()
        log = WarningLog()
        if params.get("smart_heading"):
            log.add(
                "smart_heading_unavailable",
                "smart_heading finds headings that a document does not mark as such; it is not built yet, so headings "
                "were taken from outline levels and styles. Give headings a heading style in Word to have them found",
            )
        archive = _open(source)
        with archive:
            budget = Budget(settings, context.check)
            package = Package.open(archive, source.name, settings, log.add, budget=budget)
            return _read(package, source, _options(params), context, settings, log)


def _options(params: Mapping[str, Any]) -> Options:
    names = ("changes", "comments", "headers", "toc", "hidden")
    return Options(**{name: params[name] for name in names if params.get(name) is not None})


def _open(source: SourceFile) -> zipfile.ZipFile:
    path = source.path
    if not path.is_file():
        raise SourceError(f"{source.name} does not exist or is no file")
    refusal = refuse_by_content(path, source.name)
    if refusal is not None:
        raise refusal
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OverflowError) as error:
        raise refuse_bad_zip(path, source.name, error) from error


def _read(
    package: Package,
    source: SourceFile,
    options: Options,
    context: ParseContext,
    settings: DocxSettings,
    log: WarningLog,
) -> Document:
    main = package.main
    root = package.xml(main)
    if root is None:
        raise SourceError(f"The main part of {source.name} cannot be read", where=main)
    bodies = [root] if root.tag == W + "body" else root.findall(W + "body")
    if not bodies:
        raise SourceError(f"The main part of {source.name} has no body", where=main)
    styles, numbering = read_definitions(package, context.check)
    reader = Reader(blocks, read_story, package, context, settings, options, styles, numbering, log)
    walk = reader.walk(main, numbering=numbering)
    walk.begin(root)
    walk.page_sections = page_sections(root)
    if walk.page_sections or records_pages(root, styles):
        walk.page = 1
    sections = Sections(reader, walk)
    for number, body in enumerate(bodies, 1):
        # There should be one; files with more exist, and Word shows all of them.
        run(blocks(walk, body, "body" if number == 1 else f"body[{number}]", sections), reader)
    found = sections.finish()
    before, behind = margins.read_margins(reader)
    found = (*before, *found, *behind)
    attributes = read_properties(package)
    reader.report_numbering()
    _report_counts(reader)
    if not found and not reader.regions:
        raise EmptyDocumentError(f"{source.name} holds no text, table, picture or equation")
    return Document(
        format=source.suffix or "docx",
        title=_title(sections.title, attributes, found, source.stem),
        blocks=found,
        regions=tuple(reader.regions),
        attributes=attributes,
        warnings=log.finish(),
    )


def _report_counts(reader: Reader) -> None:
    counts = reader.counts
    if counts.without_paraid:
        reader.warn(
            "missing_paraid",
            f"{counts.without_paraid} paragraphs lack paraId; re-save the file in Word 2013 or later to regenerate ids",
        )
    if counts.hidden_characters:
        reader.warn(
            "hidden_text_dropped",
            f"{counts.hidden_characters} characters of hidden text were left out; hidden=body keeps them",
            counts.hidden_first,
        )


def _title(title: str, attributes: Mapping[str, Any], found: tuple[Block, ...], stem: str) -> str:
    """Decision A4."""
    core = " ".join(str(attributes.get("title", "")).split())
    first = next((block.heading for block in found if block.level == 1), "")
    heading = next((block.heading for block in found if block.level), "")
    return title or core or first or heading or stem
