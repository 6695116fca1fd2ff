"""A small HTTP server on this machine that can misbehave in every way that a download must survive."""

from __future__ import annotations

import contextlib
import gzip
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

from markdown_builder import png

_PATIENCE = 60
"""Seconds after which it gives up to misbehave, so that a download that never ends fails its test."""
Handler = Callable[[socket.socket, str], None]


def reply(connection: socket.socket, body: bytes, *headers: str, status: str = "200 OK") -> None:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "Connection: close", "", ""]
    connection.sendall("\r\n".join(lines).encode() + body)


class PictureServer:
    """Serves `/name` by the handler of that name; counts what was asked."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.heads: list[str] = []
        self._stop = threading.Event()
        self._end = time.monotonic() + _PATIENCE
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.1)
        self.port = self._socket.getsockname()[1]
        self.handlers: dict[str, Handler] = {}
        self._threads: list[threading.Thread] = []
        self._main = threading.Thread(target=self._serve, daemon=True)
        self._main.start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    def close(self) -> None:
        self._stop.set()
        self._main.join(2)
        for thread in self._threads:
            thread.join(2)
        self._socket.close()

    def _serve(self) -> None:
        while not self._stop.is_set():
            try:
                connection, _ = self._socket.accept()
            except TimeoutError:
                continue
            thread = threading.Thread(target=self._answer, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _answer(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(60)
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(4096)
                if not piece:
                    return
                head += piece
            path = head.split(b" ", 2)[1].decode()
            self.requests.append(path)
            self.heads.append(head.decode())
            name = path.strip("/").split("/")[0].split("?")[0].split(".")[0]
            handler = self.handlers.get(name) or getattr(self, f"do_{name}", None)
            if handler is None:
                reply(connection, png(shade=sum(path.encode()) % 251), "Content-Type: image/png")
            else:
                handler(connection, path)

    def _goes_on(self) -> bool:
        return not self._stop.is_set() and time.monotonic() < self._end

    # misbehaviour by name

    def do_missing(self, connection: socket.socket, path: str) -> None:
        reply(connection, b"gone", "Content-Type: text/plain", status="404 Not Found")

    def do_page(self, connection: socket.socket, path: str) -> None:
        reply(connection, b"<html>", "Content-Type: text/html")

    def do_liar(self, connection: socket.socket, path: str) -> None:
        reply(connection, b"this is no picture", "Content-Type: image/png")

    def do_untyped(self, connection: socket.socket, path: str) -> None:
        reply(connection, png())

    def do_big(self, connection: socket.socket, path: str) -> None:
        reply(connection, png() + bytes(300_000), "Content-Type: image/png")

    def do_endless(self, connection: socket.socket, path: str) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n")
        while self._goes_on():
            connection.sendall(bytes(65536))

    def do_chunked(self, connection: socket.socket, path: str) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: image/png\r\n\r\n")
        for byte in png():
            connection.sendall(b"1\r\n" + bytes([byte]) + b"\r\n")
        connection.sendall(b"0\r\n\r\n")

    def do_zipped(self, connection: socket.socket, path: str) -> None:
        reply(connection, gzip.compress(png()), "Content-Type: image/png", "Content-Encoding: gzip")

    def do_bomb(self, connection: socket.socket, path: str) -> None:
        body = gzip.compress(png() + bytes(50_000_000), compresslevel=1)
        reply(connection, body, "Content-Type: image/png", "Content-Encoding: gzip")

    def do_trickle(self, connection: socket.socket, path: str) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n")
        while self._goes_on():
            connection.sendall(b"\0")
            time.sleep(0.05)

    def do_slowhead(self, connection: socket.socket, path: str) -> None:
        while self._goes_on():
            connection.sendall(b"H")
            time.sleep(0.05)

    def do_silent(self, connection: socket.socket, path: str) -> None:
        self._stop.wait(_PATIENCE)

    def do_reset(self, connection: socket.socket, path: str) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5000\r\n\r\n\x89PNG")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def do_short(self, connection: socket.socket, path: str) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5000\r\n\r\n" + png())

    def do_garbage(self, connection: socket.socket, path: str) -> None:
        connection.sendall(b"\x00\x01 not http\r\n\r\n")

    def do_svg(self, connection: socket.socket, path: str) -> None:
        body = b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"><rect width="4" height="3"/></svg>'
        reply(connection, body, "Content-Type: image/svg+xml")

    def do_moved(self, connection: socket.socket, path: str) -> None:
        self._redirect(connection, "/target.png")

    def do_loop(self, connection: socket.socket, path: str) -> None:
        self._redirect(connection, path)

    def do_chain(self, connection: socket.socket, path: str) -> None:
        self._redirect(connection, f"/chain/{int(path.rsplit('/', 1)[-1]) + 1}")

    def do_private(self, connection: socket.socket, path: str) -> None:
        self._redirect(connection, "http://10.255.255.1/x.png")

    def do_file(self, connection: socket.socket, path: str) -> None:
        self._redirect(connection, "file:///etc/passwd")

    def do_nowhere(self, connection: socket.socket, path: str) -> None:
        reply(connection, b"", status="302 Found")

    def _redirect(self, connection: socket.socket, location: str) -> None:
        reply(connection, b"", f"Location: {location}", status="302 Found")


@contextlib.contextmanager
def picture_server() -> Iterator[PictureServer]:
    server = PictureServer()
    try:
        yield server
    finally:
        server.close()
