"""Other programs, measured as black boxes when their own environment is there.

An environment is a folder with bin/python in which the program is installed. Folders are looked for in build/peers/,
which `python -m venv build/peers/NAME` and pip fill by hand: they are large and nothing in lrdoc needs them.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from measure import Measured

ROOT = Path(__file__).resolve().parents[2] / "build" / "peers"

# Runs the program's own command line twice in one process: the first run pays for its imports.
LIGHTRAG = """
import json, resource, runpy, sys, contextlib, io
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF); return u.ru_utime + u.ru_stime
best = None
for _ in range({runs} + 1):
    sys.argv = ["cli", {source!r}, "--engine", "native", "-o", {target!r}, "--preview", "0"]
    start = cpu()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            runpy.run_module("lightrag.parser.cli", run_name="__main__")
        except SystemExit as stop:
            if stop.code:
                raise
    spent = cpu() - start
    best = spent if best is None else min(best, spent)
print(json.dumps([best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""

MARKITDOWN = """
import json, resource
from markitdown import MarkItDown
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF); return u.ru_utime + u.ru_stime
converter = MarkItDown()
best = None
for _ in range({runs} + 1):
    start = cpu(); converter.convert({source!r}); spent = cpu() - start
    best = spent if best is None else min(best, spent)
print(json.dumps([best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""

PROGRAMS = {"lightrag-hku": LIGHTRAG, "markitdown": MARKITDOWN}


def parse_docx(source: str, runs: int) -> list[tuple[str, Measured]]:
    """CPU seconds and peak memory of every installed program on one docx."""
    found = []
    for name, script in PROGRAMS.items():
        python = ROOT / name / "bin" / "python"
        if not python.exists():
            continue
        with tempfile.TemporaryDirectory() as target:
            text = script.format(runs=min(runs, 2), source=source, target=target)
            done = subprocess.run([str(python), "-c", text], capture_output=True, text=True, check=False, timeout=900)
        if done.returncode == 0:
            seconds, peak = json.loads(done.stdout.splitlines()[-1])
            found.append((name, Measured(seconds, peak)))
    return found
