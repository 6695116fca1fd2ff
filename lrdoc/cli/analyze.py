"""`lrdoc analyze DIR`: models describe pictures, tables and equations of a parsed folder."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lrdoc.cli.batch import stopping
from lrdoc.cli.common import debug_option, env_file_option, json_option, printable, to_json
from lrdoc.cli.progress import ProgressBar
from lrdoc.settings import read_process

if TYPE_CHECKING:
    from lrdoc.analyzers.stage import AnalysisReport, DryRun

EPILOG = """\b
Examples:
  lrdoc analyze __parsed__/report.docx.parsed --options te --dry-run
  lrdoc analyze __parsed__/report.docx.parsed --options te
  VLM_PROCESS_ENABLE=true lrdoc analyze __parsed__/report.docx.parsed --options ite --json

Start with te: it needs only the EXTRACT model. Answers are kept, so asking again is free.
"""


@click.command("analyze", epilog=EPILOG)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--options", metavar="O", help="Letters of i, t, e; without it what the parse was asked for.")
@click.option("--dry-run", is_flag=True, help="Print the prompts and their tokens, ask no model.")
@click.option("--quiet", is_flag=True, help="No progress on the terminal.")
@json_option
@env_file_option
@debug_option
def command(
    folder: Path, options: str | None, dry_run: bool, quiet: bool, as_json: bool, env_file: Path | None, debug: bool
) -> int:
    """Describe pictures, tables and equations of a parsed folder with models.

    i: pictures by the VLM role (needs VLM_PROCESS_ENABLE=true); t and e: tables and equations by the EXTRACT role.
    """
    from lrdoc.analysis import analyze, preview

    settings = read_process(env_file).require()
    if dry_run:
        _print_previews(preview(folder, options, settings), as_json)
        return 0
    bar = ProgressBar(0, enabled=not quiet and not as_json)
    stop = threading.Event()
    try:
        with stopping(stop):
            report = analyze(
                folder,
                options,
                settings,
                cancelled=stop.is_set,
                progress=lambda done, total, item_id: bar.update(f"{done} of {total} items: {item_id}"),
            )
    finally:
        bar.hide()
    _print_report(report, as_json)
    return 0


def report_to_dict(report: AnalysisReport) -> Mapping[str, Any]:
    return {
        "document": report.document,
        "items": {kind: dict(counts) for kind, counts in report.counts.items()},
        "missing": list(report.missing),
        "calls": report.calls,
        "tokens": {"prompt": report.usage.prompt_tokens, "completion": report.usage.completion_tokens},
        "notes": list(report.notes),
    }


def _print_report(report: AnalysisReport, as_json: bool) -> None:
    if as_json:
        click.echo(to_json(report_to_dict(report)))
        return
    click.echo(report.document)
    for kind, counts in report.counts.items():
        click.echo(f"  {kind}: " + ", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
    for kind in report.missing:
        click.echo(f"  {kind}: none in this document")
    used = report.usage
    click.echo(f"  {report.calls} calls, {used.prompt_tokens} tokens asked, {used.completion_tokens} answered")
    for note in report.notes:
        click.echo(f"  note: {printable(note)}")


def _print_previews(previews: list[DryRun], as_json: bool) -> None:
    if previews and not as_json:
        click.echo("--- system text of every prompt")
        click.echo(printable(previews[0].system))
    for shown in previews:
        if as_json:
            record = {
                "id": shown.item_id,
                "kind": shown.kind,
                "tokens": shown.tokens,
                "trimmed": shown.trimmed,
                "images": shown.images,
                "system": shown.system,
                "prompt": shown.text,
            }
            click.echo(to_json(record))
            continue
        trimmed = ", trimmed" if shown.trimmed else ""
        pictures = f", {shown.images} picture" if shown.images else ""
        click.echo(f"--- {shown.kind} {shown.item_id}: {shown.tokens} tokens{trimmed}{pictures}")
        click.echo("\n".join(printable(line) for line in shown.text.split("\n")))
    if not as_json:
        click.echo(f"{len(previews)} prompts, {sum(shown.tokens for shown in previews)} tokens; nothing was sent")
