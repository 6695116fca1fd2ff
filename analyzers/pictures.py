"""Gates of pictures, in the order of the public specification (4.3), and their bytes."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lrdoc.analyzers.base import Item, ItemSkipped
from lrdoc.analyzers.settings import AnalysisSettings
from lrdoc.llm.base import Image

_SUFFIXES = {"png": "PNG", "jpg": "JPEG", "jpeg": "JPEG", "gif": "GIF", "webp": "WEBP"}
_UNREADABLE = (OSError, ValueError, SyntaxError, IndexError, TypeError, KeyError, EOFError, struct.error)
"""What Pillow raises for a picture that is none."""
MAX_DECODED_PIXELS = 80_000_000
"""A picture with more is not decoded, hence not scaled."""
_MIME = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture file that passed the gates before the model."""

    path: Path
    format: str
    """PNG, JPEG, GIF or WEBP; "" for an empty file."""
    width: int
    height: int
    size: int
    """Bytes of the file."""


def find_picture(item: Item, folder: Path, settings: AnalysisSettings) -> Picture:
    """Gates 1–3: the file is there, a raster format, large enough to be worth a look. Raises ItemSkipped."""
    path = _inside(item, folder)
    told = item.data.get("path")
    try:
        size = path.stat().st_size
    except OSError:
        raise ItemSkipped(f"image file not found: {told}") from None
    if not path.is_file():
        raise ItemSkipped(f"image file not found: {told}")
    suffix = path.suffix[1:].lower()
    if suffix not in _SUFFIXES:
        raise ItemSkipped(f"unsupported image format: {suffix or 'none'}")
    if size == 0:
        return Picture(path, "", 0, 0, 0)
    found = _look(path)
    if found is None:
        raise ItemSkipped(f"not a {suffix} picture, whatever its name says: {told}")
    form, width, height = found
    if min(width, height) < settings.min_image_pixel:
        raise ItemSkipped(f"image width or height is smaller than {settings.min_image_pixel}px")
    return Picture(path, form, width, height, size)


def _inside(item: Item, folder: Path) -> Path:
    told = next((item.data[key] for key in ("path", "img_path", "image_path") if item.data.get(key)), None)
    refused = ItemSkipped(
        f"image reference refused (outside document dir or malformed): {told if isinstance(told, str) else 'n/a'}"
    )
    if not isinstance(told, str) or "\0" in told or "\\" in told or "://" in told:
        raise refused
    relative = PurePosixPath(told)
    if relative.is_absolute() or ".." in relative.parts:
        raise refused
    path = folder / relative
    try:
        path.resolve().relative_to(folder.resolve())
    except (ValueError, OSError):
        raise refused from None
    return path


def _look(path: Path) -> tuple[str, int, int] | None:
    """Format and size from the head of the file, None when it is no picture. Nothing is decoded."""
    import PIL.Image
    import PIL.WebPImagePlugin

    PIL.Image.preinit()
    try:
        with path.open("rb") as stream:
            head = stream.read(16)
            for form in _MIME:
                make, accepts = PIL.Image.OPEN[form]
                if accepts is None or accepts(head) is not True:
                    continue
                stream.seek(0)
                # Not PIL.Image.open: that one refuses or warns for the sake of decoding.
                image = make(stream, str(path))
                return form, image.width, image.height
    except _UNREADABLE:
        return None
    return None


def load_picture(item: Item, picture: Picture, settings: AnalysisSettings) -> Image:
    """Gates 5–6 and the bytes to send. Raises ItemFailure or ItemSkipped.

    A picture with a longer side than VLM_MAX_IMAGE_SIDE is scaled down; what the file holds stays as it is.
    """
    if picture.size == 0:
        raise item.failure("image file is empty")
    if picture.size > settings.max_image_bytes:
        raise ItemSkipped(f"image too large: {picture.size} bytes (limit {settings.max_image_bytes})")
    try:
        data = picture.path.read_bytes()
    except OSError as error:
        raise item.failure(f"image file cannot be read: {error.strerror}") from error
    if max(picture.width, picture.height) <= settings.max_image_side:
        return Image(data, _MIME[picture.format])
    if picture.width * picture.height > MAX_DECODED_PIXELS:
        raise ItemSkipped(f"image too large: {picture.width} × {picture.height} pixels (limit {MAX_DECODED_PIXELS})")
    try:
        return _scaled(data, picture.format, settings)
    except _UNREADABLE as error:
        raise ItemSkipped(f"image cannot be decoded: {error}") from None


def _scaled(data: bytes, form: str, settings: AnalysisSettings) -> Image:
    """The picture, upright, with no side over the limit; as JPEG when it was one or else would be too large."""
    import PIL.Image
    import PIL.ImageOps

    side = settings.max_image_side
    with PIL.Image.open(io.BytesIO(data)) as image:
        image.thumbnail((side, side))
        upright = PIL.ImageOps.exif_transpose(image)
        shown = upright if upright.mode in ("L", "RGB", "RGBA") else upright.convert("RGBA")
    if form != "JPEG":
        out = io.BytesIO()
        shown.save(out, "PNG")
        if len(out.getvalue()) <= settings.max_image_bytes:
            return Image(out.getvalue(), "image/png")
    if shown.mode == "RGBA":
        ground = PIL.Image.new("RGBA", shown.size, "white")
        ground.alpha_composite(shown)
        shown = ground
    out = io.BytesIO()
    shown.convert("RGB").save(out, "JPEG", quality=90)
    return Image(out.getvalue(), "image/jpeg")
