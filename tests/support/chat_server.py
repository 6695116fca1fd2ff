"""An OpenAI-compatible server on 127.0.0.1 that answers, or misbehaves, as a script says."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def completion(text: str, reason: str = "stop") -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


@dataclass
class Fault:
    """What one request gets. By default a good answer."""

    status: int = 200
    body: str | bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    reset: bool = False
    """Close the connection hard before answering."""
    cut: bool = False
    """Promise more bytes than are sent."""
    wait_s: float = 0.0
    content_type: str = "application/json"


@dataclass
class Server:
    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


@contextmanager
def chat_server(script: Callable[[int, dict[str, Any]], Fault]) -> Iterator[Server]:
    """`script` gets the number of the request, from 0, and its body."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                number = len(server.requests)
                server.requests.append(body)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                server.times.append(time.monotonic())
            fault = script(number, body)
            if fault.wait_s:
                time.sleep(fault.wait_s)
            if fault.reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            data = fault.body if fault.body is not None else json.dumps(completion("{}"))
            payload = data if isinstance(data, bytes) else data.encode()
            try:
                self.send_response(fault.status)
                self.send_header("content-type", fault.content_type)
                self.send_header("content-length", str(len(payload) + (100 if fault.cut else 0)))
                for name, value in fault.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)
            except OSError:
                pass  # the client went away
            if fault.cut:
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            return None

        def handle(self) -> None:
            with suppress(OSError):
                super().handle()

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = Server(f"http://127.0.0.1:{http.server_address[1]}/v1")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
