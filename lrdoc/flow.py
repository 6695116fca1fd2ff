"""The main flow: one file becomes one parsed folder.

Everything that decides or does comes in: the plan (routing made it), the parser (the registry made it), the time. What
comes out is one value with all that a store keeps of a document.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lrdoc.document import Document, ParseWarning
from lrdoc.errors import EmptyDocumentError, SourceError, UsageError
from lrdoc.parsers.base import ParseContext, Parser, SourceFile
from lrdoc.sidecar import commit
from lrdoc.sidecar.info import FolderInfo, SourceFacts, Written
from lrdoc.sidecar.merged import MARKER, read_merged
from lrdoc.sidecar.names import check_doc_id, make_doc_id
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document
from lrdoc.variables import variable

_PARSED_NAME = re.compile(r"\.parsed(_\d+)?$")
_OWN_FOLDER = "Name a folder of its own for the result, such as out/report.docx.parsed"


@dataclass(frozen=True, slots=True)
class FlowSettings:
    """Reproducible output."""

    source_date_epoch: int | None = variable(
        "SOURCE_DATE_EPOCH",
        None,
        "Written as `parse_time` instead of the clock, so that the same input gives the same bytes.",
        unit="seconds since 1970",
        minimum=0,
        maximum=253402300799,
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """What was decided about a file before it is opened."""

    canonical_name: str
    """File name without folder and without hint."""
    engine: str
    parse_engine: str
    """Stored form: the engine with its parameters, "native(toc=body)"."""
    process_options: str = ""
    """As asked for, "" = all defaults."""
    chunk_options: Mapping[str, Any] = field(default_factory=dict)
    """Slim snapshot: only the chosen strategy's parameters."""
    engine_params: Mapping[str, Any] = field(default_factory=dict)
    """All parameters of the engine, defaults filled in."""
    warnings: tuple[ParseWarning, ...] = ()
    """What the decision itself has to say: an option without effect, a hint that could not be followed."""


@dataclass(frozen=True, slots=True)
class Event:
    """How far a file is."""

    source: Path
    stage: str
    """parse, write, or a stage of the engine's own."""
    done: int
    total: int | None
    labels: Mapping[str, str]
    """What the caller gave to `parse_file`; nobody else looks into it."""


@dataclass(frozen=True, slots=True)
class StageSeconds:
    parse: float
    write: float


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All that a store keeps of a parsed file (public specification, 6.1), and the document itself."""

    source: Path
    """Where the file was found; its name holds the hint."""
    plan: Plan
    doc_id: str
    written: Written
    """Format, paths, hashes and counts; the paths are inside `parsed_dir`."""
    document: Document
    seconds: StageSeconds
    cached: bool = False
    """The engine used a bundle that it had fetched before."""
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def original_name(self) -> str:
        """The file's name with its hint; `plan.canonical_name` is without."""
        return self.source.name

    @property
    def parse_format(self) -> str:
        """lightrag or raw."""
        return self.written.parse_format

    @property
    def content_hash(self) -> str:
        """Equal for two files with the same content under different names."""
        return self.written.content_hash

    @property
    def document_path(self) -> Path:
        """The `.blocks.jsonl`, or the `.txt` of plain text."""
        path = self.written.blocks_path or self.written.text_path
        assert path is not None
        return path

    @property
    def warnings(self) -> tuple[ParseWarning, ...]:
        """Those of the decision and those of the parse; what both say of a parameter is said once."""
        said = {w.message.split(" ", 1)[0] for w in self.document.warnings if w.code == "parameter_ignored"}
        decided = [
            w for w in self.plan.warnings if w.code != "param_without_effect" or w.message.split(" ", 1)[0] not in said
        ]
        return (*decided, *self.document.warnings)

    def read_content(self) -> str:
        """The merged text as a store keeps it: with `{{LRdoc}}` before it when the format is lightrag.

        Read from the folder when asked for: a large document is not held twice.
        """
        if self.written.blocks_path is not None:
            return MARKER + read_merged(self.written.blocks_path)
        return self.document_path.read_bytes().decode()


def silent(event: Event) -> None:
    return None


def parse_file(
    path: Path,
    plan: Plan,
    parser: Parser,
    parsed_dir: Path,
    *,
    parse_time: str,
    doc_id: str = "",
    settings: Any = None,
    cache_dir: Path | None = None,
    force_reparse: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[Event], None] = silent,
    labels: Mapping[str, str] | None = None,
) -> ParsedFile:
    """Parse `path` into the folder `parsed_dir`, which is exchanged in one step when all is written.

    The source is left where it is. `parse_time` is written as it is; `settings` are the engine's own; `cache_dir` is
    where an engine may keep its raw bundle. On any error, cancellation or interrupt the old folder stands as it was and
    nothing else is left behind. Raises SourceError, LimitExceeded, EngineError, SidecarError or Cancelled, and
    UsageError when `parsed_dir` is a folder of something else.
    """
    kept = dict(labels or {})

    def tell(stage: str, done: int, total: int | None) -> None:
        progress(Event(path, stage, done, total, kept))

    source = SourceFile(path, plan.canonical_name)
    doc_id = check_doc_id(doc_id) if doc_id else make_doc_id(plan.canonical_name)
    facts = measure_source(path)
    check_target(path, parsed_dir)
    with commit.staging(parsed_dir) as folder:
        context = ParseContext(
            assets=FolderAssets(folder, plan.canonical_name),
            settings=settings,
            cancelled=cancelled,
            progress=tell,
            cache_dir=cache_dir,
            force_reparse=force_reparse,
        )
        tell("parse", 0, None)
        started = time.perf_counter()
        with reading(path):
            document = parser.parse(source, plan.engine_params, context)
        if not document.blocks and not document.regions:
            raise EmptyDocumentError(f"{path.name} holds nothing to extract")
        parsed = time.perf_counter()
        tell("write", 0, None)
        info = FolderInfo(
            doc_id=doc_id,
            document_name=plan.canonical_name,
            parse_engine=plan.engine,
            parse_time=parse_time,
            stored_engine=plan.parse_engine,
            process_options=plan.process_options,
            chunk_options=plan.chunk_options,
            source=facts,
        )
        written = write_document(document, info, folder)
        if written.text_path is None and not (written.blocks or written.regions):
            raise EmptyDocumentError(f"{path.name} holds nothing but white space")
        context.check()
    seconds = StageSeconds(parsed - started, time.perf_counter() - parsed)
    return ParsedFile(path, plan, doc_id, written.moved_to(parsed_dir), document, seconds, context.cached, kept)


def parse_time(settings: FlowSettings, now: datetime) -> str:
    """The time as it is written: UTC, microseconds; SOURCE_DATE_EPOCH instead of `now` when it is set."""
    if settings.source_date_epoch is not None:
        now = datetime.fromtimestamp(settings.source_date_epoch, UTC)
    return now.astimezone(UTC).isoformat(timespec="microseconds")


def measure_source(path: Path) -> SourceFacts:
    """Name, size and SHA-256 of a file, or of all files of a folder that is a document. Raises SourceError."""
    with reading(path):
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            files = [path]
        elif stat.S_ISDIR(mode):
            files = sorted(file for file in path.rglob("*") if file.is_file() and not file.is_symlink())
        else:
            raise SourceError(f"{path.name} is neither a file nor a folder")
        digest = hashlib.sha256()
        size = 0
        for file in files:
            if file is not path:
                digest.update(f"{file.relative_to(path).as_posix()}\0".encode("utf-8", "surrogateescape"))
            with file.open("rb") as data:
                while piece := data.read(1 << 20):
                    digest.update(piece)
                    size += len(piece)
    if size == 0:
        raise SourceError(f"{path.name} is empty")
    return SourceFacts(path.name, size, digest.hexdigest())


def check_target(path: Path, parsed_dir: Path) -> None:
    """Raise UsageError for a folder that must not be exchanged: it holds the source, or files but no document."""
    target = Path(os.path.realpath(parsed_dir))
    if Path(os.path.realpath(path)).is_relative_to(target):
        raise UsageError(f"{parsed_dir} holds the source {path.name} and would be replaced", hint=_OWN_FOLDER)
    if _PARSED_NAME.search(target.name) or not target.is_dir():
        return
    with reading(parsed_dir):
        names = [entry.name for entry in os.scandir(target)]
    if names and not any(name.endswith((".blocks.jsonl", ".source_map.json")) for name in names):
        raise UsageError(f"{parsed_dir} holds other files and would be replaced as a whole", hint=_OWN_FOLDER)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the system's errors about the source into SourceError."""
    try:
        yield
    except OSError as e:
        if not os.path.exists(path):  # noqa: PTH110 (Path.exists raises for long names)
            raise SourceError(f"{path} does not exist") from e
        raise SourceError(f"{path.name} cannot be read: {e.strerror or e}") from e
