"""The promises of an engine, each a function that raises PromiseBroken.

They know nothing of pytest. `PROMISES` lists them in the order in which they are worth reading: an engine that breaks
one of the first often breaks later ones as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import msgspec

from lrdoc.document import Document
from lrdoc.errors import Cancelled, LimitExceeded, LrdocError
from lrdoc.params import ParamSpec, fill
from lrdoc.parsers.base import ParseContext, Parser, SourceFile
from lrdoc.parsers.validate import check_impl, check_spec
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.read import read_folder
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document
from lrdoc.testing.assets import MemoryAssets
from lrdoc.testing.case import (
    LimitedAssets,
    ParserCase,
    PromiseBroken,
    no_network,
    parse,
    place_of_its_own,
    some,
    surroundings,
    watched_output,
)
from lrdoc.testing.structure import (
    find_asset_faults,
    find_outline_faults,
    find_reference_faults,
    find_source_faults,
    find_table_faults,
    find_type_faults,
    find_warning_faults,
)

Promise = Callable[[ParserCase], None]

ELSEWHERE = "with another PYTHONHASHSEED, time zone, language and current folder"
CANCEL_RUNS = 3
"""Runs of which the best counts."""
CANCEL_SECONDS = 0.2
LONG_SECONDS = 0.4
"""CPU time of a parse that can be cancelled after a quarter and still be late; faster engines get a larger file."""
LONGEST_BYTES = 3_200_000
BAD_FILE_SECONDS = 10.0
USUAL_SECONDS = 0.006
"""What counting to 400,000 takes on a machine of today. Limits in seconds hold for such a one, slower ones get more."""
LARGE_BYTES = 200_000
BUDGET_RUNS = 3
MUTATIONS = 12
ROOM_FOR_PYTHON = 20 << 20


def fits_the_registry(case: ParserCase) -> None:
    """Specification and class are accepted by the registry."""
    faults = check_spec(case.spec, {}) or check_impl(case.spec)
    if faults:
        raise broken(case, "fits the registry", faults[0])


def gives_a_document(case: ParserCase) -> None:
    """A good file becomes a Document of the right types, kind and format, with something in it."""
    for name, data in case.good_files.items():
        try:
            document = parse(case, name, data).document
        except Exception as e:  # whatever another's engine raises breaks the promise
            raise broken(case, "gives a document", f"{name}: raised {type(e).__name__}: {e}") from e
        faults = find_type_faults(document)
        if not faults:
            if not document.blocks:
                faults = ["the document has no blocks; raise EmptyDocumentError instead"]
            elif document.format != _suffix(name):
                faults = [f"format is {document.format!r}, expected the file's own suffix"]
            elif (document.kind == "structured") != case.spec.structured:
                faults = [f"kind is {document.kind!r}, but the ParserSpec says structured={case.spec.structured}"]
        report(case, "gives a document", name, faults)


def leaves_the_world_alone(case: ParserCase) -> None:
    """Files and what belongs to the whole process, such as its folder, are the same afterwards; nothing is printed."""
    for name, data in some(case.good_files):
        with tempfile.TemporaryDirectory(prefix="lrdoc-kit-") as kept:
            folder = Path(kept)
            (folder / name).write_bytes(data)
            with place_of_its_own(folder):
                before = surroundings(folder)
                with watched_output() as said:
                    parse(case, name, data, folder=folder)
                after = surroundings(folder)
            for what, value in before.items():
                if after[what] != value:
                    raise broken(case, "leaves the world alone", f"{name}: {what} changed")
            for what, text in said.items():
                if text:
                    raise broken(case, "leaves the world alone", f"{name}: it {what} {text[:200]!r}")


def asks_no_network(case: ParserCase) -> None:
    """No connection is made; engines behind a service replay their bundle."""
    for name, data in some(case.good_files):
        with no_network() as wanted:
            try:
                parse(case, name, data)
            except LrdocError:
                if not wanted:
                    raise
        if wanted:
            raise broken(case, "asks no network", f"{name}: it wanted to reach {wanted[0]}")


def is_deterministic(case: ParserCase) -> None:
    """The same bytes give the same document: again, by another instance, after other files, in another process.

    That process has another hash seed, time zone, language and current folder.
    """
    used = case.make()
    files = list(case.good_files.items())
    first = {name: digest_here(case, name, data) for name, data in files}
    for name, data in [*reversed(files), *files]:
        if digest_here(case, name, data, used) != first[name]:
            raise broken(case, "is deterministic", f"{name}: a second parse gave another document")
    if case.prepare is None and case.settings is None:
        name, data = files[0]
        seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
        if digest_elsewhere(case, name, data, seed) not in ("", first[name]):
            raise broken(case, "is deterministic", f"{name}: another process ({ELSEWHERE}) gave another")


def works_in_threads(case: ParserCase) -> None:
    """One instance parses in several threads at a time."""
    parser = case.make()
    files = list(case.good_files.items())
    expected = {name: digest_here(case, name, data) for name, data in files}
    jobs = (files * 8)[:16]

    def work(job: tuple[str, bytes]) -> tuple[str, str]:
        try:
            return job[0], digest_here(case, *job, parser)
        except Exception as e:  # it parsed alone, so this came from the threads
            return job[0], f"{type(e).__name__}: {e}"

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            for name, found in pool.map(work, jobs):
                if found != expected[name]:
                    told = "" if len(found) == 64 else f" ({found})"
                    raise broken(case, "works in threads", f"{name}: parsed beside others it is another{told}")
    finally:
        sys.setswitchinterval(interval)


def knows_its_sources(case: ParserCase) -> None:
    """Text of the file says where it came from."""
    for name, data in case.good_files.items():
        report(case, "knows its sources", name, find_source_faults(parse(case, name, data).document, data))


def closes_its_references(case: ParserCase) -> None:
    """Citations, notes and assets lead somewhere, and nothing is left without a reference."""
    for name, data in case.good_files.items():
        run = parse(case, name, data)
        report(case, "closes its references", name, find_reference_faults(run.document) + find_asset_faults(run))


def keeps_the_outline(case: ParserCase) -> None:
    """Headings stand first in their block, on levels 1 to 9, under the right parents."""
    for name, data in case.good_files.items():
        report(case, "keeps the outline", name, find_outline_faults(parse(case, name, data).document))


def makes_whole_tables(case: ParserCase) -> None:
    """Tables are rectangles whose spans fit."""
    for name, data in case.good_files.items():
        report(case, "makes whole tables", name, find_table_faults(parse(case, name, data).document))


def warns_with_a_place(case: ParserCase) -> None:
    """Warnings have a stable code, a sentence and a place; what is lost is warned about."""
    for name, data in {**case.good_files, **case.lossy_files}.items():
        document = parse(case, name, data).document
        faults = find_warning_faults(document)
        if name in case.lossy_files and not any(warning.where for warning in document.warnings):
            faults.append("something of this file is lost and no warning says where")
        report(case, "warns with a place", name, faults)


def is_written_and_read_back(case: ParserCase) -> None:
    """The sidecar takes the document; read back and written again it is the same bytes."""
    for name, data in case.good_files.items():
        with tempfile.TemporaryDirectory(prefix="lrdoc-kit-") as kept:
            first, second = Path(kept) / "a", Path(kept) / "b"
            first.mkdir()
            second.mkdir()
            document = parse(case, name, data, assets=FolderAssets(first, name)).document
            info = FolderInfo("doc-kit", name, case.name, "2026-01-01T00:00:00.000000+00:00")
            try:
                write_document(document, info, first)
                again = read_folder(first)
                write_document(again.document, info, second, assets_from=again.assets)
            except LrdocError as e:
                raise broken(case, "is written and read back", f"{name}: {e}") from e
            for path in sorted(p.relative_to(first) for p in first.rglob("*") if p.is_file()):
                if not (second / path).is_file() or (first / path).read_bytes() != (second / path).read_bytes():
                    raise broken(case, "is written and read back", f"{name}: {path} is another after reading back")


def takes_its_parameters(case: ParserCase) -> None:
    """Every value that the schema allows is accepted, and the engine looks at every parameter that it declares."""
    known: set[str] = set()
    for spec in case.spec.params:
        files = [file for file in case.good_files.items() if not spec.only_for or _suffix(file[0]) in spec.only_for]
        name, data = (files or list(case.good_files.items()))[0]
        made: set[str] = set()
        for value in _values_to_try(spec):
            try:
                run = parse(case, name, data, params={spec.name: [value] if spec.repeated else value})
            except Exception as e:  # whatever another's engine raises breaks the promise
                message = f"{name}: {spec.name}={value} raised {type(e).__name__}: {e}"
                raise broken(case, "takes its parameters", message) from e
            known |= run.looked_at
            made.add(digest(run.document, run.assets))
        for name, data in files:
            if spec.name not in known:
                known |= parse(case, name, data).looked_at
        # Who takes them all at once, in code that the kit cannot watch, shows by the document that it knows them;
        # and what a service is told cannot be seen when its answer is there already.
        if files and spec.name not in known and len(made) < 2 and case.prepare is None:
            message = f"no good file made it look at {spec.name!r}: use it, leave it out, or add a file that needs it"
            raise broken(case, "takes its parameters", f"{files[0][0]}: {message}")


def _values_to_try(spec: ParamSpec) -> list[object]:
    values: list[object] = [spec.default]
    if spec.type is bool:
        values = [True, False]
    elif spec.choices:
        values = list(spec.choices)
    elif spec.type in (int, float):
        values += [spec.type(v) for v in (spec.minimum, spec.maximum) if v is not None]
    return [value for value in values if value is not None]


def stops_when_cancelled(case: ParserCase) -> None:
    """Asked to stop, the engine raises Cancelled within 0.2 seconds of work."""
    name, data = next(iter(case.good_files.items()))
    try:
        parse(case, name, data, cancelled=lambda: True)
    except Cancelled:
        pass
    else:
        message = f"{name}: a parse that was cancelled from the start went on; call context.check()"
        raise broken(case, "stops when cancelled", message)
    if case.large_file is None:
        return
    large, whole = _long_parse(case, case.large_file)
    # A busy machine or a garbage collection may hold up one run; an engine that does not look is late in all.
    problem = ""
    for _ in range(CANCEL_RUNS):
        problem = _cancelled_late(case, large, whole)
        if not problem:
            return
    raise broken(case, "stops when cancelled", problem)


def _long_parse(case: ParserCase, large_file: Callable[[int], bytes]) -> tuple[bytes, float]:
    """A file whose parse is long enough to be stopped late, whatever the speed of the machine, and its CPU time."""
    size = LARGE_BYTES
    while True:
        large = large_file(size)
        seconds = cpu_seconds(case, "large" + case.suffix, large)
        if seconds >= LONG_SECONDS or size >= LONGEST_BYTES:
            return large, seconds
        size = min(LONGEST_BYTES, int(size * min(4.0, max(1.5, 1.2 * LONG_SECONDS / max(seconds, 0.01)))))


def _cancelled_late(case: ParserCase, large: bytes, whole: float) -> str:
    """Cancel a parse after a quarter of its time; says what was wrong when it went on for too long."""
    looks: list[float] = []
    stop_at = cpu_clock() + whole / 4

    def cancelled() -> bool:
        now = cpu_clock()
        if now >= stop_at:
            looks.append(now)
        return bool(looks)

    stopped = False
    try:
        parse(case, "large" + case.suffix, large, cancelled=cancelled)
    except Cancelled:
        stopped = True
    end = cpu_clock()
    if not stopped and end - stop_at > CANCEL_SECONDS:
        return f"large{case.suffix}: it worked {end - stop_at:.2f} s after it was cancelled and finished"
    if stopped:
        looked = looks[0] if looks else end
        late = max(looked - stop_at, end - looked)
        if late > CANCEL_SECONDS:
            return f"large{case.suffix}: it looked at context.cancelled {late:.2f} s late"
    return ""


def survives_bad_input(case: ParserCase) -> None:
    """Broken files end in an error of lrdoc or in a document, soon. A document with nothing in it warns."""
    for name, data in bad_inputs(case).items():
        took = _survive(case, name, data)
        if took > BAD_FILE_SECONDS:
            # A busy machine may hold up one run.
            took = min(took, _survive(case, name, data))
        if exceeds(took, BAD_FILE_SECONDS):
            raise broken(case, "survives bad input", f"{name} took {took:.1f} s")


def _survive(case: ParserCase, name: str, data: bytes) -> float:
    """CPU time until a broken file has ended in a way that is allowed."""
    started = cpu_clock()
    silent = False
    try:
        document = parse(case, name, data).document
        silent = not (document.blocks or document.regions or document.warnings)
    except LrdocError:
        pass
    except Exception as e:  # that is the point
        message = f"{name} raised {type(e).__name__}: {e}; raise SourceError instead"
        raise broken(case, "survives bad input", message) from e
    if silent and data.strip():
        message = f"{name} gave an empty document without a warning; raise SourceError instead"
        raise broken(case, "survives bad input", message)
    return cpu_clock() - started


def keeps_its_budgets(case: ParserCase) -> None:
    """A full asset store is a warning or LimitExceeded; time and memory grow with the file and stay in bounds."""
    for name, data in case.good_files.items():
        assets = LimitedAssets(0)
        try:
            document = parse(case, name, data, assets=assets).document
        except LimitExceeded:
            continue
        except Exception as e:  # whatever another's engine raises breaks the promise
            message = f"{name}: with a full asset store it raised {type(e).__name__}: {e}"
            raise broken(case, "keeps its budgets", message) from e
        if assets.refused and not document.warnings:
            raise broken(case, "keeps its budgets", f"{name}: a picture was refused and no warning says so")
    if case.large_file is None:
        return
    half, whole = (case.large_file(size) for size in (LARGE_BYTES // 2, LARGE_BYTES))
    name = "large" + case.suffix
    fast, slow = cpu_seconds(case, name, half), cpu_seconds(case, name, whole)
    megabytes = len(whole) / 1e6
    allowed = case.seconds_per_mb * megabytes + 0.2
    for _ in range(BUDGET_RUNS - 1):
        if slow <= min(2.6 * fast + 0.05, allowed):
            break
        # A busy machine may hold up one run or another: the best of each counts.
        fast, slow = min(fast, cpu_seconds(case, name, half)), min(slow, cpu_seconds(case, name, whole))
    if slow > 2.6 * fast + 0.05:
        message = f"twice the bytes take {slow / fast:.1f} times the CPU ({fast:.2f} and {slow:.2f} s)"
        raise broken(case, "keeps its budgets", message)
    if exceeds(slow, allowed):
        raise broken(case, "keeps its budgets", f"{megabytes:.1f} MB take {slow:.2f} s of CPU")
    peak = peak_bytes(case, name, whole)
    if peak > case.memory_factor * len(whole) + ROOM_FOR_PYTHON:
        raise broken(case, "keeps its budgets", f"{megabytes:.1f} MB need {peak / 1e6:.0f} MB of memory")


PROMISES: tuple[Promise, ...] = (
    fits_the_registry,
    gives_a_document,
    leaves_the_world_alone,
    asks_no_network,
    is_deterministic,
    works_in_threads,
    knows_its_sources,
    closes_its_references,
    keeps_the_outline,
    makes_whole_tables,
    warns_with_a_place,
    is_written_and_read_back,
    takes_its_parameters,
    stops_when_cancelled,
    survives_bad_input,
    keeps_its_budgets,
)


def check_parser(case: ParserCase) -> list[PromiseBroken]:
    """Hold an engine to all promises; the list of those it breaks. For use without a test runner."""
    found: list[PromiseBroken] = []
    for promise in PROMISES:
        try:
            promise(case)
        except PromiseBroken as e:
            found.append(e)
        except Exception as e:  # an engine that cannot parse a good file ends most promises this way
            name = promise.__name__.replace("_", " ")
            error = broken(case, name, f"a good file raised {type(e).__name__}: {e}")
            error.__cause__ = e
            found.append(error)
    return found


def _suffix(name: str) -> str:
    return Path(name).suffix[1:].lower()


def broken(case: ParserCase, promise: str, message: str) -> PromiseBroken:
    return PromiseBroken(promise, case.name, message)


def report(case: ParserCase, promise: str, name: str, faults: list[str]) -> None:
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise broken(case, promise, f"{name}: {faults[0]}{more}")


def digest(document: Document, assets: MemoryAssets) -> str:
    """Digest of a document and its assets."""
    stored = sorted((name, hashlib.sha256(data).hexdigest()) for name, data in assets.files.items())
    value = [msgspec.to_builtins(document), stored]
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def digest_here(case: ParserCase, name: str, data: bytes, parser: Parser | None = None) -> str:
    run = parse(case, name, data, parser=parser)
    return digest(run.document, run.assets)


_ELSEWHERE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from pathlib import Path
from lrdoc.testing.promises import digest_by_impl
print(digest_by_impl(sys.argv[2], Path(sys.argv[3]), json.loads(sys.argv[4])))
"""


def digest_elsewhere(case: ParserCase, name: str, data: bytes, seed: str) -> str:
    """Digest made by another process; "" when the engine cannot be loaded there (a class inside a function)."""
    with tempfile.TemporaryDirectory(prefix="lrdoc-kit-") as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        params = json.dumps(fill(case.spec.params, case.params))
        command = [sys.executable, "-c", _ELSEWHERE, json.dumps(sys.path), case.spec.impl, str(path), params]
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": "KIT-13:30", "LC_ALL": "C.UTF-8", "LANGUAGE": "de"},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return done.stdout.split()[-1] if done.returncode == 0 else ""


def digest_by_impl(impl: str, path: Path, params: dict[str, object]) -> str:
    """Load an engine by "module:Class", parse one file and digest the document."""
    module, _, cls = impl.partition(":")
    parser: Parser = getattr(import_module(module), cls)()
    assets = MemoryAssets()
    document = parser.parse(SourceFile(path, path.name), params, ParseContext(assets))
    return digest(document, assets)


def bad_inputs(case: ParserCase) -> dict[str, bytes]:
    """Empty, cut, mutated and foreign bytes under the engine's own suffix."""
    suffix = case.suffix
    found = dict(case.bad_files)
    found["empty" + suffix] = b""
    found["nul" + suffix] = b"\0" * 4096
    found["png" + suffix] = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
    found["zip" + suffix] = b"PK\x03\x04" + bytes(range(256)) * 4
    found["deep_lists" + suffix] = b"[" * 100_000
    found["deep_tags" + suffix] = b"<a>" * 50_000
    found["not_utf8" + suffix] = b"\xff\xfe\xfd text \x80\x81" * 50
    source = random.Random(20260101)
    for name, data in some(case.good_files):
        stem = Path(name).stem
        for share in (1, 50, 90, 99):
            found[f"{stem}_cut_{share}{Path(name).suffix}"] = data[: len(data) * share // 100]
        for number in range(MUTATIONS):
            changed = bytearray(data)
            for _ in range(1 + number):
                if changed:
                    changed[source.randrange(len(changed))] = source.randrange(256)
            found[f"{stem}_mutated_{number}{Path(name).suffix}"] = bytes(changed)
    return found


def cpu_clock() -> float:
    """CPU time of this process and of those that it started and waited for."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def exceeds(seconds: float, limit: float) -> bool:
    """Whether so much CPU time is too much, for a machine as slow as this one is at the moment."""
    if seconds <= limit:
        return False

    def count() -> float:
        started = time.process_time()
        for _ in range(400_000):
            pass
        return time.process_time() - started

    slowness = min(count() for _ in range(3)) / USUAL_SECONDS
    return seconds > limit * max(1.0, slowness)


def cpu_seconds(case: ParserCase, name: str, data: bytes) -> float:
    started = cpu_clock()
    parse(case, name, data)
    return cpu_clock() - started


def peak_bytes(case: ParserCase, name: str, data: bytes) -> int:
    """Peak of Python's memory during a parse, what was there before taken off."""
    nested = tracemalloc.is_tracing()
    if not nested:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        parse(case, name, data)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not nested:
            tracemalloc.stop()
