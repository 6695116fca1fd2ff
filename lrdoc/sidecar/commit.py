"""Put a whole folder or file in the place of the old one, in one step (docs/sidecar-format.md, "Commit").

What is new grows in `.lrdoc-tmp` beside the target. Then
- Linux and macOS exchange the two folders in one system call;
- elsewhere the old folder is moved into `.lrdoc-tmp` and the new one to its place; when the process dies between the
  two, the next run moves the old one back.
A process that is killed at any point leaves the old result whole or the new one whole. What it leaves in `.lrdoc-tmp`
is removed by the next run: everything there is locked while its process lives.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from lrdoc.errors import SidecarError

_fcntl: ModuleType | None = import_module("fcntl") if find_spec("fcntl") else None
"""None on Windows."""

SCRATCH = ".lrdoc-tmp"
"""Folder beside the target; it is gone when nobody works."""

_numbers = itertools.count()
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
_STALE_SECONDS = 86_400
"""Where there are no locks, leftovers of this age are nobody's."""
_MANY_FILES = 32
_TRIES = 1000
"""Other runs come and go; what fails so often will not work."""


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """An empty folder that takes the place of `target` when the block ends without an exception.

    On any exception the old folder stands as it was and nothing else is left. Raises SidecarError when the file system
    refuses.
    """
    if target.is_symlink():
        target = target.resolve()
    if target.exists() and not target.is_dir():
        raise SidecarError(f"{target} is no folder", hint="Move it away or choose another place for the output.")
    made: list[Path] = []
    try:
        _repair(target)
        folder, lock = _claim(target.parent, lambda path: path.mkdir(), f"new-{_key(target)}", made)
    except OSError as e:
        _unmake(made)
        raise SidecarError(f"{target} cannot be made: {_why(e)}") from e
    try:
        yield folder
        try:
            _flush(folder)
            leftover = _put_in_place(folder, target)
            _sync(target.parent)
        except OSError as e:
            raise SidecarError(f"{target} cannot be put in place: {_why(e)}") from e
        if leftover is not None:
            _remove(leftover)
        made.clear()
    except BaseException:
        _remove(folder)
        raise
    finally:
        if lock is not None:
            os.close(lock)
        _leave(target.parent)
        _unmake(made)


def replace_file(path: Path, data: bytes | Iterable[bytes], *, scratch_beside: Path | None = None) -> None:
    """Write a file so that readers see the old bytes or the new ones, whole.

    `scratch_beside`: folder that takes `.lrdoc-tmp` in place of the file's own (for a file in a parsed folder, the
    folder above, so that nothing foreign ever stands in the parsed folder).
    """
    parent = scratch_beside or path.parent
    try:
        part, lock = _claim(parent, lambda new: new.touch(exist_ok=False), "file")
    except OSError as e:
        raise SidecarError(f"{path} cannot be written: {_why(e)}") from e
    try:
        with part.open("wb") as out:
            for piece in (data,) if isinstance(data, bytes) else data:
                out.write(piece)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
        _sync(path.parent)
    except OSError as e:
        raise SidecarError(f"{path} cannot be written: {_why(e)}") from e
    finally:
        part.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)
        _leave(parent)


def recover(target: Path) -> None:
    """Finish what a killed run left of `target`, without writing anything new."""
    try:
        _repair(target)
    except OSError as e:
        raise SidecarError(f"{target} cannot be repaired: {_why(e)}") from e
    _leave(target.parent)


def _why(error: OSError) -> str:
    """The system's reason, with the scratch folder when that is what it is about."""
    reason = error.strerror or str(error)
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes | os.PathLike) else ""
    path = Path(name)
    return f"{reason}: {name}" if path.name == SCRATCH and path.parent.is_dir() else reason


def _put_in_place(folder: Path, target: Path) -> Path | None:
    """Move `folder` to `target`; returns where the old folder is now."""
    while True:
        if not target.exists():
            try:
                folder.rename(target)
                return None
            except OSError as e:
                if e.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.EACCES) or not target.exists():
                    raise
        try:
            exchange(folder, target)
            return folder
        except FileNotFoundError:
            if not folder.exists():
                raise
        except OSError as e:
            if e.errno not in _UNSUPPORTED:
                raise
            return _two_renames(folder, target)


def _two_renames(folder: Path, target: Path) -> Path | None:
    scratch = folder.parent
    with _moving_old_folders(scratch):
        old = scratch / f"old-{_key(target)}-{os.getpid()}-{next(_numbers)}"
        target.rename(old)
        try:
            folder.rename(target)
        except BaseException:
            if not target.exists():
                old.rename(target)
            raise
        return old


def exchange(a: Path, b: Path) -> None:
    """Let two folders change places in one step. Raises OSError; ENOSYS where the system has no such call."""
    call = _exchange_call()
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    code = call(os.fsencode(a), os.fsencode(b))
    if code:
        raise OSError(code, os.strerror(code), str(a), None, str(b))


def _exchange_call() -> Callable[[bytes, bytes], int] | None:
    """The call that exchanges two paths and returns 0 or the errno."""
    platform: str = str(sys.platform)
    if platform not in ("linux", "darwin"):
        return None
    import ctypes  # only needed when an old result is there

    libc = ctypes.CDLL(None, use_errno=True)
    if platform == "linux":
        renameat2 = getattr(libc, "renameat2", None)
        if renameat2 is None:
            return None
        here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
        return lambda a, b: 0 if renameat2(here, a, here, b, swap) == 0 else ctypes.get_errno()
    renamex_np = getattr(libc, "renamex_np", None)
    if renamex_np is None:
        return None
    return lambda a, b: 0 if renamex_np(a, b, 2) == 0 else ctypes.get_errno()  # RENAME_SWAP


def _repair(target: Path) -> None:
    """Bring the old folder back when a run died between the two renames, and remove what dead runs left."""
    scratch = target.parent / SCRATCH
    with suppress(FileNotFoundError), _moving_old_folders(scratch):
        for path in sorted(scratch.iterdir()):
            if not path.name.startswith("old-"):
                _remove_dead(path)
            elif path.name.startswith(f"old-{_key(target)}-"):
                if target.exists():
                    _remove(path)
                else:
                    path.rename(target)


@contextmanager
def _moving_old_folders(scratch: Path) -> Iterator[None]:
    """One run at a time, where there are locks. Raises FileNotFoundError when there is no scratch folder."""
    lock = _lock(scratch, wait=True)
    while lock is not None and not _same(lock, scratch):
        # Made anew while this run waited: the lock is one of the folder that was there before.
        os.close(lock)
        lock = _lock(scratch, wait=True)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _remove_dead(path: Path) -> None:
    """Remove a folder or file in the scratch folder when no living process holds its lock.

    The lock is held until it is gone, because the process that made it may be about to take the lock.
    """
    if _fcntl is None:
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                _remove(path)
        return
    try:
        lock = _lock(path, wait=False)
    except (FileNotFoundError, BlockingIOError):
        return
    if lock is None:
        return
    try:
        if _same(lock, path):
            _remove(path)
    finally:
        os.close(lock)


def _claim(
    parent: Path, make: Callable[[Path], None], prefix: str, made: list[Path] | None = None
) -> tuple[Path, int | None]:
    """Make something new in the scratch folder and lock it, before another run takes it for a leftover.

    With `made`, `parent` and the folders above it are made as well; that list then holds them, innermost first.
    """
    scratch = parent / SCRATCH
    error: OSError = BlockingIOError(errno.EAGAIN, "other runs take its scratch folder away", str(scratch))
    for _ in range(_TRIES):
        path = scratch / f"{prefix}-{os.getpid()}-{next(_numbers)}"
        try:
            if made is not None:
                _make_parents(parent, made)
            _make_folder(scratch)
            make(path)
            lock = _lock(path, wait=False)
        except (FileExistsError, FileNotFoundError, BlockingIOError) as e:
            # The name is taken; or another run removed an empty folder (the scratch folder, one above that it had
            # made), or is about to remove what was made as a leftover; or nothing can be made here.
            if made is None and not parent.is_dir():
                raise
            error = e
            continue
        if lock is None or _same(lock, path):
            return path, lock
        os.close(lock)
    raise error


def _lock(path: Path, *, wait: bool) -> int | None:
    """A descriptor that holds the lock until it is closed; None where there are no locks.

    Raises FileNotFoundError for what is not there, BlockingIOError when another process holds the lock.
    """
    if _fcntl is None:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError:
        return None
    try:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX if wait else _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _flush(folder: Path) -> None:
    """Bring the folder to disk, so that after a power cut the name never stands for files without their bytes."""
    folders: list[Path] = []
    files: list[Path] = []
    for root, _, names in os.walk(folder):
        folders.append(Path(root))
        files.extend(Path(root, name) for name in names)
    if len(files) > _MANY_FILES and hasattr(os, "sync"):
        os.sync()
        return
    for path in [*files, *reversed(folders)]:
        _sync(path)


def _sync(path: Path) -> None:
    # Some systems cannot open folders, some file systems cannot flush them; neither endangers a killed process.
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove(path: Path) -> None:
    """Remove a folder or file as far as possible; the next run tries again."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _leave(parent: Path) -> None:
    with suppress(OSError):
        (parent / SCRATCH).rmdir()


def _make_parents(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it, and put what was made before the others in `made`."""
    for path in reversed((folder, *folder.parents)):
        if not path.is_dir() and _make_folder(path):
            made.insert(0, path)


def _make_folder(path: Path) -> bool:
    """Make a folder if there is none; True when it was made.

    When False comes back, another run may have removed it since: `Path.mkdir(exist_ok=True)` would fail there.
    """
    try:
        path.mkdir()
    except FileExistsError:
        with suppress(FileNotFoundError):
            if not stat.S_ISDIR(path.stat().st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
        return False
    return True


def _unmake(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _key(target: Path) -> str:
    return hashlib.md5(os.fsencode(target.name), usedforsecurity=False).hexdigest()[:16]
