"""`lrdoc check`: the folder, the source, and what is told about both."""

import json
from pathlib import Path

import pytest
from cli_runner import Ran, run_here
from docx_builder import docx, heading, p, table

CHARACTERS = ["source", "placed", "kept", "reported", "excluded", "unaccounted", "duplicated"]
FOLDER = Path("__parsed__/a.docx.parsed")


@pytest.fixture(autouse=True)
def _parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """a.docx and its parsed folder in an own current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIGHTRAG_PARSER", raising=False)
    body = heading(1, "Results") + p("Rivers rise in spring.") + table([["Month", "mm"], ["May", "91"]]) + p("The end.")
    Path("a.docx").write_bytes(docx(body))
    assert run_here("parse", "a.docx").code == 0


def check(*arguments: str | Path) -> Ran:
    return run_here("check", FOLDER, *arguments)


def test_a_fresh_folder_is_right_and_holds_every_character() -> None:
    ran = check("--source", "a.docx", "--json")
    assert (ran.code, ran.err) == (0, "")
    [record] = ran.records
    assert (record["ok"], record["problems"], record["same_source"]) == (True, [], True)
    assert list(record["characters"]) == CHARACTERS
    n = len("ResultsRiversriseinspring.MonthmmMay91Theend.")
    assert record["characters"]["source"] == record["characters"]["placed"] == n
    assert record["characters"]["unaccounted"] == record["characters"]["duplicated"] == 0


def test_without_a_source_only_the_folder_is_looked_at() -> None:
    [record] = check("--json").records
    assert (record["ok"], record["problems"], record["characters"]) == (True, [], None)
    assert "same_source" not in record


def test_people_read_the_same_in_a_few_lines() -> None:
    lines = check("--source", "a.docx").out.splitlines()
    assert lines[0] == "same source: yes"
    assert lines[1].startswith("characters: source 45, placed 45,")
    assert lines[-1] == f"{FOLDER}: ok"


def test_another_source_is_told_first() -> None:
    Path("b.docx").write_bytes(docx(p("Something else.")))
    ran = check("--source", "b.docx", "--json")
    assert ran.code == 1
    [record] = ran.records
    assert record["same_source"] is False
    assert record["problems"][0]["code"] == "other_source"
    assert "a.docx" in record["problems"][0]["message"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("a.blocks.jsonl", "Rivers", "Ravers"),
        ("a.tables.json", "91", "19"),
        ("a.tables.json", '"Results"', '"Resalts"'),
        ("a.blocks.jsonl", "The end.", ""),
    ],
)
def test_a_changed_character_is_noticed_with_its_place(file: str, old: str, new: str) -> None:
    path = FOLDER / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    for arguments in ([], ["--source", "a.docx"]):
        ran = check(*arguments, "--json")
        assert ran.code == 1
        problems = ran.records[0]["problems"]
        assert problems and all(problem["code"] and problem["message"] for problem in problems)
        assert any(problem["where"] for problem in problems), problems


def test_a_removed_line_is_noticed() -> None:
    path = FOLDER / "a.blocks.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    meta = json.loads(lines[0])
    meta["blocks"] = 0
    path.write_text(json.dumps(meta) + "\n", "utf-8")
    ran = check("--source", "a.docx", "--json")
    assert ran.code == 1
    assert ran.records[0]["characters"]["unaccounted"] == 45


def test_what_cannot_be_counted_or_read_is_a_problem_and_no_traceback() -> None:
    Path("a.xyz").write_text("text")
    Path("bad.docx").write_text("no zip")
    for name in ("a.xyz", "bad.docx"):
        [record] = check("--source", name, "--json").records
        assert "not_counted" in [problem["code"] for problem in record["problems"]]
    (FOLDER / "a.blocks.jsonl").write_text("not json\n")
    ran = check("--source", "a.docx", "--json")
    assert ran.code == 1 and ran.records[0]["ok"] is False and ran.err == ""
    Path("empty").mkdir()
    assert run_here("check", "empty").code == 1
    assert run_here("check", "missing").code == 2
