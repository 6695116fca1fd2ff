"""Check that pyproject.toml lists the packages that exist, and that nobody imports a family by its bare name."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = ("analyzers", "chunkers", "parsers", "routing")
PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!-]+")


def find_packages(root: Path) -> dict[str, Path]:
    """Import name → folder, for every folder with Python files below lrdoc/ and the families."""
    found = {}
    for top in ("lrdoc", *FAMILIES):
        for file in (root / top).rglob("*.py"):
            parts = file.parent.relative_to(root).parts
            found[".".join(parts if top == "lrdoc" else ("lrdoc", *parts))] = file.parent
    return found


def check_packages(root: Path) -> Iterator[str]:
    setuptools = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    listed, there = set(setuptools["packages"]), find_packages(root)
    for name in sorted(there.keys() - listed):
        yield f"pyproject.toml: {name} is missing in tool.setuptools.packages"
    for name in sorted(listed - there.keys()):
        yield f"pyproject.toml: {name} is listed in tool.setuptools.packages and does not exist"
    for name, folder in sorted(there.items()):
        if not (folder / "__init__.py").is_file():
            yield f"{folder.relative_to(root)}: __init__.py is missing for {name}"


def check_bare_imports(root: Path) -> Iterator[str]:
    """`import parsers` would load a second copy of everything beside lrdoc.parsers."""
    for top in ("lrdoc", *FAMILIES, "tests", "scripts", "examples", "fixtures"):
        for file in sorted((root / top).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"), filename=str(file))):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module or ""]
                for name in names:
                    if name.split(".")[0] in FAMILIES:
                        yield f"{file.relative_to(root)}:{node.lineno}: import lrdoc.{name}, never bare {name}"


def check_constraints(root: Path) -> Iterator[str]:
    for number, line in enumerate((root / "constraints.txt").read_text("utf-8").splitlines(), 1):
        if not PIN.fullmatch(line):
            yield f"constraints.txt:{number}: only lines of the form name==version: {line!r}"


def main() -> None:
    problems = [*check_packages(ROOT), *check_bare_imports(ROOT), *check_constraints(ROOT)]
    for problem in problems:
        print(problem)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
