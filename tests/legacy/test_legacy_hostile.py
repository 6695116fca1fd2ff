"""Files made to do harm: an error of ours or text, in bounded time and memory."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from legacy_files import (
    HEADER,
    codes,
    deck,
    epub,
    lines_of,
    odt,
    pack,
    pdf,
    read,
    save,
    shape,
    text_of,
    workbook,
)

from lrdoc.document import Document
from lrdoc.errors import Cancelled, LimitExceeded, LrdocError, SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.legacy.html_guard import guard
from lrdoc.parsers.legacy.output import MAX_PADDING
from lrdoc.parsers.legacy.parser import LegacyParser
from lrdoc.parsers.legacy.settings import LegacySettings
from lrdoc.testing.assets import NoAssets

BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
DOCTYPE = f'<!DOCTYPE x [<!ENTITY e0 "lollollol"><!ENTITY f SYSTEM "file:///etc/passwd">{BOMB}]>'


def timed(path: Path, most: float = 2.0) -> Document | LrdocError:
    """The document or the refusal, and an assertion on the CPU time: the least of up to three runs counts."""
    spent = []
    while True:
        start = time.process_time()
        found: Document | LrdocError
        try:
            found = read(path)
        except LrdocError as refusal:
            assert len(str(refusal)) > 20
            found = refusal
        spent.append(time.process_time() - start)
        if spent[-1] < most:
            return found
        assert len(spent) < 3, f"{min(spent):.1f} CPU seconds"


# -- XML -------------------------------------------------------------------------------------------------------------


def rewrite(path: Path, part: str, change: Callable[[str], str]) -> Path:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part].decode()).encode()
    return pack(path, parts)


PACKAGES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "pptx": (lambda path: deck(path, [shape("WORDS")]), "ppt/slides/slide1.xml"),
    "odt": (lambda path: odt(path, "<text:p>WORDS</text:p>"), "content.xml"),
    "xlsx": (
        lambda path: workbook(
            path, {"S": '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>WORDS</t></is></c></row></sheetData>'}
        ),
        "xl/worksheets/sheet1.xml",
    ),
}


@pytest.mark.parametrize("kind", PACKAGES)
@pytest.mark.parametrize("reference", ["&e9;", "&f;", "&nobody;"])
def test_entities_in_packages_do_no_harm(kind: str, reference: str, tmp_path: Path) -> None:
    make, part = PACKAGES[kind]
    path = rewrite(
        make(tmp_path / f"a.{kind}"), part,
        lambda xml: xml.replace(HEADER, HEADER + DOCTYPE).replace("WORDS", f"Words {reference} after"),
    )  # fmt: skip
    found = timed(path)
    if isinstance(found, Document):
        assert len(text_of(found)) < 1000
        assert "root:" not in text_of(found)


def test_references_where_elements_are_expected(tmp_path: Path) -> None:
    cells = workbook(
        tmp_path / "a.xlsx", {"S": '<sheetData><row r="1"><c r="A1"><v>7</v>&who;</c>&who;</row></sheetData>'}
    )
    sheet = rewrite(cells, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(HEADER, HEADER + DOCTYPE))
    assert isinstance(timed(sheet), Document)
    body = "<text:p>words<draw:object>&who;</draw:object></text:p>"
    text = odt(tmp_path / "a.odt", body, "<style:master-page>&who;</style:master-page>")
    for part in ("content.xml", "styles.xml"):
        rewrite(text, part, lambda xml: xml.replace(HEADER, HEADER + DOCTYPE))
    assert lines_of(text) == ["words"]


@pytest.mark.parametrize("body", ["<a>&e9;</a>", '<a b="&e9;">words</a>', "<a>&f; words</a>"])
def test_entity_bombs_in_xml(body: str, tmp_path: Path) -> None:
    found = timed(save(tmp_path / "a.xml", DOCTYPE + body))
    assert isinstance(found, SourceError) or "root:" not in text_of(found)  # type: ignore[arg-type]


def test_entities_that_a_file_declares_are_text(tmp_path: Path) -> None:
    doctype = '<!DOCTYPE x [<!ENTITY co "Ink &amp; Co">]>'
    path = save(tmp_path / "a.xml", f"{doctype}<a>Made by &co; today</a>")
    assert lines_of(path) == ["Made by Ink & Co today"]


def test_entities_of_html_in_xml_keep_what_follows_them(tmp_path: Path) -> None:
    doctype = '<!DOCTYPE x SYSTEM "x.dtd">'
    path = save(tmp_path / "a.xml", f"{doctype}<a>caf&eacute; <b>here</b>&nbsp;and &nobody; there</a>")
    assert lines_of(path) == ["café here and there"]


@pytest.mark.parametrize("depth", [1_000, 50_000])
def test_deep_xml(depth: int, tmp_path: Path) -> None:
    found = timed(save(tmp_path / "a.xml", "<a>" * depth + "words" + "</a>" * depth))
    assert isinstance(found, (Document, SourceError))


def test_more_nodes_than_allowed(tmp_path: Path) -> None:
    path = deck(tmp_path / "a.pptx", [shape("x") * 2000])
    with pytest.raises(LimitExceeded, match="XML elements"):
        read(path, LegacySettings(max_nodes=1000))


# -- packages --------------------------------------------------------------------------------------------------------


def test_names_that_lead_out_of_the_package_are_names_in_it(tmp_path: Path) -> None:
    path = deck(tmp_path / "a.pptx", [shape("x")], {"../../../etc/evil.xml": "<a/>", "/absolute.xml": "<a/>"})
    assert lines_of(path) == ["x"]


def test_an_entry_that_stands_twice(tmp_path: Path) -> None:
    path = deck(tmp_path / "a.pptx", [shape("first")])
    with zipfile.ZipFile(path) as archive:
        slide = archive.read("ppt/slides/slide1.xml")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("ppt/slides/slide1.xml", slide.replace(b"first", b"last"))
    assert lines_of(path) == ["last"]


def test_entries_that_overlap_are_read_or_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("content.xml", "<a/>")
        for n in range(2000):
            info = zipfile.ZipInfo(f"x{n}")
            info.header_offset, info.file_size, info.compress_size, info.CRC = 0, 1 << 20, 4, 0
            archive.filelist.append(info)
            archive.NameToInfo[info.filename] = info
    assert isinstance(timed(save(tmp_path / "a.odt", buffer.getvalue())), LrdocError)


def test_a_slide_a_chapter_and_a_sheet_named_again_are_read_once(tmp_path: Path) -> None:
    slides = rewrite(
        deck(tmp_path / "a.pptx", [shape("words")]), "ppt/presentation.xml",
        lambda xml: xml.replace("<p:sldIdLst>", "<p:sldIdLst>" + '<p:sldId id="9" r:id="rId1"/>' * 500),
    )  # fmt: skip
    assert lines_of(slides) == ["words"]
    book = rewrite(
        epub(tmp_path / "a.epub", {"a.xhtml": "<p>words</p>"}), "OPS/book.opf",
        lambda xml: xml.replace("<spine>", "<spine>" + '<itemref idref="c0"/>' * 500),
    )  # fmt: skip
    assert lines_of(book) == ["words"]
    assert "epub_repeated_chapter" in codes(read(book))
    sheets = rewrite(
        PACKAGES["xlsx"][0](tmp_path / "a.xlsx"), "xl/workbook.xml",
        lambda xml: xml.replace("</sheets>", '<sheet name="T" sheetId="7" r:id="rId1"/></sheets>'),
    )  # fmt: skip
    assert lines_of(sheets) == ["S", "WORDS"]


# -- claims of size --------------------------------------------------------------------------------------------------


def test_a_long_text_that_many_cells_name(tmp_path: Path) -> None:
    rows = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(1, 5000))
    path = workbook(
        tmp_path / "a.xlsx", {"S": f"<sheetData>{rows}</sheetData>"}, strings=f"<si><t>{'x' * 32_000}</t></si>"
    )
    with pytest.raises(LimitExceeded, match="LEGACY_MAX_TEXT_CHARS"):
        read(path, LegacySettings(max_text_chars=10_000_000))


@pytest.mark.parametrize("index", ["-1", "999999999999", "1e9", "", "x", "٣"])
def test_a_shared_string_that_is_not_there(index: str, tmp_path: Path) -> None:
    cells = f'<c r="A1" t="s"><v>{index}</v></c><c r="B1"><v>7</v></c>'
    path = workbook(
        tmp_path / "a.xlsx", {"S": f'<sheetData><row r="1">{cells}</row></sheetData>'}, strings="<si><t>a</t></si>"
    )
    assert lines_of(path)[1].strip() == "7"


def test_rows_with_one_far_cell_each(tmp_path: Path) -> None:
    head = "".join(f'<c r="{a}{b}1"><v>1</v></c>' for a in "ABCDEFGHIJ" for b in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    rows = "".join(f'<row r="{n}"><c r="JZ{n}"><v>2</v></c></row>' for n in range(2, 8000))
    path = workbook(tmp_path / "a.xlsx", {"S": f'<sheetData><row r="1">{head}</row>{rows}</sheetData>'})
    found = timed(path)
    assert isinstance(found, Document)
    assert "table_narrowed" in codes(found)
    assert len(text_of(found)) < MAX_PADDING + 100_000


def test_one_row_with_endless_cells(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", {"S": f'<sheetData><row r="1">{"<c/>" * 1_100_000}</row></sheetData>'})
    assert isinstance(timed(path), LimitExceeded)


def test_start_tags_without_an_end_cost_no_quadratic_time(tmp_path: Path) -> None:
    sheet = "<sheetData><row r='1'><c r='A1'><v>1</v></c></row></sheetData>" + "<c r " * 100_000
    timed(workbook(tmp_path / "a.xlsx", {"S": sheet}))
    timed(workbook(tmp_path / "b.xlsx", {"S": "<c " + 'r="A1" ' * 100_000}))


def test_merges_of_many_columns_over_many_rows(tmp_path: Path) -> None:
    columns = [f"{a}{b}" for a in "ABCDEFGHIJ" for b in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    head = "".join(f'<c r="{c}1"><v>1</v></c>' for c in columns)
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>2</v></c></row>' for n in range(2, 3000))
    merges = "".join(f'<mergeCell ref="{c}1:{c}1048576"/>' for c in columns)
    path = workbook(
        tmp_path / "a.xlsx",
        {"S": f'<sheetData><row r="1">{head}</row>{rows}</sheetData><mergeCells>{merges}</mergeCells>'},
    )
    assert isinstance(timed(path, 4), Document)


def test_repeated_cells_and_blanks_of_odt(tmp_path: Path) -> None:
    cell = '<table:table-cell table:number-columns-repeated="1000000000"/>'
    row = f'<table:table-row table:number-rows-repeated="1000000000">{cell * 50}<table:table-cell><text:p>x</text:p>'
    body = f"<table:table>{(row + '</table:table-cell></table:table-row>') * 200}</table:table>"
    path = odt(tmp_path / "a.odt", body + '<text:p>a<text:s text:c="999999999"/>b</text:p>')
    found = timed(path)
    assert isinstance(found, Document)
    assert "table_narrowed" in codes(found)
    assert text_of(found).count("x") == 200


def test_spans_of_html_tables(tmp_path: Path) -> None:
    cells = "<td rowspan=65000 colspan=1000>x"
    found = timed(save(tmp_path / "a.html", f"<table>{('<tr>' + cells) * 3}{'<tr><td>y' * 800}"), 4)
    assert isinstance(found, Document)
    assert text_of(found).count("y") == 800


SHORT_LINES: dict[str, Callable[[Path, int], Path]] = {
    "pptx": lambda path, count: deck(path, [shape(*["a"] * count)]),
    "xlsx": lambda path, count: workbook(
        path, {"S": "<sheetData>" + "<row><c><v>1</v></c></row>" * count + "</sheetData>"}
    ),
    "odt": lambda path, count: odt(path, "<text:p>a</text:p>" * count),
    "epub": lambda path, count: epub(path, {f"{n}.xhtml": "<p>a</p>" * (count // 4) for n in range(4)}),
    "html": lambda path, count: save(path, "<p>a</p>" * count),
    "rtf": lambda path, count: save(path, "{\\rtf1 " + "a\\par " * count + "}"),
    "csv": lambda path, count: save(path, "a,b\n" * count),
    "xml": lambda path, count: save(path, f"<a>{'<b>a</b>' * count}</a>"),
    "pdf": lambda path, count: pdf(path, [["a"]] * count),
}


@pytest.mark.parametrize("kind", SHORT_LINES)
def test_lines_are_counted_over_the_whole_file(kind: str, tmp_path: Path) -> None:
    path = SHORT_LINES[kind](tmp_path / f"a.{kind}", 40)
    assert isinstance(read(path, LegacySettings(max_lines=41)), Document)
    with pytest.raises(LimitExceeded, match="LEGACY_MAX_LINES"):
        read(path, LegacySettings(max_lines=30))


def test_elements_are_counted_over_all_chapters_before_trees_are_made(tmp_path: Path) -> None:
    book = epub(tmp_path / "a.epub", {f"{n}.xhtml": "<i>a</i>" * 100 for n in range(4)})
    assert isinstance(read(book, LegacySettings(max_html_elements=500)), Document)
    with pytest.raises(LimitExceeded, match=r"LEGACY_MAX_HTML_ELEMENTS") as caught:
        read(book, LegacySettings(max_html_elements=300))
    assert caught.value.where == "OPS/2.xhtml"
    page = save(tmp_path / "a.html", "<i>a</i>" * 400)
    with pytest.raises(LimitExceeded, match=r"LEGACY_MAX_HTML_ELEMENTS"):
        read(page, LegacySettings(max_html_elements=300))


def test_a_small_book_that_unpacks_to_many_paragraphs_is_refused_soon(tmp_path: Path) -> None:
    book = epub(tmp_path / "a.epub", {"a.xhtml": "<p>a</p>" * 4_000_000})
    assert isinstance(timed(book), LimitExceeded)


# -- text formats ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 100_000, "<b>" * 100_000, "<table><tr><td>" * 30_000, "<ul><li>x" * 50_000, "<table>" + "<b>x" * 20_000,
        "<p>" + "".join(f"<font color=c{n}>" for n in range(1500)) + "</p>" + "<p>x</p>" * 3000,
        "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">x", "<DIV></x>" * 50_000, "<a " * 50_000,
        "<div><x></div>" * 30_000,
    ],
    ids=["div", "b", "table", "list", "foster", "formatting", "attributes", "end tags", "open", "unknown"],
)  # fmt: skip
def test_html_that_costs_a_parser_quadratic_time(body: str, tmp_path: Path) -> None:
    timed(save(tmp_path / "a.html", f"<body>words {body}"))


def test_ordinary_html_passes_the_guard() -> None:
    sloppy = "<p>text <font color=red>red" * 3000 + "<br>line<li>item<td>cell" * 3000
    script = "<script>" + "document.write('<div>');" * 5000 + "</script>"
    balanced = "<div><span><b>x</b></span></div>" * 20_000
    for text in (sloppy, script, balanced, "<a href='data:" + "x " * 20_000 + "'>picture</a>"):
        assert guard(text, 2000) == text


def test_very_long_lists_of_options(tmp_path: Path) -> None:
    found = timed(save(tmp_path / "a.html", "<select>" + "<option>x" * 20_000 + "</select>"), 4)
    assert isinstance(found, Document)
    assert text_of(found).count("x") == 20_000


def test_one_large_field_and_long_blanks_in_csv(tmp_path: Path) -> None:
    found = timed(save(tmp_path / "a.csv", 'a,b\n"' + "word " * 300_000 + '",2\n'), 4)
    assert isinstance(found, Document)
    found = timed(save(tmp_path / "b.csv", "a,b\nx" + " " * 500_000 + "\x01y\x0b,2\n"))
    assert isinstance(found, Document)
    timed(save(tmp_path / "c.csv", '"' * 300_001))


@pytest.mark.parametrize(
    "body",
    [
        rb"a\bin99999999999 b", rb"a{\pict\bin500 x", b"{" * 100_000, b"}" * 100_000, rb"\uc99999\u65 ", rb"\u99999999999?",
        rb"a\ansicpg12345 \'e9", rb"a{\fonttbl{\f1\cpg99999 x;}}\f1\'e9", rb"\intbl\cell\row" * 5_000, rb"{\footnote x}" * 5000,
        b"a" + b"\\" * 100_001,
    ],
)  # fmt: skip
def test_rtf_made_to_do_harm(body: bytes, tmp_path: Path) -> None:
    found = timed(save(tmp_path / "a.rtf", rb"{\rtf1 words " + body + b"}"))
    assert isinstance(found, (Document, LimitExceeded))


def test_notes_of_rtf_have_their_marks(tmp_path: Path) -> None:
    path = save(
        tmp_path / "a.rtf",
        rb"{\rtf1 one{\super\chftn}{\footnote{\super\chftn}first} two\chftn{\footnote\chftn second}}",
    )
    assert lines_of(path) == ["one[1] two[2]", "[1] first", "[2] second"]


def test_page_trees_that_loop(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", [["words here"], ["more words"]])
    data = path.read_bytes()
    kids = data.index(b"/Kids [") + 7
    timed(save(tmp_path / "b.pdf", data[:kids] + b"2 0 R " + data[kids:]))
    timed(save(tmp_path / "c.pdf", data.replace(b"/Count 2", b"/Count 999999999")))
    timed(save(tmp_path / "d.pdf", data.replace(b"/Parent 2 0 R", b"/Parent 4 0 R")))


# -- cancellation ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pptx", "xlsx", "odt", "epub", "html", "rtf", "csv", "xml", "pdf"])
def test_work_stops_soon_after_it_is_cancelled(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    words = "many words here and there"
    match kind:
        case "pptx":
            deck(path, [shape(*[words] * 3000)] * 8)
        case "xlsx":
            row = '<row r="{0}"><c r="A{0}"><v>{0}</v></c><c r="B{0}"><v>2.5</v></c><c r="C{0}"><v>3</v></c></row>'
            workbook(path, {"S": f"<sheetData>{''.join(row.format(n) for n in range(1, 40_000))}</sheetData>"})
        case "odt":
            odt(path, f"<text:p>{words}</text:p>" * 60_000)
        case "epub":
            epub(path, {f"{n}.xhtml": f"<p>{words}</p>" * 3000 for n in range(12)})
        case "html":
            save(path, f"<p>{words}</p>" * 50_000)
        case "rtf":
            save(path, "{\\rtf1 " + f"{words}\\par " * 80_000 + "}")
        case "csv":
            save(path, f"{words},2,3\n" * 100_000)
        case "xml":
            save(path, f"<a>{f'<b>{words}</b>' * 60_000}</a>")
        case "pdf":
            pdf(path, [[words] * 50] * 300)
    start = time.process_time()
    context = ParseContext(NoAssets(), settings=LegacySettings(), cancelled=lambda: True)
    with pytest.raises(Cancelled):
        LegacyParser().parse(SourceFile(path, path.name), {}, context)
    assert time.process_time() - start < 0.6
