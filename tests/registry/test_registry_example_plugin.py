"""examples/third_party_parser installs with pip and is used like any other engine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import ROOT, environment, run_command

EXAMPLE = ROOT / "examples" / "third_party_parser"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the example installed by pip; on the import path it is found like any installed package."""
    if not EXAMPLE.is_dir():
        pytest.skip("the examples are part of the repository, not of the wheel")
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(EXAMPLE, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    # Isolated: what the user's own pip is told (user, target, index) changes nothing here.
    command = [sys.executable, "-m", "pip", "install", "--isolated", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
               "--disable-pip-version-check", "--target", str(folder / "site"), str(folder / "source")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return str(folder / "site")


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Results\n", "\n", "We measure."]},
        {"cell_type": "code", "metadata": {}, "source": "print(41 + 1)", "execution_count": 1,
         "outputs": [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}]},
    ]  # fmt: skip
    path = tmp_path / "analysis.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    return path


def test_it_is_listed(site: str, tmp_path: Path) -> None:
    ran = run_command("engines", "--json", cwd=tmp_path, PYTHONPATH=site)
    record = next(record for record in ran.records if record["engine"] == "ipynb")
    assert record["available"]
    assert record["plugin"] == "lrdoc-ipynb"
    assert record["default_for"] == ["ipynb"]
    assert [param["name"] for param in record["params"]] == ["outputs", "fences"]


def test_its_suffix_needs_no_rule_and_it_takes_a_parameter_in_a_hint(site: str, tmp_path: Path, notebook: Path) -> None:
    notebook.with_name("other.[ipynb(out=drop)-R].ipynb").write_bytes(notebook.read_bytes())
    ran = run_command("parse", ".", "--json", "-o", "out", cwd=tmp_path, PYTHONPATH=site)
    assert ran.code == 0, ran.err
    first, second = ran.records
    assert (first["parse_engine"], second["parse_engine"]) == ("ipynb", "ipynb(outputs=drop)")
    assert (first["title"], second["canonical"]) == ("Results", "other.ipynb")
    kept = (tmp_path / first["blocks_path"]).read_text()
    dropped = (tmp_path / second["blocks_path"]).read_text()
    assert "print(41 + 1)" in kept
    assert "print(41 + 1)" in dropped
    assert "\\n42" in kept
    assert "\\n42" not in dropped


def test_a_wrong_parameter_is_an_error_with_its_place(site: str, tmp_path: Path) -> None:
    ran = run_command("route", "a.[ipynb(outputs=sometimes)].ipynb", "--json", cwd=tmp_path, PYTHONPATH=site)
    assert ran.code == 1
    (mistake,) = ran.records[0]["errors"]
    assert (mistake["kind"], mistake["column"]) == ("not_in_enum", 10)
    assert "keep or drop" in mistake["message"]


def test_it_keeps_the_promises_of_the_kit(site: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(EXAMPLE / "tests"),
         str(EXAMPLE / "tests")],
        env=environment(PYTHONPATH=site), cwd=site, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert "16 passed" in done.stdout
