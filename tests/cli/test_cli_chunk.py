"""`lrdoc chunk`: sources, parsed folders and blocks of other implementations; which strategy and options hold."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from cli_runner import Ran, run_here

from lrdoc.testing.chunkers import FakeEmbedder

SOURCE = "# One\n\nFirst paragraph of the document.\n\n" + "\n\n".join(
    f"## Part {i}\n\nSome text of part {i}, which goes on for a while and then it ends here." for i in range(6)
)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("LIGHTRAG_", "CHUNK_", "EMBEDDING_")):
            monkeypatch.delenv(name)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def chunk(*arguments: str | Path) -> Ran:
    return run_here("chunk", *arguments)


def record(*arguments: str | Path) -> dict[str, Any]:
    ran = chunk(*arguments, "--json")
    assert ran.code == 0, ran.err
    (found,) = ran.records
    return found


def test_a_source_file_is_parsed_and_cut_and_nothing_is_left(source: Path, tmp_path: Path) -> None:
    found = record(source, "--set", "chunk_ts=60")
    assert found["stats"]["strategy"] == "paragraph_semantic"
    assert found["stats"]["tokenizer"] == "o200k_base"
    assert max(row["tokens"] for row in found["chunks"]) <= 60
    assert [row["chunk_order_index"] for row in found["chunks"]] == list(range(len(found["chunks"])))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.md"]


def test_a_parsed_folder_remembers_how_it_is_cut(source: Path, tmp_path: Path) -> None:
    assert run_here("parse", source, "-o", tmp_path / "out", "--options", "R(chunk_ts=40,chunk_ol=0)").code == 0
    (folder,) = (tmp_path / "out").glob("*.parsed")
    stats = record(folder)["stats"]
    assert (stats["strategy"], stats["chosen_by"]) == ("recursive_character", "stored with the document")
    assert (stats["options"]["chunk_token_size"], stats["options"]["chunk_overlap_token_size"]) == (40, 0)
    (blocks,) = folder.glob("*.blocks.jsonl")
    assert record(blocks)["chunks"] == record(folder)["chunks"]
    assert record(folder, "--set", "chunk_ts=80")["stats"]["options"]["chunk_token_size"] == 80
    assert record(folder, "--strategy", "P")["stats"]["options"]["chunk_token_size"] == 2000


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("F", "fixed_token"), ("Fix", "fixed_token"), ("Recursive", "recursive_character"), ("P", "paragraph_semantic")],
)
def test_strategies_have_several_names(source: Path, name: str, wanted: str) -> None:
    assert record(source, "--strategy", name)["stats"]["strategy"] == wanted


def test_blocks_of_another_implementation_are_cut_by_p(tmp_path: Path) -> None:
    path = tmp_path / "other.blocks.jsonl"
    line = {"type": "content", "blockid": "b", "content": "# A\ntext", "heading": "A", "level": 1}
    path.write_text(json.dumps(line))
    found = record(path)
    assert found["stats"]["chosen_by"] == "the document has blocks"
    assert found["chunks"][0]["sidecar"]["refs"] == [{"type": "block", "id": "b"}]


def test_parsing_blocks_points_to_this_command(tmp_path: Path) -> None:
    path = tmp_path / "other.blocks.jsonl"
    path.write_text("{}")
    ran = run_here("parse", path)
    assert ran.code == 1
    assert "lrdoc chunk other.blocks.jsonl" in ran.err + ran.out


def test_variables_hold_and_the_command_line_wins(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNK_R_SIZE", "50")
    monkeypatch.setenv("CHUNK_R_SEPARATORS", '["\\n## ", " "]')
    options = record(source, "--strategy", "R")["stats"]["options"]
    assert (options["chunk_token_size"], options["separators"]) == (50, ["\n## ", " "])
    options = record(source, "--strategy", "R", "--set", "chunk_ts=70", "--set", 'separators=["\\n"]')["stats"][
        "options"
    ]
    assert (options["chunk_token_size"], options["separators"]) == (70, ["\n"])


def test_a_small_size_takes_a_small_overlap_along(source: Path) -> None:
    options = record(source, "--strategy", "F", "--set", "chunk_ts=60")["stats"]["options"]
    assert options["chunk_overlap_token_size"] < 60


def test_references_are_left_out_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "paper.md"
    path.write_text("# A\n\ntext\n\n# 2. References\n\n[1] x", encoding="utf-8")
    found = record(path, "--set", "drop_rf")
    assert [warning["code"] for warning in found["warnings"]] == ["references_dropped"]
    assert "[1]" not in found["chunks"][-1]["content"]


def test_people_see_sizes_cuts_and_beginnings(source: Path) -> None:
    out = chunk(source, "--set", "chunk_ts=40").out
    assert "by paragraph_semantic (routing of its name)" in out.splitlines()[0]
    assert "tokens of o200k_base" in out
    assert "before a heading" in out
    assert "█" in out
    assert "One › Part 3" in out


def test_an_estimate_is_called_one(source: Path) -> None:
    assert "an estimate" in chunk(source, "--tokenizer", "estimate").out


def test_v_without_a_model_says_so(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lrdoc.llm.embedder.is_embedded_model_installed", lambda: False)
    found = record(source, "--strategy", "V")
    assert [warning["code"] for warning in found["warnings"]] == ["no_embedder"]
    assert found["stats"]["embedder"] is None


def test_a_chunk_over_the_embedding_models_limit_becomes_pieces(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = record(source, "--strategy", "P")
    assert (len(whole["chunks"]), whole["warnings"]) == (1, [])
    monkeypatch.setenv("EMBEDDING_TOKEN_LIMIT", "50")
    monkeypatch.setenv("EMBEDDING_CHUNK_OVERLAP_TOKEN_SIZE", "10")
    cut = record(source, "--strategy", "P")
    assert [warning["code"] for warning in cut["warnings"]] == ["over_embedding_limit"]
    assert cut["stats"]["chunks"] == len(cut["chunks"]) > 1
    assert max(chunk["tokens"] for chunk in cut["chunks"]) <= 50
    assert {chunk["split_type"] for chunk in cut["chunks"]} == {"hard_fallback"}
    assert [chunk["chunk_order_index"] for chunk in cut["chunks"]] == list(range(len(cut["chunks"])))
    monkeypatch.setenv("EMBEDDING_CHUNK_OVERLAP_TOKEN_SIZE", "-1")
    refused = chunk(source, "--strategy", "P")
    assert refused.code == 3
    assert "EMBEDDING_CHUNK_OVERLAP_TOKEN_SIZE=-1" in refused.err


def test_a_setting_that_cannot_be_is_told_for_parsed_folders_too(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_here("parse", source, "-o", tmp_path / "out").code == 0
    (folder,) = (tmp_path / "out").glob("*.parsed")
    monkeypatch.setenv("EMBEDDING_TOKEN_LIMIT", "5")
    monkeypatch.setenv("CHUNK_R_SIZE", "abc")
    for arguments in (["chunk", folder], ["export", folder, "--to", "html", "--chunks", "R"]):
        refused = run_here(*arguments)
        assert refused.code == 3
        assert "EMBEDDING_TOKEN_LIMIT=5" in refused.err and "CHUNK_R_SIZE=abc" in refused.err


def test_v_keeps_the_limit_of_its_own_model(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Small(FakeEmbedder):
        max_input_tokens = 40

    monkeypatch.setattr("lrdoc.llm.embedder.embedder_of", lambda settings: Small())
    found = record(source, "--strategy", "V", "--set", "breakpoint_threshold_amount=100")
    assert max(chunk["tokens"] for chunk in found["chunks"]) <= 40
    assert [warning["code"] for warning in found["warnings"]] == ["over_embedding_limit"]


def test_the_callers_own_sentence_pattern_counts(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lrdoc.llm.embedder.embedder_of", lambda settings: FakeEmbedder())
    arguments = ["--strategy", "V", "--set", "breakpoint_threshold_amount=0", "--set", "sentence_split_regex=\\n\\n"]
    found = record(source, *arguments)
    assert found["warnings"] == []
    assert found["chunks"][1]["content"].startswith("First paragraph")


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["--strategy", "X"], 2, "unknown chunking strategy 'X'"),
        (["--set", "colour=red"], 2, "no option 'colour'"),
        (["--set", "chunk_ts=big"], 2, "--set chunk_ts=big"),
        (["--set", "chunk_ts"], 2, "a value is missing"),
        (["--set", "chunk_ts=8"], 1, "no cap below 16"),
        (["--set", "chunk_ol=-1"], 2, "must be at least 0"),
        (["--strategy", "V", "--set", "breakpoint_threshold_type=odd"], 2, "must be one of percentile"),
        (["--strategy", "C"], 2, "needs a chunking function"),
        (["--tokenizer", "nothing"], 3, "no tiktoken encoding"),
    ],
)
def test_mistakes_are_told_with_their_place(source: Path, arguments: list[str], code: int, word: str) -> None:
    ran = chunk(source, *arguments)
    assert ran.code == code
    assert word in ran.err
    assert ran.out == ""


def test_a_folder_of_sources_is_refused(source: Path, tmp_path: Path) -> None:
    ran = chunk(tmp_path)
    assert ran.code == 2
    assert "folder without a parsed document" in ran.err


def test_options_of_parsing_are_refused_for_what_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "x.blocks.jsonl"
    path.write_text('{"type": "content", "content": "x"}')
    ran = chunk(path, "--engine", "native")
    assert ran.code == 2
    assert "parsed already" in ran.err
