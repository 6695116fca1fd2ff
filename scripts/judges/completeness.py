"""Parse every file of the corpora and count what became of each character.

    scripts/judge completeness [TEXT…] [--write] [--engine 'native(changes=reject)'] [--quiet]

Files whose path under corpus/ holds one of the TEXTs. Ends with 1 when something is missing, doubled or invented, or
when a file that holds text could not be parsed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from quality import corpus, write_section

from lrdoc.app import App, Choices
from lrdoc.audit import AuditResult, count
from lrdoc.audit.count import PLAIN_READERS, READERS, read_source
from lrdoc.errors import LrdocError

BODY = ("text", "cell", "box", "formula")
COLUMNS = ("source", "placed", "kept", "reported", "excluded", "unaccounted", "duplicated")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--engine", default="native")
    parser.add_argument("--quiet", action="store_true", help="print no single problems")
    options = parser.parse_args()
    app = App.load(Choices(engine=options.engine))
    root = corpus()
    wanted = {"docx", *PLAIN_READERS} if options.engine == "legacy" else set(READERS)
    files = [
        path
        for folder in sorted(root.iterdir())
        if folder.is_dir() and folder.name not in ("groundtruth", "other")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix[1:].lower() in wanted
        if not options.texts or any(text in path.relative_to(root).as_posix() for text in options.texts)
    ]
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="lrdoc-judge-") as temporary:
        for number, path in enumerate(files):
            name = path.relative_to(root).as_posix()
            tally.add(name, *judge(app, path, Path(temporary) / str(number)), quiet=options.quiet)
    table = tally.table()
    print(table)
    print(tally.summary())
    if options.write:
        command = "scripts/judge completeness" + "".join(f" {text}" for text in options.texts)
        write_section("completeness", command, f"{table}\n\n{tally.summary()}\n\n{tally.kinds_table()}")
    return 1 if tally.failed or tally.bad else 0


def judge(app: App, path: Path, folder: Path) -> tuple[AuditResult | None, str, float, float]:
    """The count, or None with the reason; CPU seconds of parse and of count."""
    started = time.process_time()
    try:
        app.parse(path, folder)
    except LrdocError as error:
        return None, f"{type(error).__name__}: {error}", time.process_time() - started, 0.0
    parsed = time.process_time()
    result = count(path, folder)
    return result, "", parsed - started, time.process_time() - parsed


class Tally:
    """Figures by folder of the corpus."""

    def __init__(self) -> None:
        self.rows: dict[str, Counter[str]] = {}
        self.kinds: dict[str, Counter[str]] = {}
        self.failed: list[str] = []
        self.bad: list[str] = []
        self.empty: list[str] = []
        self.seconds: Counter[str] = Counter()

    def add(
        self, name: str, result: AuditResult | None, error: str, parse: float, counting: float, *, quiet: bool
    ) -> None:
        row = self.rows.setdefault("/".join(name.split("/")[:-1]), Counter())
        row["files"] += 1
        self.seconds["parse"] += parse
        self.seconds["count"] += counting
        if result is None:
            row["refused"] += 1
            if holds_text(corpus() / name):
                self.failed.append(name)
                print(f"FAILED {name}: {error}")
            else:
                self.empty.append(name)
            return
        for column in COLUMNS:
            row[column] += getattr(result.characters, column)
        for kind, figures in result.kinds.items():
            mine = self.kinds.setdefault(kind, Counter())
            mine.update(source=figures.source, placed=figures.placed, kept=figures.kept)
        row["body"] += sum(figures.source for kind, figures in result.kinds.items() if kind in BODY)
        row["in content"] += sum(figures.placed for kind, figures in result.kinds.items() if kind in BODY)
        if result.problems:
            row["with problems"] += 1
            self.bad.append(name)
            for problem in () if quiet else result.problems[:12]:
                print(f"{name}: {problem.code}: {problem.message} [{problem.where}]")
            if len(result.problems) > 12 and not quiet:
                print(f"{name}: … {len(result.problems) - 12} more")

    def table(self) -> str:
        names = ("files", "refused", "with problems", *COLUMNS)
        lines = [f"| corpus | {' | '.join(names)} | body in content |", "|--" * (len(names) + 2) + "|"]
        total: Counter[str] = Counter()
        for row in self.rows.values():
            total.update(row)
        for name, row in (*sorted(self.rows.items()), ("**all**", total)):
            share = f"{100 * row['in content'] / row['body']:.3f} %" if row["body"] else "–"
            lines.append(f"| {name} | {' | '.join(f'{row[column]:,}' for column in names)} | {share} |")
        return "\n".join(lines)

    def kinds_table(self) -> str:
        lines = ["| kind | characters | in content | kept elsewhere |", "|--|--|--|--|"]
        lines += [
            f"| {kind} | {row['source']:,} | {row['placed']:,} | {row['kept']:,} |"
            for kind, row in sorted(self.kinds.items())
        ]
        return "\n".join(lines)

    def summary(self) -> str:
        files = sum(row["files"] for row in self.rows.values())
        return (
            f"{files} files; {len(self.failed)} that hold text could not be parsed; {len(self.empty)} are broken,"
            f" encrypted or hold no text and were refused; {len(self.bad)} with problems. CPU: parse and write"
            f" {self.seconds['parse']:.1f} s, count {self.seconds['count']:.1f} s."
        )


def holds_text(path: Path) -> bool:
    try:
        return read_source(path).has_text()
    except LrdocError:
        return False


if __name__ == "__main__":
    sys.exit(main())
