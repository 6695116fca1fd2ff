"""Plug-ins: found by their entry point, and visible with the reason when they do not load."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import run_command

ENGINES = """
from lrdoc.sdk import ParserSpec, DocumentBuilder, Source

class Engine:
    def parse(self, source, params, context):
        document = DocumentBuilder(source)
        document.line(source.path.read_text(), Source(lines=(1, 2)))
        return document.build()

class Exits:
    def parse(self, source, params, context): raise SystemExit(3)

class Odd:
    def parse(self, source): return None

def spec(name, cls="Engine", **more):
    return ParserSpec(name, f"toys:{cls}", frozenset({name.lower()}), default_for=frozenset({name.lower()}), **more)

GOOD = spec("good")
CAPITAL = spec("Capital")
MISSING = spec("missing", "Nobody")
ODD = spec("odd", "Odd")
FIRST = spec("first", queue_group="gpu", concurrency=1)
SECOND = spec("second", queue_group="gpu", concurrency=1)
EXITING = spec("exiting", "Exits")
TWO = lambda: [spec("one"), spec("two")]
NUMBER = 5
"""
POINTS = """[lrdoc.parsers]
good = toys:GOOD
capital = toys:CAPITAL
missing = toys:MISSING
odd = toys:ODD
raising = raises:SPEC
leaving = leaves:SPEC
exiting = toys:EXITING
first = toys:FIRST
second = toys:SECOND
two = toys:TWO
number = toys:NUMBER
gone = toys:GONE
"""


@pytest.fixture
def site(tmp_path: Path) -> str:
    folder = tmp_path / "site"
    info = folder / "toys-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    (folder / "toys.py").write_text(ENGINES)
    (folder / "leaves.py").write_text("import sys\nsys.exit('no licence here')\n")
    (folder / "raises.py").write_text("raise RuntimeError('the licence has run out')\n")
    return str(folder)


def test_broken_plug_ins_are_listed_with_their_reason_and_the_others_work(site: str, tmp_path: Path) -> None:
    ran = run_command("engines", "--json", cwd=tmp_path, PYTHONPATH=site)
    assert ran.code == 0, ran.err
    records = {record["engine"]: record for record in ran.records}
    assert records["good"]["available"]
    assert records["good"]["plugin"] == "toys"
    assert {"one", "two", "first"} <= {name for name, record in records.items() if record["available"]}
    reasons = {name: record["reason"] for name, record in records.items() if not record["available"]}
    assert "engine_name 'Capital'" in reasons["capital"]
    assert "Nobody" in reasons["missing"]
    assert "found parse(self, source)" in reasons["odd"]
    assert "the licence has run out" in reasons["raising"]
    assert "SystemExit: no licence here" in reasons["leaving"]
    assert "'first' with 1 workers" in reasons["second"]
    assert "int" in reasons["number"]
    assert "GONE" in reasons["gone"]


def test_a_rule_that_names_a_broken_plug_in_says_why_it_did_not_load(site: str, tmp_path: Path) -> None:
    ran = run_command("rules", "check", "x:raising;y:odd;good:good", cwd=tmp_path, PYTHONPATH=site)
    assert ran.code == 3
    assert "the licence has run out" in ran.out
    assert "found parse(self, source)" in ran.out
    assert "2 mistakes" in ran.out


def test_a_plug_in_parses_its_suffix_without_any_rule(site: str, tmp_path: Path) -> None:
    (tmp_path / "a.good").write_text("hello\n")
    ran = run_command("parse", "a.good", "--json", "-o", "out", cwd=tmp_path, PYTHONPATH=site)
    assert ran.code == 0, ran.err
    assert ran.records[0]["engine"] == "good"
    assert "hello" in (tmp_path / "out" / "a.good.parsed" / "a.blocks.jsonl").read_text()


def test_a_plug_in_that_exits_costs_its_own_file_only(site: str, tmp_path: Path) -> None:
    (tmp_path / "a.exiting").write_text("hello\n")
    (tmp_path / "b.good").write_text("hello\n")
    ran = run_command("parse", "a.exiting", "b.good", "--json", cwd=tmp_path, PYTHONPATH=site)
    assert ran.code == 1
    assert "SystemExit: 3" in ran.records[0]["error"]["message"]
    assert ran.records[1]["engine"] == "good"


def test_a_plug_in_whose_class_is_missing_fails_the_document_with_the_reason(site: str, tmp_path: Path) -> None:
    (tmp_path / "a.missing").write_text("hello\n")
    ran = run_command("parse", "a.missing", "--json", cwd=tmp_path, PYTHONPATH=site)
    assert ran.code == 1
    assert "Nobody" in ran.records[0]["error"]["message"]
    assert "Traceback" not in ran.err
