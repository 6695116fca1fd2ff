"""Unpack the archive that a service sends."""

from __future__ import annotations

import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from lrdoc.errors import LimitExceeded, TransportError
from lrdoc.parsers.services.bundle import MANIFEST, is_inside
from lrdoc.parsers.services.settings import PollSettings

_PIECE = 1 << 18
_MOST_DEPTH = 32
_LONGEST_NAME = 200


def unpack(archive: Path, folder: Path, engine: str, limits: PollSettings, check: Callable[[], None]) -> None:
    """Unpack into an empty folder. Raises TransportError for an archive that is none or leads outside."""
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [info for info in opened.infolist() if not info.is_dir()]
            _check(members, engine, limits)
            left = limits.bundle_max_bytes or None
            for info in members:
                check()
                left = _write(opened, info, folder / info.filename, left, engine, check)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as e:
        raise TransportError(
            f"{engine}: the service's answer is no whole zip archive ({type(e).__name__})", hint="Parse the file again."
        ) from e
    except OSError as e:
        raise TransportError(f"{engine}: the service's answer cannot be unpacked: {e.strerror or e}") from e


def _check(members: list[zipfile.ZipInfo], engine: str, limits: PollSettings) -> None:
    if limits.bundle_max_entries and len(members) > limits.bundle_max_entries:
        raise _too_much(engine, f"{len(members)} files", "PARSER_RESULT_BUNDLE_MAX_ENTRIES")
    total = sum(info.file_size for info in members)
    if limits.bundle_max_bytes and total > limits.bundle_max_bytes:
        raise _too_much(engine, f"{total} bytes unpacked", "PARSER_RESULT_BUNDLE_MAX_TOTAL_BYTES")
    for info in members:
        path = PurePosixPath(info.filename)
        if not is_inside(info.filename) or len(path.parts) > _MOST_DEPTH:
            raise TransportError(
                f"{engine}: the service's answer holds a file outside of its folder",
                hint="Do not trust this service; nothing of its answer was kept.",
            )
        if any(len(part.encode()) > _LONGEST_NAME for part in path.parts):
            raise TransportError(f"{engine}: the service's answer holds a file with a name that is too long")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise TransportError(f"{engine}: the service's answer holds a link", hint="Do not trust this service.")


def _write(
    opened: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    target: Path,
    left: int | None,
    engine: str,
    check: Callable[[], None],
) -> int | None:
    """Write one file; how many bytes may still come. What an archive declares is not believed."""
    if target.name == MANIFEST:
        # That name is ours: an answer never marks itself as whole.
        target = target.with_name(f"service{MANIFEST}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with opened.open(info) as source, target.open("xb") as out:
        while piece := source.read(_PIECE):
            check()
            if left is not None:
                left -= len(piece)
                if left < 0:
                    raise _too_much(engine, "more bytes than it says", "PARSER_RESULT_BUNDLE_MAX_TOTAL_BYTES")
            out.write(piece)
    return left


def _too_much(engine: str, what: str, limit: str) -> LimitExceeded:
    return LimitExceeded(
        f"{engine}: the service's answer holds {what}", limit=limit, hint=f"Set {limit} if you trust the service."
    )


def hoist(folder: Path) -> None:
    """When the folder holds nothing but one folder, its content comes up; again and again."""
    for _ in range(_MOST_DEPTH):
        entries = list(folder.iterdir())
        if len(entries) != 1 or not entries[0].is_dir():
            return
        inner = entries[0].rename(folder / ".lrdoc-hoisted")
        for entry in inner.iterdir():
            shutil.move(str(entry), str(folder / entry.name))
        inner.rmdir()
