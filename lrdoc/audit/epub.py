"""What an e-book shows: the documents of its spine, in order and each once."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lrdoc.audit.base import SourceReader, SourceText
from lrdoc.audit.docx_package import Package
from lrdoc.audit.html import decode_html, place, visible_html
from lrdoc.errors import SourceError

_DOCUMENTS = (".xhtml", ".html", ".htm", ".xml")


def read(path: Path, params: Mapping[str, Any]) -> SourceText:
    text = SourceText()
    with Package(path) as package:
        name = _package_document(package)
        root = package.xml(name)
        if root is None:
            raise SourceError(f"{path.name} has no readable package document")
        items: dict[str, tuple[str, str]] = {}
        spine: list[str] = []
        for element in root.iter():
            local = str(element.tag).rpartition("}")[2]
            if local == "item":
                items[str(element.get("id"))] = str(element.get("href") or ""), str(element.get("media-type") or "")
            elif local == "itemref":
                spine.append(str(element.get("idref")))
        folder = posixpath.dirname(name)
        for key in dict.fromkeys(spine):
            href, kind = items.get(key, ("", ""))
            target = posixpath.normpath(posixpath.join("/", folder, unquote(href.partition("#")[0]))).lstrip("/")
            stored = package.resolve(target) if href else None
            data = package.read(stored) if stored else None
            if stored is None or data is None or any(stretch.part == stored for stretch in text.stretches):
                continue
            if "html" in kind or "oeb1-document" in kind or "dtbook" in kind or stored.lower().endswith(_DOCUMENTS):
                visible_html(decode_html(data), text, stored)
    return text


def _package_document(package: Package) -> str:
    container = package.xml("META-INF/container.xml")
    for element in container.iter() if container is not None else ():
        found = package.resolve(str(element.get("full-path") or "").lstrip("/"))
        if found and str(element.tag).endswith("rootfile"):
            return found
    return next((name for name in package.names() if name.lower().endswith(".opf")), "")


READER = SourceReader(read, place)
