"""What the commands share: options, JSON lines, paths as the caller wrote them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from lrdoc.errors import LrdocError

F = TypeVar("F", bound=Callable[..., Any])


class PathType(click.Path):
    """A path. An empty one, as an unset shell variable gives it, would mean the current folder: it is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


def debug_option(function: F) -> F:
    """--debug: show tracebacks. `lrdoc.cli.run` and the commands look at it."""
    return click.option("--debug", is_flag=True, help="Show a traceback when something fails.")(function)


def env_file_option(function: F) -> F:
    return click.option(
        "--env-file",
        type=PathType(path_type=Path, dir_okay=False),
        metavar="F",
        help="Read settings from F instead of ./.env; the environment wins over both.",
    )(function)


def rules_option(function: F) -> F:
    return click.option(
        "--rules",
        metavar="R",
        help="Routing rules instead of LIGHTRAG_PARSER, such as 'md:native;*:legacy-R'.",
    )(function)


def engine_options(function: F) -> F:
    """--engine and --options: they win over hints in file names and over rules."""
    function = click.option(
        "--options", metavar="O", help="Processing options, such as 'teP' or 'R(chunk_ts=800)'; no leading hyphen."
    )(function)
    return click.option("--engine", metavar="E", help="Engine for all files, such as native or 'native(toc=body)'.")(
        function
    )


def json_option(function: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="One JSON object a line on stdout.")(function)


def to_json(value: Any) -> str:
    """One line. Half surrogates (file names that are not UTF-8) are escaped, all else stays readable."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(", ", ": "))
    return text


def error_to_json(error: LrdocError, source: str | None = None) -> dict[str, Any]:
    """`{"source", "error": {"type", "message", "where"}}`; the hint is the end of the message."""
    told = str(type(error)(error.message, hint=error.hint)) if error.where else str(error)
    found: dict[str, Any] = {"error": {"type": type(error).__name__, "message": told, "where": error.where}}
    return found if source is None else {"source": source, **found}


def shown_path(path: Path, *, relative: bool) -> str:
    """The path relative to the current folder, or absolute, as the caller wrote the source."""
    if relative:
        return os.path.relpath(path)
    return str(path.resolve())


def printable(text: str) -> str:
    """One line for a terminal: control characters, which could drive it, become blanks."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def plural(n: int, word: str) -> str:
    """ "1 table", "2 tables"."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def counts_to_text(counts: Mapping[str, int]) -> str:
    """ "3 blocks, 1 table"; what is zero is left out."""
    return ", ".join(plural(n, word) for word, n in counts.items() if n) or "nothing"
