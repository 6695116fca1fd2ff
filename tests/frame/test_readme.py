"""The README does what it says: its blocks run, and its links lead somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(not README.is_file(), reason="runs in a checkout: a wheel carries no README file")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_quick_start_runs_block_after_block(tmp_path: Path) -> None:
    shutil.copy(ROOT / "fixtures" / "report.docx", tmp_path)
    command = tmp_path / "bin" / "lrdoc"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lrdoc.cli "$@"\n')
    command.chmod(0o755)
    environment = {"PATH": f"{command.parent}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    for block in blocks("sh"):
        done = subprocess.run(
            ["sh", "-e", "-c", block], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    for made in ("out/report.docx.parsed/report.blocks.jsonl", "report.md", "report.html", "chunks.json"):
        assert (tmp_path / made).stat().st_size > 100, made
    for block in blocks("python"):
        done = subprocess.run(
            [sys.executable, "-c", block], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        assert "1 Background" in done.stdout


@pytest.mark.checkout
def test_links_lead_to_files_that_are_there() -> None:
    for document in (README, *sorted((ROOT / "docs").rglob("*.md"))):
        text = re.sub(
            r"^```.*?^```|`[^`\n]*`", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
            if "://" not in target and not target.startswith("mailto:"):
                assert (document.parent / target).exists(), f"{document.name} links to {target}, which is not there"
