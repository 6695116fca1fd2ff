"""The progress bar: on a terminal, for work that takes a while, and nowhere else."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from cli_runner import environment, install_test_engine, run_command


def run_on_terminal(folder: Path, engine: str, *arguments: str) -> str:
    """What a terminal gets on stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "lrdoc.cli", "parse", *arguments],
        cwd=folder, env=environment(PYTHONPATH=engine, TERM="xterm", COLUMNS="80"),
        stdout=subprocess.DEVNULL, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert process.wait(timeout=30) == 0
    return shown.decode()


def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    engine = install_test_engine(tmp_path / "site")
    (tmp_path / "a.try").write_text("brief")
    (tmp_path / "b.try").write_text("brief")
    shown = run_on_terminal(tmp_path, engine, "a.try", "b.try", "--jobs", "1")
    assert "a.try: steps" in shown and "0/2" in shown
    assert run_on_terminal(tmp_path, engine, "a.try", "--quiet") == ""


def test_no_bar_elsewhere(tmp_path: Path) -> None:
    engine = install_test_engine(tmp_path / "site")
    (tmp_path / "a.try").write_text("brief")
    assert run_command("parse", "a.try", cwd=tmp_path, PYTHONPATH=engine).err == ""
