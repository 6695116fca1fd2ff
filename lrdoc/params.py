"""Parameters as data: what may stand in `engine(name=value)`, and how its text becomes a value.

Engines and chunkers describe their parameters with `ParamSpec`; routing, the command line and programs that pass
values directly check them here, by the same rules.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lrdoc.suggest import nearest, one_of

TRUE_WORDS = frozenset({"1", "true", "yes", "on", "t", "y"})
FALSE_WORDS = frozenset({"0", "false", "no", "off", "f", "n"})
MAX_INT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ParamSpec:
    """One parameter as it may stand in a rule or hint: `engine(name=value)`."""

    name: str
    type: type[bool] | type[int] | type[float] | type[str]
    default: Any = None
    """What the engine gets when nothing is said. None: the engine decides."""
    help: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    aliases: tuple[str, ...] = ()
    repeated: bool = False
    """May be given several times ("page_range=1-3,page_range=5"). Stored as one text joined by commas; the engine
    gets a tuple of values."""
    pattern: str | None = None
    """Regular expression that the whole text of a str value matches."""
    check: Callable[[Any], str] | None = None
    """Says what is wrong with a value of the right type, "" when nothing is."""
    bad_value_kind: str = "bad_value"
    """Kind of the mistake when `pattern` or `check` refuses a value."""
    only_for: frozenset[str] = frozenset()
    """Suffixes for which the parameter has an effect; empty: all."""
    default_env: str = ""
    """Variable (a bool) that sets the parameter where no rule and no hint does, for the suffixes of `only_for`."""


class BadValue(ValueError):
    """A value that does not fit its parameter."""

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint


def read_value(spec: ParamSpec, text: str) -> Any:
    """The value that `text` stands for; raises BadValue. Of a repeated parameter: one of its values."""
    text = text.strip()
    if not text:
        raise BadValue("empty_value", f"{spec.name} has no value", f"write {spec.name}={example(spec)}")
    if spec.type is bool:
        word = text.lower()
        if word not in TRUE_WORDS and word not in FALSE_WORDS:
            raise BadValue("not_bool", f"{spec.name} is true or false, not {clip(text)}", f"write {spec.name}=true")
        return word in TRUE_WORDS
    if spec.type is int:
        return _check(spec, _read_int(spec, text))
    if spec.type is float:
        return _check(spec, _read_float(spec, text))
    return _check(spec, text)


def check_value(spec: ParamSpec, value: Any) -> Any:
    """A value given by a program, checked; raises BadValue. Texts are read as in a rule."""
    if spec.repeated:
        values = value.split(",") if isinstance(value, str) else value
        if not isinstance(values, list | tuple) or not values:
            raise BadValue("bad_value", f"{spec.name} is a list of values, not {shown(value)}")
        return ",".join(write_value(_check_one(spec, item)) for item in values)
    return _check_one(spec, value)


def _check_one(spec: ParamSpec, value: Any) -> Any:
    if isinstance(value, str):
        if any(c in ",()]" for c in value):
            raise BadValue("bad_value_char", f"{spec.name} cannot hold any of , ( ) ]: {clip(value)}")
        return read_value(spec, value)
    if spec.type is float and type(value) is int:
        value = float(value)
    if type(value) is not spec.type:
        raise BadValue(f"not_{spec.type.__name__}", f"{spec.name} is {_kind(spec)}, not {shown(value)}")
    return _check(spec, value)


def write_value(value: Any) -> str:
    """The text that `read_value` turns into the same value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def fill(specs: Iterable[ParamSpec], given: Mapping[str, Any]) -> dict[str, Any]:
    """What an engine gets: every parameter, defaults filled in, repeated ones as tuples."""
    filled: dict[str, Any] = {}
    for spec in specs:
        value = given.get(spec.name, spec.default)
        if spec.repeated:
            if value is None:
                value = ()
            elif isinstance(value, str):
                value = tuple(read_value(spec, item) for item in value.split(","))
            else:
                value = tuple(value)
        filled[spec.name] = value
    return filled


def find(specs: Iterable[ParamSpec], key: str) -> ParamSpec | None:
    """The parameter with this name or alias."""
    for spec in specs:
        if key == spec.name or key in spec.aliases:
            return spec
    return None


def unknown(specs: Iterable[ParamSpec], key: str) -> str:
    """Remedy for an unknown parameter: the one that was probably meant, or the list."""
    names = [name for spec in specs for name in (spec.name, *spec.aliases)]
    meant = nearest(key, names)
    if meant:
        return f"did you mean {meant!r}?"
    return f"possible: {one_of(names)}" if names else ""


def example(spec: ParamSpec) -> str:
    """A value that may be given, for messages."""
    if spec.choices:
        return spec.choices[0]
    if spec.type is bool:
        return "true"
    if spec.type is str:
        return spec.default if isinstance(spec.default, str) and spec.default else "…"
    low = spec.default if spec.default is not None else spec.minimum if spec.minimum is not None else 1
    return write_value(spec.type(low))


def clip(text: str, limit: int = 60) -> str:
    """Quoted text for messages, cut when long."""
    return repr(text if len(text) <= limit else text[:limit] + "…")


def shown(value: object, limit: int = 60) -> str:
    """A value for messages, cut when long."""
    text = repr(value)
    return text if len(text) <= limit else text[:limit] + "…"


def _kind(spec: ParamSpec) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[spec.type]


def _read_int(spec: ParamSpec, text: str) -> int:
    try:
        return int(text, 10)
    except ValueError:
        raise BadValue(
            "not_int", f"{spec.name} is a whole number, not {clip(text)}", f"write {spec.name}={example(spec)}"
        ) from None


def _read_float(spec: ParamSpec, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadValue("not_float", f"{spec.name} is a number, not {clip(text)}", f"write {spec.name}={example(spec)}")
    return value


def _check(spec: ParamSpec, value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = spec.minimum, spec.maximum
        if high is None and isinstance(value, int):
            high = MAX_INT
        if low is not None and value < low:
            raise BadValue(f"{spec.type.__name__}_below_min", f"{spec.name} is at least {low:g}, not {value}")
        if high is not None and value > high:
            shown = clip(str(value)) if isinstance(value, float) or value.bit_length() < 200 else "a longer number"
            hint = f"write {spec.name}={high:.12g} or less"
            raise BadValue(f"{spec.type.__name__}_above_max", f"{spec.name} is at most {high:.12g}, not {shown}", hint)
    if spec.choices and value not in spec.choices:
        meant = nearest(str(value), spec.choices, 3)
        raise BadValue(
            "not_in_enum",
            f"{spec.name} is {one_of(spec.choices)}, not {clip(str(value))}",
            f"did you mean {meant!r}?" if meant else "",
        )
    if spec.pattern is not None and isinstance(value, str) and not re.fullmatch(spec.pattern, value):
        raise BadValue(spec.bad_value_kind, f"{clip(value)} is no {spec.name}", spec.help)
    if spec.check is not None:
        try:
            wrong = spec.check(value)
        except Exception as e:  # a plug-in's function that raises refuses the value, too
            wrong = f"{type(e).__name__}: {e}"
        if wrong:
            raise BadValue(spec.bad_value_kind, f"{spec.name}: {wrong}", spec.help)
    return value
