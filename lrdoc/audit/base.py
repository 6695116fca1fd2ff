"""What a reader of a source format gives to the comparison: the text that the format's own program would show.

A reader shares nothing with the engines. It walks the file by itself and yields stretches: all visible text of one
place, in order. How a place of the output (a `provenance` entry) names a stretch is the reader's business as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from lrdoc.audit.written import Written

FORMULA = "\x00"
"""Stands for one formula inside the text of a stretch."""
ANY = "\x01"
"""Stands for one character whose written form is not known: symbol fonts, check boxes."""


def squeeze(text: str) -> str:
    """NFC without spaces: what is counted and compared."""
    text = "".join(text.split())
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


Compare = Literal["sequence", "bag"]


@dataclass(slots=True)
class Stretch:
    """Visible text of one place."""

    part: str
    path: str
    kind: str
    """text, cell, box, note, comment, header, footer, chart, diagram, chunk …"""
    text: str = ""
    """With spaces as they are; FORMULA for each formula, ANY for a character that cannot be predicted."""
    formulas: tuple[tuple[str, ...], ...] = ()
    """Per formula the texts of its runs."""
    container: int = 0
    """Stretches of the same container must come out in their order."""
    outer: int = 0
    """The same for what stands in the containers of one container, cells of a table; 0: no matter where."""
    numbered: bool = False
    """A label made by us may stand before the text."""
    toc: bool = False
    """Part of a table of contents."""
    repeatable: bool = False
    """More than one copy is right (categories that several series of a chart share)."""
    compare: Compare = "sequence"
    """bag: only the strings of the part count, not their places."""
    optional: bool = False
    """Not shown by the program, but no mistake when kept; missing it counts as excluded under `kind`."""


@dataclass(slots=True)
class Picture:
    """Bytes that the program shows as a picture or offers as an embedded file."""

    part: str
    path: str
    name: str
    """Member of the package, for messages."""
    sha256: str
    required: bool = True
    """False: the asset may be there, nothing is said when it is not."""
    kind: str = ""
    """Kind of the part that shows it, as in Stretch."""


@dataclass(slots=True)
class SourceText:
    """All that a reader found."""

    stretches: list[Stretch] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    excluded: dict[str, int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    """Other words of the source that a caption or another field may hold: alternative texts, titles."""
    holds: Callable[[str], bool] = lambda digest: True
    """Whether the package has a member with this sha256, so that an asset may come from it."""

    label: re.Pattern[str] | None = None
    """How a label made by us looks; None: any short text before a numbered stretch."""

    def has_text(self) -> bool:
        """Whether the format's own program shows anything."""
        return any(stretch.text.strip() or stretch.formulas for stretch in self.stretches)

    def exclude(self, kind: str, text: str) -> None:
        count = len("".join(text.split()))
        if count:
            self.excluded[kind] = self.excluded.get(kind, 0) + count


Place = tuple[str, str]
"""Part and path."""


def place_by_path(entry: Mapping[str, Any]) -> Place:
    """The place of a provenance entry of formats that are addressed by part and path."""
    return str(entry.get("part", "")), str(entry.get("path", ""))


@dataclass(frozen=True, slots=True)
class SourceReader:
    """One format: how to read it, and how the output names its places."""

    read: Callable[[Path, Mapping[str, Any]], SourceText]
    """Given the file and the engine's parameters as the meta line records them."""
    place: Callable[[Mapping[str, Any]], Place] = place_by_path
    align: Callable[[SourceText, Written], None] | None = None
    """Brings the places of both sides together, where an engine may choose them coarser or finer."""
