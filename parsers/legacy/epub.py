"""EPUB: the chapters in the order of the spine (EPUB 3.3, 5.6–5.7), read as HTML."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from lrdoc.document import Source
from lrdoc.errors import EncryptedFileError, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.archive import Archive, open_archive
from lrdoc.parsers.legacy.html import declared_encoding, write_html
from lrdoc.parsers.legacy.output import TextOut
from lrdoc.parsers.legacy.plain import without_damage
from lrdoc.text.encodings import decode

_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_ENC = "{http://www.w3.org/2001/04/xmlenc#}"
_FONT_OBFUSCATION = {
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
}
_CHAPTERS = {"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml"}


def read_epub(source: SourceFile, out: TextOut) -> str:
    with open_archive(source.path, "epub", out.settings) as archive:
        _refuse_protected(archive, source)
        package_name = _package(archive, source)
        package = archive.xml(package_name)
        if package is None:
            raise SourceError(f"{source.name} names {package_name} as its package, which is not there")
        folder = posixpath.dirname(package_name)
        manifest = {
            item.get("id"): (item.get("href") or "", item.get("media-type") or "")
            for item in package.iter(_OPF + "item")
        }
        title = " ".join((package.findtext(f".//{_DC}title") or "").split())
        chapters = 0
        for reference in package.iter(_OPF + "itemref"):
            href, kind = manifest.get(reference.get("idref"), ("", ""))
            name = archive.find(posixpath.join("/", folder, unquote(href.partition("#")[0])))
            if name is None:
                out.warn(
                    "epub_missing_chapter", f"The spine names {href or reference.get('idref')}, which is not there."
                )
                continue
            if kind not in _CHAPTERS and not name.lower().endswith((".xhtml", ".html", ".htm", ".xml")):
                continue
            if not archive.is_first(name):
                out.warn("epub_repeated_chapter", f"The spine names {name} again; its text stands once.")
                continue
            chapters += 1
            data = archive.read(name)
            text = without_damage(decode(data, declared_encoding(data[:4096])), out, name)
            out.gap()
            write_html(text, out, Source(part=name, chapter=str(chapters)))
            out.gap()
        if not chapters:
            raise SourceError(f"{source.name} has no chapters in its spine", hint="The file may be damaged.")
    return title


def _package(archive: Archive, source: SourceFile) -> str:
    container = archive.xml("META-INF/container.xml")
    if container is not None:
        for root in container.iter(_CONTAINER + "rootfile"):
            found = archive.find(root.get("full-path") or "")
            if found is not None:
                return found
    for name in archive.names:
        if name.lower().endswith(".opf"):
            return name
    raise SourceError(f"{source.name} is not an EPUB: it has no package document", hint="Check its suffix.")


def _refuse_protected(archive: Archive, source: SourceFile) -> None:
    encryption = archive.xml("META-INF/encryption.xml")
    rights = archive.find("META-INF/rights.xml") is not None
    protected = False
    if encryption is not None:
        for data in encryption.iter(_ENC + "EncryptedData"):
            method = data.find(_ENC + "EncryptionMethod")
            if method is None or method.get("Algorithm") not in _FONT_OBFUSCATION:
                protected = True
    if protected or (rights and encryption is not None):
        raise EncryptedFileError(
            f"{source.name} is under digital rights management",
            hint="Its text cannot be read without the seller's program.",
        )
