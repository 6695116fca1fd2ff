"""Collects the text that a reader makes, with its sources, under a limit."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from lrdoc.document import ParseWarning, Source, Text
from lrdoc.errors import LimitExceeded
from lrdoc.parsers.base import ParseContext
from lrdoc.parsers.legacy.settings import LegacySettings

NEWLINE = Text("\n")
TAB = Text("\t")
_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufeff]")
_CELL_BREAK = re.compile(r"[\r\n\t\v\f\x85\u2028\u2029]+")
_PIECE = 1 << 20
MAX_PADDING = 500_000
"""Empty cells of one file that are written as such."""


def clean(text: str) -> str:
    """Line ends become "\\n"; control characters, lone surrogates and byte order marks go."""
    if text.isprintable():
        return text
    return _CONTROL.sub("", _LINE_ENDS.sub("\n", text))


def clean_pieces(text: str, context: ParseContext) -> Iterator[str]:
    """`clean` in pieces of a long text, so that the work can be cancelled."""
    start = 0
    while start < len(text):
        context.check()
        end = start + _PIECE
        if text[end - 1 : end + 1] == "\r\n":
            end += 1
        yield clean(text[start:end])
        start = end


def one_line(text: str) -> str:
    """Text of a cell: breaks and tabs become single blanks."""
    if text.isprintable():
        return text
    pieces = _CELL_BREAK.split(clean(text))
    last = len(pieces) - 1
    # Blanks beside a break go with it; a pattern for both would look at long runs of blanks again and again.
    stripped = (
        piece.strip(" ") if 0 < i < last else piece.rstrip(" ") if i < last else piece.lstrip(" ") if i else piece
        for i, piece in enumerate(pieces)
    )
    return " ".join(piece for i, piece in enumerate(stripped) if piece or i in (0, last))


class TextOut:
    """The text so far. Lines are given one by one; at most one blank line stands between two lines."""

    def __init__(self, context: ParseContext, settings: LegacySettings) -> None:
        self.context = context
        self.settings = settings
        self.parts: list[Text] = []
        self.warnings: list[ParseWarning] = []
        self._room = settings.max_text_chars if settings.max_text_chars > 0 else sys.maxsize
        self._lines = settings.max_lines if settings.max_lines > 0 else sys.maxsize
        self._elements = settings.max_html_elements if settings.max_html_elements > 0 else sys.maxsize
        self._gap = True
        self._padding = MAX_PADDING

    def pad(self, count: int) -> int:
        """How many of so many empty cells may be written: some files claim billions of them."""
        granted = min(count, self._padding)
        self._padding -= granted
        if granted < count and self._padding == 0 and not any(w.code == "table_narrowed" for w in self.warnings):
            self.warn(
                "table_narrowed", f"Tables leave room for more than {MAX_PADDING} empty cells; the rest is closed up."
            )
        return granted

    def warn(self, code: str, message: str, source: Source | None = None) -> None:
        self.warnings.append(ParseWarning(code, message, source))

    def spend_elements(self, count: int, part: str) -> None:
        """Count elements before a tree is made of them, which costs many times their text."""
        self._elements -= count
        if self._elements < 0:
            most = self.settings.max_html_elements
            raise _exceeded(f"more than {most} elements of HTML", "LEGACY_MAX_HTML_ELEMENTS", part)

    def _take(self, text: str) -> None:
        self._room -= len(text)
        if self._room < 0:
            most = self.settings.max_text_chars
            raise _exceeded(f"more than {most} characters of text", "LEGACY_MAX_TEXT_CHARS")

    def _begin_line(self) -> None:
        """Each line has a place of its own, which costs more than its text."""
        self.context.check()
        self._lines -= 1
        if self._lines < 0:
            raise _exceeded(f"more than {self.settings.max_lines} lines of text", "LEGACY_MAX_LINES")

    def _end_line(self) -> None:
        self.parts.append(NEWLINE)
        self._gap = False

    def line(self, text: str, source: Source | None = None, lead: str = "") -> None:
        """One or more whole lines. `lead` is text of ours before them, such as "- "."""
        text = clean(text).rstrip()
        if not text or text.isspace():
            return
        self._begin_line()
        self._take(text)
        if lead:
            self.parts.append(Text(lead))
        self.parts.append(Text(text, source))
        self._end_line()

    def row(self, cells: Iterable[str], source: Source) -> None:
        """A table row from one place: cells on one line, separated by tabs. A row without text is left out."""
        text = "\t".join([one_line(cell).strip() for cell in cells]).rstrip("\t")
        if text:
            self.table_line(text, source)

    def row_of_texts(self, cells: Iterable[list[Text]]) -> None:
        """A table row whose cells are made of several stretches, each with its own source."""
        taken = [[Text(one_line(text.text), text.source) for text in cell if text.text] for cell in cells]
        while taken and not any(text.text.strip() for text in taken[-1]):
            taken.pop()
        if not taken:
            return
        self._begin_line()
        for i, cell in enumerate(taken):
            if i:
                self.parts.append(TAB)
            for text in cell:
                self._take(text.text)
                self.parts.append(text)
        self._end_line()

    def table_line(self, text: str, source: Source) -> None:
        """A table row that is one stretch, its cells separated by tabs already."""
        text = clean(text)
        if "\n" in text:
            text = text.replace("\n", " ")
        self._begin_line()
        self._take(text)
        self.parts.append(Text(text, source))
        self._end_line()

    def inline(self, texts: Iterable[Text]) -> None:
        """One line made of several stretches, each with its own source."""
        self._begin_line()
        for text in texts:
            cleaned = clean(text.text).replace("\n", " ")
            if cleaned:
                self._take(cleaned)
                self.parts.append(Text(cleaned, text.source))
        self._end_line()

    def verbatim(self, text: str, source: Source | None = None) -> None:
        """Text as it is, blank lines and indentation included."""
        text = clean(text)
        if text:
            self._begin_line()
            self._take(text)
            self.parts.append(Text(text, source))
            self._gap = False

    def gap(self) -> None:
        """One blank line, unless there is one already."""
        if not self._gap:
            self.parts.append(NEWLINE)
            self._gap = True

    def finished(self) -> list[Text]:
        """The parts without blank lines at the end."""
        while self.parts and not self.parts[-1].text.strip() and self.parts[-1].source is None:
            self.parts.pop()
        return self.parts


def _exceeded(what: str, variable: str, where: str = "") -> LimitExceeded:
    return LimitExceeded(
        f"The file holds {what}",
        limit=variable,
        where=where,
        hint=f"Raise {variable} if the file is meant to be that large.",
    )
