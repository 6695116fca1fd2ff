"""`check` finds every changed character and every missing piece, and says where."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_files import shared_dir
from sidecar_documents import DOC_ID, INFO

from lrdoc.document import (
    Anchor,
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
    Source,
    Table,
    Text,
)
from lrdoc.sidecar.check import check_folder, examine
from lrdoc.sidecar.schema import build, load
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.strict import SCHEMAS
from lrdoc.sidecar.write import write_document

HASH = DOC_ID.removeprefix("doc-")


def place(n: int) -> Source:
    return Source("word/document.xml", f"body/p[{n}]", f"{n:08X}")


def make_folder(folder: Path) -> Path:
    """A folder with everything in it."""
    sink = FolderAssets(folder, INFO.document_name)
    picture = sink.put(b"picture", "image.png")
    inner = Table((((Cell((Text("deep", place(9)),)),)),))
    table = Table(
        (
            (Cell((Text("Region", place(4)),), 1, 2), None),
            (
                Cell((Text("a <table> & b", place(5)), InlineEquation("x^2", place(5)))),
                Cell((Text("see ", place(6)), Drawing(picture, "png", caption="Small"), NoteRef("1", place(6)))),
            ),
            (Cell((Text("1", place(7)),)), Cell((inner,))),
        ),
        header_rows=1,
        caption="Numbers",
        footnotes=("In thousands",),
        source=place(3),
        key="t1",
    )
    blocks = (
        Block(
            "2.1 Results",
            2,
            (),
            (
                Text("2.1 "),
                Text("Results", place(1)),
                Text("\n"),
                Text("Plain and ", place(2)),
                Text("bold", place(2), (Mark("bold"),)),
                Anchor("here"),
                Text("\n"),
                table,
                Text("\n"),
                Drawing(picture, "png", caption='Figure "1"', source=place(10), extras={"alt_text": "alt"}),
                Text("\n"),
                Equation(r"\frac{a}{b}", caption="(1)", source=place(11)),
                Text("\nAs "),
                Citation("table", "t1", "Table 1", place(12)),
                Text(" shows", place(12)),
            ),
            (Note("1", (Text("The note", Source("word/footnotes.xml", "footnote[1]")),)),),
            label="2.1",
        ),
        Block("Next", 3, ("2.1 Results",), (Text("Next", place(13)), Text("\n"), Text("End", place(14)))),
    )
    regions = (Block(region="header", parts=(Text("Page head", Source("word/header1.xml", "p[1]")),)),)
    document = Document("docx", "Results", blocks, regions, {"author": "Ann"})
    write_document(document, INFO, folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path)


def codes(folder: Path) -> set[str]:
    return {problem.code for problem in check_folder(folder)}


def test_what_was_written_is_valid(folder: Path) -> None:
    checked = examine(folder)
    assert checked.problems == []
    assert {missing.code for missing in checked.missing} <= {"paraid"}


def test_every_changed_character_of_the_lines_is_found(folder: Path) -> None:
    """Each letter and digit of headings, content, positions of marks aside, is changed in turn."""
    path = folder / "report.blocks.jsonl"
    lines = path.read_text("utf-8").split("\n")
    for number, line in enumerate(lines[1:-1], 1):
        shape = json.loads(line)
        for key in ("content", "heading", "parent_headings", "label", "blockid"):
            for n, c in enumerate(json.dumps(shape.get(key, ""), ensure_ascii=False)):
                if not c.isalnum():
                    continue
                text = json.dumps(shape[key], ensure_ascii=False)
                try:
                    changed = shape | {key: json.loads(text[:n] + ("y" if c != "y" else "z") + text[n + 1 :])}
                except json.JSONDecodeError:
                    continue
                new = [*lines]
                new[number] = json.dumps(changed, ensure_ascii=False)
                path.write_text("\n".join(new), "utf-8")
                problems = check_folder(folder)
                assert problems, (key, n, text)
                assert any(f"line {number + 1}" in problem.where or "-0" in problem.where for problem in problems)


def test_every_changed_character_of_the_items_is_found(folder: Path) -> None:
    for root in ("tables", "drawings", "equations"):
        path = folder / f"report.{root}.json"
        text = path.read_text("utf-8")
        for n, c in enumerate(text):
            if c.isalnum():
                path.write_text(text[:n] + ("y" if c != "y" else "z") + text[n + 1 :], "utf-8")
                assert check_folder(folder), (root, n, text[n - 20 : n + 20])
        path.write_text(text, "utf-8")
    assert check_folder(folder) == []


@pytest.mark.parametrize("name", ["report.blocks.jsonl", "report.regions.jsonl"])
def test_every_changed_byte_of_the_facts_and_places_is_found(folder: Path, name: str) -> None:
    """Whatever a line holds but the clock. Without the key `lrdoc` it is the folder of another implementation."""
    path = folder / name
    text = path.read_text("utf-8")
    free = {n for word in (INFO.parse_time, "lrdoc") for n in range(text.find(word), text.find(word) + len(word))}
    for n, c in enumerate(text):
        if c.isspace() or n in free:
            continue
        path.write_text(text[:n] + ("7" if c != "7" else "3") + text[n + 1 :], "utf-8")
        assert check_folder(folder), text[n - 20 : n + 20]


def test_a_changed_place_and_a_changed_title_are_told_apart(folder: Path) -> None:
    path = folder / "report.blocks.jsonl"
    text = path.read_text("utf-8")
    path.write_text(text.replace("body/p[2]", "body/p[8]"), "utf-8")
    assert [(p.code, p.where) for p in check_folder(folder)] == [("digest", "report.blocks.jsonl")]
    path.write_text(text.replace('"parse_time":"', '"parse_time":"x'), "utf-8")
    assert [(p.code, p.where) for p in check_folder(folder)] == [("schema", "report.blocks.jsonl, line 1")]
    path.write_text(text.replace('"doc_title":"', '"doc_title":"x'), "utf-8")
    assert [(p.code, p.where) for p in check_folder(folder)] == [("digest", "report.blocks.jsonl, line 1")]


@pytest.mark.parametrize("number", [1, 2])
def test_a_missing_line_is_found(folder: Path, number: int) -> None:
    path = folder / "report.blocks.jsonl"
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join(lines[:number] + lines[number + 1 :]), "utf-8")
    assert {"block_count", "document_hash"} <= codes(folder)


@pytest.mark.parametrize("name", ["report.tables.json", "report.drawings.json", "report.equations.json"])
def test_a_missing_item_or_file_is_found(folder: Path, name: str) -> None:
    path = folder / name
    shape = json.loads(path.read_text("utf-8"))
    root = name.split(".")[1]
    shape[root].popitem()
    path.write_text(json.dumps(shape), "utf-8")
    problems = check_folder(folder)
    assert {problem.code for problem in problems} >= {"content", "digest"}
    assert any(name in problem.where or "line 2" in problem.where for problem in problems)
    path.unlink()
    assert {"file_flag", "digest"} <= codes(folder)


def test_missing_regions_are_found(folder: Path) -> None:
    (folder / "report.regions.jsonl").unlink()
    assert codes(folder) == {"digest"}


def test_a_changed_missing_or_stray_asset_is_found(folder: Path) -> None:
    asset = folder / "report.blocks.assets" / "image.png"
    (asset.parent / "other.png").write_bytes(b"x")
    asset.write_bytes(b"pictura")
    problems = {problem.code: problem.where for problem in check_folder(folder)}
    assert problems == {"asset_hash": f"im-{HASH}-0002", "stray_asset": "report.blocks.assets/other.png"}
    asset.unlink()
    (asset.parent / "other.png").unlink()
    assert {"asset_missing", "file_flag"} <= codes(folder)


def edit_line(folder: Path, number: int, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "report.blocks.jsonl"
    lines = path.read_text("utf-8").split("\n")
    shape = json.loads(lines[number])
    change(shape)
    lines[number] = json.dumps(shape, ensure_ascii=False)
    path.write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("provenance", [{"chars": [0, 5], "path": "a"}, {"chars": [4, 6], "path": "b"}], "provenance"),
        ("provenance", [{"chars": [0, 99999], "path": "a"}], "provenance"),
        ("provenance", [{"chars": [5, 5], "path": "a"}], "provenance"),
        ("provenance", [{"path": "a"}], "schema"),
        ("marks", [{"chars": [9, 10], "kind": "bold"}, {"chars": [2, 3], "kind": "bold"}], "marks"),
        ("marks", [{"chars": [3, 4], "kind": "loud"}], "schema"),
        ("positions", [{"type": "paraid", "range": [1]}], "schema"),
        ("level", -1, "schema"),
        ("session_type", "", "schema"),
        ("heading", None, "schema"),
    ],
)
def test_wrong_values_in_a_line_are_found(folder: Path, key: str, value: object, code: str) -> None:
    edit_line(folder, 2, lambda shape: shape.update({key: value}))
    assert code in codes(folder)


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("blocks", 3, "block_count"),
        ("asset_dir", False, "file_flag"),
        ("document_hash", "sha256:" + "0" * 64, "document_hash"),
        ("document_name", "other.docx", "name"),
        ("document_name", "../x.docx", "name"),
        ("version", "2.0", "schema"),
        ("doc_id", "doc-" + "0" * 32, "blockid"),
        ("doc_id", "", "doc_id"),
    ],
)
def test_wrong_values_in_the_meta_line_are_found(folder: Path, key: str, value: object, code: str) -> None:
    edit_line(folder, 0, lambda shape: shape.update({key: value}))
    assert code in codes(folder)


def test_a_number_out_of_range_in_the_meta_line_is_found(folder: Path) -> None:
    path = folder / "report.blocks.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"type":"meta"', b'"type":"meta","other":1e999', 1))
    assert codes(folder) == {"digest"}


def edit_item(folder: Path, root: str, n: int, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / f"report.{root}.json"
    shape = json.loads(path.read_text("utf-8"))
    change(list(shape[root].values())[n])
    path.write_text(json.dumps(shape, ensure_ascii=False), "utf-8")


@pytest.mark.parametrize(
    ("root", "n", "key", "value", "code"),
    [
        ("tables", 0, "dimension", [3, 3], "dimension"),
        ("tables", 0, "table_header", '[["Other"]]', "table_header"),
        ("tables", 0, "table_header", "{}", "table_header"),
        ("tables", 0, "extras", {"spans": [[0, 0, 1, 9]]}, "spans"),
        ("tables", 0, "extras", {"spans": [[1, 0, 1, 2]]}, "spans"),
        ("tables", 0, "content", "[[1]]", "table_content"),
        ("tables", 0, "caption", "Other", "digest"),
        ("tables", 1, "extras", {"parent": {"id": f"tb-{HASH}-0001", "row": 0, "col": 0}}, "parent"),
        ("tables", 1, "blockid", "0" * 32, "item_block"),
        ("tables", 1, "heading", "Other", "item_heading"),
        ("drawings", 1, "path", "report.blocks.assets/../x", "asset_path"),
        ("drawings", 1, "path", "/etc/passwd", "asset_path"),
        ("drawings", 1, "caption", "Other", "tag"),
        ("drawings", 1, "more", 1, "schema"),
        ("equations", 0, "content", "x", "tag"),
        ("equations", 0, "id", f"eq-{HASH}-0007", "item_id"),
    ],
)
def test_wrong_values_in_an_item_are_found(folder: Path, root: str, n: int, key: str, value: object, code: str) -> None:
    edit_item(folder, root, n, lambda item: item.update({key: value}))
    assert code in codes(folder)


def test_results_of_an_analysis_are_no_problem(folder: Path) -> None:
    result = {"status": "success", "message": "", "analyze_time": 1, "name": "n", "description": "d"}
    for root in ("tables", "drawings", "equations"):
        edit_item(
            folder,
            root,
            0,
            lambda item: item.update(
                surrounding={"leading": "a", "trailing": "b"}, llm_analyze_result=result, llm_cache_list=["k"]
            ),
        )
    assert check_folder(folder) == []


def test_a_note_without_a_call_is_found(tmp_path: Path) -> None:
    blocks = (Block(parts=(Text("x"), NoteRef("2"))), Block(parts=(Text("y"),), notes=(Note("1", (Text("n"),)),)))
    write_document(Document("docx", blocks=blocks), INFO, tmp_path)
    assert [problem.message for problem in check_folder(tmp_path)] == [
        "[^2] has no text",
        "nothing calls the note [^1]",
    ]


def test_a_raw_folder(tmp_path: Path) -> None:
    parts = (Text("Line <table>\n", Source(lines=(1, 2))), Text("Zwei\n", Source(lines=(2, 3))))
    write_document(Document("txt", "t", (Block(parts=parts),), kind="raw"), INFO, tmp_path)
    assert (tmp_path / "report.txt").read_text("utf-8") == "Line <table>\nZwei\n"
    assert check_folder(tmp_path) == []
    (tmp_path / "report.txt").write_text("Line <table>\nDrei\n", "utf-8")
    assert codes(tmp_path) == {"text_hash", "content_hash"}
    (tmp_path / "report.txt").unlink()
    assert codes(tmp_path) == {"unreadable"}


def test_a_changed_place_of_plain_text_is_found(tmp_path: Path) -> None:
    parts = (Text("Line\n", Source(lines=(1, 2))), Text("Zwei\n", Source(lines=(2, 3))))
    write_document(Document("txt", "t", (Block(parts=parts),), kind="raw"), INFO, tmp_path)
    path = tmp_path / "report.source_map.json"
    text = path.read_text("utf-8")
    path.write_text(text.replace('"lines":[2,3]', '"lines":[2,4]'), "utf-8")
    assert [(p.code, p.where) for p in check_folder(tmp_path)] == [("digest", path.name)]
    path.write_text(text.replace('"doc_title":"t"', '"doc_title":"u"'), "utf-8")
    assert [(p.code, p.where) for p in check_folder(tmp_path)] == [("digest", path.name)]


def test_folders_that_hold_no_document(tmp_path: Path) -> None:
    assert codes(tmp_path) == {"no_document"}
    assert codes(tmp_path / "none") == {"unreadable"}
    (tmp_path / "a.blocks.jsonl").write_text("")
    assert codes(tmp_path) == {"schema"}
    (tmp_path / "b.blocks.jsonl").write_text("")
    assert codes(tmp_path) == {"several_documents"}


def test_folders_of_the_established_implementation_are_valid() -> None:
    shared = shared_dir()
    if shared is None:
        pytest.skip("the shared material is not there")
    folders = sorted({p.parent for p in shared.glob("cases/engines/reference_sidecars/**/*.blocks.jsonl")})
    assert len(folders) > 8
    for folder in folders:
        checked = examine(folder)
        assert checked.problems == [], folder
        assert {"lrdoc", "provenance"} <= {missing.code for missing in checked.missing}


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_folder_makes_check_or_read_fail(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Bytes of a valid folder changed anywhere: problems or SidecarError, never another exception."""
    from lrdoc.errors import SidecarError
    from lrdoc.sidecar.read import read_folder

    folder = make_folder(tmp_path_factory.mktemp("mutated"))
    path = data.draw(st.sampled_from(sorted(p for p in folder.iterdir() if p.is_file())))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(["flip", "cut", "double"]))
        if kind == "flip":
            content[at] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del content[at : at + data.draw(st.integers(1, 30))]
            content = content or bytearray(b" ")
        else:
            content[at:at] = content[at : at + data.draw(st.integers(1, 40))]
    path.write_bytes(bytes(content))
    check_folder(folder)
    try:
        read_folder(folder)
    except SidecarError as e:
        assert e.where
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", SCHEMAS)
def test_shipped_schemas_are_those_of_the_check(name: str) -> None:
    """`python -m lrdoc.sidecar.schema` writes them again."""
    import lrdoc.sidecar.schema as schema

    assert (schema.FOLDER / f"{name}.schema.json").read_text("utf-8") == build(name)


def test_schemas_accept_and_refuse_what_the_check_does(folder: Path, tmp_path: Path) -> None:
    import jsonschema
    import msgspec

    lines = (folder / "report.blocks.jsonl").read_text("utf-8").split("\n")[:-1]
    raw = tmp_path / "raw"
    raw.mkdir()
    write_document(Document("txt", "t", (Block(parts=(Text("x", Source(page=1)),)),), kind="raw"), INFO, raw)
    samples = {
        "meta": [json.loads(lines[0])],
        "content": [json.loads(line) for line in lines[1:]],
        "source_map": [json.loads((raw / "report.source_map.json").read_text("utf-8"))],
        **{root: [json.loads((folder / f"report.{root}.json").read_text("utf-8"))] for root in ("tables", "drawings")},
        "equations": [json.loads((folder / "report.equations.json").read_text("utf-8"))],
    }
    for name, shapes in samples.items():
        validator = jsonschema.Draft202012Validator(load(name))
        for shape in shapes:
            for changed in [shape, *_changes(shape)]:
                try:
                    msgspec.json.decode(json.dumps(changed).encode(), type=SCHEMAS[name])
                    ours = True
                except msgspec.ValidationError:
                    ours = False
                assert validator.is_valid(changed) == ours, (name, changed)
            assert validator.is_valid(shape)


def _changes(shape: Any) -> list[Any]:
    """The value with one thing changed, at every place."""
    if isinstance(shape, dict):
        changed = [{**shape, key: inner} for key, value in shape.items() for inner in _changes(value)]
        changed += [{k: v for k, v in shape.items() if k != key} for key in shape]
        return [*changed, {**shape, "unknown_key": 1}, []]
    if isinstance(shape, list):
        changed = [[*shape[:n], inner, *shape[n + 1 :]] for n, value in enumerate(shape) for inner in _changes(value)]
        return [*changed, shape[:-1], {}] if shape else [{}]
    return [7, None, "", -1, [], True]


@pytest.mark.checkout
def test_every_code_is_in_the_reference() -> None:
    root = Path(__file__).resolve().parents[2]
    told = (root / "docs" / "sidecar-format.md").read_text("utf-8")
    code = "".join(path.read_text("utf-8") for path in (root / "lrdoc" / "sidecar").glob("check*.py"))
    used = set(re.findall(r'(?:problem|lacks)\(\s*"([a-z_0-9]+)"', code))
    assert len(used) > 30
    assert {name for name in used if f"`{name}`" not in told} == set()
