"""Make or renew the virtual environment .venv and print the path of its Python.

    python scripts/_venv.py run    what the package needs
    python scripts/_venv.py dev    the same and the tools of development
    python scripts/_venv.py list-dev    only print what dev would install, one a line

The versions are those of constraints.txt. Nothing happens while pyproject.toml's dependencies, constraints.txt and the
Python are those of the last time. The package itself runs from the checkout and is not installed.
"""

import contextlib
import hashlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
SOURCES = ("lrdoc", "analyzers", "chunkers", "parsers", "routing")
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def read_requirements(stage: str) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extra = project["optional-dependencies"]["dev"] if stage == "dev" else []
    return sorted({*project["dependencies"], *extra})


def fingerprint(requirements: list[str]) -> str:
    constraints = (ROOT / "constraints.txt").read_bytes()
    facts = repr((sys.version_info[:2], requirements, constraints))
    return hashlib.sha256(facts.encode()).hexdigest()


def is_usable(python: Path) -> bool:
    """A moved or half-made environment is not."""
    try:
        return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@contextlib.contextmanager
def one_at_a_time():
    """Two scripts started together must not install into each other."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(*command: str | Path) -> None:
    """Run with the output on stderr: stdout carries only the path."""
    done = subprocess.run([*map(str, command)], stdout=sys.stderr, check=False)
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}")


def main() -> None:
    stage = sys.argv[1] if len(sys.argv) > 1 else "run"
    if stage == "list-dev":
        # Without blanks, so that a shell can split them.
        print("\n".join(requirement.replace(" ", "") for requirement in read_requirements("dev")))
        return
    if stage not in ("run", "dev"):
        sys.exit("usage: _venv.py run|dev|list-dev")
    requirements = read_requirements(stage)
    wanted = fingerprint(requirements)
    stamp = VENV / f".lrdoc-{stage}"

    def is_current() -> bool:
        return stamp.is_file() and stamp.read_text("utf-8") == wanted and PYTHON.exists()

    if not is_current():
        with one_at_a_time():
            if not is_current():
                if not is_usable(PYTHON):
                    print(f"making {VENV.name} with Python {sys.version.split()[0]}", file=sys.stderr)
                    run(sys.executable, "-m", "venv", "--clear", VENV)
                print(f"installing what {stage!r} needs (once)", file=sys.stderr)
                pip = (PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check")
                run(*pip, "--constraint", ROOT / "constraints.txt", *requirements)
                # What runs from the checkout starts as fast as what is installed.
                run(PYTHON, "-m", "compileall", "-q", *(ROOT / name for name in SOURCES))
                stamp.write_text(wanted, "utf-8")
    print(PYTHON)


main()
