"""What a `.parsed` folder says, taken apart for counting: stretches of content and the places they claim to be from."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from lrdoc.audit.base import FORMULA, Place
from lrdoc.audit.html_text import html_text
from lrdoc.errors import SidecarError
from lrdoc.sidecar.escape import unescape, unescape_with_offsets

_TAG = re.compile(
    r"<(?:table(?P<table> [^<>]*)>(?P<body>.*?)</table>"
    r"|equation(?P<equation>(?: [^<>]*)?)>(?P<latex>.*?)</equation>"
    r'|drawing(?P<drawing> (?:[^<>"]|"[^"]*")*)/>'
    r"|cite [^<>]*>|/cite>|/?su[bp]>)"
    r"|\[\^[^\s\[\]^\\<>&]{1,64}\](?::[ ])?|\[(?P<item>(?:tb|im|eq)-[A-Za-z0-9._:@+-]{1,200}-[0-9]{4,})\]",
    re.DOTALL,
)
_MAX_SPAN = 1_000_000
_ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|([\[\]])', re.DOTALL)


@dataclass(slots=True)
class Piece:
    """One stretch of content of one place."""

    text: str
    """Unescaped; FORMULA where a formula stands."""
    order: tuple[int, ...]
    """Position in the output; what is written after its table stands where the table names it."""
    kept: bool
    """From a region, not from the body."""
    copy: bool
    """In a cell that a merge covers."""
    where: str
    formulas: tuple[str, ...] = ()


@dataclass(slots=True)
class Generated:
    """Content that claims no source."""

    text: str
    line_start: bool
    where: str
    before: Place | None
    """Place of the text that follows on the same line."""


@dataclass(slots=True)
class Written:
    """The whole folder."""

    meta: Mapping[str, Any]
    pieces: dict[Place, list[Piece]] = field(default_factory=dict)
    generated: list[Generated] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    """Body or attributes of each tag by item id, as the content shows it."""
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    strings: list[tuple[str, str]] = field(default_factory=list)
    """Captions, footnotes and extras of items with the place where they stand."""
    warnings: list[Mapping[str, Any]] = field(default_factory=list)
    assets: dict[str, Path] = field(default_factory=dict)
    """Files of the assets folder by name."""
    texts: list[str] = field(default_factory=list)
    """Contents of lines and cells as they are, when captions or footnotes have to be looked up in them."""
    raw: bool = False
    """Plain text with a source map: no markup, nothing escaped."""

    @property
    def params(self) -> dict[str, Any]:
        """Parameters of the engine as the meta line records them: `native(changes=reject)`."""
        recorded = self.meta.get("lrdoc")
        text = str(recorded.get("parse_engine", "")) if isinstance(recorded, Mapping) else ""
        inner = text.partition("(")[2].rpartition(")")[0]
        pairs = (pair.partition("=") for pair in inner.split(",") if pair.strip())
        return {name.strip(): value.strip() or "true" for name, _, value in pairs}


def read_folder(folder: Path, place: Callable[[Mapping[str, Any]], Place]) -> Written:
    """Read all files of a parsed folder. Raises SidecarError when they cannot be read."""
    blocks = _files(folder, "*.blocks.jsonl")
    if not blocks and (maps := _files(folder, "*.source_map.json")):
        return _read_raw(maps[0], place)
    if not blocks:
        raise SidecarError(f"no *.blocks.jsonl in {folder.name}", hint="give the folder that a parse wrote")
    stem = blocks[0].name.removesuffix(".blocks.jsonl")
    lines = list(_read_lines(blocks[0]))
    if not lines or lines[0].get("type") != "meta":
        raise SidecarError(f"{blocks[0].name} does not begin with a meta line")
    written = Written(lines[0])
    for kind in ("tables", "drawings", "equations"):
        path = folder / f"{stem}.{kind}.json"
        if path.is_file():
            items = _decode(_read_bytes(path), path.name).get(kind, {})
            if isinstance(items, dict):
                written.items.update((id_, item) for id_, item in items.items() if isinstance(item, dict))
    assets = folder / f"{stem}.blocks.assets"
    if assets.is_dir():
        written.assets = {path.name: path for path in sorted(assets.iterdir()) if path.is_file()}
    _collect_strings(written)
    reader = _LineReader(written, place)
    for number, line in enumerate(lines[1:], 1):
        reader.line(line, f"{blocks[0].name} line {number + 1}", kept=False)
    regions = folder / f"{stem}.regions.jsonl"
    if regions.is_file():
        for number, line in enumerate(_read_lines(regions), 1):
            if line.get("type") != "meta":
                reader.line(line, f"{regions.name} line {number}", kept=True)
    _collect_warnings(written)
    return written


def _read_raw(path: Path, place: Callable[[Mapping[str, Any]], Place]) -> Written:
    """Plain text with its source map counts as one line."""
    source_map = _decode(_read_bytes(path), path.name)
    text_path = path.with_name(path.name.removesuffix(".source_map.json") + ".txt")
    try:
        content = text_path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SidecarError(f"cannot read {text_path.name}: {error}") from error
    recorded = source_map.get("lrdoc")
    written = Written({"lrdoc": recorded})
    written.raw = True
    _LineReader(written, place).line(
        {"content": content, "provenance": source_map.get("map")}, text_path.name, kept=False
    )
    _collect_warnings(written)
    return written


def _collect_warnings(written: Written) -> None:
    recorded = written.meta.get("lrdoc")
    if isinstance(recorded, Mapping) and isinstance(recorded.get("warnings"), list):
        written.warnings = [warning for warning in recorded["warnings"] if isinstance(warning, Mapping)]


def _decode(data: bytes, name: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SidecarError(f"{name} is not valid JSON: {error}") from error
    except RecursionError as error:
        raise SidecarError(f"{name} is nested too deeply") from error
    if not isinstance(value, dict):
        raise SidecarError(f"{name} does not hold an object")
    return value


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(path for path in folder.glob(pattern) if path.is_file())


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SidecarError(f"cannot read {path.name}: {error.strerror or error}") from error


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield _decode(line, f"{path.name} line {number}")
    except OSError as error:
        raise SidecarError(f"cannot read {path.name}: {error.strerror or error}") from error


def _collect_strings(written: Written) -> None:
    for id_, item in written.items.items():
        for name in ("caption", "footnotes", "extras"):
            for text in _strings(item.get(name)):
                written.strings.append((text, f"{name} of {id_}"))


def _strings(value: Any) -> Iterator[str]:
    """All strings inside a JSON value, without recursion."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            if value.strip():
                yield value
        elif isinstance(value, list):
            stack.extend(reversed(value))
        elif isinstance(value, dict):
            stack.extend(reversed(value.values()))


@dataclass(slots=True)
class _Claim:
    start: int
    end: int
    place: Place


class _LineReader:
    """Takes content lines apart."""

    def __init__(self, written: Written, place: Callable[[Mapping[str, Any]], Place]) -> None:
        self.written = written
        self.place = place
        self.anchors: dict[str, tuple[int, ...]] = {}
        self.count = 0
        self.keep_texts = any(item.get("caption") or item.get("footnotes") for item in written.items.values())

    def line(self, line: Mapping[str, Any], where: str, *, kept: bool) -> None:
        content = line.get("content")
        if not isinstance(content, str):
            return
        self.count += 1
        claims: list[_Claim] = []
        entries = line.get("provenance")
        for entry in entries if isinstance(entries, list) else ():
            match entry:
                case {"chars": [int(start), int(end)]} if 0 <= start < end <= len(content):
                    claims.append(_Claim(start, end, self.place(entry)))
        claims.sort(key=lambda claim: (claim.start, -claim.end))
        blockid = str(line.get("blockid", ""))[:8]
        heading = str(line.get("heading", ""))
        name = f"{where}, block {blockid}" + (f' "{heading[:40]}"' if heading else "")
        self._text(content, claims, (self.count,), name, kept=kept, copy=False)

    def _text(
        self, text: str, claims: list[_Claim], order: tuple[int, ...], where: str, *, kept: bool, copy: bool
    ) -> None:
        """Content of a line or of a cell, with claims in its own coordinates and in order."""
        if self.keep_texts:
            self.written.texts.append(text)
        cursor = _Cursor(self, text, claims, order, where, kept, copy)
        for match in () if self.written.raw else _TAG.finditer(text):
            cursor.plain(match.start())
            if match["table"] is not None:
                self._table(match, cursor)
                cursor.skip(match.end())
            elif match["equation"] is not None:
                cursor.formula(match)
            elif match["drawing"] is not None:
                found = dict(_ATTRIBUTE.findall(match["drawing"]))
                self.written.tags[found.get("id", "")] = match["drawing"]
                cursor.skip(match.end())
            elif match["item"] is not None:
                if match["item"] in self.written.items:
                    self.anchors.setdefault(match["item"], (*order, match.start()))
                    cursor.skip(match.end())
                else:
                    cursor.plain(match.end())
            else:
                cursor.skip(match.end())
        cursor.plain(len(text))
        cursor.close()

    def _table(self, match: re.Match[str], cursor: _Cursor) -> None:
        found = dict(_ATTRIBUTE.findall(match["table"]))
        id_ = found.get("id", "")
        body = match["body"]
        self.written.tags[id_] = body
        order = self.anchors.get(id_, (*cursor.order, match.start()))
        base = match.start("body")
        where = f"{cursor.where}, {id_}" if id_ else cursor.where
        claims = cursor.inside(base, match.end("body"))
        if found.get("format") != "json":
            self._html(body, cursor.touching(match.start(), match.end()), order, where, cursor)
            return
        copies = _copies(self.written.items.get(id_, {}))
        row = column = depth = index = 0
        for token in _STRING.finditer(body):
            if token[2] == "[":
                depth += 1
                column = 0
                continue
            if token[2] == "]":
                depth -= 1
                if depth == 1:
                    row += 1
                continue
            start, end = base + token.start(1), base + token.end(1)
            while index < len(claims) and claims[index].end <= start:
                index += 1
            last = index
            while last < len(claims) and claims[last].start < end:
                last += 1
            cell, inner = _decode_cell(token[1], start, claims[index:last])
            name = f"{where} row {row + 1} column {column + 1}"
            self._text(cell, inner, (*order, token.start()), name, kept=cursor.kept,
                       copy=cursor.copy or (row, column) in copies)  # fmt: skip
            column += 1

    def _html(self, body: str, claims: list[_Claim], order: tuple[int, ...], where: str, cursor: _Cursor) -> None:
        """An html table as a whole: what counts is what a browser shows of it."""
        text = html_text(unescape(body).encode("utf-8", "replace"), "utf-8")
        if claims and text.strip():
            piece = Piece(text, order, cursor.kept, cursor.copy, where)
            self.written.pieces.setdefault(claims[-1].place, []).append(piece)
        elif text.strip():
            self.written.generated.append(Generated(text, False, where, None))


def _copies(item: Mapping[str, Any]) -> set[tuple[int, int]]:
    """Positions of a grid that a merge covers, without its first cell."""
    extras = item.get("extras")
    spans = extras.get("spans") if isinstance(extras, Mapping) else None
    found: set[tuple[int, int]] = set()
    for span in spans if isinstance(spans, list) else ():
        match span:
            case [int(row), int(column), int(rows), int(columns)] if 0 < rows * columns <= _MAX_SPAN:
                for r in range(row, row + rows):
                    found.update((r, c) for c in range(column, column + columns))
                found.discard((row, column))
    return found


def _decode_cell(raw: str, base: int, claims: list[_Claim]) -> tuple[str, list[_Claim]]:
    """Text of a JSON string, and the claims upon it in its own coordinates."""
    size = len(raw)
    ranges = [(max(c.start - base, 0), min(c.end - base, size), c.place) for c in claims]
    if "\\" not in raw:
        return raw, [_Claim(start, end, place) for start, end, place in ranges if start < end]
    marks = sorted({0, size, *(r[0] for r in ranges), *(r[1] for r in ranges)})
    pieces: list[str] = []
    moved = {0: 0}
    position = 0
    for start, end in itertools.pairwise(marks):
        try:
            piece = json.loads(f'"{raw[start:end]}"', strict=False)
        except ValueError:
            piece = raw[start:end]
        pieces.append(piece)
        position += len(piece)
        moved[end] = position
    return "".join(pieces), [_Claim(moved[s], moved[e], place) for s, e, place in ranges if moved[s] < moved[e]]


class _Cursor:
    """Goes through a text and hands each stretch to the place that claims it."""

    def __init__(
        self, reader: _LineReader, text: str, claims: list[_Claim], order: tuple[int, ...], where: str, kept: bool,
        copy: bool,
    ) -> None:  # fmt: skip
        self.reader = reader
        self.text = text
        self.claims = claims
        self.order = order
        self.where = where
        self.kept = kept
        self.copy = copy
        self.at = 0
        self.index = 0
        self.raw: list[str] = []
        self.raw_place: Place | None = None
        self.raw_start = 0
        self.fresh = True  # nothing but generated text on this line so far
        self.label: list[str] = []
        self.resolved = ""
        self.moved: dict[int, int] = {}
        """Offsets in the text → offsets in `resolved`, when something between two tags is escaped."""

    def inside(self, start: int, end: int) -> list[_Claim]:
        """Claims within a range, without those that span all of it or more."""
        return [claim for claim in self.touching(start, end) if claim.start >= start or claim.end <= end]

    def touching(self, start: int, end: int) -> list[_Claim]:
        found: list[_Claim] = []
        for index in range(self.index, len(self.claims)):
            claim = self.claims[index]
            if claim.start >= end:
                break
            if claim.end > start:
                found.append(claim)
        return found

    def skip(self, end: int) -> None:
        self.flush()
        self.at = end
        while self.index < len(self.claims) and self.claims[self.index].end <= end:
            self.index += 1

    def plain(self, end: int) -> None:
        """Ordinary text up to `end`, which is a tag or the end of all."""
        claims = self.claims
        self._resolve_escapes(end)
        while self.at < end:
            while self.index < len(claims) and claims[self.index].end <= self.at:
                self.index += 1
            claim = claims[self.index] if self.index < len(claims) else None
            if claim is None or claim.start >= end:
                self._generated(self.text[self.at : end])
                self.at = end
                break
            if claim.start > self.at:
                self._generated(self.text[self.at : claim.start])
                self.at = claim.start
            stop = min(claim.end, end)
            # A range that begins inside this one is narrower: it says more.
            following = claims[self.index + 1] if self.index + 1 < len(claims) else None
            if following is not None and following.start < stop:
                stop = max(following.start, self.at)
                if stop == self.at:
                    self.index += 1
                    continue
            self._claimed(claim.place, stop)

    def _resolve_escapes(self, end: int) -> None:
        """What is escaped may begin in one range and end in the next, so all text up to the next tag is one."""
        start = self.at
        self.moved = {}
        segment = self.text[start:end]
        if self.reader.written.raw or ("&" not in segment and "[\\" not in segment):
            return
        bounds = {0, len(segment)}
        for claim in self.touching(start, end):
            bounds.update((max(claim.start - start, 0), min(claim.end - start, len(segment))))
        offsets = sorted(bounds)
        self.resolved, moved = unescape_with_offsets(segment, offsets)
        self.moved = {start + offset: target for offset, target in zip(offsets, moved, strict=True)}

    def _unescaped(self, start: int, end: int) -> str:
        if start in self.moved and end in self.moved:
            return self.resolved[self.moved[start] : self.moved[end]]
        return self.text[start:end]

    def _claimed(self, place: Place, stop: int) -> None:
        if self.raw_place != place:
            self.flush()
            self.raw_place, self.raw_start = place, self.at
        self.raw.append(self._unescaped(self.at, stop))
        self.at = stop
        if self.label:
            self._label(place)
        self.fresh = False

    def _generated(self, text: str) -> None:
        self.flush()
        first, *others = text.split("\n")
        if first.strip():
            if self.fresh:
                self.label.append(first)
            else:
                self.reader.written.generated.append(Generated(first, False, self.where, None))
        for piece in others:
            self._label(None)
            self.fresh = True
            if piece.strip():
                self.label.append(piece)

    def _label(self, place: Place | None) -> None:
        if self.label:
            text = "".join(self.label)
            self.reader.written.generated.append(Generated(text, True, self.where, place))
            self.label = []

    def formula(self, match: re.Match[str]) -> None:
        found = dict(_ATTRIBUTE.findall(match["equation"]))
        id_ = found.get("id", "")
        order = (*self.order, match.start())
        if id_:
            self.reader.written.tags[id_] = match["latex"]
            order = self.reader.anchors.get(id_, order)
        claims = self.touching(match.start(), match.end())
        self.flush()
        if claims:
            place = claims[0].place
            piece = Piece(FORMULA, order, self.kept, self.copy, self.where, (unescape(match["latex"]),))
            self.reader.written.pieces.setdefault(place, []).append(piece)
            if self.label:
                self._label(place)
            self.fresh = False
        else:
            self.reader.written.generated.append(Generated(match["latex"], False, self.where, None))
        self.skip(match.end())

    def flush(self) -> None:
        if self.raw_place is not None:
            text = "".join(self.raw)
            if text and not text.isspace():
                piece = Piece(text, (*self.order, self.raw_start), self.kept, self.copy, self.where)
                self.reader.written.pieces.setdefault(self.raw_place, []).append(piece)
            self.raw, self.raw_place = [], None

    def close(self) -> None:
        self.flush()
        self._label(None)
