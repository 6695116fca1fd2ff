"""The zip package: parts, relationships, content types, limits.

The file is opened once. Parts are found through relationships and content types, never by fixed names. A broken
relationship or part costs what it points to and gives a warning; only a missing main part ends the parse.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO
from urllib.parse import unquote

from lxml import etree

from lrdoc.document import Source
from lrdoc.errors import EncryptedFileError, LimitExceeded, SourceError
from lrdoc.parsers.docx.names import strict_to_transitional
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.parsers.docx.sniff import refuse_other_package, zip_mimetype

Warn = Callable[[str, str, Source | None], None]

_CONTENT_TYPES = "[content_types].xml"
PART_ERRORS: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)
"""What reading a damaged part may raise."""
_WORD_MAIN = re.compile(
    r"(wordprocessingml\.(document|template)|ms-word\.(document|template)\.macroEnabled).*main\+xml"
)
_DECLARED_ENCODING = re.compile(rb"""^(<\?xml[^>]*?)\s+encoding\s*=\s*["'][^"']*["']""")
_LIBXML_DEPTH = 2048
_PIECE = 1024 * 1024
"""Bytes of XML that are parsed between two looks whether to go on; some hundredths of a second."""
_SMALLEST_NODE, _USUAL_NODE = 4, 24
"""Bytes of "<a/>", and of an element or attribute in files that people make."""


@dataclass(frozen=True, slots=True)
class Rel:
    """One relationship of a part."""

    kind: str
    """Last word of its type: image, hyperlink, footnotes …"""
    target: str
    """Name of the part it leads to, or the address when it is external."""
    external: bool = False
    raw: str = ""
    """Target as written."""


def _parser(*, huge: bool, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=huge,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )


def _go_on() -> None:
    """Nobody wants to stop the work."""


@dataclass(slots=True)
class Budget:
    """What has been spent of the limits; shared by a package and the packages embedded in it."""

    settings: DocxSettings
    look: Callable[[], None] = _go_on
    """Called now and then during long work: `ParseContext.check`."""
    nodes: int = 0
    parts: int = 0
    total_bytes: int = 0
    xml_bytes: int = 0

    def spend_part(self, data: bytes, part: str) -> None:
        """Count an XML part before it is parsed, since a tree costs many times its text."""
        self.parts += 1
        if 0 < self.settings.max_parts < self.parts:
            raise LimitExceeded(
                f"More than {self.settings.max_parts} XML parts (DOCX_MAX_PARTS)",
                limit="DOCX_MAX_PARTS",
                where=part,
                hint="Raise DOCX_MAX_PARTS if the file is trusted.",
            )
        self.xml_bytes += len(data)
        if self.xml_bytes // _SMALLEST_NODE <= self.settings.max_nodes:
            # So few bytes cannot hold too many nodes: an estimate will do, since counting costs a tenth of parsing.
            self.nodes += len(data) // _USUAL_NODE
            return
        self.nodes += data.count(b"<") - data.count(b"</") + data.count(b'="') + data.count(b"='")
        if 0 < self.settings.max_nodes < self.nodes:
            raise LimitExceeded(
                f"More than {self.settings.max_nodes} XML elements and attributes (DOCX_MAX_NODES)",
                limit="DOCX_MAX_NODES",
                where=part,
                hint="Raise DOCX_MAX_NODES if the file is trusted.",
            )

    def spend_bytes(self, count: int, what: str) -> None:
        self.total_bytes += count
        limit = self.settings.max_uncompressed_bytes
        if 0 < limit < self.total_bytes:
            raise LimitExceeded(
                f"{what} unpacks to more than {limit} bytes (DOCX_MAX_UNCOMPRESSED_BYTES)",
                limit="DOCX_MAX_UNCOMPRESSED_BYTES",
                hint="Raise DOCX_MAX_UNCOMPRESSED_BYTES if the file is trusted.",
            )


@dataclass(slots=True)
class Package:
    """An open package. Use `Package.open`."""

    archive: zipfile.ZipFile
    name: str
    budget: Budget
    warn: Warn
    prefix: str = ""
    """Put before part names in provenance: the place of an embedded package inside its host."""
    main: str = ""
    """Name of the main document part."""
    _entries: dict[str, zipfile.ZipInfo] = field(default_factory=dict)
    _rels: dict[str, dict[str, Rel]] = field(default_factory=dict)
    _overrides: dict[str, str] = field(default_factory=dict)
    _defaults: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(
        cls,
        archive: zipfile.ZipFile,
        name: str,
        settings: DocxSettings,
        warn: Warn,
        *,
        budget: Budget | None = None,
        prefix: str = "",
    ) -> Package:
        """Check the limits of an open zip and find its main part."""
        package = cls(archive, name, budget or Budget(settings), warn, prefix)
        package._read_directory()
        package._read_content_types()
        package.main = package._find_main()
        return package

    # Parts

    def has(self, part: str) -> bool:
        return part.lower() in self._entries

    def size(self, part: str) -> int:
        """Unpacked bytes, 0 when the part is missing."""
        info = self._entries.get(part.lower())
        return info.file_size if info is not None else 0

    def parts(self) -> list[str]:
        """Names of all parts in the order of the zip directory."""
        return [_normal(info.filename) for info in self._entries.values()]

    def read(self, part: str) -> bytes | None:
        """Bytes of a part; None, with a warning, when they cannot be read."""
        info = self._entries.get(part.lower())
        if info is None:
            return None
        try:
            return self.archive.read(info)
        except PART_ERRORS as error:
            self._report_unreadable(part, error)
            return None

    def stream(self, part: str) -> IO[bytes] | None:
        """An open stream of a part; None when it is missing. Reading may raise zipfile.BadZipFile or zlib.error."""
        info = self._entries.get(part.lower())
        if info is None:
            return None
        try:
            return self.archive.open(info)
        except PART_ERRORS as error:
            self._report_unreadable(part, error)
            return None

    def content_type(self, part: str) -> str:
        """Content type of a part, "" when the package does not say."""
        key = part.lower()
        return self._overrides.get(key) or self._defaults.get(posixpath.splitext(key)[1][1:], "")

    def source(self, part: str, path: str = "") -> Source:
        """A place in a part, for warnings."""
        return Source(self.prefix + part, path)

    def _report_unreadable(self, part: str, error: Exception) -> None:
        self.warn("part_unreadable", f"This part of the package cannot be read: {error}", self.source(part))

    def xml(self, part: str) -> etree._Element | None:
        """Root element of an XML part. None when it is missing, unreadable or no XML, the last two with a warning."""
        data = self.read(part)
        if data is None:
            return None
        return self.parse(data, part)

    def parse(self, data: bytes, part: str) -> etree._Element | None:
        """Parse XML under the limits: no entities, no network, no comments or processing instructions."""
        data = strict_to_transitional(_to_utf8(data))
        self.budget.spend_part(data, part)
        huge = True
        if _may_declare(data):
            data = self._without_doctype(data, part)
            # Where a declaration hides behind a trick, the XML library's own limits stay on.
            huge = b"<!DOCTYPE" not in data
        try:
            return self._tree(data, _parser(huge=huge, recover=False))
        except etree.XMLSyntaxError as error:
            return self._repair(data, part, error)

    def _tree(self, data: bytes, parser: etree.XMLParser) -> etree._Element:
        self.budget.look()
        if len(data) <= 2 * _PIECE:
            return etree.fromstring(data, parser)
        for at in range(0, len(data), _PIECE):
            parser.feed(data[at : at + _PIECE])
            self.budget.look()
        root: etree._Element = parser.close()
        return root

    def _without_doctype(self, data: bytes, part: str) -> bytes:
        """XML without its document type and without references to what that declared; other text is kept."""
        data, found = drop_doctype(data)
        if found is not None:
            self.warn(
                "dtd_ignored",
                f"This part declares a document type, which Word documents never do; {found} entity references "
                "were left out",
                self.source(part),
            )
        return data

    def _repair(self, data: bytes, part: str, error: etree.XMLSyntaxError) -> etree._Element | None:
        if "Excessive depth" in str(error):
            raise LimitExceeded(
                f"XML elements are nested more than {_LIBXML_DEPTH} deep, the most that can be read",
                limit="DOCX_MAX_DEPTH",
                where=self.prefix + part,
            ) from error
        try:
            root: etree._Element | None = self._tree(data, _parser(huge=b"<!DOCTYPE" not in data, recover=True))
        except etree.XMLSyntaxError:
            root = None
        if root is None:
            self.warn("part_unreadable", f"This part is not XML: {error.msg}", self.source(part))
            return None
        self.warn(
            "xml_repaired",
            f"The XML of this part is damaged ({error.msg}); it was read as far as it goes, text may be missing",
            self.source(part),
        )
        return root

    # Relationships

    def rels(self, part: str) -> dict[str, Rel]:
        """Relationships of a part by id, in the order of the file."""
        known = self._rels.get(part)
        if known is None:
            known = self._rels[part] = self._read_rels(part)
        return known

    def rel(self, part: str, rel_id: str | None) -> Rel | None:
        return self.rels(part).get(rel_id) if rel_id else None

    def related(self, part: str, kind: str) -> str | None:
        """Name of the first part that a part is related to in this way, None when there is none in the package."""
        for rel in self.rels(part).values():
            if rel.kind == kind and not rel.external and self.has(rel.target):
                return rel.target
        return None

    def _read_rels(self, part: str) -> dict[str, Rel]:
        folder, name = posixpath.split(part)
        where = posixpath.join(folder, "_rels", f"{name}.rels")
        root = self.xml(where)
        found: dict[str, Rel] = {}
        if root is None:
            return found
        for element in root.iter("{*}Relationship"):
            rel_id, target = element.get("Id"), element.get("Target")
            if rel_id is None or target is None or rel_id in found:
                continue
            kind = element.get("Type", "").rstrip("/").rpartition("/")[2]
            if element.get("TargetMode", "").lower() == "external":
                found[rel_id] = Rel(kind, target, True, target)
            else:
                found[rel_id] = Rel(kind, self._resolve(folder, target), False, target)
        return found

    def _resolve(self, folder: str, target: str) -> str:
        path = target.replace("\\", "/").partition("#")[0]
        resolved = posixpath.normpath(path if path.startswith("/") else posixpath.join("/", folder, path)).lstrip("/")
        if not self.has(resolved) and self.has(unquote(resolved)):
            return unquote(resolved)
        return resolved

    # Opening

    def _read_directory(self) -> None:
        settings = self.budget.settings
        infos = self.archive.infolist()
        if 0 < settings.max_entries < len(infos):
            raise LimitExceeded(
                f"The package has {len(infos)} entries, more than {settings.max_entries} (DOCX_MAX_ENTRIES)",
                limit="DOCX_MAX_ENTRIES",
                hint="Raise DOCX_MAX_ENTRIES if the file is trusted.",
            )
        total = sum(info.file_size for info in infos)
        packed = sum(info.compress_size for info in infos)
        self.budget.spend_bytes(total, "The package")
        if any(info.flag_bits & 1 for info in infos):
            raise EncryptedFileError(f"{self.name} is a zip with encrypted entries", hint="Remove the password.")
        self._refuse_overlaps(infos)
        ratio = settings.max_compression_ratio
        if ratio > 0 and total > max(0, settings.ratio_floor_bytes) and total > ratio * max(1, packed):
            self.warn(
                "compression_ratio",
                f"The package unpacks to {total} bytes, {total // max(1, packed)} times its size "
                f"(DOCX_MAX_COMPRESSION_RATIO {ratio}); it was read because size and node limits hold",
                None,
            )
        for info in infos:
            if not info.is_dir():
                self._entries.setdefault(_normal(info.filename).lower(), info)

    def _refuse_overlaps(self, infos: list[zipfile.ZipInfo]) -> None:
        """Entries that share bytes are the trick of zip bombs that stay small; no program writes them."""
        end = 0
        for info in sorted(infos, key=lambda info: info.header_offset):
            if info.header_offset < end:
                raise SourceError(
                    f"{self.name} is a zip whose entries overlap, as only files made to do harm have them",
                    where=info.filename,
                )
            end = info.header_offset + 30 + info.compress_size

    def _read_content_types(self) -> None:
        info = self._entries.get(_CONTENT_TYPES)
        root = self.xml(_CONTENT_TYPES) if info is not None else None
        if root is None:
            return
        for element in root.iter("{*}Override"):
            self._overrides[element.get("PartName", "").lstrip("/").lower()] = element.get("ContentType", "")
        for element in root.iter("{*}Default"):
            self._defaults[element.get("Extension", "").lower()] = element.get("ContentType", "")

    def _find_main(self) -> str:
        candidates = [
            rel.target
            for rel in self._read_rels("").values()
            if rel.kind == "officeDocument" and not rel.external and self.has(rel.target)
        ]
        main = next((part for part in candidates if _WORD_MAIN.search(self.content_type(part))), None)
        if main is None:
            main = next(
                (part for part in self._overrides if _WORD_MAIN.search(self._overrides[part]) and self.has(part)), None
            )
        if main is None and self.has("word/document.xml"):
            main = "word/document.xml"
        if main is None and not any(self._is_other_office(part) for part in candidates):
            main = next(iter(candidates), None)
        if main is None:
            raise refuse_other_package(self.archive.namelist(), zip_mimetype(self.archive), self.name)
        return _normal(self._entries[main.lower()].filename)

    def _is_other_office(self, part: str) -> bool:
        kind = self.content_type(part)
        return "spreadsheetml" in kind or "presentationml" in kind or "ms-excel" in kind or "ms-powerpoint" in kind


def _normal(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")


def _to_utf8(data: bytes) -> bytes:
    """XML in UTF-16, which the packaging standard allows, as UTF-8; anything else as it is."""
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return data
    text = data.decode("utf-16", "replace").encode("utf-8", "replace")
    return _DECLARED_ENCODING.sub(rb"\1", text)


_FIRST_ELEMENT = re.compile(rb"<[^?!]")
_DOCTYPE_TOKEN = re.compile(rb"""["'\[\]>]|<!--|<\?""")
_OTHER_REFERENCE = re.compile(rb"&(?!(?:lt|gt|amp|apos|quot);)[^\s&;#<>\"']{1,200};")


def _may_declare(data: bytes) -> bool:
    """Whether anything but an XML declaration stands before the root element, and a document type somewhere."""
    match = _FIRST_ELEMENT.search(data)
    # What looks like an element may stand in a comment or processing instruction; then all of the data is searched.
    before = data[: match.start() if match is not None else len(data)]
    is_plain = b"<!" not in before and b"<?" not in before[5:] and before[:5] in (b"<?xml", b"")
    return not is_plain and b"<!DOCTYPE" in data


def drop_doctype(data: bytes) -> tuple[bytes, int | None]:
    """XML without its document type declaration, and how many entity references went with it.

    None when there is no declaration that ends: then the data is as it was. An XML library that reads the declaration
    has to guard against what entities can be made to do; without it they are nothing.
    """
    begin = data.find(b"<!DOCTYPE")
    at, depth = begin + 9, 0
    while begin >= 0 and (match := _DOCTYPE_TOKEN.search(data, at)) is not None:
        token, at = match[0], match.end()
        if token == b"[":
            depth += 1
        elif token == b"]":
            depth -= 1
        elif token == b">":
            if depth <= 0:
                rest, found = _OTHER_REFERENCE.subn(b"", data[at:])
                return data[:begin] + rest, found
        else:
            closing = {b"<!--": b"-->", b"<?": b"?>"}.get(token, token)
            end = data.find(closing, at)
            if end < 0:
                break
            at = end + len(closing)
    return data, None


def open_zip(data: bytes) -> zipfile.ZipFile:
    """Open a package that lies inside another one."""
    return zipfile.ZipFile(io.BytesIO(data))
