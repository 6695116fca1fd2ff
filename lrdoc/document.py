"""The document model: values that engines make and everything else reads.

A document is a sequence of blocks; a block is one heading and what stands under it, before the next heading. Its
content is a flat sequence of typed parts in reading order. Lines are separated by a "\\n" inside `Text` parts. Ids,
tags, escaping and file names are unknown here: only `lrdoc.sidecar` knows them.

All values are immutable. They are msgspec structs because a large document makes a million of them and a frozen
dataclass costs seven times as much to build. The small ones are final: there `type(part) is Text`, which is faster than
`isinstance`, tells type checkers as much.

Normal form, which `merge_text` makes and the sidecar reader gives back: no empty `Text`, and no two neighbouring
`Text` parts with the same source and marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeGuard, final

import msgspec

MAX_HEADING_CHARS = 200
"""A longer heading is body text (public specification, 3.3)."""

MarkKind = Literal[
    "bold", "italic", "strike", "underline", "code", "link", "ref", "comment", "ins", "del", "sup", "sub"
]
ItemKind = Literal["table", "drawing", "equation"]


class Source(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Where a stretch of content came from; what a format does not know stays None."""

    part: str = ""
    """Part of the package or file: "word/document.xml", "ppt/slides/slide3.xml"; "" when the file is one part."""
    path: str = ""
    """Place inside the part: "body/p[12]", "body/tbl[2]/tr[1]/tc[3]/p[1]"; positions count from 1."""
    paraid: str | None = None
    """w14:paraId of the paragraph, 8 hex digits."""
    page: int | None = None
    """Page number from 1."""
    lines: tuple[int, int] | None = None
    """Half-open range of source lines, counted from 1: (5, 7) is lines 5 and 6."""
    slide: int | None = None
    sheet: str | None = None
    cells: str | None = None
    """Cell or range in the notation of spreadsheets: "C2", "A1:C9"."""
    chapter: str | None = None
    bbox: tuple[float, float, float, float] | None = None

    def where(self) -> str:
        """One readable string for messages: "word/document.xml body/p[12]"."""
        words = [word for word in (self.part, self.path) if word]
        if self.page is not None:
            words.append(f"page {self.page}")
        if self.slide is not None:
            words.append(f"slide {self.slide}")
        if self.sheet is not None:
            words.append(f"sheet {self.sheet}")
        if self.cells is not None:
            words.append(self.cells)
        if self.lines is not None:
            first, end = self.lines
            words.append(f"line {first}" if end <= first + 1 else f"lines {first}-{end - 1}")
        return " ".join(words)


class Mark(msgspec.Struct, frozen=True, gc=False):
    """A property of a stretch of text. `sup` and `sub` become tags in the content, the others ranges beside it."""

    kind: MarkKind
    target: str = ""
    """link: the address; ref: the name of the anchor; comment: the id of the comment."""
    author: str = ""
    date: str = ""


@final
class Text(msgspec.Struct, frozen=True, gc=False):
    """Characters. `source` None: written by us (list labels, the line end between paragraphs), not by the source."""

    text: str
    source: Source | None = None
    marks: tuple[Mark, ...] = ()


@final
class Anchor(msgspec.Struct, frozen=True, gc=False):
    """A point that links may lead to, such as a bookmark. Zero characters wide."""

    name: str


@final
class InlineEquation(msgspec.Struct, frozen=True, gc=False):
    """An equation inside a line. It has no id and no entry in equations.json."""

    latex: str
    source: Source | None = None


@final
class NoteRef(msgspec.Struct, frozen=True, gc=False):
    """The place where a note is called; content shows `[^1]`, endnotes `[^e1]`."""

    mark: str
    """"1", "2" … for footnotes, "e1", "e2" … for endnotes, as numbered over the document."""
    source: Source | None = None


@final
class Citation(msgspec.Struct, frozen=True, gc=False):
    """A mention of a table or equation of the same document: `<cite type="table" refid="…">Table 1</cite>`."""

    kind: ItemKind
    target: str
    """`key` of the item that is cited."""
    text: str
    source: Source | None = None


class Asset(msgspec.Struct, frozen=True, gc=False):
    """A file in the assets folder, already stored through the asset sink."""

    name: str
    """File name inside the assets folder."""
    sha256: str
    """64 hex digits."""
    size: int
    """Bytes."""


class Drawing(msgspec.Struct, frozen=True):
    """A picture or other graphical object, with or without stored bytes."""

    asset: Asset | None = None
    """None: nothing was stored (linked, over a limit, no image in the file)."""
    format: str = ""
    """png, jpeg, gif, bmp, tiff, webp, svg, emf, wmf or another extension; "" when unknown."""
    src: str = ""
    """Original reference when it was external: a URL or a relative path. Metadata only."""
    caption: str = ""
    footnotes: tuple[str, ...] = ()
    source: Source | None = None
    self_ref: str | None = None
    extras: Mapping[str, Any] = {}
    """JSON values: alt_text, title, width_pt, height_pt, …"""
    key: str = ""
    """Name by which a Citation finds the item; "" when nothing cites it."""


class Equation(msgspec.Struct, frozen=True):
    """A block equation, standing on lines of its own."""

    latex: str
    caption: str = ""
    footnotes: tuple[str, ...] = ()
    source: Source | None = None
    self_ref: str | None = None
    extras: Mapping[str, Any] = {}
    """JSON values: number ("(1)"), …"""
    key: str = ""


class Cell(msgspec.Struct, frozen=True):
    """One cell of a table. Lines are separated by "\\n" inside Text parts; items may stand inside."""

    parts: tuple[Part, ...] = ()
    row_span: int = 1
    col_span: int = 1


class Table(msgspec.Struct, frozen=True):
    """A table, either as a grid of cells (`format` json) or as verbatim HTML (`format` html)."""

    rows: tuple[tuple[Cell | None, ...], ...] = ()
    """Rectangular grid. None: the position is covered by a cell above or to the left that spans it."""
    header_rows: int = 0
    """How many leading rows are header rows. They are part of `rows`."""
    html: str | None = None
    """For html tables: `<table …>…</table>` with its outer tag; then `rows` is empty."""
    dimension: tuple[int, int] | None = None
    """Rows and columns of an html table; a grid knows its own."""
    header_html: str | None = None
    """For html tables: `<thead>…</thead>`."""
    caption: str = ""
    footnotes: tuple[str, ...] = ()
    source: Source | None = None
    self_ref: str | None = None
    extras: Mapping[str, Any] = {}
    key: str = ""


Item: TypeAlias = Table | Drawing | Equation
"""What gets an id and an entry in a sidecar file."""

Part: TypeAlias = Text | Anchor | InlineEquation | NoteRef | Citation | Table | Drawing | Equation


class Note(msgspec.Struct, frozen=True):
    """Text of a footnote or endnote; it stands at the end of the block that refers to it."""

    mark: str
    """The same as in the NoteRef that calls it."""
    parts: tuple[Part, ...] = ()


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """Position of a whole block in the terms of format 1.0 (`positions`)."""

    type: str
    """paraid, bbox, heading or absolute."""
    anchor: str | None = None
    range: tuple[Any, ...] | None = None
    charspan: tuple[int, int] | None = None
    origin: str | None = None


class Block(msgspec.Struct, frozen=True):
    """One heading and what stands under it, before the next heading; or one region outside the body."""

    heading: str = ""
    """The heading as plain text in one line, number label included; "" when the block has none."""
    level: int = 0
    """1–9; 0: no heading, or the title block."""
    parents: tuple[str, ...] = ()
    """Headings above this one, outermost first."""
    parts: tuple[Part, ...] = ()
    """The heading's own line comes first, then "\\n", then the body. Without `#`: the writer adds it."""
    notes: tuple[Note, ...] = ()
    label: str = ""
    """Number of the heading alone ("2.1"); `heading` includes it."""
    region: str = "body"
    """Value of `session_type`: body, preface, TOC, references, appendix; outside the body header, footer, comment,
    TOC, margin, page_number."""
    is_title_block: bool = False
    positions: tuple[Position, ...] = ()
    table_slice: str = "none"
    table_header: str | None = None
    extras: Mapping[str, Any] = {}
    """JSON facts that no field names: author and date of a comment, the kind of a header and its sections."""


class ParseWarning(msgspec.Struct, frozen=True):
    """Something the reader of the output should know: what was left out, guessed or repaired, and where."""

    code: str
    """Stable identifier in lower_snake_case."""
    message: str
    """One sentence: what happened, and what to do if anything can be done."""
    source: Source | None = None
    """None: the whole file."""

    @property
    def where(self) -> str:
        return self.source.where() if self.source is not None else ""


class Document(msgspec.Struct, frozen=True):
    """What an engine makes of one file.

    `kind` "structured" documents are written as blocks.jsonl with item files; "raw" ones as plain text with a source
    map, and have exactly one block of `Text` parts whose concatenation is the text.
    """

    format: str
    """Suffix of the source, lower case, without dot: docx, md, pdf."""
    title: str = ""
    blocks: tuple[Block, ...] = ()
    regions: tuple[Block, ...] = ()
    """Blocks outside the body: headers, footers, comments, table of contents."""
    attributes: Mapping[str, Any] = {}
    """Properties and front matter, JSON values (`doc_attributes`)."""
    bbox_attributes: Mapping[str, Any] | None = None
    split_option: Mapping[str, Any] = {}
    """Engine-private facts such as engine_version."""
    warnings: tuple[ParseWarning, ...] = ()
    kind: Literal["structured", "raw"] = "structured"


def merge_text(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Bring parts into normal form: empty texts go, neighbours with equal source and marks become one."""
    merged: list[Part] = []
    pending: list[str] = []
    first: Text | None = None
    for part in parts:
        if type(part) is Text:
            if not part.text:
                continue
            if first is not None and part.source == first.source and part.marks == first.marks:
                pending.append(part.text)
                continue
        if first is not None:
            merged.append(first if len(pending) == 1 else Text("".join(pending), first.source, first.marks))
            first = None
        if type(part) is Text:
            first, pending = part, [part.text]
        else:
            merged.append(part)
    if first is not None:
        merged.append(first if len(pending) == 1 else Text("".join(pending), first.source, first.marks))
    return tuple(merged)


def is_all_text(parts: Sequence[Part]) -> TypeGuard[Sequence[Text]]:
    """Whether nothing but `Text` is among the parts."""
    return all(type(part) is Text for part in parts)


def plain_text(parts: Iterable[Part]) -> str:
    """Text of the parts without tags; inline equations give their LaTeX, items nothing."""
    words: list[str] = []
    for part in parts:
        if isinstance(part, Text | Citation):
            words.append(part.text)
        elif isinstance(part, InlineEquation):
            words.append(part.latex)
    return "".join(words)


def kind_of(item: Item) -> ItemKind:
    if isinstance(item, Table):
        return "table"
    return "drawing" if isinstance(item, Drawing) else "equation"


def iter_items(parts: Iterable[Part]) -> Iterator[Item]:
    """All items in document order, those inside table cells right after their table. Does not recurse."""
    stack = [iter(parts)]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
        elif isinstance(part, Table):
            yield part
            stack.append(iter([p for row in part.rows for cell in row if cell is not None for p in cell.parts]))
        elif isinstance(part, Drawing | Equation):
            yield part
