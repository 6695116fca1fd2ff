"""What the judges share: where the corpora are, and the sections of docs/quality.md."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUALITY = ROOT / "docs" / "quality.md"


def corpus() -> Path:
    """The folder with the corpora; leaves the program when there is none."""
    shared = Path(os.environ.get("LRDOC_SHARED") or ROOT.parent / "shared")
    if not (shared / "corpus").is_dir():
        raise SystemExit("no corpus: set LRDOC_SHARED to the folder that holds corpus/")
    return shared / "corpus"


def write_section(name: str, command: str, text: str) -> None:
    """Replace one section of docs/quality.md, or add it: the text between two comments that name the judge."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    date = datetime.now(UTC).date().isoformat()
    section = f"{begin}\n_{date}, `{command}`_\n\n{text.rstrip()}\n{end}"
    page = QUALITY.read_text("utf-8") if QUALITY.exists() else "# Quality\n\nFigures with the command that made them.\n"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    if pattern.search(page):
        page = pattern.sub(lambda _: section, page)
    else:
        page = page.rstrip() + f"\n\n{section}\n"
    QUALITY.write_text(page, "utf-8")
