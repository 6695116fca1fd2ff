"""A folder that is changed after it was written: whatever line, cell, caption, note or item is touched, it is noticed."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lrdoc.audit import count
from lrdoc.errors import SidecarError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx.parser import DocxParser
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document

REPORT = Path(__file__).resolve().parents[2] / "fixtures" / "report.docx"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "report.docx.parsed"
    folder.mkdir()
    context = ParseContext(assets=FolderAssets(folder, "report.docx"), settings=DocxSettings())
    document = DocxParser().parse(SourceFile(REPORT, "report.docx"), {}, context)
    info = FolderInfo("doc-0123456789abcdef0123456789abcdef", "report.docx", "native", "2000-01-01T00:00:00+00:00")
    write_document(document, info, folder)
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "copy"))


def change_lines(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


def change_items(folder: Path, kind: str, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / f"report.{kind}.json"
    data = json.loads(path.read_text("utf-8"))
    change(data[kind])
    path.write_text(json.dumps(data, ensure_ascii=False), "utf-8")


def test_the_report_as_written_is_complete(folder: Path) -> None:
    result = count(REPORT, folder)
    assert result.problems == ()
    assert result.characters.source > 4000


def n_lines(written: Path, name: str) -> int:
    return len((written / name).read_text("utf-8").splitlines())


def test_every_line_that_is_removed_is_missed(written: Path, folder: Path) -> None:
    blocks = folder / "report.blocks.jsonl"
    original = blocks.read_bytes()
    for number in range(1, n_lines(written, blocks.name)):
        change_lines(blocks, lambda lines, number=number: lines.pop(number))  # type: ignore[misc]
        problems = count(REPORT, folder).problems
        assert any(problem.code == "missing" and problem.where for problem in problems), number
        blocks.write_bytes(original)


def test_every_region_that_is_removed_is_missed(written: Path, folder: Path) -> None:
    regions = folder / "report.regions.jsonl"
    original = regions.read_bytes()
    for number in range(n_lines(written, regions.name)):
        change_lines(regions, lambda lines, number=number: lines.pop(number))  # type: ignore[misc]
        assert any(problem.code == "missing" for problem in count(REPORT, folder).problems), number
        regions.write_bytes(original)


@pytest.mark.parametrize("kind", ["tables", "drawings", "equations"])
def test_every_item_that_is_removed_is_missed(folder: Path, kind: str) -> None:
    path = folder / f"report.{kind}.json"
    original = path.read_bytes()
    for id_ in json.loads(original)[kind]:
        change_items(folder, kind, lambda items, id_=id_: items.pop(id_))  # type: ignore[misc]
        problems = count(REPORT, folder).problems
        assert ("tag_without_item", id_) in [(problem.code, problem.where) for problem in problems]
        path.write_bytes(original)


@pytest.mark.parametrize("seed", range(40))
def test_a_changed_letter_of_claimed_text_is_named(folder: Path, seed: int) -> None:
    rnd = random.Random(seed)

    def change(lines: list[dict[str, Any]]) -> None:
        line = rnd.choice([line for line in lines[1:] if line.get("provenance")])
        content = line["content"]
        places = [
            position
            for entry in line["provenance"]
            for position in range(*entry["chars"])
            if content[position].isalpha() and "<" not in content[entry["chars"][0] : entry["chars"][1]]
        ]
        position = rnd.choice(places)
        line["content"] = f"{content[:position]}ж{content[position + 1 :]}"

    change_lines(folder / "report.blocks.jsonl", change)
    problems = count(REPORT, folder).problems
    assert any(problem.where.startswith("word/") for problem in problems)


@pytest.mark.parametrize("kind", ["tables", "equations"])
def test_a_changed_character_of_an_item_is_named(folder: Path, kind: str) -> None:
    def change(items: dict[str, Any]) -> None:
        item = next(iter(items.values()))
        item["content"] = item["content"].replace(item["content"][5], "Z", 1)

    change_items(folder, kind, change)
    assert [problem.code for problem in count(REPORT, folder).problems] == ["changed"]


@pytest.mark.parametrize("kind", ["tables", "drawings"])
def test_a_changed_caption_is_named(folder: Path, kind: str) -> None:
    def change(items: dict[str, Any]) -> None:
        item = next(item for item in items.values() if item["caption"])
        item["caption"] = item["caption"][:-1] + "Ж"

    change_items(folder, kind, change)
    assert [problem.code for problem in count(REPORT, folder).problems] == ["changed"]


def test_a_changed_and_a_lost_asset_are_named(folder: Path) -> None:
    assets = sorted((folder / "report.blocks.assets").iterdir())
    data = bytearray(assets[0].read_bytes())
    data[-1] ^= 1
    assets[0].write_bytes(data)
    assets[1].unlink()
    problems = count(REPORT, folder).problems
    assert sorted(problem.code for problem in problems) == ["changed_asset", "missing_asset", "missing_asset"]
    assert {problem.where for problem in problems if problem.code == "changed_asset"} == {assets[0].name}


@pytest.mark.parametrize("name", ["report.blocks.jsonl", "report.regions.jsonl", "report.tables.json"])
def test_a_file_nested_beyond_reading_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b'{"a":' * 100_000)
    with pytest.raises(SidecarError, match=f"{name}.* is nested too deeply"):
        count(REPORT, folder)


def test_a_folder_in_the_place_of_the_lines_is_refused(folder: Path) -> None:
    (folder / "report.blocks.jsonl").unlink()
    (folder / "report.blocks.jsonl").mkdir()
    with pytest.raises(SidecarError, match=r"no \*\.blocks\.jsonl"):
        count(REPORT, folder)
