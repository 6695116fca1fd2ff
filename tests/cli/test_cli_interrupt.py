"""Ctrl-C and kill in the middle of a parse: the old result or the new one, whole, and no half folder."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from cli_runner import environment, files_of, install_test_engine, run_command
from promptly import LONGEST_S, wait_for


@pytest.fixture
def engine(tmp_path_factory: pytest.TempPathFactory) -> str:
    return install_test_engine(tmp_path_factory.mktemp("site"))


def start(folder: Path, engine: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "lrdoc.cli", "parse", *arguments],
        cwd=folder, env=environment(PYTHONPATH=engine), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", start_new_session=True,
    )  # fmt: skip


def wait_until_writing(folder: Path) -> None:
    """Until the engine has stored its first assets in the new folder."""
    wait_for(lambda: any(folder.rglob(".lrdoc-tmp/*/*.assets/*")), "the first assets")


def names_below(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "process alone"])
def test_ctrl_c_leaves_no_half_folder(tmp_path: Path, engine: str, jobs: str, whole_group: bool) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.try").write_text("slow")
    process = start(tmp_path, engine, "a.try", "b.try", "c.try", "--jobs", jobs)
    wait_until_writing(tmp_path)
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=LONGEST_S)
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")
    assert names_below(tmp_path) == ["a.try", "b.try", "c.try"]


def test_a_second_ctrl_c_ends_an_engine_that_does_not_listen(tmp_path: Path, engine: str) -> None:
    (tmp_path / "a.try").write_text("stuck")
    process = start(tmp_path, engine, "a.try")
    wait_for((tmp_path / "stuck").exists, "the engine")
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    # On a busy machine both signals may have come as one: then the next is the second.
    for _ in range(4):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
            break
    _, err = process.communicate(timeout=LONGEST_S)
    assert (process.returncode, err.strip()) == (130, "interrupted")
    (tmp_path / "stuck").unlink()
    assert names_below(tmp_path) == ["a.try"]


def test_a_killed_parse_leaves_the_old_result_whole_and_the_next_run_cleans_up(tmp_path: Path, engine: str) -> None:
    source = tmp_path / "a.try"
    source.write_text("the old text")
    assert run_command("parse", "a.try", cwd=tmp_path, PYTHONPATH=engine).code == 0
    before = files_of(tmp_path / "__parsed__")
    source.write_text("slow")
    process = start(tmp_path, engine, "a.try")
    wait_until_writing(tmp_path)
    process.kill()
    process.communicate(timeout=LONGEST_S)
    parsed = tmp_path / "__parsed__" / "a.try.parsed"
    assert files_of(parsed) == {name.removeprefix("a.try.parsed/"): data for name, data in before.items()}
    source.write_text("the new text")
    assert run_command("parse", "a.try", cwd=tmp_path, PYTHONPATH=engine).code == 0
    assert b"the new text" in (parsed / "a.blocks.jsonl").read_bytes()
    assert names_below(tmp_path / "__parsed__") == ["a.try.parsed", "a.try.parsed/a.blocks.jsonl"]


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    for n in range(300):
        (tmp_path / f"{n}.txt").write_text("x\n")
    command = f"{sys.executable} -m lrdoc.cli parse . --json --jobs 1 | head -n 1"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=environment(), capture_output=True, encoding="utf-8", check=False
    )
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
