"""Text of formula runs to LaTeX: letters with their fonts, signs, spaces, words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from lrdoc.parsers.docx.math_tables import ACCENTS, NESTED_ACCENTS, SIGNS, SPACES, STACKED_ACCENTS
from lrdoc.text.latex_symbols import COMMANDS, FONTS, FUNCTIONS

_SCRIPTS = {
    "double-struck": "\\mathbb",
    "script": "\\mathcal",
    "fraktur": "\\mathfrak",
    "sans-serif": "\\mathsf",
    "monospace": "\\mathtt",
}
_LETTER_NAME = re.compile(
    r"(?:MATHEMATICAL )?(BOLD ITALIC|BOLD SCRIPT|BOLD FRAKTUR|BOLD|ITALIC|SCRIPT|FRAKTUR|BLACK-LETTER|DOUBLE-STRUCK|"
    r"SANS-SERIF BOLD ITALIC|SANS-SERIF BOLD|SANS-SERIF ITALIC|SANS-SERIF|MONOSPACE) "
)
_SPACE = re.compile(r"\s+")
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")
_TAKES_SCRIPT = re.compile(r"(?:[^\W_]|[)\]|]|\\(?:math[a-z]+|text)\{[^{}]*\})$")
# Between a word and one of these LaTeX sets its own space.
_NO_SPACE_BESIDE = frozenset("=+-−–*/<>≤≥≠≈≡∼≅≪≫×·⋅÷±∓→←↔⇒⇐⇔↦∈∉⊂⊆⊃⊇∪∩∧∨|∣:∶")
_STROKES = "\u0338\u20d2"
"""Marks that negate the sign before them."""
_PRIMES = frozenset("'′″‴⁗’")
# Blocks whose letters KaTeX takes inside \text.
_TEXT_RANGES = (
    (0x21, 0x21), (0x27, 0x5B), (0x5D, 0x5D), (0x60, 0x7A), (0x7C, 0x7C), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x24F),
    (0x400, 0x4FF), (0x530, 0x58F), (0x900, 0x10FF), (0x1E02, 0x1EF9), (0x2013, 0x2014), (0x2018, 0x2019),
    (0x201C, 0x201D), (0x3000, 0x30FF), (0x4E00, 0x9FAF), (0xAC00, 0xD7AF), (0xFF00, 0xFF60),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """Font of a run: m:sty, m:scr and m:nor."""

    sty: str = "i"
    """p plain, b bold, i italic, bi bold italic."""
    scr: str = "roman"
    is_text: bool = False
    """m:nor: ordinary text inside the formula."""


PLAIN = Style()
UPRIGHT = Style(sty="p")
TEXT = Style(is_text=True)


def join(pieces: Iterable[str]) -> str:
    """Put pieces of LaTeX side by side so that none changes the meaning of its neighbour."""
    out: list[str] = []
    last = ""
    for piece in pieces:
        if not piece:
            continue
        first = piece[0]
        if first == "\\":
            pass
        elif (first.isascii() and first.isalpha()) or first == "@":
            if _ENDS_IN_COMMAND.search(last):
                out.append(" ")
        elif first in "'^_" and not _TAKES_SCRIPT.search(last):
            # Nothing to hang the mark on, or something that already has one.
            out.append("{}")
        out.append(piece)
        last = piece[-40:]
    return "".join(out)


@lru_cache(maxsize=1024)
def text_to_pieces(text: str, style: Style) -> tuple[str, ...]:
    """Pieces of LaTeX, ready for `join`, for the characters of a run."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return tuple(_as_text(text) if style.is_text else _as_math(text, style))


def function_name(text: str) -> str:
    """LaTeX for the name of a function: "\\sin", "\\operatorname{sinc}"; "" when the text is no name."""
    name = text.strip()
    if name in FUNCTIONS:
        return f"\\{name}"
    return f"\\operatorname{{{name}}}" if len(name) > 1 and name.isascii() and name.isalpha() else ""


# Ordinary text ------------------------------------------------------------------------------------------------------


def _as_text(text: str) -> Iterator[str]:
    """`\\text{…}` for what may stand in it, commands between for what may not."""
    pending: list[str] = []
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        stop = _end_of_marks(text, at + 1)
        if stop == at + 1 and (char.isspace() or _is_text_char(char)):
            pending.append(" " if char.isspace() else char)
        else:
            if pending:
                yield _text_group("".join(pending))
                pending = []
            if stop > at + 1 or _is_mark(char):
                yield _marked(text[at:stop], UPRIGHT)
            elif (sign := _sign(char)) is not None:
                yield sign
            elif (script := _script_digit(char)) is not None:
                yield f"{script[0]}{{{script[1]}}}"
            elif (taken_apart := _taken_apart(char)) is not None:
                yield _marked(taken_apart, UPRIGHT)
            elif (spelled := _spelled_out(char)) is not None:
                yield from _as_text(spelled)
            else:
                yield f"\\text{{{char}}}"
        at = stop
    if pending:
        yield _text_group("".join(pending))


def _text_group(text: str) -> str:
    return f"\\text{{{_SPACE.sub(' ', text)}}}" if text.strip() else "\\ "


@lru_cache(maxsize=4096)
def _is_text_char(char: str) -> bool:
    code = ord(char)
    return any(first <= code <= last for first, last in _TEXT_RANGES)


# Formula text -------------------------------------------------------------------------------------------------------


def _as_math(text: str, style: Style) -> Iterator[str]:
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        stop = at + 1
        if char.isspace():
            while stop < end and text[stop].isspace():
                stop += 1
            yield _spaces(text, at, stop)
        elif _is_mark(char) or (stop < end and _is_mark(text[stop])):
            stop = _end_of_marks(text, stop)
            yield _marked(text[at:stop], style)
        elif char.isascii() and char.isalnum():
            while stop < end and text[stop].isascii() and text[stop].isalnum():
                stop += 1
            if stop - at > 1 and stop < end and _is_mark(text[stop]):
                stop -= 1
            yield _word(text[at:stop], style)
        elif (script := _script_digit(char)) is not None:
            mark, digits = script[0], [script[1]]
            while stop < end and (more := _script_digit(text[stop])) is not None and more[0] == mark:
                digits.append(more[1])
                stop += 1
            first_script = f"{mark}{{{''.join(digits)}}}"
            digits = []
            while stop < end and (more := _script_digit(text[stop])) is not None and more[0] != mark:
                digits.append(more[1])
                stop += 1
            yield first_script + (f"{'_' if mark == '^' else '^'}{{{''.join(digits)}}}" if digits else "")
        elif (letter := _font_letter(char)) is not None:
            font, letters = letter[0], [letter[1]]
            while stop < end and (more_letter := _font_letter(text[stop])) is not None and more_letter[0] == font:
                letters.append(more_letter[1])
                stop += 1
            yield _in_font(font, join(letters))
        elif char in _PRIMES:
            while stop < end and text[stop] in _PRIMES:
                stop += 1
            yield "".join(SIGNS[prime] for prime in text[at:stop])
        elif (sign := _sign(char)) is not None:
            yield _in_bold(sign, char, style)
        elif (taken_apart := _taken_apart(char)) is not None:
            yield _marked(taken_apart, style)
        elif (spelled := _spelled_out(char)) is not None:
            yield from _as_math(spelled, UPRIGHT)
        else:
            while stop < end and _is_word_char(text[stop]) and not (stop + 1 < end and _is_mark(text[stop + 1])):
                stop += 1
            yield f"\\text{{{text[at:stop]}}}"
        at = stop


def _spaces(text: str, at: int, stop: int) -> str:
    wide = "".join(SPACES.get(char, "") for char in text[at:stop])
    if wide:
        return wide
    if (at > 0 and text[at - 1] in _NO_SPACE_BESIDE) or (stop < len(text) and text[stop] in _NO_SPACE_BESIDE):
        return ""
    return "\\ "


def _word(text: str, style: Style) -> str:
    """Letters and digits of ASCII."""
    if style.scr in _SCRIPTS:
        font = _SCRIPTS[style.scr]
        return _in_font(f"\\boldsymbol{font}" if style.sty in ("b", "bi") else font, text)
    if style.sty == "b":
        return f"\\mathbf{{{text}}}"
    if style.sty == "bi":
        return f"\\boldsymbol{{{text}}}"
    if style.sty == "p" and not text.isdigit():
        return f"\\{text}" if text in FUNCTIONS else f"\\mathrm{{{text}}}"
    return text


def _in_font(font: str, latex: str) -> str:
    for command in reversed(font.split("\\")[1:]):
        latex = f"\\{command}{{{latex}}}"
    return latex


def _in_bold(sign: str, char: str, style: Style) -> str:
    return f"\\boldsymbol{{{sign}}}" if style.sty in ("b", "bi") and char.isalpha() and sign else sign


def _is_mark(char: str) -> bool:
    """A mark that combines with the sign before it. TeX knows these as accents only."""
    return "\u0300" <= char <= "\u036f" or "\u20d0" <= char <= "\u20ff"


def _end_of_marks(text: str, at: int) -> int:
    while at < len(text) and _is_mark(text[at]):
        at += 1
    return at


def _marked(text: str, style: Style) -> str:
    """A sign with the marks that follow it. A mark without a command goes: it is neither letter nor digit."""
    base = "" if _is_mark(text[0]) else text[0]
    latex = join(_as_math(base, style)) if base and not base.isspace() else ""
    for mark in text[len(base) :]:
        if mark in ACCENTS:
            latex = f"{ACCENTS[mark][0]}{{{latex}}}"
        elif mark in NESTED_ACCENTS:
            latex = f"{NESTED_ACCENTS[mark]}{{{NESTED_ACCENTS[mark]}{{{latex}}}}}"
        elif mark in STACKED_ACCENTS:
            command, sign = STACKED_ACCENTS[mark]
            latex = f"{command}{{{sign}}}{{{latex}}}"
        elif mark in _STROKES and latex:
            latex = f"\\not{{{latex}}}"
    return latex


def _is_word_char(char: str) -> bool:
    """Whether the character can go on a word in `\\text`."""
    return not char.isascii() and _is_text_char(char) and _sign(char) is None and _script_digit(char) is None


@lru_cache(maxsize=4096)
def _sign(char: str) -> str | None:
    """LaTeX for one sign; None when only `\\text` can hold it."""
    sign = SIGNS.get(char)
    if sign is None:
        sign = COMMANDS.get(char)
    if sign is None and char.isascii():
        sign = char
    return sign


@lru_cache(maxsize=4096)
def _font_letter(char: str) -> tuple[str, str] | None:
    """(font commands, LaTeX of the plain letter) of a mathematical letter such as U+1D400; None for others."""
    code = ord(char)
    if not (0x1D400 <= code <= 0x1D7FF or 0x2102 <= code <= 0x2149) or char in COMMANDS:
        return None
    match = _LETTER_NAME.match(unicodedata.name(char, ""))
    plain = unicodedata.normalize("NFKC", char)
    if match is None or len(plain) != 1 or plain == char:
        return None
    font = FONTS[match[1]]
    sign = _sign(plain)
    if sign is None:
        return None
    # The fonts have no Greek; bold Greek needs \boldsymbol.
    if not plain.isascii() and font:
        font = "\\boldsymbol" if "BOLD" in match[1] else ""
    return font, sign


@lru_cache(maxsize=4096)
def _taken_apart(char: str) -> str | None:
    """The sign and its marks of a character such as "≢" or "ώ", where `\\text` cannot hold it; None for others."""
    plain = unicodedata.normalize("NFD", char)
    has_commands = all(
        mark in ACCENTS or mark in NESTED_ACCENTS or mark in STACKED_ACCENTS or mark in _STROKES for mark in plain[1:]
    )
    return plain if len(plain) > 1 and has_commands and not _is_text_char(char) and _sign(plain[0]) else None


@lru_cache(maxsize=4096)
def _spelled_out(char: str) -> str | None:
    """The characters that a compatibility character stands for ("℃" is "°C"); None for others."""
    decomposition = unicodedata.decomposition(char)
    if not decomposition.startswith(
        ("<compat>", "<square>", "<fraction>", "<wide>", "<narrow>", "<noBreak>", "<font>")
    ):
        return None
    plain = unicodedata.normalize("NFKC", char)
    return plain if plain != char and not any(unicodedata.combining(part) for part in plain) else None


_SCRIPT_SIGNS = {"⁺": "+", "⁻": "-", "⁼": "=", "⁽": "(", "⁾": ")", "₊": "+", "₋": "-", "₌": "=", "₍": "(", "₎": ")"}


@lru_cache(maxsize=4096)
def _script_digit(char: str) -> tuple[str, str] | None:
    """("^" or "_", sign) of a superscript or subscript character; None for others."""
    decomposition = unicodedata.decomposition(char)
    if not decomposition.startswith(("<super>", "<sub>")):
        return None
    plain = unicodedata.normalize("NFKC", char)
    if len(plain) != 1 or not ((plain.isascii() and plain.isalnum()) or char in _SCRIPT_SIGNS):
        return None
    return ("^" if decomposition.startswith("<super>") else "_"), _SCRIPT_SIGNS.get(char, plain)
