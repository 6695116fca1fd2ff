"""Settings as data: components declare the variables they read, `lrdoc.settings` reads them.

A component's settings are a frozen dataclass whose fields are made by `variable(...)`. The class needs no import of
the reader, and the reference page is generated from the same declarations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

_KEY = "lrdoc.variable"


@dataclasses.dataclass(frozen=True, slots=True)
class Variable:
    """What a field of a settings class says about its environment variable."""

    name: str
    help: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    lenient: bool = False
    """A value that cannot be used falls back to the default with a warning instead of being an error
    (where the public specification says so)."""
    secret: bool = False
    """Never shown in messages, logs or reports."""
    parse: Callable[[str], Any] | None = None
    """Turns the text into the value; raises ValueError with the reason. None: by the type of the default."""
    verbatim: bool = False
    """Blanks at either end belong to the value, as in a separator."""


def variable(
    name: str,
    default: Any,
    help: str,
    *,
    unit: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    lenient: bool = False,
    secret: bool = False,
    parse: Callable[[str], Any] | None = None,
    verbatim: bool = False,
) -> Any:
    """A dataclass field that is read from the environment variable `name`."""
    described = Variable(name, help, unit, minimum, maximum, choices, lenient, secret, parse, verbatim)
    return dataclasses.field(default=default, metadata={_KEY: described})


C = TypeVar("C", bound=type)


def repeated(pattern: type, words: Iterable[str]) -> Callable[[C], C]:
    """Class decorator, to stand below `@dataclass`: adds the fields of the settings class `pattern` once for each word.

    The fields are called `<word>_<field>`; `{}` in the name and the help of a variable is the word in capitals.
    """

    def add(cls: C) -> C:
        for word in words:
            for field in dataclasses.fields(pattern):
                told: Variable = field.metadata[_KEY]
                filled = dataclasses.replace(
                    told, name=told.name.format(word.upper()), help=told.help.format(word.upper())
                )
                name = f"{word}_{field.name}"
                cls.__annotations__[name] = field.type
                setattr(cls, name, dataclasses.field(default=field.default, metadata={_KEY: filled}))
        return cls

    return add


def variables_of(settings: type) -> dict[str, Variable]:
    """Field name → variable, in the order of the fields."""
    return {f.name: f.metadata[_KEY] for f in dataclasses.fields(settings) if _KEY in f.metadata}
