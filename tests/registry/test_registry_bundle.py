"""Engines behind a service: a bundle is fetched once, used again while it fits, and never trusted for being full."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lrdoc.errors import Cancelled, EngineError, TransportError
from lrdoc.parsers.services.bundle import MANIFEST, is_inside, read_manifest, stale_reason, write_manifest
from lrdoc.sdk import (
    BundleKey,
    Document,
    DocumentBuilder,
    Fetched,
    ParseContext,
    ServiceParser,
    Source,
    SourceFile,
    sign,
)
from lrdoc.testing.assets import MemoryAssets


class Service(ServiceParser):
    """A service that answers with the upper-case text, and counts how often it was asked."""

    engine_name = "shout"

    def __init__(self) -> None:
        self.asked = 0
        self.key = BundleKey(sign({"language": "en"}), "http://a", "1.0", "local")
        self.fail: Exception | None = None
        self.answers = "answer.json"

    def bundle_key(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> BundleKey:
        return self.key

    def fetch(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext, folder: Path) -> Fetched:
        self.asked += 1
        (folder / self.answers).write_text(json.dumps({"text": source.path.read_text().upper()}))
        (folder / "images").mkdir()
        (folder / "images" / "a.png").write_bytes(b"png")
        if self.fail is not None:
            raise self.fail
        return Fetched("answer.json", task_id="t1", extras={"fixed": 1})

    def build(self, bundle: Path, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        document = DocumentBuilder(source)
        document.line(json.loads((bundle / "answer.json").read_text())["text"], Source(page=1))
        return document.build()


@pytest.fixture
def source(tmp_path: Path) -> SourceFile:
    path = tmp_path / "report.[shout].txt"
    path.write_text("hello")
    return SourceFile(path, "report.txt")


def context_of(folder: Path, **more: Any) -> ParseContext:
    return ParseContext(MemoryAssets(), cache_dir=folder / "report.txt.shout_raw", **more)


def parse(service: Service, source: SourceFile, folder: Path, **more: Any) -> tuple[str, bool]:
    context = context_of(folder, **more)
    document = service.parse(source, {}, context)
    return document.title, context.cached


def test_a_bundle_is_fetched_once(source: SourceFile, tmp_path: Path) -> None:
    service = Service()
    context = context_of(tmp_path)
    first = service.parse(source, {}, context)
    assert not context.cached
    again = context_of(tmp_path)
    assert service.parse(source, {}, again) == first
    assert again.cached
    assert service.asked == 1
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


def test_the_manifest_says_what_the_public_document_asks_for(source: SourceFile, tmp_path: Path) -> None:
    Service().parse(source, {}, context_of(tmp_path))
    manifest = read_manifest(tmp_path / "report.txt.shout_raw")
    assert manifest is not None
    assert {key: manifest[key] for key in ("version", "engine", "api_mode", "engine_version", "endpoint_signature")} == {
        "version": "1.0", "engine": "shout", "api_mode": "local", "engine_version": "1.0", "endpoint_signature": "http://a",
    }  # fmt: skip
    assert manifest["source_filename_at_parse"] == "report.txt"
    assert manifest["source_content_hash"].startswith("sha256:")
    assert manifest["critical_file"]["path"] == "answer.json"
    assert [entry["path"] for entry in manifest["files"]] == ["answer.json", "images/a.png"]
    assert manifest["total_size_bytes"] == sum(entry["size"] for entry in manifest["files"])
    assert (manifest["task_id"], manifest["extras"]) == ("t1", {"fixed": 1})


def test_without_a_cache_folder_nothing_is_kept(source: SourceFile) -> None:
    service = Service()
    before = sorted(source.path.parent.iterdir())
    service.parse(source, {}, ParseContext(MemoryAssets()))
    service.parse(source, {}, ParseContext(MemoryAssets()))
    assert service.asked == 2
    assert sorted(source.path.parent.iterdir()) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda service, source, bundle: source.path.write_text("hallo"),
        lambda service, source, bundle: source.path.write_text("hello there"),
        lambda service, source, bundle: setattr(service, "key", BundleKey("other", "http://a", "1.0", "local")),
        lambda service, source, bundle: setattr(service, "key", BundleKey(service.key.options_signature, "http://b")),
        lambda service, source, bundle: setattr(
            service, "key", BundleKey(service.key.options_signature, "http://a", "2.0", "local")
        ),
        lambda service, source, bundle: setattr(
            service, "key", BundleKey(service.key.options_signature, "http://a", "1.0", "official")
        ),
        lambda service, source, bundle: (bundle / "answer.json").write_text('{"text": "LIES!"}'),
        lambda service, source, bundle: (bundle / "answer.json").unlink(),
        lambda service, source, bundle: (bundle / "images" / "a.png").write_bytes(b"larger"),
        lambda service, source, bundle: (bundle / "images" / "a.png").unlink(),
        lambda service, source, bundle: (bundle / MANIFEST).unlink(),
        lambda service, source, bundle: (bundle / MANIFEST).write_text("[]"),
        lambda service, source, bundle: (bundle / MANIFEST).write_text("[" * 100_000),
        lambda service, source, bundle: (bundle / MANIFEST).write_text('{"version": "1.0", "engine": "shout"}'),
    ],
)
def test_a_bundle_that_does_not_fit_is_fetched_again(change: Any, source: SourceFile, tmp_path: Path) -> None:
    service = Service()
    parse(service, source, tmp_path)
    change(service, source, tmp_path / "report.txt.shout_raw")
    assert not parse(service, source, tmp_path)[1]
    assert service.asked == 2


@pytest.mark.parametrize(
    "key",
    [
        BundleKey(sign({"language": "en"}), "", "1.0", "local"),
        BundleKey(sign({"language": "en"}), "http://a", "", "local"),
    ],
)
def test_versions_and_addresses_are_compared_only_when_both_are_known(
    key: BundleKey, source: SourceFile, tmp_path: Path
) -> None:
    service = Service()
    parse(service, source, tmp_path)
    service.key = key
    assert parse(service, source, tmp_path)[1]


def test_a_forced_parse_ignores_the_bundle(source: SourceFile, tmp_path: Path) -> None:
    service = Service()
    parse(service, source, tmp_path)
    assert not parse(service, source, tmp_path, force_reparse=True)[1]
    assert service.asked == 2


def test_a_fetch_that_fails_leaves_the_old_bundle_and_nothing_else(source: SourceFile, tmp_path: Path) -> None:
    service = Service()
    parse(service, source, tmp_path)
    before = {path: path.read_bytes() for path in (tmp_path / "report.txt.shout_raw").rglob("*") if path.is_file()}
    for error in (TransportError("gone"), Cancelled()):
        service.fail = error
        with pytest.raises(type(error)):
            parse(service, source, tmp_path, force_reparse=True)
    after = {path: path.read_bytes() for path in (tmp_path / "report.txt.shout_raw").rglob("*") if path.is_file()}
    assert after == before
    assert {p.name for p in tmp_path.iterdir()} == {"report.[shout].txt", "report.txt.shout_raw"}


def test_an_answer_without_its_main_file_is_an_error(source: SourceFile, tmp_path: Path) -> None:
    service = Service()
    service.answers = "other.json"
    with pytest.raises(EngineError, match=r"answer\.json"):
        parse(service, source, tmp_path)
    assert not (tmp_path / "report.txt.shout_raw").exists()


def test_a_bundle_is_replayed_without_the_service(source: SourceFile, tmp_path: Path) -> None:
    service = Service()
    document = service.parse(source, {}, context_of(tmp_path))
    bundle = tmp_path / "report.txt.shout_raw"
    service.fail = TransportError("gone")
    assert service.replay(bundle, source, {}, context_of(tmp_path)) == document
    (bundle / "answer.json").write_text("{}")
    with pytest.raises(EngineError, match="changed"):
        service.replay(bundle, source, {}, context_of(tmp_path))


def test_a_manifest_cannot_lead_out_of_the_bundle(source: SourceFile, tmp_path: Path) -> None:
    service = Service()
    parse(service, source, tmp_path)
    bundle = tmp_path / "report.txt.shout_raw"
    manifest = read_manifest(bundle)
    assert manifest is not None
    (tmp_path / "secret").write_text("png")
    manifest["files"] = [{"path": "../secret", "size": 3, "sha256": None}]
    (bundle / MANIFEST).write_text(json.dumps(manifest))
    assert stale_reason(bundle, "shout", service.key, source.path)
    for name in ("../a", "/a", "a/../../b", "C:/a", "a\\b", "", "a\0b"):
        assert not is_inside(name)
    assert is_inside("images/a.png")


def test_the_order_of_options_does_not_matter() -> None:
    assert sign({"a": 1, "b": [2]}) == sign({"b": [2], "a": 1}) != sign({"a": 1, "b": [3]})


def test_the_time_of_a_manifest_can_be_given(source: SourceFile, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "answer.json").write_text("{}")
    write_manifest(
        tmp_path / "b",
        "shout",
        BundleKey("k"),
        Fetched("answer.json"),
        source,
        lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )
    manifest = read_manifest(tmp_path / "b")
    assert manifest is not None
    assert manifest["downloaded_at"] == "2026-01-01T00:00:00+00:00"
