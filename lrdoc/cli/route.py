"""`lrdoc route NAME…`: what would happen to files of these names, and why. No file is opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lrdoc.cli import EXIT_CONFIGURATION, EXIT_FAILED, EXIT_USAGE
from lrdoc.cli.common import (
    debug_option,
    engine_options,
    env_file_option,
    json_option,
    printable,
    rules_option,
    to_json,
)
from lrdoc.cli.routes import lines_of, load_routes
from lrdoc.configuration import Choices, Configuration
from lrdoc.routing.explain import explain
from lrdoc.routing.resolve import Decision

EPILOG = """\b
Examples:
  lrdoc route report.docx
  lrdoc route 'report.[native-iet].docx' paper.pdf --json
  lrdoc route paper.pdf --rules 'pdf:mineru-R;*:legacy'
"""


@click.command("route", epilog=EPILOG)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@engine_options
@rules_option
@json_option
@env_file_option
@debug_option
def command(
    names: tuple[str, ...],
    engine: str | None,
    options: str | None,
    rules: str | None,
    as_json: bool,
    env_file: Path | None,
    debug: bool,
) -> int:
    """Tell which engine, options and parameters a file name gets, and why.

    Names need not exist: no file is opened and no service is asked.
    """
    routes = load_routes(Choices(engine=engine, options=options, rules=rules, env_file=env_file))
    wrong = (*routes.errors, *routes.router.errors)
    for line in (
        *routes.settings.warnings,
        *lines_of(wrong, "error", routes.texts),
        *lines_of(routes.warnings, "warning", routes.texts),
    ):
        click.echo(printable(line), err=True)
    failed = False
    for name in names:
        decision = routes.router.resolve(name)
        failed |= bool(decision.errors) or not decision.supported
        if as_json:
            click.echo(to_json(describe(routes, decision)))
        else:
            click.echo("\n".join(printable(line) for line in to_lines(routes, decision)))
    if routes.errors:
        return EXIT_CONFIGURATION
    if routes.router.errors:
        return EXIT_USAGE
    return EXIT_FAILED if failed else 0


def describe(routes: Configuration, decision: Decision) -> dict[str, Any]:
    """The JSON object of one name."""
    errors = [*decision.errors, *routes.errors]
    chunk = routes.router.chunk_options(decision)
    warnings = [*decision.warnings, *chunk.warnings]
    return {
        "name": decision.name,
        "canonical": decision.canonical,
        "engine": decision.engine_name,
        "parse_engine": decision.parse_engine,
        "process_options": decision.process_options,
        "options": {
            "images": decision.images,
            "tables": decision.tables,
            "equations": decision.equations,
            "skip_kg": decision.skip_kg,
            "chunker": decision.chunker,
            "explicit": decision.explicit_chunker,
        },
        "chunk_options": None if errors else chunk.values,
        "engine_params": dict(decision.engine_params),
        "supported": decision.supported,
        "errors": [mistake.as_dict() for mistake in errors],
        "warnings": [mistake.as_dict() for mistake in warnings],
        "explain": [reason.as_dict() for reason in explain(routes.router, decision)],
    }


def to_lines(routes: Configuration, decision: Decision) -> Iterator[str]:
    """One name for people."""
    verdict = decision.parse_engine
    if decision.process_options:
        verdict += f" with {decision.process_options}"
    if not decision.supported:
        verdict += " (does not take it)"
    yield f"{decision.name} → {verdict}"
    if decision.canonical != decision.name:
        yield f"  known as {decision.canonical}"
    texts = {**routes.texts, "name": decision.name}
    warnings = (*decision.warnings, *routes.router.chunk_options(decision).warnings)
    for line in (*lines_of(decision.errors, "error", texts), *lines_of(warnings, "warning", texts)):
        yield f"  {line}"
    reasons = explain(routes.router, decision)
    width = max(len(reason.value) for reason in reasons)
    for reason in reasons:
        yield f"  {reason.value:<{width}}  {reason.text}  ({reason.origin})"
