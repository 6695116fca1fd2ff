"""One kind of content after another is switched off, doubled or altered before it is written: the counter names it.

Every kind carries a word of its own in one document, so the tests need to know nothing of how the engine works inside.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from document_changes import change_document, holds
from docx_builder import (
    docx,
    field,
    heading,
    li,
    math,
    math_para,
    mr,
    p,
    picture,
    png,
    r,
    run,
    sdt,
    table,
    tc,
    textbox,
    tr,
    vml_textbox,
    xml_part,
)

from lrdoc.audit import AuditResult, count
from lrdoc.document import Document, Drawing, Equation, InlineEquation, Part, Table, Text
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx.parser import DocxParser
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document

CHART = xml_part(
    "c:chartSpace",
    "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>charttitle</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea>"
    "<c:barChart><c:ser><c:idx/>"
    "<c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>seriesname</c:v></c:pt></c:strCache></c:strRef></c:tx>"
    "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>categoryname</c:v></c:pt></c:strCache></c:strRef></c:cat>"
    "<c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>98765</c:v></c:pt></c:numCache></c:numRef></c:val>"
    "</c:ser></c:barChart></c:plotArea></c:chart>",
)
DIAGRAM = xml_part(
    "dgm:dataModel",
    '<dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="1"><dgm:prSet/><dgm:t><a:bodyPr/><a:p><a:r><a:t>'
    'diagramnode</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn modelId="9" srcId="0" destId="1" '
    'srcOrd="0" destOrd="0"/></dgm:cxnLst>',
)


def graphic(uri: str, content: str) -> str:
    return run(
        '<w:drawing><wp:inline><wp:extent cx="914400" cy="457200"/><wp:docPr id="3" name="g"/><a:graphic>'
        f'<a:graphicData uri="{uri}">{content}</a:graphicData></a:graphic></wp:inline></w:drawing>'
    )


BODY = (
    p("frontmatter", style="Title")
    + heading(1, "chapterhead")
    + p("plainwords and ", r("boldwords", "<w:b/>"), " end", f"<w:ins>{r(' insertedwords')}</w:ins>")
    + li("listitem")
    + p("link ", f'<w:hyperlink w:anchor="x">{r("linkwords")}</w:hyperlink>')
    + p("field ", field("REF x", "fieldresult"))
    + p("x", r("supwords", '<w:vertAlign w:val="superscript"/>'), " tail")
    + sdt(p("blockcontrol"))
    + p("in ", sdt(r("inlinecontrol")))
    + p("boxes", run(textbox(p("boxwords"))), run(vml_textbox(p("vmlwords"))))
    + p("Table 1: tablecaption", style="Caption")
    + table(
        [
            tr("topleft", tc("spannedcell", '<w:gridSpan w:val="2"/>')),
            tr(
                "plaincell",
                tc(p("cellone") + p("celltwo") + li("listincell")),
                tc(p("outer") + table([["nestedcell"]])),
            ),
            sdt(tr("controlrow", "b", "c")),
        ],
        grid=3,
    )
    + p("so ", math(f"<m:f><m:num>{mr('inlinemath')}</m:num><m:den>{mr('7')}</m:den></m:f>"), " holds")
    + p(math_para(math(mr("displaymath"))))
    + p("noted", run('<w:footnoteReference w:id="2"/>'), run('<w:endnoteReference w:id="3"/>'))
    + p(
        '<w:commentRangeStart w:id="0"/>',
        "commented",
        '<w:commentRangeEnd w:id="0"/>',
        run('<w:commentReference w:id="0"/>'),
    )
    + p(run(picture("rIdP", descr="alt")))
    + p("Figure 1: figurecaption", style="Caption")
    + p(graphic("http://schemas.openxmlformats.org/drawingml/2006/chart", '<c:chart r:id="rIdC"/>'))
    + p(graphic("http://schemas.openxmlformats.org/drawingml/2006/diagram", '<dgm:relIds r:dm="rIdD"/>'))
    + '<w:altChunk r:id="rIdA"/>'
    + p("lastwords")
)
SOURCE = docx(
    BODY,
    footnotes={2: p("footnotewords")},
    endnotes={3: p("endnotewords")},
    comments={0: p("commentwords")},
    headers={"default": p("headerwords")},
    footers={"default": p("footerwords")},
    media={"rIdP": ("p.png", png())},
    parts={
        "word/charts/chart1.xml": ("application/vnd.openxmlformats-officedocument.drawingml.chart+xml", CHART),
        "word/diagrams/data1.xml": ("application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml", DIAGRAM),
        "word/chunk.html": ("text/html", "<html><body><p>chunkwords</p></body></html>"),
    },
    rels=[
        ("rIdC", "chart", "charts/chart1.xml"),
        ("rIdD", "diagramData", "diagrams/data1.xml"),
        ("rIdA", "aFChunk", "chunk.html"),
    ],
)
WORDS = {
    **dict.fromkeys(
        "frontmatter chapterhead plainwords boldwords insertedwords listitem linkwords fieldresult supwords"
        " blockcontrol inlinecontrol boxwords vmlwords tablecaption topleft spannedcell plaincell cellone celltwo"
        " listincell nestedcell controlrow inlinemath displaymath noted commented figurecaption lastwords".split(),
        "word/document.xml",
    ),
    "footnotewords": "word/footnotes.xml",
    "endnotewords": "word/endnotes.xml",
    "commentwords": "word/comments.xml",
    "headerwords": "word/header1.xml",
    "footerwords": "word/footer1.xml",
    "charttitle": "word/charts/chart1.xml",
    "seriesname": "word/charts/chart1.xml",
    "categoryname": "word/charts/chart1.xml",
    "98765": "word/charts/chart1.xml",
    "diagramnode": "word/diagrams/data1.xml",
    "chunkwords": "word/chunk.html",
}


class Parsed:
    """One parse; what the tests change are the values it gave."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "all.docx"
        self.source.write_bytes(SOURCE)
        self.assets = folder / "all.blocks.assets"
        context = ParseContext(assets=FolderAssets(folder, "all.docx"), settings=DocxSettings())
        self.document = DocxParser().parse(SourceFile(self.source, "all.docx"), {}, context)
        self.folder = folder
        self.count = 0

    def audit(self, document: Document) -> AuditResult:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        info = FolderInfo("doc-0123456789abcdef0123456789abcdef", "all.docx", "native", "2000-01-01T00:00:00+00:00")
        write_document(document, info, folder, assets_from=self.assets)
        return count(self.source, folder)


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> Parsed:
    return Parsed(tmp_path_factory.mktemp("switches"))


def without_field(part: Part, word: str) -> Part:
    """The item without the caption or title that repeats the word."""
    if isinstance(part, Table | Drawing) and word in part.caption + str(part.extras):
        return msgspec.structs.replace(part, caption="", extras={})
    return part


def test_everything_is_there_to_begin_with(parsed: Parsed) -> None:
    result = parsed.audit(parsed.document)
    assert result.problems == ()
    assert result.characters.kept == len("commentwordsheaderwordsfooterwords")


@pytest.mark.parametrize("word", WORDS)
def test_what_is_left_out_is_named(parsed: Parsed, word: str) -> None:
    def change(part: Part) -> Iterable[Part]:
        return () if holds(part, word) else (without_field(part, word),)

    result = parsed.audit(change_document(parsed.document, change))
    assert result.characters.unaccounted >= len(word)
    assert any(
        problem.code == "missing" and word in problem.message and problem.where.startswith(WORDS[word])
        for problem in result.problems
    ), result.problems


@pytest.mark.parametrize("word", WORDS)
def test_what_stands_there_twice_is_named(parsed: Parsed, word: str) -> None:
    result = parsed.audit(change_document(parsed.document, lambda part: (part,) * (2 if holds(part, word) else 1)))
    if word in ("inlinemath", "displaymath"):
        assert [problem.code for problem in result.problems] == ["invented"]
    else:
        assert result.characters.duplicated >= len(word)
        assert any(problem.code == "duplicated" and word in problem.message for problem in result.problems)


@pytest.mark.parametrize("word", WORDS)
def test_a_single_changed_character_is_named(parsed: Parsed, word: str) -> None:
    def change(part: Part) -> Iterable[Part]:
        if not holds(part, word):
            return (without_field(part, word),)
        wrong = word[:3] + ("0" if word.isdigit() else "q") + word[4:]
        if isinstance(part, Text):
            return (msgspec.structs.replace(part, text=part.text.replace(word, wrong)),)
        assert isinstance(part, Equation | InlineEquation)
        return (msgspec.structs.replace(part, latex=part.latex.replace(word, wrong)),)

    result = parsed.audit(change_document(parsed.document, change))
    assert result.characters.unaccounted >= 1
    assert any(problem.where.startswith(WORDS[word]) for problem in result.problems)


def test_a_lost_picture_is_named(parsed: Parsed) -> None:
    def change(part: Part) -> Iterable[Part]:
        return () if isinstance(part, Drawing) and part.asset is not None else (part,)

    result = parsed.audit(change_document(parsed.document, change))
    assert [problem.code for problem in result.problems] == ["missing_asset"]
    assert "word/media/p.png" in result.problems[0].message


@pytest.mark.parametrize("region", ["header", "footer", "comment"])
def test_a_lost_region_is_named(parsed: Parsed, region: str) -> None:
    regions = tuple(block for block in parsed.document.regions if block.region != region)
    result = parsed.audit(msgspec.structs.replace(parsed.document, regions=regions))
    assert [problem.where.rpartition("/")[0] for problem in result.problems] != []
    assert all(f"word/{region}" in problem.where for problem in result.problems)


def test_blocks_in_another_order_are_named(parsed: Parsed) -> None:
    blocks = tuple(reversed(parsed.document.blocks))
    result = parsed.audit(msgspec.structs.replace(parsed.document, blocks=blocks))
    assert {problem.code for problem in result.problems} == {"order"}


def test_a_lost_block_with_all_that_it_holds_is_named(parsed: Parsed) -> None:
    blocks = parsed.document.blocks[:1]
    result = parsed.audit(msgspec.structs.replace(parsed.document, blocks=blocks))
    assert {problem.where.split()[0] for problem in result.problems} >= {
        "word/document.xml",
        "word/footnotes.xml",
        "word/endnotes.xml",
    }


def test_a_caption_that_only_its_item_holds_is_kept(parsed: Parsed) -> None:
    def change(part: Part) -> Iterable[Part]:
        return () if holds(part, "tablecaption") else (part,)

    result = parsed.audit(change_document(parsed.document, change))
    assert result.problems == ()
    assert result.characters.kept == len("commentwordsheaderwordsfooterwordsTable1:tablecaption")
