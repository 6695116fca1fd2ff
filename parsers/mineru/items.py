"""What the files of a MinerU bundle hold, in one form for all its versions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lrdoc.document import Part
from lrdoc.parsers.services.builder import Place

Kind = Literal["heading", "text", "list", "code", "equation", "inline_equation", "table", "picture", "region"]

Line: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a bundle."""

    kind: Kind
    place: Place
    ref: str
    """`self_ref`: the file of the bundle and the place in it."""
    lines: tuple[Line, ...] = ()
    level: int = 0
    """Of a heading."""
    is_title: bool = False
    """The heading is the title of the document."""
    region: str = ""
    body: Any = ""
    """HTML or rows of a table, LaTeX of an equation, characters of code."""
    header_rows: int = 0
    language: str = ""
    image: str = ""
    """Path of a picture in the bundle."""
    captions: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    extras: dict[str, Any] = field(default_factory=dict)
    """Further facts: words of a model about a picture, the kind of a chart."""


REGIONS = {
    "header": "header",
    "page_header": "header",
    "footer": "footer",
    "page_footer": "footer",
    "page_number": "page_number",
    "aside_text": "margin",
    "page_aside_text": "margin",
    "margin": "margin",
    "page_footnote": "footnote",
    "index": "TOC",
    "discarded": "margin",
}
"""Type of an item → region outside the body."""

PICTURES = ("image", "picture", "drawing", "figure", "chart", "seal")
HEADINGS = ("title", "section_header", "doc_title", "paragraph_title")
EQUATIONS = ("equation", "interline_equation", "equation_interline", "isolate_formula")
CODE = ("code", "algorithm")
TEXTS = frozenset("text paragraph ref_text abstract reference phonetic plain_text vertical_text".split())
