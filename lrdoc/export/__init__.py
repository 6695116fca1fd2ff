"""A parsed folder as one markdown, html, text or json file, made from the document that was read back."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import PurePosixPath

from lrdoc.errors import UsageError
from lrdoc.export.view import View
from lrdoc.sidecar.read import ParsedFolder

FORMATS = ("markdown", "html", "text", "json")


def export(
    parsed: ParsedFolder, to: str, *, regions: bool = False, assets_path: PurePosixPath | None = None
) -> Iterator[str]:
    """The document in pieces of text, in the given format.

    `regions`: also what stands outside the body, behind it (json always has it). `assets_path`: where the assets folder
    is, seen from the place of the result; markdown links to it, html holds the pictures itself.
    Raises UsageError for an unknown format.
    """
    if to not in FORMATS:
        raise UsageError(f"{to!r} is no export format", hint=f"Known are {', '.join(FORMATS)}.")
    view = View(parsed, regions=regions, assets_path=assets_path or PurePosixPath(parsed.assets.name))
    pieces: Iterator[str] = import_module(f"lrdoc.export.to_{to}").render(view)
    return pieces
