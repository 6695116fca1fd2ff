"""Bundles: where the text is, which pictures are read, and what is refused."""

from __future__ import annotations

import contextlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from markdown_builder import MemoryAssets, codes, drawings, png, show

from lrdoc.document import Document
from lrdoc.errors import EmptyDocumentError, EncryptedFileError, LimitExceeded, SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.markdown.settings import MarkdownSettings
from lrdoc.parsers.textpack.parser import TextpackParser


def pack(path: Path, files: dict[str, bytes | str], **options: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def unpack(path: Path, files: dict[str, bytes | str]) -> Path:
    for name, content in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def parse(path: Path, assets: MemoryAssets | None = None, **values: Any) -> Document:
    context = ParseContext(assets or MemoryAssets(), MarkdownSettings(download_enabled=False, **values))
    return TextpackParser().parse(SourceFile(path, path.name), {}, context)


@pytest.fixture(params=["packed", "folder"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Make the same bundle as an archive and as a folder."""
    if request.param == "packed":
        return lambda files: pack(tmp_path / "note.textpack", files)
    return lambda files: unpack(tmp_path / "note.textbundle", files)


TEXT = "# Note\n\n![A](assets/a.png) ![B](other/b.png)\n"


def test_the_text_is_found_by_its_suffix(make: Any) -> None:
    assets = MemoryAssets()
    document = parse(make({"Any name.markdown": TEXT, "assets/a.png": png(), "other/b.png": png(shade=9)}), assets)
    assert document.title == "Note"
    assert [(drawing.src, drawing.format) for drawing in drawings(document)] == [
        ("assets/a.png", "png"),
        ("other/b.png", "png"),
    ]
    assert sorted(assets.files) == ["a.png", "b.png"]
    assert document.blocks[0].parts[0].source.part == "Any name.markdown"  # type: ignore[union-attr]
    assert codes(document) == []


def test_the_one_textbundle_folder_is_the_root(make: Any) -> None:
    files = {
        "In.textbundle/text.md": TEXT,
        "In.textbundle/assets/a.png": png(),
        "readme.md": "# Other\n",
        "assets/a.png": "no",
    }
    document = parse(make(files))
    assert document.title == "Note"
    assert [drawing.src for drawing in drawings(document)] == ["assets/a.png"]
    assert document.blocks[0].parts[0].source.part == "In.textbundle/text.md"  # type: ignore[union-attr]
    assert codes(document) == ["picture_not_found"]


def test_info_json_is_read(make: Any) -> None:
    info = {"version": 2, "type": "net.daringfireball.markdown", "creatorURL": "file:///x", "x": {"y": 1}}
    document = parse(make({"text.md": TEXT, "info.json": json.dumps(info)}))
    assert document.attributes["textbundle"] == {
        "version": 2,
        "type": "net.daringfireball.markdown",
        "creatorURL": "file:///x",
    }


@pytest.mark.parametrize("info", ["{", "[1]", "\xff", "[" * 5000])
def test_a_broken_info_json_is_a_warning(make: Any, info: str) -> None:
    assert codes(parse(make({"text.md": "# A\n", "info.json": info.encode("latin-1")}))) == ["bundle_info_unreadable"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.txt": "x", "assets/b.md": "x"}, "holds no text"),
        ({"a.md": "x", "b.markdown": "y"}, "holds 2 texts \\(a.md, b.markdown\\)"),
        ({"A.textbundle/a.md": "x", "B.textbundle/b.md": "x"}, "holds 2 .textbundle folders"),
        ({"A.textbundle/info.json": "{}", "a.md": "x"}, "holds no text"),
    ],
)
def test_zero_or_two_texts_or_bundles(make: Any, files: dict[str, str], words: str) -> None:
    with pytest.raises(SourceError, match=words):
        parse(make(files))


def test_an_empty_text_is_an_error(make: Any) -> None:
    with pytest.raises(EmptyDocumentError):
        parse(make({"a.md": " \n"}))


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("../a.png", "picture_path_refused"),
        ("assets/../../a.png", "picture_path_refused"),
        ("%2e%2e/a.png", "picture_path_refused"),
        ("/assets/a.png", "picture_path_refused"),
        ("assets%5Ca.png", "picture_path_refused"),
        ("assets/none.png", "picture_not_found"),
        ("assets", "picture_not_found"),
        ("text.md", "picture_unknown_format"),
        ("assets/fake.png", "picture_unknown_format"),
    ],
)
def test_pictures_that_are_not_read(make: Any, reference: str, code: str) -> None:
    document = parse(make({"text.md": f"x ![words]({reference}) y\n", "assets/a.png": png(), "assets/fake.png": "no"}))
    assert show(document.blocks[0].parts) == "x words y"
    assert codes(document) == [code]


def test_large_pictures_are_not_read(make: Any) -> None:
    document = parse(make({"text.md": "![a](a.png)\n", "a.png": png() + bytes(10_000)}), max_bytes=1000)
    assert codes(document) == ["picture_too_large"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../evil.md", "leads out of the package"),
        ("a/../../evil.png", "leads out of the package"),
        ("/evil.png", "absolute path"),
        ("C:/evil.png", "absolute path"),
        ("a\\evil.png", "backslash"),
    ],
)
def test_archives_with_dangerous_names_are_refused(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        parse(pack(tmp_path / "x.textpack", {"text.md": "# A\n", name: "x"}))


def test_archives_with_links_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.textpack"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("text.md", "# A\n")
        info = zipfile.ZipInfo("assets/a.png")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(SourceError, match="is a link"):
        parse(path)


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    root = unpack(tmp_path / "n.textbundle", {"text.md": "![w](a.png)\n"})
    (root / "a.png").symlink_to(tmp_path / "secret.png")
    (root / "info.json").symlink_to(tmp_path / "secret.png")
    assert codes(parse(root)) == ["picture_link_refused"]
    (root / "text.md").unlink()
    (tmp_path / "outside.md").write_text("# secret\n")
    (root / "text.md").symlink_to(tmp_path / "outside.md")
    with pytest.raises(SourceError, match="is a link"):
        parse(root)


def test_bombs_are_refused(tmp_path: Path) -> None:
    many = pack(tmp_path / "many.textpack", {f"f{n}": b"" for n in range(10_001)} | {"text.md": "# A\n"})
    with pytest.raises(LimitExceeded, match="10002 entries"):
        parse(many)
    bomb = pack(tmp_path / "bomb.textpack", {"text.md": b"a" * 40_000_000})
    with pytest.raises(LimitExceeded, match="like a bomb"):
        parse(bomb)


def test_a_size_that_lies_is_noticed(tmp_path: Path) -> None:
    path = pack(tmp_path / "x.textpack", {"text.md": b"# A\n" + b"long text " * 1000})
    data = path.read_bytes()
    at = data.rindex(b"PK\x01\x02")
    path.write_bytes(data[: at + 24] + (4).to_bytes(4, "little") + data[at + 28 :])
    with pytest.raises(SourceError, match="cannot be unpacked"):
        parse(path)


def test_an_encrypted_archive_is_told_apart(tmp_path: Path) -> None:
    path = pack(tmp_path / "x.textpack", {"text.md": "# A\n"})
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(EncryptedFileError):
        parse(path)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 broken", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.textpack"
    path.write_bytes(content)
    with pytest.raises(SourceError):
        parse(path)


def test_every_damaged_archive_is_a_clear_error(tmp_path: Path) -> None:
    path = pack(tmp_path / "x.textpack", {"text.md": TEXT, "assets/a.png": png(), "info.json": "{}"})
    data = path.read_bytes()
    for at in range(0, len(data), 3):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        with contextlib.suppress(SourceError, LimitExceeded):
            parse(path)
