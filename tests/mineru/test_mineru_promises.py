"""The MinerU engine keeps the promises of all engines; a source is the bundle's file here, so broken ones are tried too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mineru_bundles import CONTENT_LIST, CONTENT_LIST_V2, MIDDLE, OLD_MIDDLE, PICTURES, STRUCTURED
from service_bundles import write_bundle

from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.builtin import BUILTIN
from lrdoc.parsers.mineru.parser import MineruParser
from lrdoc.parsers.mineru.settings import MineruSettings
from lrdoc.parsers.services.bundle import BundleKey, Fetched, sign, write_manifest
from lrdoc.testing.parsers import ParserContract

KEY = BundleKey(sign({}))


class Replayed(MineruParser):
    """Whatever the parameters are, the kept bundle is used."""

    def bundle_key(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> BundleKey:
        return KEY


class TestMineru(ParserContract):
    spec = next(spec for spec in BUILTIN if spec.engine_name == "mineru")

    def make_parser(self) -> MineruParser:
        return Replayed()

    def settings(self) -> MineruSettings:
        return MineruSettings(local_endpoint="http://127.0.0.1:1", retries=0, request_timeout=0.1)

    def good_files(self) -> Mapping[str, bytes]:
        values = {"list.pdf": CONTENT_LIST, "middle.pdf": MIDDLE, "old.pdf": OLD_MIDDLE, "structured.docx": STRUCTURED}
        return {name: json.dumps(value).encode() for name, value in {**values, "v2.pptx": CONTENT_LIST_V2}.items()}

    def lossy_files(self) -> Mapping[str, bytes]:
        return {"lossy.pdf": json.dumps([{"type": "image", "img_path": "images/none.png"}]).encode()}

    def large_file(self, size: int) -> bytes:
        items = CONTENT_LIST * max(1, size // len(json.dumps(CONTENT_LIST)))
        return json.dumps(items).encode()

    def prepare(self, source: SourceFile, cache_dir: Path) -> None:
        name = "structured_content.json" if source.name.startswith("structured") else "content_list.json"
        write_bundle(cache_dir, {name: source.path.read_bytes(), **PICTURES})
        write_manifest(cache_dir, "mineru", KEY, Fetched(name), source)
