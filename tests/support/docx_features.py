"""The features of Word files for which corpus/probes has no file: a package of our own for each, and what must come out.

`check` looks at what was written: lines, items, marks, regions, places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from docx_builder import (
    DEFAULT_NUMBERING,
    NAMESPACES,
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
    p,
    picture,
    png,
    r,
    run,
    sdt,
    style,
    table,
    tc,
    tr,
    vml_textbox,
    xml_part,
)
from docx_written import Written

_CHART_TYPE = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
_DATA_TYPE = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
_TITLE = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title>"
_CHART = f"<c:chart>{_TITLE}<c:plotArea><c:barChart><c:ser><c:val><c:numLit><c:pt idx='0'><c:v>7</c:v></c:pt></c:numLit></c:val></c:ser></c:barChart></c:plotArea></c:chart>"
_WHO = 'w:id="1" w:author="Ann" w:date="2024-01-02T03:04:05Z"'
_NUMBERED = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="1"/>'
_OLE = '<w:object><v:shape style="width:30pt;height:20pt"><v:imagedata r:id="rP"/></v:shape><o:OLEObject Type="Embed" ProgID="Excel.Sheet.12" r:id="rO"/></w:object>'
_EQ_ARRAY = f"<m:eqArr><m:e>{mr('x, &x>0')}</m:e><m:e>{mr('-x, &x<0')}</m:e></m:eqArr>"
_CASES = f'<m:d><m:dPr><m:begChr m:val="{{"/><m:endChr m:val=""/></m:dPr><m:e>{_EQ_ARRAY}</m:e></m:d>'
_ROOT = f"<m:rad><m:deg>{mr('3')}</m:deg><m:e>{mr('x')}</m:e></m:rad><m:rad><m:radPr><m:degHide/></m:radPr><m:deg/><m:e>{mr('y')}</m:e></m:rad>"
_LIMIT = f"<m:func><m:fName><m:limLow><m:e>{mr('lim')}</m:e><m:lim>{mr('n→∞')}</m:lim></m:limLow></m:fName><m:e>{mr('a')}</m:e></m:func><m:func><m:fName>{mr('sin')}</m:fName><m:e>{mr('x')}</m:e></m:func>"
_PICTURE = {"rP": ("image1.png", png())}


def _graphic(inner: str, uri: str) -> str:
    data = f'<a:graphic><a:graphicData uri="{uri}">{inner}</a:graphicData></a:graphic>'
    return p(run(f'<w:drawing><wp:inline><wp:docPr id="1" name="Graphic"/>{data}</wp:inline></w:drawing>'))


def _chart(category: str = "") -> bytes:
    part = xml_part("c:chartSpace", _CHART.replace("<c:val>", f"{category}<c:val>"))
    body = _graphic('<c:chart r:id="rC"/>', NAMESPACES["c"])
    return docx(
        body, parts={"word/charts/chart1.xml": (_CHART_TYPE, part)}, rels=[("rC", "chart", "charts/chart1.xml")]
    )


def _diagram() -> bytes:
    def point(id_: str, text: str, kind: str = "node") -> str:
        return f'<dgm:pt modelId="{id_}" type="{kind}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'

    points = point("0", "", "doc") + point("1", "Boss") + point("2", "Clerk")
    links = (
        '<dgm:cxn modelId="8" srcId="0" destId="1" srcOrd="0"/><dgm:cxn modelId="9" srcId="1" destId="2" srcOrd="0"/>'
    )
    data = xml_part("dgm:dataModel", f"<dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst>")
    body = _graphic('<dgm:relIds r:dm="rD"/>', NAMESPACES["dgm"])
    return docx(
        body, parts={"word/diagrams/data1.xml": (_DATA_TYPE, data)}, rels=[("rD", "diagramData", "diagrams/data1.xml")]
    )


def _chunk() -> bytes:
    page = b"<html><body><h2>Head</h2><p>one <b>two</b></p><ul><li>item</li></ul><table><tr><td>a</td><td>b</td></tr></table></body></html>"
    return docx(
        p("x") + '<w:altChunk r:id="rA"/>',
        parts={"word/part.html": ("text/html", page)},
        rels=[("rA", "aFChunk", "part.html")],
    )


def _numbered_headings() -> bytes:
    styles = style("Normal", "Normal", default=True) + style(
        "Heading1", "heading 1", ppr='<w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/>'
    )
    return docx(heading(1, "One") + heading(2, "Two"), styles=styles + style("Heading2", "heading 2", ppr=_NUMBERED))


@dataclass(frozen=True)
class Feature:
    number: int
    feature: str
    kept: str
    """Where it goes, for the table in docs/docx.md."""
    data: Callable[[], bytes]
    check: Callable[[Written], bool]
    name: str = "test.docx"


def _inline(latex: str) -> str:
    return f'<equation format="latex">{latex}</equation>'


def _equation(number: int, latex: str) -> str:
    return f'<equation id="eq{number}" format="latex">{latex}</equation>'


FEATURES: tuple[Feature, ...] = (
    Feature(1, "heading levels 7–9", "`level`; at most six `#`", lambda: docx("".join(heading(n, f"L{n}") for n in range(6, 10))), lambda w: w.headings == [(6, "L6"), (7, "L7"), (8, "L8"), (9, "L9")] and w.blocks[3]["parent_headings"] == ["L6", "L7", "L8"] and w.content.split("\n")[3] == "###### L9"),
    Feature(3, "outline level in the style", "`level`", lambda: docx(p("A", style="C") + p("B", style="D"), styles=style("C", "Clause", ppr='<w:outlineLvl w:val="1"/>') + style("D", "Sub clause", based_on="C")), lambda w: w.headings == [(2, "A"), (2, "B")]),
    Feature(5, "Title and Subtitle", "the title block: `level` 0, `is_title_block`", lambda: docx(p("Doc", style="Title") + p("Sub", style="Subtitle") + p("by") + heading(1, "One") + p("Late", style="Title")), lambda w: w.headings == [(0, "Doc"), (1, "One"), (1, "Late")] and [b.get("is_title_block", False) for b in w.blocks] == [True, False, False] and w.blocks[0]["content"] == "Doc\nSub\nby" and w.meta["doc_title"] == "Doc"),
    Feature(7, "start override", "label in the line", lambda: docx(li("a") + li("b") + li("c", 7) + li("d", 7), numbering=DEFAULT_NUMBERING + num(7, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>')), lambda w: w.content == "1. a\n2. b\n5. c\n6. d"),
    Feature(9, "Chinese labels", "label in the line", lambda: docx(li("a") + li("b"), numbering=abstract_num(0, lvl(0, "chineseCountingThousand", "第%1章")) + num(1, 0)), lambda w: w.content == "第一章 a\n第二章 b"),
    Feature(11, "numbering of headings", "in `heading` and alone in `label`", _numbered_headings, lambda w: [(b["heading"], b["label"], b["content"]) for b in w.blocks] == [("1. One", "1.", "# 1. One"), ("1.1 Two", "1.1", "## 1.1 Two")] and w.place("Two")["path"] == "body/p[2]"),
    Feature(13, "bullets", "`- ` and indentation in the line", lambda: docx(li("a", 2) + li("b", 2, 1) + li("c", 2)), lambda w: w.content == "- a\n  - b\n- c" and w.place("b") == {"part": "word/document.xml", "path": "body/p[2]"}),
    Feature(15, "rows and columns", "a table item", lambda: docx(table([["a", "b"], ["c", "d"]])), lambda w: w.grid() == [["a", "b"], ["c", "d"]] and w.items["tb1"]["dimension"] == [2, 2] and w.content == '<table id="tb1" format="json">[["a", "b"], ["c", "d"]]</table>' and w.place("d\"")["path"] == "body/tbl[1]/tr[2]/tc[2]/p[1]"),
    Feature(17, "`vMerge`", "`extras.spans`", lambda: docx(table([[tc("A", '<w:vMerge w:val="restart"/>'), "b"], [tc("", "<w:vMerge/>"), "c"], ["", "d"]], grid=2)), lambda w: w.grid() == [["A", "b"], ["A", "c"], ["", "d"]] and w.extras("tb1")["spans"] == [[0, 0, 2, 1]]),
    Feature(19, "`gridBefore` and `gridAfter`", "empty cells", lambda: docx(table([["a", "b", "c"], tr("x", "y", pr='<w:gridBefore w:val="1"/>'), tr("z", pr='<w:gridAfter w:val="2"/>')])), lambda w: w.grid() == [["a", "b", "c"], ["", "x", "y"], ["z", "", ""]]),
    Feature(21, "header rows", "`table_header`", lambda: docx(table([tr("h", "i", pr="<w:tblHeader/>"), tr("j", "k", pr="<w:tblHeader/>"), ["1", "2"]], grid=2)), lambda w: w.grid() == [["h", "i"], ["j", "k"], ["1", "2"]] and w.items["tb1"]["table_header"] == '[["h", "i"], ["j", "k"]]' and w.items["tb1"]["dimension"] == [3, 2]),
    Feature(23, "list in a cell", "labels in the lines of the cell", lambda: docx(table([[li("one") + li("sub", 1, 1), li("b", 2)]])), lambda w: w.grid() == [["1. one\n  1.1 sub", "- b"]]),
    Feature(25, "picture in a cell", "an item of its own, its id in the cell", lambda: docx(table([["a", p(run(picture("rP", descr="alt")))]]), media=_PICTURE), lambda w: w.grid() == [["a", "[im1]"]] and w.extras("im1")["parent"] == {"id": "tb1", "row": 0, "col": 1} and w.content.split("\n")[1].startswith('<drawing id="im1" format="png" path="test.blocks.assets/image1.png"')),
    Feature(27, "row in a content control", "like any row", lambda: docx(table([["a", "b"], sdt(tr("c", "d"))], grid=2)), lambda w: w.grid() == [["a", "b"], ["c", "d"]] and w.place("c\"")["path"] == "body/tbl[1]/sdt[1]/tr[1]/tc[1]/p[1]"),
    Feature(29, "call of a footnote", "`[^1]` where it stands, for notes in any order", lambda: docx(p("a", run('<w:footnoteReference w:id="9"/>'), "b", run('<w:footnoteReference w:id="4"/>')), footnotes={4: p("four"), 9: p("nine") + p("more")}), lambda w: w.content == "a[^1]b[^2]\n[^1]: nine\nmore\n[^2]: four" and w.place("four") == {"part": "word/footnotes.xml", "path": "footnotes/footnote[2]/p[1]"} and w.marks("note") == [("[^1]: nine\nmore", "1"), ("[^2]: four", "2")]),
    Feature(31, "comment", "region `comment` and the range as a mark", lambda: docx(p("x ", '<w:commentRangeStart w:id="4"/>', "abc", '<w:commentRangeEnd w:id="4"/>', run('<w:commentReference w:id="4"/>')), comments={4: p("Why?") + p("Really")}), lambda w: w.content == "x abc" and w.region("comment") == ["Why?\nReally"] and w.marks("comment") == [("abc", "4")] and w.regions[0]["extras"]["id"] == "4" and w.place("Really")["part"] == "word/comments.xml"),
    Feature(33, "tracked insertion", "in the text (`changes=accept`)", lambda: docx(p("a", f"<w:ins {_WHO}>{r('new')}</w:ins>")), lambda w: w.content == "anew"),
    Feature(35, "move", "where it was moved to", lambda: docx(p("a", f"<w:moveFrom {_WHO}>{r('moved')}</w:moveFrom>") + p(f"<w:moveTo {_WHO}>{r('moved')}</w:moveTo>", "b")), lambda w: w.content == "a\nmovedb"),
    Feature(37, "deleted paragraph mark", "the lines are one", lambda: docx(p("a", ppr=f"<w:rPr><w:del {_WHO}/></w:rPr>") + p("b")), lambda w: w.content == "ab" and w.place("b")["path"] == "body/p[2]"),
    Feature(39, "text box of VML", "on the line after its paragraph", lambda: docx(p("x", run(vml_textbox(p("boxed") + p("more")))) + p("y")), lambda w: w.content == "x\nboxed\nmore\ny" and w.place("more")["path"] == "body/p[1]/txbxContent[1]/p[2]"),
    Feature(41, "unknown Choice", "the Fallback", lambda: docx(p(run(alternate("<w:t>new</w:t>", "<w:t>old</w:t>", "q").replace("Requires=", 'xmlns:q="urn:q" Requires=')))), lambda w: w.content == "old"),
    Feature(43, "inline and display equations", "in the line; an equation item", lambda: docx(p("see ", math(mr("x")), ".") + p(math_para(math(mr("y"))))), lambda w: w.content == f"see {_inline('x')}.\n{_equation(1, 'y')}" and w.items["eq1"]["content"] == "y" and len(w.items) == 1),
    Feature(45, "roots", "LaTeX", lambda: docx(p(math_para(math(_ROOT)))), lambda w: w.items["eq1"]["content"] == "\\sqrt[3]{x}\\sqrt{y}"),
    Feature(47, "cases", "LaTeX", lambda: docx(p(math_para(math(_CASES)))), lambda w: w.items["eq1"]["content"] == "\\begin{cases} x, & x>0 \\\\ -x, & x<0 \\end{cases}"),
    Feature(49, "limits and functions", "LaTeX", lambda: docx(p(math_para(math(_LIMIT)))), lambda w: w.items["eq1"]["content"] == "\\lim_{n\\rightarrow\\infty}a\\sin x"),
    Feature(51, "picture", "a drawing item", lambda: docx(p("a", run(picture("rP")), "b"), media=_PICTURE), lambda w: w.content == 'a<drawing id="im1" format="png" path="test.blocks.assets/image1.png" src="" />b' and w.extras("im1")["width_pt"] == 72),
    Feature(53, "bytes of a picture", "an asset, once; `extras.sha256`", lambda: docx(p(run(picture("rP")), run(picture("rQ"))), media={**_PICTURE, "rQ": ("image2.png", png())}), lambda w: w.assets == ["image1.png"] and w.items["im1"]["path"] == w.items["im2"]["path"] and len(w.extras("im2")["sha256"]) == 64),
    Feature(55, "picture in two forms", "once", lambda: docx(p(run(alternate(picture("rP"), '<w:pict><v:shape><v:imagedata r:id="rP"/></v:shape></w:pict>', "wpg"))), media=_PICTURE), lambda w: list(w.items) == ["im1"]),
    Feature(57, "title of a chart", "a line, `caption` of the table, `extras.title`", _chart, lambda w: w.content.split("\n")[1] == "Sales" and w.items["tb1"]["caption"] == "Sales" and w.extras("im1")["title"] == "Sales" and w.extras("im1")["chart"] == w.extras("tb1")["chart"] == "word/charts/chart1.xml"),
    Feature(59, "SmartArt", "a nested list", _diagram, lambda w: w.content.split("\n")[1:] == ["- Boss", "  - Clerk"] and w.place("Clerk")["part"] == "word/diagrams/data1.xml"),
    Feature(61, "header apart from the body", "not in the blocks", lambda: docx(p("body"), headers={"default": p("HD"), "first": p("HF")}, footers={"even": p("FE")}, section="<w:titlePg/>"), lambda w: w.content == "body" and w.region("header") == ["HD", "HF"] and w.region("footer") == ["FE"] and [x["extras"]["kinds"] for x in w.regions] == [["default"], ["first"], ["even"]]),
    Feature(63, "HYPERLINK field", "mark `link` with its address", lambda: docx(p("a ", field('HYPERLINK "http://e.x/p" \\l "top" \\o "tip"', "go"), " b")), lambda w: w.content == "a go b" and w.marks("link") == [("go", "http://e.x/p#top")]),
    Feature(65, "fields", "the result, without the instruction", lambda: docx(p("x ", field("DATE", "May"), f'<w:fldSimple w:instr="PAGE">{r("7")}</w:fldSimple>', field(' IF a = "b" ', "yes"))), lambda w: w.content == "x May7yes"),
    Feature(67, "hidden text", "out, counted in a warning", lambda: docx(p("a", r("hid den", "<w:vanish/>"), "b")), lambda w: w.content == "ab" and w.codes == ["hidden_text_dropped"] and "6 characters" in w.meta["lrdoc"]["warnings"][-1]["message"]),
    Feature(69, "tabs, breaks, hyphens", "the characters", lambda: docx(p("a", run("<w:tab/>"), "b", run("<w:br/>"), "c", run("<w:noBreakHyphen/>"), "d", run("<w:softHyphen/>"), "e", run("<w:cr/>"), "f", run('<w:ptab w:alignment="right"/>'), "g", run('<w:br w:type="column"/>'), "h")), lambda w: w.content == "a\tb\nc\u2011d\u00ade\nf\tg\nh"),
    Feature(71, "content control around paragraphs", "its content", lambda: docx(p("a") + sdt(sdt(heading(1, "H")) + p("b")) + p("c")), lambda w: w.content == "a\n# H\nb\nc" and w.place("b")["path"] == "body/sdt[1]/p[1]"),
    Feature(73, "check boxes", "☒ ☐", lambda: docx(p(sdt(r("☒"), '<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>'), " a ", run('<w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData></w:fldChar>'), run("<w:instrText>FORMCHECKBOX</w:instrText>"), run('<w:fldChar w:fldCharType="end"/>'), " b")), lambda w: w.content == "☒ a ☐ b"),
    Feature(75, "altChunk", "its headings, lists and tables", _chunk, lambda w: w.headings == [(2, "Head")] and w.blocks[1]["content"].split("\n")[:3] == ["## Head", "one two", "- item"] and w.grid() == [["a", "b"]] and w.marks("bold") == [("two", "")] and w.place("item")["part"] == "word/part.html"),
    Feature(77, "bold, italic, underline", "marks", lambda: docx(p("a ", r("b", "<w:b/>"), r("c", "<w:i/>"), r("d", '<w:u w:val="single"/>'), r("e", "<w:b/><w:i/>"))), lambda w: w.content == "a bcde" and sorted(w.marks("bold", "italic", "underline")) == [("b", ""), ("c", ""), ("d", ""), ("e", ""), ("e", "")]),
    Feature(79, "superscript and subscript", "`<sup>`, `<sub>`", lambda: docx(p("x", r("2", '<w:vertAlign w:val="superscript"/>'), "y", r("i", '<w:vertAlign w:val="subscript"/>'))), lambda w: w.content == "x<sup>2</sup>y<sub>i</sub>"),
    Feature(81, "caption", "`caption` of its item", lambda: docx(p("Table ", field("SEQ Table", "1"), ": Things", style="Caption") + table([["a", "b"]]) + p("x") + p(run(picture("rP"))) + p("Figure 1 It", style="Caption"), media=_PICTURE), lambda w: w.items["tb1"]["caption"] == "Table 1: Things" and w.items["im1"]["caption"] == "Figure 1 It" and w.content.startswith("Table 1: Things\n<table")),
    Feature(83, "embedded object", "its preview as a drawing; the file as an asset", lambda: docx(p(run(_OLE)), media=_PICTURE, parts={"word/embeddings/book.xlsx": (None, b"PK\x03\x04")}, rels=[("rO", "package", "embeddings/book.xlsx")]), lambda w: w.extras("im1")["embedded"] == {"prog_id": "Excel.Sheet.12", "name": "book.xlsx", "asset": "book.xlsx"} and w.assets == ["book.xlsx", "image1.png"]),
    Feature(85, "CJK and astral characters", "as they are", lambda: docx(p("漢字 𠀀😀e\u0301") + p("z")), lambda w: w.content == "漢字 𠀀😀e\u0301\nz" and w.blocks[0]["provenance"][1]["chars"] == [8, 9]),
    Feature(87, "paraId", "`positions` and provenance", lambda: docx(p("a", paraid="0000000A") + heading(1, "H", paraid="0000000B") + table([[p("c", paraid="0000000C")]])), lambda w: [b["positions"][0]["range"] for b in w.blocks] == [["0000000A", "0000000A"], ["0000000B", "0000000C"]] and w.place("c\"") == {"part": "word/document.xml", "path": "body/tbl[1]/tr[1]/tc[1]/p[1]", "paraid": "0000000C"} and not w.meta["lrdoc"].get("warnings")),
    Feature(89, "macro files", "like any document", lambda: docx(heading(1, "M"), content_type="application/vnd.ms-word.document.macroEnabled.main+xml"), lambda w: w.headings == [(1, "M")] and w.meta["document_format"] == "docm", "test.docm"),
    Feature(91, "no section properties", "no matter", lambda: docx(heading(1, "T") + p("x"), section="none"), lambda w: w.content == "# T\nx"),
    Feature(93, "missing picture", "a drawing without asset and a warning", lambda: docx(p("t", run(picture("rP", descr="alt"))), media=_PICTURE, drop=["word/media/image1.png"]), lambda w: w.codes == ["picture_missing"] and w.items["im1"]["path"] == "" and w.extras("im1")["alt_text"] == "alt"),
    Feature(95, "unknown list", "text without label", lambda: docx(li("x", 77) + li("y", 1)), lambda w: w.content == "x\n1. y"),
    Feature(97, "localized style ids", "the name counts", lambda: docx(p("Eins", style="berschrift1") + p("Zwei", style="a2") + p("Drei", style="rubrik3"), styles=style("berschrift1", "heading 1") + style("a2", "标题 2") + style("rubrik3", "Rubrik 3")), lambda w: w.headings == [(1, "Eins"), (2, "Zwei"), (3, "Drei")]),
    Feature(99, "300 nested tables", "300 table items, one in the cell of the other", lambda: docx("<w:tbl><w:tr><w:tc>" * 300 + p("deep") + "</w:tc></w:tr></w:tbl>" * 300), lambda w: w.grid("tb300") == [["deep"]] and w.grid("tb7") == [["[tb8]"]] and w.extras("tb300")["parent"] == {"id": "tb299", "row": 0, "col": 0}),
)  # fmt: skip
