"""`lrdoc chunk DIR --items`: chunks of described items behind those of the text."""

from __future__ import annotations

import json
from pathlib import Path

from analysis_folder import run_analysis, write_folder
from cli_runner import run_here

from lrdoc.testing.models import ScriptedModel

TABLE = {"blockid": "b1", "format": "json", "content": '[["a"], ["1"]]', "caption": "Cap"}
ANSWER = {"name": "n", "description": "d"}


def test_item_chunks_follow_the_text(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "d.parsed", blocks={"b1": "# H\nsome text"}, tables={"tb-1": TABLE}, process_options=""
    )
    run_analysis(folder, ScriptedModel([ANSWER]), options="t")
    shown = run_here("chunk", folder, "--items", "--json", "--tokenizer", "estimate")
    assert shown.code == 0, shown.err
    record = json.loads(shown.out)
    text, item = record["chunks"]
    assert text["content"].endswith("some text") and item["content"] == "[Table Name]n\n\nd\n\n[Table Caption]Cap"
    assert item["chunk_order_index"] == text["chunk_order_index"] + 1 and item["sidecar"]["id"] == "tb-1"
    assert record["stats"]["item_chunks"] == 1
    shown = run_here("chunk", folder, "--items", "--tokenizer", "estimate")
    assert "tb-1" in shown.out.splitlines()[-1]
    assert len(json.loads(run_here("chunk", folder, "--json").out)["chunks"]) == 1


def test_a_source_file_has_no_described_items(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n")
    shown = run_here("chunk", path, "--items")
    assert shown.code == 2 and "--analyze" in shown.err


def test_a_dry_run_prints_system_text_and_prompts_for_people_and_as_json(tmp_path: Path) -> None:
    table = {**TABLE, "caption": "red \x1b[31m"}
    folder = write_folder(tmp_path / "d.parsed", blocks={"b1": "x"}, tables={"tb-1": table})
    shown = run_here("analyze", folder, "--options", "t", "--dry-run")
    assert shown.code == 0 and "\x1b" not in shown.out
    assert "You describe single items" in shown.out and "1 prompts, " in shown.out
    (record,) = run_here("analyze", folder, "--options", "t", "--dry-run", "--json").records
    assert record["system"] in shown.out and record["prompt"].splitlines()[0] in shown.out
    assert record["tokens"] > 0 and not (tmp_path / "llm_cache.sqlite").exists()
