"""No test of markdown reaches the network, but for those that start their own server on this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_builder import parse_bytes
from picture_server import PictureServer, picture_server

from lrdoc.document import Document


@pytest.fixture(autouse=True)
def sockets_blocked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "pictures" in request.fixturenames:
        return

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a test tried to use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def md(tmp_path: Path) -> Callable[..., Document]:
    """Parse a text; keyword arguments are the engine's parameters and those of `parse_bytes`."""

    def parse(text: str | bytes, **options: Any) -> Document:
        return parse_bytes(text if isinstance(text, bytes) else text.encode(), tmp_path, **options)

    return parse


@pytest.fixture
def pictures() -> Iterator[PictureServer]:
    """A server on this machine."""
    with picture_server() as server:
        yield server
