"""Captions: which paragraph belongs to which table, picture or equation.

A caption stays in the text; its words are also given to the item it belongs to. Word knows captions by style
("caption") and by the SEQ field that counts them; without either, a paragraph next to an item that begins like
"Table 3:" is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from lrdoc.document import Anchor, Drawing, Equation, NoteRef, Table, Text, plain_text
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
    rf"\s*({'|'.join(sorted(_KINDS, key=len, reverse=True))})\.?[ \u00a0\u3000]*(?:№|no\.|nr\.|n[°º])?[ \u00a0]*"
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


def certain_caption(line: Line, parts: list[Any]) -> Caption | None:
    """The caption that a paragraph with a caption style or a SEQ field is."""
    text = plain_text(parts)
    if not text.strip():
        return None
    return Caption(" ".join(text.split()), _KINDS.get(line.is_seq.lower(), "") or _kind_of(text), True)


def likely_caption(parts: list[Any]) -> Caption | None:
    """The caption that a line is by its first words alone."""
    first = next((part for part in parts if type(part) is not Anchor), None)
    if type(first) is not Text or _START.match(first.text) is None:
        return None
    text = plain_text(parts)
    return Caption(" ".join(text.split()), _kind_of(text), False) if len(text) <= _LONGEST else None


def _kind_of(text: str) -> Kind:
    match = _START.match(text)
    if match is not None:
        return _KINDS[match[1].lower()]
    return ""


def attach(
    lines: list[list[Any]],
    certain: dict[int, Caption],
    items: list[int],
    later: dict[int, int],
    note_texts: Callable[[list[str]], tuple[str, ...]],
) -> None:
    """Give each caption to the item next to it. Tables look below first, everything else above.

    `certain`: captions by style or field, by line; `items`: lines that hold items; `later`: lines that belong to a
    paragraph above, such as the data of a chart, and the line of that paragraph; `note_texts`: gives the notes that a
    caption calls, which belong to the item as well.
    """
    captions = dict(certain)
    for at in items:
        for neighbour in (at - 1, at + 1):
            if 0 <= neighbour < len(lines) and neighbour not in captions:
                likely = likely_caption(lines[neighbour])
                if likely is not None:
                    captions[neighbour] = likely
    taken: set[tuple[int, int]] = set()
    for at, caption in sorted(captions.items()):
        found = _item_of(lines[at], caption, at, taken)
        above = later.get(at - 1, at - 1)
        for neighbour in (at + 1, at - 1) if caption.kind == "table" else (above, at - 1, at + 1):
            if found is None and 0 <= neighbour < len(lines):
                found = _item_of(lines[neighbour], caption, neighbour, taken)
        if found is not None:
            line, index = found
            taken.add(found)
            lines[line] = list(lines[line])
            item = lines[line][index]
            notes = note_texts([part.mark for part in lines[at] if type(part) is NoteRef])
            footnotes = (*item.footnotes, *(text for text in notes if text not in item.footnotes))
            lines[line][index] = msgspec.structs.replace(item, caption=caption.text, footnotes=footnotes)


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
