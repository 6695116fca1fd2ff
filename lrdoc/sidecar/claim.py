"""One process at a time rewrites a parsed folder, and only as long as it is the folder that was read."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from lrdoc.errors import SidecarError

_fcntl: ModuleType | None = import_module("fcntl") if find_spec("fcntl") else None
"""None on Windows, where folders cannot be opened: there nothing is claimed."""
_TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}


@dataclass(frozen=True, slots=True)
class Claim:
    """A folder that no other process rewrites just now."""

    folder: Path
    descriptor: int | None

    def check(self) -> None:
        """Raises SidecarError when the folder was replaced or removed since it was claimed."""
        if self.descriptor is None:
            return
        try:
            same = os.path.samestat(os.fstat(self.descriptor), self.folder.stat())
        except OSError:
            same = False
        if not same:
            raise SidecarError(
                f"{self.folder} was parsed again or moved away meanwhile",
                hint="Analyse it again; answers that were kept cost nothing.",
            )


@contextmanager
def claim_folder(folder: Path) -> Iterator[Claim]:
    """Claim a folder until the block ends. Raises SidecarError when another process has it."""
    if _fcntl is None:
        yield Claim(folder, None)
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise SidecarError(f"{folder} cannot be opened: {error.strerror or error}") from error
    try:
        try:
            _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _TAKEN:
                raise SidecarError(
                    f"{folder} is being analysed by another process", hint="Wait for it to end, or stop it."
                ) from error
            # Some file systems know no locks; there the check before each write has to do.
        yield Claim(folder, descriptor)
    finally:
        os.close(descriptor)
