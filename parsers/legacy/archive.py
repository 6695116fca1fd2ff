"""Opens zip packages (pptx, xlsx, odt, epub) under limits and parses their XML without entities."""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from lxml import etree

from lrdoc.errors import EncryptedFileError, LimitExceeded, SourceError
from lrdoc.parsers.legacy.settings import LegacySettings

REL_NS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_STRICT = "http://purl.oclc.org/ooxml/"
_STRICT_NAME = re.compile(r"^\{http://purl\.oclc\.org/ooxml/(\w+)/")
_TRANSITIONAL = r"{http://schemas.openxmlformats.org/\1/2006/"
_ENCODING = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, RuntimeError)


def parse_xml(data: bytes, *, entities: bool = False) -> tuple[etree._Element | None, str]:
    """Root of an XML document and, when it is not well-formed, what is wrong with it; None when nothing can be read.

    No network, no DTD, no external entities. On demand entities that the document declares itself are filled in, and
    libxml2 stops what grows too much; parts of packages have none.
    """
    fault = ""
    for recover in (False, True):
        parser = etree.XMLParser(
            resolve_entities="internal" if entities else False,  # type: ignore[arg-type]
            no_network=True,
            load_dtd=False,
            huge_tree=not has_doctype(data),
            remove_comments=True,
            remove_pis=True,
            recover=recover,
        )
        try:
            root = etree.fromstring(_valid(data) if recover else data, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            fault = fault or str(error)
            continue
        if root is not None:
            return root, fault
    return None, fault


def _valid(data: bytes) -> bytes:
    """UTF-8 without broken bytes, which the parser would mark; other encodings as they are."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        return data
    declared = _ENCODING.match(data)
    if declared is not None and declared[1].lower() not in (b"utf-8", b"utf8"):
        return data
    return data.decode("utf-8", "ignore").encode("utf-8")


def has_doctype(data: bytes) -> bool:
    """Whether entities may be declared: then the limits of libxml2 have to stay."""
    return any(mark in data for mark in (b"<!DOCTYPE", b"<\0!\0D\0", b"\0<\0!\0D"))


def make_transitional(root: etree._Element) -> None:
    """Replace the namespaces of the strict form of Office files by the transitional ones (ISO 29500-4, annex A)."""
    for element in root.iter(etree.Element):
        if _STRICT in element.tag:
            element.tag = _STRICT_NAME.sub(_TRANSITIONAL, element.tag)
        for key in [str(key) for key in element.attrib if _STRICT in str(key)]:
            element.set(_STRICT_NAME.sub(_TRANSITIONAL, key), str(element.attrib.pop(key)))


class Archive:
    """An open package. Reading is bounded by what the limits allow, whatever the directory declares."""

    def __init__(self, zipped: zipfile.ZipFile, kind: str, settings: LegacySettings) -> None:
        self._zip = zipped
        self._kind = kind
        self._settings = settings
        self._left = settings.max_uncompressed_bytes if settings.max_uncompressed_bytes > 0 else None
        self.names = {self._plain(info.filename): info for info in zipped.infolist() if not info.is_dir()}
        self._folded = {name.lower(): name for name in self.names}
        self._met: set[str] = set()
        self._nodes = 0

    @staticmethod
    def _plain(name: str) -> str:
        return posixpath.normpath("/" + name.replace("\\", "/")).lstrip("/")

    def find(self, name: str) -> str | None:
        """The entry's name; case does not matter, as in the package conventions."""
        plain = self._plain(unquote(name))
        return plain if plain in self.names else self._folded.get(plain.lower())

    def is_first(self, part: str) -> bool:
        """Whether the part is asked for here for the first time: what is shown twice is written once."""
        if part in self._met:
            return False
        self._met.add(part)
        return True

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        info = self.names[name]
        if info.flag_bits & 1:
            raise EncryptedFileError(
                f"{name} in the {self._kind} file is encrypted", hint="Save the file without a password."
            )
        try:
            with self._zip.open(info) as stream:
                yield stream
        except _BROKEN as error:
            raise SourceError(f"{name} in the {self._kind} file cannot be unpacked: {error}", where=name) from error

    def read(self, name: str) -> bytes:
        """All bytes of an entry. Raises SourceError or LimitExceeded."""
        with self.open(name) as stream:
            data = stream.read() if self._left is None else stream.read(self._left + 1)
        if self._left is not None:
            self._left -= len(data)
            if self._left < 0:
                raise self._too_large()
        return data

    def _count_nodes(self, data: bytes, part: str) -> None:
        """A tree costs many times its text, so what one will hold is counted before."""
        limit = self._settings.max_nodes
        self._nodes += len(data) // 40 if len(data) < 4 * limit else data.count(b"<") + data.count(b"=")
        if 0 < limit < self._nodes:
            raise LimitExceeded(
                f"The {self._kind} file has more than {limit} XML elements and attributes",
                limit="DOCX_MAX_NODES",
                where=part,
                hint="Raise DOCX_MAX_NODES if the file is meant to be that large.",
            )

    def _too_large(self) -> LimitExceeded:
        return LimitExceeded(
            f"The {self._kind} file unpacks to more than {self._settings.max_uncompressed_bytes} bytes",
            limit="DOCX_MAX_UNCOMPRESSED_BYTES",
            hint="Raise DOCX_MAX_UNCOMPRESSED_BYTES if the file is meant to be that large.",
        )

    def xml(self, name: str) -> etree._Element | None:
        """Root of an XML entry, None when it is missing. Raises SourceError when nothing of it can be read."""
        found = self.find(name)
        if found is None:
            return None
        data = self.read(found)
        self._count_nodes(data, found)
        root, fault = parse_xml(data)
        if root is None:
            raise SourceError(f"{found} is not XML: {fault or 'it is empty'}", where=found)
        if isinstance(root.tag, str) and _STRICT in root.tag:
            make_transitional(root)
        return root

    def relationships(self, part: str) -> dict[str, tuple[str, str]]:
        """Relationships of a part: id → (last word of the type, target inside the package or address)."""
        folder, base = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", base + ".rels"))
        found: dict[str, tuple[str, str]] = {}
        if root is None:
            return found
        for rel in root.iter(REL_NS + "Relationship"):
            key, target = rel.get("Id"), rel.get("Target")
            if key is None or target is None:
                continue
            if rel.get("TargetMode") != "External":
                target = target if target.startswith("/") else posixpath.join("/", folder, target)
                target = self.find(target) or ""
            found[key] = ((rel.get("Type") or "").rsplit("/", 1)[-1], target)
        return found

    def main_part(self, usual: str, fault: str) -> str:
        """The part that an Office package names as its document, else the one of the usual name.

        Raises SourceError with the words `fault` when there is neither.
        """
        for kind, target in self.relationships("").values():
            if kind == "officeDocument" and target:
                return target
        found = self.find(usual)
        if found is None:
            raise SourceError(f"{fault}: no main part is named", hint="Check its suffix.")
        return found

    def core_title(self) -> str:
        """The title among the core properties of an Office package, in one line."""
        core = self.xml("docProps/core.xml")
        title = core.findtext("{http://purl.org/dc/elements/1.1/}title") if core is not None else None
        return " ".join((title or "").split())


@contextmanager
def open_archive(path: Path, kind: str, settings: LegacySettings) -> Iterator[Archive]:
    """Open a package of the given kind ("pptx").

    Raises SourceError (not a zip, truncated, another kind of file), EncryptedFileError, LimitExceeded.
    """
    with path.open("rb") as stream:
        head = stream.read(8)
        if head == _OLE2:
            raise EncryptedFileError(
                f"The file is encrypted or in the old binary format of Office, not a {kind} package",
                hint=f"Remove the password, or save the file as .{kind}.",
            )
        if not head.startswith(b"PK"):
            raise SourceError(
                f"The file is not a {kind} package: it does not begin like a zip archive", hint="Check its suffix."
            )
        try:
            zipped = zipfile.ZipFile(stream)
        except _BROKEN as error:
            raise SourceError(
                f"The {kind} file is damaged or truncated: {error}", hint="Get the file again."
            ) from error
        with zipped:
            _check_sizes(zipped, path.stat().st_size, kind, settings)
            yield Archive(zipped, kind, settings)


def _check_sizes(zipped: zipfile.ZipFile, packed: int, kind: str, settings: LegacySettings) -> None:
    entries = zipped.infolist()
    if 0 < settings.max_entries < len(entries):
        raise LimitExceeded(
            f"The {kind} file has {len(entries)} entries, more than {settings.max_entries}",
            limit="DOCX_MAX_ENTRIES",
            hint="Raise DOCX_MAX_ENTRIES if the file is meant to be that large.",
        )
    unpacked = sum(entry.file_size for entry in entries)
    if 0 < settings.max_uncompressed_bytes < unpacked:
        raise LimitExceeded(
            f"The {kind} file unpacks to {unpacked} bytes, more than {settings.max_uncompressed_bytes}",
            limit="DOCX_MAX_UNCOMPRESSED_BYTES",
            hint="Raise DOCX_MAX_UNCOMPRESSED_BYTES if the file is meant to be that large.",
        )
