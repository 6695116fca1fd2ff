"""Files that are text already: they stay as they are, in Unicode and with "\\n" line ends."""

from __future__ import annotations

import re

from lrdoc.document import Source
from lrdoc.errors import EmptyDocumentError, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.output import TextOut, clean_pieces
from lrdoc.text.encodings import Decoded, decode

_BINARY_SIGNATURES = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a zip archive or an Office file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old binary Office file"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
)
_LINES_PER_STRETCH = 64
"""Lines that share one entry of the source map: enough to find a place, few enough to stay small."""
_XML_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)", re.DOTALL)


def read_text(source: SourceFile, out: TextOut, declared: str | None = None) -> str:
    """Text of the file in Unicode; a guessed encoding becomes a warning, binary data an error."""
    data = source.path.read_bytes()
    for signature, what in _BINARY_SIGNATURES:
        if data.startswith(signature):
            raise SourceError(
                f"{source.name} is not text: it begins like {what}", hint="Give the file its true suffix."
            )
    decoded: Decoded = decode(data, declared)
    if decoded.guessed:
        why = (
            f"The file is not in the encoding that it declares ({declared})"
            if declared
            else "The encoding is not declared"
        )
        out.warn(
            "encoding_guessed",
            f"{why}; read as {decoded.encoding}. Save the file as UTF-8 if characters look wrong.",
        )
    text = decoded.text
    if text.count("\0") or _looks_binary(text, decoded.guessed):
        raise SourceError(
            f"{source.name} is not text: it holds control characters or bytes of no encoding",
            hint="Give the file its true suffix, or convert it to UTF-8 text.",
        )
    text = without_damage(decoded, out)
    if not any(piece.strip() for piece in clean_pieces(text, out.context)):
        raise EmptyDocumentError(f"{source.name} holds only blanks", hint="There is nothing to index in it.")
    return text


def without_damage(decoded: Decoded, out: TextOut, part: str = "") -> str:
    """The text without the marks that stand for bytes of no character; a warning says how many there were."""
    damaged = decoded.text.count("\ufffd") if decoded.guessed else 0
    if not damaged:
        return decoded.text
    out.warn(
        "encoding_damaged",
        f"{damaged} places hold bytes that are no character of {decoded.encoding}; they were left out.",
        Source(part) if part else None,
    )
    return decoded.text.replace("\ufffd", "")


def _looks_binary(text: str, is_guess: bool) -> bool:
    sample = text[:65536]
    control = sum(1 for ch in sample if ch < " " and ch not in "\t\n\r\f\v\x1b")
    control += sample.count("\ufffd") if is_guess else 0
    return control * 50 > max(len(sample), 1)


def xml_declared_encoding(head: bytes) -> str | None:
    """Encoding named by an XML declaration in an ASCII-compatible encoding."""
    found = _XML_DECLARATION.match(head.removeprefix(b"\xef\xbb\xbf"))
    return found.group(1).decode("ascii") if found else None


def read_plain(source: SourceFile, out: TextOut) -> str:
    """The text as it is."""
    lines = "".join(clean_pieces(read_text(source, out), out.context)).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    for start in range(0, len(lines), _LINES_PER_STRETCH):
        stretch = lines[start : start + _LINES_PER_STRETCH]
        out.context.check()
        end = start + len(stretch)
        text = "\n".join(stretch) + ("\n" if end < len(lines) else "")
        out.verbatim(text, Source(lines=(start + 1, end + 1)))
    return ""
