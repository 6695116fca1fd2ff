"""`lrdoc engines`: what can parse, and what each engine needs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lrdoc.app import App
from lrdoc.cli.common import debug_option, env_file_option, printable, to_json
from lrdoc.configuration import Choices
from lrdoc.params import ParamSpec
from lrdoc.parsers.base import Availability
from lrdoc.parsers.validate import OTHERS_FAULTS, tell
from lrdoc.settings import load_object

PROBE_TIMEOUT_S = 2.0

EPILOG = """\b
Examples:
  lrdoc engines
  lrdoc engines --json --health
"""


@click.command("engines", epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line on stdout.")
@click.option("--health", is_flag=True, help=f"Ask the services that are configured, {PROBE_TIMEOUT_S:g} s each.")
@env_file_option
@debug_option
def command(as_json: bool, health: bool, env_file: Path | None, debug: bool) -> None:
    """List the parsing engines: what they take, their parameters, and whether they can be used.

    No service is asked without --health.
    """
    app = App.load(Choices(rules="", env_file=env_file))
    for name in app.registry.names():
        record = describe_engine(app, name, health=health)
        click.echo(to_json(record) if as_json else "\n".join(to_lines(record)))
    for name, reason in app.registry.broken.items():
        if as_json:
            click.echo(to_json(describe_broken(name, reason)))
        else:
            click.echo(printable(f"{name}: did not load: {reason}"))


def describe_engine(app: App, name: str, *, health: bool) -> dict[str, Any]:
    """The JSON object of one engine."""
    registry, environ = app.registry, app.settings.environ
    spec = registry.spec(name)
    # A plug-in is loaded to see whether it works; our own engines are tested.
    availability = registry.availability(name, environ, check=bool(spec.plugin))
    record: dict[str, Any] = {
        "engine": name,
        "help": spec.help,
        "available": availability.ok,
        "reason": availability.reason,
        "remedy": availability.remedy,
        "suffixes": sorted(registry.suffixes(name, environ)),
        "default_for": sorted(spec.default_for),
        "structured": spec.structured,
        "external": spec.external,
        "requirement": spec.endpoint_requirement,
        "more_suffixes": spec.extra_suffixes_env or "",
        "queue_group": spec.queue_group,
        "plugin": spec.plugin,
        "params": [describe_param(param) for param in spec.params],
        "abilities": {words: _ask(impl) for words, impl in spec.abilities.items()},
    }
    if health:
        record["health"] = probe(app, name) if availability.ok else None
    return record


def _ask(impl: str, *arguments: Any) -> dict[str, Any]:
    """The answer of an engine's function "module:function", which may be a plug-in's."""
    try:
        answer: Any = load_object(impl)(*arguments)
        if not isinstance(answer, Availability):
            answer = Availability(False, f"{impl} gave {type(answer).__name__}, expected Availability")
    except OTHERS_FAULTS as e:
        answer = Availability(False, f"{impl} raised {tell(e)}")
    return {"ok": answer.ok, "reason": answer.reason, "remedy": answer.remedy}


def describe_broken(name: str, reason: str) -> dict[str, Any]:
    """The JSON object of a plug-in that did not get as far as an engine."""
    return {
        "engine": name,
        "help": "",
        "available": False,
        "broken": True,
        "reason": reason,
        "remedy": "repair or remove the plug-in",
        "suffixes": [],
        "params": [],
        "abilities": {},
    }


def describe_param(param: ParamSpec) -> dict[str, Any]:
    return {
        "name": param.name,
        "type": param.type.__name__,
        "default": param.default,
        "help": param.help,
        "choices": list(param.choices),
        "minimum": param.minimum,
        "maximum": param.maximum,
        "aliases": list(param.aliases),
        "repeated": param.repeated,
        "only_for": sorted(param.only_for),
    }


def probe(app: App, name: str) -> dict[str, Any] | None:
    """Ask the engine's service; None for an engine without one."""
    spec = app.registry.spec(name)
    if spec.health is None:
        return None
    return _ask(spec.health, app.settings.named(spec.settings), PROBE_TIMEOUT_S)


def to_lines(record: dict[str, Any]) -> Iterator[str]:
    state = "available" if record["available"] else f"{record['reason']}; {record['remedy']}".rstrip("; ")
    origin = f" [{record['plugin']}]" if record["plugin"] else ""
    yield printable(f"{record['engine']}{origin}: {record['help']}")
    yield printable(f"  {state}")
    if record.get("health"):
        health = record["health"]
        version = f" ({health['reason']})" if health["reason"] else ""
        told = f"answers{version}" if health["ok"] else f"{health['reason']}; {health['remedy']}".rstrip("; ")
        yield printable(f"  service: {told}")
    for words, answer in record["abilities"].items():
        told = "yes" if answer["ok"] else f"no, {answer['reason']}; {answer['remedy']}".rstrip("; ")
        yield printable(f"  {words}: {told}")
    yield from wrap("  suffixes: ", record["suffixes"])
    if record["default_for"]:
        yield from wrap("  default for: ", record["default_for"])
    for param in record["params"]:
        yield printable(f"  {param_line(param)}")


def param_line(param: dict[str, Any]) -> str:
    """ "page_range=text (short: pr; a list repeats it): pages to parse"."""
    values = "|".join(param["choices"]) or {"bool": "true|false", "str": "text"}.get(param["type"], "number")
    notes = []
    if param["default"] is not None:
        notes.append(f"default {to_json(param['default'])}")
    if param["aliases"]:
        notes.append(f"short: {', '.join(param['aliases'])}")
    if param["repeated"]:
        notes.append("a list repeats it")
    if param["only_for"]:
        notes.append(f"for {' '.join(param['only_for'])}")
    told = f" ({'; '.join(notes)})" if notes else ""
    return f"{param['name']}={values}{told}: {param['help']}"


def wrap(head: str, words: list[str]) -> list[str]:
    """The words over as many lines as they need."""
    return textwrap.wrap(head + " ".join(words), 100, subsequent_indent=" " * len(head), drop_whitespace=True)
