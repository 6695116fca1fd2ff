"""`route` and `rules check`: what they print, and their exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import environment, run_command, run_here

THREE = "pdf:minru-R,docx:native-ietX;*.md:native"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("LIGHTRAG_", "MINERU_", "DOCLING_", "CHUNK_", "DOCX_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_three_mistakes_are_shown_each_with_its_caret(tmp_path: Path) -> None:
    ran = run_command("rules", "check", cwd=tmp_path, LIGHTRAG_PARSER=THREE)
    assert ran.code == 3
    lines = ran.out.splitlines()
    carets = [i for i, line in enumerate(lines) if line.strip() and not line.strip().strip("^")]
    assert len(carets) == 3
    marked = [lines[i - 1][lines[i].index("^") : lines[i].rindex("^") + 1] for i in carets]
    assert marked == ["minru", "X", "."]
    assert "mineru" in ran.out
    assert "Traceback" not in ran.err


def test_rules_come_from_the_argument_the_environment_or_the_env_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_here("rules", "check", "md:native").code == 0
    assert run_here("rules", "check", "md:natve").code == 3
    assert "no rules" in run_here("rules", "check").out
    (tmp_path / ".env").write_text("LIGHTRAG_PARSER=md:natve\n")
    assert run_here("rules", "check").code == 3
    monkeypatch.setenv("LIGHTRAG_PARSER", "md:native")
    assert run_here("rules", "check").code == 0
    (tmp_path / "other").write_text("MINERU_PAGE_RANGES=1-3,5\n")
    ran = run_here("rules", "check", "--env-file", "other")
    assert ran.code == 3
    assert "MINERU_PAGE_RANGES" in ran.out


def test_rules_check_as_json() -> None:
    (record,) = run_here("rules", "check", "*:native(toc=body)-teP;*:mineru;pdf:legcy", "--json").records
    assert not record["ok"]
    assert [rule["engine"] for rule in record["rules"]] == ["native", "mineru"]
    assert [(e["kind"], e["in"], e["column"], e["rule"]) for e in record["errors"]] == [
        ("unknown_engine", "--rules", 37, 3)
    ]
    assert [w["kind"] for w in record["warnings"]] == ["endpoint_missing"]


def test_route_tells_the_decision_as_json() -> None:
    ran = run_here("route", "/no/such/memo.[native(toc=body)-iR(chunk_ts=800)].docx", "--json")
    assert ran.code == 0
    (record,) = ran.records
    assert list(record) == [
        "name", "canonical", "engine", "parse_engine", "process_options", "options", "chunk_options", "engine_params",
        "supported", "errors", "warnings", "explain",
    ]  # fmt: skip
    assert record["canonical"] == "memo.docx"
    assert record["parse_engine"] == "native(toc=body)"
    assert record["engine_params"] == {"toc": "body"}
    assert record["options"] == {
        "images": True, "tables": False, "equations": False, "skip_kg": False, "chunker": "R", "explicit": True,
    }  # fmt: skip
    assert record["chunk_options"]["recursive_character"]["chunk_token_size"] == 800
    assert all(set(reason) == {"value", "from", "text"} for reason in record["explain"])
    assert any(reason["from"] == "command-line default" for reason in record["explain"])


def test_names_with_mistakes_fail_and_the_others_are_still_told() -> None:
    ran = run_here("route", "a.[natve].md", "b.md", "c.doc", "--json")
    assert ran.code == 1
    first, second, third = ran.records
    assert first["chunk_options"] is None
    assert first["errors"] == [
        {
            "kind": "unknown_engine",
            "message": "unknown engine 'natve'",
            "in": "name",
            "column": 4,
            "hint": first["errors"][0]["hint"],
        }
    ]
    assert second["engine"] == "native"
    assert not third["supported"]
    assert not third["errors"]
    assert [warning["kind"] for warning in third["warnings"]] == ["suffix_not_supported"]


def test_the_callers_word_and_the_default_rules() -> None:
    (record,) = run_here("route", "a.docx", "--json", "--engine", "native(toc=drop)").records
    assert record["process_options"] == ""
    assert record["parse_engine"] == "native(toc=drop)"
    (record,) = run_here("route", "a.docx", "--json", "--options", "teP(chunk_ts=800)").records
    assert record["chunk_options"]["paragraph_semantic"]["chunk_token_size"] == 800
    (record,) = run_here("route", "a.docx", "--json", "--rules", "").records
    assert record["engine"] == "legacy"
    ran = run_here("route", "a.docx", "--engine", "natve")
    assert ran.code == 2
    assert "native" in ran.err


def test_wrong_rules_are_an_error_of_configuration_and_still_explained() -> None:
    ran = run_here("route", "a.pdf", "--json", "--rules", "bad rule,*:legacy-R")
    assert ran.code == 3
    (record,) = ran.records
    assert (record["engine"], record["process_options"]) == ("legacy", "R")
    assert [(e["kind"], e["in"], e["column"]) for e in record["errors"]] == [("missing_colon", "--rules", 1)]
    assert "bad rule" in ran.err


def test_route_for_people_marks_the_place() -> None:
    ran = run_here("route", "a.[native-x].md")
    assert ran.code == 1
    lines = ran.out.splitlines()
    caret = next(i for i, line in enumerate(lines) if line.strip() == "^")
    assert lines[caret - 1][lines[caret].index("^")] == "x"


def test_a_bad_setting_is_found_before_any_name() -> None:
    env = {"CHUNK_SIZE": "12O0"}
    done = subprocess.run(
        [sys.executable, "-m", "lrdoc.cli", "route", "a.md"],
        env=environment(**env), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert "CHUNK_SIZE=12O0" in done.stderr


def test_importing_routing_is_cheap() -> None:
    code = (
        "import sys; import lrdoc.routing.resolve, lrdoc.routing.explain; "
        "bad = {'click', 'lxml', 'httpx', 'numpy', 'msgspec', 'docx'} & set(sys.modules); print(sorted(bad))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_engines_are_listed_with_suffixes_parameters_and_availability() -> None:
    records = {record["engine"]: record for record in run_here("engines", "--json").records}
    assert {"legacy", "native", "mineru", "docling"} <= set(records)
    assert {"docx", "docm", "textbundle"} <= set(records["native"]["suffixes"])
    assert [p["name"] for p in records["native"]["params"]][:2] == ["smart_heading", "changes"]
    assert not records["mineru"]["available"]
    assert json.dumps(records)


@pytest.mark.parametrize(
    ("rules", "hint"),
    [
        ("docx:native:legacy", "the next rule follows ';'"),
        ("docx:native:iR", "native-iR"),
        ("docx:native-P(chunk_ts=99999999999)", "write chunk_token_size=2147483647 or less"),
    ],
)
def test_a_hint_says_what_could_be_written(rules: str, hint: str) -> None:
    ran = run_here("rules", "check", rules)
    assert ran.code == 3
    assert ran.out.splitlines()[-2].endswith(hint)
