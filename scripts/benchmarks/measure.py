"""Measure one thing in a child process: CPU seconds after imports and peak memory.

The child imports a bench module, calls `prepare(*args)` there, which does all imports and returns the work as a
function, and runs that function a few times. CPU seconds count the process and its children; the least of the runs
is reported. Peak memory is that of the whole child, interpreter and imports included.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Measured:
    seconds: float
    """CPU seconds of the fastest run, user and system, children included."""
    peak_mib: float
    """Greatest resident set of the child process in MiB."""


def cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def measure(module: str, *args: str, runs: int = 3, python: str = sys.executable, timeout: float = 600) -> Measured:
    """Run `module.prepare(*args)()` in a child and measure it. Raises RuntimeError with the child's last words."""
    command = [python, str(HERE / "measure.py"), str(runs), module, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=HERE, check=False)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1])
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def whole_command(command: list[str], runs: int = 5) -> Measured:
    """CPU seconds of a whole command, start-up included, with modules compiled as an installation has them."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    best, peak = float("inf"), 0.0
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = before.ru_utime + before.ru_stime
        subprocess.run(command, check=True, capture_output=True, env=env)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - start)
        peak = max(peak, after.ru_maxrss / 1024)
    return Measured(best, peak)


def main() -> None:
    runs, module, args = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    work = importlib.import_module(module).prepare(*args)
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        start = cpu()
        kept = work()
        best = min(best, cpu() - start)
        del kept
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": round(best, 5), "peak_mib": round(peak, 1)}))


if __name__ == "__main__":
    main()
