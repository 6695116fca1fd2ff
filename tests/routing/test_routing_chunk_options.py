"""Chunk options: the chain of places that set them, the slim snapshot, and what is reported."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_files import shared_dir

from lrdoc.chunkers.registry import BUILTIN
from lrdoc.errors import SettingsError
from lrdoc.routing.chunk_options import DEFAULT_SEPARATORS, STRATEGIES, ChunkSettings, resolve_chunk_options
from lrdoc.routing.params import CHUNK_PARAMS
from lrdoc.settings import load

CLASS = "lrdoc.routing.chunk_options:ChunkSettings"


def settings_of(environ: dict[str, str]) -> ChunkSettings:
    return load(environ, extra=[CLASS]).of(ChunkSettings)


def recorded() -> list[dict[str, Any]]:
    folder = shared_dir()
    if folder is None:
        return []
    lines = (folder / "cases" / "chunkers" / "config_resolution.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if "EMBEDDING_CHUNK" not in line]


@pytest.mark.parametrize("case", recorded(), ids=lambda case: f"{case['env']} {case['ctor']} {case['po']}")
def test_the_recorded_chain_is_followed(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(SettingsError, match="CHUNK_SIZE=12O0"):
            settings_of(case["env"])
        return
    general = {name: value for name, value in case["ctor"].items() if name != "addon_params"}
    explicit = case["ctor"].get("addon_params", {}).get("chunker")
    found = resolve_chunk_options(settings_of(case["env"]), explicit, case["po"], **general).values
    for options in found.values():
        if isinstance(options, dict):
            # The record leaves the pattern out and counts the separators.
            options.pop("sentence_split_regex", None)
            if "separators" in options:
                options["separators"] = len(options["separators"])
    expected = case["snapshot"]
    for options in expected.values():
        if isinstance(options, dict) and options.get("separators") == 0:
            # A partial mapping of the caller hid the separators there; here mappings are merged in depth. Only a
            # value that is no list leaves the slot empty.
            del options["separators"]
            if found["recursive_character"].pop("separators", None) is None:
                assert explicit["recursive_character"] == {"separators": "abc"}
    assert found == expected


def test_each_place_gives_way_to_the_one_above() -> None:
    settings = settings_of({"CHUNK_SIZE": "800", "CHUNK_OVERLAP_SIZE": "50", "CHUNK_R_OVERLAP_SIZE": "42"})
    general = {"chunk_token_size": 600, "chunk_overlap_token_size": 10}
    assert resolve_chunk_options(settings, None, "F").values["fixed_token"]["chunk_overlap_token_size"] == 50
    found = resolve_chunk_options(settings, None, "F", **general)
    assert found.values["chunk_token_size"] == 600
    assert found.values["fixed_token"]["chunk_overlap_token_size"] == 10
    assert resolve_chunk_options(settings, None, "R", **general).values["recursive_character"] == {
        "separators": list(DEFAULT_SEPARATORS),
        "chunk_overlap_token_size": 42,
    }
    explicit = {"recursive_character": {"chunk_overlap_token_size": 7}}
    found = resolve_chunk_options(settings, explicit, "R", **general)
    assert found.values["recursive_character"]["chunk_overlap_token_size"] == 7
    params = {"R": {"chunk_overlap_token_size": 3}}
    found = resolve_chunk_options(settings, explicit, "R", params=params, **general)
    assert found.values["recursive_character"]["chunk_overlap_token_size"] == 3
    assert found.origins["recursive_character.chunk_overlap_token_size"] == "rule or hint"


def test_p_inherits_no_size() -> None:
    settings = settings_of({"CHUNK_SIZE": "800"})
    assert resolve_chunk_options(settings, None, "P", chunk_token_size=700).values == {
        "chunk_token_size": 700,
        "paragraph_semantic": {"chunk_token_size": 2000, "chunk_overlap_token_size": 100},
    }


def test_only_the_chosen_chunkers_options_are_kept() -> None:
    for letter, strategy in {
        "": "fixed_token",
        "i": "fixed_token",
        "C": "fixed_token",
        "R": "recursive_character",
        "V": "semantic_vector",
        "teP": "paragraph_semantic",
    }.items():
        assert list(resolve_chunk_options(ChunkSettings(), None, letter).values) == ["chunk_token_size", strategy]


def test_split_by_character_of_a_call_concerns_f_alone() -> None:
    split: dict[str, Any] = {"split_by_character": "\n", "split_by_character_only": True}
    found = resolve_chunk_options(ChunkSettings(), None, "F", **split).values["fixed_token"]
    assert found["split_by_character"] == "\n"
    assert found["split_by_character_only"] is True
    assert "split_by_character" not in resolve_chunk_options(ChunkSettings(), None, "R", **split).values


def test_references_are_dropped_when_the_variable_says_so_and_nothing_above() -> None:
    settings = settings_of({"CHUNK_P_DROP_REFERENCES": "true"})
    options = resolve_chunk_options(settings, None, "P").values["paragraph_semantic"]
    assert options["drop_references"] is True
    explicit = {"paragraph_semantic": {"drop_references": False}}
    assert resolve_chunk_options(settings, explicit, "P").values["paragraph_semantic"]["drop_references"] is False


def test_separators_that_are_no_list_go_with_one_warning() -> None:
    for value in ("abc", 5, ["a", 1], {"a": 1}):
        found = resolve_chunk_options(ChunkSettings(), {"recursive_character": {"separators": value}}, "R")
        assert "separators" not in found.values["recursive_character"]
        assert [w.kind for w in found.warnings] == ["separators_no_list"]
        assert not found.errors


def test_long_cascades_are_bounded_with_a_warning() -> None:
    long = [str(n) for n in range(100)] + [""]
    found = resolve_chunk_options(ChunkSettings(), {"recursive_character": {"separators": long}}, "R")
    kept = found.values["recursive_character"]["separators"]
    assert len(kept) == 64
    assert kept[-1] == ""
    assert [w.kind for w in found.warnings] == ["separators_bounded"]
    only_long = {"recursive_character": {"separators": ["x" * 300]}}
    assert resolve_chunk_options(ChunkSettings(), only_long, "R").values["recursive_character"]["separators"] is None
    settings = settings_of({"CHUNK_R_SEPARATORS": json.dumps(["x" * 300])})
    kept = resolve_chunk_options(settings, None, "R").values["recursive_character"]["separators"]
    assert kept == list(DEFAULT_SEPARATORS[:-1])


def test_a_separators_variable_that_cannot_be_read_is_said_and_replaced_by_the_default() -> None:
    for text in ("not json", '"abc"', "[1]", "[" * 100_000):
        loaded = load({"CHUNK_R_SEPARATORS": text}, extra=[CLASS])
        assert loaded.of(ChunkSettings).r_separators == DEFAULT_SEPARATORS
        assert any("CHUNK_R_SEPARATORS" in warning for warning in loaded.warnings)


@pytest.mark.parametrize(
    ("overrides", "where"),
    [
        ({"chunk_token_size": 0}, "chunk_token_size"),
        ({"chunk_token_size": "800"}, "chunk_token_size"),
        ({"chunk_token_size": True}, "chunk_token_size"),
        ({"recursive": {}}, "recursive"),
        ({"recursive_character": 5}, "recursive_character"),
        ({"recursive_character": {"chunk_ol": 5}}, "recursive_character.chunk_ol"),
        ({"recursive_character": {"chunk_overlap_token_size": -1}}, "recursive_character.chunk_overlap_token_size"),
        ({"recursive_character": {"chunk_overlap_token_size": 1.5}}, "recursive_character.chunk_overlap_token_size"),
        ({"semantic_vector": {"breakpoint_threshold_type": "median"}}, "semantic_vector.breakpoint_threshold_type"),
        ({"semantic_vector": {"breakpoint_threshold_amount": "x"}}, "semantic_vector.breakpoint_threshold_amount"),
        ({"semantic_vector": {"sentence_split_regex": "("}}, "semantic_vector.sentence_split_regex"),
        ({"fixed_token": {"split_by_character_only": "yes"}}, "fixed_token.split_by_character_only"),
        ({5: {}}, "5"),
    ],
)
def test_values_that_cannot_be_used_are_reported_and_the_next_place_decides(overrides: Any, where: str) -> None:
    found = resolve_chunk_options(ChunkSettings(), overrides, "R")
    (mistake,) = found.errors
    assert mistake.message.startswith(f"{where}: ")
    assert found.values == resolve_chunk_options(ChunkSettings(), None, "R").values


def test_options_of_other_chunkers_pass_when_they_are_named() -> None:
    more = {"lines": ["per_chunk"], "recursive_character": ["context_prefix"]}
    overrides = {"lines": {"per_chunk": 5}, "recursive_character": {"context_prefix": True}}
    found = resolve_chunk_options(ChunkSettings(), overrides, "R", more_options=more)
    assert found.values["recursive_character"]["context_prefix"] is True
    named = resolve_chunk_options(
        ChunkSettings(), overrides, "C", params={"C": {"chunker": "lines"}}, more_options=more
    )
    assert named.values == {"chunk_token_size": 1200, "chunker": "lines", "lines": {"per_chunk": 5}}
    assert not found.errors


def test_an_overlap_that_somebody_chose_and_does_not_fit_is_said() -> None:
    settings = settings_of({"CHUNK_R_OVERLAP_SIZE": "60"})
    found = resolve_chunk_options(settings, None, "R", params={"R": {"chunk_token_size": 50}})
    assert found.values["recursive_character"]["chunk_overlap_token_size"] == 60
    assert [w.kind for w in found.warnings] == ["overlap_ge_size"]
    assert "CHUNK_R_OVERLAP_SIZE" in found.warnings[0].message


def test_a_default_overlap_gives_way_to_a_small_size() -> None:
    found = resolve_chunk_options(ChunkSettings(), None, "R", params={"R": {"chunk_token_size": 50}})
    assert found.values["recursive_character"]["chunk_overlap_token_size"] == 4
    assert not found.warnings


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["chunk_token_size", "recursive_character", "fixed_token", "semantic_vector", "paragraph_semantic", "separators",
     "chunk_overlap_token_size", "sentence_split_regex", "x"]
)  # fmt: skip
MAPPINGS = st.dictionaries(NAMES, JSON | st.dictionaries(NAMES, JSON, max_size=3), max_size=4)


@given(MAPPINGS, st.sampled_from(["", "F", "R", "V", "P", "C", "iR!"]))
def test_any_mapping_gives_json_and_stays_as_it_was(overrides: dict[str, Any], options: str) -> None:
    before = copy.deepcopy(overrides)
    found = resolve_chunk_options(ChunkSettings(), overrides, options)
    assert repr(overrides) == repr(before)
    assert json.loads(json.dumps(found.values)) == found.values
    again = resolve_chunk_options(ChunkSettings(), found.values, options)
    assert not again.errors
    # Separators that are no list leave the slot empty, which a snapshot cannot say.
    if all(warning.kind != "separators_no_list" for warning in found.warnings):
        assert again.values == found.values


def test_blanks_of_a_separator_belong_to_it() -> None:
    settings = settings_of({"CHUNK_F_SPLIT_BY_CHARACTER": "\n", "CHUNK_V_SENTENCE_SPLIT_REGEX": r"\. "})
    assert resolve_chunk_options(settings, None, "F").values["fixed_token"]["split_by_character"] == "\n"
    assert resolve_chunk_options(settings, None, "V").values["semantic_vector"]["sentence_split_regex"] == r"\. "
    assert settings_of({"CHUNK_F_SPLIT_BY_CHARACTER": ""}).f_split_by is None


def test_the_chunkers_know_every_option_and_share_its_default() -> None:
    specs = {spec.name: spec for spec in BUILTIN}
    for letter, strategy in STRATEGIES.items():
        snapshot = resolve_chunk_options(ChunkSettings(), None, letter).values[strategy]
        options = {option.name: option for option in specs[strategy].options}
        assert set(snapshot) <= set(options)
        for name, value in snapshot.items():
            default = options[name].default
            if name != "sentence_split_regex":
                assert value == (list(default) if isinstance(default, tuple) else default), name
    for letter, params in CHUNK_PARAMS.items():
        spec = next(spec for spec in BUILTIN if spec.letter == letter)
        in_hint = {option.name: option.aliases for option in spec.options if option.in_hint}
        assert {param.name: param.aliases for param in params if param.name != "chunker"} == in_hint
