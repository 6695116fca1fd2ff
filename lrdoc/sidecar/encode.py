"""JSON values of foreign make: engines and plug-ins give extras and attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from lrdoc.errors import SidecarError
from lrdoc.text.clean import clean

_ENCODER = msgspec.json.Encoder()


def to_json(value: Any, where: str) -> bytes:
    """Compact JSON. Characters that no file of ours holds are taken out. Raises SidecarError for what is no JSON."""
    try:
        try:
            return _ENCODER.encode(value)
        except UnicodeEncodeError:
            return _ENCODER.encode(clean_value(value))
    except (TypeError, ValueError, RecursionError) as e:
        raise SidecarError(f"a value cannot be written as JSON: {e}", where=where) from e


def clean_value(value: Any) -> Any:
    """The same JSON value (or struct) with clean strings."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(inner) for inner in value]
    if isinstance(value, msgspec.Struct):
        fields = {name: clean_value(getattr(value, name)) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    return value


def strings_in(value: Any) -> Iterator[str]:
    """All strings in a JSON value but the keys. Does not recurse."""
    stack = [value]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            yield top
        elif isinstance(top, Mapping):
            stack.extend(top.values())
        elif isinstance(top, list | tuple):
            stack.extend(top)
