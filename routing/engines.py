"""Naming an engine: what can be wrong with it, and which options do nothing on it."""

from __future__ import annotations

from lrdoc.capabilities import Capabilities, EngineInfo
from lrdoc.mistakes import Mistake
from lrdoc.params import clip
from lrdoc.routing.grammar import LETTERS, Directive
from lrdoc.suggest import nearest, one_of

_FOR_STRUCTURE = "iteP"
"""Options that need blocks and items."""


def unknown_engine(directive: Directive, capabilities: Capabilities, within: str, number: int | None = None) -> Mistake:
    """The mistake of naming an engine that is not there; says so when its plug-in did not load."""
    name = directive.engine
    at, width = place_of_engine(directive)
    broken = capabilities.broken.get(name)
    if broken is not None:
        message = f"the plug-in of engine {clip(name)} did not load: {broken}"
        return Mistake("engine_broken", message, at, width, "see `lrdoc engines`", within, number)
    head, colon, rest = name.partition(":")
    if colon and head.strip() in capabilities.engines:
        # The name was folded to lower case: the letters of chunkers come back.
        asked = "".join(c if c in LETTERS else c.upper() for c in rest.strip())
        if asked and all(c in LETTERS for c in asked):
            hint = f"options follow '-': {head.strip()}-{asked[:20]}"
        else:
            hint = "a rule has one ':'; the next rule follows ';'"
    else:
        meant = nearest(name, capabilities.engines)
        hint = f"did you mean {meant!r}?" if meant else f"available: {one_of(capabilities.engines)}"
    return Mistake("unknown_engine", f"unknown engine {clip(name)}", at, width, hint, within, number)


def endpoint_missing(directive: Directive, engine: EngineInfo, within: str, number: int | None = None) -> Mistake:
    """The mistake of naming an engine whose service has no address."""
    message = f"engine {engine.name} is not configured"
    hint = f"set {engine.requirement}"
    return Mistake("endpoint_missing", message, *place_of_engine(directive), hint, within, number)


def place_of_engine(directive: Directive) -> tuple[int, int]:
    """Column and width of the engine's name."""
    return directive.engine_at + 1, max(1, directive.engine_end - directive.engine_at)


def without_effect(options: str, engine: EngineInfo) -> str:
    """Those option letters that do nothing on the engine."""
    return "" if engine.structured else "".join(dict.fromkeys(c for c in options if c in _FOR_STRUCTURE))
