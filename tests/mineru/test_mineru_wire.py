"""What is sent to MinerU, and what its answers mean."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mineru_bundles import CONTENT_LIST, MIDDLE, PICTURES
from service_runs import PATIENT_S, Run, service
from service_server import ServiceServer, make_zip, nobody, serve
from shared_files import shared_dir

from lrdoc.errors import EngineNotConfigured, TransportError
from lrdoc.parsers.mineru.client import probe
from lrdoc.parsers.mineru.options import Options
from lrdoc.parsers.mineru.settings import MineruSettings
from lrdoc.parsers.services.bundle import read_manifest


def manifest(run: Run) -> dict[str, Any]:
    found = read_manifest(run.cache)
    assert found is not None
    return found


def test_a_local_service_of_version_3_gets_the_recorded_fields(tmp_path: Path) -> None:
    with serve(service("mineru3")) as server:
        run = Run("mineru3", server.url, tmp_path)
        run.parse(page_range=["2-4"], language="en", local_parse_method="ocr")
        fields = server.of("upload").fields()
    expected = {
        "lang_list": "en",
        "backend": "hybrid-auto-engine",
        "parse_method": "ocr",
        "formula_enable": "true",
        "table_enable": "true",
        "image_analysis": "false",
        **dict.fromkeys("return_md return_middle_json return_model_output return_content_list".split(), "true"),
        "return_images": "true",
        "response_format_zip": "true",
        # The original comes back in the archive otherwise: the traffic twice.
        "return_original_file": "false",
        "start_page_id": "1",
        "end_page_id": "3",
        "files": "x.pdf",
    }
    assert fields == {name: [value] for name, value in expected.items()}
    shared = shared_dir()
    if shared is not None:
        captured = json.loads((shared / "cases/engines/wire_captures.json").read_bytes())["mineru_local"]
        names = [part[0].partition('name="')[2].partition('"')[0] for part in captured["requests"][0]["parts"]]
        assert list(fields) == names
    found = manifest(run)
    assert (found["engine_version"], found["task_id"], found["api_mode"]) == ("3.4.5", "t 1", "local")
    assert found["critical_file"]["path"] == "content_list.json"
    assert sorted(entry["path"] for entry in found["files"]) == ["content_list.json", *sorted(PICTURES)]
    assert found["source_filename_at_parse"] == "x.pdf" and found["extras"]["api"] == "3"


def test_a_local_service_of_version_4_gets_its_own_interface(tmp_path: Path) -> None:
    with serve(service("mineru4")) as server:
        run = Run("mineru4", server.url, tmp_path, local_tier="flash")
        document = run.parse(page_range=["2-4"], language="en", local_parse_method="txt")
        upload, result = server.of("upload"), server.of("result")
    assert upload.query == {
        "ocr_mode": ["txt"],
        "tier": ["flash"],
        "page_range": ["2-4"],
        "output_formats": ["markdown", "middle_json", "structured_content", "zip"],
    }
    assert upload.fields() == {"files": ["x.pdf"]}
    assert result.query == {"response_format": ["zip"]}
    assert manifest(run)["critical_file"]["path"] == "middle_json.json"
    # It finds the language by itself; who asked for one is told.
    assert [warning.code for warning in document.warnings if warning.code.startswith("mineru")] == [
        "mineru_option_ignored"
    ]


def test_the_official_service_gets_the_recorded_requests(tmp_path: Path) -> None:
    with serve(service("official")) as server:
        run = Run("official", server.url, tmp_path, is_ocr=True)
        run.parse(page_range=["1-3", "5"], language="en")
        batch, upload, poll, result = (server.of(step) for step in ("batch", "upload", "poll", "result"))
        asked = server.steps()
    assert json.loads(batch.body) == {
        "files": [{"name": "x.pdf", "is_ocr": True, "page_ranges": "1-3,5"}],
        "model_version": "vlm",
        "language": "en",
        "enable_table": True,
        "enable_formula": True,
    }
    assert batch.headers["authorization"] == poll.headers["authorization"] == "Bearer TOK"
    assert upload.body == run.source.path.read_bytes() and upload.headers["content-length"] == str(len(upload.body))
    assert poll.path == "/api/v4/extract-results/batch/b/1"
    assert result.headers["accept-encoding"] == "identity"
    assert asked == ["batch", "upload", "poll", "poll", "result"]


def test_a_signed_address_elsewhere_gets_no_token(tmp_path: Path) -> None:
    with serve(service("official")) as other, serve(service("official")) as server:
        entry = {"state": "done", "full_zip_url": f"{other.url}/z.zip"}
        server.faults["poll"] = [json.dumps({"code": 0, "data": {"extract_result": [entry]}}) + "*"]
        Run("official", server.url, tmp_path).parse()
        assert "authorization" not in other.of("result").headers


FAILURES = [
    ("mineru3", "poll", {"status": "failed", "error": "No module named 'torch'"}, "No module named 'torch'"),
    ("mineru3", "upload", {}, "names no task"),
    (
        "mineru4",
        "poll",
        {"status": "failed", "files": [{"error": {"code": "parse_failed", "message": "Unsupported file type: x"}}]},
        "Unsupported file type: x",
    ),
    ("mineru4", "poll", {"status": "canceled"}, "does not say why"),
    ("official", "poll", {"code": 0, "data": {"extract_result": [{"state": "failed", "err_msg": "bad"}]}}, "bad"),
    ("official", "batch", {"code": "A0202", "msg": "token error"}, "token error (code A0202)"),
    ("official", "batch", {"code": 0, "data": {"batch_id": "b"}}, "no address"),
    ("official", "poll", {"code": 0, "data": {"extract_result": [{"state": "done"}]}}, "names no result"),
]


@pytest.mark.parametrize("kind, step, answer, words", FAILURES)
def test_what_the_service_says_is_in_the_error(
    kind: str, step: str, answer: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with serve(service(kind, faults={step: [json.dumps(answer) + "*"]})) as server:
        run = Run(kind, server.url, tmp_path)
        with pytest.raises(TransportError) as caught:
            run.parse()
    assert words in str(caught.value) and server.url in str(caught.value)
    assert run.leftovers() == []


def test_a_task_that_is_done_in_part_is_a_document_with_a_warning(tmp_path: Path) -> None:
    answer = {"status": "partial", "files": [{"error": {"message": "page 3 failed"}}]}
    with serve(service("mineru4", faults={"poll": [json.dumps(answer) + "*"]})) as server:
        told = [w.message for w in Run("mineru4", server.url, tmp_path).parse().warnings if w.code == "incomplete"]
    assert told == ["the service could not read everything: page 3 failed"]


@pytest.mark.parametrize(
    "files",
    [
        {"content_list.json": CONTENT_LIST},
        {"x_content_list.json": CONTENT_LIST},
        {"deep/er/x/auto/x_content_list.json": CONTENT_LIST, "deep/er/x/auto/x_content_list_v2.json": []},
        {"other/y_content_list.json": CONTENT_LIST, "readme.md": b"x"},
        {"content_list.json": {"result": {"content_list": CONTENT_LIST}}},
    ],
)
def test_the_content_list_is_found_wherever_it_is(files: dict[str, Any], tmp_path: Path) -> None:
    with serve(ServiceServer("mineru3", make_zip(files))) as server:
        run = Run("mineru3", server.url, tmp_path)
        assert run.parse().title == "Report on rain"
    assert (run.cache / "content_list.json").is_file()


def test_an_archive_of_several_files_of_version_4(tmp_path: Path) -> None:
    files = {
        "manifest.json": {"files": []},
        "0001/middle_json.json": MIDDLE,
        "0001/images/p.png": PICTURES["images/p.png"],
    }
    with serve(ServiceServer("mineru4", make_zip(files))) as server:
        run = Run("mineru4", server.url, tmp_path)
        assert run.parse().title == "Report"
    assert manifest(run)["critical_file"]["path"] == "0001/middle_json.json"


def test_an_archive_without_content_is_an_error(tmp_path: Path) -> None:
    with serve(ServiceServer("mineru3", make_zip({"x.md": b"# x"}))) as server:
        run = Run("mineru3", server.url, tmp_path)
        with pytest.raises(TransportError, match="neither content_list"):
            run.parse()
    assert run.leftovers() == []


def test_an_archive_cannot_mark_itself_as_whole(tmp_path: Path) -> None:
    files = {"content_list.json": CONTENT_LIST, "_manifest.json": {"version": "1.0", "engine": "mineru"}}
    with serve(ServiceServer("mineru3", make_zip(files))) as server:
        run = Run("mineru3", server.url, tmp_path)
        run.parse()
    assert manifest(run)["source_filename_at_parse"] == "x.pdf"


def test_pages_by_settings_and_by_parameters() -> None:
    def options(**more: Any) -> Options:
        params = more.pop("params", {})
        return Options.make(MineruSettings(local_endpoint="http://h:1/", **more), params)

    assert (options().page_ids, options().page_range) == ((0, 99999), "")
    assert (options(page_ranges="5").page_ids, options(page_ranges="5").page_range) == ((4, 4), "5")
    both = options(page_ranges="5", params={"page_range": ["2-3"]})
    assert (both.page_ids, both.page_range) == ((1, 2), "2-3")
    ids = options(local_start_page_id=3, local_end_page_id=7)
    assert (ids.page_ids, ids.page_range) == ((3, 7), "4-8")
    with pytest.raises(EngineNotConfigured, match="one page or one range"):
        options(page_ranges="1-3,5")


def test_every_option_is_in_the_key_of_the_bundle() -> None:
    base = MineruSettings(local_endpoint="http://h:1")
    changed: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"language": "en"}, {}),
        ({"enable_table": False}, {}),
        ({"enable_formula": False}, {}),
        ({"local_backend": "pipeline"}, {}),
        ({"local_tier": "flash"}, {}),
        ({"local_parse_method": "ocr"}, {}),
        ({"local_image_analysis": True}, {}),
        ({"local_end_page_id": 3}, {}),
        ({}, {"language": "en"}),
        ({}, {"page_range": ["1-3"]}),
        ({}, {"local_parse_method": "txt"}),
    ]
    plain = Options.make(base, {}).signed()
    for settings, params in changed:
        other = Options.make(MineruSettings(local_endpoint="http://h:1", **settings), params).signed()
        assert other != plain, (settings, params)
    same = MineruSettings(local_endpoint="http://h:1", poll_interval=9.0, max_polls=7, local_api_key="k")
    assert Options.make(same, {"language": "ch"}).signed() == plain


@pytest.mark.parametrize("kind, version", [("mineru3", "3.4.5"), ("mineru4", "4.0.12")])
def test_health_names_the_version(kind: str, version: str) -> None:
    with serve(service(kind)) as server:
        answer = probe(MineruSettings(local_endpoint=server.url), PATIENT_S)
    assert (answer.ok, answer.reason) == (True, f"MinerU {version}")


def test_health_of_what_is_not_there() -> None:
    with nobody() as address:
        answer = probe(MineruSettings(local_endpoint=address), PATIENT_S)
    assert not answer.ok and "cannot be reached" in answer.reason and answer.remedy
    with serve(service("mineru3", faults={"health": ["text*"]})) as server:
        answer = probe(MineruSettings(local_endpoint=server.url), PATIENT_S)
    assert not answer.ok and "no MinerU" in answer.reason
    with serve(service("mineru3", faults={"health": ["silent*"]})) as server:
        answer = probe(MineruSettings(local_endpoint=server.url), 0.3)
    assert not answer.ok


def test_health_of_another_web_server() -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *args: object) -> None:
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        answer = probe(MineruSettings(local_endpoint=f"http://127.0.0.1:{http.server_address[1]}"), PATIENT_S)
        http.shutdown()
        thread.join()
    assert not answer.ok and "no MinerU" in answer.reason
