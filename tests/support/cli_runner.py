"""Run the command line in this process or another, and bring a test engine along."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonlines

ROOT = Path(__file__).resolve().parents[2]

ENGINE = '''
import os, time
from lrdoc.document import Block, Document, ParseWarning, Source, Text
from lrdoc.parsers.base import ParserSpec

TRY = frozenset({"try"})
SPEC = ParserSpec("testing", impl="lrdoc_test_engine:Engine", suffixes=TRY, default_for=TRY)

class Engine:
    """The file says what happens: one word a line."""
    def parse(self, source, params, context):
        words = source.path.read_text().split()
        for n, word in enumerate(words):
            context.progress("lines", n, len(words))
            if word in ("slow", "brief"):
                for n in range(60_000 if word == "slow" else 90):
                    context.progress("steps", n, None)
                    context.assets.put(os.urandom(2000), "x.bin")
                    context.check()
                    time.sleep(0.01)
            if word == "stuck":
                open("stuck", "w").close()
                for _ in range(600): time.sleep(1)
            if word == "bug": raise KeyError("a bug")
            if word == "die": os._exit(7)
            if word == "refuse":
                from lrdoc.errors import EngineError
                raise EngineError("the service said no", where="page 3")
        text = source.path.read_text()
        parts = (Text(text.strip(), Source(lines=(1, 2))),)
        odd = ParseWarning("odd", "something is odd", Source(part="p", path="q"))
        blocks = (Block(parts=parts),) if text.strip() else ()
        return Document("try", source.stem, blocks, warnings=(odd,) * words.count("warn"))
'''


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        return list(jsonlines.Reader(io.StringIO(self.out), loads=json.loads))


def run_here(*arguments: str | Path) -> Ran:
    """In this process, in its current folder and environment: fast."""
    from lrdoc.cli import run

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(a) for a in arguments])
    return Ran(code, out.getvalue(), err.getvalue())


def environment(**changes: str) -> dict[str, str]:
    """The environment of another process: this package first, no settings of the caller."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV")}
    in_checkout = (ROOT / "lrdoc").is_dir()
    path = [str(ROOT)] if in_checkout else []
    more = changes.pop("PYTHONPATH", "")
    kept["PYTHONPATH"] = os.pathsep.join([*path, *([more] if more else [])])
    return kept | changes


def run_command(*arguments: str | Path, cwd: Path, timeout: float = 300, **env: str) -> Ran:
    """In a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "lrdoc.cli", *map(str, arguments)],
        cwd=cwd, env=environment(**env), capture_output=True, encoding="utf-8", timeout=timeout, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def install_test_engine(folder: Path) -> str:
    """Put an engine for .try files into a folder; on PYTHONPATH it is found like an installed plug-in."""
    info = folder / "lrdoc_test_engine-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lrdoc-test-engine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lrdoc.parsers]\ntesting = lrdoc_test_engine:SPEC\n")
    (folder / "lrdoc_test_engine.py").write_text(ENGINE)
    return str(folder)


def files_of(folder: Path) -> dict[str, bytes]:
    """Relative path → bytes of every file below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
