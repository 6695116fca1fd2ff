"""`lrdoc export --chunks`: the document with the boundaries of its chunks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_runner import run_here

ROWS = [["id", "name", "qty"], *([str(i), f"item number {i}", str(i * 7)] for i in range(40))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "x.docx.parsed"
    folder.mkdir()
    body = json.dumps(ROWS)
    content = (
        f'# A <b>\nText &lt;table&gt; and <equation format="latex">x^2</equation>.\n'
        f'<table id="tb-1" format="json">{body}</table>\n<drawing id="im-1" format="png" path="x.blocks.assets/p.png" />'
    )
    lines = [
        {"type": "meta", "format": "lightrag", "version": "1.0", "doc_id": "doc-x", "doc_title": "The title"},
        {"type": "content", "blockid": "b1", "content": content, "heading": "A <b>", "level": 1},
    ]
    (folder / "x.blocks.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def test_every_chunk_has_a_box_with_details(folder: Path, tmp_path: Path) -> None:
    ran = run_here("export", folder, "--to", "html", "--chunks", "P", "--set", "chunk_ts=200")
    assert ran.code == 0, ran.err
    boxes = re.findall(r'<section class="chunk" title="([^"]*)">(.*?)</section>', ran.out, re.DOTALL)
    assert len(boxes) > 2
    assert "rows 1–" in boxes[0][0]
    assert "put in: open, header" in boxes[1][0]
    assert all("<table>" in shown for _, shown in boxes[:-1])
    assert "<h1>A &lt;b&gt;</h1>" in boxes[0][1]
    assert "<math" in boxes[0][1]
    assert "<script" not in ran.out
    assert "default-src 'none'" in ran.out


def test_repeated_text_is_shown_as_such(folder: Path) -> None:
    content = " ".join(f"word{i}" for i in range(300))
    line = {"type": "content", "blockid": "b1", "content": content, "heading": "", "level": 0}
    (folder / "x.blocks.jsonl").write_text(json.dumps(line))
    ran = run_here("export", folder, "--to", "html", "--chunks", "F", "--set", "chunk_ts=100", "--set", "chunk_ol=20")
    assert ran.out.count('class="repeat"') == ran.out.count('class="chunk"') - 1


@pytest.mark.parametrize("arguments", [["--to", "text", "--chunks", "P"], ["--to", "html", "--set", "chunk_ts=9"]])
def test_other_formats_have_no_chunks(folder: Path, arguments: list[str]) -> None:
    ran = run_here("export", folder, *arguments)
    assert ran.code == 2
    assert "--to html --chunks P" in ran.err
