"""Files that are text already, tables of values and XML of no known kind, for the plain-text engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.entities import html5
from pathlib import Path
from typing import Any

from lxml import etree

from lrdoc.audit.base import Place, SourceReader, SourceText, Stretch
from lrdoc.audit.docx_package import parse_xml
from lrdoc.audit.html import decode_html, guessed_encoding, visible_html
from lrdoc.audit.office import plain
from lrdoc.audit.written import Written
from lrdoc.errors import SourceError

_BOMS = ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xef\xbb\xbf", "utf-8"),
         (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))  # fmt: skip
_DECLARED = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)")
_CELL_MARKS = str.maketrans("", "", ',;\t|:"')
_NAME_OR_CDATA = re.compile(r"<!\[CDATA\[|\]\]>|&([A-Za-z][A-Za-z0-9]*);")
_ENTITY = re.compile(r"<!ENTITY\s+([A-Za-z][A-Za-z0-9]*)\s")
_XML_NAMES = ("amp", "lt", "gt", "quot", "apos")
_XHTML = "{http://www.w3.org/1999/xhtml}html"


def _data(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"cannot read {path.name}: {error.strerror}") from error


def text_of(data: bytes) -> str | None:
    """Text of bytes whose encoding is certain; None where the engine has to guess."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "ignore")
    found = _DECLARED.match(data)
    encodings = [found[1].decode("ascii")] if found else []
    if data[:400].count(b"\0") > len(data[:400]) // 4:
        encodings = ["utf-16-le" if data[1:2] == b"\0" else "utf-16-be"]
    for encoding in (*encodings, "utf-8"):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    return None


class _TextFile(SourceText):
    data: bytes = b""


def _read_text(path: Path, params: Mapping[str, Any]) -> SourceText:
    text = _TextFile()
    text.data = _data(path)
    text.stretches.append(Stretch("", "", "text", plain(text_of(text.data) or "")))
    return text


def _align_text(text: SourceText, written: Written) -> None:
    """A guess of the encoding is told by a warning; what is counted is that nothing is lost of what was read."""
    encoding = guessed_encoding(written)
    if isinstance(text, _TextFile) and encoding:
        text.stretches = [Stretch("", "", "text", plain(text.data.decode(encoding, "ignore").removeprefix("\ufeff")))]


def _align_cells(text: SourceText, written: Written) -> None:
    """Cells are what is left without the marks that separate and quote them."""
    _align_text(text, written)
    for stretch in text.stretches:
        first, _, rest = stretch.text.partition("\n")
        body = rest if re.fullmatch(r"sep=.\r?", first, re.IGNORECASE) else stretch.text
        stretch.text, stretch.kind = body.translate(_CELL_MARKS), "cell"
    for pieces in written.pieces.values():
        for piece in pieces:
            piece.text = piece.text.translate(_CELL_MARKS)


def _read_xml(path: Path, params: Mapping[str, Any]) -> SourceText:
    text = _TextFile()
    text.data = _data(path)
    decoded = text_of(text.data)
    data = text.data
    if decoded is not None:
        data = _named(re.sub(r"^\s*<\?xml.*?\?>", "", decoded, count=1, flags=re.DOTALL)).encode()
    root = parse_xml(data, entities=True)
    if root is None:
        raise SourceError(f"{path.name} is not XML")
    if root.tag == _XHTML:
        visible_html(decode_html(text.data), text)
    else:
        text.stretches.append(Stretch("", "", "text", plain("".join(_character_data(root)))))
    return text


def _named(xml: str) -> str:
    """Characters that only HTML gives a name, by number; not in CDATA, where `&` is no more than itself."""
    declared = {*_XML_NAMES, *_ENTITY.findall(xml)}
    in_cdata = False

    def number(match: re.Match[str]) -> str:
        nonlocal in_cdata
        if match[1] is None:
            in_cdata = match[0] != "]]>"
        elif not in_cdata and match[1] not in declared:
            return "".join(f"&#{ord(c)};" for c in html5.get(f"{match[1]};", "")) or match[0]
        return match[0]

    return _NAME_OR_CDATA.sub(number, xml)


def _character_data(root: etree._Element) -> list[str]:
    words: list[str] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        text = element.tail if event == "end" else element.text if isinstance(element.tag, str) else ""
        words.append(text or "")
    return words


def _nowhere(entry: Mapping[str, Any]) -> Place:
    """The whole file is one place."""
    return "", ""


TEXT = SourceReader(_read_text, _nowhere, _align_text)
CELLS = SourceReader(_read_text, _nowhere, _align_cells)
XML = SourceReader(_read_xml, _nowhere)
