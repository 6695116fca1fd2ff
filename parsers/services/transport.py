"""HTTP to a parsing service: retries, limits, redirects, cancellation, and errors that say what to do.

One `Service` stands for one task. Requests run in a thread of their own, so that a cancelled parse stops at once,
however long the service is silent.
"""

from __future__ import annotations

import contextlib
import functools
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx

from lrdoc.document import Asset
from lrdoc.errors import LimitExceeded, TransportError
from lrdoc.parsers.base import ParseContext
from lrdoc.parsers.services.addresses import is_inside, is_inside_url, origin, public_form
from lrdoc.parsers.services.builder import as_text
from lrdoc.parsers.services.settings import PollSettings
from lrdoc.text.clean import clean

T = TypeVar("T")

RETRIED = frozenset({408, 429, 502, 503, 504})
MOST_REDIRECTS = 5
LARGEST_JSON = 64 << 20
_PIECE = 1 << 16
_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 30.0
_LOOK_S = 0.05
_LONGEST_UPLOAD_S = 3600.0
_TIMEOUT = "PARSER_REQUEST_TIMEOUT_SECONDS"


class _Again(Exception):
    """The request may be made again; `wait` is what the service asks for."""

    def __init__(self, error: TransportError, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait


class NoAssets:
    """For requests that bring no pictures."""

    def put(self, data: bytes | IO[bytes], suggested_name: str, *, max_bytes: int | None = None) -> Asset:
        raise AssertionError(suggested_name)


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and body of a response that was small enough to keep."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON, None when it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    def told(self) -> str:
        """What the service says about an error, short."""
        value = self.json()
        found = first_text(value, ("detail", "error", "message", "error_message", "msg")) if value is not None else ""
        return one_line(found or self.body.decode("utf-8", "replace"))


def first_text(value: Any, keys: Iterable[str]) -> str:
    """The first text under one of the keys, at most three levels down."""
    for _ in range(3):
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            value = next((value[key] for key in keys if value.get(key)), None)
    return value if isinstance(value, str) else ""


def one_line(text: str, most: int = 300) -> str:
    """A text of a service, fit for a message."""
    line = " ".join(clean(text[: 4 * most]).split())
    return line if len(line) <= most else f"{line[:most]}…"


@dataclass(slots=True)
class Service:
    """Requests to one service."""

    engine: str
    endpoint: str
    """Base address, without a slash at its end."""
    variable: str
    """Variable that holds the address, for the remedy."""
    limits: PollSettings
    context: ParseContext
    headers: Mapping[str, str] = field(default_factory=dict)
    """For requests to the endpoint; they go nowhere else."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _client: httpx.Client | None = field(default=None, repr=False)

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def fail(self, what: str, hint: str = "") -> TransportError:
        """An error that names engine, endpoint and remedy."""
        shown = public_form(self.endpoint)
        remedy = hint or f"See whether the service at {shown} runs, and {self.variable}."
        return TransportError(f"{self.engine} at {shown}: {what}", hint=remedy)

    def get(self, path: str, *, what: str, accept: Iterable[int] = (200,), params: Any = None) -> Answer:
        """A small answer. Statuses other than `accept` are errors."""
        return self._small("GET", path, what=what, accept=accept, params=params)

    def ask(self, path: str, *, what: str, params: Any = None) -> dict[str, Any]:
        """The JSON object that the service answers."""
        return self.read_object(self.get(path, what=what, params=params), what)

    def read_object(self, answer: Answer, what: str) -> dict[str, Any]:
        told = answer.json()
        if not isinstance(told, dict):
            remedy = f"See whether {self.variable} leads to {self.engine}."
            raise self.fail(f"{what}: the answer is no JSON object", remedy)
        return told

    def read_task(self, answer: Answer) -> str:
        """Number of the task that an upload began."""
        told = self.read_object(answer, "upload")
        task = as_text(told.get("task_id")) or as_text(told.get("id"))
        if not task:
            raise self.fail("upload: the answer names no task")
        return task

    def delete(self, path: str) -> None:
        """Tell the service to stop; whether it does is nobody's concern."""
        with contextlib.suppress(httpx.HTTPError, OSError, RuntimeError):
            self._open().delete(self._url(path), headers=dict(self.headers), timeout=2.0)

    def post_json(self, path: str, value: Any, *, what: str, accept: Iterable[int] = (200,)) -> Answer:
        return self._small("POST", path, what=what, accept=accept, json=value)

    def upload(
        self,
        path: str,
        fields: Iterable[tuple[str, str]],
        file: Path,
        name: str,
        *,
        what: str,
        accept: Iterable[int] = (200, 202),
        params: Any = None,
    ) -> Answer:
        """Send a file as multipart/form-data, streamed from the disk. Sent again only when nothing was taken."""
        data: dict[str, list[str]] = {}
        for key, value in fields:
            data.setdefault(key, []).append(value)

        def attempt() -> Answer:
            with file.open("rb") as stream:
                parts = {"files": (name, stream, "application/octet-stream")}
                return self._exchange(
                    "POST", self._url(path), what=what, accept=accept, data=data, files=parts, params=params
                )

        return self._retry(attempt)

    def put_file(self, url: str, file: Path, *, what: str) -> None:
        """Send the bytes of a file to a signed address, without our headers."""
        self.check_foreign(url, what)

        def attempt() -> None:
            size = file.stat().st_size
            with file.open("rb") as stream:
                self._exchange(
                    "PUT",
                    url,
                    what=what,
                    accept=range(200, 300),
                    content=_pieces(stream.read),
                    headers={"Content-Length": str(size)},
                )

        self._retry(attempt)

    def download(
        self, url: str, target: Path, *, what: str, params: Any = None, pending: Iterable[int] = ()
    ) -> tuple[Mapping[str, str], bool]:
        """Stream a body into a file under the limits of size and time: (headers, whether it is there).

        A status in `pending` says that it is not there yet.
        """
        foreign = not self._is_own(self._url(url))
        if foreign:
            self.check_foreign(url, what)
        return self._retry(lambda: self._download(self._url(url), target, what, params, frozenset(pending)))

    def poll(self, look: Callable[[], T | None], interval: float, most: int, *, what: str) -> T:
        """Look again and again until there is something. The first look is at once, the next ones come soon."""
        wait = min(interval, 0.2)
        for number in range(most):
            self.context.check()
            started = self.clock()
            found = look()
            if found is not None:
                return found
            self.context.progress("service", number + 1, None)
            # A service that holds the answer back has waited already.
            self.pause(max(0.0, wait - (self.clock() - started)))
            wait = min(interval, wait * 2)
        raise self.fail(
            f"{what} is not done after {most} looks", "Give it more time with the variables for polls, or less to do."
        )

    def pause(self, seconds: float) -> None:
        """Sleep, and look for cancellation."""
        end = self.clock() + seconds
        while (left := end - self.clock()) > 0:
            self.context.check()
            self.sleep(min(left, _LOOK_S))
        self.context.check()

    def check_foreign(self, url: str, what: str) -> None:
        """An address that the service names: http(s), and no way from the internet into this network."""
        parts = urlsplit(url)
        own = urlsplit(self.endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise self.fail(f"{what}: the service names an address that is none")
        if own.scheme == "https" and parts.scheme != "https":
            raise self.fail(f"{what}: the service names an address without encryption")
        if is_inside(parts.hostname) and not is_inside(own.hostname or ""):
            raise self.fail(f"{what}: the service names an address inside this network")

    # one request

    def _small(self, method: str, path: str, *, what: str, accept: Iterable[int], **more: Any) -> Answer:
        return self._retry(lambda: self._exchange(method, self._url(path), what=what, accept=accept, **more))

    def _url(self, path: str) -> str:
        return path if path.startswith(("http://", "https://")) else f"{self.endpoint}{path}"

    def _is_own(self, url: str) -> bool:
        return origin(url) == origin(self.endpoint)

    def _open(self) -> httpx.Client:
        if self._client is None:
            timeout = httpx.Timeout(self.limits.request_timeout, connect=min(30.0, self.limits.request_timeout))
            self._client = httpx.Client(
                timeout=timeout,
                follow_redirects=False,
                verify=_certificates(),
                trust_env=not is_inside_url(self.endpoint),
            )
        return self._client

    def _retry(self, attempt: Callable[[], T]) -> T:
        wait = _FIRST_WAIT_S
        for number in range(self.limits.retries + 1):
            self.context.check()
            try:
                return attempt()
            except _Again as again:
                if number == self.limits.retries:
                    raise again.error from None
                asked = again.wait
            self.pause(min(max(wait, asked or 0), _LONGEST_WAIT_S))
            wait *= 2
        raise AssertionError  # the last round returns or raises

    def _exchange(
        self,
        method: str,
        url: str,
        *,
        what: str,
        accept: Iterable[int],
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Answer:
        """One request with a small answer."""
        accepted = frozenset(accept)
        for _ in range(MOST_REDIRECTS + 1):
            own = self.headers if self._is_own(url) else {}
            with self._stream(method, url, what, headers={**own, **(headers or {})}, **more) as response:
                body = self._body(response, what)
                answer = Answer(response.status_code, response.headers, body)
                if response.status_code in accepted:
                    return answer
                if response.is_redirect and method in ("GET", "HEAD"):
                    url = self._redirect(response, what)
                    more.pop("params", None)
                    continue
                self._refuse(response, answer, what)
        raise self.fail(f"{what}: more than {MOST_REDIRECTS} redirects")

    def _download(
        self, url: str, target: Path, what: str, params: Any, pending: frozenset[int]
    ) -> tuple[Mapping[str, str], bool]:
        seconds = self.limits.download_timeout
        end = self.clock() + seconds if seconds else None
        for _ in range(MOST_REDIRECTS + 1):
            own = self.headers if self._is_own(url) else {}
            with self._stream(
                "GET", url, what, headers={**own, "Accept-Encoding": "identity"}, params=params
            ) as response:
                if response.status_code == 200:
                    self._save(response, target, what, end)
                    return response.headers, True
                if response.status_code in pending:
                    return response.headers, False
                if response.is_redirect:
                    url, params = self._redirect(response, what), None
                    continue
                self._refuse(response, Answer(response.status_code, response.headers, self._body(response, what)), what)
        raise self.fail(f"{what}: more than {MOST_REDIRECTS} redirects")

    def _redirect(self, response: httpx.Response, what: str) -> str:
        target: str = urljoin(str(response.request.url), response.headers.get("location", ""))
        if not response.headers.get("location"):
            raise self.fail(f"{what}: a redirect to nowhere")
        if not self._is_own(target):
            self.check_foreign(target, what)
            if is_inside_url(self.endpoint):
                raise self.fail(
                    f"{what}: redirected to another host", f"Set {self.variable} to the address it moved to."
                )
        return target

    def _refuse(self, response: httpx.Response, answer: Answer, what: str) -> None:
        """Raise for a status that is not accepted."""
        status = response.status_code
        told = answer.told()
        message = f"{what}: HTTP {status}" + (f": {told}" if told else "")
        hint = ""
        if status in (401, 403):
            hint = "Set the key or token that the service asks for."
        elif response.is_redirect:
            hint = f"Set {self.variable} to the address it moved to."
        elif status == 413:
            hint = "The file is larger than the service takes."
        elif status in (400, 404, 409, 422):
            hint = "See the service's own limits and options; docs/mineru.md and docs/docling.md tell what is sent."
        error = self.fail(message, hint)
        if status in RETRIED:
            raise _Again(error, _retry_after(response.headers.get("retry-after")))
        raise error

    @contextlib.contextmanager
    def _stream(self, method: str, url: str, what: str, **more: Any) -> Iterator[httpx.Response]:
        """Open a response; errors on the way become ours. What may be tried again is _Again."""
        uploads = method in ("POST", "PUT")
        sent = False
        response: httpx.Response | None = None
        try:
            client = self._open()
            request = client.build_request(method, url, **more)
            # A large file may take its time; each of its pieces may not.
            seconds = _LONGEST_UPLOAD_S if uploads else self.limits.request_timeout
            response = self._run(lambda: self._send(client, request), what, seconds, _TIMEOUT)
            sent = True
            yield response
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as e:
            raise _Again(self.fail(f"{what}: it cannot be reached ({_reason(e)})")) from e
        except httpx.TimeoutException as e:
            error = self.fail(f"{what}: it was silent for {self.limits.request_timeout:g} s")
            if uploads:
                raise error from e
            raise _Again(error) from e
        except httpx.WriteError as e:
            # The service did not read to the end, so it has not taken the file.
            raise _Again(self.fail(f"{what}: it broke the connection ({_reason(e)})")) from e
        except (httpx.TransportError, httpx.InvalidURL, httpx.StreamError) as e:
            told = "in the middle of its answer" if sent else "before it answered"
            error = self.fail(f"{what}: it broke the connection {told} ({_reason(e)})")
            if uploads or isinstance(e, httpx.UnsupportedProtocol | httpx.InvalidURL):
                # It may have taken the file; a second upload would be a second task.
                raise error from e
            raise _Again(error) from e
        finally:
            if response is not None:
                response.close()

    def _send(self, client: httpx.Client, request: httpx.Request) -> httpx.Response:
        response = client.send(request, stream=True)
        if self._client is not client:
            # Abandoned while it connected: closing the client did not reach a connection that was not there yet.
            response.close()
        return response

    def _body(self, response: httpx.Response, what: str) -> bytes:
        def read() -> bytes:
            body = bytearray()
            for piece in response.iter_bytes(_PIECE):
                body += piece
                if len(body) > LARGEST_JSON:
                    raise LimitExceeded(f"{self.engine}: {what}: the answer is larger than {LARGEST_JSON} bytes")
            return bytes(body)

        return self._run(read, what, self.limits.request_timeout, _TIMEOUT)

    def _save(self, response: httpx.Response, target: Path, what: str, end: float | None) -> None:
        most = self.limits.download_max_bytes
        limit = "PARSER_RESULT_BUNDLE_DOWNLOAD_MAX_BYTES"
        encoding = response.headers.get("content-encoding", "identity").lower()
        if encoding != "identity":
            raise self.fail(f"{what}: the answer is encoded as {one_line(encoding, 40)}, which was not asked for")
        declared = response.headers.get("content-length", "")
        too_large = LimitExceeded(
            f"{self.engine} at {public_form(self.endpoint)}: {what}: the answer is larger than {most} bytes",
            limit=limit,
            hint=f"Set {limit} if you trust the service.",
        )
        if most and declared.isascii() and declared.isdigit() and int(declared[:20]) > most:
            raise too_large
        stop = threading.Event()

        # Opened here, so that no thread makes the file after its folder is gone.
        with target.open("wb") as file:

            def save() -> None:
                size = 0
                for piece in response.iter_raw(_PIECE):
                    size += len(piece)
                    if most and size > most:
                        raise too_large
                    if stop.is_set():
                        return
                    file.write(piece)

            try:
                left = max(end - self.clock(), 0.001) if end is not None else 0.0
                self._run(save, what, left, "PARSER_RESULT_BUNDLE_DOWNLOAD_TIMEOUT")
            finally:
                stop.set()

    def _run(self, work: Callable[[], T], what: str, seconds: float, limit: str) -> T:
        """Do something that waits for the network, in a thread, and look for cancellation and the time meanwhile.

        `seconds` 0: no limit; `limit` is the variable that changes it.
        """
        end = self.clock() + seconds if seconds else None
        done = threading.Event()
        found: list[T] = []
        failed: list[BaseException] = []

        def body() -> None:
            try:
                found.append(work())
            except BaseException as e:  # handed over to the thread that waits
                failed.append(e)
            finally:
                done.set()

        threading.Thread(target=body, name=f"lrdoc-{self.engine}", daemon=True).start()
        try:
            while not done.wait(_LOOK_S):
                self.context.check()
                if end is not None and self.clock() > end:
                    raise self.fail(f"{what}: not finished after {seconds:g} s", f"{limit} changes the time.")
        finally:
            if not done.is_set():
                self._abandon()
        if failed:
            raise failed[0]
        return found[0]

    def _abandon(self) -> None:
        """Break the connection that another thread waits for."""
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(httpx.HTTPError, OSError, RuntimeError):
                client.close()


@functools.cache
def _certificates() -> ssl.SSLContext:
    """Reading them takes a tenth of a second."""
    return httpx.create_ssl_context()


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(_PIECE):
        yield piece


def _retry_after(value: str | None) -> float | None:
    """Seconds that the service asks to wait."""
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return float(value[:6])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _reason(error: Exception) -> str:
    return one_line(str(error), 120) or type(error).__name__
