"""Write a document into a folder. Nothing here is atomic: `commit` exchanges whole folders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from lrdoc.document import Block, Document, Drawing, Position, Table, Text
from lrdoc.errors import SidecarError
from lrdoc.sidecar import names
from lrdoc.sidecar.canvas import Canvas, encode_marks, encode_provenance
from lrdoc.sidecar.digest import OWN, meta_digest, source_map_digest
from lrdoc.sidecar.encode import clean_value, to_json
from lrdoc.sidecar.files import AssetFiles, ItemFile, LineFile, Lines
from lrdoc.sidecar.info import FolderInfo, Written
from lrdoc.sidecar.merged import MergedHash
from lrdoc.sidecar.render import Rendered, Renderer, map_keys
from lrdoc.sidecar.shapes import (
    VERSION,
    AnyItem,
    ContentLine,
    DrawingItem,
    EquationItem,
    LrdocShape,
    MetaOut,
    PositionShape,
    RawShape,
    SourceMap,
    SourceShape,
    TableItem,
    WarningShape,
)
from lrdoc.text.clean import clean


def write_document(document: Document, info: FolderInfo, folder: Path, *, assets_from: Path | None = None) -> Written:
    """Write all files of a document into `folder`, which exists, and where its assets stand already.

    `assets_from`: assets that are not there yet are copied from this folder. Assets that nothing names are removed.
    Raises SidecarError when a file cannot be written or the document names an asset that is not there.
    """
    names.check_doc_id(info.doc_id)
    names.check_document_name(info.document_name)
    try:
        if document.kind == "raw":
            return _write_raw(document, info, folder)
        with ExitStack() as files:
            return _Writer(document, info, folder, assets_from, files).write()
    except OSError as e:
        raise SidecarError(f"the document cannot be written: {e.strerror or e}", where=str(e.filename or folder)) from e


class _Writer:
    """The writing of one structured document."""

    def __init__(
        self, document: Document, info: FolderInfo, folder: Path, assets_from: Path | None, files: ExitStack
    ) -> None:
        self.document = document
        self.info = info
        self.folder = folder
        self.files = files
        self.stem = names.stem_of(info.document_name)
        self.assets = AssetFiles(folder / names.assets_folder(self.stem), assets_from)
        self.items = {kind: ItemFile(folder, self.stem, root, files) for kind, root in names.ITEM_ROOT.items()}
        self.hashes = MergedHash(info.doc_id)
        self.renderer = Renderer(info.doc_id, names.assets_folder(self.stem), lambda: map_keys(document, info.doc_id))
        self.index = 0
        """Position of the next line; regions count on after the body."""

    def write(self) -> Written:
        lines = Lines(self.folder / ".lines", self.files)
        for block in self.document.blocks:
            line = self._line(block, self.hashes)
            if line is not None:
                lines.add(line)
        blocks = self.index
        regions = LineFile(self.folder / names.regions_file(self.stem), self.files)
        for block in self.document.regions:
            line = self._line(block, None)
            if line is not None:
                regions.add(line)
        digests = {names.ITEM_ROOT[kind]: file.finish() for kind, file in self.items.items() if file.count}
        if regions.count:
            digests["regions"] = regions.finish()
        digests["blocks"] = lines.digest
        self.assets.mark(self.document.attributes)
        n_assets = self.assets.finish()
        blocks_path = self.folder / names.blocks_file(self.stem)
        with blocks_path.open("wb") as out:
            out.write(self._meta(blocks, n_assets, digests) + b"\n")
            lines.finish(out)
        return Written(
            folder=self.folder,
            parse_format="lightrag",
            document_hash=self.hashes.document_hash,
            content_hash=self.hashes.content_hash,
            blocks=blocks,
            regions=regions.count,
            tables=self.items["table"].count,
            drawings=self.items["drawing"].count,
            equations=self.items["equation"].count,
            assets=n_assets,
            blocks_path=blocks_path,
        )

    def _line(self, block: Block, hashes: MergedHash | None) -> bytes | None:
        line = self.renderer.block(block)
        if line is None:
            return None
        if hashes is not None:
            hashes.add(line.content)
        heading = clean(block.heading)
        parents = [clean(parent) for parent in block.parents]
        block_id = names.block_id(self.info.doc_id, self.index, heading, line.content)
        shape = ContentLine(
            "content",
            block_id,
            "plain_text",
            line.content,
            heading,
            parents,
            block.level,
            clean(block.region),
            clean(block.table_slice),
            [_position(position) for position in block.positions],
            UNSET if block.table_header is None else clean(block.table_header),
            True if block.is_title_block else UNSET,
            clean(block.label) or UNSET,
            UNSET if line.provenance is None else Raw(line.provenance),
            UNSET if line.marks is None else Raw(line.marks),
            dict(block.extras) if block.extras else UNSET,
        )
        self.assets.mark(block.extras)
        for rendered in line.items:
            if isinstance(rendered.item, Drawing) and rendered.item.asset is not None:
                self.assets.need(rendered.item.asset.name)
            self.assets.mark(rendered.item.extras)
            item = _item(rendered, block_id, heading, parents, names.assets_folder(self.stem))
            self.items[rendered.kind].add(rendered.id, to_json(item, rendered.id))
        data = to_json(shape, f"block {self.index + 1}")
        self.index += 1
        return data

    def _meta(self, blocks: int, n_assets: int, digests: dict[str, str]) -> bytes:
        document, info = self.document, self.info
        facts = _facts(document, info, self.hashes.content_hash)
        facts.digests = digests
        line = self._meta_line(facts, blocks, n_assets)
        facts.digests[OWN] = meta_digest(line)
        return self._meta_line(facts, blocks, n_assets)

    def _meta_line(self, facts: LrdocShape, blocks: int, n_assets: int) -> bytes:
        document, info = self.document, self.info
        meta = MetaOut(
            "meta",
            "lightrag",
            VERSION,
            clean(info.document_name),
            clean(document.format),
            self.hashes.document_hash,
            self.items["table"].count > 0,
            self.items["equation"].count > 0,
            self.items["drawing"].count > 0,
            n_assets > 0,
            _raw(document.split_option or None, "split_option"),
            blocks,
            info.doc_id,
            clean(info.parse_engine),
            info.parse_time,
            clean(document.title),
            _raw(document.bbox_attributes, "bbox_attributes"),
            _raw(document.attributes or None, "doc_attributes"),
            Raw(to_json(facts, "lrdoc")),
        )
        return to_json(meta, "meta line")


def _item(rendered: Rendered, block_id: str, heading: str, parents: list[str], assets_path: str) -> AnyItem:
    """The entry in the item file. What the format keeps in `extras` for us goes behind the engine's own."""
    item = rendered.item
    extras = {key: value for key, value in item.extras.items() if key != "parent" or rendered.parent is None}
    caption = clean(item.caption)
    footnotes = [clean(note) for note in item.footnotes]
    shape: AnyItem
    if isinstance(item, Table):
        if not rendered.html:
            extras.pop("spans", None)
            if rendered.spans:
                extras["spans"] = rendered.spans
        shape = TableItem(
            rendered.id,
            block_id,
            heading,
            parents,
            list(rendered.dimension),
            "html" if rendered.html else "json",
            rendered.content,
            caption,
            footnotes,
            UNSET if rendered.table_header is None else rendered.table_header,
        )
    elif isinstance(item, Drawing):
        path = ""
        if item.asset is not None:
            path = f"{assets_path}/{item.asset.name}"
            extras.pop("sha256", None)
            extras["sha256"] = item.asset.sha256
        shape = DrawingItem(
            rendered.id, block_id, heading, parents, clean(item.format), path, clean(item.src), caption, footnotes
        )
    else:
        shape = EquationItem(rendered.id, block_id, heading, parents, "latex", rendered.content, caption, footnotes)
    if rendered.parent is not None:
        host, row, col = rendered.parent
        extras["parent"] = {"id": host, "row": row, "col": col}
    if item.key:
        extras.pop("cite_key", None)
        extras["cite_key"] = item.key
    if item.self_ref is not None:
        shape.self_ref = clean(item.self_ref)
    if extras:
        shape.extras = extras
    return shape


def _position(position: Position) -> PositionShape:
    shape = PositionShape(clean(position.type))
    if position.anchor is not None:
        shape.anchor = clean(position.anchor)
    if position.range is not None:
        shape.range = clean_value(list(position.range))
    elif position.type == "paraid":
        shape.range = None
    if position.charspan is not None:
        shape.charspan = list(position.charspan)
    if position.origin is not None:
        shape.origin = clean(position.origin)
    return shape


def _facts(document: Document, info: FolderInfo, content_hash: str) -> LrdocShape:
    source = info.source
    return LrdocShape(
        parse_engine=clean(info.stored_engine),
        process_options=clean(info.process_options),
        chunk_options=None if info.chunk_options is None else dict(info.chunk_options),
        source=SourceShape(clean(source.name), source.bytes, source.sha256),
        content_hash=content_hash,
        warnings=[
            WarningShape(clean(warning.code), clean(warning.message), clean(warning.where))
            for warning in document.warnings
        ],
    )


def _raw(value: Mapping[str, Any] | None, where: str) -> Raw | UnsetType:
    return UNSET if value is None else Raw(to_json(dict(value), where))


def _write_raw(document: Document, info: FolderInfo, folder: Path) -> Written:
    """Plain text and its source map."""
    canvas = Canvas()
    for block in document.blocks:
        canvas.texts([_plain(part) for part in block.parts if isinstance(part, Text)], special=False)
    text = canvas.text()
    data = text.encode()
    stem = names.stem_of(info.document_name)
    hashes = MergedHash(info.doc_id)
    hashes.add(text)
    facts = _facts(document, info, hashes.content_hash)
    facts.raw = RawShape(
        document_format=clean(document.format),
        doc_id=info.doc_id,
        parse_engine=clean(info.parse_engine),
        parse_time=info.parse_time,
        doc_title=clean(document.title),
    )
    if document.attributes:
        facts.raw.doc_attributes = dict(document.attributes)
    source_map = SourceMap(
        VERSION,
        clean(info.document_name),
        hashlib.sha256(data).hexdigest(),
        facts,
        Raw(encode_provenance(canvas.entries)),
        Raw(encode_marks(canvas.ranges)) if canvas.ranges else UNSET,
    )
    written = to_json(source_map, "source map")
    facts.digests = {OWN: source_map_digest(msgspec.json.decode(written, type=SourceMap))}
    text_path = folder / names.text_file(stem)
    map_path = folder / names.source_map_file(stem)
    text_path.write_bytes(data)
    map_path.write_bytes(to_json(source_map, "source map") + b"\n")
    return Written(
        folder=folder,
        parse_format="raw",
        document_hash=hashes.document_hash,
        content_hash=hashes.content_hash,
        text_path=text_path,
        source_map_path=map_path,
    )


def _plain(part: Text) -> Text:
    """Raw text has no tags: superscript is not told."""
    marks = tuple(mark for mark in part.marks if mark.kind not in ("sup", "sub")) if part.marks else ()
    return Text(clean(part.text), part.source, marks)
