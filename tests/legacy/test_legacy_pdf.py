"""PDF text."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from legacy_files import codes, lines_of, pdf, read, save, text_of

from lrdoc.document import Text
from lrdoc.errors import EmptyDocumentError, LimitExceeded, SourceError
from lrdoc.parsers.legacy.pdf import page_lines, running_lines
from lrdoc.parsers.legacy.settings import LegacySettings


def test_lines_come_page_by_page_with_their_page(tmp_path: Path) -> None:
    document = read(pdf(tmp_path / "a.pdf", [["Hello world", "second line"], ["page two"]]))
    assert text_of(document) == "Hello world\nsecond line\n\npage two"
    pages = [part.source.page for part in document.blocks[0].parts if isinstance(part, Text) and part.source]
    assert pages == [1, 1, 2]


def test_ligatures_are_opened_and_split_words_joined() -> None:
    assert page_lines("o\ufb03ce \ufb01t\r\nthe infor\ufffe\r\nmation desk\r\n\r\nend") == [
        "office fit",
        "the information",
        "desk",
        "end",
    ]


def test_running_headers_and_footers_are_told_apart_by_what_repeats() -> None:
    pages = [["Report", f"text {chr(97 + i) * 4}", f"words {chr(97 + i)}", f"Page {i}"] for i in range(6)]
    running = running_lines(pages)
    assert {place for place, part in running.items() if part == "header"} == {(i, 0) for i in range(6)}
    assert {place for place, part in running.items() if part == "footer"} == {(i, 3) for i in range(6)}
    assert running_lines(pages[:2]) == {}


def test_running_lines_stay_in_the_text_and_are_marked(tmp_path: Path) -> None:
    pages = [["ACME", *(f"alpha {chr(97 + i) * 3} {k}" for k in "xyz"), f"Page {i}"] for i in range(4)]
    document = read(pdf(tmp_path / "a.pdf", pages))
    marked = [
        (p.text, p.source.part) for p in document.blocks[0].parts if isinstance(p, Text) and p.source and p.source.part
    ]
    assert marked[:2] == [("ACME", "header"), ("Page 0", "footer")]
    assert text_of(document).count("ACME") == 4


def test_a_page_without_text_warns_and_a_file_without_text_fails(tmp_path: Path) -> None:
    document = read(pdf(tmp_path / "a.pdf", [["text"], []]))
    assert codes(document) == ["pdf_pages_without_text"]
    assert document.warnings[0].where == "page 2"
    with pytest.raises(EmptyDocumentError, match="mineru or docling"):
        read(pdf(tmp_path / "b.pdf", [[], []]))


def test_damaged_and_disguised_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a PDF"):
        read(save(tmp_path / "a.pdf", "plain text"))
    with pytest.raises(SourceError, match="damaged"):
        read(save(tmp_path / "b.pdf", b"%PDF-1.7\nnothing else"))


def test_pages_have_a_limit(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", [["x"]] * 5)
    with pytest.raises(LimitExceeded, match="LEGACY_MAX_PAGES"):
        read(path, LegacySettings(max_pages=4))


def test_pymupdf_is_never_imported_by_default(tmp_path: Path) -> None:
    already = "pymupdf" in sys.modules
    assert lines_of(pdf(tmp_path / "a.pdf", [["x"]])) == ["x"]
    assert ("pymupdf" in sys.modules) == already


def test_the_hyphen_of_a_name_stays() -> None:
    assert page_lines("by Jean\ufffePaul\r\nand Marie\ufffe\r\nClaire Roy\r\nINFOR\ufffeMATION, a de\xadPaul") == [
        "by Jean-Paul",
        "and Marie-Claire",
        "Roy",
        "INFORMATION, a dePaul",
    ]
