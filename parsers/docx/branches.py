"""mc:AlternateContent: which branch is read (ISO 29500-3)."""

from __future__ import annotations

from typing import Any

from lrdoc.parsers.docx.names import MC, UNDERSTOOD

_NEWER_WORD = ("http://schemas.microsoft.com/office/word/20", "http://schemas.microsoft.com/office/drawing/20")
"""What later versions of Word add; text in it is text in elements that are known."""
_PICTURE_IS_BETTER = frozenset(
    {
        "http://schemas.microsoft.com/office/word/2010/wordprocessingInk",
        "http://schemas.microsoft.com/office/drawing/2016/ink",
        "http://schemas.microsoft.com/office/drawing/2017/model3d",
    }
)
"""Strokes and bodies that are not drawn here; the Fallback holds a picture of them."""


def choose_branch(element: Any) -> Any | None:
    """The branch that is read: the first Choice that is understood, else the Fallback; None when there is neither."""
    chosen = fallback = None
    for branch in element:
        if branch.tag == MC + "Choice" and chosen is None:
            spaces = branch.nsmap
            required = [spaces.get(prefix) or "" for prefix in (branch.get("Requires") or "").split()]
            if required and all(uri in UNDERSTOOD or uri.startswith(_NEWER_WORD) for uri in required):
                chosen = branch
                if not _PICTURE_IS_BETTER.intersection(required):
                    return branch
        elif branch.tag == MC + "Fallback" and fallback is None:
            fallback = branch
    return fallback if fallback is not None else chosen
