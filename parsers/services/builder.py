"""What engines behind a service share when they make a Document: blocks with positions, regions, pictures, JSON."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from lrdoc.document import (
    MAX_HEADING_CHARS,
    Anchor,
    Asset,
    Block,
    Document,
    Item,
    ParseWarning,
    Part,
    Position,
    Source,
    Text,
    merge_text,
    plain_text,
)
from lrdoc.errors import EmptyDocumentError, EngineError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.building import HeadingPath
from lrdoc.parsers.services.bundle import is_inside
from lrdoc.text.clean import clean

FLOWING = frozenset(
    "docx docm dotx dotm doc odt rtf html htm xhtml shtml mhtml mht md markdown txt csv tsv epub xlsx xls ods".split()
)
"""Suffixes of files without pages of their own: a service that says "page 1" of them knows nothing."""
SLIDES = frozenset("pptx ppt odp".split())

_FORMATS = {"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "tif": "tiff", "svg+xml": "svg", "x-emf": "emf"}
_DATA = re.compile(r"data:([\w.+-]+)?/?([\w.+-]*)((?:;[\w.+=-]*)*),", re.ASCII)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item of a bundle stands: in the bundle, and on the page when the service says so."""

    source: Source
    positions: tuple[Position, ...] = ()


class ServedBuilder:
    """Collects what a bundle holds in reading order and makes the blocks and regions of a document."""

    def __init__(self, engine: str, source: SourceFile, context: ParseContext) -> None:
        self.engine = engine
        self.source = source
        self.context = context
        self.title = ""
        """What the document calls itself; "": its first heading of level 1, else its first heading, else its name."""
        self.attributes: dict[str, Any] = {}
        self.split_option: dict[str, Any] = {}
        self.bbox_attributes: Mapping[str, Any] | None = None
        self.warnings: list[ParseWarning] = []
        self._warned: set[tuple[str, str]] = set()
        self._blocks: list[Block] = []
        self._regions: list[Block] = []
        self._parts: list[Part] = []
        self._positions: list[Position] = []
        self._heading: tuple[str, int, tuple[str, ...]] = ("", 0, ())
        self._path = HeadingPath()

    def heading(self, parts: Iterable[Part], level: int, place: Place) -> None:
        """Begin a block. A heading that is too long or has no characters is a line."""
        kept = one_line(parts)
        text = plain_text(kept)
        if not text or len(text) > MAX_HEADING_CHARS or any(isinstance(part, Item) for part in kept):
            if len(text) > MAX_HEADING_CHARS:
                message = f"a heading of {len(text)} characters is kept as text; at most {MAX_HEADING_CHARS} can be one"
                self.warn("long_heading", message, place.source)
            self.line(kept, place)
            return
        self._close()
        level = min(max(level, 1), 9)
        self._heading = (text, level, self._path.enter(level, text))
        self._parts = list(kept)
        self._positions = list(place.positions)

    def line(self, parts: Iterable[Part], place: Place) -> None:
        """Add one line (or several, when texts hold line ends) of the body."""
        kept = merge_text(parts)
        if not kept:
            return
        if self._parts:
            self._parts.append(Text("\n"))
        self._parts += kept
        self._positions += place.positions

    def item(self, item: Item, place: Place) -> None:
        """Add a table, picture or equation on a line of its own."""
        self.line([item], place)

    def region(self, name: str, parts: Iterable[Part], place: Place, extras: Mapping[str, Any] | None = None) -> None:
        """Add something that stands outside the body."""
        kept = merge_text(parts)
        if kept:
            self._regions.append(
                Block(parts=kept, region=name, positions=arrange(place.positions), extras=dict(extras or {}))
            )

    def warn(self, code: str, message: str, source: Source | None = None, *, once: str = "") -> None:
        """Tell the reader what was left out, guessed or repaired. `once`: the same is not said again."""
        if once:
            if (code, once) in self._warned:
                return
            self._warned.add((code, once))
        self.warnings.append(ParseWarning(code, message, source))

    def tell_errors(self, extras: Any) -> None:
        """Warn of what the service could not read, as the manifest of the bundle keeps it."""
        errors = extras.get("errors") if isinstance(extras, dict) else None
        for error in errors if isinstance(errors, list) else ():
            if isinstance(error, str):
                self.warn("incomplete", f"the service could not read everything: {error}")

    def build(self) -> Document:
        """The document. Raises EmptyDocumentError when nothing was added."""
        self._close()
        if not self._blocks and not self._regions:
            raise EmptyDocumentError(f"{self.engine} found nothing in {self.source.name}")
        headings = [block for block in self._blocks if block.heading]
        first = next((b.heading for b in headings if b.level == 1), headings[0].heading if headings else "")
        return Document(
            self.source.suffix,
            self.title or first or self.source.stem,
            tuple(self._blocks),
            tuple(self._regions),
            attributes=self.attributes,
            bbox_attributes=self.bbox_attributes,
            split_option=self.split_option,
            warnings=tuple(self.warnings),
        )

    def _close(self) -> None:
        parts = merge_text(self._parts)
        positions = arrange(self._positions)
        self._parts, self._positions = [], []
        if any(not isinstance(part, Text) or part.text.strip() for part in parts):
            heading, level, parents = self._heading
            self._blocks.append(Block(heading, level, parents, parts, positions=positions))


def arrange(positions: Iterable[Position]) -> tuple[Position, ...]:
    """Places that name a page only come first, each page once; then the boxes in their order."""
    pages: dict[str, Position] = {}
    boxes: list[Position] = []
    for position in positions:
        if position.range is None and position.anchor is not None:
            pages.setdefault(position.anchor, position)
        else:
            boxes.append(position)
    return (*pages.values(), *boxes)


def one_line(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts without line ends, runs of blanks, and blanks at the edges."""
    kept: list[Part] = []
    blank = True
    for part in parts:
        if not isinstance(part, Text):
            kept.append(part)
            blank = blank and isinstance(part, Anchor)
            continue
        words = " ".join(part.text.split())
        if words:
            before = "" if blank or not part.text[0].isspace() else " "
            after = " " if part.text[-1].isspace() else ""
            kept.append(Text(f"{before}{words}{after}", part.source, part.marks))
            blank = bool(after)
        elif part.text and not blank:
            kept.append(Text(" ", part.source, part.marks))
            blank = True
    while kept and isinstance(last := kept[-1], Text):
        text = last.text.rstrip()
        kept[-1:] = [Text(text, last.source, last.marks)] if text else []
        if text:
            break
    return merge_text(kept)


def fenced(code: str, language: str, source: Source) -> list[Part]:
    """Code between fences that are longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    parts: list[Part] = [Text(fence)]
    if language:
        parts.append(Text(language, source))
    return [*parts, Text("\n"), Text(code.strip("\n"), source), Text(f"\n{fence}")]


def load_picture(builder: ServedBuilder, bundle: Path, ref: str, source: Source) -> tuple[Asset | None, str, str]:
    """Store a picture of the bundle: (asset, format, external address). What cannot be had is told in a warning."""
    ref = ref.strip()
    if not ref:
        return None, "", ""
    if ref[:5].lower() == "data:":
        return (*_embedded(builder, ref, source), "")
    suffix = PurePosixPath(ref.partition("?")[0]).suffix[1:].lower()
    known = _FORMATS.get(suffix, suffix) if len(suffix) <= 5 and suffix.isalnum() else ""
    if _SCHEME.match(ref):
        if ref[:4].lower() == "http":
            return None, known, ref
        builder.warn("picture_refused", f"the picture {clean(ref)[:80]!r} is no file of the bundle", source)
        return None, "", ""
    path = find_file(bundle, ref)
    if path is None:
        builder.warn("picture_missing", f"the bundle has no picture {clean(ref)[:80]!r}; ask the service again", source)
        return None, known, ""
    with path.open("rb") as file:
        return builder.context.assets.put(file, path.name), known, ""


def _embedded(builder: ServedBuilder, ref: str, source: Source) -> tuple[Asset | None, str]:
    match = _DATA.match(ref)
    if match is None or ";base64" not in match[3].lower():
        builder.warn("picture_refused", "a picture is embedded in a form that is not understood", source)
        return None, ""
    subtype = match[2].lower()
    known = _FORMATS.get(subtype, subtype)
    try:
        data = base64.b64decode(ref[match.end() :], validate=False)
    except (binascii.Error, ValueError):
        data = b""
    if not data:
        builder.warn("picture_refused", "an embedded picture is damaged", source)
        return None, known
    return builder.context.assets.put(data, f"picture.{known or 'bin'}"), known


def find_file(bundle: Path, ref: str) -> Path | None:
    """A regular file of the bundle; None for anything outside of it."""
    if not is_inside(ref):
        return None
    try:
        path = (bundle / ref).resolve()
        return path if path.is_file() and path.is_relative_to(bundle.resolve()) else None
    except (OSError, ValueError, RuntimeError):
        return None


def read_json(path: Path, engine: str) -> Any:
    """The JSON value of a file of the bundle, without values that JSON does not have. Raises EngineError."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise EngineError(f"{engine}: {path.name} of the bundle cannot be read: {e.strerror or e}") from e
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    # Halves of surrogate pairs, NaN and infinite numbers, which other libraries write.
    try:
        value = json.loads(data.decode("utf-8", "replace"), parse_constant=lambda _: None, parse_float=_finite)
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as e:
        hint = "Fetch it again with --force-reparse."
        raise EngineError(f"{engine}: {path.name} of the bundle is no JSON that can be read", hint=hint) from e


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def numbers(value: Any, count: int) -> tuple[float, ...] | None:
    """The value as so many finite numbers, None when it is not."""
    if not isinstance(value, list | tuple) or len(value) != count:
        return None
    if not all(type(n) in (int, float) and abs(n) < 1e15 for n in value):
        return None
    return tuple(float(n) for n in value)


def as_text(value: Any) -> str:
    """A string, or a number as it is read; "" for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
