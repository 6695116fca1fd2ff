"""Rich Text Format: the text it shows, tables and notes included.

The control words are those of the Rich Text Format Specification 1.9.1. A group whose first control word names a
destination without visible text (fonts, styles, pictures, fields' instructions …) is skipped.
"""

from __future__ import annotations

import codecs
import re

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
    b"bkmkend template docvar userprops pgptbl wgrffmtfilter mailmerge nonshppict shppict sp ftnsep ftnsepc ftncn "
    b"aftnsep aftnsepc aftncn private atrfstart atrfend atnid atnref atndate atntime atnicn atnparent xe tc rxe bxe "
    b"keycode background factoidname passwordhash fontemb falt panose".split()
)
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


class _State:
    """Properties that a group inherits and gives back at its end."""

    __slots__ = ("codec", "hidden", "skip", "target", "unicode_skip")

    def __init__(self, codec: str, unicode_skip: int, skip: bool, hidden: bool, target: _Stream) -> None:
        self.codec = codec
        self.unicode_skip = unicode_skip
        self.skip = skip
        self.hidden = hidden
        self.target = target

    def copy(self) -> _State:
        return _State(self.codec, self.unicode_skip, self.skip, self.hidden, self.target)


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
        self.default_codec = "cp1252"
        self.pending = bytearray()
        self.high = 0
        self.in_table = False
        self.notes = 0
        """Automatic note marks so far."""

    def read(self, data: bytes) -> list[_Stream]:
        """Streams in the order in which they are to be read: body, notes, margins."""
        body = _Stream("")
        streams = [body]
        state = _State(self.default_codec, 1, False, False, body)
        stack: list[_State] = []
        limit = self.out.settings.max_nesting
        skip_chars = 0
        font: int | None = None  # the font whose \fcharset is being read
        in_fonts = 0
        starred = False
        position, end = 0, len(data)
        while position < end:
            self.out.context.check()
            match = _TOKEN.match(data, position)
            if match is None:
                position += 1
                continue
            position = match.end()
            binary, word, number, byte, symbol, brace, plain = match.groups()
            if plain is not None or byte is not None:
                piece: bytes = plain if plain is not None else bytes([int(byte, 16)])
                if skip_chars:
                    taken = min(skip_chars, len(piece))
                    skip_chars -= taken
                    piece = piece[taken:]
                if piece and not state.skip and not state.hidden:
                    self.pending += piece
                starred = False
                continue
            if word is None or word not in (b"u", b"uc"):
                self.flush(state)
            if binary is not None:
                position += int(binary)
                continue
            if brace == b"{":
                skip_chars = 0
                stack.append(state)
                if 0 < limit < len(stack):
                    raise LimitExceeded(
                        f"Groups are nested more than {limit} deep",
                        limit="LEGACY_MAX_NESTING",
                        hint="Raise LEGACY_MAX_NESTING if the file is meant to be that deep.",
                    )
                state = state.copy()
                starred = False
                continue
            if brace == b"}":
                skip_chars = 0
                if not stack:
                    self.problems.append("There is a closing brace too many; the rest was read all the same.")
                    continue
                if len(stack) == in_fonts:
                    in_fonts = 0
                state = stack.pop()
                if not stack and data[position:].strip(b"\0 \r\n\t"):
                    break
                continue
            if symbol is not None:
                if symbol == b"*":
                    starred = True
                elif not state.skip and not state.hidden:
                    self.symbol(symbol, state)
                continue
            if word is None:
                continue
            value = int(number) if number is not None else None
            if word == b"u" and value is not None:
                if not state.skip and not state.hidden:
                    self.unicode(value & 0xFFFF, state)
                skip_chars = state.unicode_skip
                continue
            self.high = 0
            if word == b"uc":
                state.unicode_skip = max(value if value is not None else 1, 0)
            elif word == b"fonttbl":
                state.skip = True
                in_fonts = len(stack)
            elif word == b"f" and value is not None:
                if in_fonts:
                    font = value
                else:
                    state.codec = self.fonts.get(value, self.default_codec)
            elif word == b"fcharset" and in_fonts and font is not None and value is not None:
                self.fonts[font] = _CHARSETS.get(value, self.default_codec)
            elif word == b"cpg" and in_fonts and font is not None and value is not None:
                self.fonts[font] = _codec(value, self.default_codec)
            elif word == b"ansicpg" and value is not None:
                self.default_codec = state.codec = _codec(value, "cp1252")
            elif word in (b"mac", b"pc", b"pca"):
                self.default_codec = state.codec = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}[word]
            elif word in _SKIPPED:
                state.skip = True
            elif word in _NOTES or word in _MARGINS:
                stream = _Stream("notes" if word in _NOTES else word.decode()[:6] + "s")
                streams.append(stream)
                state.target = stream
                state.hidden = False
            elif starred and word not in (
                b"shpinst",
                b"shptxt",
                b"listtext",
                b"pntext",
                b"pnseclvl",
                b"fldrslt",
                b"result",
            ):
                state.skip = True
            elif not state.skip:
                self.word(word, value, state)
            starred = False
        self.flush(state)
        if len(stack) > 0:
            self.problems.append("The file ends in the middle of a group; it may be cut off.")
        for stream in streams:
            stream.close()
        margins = [s for s in streams[1:] if s.kind != "notes"]
        return [body, *(s for s in streams[1:] if s.kind == "notes"), *_without_repeats(margins)]

    def word(self, word: bytes, value: int | None, state: _State) -> None:
        target = state.target
        if word == b"v":
            state.hidden = value != 0
        elif state.hidden and word not in (b"plain", b"pard"):
            return
        elif word == b"plain":
            state.hidden = False
            state.codec = self.default_codec
        elif word == b"pard":
            self.in_table = False
        elif word == b"intbl":
            self.in_table = True
        elif word in (b"cell", b"nestcell"):
            target.end_cell()
        elif word in (b"row", b"nestrow"):
            target.end_row()
        elif word == b"par" or word == b"sect":
            target.end_line(self.in_table)
        elif word == b"chftn":
            is_note = target.kind == "notes"
            self.notes += not is_note
            target.line.append(f"[{self.notes}] " if is_note else f"[{self.notes}]")
        elif word in _SYMBOLS:
            target.line.append(_SYMBOLS[word])

    def symbol(self, symbol: bytes, state: _State) -> None:
        line = state.target.line
        if symbol == b"~":
            line.append("\u00a0")
        elif symbol == b"_":
            line.append("\u2011")
        elif symbol in (b"\\", b"{", b"}"):
            line.append(symbol.decode())
        elif symbol in (b"\n", b"\r", b"\r\n"):
            state.target.end_line(self.in_table)
        elif symbol == b"\t":
            line.append("\t")

    def unicode(self, code: int, state: _State) -> None:
        self.flush(state)
        if 0xD800 <= code < 0xDC00:
            self.high = code
            return
        if 0xDC00 <= code < 0xE000:
            if self.high:
                code = 0x10000 + ((self.high - 0xD800) << 10) + (code - 0xDC00)
            else:
                return
        self.high = 0
        if 0xF000 <= code <= 0xF0FF:
            code -= 0xF000  # symbol fonts: the byte they stand for
            state.target.line.append(bytes([code]).decode("cp1252", "ignore"))
            return
        state.target.line.append(chr(code))

    def flush(self, state: _State) -> None:
        if self.pending:
            codec = "cp1252" if state.codec == "symbol" else state.codec
            state.target.line.append(bytes(self.pending).decode(codec, "ignore"))
            self.pending.clear()


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
