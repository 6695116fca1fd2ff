"""Pages and boxes of the items of a bundle."""

from __future__ import annotations

from typing import Any

from lrdoc.document import Position, Source
from lrdoc.parsers.services.builder import FLOWING, SLIDES, Place, numbers


class Places:
    """Makes places of one kind of file. Boxes are counted in thousandths of the page, from its top left."""

    def __init__(self, file: str, suffix: str) -> None:
        self.file = file
        self.suffix = suffix

    def place(self, path: str, page: Any, bbox: Any, scale: tuple[float, float] = (1.0, 1.0)) -> Place:
        """`page` counts from 0, or is the label that the page carries; `scale` makes thousandths of the box's units."""
        box = numbers(bbox, 4)
        if box is not None and scale != (1.0, 1.0):
            box = tuple(round(value * scale[n % 2], 3) for n, value in enumerate(box))
        number, label = None, ""
        if type(page) is int and 0 <= page < 1 << 31:
            number, label = page + 1, str(page + 1)
        elif isinstance(page, str) and page.strip():
            label = page.strip()
        if box is None and self.suffix in FLOWING:
            return Place(Source(self.file, path))
        slide = number if self.suffix in SLIDES else None
        source = Source(
            self.file,
            path,
            page=None if slide else number,
            slide=slide,
            bbox=None if box is None else (box[0], box[1], box[2], box[3]),
        )
        if box is None and not label:
            return Place(source)
        return Place(source, (Position("bbox", label or None, box),))
