"""C: a function of the caller.

The function is called as chunking_func(tokenizer, content, split_by_character, split_by_character_only,
chunk_overlap_token_size, chunk_token_size), sync or async, and gives a list of dicts with `content` and whatever else
it knows. It may also give `lrdoc.chunkers.base.Chunk`s.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from lrdoc.chunkers.base import Chunk, ChunkContext, ChunkHeading, ChunkResult, ChunkWarning, Insert
from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import strip_range
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import Draft, finish
from lrdoc.chunkers.prefix import add_prefixes
from lrdoc.errors import ChunkingError, LrdocError, UsageError
from lrdoc.text.tokens import as_tokenizer

ChunkingFunction = Callable[..., Any]


class CustomChunker:
    """Runs a caller's chunking function and gives its rows ids, spans and references."""

    def __init__(self, function: ChunkingFunction | None = None, name: str = "custom") -> None:
        self._function = function
        self._name = name

    def chunk(self, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext) -> ChunkResult:
        """Raises ChunkingError, naming the document, when the function fails; UsageError when there is none."""
        if self._function is None:
            raise UsageError(
                "the strategy C needs a chunking function and none was given",
                hint="Pass CustomChunker(function), or choose F, R, V or P.",
            )
        rows = self._call(self._function, document, options, context)
        return self._result(rows, document, options, context)

    def _call(
        self,
        function: ChunkingFunction,
        document: ChunkDocument,
        options: Mapping[str, Any],
        context: ChunkContext,
    ) -> Any:
        try:
            made = function(
                context.tokenizer,
                document.text,
                options.get("split_by_character"),
                options.get("split_by_character_only", False),
                options.get("chunk_overlap_token_size", 0),
                options["chunk_token_size"],
            )
            return _wait_for(made) if inspect.iscoroutine(made) else made
        except LrdocError:
            raise
        except Exception as e:  # a caller's code may raise anything; the document's failure names it
            raise ChunkingError(
                f"the chunking function {_name_of(function)} failed on {document.doc_id}: {type(e).__name__}: {e}"
            ) from e

    def _result(
        self, rows: Any, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext
    ) -> ChunkResult:
        if not isinstance(rows, list | tuple):
            raise ChunkingError(
                f"the chunking function gave a {type(rows).__name__}",
                hint="It must give a list of dicts that have a 'content'.",
            )
        tokenizer = as_tokenizer(context.tokenizer)
        counter = RangeCounter(document.text, tokenizer)
        drafts: list[Draft] = []
        place = 0
        strangers = 0
        for i, row in enumerate(rows):
            content, heading = _content_of(row, i)
            if not content.strip():
                continue
            # Rows may overlap: the next one is looked for from the beginning of the last one on.
            start = document.text.find(content, place)
            if start < 0:
                content = content.strip()
                start = document.text.find(content, place)
            if start < 0:
                start = document.text.find(content)
            if start < 0:
                strangers += 1
                insert = Insert((0, len(content)), "text")
                drafts.append(Draft(content, tokenizer.count(content), [], [insert], heading))
                continue
            a, b = strip_range(document.text, start, start + len(content))
            drafts.append(Draft(document.text[a:b], counter.count(a, b), [(a, b)], [], heading))
            place = start + 1 if start >= place else place
        warnings = []
        if strangers:
            warnings.append(
                ChunkWarning(
                    "not_in_text",
                    f"{strangers} of {len(drafts)} chunks of the chunking function are not slices of the text; "
                    "they have no spans and lead back to no block.",
                )
            )
        chunks = finish(document, self._name, drafts)
        return ChunkResult(
            add_prefixes(chunks, document, tokenizer, options["chunk_token_size"], options), tuple(warnings)
        )


def _content_of(row: Any, index: int) -> tuple[str, ChunkHeading | None]:
    if isinstance(row, Chunk):
        return row.content, row.heading
    content = row.get("content") if isinstance(row, Mapping) else None
    if not isinstance(content, str):
        raise ChunkingError(
            f"row {index} of the chunking function is no dict with a text under 'content'",
            hint="Each row is a dict such as {'content': '…'}.",
        )
    heading = row.get("heading") if isinstance(row, Mapping) else None
    if not isinstance(heading, Mapping):
        return content, None
    parents = heading.get("parent_headings")
    level = heading.get("level")
    return content, ChunkHeading(
        level if isinstance(level, int) else 0,
        str(heading.get("heading") or ""),
        tuple(str(p) for p in parents) if isinstance(parents, Sequence) and not isinstance(parents, str) else (),
    )


def _name_of(function: ChunkingFunction) -> str:
    return getattr(function, "__qualname__", type(function).__name__)


def _wait_for(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, also when the calling thread already runs an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    result: list[Any] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(asyncio.run(coroutine))
        except BaseException as e:  # handed on to the waiting thread below
            failure.append(e)

    thread = threading.Thread(target=run, name="lrdoc-custom-chunker")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]
