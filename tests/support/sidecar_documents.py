"""Documents for the laws of the sidecar: random ones, and the normal form in which they come back.

`normal_form` is the written list of what the format cannot hold (docs/sidecar-format.md, "What does not come back").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from lrdoc.document import (
    Anchor,
    Asset,
    Block,
    Cell,
    Citation,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Mark,
    Note,
    NoteRef,
    ParseWarning,
    Part,
    Position,
    Source,
    Table,
    Text,
    iter_items,
    merge_text,
)
from lrdoc.sidecar.canvas import sort_marks
from lrdoc.sidecar.info import FolderInfo, SourceFacts

DOC_ID = "doc-0123456789abcdef0123456789abcdef"
INFO = FolderInfo(
    DOC_ID,
    "report.docx",
    "native",
    "2026-01-02T03:04:05.000006+00:00",
    "native(toc=body)",
    "teP",
    {"chunk_token_size": 800},
    SourceFacts("report.[native-teP].docx", 1234, "ab" * 32),
)
ASSETS = {"a.png": b"picture a", "b.jpg": b"picture b"}

FRAGMENTS = [
    '<table id="x">', "</table>", "{{TBL:tb1}}", "<drawing/>", "<cite", "</cite>", "<equation>", "[^1]", "[^e1]: ",
    "[\\^", "&lt;table", "&amp;lt;table", "&lt;/sup>", "# ", "- ", "<", ">", "/", "table", "TABLE", "sup", "sub", "&",
    "amp;", "lt;", "[", "]", "\\", "^", '"', "'", "\n", "\t", " ", "<sup>", "</sub>", "é", "中文", "😀", "\x00", "\x1f",
    "\ud83d", "\ufffe", "\x85", "\u3000", "a", "word ", "[im-0123456789abcdef0123456789abcdef-0001]",
    "tb-0123456789abcdef0123456789abcdef-0001", "[^1]:", ":", "x2",
]  # fmt: skip

nasty = st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join) | st.text(max_size=12)
plain = st.sampled_from(["", "one", "two words", "中文", "a < b"])
texts = nasty | plain
sources = st.sampled_from(
    [None, *(Source("word/document.xml", f"body/p[{n}]") for n in (1, 2)), Source(page=3, bbox=(1.0, 2.5, 3.0, 4.0))]
)
marks = st.lists(
    st.sampled_from(
        [
            Mark("bold"),
            Mark("italic"),
            Mark("sup"),
            Mark("sub"),
            Mark("link", "https://example.org/?a=1&b=<2>"),
            Mark("ins", "", "Ann", "2020-01-01"),
        ]
    ),
    max_size=3,
).map(tuple)
text_parts = st.builds(Text, texts, sources, st.just(()) | marks)
note_marks = st.sampled_from(["1", "2", "e1"])
keys = st.sampled_from(["", "", "_Ref1", "_Ref2"])
captions = plain | nasty
footnotes = st.lists(captions, max_size=2).map(tuple)
extras = st.sampled_from([{}, {}, {"alt_text": "A <table>"}, {"parent": {"$ref": "#/x"}, "n": [1, {"a": None}]}])
self_refs = st.sampled_from([None, None, "#/tables/0"])
drawings = st.builds(
    Drawing,
    st.sampled_from([None, Asset("a.png", "", 0), Asset("b.jpg", "", 0)]),
    st.sampled_from(["", "png"]),
    st.sampled_from(["", 'https://example.org/"a"?x=<1>&y']),
    captions,
    footnotes,
    sources,
    self_refs,
    extras,
    keys,
)
equations = st.builds(Equation, texts, captions, footnotes, sources, self_refs, extras, keys)
inline_parts = (
    text_parts
    | text_parts
    | text_parts
    | st.builds(Anchor, st.sampled_from(["a1", "a<2>"]))
    | st.builds(InlineEquation, texts, sources)
    | st.builds(NoteRef, note_marks, sources)
    | st.builds(Citation, st.sampled_from(["table", "equation"]), st.sampled_from(["_Ref1", "gone"]), texts, sources)
)
simple_parts = inline_parts | inline_parts | drawings | equations
html_tables = st.builds(
    Table,
    html=st.sampled_from(
        [
            "<table><tr><td>1</td></tr></table>",
            '<table class="a>b">\n <tr><td>x<sup>2</sup><table>&lt;table</table></td></tr>\n</table> ',
            "no table at all [^1]",
        ]
    ),
    dimension=st.sampled_from([None, (1, 1), (2, 3)]),
    header_html=st.sampled_from([None, "<thead><tr><th>h</th></tr></thead>"]),
    caption=captions,
    footnotes=footnotes,
    source=sources,
    extras=extras,
    key=keys,
)


@st.composite
def grids(draw: Any, parts: Any) -> tuple[tuple[Cell | None, ...], ...]:
    """A rectangle of cells, some of which span."""
    n_rows, n_cols = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    cells = [[Cell(tuple(draw(parts))) for _ in range(n_cols)] for _ in range(n_rows)]
    grid: list[list[Cell | None]] = [list(row) for row in cells]
    if n_rows and draw(st.booleans()):
        r, c = draw(st.integers(0, n_rows - 1)), draw(st.integers(0, n_cols - 1))
        rs, cs = draw(st.integers(1, n_rows - r)), draw(st.integers(1, n_cols - c))
        for i in range(rs):
            for k in range(cs):
                grid[r + i][c + k] = None
        grid[r][c] = Cell(cells[r][c].parts, rs, cs)
    return tuple(tuple(row) for row in grid)


def tables(parts: Any) -> Any:
    return st.builds(
        Table,
        grids(parts),
        st.integers(0, 2),
        st.none(),
        st.none(),
        st.none(),
        captions,
        footnotes,
        sources,
        self_refs,
        extras,
        keys,
    )


parts_in_cells = st.recursive(
    st.lists(simple_parts, max_size=3),
    lambda inner: st.lists(simple_parts | tables(inner), max_size=2),
    max_leaves=4,
)
block_parts = st.lists(simple_parts | tables(parts_in_cells) | html_tables, max_size=6).map(tuple)
notes = st.lists(st.builds(Note, note_marks, st.lists(simple_parts, max_size=3).map(tuple)), max_size=2).map(tuple)
positions = st.sampled_from(
    [
        (),
        (Position("paraid", range=("0A", None)),),
        (Position("paraid"),),
        (Position("heading", "H"), Position("bbox", "1", (1.0, 2, 3, 4.5), (0, 5), "LEFTTOP")),
        (Position("absolute", charspan=(3, 9)),),
    ]
)
blocks = st.builds(
    Block,
    texts,
    st.integers(0, 8),
    st.lists(texts, max_size=2).map(tuple),
    block_parts,
    notes,
    st.sampled_from(["", "2.1"]),
    st.sampled_from(["body", "TOC"]),
    st.booleans(),
    positions,
    st.just("none"),
    st.sampled_from([None, "header"]),
    st.sampled_from([{}, {}, {"author": "Ann"}]),
)
documents = st.builds(
    Document,
    st.just("docx"),
    texts,
    st.lists(blocks, max_size=4).map(tuple),
    st.lists(blocks, max_size=2).map(tuple),
    st.sampled_from([{}, {"author": "Ann", "n": 3}]),
    st.sampled_from([None, {"origin": "LEFTTOP", "max": 1000}]),
    st.sampled_from([{}, {"engine_version": "1"}]),
    st.lists(
        st.builds(ParseWarning, st.just("code"), texts, st.sampled_from([None, Source("a.xml", "p[1]", page=2)])),
        max_size=2,
    ).map(tuple),
)


_UNWANTED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    return _UNWANTED.sub("", text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore"))


def normal_form(document: Document) -> Document:
    """The document as it comes back from a folder."""
    keys: set[str] = set()
    for block in (*document.blocks, *document.regions):
        for parts in (block.parts, *(note.parts for note in block.notes)):
            keys |= {item.key for item in iter_items(parts) if item.key}

    def bare(parts: Sequence[Part], trim: bool, in_cell: bool = False) -> tuple[Part, ...]:
        found: list[Part] = []
        for part in parts:
            if isinstance(part, Text):
                part = Text(clean(part.text), part.source, sort_marks(part.marks))
            elif isinstance(part, InlineEquation):
                part = InlineEquation(clean(part.latex), part.source)
            elif isinstance(part, Citation):
                if part.target in keys:
                    part = Citation(part.kind, part.target, clean(part.text), part.source)
                else:
                    part = Text(clean(part.text), part.source)
            elif isinstance(part, Table | Drawing | Equation):
                part = item(part, in_cell)
            found.append(part)
        found = list(merge_text(found))
        if trim:
            found = trimmed(found[::-1], str.rstrip)[::-1]
            found = trimmed(found, str.lstrip)
            if all(isinstance(part, Anchor) for part in found):
                found = []
        return merge_text(found)

    def trimmed(parts: list[Part], strip: Any) -> list[Part]:
        kept: list[Part] = []
        for n, part in enumerate(parts):
            if isinstance(part, Anchor):
                kept.append(part)
                continue
            if not isinstance(part, Text) or any(mark.kind in ("sup", "sub") for mark in part.marks):
                return kept + parts[n:]
            text = strip(part.text)
            if text:
                return [*kept, Text(text, part.source, part.marks), *parts[n + 1 :]]
        return kept

    def item(part: Table | Drawing | Equation, in_cell: bool) -> Table | Drawing | Equation:
        common: dict[str, Any] = {
            "caption": clean(part.caption),
            "footnotes": tuple(clean(note) for note in part.footnotes),
        }
        if in_cell:
            common["extras"] = {key: value for key, value in part.extras.items() if key != "parent"}
        if isinstance(part, Drawing):
            return msgspec.structs.replace(part, **common)
        if isinstance(part, Equation):
            return msgspec.structs.replace(part, latex=clean(part.latex), **common)
        if part.html is not None:
            return msgspec.structs.replace(part, **common)
        rows = tuple(
            tuple(
                None if cell is None else Cell(bare(cell.parts, False, True), cell.row_span, cell.col_span)
                for cell in row
            )
            for row in part.rows
        )
        return msgspec.structs.replace(part, rows=rows, header_rows=min(part.header_rows, len(rows)), **common)

    def block(one: Block) -> Block | None:
        parts = bare(one.parts, True)
        if not parts and not one.notes:
            return None
        return msgspec.structs.replace(
            one,
            heading=clean(one.heading),
            parents=tuple(clean(parent) for parent in one.parents),
            parts=parts,
            notes=tuple(Note(note.mark, bare(note.parts, True)) for note in one.notes),
        )

    return msgspec.structs.replace(
        document,
        title=clean(document.title),
        blocks=tuple(b for b in map(block, document.blocks) if b is not None),
        regions=tuple(b for b in map(block, document.regions) if b is not None),
        warnings=tuple(
            ParseWarning(w.code, clean(w.message), Source(path=w.where) if w.where else None) for w in document.warnings
        ),
    )
