"""The docling engine: fetch a bundle from docling-serve, build the document from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lrdoc.document import Document
from lrdoc.errors import EngineError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docling.mapping import Mapper
from lrdoc.parsers.docling.nodes import Tree
from lrdoc.parsers.docling.settings import BBOX_ATTRIBUTES, DoclingSettings
from lrdoc.parsers.services.addresses import public_form
from lrdoc.parsers.services.builder import ServedBuilder, numbers, read_json
from lrdoc.parsers.services.bundle import MANIFEST, BundleKey, Fetched, ServiceParser, read_manifest, sign


class DoclingParser(ServiceParser):
    """PDF, office files, web pages and pictures through docling-serve."""

    engine_name = "docling"

    def bundle_key(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> BundleKey:
        from lrdoc.parsers.docling.options import Options

        settings = _settings(context)
        options = Options.make(settings, params)
        return BundleKey(sign(options.signed()), public_form(options.endpoint), settings.engine_version)

    def wants_fresh(self, context: ParseContext) -> bool:
        return context.force_reparse or _settings(context).force_reparse

    def fetch(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext, folder: Path) -> Fetched:
        from lrdoc.parsers.docling.client import fetch_bundle
        from lrdoc.parsers.docling.options import Options

        return fetch_bundle(source, Options.make(_settings(context), params), context, folder)

    def build(self, bundle: Path, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        context.check()
        path = find_document(bundle, source.stem)
        value = read_json(path, "docling")
        if not isinstance(value, dict) or not isinstance(value.get("body"), dict):
            raise EngineError(
                f"docling: {path.name} of the bundle is no DoclingDocument", hint="Fetch it again with --force-reparse."
            )
        builder = ServedBuilder(self.engine_name, source, context)
        builder.bbox_attributes = dict(_settings(context).bbox_attributes or BBOX_ATTRIBUTES)
        manifest = read_manifest(bundle) or {}
        version = manifest.get("engine_version")
        if isinstance(version, str) and version:
            builder.split_option["engine_version"] = version
        sizes = _page_sizes(value.get("pages"))
        if sizes:
            builder.split_option["page_sizes"] = sizes
        Mapper(builder, Tree(value, path.name, source.suffix), bundle).add_all()
        builder.tell_errors(manifest.get("extras"))
        return builder.build()


def find_document(bundle: Path, stem: str) -> Path:
    """The DoclingDocument of the bundle. Raises EngineError when there is none or nobody can tell which."""
    named = bundle / f"{stem}.json"
    if named.is_file():
        return named
    found = sorted(p for p in bundle.iterdir() if p.suffix == ".json" and p.name != MANIFEST and p.is_file())
    if len(found) == 1:
        return found[0]
    told = "no document" if not found else f"several documents ({', '.join(p.name for p in found[:5])})"
    raise EngineError(f"docling: the bundle has {told}", hint="Fetch it again with --force-reparse.")


def _settings(context: ParseContext) -> DoclingSettings:
    return context.settings if isinstance(context.settings, DoclingSettings) else DoclingSettings()


def _page_sizes(pages: Any) -> dict[str, list[float]]:
    """Width and height of each page in the units of its boxes, which differ between formats."""
    sizes: dict[str, list[float]] = {}
    for number, page in pages.items() if isinstance(pages, dict) else ():
        size = page.get("size") if isinstance(page, dict) else None
        found = numbers([size.get("width"), size.get("height")], 2) if isinstance(size, dict) else None
        if found is not None:
            sizes[str(number)] = list(found)
    return sizes
