"""Real MinerU servers on 127.0.0.1, one of each interface. Office files need no models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from real_servers import SERVICES, installed, running

VERSIONS = {"3.4.5": ("/health", ()), "4.0.12": ("/v1/health", ("--tier", "flash"))}


@dataclass(frozen=True)
class Mineru:
    version: str
    url: str


@contextmanager
def mineru_server(version: str, folder: Path, *options: str) -> Iterator[Mineru]:
    """Start the server in a folder of its own and wait until it answers."""
    program = installed(SERVICES / f"mineru-{version}" / "bin" / "mineru-api")
    health, more = VERSIONS[version]
    command = [str(program), *more, *options]
    if version.startswith("4"):
        command += ["--upload-dir", str(folder / "uploads")]
    # Nothing is downloaded: models would be, for other files than office ones. PYTHONPATH names our packages.
    environment = {"HF_HUB_OFFLINE": "1", "MINERU_MODEL_SOURCE": "local", "HOME": str(folder), "PYTHONPATH": ""}
    with running(command, health, folder / "log.txt", environment, folder) as server:
        yield Mineru(version, server.url)
