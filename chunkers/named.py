"""Third-party chunkers as routing sees them: name → parameters that `C(chunker=NAME,…)` may carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from lrdoc.params import ParamSpec

if TYPE_CHECKING:  # routing asks for names in rules with C alone
    from lrdoc.chunkers.base import ChunkerSpec, OptionSpec

_SHARED = frozenset({"chunk_token_size", "chunk_overlap_token_size"})
"""Parameters that C has for every chunker."""


class NamedChunkers(Mapping[str, tuple[ParamSpec, ...]]):
    """Chunkers that have a name and no letter. Plug-ins are looked for when the first name is asked."""

    @cached_property
    def _found(self) -> dict[str, tuple[ParamSpec, ...]]:
        from lrdoc.chunkers.registry import Registry

        registry = Registry()
        registry.load_entry_points()
        return {spec.name: params_of(spec) for spec in registry if not spec.letter}

    def __getitem__(self, name: str) -> tuple[ParamSpec, ...]:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def params_of(spec: ChunkerSpec) -> tuple[ParamSpec, ...]:
    """Options of a chunker that can be written in a rule: all but lists."""
    return tuple(_param(option) for option in spec.options if option.name not in _SHARED and _is_plain(option))


def _is_plain(option: OptionSpec) -> bool:
    return option.type in (bool, int, float, str)


def _param(option: OptionSpec) -> ParamSpec:
    kind: type[bool] | type[int] | type[float] | type[str] = str
    for plain in (bool, int, float):
        if option.type is plain:
            kind = plain
    return ParamSpec(
        option.name, kind, option.default, option.help, option.choices, option.minimum, aliases=option.aliases
    )
