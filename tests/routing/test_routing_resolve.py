"""Resolution: who wins, what is dropped, and what the explanation says."""

from __future__ import annotations

import pytest
from routing_cases import CONFIGURED, capabilities, decide, router

from lrdoc.errors import RoutingSyntaxError
from lrdoc.mistakes import show
from lrdoc.parsers.registry import Registry
from lrdoc.routing.explain import explain
from lrdoc.routing.persist import decode_engine, encode_engine
from lrdoc.routing.resolve import Router
from lrdoc.routing.rules import read_rules


def kinds(mistakes: object) -> list[str]:
    return [mistake.kind for mistake in mistakes]  # type: ignore[attr-defined]


def test_all_mistakes_of_all_rules_are_reported_once_each_with_its_caret() -> None:
    text = "pdf:minru-R,docx:native-ietX;*.md:native"
    rules = read_rules(text, capabilities())
    assert [(m.kind, m.column, m.number) for m in rules.errors] == [
        ("unknown_engine", 5, 1),
        ("bad_option_char", 28, 2),
        ("dot_in_pattern", 31, 3),
    ]
    assert rules.report().count("^") == 7
    with pytest.raises(RoutingSyntaxError, match="3 mistakes"):
        rules.require()


def test_one_rule_may_hold_several_mistakes() -> None:
    errors = read_rules(".pdf:minru-Rx(chunk_ts=1)", capabilities()).errors
    assert kinds(errors) == ["dot_in_pattern", "unknown_engine", "bad_option_char", "misplaced_params"]


def test_a_parenthesis_left_open_does_not_hide_the_rules_behind_it() -> None:
    for separator in ";,":
        errors = read_rules(f"docx:native(toc=body{separator}md:natve", capabilities()).errors
        assert kinds(errors) == ["unbalanced_paren", "unknown_engine"]


def test_the_caret_stands_under_wide_and_long_text() -> None:
    text = "说明:legacy;" * 50 + "pdf:minru" + ";md:native" * 50
    mistake = next(m for m in read_rules(text, capabilities()).errors if m.kind == "unknown_engine")
    _, excerpt, caret, _ = show(mistake, text).split("\n")
    assert len(excerpt) < 220
    before = excerpt[: excerpt.index("minru")]
    cells = sum(2 if ord(c) > 0x2E80 else 1 for c in before)
    assert caret == " " * cells + "^^^^^"


def test_a_hint_that_loses_its_engine_keeps_its_options() -> None:
    decision = decide("a.[native-i].pdf", "*:legacy-R")
    assert (decision.engine_name, decision.process_options) == ("legacy", "i")
    assert kinds(decision.warnings) == ["hint_engine_unusable", "option_without_effect"]


def test_parameters_of_the_engine_that_lost_are_dropped_and_named() -> None:
    rules = router("docx:native(toc=body)-P")
    decision = rules.resolve("a.[legacy].docx")
    assert decision.engine_params == {}
    assert any("toc" in reason.text and reason.origin == "dropped" for reason in explain(rules, decision))


def test_the_hints_parameters_win_over_those_of_the_rule() -> None:
    decision = decide("a.[native(toc=drop)].docx", "docx:native(toc=body,hidden=body)")
    assert decision.parse_engine == "native(hidden=body,toc=drop)"


def test_the_callers_word_stands_above_hint_and_rules() -> None:
    decision = decide("a.[legacy-R].docx", "docx:legacy-F", engine="native(toc=body)", options="teP(chunk_ts=800)")
    assert decision.parse_engine == "native(toc=body)"
    assert decision.process_options == "teP"
    assert decision.chunk_params == {"P": {"chunk_token_size": 800}}


def test_an_empty_options_string_of_the_caller_changes_nothing() -> None:
    assert decide("a.docx", "docx:native-P", options="").process_options == "P"


def test_an_engine_asked_for_by_name_must_take_the_file() -> None:
    decision = decide("a.pdf", "*:legacy", engine="native")
    assert kinds(decision.errors) == ["suffix_not_supported"]
    assert "legacy" in decision.errors[0].hint
    assert kinds(decide("a.pdf", engine="mineru").errors) == ["endpoint_missing"]
    assert kinds(decide("a.pdf", engine="natve").errors) == ["unknown_engine"]
    assert kinds(decide("a.pdf", engine="native-R").errors) == ["unexpected_options"]
    assert kinds(decide("a.pdf", options="RP").errors) == ["multiple_chunkers"]


def test_a_file_that_nobody_takes_is_refused_with_the_rule_to_write() -> None:
    bare = decide("x.doc", "*:legacy-R")
    assert not bare.supported
    assert not bare.errors
    assert "MINERU_ADDITIONAL_SUFFIXES=doc" in bare.warnings[0].hint
    widened = {"DOCLING_ENDPOINT": "http://d", "DOCLING_ADDITIONAL_SUFFIXES": " .DOC , ppt"}
    still = decide("x.doc", "*:legacy-R", widened)
    assert not still.supported
    assert "doc:docling" in still.warnings[0].hint
    assert decide("x.doc", "doc:docling", widened).supported
    assert decide("x.[docling].DOC", "", widened).engine_name == "docling"


def test_explicit_suffixes_without_address_are_errors_and_wildcards_are_passed_over() -> None:
    rules = read_rules("pdf:mineru;*:docling;*:legacy", capabilities())
    assert kinds(rules.errors) == ["endpoint_missing"]
    assert kinds(rules.warnings) == ["endpoint_missing"]
    assert "MINERU_LOCAL_ENDPOINT" in rules.errors[0].hint
    decision = decide("a.pdf", "*:mineru;*:legacy-R")
    assert decision.engine_name == "legacy"
    assert "not configured" in decision.choice.passed_over[0].reason


def test_mineru_names_what_its_mode_needs() -> None:
    official = read_rules("pdf:mineru", capabilities({"MINERU_API_MODE": "official"})).errors
    assert "MINERU_API_TOKEN" in official[0].hint
    wrong = {"MINERU_API_MODE": "cloud", "MINERU_LOCAL_ENDPOINT": "http://m", "MINERU_API_TOKEN": "t"}
    assert "MINERU_API_MODE to local or official" in read_rules("pdf:mineru", capabilities(wrong)).errors[0].hint


@pytest.mark.parametrize(
    ("environ", "kind", "column"),
    [
        ({"MINERU_PAGE_RANGES": "1-3,5"}, "page_list_needs_official", 5),
        ({"MINERU_PAGE_RANGES": "3-1"}, "bad_page_range", 1),
        ({"MINERU_ADDITIONAL_SUFFIXES": "doc;ppt"}, "malformed_suffix_env", 1),
        ({"DOCLING_ADDITIONAL_SUFFIXES": "doc,*.ppt"}, "malformed_suffix_env", 5),
        ({"DOCLING_ADDITIONAL_SUFFIXES": "doc,"}, "malformed_suffix_env", 5),
        ({"DOCX_SMART_HEADING": "maybe"}, "not_bool", 1),
    ],
)
def test_variables_that_could_never_work_are_found_without_any_rule(
    environ: dict[str, str], kind: str, column: int
) -> None:
    (mistake,) = Registry().check_environment(environ)
    assert (mistake.kind, mistake.column, mistake.within) == (kind, column, next(iter(environ)))


def test_several_page_ranges_are_fine_with_the_official_service() -> None:
    environ = {"MINERU_PAGE_RANGES": "1-3,5,7-9", "MINERU_API_MODE": "official"}
    assert Registry().check_environment(environ) == []


def test_smart_heading_comes_from_the_environment_for_word_files_only() -> None:
    environ = {"DOCX_SMART_HEADING": "true"}
    assert decide("a.docx", "*:native", environ).parse_engine == "native(smart_heading=true)"
    assert decide("a.md", "*:native", environ).parse_engine == "native"
    assert decide("a.docx", "*:legacy", environ).engine_params == {}
    assert decide("a.[native(smart_heading=false)].docx", "", environ).engine_params == {"smart_heading": False}


def test_a_parameter_without_effect_on_the_suffix_is_named() -> None:
    decision = decide("a.[native(smart_heading)].md")
    assert decision.engine_params == {"smart_heading": True}
    assert kinds(decision.warnings) == ["param_without_effect"]
    assert decision.warnings[0].column == 11


def test_a_registered_chunker_is_named_with_its_own_parameters() -> None:
    rules = router("md:native-C(chunker=lines,per_chunk=5,keep_blank,chunk_ts=800)")
    decision = rules.resolve("a.md")
    assert decision.process_options == "C"
    assert rules.chunk_options(decision).values == {
        "chunk_token_size": 1200,
        "chunker": "lines",
        "lines": {"per_chunk": 5, "keep_blank": True, "chunk_token_size": 800},
    }
    assert kinds(decide("a.[-C(per_chunk=5)].md").errors) == ["unknown_param"]
    assert kinds(decide("a.[-R(chunker=lines)].md").errors) == ["unknown_param"]


def test_rules_that_no_file_reaches_are_named() -> None:
    rules = read_rules("*:native-P;md:native-R;*:legacy;pdf:legacy-R", capabilities())
    assert [(m.kind, m.number) for m in rules.warnings] == [("unreachable_rule", 2), ("unreachable_rule", 4)]


def test_a_suffix_that_has_a_default_engine_goes_there() -> None:
    assert decide("a.textpack", "*:legacy-R").engine_name == "native"
    assert decide("a.textpack", "*:legacy-R").process_options == ""
    assert decide("a.docm").engine_name == "native"
    assert decide("a.docx").engine_name == "legacy"


def test_the_explanation_names_every_value_and_every_rule() -> None:
    rules = router("pdf:mineru-R;*:native-teP(chunk_ts=900);docx:legacy", CONFIGURED)
    reasons = explain(rules, rules.resolve("memo.[-iR(chunk_ol=7)].docx"))
    told = {reason.value: reason for reason in reasons}
    assert {"canonical", "rule 1", "rule 2", "rule 3", "engine", "process_options", "options.i"} <= set(told)
    assert "does not match" in told["rule 1"].text
    assert "came first" in told["rule 3"].text
    assert told["engine"].origin == "rule 2 of LIGHTRAG_PARSER"
    assert "teP" in told["process_options"].text
    assert told["chunk_options.recursive_character.chunk_overlap_token_size"].origin == "hint in the name"
    assert any(reason.value == "chunk_options" and "of P without effect" in reason.text for reason in reasons)


@pytest.mark.parametrize(
    "stored",
    ["", "natve", "native(toc=body", "native)", "native(toc=body)x", "native(toc=top)", "legacy(a=1)", "native-R", "("],
)
def test_a_stored_engine_that_cannot_be_read_is_one_error(stored: str) -> None:
    with pytest.raises(RoutingSyntaxError, match="parse_engine"):
        decode_engine(stored, capabilities())


def test_values_of_a_program_are_checked_like_those_of_a_rule() -> None:
    native = capabilities().engines["native"]
    for params in ({"toc": "top"}, {"toc": 1}, {"smart_heading": 1}, {"what": True}, {"toc": "body,drop"}):
        with pytest.raises(RoutingSyntaxError):
            encode_engine(native, params)
    official = capabilities({"MINERU_API_MODE": "official", "MINERU_API_TOKEN": "t"}).engines["mineru"]
    assert encode_engine(official, {"page_range": ["1-3", "5"]}) == "mineru(page_range=1-3,page_range=5)"


def test_values_are_never_kept_in_shared_mappings() -> None:
    rules = router("md:native-R(chunk_ts=800)")
    first = rules.chunk_options(rules.resolve("a.md")).values
    first["recursive_character"]["separators"].clear()
    assert rules.chunk_options(rules.resolve("b.md")).values["recursive_character"]["separators"]


def test_a_rule_with_a_wrong_option_letter_still_shows_its_engine_beside_the_error() -> None:
    rules = router("pdf:legacy-Rx;*:native")
    assert kinds(rules.rules.errors) == ["bad_option_char"]
    decision = rules.resolve("a.pdf")
    assert (decision.engine_name, decision.process_options) == ("legacy", "R")


def test_a_hint_that_names_an_engine_whose_plug_in_did_not_load_says_why() -> None:
    known = capabilities()
    broken = type(known)(known.engines, {"ipynb": "the licence has run out"}, known.chunkers)
    decision = Router(broken).resolve("a.[ipynb].md")
    assert kinds(decision.errors) == ["engine_broken"]
    assert "the licence has run out" in decision.errors[0].message
    assert decision.canonical == "a.md"
    assert "ipynb" in Router(broken).resolve("a.ipynb").warnings[0].hint


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("pdf:mineru(5)", ["page_list_syntax"]),
        ("pdf:mineru(pr=1,pr=x)", ["bad_page_range"]),
        ("pdf:mineru(pr=1,pr=2,pr=3)", ["page_list_needs_official"]),
        ("pdf:mineru(page_range=3-1)", ["bad_page_range"]),
        ("pdf:mineru(page_range=0)", ["bad_page_range"]),
        ("pdf:mineru(page_range)", ["flag_not_bool"]),
        ("pdf:mineru(language=a]b)", ["bad_value_char"]),
        ("pdf:mineru(language=en)(pr=1)", ["misplaced_params"]),
        ("pdf:docling(ocr=maybe)", ["not_bool"]),
        ("pdf:docling(ocr,force_ocr=false)", ["param_repeated"]),
        ("pdf:legacy-R(chunk_ts=1.5)", ["not_int"]),
        ("pdf:legacy-R(chunk_ts= +1_0 )", []),
        ("pdf:legacy-R(chunk_ol=-1)", ["int_below_min"]),
        ("pdf:legacy-R(chunk_ts=99999999999)", ["int_above_max"]),
        ("pdf:legacy-R(chunk_ts=" + "9" * 5000 + ")", ["not_int"]),
        ("pdf:legacy-R(chunk_ts=(5))", ["bad_value_char"]),
        ("pdf:legacy-(chunk_ts=5)", ["misplaced_params"]),
        ("pdf:legacy-R(drop_rf)", ["param_not_for_strategy"]),
        ("docx:native-P(drop_rf=maybe)", ["not_bool"]),
        ("docx:native-P(drop_rf=OFF)", []),
        ("docx:native(TOC=body)", ["unknown_param"]),
        ("docx:native(toc=Body)", ["not_in_enum"]),
        ("docx:native(toc=body)-P(chunk_ts=900)ti!", []),
        ("docx:native - i t - P ( chunk_ts = 900 )", []),
        ("[pd]*:legacy", []),
        ("説明:legacy", ["suffix_not_supported"]),
        ("pdf:reuse", ["unknown_engine"]),
        (" ; , ;; ", []),
    ],
)
def test_mistakes_that_are_not_on_the_page(rules: str, found: list[str]) -> None:
    assert kinds(read_rules(rules, capabilities(CONFIGURED)).errors) == found
