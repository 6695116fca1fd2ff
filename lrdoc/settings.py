"""Settings: the environment, and a .env file, read once into frozen objects.

Components declare what they read (`lrdoc.variables`) in a frozen dataclass beside them; COMPONENTS lists these classes,
and `read` fills them. Every mistake is collected; one error reports them all. A component is given its own slice and
nothing else: `settings.of(DocxSettings)`.

Blank means unset. Values: whole numbers, numbers, yes/no in the usual spellings, comma-separated lists.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import re
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from lrdoc.env_file import EnvFile, find_env_file
from lrdoc.errors import SettingsError
from lrdoc.params import FALSE_WORDS, TRUE_WORDS
from lrdoc.variables import Variable, variables_of

COMPONENTS: Mapping[str, tuple[str, ...]] = {
    "lrdoc.flow:FlowSettings": ("SOURCE_DATE_EPOCH",),
    "lrdoc.routing.settings:RoutingSettings": ("LIGHTRAG_PARSER", "DOCX_SMART_"),
    "lrdoc.routing.chunk_options:ChunkSettings": ("CHUNK_",),
    "lrdoc.parsers.docx.settings:DocxSettings": ("DOCX_", "NATIVE_DOCX_"),
    "lrdoc.parsers.markdown.settings:MarkdownSettings": ("NATIVE_MD_", "LIGHTRAG_FORCE_REPARSE_NATIVE"),
    "lrdoc.parsers.legacy.settings:LegacySettings": ("LEGACY_", "PDF_", "DOCX_"),
    "lrdoc.parsers.mineru.settings:MineruSettings": ("MINERU_", "PARSER_", "LIGHTRAG_FORCE_REPARSE_MINERU"),
    "lrdoc.parsers.docling.settings:DoclingSettings": ("DOCLING_", "PARSER_", "LIGHTRAG_FORCE_REPARSE_DOCLING"),
    "lrdoc.chunkers.live:LiveSettings": ("CHUNK_P_REFERENCES_",),
    "lrdoc.text.tokenizer_settings:TokenizerSettings": ("TIKTOKEN_",),
    "lrdoc.llm.settings:EmbeddingSettings": ("EMBEDDING_",),
    "lrdoc.llm.model_settings:ModelSettings": (
        *("LLM_", "MAX_ASYNC_LLM", "ENABLE_LLM_CACHE", "EXTRACT_", "VLM_", "KEYWORD_", "QUERY_", "SUMMARY_"),
    ),
    "lrdoc.analyzers.settings:AnalysisSettings": (
        *("VLM_", "MAX_EXTRACT_", "MM_EXTRACT_", "SURROUNDING_", "SUMMARY_", "LLM_CACHE_"),
    ),
}
"""Settings classes as "module:Class", in the order of docs/settings.md, and how the names of their variables begin.

A class is only loaded when a variable that begins so is set, or when a component asks for it: a run that sets nothing
pays for nothing.
"""

S = TypeVar("S")

_WHOLE = re.compile(r"[+-]?[0-9]+")


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """The slices of all components."""

    slices: Mapping[type, Any]
    """Those for which something is set; the others hold their defaults."""
    environ: Mapping[str, str]
    """What was read, for engines that look whether an address is set."""
    warnings: tuple[str, ...] = ()
    """Values that could not be used where the public specification says to go on with the default."""
    mistakes: tuple[str, ...] = ()
    """Values that cannot be used; their fields hold the defaults."""

    def require(self) -> Settings:
        """These settings, or SettingsError with all mistakes."""
        if self.mistakes:
            n = len(self.mistakes)
            head = "A setting cannot be used:" if n == 1 else f"{n} settings cannot be used:"
            raise SettingsError("\n  ".join((head, *self.mistakes)))
        return self

    def of(self, cls: type[S]) -> S:
        """The slice of one component."""
        found: S = self.slices.get(cls) or cls()
        return found

    def named(self, impl: str | None) -> Any:
        """The slice of the class "module:Class"; None for None."""
        return None if impl is None else self.of(load_class(impl))


def read_process(env_file: Path | None = None, extra: Iterable[str] = ()) -> Settings:
    """Read this process's environment and `env_file`, or the .env of the current folder when there is one."""
    return read(os.environ, find_env_file(env_file), extra)


def load(environ: Mapping[str, str], env_file: EnvFile | None = None, extra: Iterable[str] = ()) -> Settings:
    """The same as `read`; raises SettingsError with all mistakes."""
    return read(environ, env_file, extra).require()


def read(environ: Mapping[str, str], env_file: EnvFile | None = None, extra: Iterable[str] = ()) -> Settings:
    """Read every component's settings. `environ` wins over the file; `extra` names further classes (of plug-ins)."""
    mistakes = list(env_file.mistakes) if env_file else []
    warnings: list[str] = []
    from_file = env_file.values if env_file else {}
    origins = {name: f"{env_file.path} line {line}" for name, (_, line) in from_file.items()} if env_file else {}
    merged = {name: value for name, (value, _) in from_file.items()}
    for name, value in environ.items():
        merged[name] = value
        origins.pop(name, None)
    is_set = tuple(name for name, value in merged.items() if value.strip())
    slices: dict[type, Any] = {}
    for impl in dict.fromkeys((*COMPONENTS, *extra)):
        beginnings = COMPONENTS.get(impl)
        if beginnings is None or any(name.startswith(beginnings) for name in is_set):
            cls = load_class(impl)
            slices[cls] = _read_slice(cls, merged, origins, mistakes, warnings)
    # A variable that two components read is one mistake.
    return Settings(slices, merged, tuple(dict.fromkeys(warnings)), tuple(dict.fromkeys(mistakes)))


def load_class(impl: str) -> type:
    """Import "module:Class"."""
    found: type = load_object(impl)
    return found


def load_object(impl: str) -> Any:
    """Import "module:name"."""
    module, _, name = impl.partition(":")
    return getattr(importlib.import_module(module), name)


def _read_slice(
    cls: type, environ: Mapping[str, str], origins: Mapping[str, str], mistakes: list[str], warnings: list[str]
) -> Any:
    hints = typing.get_type_hints(cls)
    values: dict[str, Any] = {}
    for field, variable in variables_of(cls).items():
        text = environ.get(variable.name, "")
        text = text if variable.verbatim else text.strip()
        if not text:
            continue
        try:
            values[field] = read_value(text, variable, hints[field])
        except ValueError as e:
            shown = "…" if variable.secret else text
            origin = f" ({origins[variable.name]})" if variable.name in origins else ""
            message = f"{variable.name}={shown}{origin}: {e}"
            if variable.lenient:
                default = next(f.default for f in dataclasses.fields(cls) if f.name == field)
                warnings.append(f"{message}; the default {default!r} is used")
            else:
                mistakes.append(message)
    return cls(**values)


def read_value(text: str, variable: Variable, hint: Any) -> Any:
    """Turn the text of a variable into a value of the field's type; ValueError says what is allowed."""
    if variable.parse is not None:
        return variable.parse(text)
    kinds = [k for k in typing.get_args(hint) if k is not types.NoneType] if _is_union(hint) else [hint]
    kind = kinds[0]
    value: Any
    if kind is bool:
        value = _read_bool(text)
    elif kind in (int, float):
        if text.lower() == "none" and _is_union(hint):
            return None
        value = _read_number(text, variable, whole=kind is int)
    elif kind is Path:
        value = Path(text)
    elif typing.get_origin(kind) is tuple:
        value = tuple(word for word in (part.strip() for part in text.split(",")) if word)
    else:
        value = text
    if variable.choices and value not in variable.choices:
        raise ValueError(f"expected one of {', '.join(variable.choices)}")
    return value


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def _read_bool(text: str) -> bool:
    lowered = text.lower()
    if lowered in TRUE_WORDS:
        return True
    if lowered in FALSE_WORDS:
        return False
    raise ValueError("expected true or false (also 1, yes, on, 0, no, off)")


def _read_number(text: str, variable: Variable, *, whole: bool) -> int | float:
    expected = "expected a whole number" if whole else "expected a number"
    limits = []
    if variable.minimum is not None:
        limits.append(f"at least {variable.minimum:g}")
    if variable.maximum is not None:
        limits.append(f"at most {variable.maximum:g}")
    if limits:
        expected += " of " + " and ".join(limits)
    if variable.unit:
        expected += f" ({variable.unit})"
    value: int | float
    try:
        if whole:
            # int() would take 1_000, and blank-padded or non-Latin digits.
            if not _WHOLE.fullmatch(text) or len(text) > 30:
                raise ValueError(expected)
            value = int(text)
        else:
            value = float(text)
    except ValueError:
        raise ValueError(expected) from None
    too_small = variable.minimum is not None and value < variable.minimum
    too_large = variable.maximum is not None and value > variable.maximum
    if value != value or value in (float("inf"), float("-inf")) or too_small or too_large:
        raise ValueError(expected)
    return value
