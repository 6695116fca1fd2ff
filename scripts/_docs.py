"""Make docs/settings.md and docs/cli.md from the code (scripts/docs)."""

import dataclasses
import inspect
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lrdoc.cli import group
from lrdoc.settings import COMPONENTS, load_class
from lrdoc.variables import Variable, variables_of

DOCS = Path(__file__).resolve().parent.parent / "docs"

CLI_HEAD = """\
# Command line

This page is made by `scripts/docs` from the commands themselves; a test compares it. `lrdoc` and `python -m lrdoc.cli`
are the same.

**Engine and options** come from `--engine`/`--options`, else a hint in the file name, else the rules (`--rules`, else
`LIGHTRAG_PARSER`), else the default. When nothing is configured the command line uses the rules
`*:native-teP;*:legacy-R`. `lrdoc route NAME` explains every decision; [routing.md](routing.md) has the grammar and
[settings.md](settings.md) the variables. `.env` is read from the current folder only.

**Files.** A folder is walked in sorted order, without `__parsed__`, `*.parsed`, `*_raw`, hidden files and `~$` lock
files; with `-o` its sub-folders are kept. Files of a folder that no engine takes are listed as skipped; a file that is
named must be taken. Of two sources with the same target the first is parsed. The source is never moved, and the new
result takes the place of the old one in one step.

**Exit codes.** 0 fine; 1 a document or name failed (the others were still done); 2 wrong usage; 3 wrong configuration,
found before any file is opened; 130 interrupted. Tracebacks are shown with `--debug` only.

**JSON.** `parse --json` prints one object a line, in the order of the sources:
`{"source", "canonical", "doc_id", "engine", "parse_engine", "process_options", "parse_format", "document_format",
"title", "parsed_dir", "blocks_path", "text_path", "source_map_path", "content_hash", "blocks", "tables", "drawings",
"equations", "assets", "warnings": [{"code", "message", "where"}], "cached", "seconds": {"parse", "write"}}`, or
`{"source", "error": {"type", "message", "where"}}`. Counts are integers, absent paths null; paths are relative to the
current folder when the source was. `type` is a class of `lrdoc.errors`; `where` is "" for the whole file.

`check --json` prints `{"ok", "problems": [{"code", "message", "where"}], "characters"}`. With `--source` it adds
`same_source` (null when the folder does not record its source), `characters` is `{"source", "placed", "kept",
"reported", "excluded", "unaccounted", "duplicated"}`, and `excluded` and `kinds` give characters per kind.
"""

UNREAD = (
    "ENABLE_CONTENT_HEADINGS INPUT_DIR MAX_PARALLEL_ANALYZE MAX_PARALLEL_INSERT MAX_PARALLEL_PARSE_DOCLING "
    "MAX_PARALLEL_PARSE_MINERU MAX_PARALLEL_PARSE_NATIVE MAX_PENDING_DOCUMENTS MAX_REQUEST_BODY_BYTES "
    "MAX_TEXTS_PER_REQUEST MAX_UNACKED_MANUAL_RETRIES MAX_UPLOAD_SIZE PIPELINE_REQUIRE_STRICT_STORAGE_READS "
    "PIPELINE_SCHEDULING_PAGE_SIZE QUEUE_SIZE_ANALYZE QUEUE_SIZE_INSERT QUEUE_SIZE_PARSE SCAN_ENQUEUE_BATCH_SIZE "
    "SCAN_SPOOL_DIR WORKING_DIR"
).split()
"""Variables of the public document that no component reads: those of stages and a server that are not built yet. Each
leaves this list with the component that reads it."""

SETTINGS_HEAD = """\
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
        notes = variable.help[:1].upper() + variable.help[1:].replace("|", "\\|").rstrip(".") + "."
        if variable.lenient:
            notes += " A value that cannot be used is reported and the default taken."
        if variable.secret:
            notes += " Never shown."
        yield (
            f"| `{variable.name}` | {show_default(defaults[field])} | {show_kind(variable, hints[field])} | {notes} |"
        )
    yield ""


def make_settings_page() -> str:
    lines = [SETTINGS_HEAD]
    for impl in COMPONENTS:
        lines.extend(describe(load_class(impl)))
    declared = {variable.name for impl in COMPONENTS for variable in variables_of(load_class(impl)).values()}
    if read := declared.intersection(UNREAD):
        sys.exit(f"scripts/_docs.py: UNREAD names what is read: {', '.join(sorted(read))}")
    lines += ["## Not read yet", "", "Variables of the public document that have no effect so far.", ""]
    lines += [f"Stages and server that are not built yet: {', '.join(f'`{name}`' for name in UNREAD)}."]
    return "\n".join(lines).rstrip() + "\n"


def make_cli_page() -> str:
    lines = [CLI_HEAD]
    with click.Context(group, info_name="lrdoc") as root:
        for name in group.list_commands(root):
            command = group.get_command(root, name)
            assert command is not None
            lines.extend(show_command(command, root, name, 2))
    return "\n".join(lines).rstrip() + "\n"


def show_command(command: click.Command, parent: click.Context, name: str, depth: int) -> Iterator[str]:
    """The command's own --help, and those of its sub-commands."""
    with click.Context(command, parent=parent, info_name=name, terminal_width=100, max_content_width=100) as context:
        yield f"{'#' * depth} {context.command_path}"
        yield ""
        yield "```text"
        yield command.get_help(context)
        yield "```"
        yield ""
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                assert found is not None
                yield from show_command(found, context, inner, depth + 1)


PAGES = {"settings.md": make_settings_page, "cli.md": make_cli_page}


def main() -> None:
    for name, make in PAGES.items():
        path, page = DOCS / name, make()
        if path.is_file() and path.read_text("utf-8") == page:
            continue
        if "--check" in sys.argv[1:]:
            sys.exit(f"docs/{name} is not up to date: run scripts/docs")
        path.write_text(page, "utf-8")
        print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
