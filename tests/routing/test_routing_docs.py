"""docs/routing.md says the truth: its examples run, and its table of differing cases is complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from routing_cases import CONFIGURED, capabilities, decide, recorded_cases, router

from lrdoc.parsers.registry import Registry
from lrdoc.routing.chunk_options import ChunkSettings, build_chunk_config, snapshot
from lrdoc.routing.grammar import LETTERS
from lrdoc.routing.params import CHUNK_PARAMS
from lrdoc.routing.resolve import Decision
from lrdoc.routing.rules import read_rules

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "routing.md").read_text("utf-8")


def table(head: str) -> list[dict[str, str]]:
    """Rows of the table whose first line is `head`, backquotes taken off."""
    _, _, rest = TEXT.partition(head + "\n")
    names = [name.strip() for name in head[1:-1].split("|")]
    rows = []
    for line in rest.split("\n")[1:]:
        if not line.startswith("|"):
            break
        cells = [cell.strip().strip("`") for cell in line[1:-1].split("|")]
        rows.append(dict(zip(names, cells, strict=True)))
    assert rows
    return rows


EXAMPLES = table("| rules | name | set | decision | known as |")
MISTAKES = table("| rules | kind | column | set |")
DIFFERENCES = table("| cases | field | ours | reason |")


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: f"{row['rules']} {row['name']}")
def test_an_example_is_true(row: dict[str, str]) -> None:
    decision = decide(row["name"], row["rules"], CONFIGURED if row["set"] else {})
    assert written(decision) == row["decision"].strip("`")
    assert decision.canonical == row["known as"]


def written(decision: Decision) -> str:
    if decision.errors:
        return f"error {decision.errors[0].kind}, column {decision.errors[0].column}"
    options = f"-{decision.process_options}" if decision.process_options else ""
    return decision.parse_engine + options


@pytest.mark.parametrize("row", MISTAKES, ids=lambda row: row["rules"])
def test_an_example_of_a_mistake_is_true(row: dict[str, str]) -> None:
    found = read_rules(row["rules"], capabilities(CONFIGURED if row["set"] else {})).errors
    assert [(mistake.kind, mistake.column) for mistake in found] == [(row["kind"], int(row["column"]))]
    assert found[0].message
    assert found[0].hint


def test_the_page_names_every_letter_and_parameter() -> None:
    letters = {letter for cell in re.findall(r"^\| (`[ite!`FRVPC ()default]*) \|", TEXT, re.M) for letter in cell}
    assert set(LETTERS) <= letters
    for specs in CHUNK_PARAMS.values():
        for spec in specs:
            assert all(name in TEXT for name in (spec.name, *spec.aliases))


def differing() -> dict[tuple[str, str], str]:
    return {(case, row["field"]): row["ours"] for row in DIFFERENCES for case in row["cases"].split()}


@pytest.mark.parametrize("case", recorded_cases(), ids=lambda case: str(case["id"]))
def test_a_recorded_case_differs_only_where_the_page_says(case: dict[str, Any]) -> None:
    expected = {field: ours for (name, field), ours in differing().items() if name == case["id"]}
    assert differences(case) == expected


def differences(case: dict[str, Any]) -> dict[str, str]:
    registry, environ = Registry(), case["env"]
    known = registry.capabilities(environ)
    rules = read_rules(case["rules"], known)
    wrong = [mistake.kind for mistake in (*registry.check_environment(environ), *rules.errors)]
    found: dict[str, str] = {}
    if ("error" if wrong else "ok") != case["startup"]:
        found["startup"] = "error" if wrong else "ok"
    elif set(wrong) != set(case.get("startup_error_kinds", [])):
        found["startup_error_kinds"] = str(wrong)
    if "filename" not in case:
        return found
    decision = decide(case["filename"], case["rules"], environ)
    kinds = {mistake.kind for mistake in decision.errors}
    if decision.canonical != case["canonical"]:
        found["canonical"] = decision.canonical
    if ("error" if kinds else "ok") != case["result"]:
        return {**found, "result": "error" if kinds else "ok"}
    if kinds:
        return found if kinds == set(case["error_kinds"]) else {**found, "error_kinds": str(kinds)}
    ours = {
        "engine": decision.engine_name,
        "process_options": decision.process_options,
        "stored_process_options": decision.stored_process_options,
        "chunk_params": decision.chunk_params,
        "engine_params": decision.engine_params,
        "stored_parse_engine": decision.parse_engine,
        "suffix_supported": decision.supported,
    }
    found |= {field: str(value) for field, value in ours.items() if value != case[field]}
    if "chunk_options" in case:
        found |= chunk_differences(case, decision)
    return found


def chunk_differences(case: dict[str, Any], decision: Decision) -> dict[str, str]:
    """The recorded snapshots were made without an instance, which adds the general size and overlap."""
    environ = {name: int(value) for name, value in case["env"].items() if name.startswith("CHUNK_")}
    settings = ChunkSettings(p_size=environ.get("CHUNK_P_SIZE", 2000), r_overlap=environ.get("CHUNK_R_OVERLAP_SIZE"))
    config = build_chunk_config(settings)
    ours = snapshot(config, decision.process_options, decision.chunk_params).values
    assert ours.pop("chunk_token_size") == 1200
    more = False
    for strategy, options in ours.items():
        for name in set(options) - set(case["chunk_options"][strategy]):
            assert config.origins[f"{strategy}.{name}"] == "default"
            options.pop(name)
            more = True
    assert ours == case["chunk_options"]
    assert more or case["id"]
    return {"chunk_options": "more"}


def test_the_page_has_no_row_without_a_case() -> None:
    if recorded_cases():
        assert {name for name, _ in differing()} <= {case["id"] for case in recorded_cases()}
        assert all(row["reason"] for row in DIFFERENCES)


def test_the_router_answers_for_the_command_line_default() -> None:
    assert router("*:native-teP;*:legacy-R").resolve("a.pdf").process_options == "R"
