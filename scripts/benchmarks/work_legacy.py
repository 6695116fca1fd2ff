"""The plain-text engine and plain libraries beside it; `measure.py` calls `prepare` in a child process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def prepare(what: str, path: str) -> Callable[[], object]:
    return {"ours": _ours, "pdfium": _pdfium, "openpyxl": _openpyxl, "python-pptx": _pptx}[what](Path(path))


def _ours(path: Path) -> Callable[[], object]:
    from lrdoc.parsers.base import ParseContext, SourceFile
    from lrdoc.parsers.legacy.parser import LegacyParser
    from lrdoc.testing.assets import NoAssets

    def work() -> object:
        return LegacyParser().parse(SourceFile(path, path.name), {}, ParseContext(NoAssets()))

    import importlib

    for module in ("pdf", "pptx", "xlsx", "html"):
        importlib.import_module(f"lrdoc.parsers.legacy.{module}")
    for library in ("pypdfium2", "selectolax.lexbor", "charset_normalizer"):
        importlib.import_module(library)
    return work


def _pdfium(path: Path) -> Callable[[], object]:
    import pypdfium2

    def work() -> object:
        document = pypdfium2.PdfDocument(path)
        texts = [page.get_textpage().get_text_range() for page in document]
        document.close()
        return texts

    return work


def _openpyxl(path: Path) -> Callable[[], object]:
    import openpyxl

    def work() -> object:
        count = 0
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        for sheet in book.worksheets:
            for row in sheet.iter_rows(values_only=True):
                count += len(row)
        return count

    return work


def _pptx(path: Path) -> Callable[[], object]:
    from pptx import Presentation

    def work() -> object:
        words = []
        for slide in Presentation(str(path)).slides:
            for shape in slide.shapes:
                if shape.has_text_frame:
                    words.append(shape.text_frame.text)
                if shape.has_table:
                    words.extend(cell.text for row in shape.table.rows for cell in row.cells)
            if slide.has_notes_slide:
                words.append(slide.notes_slide.notes_text_frame.text)
        return words

    return work
