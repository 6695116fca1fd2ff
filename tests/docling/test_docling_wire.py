"""What is sent to docling-serve, what its answers mean, and a service that answers with recorded bundles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from docling_bundles import Docling, everything
from service_runs import PATIENT_S, Run, service, settings
from service_server import ServiceServer, make_zip, nobody, serve
from shared_files import shared_dir

from lrdoc.errors import EngineNotConfigured, TransportError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docling.client import probe
from lrdoc.parsers.docling.options import Options
from lrdoc.parsers.docling.parser import DoclingParser
from lrdoc.parsers.docling.settings import DoclingSettings, read_languages
from lrdoc.parsers.services.bundle import read_manifest
from lrdoc.testing.assets import MemoryAssets


def test_the_recorded_fields_and_the_parameters_are_sent(tmp_path: Path) -> None:
    with serve(service("docling")) as server:
        run = Run("docling", f"{server.url}/v1/convert/file/async/", tmp_path, ocr_lang=("en", "zh"))
        run.parse(force_ocr=False, page_range="2-4", table_mode="fast")
        fields, poll = server.of("upload").fields(), server.of("poll")
    expected = {
        "pipeline": ["standard"],
        "target_type": ["zip"],
        "image_export_mode": ["referenced"],
        "do_ocr": ["true"],
        "force_ocr": ["false"],
        "ocr_engine": ["auto"],
        "ocr_preset": ["auto"],
        "do_formula_enrichment": ["false"],
        "do_pdf_heading_hierarchy": ["true"],
        "to_formats": ["json", "md"],
        "ocr_lang": ["en", "zh"],
        "page_range": ["2", "4"],
        "table_mode": ["fast"],
        "files": ["x.pdf"],
    }
    assert fields == expected
    shared = shared_dir()
    if shared is not None:
        captured = json.loads((shared / "cases/engines/wire_captures.json").read_bytes())["docling"]
        names = {part[0].partition('name="')[2].partition('"')[0] for part in captured["requests"][0]["parts"]}
        assert names <= set(fields)
    assert poll.query == {"wait": ["0.02"]}
    found = read_manifest(run.cache)
    assert found is not None
    assert (found["engine_version"], found["task_id"], found["critical_file"]["path"]) == ("1.38.2", "t 1", "x.json")
    assert found["endpoint_signature"] == server.url
    assert found["extras"]["fixed_constants"]["image_export_mode"] == "referenced"


def test_partial_success_is_a_document_with_a_warning(tmp_path: Path) -> None:
    answer = {"task_status": "partial_success", "error_message": "page 3 failed"}
    with serve(service("docling", faults={"poll": [json.dumps(answer) + "*"]})) as server:
        run = Run("docling", server.url, tmp_path)
        told = [warning.message for warning in run.parse().warnings if warning.code == "incomplete"]
        assert told == ["the service could not read everything: page 3 failed"]
        # The kept bundle says it as well.
        assert [w.message for w in run.parse().warnings if w.code == "incomplete"] == told


@pytest.mark.parametrize(
    "answer, words",
    [
        ({"task_status": "failure", "error_message": "no models"}, "failure: no models"),
        ({"task_status": "skipped"}, "skipped: it does not say why"),
        ({"task_status": "failure", "failure": {"message": "deep"}}, "deep"),
    ],
)
def test_a_failure_says_what_the_service_says(answer: dict[str, Any], words: str, tmp_path: Path) -> None:
    with serve(service("docling", faults={"poll": [json.dumps(answer) + "*"]})) as server:
        run = Run("docling", server.url, tmp_path)
        with pytest.raises(TransportError) as caught:
            run.parse()
    assert words in str(caught.value) and "docling at http" in str(caught.value)
    assert run.leftovers() == []


def envelope(**more: Any) -> str:
    return json.dumps({"document": {"json_content": everything(), "md_content": "# Report"}, **more})


def test_an_envelope_in_place_of_an_archive(tmp_path: Path) -> None:
    errors = [{"error_message": "page 2 is empty"}]
    answer = envelope(status="partial_success", errors=errors)
    with serve(service("docling", faults={"result": [answer]})) as server:
        run = Run("docling", server.url, tmp_path)
        document = run.parse()
    assert document.title == "Report"
    assert "the service could not read everything: page 2 is empty" in [w.message for w in document.warnings]
    assert (run.cache / "x.md").read_text() == "# Report"


def test_a_bare_document_in_place_of_an_archive(tmp_path: Path) -> None:
    with serve(service("docling", faults={"result": [json.dumps(everything())]})) as server:
        assert Run("docling", server.url, tmp_path).parse().title == "Report"


@pytest.mark.parametrize(
    "answer", [envelope(status="failure"), '{"document": {"md_content": "x"}}', '{"task_id": "t"}'], ids=range(3)
)
def test_an_envelope_without_document_is_an_error(answer: str, tmp_path: Path) -> None:
    with serve(service("docling", faults={"result": [answer + "*"]})) as server:
        run = Run("docling", server.url, tmp_path)
        with pytest.raises(TransportError):
            run.parse()
    assert run.leftovers() == []


def test_an_older_service_without_version(tmp_path: Path) -> None:
    with serve(service("docling", faults={"health": ["404*"]})) as server:
        run = Run("docling", server.url, tmp_path)
        run.parse()
    found = read_manifest(run.cache)
    assert found is not None and found["engine_version"] == ""


def test_every_option_is_in_the_key_of_the_bundle() -> None:
    def signed(params: dict[str, Any], **more: Any) -> Any:
        return Options.make(DoclingSettings(endpoint="http://h:1", **more), params).signed()

    plain = signed({})
    changed: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {"do_ocr": False}),
        ({}, {"force_ocr": False}),
        ({}, {"ocr_engine": "x"}),
        ({}, {"ocr_preset": "x"}),
        ({}, {"ocr_lang": ("en",)}),
        ({}, {"do_formula_enrichment": True}),
        ({"force_ocr": False}, {}),
        ({"heading_hierarchy": False}, {}),
        ({"page_range": "1-3"}, {}),
        ({"table_mode": "fast"}, {}),
    ]
    for params, more in changed:
        assert signed(params, **more) != plain, (params, more)
    assert signed({"force_ocr": True, "heading_hierarchy": True}, poll_interval=9.0, api_key="k") == plain


@pytest.mark.parametrize("text", ['["en","zh"]', "en,zh", " en , zh ,"])
def test_languages_in_both_spellings_are_the_same(text: str) -> None:
    assert read_languages(text) == ("en", "zh")


def test_languages_that_are_none() -> None:
    with pytest.raises(ValueError, match="expected a list"):
        read_languages("[1]")


def test_without_address_the_engine_is_not_configured(tmp_path: Path) -> None:
    for endpoint in ("", "localhost:5001", "ftp://h"):
        with pytest.raises(EngineNotConfigured, match="DOCLING_ENDPOINT"):
            Run("docling", endpoint, tmp_path).parse()


def test_health() -> None:
    with serve(service("docling")) as server:
        answer = probe(DoclingSettings(endpoint=server.url), PATIENT_S)
    assert (answer.ok, answer.reason) == (True, "docling-serve 1.38.2")
    with nobody() as address:
        answer = probe(DoclingSettings(endpoint=address), PATIENT_S)
    assert not answer.ok and "cannot be reached" in answer.reason and answer.remedy


def recorded() -> list[Any]:
    shared = shared_dir()
    found = sorted((shared / "cases" / "engines").glob("docling_*/*.result.zip")) if shared else []
    return [pytest.param(path, id=path.name) for path in found]


@pytest.mark.parametrize("path", recorded())
def test_recorded_answers_end_to_end(path: Path, tmp_path: Path) -> None:
    name = path.name.removesuffix(".result.zip")
    source = SourceFile(tmp_path / name, name)
    source.path.write_bytes(b"the bytes do not matter here")
    with serve(ServiceServer("docling", path.read_bytes())) as server:
        context = ParseContext(
            MemoryAssets(), settings=settings("docling", server.url), cache_dir=tmp_path / f"{name}.docling_raw"
        )
        document = DoclingParser().parse(source, {}, context)
        assert server.of("upload").fields()["files"] == [name]
    assert document.blocks
    assert document.split_option["engine_version"] == "1.38.2"


def test_a_document_of_another_name_in_the_archive(tmp_path: Path) -> None:
    d = Docling()
    d.text("words")
    with serve(ServiceServer("docling", make_zip({"other.json": d.copy(), "other.md": b""}))) as server:
        run = Run("docling", server.url, tmp_path)
        run.parse()
    found = read_manifest(run.cache)
    assert found is not None and found["critical_file"]["path"] == "other.json"
