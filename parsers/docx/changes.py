"""Tracked changes (ISO 29500-1, 17.13.5): who changed what, and which paragraph marks, rows and cells are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from lrdoc.document import Drawing, Equation, Mark, Table, Text
from lrdoc.parsers.docx.names import W
from lrdoc.parsers.docx.state import Change, Options

_AUTHOR, _DATE = W + "author", W + "date"


WRAPPERS: Mapping[str, Change] = {
    W + "ins": "ins",
    W + "moveTo": "ins",
    W + "del": "del",
    W + "moveFrom": "del",
}
"""Elements around what was inserted or deleted."""


def change_mark(element: Any, kind: Change) -> Mark:
    """The mark of an insertion or deletion with its author and date."""
    return Mark(kind, "", element.get(_AUTHOR) or "", element.get(_DATE) or "")


_INSERTED = frozenset(W + name for name in ("ins", "moveTo", "cellIns"))
_DELETED = frozenset(W + name for name in ("del", "moveFrom", "cellDel"))


def whole_changes(properties: Any | None) -> tuple[Mark, ...]:
    """Marks of the insertion and the deletion that properties of a paragraph mark, row or cell tell of."""
    if properties is None:
        return ()
    return tuple(
        change_mark(child, "ins" if child.tag in _INSERTED else "del")
        for child in properties
        if child.tag in _INSERTED or child.tag in _DELETED
    )


def with_changes(part: Any, changes: Iterable[Mark]) -> Any:
    """A part that was inserted or deleted, where both states are shown. Items have no marks; their extras tell it."""
    if isinstance(part, Table | Drawing | Equation):
        facts = [{"kind": mark.kind, "author": mark.author, "date": mark.date} for mark in changes]
        told = [{key: value for key, value in fact.items() if value} for fact in facts]
        return msgspec.structs.replace(part, extras={**part.extras, "changes": told})
    if type(part) is Text and part.source is not None:
        return Text(part.text, part.source, (*part.marks, *(mark for mark in changes if mark not in part.marks)))
    return part


def is_gone(properties: Any, options: Options) -> bool:
    """Whether the paragraph mark, row or cell with these properties is deleted (changes rejected: inserted)."""
    if options.changes == "annotate":
        return False
    gone = _DELETED if options.changes == "accept" else _INSERTED
    return any(child.tag in gone for child in properties)
