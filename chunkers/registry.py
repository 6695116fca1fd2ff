"""The table of chunkers: built-in strategies and those that other packages bring.

A third-party chunker is an entry point of group `lrdoc.chunkers` that names a `ChunkerSpec`.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from lrdoc.chunkers.base import DEFAULT_SEPARATORS, Chunker, ChunkerSpec, OptionSpec
from lrdoc.errors import ChunkingError, RegistrationError, UsageError

ENTRY_POINT_GROUP = "lrdoc.chunkers"


def _size(env: str, default: int | None = None) -> OptionSpec:
    return OptionSpec(
        "chunk_token_size",
        int,
        default,
        "largest number of tokens of a chunk",
        aliases=("chunk_ts",),
        env=env,
        minimum=1,
        nullable=default is None,
        in_hint=True,
    )


def _overlap(env: str) -> OptionSpec:
    return OptionSpec(
        "chunk_overlap_token_size",
        int,
        100,
        "tokens repeated from the chunk before, at most",
        aliases=("chunk_ol",),
        env=env,
        minimum=0,
        in_hint=True,
    )


_PREFIX = OptionSpec(
    "context_prefix",
    bool,
    False,
    "put heading path and caption before a chunk's text for embedding, within the size; stored apart",
)
_SEPARATORS = OptionSpec(
    "separators",
    list[str],
    DEFAULT_SEPARATORS,
    "separators from the strongest boundary to the weakest",
    env="CHUNK_R_SEPARATORS",
    nullable=True,
)

BUILTIN: tuple[ChunkerSpec, ...] = (
    ChunkerSpec(
        "F",
        "fixed_token",
        "lrdoc.chunkers.fixed:FixedChunker",
        (
            _size("CHUNK_F_SIZE"),
            _overlap("CHUNK_F_OVERLAP_SIZE"),
            OptionSpec(
                "split_by_character",
                str,
                None,
                "cut at this separator first",
                env="CHUNK_F_SPLIT_BY_CHARACTER",
                nullable=True,
            ),
            OptionSpec(
                "split_by_character_only",
                bool,
                False,
                "cut nowhere else; a segment over the size is an error",
                env="CHUNK_F_SPLIT_BY_CHARACTER_ONLY",
            ),
            _PREFIX,
        ),
        aliases=("Fix", "Fixed"),
        help="windows of a fixed number of tokens",
    ),
    ChunkerSpec(
        "R",
        "recursive_character",
        "lrdoc.chunkers.recursive:RecursiveChunker",
        (_size("CHUNK_R_SIZE"), _overlap("CHUNK_R_OVERLAP_SIZE"), _SEPARATORS, _PREFIX),
        aliases=("Recursive",),
        help="along paragraphs, lines, sentences and words",
    ),
    ChunkerSpec(
        "V",
        "semantic_vector",
        "lrdoc.chunkers.semantic:VectorChunker",
        (
            _size("CHUNK_V_SIZE"),
            OptionSpec(
                "breakpoint_threshold_type",
                str,
                "percentile",
                "how the threshold of a semantic break is found",
                env="CHUNK_V_BREAKPOINT_THRESHOLD_TYPE",
                choices=("percentile", "standard_deviation", "interquartile", "gradient"),
            ),
            OptionSpec(
                "breakpoint_threshold_amount",
                float,
                None,
                "magnitude of the threshold; unset: 95 for percentile and gradient, 3 and 1.5 for the others",
                env="CHUNK_V_BREAKPOINT_THRESHOLD_AMOUNT",
                nullable=True,
            ),
            OptionSpec(
                "buffer_size",
                int,
                1,
                "neighbouring sentences that join a sentence when it is embedded",
                env="CHUNK_V_BUFFER_SIZE",
                minimum=0,
            ),
            OptionSpec(
                "min_chunk_token_size",
                int,
                0,
                "a group of sentences below this many tokens goes on growing",
                env="CHUNK_V_MIN_SIZE",
                minimum=0,
            ),
            OptionSpec("min_chunk_size", int, None, "the same in characters", minimum=0, nullable=True),
            OptionSpec(
                "number_of_chunks",
                int,
                None,
                "choose the threshold so that about this many groups come out",
                minimum=1,
                nullable=True,
            ),
            OptionSpec(
                "sentence_split_regex",
                str,
                None,
                "pattern between two sentences; read anew for every run, never taken from a stored snapshot",
                env="CHUNK_V_SENTENCE_SPLIT_REGEX",
                nullable=True,
                stored=False,
            ),
            _PREFIX,
        ),
        aliases=("Vector",),
        needs_embedder=True,
        help="where the meaning of neighbouring sentences changes",
    ),
    ChunkerSpec(
        "P",
        "paragraph_semantic",
        "lrdoc.chunkers.paragraph:ParagraphChunker",
        (
            _size("CHUNK_P_SIZE", 2000),
            _overlap("CHUNK_P_OVERLAP_SIZE"),
            OptionSpec(
                "drop_references",
                bool,
                False,
                "leave the list of references out",
                aliases=("drop_rf",),
                env="CHUNK_P_DROP_REFERENCES",
                in_hint=True,
            ),
            OptionSpec(
                "references_tail_n",
                int,
                None,
                "look for references only in the last n blocks; 0: everywhere",
                env="CHUNK_P_REFERENCES_TAIL_N",
                minimum=0,
                nullable=True,
                stored=False,
            ),
            OptionSpec(
                "references_headings",
                list[str],
                None,
                "headings that begin a list of references",
                env="CHUNK_P_REFERENCES_HEADINGS",
                nullable=True,
                stored=False,
            ),
            _PREFIX,
        ),
        aliases=("Paragraph",),
        help="along headings, paragraphs and table rows",
    ),
    ChunkerSpec(
        "C",
        "custom",
        "lrdoc.chunkers.custom:CustomChunker",
        (
            _size("CHUNK_F_SIZE"),
            _overlap("CHUNK_F_OVERLAP_SIZE"),
            OptionSpec("split_by_character", str, None, "passed on to the function", nullable=True),
            OptionSpec("split_by_character_only", bool, False, "passed on to the function"),
            _PREFIX,
        ),
        aliases=("Custom",),
        help="a function of the caller, with the options of F",
    ),
)


class Registry:
    """Chunkers by letter, name or alias. Instances are made on first use and shared."""

    def __init__(self, specs: Iterable[ChunkerSpec] = BUILTIN) -> None:
        self._specs: list[ChunkerSpec] = []
        self._by_name: dict[str, ChunkerSpec] = {}
        self._instances: dict[str, Chunker] = {}
        for spec in specs:
            self.register(spec)

    def __iter__(self) -> Iterator[ChunkerSpec]:
        return iter(self._specs)

    def register(self, spec: ChunkerSpec) -> None:
        """Add a chunker; RegistrationError names plug-in, field and remedy when it does not fit."""
        check_spec(spec)
        names = [name for name in (spec.letter, spec.name, *spec.aliases) if name]
        for name in names:
            taken = self._by_name.get(name.casefold())
            if taken is not None:
                raise RegistrationError(
                    f"{_who(spec)}: the name {name!r} belongs to the chunker {taken.name!r}",
                    hint="Choose another name.",
                )
        self._specs.append(spec)
        for name in names:
            self._by_name[name.casefold()] = spec

    def load_entry_points(self, points: Iterable[EntryPoint] | None = None) -> list[RegistrationError]:
        """Register what installed packages bring; returns the errors of those that do not fit."""
        errors: list[RegistrationError] = []
        found = entry_points(group=ENTRY_POINT_GROUP) if points is None else points
        for point in sorted(found, key=lambda p: p.name):
            plugin = point.dist.name if point.dist is not None else point.value
            try:
                spec = point.load()
            except (Exception, SystemExit) as e:  # whatever a plug-in raises is its state, not ours
                errors.append(
                    RegistrationError(
                        f"chunker plug-in {plugin!r}: entry point {point.name!r} cannot be loaded: "
                        f"{type(e).__name__}: {e}",
                        hint=f"Correct the entry point {point.value!r} or uninstall the package.",
                    )
                )
                continue
            if not isinstance(spec, ChunkerSpec):
                errors.append(
                    RegistrationError(
                        f"chunker plug-in {plugin!r}: entry point {point.name!r} is a {type(spec).__name__}",
                        hint="It must name a lrdoc.chunkers.base.ChunkerSpec.",
                    )
                )
                continue
            try:
                self.register(spec)
            except RegistrationError as e:
                errors.append(e)
        return errors

    def spec(self, name: str) -> ChunkerSpec:
        """The chunker of this letter, name or alias (any case); UsageError lists the known ones."""
        spec = self._by_name.get(name.casefold())
        if spec is None:
            known = ", ".join(f"{s.letter} ({s.name})" if s.letter else s.name for s in self._specs)
            raise UsageError(f"unknown chunking strategy {name!r}", hint=f"Available: {known}.")
        return spec

    def chunker(self, name: str) -> Chunker:
        """The chunker itself; RegistrationError when its class cannot be loaded or lacks `chunk`."""
        spec = self.spec(name)
        instance = self._instances.get(spec.name)
        if instance is None:
            instance = load_chunker(spec)
            self._instances[spec.name] = instance
        return instance

    def options(self, name: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Options of a strategy with defaults filled in; see `build_options`."""
        return build_options(self.spec(name), values or {})


def _who(spec: ChunkerSpec) -> str:
    return f"chunker plug-in {spec.plugin!r}" if spec.plugin else f"chunker {spec.name!r}"


def check_spec(spec: ChunkerSpec) -> None:
    """Raise RegistrationError when a specification's fields do not fit the contract."""

    def fail(field: str, problem: str, remedy: str) -> None:
        raise RegistrationError(f"{_who(spec)}: field {field}: {problem}", hint=remedy)

    if not re.fullmatch(r"[a-z][a-z0-9_]*", spec.name):
        fail("name", f"{spec.name!r} is not a name", "Use lower case letters, digits and underscores.")
    if spec.letter and not re.fullmatch(r"[A-Z]", spec.letter):
        fail("letter", f"{spec.letter!r} is not a selector", "Leave it empty; letters are for built-in strategies.")
    module, _, cls = spec.impl.partition(":")
    if not module or not cls:
        fail("impl", f"{spec.impl!r} names no class", 'Write "package.module:Class".')
    seen: set[str] = set()
    for option in spec.options:
        for name in (option.name, *option.aliases):
            if name in seen:
                fail("options", f"{name!r} occurs twice", "Give every option and alias its own name.")
            seen.add(name)
    size = spec.option("chunk_token_size")
    if size is None or size.type is not int:
        fail("options", "chunk_token_size is missing", "Every chunker has an integer option chunk_token_size.")


def load_chunker(spec: ChunkerSpec) -> Chunker:
    """Import and construct a chunker."""
    module, _, cls = spec.impl.partition(":")
    try:
        made = getattr(importlib.import_module(module), cls)()
    except (Exception, SystemExit) as e:  # importing and constructing run other people's code
        raise RegistrationError(
            f"{_who(spec)}: {spec.impl} cannot be loaded: {type(e).__name__}: {e}",
            hint="Install what it needs, or correct `impl`; the class is constructed without arguments.",
        ) from e
    method = getattr(made, "chunk", None)
    if not callable(method) or len(inspect.signature(method).parameters) < 3:
        raise RegistrationError(
            f"{_who(spec)}: {spec.impl} has no method chunk(document, options, context)",
            hint="Implement lrdoc.chunkers.base.Chunker.",
        )
    return cast(Chunker, made)


def build_options(spec: ChunkerSpec, values: Mapping[str, Any], *, top_size: int = 1200) -> dict[str, Any]:
    """Checked options of one strategy, aliases resolved and defaults filled in. `values` is not changed.

    An unset chunk_token_size becomes `top_size`. Raises ChunkingError that lists all mistakes.
    """
    options = spec.defaults()
    problems: list[str] = []
    for name, value in values.items():
        option = spec.option(name)
        if option is None:
            known = ", ".join(o.name for o in spec.options)
            problems.append(f"{name}: no option of {spec.letter or spec.name} (options: {known})")
            continue
        problem, checked = _check_option(option, value)
        if problem:
            problems.append(f"{option.name}: {problem}")
        else:
            options[option.name] = checked
    if problems:
        raise ChunkingError(f"options of {spec.name}: " + "; ".join(problems))
    if options.get("chunk_token_size") is None:
        options["chunk_token_size"] = top_size
    return options


def _check_option(option: OptionSpec, value: Any) -> tuple[str, Any]:
    """(problem, value); the problem is "" when the value fits."""
    if value is None:
        return ("", None) if option.nullable else ("must not be null", None)
    if option.type is bool:
        return ("", value) if isinstance(value, bool) else (f"must be true or false, not {value!r}", None)
    if option.type in (int, float):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"must be a number, not {value!r}", None
        if option.type is int:
            if int(value) != value:
                return f"must be a whole number, not {value!r}", None
            value = int(value)
        else:
            value = float(value)
            if value != value or value in (float("inf"), float("-inf")):
                return f"must be finite, not {value!r}", None
        if option.minimum is not None and value < option.minimum:
            return f"must be at least {option.minimum:g}, got {value}", None
        return "", value
    if option.type is str:
        if not isinstance(value, str):
            return f"must be a text, not {value!r}", None
        if option.choices and value not in option.choices:
            return f"must be one of {', '.join(option.choices)}, not {value!r}", None
        return "", value
    if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
        return f"must be a list of texts, not {value!r}", None
    return "", tuple(value)
