"""The OpenAI-compatible client against a server that misbehaves: outcome and number of calls."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from chat_server import Fault, chat_server, completion
from promptly import soonest

from lrdoc.llm.base import Image, ModelRefused, ModelTimeout, ModelUnavailable, Reply, Request
from lrdoc.llm.openai_binding import MAX_TRIES, OpenAIModel

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}


def ask(url: str, request: Request | None = None, *, times: int = 1, **options: Any) -> Reply:
    model = OpenAIModel("m", host=url, api_key="secret-key", first_wait_s=0.01, jitter=lambda: 0.0, **options)

    async def main() -> Reply:
        try:
            for _ in range(times - 1):
                await model.complete(request or Request("hi"))
            return await model.complete(request or Request("hi"))
        finally:
            await model.close()

    return asyncio.run(main())


def test_a_good_answer_carries_text_reason_and_usage() -> None:
    with chat_server(lambda n, body: Fault(body=json.dumps(completion("hello", "length")))) as server:
        reply = ask(
            server.url,
            Request("question", system="be brief", images=(Image(b"png", "image/png"),), max_output_tokens=5),
        )
    assert (reply.text, reply.finish_reason) == ("hello", "length")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.requests) == (7, 3, 1)
    (body,) = server.requests
    assert body["messages"][0] == {"role": "system", "content": "be brief"}
    assert body["messages"][1]["content"][1]["image_url"]["url"] == "data:image/png;base64,cG5n"
    assert body["max_tokens"] == 5 and "response_format" not in body
    assert server.headers[0]["authorization"] == "Bearer secret-key"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_passing_failures_are_tried_again(status: int) -> None:
    with chat_server(
        lambda n, body: Fault(status=status) if n < 2 else Fault(body=json.dumps(completion("ok")))
    ) as server:
        assert ask(server.url).text == "ok"
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [500, 429])
def test_lasting_failures_end_after_a_fixed_number_of_tries(status: int) -> None:
    with (
        chat_server(lambda n, body: Fault(status=status, body='{"error": {"message": "overloaded"}}')) as server,
        pytest.raises(ModelUnavailable, match=rf"answered {status}: overloaded \({MAX_TRIES} tries\)"),
    ):
        ask(server.url)
    assert len(server.requests) == MAX_TRIES


def test_a_conflict_is_tried_once_more() -> None:
    with chat_server(lambda n, body: Fault(status=409)) as server, pytest.raises(ModelRefused, match="409"):
        ask(server.url)
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 413, 422])
def test_client_errors_are_final(status: int) -> None:
    with (
        chat_server(lambda n, body: Fault(status=status, body='{"error": {"message": "no such model"}}')) as server,
        pytest.raises(ModelRefused, match=f"{status}: no such model") as caught,
    ):
        ask(server.url)
    assert len(server.requests) == 1
    assert "secret-key" not in str(caught.value)


def test_retry_after_is_obeyed() -> None:
    script = lambda n, body: Fault(status=429, headers={"retry-after": "0.3"}) if n == 0 else Fault()  # noqa: E731
    with chat_server(script) as server:
        ask(server.url)
    assert server.times[1] - server.times[0] >= 0.3


@pytest.mark.parametrize(
    "fault",
    [
        Fault(reset=True),
        Fault(body='{"choices": [{"mess', content_type="application/json"),
        Fault(cut=True),
        Fault(body='{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'),
        Fault(body="<html>proxy login</html>", content_type="text/html"),
        Fault(
            body=json.dumps(
                {**completion("x"), "choices": [{"index": 0, "message": {"role": "assistant", "content": None}}]}
            )
        ),
        Fault(body=b"\xff\xfe\x00"),
    ],
)
def test_answers_that_cannot_be_read_are_tried_again_and_then_told(fault: Fault) -> None:
    with chat_server(lambda n, body: fault if n == 0 else Fault(body=json.dumps(completion("ok")))) as server:
        assert ask(server.url).text == "ok"
    assert len(server.requests) == 2
    with chat_server(lambda n, body: fault) as server, pytest.raises(ModelUnavailable):
        ask(server.url)
    assert len(server.requests) == MAX_TRIES


def test_a_slow_answer_runs_into_the_timeout_of_its_role() -> None:
    with (
        chat_server(lambda n, body: Fault(wait_s=0.6)) as server,
        pytest.raises(ModelTimeout, match=r"within 0.1 s.*4 tries"),
    ):
        ask(server.url, timeout_s=0.1)


def test_nobody_at_the_address() -> None:
    with pytest.raises(ModelUnavailable, match=r"cannot be reached.*LLM_BINDING_HOST"):
        ask("http://127.0.0.1:9/v1")


def test_a_cancelled_request_stops_at_once() -> None:
    async def main(url: str) -> float:
        model = OpenAIModel("m", host=url)
        task = asyncio.create_task(model.complete(Request("hi")))
        await asyncio.sleep(0.3)
        start = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        took = time.monotonic() - start
        await model.close()
        return took

    with chat_server(lambda n, body: Fault(wait_s=10)) as server:
        assert soonest(lambda: asyncio.run(main(server.url)), 0.3) < 0.3


def forms(server: Any) -> list[str]:
    return [body.get("response_format", {}).get("type", "text") for body in server.requests]


def test_the_schema_is_sent_when_the_service_takes_it() -> None:
    with chat_server(lambda n, body: Fault(body=json.dumps(completion('{"name": "x"}')))) as server:
        ask(server.url, Request("q", schema=SCHEMA))
    assert forms(server) == ["json_schema"]
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_a_service_without_schemas_is_asked_in_json_mode_and_then_in_plain_text() -> None:
    def script(n: int, body: dict[str, Any]) -> Fault:
        form = body.get("response_format", {}).get("type")
        if form:
            return Fault(
                status=400, body=json.dumps({"error": {"message": f"response_format {form} is not supported"}})
            )
        return Fault(body=json.dumps(completion('{"name": "x"}')))

    with chat_server(script) as server:
        ask(server.url, Request("q", schema=SCHEMA), times=3)
    # The way that worked is remembered.
    assert forms(server) == ["json_schema", "json_object", "text", "text", "text"]
    assert json.dumps(SCHEMA) in server.requests[2]["messages"][-1]["content"]


def test_a_refusal_about_something_else_is_not_taken_for_the_form() -> None:
    script = lambda n, body: Fault(status=400, body='{"error": {"message": "prompt is too long"}}')  # noqa: E731
    with chat_server(script) as server, pytest.raises(ModelRefused, match="too long"):
        ask(server.url, Request("q", schema=SCHEMA))
    assert len(server.requests) == 1


def test_streamed_answers_are_put_together() -> None:
    def chunk(text: str, reason: str | None = None) -> str:
        body = {
            "id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}],
        }  # fmt: skip
        return f"data: {json.dumps(body)}\n\n"

    stream = chunk("hel") + chunk("lo") + chunk("", "stop") + "data: [DONE]\n\n"
    with chat_server(lambda n, body: Fault(body=stream, content_type="text/event-stream")) as server:
        reply = ask(server.url, stream=True)
    assert (reply.text, reply.finish_reason) == ("hello", "stop")
    cut = chunk("hel")
    with (
        chat_server(lambda n, body: Fault(body=cut, content_type="text/event-stream")) as server,
        pytest.raises(ModelUnavailable),
    ):
        ask(server.url, stream=True)
    assert len(server.requests) == MAX_TRIES


def test_secrets_of_address_and_key_are_sent_and_never_told() -> None:
    def echo(n: int, body: dict[str, Any]) -> Fault:
        return Fault(status=400, body=json.dumps({"error": {"message": "bad key secret-key, sesame99, hunter2pass"}}))

    with chat_server(echo) as server:
        url = server.url.replace("http://", "http://me:hunter2pass@") + "?key=sesame99"
        with pytest.raises(ModelRefused) as caught:
            ask(url)
    told = f"{caught.value} {caught.value.__cause__!r}"
    assert "bad key ***, ***, ***" in str(caught.value)
    assert "hunter2pass" not in str(caught.value) and "sesame99" not in str(caught.value), told
    assert server.headers[0]["authorization"].startswith("Basic ")


def test_proxies_of_the_environment_that_make_no_sense_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://127.0.0.1:1")
    with pytest.raises(ModelRefused, match="ALL_PROXY"):
        ask("http://127.0.0.1:9/v1")


def test_a_proxy_of_the_environment_is_used() -> None:
    import os
    from unittest import mock

    with (
        chat_server(lambda n, body: Fault(body=json.dumps(completion("by proxy")))) as server,
        mock.patch.dict(os.environ, {"HTTP_PROXY": server.url.removesuffix("/v1"), "NO_PROXY": ""}),
    ):
        assert ask("http://model.invalid/v1").text == "by proxy"
