"""What a count finds: numbers of characters and the places where something is missing, doubled or changed."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """One finding. `code` is stable, `message` shows the text, `where` names part and paragraph."""

    code: str
    message: str
    where: str = ""


class Characters(msgspec.Struct, frozen=True):
    """Non-space code points after NFC. source = placed + kept + reported + unaccounted."""

    source: int = 0
    """Shown by the source's own reader; excluded text is not part of it."""
    placed: int = 0
    """In the content of a body line."""
    kept: int = 0
    """In a region, in a field of an item, or in the attributes of the document."""
    reported: int = 0
    """Left out, and a warning says where."""
    excluded: int = 0
    """In the file and not shown, or left out because a parameter of the engine said so."""
    unaccounted: int = 0
    """Shown by the source and nowhere in the output. Must be 0."""
    duplicated: int = 0
    """More often in the output than in the source. Must be 0."""


class KindCount(msgspec.Struct, frozen=True):
    """Characters of one kind of content: text, cell, box, note, comment, header, formula, chart, toc, …"""

    source: int = 0
    placed: int = 0
    kept: int = 0


class AuditResult(msgspec.Struct, frozen=True):
    characters: Characters
    excluded: Mapping[str, int]
    """Characters per kind: deleted, moved_from, hidden, field_code, alternate_branch, …"""
    kinds: Mapping[str, KindCount]
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems and not self.characters.unaccounted and not self.characters.duplicated
