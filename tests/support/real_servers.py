"""Servers that `scripts/test --all` installs into build/services: started on 127.0.0.1, waited for, stopped."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

SERVICES = Path(os.environ.get("LRDOC_SERVICES", Path(__file__).resolve().parents[2] / "build" / "services"))
START_S = 400
"""A first start on a cold and busy machine reads half a gigabyte and compiles it."""
MOST_STARTS = 4
_TAKEN = ("already in use", "couldn't bind")
"""What the log of a server says that did not get its port."""
_FIRST_PORT = 10_000
# Processes that run tests at the same time begin at different ports.
_numbers = itertools.count(os.getpid() * 16)


@dataclass(frozen=True)
class Running:
    url: str
    process: subprocess.Popen[bytes]


def installed(program: Path) -> Path:
    """The program, which must be there."""
    assert program.is_file(), f"no {program.name} in {program.parent}; scripts/_judges installs it"
    return program


@contextmanager
def running(
    command: Sequence[str], health: str, log: Path, environment: Mapping[str, str], folder: Path | None = None
) -> Iterator[Running]:
    """The server, as soon as its path `health` answers. `environment` comes over our own."""
    told = ""
    for _ in range(MOST_STARTS):
        port = _free_port()
        address = ["--host", "127.0.0.1", "--port", str(port)]
        with _process([*command, *address], log, environment, folder) as process:
            url = f"http://127.0.0.1:{port}"
            if _answers(f"{url}{health}", process):
                yield Running(url, process)
                return
            told = log.read_text("utf-8", "replace")[-4000:]
            assert process.poll() is not None, f"{command[0]} did not start within {START_S} s:\n{told}"
        assert any(words in told for words in _TAKEN), f"{command[0]} ended with {process.returncode}:\n{told}"
    raise AssertionError(f"{command[0]} got none of {MOST_STARTS} ports:\n{told}")


def _free_port() -> int:
    """A port that the system hands to nobody else by itself: one before those for connections and for port 0."""
    first, most = _FIRST_PORT, _first_given_port() - _FIRST_PORT
    while True:
        port = first + next(_numbers) % most
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def _first_given_port() -> int:
    try:
        given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        given = 0
    return given if given > _FIRST_PORT + 1000 else 32_768


@contextmanager
def _process(
    command: Sequence[str], log: Path, environment: Mapping[str, str], folder: Path | None
) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            cwd=folder,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the address answers; False when the process ends or never gets there."""
    end = time.monotonic() + START_S
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError, HTTPException), opener.open(url, timeout=10) as answer:
            if answer.status == 200:
                return True
        time.sleep(0.2)
    return False
