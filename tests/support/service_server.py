"""Parsing services on this machine that answer as the recorded ones do, and misbehave on demand.

`faults` names for each step (health, upload, poll, result …) what happens to the first requests, one word each; a last
word with a star holds for all that follow.
"""

from __future__ import annotations

import contextlib
import io
import json
import socket
import struct
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

BOMB_BYTES = 3 << 20


def make_zip(files: Mapping[str, Any]) -> bytes:
    """An archive; what is not bytes is written as JSON."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return out.getvalue()


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, list[str]]
    headers: Mapping[str, str]
    body: bytes
    step: str = ""

    def fields(self) -> dict[str, list[str]]:
        """Fields of a form; of a file its name."""
        boundary = self.headers.get("content-type", "").partition("boundary=")[2].encode()
        found: dict[str, list[str]] = {}
        for piece in self.body.split(b"--" + boundary)[1:-1]:
            head, _, value = piece.strip(b"\r\n").partition(b"\r\n\r\n")
            words = head.decode()
            name = words.partition('name="')[2].partition('"')[0]
            file = words.partition('filename="')[2].partition('"')[0]
            found.setdefault(name, []).append(file or value.decode("utf-8", "replace"))
        return found


@dataclass
class ServiceServer:
    """One service; `kind` is docling, mineru3, mineru4 or official."""

    kind: str
    archive: bytes
    faults: dict[str, list[str]] = field(default_factory=dict)
    polls: int = 1
    """How often a task is not done yet."""
    key: str = ""
    """Key that must be sent."""
    redirect_to: str = ""
    requests: list[Request] = field(default_factory=list)
    deleted: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)
    url: str = ""
    looks: int = 0

    def steps(self) -> list[str]:
        return [request.step for request in self.requests]

    def count(self, step: str) -> int:
        return self.steps().count(step)

    def of(self, step: str) -> Request:
        return next(request for request in self.requests if request.step == step)

    def fault(self, step: str) -> str:
        words = self.faults.get(step)
        if not words:
            return ""
        return words[0].removesuffix("*") if words[0].endswith("*") else words.pop(0)

    # the interfaces: (step, status, JSON value or bytes)

    def answer(self, request: Request) -> tuple[str, Callable[[], tuple[int, Any]]]:
        handler: Callable[[Request], tuple[str, Callable[[], tuple[int, Any]]]] = getattr(self, f"_{self.kind}")
        return handler(request)

    def _is_done(self) -> bool:
        self.looks += 1
        return self.looks > self.polls

    def _docling(self, request: Request) -> tuple[str, Callable[[], tuple[int, Any]]]:
        path = request.path
        if path == "/version":
            return "health", lambda: (200, {"docling-serve": "1.38.2"})
        if path == "/health":
            return "health", lambda: (200, {"status": "ok"})
        if path == "/v1/convert/file/async":
            return "upload", lambda: (200, {"task_id": "t 1", "task_status": "pending"})
        if path == "/v1/status/poll/t 1":
            return "poll", lambda: (200, {"task_status": "success" if self._is_done() else "started"})
        if path == "/v1/result/t 1":
            return "result", lambda: (200, self.archive)
        return "unknown", lambda: (404, {"detail": "Not Found"})

    def _mineru3(self, request: Request) -> tuple[str, Callable[[], tuple[int, Any]]]:
        path = request.path
        if path == "/health":
            return "health", lambda: (200, {"status": "healthy", "version": "3.4.5", "protocol_version": 2})
        if path == "/tasks":
            return "upload", lambda: (202, {"task_id": "t 1", "status": "pending"})
        if path == "/tasks/t 1":
            return "poll", lambda: (200, {"status": "completed" if self._is_done() else "processing"})
        if path == "/tasks/t 1/result":
            return "result", lambda: (200, self.archive)
        return "unknown", lambda: (404, {"detail": "Not Found"})

    def _mineru4(self, request: Request) -> tuple[str, Callable[[], tuple[int, Any]]]:
        path = request.path
        if path == "/v1/health":
            return "health", lambda: (200, {"status": "ok", "version": "4.0.12", "features": {}})
        if path == "/v1/tasks":
            return "upload", lambda: (202, {"task_id": "t 1", "status": "queued"})
        if path == "/v1/tasks/t 1" and request.method == "DELETE":
            self.deleted.set()
            return "delete", lambda: (200, {"status": "canceled"})
        if path == "/v1/tasks/t 1":
            return "poll", lambda: (200, {"status": "completed" if self._is_done() else "running"})
        if path == "/v1/tasks/t 1/result":
            return "result", lambda: (200, self.archive)
        return "unknown", lambda: (404, {"error": {"code": "not_found", "message": "no such path"}})

    def _official(self, request: Request) -> tuple[str, Callable[[], tuple[int, Any]]]:
        path = request.path
        if path == "/api/v4/file-urls/batch":
            data = {"batch_id": "b/1", "file_urls": [f"{self.url}/put?sig=S"]}
            return "batch", lambda: (200, {"code": 0, "data": data})
        if path == "/put":
            return "upload", lambda: (200, b"")
        if path == "/api/v4/extract-results/batch/b/1":
            return "poll", self._official_state
        if path == "/z.zip":
            return "result", lambda: (200, self.archive)
        return "unknown", lambda: (404, {"msg": "no such path"})

    def _official_state(self) -> tuple[int, Any]:
        entry = {"file_name": "other", "state": "running"}
        if self._is_done():
            entry = {"file_name": "other", "state": "done", "full_zip_url": f"{self.url}/z.zip?tok=1"}
        return 200, {"code": "0", "data": {"extract_result": [entry]}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: ServiceServer

    def log_message(self, format: str, *args: Any) -> None:
        return None

    def do_GET(self) -> None:
        with contextlib.suppress(OSError):
            self._serve()

    do_POST = do_PUT = do_DELETE = do_GET

    def _serve(self) -> None:
        service = self.service
        self.close_connection = True
        parts = urlsplit(self.path)
        body = self._body()
        headers = {key.lower(): value for key, value in self.headers.items()}
        request = Request(self.command, unquote(parts.path), parse_qs(parts.query), headers, body)
        request.step, make = service.answer(request)
        service.requests.append(request)
        fault = service.fault(request.step)
        sent = (headers.get("x-api-key"), headers.get("authorization", "")[7:])
        if service.key and service.key not in sent and request.step != "health":
            self._send(401, {"detail": "no key"})
        elif fault:
            self._misbehave(fault, make)
        else:
            self._send(*make())

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            body = bytearray()
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return bytes(body)
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def _send(self, status: int, value: Any, **headers: str) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        kind = "application/zip" if isinstance(value, bytes) else "application/json"
        self._head(status, {"Content_Type": kind, "Content_Length": str(len(body)), **headers})
        self.wfile.write(body)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()

    def _misbehave(self, fault: str, make: Callable[[], tuple[int, Any]]) -> None:
        stopped = self.service.stopped
        if fault.isdigit():
            return self._send(int(fault), {"detail": f"fault {fault}"})
        if fault.startswith("after"):
            return self._send(429, {"detail": "busy"}, Retry_After=fault[5:])
        if fault == "drop":
            return self._reset()
        if fault == "cut":
            body = make()[1]
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            self._head(200, {"Content-Type": "application/zip", "Content-Length": str(len(body) + 100)})
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            return self._reset()
        if fault == "trickle":
            self._head(200, {"Content-Type": "application/zip", "Content-Length": "1000000"})
            while not stopped.is_set():
                self.wfile.write(b"P")
                self.wfile.flush()
                time.sleep(0.02)
            return None
        if fault == "silent":
            stopped.wait(10 * 60)
            return None
        if fault == "endless":
            self._head(200, {"Content-Type": "application/zip"})
            while not stopped.is_set():
                self.wfile.write(bytes(65536))
            return None
        if fault == "huge":
            return self._head(200, {"Content-Type": "application/zip", "Content-Length": str(2 << 30)})
        if fault == "gzip":
            return self._send(200, make()[1], Content_Encoding="gzip")
        if fault == "text":
            return self._send(200, b"<html>hello</html>", Content_Type="text/html")
        if fault == "notjson":
            return self._send(200, b"{not json", Content_Type="application/json")
        if fault == "list":
            return self._send(200, [1, 2])
        if fault == "empty":
            return self._send(200, {})
        if fault == "truncated":
            return self._send(200, self.service.archive[:-40])
        if fault == "bomb":
            return self._send(200, make_zip({"content_list.json": b"[" + b" " * BOMB_BYTES + b"]", "x.json": b"{}"}))
        if fault == "liar":
            # Says that it unpacks to a few bytes.
            data = make_zip({"content_list.json": b" " * BOMB_BYTES})
            size = struct.pack("<I", BOMB_BYTES)
            return self._send(200, data.replace(size, struct.pack("<I", 10)))
        if fault == "many":
            return self._send(200, make_zip({f"f{n}": b"" for n in range(60)}))
        if fault in ("slip", "absolute", "backslash"):
            name = {"slip": "../../evil.json", "absolute": "/tmp/lrdoc-evil.json", "backslash": "..\\evil.json"}[fault]
            return self._send(200, make_zip({"content_list.json": [], name: b"{}"}))
        if fault == "link":
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive:
                info = zipfile.ZipInfo("content_list.json")
                info.external_attr = 0o120777 << 16
                archive.writestr(info, "/etc/passwd")
            return self._send(200, out.getvalue())
        if fault == "moved":
            return self._send(302, {}, Location=self.service.redirect_to)
        if fault.startswith("{"):
            return self._send(200, json.loads(fault))
        raise AssertionError(fault)

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The other side went away: that is what is tested."""


@contextlib.contextmanager
def serve(service: ServiceServer) -> Iterator[ServiceServer]:
    handler = type("Handler", (_Handler,), {"service": service})
    server = _Server(("127.0.0.1", 0), handler)
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.stopped.set()
        server.shutdown()
        thread.join(2)
        server.server_close()


@contextlib.contextmanager
def nobody() -> Iterator[str]:
    """Address at which nobody listens, nor can begin to."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"
