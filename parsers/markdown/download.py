"""Fetching one picture over HTTP without trusting anybody.

Every host is resolved here, every address is checked, and the checked address itself is dialled, so that a name cannot
answer differently the second time. Proxies of the environment are not used. A clock runs over the whole request and is
looked at between all pieces, so that a peer that sends one byte a second gains nothing.
"""

from __future__ import annotations

import contextlib
import errno
import http.client
import io
import re
import select
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from lrdoc.errors import Cancelled
from lrdoc.parsers.markdown.addresses import is_allowed
from lrdoc.parsers.markdown.refused import PictureError
from lrdoc.parsers.markdown.settings import Network

MAX_REDIRECTS = 5
_PIECE = 64 * 1024
_MAX_HEAD = 64 * 1024
_LOOK = 0.1
"""Seconds between looks at the clock and at the caller's wish to stop."""
_USER_AGENT = "lrdoc"
_ANY_TYPE = ("", "application/octet-stream", "binary/octet-stream", "text/xml", "application/xml")

Resolve = Callable[[str, int], Sequence[str]]


class Limits(NamedTuple):
    """What one request may cost."""

    max_bytes: int
    bytes_limit: str
    """Name of the variable behind `max_bytes`."""
    deadline: float
    """On the clock of `time.monotonic`."""
    deadline_limit: str
    allowed: tuple[Network, ...]
    cancelled: Callable[[], bool]
    charge: Callable[[], None]
    """Called before every request; raises PictureError when there have been too many."""


def resolve(host: str, port: int) -> Sequence[str]:
    """All addresses of the host, in the order of the system."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def fetch(url: str, limits: Limits, resolver: Resolve = resolve) -> bytes:
    """The body that the address leads to. Raises PictureError with the reason, or Cancelled."""
    seen: set[str] = set()
    for _ in range(MAX_REDIRECTS + 1):
        limits.charge()
        seen.add(url)
        with _answer(url, limits, resolver) as answer:
            if answer.status in (301, 302, 303, 307, 308):
                location = answer.header("location")
                if not location:
                    raise _failed(url, "a redirect leads nowhere")
                url = _join(url, location)
                if url in seen:
                    raise _failed(url, "redirects go round in a circle")
                continue
            if answer.status != 200:
                raise _failed(url, f"the server answered {answer.status}")
            kind = answer.header("content-type").split(";", 1)[0].strip().lower()
            if kind not in _ANY_TYPE and not kind.startswith("image/"):
                raise _failed(url, f"the server sent {kind[:60]}, not a picture")
            return answer.body()
    raise _failed(url, f"more than {MAX_REDIRECTS} redirects")


def _failed(url: str, reason: str) -> PictureError:
    shown = url if len(url) <= 200 else f"{url[:199]}…"
    return PictureError(
        "picture_download_failed",
        f"{shown} was not downloaded: {reason}. The picture stays a link; "
        "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED=true makes this an error.",
    )


def _over(url: str, reason: str, limit: str) -> PictureError:
    shown = url if len(url) <= 200 else f"{url[:199]}…"
    return PictureError(
        "picture_over_limit", f"{shown} was not downloaded: {reason}. The picture stays a link; the limit is {limit}."
    )


def _join(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        raise _failed(base, "a redirect leads to a broken address") from None


class _Target(NamedTuple):
    secure: bool
    host: str
    port: int
    path: str


def _target(url: str) -> _Target:
    if url.startswith("//"):
        url = f"https:{url}"
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
        if host and not host.isascii():
            host = host.encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        raise _failed(url, "the address is broken") from None
    if parts.scheme not in ("http", "https"):
        raise _failed(url, f"{parts.scheme or 'this'} is not http or https")
    if not host or not re.fullmatch(r"[A-Za-z0-9._:%-]+", host):
        raise _failed(url, "the address has no valid host")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    if parts.query:
        path += "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?[]")
    return _Target(parts.scheme == "https", host, port or (443 if parts.scheme == "https" else 80), path)


class _Clock:
    """Looks at the deadline and at the caller's wish to stop."""

    def __init__(self, url: str, limits: Limits) -> None:
        self._url = url
        self._limits = limits

    def look(self) -> None:
        if self._limits.cancelled():
            raise Cancelled()
        if time.monotonic() >= self._limits.deadline:
            raise _over(self._url, "it took too long", self._limits.deadline_limit)


def _addresses(url: str, target: _Target, limits: Limits, clock: _Clock, resolver: Resolve) -> Sequence[str]:
    """Checked addresses of the host; one bad address spoils them all."""
    found: list[Sequence[str]] = []
    problem: list[str] = []

    def ask() -> None:
        try:
            found.append(resolver(target.host, target.port))
        except (OSError, UnicodeError, ValueError) as e:
            problem.append(getattr(e, "strerror", None) or str(e) or "no answer")

    # a name server cannot be interrupted, so it is left behind when the time is over
    asker = threading.Thread(target=ask, daemon=True, name="lrdoc-resolve")
    asker.start()
    while asker.is_alive():
        asker.join(_LOOK)
        clock.look()
    if problem or not found or not found[0]:
        raise _failed(url, f"the host {target.host} was not found ({problem[0] if problem else 'no addresses'})")
    for address in found[0]:
        if not is_allowed(address, limits.allowed):
            raise PictureError(
                "picture_address_refused",
                f"{url[:200]} was not downloaded: {target.host} has the address {address}, which is not public. The "
                "picture stays a link; NATIVE_MD_IMAGE_ALLOWED_NON_PUBLIC_CIDRS can allow such addresses.",
            )
    return found[0]


def _connect(address: str, port: int, clock: _Clock) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        code = sock.connect_ex((address, port))
        if code not in (0, errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY):
            raise OSError(code, "cannot connect")
        while True:
            clock.look()
            _, writable, failed = select.select([], [sock], [sock], _LOOK)
            if writable or failed:
                break
        code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, "cannot connect")
        sock.settimeout(_LOOK)
    except BaseException:
        sock.close()
        raise
    return sock


@contextlib.contextmanager
def _answer(url: str, limits: Limits, resolver: Resolve) -> Iterator[_Answer]:
    clock = _Clock(url, limits)
    clock.look()
    target = _target(url)
    sock: socket.socket | None = None
    try:
        for address in _addresses(url, target, limits, clock, resolver):
            try:
                sock = _connect(address, target.port, clock)
                break
            except OSError as e:
                problem = e
        if sock is None:
            raise _failed(url, f"no connection ({problem.strerror or problem})")
        if target.secure:
            context = ssl.create_default_context()
            sock = context.wrap_socket(sock, server_hostname=target.host, do_handshake_on_connect=False)
            while True:
                clock.look()
                try:
                    sock.do_handshake()
                    break
                except (TimeoutError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    continue
        host = f"[{target.host}]" if ":" in target.host else target.host
        if target.port != (443 if target.secure else 80):
            host += f":{target.port}"
        request = (
            f"GET {target.path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {_USER_AGENT}\r\n"
            "Accept: image/*\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n"
        ).encode("ascii")
        sent = 0
        while sent < len(request):
            clock.look()
            with contextlib.suppress(TimeoutError, ssl.SSLWantWriteError):
                sent += sock.send(request[sent:])
        yield _Answer(url, sock, clock, limits)
    except ssl.SSLCertVerificationError as e:
        raise _failed(url, f"the server's certificate is not valid ({e.verify_message})") from None
    except (OSError, http.client.HTTPException) as e:
        raise _failed(url, f"the connection broke ({getattr(e, 'strerror', None) or type(e).__name__})") from None
    finally:
        if sock is not None:
            sock.close()


class _Answer:
    """The answer to one request."""

    def __init__(self, url: str, sock: socket.socket, clock: _Clock, limits: Limits) -> None:
        self._url = url
        self._sock = sock
        self._clock = clock
        self._limits = limits
        self._buffer = b""
        self._ended = False
        lines = self._head()
        match = re.match(rb"HTTP/1\.[01] (\d{3})", lines)
        if match is None:
            raise _failed(url, "the server does not speak HTTP")
        self.status = int(match[1])
        _, _, rest = lines.partition(b"\n")
        self._headers = http.client.parse_headers(io.BytesIO(rest + b"\r\n\r\n"))

    def header(self, name: str) -> str:
        return str(self._headers.get(name, ""))

    def _receive(self) -> bytes:
        """The next piece, b"" at the end."""
        while not self._ended:
            self._clock.look()
            try:
                piece = self._sock.recv(_PIECE)
            except (TimeoutError, ssl.SSLWantReadError):
                continue
            except ssl.SSLEOFError:
                piece = b""
            if not piece:
                self._ended = True
            return piece
        return b""

    def _head(self) -> bytes:
        """The head, behind at most one informational answer; a second one is an error like any other wrong status."""
        head = self._next_head()
        return self._next_head() if re.match(rb"HTTP/1\.[01] 1\d\d", head) else head

    def _next_head(self) -> bytes:
        received = bytearray(self._buffer)
        while (end := received.find(b"\r\n\r\n")) < 0:
            piece = self._receive()
            if not piece or len(received) > _MAX_HEAD:
                raise _failed(self._url, "the server sent no complete answer")
            received += piece
        self._buffer = bytes(received[end + 4 :])
        return bytes(received[:end])

    def body(self) -> bytes:
        """The whole body, decompressed, never more than the limit."""
        length = self.header("content-length").strip()
        if length.isascii() and length.isdigit() and len(length) < 19 and int(length) > self._limits.max_bytes:
            raise self._too_large()
        encoding = self.header("content-encoding").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise _failed(self._url, f"the answer is compressed as {encoding[:30]}")
        inflate = zlib.decompressobj(47) if encoding not in ("", "identity") else None
        chunked = "chunked" in self.header("transfer-encoding").lower()
        wanted = int(length) if length.isascii() and length.isdigit() and len(length) < 19 and not chunked else None
        body = bytearray()
        received = 0
        for piece in self._chunks() if chunked else self._pieces(wanted):
            received += len(piece)
            if received > self._limits.max_bytes:
                raise self._too_large()
            if inflate is None:
                body += piece
                continue
            try:
                body += inflate.decompress(piece, self._limits.max_bytes + 1 - len(body))
            except zlib.error:
                raise _failed(self._url, "the answer is not compressed as it says") from None
            if len(body) > self._limits.max_bytes or inflate.unconsumed_tail:
                raise self._too_large()
        if wanted is not None and received < wanted:
            raise _failed(self._url, "the connection broke before the end")
        return bytes(body)

    def _too_large(self) -> PictureError:
        return _over(self._url, f"it is larger than {self._limits.max_bytes} bytes", self._limits.bytes_limit)

    def _pieces(self, wanted: int | None) -> Iterator[bytes]:
        """The plain body: as long as announced, or until the server closes."""
        left = wanted
        piece = self._buffer
        self._buffer = b""
        while left is None or left > 0:
            if piece:
                if left is not None:
                    piece = piece[:left]
                    left -= len(piece)
                yield piece
                if left == 0:
                    return
            piece = self._receive()
            if not piece:
                return

    def _chunks(self) -> Iterator[bytes]:
        buffer = bytearray(self._buffer)

        def more() -> None:
            piece = self._receive()
            if not piece:
                raise _failed(self._url, "the connection broke before the end")
            buffer.extend(piece)

        while True:
            while (end := buffer.find(b"\r\n")) < 0:
                if len(buffer) > 1024:
                    raise _failed(self._url, "the server does not speak HTTP")
                more()
            size_text = bytes(buffer[:end]).split(b";", 1)[0].strip()
            del buffer[: end + 2]
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,15}", size_text):
                raise _failed(self._url, "the server does not speak HTTP")
            size = int(size_text, 16)
            if not size:
                return
            while size:
                if not buffer:
                    more()
                piece = bytes(buffer[:size])
                del buffer[: len(piece)]
                size -= len(piece)
                yield piece
            while len(buffer) < 2:
                more()
            del buffer[:2]
