"""Engines behind a service on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import run_command, run_here
from service_runs import PATIENT_S, service
from service_server import nobody, serve


def test_a_service_that_is_away_is_one_clear_error_with_a_way_out(tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    path.write_bytes(b"PK\x03\x04 not really")
    with nobody() as address:
        env = {"MINERU_LOCAL_ENDPOINT": address, "PARSER_REQUEST_RETRIES": "0"}
        run = run_command("parse", path, "--engine", "mineru", "--json", cwd=tmp_path, **env)
    assert run.code == 1
    error = run.records[0]["error"]
    assert error["type"] == "TransportError"
    for words in (
        address,
        "cannot be reached",
        "MINERU_LOCAL_ENDPOINT",
        "Other engines that take such files: ",
        "native",
    ):
        assert words in error["message"]
    assert "Traceback" not in run.err
    assert sorted(p.name for p in tmp_path.iterdir()) in (["report.docx"], ["__parsed__", "report.docx"])
    assert not list(tmp_path.glob("__parsed__/*"))


@pytest.mark.parametrize("kind, variable", [("mineru3", "MINERU_LOCAL_ENDPOINT"), ("docling", "DOCLING_ENDPOINT")])
def test_a_hint_chooses_engine_and_parameters(
    kind: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = "docling" if kind == "docling" else "mineru"
    path = tmp_path / f"x.[{engine}(page_range=1-2)-te].pdf"
    path.write_bytes(b"%PDF-1.4 not really")
    with serve(service(kind)) as server:
        run = run_command("parse", path, "--json", cwd=tmp_path, **{variable: server.url})
        assert run.code == 0, run.out + run.err
        fields = server.of("upload").fields()
        monkeypatch.setattr("lrdoc.cli.engines.PROBE_TIMEOUT_S", PATIENT_S)
        monkeypatch.setenv(variable, server.url)
        monkeypatch.chdir(tmp_path)
        health = run_here("engines", "--health")
    assert fields["files"] == ["x.pdf"]
    assert (fields.get("page_range") or [fields["start_page_id"][0], fields["end_page_id"][0]])[-1] in ("2", "1")
    (record,) = run.records
    assert (record["engine"], record["parse_engine"]) == (engine, f"{engine}(page_range=1-2)")
    assert record["tables"] >= 1 and record["drawings"] >= 1 and record["equations"] >= 1
    folder = tmp_path / "__parsed__"
    assert sorted(p.name for p in folder.iterdir()) == [f"x.pdf.{engine}_raw", "x.pdf.parsed"]
    assert run_command("check", folder / "x.pdf.parsed", cwd=tmp_path).code == 0
    assert "service: answers (" in health.out
