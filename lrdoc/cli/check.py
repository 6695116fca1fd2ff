"""`lrdoc check DIR`: is the folder right, and is everything of the source in it?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from lrdoc.cli import EXIT_FAILED
from lrdoc.cli.common import (
    PathType,
    debug_option,
    env_file_option,
    json_option,
    plural,
    printable,
    to_json,
)
from lrdoc.errors import SidecarError, SourceError
from lrdoc.flow import measure_source
from lrdoc.sidecar.check import examine
from lrdoc.sidecar.read import read_folder

EPILOG = """\b
Examples:
  lrdoc check __parsed__/report.docx.parsed
  lrdoc check __parsed__/report.docx.parsed --source report.docx --json
"""


@click.command("check", epilog=EPILOG)
@click.argument("folder", metavar="DIR", type=PathType(path_type=Path, file_okay=False, exists=True))
@click.option(
    "--source", metavar="FILE", type=PathType(path_type=Path, exists=True),
    help="The file that was parsed: count that all its text is in the folder, once.",
)  # fmt: skip
@json_option
@env_file_option
@debug_option
def command(folder: Path, source: Path | None, as_json: bool, env_file: Path | None, debug: bool) -> int:
    """Check a parsed folder: format, references, hashes, assets; with --source, that nothing was lost or doubled.

    The characters of the source are counted by code of its own, apart from the parsers.
    """
    checked = examine(folder)
    problems = [describe(p.code, p.message, p.where) for p in checked.problems]
    record: dict[str, Any] = {"ok": False, "problems": problems, "characters": None}
    record["missing"] = msgspec.to_builtins(checked.missing)
    if source is not None:
        record["same_source"] = is_same_source(folder, source, problems)
        record |= count_characters(folder, source, problems)
    record["ok"] = not problems
    click.echo(to_json(record) if as_json else "\n".join(to_lines(record, folder)))
    return 0 if record["ok"] else EXIT_FAILED


def describe(code: str, message: str, where: str) -> dict[str, str]:
    return {"code": code, "message": message, "where": where}


def is_same_source(folder: Path, source: Path, problems: list[dict[str, str]]) -> bool | None:
    """Whether the folder was made from these bytes; None when it does not say. A different source is a problem."""
    try:
        recorded = read_folder(folder).info.source
    except SidecarError:
        return None
    if not recorded.sha256:
        return None
    found = measure_source(source)
    if found.sha256 == recorded.sha256:
        return True
    told = f"the folder was made from {recorded.name} ({recorded.bytes} bytes, sha256 {recorded.sha256[:12]}…)"
    this = f"this is {found.name} ({found.bytes} bytes, sha256 {found.sha256[:12]}…)"
    problems.insert(0, describe("other_source", f"{told}, {this}", ""))
    return False


def count_characters(folder: Path, source: Path, problems: list[dict[str, str]]) -> dict[str, Any]:
    """Count the source's characters in the folder: fields of the record; findings join the problems."""
    # The counting code loads its reader of the format; a check without source does not pay for it.
    from lrdoc.audit import count

    try:
        result = count(source, folder)
    except (SourceError, SidecarError) as e:
        problems.append(describe("not_counted", e.message + (f". {e.hint}" if e.hint else ""), e.where))
        return {}
    problems += [describe(p.code, p.message, p.where) for p in result.problems]
    if not result.ok and not result.problems:
        told = f"{result.characters.unaccounted} unaccounted, {result.characters.duplicated} duplicated"
        problems.append(describe("characters", told, ""))
    return {
        "characters": msgspec.to_builtins(result.characters),
        "excluded": dict(result.excluded),
        "kinds": msgspec.to_builtins(result.kinds),
    }


def to_lines(record: dict[str, Any], folder: Path) -> Iterator[str]:
    """The findings for people."""
    if "same_source" in record:
        same = record["same_source"]
        yield "the folder does not record its source" if same is None else f"same source: {'yes' if same else 'no'}"
    for problem in record["problems"]:
        place = f" ({problem['where']})" if problem["where"] else ""
        yield printable(f"{problem['code']}{place}: {problem['message']}")
    if record["characters"] is not None:
        yield "characters: " + ", ".join(f"{word} {n:,}" for word, n in record["characters"].items())
        if record["excluded"]:
            yield "  excluded: " + ", ".join(f"{kind} {n:,}" for kind, n in sorted(record["excluded"].items()))
        if record["kinds"]:
            kinds = sorted(record["kinds"].items())
            yield "  source by kind: " + ", ".join(f"{kind} {count['source']:,}" for kind, count in kinds)
    for fact in record["missing"]:
        yield printable(f"  not told: {fact['message']} ({fact['count']:,})")
    n = len(record["problems"])
    yield printable(f"{folder}: ok" if record["ok"] else f"{folder}: {plural(n, 'problem')}")
