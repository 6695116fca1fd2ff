"""The fuzzer itself: the same number makes the same mutant, and a few mutants end as they should."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT, ROOT / "tests" / "support", ROOT / "scripts" / "fuzzing"]


def run_fuzzer(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = ":".join(map(str, FOLDERS))
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts/fuzzing/main.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin", "LRDOC_SHARED": "/nowhere"},
    )


def test_a_few_mutants_end_in_documents_or_our_errors() -> None:
    done = run_fuzzer("docx", "--count", "40", "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "40 mutants" in done.stdout
    assert "0 findings" in done.stdout


def test_an_unknown_kind_is_wrong_usage() -> None:
    assert run_fuzzer("wordperfect").returncode == 2


def test_the_same_chance_makes_the_same_mutant(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.syspath_prepend(str(FOLDERS[2]))
    from docx_builder import docx, p
    from zip_mutations import mutate_package

    data = docx(p("text"))
    mutants = [mutate_package(data, random.Random(f"x:{number}"), "word/document.xml") for number in (1, 1, 2)]
    assert mutants[0] == mutants[1]
    assert mutants[0] != mutants[2]
