"""Real MinerU servers on 127.0.0.1, one of each interface. Office files need no models.

`scripts/test --all` installs them into build/services/mineru-VERSION.
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
VERSIONS = {"3.4.5": ("/health", ()), "4.0.12": ("/v1/health", ("--tier", "flash"))}
START_S = 120


@dataclass(frozen=True)
class Mineru:
    version: str
    url: str
    process: subprocess.Popen[bytes]
    log: Path


@contextmanager
def mineru_server(version: str, folder: Path, *options: str) -> Iterator[Mineru]:
    """Start the server in a folder of its own and wait until it answers."""
    program = SERVICES / f"mineru-{version}" / "bin" / "mineru-api"
    assert program.is_file(), f"no MinerU {version} in {SERVICES}; scripts/_judges installs it"
    health, more = VERSIONS[version]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(program), "--host", "127.0.0.1", "--port", str(port), *more, *options]
    if version.startswith("4"):
        command += ["--upload-dir", str(folder / "uploads")]
    # Nothing is downloaded: models would be, for other files than office ones.
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "MINERU_MODEL_SOURCE": "local", "HOME": str(folder)}
    environment.pop("PYTHONPATH", None)
    log = folder / "log.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=folder
        )
    try:
        _wait(f"http://127.0.0.1:{port}{health}", process, log)
        yield Mineru(version, f"http://127.0.0.1:{port}", process, log)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
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
