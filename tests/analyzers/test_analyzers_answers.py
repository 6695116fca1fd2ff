"""Answers of models, right and nearly right."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrdoc.analyzers.answers import read_fields, recover_object, restore_latex
from lrdoc.analyzers.base import DRAWINGS, EQUATIONS, TABLES, Item, ItemFailure

GOOD = {"name": "a", "description": "b"}


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a", "description": "b"}',
        'Sure! Here you are:\n{"name": "a", "description": "b"} Hope that helps.',
        '```json\n{"name": "a", "description": "b"}\n```',
        '<think>maybe {"name": "no"} or [1]</think>{"name": "a", "description": "b"}',
        'I wonder {what} this is</think>\n{"name": "a", "description": "b"}',
        "{'name': 'a', 'description': 'b',}",
        '{"name": "a", "description": "b"',
        '{"name": "a",\n "description": "b", // note\n}',
        '{"name": "a", "description": "b"} <think>late</think> ```x\n{"name": "no"}\n```',
        '{hmm}</think>{"name": "a", "description": "b"}',
        '<think>\n<think>x</think>\n{"no": 1}</think>\n```json\n{"name": "a", "description": "b"}\n```\nbye',
        "```text\nno object\n```\n```\n{name: a, description: b}\n```",
        '\ufeff{"name": "a" "description": "b"}',
        'They say "{quoted}" first. {"name": "a", "description": "b"}',
    ],
)
def test_an_object_is_found_and_repaired(text: str) -> None:
    assert recover_object(text) == GOOD


@pytest.mark.parametrize("text", ["", "no object", "[1, 2]", '["a", {"name": "a"}]', "{", "null", "<think>{}"])
def test_what_is_no_object_gives_none(text: str) -> None:
    assert recover_object(text) == {}


@given(st.dictionaries(st.text(), st.text(), max_size=4))
def test_every_object_that_json_writes_is_read_back(value: dict[str, str]) -> None:
    """recover_object(json.dumps(x)) == x"""
    assert recover_object(json.dumps(value)) == value


@given(st.text(alphabet="{}[]\"\\',:<>thinkabc \n`", max_size=200))
def test_no_text_raises(text: str) -> None:
    assert isinstance(recover_object(text), dict)


@pytest.mark.parametrize(
    ("damaged", "mended"),
    [
        ("\frac{a}{b} and \beta", "\\frac{a}{b} and \\beta"),
        ("a \times b \text{x}", "a \\times b \\text{x}"),
        ("one\ttwo\tthree", "one\ttwo\tthree"),
        ("line\nnew", "line\nnew"),
    ],
)
def test_latex_that_json_damaged_is_restored(damaged: str, mended: str) -> None:
    assert restore_latex(damaged) == mended


def test_line_feeds_are_commands_only_in_equations() -> None:
    assert restore_latex("x\neq y\nabla f\rho", equation=True) == "x\\neq y\\nabla f\\rho"


def test_single_backslashes_inside_json_survive() -> None:
    assert recover_object(r'{"equation": "\alpha + \frac{1}{2} \uparrow"}')["equation"].endswith("\\uparrow")
    item = Item("eq-1", EQUATIONS, {"content": "x"})
    fields = read_fields(item, r'{"name": "n", "description": "d", "equation": "\alpha \frac{1}{2} \times \nu"}')
    assert fields["equation"] == r"\alpha \frac{1}{2} \times \nu"


def test_fields_are_checked_by_name() -> None:
    table = Item("tb-1", TABLES, {})
    with pytest.raises(ItemFailure, match="table/tb-1: missing or invalid field 'name'"):
        read_fields(table, "{}")
    with pytest.raises(ItemFailure, match="'description'"):
        read_fields(table, '{"name": "a", "description": " "}')
    with pytest.raises(ItemFailure, match="'name'"):
        read_fields(table, '{"name": 5, "description": "b"}')


@pytest.mark.parametrize(("told", "kept"), [("chart", "Chart"), ("Chat_Log", "Chat Log"), ("Graph", "Other")])
def test_picture_types_come_from_the_list(told: str, kept: str) -> None:
    item = Item("im-1", DRAWINGS, {})
    assert read_fields(item, json.dumps({"name": "n", "type": told, "description": "d"}))["type"] == kept


def test_an_equation_falls_back_to_another_key_and_then_to_the_documents_own() -> None:
    item = Item("eq-1", EQUATIONS, {"content": "x^2"})
    assert read_fields(item, '{"name": "a", "description": "b", "equ": "y"}')["equation"] == "y"
    assert read_fields(item, '{"name": "a", "description": "b"}')["equation"] == "x^2"


def test_an_object_inside_an_object_and_keys_in_capitals_are_understood() -> None:
    table = Item("tb-1", TABLES, {})
    for text in (
        '{"table": {"name": "a", "description": "b"}}',
        '{"Name": "a", "DESCRIPTION": "b", "more": {"x": [1]}}',
    ):
        assert read_fields(table, text) == GOOD
    for text in ('{"a": {"name": "a", "description": "b"}, "c": {}}', '{"name": ["a"], "description": "b"}'):
        with pytest.raises(ItemFailure):
            read_fields(table, text)


def test_what_stands_in_a_text_is_no_thought_and_no_fence() -> None:
    value = {"name": "a", "description": "of <think> and </think>, ```code\n{x}\n```"}
    assert recover_object(json.dumps(value)) == value
    assert recover_object(json.dumps(value).replace("\\n", "\n")) == value


@pytest.mark.parametrize(
    "text", ["{" * 300_000, "<think>" * 100_000, "```" + "\n" * 300_000, '{"a":' + "[" * 300_000, "```\n" * 80_000]
)
def test_hostile_answers_cost_no_more_than_their_length(text: str) -> None:
    start = time.process_time()
    recover_object(text)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("told", "kept"), [("$$x$$", "x"), (r"\\[x\\]", "x"), ("$a$ and $b$", "$a$ and $b$"), ("$$$$", "$$$$")]
)
def test_equations_come_without_their_delimiters(told: str, kept: str) -> None:
    item = Item("eq-1", EQUATIONS, {"content": "y"})
    assert read_fields(item, f'{{"name": "n", "description": "d", "equation": "{told}"}}')["equation"] == kept
