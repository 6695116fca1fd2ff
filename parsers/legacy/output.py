"""Collects the text that a reader makes, with its sources, under a limit."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lrdoc.document import ParseWarning, Source, Text
from lrdoc.errors import LimitExceeded
from lrdoc.parsers.base import ParseContext
from lrdoc.parsers.legacy.settings import LegacySettings

NEWLINE = Text("\n")
TAB = Text("\t")
_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufeff]")
_CELL_BREAK = re.compile(r"\s*[\r\n\t\v\f\x85\u2028\u2029]\s*")


def clean(text: str) -> str:
    """Line ends become "\\n"; control characters, lone surrogates and byte order marks go."""
    if text.isprintable():
        return text
    return _CONTROL.sub("", _LINE_ENDS.sub("\n", text))


class TextOut:
    """The text so far. Lines are given one by one; at most one blank line stands between two lines."""

    def __init__(self, context: ParseContext, settings: LegacySettings) -> None:
        self.context = context
        self.settings = settings
        self.parts: list[Text] = []
        self.warnings: list[ParseWarning] = []
        self._room = settings.max_text_chars if settings.max_text_chars > 0 else None
        self._gap = True

    def warn(self, code: str, message: str, source: Source | None = None) -> None:
        self.warnings.append(ParseWarning(code, message, source))

    def _take(self, text: str) -> None:
        if self._room is not None:
            self._room -= len(text)
            if self._room < 0:
                raise LimitExceeded(
                    f"The file holds more than {self.settings.max_text_chars} characters of text",
                    limit="LEGACY_MAX_TEXT_CHARS",
                    hint="Raise LEGACY_MAX_TEXT_CHARS if the file is meant to be that large.",
                )

    def line(self, text: str, source: Source | None = None, lead: str = "") -> None:
        """One or more whole lines. `lead` is text of ours before them, such as "- "."""
        text = clean(text).rstrip()
        if not text.strip():
            return
        self.context.check()
        self._take(text)
        if lead:
            self.parts.append(Text(lead))
        self.parts.append(Text(text, source))
        self.parts.append(NEWLINE)
        self._gap = False

    def row(self, cells: Iterable[tuple[str, Source | None]]) -> None:
        """A table row: cells on one line, separated by tabs. A row without text is left out."""
        taken = [
            (text.strip() if text.isprintable() else _CELL_BREAK.sub(" ", clean(text)).strip(), source)
            for text, source in cells
        ]
        while taken and not taken[-1][0]:
            taken.pop()
        if not taken:
            return
        self.context.check()
        for i, (text, source) in enumerate(taken):
            if i:
                self.parts.append(TAB)
            if text:
                self._take(text)
                self.parts.append(Text(text, source))
        self.parts.append(NEWLINE)
        self._gap = False

    def row_of_texts(self, cells: Iterable[list[Text]]) -> None:
        """A table row whose cells are made of several stretches, each with its own source."""
        taken = [
            [Text(_CELL_BREAK.sub(" ", clean(text.text)), text.source) for text in cell if text.text] for cell in cells
        ]
        while taken and not any(text.text.strip() for text in taken[-1]):
            taken.pop()
        if not taken:
            return
        self.context.check()
        for i, cell in enumerate(taken):
            if i:
                self.parts.append(TAB)
            for text in cell:
                self._take(text.text)
                self.parts.append(text)
        self.parts.append(NEWLINE)
        self._gap = False

    def table_line(self, text: str, source: Source) -> None:
        """A table row that is one stretch, its cells separated by tabs already."""
        text = clean(text)
        if "\n" in text:
            text = text.replace("\n", " ")
        self.context.check()
        self._take(text)
        self.parts.append(Text(text, source))
        self.parts.append(NEWLINE)
        self._gap = False

    def inline(self, texts: Iterable[Text]) -> None:
        """One line made of several stretches, each with its own source."""
        self.context.check()
        for text in texts:
            cleaned = clean(text.text).replace("\n", " ")
            if cleaned:
                self._take(cleaned)
                self.parts.append(Text(cleaned, text.source))
        self.parts.append(NEWLINE)
        self._gap = False

    def verbatim(self, text: str, source: Source | None = None) -> None:
        """Text as it is, blank lines and indentation included."""
        text = clean(text)
        if text:
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
