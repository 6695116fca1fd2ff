"""Run mutants in child processes and tell what they came to. See scripts/fuzz."""

from __future__ import annotations

import argparse
import collections
import gc
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from kinds import KINDS, Kind, load

from lrdoc.errors import LrdocError

CPU_SECONDS = 2
MEMORY_MIB = 200
ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "fuzz"
DOCUMENT, REFUSED, REFUSED_IN_WALK, CRASHED = 0, 10, 11, 12


@dataclass(frozen=True)
class Outcome:
    code: int
    cpu_s: float
    peak_mib: float
    text: str = ""
    """Traceback of a crash, or why the process ended."""

    @property
    def is_finding(self) -> bool:
        return self.code not in (DOCUMENT, REFUSED, REFUSED_IN_WALK) or self.peak_mib > MEMORY_MIB

    @property
    def reached_walk(self) -> bool:
        return self.code in (DOCUMENT, REFUSED_IN_WALK)


def main() -> int:
    arguments = _arguments()
    failed = False
    for name in arguments.kinds or list(KINDS):
        failed |= not fuzz(name, arguments)
    return int(failed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"kinds of files: {', '.join(KINDS)} (default: all)")
    parser.add_argument("--count", type=int, default=20_000, help="mutants of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--only", type=int, help="make this mutant alone")
    parser.add_argument("--quick", action="store_true", help="1,000 mutants, fewer of small kinds")
    parser.add_argument("--keep", action="store_true", help="keep every mutant in build/fuzz, not only findings")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.kinds if name not in KINDS]
    if unknown:
        parser.error(f"no such kind: {', '.join(unknown)}")
    return arguments


def fuzz(name: str, arguments: argparse.Namespace) -> bool:
    """All mutants of one kind; True when nothing was found."""
    kind = load(name)
    seeds = kind.seeds()
    count = getattr(kind, "quick_count", 1_000) if arguments.quick else arguments.count
    numbers = [arguments.only] if arguments.only is not None else range(arguments.start, arguments.start + count)
    outcomes: collections.Counter[str] = collections.Counter()
    slowest = largest = 0.0
    findings = 0
    began = time.monotonic()
    # Children are forks of this process: what is loaded once need not be loaded by each.
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"mutant.{kind.suffix}"
        for number in numbers:
            rng = random.Random(f"{name}:{arguments.seed}:{number}")
            seed_name, data = seeds[rng.randrange(len(seeds))]
            path.write_bytes(kind.mutate(data, rng))
            outcome = run_child(kind, path)
            outcomes["walk" if outcome.reached_walk else "refused"] += 1
            slowest, largest = max(slowest, outcome.cpu_s), max(largest, outcome.peak_mib)
            if outcome.is_finding:
                findings += 1
                print(
                    f"FOUND {name} seed {arguments.seed} number {number} ({seed_name}): {_reason(outcome)}", flush=True
                )
            if outcome.is_finding or arguments.keep:
                KEPT.mkdir(parents=True, exist_ok=True)
                (KEPT / f"{name}-{arguments.seed}-{number}.{kind.suffix}").write_bytes(path.read_bytes())
    total = max(1, sum(outcomes.values()))
    share = outcomes["walk"] / total
    print(
        f"{name}: {total} mutants of {len(seeds)} files, seed {arguments.seed}: {findings} findings; "
        f"{share:.0%} reached the walk; slowest {slowest:.2f} CPU s, largest {largest:.0f} MiB; "
        f"{time.monotonic() - began:.0f} s"
    )
    if total >= 500 and share < 0.5:
        print(f"{name}: fewer than half of the mutants reached the walk")
        return False
    return not findings


def _reason(outcome: Outcome) -> str:
    if outcome.code == CRASHED:
        return "\n" + outcome.text
    if outcome.peak_mib > MEMORY_MIB:
        return f"{outcome.peak_mib:.0f} MiB"
    return outcome.text


def run_child(kind: Kind, path: Path) -> Outcome:
    """Parse one file in a forked process under limits."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os._exit(_child(kind, path, writing))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(child, 0)
    cpu = usage.ru_utime + usage.ru_stime
    peak = usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
    if os.WIFSIGNALED(status):
        ended = signal.Signals(os.WTERMSIG(status)).name
        text = f"over {CPU_SECONDS} CPU seconds" if ended in ("SIGXCPU", "SIGKILL") else f"ended by {ended}"
        return Outcome(-1, cpu, peak, text)
    return Outcome(os.WEXITSTATUS(status), cpu, peak, text)


def _child(kind: Kind, path: Path, writing: int) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A hard stop far above the limit, so that a mutant cannot take the machine with it; the peak is what is judged.
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
    try:
        reached = kind.parse(path)
    except LrdocError as error:
        return REFUSED_IN_WALK if getattr(error, "reached_walk", False) else REFUSED
    except BaseException:
        # Whatever else comes out is what this script looks for.
        os.write(writing, traceback.format_exc(limit=-6).encode("utf-8", "replace")[-60_000:])
        return CRASHED
    return DOCUMENT if reached else REFUSED


if __name__ == "__main__":
    sys.exit(main())
