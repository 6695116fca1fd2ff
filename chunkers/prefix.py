"""An optional context before a chunk's text, for embedding: the heading path and the captions of its tables.

The prefix never becomes part of `content`; prefix and content together keep the size.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from lrdoc.chunkers.base import MIN_CHUNK_TOKENS, Chunk
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.text.tokens import Tokenizer

_SHARE = 8
"""At most one part in so many of the size is left to the prefix."""
_MOST_TOKENS = 96
_TABLE_ID = re.compile(r'<table\b[^>]*?\bid="([^"]*)"')


def size_without_prefix(size: int, options: Mapping[str, Any]) -> int:
    """Tokens that are left for content."""
    if not options.get("context_prefix"):
        return size
    return max(size - min(size // _SHARE, _MOST_TOKENS), MIN_CHUNK_TOKENS)


def add_prefixes(
    chunks: Sequence[Chunk], document: ChunkDocument, tokenizer: Tokenizer, size: int, options: Mapping[str, Any]
) -> tuple[Chunk, ...]:
    """The chunks with prefixes when the options ask for them."""
    if not options.get("context_prefix"):
        return tuple(chunks)
    return tuple(_with_prefix(chunk, document, tokenizer, size) for chunk in chunks)


def _with_prefix(chunk: Chunk, document: ChunkDocument, tokenizer: Tokenizer, size: int) -> Chunk:
    path = list(chunk.heading.path()) if chunk.heading is not None else []
    if document.title and (not path or path[0] != document.title):
        path.insert(0, document.title)
    captions = [document.tables[i].caption for i in _TABLE_ID.findall(chunk.content) if i in document.tables]
    captions = [_one_line(caption) for caption in dict.fromkeys(captions) if caption]
    names = [_one_line(name) for name in path]
    # Too long: captions go first, then the middle of the path, then the top.
    for lines in _shorter(names, captions):
        prefix = "\n".join(lines) + "\n\n"
        if tokenizer.count(prefix + chunk.content) <= size:
            return msgspec.structs.replace(chunk, prefix=prefix, prefix_tokens=tokenizer.count(prefix))
    return chunk


def _shorter(names: list[str], captions: list[str]) -> list[list[str]]:
    """Ways to write the prefix, the longest first."""
    ways: list[list[str]] = []
    for last in range(len(captions), 0, -1):
        ways.append([*([" > ".join(names)] if names else []), *captions[:last]])
    if names:
        ways.append([" > ".join(names)])
        if len(names) > 2:
            ways.append([f"{names[0]} > … > {names[-1]}"])
        if len(names) > 1:
            ways.append([names[-1]])
    return ways


def _one_line(text: str) -> str:
    return " ".join(text.split())
