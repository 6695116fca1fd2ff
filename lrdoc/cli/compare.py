"""`lrdoc compare A B`: what two engines, or two versions, made of one document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lrdoc.cli.common import debug_option, env_file_option, json_option, to_json
from lrdoc.cli.preview import clip
from lrdoc.export.compare import compare
from lrdoc.sidecar.read import read_folder

EPILOG = """\b
Examples:
  lrdoc compare native/report.docx.parsed mineru/report.docx.parsed
  lrdoc compare old/report.docx.parsed new/report.docx.parsed --json
"""
SHOWN = 10

_COUNTS = (
    "words",
    "characters",
    "blocks",
    "headings",
    "tables",
    "equations",
    "inline_equations",
    "drawings",
    "drawings_with_image",
    "notes",
)
_PARTS = ("headings", "tables", "equations", "drawings", "notes", "regions", "text")


@click.command("compare", epilog=EPILOG)
@click.argument("a", metavar="A", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.argument("b", metavar="B", type=click.Path(path_type=Path, file_okay=False, exists=True))
@json_option
@env_file_option
@debug_option
def command(a: Path, b: Path, as_json: bool, env_file: Path | None, debug: bool) -> int:
    """Compare two parsed folders: headings, tables, equations, pictures, notes and text that only one of them has.

    Ids, places and labels made by the engines do not count. The exit code is 0 whether the two differ or not; --json
    has "same".
    """
    result = compare(read_folder(a), read_folder(b))
    result["a"]["folder"], result["b"]["folder"] = str(a), str(b)
    if as_json:
        click.echo(to_json(result))
        return 0
    for line in to_lines(result):
        click.echo(clip(line))
    return 0


def to_lines(result: dict[str, Any]) -> Iterator[str]:
    one, other = result["a"], result["b"]
    yield f"A  {_who(one)}"
    yield f"B  {_who(other)}"
    if one["source_sha256"] and other["source_sha256"] and one["source_sha256"] != other["source_sha256"]:
        yield "   made of different files"
    yield ""
    yield f"{'':22}{'A':>10}{'B':>10}"
    for name in _COUNTS:
        if one[name] or other[name]:
            yield f"{name.replace('_', ' '):22}{one[name]:>10}{other[name]:>10}"
    for name in sorted({*one["regions"], *other["regions"]}):
        yield f"{'region ' + name:22}{one['regions'].get(name, 0):>10}{other['regions'].get(name, 0):>10}"
    if result["title"][0] != result["title"][1]:
        yield ""
        yield f"title: {result['title'][0]} / {result['title'][1]}"
    for part in _PARTS:
        yield from _part(part, result[part])
    if result["same"]:
        yield ""
        yield "The two say the same."


def _who(side: dict[str, Any]) -> str:
    version = f" {side['engine_version']}" if side["engine_version"] else ""
    return f"{side['folder']}: {side['document_name']} by {side['parse_engine']}{version}"


def _part(name: str, part: dict[str, Any]) -> Iterator[str]:
    n_changed, n_a, n_b = (len(part[key]) for key in ("changed", "only_a", "only_b"))
    if not (n_changed or n_a or n_b):
        return
    more = f", {part['left_off']} more" if part["left_off"] else ""
    unit = " words" if name in ("text", "regions") else ""
    yield ""
    yield f"{name}: {part['same']}{unit} the same, {n_changed} changed, {n_a} only in A, {n_b} only in B{more}"
    for key, sign in (("changed", "~"), ("only_a", "A"), ("only_b", "B")):
        for one in part[key][:SHOWN]:
            yield f"  {sign} {_told(one)}"
        if len(part[key]) > SHOWN:
            yield f"  {sign} … {len(part[key]) - SHOWN} more"


def _told(one: Any) -> str:
    """A difference in one line."""
    if not isinstance(one, dict):
        return str(one)
    if "cells" in one:
        return _told_table(one)
    if "a" in one and "b" in one:
        under = f" (under {one['under']})" if one.get("under") else ""
        return f"{_short(one['a'])} → {_short(one['b'])}{under}"
    if "text" in one:
        return f"{one['text']}" + (f" (under {one['under']})" if one["under"] else "")
    if "latex" in one:
        latex = one["latex"]
        if isinstance(latex, list):
            return " → ".join(latex)
        return f"{latex}: {' → '.join('in a line' if inline else 'on its own' for inline in one['inline'])}"
    if "heading" in one:
        level = one["level"]
        return f"{one['heading']}: level {' → '.join(map(str, level)) if isinstance(level, list) else level}"
    return _short(one)


def _told_table(one: dict[str, Any]) -> str:
    left, right = one["a"], one["b"]
    words = [
        f"{name.replace('_', ' ')} {left[name] or 'none'} → {right[name] or 'none'}"
        for name in ("rows", "columns", "header_rows", "spans", "caption")
        if left[name] != right[name]
    ]
    if one["cells"] != [one["same_cells"]] * 2:
        words.append(f"cells {one['cells'][0]} → {one['cells'][1]}, {one['same_cells']} the same")
    return f"{left['begins'][:24]}: {'; '.join(words) or 'order of the cells'}"


def _short(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    if "rows" in value:
        caption = f" “{value['caption']}”" if value["caption"] else ""
        size = f"{value['rows']}×{value['columns']}, {value['header_rows']} header, {value['spans']} merged"
        return f"table{caption} {size}: {value['begins'][:30]}"
    size = "no image" if value["bytes"] is None else f"{value['bytes']} bytes"
    return " ".join(word for word in (value["format"] or "picture", size, value["caption"], value["src"]) if word)
