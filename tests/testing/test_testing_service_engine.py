"""An engine behind a service is held to the same promises by replaying a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lrdoc.errors import TransportError
from lrdoc.parsers.services.bundle import write_manifest
from lrdoc.sdk import (
    BundleKey,
    Document,
    DocumentBuilder,
    Fetched,
    ParseContext,
    ParserSpec,
    ServiceParser,
    Source,
    SourceError,
    SourceFile,
    sign,
)
from lrdoc.testing.parsers import ParserContract

KEY = BundleKey(sign({}), "http://127.0.0.1:1")


class Echo(ServiceParser):
    engine_name = "echo"

    def bundle_key(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> BundleKey:
        return KEY

    def fetch(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext, folder: Path) -> Fetched:
        raise TransportError("nobody answers")

    def build(self, bundle: Path, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        document = DocumentBuilder(source)
        try:
            text = (bundle / "answer.txt").read_text("utf-8")
        except UnicodeDecodeError as e:
            raise SourceError("the answer is no text") from e
        for number, line in enumerate(text.split("\n"), 1):
            context.check()
            document.line(line, Source(path="answer.txt", lines=(number, number + 1)))
        return document.build()


class TestEcho(ParserContract):
    spec = ParserSpec(
        "echo",
        impl=f"{__name__}:Echo",
        suffixes=frozenset({"echo"}),
        external=True,
        endpoint_configured=lambda environ: bool(environ.get("ECHO_ENDPOINT")),
        endpoint_requirement="ECHO_ENDPOINT",
        raw_dir_suffix=".echo_raw",
    )

    def make_parser(self) -> Echo:
        return Echo()

    def good_files(self) -> Mapping[str, bytes]:
        return {"small.echo": b"one\ntwo\n"}

    def prepare(self, source: SourceFile, cache_dir: Path) -> None:
        cache_dir.mkdir()
        (cache_dir / "answer.txt").write_bytes(source.path.read_bytes())
        write_manifest(cache_dir, "echo", KEY, Fetched("answer.txt"), source)

    def test_fits_the_registry(self) -> None:
        """The class of a test module cannot be imported by name; all else of the specification is checked."""
        from lrdoc.parsers.validate import check_spec

        assert check_spec(self.spec, {}) == []
