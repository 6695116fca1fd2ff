"""The content of a line becomes typed parts again.

Only what the writer could have made is taken for markup; the rest is text. Nothing here recurses, and every search
goes forward, so the work is in proportion to the content whatever it holds.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import msgspec

from lrdoc.document import (
    Cell,
    Citation,
    Drawing,
    Equation,
    InlineEquation,
    Item,
    ItemKind,
    Mark,
    NoteRef,
    Part,
    Source,
    Table,
    Text,
    merge_text,
)
from lrdoc.errors import SidecarError
from lrdoc.sidecar.escape import ITEM_REFERENCE, NOTE_MARK, unescape
from lrdoc.sidecar.names import ITEM_PREFIX
from lrdoc.sidecar.places import Places
from lrdoc.sidecar.shapes import AnyItem, EquationItem, TableItem

_MARKUP = re.compile(
    r"<(?P<name>table|drawing|equation|cite)(?P<attributes>\s[^<>]*)?>"
    r"|<(?P<end>/?)(?P<script>sup|sub)>"
    rf"|\[\^(?P<note>{NOTE_MARK})\]"
    rf"|(?P<reference>{ITEM_REFERENCE.pattern})"
)
_ATTRIBUTE = re.compile(r'([A-Za-z_][\w-]*)="([^"]*)"')
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_JSON_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)
_GRID = msgspec.json.Decoder(list[list[str]])
_STRING = msgspec.json.Decoder(str)
_CITED: dict[str, ItemKind] = {kind: kind for kind in ITEM_PREFIX}
_SCRIPTS = {"sup": Mark("sup"), "sub": Mark("sub")}

Parent = tuple[str, int, int]


class Found:
    """The tag of an item: where it stands and where its body is."""

    __slots__ = ("body_end", "body_start", "end", "name", "shape", "start")

    def __init__(self, name: str, shape: AnyItem, start: int, body_start: int, body_end: int, end: int) -> None:
        self.name = name
        self.shape = shape
        self.start = start
        self.body_start = body_start
        self.body_end = body_end
        self.end = end


class ContentParser:
    """Parses the contents of one document."""

    def __init__(
        self, items: Mapping[str, AnyItem], doc_hash: str, make_drawing: Callable[[Any, Source | None, str], Drawing]
    ) -> None:
        """`make_drawing` makes a Drawing of its shape, source and key: it knows the assets folder."""
        self._items = items
        self._own = tuple(f"{prefix}-{doc_hash}-" for prefix in ITEM_PREFIX.values())
        self._make_drawing = make_drawing
        self.named: frozenset[str] = frozenset()
        """Ids of items that take them as their keys."""
        self.order: list[str] = []
        """Ids of the items in the order in which they were met, those in cells right after their table."""
        self.unnamed: set[str] = set()
        """Ids of items that a citation names and for which the file keeps no key."""

    def parts(self, content: str, start: int, end: int, places: Places) -> tuple[Part, ...]:
        """The parts between two positions. Raises SidecarError when a tag names an item that does not exist."""
        return self._parts(content, start, end, places, None, {})

    def tags(self, content: str) -> Iterator[Found]:
        """The tags of items in order, those of items in cells as well. Raises SidecarError as `parts` does."""
        position = 0
        while (match := _MARKUP.search(content, position)) is not None:
            position = match.end()
            if match["name"] in ("table", "drawing", "equation"):
                found = self._item(content, match, len(content))
                if found is not None:
                    yield found
                    position = found.end

    def _parts(
        self,
        content: str,
        start: int,
        end: int,
        places: Places,
        host: Parent | None,
        nested: Mapping[tuple[str, Parent], Item],
    ) -> tuple[Part, ...]:
        parts: list[Part] = []
        script: dict[str, int] = {"sup": 0, "sub": 0}
        without_end: set[str] = set()
        run = position = start
        while (match := _MARKUP.search(content, position, end)) is not None:
            part: Part | None = None
            position = match.start() + 1
            stop = match.end()
            taken = False
            if match["note"] is not None:
                part = NoteRef(match["note"], places.source_at(match.start()))
            elif match["reference"] is not None:
                if host is not None:
                    part = nested.get((match["reference"][1:-1], host))
            elif match["script"] is not None:
                taken = self._script(content, match, end, script, without_end)
                if taken:
                    places.emit(parts, content, run, match.start(), _script_marks(script, match))
            elif host is not None and match["name"] != "equation" and match["name"] != "cite":
                pass
            else:
                found = self._item(content, match, end) if match["name"] != "cite" else None
                if found is not None and host is None:
                    places.emit(parts, content, run, match.start(), _script_marks(script))
                    item, stop = self._item_and_nested(content, found, end, places)
                    parts.append(item)
                    run = position = stop
                    continue
                if found is None:
                    part, stop = self._inline(content, match, end, places, without_end)
            if taken:
                run = position = stop
            elif part is not None:
                places.emit(parts, content, run, match.start(), _script_marks(script))
                parts.append(part)
                run = position = stop
        places.emit(parts, content, run, end, _script_marks(script))
        return merge_text(parts)

    @staticmethod
    def _script(content: str, match: re.Match[str], end: int, script: dict[str, int], without_end: set[str]) -> bool:
        """Whether `<sup>` or `</sup>` is a tag: an opening one needs its end, an end needs its opening."""
        name = match["script"]
        if match["end"]:
            if script[name] == 0:
                return False
            script[name] -= 1
            return True
        if name in without_end or content.find(f"</{name}>", match.end(), end) < 0:
            without_end.add(name)
            return False
        script[name] += 1
        return True

    def _inline(
        self, content: str, match: re.Match[str], end: int, places: Places, without_end: set[str]
    ) -> tuple[Part | None, int]:
        """An inline equation or a citation; None when it is neither."""
        name = match["name"]
        attributes = _attributes(match)
        if name not in ("equation", "cite") or "id" in attributes or name in without_end:
            return None, match.end()
        closing = f"</{name}>"
        body_end = content.find(closing, match.end(), end)
        if body_end < 0:
            without_end.add(name)
            return None, match.end()
        text = unescape(content[match.end() : body_end])
        source = places.source_at(match.start())
        stop = body_end + len(closing)
        if name == "equation":
            return InlineEquation(text, source), stop
        shape = self._items.get(attributes.get("refid", ""))
        kind = _CITED.get(attributes.get("type", ""))
        if shape is None or kind is None:
            return None, match.end()
        key = cite_key(shape)
        if not key:
            key = shape.id
            self.unnamed.add(key)
        return Citation(kind, key, text, source), stop

    def _item(self, content: str, match: re.Match[str], end: int) -> Found | None:
        """The item whose tag begins here; None when the tag names none."""
        item_id = _attributes(match).get("id")
        if item_id is None:
            return None
        shape = self._items.get(item_id)
        if shape is None:
            if item_id.startswith(self._own):
                raise SidecarError(f"the tag of {item_id} stands in the text, but no item file holds it")
            return None
        name = match["name"]
        if name == "drawing":
            return Found(name, shape, match.start(), match.end(), match.end(), match.end())
        closing = f"</{name}>"
        body_start = match.end()
        body_end = -1
        if isinstance(shape, TableItem) and shape.content and content.startswith(shape.content, body_start):
            # Other implementations do not keep `</table>` out of the body.
            body_end = body_start + len(shape.content)
            if not content.startswith(closing, body_end):
                body_end = -1
        if body_end < 0:
            body_end = content.find(closing, body_start, end)
        if body_end < 0:
            raise SidecarError(f"the tag of {item_id} has no end")
        return Found(name, shape, match.start(), body_start, body_end, body_end + len(closing))

    def _item_and_nested(self, content: str, found: Found, end: int, places: Places) -> tuple[Item, int]:
        """The item and, for a table, those that stand in its cells: their tags follow it line by line."""
        group = [found]
        ids = {found.shape.id}
        stop = found.end
        while isinstance(found.shape, TableItem) and content.startswith("\n<", stop):
            match = _MARKUP.match(content, stop + 1, end)
            if match is None or match["name"] is None or match["name"] == "cite":
                break
            below = self._item(content, match, end)
            if below is None:
                break
            parent = parent_of(below.shape)
            if parent is None or parent[0] not in ids or below.shape.id in ids:
                break
            ids.add(below.shape.id)
            group.append(below)
            stop = below.end
        self.order.extend(member.shape.id for member in group)
        nested: dict[tuple[str, Parent], Item] = {}
        # Each stands before those in its own cells: from the end, what a cell holds is made before the cell.
        for member in reversed(group):
            item = self._make(content, member, places, nested)
            parent = parent_of(member.shape)
            if member is not found and parent is not None:
                nested[member.shape.id, parent] = item
        return item, stop

    def _make(self, content: str, found: Found, places: Places, nested: Mapping[tuple[str, Parent], Item]) -> Item:
        shape = found.shape
        source = places.source_at(found.start)
        if isinstance(shape, TableItem):
            return self._table(content, found, shape, source, places, nested)
        if isinstance(shape, EquationItem):
            return Equation(
                shape.content,
                shape.caption,
                tuple(shape.footnotes),
                source,
                shape.self_ref or None,
                own_extras(shape),
                self._key(shape),
            )
        return self._make_drawing(shape, source, self._key(shape))

    def _key(self, shape: AnyItem) -> str:
        return cite_key(shape) or (shape.id if shape.id in self.named else "")

    def _table(
        self,
        content: str,
        found: Found,
        shape: TableItem,
        source: Source | None,
        places: Places,
        nested: Mapping[tuple[str, Parent], Item],
    ) -> Table:
        common = (
            shape.caption,
            tuple(shape.footnotes),
            source,
            shape.self_ref or None,
            own_extras(shape),
            self._key(shape),
        )
        if shape.format == "html":
            dimension = tuple(shape.dimension)
            return Table(
                (),
                0,
                shape.content,
                (dimension[0], dimension[1]) if len(dimension) == 2 and any(dimension) else None,
                shape.table_header or None,
                *common,
            )
        texts, offsets = _grid(content, found, shape)
        header = read_header(shape)
        spans, covered = read_spans(shape, texts)
        rows: list[tuple[Cell | None, ...]] = []
        if header and texts[: len(header)] != header:
            # Other implementations leave the header row out of the content.
            rows.extend(tuple(Cell(_plain_cell(text)) for text in row) for row in header)
        for r, row in enumerate(texts):
            cells: list[Cell | None] = []
            for c, text in enumerate(row):
                if (r, c) in covered:
                    cells.append(None)
                    continue
                parts: tuple[Part, ...] = ()
                if offsets is None:
                    parts = _plain_cell(text)
                else:
                    a, b = offsets[r][c]
                    parts = self._cell(content, text, a, b, places, (shape.id, r, c), nested)
                cells.append(Cell(parts, *spans.get((r, c), (1, 1))))
            rows.append(tuple(cells))
        return Table(tuple(rows), len(header), None, None, None, *common)

    def _cell(
        self,
        content: str,
        text: str,
        start: int,
        end: int,
        places: Places,
        place: Parent,
        nested: Mapping[tuple[str, Parent], Item],
    ) -> tuple[Part, ...]:
        """Parts of a cell whose JSON string stands, without quotes, between `start` and `end`."""
        marked = places.has_marks(start, end)
        if not marked and "<" not in text and "[" not in text and "&" not in text:
            if not text:
                return ()
            whole, source = places.only_source(start, end)
            if whole:
                return (Text(text, source),)
        inner = places.within(start, end, _decoded_offsets(content[start:end]))
        return self._parts(text, 0, len(text), inner, place, nested)


def parent_of(shape: AnyItem) -> Parent | None:
    """The cell that holds the item; None when it stands in the text."""
    parent = shape.extras.get("parent") if isinstance(shape.extras, dict) else None
    if not isinstance(parent, dict) or parent.keys() != {"id", "row", "col"}:
        return None
    item_id, row, col = parent["id"], parent["row"], parent["col"]
    if isinstance(item_id, str) and isinstance(row, int) and isinstance(col, int):
        return item_id, row, col
    return None


def cite_key(shape: AnyItem) -> str:
    """The name by which citations find the item; "" when the file keeps none."""
    key = shape.extras.get("cite_key") if isinstance(shape.extras, dict) else None
    return key if isinstance(key, str) else ""


def own_extras(shape: AnyItem) -> dict[str, Any]:
    """The engine's extras: without what the format itself keeps there."""
    if not isinstance(shape.extras, dict):
        return {}
    extras = dict(shape.extras)
    if isinstance(extras.get("cite_key"), str):
        del extras["cite_key"]
    if parent_of(shape) is not None:
        del extras["parent"]
    if isinstance(shape, TableItem) and shape.format != "html":
        extras.pop("spans", None)
    return extras


def _grid(content: str, found: Found, shape: TableItem) -> tuple[list[list[str]], list[list[tuple[int, int]]] | None]:
    """Cells as decoded text and, when tag and item say the same, where their JSON strings stand in the content."""
    body = content[found.body_start : found.body_end]
    same = body == shape.content
    try:
        texts = _GRID.decode(shape.content)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return _foreign_grid(shape), None
    if not same:
        return texts, None
    spans = [(m.start() + 1, m.end() - 1) for m in _JSON_STRING.finditer(content, found.body_start, found.body_end)]
    ends = list(accumulate(map(len, texts), initial=0))
    return texts, [spans[a:b] for a, b in pairwise(ends)]


def _foreign_grid(shape: TableItem) -> list[list[str]]:
    """A grid whose cells are not all strings, as some other program may write it."""
    try:
        grid = msgspec.json.decode(shape.content)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as e:
        raise SidecarError(f"the content is no JSON: {e}", where=shape.id) from e
    if not isinstance(grid, list) or not all(isinstance(row, list) for row in grid):
        raise SidecarError("the content is no list of rows", where=shape.id)
    return [
        [cell if isinstance(cell, str) else "" if cell is None else msgspec.json.encode(cell).decode() for cell in row]
        for row in grid
    ]


def read_header(shape: TableItem) -> list[list[str]]:
    if not isinstance(shape.table_header, str):
        return []
    try:
        return _GRID.decode(shape.table_header)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as e:
        raise SidecarError(f"table_header is no grid of strings: {e}", where=shape.id) from e


def read_spans(
    shape: TableItem, texts: Sequence[Sequence[str]]
) -> tuple[dict[tuple[int, int], tuple[int, int]], set[tuple[int, int]]]:
    """Spans by their cell, and the positions under them. Raises SidecarError when they do not fit the grid."""
    listed = shape.extras.get("spans") if isinstance(shape.extras, dict) else None
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    covered: set[tuple[int, int]] = set()
    for span in listed if isinstance(listed, list) else ():
        if not isinstance(span, list) or len(span) != 4 or not all(type(n) is int for n in span):
            raise SidecarError(f"extras.spans holds {span!r}, not [row, column, row span, column span]", where=shape.id)
        r, c, row_span, col_span = span
        if r < 0 or c < 0 or row_span < 1 or col_span < 1 or r + row_span > len(texts):
            raise SidecarError(f"the span {span} does not fit into the table", where=shape.id)
        for i in range(r, r + row_span):
            if c + col_span > len(texts[i]):
                raise SidecarError(f"the span {span} does not fit into the table", where=shape.id)
            for k in range(c, c + col_span):
                if (i, k) in covered or (i, k) in spans:
                    raise SidecarError(f"the span {span} overlaps another", where=shape.id)
                if i != r or k != c:
                    covered.add((i, k))
        spans[r, c] = (row_span, col_span)
    return spans, covered


def _plain_cell(text: str) -> tuple[Part, ...]:
    text = unescape(text)
    return (Text(text),) if text else ()


def _decoded_offsets(encoded: str) -> Sequence[int]:
    """For each position in the inside of a JSON string, the position in what it stands for."""
    if "\\" not in encoded:
        return range(len(encoded) + 1)
    places: list[int] = []
    shrink: list[int] = []
    for match in _JSON_ESCAPE.finditer(encoded):
        places.append(match.start())
        shrink.append(len(match[0]) - 1)
    total = [0, *accumulate(shrink)]
    return [offset - total[bisect_left(places, offset)] for offset in range(len(encoded) + 1)]


def read_attributes(text: str) -> dict[str, str]:
    """Attributes of a tag, with entities as they stand."""
    return dict(_ATTRIBUTE.findall(text))


def _attributes(match: re.Match[str]) -> dict[str, str]:
    return read_attributes(match["attributes"] or "")


def _script_marks(script: Mapping[str, int], match: re.Match[str] | None = None) -> tuple[Mark, ...]:
    """Marks in force before `match`, a script tag that has been counted already."""
    counts = dict(script)
    if match is not None:
        counts[match["script"]] += 1 if match["end"] else -1
    return tuple(_SCRIPTS[name] for name, count in counts.items() if count > 0)
