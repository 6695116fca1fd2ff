"""The analysis stage: gates, failures, cancellation, memory."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from analysis_folder import ENABLED, items_of, picture, results, run_analysis, statuses, write_folder
from promptly import soonest

from lrdoc.analyzers.base import AnalysisError
from lrdoc.analyzers.chunks import item_chunks
from lrdoc.analyzers.stage import AnalysisContext, preview_folder
from lrdoc.errors import Cancelled, ModelError, SidecarError
from lrdoc.llm.base import ChatModel, ModelNotConfigured, Reply, Request
from lrdoc.llm.cache import AnswerCache, CachedModel
from lrdoc.testing.models import ScriptedModel
from lrdoc.text.tokens import load_tokenizer

ANSWER = {"name": "n", "type": "Chart", "description": "d", "equation": "x"}
TABLE = {
    "blockid": "b1",
    "format": "json",
    "content": '[["a", "b"], ["1", "2"]]',
    "caption": "Cap",
    "footnotes": ["f1"],
}


def answering(request: Request) -> dict[str, str]:
    return {key: value for key, value in ANSWER.items() if request.schema and key in request.schema["properties"]}


def drawing(name: str, **more: object) -> dict[str, object]:
    return {"blockid": "b1", "path": f"doc.blocks.assets/{name}", "format": "png", **more}


def test_every_kind_is_explained_and_written(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={"b1": '# H\nlead <table id="tb-1" format="json">[["a", "b"], ["1", "2"]]</table>\ntail'},
        tables={"tb-1": TABLE},
        drawings={"im-1": drawing("a.png")},
        equations={"eq-1": {"blockid": "b1", "format": "latex", "content": "x^2"}},
        assets={"a.png": picture()},
    )
    model = ScriptedModel(answering)
    report = run_analysis(folder, model)
    assert report.counts == {kind: {"success": 1} for kind in ("drawings", "tables", "equations")}
    assert report.calls == 3
    table = items_of(folder, "tables")["tb-1"]
    assert table["llm_analyze_result"] == {
        "name": "n", "description": "d", "analyze_time": 1_700_000_000, "status": "success", "message": "",
    }  # fmt: skip
    assert table["surrounding"] == {"leading": "# H\nlead ", "trailing": "\ntail"}
    assert results(folder, "drawings")["im-1"]["type"] == "Chart"
    asked = {request.purpose: request for request in model.requests}
    assert len(asked["drawing"].images) == 1 and not asked["table"].images
    for words in ("Cap", "f1", '["a", "b"]', "lead", "tail"):
        assert words in asked["table"].text


def test_the_prompt_shows_what_the_document_says_not_how_it_is_stored(tmp_path: Path) -> None:
    item = {**TABLE, "content": json.dumps([["&lt;table> of", "[\\^1]"]]), "heading": "H", "parent_headings": ["P"]}
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={"b1": '&lt;drawing here <table id="tb-1" format="json">[[]]</table>'},
        tables={"tb-1": item},
    )
    model = ScriptedModel(answering)
    run_analysis(folder, model)
    text = model.requests[0].text
    assert "<table> of" in text and "[^1]" in text and "<drawing here" in text and "P › H" in text


@pytest.mark.parametrize(
    ("item", "data", "message"),
    [
        (drawing("no.png"), {}, "image file not found: doc.blocks.assets/no.png"),
        (drawing("a.emf"), {"a.emf": b"x"}, "unsupported image format: emf"),
        (drawing("a.svg"), {"a.svg": b"<svg/>"}, "unsupported image format: svg"),
        (drawing("s.png"), {"s.png": picture(63, 500)}, "image width or height is smaller than 64px"),
        (drawing("junk.png"), {"junk.png": b"not a picture"}, "not a png picture"),
        ({"blockid": "b1", "path": "/etc/hosts.png"}, {}, "image reference refused"),
        ({"blockid": "b1", "path": "doc.blocks.assets/../../x.png"}, {}, "image reference refused"),
        ({"blockid": "b1", "path": "https://example.org/x.png"}, {}, "image reference refused"),
        ({"blockid": "b1"}, {}, "image reference refused (outside document dir or malformed): n/a"),
        ({"blockid": "b1", "path": 5}, {}, "image reference refused"),
    ],
)
def test_gates_before_the_model_skip_even_without_a_model(
    tmp_path: Path, item: dict[str, object], data: dict[str, bytes], message: str
) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, drawings={"im-1": item}, assets=data)
    model = ScriptedModel([])
    run_analysis(folder, model, settings=replace(ENABLED, vlm_enabled=False))
    result = results(folder, "drawings")["im-1"]
    assert result["status"] == "skipped" and result["message"].startswith(message)
    assert not model.requests


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "secret.png"
    outside.write_bytes(picture())
    folder = write_folder(tmp_path / "d.parsed", blocks={}, drawings={"im-1": drawing("a.png")}, assets={"b.png": b"x"})
    (folder / "doc.blocks.assets" / "a.png").symlink_to(outside)
    run_analysis(folder, ScriptedModel([]))
    assert results(folder, "drawings")["im-1"]["message"].startswith("image reference refused")


def no_model(role: str) -> ChatModel:
    raise ModelNotConfigured(f"No model serves the role {role}", hint="Set LLM_MODEL.")


def test_the_vision_gate_fails_the_document_after_the_skips_and_before_the_size(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={},
        drawings={"im-1": drawing("s.png"), "im-2": drawing("big.png")},
        assets={"s.png": picture(10, 10), "big.png": picture(1000, 1000) + b"\0" * 6_000_000},
    )
    for models, settings in (
        (no_model, ENABLED),
        (lambda role: ScriptedModel([]), replace(ENABLED, vlm_enabled=False)),
    ):
        with pytest.raises(AnalysisError, match="im-2: VLM analysis required but VLM role is not available"):
            run_analysis(folder, models, settings=settings)
        assert statuses(folder, "drawings") == {"im-1": "skipped", "im-2": "failure"}
    run_analysis(folder, ScriptedModel([]))
    assert (
        results(folder, "drawings")["im-2"]["message"]
        == f"image too large: {(folder / 'doc.blocks.assets/big.png').stat().st_size} bytes (limit 5242880)"
    )


def test_an_empty_picture_fails_after_the_gate(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, drawings={"im-1": drawing("e.png")}, assets={"e.png": b""})
    with pytest.raises(AnalysisError, match="drawings/im-1: image file is empty"):
        run_analysis(folder, ScriptedModel([]))


def test_tables_and_equations_need_no_vision(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})
    run_analysis(folder, ScriptedModel(answering), settings=replace(ENABLED, vlm_enabled=False))
    assert statuses(folder, "tables") == {"tb-1": "success"}
    with pytest.raises(AnalysisError, match=r"EXTRACT role is not available.*Set LLM_MODEL"):
        run_analysis(folder, no_model)


def test_empty_and_malformed_items(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a.parsed", blocks={}, tables={"tb-1": {**TABLE, "content": " ", "format": "md"}})
    run_analysis(folder, ScriptedModel([]))
    assert results(folder, "tables")["tb-1"]["message"] == "missing table content"
    folder = write_folder(tmp_path / "b.parsed", blocks={}, tables={"tb-1": {**TABLE, "format": "md"}})
    with pytest.raises(AnalysisError, match=r"table/tb-1: missing or invalid table format 'md' \(f.docx\)"):
        run_analysis(folder, ScriptedModel([]))
    folder = write_folder(tmp_path / "c.parsed", blocks={}, equations={"eq-1": {"content": ""}})
    with pytest.raises(AnalysisError, match="equation/eq-1: missing equation content"):
        run_analysis(folder, ScriptedModel([]))


def test_a_bad_answer_is_asked_for_once_more(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})
    model = ScriptedModel(["nonsense", ANSWER])
    run_analysis(folder, model)
    assert len(model.requests) == 2 and statuses(folder, "tables") == {"tb-1": "success"}
    model = ScriptedModel(["nonsense", "[]", ANSWER])
    with pytest.raises(AnalysisError, match="missing or invalid field 'name'"):
        run_analysis(folder, model)
    assert len(model.requests) == 2


def test_identical_pictures_are_asked_about_once(tmp_path: Path) -> None:
    same, other = picture(), picture(color=(1, 2, 3))
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={"b1": 'first <drawing id="im-1" path="x" /> second <drawing id="im-2" path="y" />'},
        drawings={f"im-{i}": drawing(name) for i, name in enumerate(("a.png", "b.png", "c.png", "a.png"), start=1)},
        assets={"a.png": same, "b.png": same, "c.png": other},
    )
    model = ScriptedModel(answering)
    run_analysis(folder, model)
    assert len(model.requests) == 2
    asked = next(request for request in model.requests if request.images[0].data == same)
    assert "first" in asked.text
    assert set(statuses(folder, "drawings").values()) == {"success"} and len(statuses(folder, "drawings")) == 4


def test_many_pictures_of_one_size_are_told_apart_in_one_reading(tmp_path: Path) -> None:
    plain = [picture(color=(i, 0, 0), form="GIF") for i in range(4)]
    padded = [data + b"\0" * (4000 - len(data)) for data in plain]
    names = [f"p{i}.gif" for i in range(400)]
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={},
        drawings={f"im-{i}": drawing(name) for i, name in enumerate(names)},
        assets={name: padded[i % 4] for i, name in enumerate(names)},
    )
    model = ScriptedModel(answering)
    run_analysis(folder, model)
    assert len(model.requests) == 4 and list(statuses(folder, "drawings").values()) == ["success"] * 400


def test_item_files_of_other_writers_keep_what_no_json_library_likes(tmp_path: Path) -> None:
    odd = {**TABLE, "caption": "half \ud800", "extras": {"big": 10**30, "list": [], "map": {}, "text": "a\n  b"}}
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE, "tb-\u00e9": TABLE})
    path = folder / "doc.tables.json"
    path.write_text(json.dumps({"more": [1, {"x": None}], "tables": {"tb-1": odd, "tb-2": TABLE}}))
    run_analysis(folder, ScriptedModel(answering))
    root = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    assert root["more"] == [1, {"x": None}] and set(root) == {"more", "tables"}
    assert {key: root["tables"]["tb-1"][key] for key in odd} == odd


def test_large_pictures_are_scaled_for_sending_only(tmp_path: Path) -> None:
    import io

    import PIL.Image

    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={},
        drawings={"im-1": drawing("a.jpg")},
        assets={"a.jpg": picture(5000, 100, form="JPEG")},
    )
    model = ScriptedModel(answering)
    run_analysis(folder, model)
    sent = model.requests[0].images[0]
    with PIL.Image.open(io.BytesIO(sent.data)) as image:
        assert image.size == (2048, 41) and (sent.mime, image.format) == ("image/jpeg", "JPEG")


def test_finished_answers_stay_when_a_sibling_fails(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "d.parsed", blocks={}, tables={f"tb-{i}": {**TABLE, "caption": f"c{i}"} for i in range(1, 41)}
    )

    def script(request: Request) -> dict[str, str] | Exception:
        return ModelError("boom") if "c5" in request.text.split("Notes")[0] else answering(request)

    with pytest.raises(AnalysisError, match="table/tb-5: EXTRACT call failed: boom"):
        run_analysis(folder, ScriptedModel(script))
    found = results(folder, "tables")
    assert len(found) == 40
    assert [found[f"tb-{i}"]["status"] for i in range(1, 5)] == ["success"] * 4
    assert found["tb-40"] == {"analyze_time": 1_700_000_000, "status": "failure", "message": "cancelled"}


def test_cancelled_within_half_a_second_and_what_was_answered_stays(tmp_path: Path) -> None:
    assert soonest(lambda: seconds_to_cancel(tmp_path / "d.parsed"), 0.5) < 0.5


def seconds_to_cancel(path: Path) -> float:
    tables = {f"tb-{i}": {**TABLE, "caption": f"c{i}"} for i in range(100)}
    folder = write_folder(path, blocks={}, tables=tables)
    stop = threading.Event()

    def script(request: Request) -> dict[str, str]:
        if "c20" in request.text:
            stop.set()
        return answering(request)

    model = ScriptedModel(script, delay_s=0.05)
    started: list[float] = []

    def cancelled() -> bool:
        if stop.is_set() and not started:
            started.append(time.monotonic())
        return stop.is_set()

    with pytest.raises(Cancelled):
        run_analysis(folder, model, cancelled=cancelled)
    took = time.monotonic() - started[0]
    assert list(statuses(folder, "tables").values()).count("success") >= 16
    return took


def test_a_model_that_hangs_does_not_hold_up_cancelling(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})

    def attempt() -> float:
        start = time.monotonic()
        with pytest.raises(Cancelled):
            run_analysis(folder, ScriptedModel(answering, delay_s=60), cancelled=lambda: time.monotonic() - start > 0.2)
        return time.monotonic() - start

    assert soonest(attempt, 0.8) < 0.8


def test_asking_again_is_free_with_a_cache_and_after_a_new_parse(tmp_path: Path) -> None:
    def make() -> Path:
        return write_folder(
            tmp_path / "d.parsed",
            blocks={"b1": "x"},
            tables={f"tb-{i}": {**TABLE, "caption": f"c{i}"} for i in range(5)},
        )

    cache = AnswerCache(tmp_path / "cache.sqlite")
    first, again = ScriptedModel(answering), ScriptedModel([])
    run_analysis(make(), CachedModel(first, cache, "extract"))
    before = items_of(tmp_path / "d.parsed", "tables")
    report = run_analysis(make(), CachedModel(again, cache, "extract"))
    cache.close()
    assert (len(first.requests), len(again.requests), report.calls) == (5, 0, 0)
    assert items_of(tmp_path / "d.parsed", "tables") == before
    assert before["tb-0"]["llm_cache_list"][0].startswith("default:analysis:")


def test_a_bad_kept_answer_is_passed_by_on_the_second_try(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})
    cache = AnswerCache(tmp_path / "cache.sqlite")
    with pytest.raises(AnalysisError):
        run_analysis(folder, CachedModel(ScriptedModel(["bad", "worse"]), cache, "extract"))
    model = ScriptedModel([ANSWER])
    run_analysis(folder, CachedModel(model, cache, "extract"))
    cache.close()
    assert len(model.requests) == 1 and statuses(folder, "tables") == {"tb-1": "success"}


def test_a_prompt_over_the_cap_is_trimmed_or_refused_with_the_variable(tmp_path: Path) -> None:
    rows = json.dumps([["name", "value"], *([f"n{i}", str(i)] for i in range(3000))])
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": {**TABLE, "content": rows}})
    model = ScriptedModel(answering)
    settings = replace(ENABLED, max_input_tokens=2000)
    run_analysis(folder, model, settings=settings)
    assert load_tokenizer("estimate").count(model.requests[0].text) <= 2000
    assert "rows left out" in model.requests[0].text
    with pytest.raises(AnalysisError, match="MM_EXTRACT_CONTENT_MIN_TOKENS"):
        run_analysis(folder, ScriptedModel(answering), settings=replace(ENABLED, max_input_tokens=500))
    model = ScriptedModel(answering)
    run_analysis(folder, model, settings=replace(ENABLED, max_input_tokens=0))
    assert "rows left out" not in model.requests[0].text


def test_starved_budgets_are_noted_by_name(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})
    report = run_analysis(folder, ScriptedModel(answering), settings=replace(ENABLED, max_input_tokens=4200))
    assert len(report.notes) == 1 and "SURROUNDING_LEADING_MAX_TOKENS" in report.notes[0]


def test_options_choose_the_kinds_and_missing_ones_are_told(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={},
        tables={"tb-1": TABLE},
        equations={"eq-1": {"content": "x"}},
        process_options="P",
    )
    assert run_analysis(folder, ScriptedModel([])).counts == {}
    report = run_analysis(folder, ScriptedModel(answering), options="it")
    assert report.counts == {"tables": {"success": 1}} and report.missing == ("drawings",)
    assert results(folder, "equations") == {}


def test_damaged_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match=r"no blocks\.jsonl"):
        run_analysis(tmp_path, ScriptedModel([]))
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})
    (folder / "doc.tables.json").write_text("{")
    with pytest.raises(AnalysisError, match=r"doc\.tables\.json"):
        run_analysis(folder, ScriptedModel([]))
    (folder / "doc.tables.json").write_text('{"tables":' * 100_000)
    with pytest.raises(AnalysisError, match=r"doc\.tables\.json"):
        run_analysis(folder, ScriptedModel([]))
    (folder / "doc.tables.json").write_text(json.dumps({"tables": {"tb-1": TABLE}}))
    deep = '{"x": ' * 100_000
    for lines, told in (
        ('{"type": "content"}', "meta line"),
        (deep, "meta line"),
        ('{"type": "meta"}\n' + deep, "damaged"),
        (b'{"type": "meta"}\n{"x": "\xff"}', "damaged"),
    ):
        data = lines if isinstance(lines, bytes) else lines.encode()
        (folder / "doc.blocks.jsonl").write_bytes(data)
        with pytest.raises(SidecarError, match=told):
            run_analysis(folder, ScriptedModel([]), options="t")


@pytest.mark.parametrize("depth", [900, 980, 990, 1000, 100_000])
def test_a_table_nested_without_end_is_asked_about_like_any_text(tmp_path: Path, depth: int) -> None:
    deep = f'[["a"], {"[" * depth}{"]" * depth}, ["{"word " * 2000}"]]'
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={"b1": f'<table id="tb-1" format="json">{deep}</table> <equation id="eq-1">x</equation>'},
        tables={"tb-1": {**TABLE, "content": deep, "table_header": deep}},
        equations={"eq-1": {"blockid": "b1", "content": "x"}},
    )
    settings = replace(ENABLED, max_input_tokens=2000, leading_tokens=300, trailing_tokens=300)
    report = run_analysis(folder, ScriptedModel(answering), settings=settings)
    assert report.counts == {"tables": {"success": 1}, "equations": {"success": 1}}
    assert len(item_chunks(folder, None, load_tokenizer("estimate"))) == 2


def test_an_answer_cut_off_is_used_and_noted_but_not_kept(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})
    cache = AnswerCache(tmp_path / "cache.sqlite")
    report = run_analysis(folder, CachedModel(ScriptedModel([Reply(json.dumps(ANSWER), "length")]), cache, "extract"))
    cache.close()
    assert statuses(folder, "tables") == {"tb-1": "success"} and "cut off" in report.notes[0]
    assert "llm_cache_list" not in items_of(folder, "tables")["tb-1"]


def test_a_dry_run_shows_prompts_and_changes_nothing(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={},
        tables={"tb-1": TABLE},
        drawings={"im-1": drawing("a.png")},
        assets={"a.png": picture()},
    )
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    context = AnalysisContext(models=no_model, settings=ENABLED, tokenizer=load_tokenizer("estimate"))
    shown = preview_folder(folder, None, context)
    assert [(one.item_id, one.images) for one in shown] == [("im-1", 1), ("tb-1", 0)]
    assert shown[1].tokens == sum(map(load_tokenizer("estimate").count, (shown[1].system, shown[1].text)))
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_requests_stay_within_the_roles_limit_and_in_flight_bound(tmp_path: Path) -> None:
    from lrdoc.llm.queue import QueuedModel

    folder = write_folder(
        tmp_path / "d.parsed", blocks={}, tables={f"tb-{i}": {**TABLE, "caption": f"c{i}"} for i in range(40)}
    )
    model = ScriptedModel(answering, delay_s=0.005)
    run_analysis(folder, QueuedModel(model, 3))
    assert model.greatest_concurrency == 3 and len(model.requests) == 40


def test_chunks_of_analysed_items(tmp_path: Path) -> None:
    table = {**TABLE, "table_header": '[["a", "b"]]', "heading": "H", "parent_headings": ["P"]}
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={},
        tables={"tb-1": {**table, "content": ""}, "tb-2": table},
        drawings={"im-1": drawing("a.png", caption="A cat", footnotes=["n"])},
        equations={"eq-1": {"content": "x^2"}},
        assets={"a.png": picture()},
    )
    run_analysis(folder, ScriptedModel(answering))
    chunks = item_chunks(folder, None, load_tokenizer("estimate"), first_index=7)
    assert [(c.chunk_id, c.chunk_order_index) for c in chunks] == [
        ("doc-1-mm-drawing-000", 7), ("doc-1-mm-table-001", 8), ("doc-1-mm-equation-000", 9),
    ]  # fmt: skip
    assert chunks[0].content == "[Image Name]n\n[Image Type]Chart\n\nd\n\n[Image Caption]A cat\n\n[Image Footnotes]n"
    assert chunks[1].content == "[Table Name]n\n\nd\n\n[Table Caption]Cap\n\n[Table Header]a | b\n\n[Table Footnotes]f1"
    assert chunks[2].content == "x\n[Equation Name]n\n\nd"
    assert chunks[1].to_dict()["heading"] == {"level": 0, "heading": "H", "parent_headings": ["P"]}
    assert chunks[1].to_dict()["sidecar"]["refs"] == [{"type": "table", "id": "tb-2"}]


def test_no_chunks_are_made_of_a_document_with_holes(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})
    with pytest.raises(AnalysisError):
        run_analysis(folder, ScriptedModel([]))
    with pytest.raises(AnalysisError, match=r"tables/tb-1: llm_analyze_result\.status='failure'"):
        item_chunks(folder, None, load_tokenizer("estimate"))


def test_a_long_description_is_shortened_to_the_cap(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables={"tb-1": TABLE})
    run_analysis(folder, ScriptedModel([{**ANSWER, "description": "long words " * 20_000}]))
    (chunk,) = item_chunks(folder, None, load_tokenizer("estimate"))
    assert chunk.tokens <= 20480 and chunk.content.endswith("[Table Footnotes]f1")


def test_killed_in_the_middle_no_finished_answer_is_lost(tmp_path: Path) -> None:
    """The process dies after 60 of 200 answers: the next run asks only for the rest."""
    import subprocess
    import sys

    script = f"""
import os, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from analysis_child import run
run(Path({str(tmp_path)!r}), 60)
"""
    support = Path(__file__).resolve().parent
    done = subprocess.run([sys.executable, "-c", script], cwd=support, capture_output=True, text=True, check=False)
    assert done.returncode == 9, done.stderr
    count: Callable[[], int] = lambda: len(asked.requests)  # noqa: E731
    cache = AnswerCache(tmp_path / "cache.sqlite")
    asked = ScriptedModel(answering)
    run_analysis(tmp_path / "d.parsed", CachedModel(asked, cache, "extract"))
    cache.close()
    assert 200 - 60 - 1 <= count() <= 200 - 60
    assert set(statuses(tmp_path / "d.parsed", "tables").values()) == {"success"}
