"""Parts and relationships of an OOXML package, read for counting."""

from __future__ import annotations

import hashlib
import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import unquote

from lxml import etree

from lrdoc.errors import LimitExceeded, SourceError

_STRICT = "http://purl.oclc.org/ooxml/"
_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    _STRICT + "wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    _STRICT + "officeDocument/math": "m",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    _STRICT + "officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    _STRICT + "drawingml/main": "a",
    "http://schemas.openxmlformats.org/drawingml/2006/picture": "pic",
    _STRICT + "drawingml/picture": "pic",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp",
    _STRICT + "drawingml/wordprocessingDrawing": "wp",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
    _STRICT + "drawingml/chart": "c",
    "http://schemas.openxmlformats.org/drawingml/2006/chartDrawing": "cdr",
    _STRICT + "drawingml/chartDrawing": "cdr",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
    _STRICT + "drawingml/diagram": "dgm",
    "http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas": "lc",
    _STRICT + "drawingml/lockedCanvas": "lc",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup": "wpg",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas": "wpc",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing": "wp14",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "http://schemas.microsoft.com/office/word/2012/wordml": "w15",
    "http://schemas.microsoft.com/office/drawing/2010/main": "a14",
    "http://schemas.microsoft.com/office/drawing/2008/diagram": "dsp",
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx",
    "http://schemas.microsoft.com/office/drawing/2016/SVG/main": "asvg",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
    "urn:schemas-microsoft-com:office:word": "w10",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://schemas.openxmlformats.org/package/2006/relationships": "pr",
}
UNDERSTOOD = frozenset(
    {
        *_PREFIXES,
        "http://schemas.microsoft.com/office/drawing/2007/8/2/chart",
        "http://schemas.microsoft.com/office/drawing/2012/chart",
        "http://schemas.microsoft.com/office/word/2006/wordml",
    }
)


MAX_UNPACKED = 1 << 30
"""Bytes of all members together that are looked at; more is no document but a trap."""
STROKES = frozenset(
    {
        "http://schemas.microsoft.com/office/word/2010/wordprocessingInk",
        "http://schemas.microsoft.com/office/drawing/2016/ink",
        "http://schemas.microsoft.com/office/drawing/2017/model3d",
    }
)
"""Ink and bodies: the picture that the Fallback holds stands for them."""
_MICROSOFT = ("http://schemas.microsoft.com/office/word/20", "http://schemas.microsoft.com/office/drawing/20")


def understood(uri: str) -> bool:
    """Whether a current Word takes the Choice that requires this namespace."""
    return uri in UNDERSTOOD or uri.startswith(_MICROSOFT)


class Names(dict[Any, str]):
    """Maps "{uri}local" to "prefix:local"; foreign names to "?:local", comments and instructions to ""."""

    def __missing__(self, tag: Any) -> str:
        if not isinstance(tag, str):
            return ""
        if tag[0] == "{":
            uri, local = tag[1:].split("}", 1)
            short = f"{_PREFIXES.get(uri, '?')}:{local}"
        else:
            short = tag
        self[tag] = short
        return short


names = Names()


def attributes(element: etree._Element) -> dict[str, str]:
    """Attributes under short names; of doubled ones the first."""
    found: dict[str, str] = {}
    for key, value in element.attrib.items():
        found.setdefault(names[key], str(value))
    return found


def attribute(element: etree._Element, name: str) -> str | None:
    """One attribute under its short name ("w:val"), or without prefix where the file leaves it out."""
    local = name.partition(":")[2]
    for key, value in element.attrib.items():
        if names[key] == name or key == local:
            return str(value)
    return None


@dataclass(frozen=True, slots=True)
class Relationship:
    id: str
    type: str
    """Last step of the type's address: "header", "image"."""
    target: str
    """Name of the part, or the address of an external target."""
    external: bool


class Package:
    """An open package. Parts are parsed when asked for and not kept."""

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        """`data`: the bytes of a package that lies inside another one; then `path` only names it."""
        try:
            self._zip = zipfile.ZipFile(path if data is None else io.BytesIO(data))
        except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise SourceError(f"cannot read {path.name} as a package: {error}") from error
        self._members: dict[str, str] = {}
        unpacked = sum(info.file_size for info in self._zip.infolist())
        if unpacked > MAX_UNPACKED:
            self._zip.close()
            raise LimitExceeded(f"{path.name} unpacks to {unpacked:,} bytes; at most {MAX_UNPACKED:,} are counted")
        for info in self._zip.infolist():
            if not info.is_dir():
                name = info.filename.replace("\\", "/").lstrip("/")
                self._members.setdefault(name, info.filename)
        self._folded = {name.casefold(): name for name in reversed(self._members)}
        self._types: dict[str, str] | None = None
        self._rels: dict[str, dict[str, Relationship]] = {}

    def __enter__(self) -> Package:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._zip.close()

    def names(self) -> list[str]:
        return list(self._members)

    def resolve(self, name: str) -> str | None:
        """The name under which the part is stored, looked up without regard to case."""
        if name in self._members:
            return name
        return self._folded.get(name.casefold())

    def read(self, name: str) -> bytes | None:
        stored = self.resolve(name)
        if stored is None:
            return None
        try:
            return self._zip.read(self._members[stored])
        except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError):
            return None

    def sha256(self, name: str) -> str | None:
        stored = self.resolve(name)
        if stored is None:
            return None
        digest = hashlib.sha256()
        try:
            with self._zip.open(self._members[stored]) as stream:
                while piece := stream.read(1 << 18):
                    digest.update(piece)
        except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError):
            return None
        return digest.hexdigest()

    def xml(self, name: str) -> etree._Element | None:
        """Root of a part; a damaged part as far as it can be read."""
        data = self.read(name)
        return parse_xml(data) if data is not None else None

    def content_type(self, name: str) -> str:
        if self._types is None:
            self._types = {}
            root = self.xml("[Content_Types].xml")
            for element in root if root is not None else ():
                kind = str(element.get("ContentType", "")).lower()
                if isinstance(element.tag, str) and element.get("PartName"):
                    self._types[str(element.get("PartName")).lstrip("/").casefold()] = kind
                elif isinstance(element.tag, str) and element.get("Extension"):
                    self._types["*." + str(element.get("Extension")).casefold()] = kind
        folded = name.casefold()
        return self._types.get(folded) or self._types.get("*." + folded.rpartition(".")[2], "")

    def relationships(self, part: str) -> dict[str, Relationship]:
        """Relationships of a part by id; "" for those of the package."""
        if part in self._rels:
            return self._rels[part]
        folder, base = posixpath.split(part)
        found: dict[str, Relationship] = {}
        root = self.xml(posixpath.join(folder, "_rels", base + ".rels"))
        for element in root.iter() if root is not None else ():
            if names[element.tag].rpartition(":")[2] != "Relationship":
                continue
            target = str(element.get("Target", ""))
            external = str(element.get("TargetMode", "")).lower() == "external"
            if not external:
                target = unquote(target.partition("#")[0]).replace("\\", "/")
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                target = self.resolve(target) or target
            kind = str(element.get("Type", "")).rstrip("/").rpartition("/")[2]
            found.setdefault(
                str(element.get("Id", "")), Relationship(str(element.get("Id", "")), kind, target, external)
            )
        self._rels[part] = found
        return found

    def main_part(self) -> str:
        """Name of the main document part."""
        for relationship in self.relationships("").values():
            if relationship.type == "officeDocument" and self.resolve(relationship.target):
                return relationship.target
        for name in self._members:
            if ".main+xml" in self.content_type(name):
                return name
        if self.resolve("word/document.xml"):
            return "word/document.xml"
        raise SourceError("the package has no main document part")


def parse_xml(data: bytes, *, entities: bool = False) -> etree._Element | None:
    """Parse without DTD or network; broken XML as far as it goes. On demand with entities that the file declares."""
    # The parser's own guard against entities that multiply stands only without huge_tree.
    huge = b"<!DOCTYPE" not in data and b"<!\x00" not in data
    for recover in (False, True):
        parser = etree.XMLParser(
            resolve_entities="internal" if entities else False,  # type: ignore[arg-type]
            no_network=True,
            load_dtd=False,
            huge_tree=huge,
            recover=recover,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            root = etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError):
            continue
        if root is not None:
            return root
    return None
