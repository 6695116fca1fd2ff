"""The plain-text engine against other programs, on every corpus file of its kinds (docs/legacy.md lists differences)."""

from __future__ import annotations

import difflib
import glob
import re
import subprocess
import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from legacy_files import read, text_of
from shared_files import shared_dir

from lrdoc.errors import LrdocError

pytestmark = pytest.mark.judge
ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "legacy.md"
UNREAD_BY_OTHERS = {"xlsx-corrupted.xlsx"}
"""Damaged files of which we keep what can be read and the other program nothing."""
KINDS = ("pdf", "odt", "epub", "html", "xlsx", "pptx")


def corpus() -> list[Path]:
    shared = shared_dir()
    if shared is None:
        return []
    return [path for kind in KINDS for path in sorted((shared / "corpus" / kind).glob(f"*/*.{kind}"))]


def known_differences() -> dict[str, float]:
    if not DOCS.is_file():
        return {}
    rows = re.findall(
        r"^\| (\S+\.(?:pdf|odt|epub|html|xlsx|pptx|rtf)) \| ([\d.]+) \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {name: float(share) for name, share in rows}


def words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text))


def share_in_order(ours: str, theirs: str) -> float:
    """Share of their words that are in ours, in order."""
    mine, other = words(ours), words(theirs)
    if not other:
        return 1.0
    blocks = difflib.SequenceMatcher(None, mine, other, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(other)


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, check=True, timeout=120).stdout.decode("utf-8", "replace")


CSV = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,false,false,false,-1"


TXT = "txt:Text (encoded):UTF8"


def convert_with_libreoffice(folder: Path, target: str, sources: list[Path]) -> None:
    """All sources in one start of the program; what it cannot read it leaves out."""
    profile = f"-env:UserInstallation=file://{folder}/profile"
    subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", target, "--outdir", str(folder), *map(str, sources)],
        capture_output=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="session")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Folder with LibreOffice's reading of all files of a kind: one start of the program for all of them."""
    folders: dict[str, Path] = {}

    def convert(kind: str) -> Path:
        if kind not in folders:
            folder = folders[kind] = tmp_path_factory.mktemp(kind)
            sources = [path for path in corpus() if path.suffix == f".{kind}"]
            convert_with_libreoffice(folder, "pdf" if kind == "pptx" else CSV, sources)
        return folders[kind]

    return convert


def readings(path: Path, converted: Callable[[str], Path]) -> list[str]:
    """What other programs read: one text, or several of which the closest counts."""
    kind = path.suffix[1:]
    if kind == "pdf":
        return [run("pdftotext", "-enc", "UTF-8", *mode, str(path), "-") for mode in ((), ("-raw",), ("-layout",))]
    if kind == "pptx":
        return [run("pdftotext", "-enc", "UTF-8", str(converted(kind) / f"{path.stem}.pdf"), "-")]
    if kind == "xlsx":
        # Sheets come as one file each; by the order in which their names stand in our text.
        ours = text_of(read(path))
        files = converted(kind).glob(f"{glob.escape(path.stem)}-*.csv")
        sheets = {file: file.stem.removeprefix(path.stem + "-") for file in files}
        ordered = sorted(sheets, key=lambda file: (f"\n{ours}".find(f"\n{sheets[file]}\n"), file.name))
        if not ordered and path.name in UNREAD_BY_OTHERS:
            return []
        assert ordered, "LibreOffice wrote nothing"
        return ["\n".join(file.read_text("utf-8", "replace") for file in ordered)]
    return [run("pandoc", "-t", "plain", "--wrap=none", str(path))]


@pytest.mark.parametrize("path", corpus(), ids=lambda path: path.name)
def test_words_agree_in_order_with_another_reader(path: Path, converted: Callable[[str], Path]) -> None:
    try:
        ours = text_of(read(path))
    except LrdocError as refusal:
        assert len(str(refusal)) > 20
        return
    assert "\ufffd" not in ours
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", ours)
    others = readings(path, converted)
    if not others:
        assert ours.strip()
        return
    share = max(share_in_order(ours, theirs) for theirs in others)
    least = 0.99 if path.suffix == ".pdf" else 0.98
    known = known_differences().get(path.name)
    if known is None:
        assert share >= least
    else:
        assert share < least, "the documented difference is gone: take it out of docs/legacy.md"
        assert share == pytest.approx(known, abs=0.03)


def word_files() -> list[Path]:
    """Our own document and a fixed part of the corpus, small files only: no corpus holds RTF, so it is made of them."""
    shared = shared_dir()
    found = [] if shared is None else sorted((shared / "corpus" / "docx").glob("*/*.docx"))
    part = [path for path in found if zlib.crc32(path.name.encode()) % 6 == 0 and path.stat().st_size < 100_000]
    return [ROOT / "fixtures" / "report.docx", *part]


def letters(text: str) -> str:
    """Without numbers and single letters, which as labels and marks of notes LibreOffice writes in another way."""
    return " ".join(re.findall(r"[^\W\d_]{2,}", unicodedata.normalize("NFKC", text)))


def test_rtf_agrees_with_libreoffice(tmp_path: Path) -> None:
    convert_with_libreoffice(tmp_path, "rtf", word_files())
    made = sorted(tmp_path.glob("*.rtf"))
    convert_with_libreoffice(tmp_path, TXT, made)
    compared = 0
    apart: dict[str, float] = {}
    for path in made:
        data = path.read_bytes()
        theirs = path.with_suffix(".txt").read_text("utf-8", "replace")
        if re.search(rb"\\deleted|\\mvf|\\v[ \\\\{\r\n]", data) or not 0 < len(words(theirs)) < 3000:
            continue  # LibreOffice's text holds what is deleted and hidden too; long texts take difflib minutes.
        ours = text_of(read(path))
        assert "\ufffd" not in ours
        assert not re.search(r"\\[a-z]|[\x00-\x08\x0b-\x1f]", ours), path.name
        if b"\\listtext" in data or b"\\footnote" in data:
            ours, theirs = letters(ours), letters(theirs)
        share = share_in_order(ours, theirs)
        compared += 1
        if share < 0.98:
            apart[path.name] = share
    known = {name: share for name, share in known_differences().items() if tmp_path / name in made}
    assert apart == pytest.approx(known, abs=0.03)
    assert compared * 2 > len(made)
