"""Engines behind a service: fetch a raw bundle once, keep it, and build the document from it as often as needed.

A bundle is the folder `<name>.<engine>_raw` beside the parsed folder. `_manifest.json` is written last: it is the mark
that the bundle is whole and the key under which it may be used again (public specification, 6.3). A bundle without a
manifest that fits is never used, however full the folder is.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from lrdoc.document import Document
from lrdoc.errors import EngineError, UnsupportedFormatError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.sidecar import commit

MANIFEST = "_manifest.json"
VERSION = "1.0"
MAX_MANIFEST_BYTES = 64 << 20
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class BundleKey:
    """What must be the same so that a bundle can be used again. Made from settings and parameters, without network."""

    options_signature: str
    """Digest of every option that changes what the service answers; see `sign`."""
    endpoint_signature: str = ""
    """Address of the service; "" is not compared."""
    engine_version: str = ""
    """Version that the user names; "" is not compared."""
    api_mode: str = ""
    """For services with several interfaces."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What `fetch` tells about the bundle it made."""

    critical_file: str
    """Path in the bundle of the file without which nothing can be built; its digest is checked on every use."""
    engine_version: str = ""
    """Version that the service reported."""
    task_id: str = ""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """JSON values for the manifest."""


def sign(options: Mapping[str, Any]) -> str:
    """Digest of JSON options; the order of the keys does not matter."""
    text = json.dumps(options, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class ServiceParser(ABC):
    """Base of engines that let a service do the work. Subclasses write `bundle_key`, `fetch` and `build`."""

    engine_name: ClassVar[str]

    @abstractmethod
    def bundle_key(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> BundleKey:
        """Under which conditions a bundle of this source may be used again."""

    @abstractmethod
    def fetch(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext, folder: Path) -> Fetched:
        """Ask the service and put its answer into `folder`, which is empty.

        The service sees `source.name`, never a name with a hint. Raises EngineError or Cancelled; nothing is kept then.
        """

    @abstractmethod
    def build(self, bundle: Path, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """The document of a bundle. Pure: the same bundle gives the same document, and no service is asked."""

    def wants_fresh(self, context: ParseContext) -> bool:
        """Whether a kept bundle is to be ignored; engines with a variable for it look there too."""
        return context.force_reparse

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """Use the kept bundle when it fits, else fetch one; then build."""
        if source.path.is_dir():
            raise UnsupportedFormatError(f"{source.name} is a folder; {self.engine_name} takes files")
        context.check()
        if context.cache_dir is None:
            with tempfile.TemporaryDirectory(prefix="lrdoc-") as folder:
                bundle = Path(folder)
                self._fetch(source, params, context, bundle)
                return self.build(bundle, source, params, context)
        key = self.bundle_key(source, params, context)
        if not self.wants_fresh(context) and not stale_reason(context.cache_dir, self.engine_name, key, source.path):
            context.cached = True
        else:
            with commit.staging(context.cache_dir) as folder_to_fill:
                self._fetch(source, params, context, folder_to_fill)
        return self.build(context.cache_dir, source, params, context)

    def replay(self, bundle: Path, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """The document of a bundle that somebody kept, without the service and whatever its key is."""
        reason = broken_reason(bundle)
        if reason:
            raise EngineError(f"the bundle {bundle.name} cannot be used: {reason}", hint="Fetch it again.")
        return self.build(bundle, source, params, context)

    def _fetch(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext, folder: Path) -> None:
        fetched = self.fetch(source, params, context, folder)
        context.check()
        write_manifest(folder, self.engine_name, self.bundle_key(source, params, context), fetched, source)


def write_manifest(
    folder: Path,
    engine: str,
    key: BundleKey,
    fetched: Fetched,
    source: SourceFile,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> None:
    """Mark a bundle as whole. Raises EngineError when its critical file is not there."""
    critical = folder / fetched.critical_file
    if not critical.is_file():
        raise EngineError(
            f"{engine} answered without {fetched.critical_file}",
            hint="See the service's log; another version may name its files otherwise.",
        )
    files = sorted(_files(folder))
    size, digest = hash_file(source.path)
    manifest = {
        "version": VERSION,
        "engine": engine,
        "api_mode": key.api_mode,
        "engine_version": fetched.engine_version or key.engine_version,
        "endpoint_signature": key.endpoint_signature,
        "options_signature": key.options_signature,
        "source_content_hash": f"sha256:{digest}",
        "source_size_bytes": size,
        "source_filename_at_parse": source.name,
        "task_id": fetched.task_id,
        "downloaded_at": now().isoformat(),
        "critical_file": {
            "path": fetched.critical_file,
            "size": critical.stat().st_size,
            "sha256": hash_file(critical)[1],
        },
        "files": [{"path": name, "size": (folder / name).stat().st_size, "sha256": None} for name in files],
        "total_size_bytes": sum((folder / name).stat().st_size for name in files),
        "extras": dict(fetched.extras),
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=1)
    commit.replace_file(folder / MANIFEST, text.encode("utf-8", "surrogateescape"))


def read_manifest(bundle: Path) -> dict[str, Any] | None:
    """The manifest of a bundle, None when there is none that can be read."""
    path = bundle / MANIFEST
    try:
        if path.stat().st_size > MAX_MANIFEST_BYTES:
            return None
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def stale_reason(bundle: Path, engine: str, key: BundleKey, source: Path) -> str:
    """Why a kept bundle cannot be used for this source and key; "" when it can."""
    manifest = read_manifest(bundle)
    if manifest is None:
        return "no manifest"
    if manifest.get("version") != VERSION or manifest.get("engine") != engine:
        return "of another engine or version of the format"
    try:
        size, digest = source.stat().st_size, ""
        if manifest.get("source_size_bytes") != size:
            return "the source has another size"
        digest = hash_file(source)[1]
    except OSError as e:
        return f"the source cannot be read: {e.strerror or e}"
    if manifest.get("source_content_hash") != f"sha256:{digest}":
        return "the source has changed"
    kept_mode = manifest.get("api_mode")
    if kept_mode and kept_mode != key.api_mode:
        return "fetched in another mode of the service"
    if manifest.get("options_signature") != key.options_signature:
        return "fetched with other options"
    for name, wanted in (("engine_version", key.engine_version), ("endpoint_signature", key.endpoint_signature)):
        kept = manifest.get(name)
        if kept and wanted and kept != wanted:
            return f"{name.partition('_')[0]} is another now"
    return _damage(bundle, manifest)


def broken_reason(bundle: Path) -> str:
    """Why a bundle is not whole, whoever it was fetched for; "" when it is."""
    manifest = read_manifest(bundle)
    return "it has no manifest" if manifest is None else _damage(bundle, manifest)


def _damage(bundle: Path, manifest: Mapping[str, Any]) -> str:
    critical = manifest.get("critical_file")
    if not isinstance(critical, dict) or not _is_whole(bundle, critical, check_digest=True):
        return "its main file is missing or changed"
    files = manifest.get("files")
    if not isinstance(files, list):
        return "its manifest lists no files"
    for entry in files:
        if not isinstance(entry, dict) or not _is_whole(bundle, entry, check_digest=False):
            return "a file is missing or changed"
    return ""


def _is_whole(bundle: Path, entry: Mapping[str, Any], *, check_digest: bool) -> bool:
    name = entry.get("path")
    if not isinstance(name, str) or not is_inside(name):
        return False
    path = bundle / name
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size != entry.get("size"):
            return False
        digest = entry.get("sha256")
        if check_digest or digest is not None:
            # Other implementations name the kind of digest.
            return isinstance(digest, str) and digest.removeprefix("sha256:") == hash_file(path)[1]
    except (OSError, ValueError):
        return False
    return True


def is_inside(name: str) -> bool:
    """Whether a path of a bundle or archive stays inside its folder."""
    path = PurePosixPath(name)
    bad = not name or "\\" in name or "\0" in name or ":" in name.split("/")[0]
    return not (bad or path.is_absolute() or ".." in path.parts)


def hash_file(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
            size += len(piece)
    return size, digest.hexdigest()


def _files(folder: Path) -> list[str]:
    found: list[str] = []
    for root, _, names in os.walk(folder):
        found += [(Path(root) / name).relative_to(folder).as_posix() for name in names if name != MANIFEST]
    return found
