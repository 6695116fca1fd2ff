"""Binding `openai`: any service that speaks OpenAI's chat completions.

The answer's form is asked for in three ways, from strict to loose: a JSON schema, JSON mode, plain text. A service that
refuses one is asked in the next, and the way that worked is remembered for the rest of the run.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lrdoc.errors import EngineNotConfigured, SettingsError
from lrdoc.llm.address import Address, read_address, without_secrets
from lrdoc.llm.base import ModelRefused, ModelTimeout, ModelUnavailable, Reply, Request, Usage, form_in_words

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MAX_TRIES = 4
"""Tries of one request, the first included."""
CONFLICT_TRIES = 2
"""Tries after a 409: such a conflict passes at once or never."""
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
_AGAIN = frozenset({408, 409, 429})
_FORMS = ("schema", "json", "text")


class OpenAIModel:
    """A model behind an OpenAI-compatible address."""

    binding = "openai"

    def __init__(
        self,
        name: str,
        *,
        host: str = "",
        api_key: str = "",
        timeout_s: float = 180.0,
        stream: bool = False,
        first_wait_s: float = FIRST_WAIT_S,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.name = name
        self._address = _read_host(host) if host else Address("")
        self.host = self._address.shown
        self._api_key = api_key
        self._secrets = (api_key, *self._address.secrets)
        self._timeout_s = timeout_s
        self._stream = stream
        self._first_wait_s = first_wait_s
        self._jitter = jitter
        self._client: AsyncOpenAI | None = None
        self._form = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, host={self.host!r})"

    async def complete(self, request: Request, *, fresh: bool = False) -> Reply:
        """See ChatModel. 400, 404 and 422 about the form of the answer lead to the next form, not to an error."""
        while True:
            form = _FORMS[self._form] if request.schema is not None else "text"
            try:
                return await self._with_tries(request, form)
            except ModelRefused as error:
                if form == "text" or not _is_about_form(error):
                    raise
                # Another task may have moved on already.
                self._form = max(self._form, _FORMS.index(form) + 1)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def client(self) -> AsyncOpenAI:
        if self._client is None:
            try:
                from openai import AsyncOpenAI
            except ImportError as error:
                raise EngineNotConfigured(
                    "Asking a language model needs the package openai",
                    hint="Install it with: pip install 'lrdoc[models]'",
                ) from error
            authorization = self._address.authorization
            try:
                # Tries are counted here, so that the number of calls is known and a cancelled task stops at once.
                self._client = AsyncOpenAI(
                    api_key=self._api_key or "none",
                    base_url=self.host or None,
                    timeout=self._timeout_s,
                    max_retries=0,
                    default_headers={"Authorization": authorization} if authorization else None,
                    default_query=dict(self._address.query) or None,
                )
            except (ImportError, ValueError, TypeError, OSError) as error:
                # Proxies of the environment are read here, and so is the list of trusted certificates.
                raise ModelRefused(
                    f"No connection to {self._where()} can be set up: {self._clean(str(error))}",
                    hint="Look at HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE.",
                ) from error
        return self._client

    def _shown(self, cause: Exception) -> Exception | None:
        """A cause that tells a secret is left out of the traceback."""
        return cause if self._clean(str(cause)) == str(cause) else None

    def _clean(self, text: str) -> str:
        return without_secrets(text, self._secrets)

    async def _with_tries(self, request: Request, form: str) -> Reply:
        import openai

        tries = 0
        while True:
            tries += 1
            wait: float | None = None
            try:
                return await self._once(request, form)
            except openai.APITimeoutError as error:
                failure: ModelUnavailable | ModelRefused = ModelTimeout(
                    f"{self._where()} did not answer within {self._timeout_s:g} s",
                    hint="Raise LLM_TIMEOUT (or the role's own), or look whether the service is overloaded.",
                )
                cause: Exception = error
            except openai.APIConnectionError as error:
                failure = ModelUnavailable(
                    f"{self._where()} cannot be reached: {self._clean(str(error.__cause__ or error))}",
                    hint="Look at LLM_BINDING_HOST and whether the service runs.",
                )
                cause = error
            except openai.APIStatusError as error:
                status = error.status_code
                text = f"{self._where()} answered {status}: {self._clean(_reason(error))}"
                again = status >= 500 or (status in _AGAIN and (status != 409 or tries < CONFLICT_TRIES))
                if not again:
                    raise ModelRefused(text, hint=_remedy(status)) from self._shown(error)
                failure = ModelUnavailable(text, hint="Try again later, or lower MAX_ASYNC_LLM.")
                cause = error
                wait = _retry_after(error)
            except (openai.APIError, json.JSONDecodeError, _EmptyAnswer, ValueError) as error:
                failure = ModelUnavailable(
                    f"{self._where()} gave an answer that cannot be read: {self._clean(str(error))[:300]}",
                    hint="Look whether the address is that of an OpenAI-compatible service.",
                )
                cause = error
            if tries >= MAX_TRIES:
                failure.message += f" ({tries} tries)"
                raise failure from self._shown(cause)
            if wait is None:
                wait = min(self._first_wait_s * 2 ** (tries - 1), LONGEST_WAIT_S)
            await asyncio.sleep(min(wait, LONGEST_WAIT_S) * (1 + 0.25 * self._jitter()))

    async def _once(self, request: Request, form: str) -> Reply:
        client = self.client()
        options: dict[str, Any] = {"model": self.name, "messages": _messages(request, form)}
        if request.max_output_tokens is not None:
            options["max_tokens"] = request.max_output_tokens
        if form == "schema":
            schema = {"name": request.schema_name, "schema": request.schema, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form == "json":
            options["response_format"] = {"type": "json_object"}
        if self._stream:
            return await self._streamed(client, options)
        answer = await client.chat.completions.create(**options)
        choices = getattr(answer, "choices", None)
        if not choices:
            raise _EmptyAnswer("there are no choices in it")
        choice = choices[0]
        text = getattr(choice.message, "content", None) if choice.message is not None else None
        if not isinstance(text, str):
            raise _EmptyAnswer("the first choice has no text")
        return Reply(text, choice.finish_reason or "stop", _usage(answer.usage))

    async def _streamed(self, client: AsyncOpenAI, options: dict[str, Any]) -> Reply:
        words: list[str] = []
        reason = ""
        usage = Usage(requests=1)
        options = {**options, "stream": True, "stream_options": {"include_usage": True}}
        async with await client.chat.completions.create(**options) as chunks:
            async for chunk in chunks:
                if chunk.usage is not None:
                    usage = _usage(chunk.usage)
                for choice in chunk.choices or ():
                    if choice.index == 0:
                        words.append(choice.delta.content or "")
                        reason = choice.finish_reason or reason
        if not reason:
            raise _EmptyAnswer("it ended before the model had finished")
        return Reply("".join(words), reason, usage)

    def _where(self) -> str:
        return f"The model {self.name} at {self.host or 'api.openai.com'}"


def _read_host(host: str) -> Address:
    try:
        return read_address(host)
    except ValueError as error:
        raise SettingsError(f"The address of the model's service cannot be read: {error}") from error


class _EmptyAnswer(Exception):
    """An answer in the right protocol with nothing in it."""


def _messages(request: Request, form: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
    text = request.text
    if form != "schema" and request.schema is not None:
        text += form_in_words(request.schema)
    if not request.images:
        messages.append({"role": "user", "content": text})
        return messages
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for image in request.images:
        data = base64.b64encode(image.data).decode("ascii")
        parts.append({"type": "image_url", "image_url": {"url": f"data:{image.mime};base64,{data}"}})
    messages.append({"role": "user", "content": parts})
    return messages


def _usage(told: Any) -> Usage:
    if told is None:
        return Usage(requests=1)
    return Usage(int(told.prompt_tokens or 0), int(told.completion_tokens or 0), 1)


def _reason(error: Any) -> str:
    """What the service says, without the request's own headers or keys."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message") if isinstance(inner, dict) else inner
    text = str(body if body else error.message)
    return " ".join(text.split())[:300]


def _retry_after(error: Any) -> float | None:
    value = error.response.headers.get("retry-after")
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None


def _remedy(status: int) -> str:
    if status in (401, 403):
        return "Look at LLM_BINDING_API_KEY (or the role's own)."
    if status == 404:
        return "Look at LLM_MODEL and LLM_BINDING_HOST (or the role's own)."
    return ""


def _is_about_form(error: ModelRefused) -> bool:
    """Whether a refusal speaks of the form of the answer rather than of the request as a whole."""
    text = error.message.lower()
    words = ("response_format", "json_schema", "json_object", "json mode", "schema", "grammar", "structured output")
    return any(word in text for word in words) and any(f"answered {code}" in text for code in (400, 404, 415, 422, 501))
