"""The model layer and the analysis with a real OpenAI-compatible server and a very small model."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from analysis_folder import ENABLED, items_of, run_analysis, write_folder
from llama_server import Llama, llama_server

from lrdoc.llm.base import ModelTimeout, ModelUnavailable, Reply, Request
from lrdoc.llm.openai_binding import OpenAIModel

pytestmark = pytest.mark.service

IMPOSSIBLE = {
    "type": "object",
    "properties": {"animal": {"type": "string", "enum": ["zebra-7431"]}, "count": {"type": "integer", "enum": [97]}},
    "required": ["animal", "count"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    with llama_server(tmp_path_factory.mktemp("llama") / "log.txt") as running:
        yield running


PATIENT_S = 1200.0
"""The server computes on the same processors as the tests beside it."""


def ask(url: str, request: Request, *, form: int = 0, timeout_s: float = PATIENT_S, **options: Any) -> Reply:
    model = OpenAIModel("smollm2", host=url, first_wait_s=0.05, timeout_s=timeout_s, **options)
    model._form = form

    async def main() -> Reply:
        try:
            return await model.complete(request)
        finally:
            await model.close()

    return asyncio.run(main())


@pytest.mark.parametrize("stream", [False, True])
def test_the_schema_is_enforced_by_the_server(server: Llama, stream: bool) -> None:
    """No model says this by itself: only the schema can have brought it about."""
    # The grammar lets a model put in blanks, so that the answer may be longer than it looks.
    request = Request("What is the weather like in Paris?", schema=IMPOSSIBLE, max_output_tokens=160)
    reply = ask(server.url, request, stream=stream)
    assert json.loads(reply.text) == {"animal": "zebra-7431", "count": 97}
    assert reply.usage.prompt_tokens > 0 and reply.usage.completion_tokens > 0


@pytest.mark.parametrize(("form", "stream"), [(1, False), (2, True)])
def test_json_mode_and_plain_text_pass_the_same_code(server: Llama, form: int, stream: bool) -> None:
    reply = ask(server.url, Request("Say hello.", schema=IMPOSSIBLE, max_output_tokens=24), form=form, stream=stream)
    assert reply.text.strip() and reply.usage.requests == 1


def test_a_timeout_shorter_than_the_answer(server: Llama) -> None:
    with pytest.raises(ModelTimeout):
        ask(server.url, Request("Write a long story about a river."), timeout_s=0.02)


def test_an_analysis_end_to_end(server: Llama, tmp_path: Path) -> None:
    table = {"blockid": "b1", "format": "json", "content": '[["month", "rain"], ["May", "40"]]', "caption": "Rain"}
    folder = write_folder(
        tmp_path / "d.parsed",
        blocks={"b1": 'It rained. <table id="tb-1" format="json">[["month", "rain"], ["May", "40"]]</table>'},
        tables={"tb-1": table},
        equations={"eq-1": {"blockid": "b1", "content": "x^2", "format": "latex"}},
    )
    model = OpenAIModel("smollm2", host=server.url, timeout_s=PATIENT_S)
    report = run_analysis(folder, model, options="te", settings=ENABLED)
    assert report.counts == {"tables": {"success": 1}, "equations": {"success": 1}}
    result = items_of(folder, "tables")["tb-1"]["llm_analyze_result"]
    assert result["name"].strip() and result["description"].strip()


def test_a_server_killed_in_the_middle_of_a_call(tmp_path: Path) -> None:
    with llama_server(tmp_path / "log.txt") as doomed:
        threading.Timer(0.2, doomed.process.kill).start()
        start = time.monotonic()
        with pytest.raises(ModelUnavailable, match=r"4 tries|cannot be"):
            story = "Write a very long story about a river and its people. " * 10
            ask(doomed.url, Request(story, max_output_tokens=3000))
        assert time.monotonic() - start < PATIENT_S / 10
