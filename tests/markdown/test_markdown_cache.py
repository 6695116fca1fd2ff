"""The raw cache of downloaded pictures."""

from __future__ import annotations

import hashlib
import ipaddress
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_builder import MemoryAssets, drawings, parse_bytes
from picture_server import PictureServer

from lrdoc.document import Document
from lrdoc.errors import EngineError
from lrdoc.parsers.base import ParseContext
from lrdoc.parsers.markdown import rawcache
from lrdoc.parsers.markdown.settings import MarkdownSettings

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


@pytest.fixture
def parse(pictures: PictureServer, tmp_path: Path) -> Callable[..., Document]:
    def run(names: str, *, force: bool = False, more: str = "", **values: Any) -> Document:
        text = "".join(f"![{name}]({pictures.url(name)})\n\n" for name in names.split()) + more
        context = ParseContext(
            MemoryAssets(),
            MarkdownSettings(allowed_networks=values.pop("allowed_networks", LOOPBACK), **values),
            cache_dir=tmp_path / "doc.md.native_raw",
            force_reparse=force,
        )
        document = parse_bytes(text.encode(), tmp_path, context=context)
        run.cached = context.cached  # type: ignore[attr-defined]
        return document

    return run


def bundle(tmp_path: Path) -> Path:
    return tmp_path / "doc.md.native_raw"


def manifest(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((bundle(tmp_path) / "_manifest.json").read_text())
    return found


def test_the_second_parse_makes_no_request(parse: Any, pictures: PictureServer, tmp_path: Path) -> None:
    first = parse("a.png svg")
    assert not parse.cached
    assert parse("a.png svg") == first
    assert parse.cached
    assert pictures.requests == ["/a.png", "/svg"]
    url = pictures.url("a.png")
    entry = manifest(tmp_path)["images"][url]
    assert entry["file"] == hashlib.sha256(url.encode()).hexdigest()[:16] + ".png"
    data = (bundle(tmp_path) / entry["file"]).read_bytes()
    assert entry["size"] == len(data)
    assert entry["sha256"] == "sha256:" + hashlib.sha256(data).hexdigest()
    assert manifest(tmp_path)["images"][pictures.url("svg")]["file"].endswith(".png")


@pytest.mark.parametrize(
    "change",
    [
        {"max_bytes": 10_000_000},
        {"max_svg_pixels": 1000},
        {"allowed_networks": (ipaddress.ip_network("127.0.0.1/32"),)},
        {"more": "other text\n"},
        {"force": True},
        {"force_reparse": True},
    ],
)
def test_changed_limits_or_source_fetch_again(parse: Any, pictures: PictureServer, change: dict[str, Any]) -> None:
    parse("a.png")
    parse("a.png", **change)
    assert pictures.requests == ["/a.png", "/a.png"]


@pytest.mark.parametrize("damage", ["truncate", "alter", "remove", "manifest", "link", "entry"])
def test_damaged_files_are_fetched_again(parse: Any, pictures: PictureServer, tmp_path: Path, damage: str) -> None:
    first = parse("a.png b.png")
    path = bundle(tmp_path) / manifest(tmp_path)["images"][pictures.url("a.png")]["file"]
    data = path.read_bytes()
    if damage == "truncate":
        path.write_bytes(data[:-1])
    elif damage == "alter":
        path.write_bytes(data[:-1] + b"x")
    elif damage == "remove":
        path.unlink()
    elif damage == "manifest":
        (bundle(tmp_path) / "_manifest.json").write_text('{"version": "1", "images": [')
    elif damage == "link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    else:
        text = json.dumps(manifest(tmp_path)).replace(path.name, "../doc.md")
        (bundle(tmp_path) / "_manifest.json").write_text(text)
    assert parse("a.png b.png") == first
    assert pictures.requests[2:] == (["/a.png", "/b.png"] if damage == "manifest" else ["/a.png"])
    assert parse("a.png b.png") == first
    assert parse.cached


def test_pictures_that_are_gone_from_the_text_are_removed(parse: Any, pictures: PictureServer, tmp_path: Path) -> None:
    parse("a.png b.png")
    parse("a.png")
    assert sorted(path.suffix for path in bundle(tmp_path).iterdir()) == [".json", ".png"]


def test_killed_while_caching_the_old_state_stays_valid(
    parse: Any, pictures: PictureServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    original = rawcache._replace

    def run_until(step: int) -> None:
        done = 0

        def replace(path: Path, data: bytes) -> None:
            nonlocal done
            if done == step:
                path.with_name(path.name + ".tmp").write_bytes(data[: len(data) // 2])
                raise Killed
            original(path, data)
            done += 1

        monkeypatch.setattr(rawcache, "_replace", replace)
        with pytest.raises(Killed):
            parse("a.png b.png c.png")
        monkeypatch.setattr(rawcache, "_replace", original)

    expected = parse("a.png b.png c.png", force=True)
    for step in range(4):
        if bundle(tmp_path).exists():
            for path in bundle(tmp_path).iterdir():
                path.unlink()
        run_until(step)
        assert parse("a.png b.png c.png") == expected
        assert not list(bundle(tmp_path).glob("*.tmp"))


def test_a_failed_parse_keeps_what_was_fetched(parse: Any, pictures: PictureServer) -> None:
    with pytest.raises(EngineError):
        parse("a.png missing", download_required=True)
    with pytest.raises(EngineError):
        parse("a.png missing", download_required=True)
    assert pictures.requests == ["/a.png", "/missing", "/missing"]


def test_no_download_no_cache(parse: Any, pictures: PictureServer, tmp_path: Path) -> None:
    parse("missing")
    assert not bundle(tmp_path).exists()
    assert drawings(parse("a.png"))[0].asset is not None


def test_a_folder_that_cannot_be_written_costs_nothing(parse: Any, tmp_path: Path) -> None:
    bundle(tmp_path).write_text("a file is in the way")
    assert drawings(parse("a.png"))[0].asset is not None
    assert bundle(tmp_path).read_text() == "a file is in the way"
