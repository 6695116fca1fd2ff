"""Workbooks, presentations, OpenDocument and RTF."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from legacy_files import HEADER, codes, deck, lines_of, odt, pack, read, rels, save, shape, text_of, workbook

from lrdoc.document import Text
from lrdoc.errors import EmptyDocumentError, EncryptedFileError, LimitExceeded, SourceError
from lrdoc.parsers.legacy.numbers import show_number
from lrdoc.parsers.legacy.settings import LegacySettings

STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode="0.0%"/><numFmt numFmtId="165" formatCode="dd.mm.yyyy"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="4"/></cellXfs>'
)


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.256, "0%", "26%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-5, "#,##0;[Red](#,##0)", "(5)"),
        (0, '0;-0;"none"', "none"),
        (44927.5, "yyyy-mm-dd h:mm", "2023-01-01 12:00"),
        (45000, "d. mmmm yyyy", "15. March 2023"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (0.5, "h:mm AM/PM", "12:00 PM"),
        (0.75001, "mm:ss", "00:01"),
        (12345, "0.00E+00", "1.23E+04"),
        (1234, '_("$"* #,##0.00_)', "$1,234.00"),
        (7, "0000", "0007"),
        (0.125, "0.00", "0.13"),
        (1.25, "# ?/?", "1 1/4"),
        (0.1 + 0.2, "General", "0.3"),
        (123456789012, "General", "123456789012"),
        (1e20, "General", "1E+20"),
        (5, "0 \\k\\g", "5 kg"),
        (5, '[<10]"few";"many"', "few"),
        (50, '[<10]"few";"many"', "many"),
        (1234567, '0.0,,"M"', "1.2M"),
    ],
)
def test_numbers_are_shown_as_the_sheet_shows_them(value: float, code: str, text: str) -> None:
    assert show_number(value, code) == text


def test_a_date_before_and_after_the_day_that_never_was() -> None:
    assert show_number(59, "yyyy-mm-dd") == "1900-02-28"
    assert show_number(61, "yyyy-mm-dd") == "1900-03-01"
    assert show_number(0, "yyyy-mm-dd", date1904=True) == "1904-01-01"


def test_a_sheet_is_a_text_table_over_used_cells(tmp_path: Path) -> None:
    sheet = (
        '<sheetData><row r="2"><c r="B2" t="s"><v>0</v></c><c r="D2" t="inlineStr"><is><t>in</t></is></c></row>'
        '<row r="5"><c r="B5" s="1"><v>0.5</v></c><c r="C5"/><c r="D5" s="2"><v>45000</v></c></row>'
        '<row r="6"><c r="B6" t="b"><v>1</v></c><c r="D6" t="str"><f>A1&amp;"x"</f><v>formula</v></c></row>'
        '<row r="7"><c r="D7" t="e"><v>#DIV/0!</v></c></row></sheetData>'
    )
    path = workbook(
        tmp_path / "a.xlsx",
        {"Data": sheet},
        strings="<si><r><t>rich</t></r><rPh><t>no</t></rPh><r><t>!</t></r></si>",
        styles=STYLES,
    )
    assert lines_of(path) == ["Data", "rich!\tin", "50.0%\t15.03.2023", "TRUE\tformula", "\t#DIV/0!"]


def test_provenance_names_sheet_and_cells(tmp_path: Path) -> None:
    sheet = '<sheetData><row r="3"><c r="B3"><v>1</v></c><c r="D3"><v>2</v></c></row></sheetData>'
    document = read(workbook(tmp_path / "a.xlsx", {"S": sheet}))
    sources = [part.source for part in document.blocks[0].parts if isinstance(part, Text) and part.source]
    assert [(s.sheet, s.cells) for s in sources] == [("S", None), ("S", "B3:D3")]


def test_one_far_cell_costs_nothing(tmp_path: Path) -> None:
    sheet = (
        '<sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>'
    )
    assert lines_of(workbook(tmp_path / "a.xlsx", {"S": sheet})) == ["S", "1", "\t2"]


def test_a_vertical_merge_repeats_its_value_and_a_horizontal_one_does_not(tmp_path: Path) -> None:
    sheet = (
        '<sheetData><row r="1"><c r="A1"><v>7</v></c><c r="B1"><v>1</v></c></row><row r="2"><c r="B2"><v>2</v></c></row>'
        '<row r="3"><c r="B3"><v>3</v></c></row><row r="4"><c r="A4"><v>9</v></c></row></sheetData>'
        '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="A4:B4"/></mergeCells>'
    )
    assert lines_of(workbook(tmp_path / "a.xlsx", {"S": sheet})) == ["S", "7\t1", "7\t2", "\t3", "9"]


def test_hidden_sheets_are_read_and_noted(tmp_path: Path) -> None:
    cell = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>'
    document = read(workbook(tmp_path / "a.xlsx", {"A": cell, "B": cell}, states={"B": "veryHidden"}))
    assert text_of(document).split("\n") == ["A", "1", "", "B", "1"]
    assert codes(document) == ["xlsx_hidden_sheet"]


def test_comments_and_printed_margins_are_read(tmp_path: Path) -> None:
    sheet = (
        '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>'
        '<headerFooter><oddHeader>&amp;L&amp;"Arial"Left&amp;C&amp;P of &amp;N</oddHeader></headerFooter>'
    )
    comments = (
        '<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ann</author></authors>'
        '<commentList><comment ref="A1" authorId="0"><text><t>look here</t></text></comment></commentList></comments>'
    )
    extra = {
        "xl/worksheets/_rels/sheet1.xml.rels": rels(("rId1", "comments", "../comments1.xml")),
        "xl/comments1.xml": comments,
    }
    assert lines_of(workbook(tmp_path / "a.xlsx", {"S": sheet}, extra=extra)) == [
        "S",
        "1",
        "A1 Ann: look here",
        "Left of",
    ]


def test_an_empty_workbook_is_named_and_cells_have_a_limit(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocumentError):
        read(workbook(tmp_path / "a.xlsx", {"S": "<sheetData/>"}))
    rows = "".join(f'<row r="{i}"><c r="A{i}"><v>{i}</v></c></row>' for i in range(1, 20))
    with pytest.raises(LimitExceeded, match="LEGACY_MAX_CELLS"):
        read(workbook(tmp_path / "b.xlsx", {"S": f"<sheetData>{rows}</sheetData>"}), LegacySettings(max_cells=10))


def test_a_slide_is_read_title_first_with_levels_tables_groups_and_notes(tmp_path: Path) -> None:
    table = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="2" name="t" descr="a table"/></p:nvGraphicFramePr><a:graphic>'
        '<a:graphicData><a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>wide</a:t></a:r></a:p></a:txBody></a:tc>'
        '<a:tc hMerge="1"><a:txBody><a:p/></a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody><a:p><a:r><a:t>1</a:t></a:r></a:p>'
        "</a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>2</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>"
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    group = (
        f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="g"/></p:nvGrpSpPr>{shape("in group")}<p:grpSp>{shape("deeper")}'
        "</p:grpSp></p:grpSp>"
    )
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="3" name="p" descr="a cat"/><p:nvPr/></p:nvPicPr></p:pic>'
    slide = (
        shape("first", "1:second", placeholder="body")
        + shape("The title", placeholder="title")
        + table
        + group
        + picture
    )
    slide += shape("7", placeholder="sldNum")
    notes = f"{HEADER}<p:notes NAMES><p:cSld><p:spTree>{shape('say this', placeholder='body')}</p:spTree></p:cSld></p:notes>"
    extra = {
        "ppt/slides/_rels/slide1.xml.rels": rels(("rId1", "notesSlide", "../notesSlides/n1.xml")),
        "ppt/notesSlides/n1.xml": notes,
    }
    assert lines_of(deck(tmp_path / "a.pptx", [slide], extra)) == [
        "The title", "- first", "  - second", "a table", "wide", "1\t2", "in group", "deeper", "a cat", "say this",
    ]  # fmt: skip


P14 = "http://schemas.microsoft.com/office/powerpoint/2010/main"


def test_only_one_branch_of_alternate_content_is_read(tmp_path: Path) -> None:
    slide = (
        f'<mc:AlternateContent><mc:Choice xmlns:p14="{P14}" Requires="p14">{shape("new")}</mc:Choice><mc:Fallback>{shape("old")}</mc:Fallback>'
        f'</mc:AlternateContent><mc:AlternateContent><mc:Choice Requires="zz9">{shape("unknown")}</mc:Choice>'
        f"<mc:Fallback>{shape('fallback')}</mc:Fallback></mc:AlternateContent>"
    )
    assert lines_of(deck(tmp_path / "a.pptx", [slide])) == ["new", "fallback"]


def test_charts_and_smartart_of_a_slide(tmp_path: Path) -> None:
    frame = (
        '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame>'
        '<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds r:dm="rId2"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    points = lambda *values: "".join(f'<c:pt idx="{i}"><c:v>{v}</c:v></c:pt>' for i, v in enumerate(values))  # noqa: E731
    chart = (
        f"{HEADER}<c:chartSpace NAMES><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx>"
        f"</c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>{points('2024')}</c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points('Q1', 'Q2')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>"
        f"{points(3, 4)}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    node = lambda key, text: f'<dgm:pt modelId="{key}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'  # noqa: E731
    link = lambda a, b, n: f'<dgm:cxn srcId="{a}" destId="{b}" srcOrd="{n}"/>'  # noqa: E731
    diagram = (
        f'{HEADER}<dgm:dataModel NAMES><dgm:ptLst><dgm:pt modelId="0" type="doc"/>{node(3, "second")}{node(1, "top")}'
        f"{node(2, 'first')}</dgm:ptLst><dgm:cxnLst>{link(0, 1, 0)}{link(1, 3, 1)}{link(1, 2, 0)}</dgm:cxnLst></dgm:dataModel>"
    )
    extra = {
        "ppt/slides/_rels/slide1.xml.rels": rels(
            ("rId1", "chart", "../charts/c.xml"), ("rId2", "diagramData", "../d.xml")
        ),
        "ppt/charts/c.xml": chart,
        "ppt/d.xml": diagram,
    }
    assert lines_of(deck(tmp_path / "a.pptx", [frame], extra)) == [
        "Sales", "\t2024", "Q1\t3", "Q2\t4", "- top", "  - first", "  - second",
    ]  # fmt: skip


def test_slides_are_numbered_and_a_missing_one_warns(tmp_path: Path) -> None:
    path = deck(
        tmp_path / "a.pptx",
        [shape("one"), shape("two")],
        {"ppt/_rels/presentation.xml.rels": rels(("rId2", "slide", "slides/slide2.xml"))},
    )
    document = read(path)
    assert (text_of(document), codes(document)) == ("two", ["pptx_missing_slide"])
    assert [part.source.slide for part in document.blocks[0].parts if getattr(part, "source", None)] == [2]


def test_odt_headings_lists_tables_notes_and_boxes(tmp_path: Path) -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>no</text:p></text:deletion></text:changed-region>"
        '</text:tracked-changes><text:h text:outline-level="1">Head</text:h><text:p>a<text:s text:c="2"/>b<text:tab/>c'
        "<text:line-break/>d <text:span>e</text:span><text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>the note</text:p></text:note-body></text:note> f</text:p>"
        "<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item>"
        "</text:list></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>x</text:p><text:p>y</text:p></table:table-cell>"
        '<table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>z</text:p></table:table-cell>'
        "</table:table-row></table:table>"
        "<text:p>host<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame> end</text:p>"
    )
    styles = (
        "<office:master-styles><style:master-page><style:header><text:p>Top</text:p></style:header></style:master-page>"
        "</office:master-styles>"
    )
    assert lines_of(odt(tmp_path / "a.odt", body, styles)) == [
        "Head", "a  b\tc", "d e[1] f", "[1] the note", "- one", "  - two", "x y\t\t\tz", "host end", "boxed", "Top",
    ]  # fmt: skip


def test_an_encrypted_odt_and_a_spreadsheet_under_its_suffix_are_refused(tmp_path: Path) -> None:
    manifest = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    with pytest.raises(EncryptedFileError, match="password"):
        read(odt(tmp_path / "a.odt", "<text:p>x</text:p>", manifest=manifest))
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    content = f'<o:document-content xmlns:o="{office}"><o:body><o:spreadsheet/></o:body></o:document-content>'
    with pytest.raises(SourceError, match="spreadsheet"):
        read(pack(tmp_path / "b.odt", {"content.xml": content}))


RTF = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Cyr;}{\f2\fcharset128 Jap;}}{\colortbl;\red1;}"
    r"{\info{\title no}}{\stylesheet{\s1 no;}}"
)


@pytest.mark.parametrize(
    ("rtf", "lines"),
    [
        (r"caf\'e9 \emdash  a\~b\_c\par next\line more}", ["café — a\u00a0b‑c", "next", "more"]),
        (r"{\f1 \'cf\'f0\'e8\'e2\'e5\'f2} end}", ["Привет end"]),
        (r"\uc1\u20013?\u25991?\par\uc0\u8364 x}", ["中文", "€x"]),
        (r"\uc2\u-10179??\u-8704?? smile}", ["😀 smile"]),
        (r"\trowd a\intbl\cell b\cell\row\trowd 1\intbl\cell 2\cell\row\pard after}", ["a\tb", "1\t2", "after"]),
        (r"{\field{\*\fldinst HYPERLINK http://x}{\fldrslt link}} {\*\unknown no}{\v hidden}shown}", ["link shown"]),
        (r"body{\footnote note text}{\header top} end\par}", ["body end", "note text", "top"]),
        (r"a{\pict\wmetafile8 0102 fffe}{\pict\bin4 \{\}}b}", ["ab"]),
        (r"\'93quoted\'94 \{braces\} \\ back}", ["“quoted” {braces} \\ back"]),
        (
            r"kept{\deleted  gone{\footnote gone}} {\mvf moved }\deleted no\deleted0 end{\deleted no\plain  shown}}",
            ["kept end shown"],
        ),
        (
            r"\trowd\v\intbl{\v0 a}\cell{\v0 b}\par{\v0 c}\cell\row\pard\plain after\v\par\v0 last}",
            ["a\tb c", "after", "last"],
        ),
        (r"{\upr{an?si}{\*\ud \uc1\u20013?\u25991?}} {\pict{\upr{no}{\*\ud no}}}end}", ["中文 end"]),
        (
            r"{\shp{\*\shpinst{\shptxt box}}{\shprslt box}} {\*\do\dptxbx{\dptxbxtext old box}} end}",
            ["box old box end"],
        ),
        (
            r"{\*\pnseclvl1\pnucrm{\pntxta .}{\pntxtb (}}{\pntext 1.\tab}{\*\pn{\pntxta .}}one{\nonesttables\par}!}",
            ["1.\tone!"],
        ),
        ("{\\f2 \\'93\n\\'fa\\'96\r\n\\'7b}}", ["日本"]),
    ],
)
def test_rtf_is_read_as_text(tmp_path: Path, rtf: str, lines: list[str]) -> None:
    assert lines_of(save(tmp_path / "a.rtf", RTF + rtf)) == lines


def test_a_cut_off_rtf_keeps_its_text_and_warns(tmp_path: Path) -> None:
    document = read(save(tmp_path / "a.rtf", RTF + r"one \b two"))
    assert (text_of(document), codes(document)) == ("one two", ["rtf_damaged"])


def test_something_else_under_the_rtf_suffix_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not RTF"):
        read(save(tmp_path / "a.rtf", "plain"))


@pytest.mark.parametrize("suffix", ["pptx", "xlsx", "odt", "epub"])
def test_packages_that_are_none_are_named(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(SourceError, match="does not begin like a zip"):
        read(save(tmp_path / f"a.{suffix}", "text"))
    with pytest.raises(EncryptedFileError, match="encrypted or in the old binary"):
        read(save(tmp_path / f"b.{suffix}", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)))
    whole = pack(tmp_path / f"c.{suffix}", {"x.xml": "<x/>" * 1000}).read_bytes()
    with pytest.raises(SourceError, match="damaged or truncated"):
        read(save(tmp_path / f"d.{suffix}", whole[: len(whole) // 2]))
    with pytest.raises(SourceError):
        read(pack(tmp_path / f"e.{suffix}", {"x.xml": "<x/>"}))


def test_a_package_that_unpacks_to_too_much_is_stopped_early(tmp_path: Path) -> None:
    sheet = '<sheetData><row r="1"><c r="A1" t="str"><v>' + " " * 40_000_000 + "</v></c></row></sheetData>"
    path = workbook(tmp_path / "bomb.xlsx", {"S": sheet})
    start = time.process_time()
    with pytest.raises(LimitExceeded, match="DOCX_MAX_UNCOMPRESSED_BYTES"):
        read(path, LegacySettings(max_uncompressed_bytes=1_000_000))
    assert time.process_time() - start < 3
    with pytest.raises(LimitExceeded, match="DOCX_MAX_ENTRIES"):
        read(path, LegacySettings(max_entries=2))
