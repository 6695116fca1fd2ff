# ruff: noqa: E501
"""Files for the plain-text engine: packages with changed parts, and texts with changed bytes and repeated pieces.

Besides what every kind must not do, a text that comes out may not hold control codes or replacement characters that
the file does not hold.
"""

from __future__ import annotations

import random
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import legacy_files as b
from shared_files import shared_dir
from xml_mutations import mutate_bytes, mutate_xml
from zip_mutations import mutate_package, unpack

from lrdoc.errors import LrdocError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.legacy import parser as legacy_parser
from lrdoc.parsers.legacy.output import TextOut
from lrdoc.testing.assets import MemoryAssets

_LARGEST_SEED = 150_000
_LARGEST_PART = 400_000
_CODES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_REPLACEMENT = "\ufffd"


class Recorded(TextOut):
    """Remembers what was written, so that a refusal after the first text counts as one in the walk."""

    last: TextOut | None = None

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        Recorded.last = self


class LegacyKind:
    """One suffix. `main` is the part of a package that is changed most often."""

    suffix = ""
    main = ""
    quick_count = 150

    def built(self) -> list[bytes]:
        """Small files with every kind of content."""
        return []

    def seeds(self) -> Sequence[tuple[str, bytes]]:
        found = [(f"builder {number}", data) for number, data in enumerate(self.built())]
        shared = shared_dir()
        for path in sorted((shared / "corpus").rglob(f"*.{self.suffix}")) if shared is not None else ():
            data = path.read_bytes()
            if len(data) <= _LARGEST_SEED and self._is_good(path, data):
                found.append((path.name, data))
        return found

    def _is_good(self, path: Path, data: bytes) -> bool:
        if self.main:
            try:
                if any(len(part) > _LARGEST_PART for part in unpack(data).values()):
                    return False
            except (OSError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error):
                return False
        try:
            self.parse(path)
        except LrdocError:
            return False
        return True

    def mutate(self, data: bytes, rng: random.Random) -> bytes:
        if rng.random() < 0.05:
            return data[: rng.randint(1, max(1, len(data)))]
        return mutate_package(data, rng, self.main)

    def parse(self, path: Path) -> bool:
        legacy_parser.TextOut = Recorded  # type: ignore[misc]
        Recorded.last = None
        try:
            document = legacy_parser.LegacyParser().parse(SourceFile(path, path.name), {}, ParseContext(MemoryAssets()))
        except LrdocError as error:
            error.reached_walk = bool(Recorded.last and Recorded.last.parts)  # type: ignore[attr-defined]
            raise
        text = "".join(getattr(part, "text", "") for part in document.blocks[0].parts)
        found = _CODES.search(text)
        assert found is None, f"control code {found.group()!r} in the text"
        assert _REPLACEMENT not in text or self._holds_replacement(path), "replacement character in the text"
        return True

    def _holds_replacement(self, path: Path) -> bool:
        data = path.read_bytes()
        marks = (_REPLACEMENT.encode(), b"&#65533;", b"&#xFFFD;", b"\\u-3;", b"\\u65533")
        parts = unpack(data).values() if self.main else (data,)
        return any(mark in part or mark.lower() in part.lower() for part in parts for mark in marks)


def _saved(make: Callable[..., Path], *arguments: Any, **options: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return make(Path(folder) / "x", *arguments, **options).read_bytes()


class PptxKind(LegacyKind):
    suffix, main = "pptx", "ppt/slides/slide1.xml"

    def built(self) -> list[bytes]:
        cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
        frame = "<p:graphicFrame><a:graphic><a:graphicData>{}</a:graphicData></a:graphic></p:graphicFrame>"
        table = f"<a:tbl><a:tr>{cell.format('a')}{cell.format('b')}</a:tr><a:tr>{cell.format('c')}</a:tr></a:tbl>"
        tree = (
            b.shape("Title", placeholder="title")
            + f"<p:grpSp>{b.shape('in', '1:deep')}<p:grpSp>{b.shape('deeper')}</p:grpSp></p:grpSp>"
            + frame.format(table)
            + frame.format('<c:chart r:id="rIdC"/>')
            + frame.format('<dgm:relIds r:dm="rIdD"/>')
            + f'<mc:AlternateContent><mc:Choice Requires="p">{b.shape("x")}</mc:Choice><mc:Fallback/></mc:AlternateContent>'
        )
        point = '<c:pt idx="{}"><c:v>{}</c:v></c:pt>'
        cache = "<c:strRef><c:strCache>" + point.format(0, "q") + point.format(1, "r") + "</c:strCache></c:strRef>"
        extra = {
            "ppt/slides/_rels/slide1.xml.rels": b.rels(
                ("rIdC", "chart", "../c.xml"), ("rIdD", "diagramData", "../d.xml"), ("rIdN", "notesSlide", "../n.xml")
            ),
            "ppt/c.xml": f"{b.HEADER}<c:chartSpace NAMES><c:chart><c:plotArea><c:barChart><c:ser><c:tx>{cache}</c:tx>"
            f"<c:cat>{cache}</c:cat><c:val>{cache}</c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>",
            "ppt/d.xml": f'{b.HEADER}<dgm:dataModel NAMES><dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="1">'
            '<dgm:t><a:p><a:r><a:t>n</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" '
            'destId="1" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>',
            "ppt/n.xml": f"{b.HEADER}<p:notes NAMES><p:cSld><p:spTree>{b.shape('n')}</p:spTree></p:cSld></p:notes>",
        }
        return [_saved(b.deck, [tree, b.shape("two")], extra)]


class XlsxKind(LegacyKind):
    suffix, main = "xlsx", "xl/worksheets/sheet1.xml"

    def built(self) -> list[bytes]:
        codes = (
            "#,##0.00",
            "yyyy-mm-dd hh:mm",
            "[h]:mm:ss",
            "0.0%",
            "# ??/??",
            "0.00E+00",
            '"a"0;[Red]-0;;@',
            "[<5]0;General",
        )
        formats = "".join(
            f'<numFmt numFmtId="{170 + i}" formatCode="{escape(c, {chr(34): "&quot;"})}"/>' for i, c in enumerate(codes)
        )
        styles = "<xf/>" + "".join(f'<xf numFmtId="{170 + i}"/>' for i in range(len(codes)))
        rows = "".join(
            f'<row r="{r}"><c r="A{r}" t="s"><v>{r % 2}</v></c>'
            + "".join(f'<c r="{"BCDEFGHI"[i]}{r}" s="{i + 1}"><v>{r * 1234.5678 * (-1) ** i}</v></c>' for i in range(8))
            + "</row>"
            for r in range(1, 6)
        )
        sheet = (
            f'<sheetData>{rows}<row r="9"><c r="B9" t="b"><v>1</v></c><c r="C9" t="e"><v>#N/A</v></c><c r="D9" t="inlineStr">'
            '<is><r><t>in</t></r></is></c></row></sheetData><mergeCells><mergeCell ref="A2:A4"/></mergeCells>'
            "<headerFooter><oddHeader>&amp;Ltop&amp;P</oddHeader></headerFooter>"
        )
        strings = "<si><t>one</t></si><si><r><t>tw</t></r><r><t>o_x0041_</t></r></si>"
        names = f'xmlns="{b.SHEET_NS}"'
        extra = {
            "xl/worksheets/_rels/sheet1.xml.rels": b.rels(("rId1", "comments", "../comments.xml")),
            "xl/comments.xml": f"{b.HEADER}<comments {names}><authors><author>A</author></authors><commentList>"
            '<comment ref="B2" authorId="0"><text><t>c</t></text></comment></commentList></comments>',
        }
        styles = f"<numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs>"
        return [_saved(b.workbook, {"S": sheet, "T": sheet}, strings=strings, styles=styles, extra=extra)]


class OdtKind(LegacyKind):
    suffix, main = "odt", "content.xml"

    def built(self) -> list[bytes]:
        body = (
            '<text:tracked-changes/><text:h text:outline-level="1">H</text:h><text:p>a<text:s text:c="3"/>b<text:tab/>c'
            "<text:line-break/><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>n</text:p>"
            "</text:note-body></text:note> f<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>"
            "</text:p><text:list><text:list-item><text:p>i</text:p><text:list><text:list-item><text:p>j</text:p>"
            "</text:list-item></text:list></text:list-item></text:list><table:table><table:table-row>"
            '<table:table-cell table:number-columns-repeated="3"><text:p>x</text:p></table:table-cell><table:table-cell '
            'table:number-columns-repeated="5"/><table:covered-table-cell/></table:table-row></table:table>'
            "<text:section><text:p>s</text:p></text:section><office:annotation><dc:creator>c</dc:creator><text:p>k</text:p>"
            "</office:annotation>"
        )
        styles = (
            "<office:master-styles><style:master-page><style:header><text:p>T</text:p></style:header>"
            "</style:master-page></office:master-styles>"
        )
        return [_saved(b.odt, body, styles)]


class EpubKind(LegacyKind):
    suffix, main = "epub", "OPS/a.xhtml"

    def built(self) -> list[bytes]:
        return [_saved(b.epub, {"a.xhtml": _PAGE, "b.xhtml": "<h1>Two</h1><p>words</p>"})]


_PAGE = (
    "<h1>One</h1><p>Plain <b>bold</b> <i>words</i><br/>next</p><ul><li>a<ul><li>b</li></ul></li></ul><ol start='3'><li>c</li>"
    "</ol><table><tr><th colspan='2'>h</th></tr><tr><td rowspan='2'>x</td><td>y<table><tr><td>z</td></tr></table></td></tr>"
    "<tr><td>w</td></tr></table><pre>  kept\n   so</pre><div style='display:none'>not</div><img alt='pic'/>"
    "<input value='v'/><input type='checkbox' checked='checked'/><select><option>o</option></select><details><summary>s"
    "</summary>d</details>"
)


class TextKind(LegacyKind):
    """Files without parts: pieces are changed, doubled many times, nested, cut off."""

    pieces: tuple[bytes, ...] = ()

    def mutate(self, data: bytes, rng: random.Random) -> bytes:
        for _ in range(rng.choice((1, 1, 2, 3, 6))):
            kind = rng.random()
            at = rng.randrange(len(data)) if data else 0
            if kind < 0.4 and self.pieces:
                piece = rng.choice(self.pieces) * rng.choice((1, 1, 2, 5, 50, 3000))
                data = data[:at] + piece + data[at:]
            elif kind < 0.5:
                end = min(len(data), at + rng.randint(1, 200))
                data = data[:at] + data[at:end] * rng.choice((2, 20, 400)) + data[end:]
            else:
                data = mutate_bytes(data, rng) or b"x"
        return data[: rng.randint(1, max(1, len(data)))] if rng.random() < 0.05 else data


class HtmlKind(TextKind):
    suffix = "html"
    pieces = (
        b"<div>", b"</div>", b"<table>", b"<tr>", b"<td>", b"<td rowspan=65000 colspan=1000>", b"<ul><li>", b"<pre>", b"<script>",
        b"<!--", b"]]>", b"<svg>", b"<math>", b"<template>", b"<b><i><p>", b"&#0;&#xD800;&#x80;&amp;lt;", b"<input value=",
        b"<select><option>", b"\x00\x01\x02", b"\xff\xfe", b"<a href='", b"<plaintext>", b"<title>", b"</body>", b"<ol start=-9>",
        b"<li value=999999999999>", b"<meta charset=utf-16>", b"<frameset>", b"\xe2\x80\xae", b"<p hidden>",
    )  # fmt: skip

    def built(self) -> list[bytes]:
        return [f"<!DOCTYPE html><title>T</title><body>{_PAGE}".encode(), f"<meta charset=koi8-r>{_PAGE}".encode()]


class RtfKind(TextKind):
    suffix = "rtf"
    pieces = (
        b"{", b"}", b"\\", b"{\\*\\x ", b"\\bin99999999999 ", b"\\bin5 ", b"\\u-10179?\\u-8704?", b"\\u55357", b"\\uc9999 ", b"\\uc0 ",
        b"\\'", b"\\'ff", b"\\f99", b"\\fcharset128", b"\\trowd\\intbl a\\cell b\\cell\\row", b"\\nestcell\\nestrow", b"\\v ", b"\\par ",
        b"{\\footnote \\chftn n}", b"{\\header h}", b"\\ansicpg65001 ", b"\\ansicpg932 ", b"\\plain\\pard", b"{\\pict ", b"{\\fonttbl",
        b"\\u99999999999?", b"\\0\\1", b"\x00\x07\xff",
    )  # fmt: skip

    def built(self) -> list[bytes]:
        return [
            rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fcharset128 MS;}{\f2\fcharset204 T;}}"
            rb"{\colortbl;\red1;}{\stylesheet{\s1 h;}}{\info{\title T}}\pard Hello \b bold\b0  w\'f6rds \u8364?\par"
            rb"\f1\'83\'65\f2\'cf\f0\trowd\cellx1\intbl a\cell b\cell\row\pard one{\super\chftn}{\footnote\pard{\super\chftn} n}"
            rb"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}{\pict\pngblip 8950}\par{\header top}{\v no}\par end}"
        ]


class CsvKind(TextKind):
    suffix = "csv"
    pieces = (
        b'"',
        b'""',
        b",",
        b";",
        b"\t",
        b"|",
        b"\n",
        b"\r",
        b"\r\n",
        b"sep=;\n",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xe9",
    )

    def built(self) -> list[bytes]:
        return [b'a,b,c\n1,"x, ""y""",3\n"line\nbreak",5,6\n', "n;größe;m\n1;2,5;3\n".encode("cp1252"), b"a\tb\n1\t2\n"]


class XmlKind(TextKind):
    suffix = "xml"
    pieces = (
        b"<a>",
        b"</a>",
        b"<!--",
        b"<![CDATA[",
        b"]]>",
        b"&x;",
        b"&#0;",
        b"&#xFFFE;",
        b"<?p",
        b"\x00",
        b"\xff",
        b'<a b="',
    )

    def built(self) -> list[bytes]:
        return [
            b'<?xml version="1.0" encoding="ISO-8859-1"?><r><t>caf\xe9</t><p>mixed <b>words</b> here</p><e/><l>1</l></r>',
            b"<r xmlns='urn:x'>" + b"<i><n>name</n><v>1</v></i>" * 30 + b"</r>",
        ]

    def mutate(self, data: bytes, rng: random.Random) -> bytes:
        return mutate_xml(data, rng, rng.choice((1, 2, 6))) if rng.random() < 0.5 else super().mutate(data, rng)


class TxtKind(TextKind):
    suffix = "txt"
    pieces = (
        b"\x00",
        b"\x1b[31m",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xe2\x80\xa8",
        b"\x0c",
        b"\x85",
        b"\xef\xbf\xbe",
        b"\r",
    )

    def built(self) -> list[bytes]:
        text = (
            "Plain wörds, in äny länguage.\nТекст по-русски и ещё немного слов.\n日本語の文章です。これは試験です。\n"
        )
        codecs = ("utf-8", "utf-16", "utf-16-le", "utf-32")
        return [text.encode(c) for c in codecs] + [
            text.split("\n")[1].encode("cp1251"),
            text.split("\n")[2].encode("cp932"),
        ]


class PdfKind(LegacyKind):
    """Objects are changed in the open: numbers, names and references of dictionaries; streams byte by byte."""

    suffix = "pdf"

    def built(self) -> list[bytes]:
        return [_saved(b.pdf, [["Header", f"Line of page {n}", "more words", "Footer"] for n in range(6)])]

    def mutate(self, data: bytes, rng: random.Random) -> bytes:
        for _ in range(rng.choice((1, 1, 2, 4, 8))):
            kind = rng.random()
            tokens = list(re.finditer(rb"(?<![\w.])\d{1,10}(?![\w.])|/[A-Za-z]{2,20}", data))
            if kind < 0.7 and tokens:
                one, other = rng.choice(tokens), rng.choice(tokens)
                new = rng.choice((other.group(), b"0", b"-1", b"99999999999", str(rng.randrange(30)).encode(), b"null"))
                data = data[: one.start()] + new + data[one.end() :]
            elif kind < 0.75:
                data = data[: rng.randint(1, max(1, len(data)))]
            else:
                data = mutate_bytes(data, rng) or b"%PDF-"
        return data
