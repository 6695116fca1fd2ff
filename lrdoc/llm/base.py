"""The language model contract: messages in, one text out.

A model answers one request at a time; concurrency, caching and accounting are layers around it that keep the same
contract (`lrdoc.llm.queue`, `lrdoc.llm.cache`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lrdoc.errors import ModelError


class ModelNotConfigured(ModelError):
    """No model serves the role; the message names the variables to set."""


class ModelRefused(ModelError):
    """The service refused the request for good (a client error that trying again does not mend)."""


class ModelUnavailable(ModelError):
    """The service could not be reached or kept failing until the tries were used up."""


class ModelTimeout(ModelUnavailable):
    """The service did not answer in time."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that goes along with the text."""

    data: bytes
    mime: str
    """image/png, image/jpeg, image/gif or image/webp."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model."""

    text: str
    system: str = ""
    images: tuple[Image, ...] = ()
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer; None: free text."""
    schema_name: str = "answer"
    purpose: str = ""
    """What the answer is for, part of the cache key: "drawing", "table"."""
    priority: int = 10
    """Lower is sooner: query 5, extraction and analysis 10, summary 8."""
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more requests, as the service counted them; 0 when it told nothing."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    requests: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.requests + other.requests,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str
    finish_reason: str = "stop"
    """"length" when the answer was cut off."""
    usage: Usage = field(default_factory=Usage)
    cached: bool = False
    cache_key: str = ""
    """Key under which the answer is kept, "" when no cache is used."""


class ChatModel(Protocol):
    """A language model. Safe to use from several tasks of one event loop."""

    name: str
    binding: str
    host: str

    async def complete(self, request: Request, *, fresh: bool = False) -> Reply:
        """Answer a request. `fresh` asks again even when an answer is kept.

        Raises ModelRefused, ModelTimeout or ModelUnavailable; cancelling the task stops the request.
        """

    async def close(self) -> None:
        """Give back connections."""


def form_in_words(schema: Mapping[str, Any]) -> str:
    """What a service that takes no schema is told of the form of its answer, after the question."""
    return "\n\nAnswer with one JSON object that fits this schema, and nothing else:\n" + json.dumps(
        schema, ensure_ascii=False
    )


def request_key(model: ChatModel, role: str, request: Request) -> str:
    """Key of a request: equal for equal role, model, host, messages, pictures and schema; 64 hex digits.

    File names, item ids and document ids have no part in it, so the same question about another copy is free.
    """
    parts = [
        role,
        json.dumps([model.binding, model.name, model.host]),
        request.system,
        request.text,
        request.purpose,
        json.dumps(request.schema, sort_keys=True),
        json.dumps([[image.mime, hashlib.sha256(image.data).hexdigest()] for image in request.images]),
    ]
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()
