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
from dataclasses import dataclass, field
from typing import Any

from lrdoc.mistakes import Mistake
from lrdoc.params import shown
from lrdoc.routing.persist import chunker_of
from lrdoc.suggest import nearest, one_of
from lrdoc.variables import variable

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
    separators = build.bound(settings.r_separators, "CHUNK_R_SEPARATORS")
    if not separators:
        separators = DEFAULT_SEPARATORS[:-1]
    # The word "none" unsets a variable.
    size = DEFAULT_SIZE if settings.size is None else settings.size
    overlap = DEFAULT_OVERLAP if settings.overlap is None else settings.overlap
    p_size = DEFAULT_P_SIZE if settings.p_size is None else settings.p_size
    size_from = "CHUNK_SIZE" if size != DEFAULT_SIZE else "default"
    overlap_from = "CHUNK_OVERLAP_SIZE" if overlap != DEFAULT_OVERLAP else "default"
    if build.usable(chunk_token_size, "size", SIZE):
        size, size_from = chunk_token_size or size, "chunk_token_size of the caller"
    if build.usable(chunk_overlap_token_size, "overlap", OVERLAP):
        overlap = chunk_overlap_token_size if chunk_overlap_token_size is not None else overlap
        overlap_from = "chunk_overlap_token_size of the caller"
    by_env: dict[str, dict[str, tuple[Any, str]]] = {
        "fixed_token": {
            "split_by_character": (settings.f_split_by, "CHUNK_F_SPLIT_BY_CHARACTER"),
            "split_by_character_only": (settings.f_split_only, "CHUNK_F_SPLIT_BY_CHARACTER_ONLY"),
            SIZE: (settings.f_size, "CHUNK_F_SIZE"),
            OVERLAP: (settings.f_overlap, "CHUNK_F_OVERLAP_SIZE"),
        },
        "recursive_character": {
            "separators": (separators, "CHUNK_R_SEPARATORS"),
            SIZE: (settings.r_size, "CHUNK_R_SIZE"),
            OVERLAP: (settings.r_overlap, "CHUNK_R_OVERLAP_SIZE"),
        },
        "semantic_vector": {
            "breakpoint_threshold_type": (settings.v_threshold, "CHUNK_V_BREAKPOINT_THRESHOLD_TYPE"),
            "breakpoint_threshold_amount": (settings.v_amount, "CHUNK_V_BREAKPOINT_THRESHOLD_AMOUNT"),
            "buffer_size": (settings.v_buffer, "CHUNK_V_BUFFER_SIZE"),
            **({"min_chunk_token_size": (settings.v_min_size, "CHUNK_V_MIN_SIZE")} if settings.v_min_size else {}),
            "sentence_split_regex": (settings.v_pattern, "CHUNK_V_SENTENCE_SPLIT_REGEX"),
            SIZE: (settings.v_size, "CHUNK_V_SIZE"),
        },
        "paragraph_semantic": {
            SIZE: (p_size, "CHUNK_P_SIZE"),
            OVERLAP: (settings.p_overlap, "CHUNK_P_OVERLAP_SIZE"),
        },
    }
    values: dict[str, Any] = {SIZE: explicit.get(SIZE, size)}
    origins = {SIZE: "chunk options of the caller" if SIZE in explicit else size_from}
    for strategy, slots in by_env.items():
        slot = values[strategy] = {}
        given = explicit.get(strategy, {})
        for name, (value, env) in slots.items():
            if name in given or (strategy, name) in build.gone:
                continue
            if value is None and name in (SIZE, OVERLAP):
                if name == OVERLAP:
                    slot[name] = overlap
                    origins[f"{strategy}.{name}"] = overlap_from
                continue
            slot[name] = list(value) if isinstance(value, tuple) else value
            origins[f"{strategy}.{name}"] = env if value != _default(strategy, name) else "default"
        for name, value in given.items():
            slot[name] = value
            origins[f"{strategy}.{name}"] = "chunk options of the caller"
    for name, value in explicit.items():
        if name not in values:
            values[name] = value
            origins[name] = "chunk options of the caller"
    return ChunkConfig(values, origins, tuple(build.errors), tuple(build.warnings), settings.p_drop_references)


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


def _default(strategy: str, name: str) -> Any:
    return {
        ("fixed_token", "split_by_character"): None,
        ("fixed_token", "split_by_character_only"): False,
        ("recursive_character", "separators"): DEFAULT_SEPARATORS,
        ("semantic_vector", "breakpoint_threshold_type"): "percentile",
        ("semantic_vector", "breakpoint_threshold_amount"): None,
        ("semantic_vector", "buffer_size"): 1,
        ("semantic_vector", "min_chunk_token_size"): 0,
        ("semantic_vector", "sentence_split_regex"): DEFAULT_SENTENCE_REGEX,
        ("paragraph_semantic", SIZE): DEFAULT_P_SIZE,
    }.get((strategy, name), ...)


def _copy(value: Any) -> Any:
    """A copy in depth of JSON values; tuples become lists."""
    if isinstance(value, list | tuple):
        return [_copy(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _copy(item) for name, item in value.items()}
    return value
