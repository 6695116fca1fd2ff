"""docs/howto/add-an-engine.md shows code that stands in the example, or that runs as it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cli_runner import ROOT

from lrdoc.document import Table, iter_items, plain_text
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.testing.assets import MemoryAssets
from lrdoc.testing.parsers import PROMISES

PAGE = ROOT / "docs" / "howto" / "add-an-engine.md"
EXAMPLE = ROOT / "examples" / "third_party_parser"
if not PAGE.is_file():
    pytest.skip("docs and examples are part of the repository, not of the wheel", allow_module_level=True)
TEXT = PAGE.read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.S)
OWN = [code for kind, code in BLOCKS if kind == "python" and "import" in code]
SHOWN = [code for kind, code in BLOCKS if kind != "sh" and "import" not in code]


def test_the_page_shows_the_example_as_it_is() -> None:
    files = [path.read_text("utf-8") for path in sorted(EXAMPLE.rglob("*")) if path.suffix in (".py", ".toml")]
    assert len(SHOWN) == 4
    for code in SHOWN:
        assert any(code in text for text in files), code


@pytest.mark.parametrize("code", OWN, ids=lambda code: re.findall(r"class (\w+)", code)[0])
def test_the_three_ways_run(code: str, tmp_path: Path) -> None:
    space: dict[str, Any] = {}
    exec(code, space)
    name = re.findall(r"class (\w+)", code)[0]
    path = tmp_path / "a.toy"
    path.write_text("a;b\n1;2\n")
    context = ParseContext(MemoryAssets(), cache_dir=tmp_path / "a.toy.echo_raw")
    document = space[name]().parse(SourceFile(path, "a.toy"), {}, context)
    found = "".join(plain_text(block.parts) for block in document.blocks)
    items = [item for block in document.blocks for item in iter_items(block.parts)]
    assert "1;2" in found or isinstance(items[0], Table)


def test_everything_the_page_names_exists() -> None:
    from lrdoc import sdk

    for name in re.findall(r"`([A-Z]\w+)(?:\(|`)", TEXT):
        known = ("NotebookParser", "ParserContract", "ParserCase")
        assert name in known or hasattr(sdk, name), name
    assert f"to {'sixteen' if len(PROMISES) == 16 else len(PROMISES)} promises" in TEXT
    for field in re.findall(r"`(\w+)(?:=True)?`", TEXT.partition("## 2.")[2].partition("## 3.")[0]):
        from dataclasses import fields

        from lrdoc.parsers.base import ParserSpec

        assert field in {f.name for f in fields(ParserSpec)} | {"parse"}, field
