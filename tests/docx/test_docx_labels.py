"""List labels beside those of LibreOffice."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from docx_builder import abstract_num, docx, li, lvl, num, num_pr, p
from docx_parse import lines, parse_path
from shared_files import shared_dir

from lrdoc.parsers.docx.numformats import FORMATS

pytestmark = pytest.mark.judge

# LibreOffice writes all other formats in decimal digits, or in a system of its own where the standard and Word differ:
# chineseCounting from 100, japaneseCounting from 100, ideographDigital from 10, enclosed numbers from 21, koreanLegal
# from 100, and the letters of Hebrew, Arabic, Russian, Thai and Hindi after the first round. It does not know isLgl.
SHARED = (
    "decimal decimalHalfWidth decimalZero chicago upperRoman lowerRoman upperLetter lowerLetter ordinal cardinalText "
    "ordinalText aiueo aiueoFullWidth iroha irohaFullWidth ganada chosung koreanDigital koreanDigital2 koreanCounting "
    "chineseCountingThousand taiwaneseCountingThousand chineseLegalSimplified ideographLegalTraditional "
    "ideographTraditional ideographZodiac hebrew1"
)
FIRST_ROUND = {
    "russianUpper": 29,
    "arabicAlpha": 27,
    "hindiVowels": 20,
    "thaiLetters": 32,
    "hebrew2": 22,
    "decimalEnclosedCircle": 20,
    "chineseCounting": 99,
    "taiwaneseCounting": 99,
    "japaneseCounting": 99,
    "koreanLegal": 99,
}


def office_text(path: Path, folder: Path) -> list[str]:
    """Lines of the document as LibreOffice shows them, labels included."""
    if shutil.which("soffice") is None:
        pytest.skip("LibreOffice is not installed (scripts/_judges)")
    subprocess.run(
        [
            "soffice",
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            "--headless",
            "--convert-to",
            "txt:Text (encoded):UTF8",
            "--outdir",
            str(folder / "out"),
            str(path),
        ],
        capture_output=True,
        check=True,
        timeout=400,
    )
    text = (folder / "out" / f"{path.stem}.txt").read_text("utf-8-sig")
    return [line for line in text.splitlines() if line.strip()]


def squeezed(found: list[str]) -> list[str]:
    return [re.sub(r"[\s\u200b]+", "", line) for line in found]


def test_formats_that_both_know(tmp_path: Path) -> None:
    cases = dict.fromkeys(SHARED.split(), 122) | FIRST_ROUND
    definitions = "".join(abstract_num(n, lvl(0, name, "%1")) + num(n + 1, n) for n, name in enumerate(cases))
    body = "".join(
        p(f"¶ {name} {value}", ppr=num_pr(n + 1, 0))
        for n, (name, last) in enumerate(cases.items())
        for value in range(1, last + 1)
    )
    path = tmp_path / "formats.docx"
    path.write_bytes(docx(body, numbering=definitions))
    for line in office_text(path, tmp_path):
        label, _, rest = line.partition("¶ ")
        name, value = rest.split()
        assert label.strip() == FORMATS[name](int(value)), rest


LISTS = {
    "outline": [(1, 0), (1, 1), (1, 1), (1, 2), (1, 0), (1, 1), (1, 2)],
    "two instances of one list": [(1, 0), (1, 0), (2, 0), (1, 0)],
    "start override": [(1, 0), (1, 0), (3, 0), (3, 0), (3, 1)],
    "words": [(5, 0), (5, 1), (5, 0)],
}


def test_counting(tmp_path: Path) -> None:
    definitions = (
        abstract_num(0, lvl(0, text="%1."), lvl(1, text="%1.%2"), lvl(2, text="%1.%2.%3"))
        + abstract_num(2, lvl(0, "upperLetter", "Annex %1:", 3), lvl(1, "lowerRoman", "(%2)"))
        + num(1, 0)
        + num(2, 0)
        + num(3, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>')
        + num(5, 2)
    )
    for name, uses in LISTS.items():
        path = tmp_path / f"{name}.docx"
        path.write_bytes(docx("".join(li(f"X{n}", *use) for n, use in enumerate(uses)), numbering=definitions))
        assert squeezed(lines(parse_path(path))) == squeezed(office_text(path, tmp_path)), name


CORPUS = (
    "docling/unit_test_headers_numbered.docx",
    "powertools/LIR008-zh-CH-chineseCountingThousand.docx",
    "powertools/LIR010-zh-CN-ideographTraditional.docx",
)


def test_files_that_number(tmp_path: Path) -> None:
    shared = shared_dir()
    if shared is None:
        pytest.skip("needs the shared corpus")
    for name in CORPUS:
        path = shared / "corpus" / "docx" / name
        theirs = "\n".join(squeezed(office_text(path, tmp_path)))
        missing = [line for line in squeezed(lines(parse_path(path)))[:400] if line not in theirs]
        assert missing == [], name
