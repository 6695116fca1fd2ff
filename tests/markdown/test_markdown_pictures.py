"""Pictures in the text and beside it, and SVG."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_builder import MemoryAssets, codes, data_url, drawings, png, show

from lrdoc.document import Document
from lrdoc.parsers.markdown import svg
from lrdoc.parsers.markdown.images import sniff
from lrdoc.parsers.markdown.refused import PictureError
from lrdoc.parsers.markdown.settings import MarkdownSettings

Parse = Callable[..., Document]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="5" height="5"/></svg>'


def body(document: Document) -> str:
    return "\n\n".join(show(block.parts) for block in document.blocks)


def test_an_embedded_picture_becomes_a_file(md: Parse) -> None:
    assets = MemoryAssets()
    [drawing] = drawings(md(f'![alt *text*]({data_url(png())} "The title")\n', assets=assets))
    assert drawing.asset is not None
    assert drawing.asset.name.startswith("image-") and drawing.asset.name.endswith(".png")
    assert assets.files == {drawing.asset.name: png()}
    assert (drawing.format, drawing.src, drawing.caption) == ("png", "", "alt text")
    assert drawing.extras == {"alt_text": "alt text", "title": "The title"}


@pytest.mark.parametrize(
    "text",
    [
        "![a]({})",
        "![a][r]\n\n[r]: {}",
        "![a][]\n\n[A]: <{}> 'x'",
        "[![a]({})](https://x.y)",
        '<img src="{}" alt="a">',
        '<p align="center">\n  <img alt=a src={}>\n</p>',
        "- item ![a]({})",
        "<picture><source srcset='b.webp'><img src='{}' alt='a'></picture>",
    ],
)
def test_pictures_are_found_wherever_they_stand(md: Parse, text: str) -> None:
    document = md(text.format(data_url(png())) + "\n")
    [drawing] = drawings(document)
    assert drawing.asset is not None
    assert drawing.caption == "a"
    assert "base64" not in body(document)


def test_a_linked_picture_remembers_its_link(md: Parse) -> None:
    [drawing] = drawings(md(f"[![a]({data_url(png())}) text](https://x.y/z)\n"))
    assert drawing.extras["link"] == "https://x.y/z"


def test_a_picture_in_code_is_text(md: Parse) -> None:
    document = md(f"`![a]({data_url(png())})`\n")
    assert drawings(document) == []


@pytest.mark.parametrize(
    ("src", "code"),
    [
        ("data:image/png;base64,!!!!", "picture_unreadable"),
        ("data:image/png", "picture_unreadable"),
        (data_url(b"no picture at all"), "picture_unknown_format"),
        (data_url(b""), "picture_unknown_format"),
        ("ftp://x.y/a.png", "picture_address_refused"),
        ("javascript:alert(1)", "picture_address_refused"),
        ("file:///etc/passwd", "picture_address_refused"),
        ("a.png", "picture_not_resolved"),
        ("", "picture_without_address"),
    ],
)
def test_what_cannot_be_had_leaves_its_words_and_a_warning(md: Parse, src: str, code: str) -> None:
    document = md(f"x ![the words]({src}) y\n")
    assert body(document) == "x the words y"
    assert codes(document) == [code]


def test_identical_pictures_count_once_and_large_ones_not_at_all(md: Parse) -> None:
    url, other = data_url(png()), data_url(png(shade=9))
    size = len(png())
    document = md(f"![a]({url}) ![b]({url}) ![c]({other})\n", settings=MarkdownSettings(max_total_bytes=size))
    assert [drawing.caption for drawing in drawings(document)] == ["a", "b"]
    assert "NATIVE_MD_IMAGE_MAX_TOTAL_BYTES" in document.warnings[0].message
    small = md(f"![a]({url})\n", settings=MarkdownSettings(max_bytes=size - 10))
    assert drawings(small) == []
    assert "NATIVE_MD_IMAGE_MAX_BYTES" in small.warnings[0].message


def test_many_warnings_of_one_kind_end_in_a_count(md: Parse) -> None:
    document = md("".join(f"![a](p{n}.png)\n\n" for n in range(200)))
    assert len(document.warnings) == 51
    assert document.warnings[-1].message.startswith("150 more")


def test_files_beside_the_text_are_read_when_asked_for(md: Parse, tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "a b.png").write_bytes(png())
    assets = MemoryAssets()
    document = md("![x](img/a%20b.png?raw=1#top) ![y](./img/../img/a.png)\n", local_images=True, assets=assets)
    [drawing] = drawings(document)
    assert drawing.src == "img/a%20b.png?raw=1#top"
    assert assets.files == {"a b.png": png()}
    assert codes(document) == ["picture_path_refused"]


@pytest.mark.parametrize(
    ("reference", "code", "words"),
    [
        ("../secret.png", "picture_path_refused", "leads out"),
        ("a/%2e%2e/%2e%2e/secret.png", "picture_path_refused", "leads out"),
        ("/etc/hostname", "picture_path_refused", "absolute"),
        ("C:/x.png", "picture_path_refused", "absolute"),
        ("a%5C..%5Cb.png", "picture_path_refused", "backslash"),
        ("link.png", "picture_link_refused", "link"),
        ("folder/inner.png", "picture_link_refused", "link"),
        ("none.png", "picture_not_found", "not exist"),
        ("real", "picture_not_found", "not a file"),
        ("text.png", "picture_unknown_format", "no picture"),
        ("a%00b.png", "picture_path_refused", "control"),
    ],
)
def test_files_outside_the_folder_are_never_read(
    md: Parse, tmp_path: Path, reference: str, code: str, words: str
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.png").write_bytes(png())
    (tmp_path / "inner.png").write_bytes(png())
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    (inside / "folder").symlink_to(tmp_path)
    (inside / "real").mkdir()
    (inside / "text.png").write_text("no picture")
    (inside / "doc.md").write_text("x")
    from markdown_builder import parse_bytes

    document = parse_bytes(f"x ![words]({reference}) y\n".encode(), inside, local_images=True)
    assert drawings(document) == []
    assert body(document) == "x words y"
    assert codes(document) == [code]
    assert words in document.warnings[0].message


def test_formats_are_told_by_their_first_bytes() -> None:
    heads = {
        "png": png(),
        "jpeg": b"\xff\xd8\xff\xe0",
        "gif": b"GIF89a",
        "webp": b"RIFF\0\0\0\0WEBP",
        "bmp": b"BM" + bytes(12) + b"\x28\0\0\0" + bytes(20),
        "tiff": b"II*\0",
        "svg": b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- c --><svg width="1">',
        "": b"BM is how this text begins",
    }
    assert {sniff(head): head for head in heads.values()} == heads


# SVG


def test_svg_is_drawn(md: Parse) -> None:
    pytest.importorskip("cairosvg")
    assets = MemoryAssets()
    document = md(f"![a]({data_url(SVG.encode(), 'image/svg+xml')})\n", assets=assets)
    [drawing] = drawings(document)
    assert drawing.format == "png"
    [data] = assets.files.values()
    assert data[16:24] == (20).to_bytes(4, "big") + (10).to_bytes(4, "big")


def test_svg_as_percent_encoded_text(md: Parse) -> None:
    pytest.importorskip("cairosvg")
    url = "data:image/svg+xml;utf8," + SVG.replace(" ", "%20").replace('"', "'")
    assert len(drawings(md(f"![a](<{url.replace('<', '%3C').replace('>', '%3E')}>)\n"))) == 1


def test_without_cairosvg_svg_is_skipped_with_the_way_to_get_it(md: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    document = md(f"x ![words]({data_url(SVG.encode())})\n")
    assert body(document) == "x words"
    assert codes(document) == ["svg_not_drawn"]
    assert "lrdoc[svg]" in document.warnings[0].message
    assert not svg.availability().ok
    assert "libcairo2" in svg.availability().remedy


def _use_bomb() -> str:
    doubled = "".join(f'<g id="a{n}"><use href="#a{n + 1}"/><use href="#a{n + 1}"/></g>' for n in range(40))
    return f'<defs>{doubled}<g id="a40"><rect/></g></defs><use href="#a0"/>'


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        (_use_bomb(), "svg_too_complex"),
        ('<g id="a"><use href="#a"/></g>', "svg_too_complex"),
        ('<pattern id="p"><rect fill="url(#p)"/></pattern>', "svg_too_complex"),
        ("<g>" * 3000 + "</g>" * 3000, "svg_too_complex"),
        ("<unclosed>", "svg_not_drawn"),
        ("&undefined;", "svg_not_drawn"),
    ],
)
def test_hostile_svg_is_skipped_fast(inside: str, code: str) -> None:
    with pytest.raises(PictureError) as caught:
        svg.draw(SVG.replace("<rect", f"{inside}<rect", 1).encode(), 10**7)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ('width="100000" height="10000"', "svg_too_large"),
        ('viewBox="0 0 100000 100000"', "svg_too_large"),
        ('width="10cm" height="1e9"', "svg_not_drawn"),
        ("", "svg_not_drawn"),
        ('width="0" height="0"', "svg_not_drawn"),
        ('width="-5" height="5"', "svg_not_drawn"),
        ('width="99999999999999999999" height="5"', "svg_not_drawn"),
    ],
)
def test_the_size_of_svg_is_checked_before_it_is_drawn(attributes: str, code: str) -> None:
    with pytest.raises(PictureError) as caught:
        svg.draw(f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}/>'.encode(), 10**7)
    assert caught.value.code == code


def test_svg_with_entities_is_refused() -> None:
    bomb = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + SVG
    with pytest.raises(PictureError, match="not well-formed"):
        svg.draw(bomb.encode(), 10**7)


def test_svg_fetches_nothing(tmp_path: Path) -> None:
    """The autouse fixture fails the test when a socket is used; a file would show in the picture."""
    pytest.importorskip("cairosvg")
    (tmp_path / "red.png").write_bytes(png(shade=200))
    plain = svg.draw(SVG.encode(), 10**7)
    for reference in ("http://127.0.0.1:9/x.png", (tmp_path / "red.png").as_uri(), str(tmp_path / "red.png")):
        image = f'<image href="{reference}" x="10" y="0" width="10" height="10"/>'
        assert svg.draw(SVG.replace("<rect", f"{image}<rect", 1).encode(), 10**7) == plain


def test_engines_can_ask_whether_svg_can_be_drawn() -> None:
    pytest.importorskip("cairosvg")
    found: Any = svg.availability()
    assert found.ok


def test_bytes_embedded_in_a_link_are_not_kept(md: Parse) -> None:
    from markdown_builder import marked, texts

    document = md(f"[text]({data_url(png(100, 100, 3) * 5)})\n")
    assert marked(document, "link") == ["text"]
    [target] = [mark.target for text in texts(document) for mark in text.marks]
    assert target == "data:image/png;base64,…"
