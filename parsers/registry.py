"""The table of engines: built-in ones and those of plug-ins, registered the same way.

A plug-in is a distribution with an entry point in the group `lrdoc.parsers`; its value is a ParserSpec, several of
them, or a function without arguments that returns either. Importing this module imports no engine.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from lrdoc.capabilities import Capabilities, EngineInfo
from lrdoc.errors import EngineNotConfigured, LrdocError, RegistrationError
from lrdoc.mistakes import Mistake
from lrdoc.params import FALSE_WORDS, TRUE_WORDS, ParamSpec, clip
from lrdoc.parsers.base import Availability, Parser, ParserSpec
from lrdoc.parsers.builtin import BUILTIN
from lrdoc.parsers.validate import OTHERS_FAULTS, check_impl, check_spec, find_hook_faults, tell

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "lrdoc.parsers"
T = TypeVar("T")


class Registry:
    """Engines by name. Make one with `load_registry` and pass it on; there is no global one."""

    def __init__(self, specs: Iterable[ParserSpec] = BUILTIN) -> None:
        self._specs: dict[str, ParserSpec] = {spec.engine_name: spec for spec in specs}
        self._builtin = frozenset(self._specs)
        self._parsers: dict[str, Parser] = {}
        self._lock = threading.Lock()
        self.broken: dict[str, str] = {}
        """Engines that could not be registered, and why. When a plug-in did not get as far as naming its engine, the
        name of its entry point stands here."""

    def register(self, spec: ParserSpec, *, replace: bool = False, check: bool = True) -> None:
        """Add an engine. Raises RegistrationError with every mistake of the specification.

        `replace`: the engine takes the place of one with the same name, also of a built-in one.
        `check`: import the implementation and look at its signature, else that happens on first use.
        """
        mistakes = check_spec(spec, self._specs, replace=replace)
        if check and not mistakes:
            mistakes = check_impl(spec)
        if mistakes:
            raise RegistrationError(_registration_text(spec, mistakes))
        with self._lock:
            self._specs[spec.engine_name] = spec
            self._parsers.pop(spec.engine_name, None)
            self.broken.pop(spec.engine_name, None)

    def discover(self, points: Iterable[EntryPoint] | None = None, *, check: bool = False) -> None:
        """Register the engines of all installed plug-ins. One that does not fit is kept in `broken` with the reason."""
        found = find_entry_points() if points is None else points
        for point in sorted(found, key=lambda p: (p.name, p.value)):
            plugin = point.dist.name if point.dist is not None else point.name
            try:
                specs = _load_specs(point)
            except RegistrationError as e:
                self.broken[point.name] = f"{plugin}: {e.message}"
                continue
            for spec in specs:
                name = spec.engine_name if isinstance(spec.engine_name, str) else point.name
                try:
                    self.register(_with_plugin(spec, plugin), check=check)
                except RegistrationError as e:
                    self.broken[name.lower()] = e.message

    def names(self) -> list[str]:
        """All engines in the order of registration."""
        return list(self._specs)

    def specs(self) -> list[ParserSpec]:
        return list(self._specs.values())

    def is_builtin(self, name: str) -> bool:
        """Whether the engine came with lrdoc and was not replaced."""
        return name in self._builtin and not self._specs[name].plugin

    def spec(self, name: str) -> ParserSpec:
        """The description of one engine; EngineNotConfigured when there is none."""
        spec = self._specs.get(name)
        if spec is not None:
            return spec
        if name in self.broken:
            raise EngineNotConfigured(f"Engine {name!r} did not load: {self.broken[name]}")
        raise EngineNotConfigured(f"There is no engine {name!r}", hint=f"Available: {', '.join(self._specs)}")

    def parser(self, name: str) -> Parser:
        """The engine itself, made on first use and kept."""
        spec = self.spec(name)
        with self._lock:
            parser = self._parsers.get(name)
            if parser is None:
                parser = self._parsers[name] = _make(spec)
            return parser

    def availability(self, name: str, environ: Mapping[str, str], *, check: bool = False) -> Availability:
        """Whether the engine could be used now. Asks no network and imports nothing, but with `check` the engine."""
        spec = self._specs.get(name)
        if spec is None:
            reason = self.broken.get(name)
            if reason is None:
                return Availability(False, "there is no such engine", f"available: {', '.join(self._specs)}")
            return Availability(False, reason, "repair or remove the plug-in")
        missing = [package for package in spec.requires if not _is_importable(package)]
        if missing:
            remedy = f"pip install '{spec.extra or ' '.join(missing)}'"
            return Availability(False, f"not installed: {', '.join(missing)}", remedy)
        module = spec.impl.partition(":")[0]
        if not _is_importable(module):
            return Availability(False, f"its module {module} is not part of this installation")
        if check and (mistakes := check_impl(spec)):
            return Availability(False, "; ".join(mistakes), "repair the engine")
        if spec.plugin and (mistakes := find_hook_faults(spec, environ)):
            return Availability(False, "; ".join(mistakes), "repair the engine")
        if not _is_configured(spec, environ):
            return Availability(False, "not configured", f"set {requirement(spec, environ)}")
        return Availability(True)

    def suffixes(self, name: str, environ: Mapping[str, str]) -> frozenset[str]:
        """Suffixes that the engine takes under this environment."""
        spec = self.spec(name)
        return spec.suffixes | _more_suffixes(spec, environ)[0]

    def capabilities(
        self, environ: Mapping[str, str], chunkers: Mapping[str, tuple[ParamSpec, ...]] | None = None
    ) -> Capabilities:
        """What routing needs to know, for one environment."""
        engines = {
            spec.engine_name: _engine_info(spec, environ) for spec in self._specs.values() if spec.user_selectable
        }
        return Capabilities(engines, dict(self.broken), chunkers if chunkers is not None else {})

    def check_environment(self, environ: Mapping[str, str]) -> list[Mistake]:
        """Variables of engines whose values could never work; `within` names the variable."""
        mistakes: list[Mistake] = []
        for spec in self._specs.values():
            mistakes += _more_suffixes(spec, environ)[1]
            for param in spec.params:
                if param.default_env and _read_flag(param.default_env, environ) is None:
                    text = environ[param.default_env]
                    message = f"expected true or false, found {clip(text)}"
                    mistakes.append(Mistake("not_bool", message, 1, max(1, len(text)), "", param.default_env))
            mistakes += _ask(spec.check_environment, environ, ())
        return mistakes

    def queue_groups(self) -> dict[str, int | None]:
        """Queue group → number of workers that its owner wants, None when nobody says."""
        groups: dict[str, int | None] = {}
        for spec in self._specs.values():
            groups[spec.queue_group] = spec.concurrency or groups.get(spec.queue_group)
        return groups


def find_entry_points() -> list[EntryPoint]:
    """The entry points of all installed plug-ins.

    `importlib.metadata` costs more to import than a small file to parse, so it is asked only when a look at the
    installed packages says that there is something to find.
    """
    if not any(map(_may_hold_plugins, dict.fromkeys(sys.path))):
        return []
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))


def _may_hold_plugins(folder: str) -> bool:
    group = GROUP.encode()
    try:
        with os.scandir(folder or ".") as entries:
            infos = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:
        return True
    except OSError:
        return False
    for info in infos:
        try:
            with open(f"{info}/entry_points.txt", "rb") as file:  # noqa: PTH123
                if group in file.read():
                    return True
        except OSError:
            continue
    return False


def load_registry(*, check: bool = False) -> Registry:
    """The built-in engines and those of all installed plug-ins.

    `check`: also import the plug-ins' implementations and look at them; else that happens on first use.
    """
    registry = Registry()
    registry.discover(check=check)
    return registry


def requirement(spec: ParserSpec, environ: Mapping[str, str]) -> str:
    """What to set so that the engine is configured."""
    return _ask(spec.requirement, environ, spec.endpoint_requirement)


def _engine_info(spec: ParserSpec, environ: Mapping[str, str]) -> EngineInfo:
    suffixes = spec.suffixes | _more_suffixes(spec, environ)[0]
    env_params: dict[str, dict[str, bool]] = {}
    for param in spec.params:
        if param.default_env and _read_flag(param.default_env, environ):
            for suffix in param.only_for or suffixes:
                env_params.setdefault(suffix, {})[param.name] = True
    return EngineInfo(
        spec.engine_name,
        suffixes,
        spec.params,
        spec.default_for,
        _is_configured(spec, environ),
        requirement(spec, environ),
        spec.structured,
        _ask(spec.param_limits, environ, {}),
        env_params,
        spec.extra_suffixes_env or "",
    )


def _is_configured(spec: ParserSpec, environ: Mapping[str, str]) -> bool:
    return spec.endpoint_configured is None or _ask(spec.endpoint_configured, environ, False)


def _ask(hook: Callable[[Mapping[str, str]], T] | None, environ: Mapping[str, str], otherwise: T) -> T:
    """The answer of an engine's own function; what else holds when there is none, or when a plug-in's cannot answer.

    `Registry.availability` tells what went wrong.
    """
    if hook is None:
        return otherwise
    try:
        answer = hook(environ)
    except OTHERS_FAULTS:
        return otherwise
    return otherwise if answer is None else answer


def _read_flag(variable: str, environ: Mapping[str, str]) -> bool | None:
    """None: neither true nor false."""
    word = environ.get(variable, "").strip().lower()
    if not word or word in FALSE_WORDS:
        return False
    return True if word in TRUE_WORDS else None


def _more_suffixes(spec: ParserSpec, environ: Mapping[str, str]) -> tuple[frozenset[str], list[Mistake]]:
    """The variable `*_ADDITIONAL_SUFFIXES`: suffixes between commas; blanks and a leading dot are taken off."""
    variable = spec.extra_suffixes_env
    text = environ.get(variable, "") if variable else ""
    found: set[str] = set()
    mistakes: list[Mistake] = []
    place = 0
    for item in text.split(",") if text.strip() else ():
        suffix = item.strip().lstrip(".").lower()
        if suffix and suffix.isascii() and suffix.isalnum():
            found.add(suffix)
        else:
            message = f"expected suffixes between commas, found {clip(item.strip())}"
            hint = "write e.g. doc,ppt"
            mistakes.append(
                Mistake("malformed_suffix_env", message, place + 1, max(1, len(item)), hint, variable or "")
            )
        place += len(item) + 1
    return frozenset(found), mistakes


def _load_specs(point: EntryPoint) -> Sequence[ParserSpec]:
    try:
        value: Any = point.load()
        if callable(value) and not isinstance(value, ParserSpec):
            value = value()
    except OTHERS_FAULTS as e:  # a plug-in is other people's code: whatever it raises is its state, not ours
        raise RegistrationError(f"{point.value} cannot be loaded: {tell(e)}") from e
    specs = [value] if isinstance(value, ParserSpec) else value
    if not isinstance(specs, list | tuple) or not all(isinstance(spec, ParserSpec) for spec in specs):
        raise RegistrationError(f"{point.value} gives {type(value).__name__}, expected a ParserSpec or a list of them")
    return specs


def _with_plugin(spec: ParserSpec, plugin: str) -> ParserSpec:
    return replace(spec, plugin=spec.plugin or plugin)


def _is_importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _make(spec: ParserSpec) -> Parser:
    mistakes = check_impl(spec)
    if mistakes:
        raise EngineNotConfigured(f"Engine {spec.engine_name} cannot be used: {'; '.join(mistakes)}")
    module, _, name = spec.impl.partition(":")
    try:
        parser: Parser = getattr(importlib.import_module(module), name)()
    except LrdocError:
        raise
    except OTHERS_FAULTS as e:  # the constructor of an engine may be other people's code
        raise EngineNotConfigured(f"Engine {spec.engine_name} cannot be made: {tell(e)}") from e
    return parser


def _registration_text(spec: ParserSpec, mistakes: list[str]) -> str:
    name = spec.engine_name if isinstance(spec.engine_name, str) else repr(spec.engine_name)
    origin = f" of {spec.plugin}" if spec.plugin else ""
    return f"engine {name!r}{origin}: " + "; ".join(mistakes)
