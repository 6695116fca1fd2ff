"""Run groups of measurements and print one table. Ends with 1 when a limit does not hold (not with --quick)."""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
from pathlib import Path

import report

GROUPS = ("start", "docx", "markdown", "scale", "legacy", "analysis", "chunkers", "retrieval")
"""Modules beside this file; each has `run(folder, quick, peers) -> list[Line]`."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; all when none is named")
    parser.add_argument("--quick", action="store_true", help="small inputs, no limits")
    parser.add_argument("--peers", action="store_true", help="also measure other programs that are installed")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.groups) - set(GROUPS))
    if unknown:
        parser.error(f"no group {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    folder = Path(__file__).resolve().parents[2] / "build" / "bench"
    lines: list[report.Line] = []
    for name in chosen.groups or GROUPS:
        print(f"measuring {name} …", file=sys.stderr)
        lines += importlib.import_module(f"group_{name}").run(folder, chosen.quick, chosen.peers)
    print(f"Python {platform.python_version()}, {platform.machine()}; CPU seconds, least of several runs")
    print(report.render(lines))
    failed = [line for line in lines if not line.ok]
    if failed and not chosen.quick:
        print(f"{len(failed)} limits do not hold")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
