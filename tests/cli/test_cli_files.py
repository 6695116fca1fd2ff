"""`lrdoc parse` and .docx files that cannot be parsed: one clear sentence each, and nothing is left."""

import io
import zipfile
from pathlib import Path

import pytest
from cli_runner import files_of, run_command, run_here
from docx_builder import docx, heading, p

OLE = bytes.fromhex("d0cf11e0a1b11ae1")
GOOD = docx(heading(1, "One") + p("Text of one."))


def zip_of(**files: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as package:
        for name, text in files.items():
            package.writestr(name, text)
    return data.getvalue()


BAD = {
    "empty.docx": (b"", "SourceError", "is empty"),
    "text.docx": (b"Just text, renamed.\n", "UnsupportedFormatError", "plain text"),
    "binary.docx": (OLE + bytes(4096), "UnsupportedFormatError", "old binary Office file"),
    "locked.docx": (OLE + "EncryptedPackage".encode("utf-16-le") + bytes(4096), "EncryptedFileError", "password"),
    "cut.docx": (GOOD[: len(GOOD) // 2], "SourceError", "cut off"),
    "zip.docx": (zip_of(a="x"), "UnsupportedFormatError", "not a Word document"),
    "old.doc": (OLE + bytes(4096), "UnsupportedFormatError", "takes no .doc"),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LIGHTRAG_PARSER", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_each_bad_file_is_told_in_one_sentence_and_the_good_one_is_parsed(jobs: str) -> None:
    for name, (data, _, _) in BAD.items():
        Path(name).write_bytes(data)
    Path("good.docx").write_bytes(GOOD)
    ran = run_here("parse", *BAD, "missing.docx", "good.docx", "--json", "--jobs", jobs)
    assert ran.code == 1
    assert len(ran.records) == len(BAD) + 2, ran
    for record, (name, (_, kind, told)) in zip(ran.records, BAD.items(), strict=False):
        assert record["source"] == name, record
        assert record["error"]["type"] == kind, record
        assert told in record["error"]["message"], record
        assert "\n" not in record["error"]["message"]
    assert ran.records[-2]["error"]["message"] == "missing.docx does not exist"
    assert ran.records[-1].get("blocks") == 1, ran.records[-1]
    assert len(ran.err.splitlines()) == len(BAD) + 1
    assert sorted(p.name for p in Path("__parsed__").iterdir()) == ["good.docx.parsed"]


def test_a_bad_file_leaves_nothing_and_an_old_result_as_it_was() -> None:
    Path("good.docx").write_bytes(GOOD)
    assert run_here("parse", "good.docx").code == 0
    before = files_of(Path("__parsed__"))
    Path("good.docx").write_bytes(BAD["cut.docx"][0])
    Path("cut.docx").write_bytes(BAD["cut.docx"][0])
    assert run_here("parse", "good.docx", "cut.docx").code == 1
    assert files_of(Path("__parsed__")) == before
    assert run_here("parse", "cut.docx", "-o", "out/deep").code == 1
    assert not Path("out").exists()


def test_a_document_gives_the_same_bytes_everywhere_but_for_the_time(tmp_path: Path) -> None:
    """Two folders, two time zones, two hash seeds, one job and four: decisions of the format promise the same bytes."""
    results = []
    for n, (jobs, zone, seed) in enumerate([("1", "UTC", "0"), ("4", "Asia/Tokyo", "12345")]):
        folder = tmp_path / f"run{n}" / ("deep/er" if n else ".")
        folder.mkdir(parents=True)
        for name in ("a.docx", "b.docx", "c.[native-iet].docx"):
            (folder / name).write_bytes(GOOD)
        arguments = ("parse", "a.docx", "b.docx", "c.[native-iet].docx", "-o", "out", "--jobs", jobs, "--quiet")
        ran = run_command(*arguments, cwd=folder, TZ=zone, PYTHONHASHSEED=seed)
        assert ran.code == 0, ran.err
        results.append({name: without_time(data) for name, data in files_of(folder / "out").items()})
    assert results[0] == results[1]


def without_time(data: bytes) -> bytes:
    head, key, rest = data.partition(b'"parse_time":"')
    return data if not key else head + rest.partition(b'"')[2]


def test_with_source_date_epoch_the_time_is_the_same_too(tmp_path: Path) -> None:
    results = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        (folder / "a.docx").write_bytes(GOOD)
        assert run_command("parse", "a.docx", cwd=folder, SOURCE_DATE_EPOCH="1700000000").code == 0
        results.append(files_of(folder / "__parsed__"))
    assert results[0] == results[1]
    assert b'"parse_time":"2023-11-14T22:13:20.000000+00:00"' in results[0]["a.docx.parsed/a.blocks.jsonl"]
