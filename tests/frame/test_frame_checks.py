"""The checks of scripts/check notice what they are for."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ("analyzers", "chunkers", "parsers", "routing")


def load_script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"scripts_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


packaging = load_script("_packaging")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources in a folder where they may be spoilt."""
    for name in ("lrdoc", *FAMILIES):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "constraints.txt", ".importlinter"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_package_list_is_that_of_the_folders() -> None:
    assert list(packaging.check_packages(ROOT)) == []


def test_a_package_that_is_missing_or_too_much_in_the_list_is_named(copy: Path) -> None:
    before = set(packaging.check_packages(copy))
    (copy / "parsers" / "brandnew").mkdir()
    (copy / "parsers" / "brandnew" / "parser.py").touch()
    shutil.rmtree(copy / "analyzers" / "prompts")
    assert set(packaging.check_packages(copy)) - before == {
        "pyproject.toml: lrdoc.parsers.brandnew is missing in tool.setuptools.packages",
        "pyproject.toml: lrdoc.analyzers.prompts is listed in tool.setuptools.packages and does not exist",
        "parsers/brandnew: __init__.py is missing for lrdoc.parsers.brandnew",
    }


def test_no_source_imports_a_family_by_its_bare_name() -> None:
    assert list(packaging.check_bare_imports(ROOT)) == []


@pytest.mark.parametrize(
    "line", ["import parsers.base", "from chunkers import base", "import analyzers", "from routing.glob import x"]
)
def test_a_bare_import_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "lrdoc").mkdir()
    (tmp_path / "lrdoc" / "bad.py").write_text(f"import os\n{line}\n")
    [problem] = packaging.check_bare_imports(tmp_path)
    assert problem.startswith("lrdoc/bad.py:2: import lrdoc.")


def test_what_is_imported_is_declared_and_what_is_declared_is_imported(copy: Path) -> None:
    assert list(packaging.check_dependencies(ROOT)) == []
    before = set(packaging.check_dependencies(copy))
    (copy / "lrdoc" / "bad.py").write_text("def f():\n    import requests\n")
    text = (copy / "pyproject.toml").read_text()
    (copy / "pyproject.toml").write_text(text.replace('"click>', '"flask>=3",\n    "click>'))
    assert set(packaging.check_dependencies(copy)) - before == {
        "lrdoc/bad.py:2: requests is not among the dependencies of pyproject.toml",
        "pyproject.toml: nothing imports the dependency flask",
    }


def test_the_constraints_hold_names_and_versions_only(copy: Path) -> None:
    assert list(packaging.check_constraints(ROOT)) == []
    (copy / "constraints.txt").write_text("--index-url https://example.org\nlxml==6.0\nlxml>=6\n")
    assert len(list(packaging.check_constraints(copy))) == 2


def lint_imports(copy: Path) -> subprocess.CompletedProcess[str]:
    package = copy / "tree" / "lrdoc"
    shutil.copytree(copy / "lrdoc", package)
    for name in FAMILIES:
        shutil.copytree(copy / name, package / name)
    tool = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [tool, copy / ".importlinter", "--no-cache"], cwd=copy / "tree", capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(copy / "tree")},
    )  # fmt: skip


def test_imports_go_downwards(copy: Path) -> None:
    done = lint_imports(copy)
    assert done.returncode == 0, done.stdout


WRONG = [
    ("lrdoc/document.py", "lrdoc.sidecar.names"),
    ("lrdoc/sidecar/names.py", "lrdoc.flow"),
    ("parsers/base.py", "lrdoc.parsers.registry"),
    ("parsers/docx/settings.py", "lrdoc.routing.glob"),
    ("routing/glob.py", "lrdoc.parsers.registry"),
    ("routing/persist.py", "lrdoc.app"),
    ("lrdoc/flow.py", "lrdoc.parsers.native"),
    ("lrdoc/audit/result.py", "lrdoc.parsers.docx.names"),
    ("chunkers/base.py", "lrdoc.parsers.docx.names"),
    ("lrdoc/settings.py", "lrdoc.app"),
    ("lrdoc/app.py", "lrdoc.cli"),
]


def test_imports_upwards_and_sideways_are_noticed(copy: Path) -> None:
    for file, module in WRONG:
        with (copy / file).open("a") as source:
            source.write(f"\nimport {module}\n")
    (copy / "lrdoc" / "nowhere.py").touch()
    done = lint_imports(copy)
    assert done.returncode != 0
    for file, module in WRONG:
        importer = file.removesuffix(".py").replace("/", ".")
        importer = importer if importer.startswith("lrdoc.") else f"lrdoc.{importer}"
        assert f"{importer} -> {module}" in done.stdout, done.stdout
    assert "nowhere" in done.stdout, "a module without a level"
