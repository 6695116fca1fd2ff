"""A process that is killed at any file operation leaves the old result whole or the new one whole."""

from __future__ import annotations

import builtins
import errno
import os
import shutil
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from lrdoc.errors import SidecarError
from lrdoc.sidecar import commit

OLD = {"a.jsonl": b"old a", "b.json": b"old b", "pics/one.png": b"old picture"}
NEW = {"a.jsonl": b"new a", "c.json": b"new c", "pics/two.png": b"new picture"}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")


def fill(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def content(folder: Path) -> dict[str, bytes] | None:
    if not folder.is_dir():
        return None
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def in_child(kill_at: int, work: Callable[[], None]) -> bool:
    """Run `work` in a child that dies before its file operation number `kill_at`; True when it came to its end."""
    child = os.fork()
    if child == 0:
        _arm(kill_at)
        try:
            work()
        except BaseException:
            os._exit(2)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0
    return True


def _arm(kill_at: int) -> None:
    """Count every call that touches the file system; die before the given one."""
    done = 0

    def counted(function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal done
            if done == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            done += 1
            return function(*args, **kwargs)

        return call

    for name in ("open", "mkdir", "rename", "replace", "unlink", "rmdir", "fsync", "write", "close", "sync"):
        setattr(os, name, counted(getattr(os, name)))
    import io

    io.open = counted(io.open)  # type: ignore[assignment]
    builtins.open = counted(builtins.open)  # type: ignore[assignment]
    commit.exchange = counted(commit.exchange)  # type: ignore[assignment]


def no_exchange(a: Path, b: Path) -> None:
    raise OSError(errno.ENOSYS, "not here")


@pytest.mark.parametrize("system", ["exchange", "two renames"])
@pytest.mark.parametrize("before", ["nothing", "old"])
def test_killed_at_every_operation_leaves_old_or_new(
    tmp_path: Path, system: str, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if system == "two renames":
        monkeypatch.setattr(commit, "exchange", no_exchange)
    old = OLD if before == "old" else None

    def work(target: Path) -> None:
        with commit.staging(target) as folder:
            fill(folder, NEW)

    finished = False
    missing = seen_new = 0
    for kill_at in range(400):
        target = tmp_path / str(kill_at) / "__parsed__" / "r.docx.parsed"
        if old is not None:
            fill(target, old)
        finished = in_child(kill_at, lambda target=target: work(target))  # type: ignore[misc]
        found = content(target)
        if system == "two renames" and old is not None and found is None:
            missing += 1
            commit.recover(target)
            found = content(target)
        assert found in (old, NEW), f"killed before operation {kill_at}"
        seen_new += found == NEW
        # The next run works, and nothing of the dead one is left.
        work(target)
        assert content(target) == NEW
        assert [p.name for p in target.parent.iterdir()] == [target.name]
        if finished:
            break
        shutil.rmtree(tmp_path / str(kill_at))
    assert finished
    assert kill_at > 10
    assert missing <= 1
    assert seen_new > 1 or old is None, "after the last step of the exchange the new folder is there"


def test_killed_while_a_file_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "r.parsed"
    path = folder / "items.json"
    for kill_at in range(200):
        fill(folder, {"items.json": b"old"})
        finished = in_child(kill_at, lambda: commit.replace_file(path, [b"ne", b"w"], scratch_beside=tmp_path))
        assert path.read_bytes() in (b"old", b"new")
        assert content(folder) is not None and list(content(folder) or {}) == ["items.json"]
        if finished:
            break
    assert path.read_bytes() == b"new"
    commit.recover(folder)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.parsed"]


def test_an_exception_leaves_the_old_folder_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "r.parsed"
    fill(target, OLD)
    with pytest.raises(KeyboardInterrupt), commit.staging(target) as folder:
        fill(folder, NEW)
        raise KeyboardInterrupt
    assert content(target) == OLD
    assert [p.name for p in tmp_path.iterdir()] == ["r.parsed"]


def test_an_exception_removes_the_parents_that_were_made(tmp_path: Path) -> None:
    with pytest.raises(ValueError), commit.staging(tmp_path / "a" / "__parsed__" / "r.parsed") as folder:
        fill(folder, NEW)
        raise ValueError
    assert list(tmp_path.iterdir()) == []


def test_a_living_run_keeps_its_folder(tmp_path: Path) -> None:
    with commit.staging(tmp_path / "one.parsed") as one:
        fill(one, NEW)
        with commit.staging(tmp_path / "two.parsed") as two:
            fill(two, OLD)
        commit.recover(tmp_path / "one.parsed")
        assert content(one) == NEW
    assert content(tmp_path / "one.parsed") == NEW
    assert content(tmp_path / "two.parsed") == OLD
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.parsed", "two.parsed"]


def test_two_runs_for_one_target_leave_one_whole_result(tmp_path: Path) -> None:
    target = tmp_path / "r.parsed"
    with commit.staging(target) as one:
        fill(one, OLD)
        with commit.staging(target) as two:
            fill(two, NEW)
    assert content(target) == OLD
    assert [p.name for p in tmp_path.iterdir()] == ["r.parsed"]


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "r.parsed").write_text("mine")
    with pytest.raises(SidecarError, match="is no folder"), commit.staging(tmp_path / "r.parsed"):
        pass
    assert (tmp_path / "r.parsed").read_text() == "mine"


def test_many_files_and_a_link_as_target(tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "real.parsed"
    fill(real, OLD)
    link = tmp_path / "r.parsed"
    link.symlink_to(real)
    with commit.staging(link) as folder:
        fill(folder, {f"{n}.png": b"x" for n in range(40)})
    assert link.is_symlink()
    assert len(content(real) or {}) == 40


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(SidecarError, match="cannot be made"), commit.staging(blocked / "r.parsed"):
        pass


def test_a_scratch_folder_that_cannot_be_made_ends_in_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may hold its name; in /proc and its like nothing can be made although the folder is there."""
    (tmp_path / ".lrdoc-tmp").write_text("")
    with pytest.raises(SidecarError, match=r"\.lrdoc-tmp"), commit.staging(tmp_path / "a.parsed"):
        pass
    with pytest.raises(SidecarError, match=r"\.lrdoc-tmp"):
        commit.replace_file(tmp_path / "a.txt", b"x")
    (tmp_path / ".lrdoc-tmp").unlink()

    def refuse(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(SidecarError, match="No such file"):
        commit.replace_file(tmp_path / "a.txt", b"x")


def test_a_file_system_without_locks_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    for text in ("one", "two"):
        with commit.staging(tmp_path / "a.parsed") as folder:
            (folder / "f").write_text(text)
        commit.replace_file(tmp_path / "a.txt", text.encode())
        assert (tmp_path / "a.parsed" / "f").read_text() == (tmp_path / "a.txt").read_text() == text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parsed", "a.txt"]


def test_another_run_removes_the_empty_scratch_folder_between_two_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scratch folder is there when it is to be made, and gone when somebody looks why it could not be made."""
    mkdir, refused = os.mkdir, 0

    def make(path: str, mode: int = 0o777, **keywords: int) -> None:
        nonlocal refused
        if Path(path).name == commit.SCRATCH and refused < 3:
            refused += 1
            mkdir(path, mode)
            try:
                mkdir(path, mode, **keywords)
            finally:
                Path(path).rmdir()
        mkdir(path, mode, **keywords)

    monkeypatch.setattr(os, "mkdir", make)
    with commit.staging(tmp_path / "a.parsed") as folder:
        fill(folder, NEW)
    assert refused == 3
    refused = 0
    commit.replace_file(tmp_path / "a.txt", b"new")
    assert refused == 3
    assert content(tmp_path / "a.parsed") == NEW
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.parsed", "a.txt"]


@pytest.mark.parametrize("gone", ["the folder above", "the one above that"])
def test_another_run_removes_the_folders_above_that_it_had_made(
    tmp_path: Path, gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir, target, removed = os.mkdir, tmp_path / "out" / "deep" / "a.parsed", 0

    def make(path: str, *arguments: int) -> None:
        nonlocal removed
        if removed < 3 and Path(path).name == (commit.SCRATCH if gone == "the folder above" else "deep"):
            removed += 1
            shutil.rmtree(target.parent.parent)
        mkdir(path, *arguments)

    monkeypatch.setattr(os, "mkdir", make)
    with commit.staging(target) as folder:
        fill(folder, NEW)
    assert removed == 3
    assert content(target) == NEW
    assert [p.name for p in target.parent.iterdir()] == ["a.parsed"]


def test_what_is_removed_as_a_leftover_cannot_be_claimed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that made its folder and has not locked it yet finds it locked as long as another one removes it."""
    fresh = tmp_path / commit.SCRATCH / "new-1"
    fresh.mkdir(parents=True)
    remove, seen = commit._remove, []

    def removing(path: Path) -> None:
        try:
            os.close(commit._lock(path, wait=False) or -1)
        except BlockingIOError:
            seen.append(path)
        remove(path)

    monkeypatch.setattr(commit, "_remove", removing)
    commit.recover(tmp_path / "a.parsed")
    assert seen == [fresh]
    assert list(tmp_path.iterdir()) == []


def test_a_fresh_folder_that_another_run_looks_at_is_given_up(tmp_path: Path) -> None:
    """Between its making and its lock another run may hold the lock, have removed it, or put its own there."""
    scratch = tmp_path / commit.SCRATCH
    held: list[int] = []

    def make(path: Path) -> None:
        path.mkdir()
        if len(tried) == 0:
            held.append(commit._lock(path, wait=False) or -1)
        if len(tried) == 1:
            path.rmdir()
        tried.append(path)

    tried: list[Path] = []
    path, lock = commit._claim(tmp_path, make, "new")
    assert path == tried[2]
    assert len(set(tried)) == 3
    assert sorted(scratch.iterdir()) == sorted([tried[0], path])
    for descriptor in (*held, lock):
        assert descriptor is not None
        os.close(descriptor)


def test_who_waited_for_a_scratch_folder_that_was_made_anew_waits_for_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    scratch, locked = tmp_path / commit.SCRATCH, 0
    scratch.mkdir()
    flock = fcntl.flock

    def lock(descriptor: int, how: int) -> None:
        nonlocal locked
        if how == fcntl.LOCK_EX:
            locked += 1
            if locked == 1:
                scratch.rename(tmp_path / "before")
                scratch.mkdir()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", lock)
    with commit._moving_old_folders(scratch):
        assert locked == 2
        with pytest.raises(BlockingIOError):
            commit._lock(scratch, wait=False)


def test_many_runs_at_once_in_one_folder_never_disturb_one_another(tmp_path: Path) -> None:
    """Each second one fails, so that the scratch folder comes and goes all the time."""

    def runs(number: int) -> None:
        for n in range(60):
            with suppress(ZeroDivisionError), commit.staging(tmp_path / "out" / f"{number}.parsed") as folder:
                fill(folder, {"f": b"%d" % n})
                n / (n % 2)
        assert content(tmp_path / "out" / f"{number}.parsed") == {"f": b"59"}

    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            try:
                runs(number)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [f"{n}.parsed" for n in range(4)]
