"""What engines and chunkers can do, as plain data for routing.

The registry of parsers makes these values for a given environment; routing decides with them and imports no engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lrdoc.params import ParamSpec


@dataclass(frozen=True, slots=True)
class ParamLimit:
    """How the present environment narrows a parameter."""

    at_most: int
    """How many values may be given; 0: the parameter cannot be used at all."""
    kind: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """One engine as routing sees it."""

    name: str
    suffixes: frozenset[str]
    """Suffixes that it takes, those added by the environment included."""
    params: tuple[ParamSpec, ...] = ()
    default_for: frozenset[str] = frozenset()
    configured: bool = True
    """False: an external engine without endpoint; rules skip it."""
    requirement: str = ""
    """What to set so that the engine is configured."""
    structured: bool = True
    """It makes blocks and items; else plain text, on which i, t, e and P have no effect."""
    limits: Mapping[str, ParamLimit] = field(default_factory=dict)
    """Parameter name → how the environment narrows it."""
    env_params: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    """Suffix → parameters that the environment switches on where neither rule nor hint names them."""
    more_suffixes_env: str = ""
    """Variable that widens `suffixes`, "" when there is none."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """All engines and chunkers under one environment."""

    engines: Mapping[str, EngineInfo]
    """Selectable engines in the order of registration."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Engines whose plug-in did not load → the reason."""
    chunkers: Mapping[str, tuple[ParamSpec, ...]] = field(default_factory=dict)
    """Registered chunkers that C(chunker=NAME) may name → their own parameters."""

    def takers(self, suffix: str) -> list[str]:
        """Engines that take files with this suffix, configured or not."""
        return [name for name, engine in self.engines.items() if suffix in engine.suffixes]
