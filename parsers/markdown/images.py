"""Pictures: where their bytes come from, and what becomes of those that cannot be had."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from lrdoc.document import Asset, Drawing, Source
from lrdoc.errors import LimitExceeded
from lrdoc.parsers.base import AssetSink
from lrdoc.parsers.markdown import svg
from lrdoc.parsers.markdown.refused import PictureError
from lrdoc.parsers.markdown.settings import MarkdownSettings

Warn = Callable[[str, str, Source | None], None]


class Files(Protocol):
    """The folder or package beside the text from which relative references are read."""

    def read(self, reference: str, max_bytes: int) -> bytes:
        """Bytes of the file that a relative reference names. Raises PictureError."""


class Remote(Protocol):
    """Where the bytes of an address come from: the network, or a cache before it."""

    def get(self, url: str) -> bytes:
        """The picture as it was sent. Raises PictureError, Cancelled or, when downloads are required, EngineError."""


class _Stored(NamedTuple):
    asset: Asset
    format: str


EXTENSIONS = {"jpeg": "jpg", "tiff": "tif"}
"""Where the extension of a stored picture is not the name of its format."""
_REMOTE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def sniff(data: bytes) -> str:
    """Format of a picture by its first bytes, "" for anything else. What a name or a server says does not count."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    if (
        data.startswith(b"BM")
        and len(data) > 26
        and data[14:18] in (b"\x28\0\0\0", b"\x0c\0\0\0", b"\x7c\0\0\0", b"\x6c\0\0\0")
    ):
        return "bmp"
    if data.startswith((b"II*\0", b"MM\0*")):
        return "tiff"
    return "svg" if svg.looks_like_svg(data) else ""


class Pictures:
    """Turns references into drawings, within the limits of one document."""

    def __init__(
        self,
        sink: AssetSink,
        settings: MarkdownSettings,
        warn: Warn,
        *,
        files: Files | None,
        remote: Remote | None,
        no_files: str,
    ) -> None:
        """`files` None: relative references are not read, and `no_files` says why. `remote` None: switched off."""
        self._sink = sink
        self._settings = settings
        self._warn = warn
        self._files = files
        self._remote = remote
        self._no_files = no_files
        self._known: dict[str, _Stored | None] = {}
        self._hashes: set[str] = set()
        self._left = settings.max_total_bytes
        self.switched_off = 0
        """External pictures that were left out because downloads are switched off."""

    def drawing(self, src: str, source: Source, extras: Mapping[str, Any], caption: str = "") -> Drawing | None:
        """The picture behind a reference; None when it is left out and its alternative text should stand there."""
        src = src.strip()
        remote = bool(_REMOTE.match(src))
        if remote and self._remote is None:
            self.switched_off += 1
            return None
        if src not in self._known:
            self._known[src] = self._store(src, source, remote)
        stored = self._known[src]
        if stored is None and not remote:
            return None
        return Drawing(
            asset=stored.asset if stored else None,
            format=stored.format if stored else _format_of_name(src),
            src="" if src[:5].lower() == "data:" else src,
            caption=caption,
            source=source,
            extras=extras,
        )

    def _store(self, src: str, source: Source, remote: bool) -> _Stored | None:
        try:
            if src[:5].lower() == "data:":
                data, name = _data_url(src, min(self._settings.max_bytes, self._left)), ""
            elif remote:
                assert self._remote is not None
                data, name = self._remote.get(src), _last_name(re.split(r"[?#]", src, maxsplit=1)[0])
            else:
                data, name = self._relative(src)
            return self._keep(data, name)
        except PictureError as e:
            self._warn(e.code, e.message, source)
            return None

    def _relative(self, src: str) -> tuple[bytes, str]:
        shown = shorten(src)
        if not src or src.startswith("#"):
            raise PictureError("picture_without_address", f"A picture has no address ({shown!r}).")
        if _SCHEME.match(src) and not re.match(r"[A-Za-z]:[\\/]", src):
            raise PictureError("picture_address_refused", f"Pictures are not read from addresses such as {shown!r}.")
        if self._files is None:
            raise PictureError("picture_not_resolved", f"The picture {shown!r} was skipped: {self._no_files}")
        reference = unquote(re.split(r"[?#]", src, maxsplit=1)[0])
        return self._files.read(reference, min(self._settings.max_bytes, self._left)), _last_name(reference)

    def _keep(self, data: bytes, name: str) -> _Stored:
        limit = self._settings.max_bytes
        form = sniff(data)
        if form == "svg":
            data, form = svg.draw(data, self._settings.max_svg_pixels), "png"
        elif not form:
            raise PictureError(
                "picture_unknown_format",
                f"{shorten(name) or 'An embedded picture'} holds no picture (PNG, JPEG, GIF, WebP, BMP, TIFF or SVG).",
            )
        if len(data) > limit:
            raise PictureError(
                "picture_too_large",
                f"A picture of {len(data)} bytes is larger than NATIVE_MD_IMAGE_MAX_BYTES ({limit}) allows.",
            )
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._hashes:
            if len(data) > self._left:
                raise PictureError(
                    "pictures_over_total",
                    "The pictures of the document are larger together than NATIVE_MD_IMAGE_MAX_TOTAL_BYTES "
                    f"({self._settings.max_total_bytes}) allows.",
                )
            self._left -= len(data)
            self._hashes.add(digest)
        extension = EXTENSIONS.get(form, form)
        stem = PurePosixPath(name).stem if name else ""
        own = PurePosixPath(name).suffix[1:].lower() if name else ""
        if stem and own in ("jpg", "jpeg", "tif", "tiff") and form in ("jpeg", "tiff"):
            extension = own
        suggested = f"{stem}.{extension}" if stem else f"image-{digest[:12]}.{extension}"
        try:
            return _Stored(self._sink.put(data, suggested), form)
        except LimitExceeded as e:
            raise PictureError("picture_too_large", e.message) from None


_DATA_URL = re.compile(r"data:([\w.+/-]*)((?:;[^;,]*)*),", re.IGNORECASE)


def _data_url(src: str, limit: int) -> bytes:
    """The bytes inside a `data:` address; what is too large is not decoded."""
    match = _DATA_URL.match(src)
    if match is None:
        raise PictureError("picture_unreadable", "An embedded picture has a broken data address.")
    body = src[match.end() :]
    try:
        if ";base64" in match[2].lower():
            body = re.sub(r"\s+", "", unquote(body) if "%" in body else body)
            if len(body) * 3 // 4 > limit + 2:
                raise PictureError(
                    "picture_too_large",
                    f"An embedded picture of about {len(body) * 3 // 4} bytes is larger than NATIVE_MD_IMAGE_MAX_BYTES "
                    "or what NATIVE_MD_IMAGE_MAX_TOTAL_BYTES leaves.",
                )
            return base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
        return unquote_to_bytes(body)
    except (binascii.Error, ValueError) as e:
        raise PictureError("picture_unreadable", f"An embedded picture cannot be decoded: {e}.") from None


def shorten(text: str, most: int = 80) -> str:
    """The text for a message."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _last_name(path: str) -> str:
    name = unquote(path).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return re.sub(r"[\x00-\x1f\x7f:*?\"<>|]", "", name)[:100]


def _format_of_name(src: str) -> str:
    try:
        path = urlsplit(src).path
    except ValueError:  # an address with a broken host
        return ""
    extension = PurePosixPath(path).suffix[1:].lower()
    known = {"jpg": "jpeg", "tif": "tiff"}.get(extension, extension)
    return known if re.fullmatch(r"[a-z0-9]{2,5}", known) else ""
