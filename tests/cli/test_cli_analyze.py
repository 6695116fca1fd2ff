"""`lrdoc analyze` and `lrdoc parse --analyze`, with a server on 127.0.0.1."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from chat_server import Fault, chat_server, completion
from cli_runner import run_here as run_cli

REPORT = Path(__file__).resolve().parents[2] / "fixtures" / "report.docx"
pytestmark = pytest.mark.skipif(not REPORT.is_file(), reason="needs fixtures/report.docx of the checkout")


def answer(number: int, body: dict[str, Any]) -> Fault:
    names = body["response_format"]["json_schema"]["schema"]["properties"]
    return Fault(body=json.dumps(completion(json.dumps({name: f"{name} {number}" for name in names}))))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(REPORT, tmp_path / "report.docx")
    assert run_cli("parse", "report.docx", "-o", "out", "--options", "te", "--quiet").code == 0
    return Path("out/report.docx.parsed")


def test_without_a_model_it_says_exactly_what_to_set(folder: Path) -> None:
    done = run_cli("analyze", str(folder))
    assert done.code == 1 and "EXTRACT_LLM_MODEL or LLM_MODEL" in done.err and "Traceback" not in done.err
    done = run_cli("analyze", str(folder), "--options", "i")
    assert "VLM_PROCESS_ENABLE" in done.err
    assert run_cli("analyze", str(folder), "--options", "x").code == 2


def test_a_dry_run_prints_the_prompts_and_their_tokens(folder: Path) -> None:
    done = run_cli("analyze", str(folder), "--dry-run", "--json")
    shown = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert [one["kind"] for one in shown] == ["table", "table", "equation", "equation", "equation"]
    assert "Toilets" in shown[0]["prompt"] and shown[0]["tokens"] > 100
    assert "nothing was sent" in run_cli("analyze", str(folder), "--dry-run").out


def test_items_are_described_and_the_folder_stays_valid(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(answer) as server:
        monkeypatch.setenv("LLM_MODEL", "m")
        monkeypatch.setenv("LLM_BINDING_HOST", server.url)
        done = run_cli("analyze", str(folder), "--json")
        again = run_cli("analyze", str(folder), "--json")
    report = json.loads(done.out)
    assert done.code == 0
    assert report["items"] == {"tables": {"success": 2}, "equations": {"success": 3}}
    assert report["calls"] == 5 and json.loads(again.out)["calls"] == 0 and len(server.requests) == 5
    assert run_cli("check", str(folder), "--source", "report.docx").code == 0


def test_parse_can_analyse_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(REPORT, tmp_path / "report.docx")
    monkeypatch.setenv("LLM_MODEL", "m")
    with chat_server(answer) as server:
        monkeypatch.setenv("LLM_BINDING_HOST", server.url)
        done = run_cli("parse", "report.docx", "--options", "te", "--analyze", "--json")
        assert done.code == 0
        assert json.loads(done.out)["analysis"]["items"]["tables"] == {"success": 2}
        assert "analysed tables: 2 success" in run_cli("parse", "report.docx", "--options", "te", "--analyze").out
    # The answers are kept: the second parse asked nothing, and a third needs no server.
    assert len(server.requests) == 5
    assert run_cli("parse", "report.docx", "--options", "e", "--analyze").code == 0
    monkeypatch.delenv("LLM_MODEL")
    failed = run_cli("parse", "report.docx", "--options", "e", "--analyze", "--json")
    record = json.loads(failed.out)
    assert failed.code == 1 and "LLM_MODEL" in failed.err
    assert record["blocks"] == 18 and record["analysis"]["error"]["type"] == "AnalysisError"
