"""Tracked changes (ISO 29500-1, 17.13.5): who changed what, and which rows and cells are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lrdoc.document import Mark
from lrdoc.parsers.docx.names import W
from lrdoc.parsers.docx.state import Options

_AUTHOR, _DATE = W + "author", W + "date"


WRAPPERS: Mapping[str, Literal["ins", "del"]] = {
    W + "ins": "ins",
    W + "moveTo": "ins",
    W + "del": "del",
    W + "moveFrom": "del",
}
"""Elements around what was inserted or deleted."""


def change_mark(element: Any, kind: Literal["ins", "del"]) -> Mark:
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


def is_row_gone(properties: Any | None, options: Options) -> bool:
    """Whether a table row is deleted (or, when changes are rejected, inserted)."""
    if properties is None or options.changes == "annotate":
        return False
    return properties.find(W + ("del" if options.changes == "accept" else "ins")) is not None


def is_cell_gone(properties: Any | None, options: Options) -> bool:
    """The same for a cell."""
    if properties is None or options.changes == "annotate":
        return False
    return properties.find(W + ("cellDel" if options.changes == "accept" else "cellIns")) is not None
