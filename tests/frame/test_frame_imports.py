"""What is imported, and when."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEVER = {"docx", "numpy", "httpx", "pydantic", "PIL", "rich", "tiktoken", "openai", "asyncio", "multiprocessing"}
"""What parsing a text needs in no case."""


def imported_by(code: str, cwd: Path) -> set[str]:
    """Top-level modules and packages that a new process has after running the code."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], cwd=cwd, capture_output=True, text=True, check=True
    )
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}


@pytest.mark.parametrize("code", ["import lrdoc", "import lrdoc.cli", "from lrdoc.cli import run; run(['--help'])"])
def test_the_command_line_loads_nothing_heavy_before_it_needs_it(code: str) -> None:
    assert imported_by(code, ROOT).isdisjoint({"lxml", *NEVER})


def test_parsing_a_text_file_loads_neither_xml_nor_models_nor_network(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Hello\n")
    code = f"import os; from lrdoc.cli import run; os.chdir({str(tmp_path)!r}); assert run(['parse', 'a.txt']) == 0"
    assert imported_by(code, ROOT).isdisjoint(NEVER)


def test_the_families_are_parts_of_lrdoc_and_not_names_of_their_own(tmp_path: Path) -> None:
    code = (
        "import lrdoc.parsers, lrdoc.chunkers, lrdoc.analyzers, lrdoc.routing, sys;"
        "assert not {'parsers', 'chunkers', 'analyzers', 'routing'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
