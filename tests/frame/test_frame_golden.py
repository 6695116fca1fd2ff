"""The fixtures' expected output, renewed by scripts/update-golden alone."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import environment, files_of, run_command

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted(ROOT.glob("fixtures/*.expected"))


@pytest.mark.parametrize("expected", CASES, ids=lambda path: path.stem)
def test_a_fixture_gives_the_expected_bytes(expected: Path, tmp_path: Path) -> None:
    [source] = (p for p in expected.parent.glob(f"{expected.stem}.*") if p.is_file())
    ran = run_command("parse", source, "-o", tmp_path, "--quiet", cwd=ROOT, SOURCE_DATE_EPOCH="0")
    assert (ran.code, ran.err) == (0, "")
    found, wanted = files_of(tmp_path / f"{source.name}.parsed"), files_of(expected)
    assert found.keys() == wanted.keys()
    for name, data in wanted.items():
        if name.endswith((".json", ".jsonl", ".txt")):
            assert found[name].decode().splitlines() == data.decode().splitlines(), name
        assert found[name] == data, name


def test_there_are_cases() -> None:
    assert [case.name for case in CASES] == ["report.expected"]


def test_the_script_writes_the_report_as_it_stands(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-B", ROOT / "fixtures" / "make_report.py", tmp_path / "report.docx"], check=True)
    assert (tmp_path / "report.docx").read_bytes() == (ROOT / "fixtures" / "report.docx").read_bytes()


@pytest.mark.checkout
def test_expected_output_is_never_renewed_in_ci() -> None:
    done = subprocess.run(
        ["sh", "scripts/update-golden"],
        cwd=ROOT, env=environment(CI="true"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "never renewed in CI" in done.stderr
