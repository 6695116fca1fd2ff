"""Captions: which paragraph belongs to which table, picture or equation.

A caption stays in the text; its words are also given to the item it belongs to. Word knows captions by style
("caption") and by the SEQ field that counts them; without either, a paragraph next to an item that begins like
"Table 3:" is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from lrdoc.document import Drawing, Equation, Mark, Table, plain_text
from lrdoc.parsers.docx.state import Line

Kind = Literal["table", "drawing", "equation", ""]

_WORDS: dict[Kind, str] = {
    "table": (
        "table|tab|tabelle|tableau|tabla|tabela|tabella|tabell|tabel|taulukko|таблица|табл|πίνακας|表格|表|표|bảng|جدول|"
        "טבלה"
    ),
    "drawing": (
        "figure|fig|abbildung|abb|bild|illustration|figura|figur|image|picture|photo|chart|diagram|graph|scheme|exhibit|"
        "afbeelding|kuva|рисунок|рис|εικόνα|图表|图片|图|圖|図|그림|hình|شكل|איור"
    ),
    "equation": "equation|eq|gleichung|équation|ecuación|формула|公式|式|수식",
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split("|")}
_START = re.compile(
    rf"\s*({'|'.join(sorted(_KINDS, key=len, reverse=True))})\.?[ \u00a0\u3000]*"
    r"[\dIVXivx]+(?:[.\-–—]\d+)*[a-z]?\s*(?:[.:：)—–-]|\s|$)",
    re.IGNORECASE,
)
_LONGEST = 600
"""A longer paragraph without style or field is no caption."""


@dataclass(frozen=True, slots=True)
class Caption:
    """A paragraph that looks like a caption."""

    text: str
    kind: Kind
    """What its words say it belongs to; "" when they do not."""
    is_certain: bool
    """It has the style or a SEQ field; otherwise only its first words speak for it."""


def caption_of(line: Line, parts: list[Any]) -> Caption | None:
    """The caption that a paragraph is, None when it is none."""
    if line.style.is_caption or line.is_seq:
        text = plain_text(parts)
        kind = _KINDS.get(line.is_seq.lower(), "") or _kind_of(text)
        return Caption(" ".join(text.split()), kind, True) if text.strip() else None
    first = parts[0]
    if type(first).__name__ != "Text" or len(first.text) > _LONGEST:
        return None
    match = _START.match(first.text)
    if match is None:
        return None
    text = plain_text(parts)
    if len(text) > _LONGEST:
        return None
    return Caption(" ".join(text.split()), _KINDS[match[1].lower()], False)


def _kind_of(text: str) -> Kind:
    match = _START.match(text)
    if match is not None:
        return _KINDS[match[1].lower()]
    return ""


def attach(lines: list[list[Any]], captions: list[tuple[int, Caption]]) -> None:
    """Give each caption to the item next to it. Tables look below first, everything else above."""
    taken: set[tuple[int, int]] = set()
    for at, caption in captions:
        order = (at + 1, at - 1) if caption.kind == "table" else (at - 1, at + 1)
        if caption.kind == "table" and not caption.is_certain:
            order = (at + 1, at - 1)
        found = _item_of(lines[at], caption, at, taken)
        for neighbour in order:
            if found is None and 0 <= neighbour < len(lines):
                found = _item_of(lines[neighbour], caption, neighbour, taken)
        if found is not None:
            line, index = found
            taken.add(found)
            lines[line] = list(lines[line])
            lines[line][index] = msgspec.structs.replace(lines[line][index], caption=caption.text)


def _item_of(line: list[Any], caption: Caption, at: int, taken: set[tuple[int, int]]) -> tuple[int, int] | None:
    for index, part in enumerate(line):
        if (
            isinstance(part, Table | Drawing | Equation)
            and not part.caption
            and (at, index) not in taken
            and _fits(part, caption)
        ):
            return at, index
    return None


def _fits(part: Any, caption: Caption) -> bool:
    if caption.kind == "table":
        # A picture of a table is captioned as a table.
        return isinstance(part, Table) or (caption.is_certain and isinstance(part, Drawing))
    if caption.kind == "drawing":
        # Figures are at times laid out in a table.
        return isinstance(part, Drawing) or (caption.is_certain and isinstance(part, Table))
    if caption.kind == "equation":
        return isinstance(part, Equation)
    return isinstance(part, Table | Drawing)


__all__ = ["Caption", "Mark", "attach", "caption_of"]
