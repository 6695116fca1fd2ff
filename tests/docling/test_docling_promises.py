"""The docling engine keeps the promises of all engines; a source is the bundle's file here, so broken ones are tried too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docling_bundles import Docling, everything
from service_bundles import PNG, write_bundle

from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.builtin import BUILTIN
from lrdoc.parsers.docling.parser import DoclingParser
from lrdoc.parsers.docling.settings import DoclingSettings
from lrdoc.parsers.services.bundle import BundleKey, Fetched, sign, write_manifest
from lrdoc.testing.parsers import ParserContract

KEY = BundleKey(sign({}))


class Replayed(DoclingParser):
    """Whatever the parameters are, the kept bundle is used."""

    def bundle_key(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> BundleKey:
        return KEY


class TestDocling(ParserContract):
    spec = next(spec for spec in BUILTIN if spec.engine_name == "docling")

    def make_parser(self) -> DoclingParser:
        return Replayed()

    def settings(self) -> DoclingSettings:
        return DoclingSettings(endpoint="http://127.0.0.1:1", retries=0, request_timeout=0.1)

    def good_files(self) -> Mapping[str, bytes]:
        return {name: json.dumps(everything()).encode() for name in ("all.pdf", "all.docx", "all.pptx", "all.xlsx")}

    def lossy_files(self) -> Mapping[str, bytes]:
        d = Docling()
        d.picture(image={"uri": "artifacts/none.png"})
        return {"lossy.pdf": json.dumps(d.copy()).encode()}

    def large_file(self, size: int) -> bytes:
        d = Docling()
        for n in range(max(1, size // 1000)):
            d.text(f"Section {n}", "section_header", level=1 + n % 3)
            d.text("words " * 40)
            d.table([(0, 0, 1, 1, "a", True), (1, 0, 1, 1, str(n), False)])
        return json.dumps(d.copy()).encode()

    def prepare(self, source: SourceFile, cache_dir: Path) -> None:
        write_bundle(cache_dir, {"x.json": source.path.read_bytes(), "artifacts/i.png": PNG})
        write_manifest(cache_dir, "docling", KEY, Fetched("x.json"), source)
