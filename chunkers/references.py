"""Which blocks are the list of references of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lrdoc.chunkers.document import BlockSpan

REFERENCE_HEADINGS: tuple[str, ...] = (
    "References",
    "Bibliography",
    "Works Cited",
    "Literature Cited",
    "Cited Literature",
    "Literaturverzeichnis",
    "Literatur",
    "Quellenverzeichnis",
    "Referenzen",
    "Références",
    "Bibliographie",
    "Referencias",
    "Bibliografía",
    "Referências",
    "Bibliografia",
    "Riferimenti bibliografici",
    "Список литературы",
    "参考文献",
    "參考文獻",
    "引用文献",
    "참고문헌",
)
"""Headings that begin a list of references when CHUNK_P_REFERENCES_HEADINGS does not say otherwise."""

# "8.", "8.1", "A.", "IV.", "(3)", "Appendix B:", "第五章", "五、" before the name itself.
_LABEL = re.compile(
    r"(?:(?:appendix|anhang|annexe?)\s+)?(?:\(?[0-9]{1,3}(?:\.[0-9]{1,3}){0,5}[.):]?|\(?[IVXLC]{1,6}[.):]|\(?[A-Z][.):])\s+"
    r"|第[0-9一二三四五六七八九十百]{1,5}[章节節部分编編]\s*|[一二三四五六七八九十]{1,3}[、.．]\s*|[0-9]{1,3}[、.．](?=[^\s0-9])",
    re.IGNORECASE,
)


def is_reference_heading(heading: str, names: Sequence[str]) -> bool:
    """Whether a heading, its number left out, begins with one of the names as a word of its own."""
    text = heading.strip()
    for candidate in (text, _LABEL.sub("", text, count=1)):
        folded = candidate.casefold()
        for name in names:
            key = name.strip().casefold()
            if not key or not folded.startswith(key):
                continue
            if not name.isascii() and not name[-1:].isalpha():
                return True
            following = folded[len(key) : len(key) + 1]
            # Scripts without spaces between words: the name may be a part of a longer one.
            if not following.isalnum() or ord(key[-1]) > 0x2E7F:
                return True
    return False


def find_references(blocks: Sequence[BlockSpan], names: Sequence[str], tail_n: int) -> list[int]:
    """Indexes of the blocks that hold references: those under such a heading and under its sub-headings.

    `tail_n`: only the last n blocks are looked at; 0: all.
    """
    found: list[int] = []
    under: int | None = None
    first = max(len(blocks) - tail_n, 0) if tail_n > 0 else 0
    for i in range(first, len(blocks)):
        block = blocks[i]
        level = max(block.level, 1)
        if is_reference_heading(block.heading, names):
            under = level
            found.append(i)
        elif under is not None and level > under and not block.is_title:
            found.append(i)
        else:
            under = None
    return found
