"""Bundles of every version of MinerU become documents that say all that the bundle says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mineru_bundles import CONTENT_LIST, CONTENT_LIST_V2, MIDDLE, OLD_MIDDLE, PICTURES, STRUCTURED, items_of
from service_bundles import PNG, build, missing, unzip, write_and_check, write_bundle
from shared_files import shared_dir

from lrdoc.document import (
    Anchor,
    Block,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Mark,
    Table,
    Text,
    iter_items,
    plain_text,
)
from lrdoc.errors import EmptyDocumentError, EngineError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.mineru import mapping
from lrdoc.parsers.mineru.parser import MineruParser
from lrdoc.parsers.mineru.settings import MineruSettings
from lrdoc.testing.assets import MemoryAssets

FILES: dict[str, Any] = {
    "content_list.json": CONTENT_LIST,
    "middle_json.json": MIDDLE,
    "structured_content.json": STRUCTURED,
    "x_middle.json": OLD_MIDDLE,
    "x_content_list_v2.json": CONTENT_LIST_V2,
}


def make(folder: Path, value: Any, file: str = "content_list.json", name: str = "x.pdf", **more: Any) -> Document:
    bundle = write_bundle(folder / "raw", {file: value, **PICTURES})
    return build(MineruParser(), bundle, name, **more)


def text(*items: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "text", "page_idx": 0, **item} for item in items]


def outline(document: Document) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(block.heading, block.level, block.parents) for block in document.blocks]


def only(document: Document, kind: type) -> list[Any]:
    return [item for block in document.blocks for item in iter_items(block.parts) if isinstance(item, kind)]


def body(document: Document) -> str:
    return "\n".join(plain_text(block.parts) for block in document.blocks)


@pytest.mark.parametrize("file", FILES)
def test_every_string_of_the_bundle_is_in_the_document_in_order(file: str, tmp_path: Path) -> None:
    assert missing(make(tmp_path, FILES[file], file), items_of(FILES[file])) == []


@pytest.mark.parametrize("file", FILES)
def test_the_document_passes_check(file: str, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "raw", {file: FILES[file], **PICTURES})
    assert write_and_check(MineruParser(), bundle, "x.pdf", tmp_path / "out") == []


@pytest.mark.parametrize("kind", list(mapping.HANDLERS))
def test_a_kind_that_is_not_mapped_is_missed(kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(mapping.HANDLERS, kind, lambda mapper, item: None)
    lost = missing(make(tmp_path, CONTENT_LIST), items_of(CONTENT_LIST))
    assert lost


def test_headings_come_out_of_their_levels(tmp_path: Path) -> None:
    items = text(
        {"text": "A", "text_level": 1},
        {"text": "B", "text_level": 3},
        {"text": "C", "text_level": 3},
        {"text": "D", "text_level": 2},
    )
    document = make(tmp_path, items)
    assert outline(document) == [("A", 1, ()), ("B", 3, ("A",)), ("C", 3, ("A",)), ("D", 2, ("A",))]


def test_siblings_without_a_title_are_no_children_of_each_other(tmp_path: Path) -> None:
    items = text(*({"text": name, "text_level": 2} for name in ("One", "Two", "Three")))
    assert outline(make(tmp_path, items)) == [("One", 2, ()), ("Two", 2, ()), ("Three", 2, ())]


def test_emphasis_leaves_the_heading_and_becomes_marks(tmp_path: Path) -> None:
    document = make(tmp_path, text({"text": "## **Results** of *2024*", "text_level": 2}))
    (block,) = document.blocks
    assert block.heading == "Results of 2024"
    marks = {part.text: [mark.kind for mark in part.marks] for part in block.parts if isinstance(part, Text)}
    assert marks == {"Results": ["bold"], " of ": [], "2024": ["italic"]}


def test_links_inside_the_document_lead_to_anchors(tmp_path: Path) -> None:
    items = text({"text": "  Part **one**", "text_level": 1, "anchor": "part-1"}, {"text": "see [there](#part-1)"})
    (block,) = make(tmp_path, items, name="x.docx").blocks
    assert block.heading == "Part one"
    assert block.parts[0] == Anchor("part-1")
    assert [m for p in block.parts if isinstance(p, Text) for m in p.marks if m.kind == "ref"] == [
        Mark("ref", "part-1")
    ]
    assert write_and_check(MineruParser(), tmp_path / "raw", "x.docx", tmp_path / "out") == []


def test_a_long_heading_is_text_with_a_warning(tmp_path: Path) -> None:
    document = make(tmp_path, text({"text": "word " * 60, "text_level": 1}))
    assert [block.heading for block in document.blocks] == [""]
    assert [warning.code for warning in document.warnings] == ["long_heading"]


def test_what_stands_outside_the_body_is_a_region(tmp_path: Path) -> None:
    document = make(tmp_path, CONTENT_LIST)
    found = [(region.region, plain_text(region.parts)) for region in document.regions]
    assert found == [
        ("header", "Running head"),
        ("margin", "at the margin"),
        ("footnote", "1 a note below"),
        ("page_number", "12"),
        ("TOC", "Contents line 9"),
        ("footer", "Running foot"),
    ]
    assert "Running" not in body(document)


def test_pictures_keep_captions_notes_and_what_a_model_said(tmp_path: Path) -> None:
    image, chart = only(make(tmp_path, CONTENT_LIST), Drawing)
    assert (image.caption, image.footnotes) == ("Figure 1 map detail", ("surveyed",))
    assert image.extras["captions"] == ["Figure 1 map", "detail"]
    assert image.extras["content"] == "a model sees a map"
    assert image.asset is not None and image.format == "png"
    assert image.self_ref == "content_list.json#/10"
    assert (chart.caption, chart.extras["type"], chart.extras["content"]) == ("Chart A", "chart", "| y | 3 |")


def test_tables_keep_html_with_spans_and_their_crop(tmp_path: Path) -> None:
    table, grid = only(make(tmp_path, CONTENT_LIST), Table)
    assert table.html is not None and table.html.startswith("<table>") and "rowspan=2" in table.html
    assert table.dimension == (3, 2)
    assert table.header_html == "<thead><tr><th colspan=2>Numbers</th></tr></thead>"
    assert table.footnotes == ("measured", "estimated")
    assert table.extras["image"] == "images/t.png"
    assert [[plain_text(cell.parts) for cell in row] for row in grid.rows] == [["one", "two"], ["three", "4"]]


@pytest.mark.parametrize(
    "table_body, expected",
    [
        ('[["x","y"]]', [["x", "y"]]),
        ("plain words", [["plain words"]]),
        ([["h", "i"], [{"text": "c"}, 1]], [["h", "i"], ["c", "1"]]),
        ({"grid": [["a"], ["b", "c"]]}, [["a", ""], ["b", "c"]]),
    ],
)
def test_tables_in_other_forms_are_grids(table_body: Any, expected: list[list[str]], tmp_path: Path) -> None:
    (table,) = only(make(tmp_path, [{"type": "table", "table_body": table_body}]), Table)
    assert [[plain_text(cell.parts) for cell in row] for row in table.rows] == expected


def test_an_html_table_that_was_cut_off_and_text_around_tables(tmp_path: Path) -> None:
    items = [
        {"type": "table", "table_body": "<table><tr><td>cut"},
        {"type": "table", "table_body": "above<table><tr><td>1</td></tr></table><table><tr><td>2</td></tr></table>"},
        {"type": "table", "table_body": "<table><tr><td>out<table><tr><td>in</td></tr></table></td></tr></table>"},
        {"type": "table", "table_body": "", "img_path": "images/t.png", "table_caption": ["only a picture"]},
    ]
    document = make(tmp_path, items)
    assert missing(document, [["cut"], ["above", "1", "2"], ["out", "in"], ["only a picture"]]) == []
    assert len(only(document, Table)) == 4
    assert [drawing.caption for drawing in only(document, Drawing)] == ["only a picture"]
    bundle = tmp_path / "raw"
    assert write_and_check(MineruParser(), bundle, "x.pdf", tmp_path / "out") == []


def test_code_has_fences_its_language_and_its_caption(tmp_path: Path) -> None:
    assert "Listing 1\n```py\nx = 1\n```" in body(make(tmp_path, CONTENT_LIST))


def test_equations_are_bare_latex(tmp_path: Path) -> None:
    document = make(tmp_path, CONTENT_LIST)
    (equation,) = only(document, Equation)
    assert equation.latex == "\\frac{p}{q}"
    assert equation.extras == {"image": "images/e.png"}
    inline = [p.latex for block in document.blocks for p in block.parts if isinstance(p, InlineEquation)]
    assert inline == ["a^2", "z"]


def test_boxes_and_pages_are_positions_in_the_order_of_format_1(tmp_path: Path) -> None:
    items = text(
        {"text": "A", "text_level": 1, "bbox": [1, 2, 3, 4], "page_idx": 0},
        {"text": "no box", "page_idx": 1},
        {"text": "roman", "page_idx": "iv"},
        {"text": "broken box", "bbox": ["a", 1, 2, 3], "page_idx": 1},
        {"text": "no page", "page_idx": True},
    )
    document = make(tmp_path, items)
    assert [(p.anchor, p.range) for p in document.blocks[0].positions] == [
        ("2", None),
        ("iv", None),
        ("1", (1.0, 2.0, 3.0, 4.0)),
    ]
    assert document.bbox_attributes == {"origin": "LEFTTOP", "max": 1000}
    sources = [p.source for p in document.blocks[0].parts if isinstance(p, Text) and p.source is not None]
    assert [(s.page, s.bbox) for s in sources[:2]] == [(1, (1.0, 2.0, 3.0, 4.0)), (2, None)]


@pytest.mark.parametrize(
    "file, box", [("middle_json.json", (100.0, 200.0, 500.0, 250.0)), ("x_middle.json", (100.0, 100.0, 500.0, 200.0))]
)
def test_boxes_of_other_scales_are_thousandths(file: str, box: tuple[float, ...], tmp_path: Path) -> None:
    document = make(tmp_path, FILES[file], file)
    assert [p.range for p in document.blocks[0].positions if p.range] == [box]


def test_files_without_pages_get_none_and_slides_are_slides(tmp_path: Path) -> None:
    items = text({"text": "words", "page_idx": 2})
    flowing = make(tmp_path / "a", items, name="x.docx")
    slides = make(tmp_path / "b", items, name="x.pptx")
    assert flowing.blocks[0].positions == ()
    first = slides.blocks[0].parts[0]
    assert isinstance(first, Text) and first.source is not None and first.source.slide == 3


def test_settings_name_other_boxes(tmp_path: Path) -> None:
    settings = MineruSettings(bbox_attributes={"origin": "LEFTTOP", "max": 1})
    assert make(tmp_path, CONTENT_LIST, settings=settings).bbox_attributes == {"origin": "LEFTTOP", "max": 1}


def test_nested_lists_are_indented(tmp_path: Path) -> None:
    assert "- outer\n  - nested" in body(make(tmp_path / "a", MIDDLE, "middle_json.json"))
    assert "3. three\n4. four" in body(make(tmp_path / "b", OLD_MIDDLE, "x_middle.json"))
    assert "- first\n  a) inner" in body(make(tmp_path / "c", CONTENT_LIST_V2, "content_list_v2.json"))


def test_lines_of_a_paragraph_are_joined(tmp_path: Path) -> None:
    assert "two lines of one paragraph" in body(make(tmp_path, OLD_MIDDLE, "x_middle.json"))


def test_spans_of_version_4_are_marks_and_links(tmp_path: Path) -> None:
    document = make(tmp_path, MIDDLE, "middle_json.json")
    assert document.title == "Report"
    assert document.attributes == {"title": "Core title"}
    assert document.split_option == {"engine_version": "4.0.12"}
    marks = {
        part.text: part.marks[0] for b in document.blocks for part in b.parts if isinstance(part, Text) and part.marks
    }
    assert marks["site"].target == "https://example.org"
    assert marks["call()"].kind == "code"
    (table,) = only(document, Table)
    assert (table.caption, table.footnotes) == ("Table 1 rain", ("measured",))
    assert table.self_ref == "middle_json.json#/pages/0/blocks/4"


def test_a_kind_of_a_later_version_is_text_and_told_once(tmp_path: Path) -> None:
    document = make(tmp_path, [{"type": "novelty", "text": f"words {n}"} for n in range(3)])
    assert body(document) == "words 0\nwords 1\nwords 2"
    assert [warning.code for warning in document.warnings] == ["unknown_item"]


def test_pictures_outside_the_bundle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    items = [{"type": "image", "img_path": path} for path in ("../secret.png", "/etc/passwd", "file:///etc/passwd")]
    document = make(tmp_path, items)
    assert [drawing.asset for drawing in only(document, Drawing)] == [None, None, None]
    assert len(document.warnings) == 3


def test_a_link_in_the_bundle_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    bundle = write_bundle(tmp_path / "raw", {"content_list.json": [{"type": "image", "img_path": "images/l.png"}]})
    (bundle / "images").mkdir()
    (bundle / "images/l.png").symlink_to(tmp_path / "secret.png")
    assert [d.asset for d in only(build(MineruParser(), bundle, "x.pdf"), Drawing)] == [None]


def test_the_official_service_names_pictures_by_address(tmp_path: Path) -> None:
    items = [
        {"type": "image", "img_path": "https://cdn.example/a/p.png?sig=1"},
        {"type": "image", "img_path": "https://x.example/q.png"},
    ]
    first, second = only(make(tmp_path, items), Drawing)
    assert first.asset is not None and first.src == ""
    assert second.asset is None and second.src == "https://x.example/q.png"


def test_pictures_in_lines_and_cells_are_stored(tmp_path: Path) -> None:
    items = [
        {"type": "text", "text": "see ![a map](images/p.png) here"},
        {"type": "table", "table_body": '<table><tr><td><img src="images/c.png"/>c</td></tr></table>'},
    ]
    document = make(tmp_path, items, name="x.docx")
    assert [(d.asset is not None, dict(d.extras)) for d in only(document, Drawing)] == [
        (True, {"alt_text": "a map"}),
        (True, {"in_table": True}),
    ]
    assert write_and_check(MineruParser(), tmp_path / "raw", "x.docx", tmp_path / "out") == []


@pytest.mark.parametrize("value", [[], [{}], [{"type": "text", "text": "  "}], {"content_list": []}])
def test_a_bundle_with_nothing_in_it_is_an_error(value: Any, tmp_path: Path) -> None:
    with pytest.raises(EmptyDocumentError):
        make(tmp_path, value)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'"text"', b"17", b'{"a": 1}'])
def test_a_broken_file_is_an_engine_error(data: bytes, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "raw", {"content_list.json": data})
    with pytest.raises(EngineError):
        build(MineruParser(), bundle, "x.pdf")


def test_strange_values_are_no_trouble(tmp_path: Path) -> None:
    data = json.dumps(CONTENT_LIST).replace('"page_idx": 0', '"page_idx": NaN').replace("Plain", "\\ud800")
    bundle = write_bundle(tmp_path / "raw", {"content_list.json": data.encode(), **PICTURES})
    assert write_and_check(MineruParser(), bundle, "x.pdf", tmp_path / "out") == []
    odd: list[Any] = [None, 3, "words", {"type": ["x"], "text": 7}, {"type": "table", "table_body": [None, [None]]}]
    odd += [
        {"type": kind, "text": {"a": 1}, "list_items": 5, "bbox": {}} for kind in ("list", "code", "image", "chart")
    ]
    assert "words" in body(make(tmp_path / "b", odd))


def test_a_bundle_without_content_says_so(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "raw", {"x.md": b"# x"})
    with pytest.raises(EngineError, match="neither content_list"):
        build(MineruParser(), bundle, "x.pdf")


def recorded() -> list[Any]:
    shared = shared_dir()
    folder = shared / "cases" / "engines" if shared else None
    found = sorted(folder.glob("mineru_*/*.zip")) if folder else []
    raws = sorted(folder.glob("reference_sidecars/*/*.mineru_raw")) if folder else []
    return [pytest.param(path, id=f"{path.parent.name}-{path.name}") for path in (*found, *raws)]


@pytest.mark.parametrize("path", recorded())
def test_recorded_bundles_are_whole_documents(path: Path, tmp_path: Path) -> None:
    bundle = unzip(path, tmp_path / "raw") if path.is_file() else path
    name = (
        path.name.removesuffix(".mineru_raw").removesuffix(".zip").removesuffix(".file_parse").removesuffix(".result")
    )
    files = [*bundle.rglob("*content_list.json"), *bundle.rglob("middle_json.json")]
    document = build(MineruParser(), bundle, name)
    assert missing(document, items_of(json.loads(files[0].read_bytes()))) == []
    assert write_and_check(MineruParser(), bundle, name, tmp_path / "out") == []
    assert all(isinstance(block, Block) for block in document.blocks)


def test_bundles_of_another_implementation_can_be_replayed() -> None:
    shared = shared_dir()
    if shared is None:
        return
    for bundle in sorted((shared / "cases" / "engines" / "reference_sidecars").glob("*/*.mineru_raw")):
        name = bundle.name.removesuffix(".mineru_raw")
        source = SourceFile(bundle.parent / name, name)
        assert MineruParser().replay(bundle, source, {}, ParseContext(MemoryAssets())).blocks
