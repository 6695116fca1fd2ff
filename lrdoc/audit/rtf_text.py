"""Visible text of RTF that lies inside a Word file."""

from __future__ import annotations

import codecs
import re

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,9})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}\r\n]+)|[\r\n]+", re.DOTALL
)
_SILENT = frozenset(
    b"fonttbl colortbl stylesheet info pict object fldinst listtable listoverridetable revtbl rsidtbl generator "
    b"themedata colorschememapping latentstyles datastore xmlnstbl mmathPr bkmkstart bkmkend template shprslt "
    b"pntxta pntxtb upr".split()
)
_UNSEEN = frozenset((b"v", b"deleted", b"mvf"))
"""Properties of characters that no reader sees; `plain` and a parameter of 0 end them."""
_LATER = frozenset(b"footnote header headerl headerr headerf footer footerl footerr footerf annotation".split())
_SIGNS = {
    b"emdash": "—", b"endash": "–", b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“",
    b"rdblquote": "”",
}  # fmt: skip
_BREAKS = frozenset(b"par line sect page tab cell row nestcell nestrow column emspace enspace qmspace".split())


def rtf_text(data: bytes) -> str:
    """The text in its order; notes and margins behind the rest."""
    body: list[str] = []
    later: list[str] = []
    codec = "cp1252"
    target, silent, skip, width = body, False, 0, 1
    unseen: frozenset[bytes] = frozenset()
    stack: list[tuple[list[str], bool, int, frozenset[bytes]]] = []
    starred = False
    pending = bytearray()
    for match in _TOKEN.finditer(data):
        word, number, byte, symbol, brace, plain = match.groups()
        if pending and byte is None and match.lastindex is not None:
            target.append(pending.decode(codec, "replace"))
            pending.clear()
        if brace == b"{":
            stack.append((target, silent, width, unseen))
        elif brace == b"}":
            if stack:
                target, silent, width, unseen = stack.pop()
        elif word is not None:
            value = int(number) if number is not None else None
            if word == b"ud" and len(stack) > 1:
                silent = stack[-2][1]  # stands for the other group of its \\upr
            elif word in _SILENT or starred:
                silent = True
            elif word in _UNSEEN:
                unseen = unseen | {word} if value != 0 else unseen - {word}
            elif word == b"plain":
                unseen = frozenset()
            elif word in _LATER:
                target = later
            elif word == b"ansicpg" and value is not None:
                codec = _known(f"cp{value}", codec)
            elif word == b"uc" and value is not None:
                width = max(0, value)
            elif silent or unseen:
                pass
            elif word == b"u" and value is not None:
                target.append(chr(value % 65_536))
                skip = width
            else:
                target.append(_SIGNS.get(word, " " if word in _BREAKS else ""))
        elif symbol is not None and symbol != b"*":
            if not (silent or unseen):
                target.append({b"~": "\u00a0", b"_": "‑", b"-": "\u00ad"}.get(symbol, _literal(symbol)))
        elif byte is not None or plain is not None:
            piece = bytes([int(byte, 16)]) if byte is not None else plain
            piece, skip = piece[skip:], max(0, skip - len(piece))
            if silent or unseen:
                pass
            elif byte is not None:
                # A character may take several bytes.
                pending += piece
            else:
                target.append(piece.decode(codec, "replace"))
        starred = symbol == b"*"
    joined = "".join(body) + " " + "".join(later)
    return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _literal(symbol: bytes) -> str:
    return symbol.decode("ascii") if symbol in b"\\{}" else " "


def _known(name: str, default: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return default
