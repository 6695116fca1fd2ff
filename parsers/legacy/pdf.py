"""PDF: the text layer, page by page, with its running headers and footers told apart."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lrdoc.document import Source
from lrdoc.errors import EmptyDocumentError, EncryptedFileError, EngineNotConfigured, LimitExceeded, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.output import TextOut

_EDGE_LINES = 3
"""Lines at the top and bottom of a page that may be running headers and footers."""
_DIGITS = re.compile(r"\d+")
_LIGATURES = {ord(c): unicodedata.normalize("NFKD", c) for c in "ﬀﬁﬂﬃﬄﬅﬆ"}
_LINE = re.compile(r"[^\r\n]+")
_MOST_NAMED = 20
"""Unreadable pages that are named one by one."""
_UNKNOWN = "\ufffd"
_SOFT_HYPHENS = ("\ufffe", "\x02", "\xad")
"""What PDFium leaves at the end of a line where it saw a hyphen that splits a word."""

_SPLIT_WORD = re.compile("([^\\W\\d_])[\ufffe\x02](?=([^\\W\\d_]))")


def read_pdf(source: SourceFile, out: TextOut) -> str:
    backend = _pymupdf_pages if out.settings.pdf_backend == "pymupdf" else _pdfium_pages
    pages: list[list[str]] = []
    title = ""
    unknown = 0
    for number, total, text, found_title in backend(source, out):
        limit = out.settings.max_pages
        if 0 < limit < total:
            raise LimitExceeded(
                f"{source.name} has {total} pages, more than {limit}",
                limit="LEGACY_MAX_PAGES",
                hint="Raise LEGACY_MAX_PAGES if the file is meant to be that long.",
            )
        title = title or found_title
        out.context.progress("pages", number, total)
        out.context.check()
        if _UNKNOWN in text:
            unknown += text.count(_UNKNOWN)
            text = text.replace(_UNKNOWN, "")
        pages.append(page_lines(text))
    if not any(pages):
        raise EmptyDocumentError(
            f"{source.name} has no text layer: its {len(pages)} pages are pictures",
            hint="Use an engine with OCR: mineru or docling.",
        )
    if unknown:
        out.warn(
            "pdf_unknown_characters",
            f"{unknown} signs have no character in their font and were left out; an engine with OCR may read them.",
        )
    silent = [number for number, lines in enumerate(pages, start=1) if not lines]
    if silent:
        shown = ", ".join(map(str, silent[:20])) + (" …" if len(silent) > 20 else "")
        out.warn(
            "pdf_pages_without_text",
            f"{len(silent)} of {len(pages)} pages hold no text ({shown}); "
            "if they are pictures of text, use an engine with OCR: mineru or docling.",
            Source(page=silent[0]),
        )
    running = running_lines(pages)
    for number, lines in enumerate(pages, start=1):
        out.gap()
        for i, line in enumerate(lines):
            part = running.get((number - 1, i), "")
            out.line(line, Source(part=part, path=f"line[{i + 1}]", page=number))
    return title


def page_lines(text: str) -> list[str]:
    """Lines of a page: ligatures opened, words that a hyphen splits at the line end joined, blanks trimmed."""
    lines: list[str] = []
    joined = drawn = False
    for raw in text.translate(_LIGATURES).replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line = raw.rstrip(" \t")
        split = line.endswith(_SOFT_HYPHENS)
        line = line.rstrip("".join(_SOFT_HYPHENS))
        for mark in _SOFT_HYPHENS:
            if mark in line:
                line = _SPLIT_WORD.sub(_own_hyphen, line)
                line = line.replace(mark, "")
        if joined and lines:
            # The rest of the word moves up; what follows it stays on a line of its own.
            head, _, rest = line.lstrip().partition(" ")
            lines[-1] += f"-{head}" if drawn and lines[-1][-1].islower() and head[:1].isupper() else head
            line = rest
            if not rest and split:
                continue
        joined, drawn = split, raw.rstrip(" \t").endswith(_SOFT_HYPHENS[:2])
        if line.strip():
            lines.append(line.strip())
        elif joined and not lines:
            joined = False
    return lines


def _own_hyphen(match: re.Match[str]) -> str:
    """The hyphen of a name such as Jean-Paul is its own; nobody splits a word before a capital."""
    return f"{match[1]}-" if match[1].islower() and match[2].isupper() else match[0]


def running_lines(pages: list[list[str]]) -> dict[tuple[int, int], str]:
    """Lines that come back at the same edge of at least half of three or more pages: (page, line) → header or footer.

    Numbers do not matter, so that "Page 7" and "Page 8" are the same line.
    """
    if len(pages) < 3:
        return {}
    found: dict[tuple[int, int], str] = {}
    for part, at_top in (("header", True), ("footer", False)):
        counts: Counter[str] = Counter()
        for lines in pages:
            edge = lines[:_EDGE_LINES] if at_top else lines[-_EDGE_LINES:]
            counts.update({_DIGITS.sub("#", line) for line in edge})
        filled = sum(1 for lines in pages if lines)
        often = {line for line, count in counts.items() if count >= 3 and count * 2 >= filled}
        for number, lines in enumerate(pages):
            order = range(min(_EDGE_LINES, len(lines))) if at_top else range(len(lines) - 1, -1, -1)
            for i in list(order)[:_EDGE_LINES]:
                if _DIGITS.sub("#", lines[i]) not in often:
                    break
                found.setdefault((number, i), part)
    return found


def _pdfium_pages(source: SourceFile, out: TextOut) -> Iterator[tuple[int, int, str, str]]:
    """(page number, number of pages, text, title of the document)"""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(source.path, password=out.settings.pdf_password or None)
    except pypdfium2.PdfiumError as error:
        raise _open_error(source, str(error), bool(out.settings.pdf_password)) from error
    try:
        total = len(document)
        title = document.get_metadata_value("Title").strip() if total else ""
        unreadable = 0
        for index in range(total):
            try:
                page = document[index]
                textpage = page.get_textpage()
                text = textpage.get_text_range() if textpage.count_chars() else ""
                if any(char > "\u3000" for char in text):
                    text = _columns_from_the_right(textpage, text)
                textpage.close()
                page.close()
            except pypdfium2.PdfiumError as error:
                unreadable += 1
                if unreadable <= _MOST_NAMED:
                    message = f"Page {index + 1} cannot be read ({error})."
                    out.warn("pdf_page_unreadable", message, Source(page=index + 1))
                text = ""
            yield index + 1, total, text, title
        if unreadable > _MOST_NAMED:
            out.warn("pdf_page_unreadable", f"{unreadable} pages in all cannot be read.")
    finally:
        document.close()


def _columns_from_the_right(textpage: Any, text: str) -> str:
    """Put the lines of a page that is written from top to bottom into reading order: columns from right to left."""
    if textpage.count_chars() != len(text):
        return text
    lines = [match.group() for match in _LINE.finditer(text)]
    vertical = 0
    places = []
    for match in _LINE.finditer(text):
        # Blanks of vertical text lie beside their column.
        inked = [i for i in range(*match.span()) if not text[i].isspace()] or [match.start()]
        left, _, right, top = textpage.get_charbox(inked[0])
        places.append(((left + right) / 2, top, textpage.get_charbox(inked[-1])[1]))
        if len(inked) > 1:
            next_left, _, next_right, next_top = textpage.get_charbox(inked[1])
            if abs((next_left + next_right) / 2 - places[-1][0]) < (right - left) / 2 and next_top < top:
                vertical += 1
    if vertical * 5 < len(lines) * 4:
        return text
    bands = _bands([(top, bottom) for _, top, bottom in places])
    order = sorted(range(len(lines)), key=lambda i: (bands[i], -round(places[i][0]), -places[i][1]))
    return "\n".join(lines[i] for i in order)


def _bands(extents: list[tuple[float, float]]) -> list[int]:
    """Number of the band, from the top of the page, in which each column stands; between bands no column passes."""
    numbers = [0] * len(extents)
    band, lowest = -1, float("inf")
    for i in sorted(range(len(extents)), key=lambda i: -extents[i][0]):
        top, bottom = extents[i]
        if top < lowest:
            band, lowest = band + 1, bottom
        lowest = min(lowest, bottom)
        numbers[i] = band
    return numbers


def _pymupdf_pages(source: SourceFile, out: TextOut) -> Iterator[tuple[int, int, str, str]]:
    try:
        import pymupdf
    except ImportError as error:
        raise EngineNotConfigured(
            "LEGACY_PDF_BACKEND=pymupdf needs the package pymupdf",
            hint="Install it with: pip install 'lrdoc[pymupdf]' (it is under the AGPL).",
        ) from error
    try:
        document = pymupdf.open(source.path, filetype="pdf")
    except (RuntimeError, ValueError) as error:
        raise _open_error(source, str(error), False) from error
    with document:
        if document.needs_pass and not document.authenticate(out.settings.pdf_password):
            raise _open_error(source, "password", bool(out.settings.pdf_password))
        title = str((document.metadata or {}).get("title") or "").strip()
        for index, page in enumerate(document):
            yield index + 1, len(document), page.get_text("text", sort=False), title


def _open_error(source: SourceFile, reason: str, tried: bool) -> SourceError:
    if "password" in reason.lower():
        return EncryptedFileError(
            f"{source.name} is encrypted and "
            + ("the password in PDF_DECRYPT_PASSWORD does not open it" if tried else "needs a password"),
            hint="Set PDF_DECRYPT_PASSWORD to the right password.",
        )
    with source.path.open("rb") as stream:
        head = stream.read(1024)
    if b"%PDF" not in head:
        return SourceError(
            f"{source.name} is not a PDF: it does not begin with %PDF", hint="Give the file its true suffix."
        )
    return SourceError(f"{source.name} is damaged and cannot be opened ({reason})", hint="Get the file again.")
