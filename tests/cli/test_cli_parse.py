"""`lrdoc parse`: records, places, errors and exit codes."""

import hashlib
import json
from pathlib import Path

import pytest
from cli_runner import Ran, files_of, install_test_engine, run_command, run_here

RECORD = [
    "source", "canonical", "doc_id", "engine", "parse_engine", "process_options", "parse_format", "document_format",
    "title", "parsed_dir", "blocks_path", "text_path", "source_map_path", "content_hash", "blocks", "tables",
    "drawings", "equations", "assets", "warnings", "cached", "seconds",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An own current folder, and no settings of the caller."""
    monkeypatch.chdir(tmp_path)
    for name in ("LIGHTRAG_PARSER", "SOURCE_DATE_EPOCH", "MINERU_LOCAL_ENDPOINT", "DOCLING_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def engine(tmp_path_factory: pytest.TempPathFactory) -> str:
    return install_test_engine(tmp_path_factory.mktemp("site"))


def write(name: str, text: str = "Hello\n\nworld\n") -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def parse(*arguments: str | Path) -> Ran:
    return run_here("parse", *arguments)


def test_a_plain_text_file_gives_a_record_with_every_field() -> None:
    write("notes.txt")
    ran = parse("notes.txt", "--json")
    assert (ran.code, ran.err) == (0, "")
    [record] = ran.records
    assert list(record) == RECORD
    assert record["seconds"].keys() == {"parse", "write"}
    record.pop("seconds")
    assert record == {
        "source": "notes.txt", "canonical": "notes.txt",
        "doc_id": "doc-" + hashlib.md5(b"notes.txt").hexdigest(),
        "engine": "legacy", "parse_engine": "legacy", "process_options": "R", "parse_format": "raw",
        "document_format": "txt", "title": "notes", "parsed_dir": "__parsed__/notes.txt.parsed", "blocks_path": None,
        "text_path": "__parsed__/notes.txt.parsed/notes.txt",
        "source_map_path": "__parsed__/notes.txt.parsed/notes.source_map.json",
        "content_hash": record["content_hash"], "blocks": 0, "tables": 0, "drawings": 0, "equations": 0, "assets": 0,
        "warnings": [], "cached": False,
    }  # fmt: skip
    assert Path("notes.txt").read_text() == "Hello\n\nworld\n", "the source stays"


def test_paths_are_absolute_when_the_source_was(tmp_path: Path) -> None:
    write("notes.txt")
    [record] = parse(tmp_path / "notes.txt", "--json").records
    assert record["source"] == str(tmp_path / "notes.txt")
    assert record["text_path"] == str(tmp_path / "__parsed__/notes.txt.parsed/notes.txt")


def test_a_source_inside_parsed_gets_its_folder_beside_it() -> None:
    write("__parsed__/notes.txt")
    [record] = parse("__parsed__/notes.txt", "--json").records
    assert record["parsed_dir"] == "__parsed__/notes.txt.parsed"


def test_output_folder_and_sub_folders_of_a_walked_folder() -> None:
    write("in/a.txt")
    write("in/deep/er/b.txt")
    write("in/picture.xyz")
    ran = parse("in", "-o", "out", "--json")
    assert ran.code == 0
    assert [r["source"] for r in ran.records] == ["in/a.txt", "in/deep/er/b.txt"]
    assert [r["parsed_dir"] for r in ran.records] == ["out/a.txt.parsed", "out/deep/er/b.txt.parsed"]
    assert ran.err == "skipped 1 file that no engine takes: in/picture.xyz\n"


def test_a_hint_is_honoured_and_stripped() -> None:
    write("notes.[legacy-R!].txt")
    [record] = parse("notes.[legacy-R!].txt", "--json").records
    assert record["canonical"] == "notes.txt"
    assert record["process_options"] == "R!"
    assert record["parsed_dir"] == "__parsed__/notes.txt.parsed"
    assert record["doc_id"] == "doc-" + hashlib.md5(b"notes.txt").hexdigest()


def test_engine_and_options_win_over_the_hint() -> None:
    write("notes.[-F].txt")
    [record] = parse("notes.[-F].txt", "--engine", "legacy", "--options", "R(chunk_ts=800)", "--json").records
    assert (record["engine"], record["process_options"]) == ("legacy", "R")
    map_file = json.loads(Path(record["source_map_path"]).read_text())
    assert map_file["lrdoc"]["chunk_options"]["recursive_character"]["chunk_token_size"] == 800


def test_a_failing_file_is_told_in_one_sentence_and_the_others_still_parse() -> None:
    write("b.txt")
    Path("empty.txt").touch()
    ran = parse("missing.txt", "empty.txt", "b.txt", "--json")
    assert ran.code == 1
    assert ran.err == "missing.txt does not exist\nempty.txt is empty\n"
    missing, empty, parsed = ran.records
    assert missing == {
        "source": "missing.txt",
        "error": {"type": "SourceError", "message": "missing.txt does not exist", "where": ""},
    }
    assert empty["error"]["message"] == "empty.txt is empty"
    assert parsed["source"] == "b.txt"
    assert sorted(p.name for p in Path("__parsed__").iterdir()) == ["b.txt.parsed"]


def test_nothing_is_left_when_the_only_file_fails() -> None:
    Path("empty.txt").touch()
    assert parse("empty.txt").code == 1
    assert [p.name for p in Path().iterdir()] == ["empty.txt"]


def test_a_folder_without_files_and_a_file_that_no_engine_takes() -> None:
    Path("empty").mkdir()
    write("picture.xyz")
    ran = parse("empty", "picture.xyz", "--json")
    assert ran.code == 1
    assert [r["error"]["type"] for r in ran.records] == ["SourceError", "UnsupportedFormatError"]
    assert ran.records[0]["error"]["message"] == "empty holds no file that can be parsed"


def test_the_first_of_two_sources_with_one_target_is_parsed() -> None:
    write("a/notes.txt")
    write("b/notes.[legacy].txt")
    ran = parse("a/notes.txt", "b/notes.[legacy].txt", "-o", "out", "--json")
    assert ran.code == 1
    assert ran.records[0]["parsed_dir"] == "out/notes.txt.parsed"
    assert (
        ran.records[1]["error"]["message"] == "notes.[legacy].txt has the same target as a/notes.txt: notes.txt.parsed"
    )


def test_a_file_that_is_given_twice_is_parsed_once() -> None:
    write("notes.txt")
    ran = parse("notes.txt", "./notes.txt", ".", "--json")
    assert [r.get("error", {}).get("message") for r in ran.records] == [None, *["notes.txt is given twice"] * 2]


def test_something_else_that_holds_the_name_of_the_folder_is_left_alone() -> None:
    write("notes.txt")
    write("__parsed__/notes.txt.parsed", "mine")
    [record] = parse("notes.txt", "--json").records
    assert record["parsed_dir"] == "__parsed__/notes.txt.parsed_001"
    assert Path("__parsed__/notes.txt.parsed").read_text() == "mine"


def test_human_output_has_preview_counts_and_the_place() -> None:
    write("notes.txt", "one\ntwo\nthree\n\x1b[31mred\n")
    ran = parse("notes.txt", "--preview", "2")
    lines = ran.out.splitlines()
    assert lines[:3] == ["notes.txt: notes", "  | one", "  | two"]
    assert lines[-1] == "  → __parsed__/notes.txt.parsed"
    assert "\x1b" not in parse("notes.txt").out
    assert "|" not in parse("notes.txt", "--preview", "0").out
    assert parse("notes.txt", "--quiet").out == ""


def test_the_id_of_a_document_can_be_given_for_one_file() -> None:
    write("a.txt")
    write("b.txt")
    assert parse("a.txt", "--doc-id", "doc-mine", "--json").records[0]["doc_id"] == "doc-mine"
    assert parse("a.txt", "--doc-id", "not an id").code == 1
    ran = parse("a.txt", "b.txt", "--doc-id", "doc-mine")
    assert ran.code == 2
    assert "--doc-id" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--engine", "natve"], 2, "did you mean 'native'"),
        (["--options", "X"], 2, "--options"),
        (["--rules", "txt:minru"], 3, "minru"),
        (["--env-file", "missing.env"], 3, "missing.env"),
        (["--jobs", "0"], 2, "--jobs"),
        (["--nonsense"], 2, "--nonsense"),
    ],
)
def test_wrong_calls_end_before_any_file_is_opened(arguments: list[str], code: int, told: str) -> None:
    write("a.txt")
    ran = parse("a.txt", *arguments)
    assert ran.code == code
    assert told in ran.err
    assert "Traceback" not in ran.err
    assert not Path("__parsed__").exists()


def test_wrong_settings_and_rules_are_reported_together() -> None:
    write("a.txt")
    write(".env", "SOURCE_DATE_EPOCH=never\nLIGHTRAG_PARSER=txt:minru;docx:native-iX\n")
    ran = parse("a.txt")
    assert ran.code == 3
    assert "SOURCE_DATE_EPOCH=never (.env line 1)" in ran.err
    assert "minru" in ran.err and "'X'" in ran.err
    write("good.env", "LIGHTRAG_PARSER=txt:legacy-F\n")
    assert parse("a.txt", "--env-file", "good.env", "--json").records[0]["process_options"] == "F"


def test_the_command_line_has_rules_of_its_own_only_when_nothing_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.txt")
    assert parse("a.txt", "--json").records[0]["process_options"] == "R"
    assert parse("a.txt", "--engine", "legacy", "--json").records[0]["process_options"] == ""
    monkeypatch.setenv("LIGHTRAG_PARSER", "txt:legacy-F")
    assert parse("a.txt", "--json").records[0]["process_options"] == "F"
    assert parse("a.txt", "--rules", "txt:legacy-R!", "--json").records[0]["process_options"] == "R!"


def test_a_plug_in_engine_parses_warns_and_fails_like_any_other(tmp_path: Path, engine: str) -> None:
    for name, text in {"a": "fine warn", "b": "bug", "c": "refuse", "d": "die", "e": "fine", "f": ""}.items():
        write(f"{name}.try", text)
    write("f.try", " \n")
    ran = run_command(
        "parse", *(f"{n}.try" for n in "abcdef"), "--json", "--jobs", "2", cwd=tmp_path, PYTHONPATH=engine
    )
    assert ran.code == 1
    assert "Traceback" not in ran.err
    a, b, c, d, e, f = ran.records
    assert a["warnings"] == [{"code": "odd", "message": "something is odd", "where": "p q"}]
    assert b["error"]["message"].startswith("b.try: unexpected KeyError: 'a bug'")
    assert c["error"] == {"type": "EngineError", "message": "the service said no", "where": "page 3"}
    assert "ended from outside" in d["error"]["message"]
    assert e["blocks"] == 1
    assert f["error"]["type"] == "EmptyDocumentError"
    # What the process that died had begun is swept away by the next run, at the latest.
    assert {p.name for p in Path("__parsed__").iterdir()} - {".lrdoc-tmp"} == {"a.try.parsed", "e.try.parsed"}
    told = run_command("parse", "b.try", "--debug", cwd=tmp_path, PYTHONPATH=engine)
    assert "Traceback" in told.err and told.code == 1


def test_the_same_bytes_whatever_folder_time_zone_hash_seed_and_number_of_jobs(tmp_path: Path, engine: str) -> None:
    results = []
    for n, (jobs, zone, seed) in enumerate([("1", "UTC", "0"), ("4", "Asia/Tokyo", "12345")]):
        folder = tmp_path / f"run{n}"
        for name in ("a.txt", "b.txt", "c.try", "e.csv"):
            write(f"{folder}/in/{name}", f"# Text of {name}\n\nwords\n")
        ran = run_command(
            "parse", "in", "-o", "out", "--json", "--jobs", jobs,
            cwd=folder, TZ=zone, PYTHONHASHSEED=seed, SOURCE_DATE_EPOCH="1700000000", PYTHONPATH=engine,
        )  # fmt: skip
        assert ran.code == 0, ran.err
        assert [r["source"] for r in ran.records] == ["in/a.txt", "in/b.txt", "in/c.try", "in/e.csv"]
        results.append(files_of(folder / "out"))
    assert results[0] == results[1]
