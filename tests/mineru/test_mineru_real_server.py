"""Office files end to end through real MinerU servers of both interfaces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runner import ROOT, Ran, run_command, run_here
from mineru_server import VERSIONS, Mineru, mineru_server
from real_servers import START_S

pytestmark = pytest.mark.service


@pytest.fixture(scope="module", params=list(VERSIONS))
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mineru]:
    with mineru_server(request.param, tmp_path_factory.mktemp("mineru")) as running:
        yield running


def parse(server: Mineru, path: Path, *more: str, **env: str) -> Ran:
    return run_command(
        "parse",
        path,
        "--engine",
        "mineru",
        "-o",
        path.parent / "out",
        "--json",
        *more,
        cwd=path.parent,
        timeout=START_S,
        MINERU_LOCAL_ENDPOINT=server.url,
        MINERU_POLL_INTERVAL_SECONDS="0.3",
        MINERU_MAX_POLLS="1200",
        **env,
    )


def office_file(folder: Path, suffix: str) -> Path:
    path = folder / f"report.{suffix}"
    if suffix == "docx":
        import docx

        document = docx.Document()
        document.add_heading("Rainfall", 1)
        document.add_paragraph("It rained on forty days.")
        table = document.add_table(2, 2)
        table.cell(0, 0).text, table.cell(1, 1).text = "north", "seven"
        document.add_heading("Outlook", 2)
        document.save(str(path))
    elif suffix == "pptx":
        import pptx

        deck = pptx.Presentation()
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = "Rainfall"
        slide.placeholders[1].text = "It rained on forty days."
        deck.save(str(path))
    else:
        import openpyxl

        book = openpyxl.Workbook()
        book.active.append(["north", "rained"])
        book.active.append(["forty days", "seven"])
        book.save(path)
    return path


WORDS = {
    "docx": ["Rainfall", "It rained on forty days.", "north", "seven", "Outlook"],
    "pptx": ["Rainfall", "It rained on forty days."],
    "xlsx": ["north", "rained", "forty days", "seven"],
}


@pytest.mark.parametrize("suffix", list(WORDS))
def test_an_office_file_becomes_a_parsed_folder(server: Mineru, suffix: str, tmp_path: Path) -> None:
    path = office_file(tmp_path, suffix)
    run = parse(server, path)
    assert run.code == 0, run.err + run.out
    (record,) = run.records
    folder = Path(record["parsed_dir"])
    content = Path(record["blocks_path"]).read_text("utf-8")
    places = [content.find(words) for words in WORDS[suffix]]
    assert -1 not in places and places == sorted(places)
    assert record["warnings"] == []
    assert run_command("check", folder, cwd=tmp_path).code == 0
    manifest = json.loads((tmp_path / "out" / f"{path.name}.mineru_raw" / "_manifest.json").read_bytes())
    assert manifest["engine_version"] == server.version
    assert manifest["endpoint_signature"] == server.url
    # Once more, from the kept bundle.
    assert parse(server, path).records[0]["cached"] is True
    assert parse(server, path, "--force-reparse").records[0]["cached"] is False


def test_the_outline_of_the_file_is_kept(server: Mineru, tmp_path: Path) -> None:
    run = parse(server, office_file(tmp_path, "docx"))
    lines = Path(run.records[0]["blocks_path"]).read_text("utf-8").splitlines()[1:]
    found = [(line["heading"], line["parent_headings"]) for line in map(json.loads, lines)]
    assert found == [("Rainfall", []), ("Outlook", ["Rainfall"])]


def test_a_file_that_the_service_refuses_is_one_clear_error(server: Mineru, tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    path.write_bytes(b"these are no office bytes")
    run = parse(server, path)
    assert run.code == 1
    error = run.records[0]["error"]
    assert error["type"] == "TransportError" and "mineru at http" in error["message"]
    assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []


def test_engines_say_which_version_answers(server: Mineru, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lrdoc.cli.engines.PROBE_TIMEOUT_S", 120.0)
    monkeypatch.setenv("MINERU_LOCAL_ENDPOINT", server.url)
    monkeypatch.chdir(tmp_path)
    run = run_here("engines", "--health")
    assert f"service: answers (MinerU {server.version})" in run.out


def test_the_report_by_native_and_by_mineru(server: Mineru, tmp_path: Path) -> None:
    """`compare` shows what each kept."""
    report = ROOT / "fixtures" / "report.docx"
    source = tmp_path / "report.docx"
    source.write_bytes(report.read_bytes())
    theirs = parse(server, source)
    assert theirs.code == 0, theirs.err + theirs.out
    ours = run_command("parse", source, "--engine", "native", "-o", tmp_path / "native", "--json", cwd=tmp_path)
    folders = [run.records[0]["parsed_dir"] for run in (ours, theirs)]
    result = run_command("compare", *folders, "--json", cwd=tmp_path).records[0]
    native, mineru = result["a"], result["b"]
    assert (native["parse_engine"], mineru["parse_engine"]) == ("native", "mineru")
    headings = result["headings"]
    assert headings["same"] + len(headings["changed"]) > 0
    assert result["text"]["same"] > 0.5 * native["words"]
    assert native["words"] >= mineru["words"] * 0.9
    told = run_command("compare", *folders, cwd=tmp_path)
    assert told.code == 0 and "headings" in told.out


def test_a_key_is_asked_for(tmp_path: Path) -> None:
    path = office_file(tmp_path, "docx")
    folder = tmp_path / "server"
    folder.mkdir()
    with mineru_server("4.0.12", folder, "--api-key", "SECRET") as running:
        refused = parse(running, path)
        assert refused.code == 1 and "401" in refused.records[0]["error"]["message"]
        accepted = parse(running, path, MINERU_LOCAL_API_KEY="SECRET")
        assert accepted.code == 0, accepted.out
