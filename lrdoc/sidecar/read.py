"""Read a parsed folder, ours or another implementation's, back into a document."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lrdoc.document import (
    Asset,
    Block,
    Document,
    Drawing,
    Note,
    ParseWarning,
    Part,
    Position,
    Source,
    Text,
    merge_text,
)
from lrdoc.errors import SidecarError
from lrdoc.sidecar import names
from lrdoc.sidecar.info import FolderInfo, SourceFacts
from lrdoc.sidecar.parse import ContentParser, own_extras
from lrdoc.sidecar.places import read_places
from lrdoc.sidecar.shapes import (
    AnyItem,
    ContentLine,
    DrawingItem,
    DrawingsFile,
    EquationsFile,
    LrdocShape,
    MetaLine,
    PositionShape,
    SourceMap,
    TablesFile,
)

T = TypeVar("T")

_META = msgspec.json.Decoder(MetaLine)
_LINE = msgspec.json.Decoder(ContentLine)
_FILES: dict[str, type] = {"tables": TablesFile, "drawings": DrawingsFile, "equations": EquationsFile}


class ParsedFolder(msgspec.Struct, frozen=True):
    """A folder that was read."""

    document: Document
    info: FolderInfo
    folder: Path
    stem: str
    """What the names of the files begin with."""
    item_ids: tuple[str, ...] = ()
    """Ids of the items, body first, in the order of `iter_items` over the parts of each block, then of its notes."""

    @property
    def assets(self) -> Path:
        """The assets folder; it need not exist."""
        return self.folder / names.assets_folder(self.stem)


def read_folder(path: Path) -> ParsedFolder:
    """Read the document of a `.parsed` folder.

    Other implementations may leave out what is optional: provenance, marks, `lrdoc`, headings of items. Raises
    SidecarError, with the place, when the folder holds no document or one that contradicts itself.
    """
    with _reading(path.name):
        files = sorted(entry.name for entry in os.scandir(path) if entry.is_file())
    for name in files:
        if name.endswith(".blocks.jsonl"):
            return _Reader(path, name.removesuffix(".blocks.jsonl")).read()
    for name in files:
        if name.endswith(".source_map.json"):
            return _read_raw(path, name.removesuffix(".source_map.json"))
    raise SidecarError(
        f"{path} holds no document", hint="A parsed folder has a file that ends in .blocks.jsonl or .source_map.json."
    )


class _Reader:
    """The reading of one structured document."""

    def __init__(self, folder: Path, stem: str) -> None:
        self.folder = folder
        self.stem = stem
        self.assets = folder / names.assets_folder(stem)
        self.sizes: dict[str, int] | None = None
        self.items: dict[str, AnyItem] = {}

    def read(self) -> ParsedFolder:
        blocks_name = names.blocks_file(self.stem)
        self._read_items()
        number, line = next(self._lines(blocks_name), (1, b""))
        with _reading(f"{blocks_name}, line {number}"):
            if not line:
                raise SidecarError("the file is empty")
            meta = _META.decode(line)
        if not meta.version.startswith("1."):
            raise SidecarError(
                f"format version {meta.version!r} is not known, only 1.x is", where=f"{blocks_name}, line 1"
            )
        content = ContentParser(self.items, names.doc_hash(meta.doc_id), self._drawing)
        blocks, regions = self._body_and_regions(content)
        if content.unnamed:
            # Citations name items by id, and only now it is known which: those items take their ids as keys.
            content.named = frozenset(content.unnamed)
            content.order = []
            blocks, regions = self._body_and_regions(content)
        facts = meta.lrdoc if isinstance(meta.lrdoc, LrdocShape) else LrdocShape()
        document = Document(
            format=meta.document_format,
            title=meta.doc_title,
            blocks=blocks,
            regions=regions,
            attributes=_mapping(meta.doc_attributes),
            bbox_attributes=meta.bbox_attributes if isinstance(meta.bbox_attributes, dict) else None,
            split_option=_mapping(meta.split_option),
            warnings=_warnings(facts),
        )
        info = _info(facts, meta.doc_id, meta.document_name, meta.parse_engine, meta.parse_time)
        return ParsedFolder(document, info, self.folder, self.stem, tuple(content.order))

    def _body_and_regions(self, content: ContentParser) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
        name = names.blocks_file(self.stem)
        lines = self._lines(name)
        next(lines)
        blocks = self._blocks(lines, name, content)
        name = names.regions_file(self.stem)
        if not (self.folder / name).is_file():
            return blocks, ()
        return blocks, self._blocks(self._lines(name), name, content)

    def _read_items(self) -> None:
        for root, shape in _FILES.items():
            name = names.items_file(self.stem, root)
            with _reading(name):
                try:
                    data = (self.folder / name).read_bytes()
                except FileNotFoundError:
                    continue
                for item_id, item in getattr(msgspec.json.decode(data, type=shape), root).items():
                    if item.id != item_id:
                        raise SidecarError(f"the item {item_id} calls itself {item.id!r}")
                    self.items[item_id] = item

    def _lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """Numbered lines that are not blank."""
        with _reading(name), (self.folder / name).open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.isspace():
                    yield number, line

    def _blocks(self, lines: Iterator[tuple[int, bytes]], name: str, content: ContentParser) -> tuple[Block, ...]:
        blocks: list[Block] = []
        for number, line in lines:
            with _reading(f"{name}, line {number}"):
                blocks.append(parse_block(_LINE.decode(line), content))
        return tuple(blocks)

    def _drawing(self, shape: Any, source: Source | None, key: str) -> Drawing:
        assert isinstance(shape, DrawingItem)
        extras = own_extras(shape)
        asset = None
        if shape.path:
            asset = self._asset(shape, extras.pop("sha256", None))
        return Drawing(
            asset,
            shape.format,
            shape.src,
            shape.caption,
            tuple(shape.footnotes),
            source,
            shape.self_ref or None,
            extras,
            key,
        )

    def _asset(self, shape: DrawingItem, sha256: object) -> Asset:
        folder, _, name = shape.path.partition("/")
        if folder != self.assets.name or not name or "/" in name or "\\" in name or name in {".", ".."}:
            raise SidecarError(f"the path {shape.path!r} does not lead into {self.assets.name}", where=shape.id)
        if self.sizes is None:
            self.sizes = _sizes(self.assets)
        size = self.sizes.get(name)
        if size is None:
            raise SidecarError(f"the picture {shape.path} is not there", where=shape.id)
        if not isinstance(sha256, str):
            with (self.assets / name).open("rb") as data:
                sha256 = hashlib.file_digest(data, "sha256").hexdigest()
        return Asset(name, sha256, size)


def parse_block(line: ContentLine, content: ContentParser) -> Block:
    """The block of a line. Raises SidecarError."""
    text = line.content
    provenance = line.provenance if isinstance(line.provenance, msgspec.Raw) else None
    marks = line.marks if isinstance(line.marks, msgspec.Raw) else None
    places, note_marks = read_places(provenance, marks, len(text))
    start = heading_prefix(text, line.level)
    end = max(note_marks[0].chars[0] - 1, start) if note_marks else len(text)
    parts = content.parts(text, start, end, places)
    notes: list[Note] = []
    for mark in note_marks:
        first, stop = mark.chars
        prefix = f"[^{mark.target}]:"
        if not text.startswith(prefix, first):
            raise SidecarError(f"no note {mark.target!r} stands at character {first}")
        first += len(prefix)
        first += text.startswith(" ", first, stop)
        notes.append(Note(mark.target, content.parts(text, first, max(first, stop), places)))
    return Block(
        heading=line.heading,
        level=line.level,
        parents=tuple(line.parent_headings),
        parts=parts,
        notes=tuple(notes),
        label=line.label if isinstance(line.label, str) else "",
        region=line.session_type,
        is_title_block=line.is_title_block is True,
        positions=tuple(_position(position) for position in line.positions),
        table_slice=line.table_slice,
        table_header=line.table_header if isinstance(line.table_header, str) else None,
        extras=line.extras if isinstance(line.extras, dict) else {},
    )


def heading_prefix(content: str, level: int) -> int:
    """Length of the `#` marks, with the blank behind them, that the writer put before a heading of this level."""
    if level <= 0:
        return 0
    marks = "#" * min(level, 6)
    if content.startswith(marks + " "):
        return len(marks) + 1
    if content == marks or content.startswith(marks + "\n"):
        return len(marks)
    return 0


def _position(shape: PositionShape) -> Position:
    found = shape.range if isinstance(shape.range, list) else None
    if shape.type == "paraid" and found is not None and not any(found):
        found = None
    span = shape.charspan if isinstance(shape.charspan, list) else None
    return Position(
        shape.type,
        shape.anchor if isinstance(shape.anchor, str) else None,
        None if found is None else tuple(found),
        (span[0], span[1]) if span is not None and len(span) == 2 else None,
        shape.origin if isinstance(shape.origin, str) else None,
    )


def _read_raw(folder: Path, stem: str) -> ParsedFolder:
    map_name = names.source_map_file(stem)
    with _reading(map_name):
        source_map = msgspec.json.decode((folder / map_name).read_bytes(), type=SourceMap)
        facts = source_map.lrdoc if isinstance(source_map.lrdoc, LrdocShape) else LrdocShape()
    text_name = names.text_file(stem)
    with _reading(text_name):
        text = (folder / text_name).read_bytes().decode()
    with _reading(map_name):
        marks = source_map.marks if isinstance(source_map.marks, msgspec.Raw) else None
        places, _ = read_places(source_map.map, marks, len(text))
        parts: list[Part] = []
        places.emit(parts, text, 0, len(text), (), escaped=False)
    raw = facts.raw if isinstance(facts.raw, msgspec.Struct) else None
    suffix = Path(source_map.document_name).suffix[1:].lower()
    document = Document(
        format=raw.document_format if raw is not None else suffix,
        title=raw.doc_title if raw is not None else "",
        blocks=(Block(parts=merge_text(part for part in parts if isinstance(part, Text))),),
        attributes=_mapping(raw.doc_attributes) if raw is not None else {},
        warnings=_warnings(facts),
        kind="raw",
    )
    doc_id = raw.doc_id if raw is not None else names.make_doc_id(source_map.document_name)
    engine = raw.parse_engine if raw is not None else ""
    info = _info(facts, doc_id, source_map.document_name, engine, raw.parse_time if raw is not None else "")
    return ParsedFolder(document, info, folder, stem)


def _info(facts: LrdocShape, doc_id: str, document_name: str, engine: str, parse_time: str) -> FolderInfo:
    return FolderInfo(
        doc_id=doc_id,
        document_name=document_name,
        parse_engine=engine,
        parse_time=parse_time,
        stored_engine=facts.parse_engine,
        process_options=facts.process_options,
        chunk_options=facts.chunk_options,
        source=SourceFacts(facts.source.name, facts.source.bytes, facts.source.sha256),
    )


def _warnings(facts: LrdocShape) -> tuple[ParseWarning, ...]:
    return tuple(
        ParseWarning(warning.code, warning.message, Source(path=warning.where) if warning.where else None)
        for warning in facts.warnings
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _sizes(folder: Path) -> dict[str, int]:
    """Sizes of the regular files in a folder; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            return {
                entry.name: entry.stat(follow_symlinks=False).st_size
                for entry in entries
                if entry.is_file(follow_symlinks=False)
            }
    except (FileNotFoundError, NotADirectoryError):
        return {}


@contextmanager
def _reading(where: str) -> Iterator[None]:
    """Turn whatever a bad file causes into SidecarError with the place."""
    try:
        yield
    except SidecarError as e:
        if e.where and e.where != where and not e.where.startswith(where):
            raise SidecarError(e.message, where=f"{where}, {e.where}", hint=e.hint) from e
        raise SidecarError(e.message, where=where, hint=e.hint) from e
    except FileNotFoundError as e:
        raise SidecarError("there is no such file or folder", where=where) from e
    except OSError as e:
        raise SidecarError(f"it cannot be read: {e.strerror or e}", where=where) from e
    except msgspec.MsgspecError as e:
        raise SidecarError(f"it is not valid: {e}", where=where) from e
    except UnicodeError as e:
        raise SidecarError(f"it is not UTF-8: {e}", where=where) from e
    except RecursionError as e:
        raise SidecarError("it is nested too deeply", where=where) from e
