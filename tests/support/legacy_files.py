"""Small files for the plain-text engine, and the engine in one call."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from lrdoc.document import Document, Text
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.legacy.parser import LegacyParser
from lrdoc.parsers.legacy.settings import LegacySettings
from lrdoc.testing.assets import NoAssets

HEADER = '<?xml version="1.0" encoding="UTF-8"?>'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
SHEET_NS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def read(path: Path, settings: LegacySettings | None = None) -> Document:
    context = ParseContext(NoAssets(), settings=settings or LegacySettings())
    return LegacyParser().parse(SourceFile(path, path.name), {}, context)


def text_of(document: Document) -> str:
    return "".join(part.text for part in document.blocks[0].parts if isinstance(part, Text))


def lines_of(path: Path, settings: LegacySettings | None = None) -> list[str]:
    return [line for line in text_of(read(path, settings)).split("\n") if line]


def codes(document: Document) -> list[str]:
    return [warning.code for warning in document.warnings]


def save(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def pack(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def rels(*entries: tuple[str, str, str]) -> str:
    xml = "".join(f'<Relationship Id="{a}" Type="{OFFICE}/{b}" Target="{c}"/>' for a, b, c in entries)
    return f'{HEADER}<Relationships xmlns="{RELS}">{xml}</Relationships>'


def workbook(
    path: Path,
    sheets: Mapping[str, str],
    *,
    strings: str = "",
    styles: str = "",
    states: Mapping[str, str] | None = None,
    extra: Mapping[str, str | bytes] | None = None,
    properties: str = "",
) -> Path:
    """A workbook; `sheets` is name → XML inside the worksheet element, `styles` XML inside styleSheet."""
    states = states or {}
    entries = "".join(
        f'<sheet name="{name}" sheetId="{i}" state="{states.get(name, "visible")}" r:id="rId{i}"/>'
        for i, name in enumerate(sheets, start=1)
    )
    book_rels = [(f"rId{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in range(1, len(sheets) + 1)]
    book_rels += [("rIdS", "sharedStrings", "sharedStrings.xml"), ("rIdT", "styles", "styles.xml")]
    parts: dict[str, str | bytes] = {
        "_rels/.rels": rels(("rId1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'{HEADER}<workbook xmlns="{SHEET_NS}" xmlns:r="{OFFICE}">{properties}'
        f"<sheets>{entries}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": rels(*book_rels),
        "xl/sharedStrings.xml": f'{HEADER}<sst xmlns="{SHEET_NS}">{strings}</sst>',
        "xl/styles.xml": f'{HEADER}<styleSheet xmlns="{SHEET_NS}">{styles}</styleSheet>',
    }
    for i, xml in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{i}.xml"] = (
            f'{HEADER}<worksheet xmlns="{SHEET_NS}" xmlns:r="{OFFICE}">{xml}</worksheet>'
        )
    parts.update(extra or {})
    return pack(path, parts)


def deck(path: Path, slides: list[str], extra: Mapping[str, str | bytes] | None = None) -> Path:
    """A presentation; each slide is the XML inside spTree."""
    names = (
        'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
        'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
        f'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:r="{OFFICE}"'
    )
    ids = "".join(f'<p:sldId id="{256 + i}" r:id="rId{i}"/>' for i in range(1, len(slides) + 1))
    parts: dict[str, str | bytes] = {
        "_rels/.rels": rels(("rId1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"{HEADER}<p:presentation {names}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": rels(
            *((f"rId{i}", "slide", f"slides/slide{i}.xml") for i in range(1, len(slides) + 1))
        ),
    }
    for i, xml in enumerate(slides, start=1):
        parts[f"ppt/slides/slide{i}.xml"] = (
            f"{HEADER}<p:sld {names}><p:cSld><p:spTree>{xml}</p:spTree></p:cSld></p:sld>"
        )
    parts.update(
        {name: data.replace("NAMES", names) if isinstance(data, str) else data for name, data in (extra or {}).items()}
    )
    return pack(path, parts)


def shape(*paragraphs: str, placeholder: str | None = None, alt: str = "") -> str:
    """A shape; a paragraph may carry its level as "1:text"."""
    ph = "" if placeholder is None else (f'<p:ph type="{placeholder}"/>' if placeholder else "<p:ph/>")
    body = ""
    for paragraph in paragraphs:
        level, _, text = (
            paragraph.rpartition(":") if paragraph[:1].isdigit() and paragraph[1:2] == ":" else ("0", "", paragraph)
        )
        body += f'<a:p><a:pPr lvl="{level}"/><a:r><a:t>{text}</a:t></a:r></a:p>'
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="n" descr="{alt}"/><p:cNvSpPr/><p:nvPr>{ph}</p:nvPr></p:nvSpPr>'
        f"<p:txBody>{body}</p:txBody></p:sp>"
    )


def odt(path: Path, body: str, styles: str = "", manifest: str = "") -> Path:
    names = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("draw", "drawing"),
            ("style", "style"),
            ("svg", "svg-compatible"),
            ("manifest", "manifest"),
        )
    )
    names += ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
    parts = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"{HEADER}<office:document-content {names}><office:body><office:text>{body}</office:text>"
        "</office:body></office:document-content>",
        "styles.xml": f"{HEADER}<office:document-styles {names}>{styles}</office:document-styles>",
        "META-INF/manifest.xml": f"{HEADER}<manifest:manifest {names}>{manifest}</manifest:manifest>",
    }
    return pack(path, parts)


def epub(path: Path, chapters: Mapping[str, str], extra: Mapping[str, str] | None = None) -> Path:
    """An EPUB whose spine has the chapters in their order; each is the XML inside body."""
    items = "".join(
        f'<item id="c{i}" href="{name}" media-type="application/xhtml+xml"/>' for i, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": f'{HEADER}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": f'{HEADER}<package xmlns="http://www.idpf.org/2007/opf" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>A Book</dc:title></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
    }
    for name, body in chapters.items():
        parts[f"OPS/{name}"] = (
            f'{HEADER}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{body}</body></html>'
        )
    parts.update(extra or {})
    return pack(path, parts)


def pdf(path: Path, pages: list[list[str]]) -> Path:
    """A PDF in one standard font, a line every 14 points."""
    objects: list[bytes] = [
        b"",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    kids = []
    for lines in pages:
        shown = b"".join(b"(" + line.encode("cp1252") + b") Tj T*\n" for line in lines)
        stream = b"BT /F1 11 Tf 14 TL 60 780 Td\n" + shown + b"ET"
        objects.append(b"<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream")
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % k for k in kids), len(kids))
    data = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return save(path, bytes(data))
