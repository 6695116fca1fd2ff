"""What the wheel holds. scripts/_wheel installs it and runs the tests against it."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ("analyzers", "chunkers", "parsers", "routing")
DATA = {".json", ".txt", ".css", ".xml", ".tsv", ".md", ".xsl"}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Files of a wheel built from a copy, so that nothing is left in the checkout."""
    copy = tmp_path_factory.mktemp("wheel")
    for name in ("lrdoc", *FAMILIES):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, copy / name)
    code = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(copy / done.stdout.splitlines()[-1]) as wheel:
        return set(wheel.namelist())


def test_it_has_one_top_level_package(names: set[str]) -> None:
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"lrdoc"}


def test_it_has_every_module_and_data_file(names: set[str]) -> None:
    wanted = set()
    for top in ("lrdoc", *FAMILIES):
        for file in (ROOT / top).rglob("*"):
            if file.suffix in {".py", *DATA} or file.name == "py.typed":
                inside = file.relative_to(ROOT).as_posix()
                wanted.add(inside if top == "lrdoc" else f"lrdoc/{inside}")
    assert wanted - names == set()


def test_it_has_licence_and_command(names: set[str]) -> None:
    for ending in ("/licenses/LICENSE", "/licenses/NOTICE", "/entry_points.txt"):
        assert any(name.endswith(ending) for name in names), ending
