"""Meaning of parameters: texts of a directive → checked values, by the schemas of engines and chunkers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lrdoc.capabilities import Capabilities, EngineInfo
from lrdoc.mistakes import Mistake
from lrdoc.params import BadValue, ParamSpec, clip, example, find, read_value, unknown, write_value
from lrdoc.routing.grammar import Block, Directive, Param, is_name
from lrdoc.suggest import nearest, one_of

SIZE = ParamSpec("chunk_token_size", int, None, "tokens in a chunk", minimum=1, aliases=("chunk_ts",))
OVERLAP = ParamSpec(
    "chunk_overlap_token_size", int, None, "tokens that neighbouring chunks share", minimum=0, aliases=("chunk_ol",)
)
DROP_REFERENCES = ParamSpec(
    "drop_references", bool, None, "leave out the list of references before cutting", aliases=("drop_rf",)
)
CHUNKER_NAME = ParamSpec("chunker", str, None, "name of a registered chunker")

CHUNK_PARAMS: Mapping[str, tuple[ParamSpec, ...]] = {
    "F": (SIZE, OVERLAP),
    "R": (SIZE, OVERLAP),
    "V": (SIZE,),
    "P": (SIZE, OVERLAP, DROP_REFERENCES),
    "C": (SIZE, OVERLAP, CHUNKER_NAME),
}


class _Collector:
    """Mistakes of one text."""

    def __init__(self, within: str, number: int | None) -> None:
        self.within = within
        self.number = number
        self.found: list[Mistake] = []

    def add(self, kind: str, message: str, at: int, end: int, hint: str = "") -> None:
        self.found.append(Mistake(kind, message, at + 1, max(1, end - at), hint, self.within, self.number))


def check_engine_params(
    directive: Directive, engine: EngineInfo, within: str, number: int | None = None
) -> tuple[dict[str, Any], list[Mistake]]:
    """Values of the engine's parameters that are right, by canonical name, and the mistakes.

    What depends on the environment (`EngineInfo.limits`) is checked too.
    """
    params = directive.engine_params
    mistakes = _Collector(within, number)
    if params is None:
        return {}, mistakes.found
    if not params:
        if engine.params:
            at = directive.params_at
            mistakes.add("empty_param", "expected a parameter in the parentheses", at, at + 1, "leave them out")
        return {}, mistakes.found
    if not engine.params:
        names = f"{engine.name} takes no parameters"
        mistakes.add("engine_takes_no_params", names, params[0].at, params[-1].end, f"write {engine.name} alone")
        return {}, mistakes.found
    values = _read_all(params, engine.params, f"no parameter of {engine.name}", mistakes, limits=engine)
    return values, mistakes.found


def check_chunk_params(
    block: Block, capabilities: Capabilities, within: str, number: int | None = None
) -> tuple[dict[str, Any], list[Mistake]]:
    """Values of a chunker's parameters that are right, by canonical name, and the mistakes."""
    mistakes = _Collector(within, number)
    specs = CHUNK_PARAMS[block.letter]
    if block.letter == "C":
        specs = (*specs, *_chunker_specs(block, capabilities, mistakes))
        if mistakes.found:
            return {}, mistakes.found
    values = _read_all(block.params, specs, f"no parameter of {block.letter}", mistakes, letter=block.letter)
    size, overlap = values.get(SIZE.name), values.get(OVERLAP.name)
    if size is not None and overlap is not None and overlap >= size:
        param = next(p for p in block.params if find((OVERLAP,), p.key))
        message = f"the overlap must be smaller than the chunk: {overlap} is not below {size}"
        mistakes.add(
            "overlap_ge_size", message, param.at, param.end, f"write {OVERLAP.name}={size // 8}, or a larger size"
        )
    return values, mistakes.found


def check_chunk_syntax(block: Block, within: str) -> list[Mistake]:
    """Mistakes that need no knowledge of registered chunkers."""
    if block.letter == "C":
        return []
    return check_chunk_params(block, Capabilities({}), within)[1]


def _chunker_specs(block: Block, capabilities: Capabilities, mistakes: _Collector) -> tuple[ParamSpec, ...]:
    named = next((p for p in block.params if p.key == CHUNKER_NAME.name), None)
    if named is None or named.value is None:
        return ()
    specs = capabilities.chunkers.get(named.value)
    if specs is not None:
        return specs
    meant = nearest(named.value, capabilities.chunkers)
    hint = f"did you mean {meant!r}?" if meant else ""
    if not hint:
        known = one_of(capabilities.chunkers)
        hint = f"registered: {known}" if known else "no chunker is registered (entry-point group lrdoc.chunkers)"
    mistakes.add("unknown_chunker", f"no chunker is named {clip(named.value)}", named.at, named.end, hint)
    return ()


def _read_all(
    params: tuple[Param, ...],
    specs: tuple[ParamSpec, ...],
    unknown_text: str,
    mistakes: _Collector,
    *,
    letter: str = "",
    limits: EngineInfo | None = None,
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    counts: dict[str, int] = {}
    previous: ParamSpec | None = None
    for param in params:
        spec = find(specs, param.key)
        if spec is None:
            _report_unknown(param, specs, previous, unknown_text, mistakes, letter)
            continue
        previous = spec
        counts[spec.name] = counts.get(spec.name, 0) + 1
        if counts[spec.name] > 1 and not spec.repeated:
            mistakes.add("param_repeated", f"{spec.name} is given twice", param.at, param.end, "keep one")
            continue
        value = _read_one(param, spec, mistakes)
        if value is None:
            continue
        limit = limits.limits.get(spec.name) if limits is not None else None
        if limit is not None and counts[spec.name] > limit.at_most:
            # Once is enough: the values after it are of the same kind.
            if counts[spec.name] == limit.at_most + 1:
                mistakes.add(limit.kind, limit.message, param.at, param.end, limit.hint)
            continue
        if spec.repeated and spec.name in values:
            values[spec.name].append(write_value(value))
        else:
            values[spec.name] = [write_value(value)] if spec.repeated else value
    return {name: ",".join(value) if isinstance(value, list) else value for name, value in values.items()}


def _read_one(param: Param, spec: ParamSpec, mistakes: _Collector) -> Any:
    if param.value is None:
        if spec.type is bool:
            return True
        message = f"{spec.name} needs a value; only booleans may stand alone"
        mistakes.add("flag_not_bool", message, param.at, param.end, f"write {param.key}={example(spec)}")
        return None
    try:
        return read_value(spec, param.value)
    except BadValue as e:
        mistakes.add(e.kind, e.message, param.at, param.end, e.hint or f"write {param.key}={example(spec)}")
        return None


def _report_unknown(
    param: Param,
    specs: tuple[ParamSpec, ...],
    previous: ParamSpec | None,
    unknown_text: str,
    mistakes: _Collector,
    letter: str,
) -> None:
    key = param.key
    lists = [spec for spec in specs if spec.repeated]
    if param.value is None and lists and not is_name(key):
        name = previous.name if previous is not None and previous.repeated else lists[0].name
        hint = f"write {name}={key[:40]}: a list repeats its name"
        mistakes.add("page_list_syntax", f"{clip(key)} stands without a name", param.at, param.end, hint)
        return
    others = [other for other, theirs in CHUNK_PARAMS.items() if letter and other != letter and find(theirs, key)]
    if others and key != CHUNKER_NAME.name:
        message = f"{letter} takes no {key}"
        hint = f"it belongs to {one_of(others)}"
        mistakes.add("param_not_for_strategy", message, param.at, param.end, hint)
        return
    end = param.at + len(key) if param.value is not None else param.end
    mistakes.add(
        "unknown_param", f"{clip(key)} is {unknown_text}", param.at, end, unknown(specs, key) or "leave it out"
    )
