"""A tiny docx writer for benchmark inputs: XML snippets in, a package out."""

from __future__ import annotations

import random
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)
HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml."
OFFICE_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def png(width: int, height: int, seed: int, noise: bool = False) -> bytes:
    rnd = random.Random(seed)
    rows = b"".join(
        b"\0" + (rnd.randbytes(3 * width) if noise else bytes([(seed * 37) % 256, (y * 5) % 256, 128]) * width)
        for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Writer:
    """Makes paragraphs with running paraIds and writes the package."""

    def __init__(self) -> None:
        self._paraid = 0x10000000

    def p(self, *runs: str, ppr: str = "") -> str:
        self._paraid += 1
        ppr = f"<w:pPr>{ppr}</w:pPr>" if ppr else ""
        inner = "".join(x if x.startswith("<") else run(x) for x in runs)
        return f'<w:p w14:paraId="{self._paraid:08X}">{ppr}{inner}</w:p>'

    def h(self, text: str, level: int) -> str:
        return self.p(text, ppr=f'<w:pStyle w:val="Heading{level}"/>')

    def caption(self, text: str) -> str:
        return self.p(text, ppr='<w:pStyle w:val="Caption"/>')

    def item(self, text: str, num_id: int, level: int) -> str:
        return self.p(text, ppr=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num_id}"/></w:numPr>')

    def cell(self, text: str, tcpr: str = "") -> str:
        tcpr = f"<w:tcPr>{tcpr}</w:tcPr>" if tcpr else ""
        return f"<w:tc>{tcpr}{self.p(text)}</w:tc>"


def run(text: str, rpr: str = "") -> str:
    rpr = f"<w:rPr>{rpr}</w:rPr>" if rpr else ""
    return f'<w:r>{rpr}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def row(cells: Iterable[str], trpr: str = "") -> str:
    return f"<w:tr>{'<w:trPr>' + trpr + '</w:trPr>' if trpr else ''}{''.join(cells)}</w:tr>"


def table(rows: Iterable[str], columns: int) -> str:
    grid = '<w:gridCol w:w="2000"/>' * columns
    return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"


def picture(rel_id: str, number: int, alt: str) -> str:
    return (
        f'<w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><wp:docPr id="{number}" name="pic{number}" '
        f'descr="{escape(alt)}"/><a:graphic><a:graphicData '
        'uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>'
        f'<pic:cNvPr id="{number}" name="pic{number}.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>'
        f'<a:blip r:embed="{rel_id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr/></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def mr(text: str) -> str:
    return f"<m:r><m:t>{escape(text)}</m:t></m:r>"


def superscript(base: str, power: str) -> str:
    return f"<m:sSup><m:e>{mr(base)}</m:e><m:sup>{mr(power)}</m:sup></m:sSup>"


def math(content: str) -> str:
    return f"<m:oMath>{content}</m:oMath>"


def display_math(content: str) -> str:
    return f"<m:oMathPara>{math(content)}</m:oMathPara>"


def _styles() -> str:
    styles = ['<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>']
    styles += [
        f'<w:style w:type="paragraph" w:styleId="Heading{i}"><w:name w:val="heading {i}"/><w:basedOn w:val="Normal"/>'
        f'<w:pPr><w:outlineLvl w:val="{i - 1}"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>'
        for i in range(1, 10)
    ]
    styles.append('<w:style w:type="paragraph" w:styleId="Caption"><w:name w:val="caption"/></w:style>')
    return f"{HEADER}<w:styles {NAMESPACES}>{''.join(styles)}</w:styles>"


def _numbering() -> str:
    def level(k: int, kind: str, text: str) -> str:
        return f'<w:lvl w:ilvl="{k}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'

    decimal = "".join(level(k, "decimal", ".".join(f"%{j}" for j in range(1, k + 2))) for k in range(9))
    bullet = "".join(level(k, "bullet", "•") for k in range(9))
    lists = "".join(
        f'<w:abstractNum w:abstractNumId="{i}">{xml}</w:abstractNum>' for i, xml in enumerate((decimal, bullet))
    )
    nums = "".join(f'<w:num w:numId="{i + 1}"><w:abstractNumId w:val="{i}"/></w:num>' for i in range(2))
    return f"{HEADER}<w:numbering {NAMESPACES}>{lists}{nums}</w:numbering>"


def write(
    path: Path,
    body: str,
    media: Mapping[str, tuple[str, bytes]] | None = None,
    footnotes: Mapping[int, str] | None = None,
) -> None:
    """Write a package; media is {relationship id: (file name, bytes)}, footnotes {id: XML}."""
    parts: dict[str, str | bytes] = {"word/styles.xml": _styles(), "word/numbering.xml": _numbering()}
    rels = [("rIdS", "styles", "styles.xml"), ("rIdN", "numbering", "numbering.xml")]
    overrides = {"document": "document.main", "styles": "styles", "numbering": "numbering"}
    if footnotes:
        xml = "".join(f'<w:footnote w:id="{key}">{note}</w:footnote>' for key, note in footnotes.items())
        parts["word/footnotes.xml"] = f"{HEADER}<w:footnotes {NAMESPACES}>{xml}</w:footnotes>"
        rels.append(("rIdF", "footnotes", "footnotes.xml"))
        overrides["footnotes"] = "footnotes"
    for rel_id, (name, data) in (media or {}).items():
        parts[f"word/media/{name}"] = data
        rels.append((rel_id, "image", f"media/{name}"))
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{WORD_TYPE}{kind}+xml"/>'
        for name, kind in overrides.items()
    )

    def relationships(entries: Iterable[tuple[str, str, str]]) -> str:
        xml = "".join(f'<Relationship Id="{a}" Type="{OFFICE_REL}{b}" Target="{c}"/>' for a, b, c in entries)
        uri = "http://schemas.openxmlformats.org/package/2006/relationships"
        return f'{HEADER}<Relationships xmlns="{uri}">{xml}</Relationships>'

    package: dict[str, str | bytes] = {
        "[Content_Types].xml": f'{HEADER}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Default Extension="png" ContentType="image/png"/>{types}</Types>',
        "_rels/.rels": relationships([("rId1", "officeDocument", "word/document.xml")]),
        "word/document.xml": f"{HEADER}<w:document {NAMESPACES}><w:body>{body}<w:sectPr/></w:body></w:document>",
        "word/_rels/document.xml.rels": relationships(rels),
        **parts,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in package.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
