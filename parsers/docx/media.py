"""Media and embedded files of a package, stored as assets."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import IO

from lrdoc.document import Asset, Source
from lrdoc.parsers.docx.package import PART_ERRORS
from lrdoc.parsers.docx.state import Reader

_MAX_SVG_PIXELS = 16_000_000
_MAX_SVG_BYTES = 25 * 1024 * 1024
_HEAD = 512
_SMALL = 1024 * 1024
"""Pictures up to this size are read at once; larger ones go to the disk piece by piece."""
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"\xd7\xcd\xc6\x9a", "wmf"),
    (b"\x01\x00\x09\x00", "wmf"),
    (b"\x01\0\0\0", "emf"),
)
_SVG = re.compile(rb"<(?:[A-Za-z0-9_]+:)?svg[\s>]")
_FORMATS = {"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "tif": "tiff", "x-emf": "emf", "x-wmf": "wmf", "dib": "bmp"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A stored picture."""

    asset: Asset
    format: str
    rasterized_from: str = ""
    """Part of the vector picture from which the asset was drawn."""


@dataclass(slots=True)
class _Stored:
    """What has been stored of a document, by part."""

    pictures: dict[str, Picture | None] = field(default_factory=dict)
    files: dict[str, Asset | None] = field(default_factory=dict)


def store_picture(reader: Reader, part: str, source: Source) -> Picture | None:
    """Store the picture in a part, once. None, with a warning, when it is missing or cannot be read."""
    stored = _stored(reader).pictures
    key = reader.package.prefix + part
    if key not in stored:
        stored[key] = _picture(reader, part, source)
    return stored[key]


def store_file(reader: Reader, part: str, source: Source) -> Asset | None:
    """Store an embedded file, once. None, with a warning, when it is missing or cannot be read."""
    stored = _stored(reader).files
    key = reader.package.prefix + part
    if key not in stored:
        is_there = _is_there(reader, part, source, "embedded_file")
        name = posixpath.basename(part)
        stored[key] = _stream(reader, part, name, source, "embedded_file") if is_there else None
    return stored[key]


def format_of(address: str) -> str:
    """Format by the suffix of a name or address: "png"; "" when it has none."""
    path = re.split(r"[?#]", address, maxsplit=1)[0]
    suffix = posixpath.splitext(path.replace("\\", "/"))[1][1:].lower()
    return _FORMATS.get(suffix, suffix) if suffix.isalnum() and len(suffix) <= 5 else ""


def _stored(reader: Reader) -> _Stored:
    known = reader.shared.get("media")
    if not isinstance(known, _Stored):
        known = reader.shared["media"] = _Stored()
    return known


def _picture(reader: Reader, part: str, source: Source) -> Picture | None:
    name = posixpath.basename(part)
    if not _is_there(reader, part, source, "picture"):
        return None
    small = reader.package.size(part) <= _SMALL
    data = reader.package.read(part) if small else None
    if small and data is None:
        return None
    head = data[:_HEAD] if data is not None else _head(reader, part)
    form = _sniff(head) or _declared_format(reader, part)
    if form == "svg":
        drawn = _draw(reader, part, source)
        if drawn is not None:
            return drawn
    if form and format_of(name) != form and format_of(name) in ("", "tmp", "bin", "dat", "img"):
        name = f"{posixpath.splitext(name)[0]}.{form}"
    asset = (
        reader.context.assets.put(data, name) if data is not None else _stream(reader, part, name, source, "picture")
    )
    return Picture(asset, form) if asset is not None else None


def _is_there(reader: Reader, part: str, source: Source, what: str) -> bool:
    if reader.package.has(part):
        return True
    reader.warn(f"{what}_missing", f"The {what.replace('_', ' ')} {part} is not in the package", source)
    return False


def _stream(reader: Reader, part: str, name: str, source: Source, what: str) -> Asset | None:
    stream = reader.package.stream(part)
    if stream is None:
        return None
    try:
        with stream:
            return reader.context.assets.put(stream, name)
    except PART_ERRORS as error:
        reader.warn(f"{what}_unreadable", f"The {what.replace('_', ' ')} {part} cannot be read: {error}", source)
        return None


def _head(reader: Reader, part: str) -> bytes:
    stream: IO[bytes] | None = reader.package.stream(part)
    if stream is None:
        return b""
    try:
        with stream:
            return stream.read(_HEAD)
    except PART_ERRORS:
        # Storing it meets the same error and reports it.
        return b""


def _sniff(head: bytes) -> str:
    """Format by the first bytes; "" when they are not known."""
    for magic, form in _MAGIC:
        if head.startswith(magic):
            if form == "emf" and head[40:44] != b" EMF":
                return ""
            return form
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    return "svg" if _SVG.search(head) else ""


def _declared_format(reader: Reader, part: str) -> str:
    kind, _, name = reader.package.content_type(part).lower().partition("/")
    name = name.partition(";")[0].removesuffix("+xml").strip()
    if kind == "image" and name.removeprefix("x-").isalnum():
        return _FORMATS.get(name, name.removeprefix("x-"))
    return format_of(part)


def _draw(reader: Reader, part: str, source: Source) -> Picture | None:
    """Draw an SVG, which models cannot read, as PNG. None, with a warning, when that is not possible."""
    from lrdoc.parsers.markdown.refused import PictureError
    from lrdoc.parsers.markdown.svg import draw

    reason = ""
    if reader.package.size(part) > _MAX_SVG_BYTES:
        reason = f"it has more than {_MAX_SVG_BYTES} bytes"
    else:
        data = reader.package.read(part)
        if data is None:
            return None
        try:
            png = draw(data, _MAX_SVG_PIXELS)
        except PictureError as error:
            reason = str(error)
        else:
            name = f"{posixpath.splitext(posixpath.basename(part))[0]}.png"
            return Picture(reader.context.assets.put(png, name), "png", part)
    reader.warn("svg_not_drawn", f"The SVG picture {part} was kept as it is: {reason}", source)
    return None
