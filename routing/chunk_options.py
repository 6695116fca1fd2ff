"""Chunk parameters: which place sets each of them, and the slim snapshot kept with a document.

For every slot, from high to low (public specification, 5.3):

    what a rule, a hint or the caller says about this file
    the caller's explicit mapping (the `chunker` mapping of the core guide, or `chunk_options`)
    the strategy's own variable           CHUNK_R_SIZE, CHUNK_P_OVERLAP_SIZE, …
    the caller's general size and overlap
    CHUNK_SIZE and CHUNK_OVERLAP_SIZE

P never inherits a size: without its own it has 2000. F, R and V without their own leave it out and use the top-level
one. Mappings are merged in depth and never changed; what cannot be used is reported and the next place decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lrdoc.mistakes import Mistake
from lrdoc.params import shown
from lrdoc.routing.persist import chunker_of
from lrdoc.suggest import nearest, one_of
from lrdoc.variables import variable, variables_of

DEFAULT_SIZE = 1200
DEFAULT_OVERLAP = 100
DEFAULT_P_SIZE = 2000
DEFAULT_SEPARATORS = ("\n\n", "\n", "。", "！", "？", "；", "，", " ", "")
DEFAULT_SENTENCE_REGEX = r"(?<=[.?!])\s+|(?<=[。？！])"
MAX_SEPARATORS = 64
MAX_SEPARATOR_CHARS = 256

SIZE = "chunk_token_size"
OVERLAP = "chunk_overlap_token_size"

STRATEGIES: Mapping[str, str] = {
    "F": "fixed_token",
    "R": "recursive_character",
    "V": "semantic_vector",
    "P": "paragraph_semantic",
    "C": "fixed_token",
}
"""Chunker's letter → key of its parameters. A bare C, the caller's function, shares those of F."""

_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "fixed_token": {SIZE: "size", OVERLAP: "overlap", "split_by_character": "text?", "split_by_character_only": "flag"},
    "recursive_character": {SIZE: "size", OVERLAP: "overlap", "separators": "separators"},
    "semantic_vector": {
        SIZE: "size",
        "breakpoint_threshold_type": "threshold",
        "breakpoint_threshold_amount": "number?",
        "buffer_size": "overlap",
        "sentence_split_regex": "pattern",
        "number_of_chunks": "size?",
        "min_chunk_size": "overlap?",
        "min_chunk_token_size": "overlap",
    },
    "paragraph_semantic": {SIZE: "size", OVERLAP: "overlap", "drop_references": "flag"},
}
THRESHOLDS = ("percentile", "standard_deviation", "interquartile", "gradient")


def read_separators(text: str) -> tuple[str, ...]:
    """The value of CHUNK_R_SEPARATORS; ValueError when it is no JSON list of texts."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError('expected a JSON list of texts, such as ["\\n\\n", "\\n", " "]')
    return tuple(value)


def read_pattern(text: str) -> str:
    """The value of CHUNK_V_SENTENCE_SPLIT_REGEX; ValueError when it is no regular expression."""
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as e:
        raise ValueError(f"expected a regular expression ({e})") from None
    return text


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """Parameters of the chunkers."""

    size: int | None = variable(
        "CHUNK_SIZE", DEFAULT_SIZE, "Size of a chunk where a strategy has none of its own.", unit="tokens", minimum=1
    )
    overlap: int | None = variable(
        "CHUNK_OVERLAP_SIZE",
        DEFAULT_OVERLAP,
        "Overlap of neighbouring chunks where a strategy has none of its own.",
        unit="tokens",
        minimum=0,
    )
    f_size: int | None = variable("CHUNK_F_SIZE", None, "Size of a chunk for F.", unit="tokens", minimum=1)
    f_overlap: int | None = variable("CHUNK_F_OVERLAP_SIZE", None, "Overlap for F.", unit="tokens", minimum=0)
    f_split_by: str | None = variable("CHUNK_F_SPLIT_BY_CHARACTER", None, "F cuts at this text first.", verbatim=True)
    f_split_only: bool = variable(
        "CHUNK_F_SPLIT_BY_CHARACTER_ONLY", False, "F cuts at that text only; a longer piece is an error."
    )
    r_size: int | None = variable("CHUNK_R_SIZE", None, "Size of a chunk for R.", unit="tokens", minimum=1)
    r_overlap: int | None = variable("CHUNK_R_OVERLAP_SIZE", None, "Overlap for R.", unit="tokens", minimum=0)
    r_separators: tuple[str, ...] = variable(
        "CHUNK_R_SEPARATORS",
        DEFAULT_SEPARATORS,
        "JSON list of the texts at which R cuts, strongest first; at most 64 of at most 256 characters.",
        lenient=True,
        parse=read_separators,
    )
    v_size: int | None = variable("CHUNK_V_SIZE", None, "Size of a chunk for V.", unit="tokens", minimum=1)
    v_threshold: str = variable(
        "CHUNK_V_BREAKPOINT_THRESHOLD_TYPE", "percentile", "How V finds the breaks.", choices=THRESHOLDS
    )
    v_amount: float | None = variable(
        "CHUNK_V_BREAKPOINT_THRESHOLD_AMOUNT", None, "Magnitude of that threshold; unset: the usual one of its type."
    )
    v_buffer: int = variable("CHUNK_V_BUFFER_SIZE", 1, "Sentences on either side that V compares together.", minimum=0)
    v_min_size: int = variable(
        "CHUNK_V_MIN_SIZE", 0, "V ends no group of sentences below this.", unit="tokens", minimum=0
    )
    v_pattern: str = variable(
        "CHUNK_V_SENTENCE_SPLIT_REGEX",
        DEFAULT_SENTENCE_REGEX,
        "Regular expression at which V splits sentences.",
        parse=read_pattern,
        verbatim=True,
    )
    p_size: int | None = variable(
        "CHUNK_P_SIZE", DEFAULT_P_SIZE, "Size of a chunk for P, which inherits no other.", unit="tokens", minimum=1
    )
    p_overlap: int | None = variable("CHUNK_P_OVERLAP_SIZE", None, "Overlap for P.", unit="tokens", minimum=0)
    p_drop_references: bool | None = variable("CHUNK_P_DROP_REFERENCES", None, "P leaves out the list of references.")


_DEFAULTS = ChunkSettings()
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "fixed_token": {
        "split_by_character": "f_split_by",
        "split_by_character_only": "f_split_only",
        SIZE: "f_size",
        OVERLAP: "f_overlap",
    },
    "recursive_character": {"separators": "r_separators", SIZE: "r_size", OVERLAP: "r_overlap"},
    "semantic_vector": {
        "breakpoint_threshold_type": "v_threshold",
        "breakpoint_threshold_amount": "v_amount",
        "buffer_size": "v_buffer",
        "min_chunk_token_size": "v_min_size",
        "sentence_split_regex": "v_pattern",
        SIZE: "v_size",
    },
    "paragraph_semantic": {SIZE: "p_size", OVERLAP: "p_overlap"},
}
"""Strategy → parameter → the field of ChunkSettings that fills it."""
_LEFT_OUT_WHEN_0 = frozenset({"v_min_size"})
"""Fields whose 0 changes nothing: it does not stand in the snapshot."""
_CALLER = "chunk options of the caller"


@dataclass(frozen=True, slots=True)
class ChunkConfig:
    """Parameters of all strategies, before a file is known."""

    values: Mapping[str, Any]
    """{"chunk_token_size": 1200, "fixed_token": {…}, …}"""
    origins: Mapping[str, str]
    """ "recursive_character.separators" → where it comes from."""
    errors: tuple[Mistake, ...] = ()
    """Values of the caller's mapping that cannot be used."""
    warnings: tuple[Mistake, ...] = ()
    drop_references: bool | None = None
    """CHUNK_P_DROP_REFERENCES: fills the snapshot of P where nothing else says."""


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """The slim snapshot of one file."""

    values: dict[str, Any]
    """{"chunk_token_size": 1200, "recursive_character": {…}}: a copy of one's own, JSON values."""
    origins: Mapping[str, str] = field(default_factory=dict)
    errors: tuple[Mistake, ...] = ()
    warnings: tuple[Mistake, ...] = ()


def resolve_chunk_options(
    settings: ChunkSettings,
    overrides: Mapping[str, Any] | None = None,
    process_options: str = "",
    *,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    chunk_token_size: int | None = None,
    chunk_overlap_token_size: int | None = None,
    split_by_character: str | None = None,
    split_by_character_only: bool = False,
    more_options: Mapping[str, Collection[str]] | None = None,
) -> ChunkOptions:
    """The snapshot for a file with these options. Pure; `overrides` is not changed.

    `params`: parameters by chunker's letter, as routing found them in rule and hint. `more_options`: option names of
    chunkers beyond those of the public specification, by strategy.
    """
    config = build_chunk_config(
        settings,
        overrides,
        chunk_token_size=chunk_token_size,
        chunk_overlap_token_size=chunk_overlap_token_size,
        more_options=more_options,
    )
    split: dict[str, Any] = {}
    if split_by_character is not None:
        split["split_by_character"] = split_by_character
    if split_by_character_only:
        split["split_by_character_only"] = True
    options = snapshot(config, process_options, params, split)
    return ChunkOptions(
        options.values, options.origins, config.errors + options.errors, config.warnings + options.warnings
    )


def build_chunk_config(
    settings: ChunkSettings,
    overrides: Mapping[str, Any] | None = None,
    *,
    chunk_token_size: int | None = None,
    chunk_overlap_token_size: int | None = None,
    more_options: Mapping[str, Collection[str]] | None = None,
) -> ChunkConfig:
    """Parameters of all strategies from the caller's mapping and the settings."""
    build = _Build(more_options or {})
    explicit = build.read(overrides)
    settings = build.make_usable(settings)
    size, size_from = build.read_general(settings, "size", SIZE, chunk_token_size)
    overlap = build.read_general(settings, "overlap", OVERLAP, chunk_overlap_token_size)
    values: dict[str, Any] = {SIZE: size}
    origins = {SIZE: size_from}
    for strategy, fields in _FIELDS.items():
        slot = values[strategy] = {}
        given = explicit.get(strategy, {})
        for name, place in fields.items():
            if name in given or (strategy, name) in build.gone:
                continue
            value, origin = read_variable(settings, place)
            if value is None and name == OVERLAP:
                value, origin = overlap
            if (value is None and name == SIZE) or (value == 0 and place in _LEFT_OUT_WHEN_0):
                continue
            slot[name] = list(value) if isinstance(value, tuple) else value
            origins[f"{strategy}.{name}"] = origin
        for name, value in given.items():
            slot[name] = value
            origins[f"{strategy}.{name}"] = _CALLER
    for name, value in explicit.items():
        if name not in _FIELDS:
            values[name] = value
            origins[name] = _CALLER
    return ChunkConfig(values, origins, tuple(build.errors), tuple(build.warnings), settings.p_drop_references)


def read_variable(settings: ChunkSettings, field: str) -> tuple[Any, str]:
    """The value of a field and where it comes from: its variable, or "default"."""
    value = getattr(settings, field)
    return value, "default" if value == getattr(_DEFAULTS, field) else variables_of(ChunkSettings)[field].name


def snapshot(
    config: ChunkConfig,
    process_options: str,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    split: Mapping[str, Any] | None = None,
) -> ChunkOptions:
    """The part of a configuration that one file needs, with the file's own parameters laid over it."""
    letter = chunker_of(process_options)
    given = dict((params or {}).get(letter, {}))
    named = str(given.pop("chunker", "")) if letter == "C" else ""
    strategy = named or STRATEGIES[letter]
    base = config.values.get(strategy, {})
    options = {name: _copy(value) for name, value in base.items()}
    origins = {name: config.origins.get(f"{strategy}.{name}", "default") for name in options}
    if letter == "F" and split:
        options.update(split)
        origins.update(dict.fromkeys(split, "caller"))
    for name, value in given.items():
        options[name] = _copy(value)
        origins[name] = "rule or hint"
    if letter == "P" and config.drop_references is not None and "drop_references" not in options:
        options["drop_references"] = config.drop_references
        origins["drop_references"] = "CHUNK_P_DROP_REFERENCES"
    top = config.values[SIZE]
    values: dict[str, Any] = {SIZE: top}
    if named:
        values["chunker"] = named
    values[strategy] = options
    warnings: list[Mistake] = []
    size, overlap = options.get(SIZE, top), options.get(OVERLAP, 0)
    if overlap >= size and origins.get(OVERLAP) == "default":
        # Nobody asked for it: a default never makes a file fail.
        options[OVERLAP] = overlap = size * DEFAULT_OVERLAP // DEFAULT_SIZE
        origins[OVERLAP] = f"default, made smaller for chunks of {size}"
    if overlap >= size:
        size_from = origins.get(SIZE, config.origins.get(SIZE, "default"))
        overlap_from = origins.get(OVERLAP, "default")
        message = f"overlap {overlap} ({overlap_from}) is not below the chunk size {size} ({size_from})"
        hint = f"give both: {letter}(chunk_ts={size},chunk_ol={size // 8})"
        warnings.append(Mistake("overlap_ge_size", message, 1, 1, hint, "chunk_options"))
    named_origins = {f"{strategy}.{name}": origin for name, origin in origins.items()}
    named_origins[SIZE] = config.origins.get(SIZE, "default")
    return ChunkOptions(values, named_origins, (), tuple(warnings))


class _Build:
    """Reads the caller's mapping and collects what cannot be used."""

    def __init__(self, more: Mapping[str, Collection[str]]) -> None:
        self.more = more
        self.errors: list[Mistake] = []
        self.warnings: list[Mistake] = []
        self.gone: set[tuple[str, str]] = set()
        """Slots that stay empty, because what was put there went with a warning."""

    def make_usable(self, settings: ChunkSettings) -> ChunkSettings:
        """The settings with bounded separators, and the default where the word "none" unset what has to be set."""
        separators = self.bound(settings.r_separators, "CHUNK_R_SEPARATORS") or DEFAULT_SEPARATORS[:-1]
        unset = [name for name in ("size", "overlap", "p_size") if getattr(settings, name) is None]
        defaults = {name: getattr(_DEFAULTS, name) for name in unset}
        return replace(settings, r_separators=separators, **defaults)

    def read_general(self, settings: ChunkSettings, kind: str, name: str, wanted: int | None) -> tuple[Any, str]:
        """The general size or overlap, and where it comes from."""
        if self.usable(wanted, kind, name):
            return wanted, f"{name} of the caller"
        return read_variable(settings, kind)

    def read(self, overrides: Mapping[str, Any] | None) -> dict[str, Any]:
        """A checked copy of the mapping."""
        found: dict[str, Any] = {}
        for name, value in (overrides or {}).items():
            if name == SIZE:
                if self.usable(value, "size", SIZE):
                    found[SIZE] = value
            elif name in _OPTIONS or name in self.more:
                if value is None:
                    continue
                if isinstance(value, Mapping):
                    found[name] = self._read_strategy(name, value)
                else:
                    self.error(name, f"expected a mapping of parameters, found {shown(value)}")
            else:
                known = (*_OPTIONS, *self.more, SIZE)
                meant = nearest(str(name), known)
                self.error(
                    str(name), "there is no such chunker", f"did you mean {meant!r}?" if meant else one_of(known)
                )
        return found

    def _read_strategy(self, strategy: str, given: Mapping[Any, Any]) -> dict[str, Any]:
        kinds = _OPTIONS.get(strategy, {})
        found: dict[str, Any] = {}
        for name, value in given.items():
            where = f"{strategy}.{name}"
            kind = kinds.get(name)
            if kind is None:
                if name in self.more.get(strategy, ()):
                    found[name] = _copy(value)
                    continue
                known = (*kinds, *self.more.get(strategy, ()))
                meant = nearest(str(name), known)
                self.error(where, "there is no such parameter", _meant(meant, known))
            elif kind == "separators":
                self._read_separators(strategy, value, found)
            elif value is None and name in (SIZE, OVERLAP, "drop_references"):
                continue
            elif self.usable(value, kind, where):
                found[name] = _copy(value)
        return found

    def _read_separators(self, strategy: str, value: Any, found: dict[str, Any]) -> None:
        where = f"{strategy}.separators"
        if value is None:
            found["separators"] = None
        elif not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            message = f"{where}: expected a list of texts, found {shown(value)}; it is left out"
            hint = 'write ["\\n\\n", "\\n", " "]'
            self.warnings.append(Mistake("separators_no_list", message, 1, 1, hint, "chunk_options"))
            self.gone.add((strategy, "separators"))
        else:
            found["separators"] = list(self.bound(value, where)) or None

    def bound(self, separators: Collection[str], where: str) -> tuple[str, ...]:
        """At most 64 separators of at most 256 characters; the empty one at the end stays."""
        kept = [item for item in separators if len(item) <= MAX_SEPARATOR_CHARS]
        notes: list[str] = []
        if len(kept) < len(separators):
            notes.append(f"{len(separators) - len(kept)} separators over {MAX_SEPARATOR_CHARS} characters are left out")
        if len(kept) > MAX_SEPARATORS:
            notes.append(f"only the first {MAX_SEPARATORS} of {len(kept)} separators are used")
            kept = [*kept[: MAX_SEPARATORS - 1], ""] if kept[-1] == "" else kept[:MAX_SEPARATORS]
        if not kept:
            notes.append("no separator is left")
        if notes:
            message = f"{where}: {'; '.join(notes)}"
            self.warnings.append(Mistake("separators_bounded", message, 1, 1, "", "chunk_options"))
        return tuple(kept)

    def usable(self, value: Any, kind: str, where: str) -> bool:
        """Whether a value is of its kind; reports it when not. None alone means that nothing was said."""
        if value is None:
            if kind.endswith("?"):
                return True
            if where not in (SIZE, OVERLAP):
                self.error(where, "null is no value here")
            return False
        wrong = _wrong(value, kind.rstrip("?"))
        if wrong:
            self.error(where, f"expected {wrong}, found {shown(value)}")
        return not wrong

    def error(self, where: str, message: str, hint: str = "") -> None:
        self.errors.append(Mistake("bad_chunk_option", f"{where}: {message}", 1, 1, hint, "chunk_options"))


def _meant(meant: str, known: Collection[str]) -> str:
    return f"did you mean {meant!r}?" if meant else f"possible: {one_of(known)}"


def _wrong(value: Any, kind: str) -> str:
    """What was expected, "" when the value fits."""
    if kind in ("size", "overlap"):
        least = 1 if kind == "size" else 0
        whole = type(value) is int and value >= least
        return "" if whole else f"a whole number of at least {least}"
    if kind == "flag":
        return "" if type(value) is bool else "true or false"
    if kind == "number":
        fits = type(value) in (int, float) and value == value and abs(value) != float("inf")
        return "" if fits else "a number"
    if not isinstance(value, str):
        return "a text"
    if kind == "threshold" and value not in THRESHOLDS:
        return one_of(THRESHOLDS)
    if kind == "pattern":
        try:
            read_pattern(value)
        except ValueError:
            return "a regular expression"
    return ""


def _copy(value: Any) -> Any:
    """A copy in depth of JSON values; tuples become lists."""
    if isinstance(value, list | tuple):
        return [_copy(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _copy(item) for name, item in value.items()}
    return value
