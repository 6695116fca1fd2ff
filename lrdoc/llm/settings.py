"""Settings of models."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which embedding model is used."""

    binding_host: str | None = variable(
        "EMBEDDING_BINDING_HOST", None, "address of an OpenAI-compatible embedding service, such as http://host:8080/v1"
    )
    model: str | None = variable("EMBEDDING_MODEL", None, "name of the embedding model")
    api_key: str | None = variable("EMBEDDING_BINDING_API_KEY", None, "key of the embedding service", secret=True)
    dimension: int | None = variable("EMBEDDING_DIM", None, "numbers per vector", minimum=1)
    token_limit: int | None = variable(
        "EMBEDDING_TOKEN_LIMIT",
        None,
        "longest input of the embedding model; chunks over it are cut",
        unit="tokens",
        minimum=16,
    )
    overlap: int = variable(
        "EMBEDDING_CHUNK_OVERLAP_TOKEN_SIZE",
        100,
        "overlap between the pieces of a chunk that is over the embedding model's limit",
        unit="tokens",
        minimum=0,
    )
    timeout_s: float = variable("EMBEDDING_TIMEOUT", 30.0, "time for one request", unit="seconds", minimum=0.1)
