"""`lrdoc rules check`: every mistake of the routing rules, each with its place."""

from __future__ import annotations

from pathlib import Path

import click

from lrdoc.cli import EXIT_CONFIGURATION
from lrdoc.cli.common import debug_option, env_file_option, plural, printable, to_json
from lrdoc.cli.routes import lines_of, load_routes
from lrdoc.configuration import Choices, Configuration
from lrdoc.mistakes import Mistake

EPILOG = """\b
Examples:
  lrdoc rules check
  lrdoc rules check 'pdf:mineru-R;docx:native-ietP;*:legacy-R'
"""


@click.group("rules", epilog=EPILOG)
def command() -> None:
    """Look at routing rules without parsing anything."""


@command.command("check", epilog=EPILOG)
@click.argument("rules", required=False, metavar="[R]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@env_file_option
@debug_option
def check(rules: str | None, as_json: bool, env_file: Path | None, debug: bool) -> int:
    """Check routing rules R, or LIGHTRAG_PARSER from the environment or ./.env.

    All mistakes of all rules are shown, and values of engines' variables that could never work. Exit code 3 when there
    is any.
    """
    routes = load_routes(Choices(rules=rules, env_file=env_file, default_rules=""))
    found = routes.router.rules
    if as_json:
        click.echo(to_json(_describe(routes)))
    else:
        for label, mistakes in (("error", routes.errors), ("warning", routes.warnings)):
            for line in lines_of(mistakes, label, routes.texts):
                click.echo(printable(line))
        source = "R" if rules is not None else found.within
        if routes.errors:
            click.echo(f"{plural(len(routes.errors), 'mistake')}")
        elif found.rules:
            click.echo(f"{source}: {plural(len(found.rules), 'rule')}, no mistakes")
        else:
            click.echo(f"{source}: no rules are set")
    return EXIT_CONFIGURATION if routes.errors else 0


def _describe(routes: Configuration) -> dict[str, object]:
    rules = routes.router.rules
    return {
        "ok": not routes.errors,
        "rules": [
            {
                "number": rule.number,
                "text": rule.text,
                "pattern": rule.pattern,
                "engine": rule.engine.name,
                "process_options": rule.directive.options,
                "engine_params": dict(rule.engine_params),
                "chunk_params": {letter: dict(values) for letter, values in rule.chunk_params.items()},
            }
            for rule in rules.rules
        ],
        "errors": [_entry(mistake) for mistake in routes.errors],
        "warnings": [_entry(mistake) for mistake in routes.warnings],
    }


def _entry(mistake: Mistake) -> dict[str, object]:
    return {**mistake.as_dict(), "rule": mistake.number}
