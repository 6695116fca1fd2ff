"""`lrdoc show` and `lrdoc export`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli_runner import run_here
from sidecar_documents import INFO

from lrdoc.document import Block, Cell, Document, Drawing, Equation, ParseWarning, Source, Table, Text
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "report.docx.parsed"
    folder.mkdir()
    asset = FolderAssets(folder, INFO.document_name).put(b"12345", "image.png")
    rows = tuple((Cell((Text(f"row {n}"),)), Cell((Text("中文"),))) for n in range(9))
    parts = (
        Text("Results\nSome text.\n"),
        Table(rows, caption="Numbers"),
        Text("\n"),
        Drawing(asset, "png"),
        Equation("a+b"),
    )
    document = Document(
        "docx",
        "The title",
        (Block("Results", 1, (), parts),),
        (Block(region="footer", parts=(Text("Page 1"),)),),
        warnings=(ParseWarning("odd", "Something is odd.", Source(path="p[3]")),),
    )
    write_document(document, INFO, folder)
    return folder


def test_show_tells_outline_tables_and_items(folder: Path) -> None:
    ran = run_here("show", folder)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "report.docx: 1 block, 1 region, 1 table, 1 drawing, 1 equation, 1 warning"
    for wanted in (
        "title: The title",
        "source: report.[native-teP].docx, 1,234 bytes",
        "  # Results: Some text.",
        "  footer: Page 1",
        "  | row 0 | 中文",
        "  … 3 rows more",
        "warning odd (p[3]): Something is odd.",
    ):
        assert wanted in lines
    assert any(line.endswith("-0001: 9 × 2 · Numbers") for line in lines)
    assert any(line.endswith("-0001: image.png, 5 bytes") for line in lines)


def test_show_as_json(folder: Path) -> None:
    (record,) = run_here("show", folder, "--json").records
    assert [table["rows"] for table in record["tables"]] == [9]
    assert record["drawings"][0]["asset"] == "image.png"
    assert record["equations"][0]["latex"] == "a+b"
    assert record["blocks"] == [{"level": 1, "heading": "Results", "region": "body", "characters": 20, "notes": 0}]


@pytest.mark.parametrize("to", ["markdown", "html", "text", "json"])
def test_export_to_a_file_is_what_stdout_shows(folder: Path, tmp_path: Path, to: str) -> None:
    shown = run_here("export", folder, "--to", to)
    assert shown.code == 0, shown.err
    output = folder.parent / "out"
    assert run_here("export", folder, "--to", to, "-o", output).code == 0
    written = output.read_text("utf-8")
    if to == "markdown":
        assert "](report.docx.parsed/report.blocks.assets/image.png)" in written
        here = os.path.relpath(folder, Path.cwd()).replace(os.sep, "/")
        assert f"]({here}/report.blocks.assets/image.png)" in shown.out
    else:
        assert written == shown.out
    assert "Some text." in written
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "report.docx.parsed"]


def test_errors_are_one_sentence(folder: Path, tmp_path: Path) -> None:
    ran = run_here("show", tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert "holds no document" in ran.err
    assert run_here("export", folder, "--to", "pdf").code == 2
    ran = run_here("export", folder, "--to", "html", "-o", tmp_path / "none" / "x.html")
    assert ran.code == 1
    assert "cannot be written" in ran.err
    (folder / "report.blocks.assets" / "image.png").unlink()
    output = tmp_path / "kept.html"
    output.write_text("old")
    assert run_here("export", folder, "--to", "html", "-o", output).code == 1
    assert output.read_text() == "old"


def test_the_output_of_show_is_valid_json_for_any_folder(folder: Path) -> None:
    assert json.loads(run_here("show", folder, "--json").out)["doc_id"] == INFO.doc_id
