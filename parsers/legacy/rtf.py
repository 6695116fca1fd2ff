"""Rich Text Format: the text it shows, tables and notes included.

The control words are those of the Rich Text Format Specification 1.9.1. A group whose first control word names a
destination without visible text (fonts, styles, pictures, fields' instructions …) is skipped.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import NamedTuple

from lrdoc.document import Source
from lrdoc.errors import LimitExceeded, SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.legacy.output import TextOut
from lrdoc.parsers.legacy.settings import LegacySettings

_TOKEN = re.compile(
    rb"\\bin(\d+) ?"  # 1: raw bytes follow
    rb"|\\([a-z]{1,32})(-?\d{1,10})? ?"  # 2, 3: control word and its parameter
    rb"|\\'([0-9a-fA-F]{2})"  # 4: one byte
    rb"|\\(\r\n|[^a-z])"  # 5: control symbol
    rb"|([{}])"  # 6
    rb"|[\r\n]+"
    rb"|([^\\{}\r\n]+)",  # 7: plain text
    re.DOTALL,
)
_SKIPPED = frozenset(
    b"fonttbl colortbl stylesheet info pict themedata colorschememapping datastore xmlnstbl listtable "
    b"listoverridetable revtbl rsidtbl generator fldinst filetbl latentstyles objdata objclass mmathPr bkmkstart "
    b"bkmkend template docvar userprops pgptbl wgrffmtfilter mailmerge nonshppict shppict shprslt sp ftnsep ftnsepc "
    b"ftncn aftnsep aftnsepc aftncn private atrfstart atrfend atnid atnref atndate atntime atnicn atnparent xe tc rxe "
    b"bxe keycode background factoidname passwordhash fontemb falt panose nonesttables pntxta pntxtb".split()
)
"""Destinations without visible text, and what stands there for programs that do not know another group beside it."""
_STARRED = frozenset(b"shpinst shptxt do listtext pntext fldrslt result".split())
"""Destinations that hold text though a program that does not know them may skip them; of all others that is true."""
_SYMBOLS = {
    b"par": "\n",
    b"sect": "\n",
    b"page": "\n",
    b"line": "\n",
    b"column": "\n",
    b"tab": "\t",
    b"emdash": "—",
    b"endash": "–",
    b"emspace": "\u2003",
    b"enspace": "\u2002",
    b"qmspace": "\u2005",
    b"bullet": "•",
    b"lquote": "‘",
    b"rquote": "’",
    b"ldblquote": "“",
    b"rdblquote": "”",
    b"zwj": "\u200d",
    b"zwnj": "\u200c",
    b"ltrmark": "\u200e",
    b"rtlmark": "\u200f",
}
_LITERALS = {b"~": "\u00a0", b"_": "\u2011", b"\\": "\\", b"{": "{", b"}": "}", b"\t": "\t"}
_CHARSETS = {
    0: "cp1252",
    2: "symbol",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    255: "cp437",
}
"""\\fcharset of a font → Python codec."""
_NOTES = {b"footnote", b"annotation", b"atnauthor"}
_MARGINS = {b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl", b"footerr", b"footerf"}


class _State(NamedTuple):
    """Properties that a group inherits and gives back at its end."""

    target: _Stream
    codec: str
    unicode_skip: int = 1
    """How many characters after a \\u stand for it in programs without Unicode."""
    skip: bool = False
    """Inside a destination without visible text."""
    hidden: bool = False
    deleted: bool = False
    """Tracked as deleted, or moved from here."""

    @property
    def is_silent(self) -> bool:
        return self.skip or self.hidden or self.deleted


class _Stream:
    """Text of the body, of one note or of one margin: finished lines, the open line and the open table row."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.lines: list[str | list[str]] = []
        self.line: list[str] = []
        self.cells: list[str] = []

    def end_line(self, in_table: bool) -> None:
        if in_table:
            self.line.append("\n")
            return
        self.lines.append("".join(self.line))
        self.line = []

    def end_cell(self) -> None:
        self.cells.append("".join(self.line).strip())
        self.line = []

    def end_row(self) -> None:
        if self.line and "".join(self.line).strip():
            self.end_cell()
        self.line = []
        if self.cells:
            self.lines.append(self.cells)
        self.cells = []

    def close(self) -> None:
        if self.cells:
            self.end_row()
        if self.line:
            self.lines.append("".join(self.line))
            self.line = []


def read_rtf(source: SourceFile, out: TextOut) -> str:
    data = source.path.read_bytes()
    start = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"{\\rtf"):
        raise SourceError(
            f"{source.name} is not RTF: it does not begin with {{\\rtf", hint="Give the file its true suffix."
        )
    reader = _Reader(out)
    streams = reader.read(data)
    for warning in reader.problems:
        out.warn("rtf_damaged", warning)
    number = 0
    for stream in streams:
        out.gap()
        for line in stream.lines:
            number += 1
            where = Source(part=stream.kind, path=f"p[{number}]")
            if isinstance(line, list):
                out.row(line, where)
            else:
                out.line(line, where)
    return ""


def rtf_lines(data: bytes, context: ParseContext) -> tuple[list[str], list[str]]:
    """Lines of RTF that lies inside another file, cells of a row apart by tabs; and what was wrong with it."""
    reader = _Reader(TextOut(context, LegacySettings()))
    lines = [line for stream in reader.read(data) for line in stream.lines]
    return [line if isinstance(line, str) else "\t".join(line) for line in lines], reader.problems


class _Reader:
    def __init__(self, out: TextOut) -> None:
        self.out = out
        self.problems: list[str] = []
        self.fonts: dict[int, str] = {}
        """Codecs of the font table."""
        self.font: int | None = None
        """The font whose code page is being read."""
        self.font_table = 0
        """How deep the font table is nested while it is being read."""
        self.default_codec = "cp1252"
        body = _Stream("")
        self.streams = [body]
        self.state = _State(body, self.default_codec)
        self.groups: list[_State] = []
        """What holds again after the open groups."""
        self.starred = False
        """Whether the group began with \\*."""
        self.pending = bytearray()
        """Characters that are not decoded yet: one may take several tokens."""
        self.left_out = 0
        """Characters to come that only stand for a \\u."""
        self.high = 0
        """The first half of a surrogate pair."""
        self.in_table = False
        self.notes = 0
        """Automatic note marks so far."""

    def read(self, data: bytes) -> list[_Stream]:
        """Streams in the order in which they are to be read: body, notes, margins."""
        position, end = 0, len(data)
        while position < end:
            self.out.context.check()
            match = _TOKEN.match(data, position)
            if match is None:
                position += 1
                continue
            position = match.end()
            binary, word, number, byte, symbol, brace, plain = match.groups()
            if plain is not None:
                self.characters(plain)
            elif byte is not None:
                self.characters(bytes([int(byte, 16)]))
            elif word is not None:
                self.control(word, int(number) if number is not None else None)
            elif brace == b"{":
                self.open_group()
            elif brace is not None:
                self.close_group()
                if not self.groups and data[position:].strip(b"\0 \r\n\t"):
                    break
            elif symbol is not None:
                self.symbol(symbol)
            elif binary is not None:
                self.flush()
                position += int(binary)
        self.flush()
        if self.groups:
            self.problems.append("The file ends in the middle of a group; it may be cut off.")
        for stream in self.streams:
            stream.close()
        body, *others = self.streams
        margins = [stream for stream in others if stream.kind != "notes"]
        return [body, *(stream for stream in others if stream.kind == "notes"), *_without_repeats(margins)]

    def characters(self, piece: bytes) -> None:
        if self.left_out:
            taken = min(self.left_out, len(piece))
            self.left_out -= taken
            piece = piece[taken:]
        if not self.state.is_silent:
            self.pending += piece
        self.starred = False

    def flush(self) -> None:
        if self.pending:
            codec = "cp1252" if self.state.codec == "symbol" else self.state.codec
            self.state.target.line.append(bytes(self.pending).decode(codec, "ignore"))
            self.pending.clear()

    def open_group(self) -> None:
        self.flush()
        self.left_out = 0
        self.groups.append(self.state)
        limit = self.out.settings.max_nesting
        if 0 < limit < len(self.groups):
            raise LimitExceeded(
                f"Groups are nested more than {limit} deep",
                limit="LEGACY_MAX_NESTING",
                hint="Raise LEGACY_MAX_NESTING if the file is meant to be that deep.",
            )
        self.starred = False

    def close_group(self) -> None:
        self.flush()
        self.left_out = 0
        if len(self.groups) == self.font_table:
            self.font_table = 0
        if self.groups:
            self.state = self.groups.pop()

    def control(self, word: bytes, value: int | None) -> None:
        if word == b"u" and value is not None:
            self.unicode(value & 0xFFFF)
            return
        self.flush()
        self.high = 0
        starred, self.starred = self.starred, False
        change = _CHANGES.get(word)
        if change is not None:
            change(self, value)
        elif word in _SKIPPED:
            self.state = self.state._replace(skip=True)
        elif word in _NOTES or word in _MARGINS:
            # The characters before do not tell how a note is shown; a deleted one goes with its mark.
            stream = _Stream("notes" if word in _NOTES else word.decode()[:6] + "s")
            self.streams.append(stream)
            self.state = self.state._replace(target=stream, hidden=False, skip=self.state.skip or self.state.deleted)
        elif starred and word not in _STARRED:
            self.state = self.state._replace(skip=True)
        elif not self.state.skip:
            self.show(word)

    def show(self, word: bytes) -> None:
        """Marks of cells, rows and paragraphs hold for hidden text too; else its words would run together."""
        target = self.state.target
        if word in (b"cell", b"nestcell"):
            target.end_cell()
        elif word in (b"row", b"nestrow"):
            target.end_row()
        elif word in (b"par", b"sect"):
            target.end_line(self.in_table)
        elif word == b"pard":
            self.in_table = False
        elif word == b"intbl":
            self.in_table = True
        elif self.state.is_silent:
            return
        elif word == b"chftn":
            is_note = target.kind == "notes"
            self.notes += not is_note
            target.line.append(f"[{self.notes}] " if is_note else f"[{self.notes}]")
        elif word in _SYMBOLS:
            target.line.append(_SYMBOLS[word])

    def symbol(self, symbol: bytes) -> None:
        self.flush()
        target = self.state.target
        if symbol == b"*":
            self.starred = True
        elif self.state.skip:
            return
        elif symbol in (b"\n", b"\r", b"\r\n"):
            target.end_line(self.in_table)
        elif not self.state.is_silent:
            target.line.append(_LITERALS.get(symbol, ""))

    def unicode(self, code: int) -> None:
        self.left_out = self.state.unicode_skip
        if self.state.is_silent:
            return
        self.flush()
        line = self.state.target.line
        high, self.high = self.high, 0
        if 0xD800 <= code < 0xDC00:
            self.high = code
        elif 0xDC00 <= code < 0xE000:
            if high:
                line.append(chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)))
        elif 0xF000 <= code <= 0xF0FF:
            # Symbol fonts: the byte they stand for.
            line.append(bytes([code - 0xF000]).decode("cp1252", "ignore"))
        else:
            line.append(chr(code))

    # Control words that change how what follows is read.

    def set_unicode_skip(self, value: int | None) -> None:
        self.state = self.state._replace(unicode_skip=max(1 if value is None else value, 0))

    def set_hidden(self, value: int | None) -> None:
        self.state = self.state._replace(hidden=value != 0)

    def set_deleted(self, value: int | None) -> None:
        self.state = self.state._replace(deleted=value != 0)

    def set_plain(self, value: int | None) -> None:
        self.state = self.state._replace(hidden=False, deleted=False, codec=self.default_codec)

    def open_alternatives(self, value: int | None) -> None:
        """\\upr holds a group for programs without Unicode and \\*\\ud with the same in Unicode."""
        self.state = self.state._replace(skip=True)

    def open_unicode_alternative(self, value: int | None) -> None:
        self.state = self.state._replace(skip=self.groups[-2].skip if len(self.groups) > 1 else False)

    def open_fonts(self, value: int | None) -> None:
        self.state = self.state._replace(skip=True)
        self.font_table = len(self.groups)

    def set_font(self, value: int | None) -> None:
        if self.font_table:
            self.font = value
        elif value is not None:
            self.state = self.state._replace(codec=self.fonts.get(value, self.default_codec))

    def set_font_charset(self, value: int | None) -> None:
        if self.font_table and self.font is not None and value is not None:
            self.fonts[self.font] = _CHARSETS.get(value, self.default_codec)

    def set_font_code_page(self, value: int | None) -> None:
        if self.font_table and self.font is not None and value is not None:
            self.fonts[self.font] = _codec(value, self.default_codec)

    def set_code_page(self, value: int | None) -> None:
        if value is not None:
            self.set_default_codec(_codec(value, "cp1252"))

    def set_default_codec(self, codec: str) -> None:
        self.default_codec = codec
        self.state = self.state._replace(codec=codec)


_CHANGES: dict[bytes, Callable[[_Reader, int | None], None]] = {
    b"ansicpg": _Reader.set_code_page,
    b"cpg": _Reader.set_font_code_page,
    b"deleted": _Reader.set_deleted,
    b"f": _Reader.set_font,
    b"fcharset": _Reader.set_font_charset,
    b"fonttbl": _Reader.open_fonts,
    b"mac": lambda reader, _: reader.set_default_codec("mac_roman"),
    b"mvf": _Reader.set_deleted,
    b"pc": lambda reader, _: reader.set_default_codec("cp437"),
    b"pca": lambda reader, _: reader.set_default_codec("cp850"),
    b"plain": _Reader.set_plain,
    b"uc": _Reader.set_unicode_skip,
    b"ud": _Reader.open_unicode_alternative,
    b"upr": _Reader.open_alternatives,
    b"v": _Reader.set_hidden,
}


def _codec(page: int, default: str) -> str:
    name = {65001: "utf-8", 10000: "mac_roman", 1361: "johab", 0: default, 1: default, 936: "gbk"}.get(
        page, f"cp{page}"
    )
    try:
        codecs.lookup(name)
    except LookupError:
        return default
    return name


def _without_repeats(streams: list[_Stream]) -> list[_Stream]:
    """A header that every section repeats is read once."""
    seen: set[str] = set()
    kept = []
    for stream in streams:
        text = repr(stream.lines)
        if text not in seen:
            seen.add(text)
            kept.append(stream)
    return kept
