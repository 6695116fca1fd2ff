"""Stored forms: parse_engine ("mineru(language=en,page_range=1-3)") and process_options ("teP")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lrdoc.capabilities import Capabilities, EngineInfo
from lrdoc.errors import RoutingSyntaxError
from lrdoc.mistakes import Mistake, show
from lrdoc.params import BadValue, check_value, find, unknown, write_value
from lrdoc.routing.engines import unknown_engine
from lrdoc.routing.grammar import CHUNKERS, parse_engine
from lrdoc.routing.params import check_engine_params

DEFAULT_OPTIONS = "F"


def encode_engine(engine: EngineInfo, params: Mapping[str, Any]) -> str:
    """The stored form: canonical names in alphabetical order, lists as repeated keys.

    Raises RoutingSyntaxError when a value does not fit the engine's parameters.
    """
    items: list[str] = []
    for name in sorted(params):
        spec = find(engine.params, name)
        if spec is None or spec.name != name:
            hint = unknown(engine.params, name) or f"{engine.name} takes no parameters"
            raise RoutingSyntaxError(f"{name!r} is no parameter of {engine.name}", hint=hint)
        try:
            value = check_value(spec, params[name])
        except BadValue as e:
            raise RoutingSyntaxError(e.message, hint=e.hint) from e
        texts = value.split(",") if spec.repeated else [write_value(value)]
        items += [f"{name}={text}" for text in texts]
    return f"{engine.name}({','.join(items)})" if items else engine.name


def decode_engine(text: str, capabilities: Capabilities) -> tuple[EngineInfo, dict[str, Any]]:
    """Engine and parameters of a stored form; raises RoutingSyntaxError with all mistakes, each with its caret."""
    directive, mistakes = parse_engine(text, within="parse_engine")
    engine = capabilities.engines.get(directive.engine)
    params: dict[str, Any] = {}
    if engine is None:
        mistakes.append(unknown_engine(directive, capabilities, "parse_engine"))
    else:
        params, more = check_engine_params(directive, engine, "parse_engine")
        mistakes += more
    if mistakes or engine is None:
        raise syntax_error(mistakes, text)
    return engine, params


def syntax_error(mistakes: list[Mistake], text: str) -> RoutingSyntaxError:
    """One error for all mistakes of one text."""
    within = mistakes[0].within
    head = f"{within} has a mistake:" if len(mistakes) == 1 else f"{within} has {len(mistakes)} mistakes:"
    return RoutingSyntaxError("\n".join((head, *(show(mistake, text) for mistake in mistakes))))


def chunker_of(process_options: str) -> str:
    """The chunker's letter; F when none is named."""
    return next((c for c in process_options if c in CHUNKERS), DEFAULT_OPTIONS)


def stored_options(process_options: str) -> str:
    """What an upload stores: never empty."""
    return process_options or DEFAULT_OPTIONS
