"""Word files: our report, builder documents with every kind of content, and small files of the corpus."""

from __future__ import annotations

import random
import zipfile
import zlib
from pathlib import Path

import docx_builder as b
from shared_files import shared_dir
from zip_mutations import mutate_package, unpack

from lrdoc.errors import LrdocError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx import parser as docx_parser
from lrdoc.testing.assets import MemoryAssets

ROOT = Path(__file__).resolve().parents[2]
_LARGEST_SEED = 120_000
_LARGEST_MAIN = 200_000


class DocxKind:
    suffix = "docx"

    def seeds(self) -> list[tuple[str, bytes]]:
        found = [("builder", everything()), ("tables", tables()), ("changes", changes())]
        report = ROOT / "fixtures" / "report.docx"
        found.append(("report", report.read_bytes()))
        shared = shared_dir()
        if shared is not None:
            for folder in ("corpus/probes", "corpus/docx", "corpus/synthetic"):
                for path in sorted((shared / folder).rglob("*.doc[xm]")):
                    data = path.read_bytes()
                    if len(data) <= _LARGEST_SEED and _is_small_package(data):
                        found.append((path.name, data))
        return found

    def mutate(self, data: bytes, rng: random.Random) -> bytes:
        return mutate_package(data, rng, "word/document.xml")

    def parse(self, path: Path) -> bool:
        reached = False
        walk = docx_parser.run

        def noted(*arguments: object) -> None:
            nonlocal reached
            reached = True
            walk(*arguments)  # type: ignore[arg-type]

        docx_parser.run = noted  # type: ignore[assignment]
        params = {"changes": ("accept", "reject", "annotate")[path.stat().st_size % 3]}
        try:
            docx_parser.DocxParser().parse(SourceFile(path, path.name), params, ParseContext(MemoryAssets()))
        except LrdocError as error:
            error.reached_walk = reached  # type: ignore[attr-defined]
            raise
        return reached


def _is_small_package(data: bytes) -> bool:
    try:
        return len(unpack(data).get("word/document.xml", b"x" * (_LARGEST_MAIN + 1))) <= _LARGEST_MAIN
    except (OSError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error):
        return False


def everything() -> bytes:
    """Headings, lists, fields, links, notes, comments, boxes, pictures, equations, controls, margins."""
    body = (
        b.p("Title of it", style="Title")
        + b.heading(1, "One", paraid="00000001")
        + b.li("a")
        + b.li("b", ilvl=1)
        + b.li("c", 2)
        + b.p(b.field('HYPERLINK "http://x/"', "link"), b.run("<w:tab/><w:br/><w:cr/><w:noBreakHyphen/>"))
        + b.p(
            '<w:commentRangeStart w:id="1"/>',
            b.r("noted", "<w:b/>"),
            '<w:commentRangeEnd w:id="1"/>',
            b.run('<w:commentReference w:id="1"/>'),
            b.run('<w:footnoteReference w:id="1"/>'),
            b.run('<w:endnoteReference w:id="1"/>'),
        )
        + b.p(b.run(b.alternate(b.textbox(b.p("box") + b.table([["in"]])), b.vml_textbox(b.p("box")))))
        + b.p(b.run(b.picture("rIdP", descr="alt")))
        + b.p("Figure ", b.field("SEQ Figure", "1"), style="Caption")
        + b.p("x ", b.math(b.mr("a") + "<m:f><m:num>" + b.mr("1") + "</m:num><m:den>" + b.mr("2") + "</m:den></m:f>"))
        + b.p(b.math_para(b.math(b.mr("E=mc"))))
        + b.p("y ", b.field(r"EQ \f(\r(3,x),2)"), b.field(r"EQ \o\ad(\s\up 9(a),b)"))
        + b.sdt(b.heading(2, "Two") + b.sdt(b.p("inner")))
        + b.p(
            b.run('<w:br w:type="page"/>'),
            b.run("<w:lastRenderedPageBreak/><w:t>next</w:t>"),
            b.r("gone", "<w:vanish/>"),
        )
        + b.p(b.run('<w:sym w:font="Wingdings" w:char="F0FC"/>'), '<w:bookmarkStart w:id="3" w:name="m"/>')
        + '<w:altChunk r:id="rIdA"/>'
    )
    return b.docx(
        body,
        footnotes={1: b.p("foot") + b.table([["t"]])},
        endnotes={1: b.p("end")},
        comments={1: b.p("comment")},
        headers={"default": b.p("head"), "first": b.p("first")},
        footers={"default": b.p(b.field("PAGE", "1"))},
        media={"rIdP": ("p.png", b.png())},
        parts={"word/chunk.html": ("text/html", "<h1>H</h1><p>x<table><tr><td rowspan=2>1<td>2<tr><td>3</table>")},
        rels=[("rIdA", "aFChunk", "chunk.html")],
        core={"dc:title": "T"},
    )


def tables() -> bytes:
    """Merges of all kinds, nested tables, controls around rows and cells."""
    span, start, go_on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = [
        b.tr("h", "i", "j", pr="<w:tblHeader/>"),
        b.tr(b.tc("ab", span), "c"),
        b.tr(b.tc("v", start), b.tc("x", '<w:hMerge w:val="restart"/>'), b.tc("", "<w:hMerge/>")),
        b.tr(b.tc("", go_on), b.tc(b.table([["n", b.tc(b.table([["m"]]))]])), "z"),
        b.sdt(b.tr(b.sdt(b.tc("s")), "t", "u")),
        b.tr("late", pr='<w:gridBefore w:val="1"/><w:gridAfter w:val="1"/>'),
    ]
    return b.docx(b.heading(1, "T") + b.p("Table 1: t", style="Caption") + b.table(rows, 3) + b.p("end"))


def changes() -> bytes:
    """Tracked changes of all kinds."""
    who = 'w:id="1" w:author="A" w:date="2024-01-02T03:04:05Z"'
    gone = f"<w:rPr><w:del {who}/></w:rPr>"
    deleted = f"<w:del {who}>{b.run('<w:delText>old</w:delText>')}</w:del>"
    body = (
        b.p("a", f"<w:ins {who}>{b.r('new')}</w:ins>", deleted)
        + b.p("joined", ppr=gone)
        + b.p("to this", f"<w:moveFrom {who}>{b.r('m')}</w:moveFrom>", f"<w:moveTo {who}>{b.r('m')}</w:moveTo>")
        + b.table(
            [
                b.tr("x", b.tc("y", f"<w:cellIns {who}/>")),
                b.tr("z", pr=f"<w:del {who}/>"),
                b.tr(b.tc("q", f'<w:cellMerge {who} w:vMerge="rest"/>'), b.tc("r", f"<w:cellDel {who}/>")),
            ],
            2,
        )
        + b.p("h", ppr=f'<w:pPrChange {who}><w:pPr><w:pStyle w:val="Heading1"/></w:pPr></w:pPrChange>')
        + b.p("last", ppr=gone)
    )
    return b.docx(body)
