"""Real documents: a fixed tenth of the corpus by default, all of it with LRDOC_WHOLE_CORPUS=1."""

from __future__ import annotations

import os
import zlib

import pytest
from docx_parse import all_texts, parse_path
from shared_files import shared_dir

from lrdoc.document import Document
from lrdoc.errors import EmptyDocumentError, LrdocError

WITHOUT_TEXT = {
    "docx/dedoc/diagram_1.docx",
    "docx/mammoth/empty.docx",
    "docx/poi/TestTableColumns.docx",
    "docx/python-docx/blk-containing-table.docx",
    "docx/python-docx/set-no-settings-part.docx",
    "docx/python-docx/tbl-having-tables.docx",
}
DAMAGED = {
    "docx/poi/clusterfuzz-testcase-minimized-POIXWPFFuzzer-5313273089884160.docx",
    "docx/poi/clusterfuzz-testcase-minimized-POIXWPFFuzzer-6061520554164224.docx",
    "docx/poi/clusterfuzz-testcase-minimized-POIXWPFFuzzer-6442791109263360.docx",
    "docx/poi/crash-517626e815e0afa9decd0ebb6d1dee63fb9907dd.docx",
    "docx/tika/testWORD_protected_passtika.docx",
    "docx/tika/testWORD_truncated.docx",
}


def corpus() -> list[str]:
    shared = shared_dir()
    if shared is None:
        return []
    folder = shared / "corpus"
    found = sorted(str(path.relative_to(folder)) for path in (folder / "docx").rglob("*.do[ct][xm]"))
    if os.environ.get("LRDOC_WHOLE_CORPUS"):
        return found
    small = [name for name in found if (folder / name).stat().st_size < 400_000]
    return [name for name in small if zlib.crc32(name.encode()) % 10 == 3 or name in WITHOUT_TEXT | DAMAGED]


@pytest.mark.parametrize("name", corpus())
def test_a_real_document(name: str) -> None:
    shared = shared_dir()
    assert shared is not None
    path = shared / "corpus" / name
    if name in WITHOUT_TEXT:
        with pytest.raises(EmptyDocumentError):
            parse_path(path)
        return
    if name in DAMAGED:
        with pytest.raises(LrdocError):
            parse_path(path)
        return
    document = parse_path(path)
    assert document.blocks or document.regions
    assert_laws(document)


def assert_laws(document: Document) -> None:
    """What holds for every document."""
    assert document.title
    outer: list[tuple[int, str]] = []
    for block in document.blocks:
        while outer and outer[-1][0] >= block.level:
            outer.pop()
        if block.level:
            assert block.parents == tuple(heading for _, heading in outer)
            outer.append((block.level, block.heading))
        assert "\n" not in block.heading
        assert not block.label or block.heading.startswith(block.label)
    for text in all_texts(document):
        assert text.text
        source = text.source
        assert source is None or (source.part and (source.path or not source.part.endswith(".xml")))
