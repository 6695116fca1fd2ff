"""The analysis among other processes: killed, interrupted, twice at a time, beside a new parse."""

from __future__ import annotations

import itertools
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from analysis_folder import ENABLED, items_of, picture, results, run_analysis, statuses, write_folder
from chat_server import Fault, chat_server, completion
from promptly import LONGEST_S, soonest, wait_for

from lrdoc.errors import Cancelled, SidecarError
from lrdoc.llm.base import Request
from lrdoc.testing.models import ScriptedModel

ANSWER = {"name": "n", "type": "Chart", "description": "d"}
TABLE = {"blockid": "b1", "format": "json", "content": '[["a"], ["1"]]'}


def tables(count: int) -> dict[str, dict[str, Any]]:
    return {f"tb-{i}": {**TABLE, "caption": f"c{i}"} for i in range(count)}


def drawing(name: str) -> dict[str, str]:
    return {"blockid": "b1", "path": f"doc.blocks.assets/{name}"}


@contextmanager
def lrdoc(*arguments: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    code = f"import sys; sys.path[:0] = {sys.path!r}; from lrdoc.cli import run; sys.exit(run(sys.argv[1:]))"
    kept = {key: value for key, value in os.environ.items() if "LLM" not in key}
    process = subprocess.Popen(
        [sys.executable, "-W", "default::ResourceWarning", "-c", code, *arguments],
        env={**kept, "LLM_MODEL": "m", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


def test_cancelling_waits_for_no_picture_that_is_being_scaled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_folder(
        tmp_path / "d.parsed", blocks={}, drawings={"im-1": drawing("a.png")}, assets={"a.png": picture()}
    )
    assert soonest(lambda: seconds_to_cancel(folder, monkeypatch), 0.5) < 0.5
    assert results(folder, "drawings")["im-1"]["message"] == "cancelled"


def seconds_to_cancel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> float:
    """From the first word of the wish to stop to the end of the stage, while a picture is being scaled."""
    begun, release = threading.Event(), threading.Event()

    def slow(*_: object) -> None:
        begun.set()
        release.wait(LONGEST_S)

    monkeypatch.setattr("lrdoc.analyzers.stage.load_picture", slow)
    start = [0.0]

    def cancelled() -> bool:
        if begun.is_set() and not start[0]:
            start[0] = time.monotonic()
        return begun.is_set()

    with pytest.raises(Cancelled):
        run_analysis(folder, ScriptedModel([]), cancelled=cancelled)
    took = time.monotonic() - start[0]
    release.set()
    return took


def test_cancelling_is_heard_before_the_first_question(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables=tables(3))
    with pytest.raises(Cancelled):
        run_analysis(folder, ScriptedModel([]), cancelled=lambda: True)
    assert results(folder, "tables") == {}


def test_an_earlier_answer_outlives_a_cancelled_run(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables=tables(40))
    run_analysis(folder, ScriptedModel(lambda request: ANSWER))
    before = items_of(folder, "tables")
    seen = [0]

    def cancelled() -> bool:
        seen[0] += 1
        return seen[0] > 45

    with pytest.raises(Cancelled):
        run_analysis(folder, ScriptedModel(lambda request: ANSWER, delay_s=30), cancelled=cancelled)
    assert items_of(folder, "tables") == before


def test_a_folder_is_analysed_by_one_process_at_a_time(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables=tables(1))

    def script(request: Request) -> dict[str, str]:
        with pytest.raises(SidecarError, match="being analysed by another process"):
            run_in_thread(lambda: run_analysis(folder, ScriptedModel([])))
        return ANSWER

    run_analysis(folder, ScriptedModel(script))
    assert statuses(folder, "tables") == {"tb-0": "success"}
    run_analysis(folder, ScriptedModel([ANSWER]))


def run_in_thread(work: Any) -> None:
    """The analysis has a loop of its own, so that it cannot run where one runs already."""
    errors: list[Exception] = []

    def run() -> None:
        try:
            work()
        except SidecarError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def test_a_new_parse_meanwhile_is_not_mixed_with_the_old_one(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables=tables(1))
    fresh = write_folder(tmp_path / "new", blocks={}, tables={"tb-9": TABLE})

    def script(request: Request) -> dict[str, str]:
        folder.rename(tmp_path / "old")
        fresh.rename(folder)
        return ANSWER

    with pytest.raises(SidecarError, match="parsed again"):
        run_analysis(folder, ScriptedModel(script))
    assert list(items_of(folder, "tables")) == ["tb-9"] and results(folder, "tables") == {}


def test_leftovers_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables=tables(1))
    scratch = tmp_path / ".lrdoc-tmp"
    scratch.mkdir()
    (scratch / "file-1-1").write_text("half")
    run_analysis(folder, ScriptedModel([ANSWER]))
    assert not scratch.exists()


def test_missing_kinds_are_one_line_of_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables=tables(1))
    with caplog.at_level(logging.INFO, "lrdoc.analyzers"):
        run_analysis(folder, ScriptedModel([ANSWER]))
    assert [record.getMessage() for record in caplog.records] == ["f.docx: nothing to analyse of drawings, equations"]


def test_pictures_that_cannot_be_decoded_or_are_too_large_to_be_are_skipped(tmp_path: Path) -> None:
    import struct
    import zlib

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    def png(width: int, height: int) -> bytes:
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")

    assets = {
        "bomb.png": png(60_000, 60_000),
        "broken.png": png(5000, 5000),
        "wide.webp": picture(3000, 70, form="WEBP"),
    }
    folder = write_folder(
        tmp_path / "d.parsed", blocks={}, drawings={f"im-{n}": drawing(n) for n in assets}, assets=assets
    )
    run_analysis(folder, ScriptedModel([ANSWER]), settings=ENABLED)
    found = results(folder, "drawings")
    assert found["im-bomb.png"]["message"].startswith("image too large: 60000 × 60000 pixels")
    assert found["im-broken.png"]["message"].startswith("image cannot be decoded")
    assert found["im-wide.webp"]["status"] == "success"


def test_killed_while_item_files_are_rewritten_they_are_whole(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables=tables(300))
    script = f"""
import sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
import lrdoc.analyzers.stage as stage
from analysis_folder import run_analysis
from lrdoc.testing.models import ScriptedModel
stage._SAVE_S = 0.0
def progress(done, total, item): print(done, flush=True)
while True:
    run_analysis(Path({str(folder)!r}), ScriptedModel(lambda request: {ANSWER!r}, delay_s=0.001))
"""
    for wait in (0.2, 0.33):
        with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True) as process:
            wait_for(lambda: bool(results(folder, "tables")) or process.poll() is not None, "the first answers")
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        assert len(items_of(folder, "tables")) == 300
    report = run_analysis(folder, ScriptedModel(lambda request: ANSWER))
    assert report.counts["tables"] == {"success": 300}
    assert not (tmp_path / ".lrdoc-tmp").exists()


def test_ctrl_c_ends_the_command_at_once_and_keeps_what_was_answered(tmp_path: Path) -> None:
    tries = itertools.count()
    assert soonest(lambda: seconds_to_interrupt(tmp_path / str(next(tries))), 4) < 4


def seconds_to_interrupt(path: Path) -> float:
    """Time that the command takes to end, while the model would go on thinking for longer than that."""
    folder = write_folder(path / "d.parsed", blocks={}, tables=tables(30))

    def script(number: int, body: dict[str, Any]) -> Fault:
        return Fault(body=json.dumps(completion(json.dumps(ANSWER))), wait_s=0.0 if number < 6 else 9.0)

    with (
        chat_server(script) as server,
        lrdoc("analyze", str(folder), LLM_BINDING_HOST=server.url, VLM_PROCESS_ENABLE="true") as process,
    ):
        wait_for(lambda: len(server.requests) >= 8 and kept_answers(path) >= 6, "six answers and two questions")
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=LONGEST_S)
        took = time.monotonic() - start
    assert process.returncode == 130 and told.splitlines()[-1] == "interrupted"
    assert "Warning" not in told
    assert list(statuses(folder, "tables").values()).count("success") >= 6
    return took


def kept_answers(path: Path) -> int:
    """How many answers the command has got."""
    cache = path / "llm_cache.sqlite"
    if not cache.is_file():
        return 0
    with closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True, timeout=5)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # it is being made


def test_nothing_secret_is_told_by_the_command(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "d.parsed", blocks={}, tables=tables(1))

    def script(number: int, body: dict[str, Any]) -> Fault:
        if number:
            return Fault(body=json.dumps(completion(json.dumps(ANSWER))))
        return Fault(status=401, body='{"error": {"message": "key topsecretkey of hunter2pass is wrong"}}')

    with chat_server(script) as server:
        environ = {
            "LLM_BINDING_HOST": server.url.replace("//", "//me:hunter2pass@"),
            "LLM_BINDING_API_KEY": "topsecretkey",
        }
        told = ""
        for code in (1, 0):
            with lrdoc("analyze", str(folder), "--json", "--debug", **environ) as process:
                told += "".join(process.communicate(timeout=LONGEST_S))
            assert process.returncode == code, told
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"127.0.0.1" in kept  # the cache tells the host
    for word in ("topsecretkey", "hunter2pass"):
        assert word not in told and word.encode() not in kept
    assert "ResourceWarning" not in told
