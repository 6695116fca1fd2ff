"""The commands on folders of the plain-text engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import run_here
from legacy_files import deck, save, shape, workbook


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIGHTRAG_PARSER", raising=False)
    deck(tmp_path / "talk.pptx", [shape("Rivers", placeholder="title") + shape("They rise in spring.")])
    workbook(tmp_path / "sums.xlsx", {"S": '<sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData>'})
    save(tmp_path / "page.html", "<title>T</title><h1>Head</h1><p>Body words.</p>")
    save(tmp_path / "letter.rtf", r"{\rtf1 Dear reader}")


def parsed(name: str) -> str:
    assert run_here("parse", name).code == 0
    return f"__parsed__/{name}.parsed"


@pytest.mark.parametrize("name", ["talk.pptx", "sums.xlsx", "page.html"])
def test_check_counts_the_source(name: str) -> None:
    ran = run_here("check", parsed(name), "--source", name, "--json")
    [record] = ran.records
    assert (ran.code, record["problems"], record["same_source"]) == (0, [], True)
    assert record["characters"]["source"] == record["characters"]["placed"] > 0


def test_check_says_which_kinds_are_not_counted() -> None:
    ran = run_here("check", parsed("letter.rtf"), "--source", "letter.rtf", "--json")
    [problem] = ran.records[0]["problems"]
    assert (ran.code, problem["code"]) == (1, "not_counted")
    assert "completeness of .rtf files cannot be counted" in problem["message"]
    assert "pptx" in problem["message"]
    assert run_here("check", parsed("letter.rtf")).code == 0


def test_check_names_what_was_taken_out_of_the_text() -> None:
    folder = Path(parsed("talk.pptx"))
    [text] = folder.glob("*.txt")
    text.write_text(text.read_text(encoding="utf-8").replace("spring", "winter"), encoding="utf-8")
    ran = run_here("check", folder, "--source", "talk.pptx")
    assert ran.code == 1
    assert "spring" in ran.out or "missing" in ran.out


def test_parse_and_show_speak_of_plain_text() -> None:
    assert "plain text; legacy" in run_here("parse", "talk.pptx").out
    shown = run_here("show", "__parsed__/talk.pptx.parsed").out
    assert "engine: legacy" in shown
    assert "Rivers" in shown


@pytest.mark.parametrize(("target", "words"), [("text", "They rise"), ("markdown", "They rise"), ("html", "They rise")])
def test_export(target: str, words: str) -> None:
    ran = run_here("export", parsed("talk.pptx"), "--to", target)
    assert ran.code == 0
    assert words in ran.out


def test_export_to_json() -> None:
    ran = run_here("export", parsed("talk.pptx"), "--to", "json")
    assert json.loads(ran.out)["parse_engine"] == "legacy"


def test_options_without_effect_are_named_once() -> None:
    save(Path("x.[legacy-iteP].html"), "<p>Body words.</p>")
    ran = run_here("parse", "x.[legacy-iteP].html", "--json")
    [warning] = ran.records[0]["warnings"]
    assert ran.code == 0
    assert "i t e P have no effect on legacy" in warning["message"]
    assert "P cuts like R" in warning["message"]


def test_chunk_cuts_recursively_with_one_warning() -> None:
    save(Path("x.[legacy-P].html"), "<p>Body words.</p>")
    run_here("parse", "x.[legacy-P].html")
    ran = run_here("chunk", "__parsed__/x.html.parsed")
    assert ran.code == 0
    assert (ran.out + ran.err).count("cut recursively (R)") == 1
    assert "Body words." in ran.out
