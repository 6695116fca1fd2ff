"""`lrdoc chunk PATH`: a document becomes chunks, shown or as JSON."""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lrdoc.chunkers.base import Chunk, ChunkContext, ChunkerSpec, ChunkResult, ChunkWarning, OptionSpec
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.hard_split import split_to_limit
from lrdoc.chunkers.live import LiveSettings, live_options
from lrdoc.chunkers.reading import ChunkSource, is_chunkable, read_source
from lrdoc.chunkers.registry import Registry, build_options
from lrdoc.chunkers.report import classify_cut, statistics
from lrdoc.cli.common import (
    PathType,
    debug_option,
    engine_options,
    env_file_option,
    json_option,
    plural,
    printable,
    rules_option,
    to_json,
)
from lrdoc.configuration import Choices
from lrdoc.errors import ChunkingError, UsageError
from lrdoc.llm.settings import EmbeddingSettings
from lrdoc.params import FALSE_WORDS, TRUE_WORDS
from lrdoc.routing.chunk_options import ChunkSettings, resolve_chunk_options
from lrdoc.settings import Settings, read_process
from lrdoc.text.tokenizer_settings import TokenizerSettings

if TYPE_CHECKING:
    from lrdoc.analyzers.chunks import ItemChunk
    from lrdoc.llm.embedder import Embedder
    from lrdoc.text.tokens import Tokenizer

EPILOG = """\b
Examples:
  lrdoc chunk report.docx
  lrdoc chunk __parsed__/report.docx.parsed --strategy R --set chunk_ts=400
  lrdoc chunk report.blocks.jsonl --strategy P --set drop_rf --json
  lrdoc chunk __parsed__/report.docx.parsed --items --json
"""

_STRATEGIES = "F, R, V, P or the name of an installed chunker"
_BAR = 32


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be done, put together from the command line, what was stored, and the settings."""

    source: ChunkSource
    spec: ChunkerSpec
    options: Mapping[str, Any]
    chosen_by: str
    """Why this strategy: "--strategy", "stored with the document", …"""
    sentence_pattern: str | None = None
    """The pattern that the caller gave."""


@click.command("chunk", epilog=EPILOG)
@click.argument("path", metavar="PATH", type=PathType(path_type=Path, exists=True))
@click.option("--strategy", "-s", metavar="S", help=f"How to cut: {_STRATEGIES}.")
@click.option("--set", "settings", metavar="K=V", multiple=True, help="An option of the strategy; may be repeated.")
@click.option("--tokenizer", metavar="T", help="Model or encoding whose tokens are counted, or 'estimate'.")
@click.option("--items", is_flag=True, help="Then one chunk of every item that `lrdoc analyze` has described.")
@engine_options
@rules_option
@json_option
@env_file_option
@debug_option
def command(
    path: Path,
    strategy: str | None,
    settings: tuple[str, ...],
    tokenizer: str | None,
    items: bool,
    engine: str | None,
    options: str | None,
    rules: str | None,
    as_json: bool,
    env_file: Path | None,
    debug: bool,
) -> int:
    """Cut a document into chunks: a source file, a parsed folder, or a blocks.jsonl of any implementation.

    Without --strategy the one stored with the document is used; else P for documents with blocks and R for plain text.
    Nothing is written.
    """
    if items and not is_chunkable(path):
        raise UsageError(
            "--items takes a parsed folder: items of a source file are described by nobody yet",
            hint="Use lrdoc parse FILE --analyze first.",
        )
    registry = Registry()
    broken = registry.load_entry_points()
    choices = Choices(engine=engine, options=options, rules=rules, env_file=env_file)
    if is_chunkable(path):
        if engine is not None or rules is not None or options is not None:
            raise UsageError(
                "--engine, --options and --rules are for source files, and this document is parsed already",
                hint="Use --strategy and --set, or give the source file.",
            )
        found, source, kept_by = read_process(env_file).require(), read_source(path), "stored with the document"
    else:
        (found, source), kept_by = _parse(path, choices), "routing of its name"
    request = _plan(source, found, registry, strategy, kept_by, settings)
    result, record = run(request, found, registry, tokenizer)
    described = _item_chunks(path, request, found, record, tokenizer) if items else []
    for error in broken:
        click.echo(printable(str(error)), err=True)
    if as_json:
        click.echo(to_json(record))
    else:
        click.echo("\n".join(printable(line) for line in to_lines(path.name, record, result.chunks)))
        for item in described:
            click.echo(printable(_chunk_line(item.chunk_order_index, item.tokens, item.item_id, item.content)))
    return 0


def run(
    request: Request, found: Settings, registry: Registry, tokenizer: str | None = None
) -> tuple[ChunkResult, dict[str, Any]]:
    """The chunks, and the JSON object that tells about them."""
    from lrdoc.text.tokens import load_tokenizer

    counted = load_tokenizer(tokenizer or found.of(TokenizerSettings).model)
    embedding = found.of(EmbeddingSettings)
    embedder = _embedder(embedding) if request.spec.needs_embedder else None
    settings = found.of(ChunkSettings)
    pattern = request.sentence_pattern or settings.v_pattern
    live = live_options(found.of(LiveSettings), sentence_pattern=pattern, separators=settings.r_separators)
    context = ChunkContext(counted, embedder, live)
    result = registry.chunker(request.spec.name).chunk(request.source.document, request.options, context)
    limit = embedding.token_limit if embedder is None else embedder.max_input_tokens
    result = _within_limit(result, request.source.document, limit, embedding.overlap, context)
    return result, describe(request, result, counted, embedder)


def _within_limit(
    result: ChunkResult, document: ChunkDocument, limit: int | None, overlap: int, context: ChunkContext
) -> ChunkResult:
    """Chunks over the embedding model's limit cut into pieces, which a warning says."""
    too_long = sum(limit is not None and chunk.tokens > limit for chunk in result.chunks)
    pieces = split_to_limit(result.chunks, document, limit, overlap, context)
    if not too_long:
        return ChunkResult(pieces, result.warnings)
    warning = ChunkWarning(
        "over_embedding_limit",
        f"{plural(too_long, 'chunk')} had more tokens than the embedding model takes ({limit}) and became pieces; "
        "a smaller chunk_token_size cuts at better places.",
    )
    return ChunkResult(pieces, (*result.warnings, warning))


def _item_chunks(
    path: Path, request: Request, found: Settings, record: dict[str, Any], tokenizer: str | None
) -> list[ItemChunk]:
    """Chunks of described items, which are also put into the record after those of the text."""
    from lrdoc.analyzers.chunks import item_chunks
    from lrdoc.text.tokens import load_tokenizer

    folder = path if path.is_dir() else path.parent
    stored = "".join(letter for letter in request.source.stored_options[0] if letter in "ite")
    chunks: list[dict[str, Any]] = record["chunks"]
    first = max((chunk["chunk_order_index"] for chunk in chunks), default=-1) + 1
    counted = load_tokenizer(tokenizer or found.of(TokenizerSettings).model)
    described = item_chunks(
        folder, stored or "ite", counted, doc_id=request.source.document.doc_id or "", first_index=first
    )
    chunks += [item.to_dict() for item in described]
    record["stats"]["item_chunks"] = len(described)
    return described


def chunk_page(folder: Path, strategy: str, settings: Sequence[str], env_file: Path | None) -> Iterator[str]:
    """An HTML page with the chunks of a parsed folder (`lrdoc export --chunks`)."""
    from lrdoc.export.chunk_page import render_chunks

    registry = Registry()
    registry.load_entry_points()
    found, source = read_process(env_file).require(), read_source(folder)
    request = _plan(source, found, registry, strategy, "stored with the document", settings)
    result, record = run(request, found, registry)
    assets = sorted(folder.glob("*.blocks.assets"))
    cuts = [None, *(classify_cut(source.document, a, b) for a, b in itertools.pairwise(result.chunks))]

    def details(chunk: Chunk) -> str:
        kind = cuts[chunk.chunk_order_index]
        lines = [
            chunk.chunk_id,
            f"{chunk.tokens} tokens of at most {request.options['chunk_token_size']}",
            f"characters {', '.join(f'{a}–{b}' for a, b in chunk.spans)}",
            f"cut before it: {_CUT_WORDS[kind]}" if kind is not None else "",
            f"sections: {', '.join(section.heading for section in chunk.sections)}" if chunk.sections else "",
            f"blocks: {', '.join(chunk.refs)}" if chunk.refs else "",
            *(f"rows {t.rows[0] + 1}–{t.rows[1]} of {t.total_rows} of {t.id}" for t in chunk.tables),
            f"put in: {', '.join(dict.fromkeys(insert.kind for insert in chunk.inserts))}" if chunk.inserts else "",
        ]
        return "\n".join(line for line in lines if line)

    name = source.document.title or folder.name
    summary = to_lines(name, record, ())
    return render_chunks(name, result.chunks, summary, details, assets[0] if assets else None)


def _parse(path: Path, choices: Choices) -> tuple[Settings, ChunkSource]:
    """Parse a source file into a folder that is removed again."""
    from lrdoc.app import App

    if path.is_dir():
        raise UsageError(
            f"{path} is a folder without a parsed document",
            hint="Give one source file, a .parsed folder or a blocks.jsonl.",
        )
    app = App.load(choices)
    with tempfile.TemporaryDirectory(prefix="lrdoc-chunk-") as folder:
        parsed = Path(folder) / f"{app.canonical_name(path.name)}.parsed"
        app.parse(path, parsed)
        return app.settings, read_source(parsed)


def _plan(
    source: ChunkSource,
    found: Settings,
    registry: Registry,
    strategy: str | None,
    kept_by: str,
    given: Sequence[str],
) -> Request:
    process_options, stored = source.stored_options
    letters = [letter for letter in process_options if letter in "FRVPC"]
    if strategy is not None:
        spec, chosen_by = registry.spec(strategy), "--strategy"
    elif isinstance(stored.get("chunker"), str):
        spec, chosen_by = registry.spec(stored["chunker"]), kept_by
    elif letters:
        spec, chosen_by = registry.spec(letters[0]), kept_by
    elif source.document.blocks:
        spec, chosen_by = registry.spec("P"), "the document has blocks"
    else:
        spec, chosen_by = registry.spec("R"), "the document is plain text"
    values = dict(_read_pairs(given, spec))
    # The caller's own pattern counts; only one stored with a document is ignored.
    pattern = values.pop("sentence_split_regex", None)
    try:
        build_options(spec, values)
    except ChunkingError as e:
        raise UsageError(f"--set: {e.message}", hint=e.hint) from e
    kept = stored.get(spec.name)
    top = stored.get("chunk_token_size") if kept is not None else None
    letter = spec.letter if spec.letter in ("F", "R", "V", "P") else "F"
    resolved = resolve_chunk_options(found.of(ChunkSettings), None, letter, params={letter: values}).values
    configured = resolved.get("fixed_token" if letter == "F" else spec.name, {})
    base: dict[str, Any] = {}
    for options in (configured, kept if isinstance(kept, Mapping) else {}, values):
        base.update({name: value for name, value in options.items() if spec.option(name) is not None})
    if pattern is not None:
        base.pop("sentence_split_regex", None)
    size = base.get("chunk_token_size") or (top if isinstance(top, int) else resolved["chunk_token_size"])
    overlap = base.get("chunk_overlap_token_size")
    if isinstance(overlap, int) and overlap >= size and "chunk_overlap_token_size" not in values:
        # An overlap that nobody asked for now never makes the call fail.
        base["chunk_overlap_token_size"] = size // 12
    return Request(source, spec, build_options(spec, base, top_size=size), chosen_by, pattern)


def _read_pairs(given: Sequence[str], spec: ChunkerSpec) -> list[tuple[str, Any]]:
    """Options of --set by their full names. UsageError for one that the strategy does not have."""
    pairs = []
    for text in given:
        name, equals, value = text.partition("=")
        option = spec.option(name.strip())
        if option is None:
            known = ", ".join("/".join((o.name, *o.aliases)) for o in spec.options)
            raise UsageError(f"--set {text}: {spec.name} has no option {name.strip()!r}", hint=f"Options: {known}.")
        if not equals and option.type is not bool:
            raise UsageError(f"--set {text}: a value is missing", hint=f"Write {option.name}=VALUE.")
        pairs.append((option.name, _read_value(option, value if equals else "true", text)))
    return pairs


def _read_value(option: OptionSpec, value: str, told: str) -> Any:
    word = value.strip().lower()
    if word in ("null", "none") and option.nullable:
        return None
    try:
        if option.type is bool:
            if word not in TRUE_WORDS and word not in FALSE_WORDS:
                raise ValueError("expected true or false")
            return word in TRUE_WORDS
        if option.type is int:
            return int(word)
        if option.type is float:
            return float(word)
        if option.type is str:
            return value
        listed = json.loads(value)
        if not isinstance(listed, list):
            raise ValueError('expected a JSON list such as ["\\n\\n", "\\n", " "]')
    except ValueError as e:
        raise UsageError(f"--set {told}: {e}") from e
    return listed


def _embedder(settings: EmbeddingSettings) -> Embedder | None:
    from lrdoc.llm.embedder import embedder_of

    return embedder_of(settings)


def describe(request: Request, result: ChunkResult, tokenizer: Tokenizer, embedder: Embedder | None) -> dict[str, Any]:
    """The JSON object."""
    document = request.source.document
    stats = statistics(document, result.chunks, request.options["chunk_token_size"])
    return {
        "chunks": [chunk.to_dict() for chunk in result.chunks],
        "stats": {
            "strategy": request.spec.name,
            "chosen_by": request.chosen_by,
            "options": {name: value for name, value in request.options.items() if value is not None},
            "tokenizer": tokenizer.name,
            **({"embedder": embedder.name if embedder is not None else None} if request.spec.needs_embedder else {}),
            "doc_id": document.doc_id,
            "title": document.title,
            "blocks": len(document.blocks),
            **stats,
        },
        "warnings": [{"code": w.code, "message": w.message, "where": w.where} for w in result.warnings],
    }


def to_lines(name: str, record: Mapping[str, Any], chunks: Sequence[Chunk]) -> list[str]:
    """For people: sizes as a histogram, where cuts fell, and the chunks."""
    stats = record["stats"]
    tokens = stats["tokens"]
    counted = "characters/4 (an estimate)" if stats["tokenizer"] == "estimate" else stats["tokenizer"]
    lines = [
        f"{name}: {plural(stats['chunks'], 'chunk')} by {stats['strategy']} ({stats['chosen_by']}), "
        f"{tokens['total']:,} tokens of {counted}",
    ]
    if chunks:
        lines.append(
            f"  tokens per chunk: {tokens['min']:,} to {tokens['max']:,}, median {tokens['median']:,}, "
            f"at most {tokens['size']:,}"
        )
        most = max(row["chunks"] for row in stats["histogram"])
        for row in stats["histogram"] if len(chunks) > 2 else ():
            bar = "█" * -(-row["chunks"] * _BAR // most) if row["chunks"] else ""
            lines.append(f"  {row['from']:>7,}–{row['to']:<7,} {bar} {row['chunks'] or ''}".rstrip())
    if stats["cuts"]:
        told = ", ".join(f"{n} {_CUT_WORDS[kind]}" for kind, n in stats["cuts"].items())
        lines.append(f"  cuts: {told}")
    if stats["characters_repeated"]:
        lines.append(f"  repeated in a neighbour: {stats['characters_repeated']:,} characters")
    lines.extend(f"  warning: {w['message']}" + (f" ({w['where']})" if w["where"] else "") for w in record["warnings"])
    for chunk in chunks:
        path = " › ".join(chunk.heading.path()) if chunk.heading is not None else ""
        lines.append(_chunk_line(chunk.chunk_order_index, chunk.tokens, path, chunk.content))
    return lines


def _chunk_line(index: int, tokens: int, path: str, content: str) -> str:
    begin = " ".join(content[:160].split())
    return f"{index:>5} {tokens:>6,}  {_clip(path, 44):<44}  {_clip(begin, 60)}"


_CUT_WORDS = {
    "heading": "before a heading",
    "block": "between blocks",
    "paragraph": "between paragraphs",
    "line": "between lines",
    "table_row": "between table rows",
    "item": "inside an item",
    "sentence": "after a sentence",
    "word": "between words",
    "character": "inside a word",
}


def _clip(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
