"""DoclingDocuments become documents that say all that they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from docling_bundles import Docling, everything, items_of, prov
from service_bundles import PNG, build, missing, unzip, write_and_check, write_bundle
from shared_files import shared_dir

from lrdoc.document import Document, Drawing, Equation, InlineEquation, Mark, Table, Text, iter_items, plain_text
from lrdoc.errors import EmptyDocumentError, EngineError
from lrdoc.parsers.docling import mapping
from lrdoc.parsers.docling.parser import DoclingParser


def make(folder: Path, value: Any, name: str = "x.pdf") -> Document:
    file = f"{Path(name).stem}.json"
    return build(DoclingParser(), write_bundle(folder / "raw", {file: value, "artifacts/i.png": PNG}), name)


def outline(document: Document) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(block.heading, block.level, block.parents) for block in document.blocks]


def only(document: Document, kind: type) -> list[Any]:
    return [item for block in document.blocks for item in iter_items(block.parts) if isinstance(item, kind)]


def body(document: Document) -> str:
    return "\n".join(plain_text(block.parts) for block in document.blocks)


def test_every_string_is_in_the_document_in_order(tmp_path: Path) -> None:
    value = everything()
    assert missing(make(tmp_path, value), items_of(value)) == []


def test_the_document_passes_check(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "raw", {"x.json": everything(), "artifacts/i.png": PNG})
    assert write_and_check(DoclingParser(), bundle, "x.pdf", tmp_path / "out") == []


LABELS = "title section_header list_item code formula text reference checkbox_selected page_header".split()


@pytest.mark.parametrize("label", LABELS)
def test_a_label_that_is_not_mapped_is_missed(label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(mapping.HANDLERS, label, lambda mapper, step: None)
    value = everything()
    assert missing(make(tmp_path, value), items_of(value))


@pytest.mark.parametrize("collection", ["groups", "tables", "pictures"])
def test_a_collection_that_is_not_mapped_is_missed(
    collection: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(mapping.COLLECTIONS, collection, lambda mapper, step: [])
    value = everything()
    assert missing(make(tmp_path, value), items_of(value))


def test_siblings_without_a_title_are_no_children_of_each_other(tmp_path: Path) -> None:
    d = Docling()
    for name in ("S1", "S2", "S3"):
        d.text(name, "section_header", level=1)
    d.text("deep", "section_header", level=4)
    d.text("back", "section_header", level=2)
    assert outline(make(tmp_path, d.copy())) == [
        ("S1", 2, ()),
        ("S2", 2, ()),
        ("S3", 2, ()),
        ("deep", 5, ("S3",)),
        ("back", 3, ("S3",)),
    ]


def test_a_heading_without_level_is_of_level_2(tmp_path: Path) -> None:
    d = Docling()
    d.text("Doc", "title")
    d.text("S", "section_header")
    assert outline(make(tmp_path, d.copy())) == [("Doc", 1, ()), ("S", 2, ("Doc",))]


def test_lists_keep_nesting_and_labels(tmp_path: Path) -> None:
    assert "- outer item\n  a) inner item" in body(make(tmp_path, everything()))


def test_inline_pieces_are_joined_with_the_right_blanks(tmp_path: Path) -> None:
    document = make(tmp_path, everything())
    assert "Mass bold E=mc^{2}, see site" in body(document)
    marks = {p.text: p.marks for b in document.blocks for p in b.parts if isinstance(p, Text) and p.marks}
    assert marks == {"bold": (Mark("bold"),), "site": (Mark("link", "https://example.org"),)}
    assert [p.latex for b in document.blocks for p in b.parts if isinstance(p, InlineEquation)] == ["E=mc^{2}"]


@pytest.mark.parametrize(
    "pieces, expected",
    [
        (["Intro", "bold", "."], "Intro bold."),
        (["Inline energy ", "tail"], "Inline energy tail"),
        (["中文", "段落"], "中文段落"),
        (["(", "see", ")"], "(see)"),
        (["a", " b"], "a b"),
    ],
)
def test_blanks(pieces: list[str], expected: str, tmp_path: Path) -> None:
    d = Docling()
    line = d.group("inline")
    for piece in pieces:
        d.text(piece, parent=line)
    assert body(make(tmp_path, d.copy())) == expected


def test_subscripts_stay_in_their_word(tmp_path: Path) -> None:
    d = Docling()
    line = d.group("inline")
    d.text("H", parent=line)
    d.text("2", parent=line, formatting={"script": "sub"})
    d.text("O", parent=line)
    d.text("is water", parent=line)
    assert body(make(tmp_path, d.copy())) == "H2O is water"


@pytest.mark.parametrize(
    "name, text, orig, is_equation",
    [
        ("x.pdf", "\\frac{a}{b}", "a/b", True),
        ("x.pdf", "a + b", "a + b", False),
        ("x.pdf", "x_{1}", "x_{1}", True),
        ("x.docx", "a+b", "a+b", True),
        ("x.pdf", "E = mc2 (1)", "E = mc2 (1)", False),
    ],
)
def test_formulas_are_latex_only_when_they_are(
    name: str, text: str, orig: str, is_equation: bool, tmp_path: Path
) -> None:
    d = Docling()
    d.text(text, "formula", orig=orig)
    document = make(tmp_path, d.copy(), name)
    assert [e.latex for e in only(document, Equation)] == ([text] if is_equation else [])
    assert is_equation or body(document) == text


def test_code_has_fences_language_and_caption(tmp_path: Path) -> None:
    assert "Listing\n```Python\nx = 1\n```" in body(make(tmp_path, everything()))


def test_tables_keep_spans_and_several_header_rows(tmp_path: Path) -> None:
    (table,) = only(make(tmp_path, everything()), Table)
    assert (table.header_rows, table.caption, table.footnotes) == (2, "Table caption", ("Table note",))
    assert [
        [cell and (plain_text(cell.parts), cell.row_span, cell.col_span) for cell in row] for row in table.rows
    ] == [
        [("Head", 1, 2), None],
        [("A", 1, 1), ("B", 1, 1)],
        [("tall", 2, 1), ("one", 1, 1)],
        [None, ("two", 1, 1)],
    ]
    assert table.self_ref == "#/tables/0"


def test_a_table_of_a_grid_alone(tmp_path: Path) -> None:
    d = Docling()
    grid = [
        [{"text": "a", "col_span": 2, "column_header": True}, {"text": "a", "col_span": 2, "start_col_offset_idx": 0}]
    ]
    grid.append([{"text": "b"}, {"text": "c"}])
    d.add("tables", {"label": "table", "data": {"grid": grid, "num_rows": 2, "num_cols": 2}})
    (table,) = only(make(tmp_path, d.copy()), Table)
    assert [[cell and plain_text(cell.parts) for cell in row] for row in table.rows] == [["a", None], ["b", "c"]]


def test_cells_that_overlap_or_leave_the_table_are_read(tmp_path: Path) -> None:
    d = Docling()
    d.table([(0, 0, 2, 2, "big", False), (1, 1, 1, 1, "under", False), (1, 2, 3, 9, "wide", False)])
    d.table([(0, 0, 900_000, 900_000, "huge", False), (5, 3, 1, 1, "next", False), (5, 9, 1, 1, "to it", False)])
    value = d.copy()
    value["tables"][0]["data"] |= {"num_rows": 999_999, "num_cols": 9}
    document = make(tmp_path, value)
    first, second = only(document, Table)
    assert first.rows[0][0] is not None and plain_text(first.rows[0][0].parts) == "big\nunder"
    assert (len(first.rows), len(first.rows[0])) == (4, 11)
    assert [[cell and plain_text(cell.parts) for cell in row] for row in second.rows] == [
        ["huge", ""],
        ["next", "to it"],
    ]
    assert write_and_check(DoclingParser(), tmp_path / "raw", "x.pdf", tmp_path / "out") == []


def test_rich_cells_keep_their_items(tmp_path: Path) -> None:
    d = Docling()
    table = d.table([])
    group = d.group("unspecified", table)
    d.text("first line", parent=group)
    d.text("point", "list_item", d.group("list", group), marker="")
    d.picture(group, image={"uri": "artifacts/i.png"})
    cells = [{"text": "first line point", "start_row_offset_idx": 0, "start_col_offset_idx": 0, "ref": {"$ref": group}}]
    d.node(table)["data"]["table_cells"] = cells
    document = make(tmp_path, d.copy())
    (found,) = only(document, Table)
    (cell,) = found.rows[0]
    assert plain_text(cell.parts) == "first line\n- point\n"
    assert len(only(document, Drawing)) == 1
    assert "first line" not in "".join(p.text for b in document.blocks for p in b.parts if isinstance(p, Text))
    assert write_and_check(DoclingParser(), tmp_path / "raw", "x.pdf", tmp_path / "out") == []


def test_an_empty_table_leaves_its_caption(tmp_path: Path) -> None:
    d = Docling()
    d.table([], captions=[{"$ref": d.text("lonely caption", "caption")}])
    assert body(make(tmp_path, d.copy())) == "lonely caption"


def test_pictures_keep_caption_inner_text_and_what_models_said(tmp_path: Path) -> None:
    shown, bare = only(make(tmp_path, everything()), Drawing)
    assert shown.asset is not None and (shown.format, shown.caption) == ("png", "Figure one")
    assert shown.extras["intrinsic_size"] == [4, 3]
    assert shown.extras["ocr_texts"] == "words in the picture"
    assert shown.extras["annotations"][0]["text"] == "a model sees a map"
    assert shown.self_ref == "#/pictures/0"
    assert (bare.asset, bare.caption, bare.extras["ocr_texts"]) == (None, "Figure without image", "inner words")


@pytest.mark.parametrize(
    "uri, stored, src, warned",
    [
        ("data:image/png;base64,iVBORw0KGgo=", True, "", False),
        ("data:image/png;base64,", False, "", True),
        ("https://example.org/a.png", False, "https://example.org/a.png", False),
        ("../../etc/passwd", False, "", True),
        ("file:///etc/passwd", False, "", True),
        ("artifacts/none.png", False, "", True),
    ],
)
def test_addresses_of_pictures(uri: str, stored: bool, src: str, warned: bool, tmp_path: Path) -> None:
    d = Docling()
    d.picture(image={"uri": uri})
    document = make(tmp_path, d.copy())
    (drawing,) = only(document, Drawing)
    assert (drawing.asset is not None, drawing.src, bool(document.warnings)) == (stored, src, warned)


def test_boxes_stay_as_the_service_says_them(tmp_path: Path) -> None:
    value = everything()
    value["pages"] = {"1": {"size": {"width": 612.0, "height": 792.0}, "page_no": 1}}
    document = make(tmp_path, value)
    assert [(p.anchor, p.range, p.charspan, p.origin) for p in document.blocks[0].positions] == [
        ("1", (1.0, 9.0, 5.0, 2.0), (0, 5), None),
        ("1", (1.0, 2.0, 3.0, 4.0), (0, 5), "LEFTTOP"),
    ]
    assert document.bbox_attributes == {"origin": "LEFTBOTTOM"}
    assert document.split_option["page_sizes"] == {"1": [612.0, 792.0]}


def test_regions(tmp_path: Path) -> None:
    document = make(tmp_path, everything())
    assert [(r.region, plain_text(r.parts)) for r in document.regions] == [
        ("header", "Running head"),
        ("comment", "a comment"),
        ("margin", "hidden words"),
        ("footer", "Running foot"),
    ]


def test_checkboxes_forms_and_fields(tmp_path: Path) -> None:
    text = body(make(tmp_path, everything()))
    for line in ("[x] done", "[ ] open", "Name: Ada", "Born: 1815"):
        assert f"\n{line}" in text


def test_a_form_cell_that_stands_in_the_text_is_not_repeated(tmp_path: Path) -> None:
    d = Docling()
    key = d.text("Name")
    cells = [{"cell_id": 0, "label": "key", "text": "Name", "item_ref": {"$ref": key}}, {"cell_id": 1, "text": "Ada"}]
    d.add("key_value_items", {"graph": {"cells": cells, "links": []}}, None)
    assert body(make(tmp_path, d.copy())) == "Name\nAda"


def test_sheets_are_headings_and_slides_are_slides(tmp_path: Path) -> None:
    d = Docling()
    d.table([(0, 0, 1, 1, "v", False)], d.group("sheet", name="Budget"), prov=prov(1, (0, 0, 1, 1), "TOPLEFT"))
    document = make(tmp_path, d.copy(), "x.xlsx")
    assert outline(document) == [("Budget", 1, ())]
    (table,) = only(document, Table)
    assert table.source is not None and (table.source.sheet, table.source.page) == ("Budget", None)
    d = Docling()
    d.text("words", prov=prov(4, (0, 0, 1, 1), "TOPLEFT"))
    first = make(tmp_path / "b", d.copy(), "x.pptx").blocks[0].parts[0]
    assert isinstance(first, Text) and first.source is not None and first.source.slide == 4


def test_unknown_labels_are_told_once_each(tmp_path: Path) -> None:
    d = Docling()
    for n in range(3):
        d.text(f"words {n}", "novelty")
    document = make(tmp_path, d.copy())
    assert [warning.code for warning in document.warnings] == ["unknown_item"]


def test_texts_that_stand_nowhere_are_kept(tmp_path: Path) -> None:
    d = Docling()
    d.text("placed")
    d.text("stray", parent=None)
    document = make(tmp_path, d.copy())
    assert [(r.region, plain_text(r.parts)) for r in document.regions] == [("margin", "stray")]
    assert [warning.code for warning in document.warnings] == ["unplaced_item"]


def test_comments_that_hang_on_texts_are_comments(tmp_path: Path) -> None:
    d = Docling()
    d.text("words")
    group = d.add("groups", {"label": "comment_section", "name": "comment"}, None)
    d.text("said of it", parent=group)
    document = make(tmp_path, d.copy())
    assert [(r.region, plain_text(r.parts)) for r in document.regions] == [("comment", "said of it")]
    assert document.warnings == ()


def test_circles_and_dangling_references_end(tmp_path: Path) -> None:
    d = Docling()
    first = d.group("section")
    second = d.group("section", first)
    d.text("inside", parent=second)
    d.node(second)["children"] += [{"$ref": first}, {"$ref": "#/texts/99"}, {"$ref": "nowhere"}, 7, {"$ref": "#/body"}]
    assert body(make(tmp_path, d.copy())) == "inside"


def test_depth_costs_no_stack(tmp_path: Path) -> None:
    d = Docling()
    parent = "#/body"
    for _ in range(3000):
        parent = d.group("list", parent)
        parent = d.text("x", "list_item", parent, marker="")
    document = make(tmp_path, d.copy())
    assert body(document).count("x") == 3000


def test_an_empty_document_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocumentError):
        make(tmp_path, Docling().copy())


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b"17", b'{"a": 1}', b'{"body": 3}'])
def test_a_broken_file_is_an_engine_error(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        make(tmp_path, data)


def test_several_documents_in_a_bundle_are_an_error(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "raw", {"a.json": everything(), "b.json": everything()})
    with pytest.raises(EngineError, match="several documents"):
        build(DoclingParser(), bundle, "x.pdf")


def test_strange_values_are_no_trouble(tmp_path: Path) -> None:
    for number, odd in enumerate((None, 7, "words", [], {}, [[]], {"$ref": 5})):
        value = everything()
        for name in ("texts", "tables", "pictures", "groups"):
            for node in value[name]:
                for key in ("prov", "captions", "data", "image", "formatting", "level", "marker", "graph"):
                    if key in node:
                        node[key] = odd
        make(tmp_path / str(number), value)


def recorded() -> list[Any]:
    shared = shared_dir()
    folder = shared / "cases" / "engines" if shared else None
    found = sorted(folder.glob("docling_*/*.zip")) if folder else []
    raws = sorted(folder.glob("reference_sidecars/*/*.docling_raw")) if folder else []
    return [pytest.param(path, id=f"{path.parent.name}-{path.name}") for path in (*found, *raws)]


@pytest.mark.parametrize("path", recorded())
def test_recorded_bundles_are_whole_documents(path: Path, tmp_path: Path) -> None:
    bundle = unzip(path, tmp_path / "raw") if path.is_file() else path
    name = path.name.removesuffix(".docling_raw").removesuffix(".zip").removesuffix(".result")
    (file,) = (p for p in bundle.glob("*.json") if p.name != "_manifest.json")
    document = build(DoclingParser(), bundle, name)
    assert missing(document, items_of(json.loads(file.read_bytes()))) == []
    assert write_and_check(DoclingParser(), bundle, name, tmp_path / "out") == []
