"""SVG pictures are drawn to PNG, because models read no SVG.

cairosvg (extra `svg`) does the drawing; it is imported when the first SVG is met. Before it sees a file, the file's
size, depth and number of elements are checked with references followed, since `use` can multiply a small file without
bound. Nothing outside the file is ever fetched.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from lrdoc.parsers.base import Availability
from lrdoc.parsers.markdown.refused import PictureError

_MAX_DEPTH = 100
_MAX_ELEMENTS = 100_000
"""Elements that are drawn, those behind references counted each time."""
_INSTALL = (
    "Install lrdoc[svg] and the cairo library (Debian, Ubuntu: apt-get install libcairo2; Fedora: dnf install cairo; "
    "macOS: brew install cairo; Windows: the GTK 3 runtime)."
)
_UNITS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6}
_LENGTH = re.compile(r"\s*\+?(\d{1,12}(?:\.\d{1,12})?|\.\d{1,12})\s*([A-Za-z%]*)\s*")
_REFERENCE = re.compile(r"url\(\s*[\"']?#([^\"')\s]+)")


def looks_like_svg(data: bytes) -> bool:
    """An `<svg` tag stands near the beginning."""
    head = data[:4096]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    return re.search(rb"<(?:[A-Za-z0-9_]+:)?svg[\s>]", head) is not None


def availability() -> Availability:
    """Whether SVG can be drawn here, and how to get there."""
    try:
        import cairosvg  # noqa: F401
    except ImportError:
        return Availability(False, "the package cairosvg is not installed", _INSTALL)
    except OSError:
        return Availability(False, "the cairo library is not installed", _INSTALL)
    return Availability(True)


def draw(data: bytes, max_pixels: int) -> bytes:
    """The picture as PNG. Raises PictureError with the reason when it cannot or must not be drawn."""
    width, height = _measure(data, max_pixels)
    able = availability()
    if not able.ok:
        raise PictureError("svg_not_drawn", f"An SVG picture was skipped: {able.reason}. {able.remedy}")
    from cairosvg.surface import PNGSurface

    try:
        png: Any = PNGSurface.convert(
            bytestring=data,
            output_width=width,
            output_height=height,
            unsafe=False,
            url_fetcher=_inside_only(max_pixels),
        )
    except Exception as e:
        # Any file from anywhere meets a renderer that was written for good ones: whatever it raises, the picture
        # is skipped and the document goes on.
        raise PictureError(
            "svg_not_drawn", f"An SVG picture cannot be drawn ({type(e).__name__}) and was skipped."
        ) from None
    if not isinstance(png, bytes) or not png:
        raise PictureError("svg_not_drawn", "An SVG picture gave no image and was skipped.")
    return png


_BLANK = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


def _inside_only(max_pixels: int) -> Callable[[str, str], bytes]:
    """Gives the renderer pictures that are embedded in the file, and a blank one for every other address."""

    def fetch(url: str, resource_type: str = "") -> bytes:
        head, comma, body = url.partition(",")
        if not comma or not head.lower().startswith("data:image/") or ";base64" not in head.lower():
            return _BLANK
        from PIL import Image

        try:
            data = base64.b64decode(unquote(body))
            with Image.open(io.BytesIO(data)) as picture:
                small = picture.width * picture.height <= max_pixels
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
            return _BLANK
        return data if small else _BLANK

    return fetch


def _measure(data: bytes, max_pixels: int) -> tuple[int, int]:
    """Width and height in pixels, after all checks."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(data, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as e:
        raise PictureError(
            "svg_not_drawn", f"An SVG picture is not well-formed ({type(e).__name__}) and was skipped."
        ) from None
    _check_work(root)
    width, height = _length(root.get("width")), _length(root.get("height"))
    box = [float(word) for word in re.findall(r"[-+]?\d{0,12}\.?\d{1,12}", root.get("viewBox") or "")[:4]]
    if len(box) == 4 and box[2] > 0 and box[3] > 0:
        if width and not height:
            height = width * box[3] / box[2]
        elif height and not width:
            width = height * box[2] / box[3]
        elif not width:
            width, height = box[2], box[3]
    if width < 1 or height < 1:
        raise PictureError("svg_not_drawn", "An SVG picture does not say how large it is and was skipped.")
    if width * height > max_pixels:
        raise PictureError(
            "svg_too_large",
            f"An SVG picture of {width:.0f} × {height:.0f} pixels is larger than NATIVE_MD_IMAGE_MAX_SVG_PIXELS "
            f"({max_pixels}) allows and was skipped.",
        )
    return max(1, round(width)), max(1, round(height))


def _length(value: str | None) -> float:
    """In pixels; 0 when it is missing or relative."""
    match = _LENGTH.fullmatch(value or "")
    if match is None:
        return 0.0
    factor = _UNITS.get(match[2].lower())
    return float(match[1]) * factor if factor is not None else 0.0


def _check_work(root: Element) -> None:
    """Refuse what would make the renderer recurse or multiply: depth, and elements with references followed."""
    refused = PictureError("svg_too_complex", "An SVG picture is too complex to be drawn and was skipped.")
    order: list[tuple[Element, int]] = [(root, 1)]
    for element, depth in order:  # grows while it is walked
        if depth > _MAX_DEPTH or len(order) > _MAX_ELEMENTS:
            raise refused
        order.extend((child, depth + 1) for child in element)
    named = {name: element for element, _ in reversed(order) if (name := element.get("id"))}
    for element, _ in order:
        if element.tag.rsplit("}", 1)[-1] == "style" and element.text and "url(" in element.text and len(order) > 1000:
            raise refused
    weights: dict[Element, int] = {}
    stack: list[tuple[Element, bool]] = [(root, False)]
    entered: set[Element] = set()
    while stack:
        element, done = stack.pop()
        if element in weights:
            continue
        targets = [*element, *(named[name] for name in _targets(element) if name in named)]
        if done:
            weights[element] = 1 + sum(weights.get(target, 0) for target in targets)
            if weights[element] > _MAX_ELEMENTS:
                raise refused
            entered.discard(element)
            continue
        entered.add(element)
        stack.append((element, True))
        for target in targets:
            if target in entered:
                raise refused  # a circle
            if target not in weights:
                stack.append((target, False))


def _targets(element: Element) -> list[str]:
    names: list[str] = []
    for key, value in element.attrib.items():
        if key.rsplit("}", 1)[-1] == "href" and value.startswith("#"):
            names.append(value[1:])
        elif "url(" in value:
            names += _REFERENCE.findall(value)
    return names
