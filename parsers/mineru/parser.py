"""The MinerU engine: fetch a bundle from the service, build the document from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lrdoc.document import Document
from lrdoc.errors import EngineError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.mineru.bundle import Content, find_content
from lrdoc.parsers.mineru.mapping import Mapper
from lrdoc.parsers.mineru.paged import read_metadata
from lrdoc.parsers.mineru.settings import BBOX_ATTRIBUTES, MineruSettings
from lrdoc.parsers.services.addresses import public_form
from lrdoc.parsers.services.builder import ServedBuilder
from lrdoc.parsers.services.bundle import BundleKey, Fetched, ServiceParser, read_manifest, sign

_TITLES = frozenset({"", "untitled", "(anonymous)", "(unspecified)", "anonymous", "unspecified"})


class MineruParser(ServiceParser):
    """PDF, office files and pictures through a MinerU service."""

    engine_name = "mineru"

    def bundle_key(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> BundleKey:
        from lrdoc.parsers.mineru.options import Options

        settings = _settings(context)
        options = Options.make(settings, params)
        return BundleKey(sign(options.signed()), public_form(options.endpoint), settings.engine_version, options.mode)

    def wants_fresh(self, context: ParseContext) -> bool:
        return context.force_reparse or _settings(context).force_reparse

    def fetch(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext, folder: Path) -> Fetched:
        from lrdoc.parsers.mineru.client import fetch_bundle
        from lrdoc.parsers.mineru.options import Options

        return fetch_bundle(source, Options.make(_settings(context), params), context, folder)

    def build(self, bundle: Path, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        context.check()
        path = find_content(bundle, source.stem)
        if path is None:
            raise EngineError(
                f"mineru: the bundle of {source.name} has neither content_list.json nor middle_json.json",
                hint="Fetch it again with --force-reparse.",
            )
        content = Content(bundle, path, source.suffix, context.check)
        builder = ServedBuilder(self.engine_name, source, context)
        builder.bbox_attributes = dict(_settings(context).bbox_attributes or BBOX_ATTRIBUTES)
        manifest = read_manifest(bundle) or {}
        version = content.version or manifest.get("engine_version")
        if isinstance(version, str) and version:
            builder.split_option["engine_version"] = version
        extras = manifest.get("extras")
        ignored = extras.get("ignored") if isinstance(extras, dict) else None
        for name in ignored if isinstance(ignored, list) else ():
            builder.warn("mineru_option_ignored", f"this version of MinerU takes no {name}; leave it out")
        builder.tell_errors(extras)
        _read_properties(builder, read_metadata(content.value))
        Mapper(builder, content.folder).add_all(content.items())
        return builder.build()


def _settings(context: ParseContext) -> MineruSettings:
    return context.settings if isinstance(context.settings, MineruSettings) else MineruSettings()


def _read_properties(builder: ServedBuilder, found: Mapping[str, Any]) -> None:
    """Title, authors and dates of the file, as far as somebody filled them in."""
    for name, value in found.items():
        values = value if isinstance(value, list) else [value]
        kept = [one for one in values if not isinstance(one, str) or one.strip().lower() not in _TITLES]
        if kept:
            builder.attributes[name] = kept if isinstance(value, list) else kept[0]
    title = builder.attributes.get("title")
    if isinstance(title, str):
        builder.title = " ".join(title.split())
