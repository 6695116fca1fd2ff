"""Parse a small file through an engine and a server of `service_server`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from docling_bundles import everything
from mineru_bundles import CONTENT_LIST, MIDDLE, PICTURES
from service_bundles import PNG
from service_server import ServiceServer, make_zip

from lrdoc.document import Document
from lrdoc.params import fill
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.builtin import BUILTIN
from lrdoc.parsers.docling.parser import DoclingParser
from lrdoc.parsers.docling.settings import DoclingSettings
from lrdoc.parsers.mineru.parser import MineruParser
from lrdoc.parsers.mineru.settings import MineruSettings
from lrdoc.parsers.services.bundle import ServiceParser
from lrdoc.testing.assets import MemoryAssets

KINDS = ("docling", "mineru3", "mineru4", "official")

PATIENT_S = 120.0
"""Longer than a server of ours takes on any machine, so that only what is meant to take too long does."""

FAST: dict[str, Any] = {
    "poll_interval": 0.02,
    "max_polls": 20,
    "request_timeout": PATIENT_S,
    "download_timeout": PATIENT_S,
    "bundle_max_bytes": 1 << 20,
    "bundle_max_entries": 50,
    "download_max_bytes": 1 << 20,
    "retries": 2,
}


def archive(kind: str) -> bytes:
    """What a service of the kind sends for a file named x."""
    if kind == "docling":
        return make_zip({"x.json": everything(), "x.md": b"# Report", "artifacts/i.png": PNG})
    if kind == "mineru4":
        return make_zip({"middle_json.json": MIDDLE, "markdown.md": b"", **PICTURES})
    return make_zip(
        {"x/auto/x_content_list.json": CONTENT_LIST, **{f"x/auto/{name}": data for name, data in PICTURES.items()}}
    )


def service(kind: str, **more: Any) -> ServiceServer:
    return ServiceServer(kind, archive(kind), **more)


def settings(kind: str, url: str, **more: Any) -> Any:
    values = {**FAST, **more}
    if kind == "docling":
        return DoclingSettings(endpoint=url, **values)
    if kind == "official":
        values.setdefault("api_token", "TOK")
        return MineruSettings(api_mode="official", official_endpoint=url, **values)
    return MineruSettings(local_endpoint=url, **values)


class Run:
    """A source with its cache folder, and an engine."""

    def __init__(self, kind: str, url: str, folder: Path, name: str = "x.pdf", **more: Any) -> None:
        self.kind = kind
        self.parser: ServiceParser = DoclingParser() if kind == "docling" else MineruParser()
        self.settings = settings(kind, url, **more)
        self.source = SourceFile(folder / f"x.[{self.parser.engine_name}].pdf", name)
        self.source.path.write_bytes(b"%PDF-1.4 not really")
        self.cache = folder / f"{name}.{self.parser.engine_name}_raw"
        self.folder = folder
        self.context = ParseContext(MemoryAssets())

    def parse(self, cancelled: Callable[[], bool] | None = None, force: bool = False, **params: Any) -> Document:
        spec = next(spec for spec in BUILTIN if spec.engine_name == self.parser.engine_name)
        self.context = ParseContext(MemoryAssets(), settings=self.settings, cache_dir=self.cache, force_reparse=force)
        if cancelled is not None:
            self.context.cancelled = cancelled
        return self.parser.parse(self.source, fill(spec.params, params), self.context)

    def leftovers(self) -> list[str]:
        """Everything beside the source."""
        return sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*") if p != self.source.path)
