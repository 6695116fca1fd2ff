"""Services that misbehave: the right error or recovery, no half-written bundle, the source untouched."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import httpcore
import pytest
from service_runs import KINDS, PATIENT_S, Run, service
from service_server import nobody, serve

from lrdoc.errors import Cancelled, EngineError, EngineNotConfigured, LimitExceeded, LrdocError, TransportError

AT_ONCE_S = PATIENT_S / 4
"""Services that are silent are so for ten minutes, and requests take PATIENT_S unless a test says otherwise."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_good_service_is_asked_once_and_its_bundle_kept(kind: str, tmp_path: Path) -> None:
    with serve(service(kind)) as server:
        run = Run(kind, server.url, tmp_path)
        document = run.parse()
        assert not run.context.cached
        asked = len(server.requests)
        assert server.count("upload") == 1
        assert run.parse() == document
        assert run.context.cached and len(server.requests) == asked
    assert "Report" in document.title
    # The service is gone: the bundle is enough.
    assert run.parse() == document


RECOVERED = [
    ("upload", ["429"]),
    ("upload", ["503", "429"]),
    ("upload", ["after0"]),
    ("poll", ["502", "408"]),
    ("poll", ["drop"]),
    ("result", ["504"]),
    ("result", ["drop"]),
    ("result", ["cut"]),
    ("health", ["drop"]),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "step, faults", RECOVERED, ids=lambda value: "-".join(value) if isinstance(value, list) else value
)
def test_what_passes_by_is_tried_again(kind: str, step: str, faults: list[str], tmp_path: Path, fast: None) -> None:
    with serve(service(kind, faults={step: list(faults)})) as server:
        run = Run(kind, server.url, tmp_path)
        run.parse()
        taken = server.count("upload") - (len(faults) if step == "upload" else 0)
        assert taken == 1
        assert server.count(step) >= len(faults) or (kind, step) == ("official", "health")


FATAL: list[tuple[str, str, type[LrdocError], str]] = [
    ("upload", "500*", TransportError, "HTTP 500: fault 500"),
    ("upload", "503*", TransportError, "HTTP 503"),
    ("upload", "400*", TransportError, "HTTP 400"),
    ("upload", "401*", TransportError, "HTTP 401"),
    ("poll", "500*", TransportError, "HTTP 500"),
    ("poll", "404*", TransportError, "HTTP 404"),
    ("poll", "notjson*", TransportError, "no JSON object"),
    ("poll", "list*", TransportError, "no JSON object"),
    ("result", "404*", TransportError, "HTTP 404"),
    ("result", "409*", TransportError, "HTTP 409"),
    ("result", "500*", TransportError, "HTTP 500"),
    ("result", "drop*", TransportError, "broke the connection"),
    ("result", "cut*", TransportError, "broke the connection"),
    ("result", "text*", TransportError, "text/html"),
    ("result", "list*", TransportError, "application/json"),
    ("result", "gzip*", TransportError, "encoded as gzip"),
    ("result", "truncated*", TransportError, "no whole zip"),
    ("result", "huge*", LimitExceeded, "larger than"),
    ("result", "endless*", LimitExceeded, "larger than"),
    ("result", "bomb*", LimitExceeded, "bytes unpacked"),
    ("result", "liar*", LrdocError, ""),
    ("result", "many*", LimitExceeded, "60 files"),
    ("result", "slip*", TransportError, "outside of its folder"),
    ("result", "absolute*", TransportError, "outside of its folder"),
    ("result", "backslash*", TransportError, "outside of its folder"),
    ("result", "link*", TransportError, "holds a link"),
]


ONE_FOR_ALL = frozenset("gzip* truncated* huge* endless* bomb* liar* many* slip* absolute* backslash* link*".split())
"""Faults that one piece of code meets whatever the service is."""


@pytest.mark.parametrize(
    "step, fault, error, words, kind",
    [(*row, kind) for row in FATAL for kind in (KINDS[:2] if row[1] in ONE_FOR_ALL else KINDS)],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_stays_is_the_right_error(
    step: str, fault: str, error: type[LrdocError], words: str, kind: str, tmp_path: Path, fast: None
) -> None:
    with serve(service(kind, faults={step: [fault]})) as server:
        run = Run(kind, server.url, tmp_path)
        before = run.source.path.read_bytes()
        with pytest.raises(error) as caught:
            run.parse()
        told = str(caught.value)
        assert words in told
        assert run.parser.engine_name in told
        if error is TransportError and "HTTP" in words:
            assert server.url in told
        assert caught.value.hint
        assert server.count("upload") <= (3 if step == "upload" else 1)
    assert run.leftovers() == []
    assert run.source.path.read_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_listens(kind: str, tmp_path: Path, fast: None) -> None:
    with nobody() as address:
        run = Run(kind, address, tmp_path)
        with pytest.raises(TransportError) as caught:
            run.parse()
    told = str(caught.value)
    assert "cannot be reached" in told and address in told and "_ENDPOINT" in told
    assert run.leftovers() == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_lost_answer_is_no_second_upload(kind: str, tmp_path: Path, fast: None) -> None:
    """The service has read the whole file and may work on it."""
    with serve(service(kind, faults={"upload": ["drop*"]})) as server:
        run = Run(kind, server.url, tmp_path)
        with pytest.raises(TransportError, match="broke the connection"):
            run.parse()
        assert server.count("upload") == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step, fault", [("result", "trickle*"), ("poll", "silent*"), ("poll", "trickle*")])
def test_slow_services_run_out_of_time(kind: str, step: str, fault: str, tmp_path: Path) -> None:
    with serve(service(kind, faults={step: [fault]})) as server:
        run = Run(kind, server.url, tmp_path, request_timeout=0.2, download_timeout=0.3, retries=0)
        started = time.monotonic()
        with pytest.raises(TransportError, match=r"not finished|silent"):
            run.parse()
        assert time.monotonic() - started < AT_ONCE_S
    assert run.leftovers() == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_that_never_ends_runs_out_of_looks(kind: str, tmp_path: Path) -> None:
    with serve(service(kind, polls=1000)) as server:
        run = Run(kind, server.url, tmp_path, max_polls=3)
        with pytest.raises(TransportError, match="not done after 3 looks"):
            run.parse()
        assert server.count("poll") == 3
        assert server.deleted.wait(PATIENT_S) if kind == "mineru4" else not server.deleted.is_set()
    assert run.leftovers() == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "step, fault", [("poll", ""), ("poll", "silent*"), ("result", "trickle*"), ("upload", "silent*")]
)
def test_a_cancelled_parse_stops_at_once(kind: str, step: str, fault: str, tmp_path: Path) -> None:
    faults = {step: [fault]} if fault else {}
    with serve(service(kind, polls=0 if step == "result" else 10_000, faults=faults)) as server:
        run = Run(kind, server.url, tmp_path, max_polls=10_000)
        started = time.monotonic()
        with pytest.raises(Cancelled):
            run.parse(cancelled=lambda: server.count(step) >= (1 if fault else 3))
        assert time.monotonic() - started < AT_ONCE_S
        if kind == "mineru4" and step == "poll":
            assert server.deleted.wait(PATIENT_S)
    assert run.leftovers() == []


def test_a_connection_made_after_the_end_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parse that is cancelled while it connects leaves no open connection behind."""
    connecting, ended = threading.Event(), threading.Event()
    streams: list[httpcore.NetworkStream] = []
    connect = httpcore.SyncBackend.connect_tcp

    def late(self: httpcore.SyncBackend, *arguments: Any, **more: Any) -> httpcore.NetworkStream:
        connecting.set()
        assert ended.wait(PATIENT_S)
        streams.append(connect(self, *arguments, **more))
        return streams[-1]

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", late)
    with serve(service("mineru3")) as server:
        with pytest.raises(Cancelled):
            Run("mineru3", server.url, tmp_path).parse(cancelled=connecting.is_set)
        waiting = [thread for thread in threading.enumerate() if thread.name == "lrdoc-mineru"]
        ended.set()
        for thread in waiting:
            thread.join(PATIENT_S)
        assert [stream.get_extra_info("socket").fileno() for stream in streams] == [-1]


@pytest.mark.parametrize("kind", ["docling", "mineru3", "mineru4"])
def test_keys_are_sent_and_asked_for(kind: str, tmp_path: Path) -> None:
    name = "api_key" if kind == "docling" else "local_api_key"
    with serve(service(kind, key="SECRET")) as server:
        Run(kind, server.url, tmp_path, **{name: "SECRET"}).parse()
        with pytest.raises(TransportError, match="401") as caught:
            Run(kind, server.url, tmp_path, **{name: "wrong"}).parse(force=True)
    assert "key" in caught.value.hint
    assert "SECRET" not in str(caught.value) and "wrong" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_password_in_the_address_is_used_and_never_told(kind: str, tmp_path: Path, fast: None) -> None:
    with serve(service(kind)) as server:
        address = server.url.replace("://", "://someone:SECRET@")
        run = Run(kind, address, tmp_path)
        run.parse()
        if kind not in ("official", "mineru4"):
            assert server.of("upload").headers["authorization"].startswith("Basic ")
        assert all(b"SECRET" not in path.read_bytes() for path in run.cache.rglob("*.json"))
        server.faults["poll"] = ["500*"]
        with pytest.raises(TransportError) as caught:
            run.parse(force=True)
        assert server.url in str(caught.value) and "SECRET" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_the_service_sees_the_name_without_hint(kind: str, tmp_path: Path) -> None:
    with serve(service(kind)) as server:
        Run(kind, server.url, tmp_path).parse()
        if kind == "official":
            assert b'"x.pdf"' in server.of("batch").body
        else:
            assert server.of("upload").fields()["files"] == ["x.pdf"]
        assert all(b"[" not in r.body.partition(b"filename")[2][:30] for r in server.requests)


@pytest.mark.parametrize("kind", KINDS)
def test_force_and_other_options_fetch_again_and_a_failure_keeps_the_old_bundle(kind: str, tmp_path: Path) -> None:
    with serve(service(kind)) as server:
        run = Run(kind, server.url, tmp_path)
        run.parse()
        run.parse(force=True)
        assert server.count("upload") == 2
        run.parse(page_range="1-3" if kind == "docling" else ["1-3"])
        assert server.count("upload") == 3
        before = {name: (tmp_path / name).is_file() and (tmp_path / name).read_bytes() for name in run.leftovers()}
        server.faults["result"] = ["404*"]
        with pytest.raises(EngineError):
            run.parse(force=True, page_range="1-3" if kind == "docling" else ["1-3"])
        after = {name: (tmp_path / name).is_file() and (tmp_path / name).read_bytes() for name in run.leftovers()}
        assert after == before
        run.parse(page_range="1-3" if kind == "docling" else ["1-3"])
        assert run.context.cached


CHANGES: list[tuple[str, Any]] = [
    ("source", b"%PDF-1.4 other stuff"),
    ("version", "9"),
    ("damage", b"{}"),
    ("gone", b""),
    ("manifest", b"{}"),
]


@pytest.mark.parametrize("kind", ["docling", "mineru3"])
@pytest.mark.parametrize("what, value", CHANGES, ids=[what for what, _ in CHANGES])
def test_what_makes_a_bundle_stale(kind: str, what: str, value: Any, tmp_path: Path) -> None:
    with serve(service(kind)) as server:
        run = Run(kind, server.url, tmp_path)
        run.parse()
        main = run.cache / ("x.json" if kind == "docling" else "content_list.json")
        if what == "source":
            run.source.path.write_bytes(value)
        elif what == "version":
            run.settings = Run(kind, server.url, tmp_path, engine_version=value).settings
        elif what == "damage":
            main.write_bytes(value)
        elif what == "gone":
            next(run.cache.rglob("*.png")).unlink()
        else:
            (run.cache / "_manifest.json").write_bytes(value)
        run.parse()
        assert not run.context.cached
        assert server.count("upload") == 2


def test_redirects_are_followed_with_care(tmp_path: Path) -> None:
    with serve(service("mineru3")) as other, serve(service("mineru3")) as server:
        server.redirect_to = f"{other.url}/tasks/t%201/result"
        server.faults["result"] = ["moved*"]
        with pytest.raises(TransportError, match="another host"):
            Run("mineru3", server.url, tmp_path).parse()
        assert other.requests == []
        server.redirect_to = "/tasks/t%201/result"
        server.faults["result"] = ["moved"]
        Run("mineru3", server.url, tmp_path).parse()
        server.faults["result"] = ["moved*"]
        with pytest.raises(TransportError, match="redirects"):
            Run("mineru3", server.url, tmp_path).parse(force=True)
        server.faults = {"upload": ["moved*"]}
        with pytest.raises(TransportError, match="302"):
            Run("mineru3", server.url, tmp_path).parse(force=True)


@pytest.mark.parametrize("target", ["ftp://127.0.0.1/z", "file:///etc/passwd", "nonsense"])
def test_the_official_service_cannot_send_us_anywhere(target: str, tmp_path: Path) -> None:
    entry = {"file_name": "x", "state": "done", "full_zip_url": target}
    answer = {"code": 0, "data": {"extract_result": entry}}
    with (
        serve(service("official", faults={"poll": [json.dumps(answer) + "*"]})) as server,
        pytest.raises(TransportError),
    ):
        Run("official", server.url, tmp_path).parse()


def test_a_signed_address_is_not_told_and_gets_no_token(tmp_path: Path) -> None:
    with serve(service("official", faults={"result": ["404*"]})) as server:
        with pytest.raises(TransportError) as caught:
            Run("official", server.url, tmp_path).parse()
        assert "tok=1" not in str(caught.value)


@pytest.mark.parametrize(
    "endpoint", ["", "127.0.0.1:8000", "ftp://x", "http://", "http://127.0.0.1:8000/tasks", "http://h/file_parse?x=1"]
)
def test_addresses_that_are_none(endpoint: str, tmp_path: Path) -> None:
    with pytest.raises(EngineNotConfigured, match="MINERU_LOCAL_ENDPOINT"):
        Run("mineru3", endpoint, tmp_path).parse()


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between retries are short."""
    monkeypatch.setattr("lrdoc.parsers.services.transport._FIRST_WAIT_S", 0.01)
