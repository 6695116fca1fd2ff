"""Laws of routing: any text gives a result or mistakes with places, formatting loses nothing, all of it is linear."""

from __future__ import annotations

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st
from routing_cases import CONFIGURED, capabilities, router

from lrdoc.mistakes import show
from lrdoc.routing.explain import explain
from lrdoc.routing.grammar import format_directive, format_rules, parse_engine, parse_hint, parse_options, parse_rules
from lrdoc.routing.persist import decode_engine, encode_engine
from lrdoc.routing.rules import read_rules

KNOWN = capabilities(CONFIGURED)
WORDS = st.sampled_from(
    "pdf docx md * p* [a-c]* native legacy mineru docling natve C(chunker=lines) R(chunk_ts=800) P(drop_rf) 1_000"
    " V(chunk_ol=1) (toc=body) (page_range=1-3,page_range=5) (smart_heading) - -iet ! i t e F R V P C : ; , ( ) [ ] . ="
    " é İ 你".split()
)
SOUP = st.lists(st.one_of(WORDS, st.characters()), max_size=30).map("".join)
RULE_TEXT = st.one_of(SOUP, st.text(max_size=60))
BRACKETED = st.tuples(st.text(max_size=8), SOUP, st.text(max_size=8)).map(lambda t: f"{t[0]}.[{t[1]}].{t[2]}")
NAMES = st.one_of(st.text(max_size=60), BRACKETED, SOUP)

RULES = router("*:native(toc=body)-teP(chunk_ts=900);*:mineru(pr=2)-R;txt:legacy-i", CONFIGURED)


@given(RULE_TEXT)
def test_any_rule_text_gives_rules_or_mistakes_with_a_place(text: str) -> None:
    found = read_rules(text, KNOWN)
    for mistake in (*found.errors, *found.warnings):
        assert 1 <= mistake.column <= len(text) + 1
        assert mistake.width >= 1
        assert mistake.message
        assert mistake.hint
        assert show(mistake, text).count("\n") >= 2
    assert found.errors or not found.broken
    assert all(mistake.number for mistake in (*found.errors, *found.warnings))


@given(NAMES)
def test_any_name_gives_a_decision_or_mistakes_with_a_place(name: str) -> None:
    decision = RULES.resolve(name)
    for mistake in (*decision.errors, *decision.warnings):
        text = {"name": name}.get(mistake.within, RULES.rules.text)
        assert 1 <= mistake.column <= len(text) + 1
        assert mistake.hint
    assert decision.engine_name
    assert decision.canonical in (decision.split.base, decision.canonical)
    assert explain(RULES, decision)
    RULES.chunk_options(decision)


@given(RULE_TEXT)
def test_formatting_and_parsing_again_gives_the_same_rules(text: str) -> None:
    rules = [rule for rule in parse_rules(text)[0] if not rule.broken]
    again, mistakes = parse_rules(format_rules(rules))
    assert not mistakes
    assert again == rules


@given(SOUP)
def test_formatting_and_parsing_again_gives_the_same_hint(text: str) -> None:
    directive, mistakes = parse_hint(text)
    if not mistakes and (directive.engine or directive.options):
        assert parse_hint(format_directive(directive)) == (directive, [])


@given(st.text(max_size=40), st.text(max_size=40))
def test_options_and_engines_of_the_command_line_never_raise(engine: str, options: str) -> None:
    for mistakes, text in ((parse_engine(engine)[1], engine), (parse_options(options)[1], options)):
        assert all(1 <= mistake.column <= len(text) + 1 for mistake in mistakes)
    for mistake in router("", engine=engine, options=options).errors:
        text = {"--engine": engine, "--options": options}[mistake.within]
        assert 1 <= mistake.column <= len(text) + 1


PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "toc": st.sampled_from(["region", "body", "drop"]),
        "smart_heading": st.booleans(),
        "local_images": st.booleans(),
    },
)


@given(PARAMS)
def test_a_stored_engine_is_read_back(params: dict[str, object]) -> None:
    engine = KNOWN.engines["native"]
    assert decode_engine(encode_engine(engine, params), KNOWN) == (engine, params)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=6))
def test_a_stored_list_is_read_back(pages: list[int]) -> None:
    official = capabilities({"MINERU_API_MODE": "official", "MINERU_API_TOKEN": "t"})
    params = {"page_range": ",".join(map(str, pages))}
    engine = official.engines["mineru"]
    assert decode_engine(encode_engine(engine, params), official) == (engine, params)


@given(NAMES)
def test_the_canonical_name_does_not_depend_on_the_environment(name: str) -> None:
    environments = ({}, CONFIGURED, {"MINERU_API_MODE": "official", "MINERU_API_TOKEN": "t"})
    assert len({router("", environ).resolve(name).canonical for environ in environments}) == 1


@settings(max_examples=30)
@given(NAMES)
def test_a_canonical_name_is_stable_unless_it_holds_another_hint(name: str) -> None:
    decision = RULES.resolve(name)
    if decision.split.bracket != "hint":
        assert RULES.resolve(decision.canonical).canonical == decision.canonical


def test_twenty_thousand_names_take_less_than_a_second() -> None:
    source = random.Random(5)
    letters = "abcdefghij.[]-()=,XRPite!é "
    names = ["".join(source.choices(letters, k=source.randrange(4, 40))) + ".docx" for _ in range(10_000)]
    hints = ["native-ietP", "-R(chunk_ts=800)", "native(toc=body)", "draft", "natve", "2024-01", "legacy-x"]
    names += [f"report {n}.[{source.choice(hints)}].{source.choice(['docx', 'md', 'pdf'])}" for n in range(10_000)]

    def seconds_of_all() -> float:
        rules = router("docx:native-ietP;md:native;*:mineru-R;*:legacy-R")
        before = time.process_time()
        for name in names:
            rules.resolve(name)
        return time.process_time() - before

    # A busy machine may disturb a measurement.
    assert any(seconds_of_all() < 1.0 for _ in range(5))


def seconds(text: str) -> float:
    """CPU time of reading a rule text and showing its first mistakes."""
    before = time.process_time()
    found = read_rules(text, KNOWN)
    for mistake in found.errors[:50]:
        show(mistake, text)
    return time.process_time() - before


def is_linear(shape: str) -> bool:
    half = seconds(shape * (50_000 // len(shape)))
    whole = seconds(shape * (100_000 // len(shape)))
    return whole < 2.6 * half + 0.05


def test_a_long_rule_text_costs_linear_time() -> None:
    shapes = [
        "docx:native-ietP(chunk_ts=900);",
        "a*:native;",
        "pdf:minru-R,",
        "((((",
        "[[[[",
        "a:b(",
        "docx:native(a=1,",
        "x",
        ")",
        "P(a)",
        ",",
        "docx:native-" + "iX" * 50 + ";",
        "docx:native(toc=body,toc=body",
    ]
    for shape in shapes:
        # A busy machine may disturb a measurement.
        assert any(is_linear(shape) for _ in range(5)), shape


def test_a_long_name_costs_linear_time() -> None:
    for shape in ("a.[", "]", ".[x].", "(", "-R", "native", ".["):
        name = shape * (400_000 // len(shape)) + ".[native].md"
        before = time.process_time()
        RULES.resolve(name)
        RULES.resolve(name[:-3])
        assert time.process_time() - before < 1
