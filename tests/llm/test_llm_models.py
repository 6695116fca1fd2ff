"""The model layer: roles, limits, memory."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from lrdoc.errors import ModelError, SettingsError
from lrdoc.llm.base import Image, ModelNotConfigured, Reply, Request, Usage, request_key
from lrdoc.llm.cache import AnswerCache, CachedModel
from lrdoc.llm.model_settings import ROLES, ModelSettings
from lrdoc.llm.ollama_binding import OllamaModel
from lrdoc.llm.queue import QueuedModel
from lrdoc.llm.roles import open_model, role_model
from lrdoc.settings import load
from lrdoc.testing.models import ScriptedModel


def settings(**environ: str) -> ModelSettings:
    return load(environ).of(ModelSettings)


def test_a_role_takes_from_the_base_what_it_does_not_set() -> None:
    base = {
        "LLM_MODEL": "base",
        "LLM_BINDING_HOST": "http://a/v1",
        "LLM_BINDING_API_KEY": "k",
        "LLM_TIMEOUT": "9",
        "MAX_ASYNC_LLM": "3",
    }
    for role in ROLES:
        found = role_model(settings(**base), role)
        assert found is not None
        assert (found.model, found.host, found.api_key, found.timeout_s, found.max_async) == (
            "base",
            "http://a/v1",
            "k",
            9,
            3,
        )
    own = {
        "VLM_LLM_MODEL": "eyes",
        "VLM_LLM_TIMEOUT": "5",
        "VLM_MAX_ASYNC_LLM": "1",
        "VLM_LLM_BINDING_HOST": "http://b/v1",
    }
    vlm = role_model(settings(**base, **own), "vlm")
    assert vlm is not None
    assert (vlm.model, vlm.host, vlm.api_key, vlm.timeout_s, vlm.max_async) == ("eyes", "http://b/v1", "k", 5, 1)
    assert role_model(settings(**base, LLM_MAX_ASYNC="2"), "query").max_async == 3  # type: ignore[union-attr]
    assert role_model(settings(LLM_MODEL="m", LLM_MAX_ASYNC="2"), "query").max_async == 2  # type: ignore[union-attr]
    assert role_model(settings(LLM_MODEL="m", QUERY_LLM_MAX_ASYNC="6"), "query").max_async == 6  # type: ignore[union-attr]


def test_another_binding_takes_neither_address_nor_key_of_the_base() -> None:
    found = role_model(
        settings(LLM_MODEL="m", LLM_BINDING_HOST="http://a/v1", LLM_BINDING_API_KEY="secret", VLM_LLM_BINDING="ollama"),
        "vlm",
    )
    assert found is not None and (found.host, found.api_key) == ("", "")


def test_unknown_bindings_and_missing_models_say_what_to_set() -> None:
    with pytest.raises(SettingsError, match=r"VLM_LLM_BINDING=bedrock .*ollama, openai"):
        role_model(settings(LLM_MODEL="m", VLM_LLM_BINDING="bedrock"), "vlm")
    with pytest.raises(ModelNotConfigured, match="EXTRACT_LLM_MODEL or LLM_MODEL"):
        open_model(settings(), "extract")


def test_secrets_are_not_shown() -> None:
    found = role_model(settings(LLM_MODEL="m", LLM_BINDING_API_KEY="topsecret"), "query")
    model = open_model(settings(LLM_MODEL="m", LLM_BINDING_API_KEY="topsecret"), "query")
    assert "topsecret" not in repr(found) + repr(model) + repr(model.model)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("", "http://localhost:11434/v1"),
        ("http://h:1/", "http://h:1/v1"),
        ("http://h:1/api", "http://h:1/v1"),
        ("http://h/v1", "http://h/v1"),
    ],
)
def test_ollama_addresses_are_completed(given: str, used: str) -> None:
    assert OllamaModel("m", host=given).host == used


def test_keys_depend_on_all_that_an_answer_depends_on() -> None:
    model = ScriptedModel([])
    base = Request("text", system="s", schema={"type": "object"}, purpose="p", images=(Image(b"1", "image/png"),))
    others = [
        Request("text2", system="s", schema={"type": "object"}, purpose="p", images=base.images),
        Request("text", system="s2", schema={"type": "object"}, purpose="p", images=base.images),
        Request("text", system="s", schema={}, purpose="p", images=base.images),
        Request("text", system="s", schema={"type": "object"}, purpose="q", images=base.images),
        Request("text", system="s", schema={"type": "object"}, purpose="p"),
        Request("text", system="s", schema={"type": "object"}, purpose="p", images=(Image(b"2", "image/png"),)),
    ]
    keys = [request_key(model, "r", request) for request in (base, *others)]
    keys += [request_key(model, "r2", base), request_key(ScriptedModel([], name="other"), "r", base)]
    assert len(set(keys)) == len(keys)
    assert request_key(ScriptedModel([]), "r", base) == keys[0]
    assert request_key(model, "r", Request("ab", system="c")) != request_key(model, "r", Request("a", system="bc"))


def ask(model: QueuedModel | CachedModel, request: Request, fresh: bool = False) -> Reply:
    return asyncio.run(model.complete(request, fresh=fresh))


def test_answers_are_kept_across_runs_and_asked_anew_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cache.sqlite"
    cache = AnswerCache(path)
    model = CachedModel(ScriptedModel(["one", "two"]), cache, "r")
    assert ask(model, Request("q")).text == "one"
    cache.close()
    cache = AnswerCache(path)
    model = CachedModel(ScriptedModel(["two", "three"]), cache, "r")
    again = ask(model, Request("q"))
    assert (again.text, again.cached) == ("one", True)
    assert ask(model, Request("q"), fresh=True).text == "two"
    assert ask(model, Request("q")).text == "two"
    cache.close()


def test_a_damaged_cache_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(b"this is not a database, whatever its name says" * 100)
    cache = AnswerCache(path)
    assert ask(CachedModel(ScriptedModel(["x"]), cache, "r"), Request("q")).text == "x"
    cache.close()
    assert path.with_name("cache.sqlite.damaged").exists()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (1,)
    connection.close()


def test_the_same_question_at_the_same_time_is_asked_once(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "cache.sqlite")
    inner = ScriptedModel(lambda request: request.text.upper(), delay_s=0.01)
    model = CachedModel(inner, cache, "r")

    async def main() -> list[Reply]:
        return await asyncio.gather(*(model.complete(Request(text)) for text in ("a", "b", "a", "a")))

    replies = asyncio.run(main())
    cache.close()
    assert [reply.text for reply in replies] == ["A", "B", "A", "A"]
    assert [request.text for request in inner.requests] == ["a", "b"]
    assert inner.greatest_concurrency == 2
    assert sum(reply.cached for reply in replies) == 2


def test_who_waits_for_the_same_question_asks_when_the_first_one_fails_or_leaves(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "cache.sqlite")
    inner = ScriptedModel([ModelError("no"), "x"], delay_s=0.01)
    model = CachedModel(inner, cache, "r")

    async def main() -> list[Reply | BaseException]:
        failing = asyncio.create_task(model.complete(Request("a")))
        waiting = asyncio.create_task(model.complete(Request("a")))
        found = await asyncio.gather(failing, waiting, return_exceptions=True)
        left = asyncio.create_task(model.complete(Request("a"), fresh=True))
        await asyncio.sleep(0)
        last = asyncio.create_task(model.complete(Request("a")))
        await asyncio.sleep(0)
        left.cancel()
        return [*found, await last]

    first, second, third = asyncio.run(main())
    cache.close()
    assert isinstance(first, ModelError)
    assert [reply.text for reply in (second, third) if isinstance(reply, Reply)] == ["x", "x"]


class HeldModel(ScriptedModel):
    """Answers only after it is let go, so that others are certain to wait."""

    def __init__(self) -> None:
        super().__init__(lambda request: "x")
        self.go = asyncio.Event()

    async def complete(self, request: Request, *, fresh: bool = False) -> Reply:
        await self.go.wait()
        return await super().complete(request, fresh=fresh)


def test_the_most_urgent_goes_first_and_the_limit_holds() -> None:
    async def main() -> HeldModel:
        inner = HeldModel()
        model = QueuedModel(inner, 1)
        tasks = []
        for name, priority in (("first", 10), ("late", 10), ("summary", 8), ("query", 5), ("later", 10)):
            tasks.append(asyncio.create_task(model.complete(Request(name, priority=priority))))
            await asyncio.sleep(0)
        inner.go.set()
        await asyncio.gather(*tasks)
        assert model.usage.requests == 5
        return inner

    inner = asyncio.run(main())
    assert [request.text for request in inner.requests] == ["first", "query", "summary", "late", "later"]
    assert inner.greatest_concurrency == 1


def test_a_cancelled_waiter_gives_its_turn_away() -> None:
    model = QueuedModel(ScriptedModel(lambda request: "x", delay_s=0.01), 1)

    async def main() -> list[Reply]:
        running = asyncio.create_task(model.complete(Request("a")))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(model.complete(Request("b")))
        await asyncio.sleep(0)
        waiting.cancel()
        last = asyncio.create_task(model.complete(Request("c")))
        return await asyncio.gather(running, last)

    assert len(asyncio.run(main())) == 2


def test_usage_adds_up() -> None:
    assert Usage(1, 2, 3) + Usage(10, 20, 30) == Usage(11, 22, 33)


def test_a_locked_cache_is_waited_for_and_then_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lrdoc.llm.cache.LONGEST_WAIT_S", 0.3)
    path = tmp_path / "cache.sqlite"
    cache = AnswerCache(path)
    model = CachedModel(ScriptedModel(["one", "two", "three"]), cache, "r")
    assert ask(model, Request("q")).cache_key
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    reply = ask(model, Request("r"))
    other.execute("ROLLBACK")
    other.close()
    assert (reply.text, reply.cache_key) == ("two", "") and "locked" in cache.problem
    cache.close()
    assert not path.with_name("cache.sqlite.damaged").exists()


def test_a_cache_that_cannot_be_written_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "cache.sqlite", tmp_path / "folder"):
        cache = AnswerCache(path)
        reply = ask(CachedModel(ScriptedModel(["x"]), cache, "r"), Request("q"))
        assert (reply.text, reply.cache_key) == ("x", "")
        assert cache.problem.startswith(f"answers are not kept in {path}: ")
        cache.close()


def test_a_cache_that_is_damaged_while_it_is_used_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = AnswerCache(path)
    model = CachedModel(ScriptedModel(lambda request: "x" * 5000), cache, "r")
    for i in range(20):
        ask(model, Request(str(i)))
    cache.close()
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    again = CachedModel(ScriptedModel(lambda request: "y"), cache, "r")
    assert {ask(again, Request(str(i))).text for i in range(20)} == {"y"}
    assert cache.problem == "" and path.with_name("cache.sqlite.damaged").exists()
    cache.close()


def test_an_address_with_secrets_shows_none(tmp_path: Path) -> None:
    host = "http://user:hunter2pass@h:1/v1?key=sesame99"
    found = role_model(settings(LLM_MODEL="m", LLM_BINDING_HOST=host), "query")
    cache = AnswerCache(tmp_path / "cache.sqlite")
    model = open_model(settings(LLM_MODEL="m", LLM_BINDING_HOST=host), "query", cache)
    assert model.host == "http://h:1/v1"
    assert "hunter2" not in repr(found) + repr(model.model.model)  # type: ignore[attr-defined]
    assert OllamaModel("m", host="http://u:pw@h:2?key=x").host == "http://h:2/v1"
    cache.close()


@pytest.mark.parametrize("host", ["h:8080/v1", "ftp://h/v1", "http://", "http://h:port/v1", "http://u:hunter2/x@h/v1"])
def test_a_malformed_address_names_its_variable(host: str) -> None:
    with pytest.raises(SettingsError, match="EXTRACT_LLM_BINDING_HOST cannot be read") as error:
        role_model(settings(LLM_MODEL="m", EXTRACT_LLM_BINDING_HOST=host), "extract")
    assert "hunter2" not in str(error.value)
