"""One engine under test: its description, files to try it on, and a place where it is watched."""

from __future__ import annotations

import contextlib
import io
import locale
import logging
import os
import random
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from lrdoc.document import Asset, Document
from lrdoc.errors import LimitExceeded
from lrdoc.params import fill
from lrdoc.parsers.base import AssetSink, ParseContext, Parser, ParserSpec, SourceFile
from lrdoc.testing.assets import MemoryAssets

if TYPE_CHECKING:
    from _collections_abc import dict_items, dict_values


class PromiseBroken(AssertionError):
    """An engine does not keep a promise; the message names promise, engine and file."""

    def __init__(self, promise: str, engine: str, message: str) -> None:
        super().__init__(f"{engine} breaks the promise '{promise}': {message}")
        self.promise = promise


@dataclass(frozen=True, slots=True)
class ParserCase:
    """What the promises need to know of an engine."""

    spec: ParserSpec
    make: Callable[[], Parser]
    """A new instance of the engine."""
    good_files: Mapping[str, bytes]
    """Canonical name → bytes of small files, one of each kind, all of which parse."""
    lossy_files: Mapping[str, bytes] = field(default_factory=dict)
    """Files of which something cannot be kept: the engine warns and names the place."""
    bad_files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are broken in the ways of this format, beside those that the kit makes of the good ones."""
    large_file: Callable[[int], bytes] | None = None
    """A file of about so many bytes, for time, memory and cancellation. None: these are not looked at."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of every parse."""
    settings: Any = None
    """The engine's slice of the settings."""
    prepare: Callable[[SourceFile, Path], None] | None = None
    """Puts a recorded bundle into the cache folder, for engines behind a service."""
    seconds_per_mb: float = 5.0
    """CPU time that a megabyte of source may take."""
    memory_factor: float = 60.0
    """Peak of Python's memory as a multiple of the source's size."""

    @property
    def name(self) -> str:
        return self.spec.engine_name

    @property
    def suffix(self) -> str:
        """Suffix of the first good file."""
        return Path(next(iter(self.good_files))).suffix


@dataclass(slots=True)
class Run:
    """What came of one parse."""

    document: Document
    assets: MemoryAssets
    """What the engine stored; empty when the caller gave a sink of its own."""
    looked_at: frozenset[str]
    """Parameters that the engine looked at."""


class WatchedParams(dict[str, Any]):
    """Parameters that know which of them were looked at; who goes through all of them looked at all."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.looked_at: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.looked_at.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None, /) -> Any:
        self.looked_at.add(name)
        return super().get(name, default)

    def __iter__(self) -> Iterator[str]:
        self.looked_at.update(super().keys())
        return super().__iter__()

    def items(self) -> dict_items[str, Any]:
        self.looked_at.update(super().keys())
        return super().items()

    def values(self) -> dict_values[str, Any]:
        self.looked_at.update(super().keys())
        return super().values()


class LimitedAssets(MemoryAssets):
    """Refuses everything after the first `allowed` bytes, as a full budget does."""

    def __init__(self, allowed: int) -> None:
        super().__init__()
        self.allowed = allowed
        self.refused = 0

    def put(self, data: bytes | IO[bytes], suggested_name: str, *, max_bytes: int | None = None) -> Asset:
        content = data if isinstance(data, bytes) else data.read()
        if sum(map(len, self.files.values())) + len(content) > self.allowed:
            self.refused += 1
            raise LimitExceeded(f"{suggested_name} does not fit into the budget", limit="TEST_BUDGET")
        return MemoryAssets.put(self, content, suggested_name, max_bytes=max_bytes)


def parse(
    case: ParserCase,
    name: str,
    data: bytes,
    *,
    parser: Parser | None = None,
    params: Mapping[str, Any] | None = None,
    assets: AssetSink | None = None,
    cancelled: Callable[[], bool] | None = None,
    folder: Path | None = None,
) -> Run:
    """Parse one file in a folder of its own."""
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lrdoc-kit-")))
        path = folder / name
        if not path.exists():
            path.write_bytes(data)
        source = SourceFile(path, name)
        kept = MemoryAssets()
        context = ParseContext(assets=assets if assets is not None else kept, settings=case.settings)
        if cancelled is not None:
            context.cancelled = cancelled
        if case.prepare is not None:
            cache = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lrdoc-kit-"))) / "bundle"
            case.prepare(source, cache)
            context.cache_dir = cache
        filled = WatchedParams(fill(case.spec.params, {**case.params, **(params or {})}))
        try:
            document = (parser or case.make()).parse(source, filled, context)
        except SystemExit as e:
            raise RuntimeError(f"sys.exit({e.code!r}) was called") from e
        return Run(document, kept, frozenset(filled.looked_at))


def some(mapping: Mapping[str, bytes], limit: int = 3) -> Sequence[tuple[str, bytes]]:
    """The first few files."""
    return list(mapping.items())[:limit]


@contextlib.contextmanager
def no_network() -> Iterator[list[str]]:
    """Refuse every connection; the list tells where somebody wanted to go."""
    wanted: list[str] = []

    def refuse(_: Any, address: Any, *rest: Any) -> None:
        wanted.append(str(address))
        raise OSError("the kit allows no network")

    def refuse_name(host: Any, *rest: Any, **more: Any) -> None:
        wanted.append(str(host))
        raise OSError("the kit allows no network")

    kept = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo
    socket.socket.connect = refuse  # type: ignore[method-assign]
    socket.socket.connect_ex = refuse  # type: ignore[method-assign,assignment]
    socket.getaddrinfo = refuse_name  # type: ignore[assignment]
    try:
        yield wanted
    finally:
        socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo = kept  # type: ignore[method-assign]


@contextlib.contextmanager
def watched_output() -> Iterator[dict[str, str]]:
    """Catch what is printed and warned; filled in when the block ends."""
    said: dict[str, str] = {}
    out, err = io.StringIO(), io.StringIO()
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield said
    finally:
        sys.stdout, sys.stderr = kept
    said["printed"] = out.getvalue() + err.getvalue()
    said["warned"] = "; ".join(str(w.message) for w in caught if w.category is not ResourceWarning)


@contextlib.contextmanager
def place_of_its_own(folder: Path) -> Iterator[None]:
    """Work inside `folder`, with a folder for temporary files there, and with random numbers that nobody had before."""
    kept = Path.cwd(), tempfile.tempdir, random.getstate()
    temporary = folder / "tmp"
    temporary.mkdir()
    os.chdir(folder)
    tempfile.tempdir = str(temporary)
    random.seed()
    try:
        yield
    finally:
        random.setstate(kept[2])
        tempfile.tempdir = kept[1]
        os.chdir(kept[0])


def surroundings(folder: Path) -> dict[str, Any]:
    """What a pure engine leaves as it is."""
    files = {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in folder.rglob("*")}
    return {
        "temporary files": {name for name in files if name.startswith("tmp")},
        "files beside the source": files,
        "the current folder": Path.cwd(),
        "the environment": dict(os.environ),
        "the import path": list(sys.path),
        "the state of random": random.getstate(),
        "the locale": locale.setlocale(locale.LC_ALL),
        "the recursion limit": sys.getrecursionlimit(),
        "the handlers of logging": list(logging.root.handlers),
    }
