"""Why a file is treated the way it is: where each value comes from, and why rules were passed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lrdoc.params import shown, write_value
from lrdoc.routing.chunk_options import SIZE, ChunkOptions
from lrdoc.routing.engines import without_effect
from lrdoc.routing.resolve import FALLBACK, Decision, Layer, Router

_FLAG_TEXTS = {
    "i": "pictures are described by a model",
    "t": "tables are described by a model",
    "e": "equations are described by a model",
    "!": "no entities and relations are taken out",
}
_CHUNKER_TEXTS = {
    "F": "windows of a fixed size",
    "R": "recursive cutting at separators",
    "V": "cutting where the meaning changes",
    "P": "cutting along headings and paragraphs",
    "C": "the caller's own chunker",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One line of the explanation."""

    value: str
    """What is explained: "canonical", "engine", "process_options", "engine_params.toc", "rule 2", …"""
    origin: str
    """Where it comes from: "rule 1 of LIGHTRAG_PARSER", "hint in the name", "default", …"""
    text: str

    def as_dict(self) -> dict[str, str]:
        return {"value": self.value, "from": self.origin, "text": self.text}


def explain(router: Router, decision: Decision) -> list[Reason]:
    """The whole why of a decision, in the order in which it was made."""
    options = router.chunk_options(decision)
    return [
        *_name(decision),
        *_rules(router, decision),
        *_engine(decision),
        *_engine_params(decision),
        *_process_options(decision),
        *_chunk_options(decision, options),
    ]


def _name(decision: Decision) -> Iterator[Reason]:
    split = decision.split
    if split.bracket == "hint" and not split.mistakes:
        yield Reason("canonical", "name", f"[{split.inner}] is a hint and no part of the name: {decision.canonical}")
    elif split.bracket == "hint":
        yield Reason("canonical", "name", f"[{split.inner}] is a hint with mistakes; nothing of it is applied")
    elif split.bracket == "ordinary":
        text = f"[{split.inner}] is part of the name: it neither starts with '-' nor names an engine"
        yield Reason("canonical", "name", text)
    elif split.bracket == "mistake":
        yield Reason("canonical", "name", f"[{split.inner}] looks like a hint and is none")
    else:
        yield Reason("canonical", "name", "the name holds no hint")


def _rules(router: Router, decision: Decision) -> Iterator[Reason]:
    lines: list[tuple[int, Reason]] = []
    for rule in decision.choice.passed_over:
        lines.append(
            (rule.number, Reason(f"rule {rule.number}", router.label, f"{rule.text}: passed over, {rule.reason}"))
        )
    chosen = decision.choice.rule
    if chosen is not None:
        text = f"{chosen.text}: the first rule that can be used for .{decision.suffix}"
        lines.append((chosen.number, Reason(f"rule {chosen.number}", router.label, text)))
    if not lines:
        yield Reason("rules", router.label, "no rules are set")
    yield from (reason for _, reason in sorted(lines, key=lambda line: line[0]))


def _engine(decision: Decision) -> Iterator[Reason]:
    name, why = decision.engine_name, decision.why
    winner = next((layer for layer in reversed(decision.layers) if layer.engine is not None), None)
    if winner is None:
        origin = (
            "default" if decision.engine is not None and decision.suffix in decision.engine.default_for else "fallback"
        )
        text = why if origin == "default" else f"{FALLBACK}: no rule and no hint names an engine that can be used"
        yield Reason("engine", origin, text)
    else:
        lower = [layer for layer in decision.layers if layer.engine not in (None, winner.engine)]
        instead = "".join(f", instead of {layer.engine.name} ({layer.where})" for layer in lower if layer.engine)
        yield Reason("engine", winner.where, f"{name}{instead}")
    if not decision.supported:
        yield Reason("supported", name, f"{name} takes no .{decision.suffix}: the file would be refused")


def _engine_params(decision: Decision) -> Iterator[Reason]:
    for name in sorted(decision.engine_params):
        value = decision.engine_params[name]
        layer = _last(decision, name)
        origin = layer.where if layer is not None else "environment"
        yield Reason(f"engine_params.{name}", origin, f"{name}={write_value(value)}")
    for text in decision.dropped:
        yield Reason("engine_params", "dropped", text)


def _last(decision: Decision, name: str) -> Layer | None:
    layers = (x for x in reversed(decision.layers) if x.engine is decision.engine and name in x.engine_params)
    return next(layers, None)


def _process_options(decision: Decision) -> Iterator[Reason]:
    options = decision.process_options
    layer = next((layer for layer in reversed(decision.layers) if layer.options), None)
    if layer is None:
        yield Reason("process_options", "default", f"none asked: no analysis, chunker F ({_CHUNKER_TEXTS['F']})")
        return
    lower = [other for other in decision.layers if other.options and other is not layer]
    instead = "".join(f", instead of {other.options!r} ({other.where}): options are taken whole" for other in lower)
    borrowed = ""
    if layer.engine is not None and layer.engine is not decision.engine:
        borrowed = f"; they come with the rule although it names {layer.engine.name}"
    yield Reason("process_options", layer.where, f"{options!r}{instead}{borrowed}")
    lost = "" if decision.engine is None else without_effect(options, decision.engine)
    for letter in dict.fromkeys(options):
        text = _FLAG_TEXTS.get(letter) or _CHUNKER_TEXTS[letter]
        if letter in lost:
            text = "cuts like R" if letter == "P" else "without effect"
            text += f": {decision.engine_name} makes plain text"
        yield Reason(f"options.{letter}", layer.where, text)
    if not decision.explicit_chunker:
        yield Reason("options.F", "default", f"no chunker named: F, {_CHUNKER_TEXTS['F']}")


def _chunk_options(decision: Decision, options: ChunkOptions) -> Iterator[Reason]:
    letter = decision.chunker
    for name, values in options.values.items():
        if name in (SIZE, "chunker"):
            origin = options.origins.get(name, f"{letter} of rule or hint")
            yield Reason(f"chunk_options.{name}", origin, f"{name}={shown(values)}")
            continue
        for key, value in values.items():
            origin = _chunk_origin(decision, letter, key) or options.origins.get(f"{name}.{key}", "default")
            yield Reason(f"chunk_options.{name}.{key}", origin, f"{key}={_json_text(value)}")
    for other, values in decision.chunk_params.items():
        if other != letter:
            names = ", ".join(values)
            yield Reason("chunk_options", "dropped", f"{names} of {other} without effect: the chunker is {letter}")


def _chunk_origin(decision: Decision, letter: str, key: str) -> str:
    for layer in reversed(decision.layers):
        if key in layer.chunk_params.get(letter, {}):
            return layer.where
    return ""


def _json_text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return shown(value)
