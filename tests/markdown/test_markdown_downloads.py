"""External pictures: what is fetched, from where, and what every limit does."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_builder import MemoryAssets, codes, drawings, show
from picture_server import PictureServer

from lrdoc.document import Document, Drawing
from lrdoc.errors import Cancelled, EngineError, LimitExceeded
from lrdoc.parsers.base import ParseContext
from lrdoc.parsers.markdown import download
from lrdoc.parsers.markdown.addresses import is_allowed, is_public
from lrdoc.parsers.markdown.settings import MarkdownSettings

Parse = Callable[..., Document]
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


def settings(**values: Any) -> MarkdownSettings:
    return MarkdownSettings(**{"allowed_networks": LOOPBACK, "download_timeout": 60, **values})


def one(document: Document) -> Drawing:
    [drawing] = drawings(document)
    return drawing


@pytest.mark.parametrize("name", ["a.png", "untyped", "chunked", "zipped", "moved", "svg"])
def test_a_picture_is_fetched_and_kept(md: Parse, pictures: PictureServer, name: str) -> None:
    assets = MemoryAssets()
    document = md(f"![alt]({pictures.url(name)})\n", settings=settings(), assets=assets)
    drawing = one(document)
    assert drawing.asset is not None
    assert drawing.format == "png"
    assert drawing.src == pictures.url(name)
    assert drawing.caption == "alt"
    assert codes(document) == []
    assert assets.files[drawing.asset.name].startswith(b"\x89PNG")


CASES = [
    ("missing", {}, "answered 404", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("page", {}, "text/html", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("liar", {}, "not a picture", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("reset", {}, "broke", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("short", {}, "broke before the end", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("garbage", {}, "HTTP", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("big", {"max_bytes": 100_000}, "larger", "NATIVE_MD_IMAGE_MAX_BYTES"),
    ("endless", {"max_bytes": 100_000}, "larger", "NATIVE_MD_IMAGE_MAX_BYTES"),
    ("big", {"max_total_bytes": 100_000}, "larger", "NATIVE_MD_IMAGE_MAX_TOTAL_BYTES"),
    ("bomb", {"max_bytes": 1_000_000}, "larger", "NATIVE_MD_IMAGE_MAX_BYTES"),
    ("a.png", {"max_bytes": 0}, "left out", "NATIVE_MD_IMAGE_MAX_BYTES"),
    ("loop", {}, "circle", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("chain/0", {}, "more than 5 redirects", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("chain/0", {"max_requests": 3}, "too many requests", "NATIVE_MD_IMAGE_MAX_REQUESTS"),
    ("private", {}, "not public", "NATIVE_MD_IMAGE_ALLOWED_NON_PUBLIC_CIDRS"),
    ("file", {}, "not http", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("nowhere", {}, "leads nowhere", "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED"),
    ("trickle", {"download_timeout": 1}, "too long", "NATIVE_MD_IMAGE_DOWNLOAD_TIMEOUT"),
    ("slowhead", {"download_timeout": 1}, "too long", "NATIVE_MD_IMAGE_DOWNLOAD_TIMEOUT"),
    (
        "silent",
        {"download_timeout": 60, "download_total_timeout": 1},
        "too long",
        "NATIVE_MD_IMAGE_DOWNLOAD_TOTAL_TIMEOUT",
    ),
    ("a.png", {"download_timeout": 0}, "too long", "NATIVE_MD_IMAGE_DOWNLOAD_TIMEOUT"),
    ("svg", {"max_svg_pixels": 10}, "larger", "NATIVE_MD_IMAGE_MAX_SVG_PIXELS"),
]


@pytest.mark.parametrize(("name", "values", "reason", "variable"), CASES)
def test_every_failure_leaves_a_link_and_names_the_variable(
    md: Parse, pictures: PictureServer, name: str, values: dict[str, Any], reason: str, variable: str
) -> None:
    """Servers that trickle or keep silent do so until they are closed: the document is done before that."""
    document = md(f"# H\n\nbefore ![alt]({pictures.url(name)}) after\n", settings=settings(**values))
    drawing = one(document)
    assert drawing.asset is None
    assert drawing.src == pictures.url(name)
    assert show(document.blocks[0].parts) == "H\n\nbefore ⟨drawing alt⟩ after"
    [warning] = document.warnings
    assert reason in warning.message
    assert variable in warning.message
    assert warning.where == "line 3"


def test_without_the_allow_list_nothing_is_fetched(md: Parse, pictures: PictureServer) -> None:
    document = md(f"![a]({pictures.url('a.png')})\n", settings=MarkdownSettings())
    assert one(document).asset is None
    assert pictures.requests == []
    assert "NATIVE_MD_IMAGE_ALLOWED_NON_PUBLIC_CIDRS" in document.warnings[0].message


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f000001", "2130706433", "[::1]", "[::ffff:127.0.0.1]"])
def test_other_spellings_of_private_addresses_are_refused(md: Parse, pictures: PictureServer, host: str) -> None:
    document = md(f"![a](http://{host}:{pictures.port}/a.png)\n", settings=MarkdownSettings(download_timeout=60))
    assert one(document).asset is None
    assert pictures.requests == []


def test_a_name_with_one_private_address_is_refused(pictures: PictureServer) -> None:
    def resolver(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "192.168.0.7"]

    limits = _limits()
    with pytest.raises(download.PictureError, match=r"192\.168\.0\.7, which is not public"):
        download.fetch("http://pictures.example/a.png", limits, resolver)


def test_the_checked_address_is_the_one_that_is_dialled(pictures: PictureServer) -> None:
    asked: list[str] = []

    def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    data = download.fetch(f"http://rebinding.example:{pictures.port}/a.png", _limits(LOOPBACK), resolver)
    assert data.startswith(b"\x89PNG")
    assert asked == ["rebinding.example"]
    assert f"Host: rebinding.example:{pictures.port}" in pictures.heads[0]


def test_proxies_of_the_environment_are_not_used(
    md: Parse, pictures: PictureServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")
    assert one(md(f"![a]({pictures.url('a.png')})\n", settings=settings())).asset is not None


def test_the_document_has_budgets(md: Parse, pictures: PictureServer) -> None:
    text = "".join(f"![{n}]({pictures.url(f'p{n}.png')})\n\n" for n in range(5))
    document = md(text, settings=settings(max_requests=3))
    assert [drawing.asset is not None for drawing in drawings(document)] == [True, True, True, False, False]
    assert all("NATIVE_MD_IMAGE_MAX_REQUESTS" in warning.message for warning in document.warnings)
    assert len(pictures.requests) == 3


def test_the_total_counts_all_pictures(md: Parse, pictures: PictureServer) -> None:
    text = "".join(f"![{n}]({pictures.url(f'p{n}.png')})\n\n" for n in range(5))
    document = md(text, settings=settings(max_total_bytes=150))
    assert [drawing.asset is not None for drawing in drawings(document)] == [True, True, False, False, False]
    assert all("NATIVE_MD_IMAGE_MAX_TOTAL_BYTES" in warning.message for warning in document.warnings)


def test_one_address_is_asked_once(md: Parse, pictures: PictureServer) -> None:
    text = f"![a]({pictures.url('a.png')}) ![b]({pictures.url('a.png')})\n\n![c]({pictures.url('missing')})\n\n![d]({pictures.url('missing')})\n"
    document = md(text, settings=settings())
    assert pictures.requests == ["/a.png", "/missing"]
    assert len(drawings(document)) == 4
    assert codes(document) == ["picture_download_failed"]


def test_required_pictures_fail_the_document(md: Parse, pictures: PictureServer) -> None:
    with pytest.raises(EngineError, match="404"):
        md(f"![a]({pictures.url('missing')})\n", settings=settings(download_required=True))
    with pytest.raises(LimitExceeded, match="NATIVE_MD_IMAGE_MAX_BYTES"):
        md(f"![a]({pictures.url('big')})\n", settings=settings(download_required=True, max_bytes=1000))


def test_switched_off_downloads_leave_the_alternative_text(md: Parse, pictures: PictureServer) -> None:
    text = f'a ![first]({pictures.url("a.png")}) b\n\n<img src="{pictures.url("b.png")}" alt="second">\n'
    document = md(text, settings=settings(download_enabled=False))
    assert show(document.blocks[0].parts) == "a first b\n\nsecond"
    assert drawings(document) == []
    assert codes(document) == ["pictures_switched_off"]
    assert "2 external" in document.warnings[0].message
    assert pictures.requests == []


@pytest.mark.parametrize("name", ["trickle", "silent", "slowhead", "endless"])
def test_cancelling_ends_a_download_within_a_second(
    md: Parse, pictures: PictureServer, tmp_path: Path, name: str
) -> None:
    """The best of several: a busy machine may hold up any one of them."""
    lasted: list[float] = []
    while not lasted or (lasted[-1] >= 1 and len(lasted) < 5):
        asked: list[float] = []

        def cancelled(asked: list[float] = asked, before: int = len(pictures.requests)) -> bool:
            """From the moment on when the server has the request."""
            if not asked and len(pictures.requests) > before:
                asked.append(time.monotonic())
            return bool(asked)

        context = ParseContext(MemoryAssets(), settings(max_bytes=10**12, max_total_bytes=10**12), cancelled=cancelled)
        with pytest.raises(Cancelled):
            md(f"![a]({pictures.url(name)})\n", context=context)
        lasted.append(time.monotonic() - asked[0])
    assert min(lasted) < 1


def test_a_name_server_that_does_not_answer_is_left_behind(pictures: PictureServer) -> None:
    release = threading.Event()
    answered: list[str] = []

    def resolver(host: str, port: int) -> list[str]:
        release.wait(60)
        answered.append(host)
        return []

    with pytest.raises(download.PictureError, match="too long"):
        download.fetch("http://slow.example/a.png", _limits(seconds=0.3), resolver)
    assert answered == []
    release.set()


@pytest.mark.parametrize(
    "url",
    ["http://", "http://a b/", "http://[::1/x.png", "http://exa mple.org/", "//", "http://x:99999/", "http://-/\x01"],
)
def test_broken_addresses_are_links_with_a_warning(md: Parse, pictures: PictureServer, url: str) -> None:
    document = md(f"![alt](<{url}>)\n", settings=settings())
    assert one(document).asset is None
    assert len(document.warnings) == 1


def test_the_server_learns_nothing_but_the_address(md: Parse, pictures: PictureServer) -> None:
    md(f"![a](<{pictures.url('ä b.png?q=ü&x=1')}#frag>)\n", settings=settings())
    head = pictures.heads[0]
    assert head.startswith("GET /%C3%A4%20b.png?q=%C3%BC&x=1 HTTP/1.1\r\n")
    assert "Cookie" not in head and "Referer" not in head and "Authorization" not in head


@pytest.mark.parametrize(
    "address",
    "127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255 224.0.0.1 192.0.2.1 "
    "198.18.0.1 ::1 :: fe80::1 fc00::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1::1 "
    "2001:db8::1 2001::1 ::7f00:1 fec0::1".split(),
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    assert not is_allowed(address, ())


@pytest.mark.parametrize("address", "8.8.8.8 93.184.216.34 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808".split())
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_the_allow_list_takes_ranges_of_both_kinds() -> None:
    networks = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8"))
    assert (
        is_allowed("10.1.1.1", networks) and is_allowed("::ffff:10.1.1.1", networks) and is_allowed("fd00::1", networks)
    )
    assert not is_allowed("192.168.1.1", networks) and not is_allowed("fe80::1%eth0", networks)
    assert not is_allowed("no address", networks)


def _limits(allowed: Any = (), seconds: float = 60) -> download.Limits:
    return download.Limits(10**6, "A", time.monotonic() + seconds, "B", allowed, lambda: False, lambda: None)


def test_sockets_are_closed(md: Parse, pictures: PictureServer, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[socket.socket] = []
    original = download._connect

    def connect(*args: Any) -> socket.socket:
        made.append(original(*args))
        return made[-1]

    monkeypatch.setattr(download, "_connect", connect)
    for name in ("a.png", "missing", "big", "reset", "moved"):
        md(f"![a]({pictures.url(name)})\n", settings=settings(max_bytes=1000))
    assert len(made) == 6
    assert all(sock.fileno() == -1 for sock in made)
