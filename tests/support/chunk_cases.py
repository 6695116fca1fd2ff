"""The recorded chunker cases, and how ours are compared with them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lrdoc.chunkers.base import ChunkContext, ChunkResult
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.registry import Registry
from lrdoc.errors import LrdocError
from lrdoc.testing.chunkers import CharTokenizer
from lrdoc.text.tokens import load_tokenizer

REGISTRY = Registry()


class StubEmbedder:
    """The embedding of the recorded V cases: words counted in 16 columns by their hash."""

    name = "stub"
    dimension = 16
    max_input_tokens: int | None = None

    def embed(self, texts: Sequence[str], *, context: str = "document") -> NDArray[np.float64]:
        rows = np.zeros((len(texts), 16))
        for i, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                rows[i, hashlib.md5(word.encode(), usedforsecurity=False).digest()[0] % 16] += 1.0
            if not rows[i].any():
                rows[i, 0] = 1.0
        return rows


@dataclass(frozen=True)
class Case:
    """One recorded run."""

    name: str
    strategy: str
    tokenizer: str
    params: Mapping[str, Any]
    document: ChunkDocument
    output: tuple[str, ...] | None
    """Contents without white space, empty rows left out; None: the run raised an error."""

    @property
    def key(self) -> str:
        """As in the table of docs/chunking.md."""
        short = {"chunk_token_size": "size", "chunk_overlap_token_size": "overlap"}
        told = ", ".join(
            f"{short.get(name, name)}={'…' if isinstance(value, list) else value}"
            for name, value in self.params.items()
            if not (isinstance(value, list) and value[:2] == ["\n\n", "\n"] and len(value) == 9)
        )
        separators = " (9 separators)" if "separators" in self.params else ""
        return f"{self.name} {self.strategy} {self.tokenizer}: {told}{separators}"

    def run(self) -> ChunkResult:
        tokenizer = CharTokenizer() if self.tokenizer == "char1" else load_tokenizer(self.tokenizer)
        context = ChunkContext(tokenizer, StubEmbedder())
        options = REGISTRY.options(self.strategy, self.params)
        return REGISTRY.chunker(self.strategy).chunk(self.document, options, context)

    def is_equal(self) -> bool:
        """Whether our cuts stand at the recorded places."""
        try:
            chunks = self.run().chunks
        except LrdocError:
            return self.output is None
        return tuple("".join(chunk.content.split()) for chunk in chunks) == self.output


def recorded_cases(shared: Path) -> Iterator[Case]:
    """All recorded runs, those on the sidecars of native documents included."""
    folder = shared / "cases" / "chunkers"
    inputs = json.loads((folder / "inputs.json").read_text(encoding="utf-8"))
    for strategy in "FRVP":
        for row in json.loads((folder / f"expected_{strategy}.json").read_text(encoding="utf-8")):
            if strategy == "P":
                given = inputs["paragraph"][row["name"]]
                blocks = given["blocks"]
                document = (
                    ChunkDocument.from_lines(blocks, given.get("tables"))
                    if blocks
                    else ChunkDocument.from_text(given["text"])
                )
            else:
                document = ChunkDocument.from_text(inputs["texts"][row["name"]])
            yield _case(row["name"], strategy, row, document)
    for row in json.loads((folder / "native_P_expected.json").read_text(encoding="utf-8")):
        lines = [json.loads(line) for line in (folder / row["blocks"]).read_text(encoding="utf-8").splitlines()]
        tables = folder / row["blocks"].replace(".blocks.jsonl", ".tables.json")
        known = json.loads(tables.read_text(encoding="utf-8"))["tables"] if tables.is_file() else {}
        yield _case(row["blocks"].removesuffix(".blocks.jsonl"), "P", row, ChunkDocument.from_lines(lines, known))


def _case(name: str, strategy: str, row: Mapping[str, Any], document: ChunkDocument) -> Case:
    output = row["output"]
    contents = None
    if not row.get("error"):
        contents = tuple(text for text in ("".join(chunk["content"].split()) for chunk in output) if text)
    return Case(name, strategy, row["tokenizer"], row["params"], document, contents)
