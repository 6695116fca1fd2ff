"""Check the item files and the assets that they name."""

from __future__ import annotations

import hashlib
import re
from html import unescape as unescape_attribute
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw

from lrdoc.document import ItemKind
from lrdoc.errors import SidecarError
from lrdoc.sidecar import names
from lrdoc.sidecar.encode import strings_in
from lrdoc.sidecar.escape import ITEM_REFERENCE, escape_html, unescape
from lrdoc.sidecar.files import list_files
from lrdoc.sidecar.parse import Found, parent_of, read_attributes, read_header, read_spans
from lrdoc.sidecar.problems import Report
from lrdoc.sidecar.render import inner_html
from lrdoc.sidecar.shapes import ANALYSIS_KEYS, AnyItem, ContentLine, DrawingItem, EquationItem, TableItem
from lrdoc.sidecar.strict import StrictDrawing, StrictEquation, StrictTable

_SHAPES: dict[ItemKind, tuple[type[AnyItem], type]] = {
    "table": (TableItem, StrictTable),
    "drawing": (DrawingItem, StrictDrawing),
    "equation": (EquationItem, StrictEquation),
}
"""Kind → what is needed of an item, and what ours look like."""
_KIND_OF = {shape: kind for kind, (shape, _) in _SHAPES.items()}
_DOLLARS = re.compile(r"\A\s*\$+|\$+\s*\Z")
_GRID = msgspec.json.Decoder(list[list[str]])
_PIECE = 1 << 20


class _ItemFile(msgspec.Struct):
    version: str = ""
    tables: dict[str, Raw] | None = None
    drawings: dict[str, Raw] | None = None
    equations: dict[str, Raw] | None = None


class ItemChecker:
    """Knows the items of a document; the lines are compared with them."""

    def __init__(self, folder: Path, stem: str, doc_id: str, ours: bool, report: Report) -> None:
        self.folder = folder
        self.stem = stem
        self.ours = ours
        self.report = report
        self.items: dict[str, AnyItem] = {}
        self.digests: dict[str, str] = {}
        """tables, drawings, equations → digest of what the parse wrote."""
        self.asset_names: set[str] = set()
        """Files of the assets folder that an item names."""
        self._shown: set[str] = set()
        self._hash = names.doc_hash(doc_id)
        self._assets = names.assets_folder(stem)
        self._stored: dict[str, str | None] = {}

    def read(self) -> None:
        """Read the item files and check the items one by one."""
        self._stored = dict.fromkeys(list_files(self.folder / self._assets))
        for kind, root in names.ITEM_ROOT.items():
            path = self.folder / names.items_file(self.stem, root)
            if path.is_file():
                self._read_file(path, root, kind)
        for shape in self.items.values():
            self._check_item(shape)

    def _read_file(self, path: Path, root: str, kind: ItemKind) -> None:
        try:
            data = path.read_bytes()
            file = msgspec.json.decode(data, type=_ItemFile)
            raw_items: dict[str, Raw] | None = getattr(file, root)
        except OSError as e:
            self.report.problem("unreadable", f"the file cannot be read: {e.strerror or e}", path.name)
            return
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as e:
            self.report.problem("schema", f"the file is not valid: {e}", path.name)
            return
        if raw_items is None or file.version != "1.0" or len(msgspec.json.decode(data, type=dict[str, Raw])) != 2:
            self.report.problem("schema", f'the file has keys other than "version": "1.0" and "{root}"', path.name)
        digest = hashlib.sha256()
        shape_type, strict_type = _SHAPES[kind]
        strict: msgspec.json.Decoder[Any] = msgspec.json.Decoder(strict_type)
        previous = 0
        for item_id, raw in (raw_items or {}).items():
            try:
                digest.update(_parsed_part(raw) + b"\n")
                shape: AnyItem = msgspec.json.decode(raw, type=shape_type)
            except (msgspec.MsgspecError, RecursionError, UnicodeError) as e:
                self.report.problem("schema", f"the item is not valid: {e}", item_id)
                continue
            self.report.schema(strict, bytes(raw), item_id)
            if shape.id != item_id:
                self.report.problem("item_id", f"the item calls itself {shape.id!r}", item_id)
            number = self._number(item_id, names.ITEM_PREFIX[kind])
            if number is None:
                self.report.problem(
                    "item_id",
                    f"an id of this document is {names.ITEM_PREFIX[kind]}-{self._hash}-0001 and so on",
                    item_id,
                )
            elif number <= previous or (self.ours and number != previous + 1):
                self.report.problem("item_id", f"it follows number {previous:04d}", item_id)
            previous = number or previous
            self.items[item_id] = shape
        self.digests[root] = digest.hexdigest()

    def _number(self, item_id: str, prefix: str) -> int | None:
        match = re.fullmatch(rf"{prefix}-{re.escape(self._hash)}-([0-9]{{4,}})", item_id)
        return int(match[1]) if match else None

    def _check_item(self, shape: AnyItem) -> None:
        extras = shape.extras if isinstance(shape.extras, dict) else {}
        self.name_assets(extras)
        if isinstance(shape, TableItem):
            self._check_table(shape)
        elif isinstance(shape, DrawingItem):
            self._check_drawing(shape, extras)
        parent = parent_of(shape)
        if parent is not None and not self._holds(parent, shape.id):
            self.report.problem(
                "parent", f"{parent[0]} has no [{shape.id}] in row {parent[1]}, column {parent[2]}", shape.id
            )

    def name_assets(self, extras: object) -> None:
        """Strings in extras may name assets, with or without the folder."""
        if isinstance(extras, dict):
            prefix = f"{self._assets}/"
            self.asset_names.update(text.removeprefix(prefix) for text in strings_in(extras))

    def _holds(self, parent: tuple[str, int, int], item_id: str) -> bool:
        host = self.items.get(parent[0])
        if not isinstance(host, TableItem):
            return False
        try:
            return f"[{item_id}]" in _GRID.decode(host.content)[parent[1]][parent[2]]
        except (msgspec.MsgspecError, RecursionError, UnicodeError, IndexError):
            return False

    def _check_table(self, shape: TableItem) -> None:
        if shape.format == "html":
            return
        try:
            rows = _GRID.decode(shape.content)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as e:
            self.report.problem("table_content", f"the content is no grid of strings: {e}", shape.id)
            return
        width = max(map(len, rows), default=0)
        if any(len(row) != width for row in rows):
            self.report.problem("table_content", "the rows are not equally long", shape.id)
        try:
            header = read_header(shape)
            spans, _ = read_spans(shape, rows)
        except SidecarError as e:
            self.report.problem("table_header" if "header" in e.message else "spans", e.message, shape.id)
            return
        outside = bool(header) and rows[: len(header)] != header
        if outside and self.ours:
            self.report.problem("table_header", "table_header is not the first rows of the content", shape.id)
        elif outside:
            self.report.lacks("header_in_content", "header rows stand in table_header only, not in the content")
        if shape.dimension != [len(rows), width] and not (outside and shape.dimension == [len(rows), len(header[0])]):
            self.report.problem("dimension", f"it is {shape.dimension}, the content has {[len(rows), width]}", shape.id)
        for (r, c), (row_span, col_span) in spans.items():
            if any(rows[i][k] != rows[r][c] for i in range(r, r + row_span) for k in range(c, c + col_span)):
                self.report.problem(
                    "spans", f"the cell at row {r}, column {c} is not repeated under its span", shape.id
                )
        if self.ours:
            self._check_references(shape, rows)

    def _check_references(self, shape: TableItem, rows: list[list[str]]) -> None:
        """Whatever shows as `[im-…]` in a cell is an item of that cell."""
        if f"-{self._hash}-" not in shape.content:
            return
        for r, row in enumerate(rows):
            for c, text in enumerate(row):
                for match in ITEM_REFERENCE.finditer(text):
                    item = self.items.get(match[1])
                    parent = parent_of(item) if item is not None else None
                    if parent is None or parent[0] != shape.id:
                        self.report.problem(
                            "reference", f"row {r}, column {c} shows {match[0]}, which is not there", shape.id
                        )

    def _check_drawing(self, shape: DrawingItem, extras: dict[str, Any]) -> None:
        if not shape.path:
            return
        folder, _, name = shape.path.partition("/")
        if folder != self._assets or not name or "/" in name or "\\" in name or name in {".", ".."}:
            self.report.problem("asset_path", f"the path {shape.path!r} does not lead into {self._assets}", shape.id)
            return
        self.asset_names.add(name)
        if name not in self._stored:
            self.report.problem("asset_missing", f"{shape.path} is not there", shape.id)
            return
        told = extras.get("sha256")
        if told is None:
            self.report.lacks("asset_sha256", "drawings do not tell the digest of their picture")
            return
        if self._digest(name) != told:
            self.report.problem("asset_hash", f"{shape.path} is not the picture that was parsed", shape.id)

    def _digest(self, name: str) -> str:
        known = self._stored[name]
        if known is None:
            try:
                with (self.folder / self._assets / name).open("rb") as file:
                    known = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                known = "unreadable"
            self._stored[name] = known
        return known

    def compare(self, found: Found, content: str, line: ContentLine, where: str) -> None:
        """Compare a tag with its item, and the item with the line in which the tag stands."""
        shape = found.shape
        if shape.id in self._shown:
            self.report.problem("duplicate_tag", f"the tag of {shape.id} stands twice", where)
        self._shown.add(shape.id)
        if shape.blockid != line.blockid:
            self.report.problem("item_block", f"blockid is {shape.blockid}, the tag stands in {line.blockid}", shape.id)
        if shape.heading != line.heading or shape.parent_headings != line.parent_headings:
            self.report.problem("item_heading", "heading or parent_headings are not those of the block", shape.id)
        kind = _KIND_OF[type(shape)]
        if found.name != kind:
            self.report.problem("tag", f"the tag of {shape.id} is <{found.name}>", where)
            return
        opening = content[found.start : found.body_start]
        told = {key: unescape_attribute(value) for key, value in read_attributes(opening).items()}
        wanted = {"id": shape.id, "format": shape.format}
        if shape.caption and kind != "table":
            wanted["caption"] = shape.caption
        if isinstance(shape, DrawingItem):
            wanted |= {"path": shape.path, "src": shape.src}
        for key in sorted({*told, *wanted}):
            if told.get(key) != wanted.get(key) and (self.ours or (key in told and key in wanted)):
                self.report.problem(
                    "tag", f"the tag of {shape.id} has {key} {told.get(key)!r}, the item {wanted.get(key)!r}", where
                )
        if not isinstance(shape, DrawingItem) and not self._same_body(
            shape, content[found.body_start : found.body_end]
        ):
            self.report.problem("tag", f"the content of {shape.id} differs between tag and item", where)

    def _same_body(self, shape: TableItem | EquationItem, body: str) -> bool:
        if isinstance(shape, EquationItem):
            latex = unescape(body)
            return latex == shape.content or (not self.ours and _bare_latex(body) == _bare_latex(shape.content))
        if shape.format != "html":
            return body == shape.content
        inner = inner_html(shape.content)
        return body == escape_html(inner) or (not self.ours and "".join(body.split()) == "".join(inner.split()))

    def finish(self) -> None:
        """Report items whose tag was not met."""
        for item_id in self.items:
            if item_id not in self._shown:
                self.report.problem("orphan_item", "no tag in the text shows this item", item_id)


def _parsed_part(raw: Raw) -> bytes:
    """The item as the parse wrote it: without what the analysis added, in compact JSON."""
    value = msgspec.json.decode(raw)
    if isinstance(value, dict):
        for key in ANALYSIS_KEYS:
            value.pop(key, None)
    return msgspec.json.encode(value)


def _bare_latex(latex: str) -> str:
    return _DOLLARS.sub("", latex).strip()
