"""The chunker contract: a document and options go in, chunks with spans come out.

Chunkers are pure: they touch no disk, clock, network or environment. What they need from outside (a tokenizer, an
embedder, live settings) comes in through `ChunkContext`. Strategies are described by import-cheap `ChunkerSpec`s, which
routing and the command line are given as data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from lrdoc.cancellation import Cancellable
from lrdoc.errors import ChunkingError

if TYPE_CHECKING:
    from lrdoc.chunkers.document import ChunkDocument
    from lrdoc.llm.embedder import Embedder
    from lrdoc.text.tokens import Encoder, Tokenizer

MIN_CHUNK_TOKENS = 16
"""Smallest cap that every strategy guarantees to keep; a smaller one is an error."""

DEFAULT_SEPARATORS: tuple[str, ...] = ("\n\n", "\n", "。", "！", "？", "；", "，", " ", "")
"""The cascade of CHUNK_R_SEPARATORS, strongest boundary first (public specification, 5.2)."""

DEFAULT_SENTENCE_PATTERN = r"(?<=[.?!])\s+|(?<=[。？！])"
"""Where a sentence ends (CHUNK_V_SENTENCE_SPLIT_REGEX)."""

MAX_SEPARATORS = 64
MAX_SEPARATOR_CHARS = 256

InsertKind = Literal["open", "header", "cell", "close", "join", "text"]


class ChunkHeading(msgspec.Struct, frozen=True):
    """Where a chunk stands in the outline of its document."""

    level: int
    heading: str
    parent_headings: tuple[str, ...] = ()

    def path(self) -> tuple[str, ...]:
        """All headings from the outermost to this one, empty ones left out."""
        return tuple(name for name in (*self.parent_headings, self.heading) if name)


class Insert(msgspec.Struct, frozen=True):
    """A stretch of a chunk's content that is not a slice of the text at this place."""

    chars: tuple[int, int]
    """Half-open range of code points of the chunk's `content`."""
    kind: InsertKind
    """open/close: tag around a cut table, equation or drawing; header: repeated header rows; cell: the rest of a cell
    that spans the cut; join: between slices that are not neighbours; text: written by a custom chunker."""


class TableSlice(msgspec.Struct, frozen=True):
    """Which rows of a table a chunk holds."""

    id: str
    rows: tuple[int, int]
    """Half-open range of rows of the stored table, header rows counted."""
    total_rows: int
    header_rows: int = 0
    """How many header rows were put before them; they are marked as inserts."""
    spans: tuple[tuple[int, int, int, int], ...] = ()
    """[row, column, row span, column span] of merged cells, clipped to the slice and counted from its first row as it
    stands in the content (inserted header rows included)."""


class Chunk(msgspec.Struct, frozen=True):
    """One piece of a document."""

    chunk_id: str
    chunk_order_index: int
    """Counts from 0 without gaps."""
    content: str
    """Escaped text as stored in the merged text. Without the inserts it is exactly the slices at `spans`."""
    tokens: int
    """Tokens of `content`, counted by encoding it."""
    strategy: str
    """Key of the strategy that cut it: fixed_token, recursive_character, semantic_vector, paragraph_semantic, or the
    name of a custom chunker."""
    heading: ChunkHeading | None = None
    refs: tuple[str, ...] = ()
    """Ids of the blocks it holds text of, in order."""
    spans: tuple[tuple[int, int], ...] = ()
    """Half-open ranges of the merged text, ascending."""
    inserts: tuple[Insert, ...] = ()
    sections: tuple[ChunkHeading, ...] = ()
    """Headings that begin inside the chunk, in order."""
    tables: tuple[TableSlice, ...] = ()
    """Tables of which only some rows are here."""
    provenance: tuple[Mapping[str, Any], ...] = ()
    """Provenance entries of the text it holds: `chars` are ranges of `content`, `block` the block's id."""
    prefix: str = ""
    """Heading path and captions for embedding; not part of `content`."""
    prefix_tokens: int = 0
    split_part: int | None = None
    """Number of the piece (from 1) when a chunk was cut to an embedding model's limit."""
    split_total: int | None = None

    @property
    def text_for_embedding(self) -> str:
        """`content` after the prefix, if there is one."""
        return self.prefix + self.content

    def to_dict(self) -> dict[str, Any]:
        """JSON values; all that an adapter to another library needs. Fields without a value are left out."""
        row: dict[str, Any] = {
            "chunk_id": self.chunk_id,
            "chunk_order_index": self.chunk_order_index,
            "content": self.content,
            "tokens": self.tokens,
        }
        if self.heading is not None:
            row["heading"] = _heading_dict(self.heading)
        if self.refs:
            row["sidecar"] = {
                "type": "block",
                "id": self.refs[0],
                "refs": [{"type": "block", "id": ref} for ref in self.refs],
            }
        row["strategy"] = self.strategy
        row["spans"] = [list(span) for span in self.spans]
        if self.inserts:
            row["inserts"] = [{"chars": list(insert.chars), "kind": insert.kind} for insert in self.inserts]
        if self.sections:
            row["sections"] = [_heading_dict(section) for section in self.sections]
        if self.tables:
            row["tables"] = [msgspec.to_builtins(table) for table in self.tables]
        row["provenance"] = [dict(entry) for entry in self.provenance]
        if self.prefix:
            row["prefix"] = self.prefix
            row["prefix_tokens"] = self.prefix_tokens
        if self.split_total is not None:
            row["split_type"] = "hard_fallback"
            row["split_part"] = self.split_part
            row["split_total"] = self.split_total
        return row


def _heading_dict(heading: ChunkHeading) -> dict[str, Any]:
    return {
        "level": heading.level,
        "heading": heading.heading,
        "parent_headings": list(heading.parent_headings),
    }


class ChunkWarning(msgspec.Struct, frozen=True):
    """Something the reader of the chunks should know."""

    code: str
    """Stable identifier in lower_snake_case."""
    message: str
    where: str = ""
    """Table, heading or block; "" for the whole document."""


class ChunkResult(msgspec.Struct, frozen=True):
    """Chunks in document order, and what had to be decided on the way."""

    chunks: tuple[Chunk, ...]
    warnings: tuple[ChunkWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Options that are never stored with a document but read anew for every run (public specification, 2.6 and 5.4)."""

    sentence_split_regex: str = DEFAULT_SENTENCE_PATTERN
    references_tail_n: int = 0
    """0: all blocks; n: only the last n."""
    references_headings: tuple[str, ...] | None = None
    """None: the built-in list of names."""
    separators: tuple[str, ...] | None = None
    """The configured cascade, used wherever a strategy falls back to recursive cutting. None: DEFAULT_SEPARATORS."""


@dataclass(slots=True)
class ChunkContext(Cancellable):
    """What a chunker may use of the world outside the document."""

    tokenizer: Tokenizer | Encoder
    embedder: Embedder | None = None
    live: LiveOptions = field(default_factory=LiveOptions)


class Chunker(Protocol):
    """A strategy. Constructed without arguments, once; `chunk` may run in several threads at a time."""

    def chunk(self, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext) -> ChunkResult:
        """Cut one document.

        `options` were checked against the specification's schema, defaults filled in; they are not changed.
        Raises ChunkingError, ModelError (embedding) or Cancelled.
        """


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a strategy, as it stands in the strategy's sub-dictionary of `chunk_options`."""

    name: str
    type: type[bool] | type[int] | type[float] | type[str] | type[list[str]]
    default: Any = None
    """None with `nullable`: unset; for chunk_token_size the top-level value is inherited then."""
    help: str = ""
    aliases: tuple[str, ...] = ()
    env: str | None = None
    """The strategy's own variable for it (public specification, 5.2)."""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    nullable: bool = False
    in_hint: bool = False
    """May stand in a rule or hint: `R(chunk_ts=800)`."""
    stored: bool = True
    """Part of the snapshot kept with a document; options that are not are read anew for every run."""


@dataclass(frozen=True, slots=True)
class ChunkerSpec:
    """Import-cheap description of a strategy. Built-in and third-party chunkers register the same way."""

    letter: str
    """Selector in processing options: "F", "R", "V", "P", "C"; "" for third-party chunkers, chosen by name."""
    name: str
    """Key of its options in `chunk_options`: "recursive_character"."""
    impl: str
    """ "module:Class", imported on first use."""
    options: tuple[OptionSpec, ...] = ()
    aliases: tuple[str, ...] = ()
    """Other names that the command line takes: "Recursive"."""
    needs_embedder: bool = False
    help: str = ""
    plugin: str = ""
    """Distribution that brought the chunker, "" for built-ins."""

    def option(self, name: str) -> OptionSpec | None:
        """The option of this name or alias, None when there is none."""
        for option in self.options:
            if name == option.name or name in option.aliases:
                return option
        return None

    def defaults(self) -> dict[str, Any]:
        """Option name → default."""
        return {option.name: option.default for option in self.options}


def bound_separators(separators: Sequence[str] | None) -> tuple[tuple[str, ...], list[str]]:
    """Apply the bounds of 5.2 to a cascade and say in words what was changed.

    Entries over 256 characters are dropped, not shortened; more than 64 are cut to 64. When nothing survives, the
    splitter's own four-entry cascade is used. The empty separator always ends the cascade, since without it the size
    could not be kept.
    """
    if separators is None:
        return DEFAULT_SEPARATORS, []
    notes: list[str] = []
    kept = [entry for entry in separators if len(entry) <= MAX_SEPARATOR_CHARS]
    if len(kept) < len(separators):
        notes.append(f"{len(separators) - len(kept)} separator(s) longer than {MAX_SEPARATOR_CHARS} characters dropped")
    if len(kept) > MAX_SEPARATORS:
        notes.append(f"{len(kept)} separators cut to {MAX_SEPARATORS}")
        sentinel = "" in kept
        kept = kept[:MAX_SEPARATORS]
        if sentinel and "" not in kept:
            kept[-1] = ""
    if not kept:
        return ("\n\n", "\n", " ", ""), notes
    if "" in kept:
        kept = kept[: kept.index("")]
    unique = list(dict.fromkeys(kept))
    return (*unique, ""), notes


def check_size(size: int) -> None:
    """Raise ChunkingError for a cap below the smallest one."""
    if size < MIN_CHUNK_TOKENS:
        raise ChunkingError(
            f"chunk_token_size is {size}, but no cap below {MIN_CHUNK_TOKENS} tokens can be kept for every text",
            hint=f"Set chunk_token_size to {MIN_CHUNK_TOKENS} or more.",
        )


def check_overlap(size: int, overlap: int) -> None:
    """Raise ChunkingError for an overlap that leaves no room for new text."""
    if overlap < 0:
        raise ChunkingError(
            f"chunk_overlap_token_size must not be negative, got {overlap}", hint="Set it to 0 for no overlap."
        )
    if overlap >= size:
        raise ChunkingError(
            f"chunk_overlap_token_size ({overlap}) must be < chunk_token_size ({size})",
            hint="Lower the overlap or raise the size.",
        )
