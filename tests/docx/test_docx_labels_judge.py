"""List labels against LibreOffice: docx → pdf → text."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import pypdfium2
import pytest
from docx_parse import parse_path
from shared_files import shared_dir

from lrdoc.document import Document, Part, Table, Text

DIFFERENT = {
    # Word writes 100 as 一○○ in this format (MS-OI29500), LibreOffice as 一百.
    "powertools/LIR009-zh-CN-chineseCounting.docx": 3383,
    # Custom formats ("α, β, γ, ...") and ordinals of zero, levels behind isLgl and empty levels: Word's own rules.
    "poi/Numbering.docx": 3,
    "tika/testWORD_numbered_list.docx": 2,
    "tika/testWORD_override_list_numbering.docx": 4,
    # Text boxes stand elsewhere on the page than in the text.
    "docling/textbox.docx": 2,
    # The parenthesis of a ruby reading, which is no label.
    "poi/61470.docx": 1,
}
FILES = [
    "docling/unit_test_headers_numbered.docx",
    "docling/docx_lists.docx",
    "docx2python/example_numbering.docx",
    "poi/Numbering.docx",
    "poi/NumberingWOverrides.docx",
    "powertools/LIR004-en-US-upperRoman.docx",
    "powertools/LIR018-en-US-decimalZero.docx",
    "tika/testWORD_numbered_list.docx",
    "tika/testWORD_override_list_numbering.docx",
    "unstructured/example-list-items-multiple.docx",
]


def labelled(parts: Iterable[Part]) -> Iterator[tuple[str, str]]:
    """(label, text behind it) of all numbered paragraphs."""
    parts = list(parts)
    for at, part in enumerate(parts):
        if isinstance(part, Table):
            for row in part.rows:
                for cell in row:
                    if cell is not None:
                        yield from labelled(cell.parts)
        elif isinstance(part, Text) and part.source is None:
            label = part.text.split("\n")[-1].strip()
            following = parts[at + 1] if at + 1 < len(parts) else None
            if label and label != "-" and isinstance(following, Text):
                yield label, following.text


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def differences(document: Document, page_text: str) -> list[tuple[str, str]]:
    """Labels that do not stand before their text on the page, looked for in order."""
    found: list[tuple[str, str]] = []
    position = 0
    for block in document.blocks:
        for label, text in labelled(block.parts):
            wanted = squeezed(label + text)[: len(squeezed(label)) + 12]
            at = page_text.find(wanted, position)
            if at < 0:
                at = page_text.find(wanted)
            if at < 0:
                found.append((label, text[:30]))
            else:
                position = at + 1
    return found


@pytest.mark.judge
@pytest.mark.parametrize("name", FILES)
def test_labels_agree_with_libreoffice(name: str, tmp_path: Path) -> None:
    shared = shared_dir()
    if shared is None:
        pytest.skip("the shared corpus is not here")
    office = shutil.which("soffice")
    assert office is not None, "LibreOffice is missing"
    path = shared / "corpus/docx" / name
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [office, "--headless", profile, "--convert-to", "pdf", "--outdir", str(tmp_path), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=400)
    with pypdfium2.PdfDocument(tmp_path / f"{path.stem}.pdf") as pdf:
        page_text = squeezed("".join(page.get_textpage().get_text_range() for page in pdf))
    found = differences(parse_path(path), page_text)
    assert len(found) == DIFFERENT.get(name, 0), found
