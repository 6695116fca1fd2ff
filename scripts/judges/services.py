"""Parse office files of the corpora through real MinerU servers and hold the documents against the bundles.

    scripts/judge services [TEXT…] [--every 8] [--version 3.4.5] [--write]

Files whose path under corpus/ holds one of the TEXTs, every eighth docx and all pptx and xlsx. Counted are
strings of the bundle that are not in the document in their order, and what `lrdoc check` finds. Ends with 1
when there is any. scripts/_judges installs the servers.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from quality import ROOT, corpus, write_section

from lrdoc.errors import EmptyDocumentError, LrdocError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.mineru.bundle import find_content
from lrdoc.parsers.mineru.parser import MineruParser
from lrdoc.parsers.mineru.settings import MineruSettings
from lrdoc.testing.assets import MemoryAssets

sys.path.insert(0, str(ROOT / "tests" / "support"))

from mineru_bundles import items_of
from mineru_server import VERSIONS, Mineru, mineru_server
from service_bundles import missing, write_and_check

MOST_BYTES = 1_500_000
COLUMNS = ("files", "documents", "nothing in it", "refused or failed", "strings missing", "problems of check")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--version", choices=list(VERSIONS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    files = choose(corpus(), options.texts, options.every)
    rows: list[str] = []
    bad = 0
    for version in [options.version] if options.version else VERSIONS:
        with tempfile.TemporaryDirectory(prefix="lrdoc-judge-") as temporary:
            home = Path(temporary) / "server"
            home.mkdir()
            with mineru_server(version, home) as server:
                tally = Counter(dict.fromkeys(COLUMNS, 0))
                for number, path in enumerate(files):
                    judge(server, path, Path(temporary) / str(number), tally)
        rows.append(f"| {version} | " + " | ".join(str(tally[name]) for name in COLUMNS) + " |")
        bad += tally["strings missing"] + tally["problems of check"]
    table = "\n".join([f"| MinerU | {' | '.join(COLUMNS)} |", "|--" * (len(COLUMNS) + 1) + "|", *rows])
    print(table)
    if options.write:
        told = f"{' '.join(options.texts)} --every {options.every}".strip()
        write_section("services", f"scripts/judge services {told}", f"{table}\n")
    return 1 if bad else 0


def choose(root: Path, texts: list[str], every: int) -> list[Path]:
    """Office files of a moderate size, in order."""
    found: list[Path] = []
    for suffix, step in (("docx", every), ("pptx", 1), ("xlsx", 1)):
        named = [
            path
            for path in sorted(root.rglob(f"*.{suffix}"))
            if path.stat().st_size < MOST_BYTES
            if not texts or any(text in path.relative_to(root).as_posix() for text in texts)
        ]
        found += named[::step]
    return found


def judge(server: Mineru, path: Path, folder: Path, tally: Counter[str]) -> None:
    """Parse one file and count what is wrong with the document."""
    tally["files"] += 1
    source = SourceFile(path, path.name)
    bundle = folder / f"{path.name}.mineru_raw"
    settings = MineruSettings(local_endpoint=server.url, poll_interval=0.3, max_polls=600, retries=1)
    folder.mkdir()
    try:
        document = MineruParser().parse(source, {}, ParseContext(MemoryAssets(), settings=settings, cache_dir=bundle))
    except EmptyDocumentError:
        tally["nothing in it"] += 1
        return
    except LrdocError as e:
        tally["refused or failed"] += 1
        print(f"{path.name}: {e.message[:200]}")
        return
    tally["documents"] += 1
    content = find_content(bundle, source.stem)
    assert content is not None
    lost = missing(document, items_of(json.loads(content.read_bytes())))
    problems = write_and_check(MineruParser(), bundle, path.name, folder / "out")
    tally["strings missing"] += len(lost)
    tally["problems of check"] += len(problems)
    for told in (*(f"missing: {text[:100]!r}" for text in lost), *problems):
        print(f"{path.name}: {told}")


if __name__ == "__main__":
    sys.exit(main())
