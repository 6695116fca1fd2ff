"""Make docs/settings.md from the settings classes (scripts/docs)."""

import dataclasses
import inspect
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lrdoc.settings import COMPONENTS, load_class
from lrdoc.variables import Variable, variables_of

PAGE = Path(__file__).resolve().parent.parent / "docs" / "settings.md"

HEAD = """\
# Settings

This page is made by `scripts/docs` from the classes that read the variables; a test compares it.

Settings are read once, from the process environment and from a `.env` file in the current folder (`--env-file F` names
another one). The environment wins over the file. A blank value means unset. All mistakes are reported together, before
any file is opened, with exit code 3. Lists are separated by commas; yes/no values may be written true, yes, on, 1, t, y
or false, no, off, 0, f, n.
"""


def show_default(value: Any) -> str:
    if value is None or value == "" or value == ():
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`" + ",".join(str(v) for v in value).replace("|", "\\|").replace("\n", "\\n") + "`"
    return "`" + str(value).replace("|", "\\|").replace("\n", "\\n") + "`"


def show_kind(variable: Variable, hint: Any) -> str:
    kinds = [k for k in typing.get_args(hint) if k is not type(None)] if typing.get_args(hint) else [hint]
    if variable.choices:
        return " / ".join(variable.choices)
    if typing.get_origin(hint) is tuple:
        return "list"
    if variable.parse is not None and kinds[0] not in (bool, int, float):
        return "text"
    kind = {bool: "yes/no", int: "whole number", float: "number"}.get(kinds[0], "text")
    if variable.unit:
        kind += f", {variable.unit}"
    if variable.minimum is not None:
        kind += f", ≥ {variable.minimum:g}"
    if variable.maximum is not None:
        kind += f", ≤ {variable.maximum:g}"
    return kind


def describe(cls: type) -> Iterator[str]:
    hints = typing.get_type_hints(cls)
    defaults = {f.name: f.default for f in dataclasses.fields(cls)}
    first = (inspect.getdoc(cls) or cls.__name__).splitlines()[0].rstrip(".")
    yield f"## {first}"
    yield ""
    yield f"Read by `{cls.__module__}`."
    yield ""
    yield "| Variable | Default | Value | Meaning |"
    yield "|---|---|---|---|"
    for field, variable in variables_of(cls).items():
        notes = variable.help.replace("|", "\\|")
        if variable.lenient:
            notes += " A value that cannot be used is reported and the default taken."
        if variable.secret:
            notes += " Never shown."
        yield (
            f"| `{variable.name}` | {show_default(defaults[field])} | "
            f"{show_kind(variable, hints[field])} | {notes} |"
        )
    yield ""


def make_page() -> str:
    lines = [HEAD]
    for impl in COMPONENTS:
        lines.extend(describe(load_class(impl)))
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    page = make_page()
    if "--check" in sys.argv[1:]:
        if not PAGE.is_file() or PAGE.read_text("utf-8") != page:
            sys.exit("docs/settings.md is not up to date: run scripts/docs")
        return
    PAGE.write_text(page, "utf-8")
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()
