"""A process that is killed at any file operation leaves the old result whole or the new one whole."""

from __future__ import annotations

import builtins
import errno
import os
import shutil
import signal
from collections.abc import Callable
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
