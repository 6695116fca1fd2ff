"""Which strategy finds answers: questions over real documents, embedded model, recall@5 and token IoU.

Recall of a question is the share of its answer's characters that stand in the five nearest chunks (the best occurrence
when the answer stands in the document several times). Token IoU is the tokens of the answer that were found over all
tokens retrieved and the tokens missed.
"""

from __future__ import annotations

import bisect
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from report import Line

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = Path(__file__).with_name("retrieval_questions.json")
INSTALLED = ROOT / "build" / "judge" / "embed"
"""Where scripts/_judges installs the model."""
STRUCTURED = frozenset({"report", "handbook", "duck"})
STRATEGIES = "FRVP"
SIZE, OVERLAP, TOP, RESAMPLES = 400, 40, 5, 2000


@dataclass(frozen=True, slots=True)
class Question:
    document: str
    text: str
    answers: tuple[tuple[int, int], ...]
    """Where the answer stands in the merged text."""


@dataclass(frozen=True, slots=True)
class Score:
    recall: float
    iou: float


def run(folder: Path, quick: bool, peers: bool) -> list[Line]:
    from lrdoc.llm.embedder import EmbeddedModel, is_embedded_model_installed

    if INSTALLED.is_dir() and not is_embedded_model_installed():
        sys.path.append(str(INSTALLED))
    if not is_embedded_model_installed():
        return [Line("retrieval", "not measured", None, note="install lrdoc[embed], or run scripts/_judges")]
    documents, questions = _load(quick)
    model = Remembered(EmbeddedModel(), folder / "retrieval_vectors.npz")
    asked = model.embed([question.text for question in questions], context="query")
    lines: list[Line] = []
    scores: dict[str, list[Score]] = {}
    structured = [i for i, question in enumerate(questions) if question.document in STRUCTURED]
    for strategy in STRATEGIES:
        start = time.process_time()
        chunks = _chunks(strategy, documents, model)
        scores[strategy] = _score(documents, chunks, questions, asked, model)
        model.keep()
        mean = _mean(scores[strategy], range(len(questions)))
        inside = _mean(scores[strategy], structured)
        tokens = sum(chunk.tokens for _, chunk in chunks)
        lines.append(
            Line(
                "retrieval",
                f"{strategy}, size {SIZE}: recall@{TOP} {mean.recall:.3f}, IoU {mean.iou:.3f}",
                time.process_time() - start,
                note=f"{len(questions)} questions, {len(chunks)} chunks, {tokens} tokens; "
                f"structured ({len(structured)}): {inside.recall:.3f}, {inside.iou:.3f}",
            )
        )
    low, high = _interval([scores["P"][i].recall - scores["R"][i].recall for i in structured])
    lines.append(
        Line(
            "retrieval",
            f"P - R, recall on structured documents: 95 % interval {low:+.3f} … {high:+.3f}",
            None,
            limit="not wholly below 0",
            ok=high >= 0,
        )
    )
    return lines


class Remembered:
    """An embedder whose vectors are kept in a file: the same text is embedded once, whatever run asks for it."""

    def __init__(self, model: Any, path: Path) -> None:
        import numpy as np

        self.name, self.dimension, self.max_input_tokens = model.name, model.dimension, model.max_input_tokens
        self._model, self._path = model, path
        self._known: dict[str, Any] = {}
        if path.is_file():
            with np.load(path) as stored:
                self._known = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))
        self._kept = len(self._known)

    def embed(self, texts: Sequence[str], *, context: str = "document") -> Any:
        import numpy as np

        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32] for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            rows = self._model.embed(list(missing.values()), context=context)
            self._known.update(zip(missing, rows, strict=True))
        if len(self._known) >= self._kept + 1000:
            self.keep()
        return np.stack([self._known[key] for key in keys])

    def keep(self) -> None:
        """Write what is new."""
        import numpy as np

        if len(self._known) > self._kept:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self._path, keys=np.array(list(self._known)), rows=np.stack(list(self._known.values())))
            self._kept = len(self._known)


def _load(quick: bool) -> tuple[dict[str, Any], list[Question]]:
    """Documents that are there, parsed, and the questions about them."""
    from lrdoc.app import App
    from lrdoc.chunkers.reading import read_source
    from lrdoc.configuration import Choices

    shared = Path(os.environ.get("LRDOC_SHARED", ROOT.parent / "shared"))
    data = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    app = App.load(Choices())
    documents: dict[str, Any] = {}
    for name, where in data["documents"].items():
        where, _, first = where.partition("#")
        source = (ROOT if where.startswith("fixtures/") else shared) / where
        if not source.is_file() or (quick and name == "handbook"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            parsed = Path(folder) / "document.parsed"
            app.parse(source, parsed)
            document = read_source(parsed).document
        if first:
            blocks = document.blocks[: int(first)]
            document = replace(document, text=document.text[: blocks[-1].end], blocks=blocks)
        documents[name] = document
    questions = []
    for row in data["questions"]:
        document = documents.get(row["document"])
        if document is not None:
            found = find_answer(document.text, row["answer"])
            if not found:
                raise SystemExit(f"the answer {row['answer']!r} does not stand in {row['document']}")
            questions.append(Question(row["document"], row["question"], tuple(found)))
    return documents, questions


def find_answer(text: str, answer: str) -> list[tuple[int, int]]:
    """All places of an answer, white space left out of the comparison."""
    places = [i for i, char in enumerate(text) if not char.isspace()]
    ink, wanted = "".join(text.split()), "".join(answer.split())
    found = []
    at = ink.find(wanted)
    while at >= 0:
        found.append((places[at], places[at + len(wanted) - 1] + 1))
        at = ink.find(wanted, at + 1)
    return found


def _chunks(strategy: str, documents: dict[str, Any], model: Any) -> list[tuple[str, Any]]:
    from lrdoc.chunkers.base import ChunkContext
    from lrdoc.chunkers.registry import Registry
    from lrdoc.text.tokens import load_tokenizer

    registry = Registry()
    values = {"chunk_token_size": SIZE}
    if strategy != "V":
        values["chunk_overlap_token_size"] = OVERLAP
    context = ChunkContext(load_tokenizer(), model)
    made = []
    for name, document in documents.items():
        result = registry.chunker(strategy).chunk(document, registry.options(strategy, values), context)
        made.extend((name, chunk) for chunk in result.chunks)
    return made


def _score(
    documents: dict[str, Any], chunks: list[tuple[str, Any]], questions: Sequence[Question], asked: Any, model: Any
) -> list[Score]:
    import numpy as np

    from lrdoc.llm.embedder import embed_in_batches
    from lrdoc.text.tokens import load_tokenizer

    tokenizer = load_tokenizer()
    bounds = {name: tokenizer.boundaries(document.text).tolist() for name, document in documents.items()}
    vectors = embed_in_batches(model, [chunk.content for _, chunk in chunks], tokenizer=tokenizer)
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    nearest = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")[:, :TOP]
    scores = []
    for question, best in zip(questions, nearest.tolist(), strict=True):
        retrieved = [chunks[i] for i in best]
        spans = [span for name, chunk in retrieved if name == question.document for span in chunk.spans]
        tokens = sum(chunk.tokens for _, chunk in retrieved)
        place = bounds[question.document]
        best_score = Score(0.0, 0.0)
        for start, end in question.answers:
            covered = _covered(start, end, spans)
            recall = sum(b - a for a, b in covered) / (end - start)
            wanted = max(_tokens(place, start, end), 1)
            hit = sum(_tokens(place, a, b) for a, b in covered)
            score = Score(recall, hit / (tokens + wanted - hit) if tokens else 0.0)
            best_score = max(best_score, score, key=lambda s: (s.recall, s.iou))
        scores.append(best_score)
    return scores


def _covered(start: int, end: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Parts of [start, end) that stand in the spans, without double counting."""
    parts: list[tuple[int, int]] = []
    place = start
    for a, b in sorted(spans):
        a, b = max(a, place), min(b, end)
        if a < b:
            parts.append((a, b))
            place = b
    return parts


def _tokens(bounds: list[int], start: int, end: int) -> int:
    return bisect.bisect_left(bounds, end) - bisect.bisect_left(bounds, start)


def _mean(scores: Sequence[Score], which: Sequence[int] | range) -> Score:
    n = max(len(which), 1)
    return Score(sum(scores[i].recall for i in which) / n, sum(scores[i].iou for i in which) / n)


def _interval(differences: Sequence[float]) -> tuple[float, float]:
    """95 % bootstrap interval of the mean."""
    rnd = random.Random(20)
    n = max(len(differences), 1)
    means = sorted(sum(rnd.choices(differences, k=n)) / n for _ in range(RESAMPLES)) if differences else [0.0]
    return means[int(0.025 * len(means))], means[min(int(0.975 * len(means)), len(means) - 1)]
