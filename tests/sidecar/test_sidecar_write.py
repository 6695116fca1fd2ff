"""What stands in the files: the vectors of the format's description, and our additions."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from growth import costs_in_proportion
from sidecar_documents import DOC_ID, INFO

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
)
from lrdoc.errors import SidecarError, UsageError
from lrdoc.sidecar.digest import meta_digest
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.merged import content_hash, document_hash, merge, read_merged
from lrdoc.sidecar.read import read_folder
from lrdoc.sidecar.write import write_document

HASH = DOC_ID.removeprefix("doc-")


def p(n: int) -> Source:
    return Source("word/document.xml", f"body/p[{n}]")


def grid(*rows: list[str]) -> tuple[tuple[Cell | None, ...], ...]:
    return tuple(tuple(Cell((Text(text),) if text else ()) for text in row) for row in rows)


def write(folder: Path, *blocks: Block, **more: Any) -> list[dict[str, Any]]:
    """Write a document; returns the lines of its blocks file."""
    write_document(Document("docx", "T", blocks, **more), INFO, folder)
    return [json.loads(line) for line in (folder / "report.blocks.jsonl").read_text("utf-8").splitlines()]


def items(folder: Path, root: str) -> list[dict[str, Any]]:
    return list(json.loads((folder / f"report.{root}.json").read_text("utf-8"))[root].values())


def part(folder: Path, *parts: Part, **more: Any) -> dict[str, Any]:
    """The only content line of a document with one block."""
    return write(folder, Block(parts=parts, **more))[1]


def test_the_meta_line(tmp_path: Path) -> None:
    meta = write(
        tmp_path,
        Block("Real H1", 1, (), (Text("Real H1", p(1)), Text("\n"), Text("t", p(2))), positions=(Position("paraid"),)),
        attributes={"author": "Ann"},
        warnings=(ParseWarning("odd", "Something is odd.", p(3)),),
    )[0]
    assert list(meta) == [
        "type", "format", "version", "document_name", "document_format", "document_hash", "table_file", "equation_file",
        "drawing_file", "asset_dir", "blocks", "doc_id", "parse_engine", "parse_time", "doc_title", "doc_attributes",
        "lrdoc",
    ]  # fmt: skip
    assert meta["parse_engine"] == "native"
    text = "# Real H1\nt"
    assert meta["document_hash"] == document_hash(text) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    digests = meta["lrdoc"].pop("digests")
    lines = (tmp_path / "report.blocks.jsonl").read_bytes().split(b"\n", 1)
    assert digests == {"blocks": hashlib.sha256(lines[1]).hexdigest(), "meta": meta_digest(lines[0])}
    assert meta["lrdoc"] == {
        "parse_engine": "native(toc=body)",
        "process_options": "teP",
        "chunk_options": {"chunk_token_size": 800},
        "source": {"name": "report.[native-teP].docx", "bytes": 1234, "sha256": "ab" * 32},
        "content_hash": hashlib.md5(text.encode()).hexdigest(),
        "warnings": [{"code": "odd", "message": "Something is odd.", "where": "word/document.xml body/p[3]"}],
    }


def test_a_content_line(tmp_path: Path) -> None:
    line = write(
        tmp_path,
        Block("Real H1", 1, (), (Text("Real H1", p(1)), Text("\n"), Text("t", p(2))), positions=(Position("paraid"),)),
    )[1]
    content = "# Real H1\nt"
    assert list(line.items()) == [
        ("type", "content"),
        ("blockid", hashlib.md5(f"{DOC_ID}:0:Real H1:{content}".encode()).hexdigest()),
        ("format", "plain_text"),
        ("content", content),
        ("heading", "Real H1"),
        ("parent_headings", []),
        ("level", 1),
        ("session_type", "body"),
        ("table_slice", "none"),
        ("positions", [{"type": "paraid", "range": None}]),
        (
            "provenance",
            [
                {"chars": [2, 9], "part": "word/document.xml", "path": "body/p[1]"},
                {"chars": [10, 11], "part": "word/document.xml", "path": "body/p[2]"},
            ],
        ),
    ]


def test_a_deep_heading_has_six_marks(tmp_path: Path) -> None:
    line = part(tmp_path, Text("H8"), heading="H8", level=8)
    assert (line["content"], line["level"]) == ("###### H8", 8)


def test_a_table_in_json(tmp_path: Path) -> None:
    line = part(tmp_path, Table(grid(["a", "b"], ["1", "2"]), header_rows=1))
    assert line["content"] == f'<table id="tb-{HASH}-0001" format="json">[["a", "b"], ["1", "2"]]</table>'
    assert items(tmp_path, "tables") == [
        {
            "id": f"tb-{HASH}-0001",
            "blockid": line["blockid"],
            "heading": "",
            "parent_headings": [],
            "dimension": [2, 2],
            "format": "json",
            "content": '[["a", "b"], ["1", "2"]]',
            "caption": "",
            "footnotes": [],
            "table_header": '[["a", "b"]]',
        }
    ]
    text = (tmp_path / "report.tables.json").read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


def test_merged_cells_repeat_their_value_with_its_provenance(tmp_path: Path) -> None:
    rows = ((Cell((Text("AB", p(1)),), 2, 2), None, Cell((Text("C", p(2)),))), (None, None, Cell()))
    line = part(tmp_path, Table(rows, source=p(9)))
    content = line["content"]
    assert content.endswith('>[["AB", "AB", "C"], ["AB", "AB", ""]]</table>')
    assert items(tmp_path, "tables")[0]["extras"] == {"spans": [[0, 0, 2, 2]]}
    told = [(content[slice(*entry["chars"])], entry["path"]) for entry in line["provenance"]]
    opening = f'<table id="tb-{HASH}-0001" format="json">'
    assert told == [(opening, "body/p[9]"), *[("AB", "body/p[1]")] * 2, ("C", "body/p[2]"), *[("AB", "body/p[1]")] * 2]


@pytest.mark.parametrize(
    ("rows", "content", "spans"),
    [
        (((Cell((Text("A"),), 9, 9), None), (None, None)), '[["A", "A"], ["A", "A"]]', [[0, 0, 2, 2]]),
        (((Cell((Text("A"),), 1, 2), Cell((Text("B"),))),), '[["A", "B"]]', None),
        (((Cell((Text("A"),)), None), (None,)), '[["A", ""], ["", ""]]', None),
        (
            (
                (Cell((Text("A"),), 2, 1), Cell((Text("B"),), 1, 1)),
                (None, Cell((Text("C"),))),
                (Cell((Text("D"),), 1, 2), None),
            ),
            '[["A", "B"], ["A", "C"], ["D", "D"]]',
            [[0, 0, 2, 1], [2, 0, 1, 2]],
        ),
    ],
)
def test_a_grid_that_contradicts_itself_loses_no_cell(
    tmp_path: Path, rows: Any, content: str, spans: list[list[int]] | None
) -> None:
    part(tmp_path, Table(rows))
    item = items(tmp_path, "tables")[0]
    assert item["content"] == content
    assert item.get("extras", {}).get("spans") == spans
    read_folder(tmp_path)


def test_items_in_cells_are_lifted_out(tmp_path: Path) -> None:
    inner = Table(((Cell((Equation("y", source=p(5)),)),),), source=p(4))
    table = Table(((Cell((Text("see "), Drawing(source=p(3)))), Cell((inner, Text("after"))), Cell((Drawing(),))),))
    line = part(tmp_path, Text("before\n"), table, Text("\nend"))
    assert line["content"].split("\n") == [
        "before",
        f'<table id="tb-{HASH}-0001" format="json">'
        f'[["see [im-{HASH}-0001]", "[tb-{HASH}-0002]after", "[im-{HASH}-0002]"]]</table>',
        f'<drawing id="im-{HASH}-0001" format="" path="" src="" />',
        f'<table id="tb-{HASH}-0002" format="json">[["[eq-{HASH}-0001]"]]</table>',
        f'<equation id="eq-{HASH}-0001" format="latex">y</equation>',
        f'<drawing id="im-{HASH}-0002" format="" path="" src="" />',
        "end",
    ]
    parents = [item["extras"]["parent"] for item in items(tmp_path, "drawings")]
    assert parents == [{"id": f"tb-{HASH}-0001", "row": 0, "col": 0}, {"id": f"tb-{HASH}-0001", "row": 0, "col": 2}]
    assert items(tmp_path, "equations")[0]["extras"] == {"parent": {"id": f"tb-{HASH}-0002", "row": 0, "col": 0}}


def test_inline_markup(tmp_path: Path) -> None:
    line = part(
        tmp_path,
        Text("H", p(1)),
        Text("2", p(1), (Mark("sub"),)),
        Text("O is ", p(1)),
        InlineEquation("x<y", p(1)),
        NoteRef("1", p(1)),
        NoteRef("e1", p(1)),
        notes=(Note("1", (Text("one"),)), Note("e1", (Text("two\nlines"),))),
    )
    assert line["content"] == (
        'H<sub>2</sub>O is <equation format="latex">x<y</equation>[^1][^e1]\n[^1]: one\n[^e1]: two\nlines'
    )
    assert line["provenance"] == [{"chars": [0, 66], "part": "word/document.xml", "path": "body/p[1]"}]
    assert [mark["kind"] for mark in line["marks"]] == ["note", "note"]


def test_marks_grow_together_and_ascend(tmp_path: Path) -> None:
    bold, link = Mark("bold"), Mark("link", "https://example.org/")
    line = part(
        tmp_path,
        Text("a", p(1), (link,)),
        Text("b", p(1), (link, bold)),
        Anchor("here"),
        Text("c", p(2), (bold,)),
        Text("d", p(2)),
    )
    assert line["marks"] == [
        {"chars": [0, 2], "kind": "link", "target": "https://example.org/"},
        {"chars": [1, 3], "kind": "bold"},
        {"chars": [2, 2], "kind": "anchor", "target": "here"},
    ]


def test_a_citation_names_its_item_also_ahead_of_it(tmp_path: Path) -> None:
    lines = write(
        tmp_path,
        Block(parts=(Citation("table", "t", "Table 1"), Text(" and "), Citation("table", "none", "Table 9"))),
        Block(parts=(Table(grid(["x"])), Text("\n"), Table(grid(["y"]), key="t"))),
    )
    assert lines[1]["content"] == f'<cite type="table" refid="tb-{HASH}-0002">Table 1</cite> and Table 9'
    assert items(tmp_path, "tables")[1]["extras"] == {"cite_key": "t"}


def test_a_picture(tmp_path: Path) -> None:
    folder = tmp_path / "report.blocks.assets"
    folder.mkdir()
    (folder / "a.png").write_bytes(b"x")
    (folder / "unused.png").write_bytes(b"y")
    digest = hashlib.sha256(b"x").hexdigest()
    line = part(tmp_path, Drawing(Asset("a.png", digest, 1), "png", 'https://e.org/?a="1"&b', "Fig <1>"))
    assert line["content"] == (
        f'<drawing id="im-{HASH}-0001" format="png" caption="Fig &lt;1&gt;" path="report.blocks.assets/a.png"'
        ' src="https://e.org/?a=&quot;1&quot;&amp;b" />'
    )
    item = items(tmp_path, "drawings")[0]
    assert (item["caption"], item["src"], item["extras"]) == ("Fig <1>", 'https://e.org/?a="1"&b', {"sha256": digest})
    assert [path.name for path in folder.iterdir()] == ["a.png"], "what nothing names is removed"


def test_assets_named_in_extras_and_attributes_stay(tmp_path: Path) -> None:
    folder = tmp_path / "report.blocks.assets"
    folder.mkdir()
    for name in ("chart.xlsx", "cover.png", "comment.bin"):
        (folder / name).write_bytes(name.encode())
    block = Block(parts=(Drawing(extras={"data": {"file": "chart.xlsx"}}),), extras={"file": "comment.bin"})
    meta = write(tmp_path, block, attributes={"cover": "report.blocks.assets/cover.png"})[0]
    assert meta["asset_dir"] is True
    assert len(list(folder.iterdir())) == 3


def test_an_asset_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match="not in the assets folder"):
        part(tmp_path, Drawing(Asset("a.png", "0" * 64, 1)))


def test_html_tables_keep_their_outer_tag_in_the_item_only(tmp_path: Path) -> None:
    html = '<table class="x"><thead><tr><th>h<sup>1</sup></th></tr></thead><tr><td><table></table></td></tr></table>'
    line = part(tmp_path, Table(html=html, dimension=(2, 1), header_html="<thead>…</thead>", source=p(1)))
    assert line["content"] == (
        f'<table id="tb-{HASH}-0001" format="html"><thead><tr><th>h<sup>1</sup></th></tr></thead>'
        "<tr><td>&lt;table>&lt;/table></td></tr></table>"
    )
    item = items(tmp_path, "tables")[0]
    assert (item["content"], item["dimension"], item["table_header"]) == (html, [2, 1], "<thead>…</thead>")


def test_regions_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    head = Block(region="header", parts=(Text("Head"), Drawing()))
    lines = write(tmp_path, Block(parts=(Text("Body"), Drawing())), regions=(head, Block(region="footer")))
    region = json.loads((tmp_path / "report.regions.jsonl").read_text("utf-8"))
    assert lines[0]["blocks"] == 1
    assert lines[0]["document_hash"] == document_hash(lines[1]["content"])
    assert region["session_type"] == "header"
    content = region["content"]
    assert region["blockid"] == hashlib.md5(f"{DOC_ID}:1::{content}".encode()).hexdigest(), "counted on after the body"
    assert [item["blockid"] for item in items(tmp_path, "drawings")] == [lines[1]["blockid"], region["blockid"]]


def test_blank_blocks_are_not_written(tmp_path: Path) -> None:
    lines = write(
        tmp_path,
        Block(parts=(Text(" \x00\n"), Anchor("a"))),
        Block("x", 1),
        Block(parts=(Text("### "),)),
        Block(parts=(Text(""), Citation("table", "gone", ""))),
    )
    assert [line.get("content") for line in lines] == [None, "###"]


def test_control_characters_and_outer_space_go(tmp_path: Path) -> None:
    block = Block("\x01H\ud800", 1, ("\ufffeP",), (Text("  \x00H"), Text("\nt\x7f\ud83d\ude00 ", p(1)), Text("\n")))
    line = write(tmp_path, block)[1]
    assert (line["content"], line["heading"], line["parent_headings"]) == ("# H\nt😀", "H", ["P"])
    assert line["provenance"][0]["chars"] == [3, 6]


def test_markup_cut_into_runs_is_escaped(tmp_path: Path) -> None:
    line = part(
        tmp_path,
        Text("<ta", p(1)),
        Text('ble id="x">', p(2), (Mark("bold"),)),
        Anchor("a"),
        Text("[", p(3)),
        Text("^1]"),
    )
    assert line["content"] == '&lt;table id="x">[\\^1]'
    assert [entry["chars"] for entry in line["provenance"]] == [[0, 6], [6, 17], [17, 19]]


def test_more_than_9999_items(tmp_path: Path) -> None:
    write(tmp_path, Block(parts=tuple(Drawing() for _ in range(10_001))))
    ids = [item["id"] for item in items(tmp_path, "drawings")]
    assert (ids[0], ids[9_998], ids[-1]) == (f"im-{HASH}-0001", f"im-{HASH}-9999", f"im-{HASH}-10001")
    assert read_folder(tmp_path).item_ids == tuple(ids)


def test_the_content_hash_is_the_same_under_another_name(tmp_path: Path) -> None:
    folder = tmp_path / "report.blocks.assets"
    folder.mkdir()
    (folder / "a.png").write_bytes(b"x")
    document = Document("docx", blocks=(Block(parts=(Drawing(Asset("a.png", "", 1)), Table(grid(["a"])))),))
    one = write_document(document, INFO, tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    info = FolderInfo("doc-my:own.id", "x.y.docx", "native", "T")
    two = write_document(document, info, other, assets_from=folder)
    assert one.content_hash == two.content_hash
    assert one.document_hash != two.document_hash
    for written, doc_id in ((one, DOC_ID), (two, "doc-my:own.id")):
        assert written.blocks_path is not None
        assert content_hash(read_merged(written.blocks_path), doc_id) == one.content_hash


def test_the_merged_text(tmp_path: Path) -> None:
    write(tmp_path, Block(parts=(Text("one"),)), Block(parts=(Text("<table x"),)))
    assert read_merged(tmp_path / "report.blocks.jsonl") == merge(["one", " ", "&lt;table x"]) == "one\n\n&lt;table x"


@pytest.mark.parametrize("doc_id", ["", "doc 1", 'doc-"', "doc-[x]", "a/b", "x" * 201, "é"])
def test_a_document_id_that_would_break_the_format_is_refused(tmp_path: Path, doc_id: str) -> None:
    info = FolderInfo(doc_id, "r.docx", "native", "T")
    with pytest.raises(UsageError, match="document id"):
        write_document(Document("docx"), info, tmp_path)


def test_extras_that_are_no_json_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match="JSON"):
        part(tmp_path, Drawing(extras={"x": object()}))
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(SidecarError, match="JSON"):
        part(tmp_path, Drawing(extras={"x": deep}))
    while deep:
        deep = deep.pop()


def test_surrogates_in_values_go(tmp_path: Path) -> None:
    source = Source("a\ud800.xml", "p[1]", sheet="\udc00S")
    line = part(tmp_path, Text("x", source), Drawing(extras={"k\ud800": ["v\udfff"]}), extras={"a": "b\ud800"})
    assert line["extras"] == {"a": "b"}
    assert line["provenance"] == [{"chars": [0, 1], "part": "a.xml", "path": "p[1]", "sheet": "S"}]
    assert items(tmp_path, "drawings")[0]["extras"] == {"k": ["v"]}


def test_same_bytes_under_any_hash_seed_and_time_zone(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    code = (
        "import sys; sys.path[:0] = [sys.argv[2], sys.argv[3]]\n"
        "from pathlib import Path\nfrom test_sidecar_check import make_folder\n"
        "folder = Path(sys.argv[1]); folder.mkdir(); make_folder(folder)\n"
    )
    found: list[dict[str, bytes]] = []
    for n, (seed, zone) in enumerate((("0", "UTC"), ("7", "Asia/Shanghai"))):
        folder = tmp_path / str(n)
        env = os.environ | {"PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": f"{root}{os.pathsep}{root}/tests/support"}
        subprocess.run(
            [sys.executable, "-c", code, str(folder), str(Path(__file__).parent), str(root)], check=True, env=env
        )
        found.append({path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert found[0] == found[1]
    assert len(found[0]) == 6


def test_work_is_in_proportion(tmp_path: Path) -> None:
    """Eight times the table, nesting, marks or signs cost about eight times, never its square."""

    def write_and_read(parts: tuple[Part, ...]) -> None:
        write_document(Document("docx", blocks=(Block(parts=parts),)), INFO, tmp_path)
        read_folder(tmp_path)

    def nested(depth: int) -> tuple[Part, ...]:
        table = Table(((Cell((Text("x"),)),),))
        for _ in range(depth):
            table = Table(((Cell((table,)),),))
        return (table,)

    def wide(n: int) -> tuple[Part, ...]:
        rows = [[Cell((Text(f"<table {r}", p(r)),)) if c % 2 else Cell() for c in range(4)] for r in range(n)]
        return (Table(tuple(map(tuple, rows))),)

    def marked(n: int) -> tuple[Part, ...]:
        return tuple(Text("[^x ", p(k), (Mark("bold"),) if k % 2 else (Mark("sup"),)) for k in range(n))

    def hostile(n: int) -> tuple[Part, ...]:
        return (Text("<table [^ &amp;lt;sup> [im-" * n + "&" + "amp;" * n + "[" + "\\" * n),)

    for make, n in ((nested, 100), (wide, 175), (marked, 625), (hostile, 500)):
        costs_in_proportion(write_and_read, make, n, 8 * n)


def test_many_lines_wait_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document("docx", blocks=tuple(Block(parts=(Text(f"line {n}", p(n)),)) for n in range(100)))
    found: list[bytes] = []
    for n, spill in enumerate((1 << 20, 1000, 1)):
        monkeypatch.setattr("lrdoc.sidecar.files._SPILL", spill)
        folder = tmp_path / str(n)
        folder.mkdir()
        write_document(document, INFO, folder)
        assert [path.name for path in folder.iterdir()] == ["report.blocks.jsonl"]
        found.append((folder / "report.blocks.jsonl").read_bytes())
    assert found[0] == found[1] == found[2]
    assert found[0].count(b"\n") == 101
