"""Reading folders of other implementations, and folders that are broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from growth import costs_in_proportion
from shared_files import shared_dir
from sidecar_documents import DOC_ID, INFO

from lrdoc.document import (
    Block,
    Cell,
    Citation,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    NoteRef,
    Position,
    Source,
    Table,
    Text,
    iter_items,
    plain_text,
)
from lrdoc.errors import SidecarError
from lrdoc.sidecar.read import read_folder
from lrdoc.sidecar.write import write_document

HASH = DOC_ID.removeprefix("doc-")
META = {
    "type": "meta", "format": "lightrag", "version": "1.0", "document_name": "x.md", "document_format": "md",
    "document_hash": "", "table_file": True, "equation_file": False, "drawing_file": False, "asset_dir": False,
    "blocks": 1, "doc_id": DOC_ID, "parse_engine": "other", "parse_time": "T", "doc_title": "X",
}  # fmt: skip


def foreign(folder: Path, *contents: str, tables: dict[str, Any] | None = None, **line: Any) -> Document:
    """Read a folder that some other program might have written."""
    lines = [META, *({"type": "content", "blockid": "b", "format": "plain_text", "content": c, "heading": ""} | line
                     for c in contents)]  # fmt: skip
    (folder / "x.blocks.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    if tables:
        shapes = {k: {"id": k, "blockid": "b", "heading": ""} | v for k, v in tables.items()}
        (folder / "x.tables.json").write_text(json.dumps({"version": "1.0", "tables": shapes}), "utf-8")
    return read_folder(folder).document


def test_folders_of_the_established_implementation() -> None:
    shared = shared_dir()
    if shared is None:
        pytest.skip("the shared material is not there")
    root = shared / "cases" / "engines" / "reference_sidecars"
    for folder in sorted({path.parent for path in root.rglob("*.blocks.jsonl")}):
        parsed = read_folder(folder)
        meta = json.loads(next(folder.glob("*.blocks.jsonl")).read_text("utf-8").splitlines()[0])
        assert len(parsed.document.blocks) == meta["blocks"]
        items = [item for block in parsed.document.blocks for item in iter_items(block.parts)]
        told = [len(json.loads(path.read_text("utf-8"))[path.name.split(".")[-2]]) for path in folder.glob("*s.json")]
        assert len(items) == sum(told)
        assert not any("<table" in plain_text(block.parts) for block in parsed.document.blocks)
    native = read_folder(root / "native" / "sample.docx.parsed").document
    assert native.blocks[0].heading == "Preface/Uncategorized"
    assert native.blocks[1].parts == (
        Text(
            "Results\nRevenue grew by ten percent.\n\uf0b7 First bullet\n\uf0b7 Second bullet\n1. Step one\n2. Step two"
        ),
    )
    assert native.blocks[1].positions == (Position("paraid"),)
    figure = native.blocks[3].parts
    assert isinstance(figure[1], Drawing) and figure[1].asset is not None and figure[1].asset.size > 0
    assert InlineEquation("E=m{c}^{2}") in figure
    assert figure[-1] == Equation(r"\frac{a}{b}")


def test_prose_that_was_not_escaped_stays_text(tmp_path: Path) -> None:
    text = 'a <table id="x"> b </table> <drawing/> <cite> <sup> c </sub> [x] [^1] <equation> <table id="y'
    (block,) = foreign(tmp_path, text).blocks
    assert block.parts == (
        Text('a <table id="x"> b </table> <drawing/> <cite> <sup> c </sub> [x] '),
        NoteRef("1"),
        Text(' <equation> <table id="y'),
    )


def test_a_header_that_stands_in_the_item_only_comes_back_as_a_row(tmp_path: Path) -> None:
    item_id = f"tb-{HASH}-0001"
    document = foreign(
        tmp_path,
        f'<table id="{item_id}" format="json">[["1", "2"]]</table>',
        tables={item_id: {"content": '[["1", "2"]]', "table_header": '[["a", "b"]]', "dimension": [1, 2]}},
    )
    (table,) = document.blocks[0].parts
    assert isinstance(table, Table)
    assert table.header_rows == 1
    assert [[plain_text(cell.parts) for cell in row if cell] for row in table.rows] == [["a", "b"], ["1", "2"]]


def test_cells_that_are_no_strings_and_an_end_tag_in_a_cell(tmp_path: Path) -> None:
    one, two = f"tb-{HASH}-0001", f"tb-{HASH}-0002"
    body = '[["</table>", "x"]]'
    document = foreign(
        tmp_path,
        f'<table id="{one}" format="json">{body}</table> and <table id="{two}">[[1, null, true]]</table>.',
        tables={one: {"content": body}, two: {"content": "[[1, null, true]]"}},
    )
    first, between, second, _ = document.blocks[0].parts
    assert isinstance(first, Table) and isinstance(second, Table)
    assert first.rows == ((Cell((Text("</table>"),)), Cell((Text("x"),))),)
    assert between == Text(" and ")
    assert second.rows == ((Cell((Text("1"),)), Cell(), Cell((Text("true"),))),)


def test_citations_by_id(tmp_path: Path) -> None:
    item_id = f"tb-{HASH}-0001"
    document = foreign(
        tmp_path,
        f'<cite type="table" refid="{item_id}">Table 1</cite>',
        f'<table id="{item_id}" format="json">[]</table>',
        tables={item_id: {"content": "[]"}},
    )
    assert document.blocks[0].parts == (Citation("table", item_id, "Table 1"),)
    assert isinstance(document.blocks[1].parts[0], Table)
    assert document.blocks[1].parts[0].key == item_id


def test_positions_of_every_kind(tmp_path: Path) -> None:
    told = [
        {"type": "paraid", "range": [None, None]},
        {"type": "paraid", "range": None},
        {"type": "paraid", "range": ["0A", None]},
        {"type": "bbox", "anchor": "1", "range": [1, 2.5, 3, 4], "charspan": [0, 5], "origin": "LEFTTOP"},
        {"type": "heading"},
    ]
    (block,) = foreign(tmp_path, "x", positions=told).blocks
    assert block.positions == (
        Position("paraid"),
        Position("paraid"),
        Position("paraid", range=("0A", None)),
        Position("bbox", "1", (1, 2.5, 3, 4), (0, 5), "LEFTTOP"),
        Position("heading"),
    )


def test_the_first_blocks_file_in_sorted_order_is_read(tmp_path: Path) -> None:
    foreign(tmp_path, "x")
    (tmp_path / "y.blocks.jsonl").write_text("broken")
    assert read_folder(tmp_path).stem == "x"


def test_a_raw_folder(tmp_path: Path) -> None:
    parts = (Text("a <table> [^1]\n", Source(lines=(1, 2))), Text("  b", Source(lines=(2, 3))))
    document = Document("txt", "T", (Block(parts=parts),), attributes={"a": 1}, kind="raw")
    write_document(document, INFO, tmp_path)
    parsed = read_folder(tmp_path)
    assert parsed.document == document
    assert parsed.info == INFO
    assert (tmp_path / "report.txt").read_bytes() == b"a <table> [^1]\n  b"


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (f'<table id="tb-{HASH}-0007" format="json">[]</table>', {}, "no item file holds it"),
        (f'<table id="tb-{HASH}-0001" format="json">[', {}, "has no end"),
        ("x", {"provenance": [{"chars": [0, 200]}]}, "provenance"),
        ("x", {"provenance": [{"chars": [0]}]}, "not valid"),
        ("x", {"provenance": {}}, "not valid"),
        ("x", {"marks": [{"chars": [1, 0], "kind": "bold"}]}, "mark"),
        ("x", {"marks": [{"chars": [0, 1], "kind": "note", "target": "1"}]}, "note"),
        ("x" * 100, {"marks": [{"chars": [n, 70], "kind": "link", "target": str(n)} for n in range(70)]}, "64 marks"),
        ("x", {"heading": None}, "not valid"),
        ("x", {"content": 5}, "not valid"),
        ("x", {"level": "1"}, "not valid"),
    ],
)
def test_broken_lines_are_told_with_their_place(
    tmp_path: Path, content: str, line: dict[str, Any], message: str
) -> None:
    tables = {f"tb-{HASH}-0001": {"content": "[]"}}
    with pytest.raises(SidecarError, match=message) as told:
        foreign(tmp_path, "first" * 20, content, tables=tables, **line)
    assert told.value.where.startswith(("x.blocks.jsonl, line 3", "x.blocks.jsonl, line 2"))


@pytest.mark.parametrize(
    "item",
    [
        {"content": "no json"},
        {"content": "{}"},
        {"content": "[1]"},
        {"content": "[" * 100_000},
        {"content": '[["a"]]', "table_header": "[1]"},
        {"content": '[["a"]]', "extras": {"spans": [[0, 0, 2, 1]]}},
        {"content": '[["a"]]', "extras": {"spans": [[0, 0, "1", 1]]}},
        {"content": '[["a", "a"]]', "extras": {"spans": [[0, 0, 1, 2], [0, 1, 1, 1]]}},
        {"content": '[["a"]]', "extras": []},
        {"id": "other", "content": "[]"},
    ],
)
def test_broken_items_are_told(tmp_path: Path, item: dict[str, Any]) -> None:
    item_id = f"tb-{HASH}-0001"
    body = item["content"]
    with pytest.raises(SidecarError) as told:
        foreign(tmp_path, f'<table id="{item_id}" format="json">{body}</table>', tables={item_id: item})
    assert told.value.where


@pytest.mark.parametrize(
    "path", ["../x", "x.blocks.assets/../../etc/passwd", "/etc/passwd", "x.blocks.assets/", "x.blocks.assets/link.png"]
)
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "x.blocks.assets"
    folder.mkdir()
    (folder / "link.png").symlink_to("/etc/hostname")
    item_id = f"im-{HASH}-0001"
    shape = {"id": item_id, "blockid": "b", "heading": "", "path": path}
    (tmp_path / "x.drawings.json").write_text(json.dumps({"version": "1.0", "drawings": {item_id: shape}}))
    with pytest.raises(SidecarError, match=r"lead into|not there"):
        foreign(tmp_path, f'<drawing id="{item_id}" format="png" path="{path}" src="" />')


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"{", "not valid"),
        (b"[]", "not valid"),
        (b'{"type":"meta"}', "not valid"),
        (json.dumps(META | {"version": "2.0"}).encode(), "version"),
        (json.dumps(META).encode() + b"\n\xff\n", "valid"),
        (b"[" * 100_000, "valid|deep"),
    ],
)
def test_broken_files_are_told(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "x.blocks.jsonl").write_bytes(data)
    with pytest.raises(SidecarError, match=message) as told:
        read_folder(tmp_path)
    assert told.value.where.startswith("x.blocks.jsonl")


def test_folders_without_a_document(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match="holds no document"):
        read_folder(tmp_path)
    with pytest.raises(SidecarError, match="no such file"):
        read_folder(tmp_path / "none")
    (tmp_path / "r.source_map.json").write_text("{}")
    with pytest.raises(SidecarError, match="not valid"):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    "hostile", ["<table ", '<table id="', "<equation>", "<sup>", "<cite type=", "[^", "[\\", "&amp;", "</sup>"]
)
def test_hostile_content_costs_in_proportion(tmp_path: Path, hostile: str) -> None:
    """No search goes over the same text again and again."""
    costs_in_proportion(lambda content: foreign(tmp_path, content), lambda count: hostile * count, 6_000, 60_000)
