"""Start-up: the whole command on a small file."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import inputs
import measure
from report import Line


def run(folder: Path, quick: bool, peers: bool) -> list[Line]:
    source = inputs.prepared(folder, "small.docx", inputs.small)
    runs = 1 if quick else 7
    bare = measure.whole_command([sys.executable, "-c", "pass"], runs)
    with tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "lrdoc.cli", "parse", str(source), "-o", target, "--preview", "0"]
        ours = measure.whole_command(command, runs)
    return [
        Line("start", "python -c pass", bare.seconds, bare.peak_mib),
        Line(
            "start",
            "lrdoc parse, 3 sections",
            ours.seconds,
            ours.peak_mib,
            limit="≤ 0.35 s",
            ok=quick or ours.seconds <= 0.35,
        ),
    ]
