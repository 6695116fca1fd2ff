"""Blocks of typed parts become content lines and items.

Tables may stand in cells of tables to any depth: the work on a nested table is handed to a loop (`_run`), so that depth
costs no stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from json.encoder import encode_basestring  # keeps what is not ASCII, and runs in C
from typing import Any, TypeAlias

from lrdoc.document import (
    Anchor,
    Block,
    Cell,
    Citation,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Item,
    ItemKind,
    Note,
    NoteRef,
    Part,
    Table,
    Text,
    is_all_text,
    iter_items,
    kind_of,
)
from lrdoc.sidecar.canvas import Canvas, Entry, MarkRange, encode_marks, encode_provenance
from lrdoc.sidecar.escape import NOTE_MARK, escape, escape_html, needs_escape
from lrdoc.sidecar.grid import Span, cover, width_of
from lrdoc.sidecar.names import ITEM_PREFIX, doc_hash
from lrdoc.text.clean import clean, is_clean

_NOTE_MARK = re.compile(NOTE_MARK)
_OUTER_TABLE = re.compile(r"\s*<table(?=[\s>])(?:[^>\"']|\"[^\"]*\"|'[^']*')*+>", re.IGNORECASE)
_TABLE_END = re.compile(r"</table\s*>\s*\Z", re.IGNORECASE)


class Ids:
    """Counts items by kind over the whole document: `tb-<hash>-0001`."""

    def __init__(self, doc_id: str) -> None:
        self.hash = doc_hash(doc_id)
        self.counts = dict.fromkeys(ITEM_PREFIX, 0)

    def next(self, kind: ItemKind) -> str:
        self.counts[kind] += 1
        return f"{ITEM_PREFIX[kind]}-{self.hash}-{self.counts[kind]:04d}"


class Rendered:
    """An item as it goes into its file, but for the block's id and headings."""

    __slots__ = ("content", "dimension", "html", "id", "item", "kind", "parent", "spans", "table_header")

    def __init__(self, item: Item, kind: ItemKind, item_id: str, parent: tuple[str, int, int] | None) -> None:
        self.item = item
        self.kind = kind
        self.id = item_id
        self.parent = parent
        """Id of the table, row and column of the cell that holds the item."""
        self.content = ""
        self.dimension = (0, 0)
        self.html = False
        self.table_header: str | None = None
        self.spans: list[Span] = []


class Line:
    """A block as it goes into a line."""

    __slots__ = ("content", "items", "marks", "provenance")

    def __init__(self, content: str, provenance: bytes | None, marks: bytes | None, items: list[Rendered]) -> None:
        self.content = content
        self.provenance = provenance
        self.marks = marks
        self.items = items


class _Tag:
    """A tag in content, with provenance and marks that count from its beginning."""

    __slots__ = ("entries", "ranges", "text")

    def __init__(self, text: str, entries: Sequence[Entry] = (), ranges: Sequence[MarkRange] = ()) -> None:
        self.text = text
        self.entries = entries
        self.ranges = ranges


_Hoisted: TypeAlias = "list[_Tag | None]"
"""Tags of items in cells, each before those that it holds itself."""
_Job: TypeAlias = "tuple[Rendered, _Hoisted]"
_Work: TypeAlias = "Generator[_Job, _Tag, Any]"


class Renderer:
    """Renders the blocks of one document in order: body, then regions."""

    def __init__(self, doc_id: str, assets_folder: str, keys: Callable[[], Mapping[str, str]]) -> None:
        """`keys` gives the id for every key that a citation may name; it is called when the first citation is met."""
        self._ids = Ids(doc_id)
        self._assets_folder = assets_folder
        self._load_keys = keys
        self._keys: Mapping[str, str] | None = None
        self._items: list[Rendered] = []

    def block(self, block: Block) -> Line | None:
        """None when nothing visible stands in the block."""
        parts, special = self._prepare(block.parts)
        if not parts and not block.notes:
            return None
        self._items = []
        canvas = Canvas()
        if block.level > 0:
            canvas.put("#" * min(block.level, 6) + (" " if parts else ""))
        if is_all_text(parts):
            canvas.texts(parts, special=special)
        else:
            self._run(self._parts(canvas, parts, special))
        for note in block.notes:
            self._note(canvas, note)
        return Line(
            canvas.text(),
            encode_provenance(canvas.entries) if canvas.entries else None,
            encode_marks(canvas.ranges) if canvas.ranges else None,
            self._items,
        )

    def _note(self, canvas: Canvas, note: Note) -> None:
        parts, special = self._prepare(note.parts)
        if canvas.length:
            canvas.put("\n")
        mark = note_mark(note.mark)
        start = canvas.put(f"[^{mark}]: " if parts else f"[^{mark}]:")
        self._run(self._parts(canvas, parts, special))
        canvas.note(start, mark)

    def _run(self, work: _Work) -> Any:
        """Do the work, and what it asks for before it can go on."""
        stack = [work]
        answer: Any = None
        while stack:
            try:
                rendered, hoisted = stack[-1].send(answer)
            except StopIteration as done:
                stack.pop()
                answer = done.value
            else:
                stack.append(self._table(rendered, hoisted))
                answer = None
        return answer

    def _parts(
        self,
        canvas: Canvas,
        parts: Sequence[Part],
        special: bool,
        host: tuple[str, int, int] | None = None,
        hoisted: _Hoisted | None = None,
    ) -> _Work:
        """Render parts. With `host`, the place of a cell, items leave their id here and their tag in `hoisted`."""
        run: list[Text | Anchor] = []
        for part in parts:
            if type(part) is Text or type(part) is Anchor:
                run.append(part)
                continue
            if run:
                canvas.texts(run, special=special)
                run = []
            if isinstance(part, Table | Drawing | Equation):
                rendered = self._register(part, host)
                if hoisted is None:
                    below: _Hoisted = []
                    if rendered.kind == "table":
                        tag = yield rendered, below
                    else:
                        tag = self._simple_tag(rendered)
                    canvas.place(tag.text, tag.entries, tag.ranges)
                    for tag_below in below:
                        assert tag_below is not None
                        canvas.put("\n")
                        canvas.place(tag_below.text, tag_below.entries, tag_below.ranges)
                else:
                    canvas.put(f"[{rendered.id}]")
                    place = len(hoisted)
                    hoisted.append(None)
                    if rendered.kind == "table":
                        hoisted[place] = yield rendered, hoisted
                    else:
                        hoisted[place] = self._simple_tag(rendered)
            elif type(part) is InlineEquation:
                latex = escape(clean(part.latex))
                canvas.put(f'<equation format="latex">{latex}</equation>', part.source)
            elif type(part) is NoteRef:
                canvas.put(f"[^{note_mark(part.mark)}]", part.source)
            elif type(part) is Citation:
                refid = self._known_keys()[part.target]
                canvas.put(f'<cite type="{part.kind}" refid="{refid}">{escape(clean(part.text))}</cite>', part.source)
        if run:
            canvas.texts(run, special=special)

    def _prepare(self, parts: Sequence[Part], *, trim: bool = True) -> tuple[Sequence[Part], bool]:
        """Parts without forbidden characters, without white space at both ends, with the text of a citation in the
        place of one that names nothing; and whether to look for escapes."""
        if any(type(part) is Citation for part in parts):
            parts = [self._known(part) if type(part) is Citation else part for part in parts]
        raw = "".join([part.text for part in parts if type(part) is Text])
        if not is_clean(raw):
            parts = _clean_parts(parts)
            raw = "".join([part.text for part in parts if type(part) is Text])
        if trim and raw and (raw[0].isspace() or raw[-1].isspace()):
            parts = _trim(parts)
        elif trim and not raw and all(type(part) is Text or type(part) is Anchor for part in parts):
            parts = ()
        return parts, needs_escape(raw)

    def _known(self, citation: Citation) -> Part:
        return citation if citation.target in self._known_keys() else Text(citation.text, citation.source)

    def _known_keys(self) -> Mapping[str, str]:
        if self._keys is None:
            self._keys = self._load_keys()
        return self._keys

    def _register(self, item: Item, parent: tuple[str, int, int] | None) -> Rendered:
        kind = kind_of(item)
        rendered = Rendered(item, kind, self._ids.next(kind), parent)
        self._items.append(rendered)
        return rendered

    def _simple_tag(self, rendered: Rendered) -> _Tag:
        item = rendered.item
        caption = _attribute(clean(item.caption))
        captioned = f' caption="{caption}"' if caption else ""
        if isinstance(item, Drawing):
            path = f"{self._assets_folder}/{item.asset.name}" if item.asset is not None else ""
            text = (
                f'<drawing id="{rendered.id}" format="{_attribute(clean(item.format))}"{captioned}'
                f' path="{_attribute(path)}" src="{_attribute(clean(item.src))}" />'
            )
        else:
            assert isinstance(item, Equation)
            rendered.content = clean(item.latex)
            text = f'<equation id="{rendered.id}" format="latex"{captioned}>{escape(rendered.content)}</equation>'
        return _Tag(text, [(0, len(text), item.source)] if item.source is not None else ())

    def _table(self, rendered: Rendered, hoisted: _Hoisted) -> _Work:
        table = rendered.item
        assert isinstance(table, Table)
        if table.html is not None:
            html = clean(table.html)
            rendered.html = True
            rendered.content = html
            rendered.dimension = table.dimension or (0, 0)
            rendered.table_header = None if table.header_html is None else clean(table.header_html)
            text = f'<table id="{rendered.id}" format="html">{escape_html(inner_html(html))}</table>'
            return _Tag(text, [(0, len(text), table.source)] if table.source is not None else ())
        opening = f'<table id="{rendered.id}" format="json">'
        entries: list[Entry] = [] if table.source is None else [(0, len(opening), table.source)]
        ranges: list[MarkRange] = []
        rows = yield from self._grid(rendered, table, len(opening), entries, ranges, hoisted)
        rendered.content = f"[{', '.join(rows)}]"
        if table.header_rows > 0 and rows:
            rendered.table_header = f"[{', '.join(rows[: table.header_rows])}]"
        return _Tag(f"{opening}{rendered.content}</table>", entries, ranges)

    def _grid(
        self,
        rendered: Rendered,
        table: Table,
        start: int,
        entries: list[Entry],
        ranges: list[MarkRange],
        hoisted: _Hoisted,
    ) -> Generator[_Job, _Tag, list[str]]:
        """The rows as JSON. A cell that spans is repeated at every position under it, with its provenance."""
        width = width_of(table.rows)
        rendered.dimension = (len(table.rows), width)
        rendered.spans, owners = cover(table.rows)
        wide = {(r, c) for r, c, _, _ in rendered.spans}
        repeated: dict[tuple[int, int], tuple[str, list[Entry]]] = {}
        lines: list[str] = []
        position = start + 1
        for r, row in enumerate(table.rows):
            words: list[str] = []
            position += 1
            for c, cell in enumerate(row):
                simple = cell.parts if cell is not None else ()
                if cell is None and (r, c) in owners:
                    word, own = repeated[owners[r, c]]
                    entries.extend([(a + position, b + position, source) for a, b, source in own])
                elif not simple:
                    word = '""'
                    if wide and (r, c) in wide:
                        repeated[r, c] = word, []
                elif (
                    len(simple) == 1
                    and type(part := simple[0]) is Text
                    and not part.marks
                    and part.text.isprintable()
                    and not needs_escape(part.text)
                ):
                    word = encode_basestring(part.text)
                    if part.source is not None and part.text:
                        entries.append((position + 1, position + len(word) - 1, part.source))
                    if wide and (r, c) in wide:
                        repeated[r, c] = word, [(1, len(word) - 1, part.source)] if part.source and part.text else []
                else:
                    assert cell is not None
                    word, own, marks = yield from self._cell(cell, (rendered.id, r, c), hoisted)
                    entries.extend([(a + position, b + position, source) for a, b, source in own])
                    ranges.extend([(a + position, b + position, mark) for a, b, mark in marks])
                    if (r, c) in wide:
                        repeated[r, c] = word, own
                words.append(word)
                position += len(word) + 2
            for _ in range(width - len(row)):
                words.append('""')
                position += 4
            lines.append(f"[{', '.join(words)}]")
            # "[" was counted; each word counts its ", ", the last of which is "]" and one of the row's own ", ".
            position += 1 if words else 3
        return lines

    def _cell(
        self, cell: Cell, place: tuple[str, int, int], hoisted: _Hoisted
    ) -> Generator[_Job, _Tag, tuple[str, list[Entry], list[MarkRange]]]:
        """The cell as a JSON string, its provenance and marks in positions of that string."""
        canvas = Canvas()
        parts, special = self._prepare(cell.parts, trim=False)
        yield from self._parts(canvas, parts, special, place, hoisted)
        text = canvas.text()
        word = encode_basestring(text)
        if "</" in word:
            word = word.replace("</", "<\\/")
        if len(word) == len(text) + 2:
            entries = [(a + 1, b + 1, source) for a, b, source in canvas.entries]
            return word, entries, [(a + 1, b + 1, mark) for a, b, mark in canvas.ranges]
        moved = _json_offsets(text, {p for a, b, _ in [*canvas.entries, *canvas.ranges] for p in (a, b)})
        entries = [(moved[a], moved[b], source) for a, b, source in canvas.entries]
        return word, entries, [(moved[a], moved[b], mark) for a, b, mark in canvas.ranges]


def note_mark(mark: str) -> str:
    """The mark without characters that cannot stand in `[^…]`."""
    if _NOTE_MARK.fullmatch(mark) and is_clean(mark):
        return mark
    return "".join(_NOTE_MARK.findall(clean(mark)))[:64] or "note"


def inner_html(html: str) -> str:
    """What stands between the outer `<table …>` and `</table>`; the whole text when there are no such tags."""
    opening = _OUTER_TABLE.match(html)
    if opening is None:
        return html
    closing = _TABLE_END.search(html, opening.end())
    return html if closing is None else html[opening.end() : closing.start()].strip()


def map_keys(document: Document, doc_id: str) -> dict[str, str]:
    """Key → id of every item that has a key, in the order in which `Renderer` counts. The first of a key wins."""
    ids = Ids(doc_id)
    keys: dict[str, str] = {}
    for block in (*document.blocks, *document.regions):
        for parts in (block.parts, *(note.parts for note in block.notes)):
            for item in iter_items(parts):
                item_id = ids.next(kind_of(item))
                if item.key:
                    keys.setdefault(item.key, item_id)
    return keys


def _clean_parts(parts: Iterable[Part]) -> list[Part]:
    """A character that was cut in two between two texts goes as well."""
    return [Text(clean(part.text), part.source, part.marks) if type(part) is Text else part for part in parts]


def _trim(parts: Sequence[Part]) -> Sequence[Part]:
    trimmed = list(parts)
    for step, strip in ((1, str.lstrip), (-1, str.rstrip)):
        n = 0 if step == 1 else len(trimmed) - 1
        while 0 <= n < len(trimmed):
            part = trimmed[n]
            if type(part) is Text:
                if any(mark.kind in ("sup", "sub") for mark in part.marks) and part.text:
                    break
                text = strip(part.text)
                trimmed[n] = Text(text, part.source, part.marks)
                if text:
                    break
            elif type(part) is not Anchor:
                break
            n += step
    if all(type(part) is Anchor or (type(part) is Text and not part.text) for part in trimmed):
        return ()
    return [part for part in trimmed if type(part) is not Text or part.text]


def _attribute(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _json_offsets(text: str, offsets: set[int]) -> dict[int, int]:
    """Where offsets into the text lie in its JSON string."""
    moved: dict[int, int] = {}
    done = 0
    length = 1
    for offset in sorted(offsets):
        piece = text[done:offset]
        # The backslash in `<\/` stands before the slash: a piece that ends between the two ends before it.
        start = 1 if done and piece.startswith("/") and text[done - 1] == "<" else 0
        length += len(encode_basestring(piece)) - 2 + piece.count("</") + start
        moved[offset] = length
        done = offset
    return moved
