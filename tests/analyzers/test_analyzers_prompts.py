"""Prompts: what they show, and that they keep to their budget."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrdoc.analyzers.base import DRAWINGS, EQUATIONS, KINDS, TABLES, Item, ItemFailure, Kind
from lrdoc.analyzers.prompts.build import build_prompt
from lrdoc.analyzers.settings import AnalysisSettings
from lrdoc.analyzers.surroundings import Surrounding
from lrdoc.llm.base import form_in_words
from lrdoc.text.tokens import load_tokenizer

TOKENIZER = load_tokenizer("estimate")
SETTINGS = AnalysisSettings(vlm_enabled=True)


NOTHING = Surrounding()


def prompt_text(kind: Kind, data: dict[str, Any], surrounding: Surrounding = NOTHING, cap: int = 20480) -> str:
    item = Item("x-1", kind, data)
    return build_prompt(item, surrounding, replace(SETTINGS, max_input_tokens=cap), TOKENIZER).request.text


WORDS = st.text(alphabet="ab 句😀\n<>[]{}", max_size=4000) | st.integers(0, 30_000).map(lambda n: "word " * n)


@settings(deadline=None, max_examples=60)
@given(
    kind=st.sampled_from(KINDS),
    form=st.sampled_from(["json", "html"]),
    texts=st.lists(WORDS, min_size=6, max_size=6),
    cap=st.integers(300, 9000),
)
def test_no_prompt_is_over_the_cap_whatever_is_long(kind: Kind, form: str, texts: list[str], cap: int) -> None:
    """System text, question and the form in words together have at most MAX_EXTRACT_INPUT_TOKENS, or it is an error."""
    caption, note, heading, leading, trailing, body = texts
    content = json.dumps([[body], ["b"]]) if form == "json" else f"<table><tr><td>{body}</td></tr></table>"
    data = {
        "content": content, "format": form, "caption": caption, "footnotes": [note], "heading": heading,
        "table_header": content,
    }  # fmt: skip
    try:
        prompt = build_prompt(
            Item("x-1", kind, data), Surrounding(leading, trailing), replace(SETTINGS, max_input_tokens=cap), TOKENIZER
        )
    except ItemFailure as failure:
        assert "MAX_EXTRACT_INPUT_TOKENS" in str(failure)
        return
    request = prompt.request
    assert request.schema is not None
    sent = (request.system, request.text, form_in_words(request.schema))
    assert sum(map(TOKENIZER.count, sent)) <= cap


def test_a_table_that_is_all_header_is_trimmed_and_not_refused() -> None:
    rows = json.dumps([[f"head {i}", "words " * 5] for i in range(3000)])
    text = prompt_text(TABLES, {"content": rows, "format": "json", "table_header": rows}, cap=3000)
    assert '["head 0"' in text and "rows left out" in text


def test_a_picture_with_long_surroundings_keeps_the_nearest() -> None:
    around = Surrounding("far " * 4000 + "near before", "near after" + " far" * 4000)
    text = prompt_text(DRAWINGS, {}, around, cap=2000)
    assert "near before" in text and "near after" in text


def test_ids_of_items_in_cells_are_words_for_what_stands_there() -> None:
    rows = json.dumps([["[im-0123abcd-0001]", "[tb-0123abcd-0012]"], ["[eq-0123abcd-10000]", "see [im-1]"]])
    text = prompt_text(TABLES, {"content": rows, "format": "json", "table_header": rows})
    assert "0123abcd" not in text and text.count('["[picture]", "[table]"]') == 2 and "see [im-1]" in text
    html = "<table><tr><td>[im-0123abcd-0001] &lt;table></td></tr></table>"
    text = prompt_text(TABLES, {"content": html, "format": "html"}, Surrounding("[eq-0123abcd-0003] before"))
    assert "<td>[picture] <table></td>" in text and "[equation] before" in text


@pytest.mark.parametrize("wrap", ["{}", '<table id="tb-1" format="json">{}</table>'])
def test_a_table_stored_with_its_tag_is_shown_as_rows(wrap: str) -> None:
    content = wrap.format(json.dumps([["a", "b"], [1, None]]))
    assert '[["a", "b"],\n["1", "null"]]' in prompt_text(TABLES, {"content": content, "format": "json"})


def test_braces_in_a_document_are_no_slots() -> None:
    text = prompt_text(EQUATIONS, {"content": r"\frac{a}{b}", "caption": "{content} {x}"}, Surrounding("{0}", "{}"))
    assert r"\frac{a}{b}" in text and "{content} {x}" in text and "{0}" in text
