"""Pictures beside the text: only from inside the document's own folder, never through links."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from lrdoc.parsers.markdown.refused import PictureError


def check_reference(reference: str) -> tuple[str, ...]:
    """The parts of a relative path that stays inside its folder. Raises PictureError with the reason."""
    shown = reference if len(reference) <= 80 else f"{reference[:79]}…"

    def refused(reason: str) -> PictureError:
        return PictureError("picture_path_refused", f"The picture path {shown!r} {reason} and was skipped.")

    if "\\" in reference:
        raise refused("has a backslash")
    if reference.startswith("/") or re.match(r"[A-Za-z]:", reference):
        raise refused("is absolute")
    if any(ord(char) < 32 for char in reference):
        raise refused("has control characters")
    parts = tuple(part for part in reference.split("/") if part not in ("", "."))
    if ".." in parts:
        raise refused("leads out of the folder")
    if not parts:
        raise PictureError("picture_not_found", f"The picture {shown!r} names no file.")
    return parts


def too_large(reference: str) -> PictureError:
    """More bytes than the limits allow."""
    return PictureError(
        "picture_too_large",
        f"The picture {reference!r} is larger than NATIVE_MD_IMAGE_MAX_BYTES or what "
        "NATIVE_MD_IMAGE_MAX_TOTAL_BYTES leaves.",
    )


class FolderFiles:
    """Files of one folder and its sub-folders."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, reference: str, max_bytes: int) -> bytes:
        parts = check_reference(reference)
        path = self._root
        try:
            for part in parts:
                path = path / part
                mode = path.lstat().st_mode
                if stat.S_ISLNK(mode):
                    raise PictureError(
                        "picture_link_refused", f"The picture {reference!r} is reached through a link and was skipped."
                    )
            if not stat.S_ISREG(mode):
                raise PictureError("picture_not_found", f"The picture {reference!r} is not a file.")
            # what was looked at is what is opened: nothing may be put in its place meanwhile
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(max_bytes + 1)
        except (FileNotFoundError, NotADirectoryError):
            raise PictureError("picture_not_found", f"The picture {reference!r} does not exist.") from None
        except (OSError, ValueError) as e:
            raise PictureError("picture_unreadable", f"The picture {reference!r} cannot be read: {e}.") from None
        if len(data) > max_bytes:
            raise too_large(reference)
        return data
