"""Many tasks in one process or several."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lrdoc.cli.batch import Flag, default_jobs, run_batch

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Double:
    """Doubles numbers; 13 kills the process, 0 waits for the flag."""

    def start(self, stop: Flag) -> Callable[[int], str]:
        def double(task: int) -> str:
            if task == 13:
                os._exit(9)
            if task == 0:
                while not stop.is_set():
                    time.sleep(0.01)
                return "stopped"
            time.sleep((task % 3) * 0.01)
            return str(2 * task)

        return double

    def lost(self, task: int) -> str:
        return f"lost {task}"


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    tasks = [3, 1, 2, 8, 7, 6, 5, 4, 9]
    assert list(run_batch(Double(), tasks, jobs)) == [str(2 * task) for task in tasks]


def test_no_tasks() -> None:
    assert list(run_batch(Double(), [], 4)) == []


def test_a_process_that_dies_costs_its_own_task_alone() -> None:
    assert list(run_batch(Double(), [1, 13, 2, 13, 3], 2)) == ["2", "lost 13", "4", "lost 13", "6"]


@dataclass(frozen=True)
class DieAtTheLook:
    """Task n dies at the n-th step of its look at the flag; 0 never does."""

    def start(self, stop: Flag) -> Callable[[int], str]:
        def look(task: int) -> str:
            steps = 0

            def count(*_: object) -> None:
                nonlocal steps
                steps += 1
                if steps == task:
                    os._exit(9)

            sys.setprofile(count if task else None)
            found = stop.is_set()
            sys.setprofile(None)
            return f"looked: {found}"

        return look

    def lost(self, task: int) -> str:
        return "lost"


def test_a_process_that_dies_while_it_looks_at_the_flag_holds_up_no_other_one() -> None:
    tasks = [n for step in range(1, 12) for n in (0, step)]
    signal.alarm(120)  # whoever waits for the dead one waits for ever
    found = list(run_batch(DieAtTheLook(), tasks, 2))
    signal.alarm(0)
    assert set(found[::2]) == {"looked: False"}
    assert "lost" in found[1::2]
    assert found[-1] == "looked: False", "the look has fewer steps than were tried"


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_sets_the_flag_and_ends_the_batch(jobs: int) -> None:
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    results = run_batch(Double(), [1, 0, 5], jobs)
    assert next(results) == "2"
    timer.start()
    rest = []
    with pytest.raises(KeyboardInterrupt):
        for result in results:
            rest.append(result)
    timer.join()
    assert rest in ([], ["stopped"])
    assert signal.getsignal(signal.SIGINT) == before


def test_a_batch_that_is_left_early_stops_its_processes() -> None:
    results = run_batch(Double(), [1, 0, 0, 0], 2)
    assert next(results) == "2"
    results.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


def test_one_task_or_one_job_loads_no_process_pool() -> None:
    code = (
        "import sys; from lrdoc.cli.batch import run_batch\n"
        "class W:\n"
        "    def start(self, stop): return lambda t: t\n"
        "    def lost(self, t): return t\n"
        "assert list(run_batch(W(), [1], 4)) == [1] and list(run_batch(W(), [1, 2], 1)) == [1, 2]\n"
        "assert 'multiprocessing' not in sys.modules and 'asyncio' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_jobs_by_default_are_the_processors_and_at_most_four() -> None:
    assert 1 <= default_jobs() <= 4
