"""`lrdoc parse FILE…`: files become parsed folders."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from lrdoc.app import App
from lrdoc.cli import EXIT_FAILED
from lrdoc.cli.batch import Flag, default_jobs, run_batch, stopping
from lrdoc.cli.common import (
    PathType,
    counts_to_text,
    debug_option,
    engine_options,
    env_file_option,
    error_to_json,
    json_option,
    plural,
    printable,
    rules_option,
    shown_path,
    to_json,
)
from lrdoc.cli.inputs import Input, list_inputs
from lrdoc.cli.preview import outline
from lrdoc.cli.progress import ProgressBar
from lrdoc.configuration import Choices
from lrdoc.errors import Cancelled, EngineError, LrdocError, SourceError, UsageError
from lrdoc.flow import Event, ParsedFile
from lrdoc.sidecar.names import parsed_dir

PARSED = "__parsed__"
"""Folder beside the sources that holds the parsed folders."""

EPILOG = """\b
Examples:
  lrdoc parse report.docx                          into __parsed__/report.docx.parsed/
  lrdoc parse *.docx notes/ -o out --json          one JSON object a line
  lrdoc parse draft.docx --engine 'native(toc=body)' --options 'teP(chunk_ts=800)'
  lrdoc parse 'report.[native-iet].docx'           the hint in the name chooses
  lrdoc parse report.docx --options te --analyze   tables and equations are described by the EXTRACT model
"""


@dataclass(frozen=True, slots=True)
class Task:
    """One file to parse."""

    source: str
    """As the caller wrote it, or below the folder that the caller wrote."""
    path: Path
    parsed_dir: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file, as plain data that another process can send."""

    record: Mapping[str, Any]
    """The JSON object."""
    outline: tuple[str, ...] = ()
    more_blocks: int = 0
    traceback: str = ""
    interrupted: bool = False

    @property
    def failed(self) -> bool:
        return "error" in self.record or "error" in self.record.get("analysis", {})


@dataclass(frozen=True, slots=True)
class ParseWork:
    """Parses one task after another; one copy runs in each process."""

    choices: Choices
    doc_id: str
    force_reparse: bool
    preview: int
    app: App | None = field(default=None, compare=False)
    """The caller's own, when the work runs in its process."""
    progress: Callable[[Event], None] | None = field(default=None, compare=False)

    def start(self, stop: Flag) -> Callable[[Task], Outcome]:
        app = self.app or App.load(self.choices)
        return lambda task: self._parse(app, task, stop)

    def lost(self, task: Task) -> Outcome:
        error = EngineError(
            f"{task.path.name}: the process that parsed it was ended from outside (out of memory?)",
            hint="Parse it alone, with --jobs 1, on a machine with more memory",
        )
        return Outcome(error_to_json(error, task.source))

    def _parse(self, app: App, task: Task, stop: Flag) -> Outcome:
        try:
            parsed = app.parse(
                task.path,
                task.parsed_dir,
                doc_id=self.doc_id,
                force_reparse=self.force_reparse,
                cancelled=stop.is_set,
                progress=self.progress,
            )
        except Cancelled as e:
            return Outcome(error_to_json(e, task.source), interrupted=True)
        except LrdocError as e:
            return Outcome(error_to_json(e, task.source), traceback=traceback.format_exc())
        except (Exception, SystemExit) as e:
            # The document boundary: a mistake of ours (or a plug-in that exits) costs this file, no other one.
            error = EngineError(
                f"{task.path.name}: unexpected {type(e).__name__}: {e}",
                hint="This is a mistake in the engine; --debug shows where",
            )
            return Outcome(error_to_json(error, task.source), traceback=traceback.format_exc())
        record = record_of(task.source, parsed)
        lines, more = outline(parsed.document, self.preview)
        return Outcome(record, tuple(lines), more)


def record_of(source: str, parsed: ParsedFile) -> dict[str, Any]:
    """The JSON object of a parsed file (docs/cli.md)."""

    def shown(path: Path | None) -> str | None:
        return None if path is None else shown_path(path, relative=not Path(source).is_absolute())

    plan, written, document = parsed.plan, parsed.written, parsed.document
    return {
        "source": source,
        "canonical": plan.canonical_name,
        "doc_id": parsed.doc_id,
        "engine": plan.engine,
        "parse_engine": plan.parse_engine,
        "process_options": plan.process_options,
        "parse_format": written.parse_format,
        "document_format": document.format,
        "title": document.title,
        "parsed_dir": shown(written.folder),
        "blocks_path": shown(written.blocks_path),
        "text_path": shown(written.text_path),
        "source_map_path": shown(written.source_map_path),
        "content_hash": written.content_hash,
        "blocks": written.blocks,
        "tables": written.tables,
        "drawings": written.drawings,
        "equations": written.equations,
        "assets": written.assets,
        "warnings": [{"code": w.code, "message": w.message, "where": w.where} for w in parsed.warnings],
        "cached": parsed.cached,
        "seconds": {"parse": round(parsed.seconds.parse, 6), "write": round(parsed.seconds.write, 6)},
    }


@click.command("parse", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PathType(path_type=Path))
@engine_options
@click.option(
    "-o", "--output", metavar="DIR", type=PathType(path_type=Path, file_okay=False),
    help="Write DIR/<name>.parsed/ instead of __parsed__/<name>.parsed/ beside the source.",
)  # fmt: skip
@json_option
@click.option("--preview", metavar="N", default=5, show_default=True, type=click.IntRange(min=0),
              help="Show the first N blocks; 0 shows none.")  # fmt: skip
@click.option(
    "--doc-id", metavar="ID", default="", help="Id of the document, for a single file.  [default: from its name]"
)
@click.option("--force-reparse", is_flag=True, help="Engines ignore bundles that they fetched before.")
@click.option("--analyze", is_flag=True, help="Then describe items with models, as `lrdoc analyze` does.")
@click.option("--jobs", metavar="N", type=click.IntRange(min=1), help="Processes.  [default: processors, at most 4]")
@click.option("--quiet", is_flag=True, help="Print failures only.")
@rules_option
@env_file_option
@debug_option
def command(
    files: tuple[Path, ...],
    engine: str | None,
    options: str | None,
    output: Path | None,
    as_json: bool,
    preview: int,
    doc_id: str,
    force_reparse: bool,
    analyze: bool,
    jobs: int | None,
    quiet: bool,
    rules: str | None,
    env_file: Path | None,
    debug: bool,
) -> int:
    """Parse files, and all files in folders, into parsed folders.

    The source stays where it is. A filename hint such as report.[native-iet].docx is honoured; --engine and --options
    win over it. Every file is parsed, whatever becomes of the others.
    """
    choices = Choices(engine=engine, options=options, rules=rules, env_file=env_file)
    app = App.load(choices)
    for warning in app.settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    plan = list(plan_tasks(app, files, output))
    if doc_id and len(plan) != 1:
        raise UsageError("--doc-id names one document; several files are given")
    tasks = [item for item in plan if isinstance(item, Task)]
    jobs = min(jobs or default_jobs(), max(1, len(tasks)))
    bar = ProgressBar(len(tasks), enabled=not (quiet or as_json))
    work = ParseWork(choices, doc_id, force_reparse, preview=0 if as_json else preview)
    if jobs == 1:
        work = replace(work, app=app, progress=lambda event: bar.update(f"{event.source.name}: {event.stage}"))
    failed = 0
    with output_folders(task.parsed_dir.parent for task in tasks):
        outcomes = run_batch(work, tasks, jobs)
        for item in plan:
            if isinstance(item, Task):
                bar.update(item.path.name)
                outcome = next(outcomes)
                bar.advance()
            else:
                outcome = item
            if outcome.interrupted:
                raise KeyboardInterrupt
            if analyze and not outcome.failed:
                bar.update(f"analysing {outcome.record['parsed_dir']}")
                outcome = analyzed(outcome, app)
            bar.hide()
            failed += outcome.failed
            show_outcome(outcome, as_json=as_json, quiet=quiet, debug=debug)
    if len(plan) > 1 and not (quiet or as_json):
        click.echo(f"{plural(len(plan) - failed, 'file')} parsed, {failed} failed")
    return EXIT_FAILED if failed else 0


def analyzed(outcome: Outcome, app: App) -> Outcome:
    """The outcome with what `lrdoc analyze` says of its folder under "analysis"; {} when nothing was asked for."""
    from lrdoc.analysis import analyze
    from lrdoc.cli.analyze import report_to_dict

    record = outcome.record
    found: Mapping[str, Any] = {}
    if record["blocks_path"] and set(record["process_options"]) & set("ite"):
        folder = Path(record["parsed_dir"])
        stop = threading.Event()
        try:
            with stopping(stop):
                found = report_to_dict(analyze(folder, None, app.settings, cancelled=stop.is_set, progress=_quietly))
        except Cancelled:
            raise KeyboardInterrupt from None
        except LrdocError as e:
            found = error_to_json(e)
    return replace(outcome, record={**record, "analysis": found})


def _quietly(done: int, total: int, item_id: str) -> None:
    return None


def plan_tasks(app: App, files: Sequence[Path], output: Path | None) -> Iterator[Task | Outcome]:
    """Every source of the call in order: what to parse, or why it is not parsed. No file is opened yet."""
    taken: dict[str, str] = {}
    skipped: list[str] = []
    for argument in files:
        try:
            found = list(list_inputs(argument))
        except SourceError as e:
            yield Outcome(error_to_json(e, str(argument)))
            continue
        inputs = [item for item in found if item.named or app.takes(item.path.name)]
        skipped += [str(item.path) for item in found if not item.named and not app.takes(item.path.name)]
        if not inputs:
            error = SourceError(f"{argument} holds no file that can be parsed")
            yield Outcome(error_to_json(error, str(argument)))
        for item in inputs:
            source = str(item.path)
            try:
                if item.named and not os.path.lexists(item.path):
                    # Before routing, which would say that no engine takes a name that was mistyped.
                    raise SourceError(f"{item.path} does not exist")
                target = target_of(app.canonical_name(item.path.name), item, output)
                key = os.path.normcase(target.absolute())
                if taken.get(key) == source:
                    raise UsageError(f"{item.path.name} is given twice")
                if key in taken:
                    raise UsageError(f"{item.path.name} has the same target as {taken[key]}: {target.name}")
                taken[key] = source
            except LrdocError as e:
                yield Outcome(error_to_json(e, source))
            else:
                yield Task(source, item.path, target)
    if skipped:
        click.echo(f"skipped {plural(len(skipped), 'file')} that no engine takes: {', '.join(skipped)}", err=True)


def target_of(canonical_name: str, item: Input, output: Path | None) -> Path:
    """The parsed folder of a source: below `-o`, else in `__parsed__` beside it."""
    if output is not None:
        return parsed_dir(output / item.folder, canonical_name)
    beside = item.path.absolute().parent
    return parsed_dir(item.path.parent if beside.name == PARSED else item.path.parent / PARSED, canonical_name)


@contextmanager
def output_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Make the folders that hold the parsed folders, once for all processes; those that stay empty go again."""
    made: list[Path] = []
    for folder in dict.fromkeys(folders):
        for path in reversed((folder, *folder.parents)):
            if not path.exists():
                # Where this fails, the parse of each file says why.
                with suppress(OSError):
                    path.mkdir()
                    made.append(path)
    try:
        yield
    finally:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir()


def show_outcome(outcome: Outcome, *, as_json: bool, quiet: bool, debug: bool) -> None:
    """One file's result: JSON or text on stdout, failures on stderr."""
    record = outcome.record
    if outcome.failed:
        error = record["error"] if "error" in record else record["analysis"]["error"]
        click.echo(sentence(record["source"], error), err=True)
        if debug and outcome.traceback:
            click.echo(outcome.traceback, err=True)
    if as_json:
        click.echo(to_json(record))
    elif not (quiet or outcome.failed):
        click.echo("\n".join(describe(outcome)))


def sentence(source: str, error: Mapping[str, str]) -> str:
    """What went wrong with a source, named as the caller named it."""
    message, name = error["message"], Path(source).name
    if message.startswith((f"{name} ", f"{name}: ")):
        told = source + message[len(name) :]
    else:
        told = message if message.startswith(source) else f"{source}: {message}"
    return f"{told} (at {error['where']})" if error["where"] else told


def describe(outcome: Outcome) -> Iterator[str]:
    """Outline, counts, warnings with places, and where the files are."""
    record = outcome.record
    seconds = sum(record["seconds"].values())
    yield printable(f"{record['source']}: {record['title']}" if record["title"] else record["source"])
    yield from (f"  | {line}" for line in outcome.outline)
    if outcome.more_blocks:
        yield f"  | … {plural(outcome.more_blocks, 'more block')}"
    counts = {word: record[f"{word}s"] for word in ("block", "table", "drawing", "equation", "asset")}
    cached = ", from the cache" if record["cached"] else ""
    made = "plain text" if record["text_path"] and not record["blocks_path"] else counts_to_text(counts)
    yield f"  {made}; {record['parse_engine']}, {seconds:.2f} s{cached}"
    for warning in record["warnings"]:
        place = f" ({warning['where']})" if warning["where"] else ""
        yield printable(f"  warning {warning['code']}{place}: {warning['message']}")
    for kind, statuses in record.get("analysis", {}).get("items", {}).items():
        yield f"  analysed {kind}: " + ", ".join(f"{n} {status}" for status, n in sorted(statuses.items()))
    yield f"  → {record['parsed_dir']}"
