"""The parser contract: a file goes in, a Document comes out.

Engines know nothing of storage, folders or ids. Whatever they need from outside comes in through `ParseContext`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from lrdoc.cancellation import Cancellable
from lrdoc.capabilities import ParamLimit as ParamLimit
from lrdoc.document import Asset, Document
from lrdoc.mistakes import Mistake
from lrdoc.params import ParamSpec as ParamSpec


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The file to parse."""

    path: Path
    """Where the bytes are. A folder only for .textbundle."""
    name: str
    """Canonical file name: without folder and without routing hint ("report.docx")."""

    @property
    def suffix(self) -> str:
        """Last suffix of the canonical name, lower case, without dot; "" when there is none."""
        return Path(self.name).suffix[1:].lower()

    @property
    def stem(self) -> str:
        """Canonical name without its last suffix."""
        return Path(self.name).stem


class AssetSink(Protocol):
    """Takes the bytes of pictures and embedded files as they are met, so that they never pile up in memory."""

    def put(self, data: bytes | IO[bytes], suggested_name: str, *, max_bytes: int | None = None) -> Asset:
        """Store bytes (a binary stream is copied piece by piece) and return the asset.

        Identical bytes give the same asset whatever the name. The name is made safe and unique.
        Raises LimitExceeded when `max_bytes` are exceeded; nothing is kept then.
        """


class Progress(Protocol):
    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Called now and then: how much of a stage is done, in units of the stage."""


def _silent(stage: str, done: int, total: int | None) -> None:
    return None


@dataclass(slots=True)
class ParseContext(Cancellable):
    """What a parse may use of the world outside the file."""

    assets: AssetSink
    settings: Any = None
    """The engine's own slice of the settings (`ParserSpec.settings`), None when it declares none."""
    progress: Progress = _silent
    cache_dir: Path | None = None
    """Folder for the raw bundle of this source, None: nothing is cached. It need not exist."""
    force_reparse: bool = False
    """Ignore a cached bundle."""
    cached: bool = False
    """Set by the engine: the bundle in `cache_dir` was used and nothing was fetched."""


class Parser(Protocol):
    """An engine. Constructed without arguments, once; `parse` may run in several threads at a time."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """Parse one file.

        `params` holds the engine's parameters, checked against its schema, defaults filled in.
        Raises SourceError, LimitExceeded, EngineError or Cancelled; never anything else because of the input.
        """


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether an engine can be used now, and if not why."""

    ok: bool
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ParserSpec:
    """Import-cheap description of an engine. Built-in and third-party engines register the same way."""

    engine_name: str
    """Lower case letters, digits and underscores; it starts with a letter."""
    impl: str
    """ "module:Class", imported on first use."""
    suffixes: frozenset[str]
    """Suffixes that the engine takes, lower case, without dot."""
    params: tuple[ParamSpec, ...] = ()
    settings: str | None = None
    """ "module:Class" of the frozen dataclass with the engine's settings (see lrdoc.variables)."""
    queue_group: str = "native"
    concurrency: int | None = None
    default_for: frozenset[str] = frozenset()
    """Suffixes that go to this engine when no rule and no hint says otherwise."""
    user_selectable: bool = True
    external: bool = False
    """The engine needs a service: rules skip it while `endpoint_configured` says no."""
    endpoint_configured: Callable[[Mapping[str, str]], bool] | None = None
    """Given the environment, tells whether the service's address is set. None: always."""
    endpoint_requirement: str = ""
    """Names of the variables to set, for messages."""
    requirement: Callable[[Mapping[str, str]], str] | None = None
    """Given the environment, names exactly what is missing. None: `endpoint_requirement`."""
    extra_suffixes_env: str | None = None
    """Variable that widens `suffixes` (comma-separated, no dots)."""
    raw_dir_suffix: str | None = None
    """ ".mineru_raw": the raw bundle is kept beside the parsed folder under this name."""
    health: str | None = None
    """ "module:function" that probes the service: (settings, timeout_s) -> Availability."""
    help: str = ""
    plugin: str = ""
    """Distribution that brought the engine, "" for built-ins."""
    structured: bool = True
    """It returns blocks and items; else plain text, on which the options i, t, e and P have no effect."""
    requires: tuple[str, ...] = ()
    """Importable packages without which the engine cannot work."""
    extra: str = ""
    """What pip installs to get them: "lrdoc[svg]"."""
    param_limits: Callable[[Mapping[str, str]], Mapping[str, ParamLimit]] | None = None
    """Given the environment, tells which parameters it narrows (by a mode of the service)."""
    check_environment: Callable[[Mapping[str, str]], Sequence[Mistake]] | None = None
    """Given the environment, lists values that could never work; `within` of each is the variable's name."""
    settings_by_suffix: Mapping[str, str] = field(default_factory=dict)
    """For an engine with several classes of settings: suffix → "module:Class"; `settings` holds for all others."""
    abilities: Mapping[str, str] = field(default_factory=dict)
    """What depends on this machine: words for people → "module:function" without arguments that gives an
    Availability. No network is asked."""

    def settings_class(self, suffix: str) -> str | None:
        """The class of the settings that a parse of such a file gets."""
        return self.settings_by_suffix.get(suffix, self.settings)

    def settings_classes(self) -> tuple[str, ...]:
        """All classes of settings of the engine."""
        own = () if self.settings is None else (self.settings,)
        return tuple(dict.fromkeys((*own, *self.settings_by_suffix.values())))
