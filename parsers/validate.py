"""What must be true of a ParserSpec and of the class it names. Every sentence names the field and the remedy."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lrdoc.params import BadValue, ParamSpec, check_value
from lrdoc.parsers.base import ParserSpec
from lrdoc.parsers.fieldtypes import find_wrong_types

RESERVED = frozenset({"reuse", "passthrough", "auto", "none"})
_ENGINE_NAME = re.compile(r"[a-z][a-z0-9_]*")
_IMPL = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_SUFFIX = re.compile(r"[^\s.A-Z\[\](){}/\\:;,*?]+")
_PARAM_NAME = re.compile(r"[a-z][a-z0-9_]*")
_SIGNATURE = "parse(self, source, params, context)"
OTHERS_FAULTS = (Exception, SystemExit)
"""What other people's code may raise while it is imported or asked: sys.exit() ends no command of ours."""


def check_spec(spec: ParserSpec, known: Mapping[str, ParserSpec], *, replace: bool = False) -> list[str]:
    """Mistakes of a specification beside the engines that are registered already; imports nothing."""
    found: list[str] = []
    name = spec.engine_name
    if not isinstance(name, str) or not _ENGINE_NAME.fullmatch(name):
        hint = f", e.g. {_as_name(name)!r}" if isinstance(name, str) and _as_name(name) else ""
        found.append(
            f"engine_name {name!r} cannot be written in a rule: use lower case letters, digits and underscores,"
            f" a letter first{hint}"
        )
    elif name in RESERVED:
        found.append(f"engine_name {name!r} is reserved: choose another")
    elif name in known and not replace:
        owner = known[name].plugin or "lrdoc itself"
        found.append(f"engine_name {name!r} is taken by {owner}: choose another, or register with replace=True")
    wrong = find_wrong_types(spec, leave_out=("engine_name",))
    if wrong:
        return found + wrong
    if not _IMPL.fullmatch(spec.impl):
        found.append(f"impl {spec.impl!r}: write 'package.module:Class'")
    found += _check_suffixes(spec)
    found += _check_defaults(spec, known)
    found += _check_params(spec)
    found += _check_queue(spec, known)
    found += _check_service(spec)
    return found


def check_impl(spec: ParserSpec) -> list[str]:
    """Mistakes of the class that `impl` names; imports it."""
    module_name, _, class_name = spec.impl.partition(":")
    try:
        module = importlib.import_module(module_name)
    except OTHERS_FAULTS as e:  # importing runs other people's code
        return [f"impl {spec.impl!r} cannot be imported: {tell(e)}"]
    cls = getattr(module, class_name, None)
    if cls is None:
        classes = [n for n, v in vars(module).items() if inspect.isclass(v) and hasattr(v, "parse")]
        hint = f"; it has {', '.join(classes[:5])}" if classes else ""
        return [f"impl {spec.impl!r}: {module_name} has no {class_name}{hint}"]
    if not callable(cls):
        return [f"impl {spec.impl!r} is no class"]
    parse = getattr(cls, "parse", None)
    if parse is None:
        return [f"impl {spec.impl!r} has no method {_SIGNATURE}"]
    found: list[str] = []
    if inspect.iscoroutinefunction(parse):
        found.append(f"impl {spec.impl!r}: parse is a coroutine; write it synchronously")
    if not _takes(parse, 4 if inspect.isclass(cls) else 3):
        seen = f"parse{inspect.signature(parse)}"
        found.append(f"impl {spec.impl!r}: expected {_SIGNATURE}, found {seen}")
    if inspect.isclass(cls):
        if inspect.isabstract(cls):
            missing = ", ".join(sorted(getattr(cls, "__abstractmethods__", ())))
            found.append(f"impl {spec.impl!r} does not define {missing}")
        elif not _takes(cls, 0):
            found.append(f"impl {spec.impl!r}: the constructor must work without arguments")
    return found


def _takes(function: Any, count: int) -> bool:
    """Whether the function can be called with that many positional arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _check_settings(impl: str, *, load: bool) -> list[str]:
    """`load`: import the class, which every command does anyway before it reads the environment."""
    if not _IMPL.fullmatch(impl):
        return [f"settings {impl!r}: write 'package.module:Class'"]
    if not load:
        return []
    module, _, name = impl.partition(":")
    try:
        cls = getattr(importlib.import_module(module), name)
    except OTHERS_FAULTS as e:  # importing runs other people's code
        return [f"settings {impl!r} cannot be imported: {tell(e)}"]
    if not dataclasses.is_dataclass(cls) or not isinstance(cls, type):
        return [f"settings {impl!r} is no dataclass"]
    try:
        cls()
    except TypeError:
        return [f"settings {impl!r}: every field needs a default, made by variable(NAME, default, help)"]
    return []


def tell(error: BaseException) -> str:
    """An exception of other people's code in one line."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return name if not text else f"{name}: {text[:200]}" + ("…" if len(text) > 200 else "")


def find_hook_faults(spec: ParserSpec, environ: Mapping[str, str]) -> list[str]:
    """What goes wrong when the engine's own functions are given an environment."""
    hooks: tuple[tuple[str, Callable[[Mapping[str, str]], Any] | None, type], ...] = (
        ("endpoint_configured", spec.endpoint_configured, bool),
        ("requirement", spec.requirement, str),
        ("param_limits", spec.param_limits, Mapping),
        ("check_environment", spec.check_environment, Sequence),
    )
    found: list[str] = []
    for field, hook, kind in hooks:
        if hook is None:
            continue
        try:
            answer = hook(environ)
        except OTHERS_FAULTS as e:
            found.append(f"{field}(environ) returns {kind.__name__}, but raised {tell(e)}")
        else:
            if not isinstance(answer, kind):
                found.append(f"{field}(environ) returns {kind.__name__}, but gave {type(answer).__name__}")
    return found


def _as_name(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_").lstrip("0123456789_")


def _check_suffixes(spec: ParserSpec) -> list[str]:
    if not spec.suffixes:
        return ["suffixes is empty: name at least one, e.g. frozenset({'ipynb'})"]
    found: list[str] = []
    for suffix in sorted(spec.suffixes):
        if not _SUFFIX.fullmatch(suffix):
            clean = suffix.strip().lstrip(".*").lower()
            found.append(f"suffixes: {suffix!r} can match no file: write it in lower case without dot, {clean!r}")
    return found


def _check_defaults(spec: ParserSpec, known: Mapping[str, ParserSpec]) -> list[str]:
    found: list[str] = []
    for suffix in sorted(spec.default_for):
        if suffix not in spec.suffixes:
            found.append(f"default_for: {suffix!r} is not among the suffixes")
        for other in known.values():
            if suffix in other.default_for and other.engine_name != spec.engine_name:
                hint = f"leave it out and route it with the rule {suffix}:{spec.engine_name}"
                found.append(f"default_for: {suffix!r} goes to {other.engine_name!r} already; {hint}")
    return found


def _check_params(spec: ParserSpec) -> list[str]:
    found: list[str] = []
    seen: set[str] = set()
    for param in spec.params:
        where = f"params: {param.name!r}"
        if wrong := find_wrong_types(param, leave_out=("type",)):
            found += [f"{where}: {fault}" for fault in wrong]
            continue
        for word in (param.name, *param.aliases):
            if not _PARAM_NAME.fullmatch(word):
                found.append(f"{where}: the name {word!r} must be lower case letters, digits and underscores")
            if word in seen:
                found.append(f"{where}: the name {word!r} is used twice")
            seen.add(word)
        if param.type not in (bool, int, float, str):
            found.append(f"{where}: type is bool, int, float or str, not {param.type!r}")
            continue
        found += [f"{where}: {fault}" for fault in _check_values(param)]
    return found


def _check_values(param: ParamSpec) -> list[str]:
    """Mistakes in what the parameter says of its values."""
    found: list[str] = []
    if param.choices and param.type is not str:
        found.append("choices need type str")
    if param.default_env and param.type is not bool:
        found.append("default_env needs type bool")
    try:
        re.compile(param.pattern or "")
    except (re.error, RecursionError, OverflowError) as e:
        return [*found, f"pattern {param.pattern!r} is no regular expression: {e}"]
    if param.default is not None:
        try:
            for value in param.default if param.repeated else (param.default,):
                if type(value) is not param.type:
                    raise BadValue("", f"{value!r} is no {param.type.__name__}")
                check_value(_single(param), value)
        except (BadValue, TypeError) as e:
            found.append(f"the default does not fit: {e}")
    return found


def _single(param: ParamSpec) -> ParamSpec:
    """The same parameter, for one of its values."""
    return dataclasses.replace(param, repeated=False)


def _check_queue(spec: ParserSpec, known: Mapping[str, ParserSpec]) -> list[str]:
    found: list[str] = []
    if not spec.queue_group.strip():
        found.append("queue_group is empty: name the pool that the engine works in")
    if spec.concurrency is None:
        return found
    if type(spec.concurrency) is not int or spec.concurrency < 1:
        found.append(f"concurrency {spec.concurrency!r}: at least 1 worker, or None")
        return found
    if spec.queue_group in ("native", "mineru", "docling") and spec.plugin:
        found.append(
            f"concurrency: the group {spec.queue_group!r} belongs to lrdoc; leave concurrency out or use a group of"
            " your own"
        )
    for other in known.values():
        if other.queue_group == spec.queue_group and other.concurrency and other.engine_name != spec.engine_name:
            found.append(
                f"concurrency: group {spec.queue_group!r} has an owner already, {other.engine_name!r} with"
                f" {other.concurrency} workers: leave it out or use another queue_group"
            )
    return found


def _check_service(spec: ParserSpec) -> list[str]:
    found: list[str] = []
    if spec.external and spec.endpoint_configured is None:
        found.append("external: an external engine needs endpoint_configured(environ) -> bool")
    if spec.endpoint_configured is not None and not spec.endpoint_requirement and spec.requirement is None:
        found.append("endpoint_requirement is empty: name the variable to set, for messages")
    found += [f"{fault} with an empty environment" for fault in find_hook_faults(spec, {})]
    if spec.health is not None and not _IMPL.fullmatch(spec.health):
        found.append(f"health {spec.health!r}: write 'package.module:function'")
    for impl in spec.settings_classes():
        found += _check_settings(impl, load=bool(spec.plugin))
    if spec.raw_dir_suffix is not None and not re.fullmatch(r"\.[a-z0-9_]+_raw", spec.raw_dir_suffix):
        found.append(f"raw_dir_suffix {spec.raw_dir_suffix!r}: write it like '.{spec.engine_name}_raw'")
    if spec.extra_suffixes_env is not None and not re.fullmatch(r"[A-Z][A-Z0-9_]*", spec.extra_suffixes_env):
        found.append(f"extra_suffixes_env {spec.extra_suffixes_env!r}: write it like 'MYENGINE_ADDITIONAL_SUFFIXES'")
    return found
