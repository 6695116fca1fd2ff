"""What people reported of other tools: the smallest file that shows it, and the right behaviour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from docx_builder import (
    abstract_num,
    alternate,
    docx,
    field,
    heading,
    li,
    lvl,
    math,
    math_para,
    mr,
    num,
    num_pr,
    p,
    picture,
    r,
    run,
    sdt,
    style,
    table,
    tc,
    textbox,
    tr,
    vml_textbox,
)
from docx_written import Written, write_bytes

_WHO = 'w:id="1" w:author="Ann" w:date="2024-01-02T03:04:05Z"'
_WMF = b"\xd7\xcd\xc6\x9a" + b"\0" * 40
_NORMAL = style("Normal", "Normal", default=True)
_CHAIN = (
    _NORMAL
    + style("Base", "Base", ppr=num_pr(1))
    + style("Level", "Level", based_on="Base", ppr=num_pr(None, 1))
    + style("Leaf", "Leaf", based_on="Level")
)
_HEADINGS = _NORMAL + style("Heading1", "heading 1", ppr=num_pr(1) + '<w:outlineLvl w:val="0"/>')
_ONE_OF = abstract_num(0, lvl(0, "none", "%1."), lvl(1, "decimal", "")) + num(1, 0)
_MARKERS = abstract_num(0, lvl(0, "lowerLetter", "%1)"), lvl(1, "lowerRoman", "%2)"), lvl(2, "decimalZero", "%3)"))
_POWER = (
    f"<m:sSup><m:e><m:f><m:num>{mr('a')}</m:num><m:den>{mr('b')}</m:den></m:f></m:e><m:sup>{mr('2')}</m:sup></m:sSup>"
)
_LOG = f"<m:func><m:fName>{mr('log')}</m:fName><m:e>{mr('x')}</m:e></m:func>"
_EDITOR = (
    '<w:object><v:shape><v:imagedata r:id="rP"/></v:shape>'
    '<o:OLEObject Type="Embed" ProgID="Equation.DSMT4" r:id="rO"/></w:object>'
)
_TOC = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'


@dataclass(frozen=True)
class Report:
    issue: str
    data: Callable[[], bytes]
    check: Callable[[Written], bool]


REPORTS = (
    Report("docling-project/docling#494", lambda: docx(table([[p("a") + table([["in"]]) + p("b"), p(run(textbox(p("box"))))]])), lambda w: w.grid("tb1") == [["a\n[tb2]\nb", "box"]] and w.grid("tb2") == [["in"]]),
    Report("docling-project/docling#1529", lambda: docx(p("1", run(textbox(p("2")))) + p("3", run(vml_textbox(p("4")))) + p("5")), lambda w: w.content == "1\n2\n3\n4\n5"),
    Report("docling-project/docling#1668", lambda: docx(p(run(alternate(textbox(p("same") + p("same")), vml_textbox(p("same") + p("same")))))), lambda w: w.content == "same\nsame"),
    Report("docling-project/docling#612", lambda: docx(heading(1, "A", ppr=num_pr(1, 0)) + heading(2, "B", ppr=num_pr(1, 1))), lambda w: w.headings == [(1, "1. A"), (2, "1.1 B")]),
    Report("docling-project/docling#4281", lambda: docx(heading(1, "A", ppr=num_pr(1, 0)) + li("one") + p("t") + heading(1, "B", ppr=num_pr(1, 0)) + li("two")), lambda w: w.content == "# 1. A\n2. one\nt\n# 3. B\n4. two"),
    Report("docling-project/docling#3759", lambda: docx(heading(1, "A") + p("B", ppr=num_pr(1, 1)), styles=_HEADINGS, numbering=_ONE_OF), lambda w: w.content == "# A\nB" and w.blocks[0].get("label", "") == ""),
    Report("docling-project/docling#4087", lambda: docx(li("x") + li("y", 1, 1) + li("z", 1, 2), numbering=_MARKERS + num(1, 0)), lambda w: w.content == "a) x\n  i) y\n    01) z"),
    Report("docling-project/docling#3917", lambda: docx(p("a", style="Base") + p("b", style="Leaf"), styles=_CHAIN), lambda w: w.content == "1. a\n  1.1 b"),
    Report("docling-project/docling#4106", lambda: docx(p("The parties agree. " * 20, ppr='<w:outlineLvl w:val="1"/>')), lambda w: not w.headings and w.codes == ["heading_too_long"] and "at level 2" in w.meta["lrdoc"]["warnings"][0]["message"]),
    Report("docling-project/docling#287", lambda: docx(sdt(p("Contents", style="TOCHeading") + p(field("TOC", "One\t1"), style="TOC1"), _TOC) + heading(1, "One")), lambda w: w.headings == [(1, "One")] and w.region("TOC") == ["Contents\nOne\t1"]),
    Report("docling-project/docling#3745", lambda: docx(table([tr(tc("a", '<w:vMerge w:val="restart"/>'), "b", "c"), tr(tc("", "<w:vMerge/>"), "d", "e"), tr("f", pr='<w:gridBefore w:val="2"/>')], grid=3)), lambda w: w.grid() == [["a", "b", "c"], ["a", "d", "e"], ["", "", "f"]] and w.extras("tb1")["spans"] == [[0, 0, 2, 1]]),
    Report("docling-project/docling#2722", lambda: docx(table([[heading(1, "In"), "x"]])), lambda w: w.grid() == [["In", "x"]]),
    Report("docling-project/docling#3120", lambda: docx(p(math_para(math(_POWER + mr("–") + _LOG)))), lambda w: w.items["eq1"]["content"] == "{\\frac{a}{b}}^{2}-\\log x"),
    Report("docling-project/docling#3121", lambda: docx(p(math_para(math(mr("a")), math(mr("b")))) + p(math(mr("c")), " ", math(mr("d")))), lambda w: [w.items[f"eq{n}"]["content"] for n in range(1, 5)] == ["a", "b", "c", "d"]),
    Report("docling-project/docling#3374", lambda: docx(p(math_para(math(f"<m:groupChr><m:groupChrPr/><m:e>{mr('x')}</m:e></m:groupChr>")))), lambda w: w.items["eq1"]["content"] == "\\underbrace{x}"),
    Report("docling-project/docling#1645", lambda: docx(p("t"), rels=[("rN", "image", "NULL"), ("rM", "image", "../NULL")]), lambda w: w.content == "t"),
    Report("docling-project/docling#594", lambda: docx(p(run(picture("rP"))), media={"rP": ("a.wmf", _WMF)}), lambda w: w.assets == ["a.wmf"] and w.items["im1"]["format"] == "wmf"),
    Report("docling-project/docling#433", lambda: docx(p("a", run('<w:footnoteReference w:id="1"/>')), footnotes={1: p("note")}), lambda w: w.content == "a[^1]\n[^1]: note"),
    Report("microsoft/markitdown#2275", lambda: docx(p("x ", '<w:commentRangeStart w:id="0"/>', "here", '<w:commentRangeEnd w:id="0"/>', run('<w:commentReference w:id="0"/>')), comments={0: p("Why?")}), lambda w: w.marks("comment") == [("here", "0")] and w.regions[0]["extras"]["id"] == "0"),
    Report("microsoft/markitdown#1211", lambda: docx(table([tr(tc("a", '<w:gridSpan w:val="2"/>'), pr="<w:tblHeader/>"), tr("b", "c", pr="<w:tblHeader/>"), ["d", "e"]], grid=2)), lambda w: w.items["tb1"]["table_header"] == '[["a", "a"], ["b", "c"]]' and w.extras("tb1")["spans"] == [[0, 0, 1, 2]]),
    Report("microsoft/markitdown#1248", lambda: docx(table([[table([[table([["in"]])]])]])), lambda w: [w.grid(f"tb{n}") for n in (1, 2, 3)] == [[["[tb2]"]], [["[tb3]"]], [["in"]]]),
    Report("python-openxml/python-docx#693", lambda: docx(heading(1, "S") + p("x"), strict=True), lambda w: w.content == "# S\nx"),
    Report("python-openxml/python-docx#232", lambda: docx(table([[tc("a", '<w:gridSpan w:val="2"/>')], ["b", "c"]], grid=2)), lambda w: w.extras("tb1")["spans"] == [[0, 0, 1, 2]]),
    Report("Unstructured-IO/unstructured#1816", lambda: docx(p("Speaker") + p("Words"), section="none"), lambda w: w.content == "Speaker\nWords"),
    Report("Unstructured-IO/unstructured#3628", lambda: docx(table([["a"], ["b", "c", "d"], [tc("e", '<w:vMerge w:val="restart"/>')], [tc("", '<w:vMerge/>'), "f"]], grid=2)), lambda w: w.grid() == [["a", "", ""], ["b", "c", "d"], ["e", "", ""], ["e", "f", ""]]),
    Report("Unstructured-IO/unstructured#2944", lambda: docx(p(field("DOCPROPERTY Client", "ACME"), " and ", f'<w:fldSimple w:instr="DOCPROPERTY x">{r("y")}</w:fldSimple>')), lambda w: w.content == "ACME and y"),
    Report("Unstructured-IO/unstructured#2126", lambda: docx(p("x"), headers={"default": table([["a", "b"]])}), lambda w: w.region("header") == ['<table id="tb1" format="json">[["a", "b"]]</table>']),
    Report("Unstructured-IO/unstructured#1798", lambda: docx(p(run("<w:t/>")) + p(r("")) + p("x")), lambda w: w.content == "x"),
    Report("mwilliamson/mammoth.js#243", lambda: docx(p("a", ppr=f"<w:rPr><w:del {_WHO}/></w:rPr>") + p("b")), lambda w: w.content == "ab"),
    Report("mwilliamson/mammoth.js#474", lambda: docx(table([["a"], tr("b", pr=f"<w:del {_WHO}/>"), tr("c", pr=f"<w:ins {_WHO}/>")], grid=1)), lambda w: w.grid() == [["a"], ["c"]]),
    Report("mwilliamson/mammoth.js#185", lambda: docx(p(run('<w:sym w:font="Wingdings" w:char="F0FC"/>'), run('<w:sym w:font="Symbol" w:char="F062"/>'))), lambda w: w.content == "✓β" or w.content == "✔β"),
    Report("mwilliamson/python-mammoth#34", lambda: docx(table([tr("h", pr="<w:tblHeader/>"), ["x"]], grid=1)), lambda w: w.items["tb1"]["table_header"] == '[["h"]]'),
    Report("ShayHill/docx2python#58", lambda: docx(p("a", run('<w:footnoteReference w:id="1"/>'), run('<w:footnoteReference w:id="2"/>')), footnotes={1: p("x"), 2: p("y")}), lambda w: w.marks("note") == [("[^1]: x", "1"), ("[^2]: y", "2")]),
    Report("xberg-io/xberg#707", lambda: docx(p("a") + p(run("<w:lastRenderedPageBreak/>"), "b") + table([["c"]])), lambda w: (w.place("a")["page"], w.place('c"')["page"]) == (1, 2)),
    Report("xberg-io/xberg#1212", lambda: docx(table([[li("a", 2) + li("b", 2, 1) + p(r("**x**", "<w:b/>"))]])), lambda w: w.grid() == [["- a\n  - b\n**x**"]] and w.marks("bold") == [("**x**", "")]),
    Report("opendatalab/MinerU#5357", lambda: docx(table([[p("a", run("<w:noBreakHyphen/>"), "b", ppr=num_pr(1, 0)), "x"]])), lambda w: w.grid() == [["1. a\u2011b", "x"]]),
    Report("opendatalab/MinerU#5141", lambda: docx(p(run(_EDITOR)), media={"rP": ("a.wmf", _WMF)}, parts={"word/embeddings/o.bin": (None, b"\xd0\xcf")}, rels=[("rO", "oleObject", "embeddings/o.bin")]), lambda w: w.codes == ["equation_object"] and w.extras("im1")["embedded"]["prog_id"] == "Equation.DSMT4"),
    Report("opendatalab/MinerU#4708", lambda: docx(li("a") + p("x ", sdt(r("inline")), ppr=num_pr(1, 1))), lambda w: w.content == "1. a\n  1.1 x inline"),
    Report("opendatalab/MinerU#5036", lambda: docx(heading(1, '<w:bookmarkStart w:id="1" w:name="_Toc1"/>', "A", '<w:bookmarkEnd w:id="1"/>')), lambda w: w.headings == [(1, "A")] and w.content == "# A"),
    Report("jgm/pandoc#3285", lambda: docx(table([["only", "row"]])), lambda w: w.grid() == [["only", "row"]] and "table_header" not in w.items["tb1"]),
    Report("jgm/texmath#228", lambda: docx(p(math_para(math(f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{mr("i")}</m:sub><m:sup>{mr("n")}</m:sup></m:nary>{mr("x")}')))), lambda w: w.items["eq1"]["content"].startswith("\\sum_{i}^{n}") and w.items["eq1"]["content"].endswith("x")),
    Report("yfedoseev/office_oxide#140", lambda: docx(p("x") + p("".join(run(textbox(p(f"box {n}"))) for n in range(9)))), lambda w: w.content.split("\n")[1:] == [f"box {n}" for n in range(9)]),
    Report("yfedoseev/office_oxide#240", lambda: docx(p(run('<w:footnoteReference w:id="1"/>')), footnotes={1: p("only this")}), lambda w: w.content == "[^1]\n[^1]: only this"),
    Report("kklimuk/docx-cli#4", lambda: docx(alternate(p("whole paragraph"), p("other")) + p(alternate(r("run"), r("other")), run(alternate("<w:t>inner</w:t>", "<w:t>other</w:t>")))), lambda w: w.content == "whole paragraph\nruninner"),
    Report("ui-insight/vandalizer#822", lambda: docx(p("a", f"<w:del {_WHO}>{run('<w:delText>gone</w:delText>')}</w:del>")), lambda w: w.content == "a"),
    Report("Ontos-AI/knowhere#415", lambda: docx(p("x"), content_type="application/vnd.ms-word.document.macroEnabled.main+xml"), lambda w: w.content == "x"),
    Report("harshankur/officeParser#97", lambda: docx(p("a ", math(_POWER), " b")), lambda w: w.content == 'a <equation format="latex">{\\frac{a}{b}}^{2}</equation> b'),
)  # fmt: skip


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.issue)
def test_what_people_reported_of_other_tools_is_right_here(report: Report) -> None:
    written = write_bytes(report.data())
    assert report.check(written), written


def test_tracked_changes_can_be_seen() -> None:
    """mwilliamson/mammoth.js#351"""
    written = write_bytes(docx(p("a", f"<w:ins {_WHO}>{r('new')}</w:ins>")), changes="annotate")
    assert written.marks("ins") == [("new", "")]
    assert written.blocks[0]["marks"][0]["author"] == "Ann"
