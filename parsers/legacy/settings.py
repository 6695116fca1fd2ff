"""Settings of the plain-text engine."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable


@dataclass(frozen=True, slots=True)
class LegacySettings:
    """Limits and switches of the plain-text engine; all limits: 0 or less switches the limit off."""

    pdf_password: str = variable("PDF_DECRYPT_PASSWORD", "", "Password for encrypted PDF files.", secret=True)
    pdf_backend: str = variable(
        "LEGACY_PDF_BACKEND",
        "pdfium",
        "Library that reads PDF text. pymupdf needs the extra lrdoc[pymupdf], which is under the AGPL.",
        choices=("pdfium", "pymupdf"),
    )
    max_file_bytes: int = variable(
        "LEGACY_MAX_FILE_BYTES", 512 * 1024 * 1024, "Largest file that the plain-text engine opens.", unit="bytes"
    )
    max_text_chars: int = variable(
        "LEGACY_MAX_TEXT_CHARS", 200_000_000, "Most characters of text taken out of one file.", unit="characters"
    )
    max_lines: int = variable(
        "LEGACY_MAX_LINES",
        2_000_000,
        "Most lines and table rows with a place of their own in one file. Files that are text already have one place "
        "for 64 lines.",
    )
    max_html_elements: int = variable(
        "LEGACY_MAX_HTML_ELEMENTS", 3_000_000, "Most HTML elements of one page, or of all chapters of a book."
    )
    max_pages: int = variable("LEGACY_MAX_PAGES", 20_000, "Most pages or slides of one file.")
    max_cells: int = variable("LEGACY_MAX_CELLS", 20_000_000, "Most used cells of one workbook.")
    max_nesting: int = variable("LEGACY_MAX_NESTING", 2_000, "Deepest nesting of elements, groups or tables.")
    max_uncompressed_bytes: int = variable(
        "DOCX_MAX_UNCOMPRESSED_BYTES",
        512 * 1024 * 1024,
        "Most bytes that the parts of a package may unpack to.",
        unit="bytes",
    )
    max_entries: int = variable("DOCX_MAX_ENTRIES", 10_000, "Most entries of a package.")
    max_nodes: int = variable(
        "DOCX_MAX_NODES", 20_000_000, "Most XML elements and attributes of all parts that are read together."
    )
