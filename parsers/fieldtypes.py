"""Whether the fields of a description hold what their annotations say: authors of plug-ins need no type checker."""

from __future__ import annotations

import builtins
import dataclasses
import types
from collections.abc import Callable, Collection, Mapping, Set
from typing import Any, Union, get_args, get_origin, get_type_hints

from lrdoc.params import shown


def find_wrong_types(value: Any, leave_out: Collection[str] = ()) -> list[str]:
    """A sentence for every field of a dataclass that holds something else than it should."""
    # The fields of a class hide built-in names in its own annotations: ParamSpec has one that is called type.
    hints = get_type_hints(type(value), localns=vars(builtins))
    found: list[str] = []
    for field in dataclasses.fields(value):
        seen, hint = getattr(value, field.name), hints[field.name]
        if field.name not in leave_out and not _fits(seen, hint):
            found.append(f"{field.name}: expected {field.type}, found {shown(seen)}{_remedy(seen, hint)}")
    return found


def _fits(value: Any, hint: Any) -> bool:
    """A list may stand for a tuple and a set for a frozenset."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin is tuple:
        return isinstance(value, tuple | list) and all(_fits(item, arguments[0]) for item in value)
    if origin is frozenset:
        return isinstance(value, Set) and all(_fits(item, arguments[0]) for item in value)
    if origin is Mapping:
        keys, values = arguments
        return isinstance(value, Mapping) and all(_fits(k, keys) and _fits(v, values) for k, v in value.items())
    if origin is Callable:
        return callable(value)
    if hint is Any:
        return True
    return isinstance(value, int | float if hint is float else origin or hint)


def _remedy(seen: Any, hint: Any) -> str:
    """What was probably meant, for the mistakes that are made most."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is frozenset:
        items = [seen] if isinstance(seen, str) else seen if isinstance(seen, list | tuple) else []
        if items and all(_fits(item, arguments[0]) for item in items):
            return f": write frozenset({{{', '.join(map(repr, items))}}})"
    if origin is tuple and _fits(seen, arguments[0]):
        return ": a tuple of one has a comma, (…,)"
    return ""
