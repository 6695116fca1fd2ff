"""The recorded runs of the analysis stage: the same statuses and fields, but where a fault was mended."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from analysis_folder import ENABLED, items_of, picture, run_analysis, write_folder
from shared_files import shared_dir

from lrdoc.analyzers.base import AnalysisError
from lrdoc.errors import ModelError
from lrdoc.llm.base import Request
from lrdoc.llm.cache import AnswerCache, CachedModel
from lrdoc.sidecar.check import check_folder
from lrdoc.sidecar.shapes import ANALYSIS_KEYS
from lrdoc.testing.models import ScriptedModel

GOOD = {"name": "n_one", "type": "Chart", "description": "desc", "equation": "x^{2}"}
SCRIPTS: dict[str, list[Any]] = {
    "table_malformed_twice": ["no", "still no"],
    "table_array": ['[{"name": "x"}]', GOOD],
    "table_prose_around": ['Here it is: {"name": "a", "description": "b"} Enjoy.'],
    "table_singlequotes_trailing_comma": ["{'name': 'a', 'description': 'b',}"],
    "table_latex_damage": ['{"name": "a", "description": "uses \\frac{a}{b} and \\beta"}'],
    "table_llm_exception": [ModelError("boom")],
    "eq_missing_equation_fallback": ['{"name": "a", "description": "b"}'],
    "img_type_unknown": ['{"name": "n", "type": "Meme", "description": "d"}'],
}
MENDED = {
    "img_junkbytes": "bytes that are no picture are skipped, not sent",
}
"""Recorded cases whose outcome is a listed fault of the recorded program."""
GATES = {
    "img_vlm_off_small_file": replace(ENABLED, vlm_enabled=False),
    "img_big": replace(ENABLED, max_image_bytes=300_000),
}


def cases() -> list[dict[str, Any]]:
    shared = shared_dir()
    if shared is None:
        return []
    found: list[dict[str, Any]] = json.loads((shared / "cases" / "chunkers" / "analyze_cases.json").read_text("utf-8"))
    return found


def kind_of(item_id: str) -> str:
    return {"tb": "tables", "im": "drawings", "eq": "equations"}[item_id[:2]]


def items_to_run(case: dict[str, Any]) -> dict[str, dict[str, Any]]:
    if isinstance(case["items"], dict) and case["items"]:
        return case["items"]
    content = (
        [["col", "val"], *([f"row {i}", "x" * 20] for i in range(600))] if case["items"] else [["a", "b"], ["1", "2"]]
    )
    return {
        "tb-1": {
            "content": json.dumps(content),
            "format": "json",
            "blockid": "b1",
            "caption": "Cap",
            "footnotes": ["f1", "f2"],
        }
    }


def run(case: dict[str, Any], folder: Path) -> tuple[ScriptedModel, str | None, dict[str, dict[str, Any]]]:
    items = items_to_run(case)
    by_kind: dict[str, dict[str, Any]] = {}
    for key, item in items.items():
        by_kind.setdefault(kind_of(key), {})[key] = item
    block = '# H\nlead <table id="tb-1" format="json">[]</table>\ntail text <drawing id="im-9" path="x" src="" caption="F" />'
    assets = {
        "a.png": picture(), "e.png": b"", "junk.png": b"junk bytes", "s.png": picture(20, 20),
        "big.png": picture() + b"\0" * 1_921_000,
    }  # fmt: skip
    write_folder(folder, blocks={"b1": block}, assets=assets, process_options=case["opts"], **by_kind)  # type: ignore[arg-type]
    if case["case"] == "siblings_one_fails":

        def script(request: Request) -> Any:
            return ModelError("boom2") if f"Caption: {items['tb-2']['caption']}\n" in request.text else GOOD

        model = ScriptedModel(script)
    else:
        model = ScriptedModel(SCRIPTS.get(case["case"], [GOOD]))
    settings = GATES.get(case["case"], ENABLED)
    if case["case"] == "table_huge_starved":
        settings = replace(settings, max_input_tokens=1500)
    elif case["case"] == "table_cap_disabled":
        settings = replace(settings, max_input_tokens=0)
    cache = AnswerCache(folder.parent / "cache.sqlite")
    error = None
    try:
        run_analysis(folder, CachedModel(model, cache, "extract"), settings=settings)
    except AnalysisError as failure:
        error = failure.message
    finally:
        cache.close()
    found: dict[str, dict[str, Any]] = {}
    for kind in by_kind:
        found.update(items_of(folder, kind))
    return model, error, found


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["case"])
def test_statuses_and_fields_are_as_recorded(case: dict[str, Any], tmp_path: Path) -> None:
    model, error, found = run(case, tmp_path / "d.parsed")
    name = case["case"]
    if name in MENDED:
        assert found["im-1"]["llm_analyze_result"]["status"] == "skipped" and not model.requests
        return
    if name == "siblings_one_fails":
        # Nothing takes time here, so that no sibling is left to be cancelled.
        assert error == case["error"].split(": ", 1)[1]
        assert found["tb-1"]["llm_analyze_result"]["status"] == "success"
        assert found["tb-2"]["llm_analyze_result"]["message"] == case["after"]["tb-2"]["result"]["message"]
        return
    if name != "table_ok_rerun_cachehit":
        assert len(model.requests) == len(case["calls"])
    recorded_error = case["error"].split(": ", 1)[1] if case["error"] else None
    assert error == recorded_error
    for key, recorded in case["after"].items():
        result = found[key].get("llm_analyze_result", {})
        want = recorded["result"]
        assert result.get("status") == want.get("status")
        assert set(result) - {"analyze_time"} == set(want)
        for field in set(want) - {"name", "description"}:
            if name == "img_big" and field == "message":
                assert result[field].startswith("image too large: ") and result[field].endswith("(limit 300000)")
            else:
                assert result[field] == want[field]
        assert len(found[key].get("llm_cache_list", [])) == recorded["cache"]


def test_every_mended_fault_is_a_recorded_case() -> None:
    if cases():
        assert set(MENDED) <= {case["case"] for case in cases()}


def recorded_folders() -> list[Path]:
    shared = shared_dir()
    if shared is None:
        return []
    folders = (shared / "cases" / "engines" / "reference_sidecars").glob("*/*.parsed")
    return sorted(folder for folder in folders if list(folder.glob("*.blocks.jsonl")))


@pytest.mark.parametrize("source", recorded_folders(), ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_folders_of_other_implementations_are_analysed_without_harm(source: Path, tmp_path: Path) -> None:
    """Everything but the three keys of the analysis is as it was, and `check` says what it said before."""
    folder = tmp_path / source.name
    shutil.copytree(source, folder)
    told = check_folder(folder)
    model = ScriptedModel(lambda request: {key: GOOD[key] for key in (request.schema or {})["properties"]})
    report = run_analysis(folder, model, options="ite")
    assert "failure" not in {status for counts in report.counts.values() for status in counts}
    assert check_folder(folder) == told
    for path in source.rglob("*"):
        if path.is_file():
            before, after = path.read_bytes(), (folder / path.relative_to(source)).read_bytes()
            assert before == after or facts(before) == facts(after)


def facts(data: bytes) -> Any:
    root = json.loads(data)
    for items in root.values():
        for item in items.values() if isinstance(items, dict) else ():
            for key in ANALYSIS_KEYS:
                item.pop(key, None)
    return root
