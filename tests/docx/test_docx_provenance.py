"""Where each stretch comes from: part, path, paragraph id, page; document properties."""

from __future__ import annotations

import re
from typing import Any

from docx_builder import docx, heading, li, math, mr, p, r, run, sdt, style, table, tc, textbox, tr
from docx_parse import all_texts, parse_body, parse_bytes
from lxml import etree

from lrdoc.document import Document, Equation, InlineEquation, Source, Table

PAGE, DONE = '<w:br w:type="page"/>', "<w:lastRenderedPageBreak/>"


def places(document: Document) -> dict[str, Source]:
    return {text.text: text.source for text in all_texts(document) if text.source is not None}


def test_paths_count_among_siblings_of_the_same_name() -> None:
    body = (
        p("one", paraid="0000000A")
        + table([["two", tc(p("three") + table([["four"]]) + p("five"))]])
        + sdt(p("six") + sdt(p("seven")))
        + p("eight ", sdt(r("nine")), run(textbox(p("ten") + table([["eleven"]]))))
        + f'<w:customXml w:element="x">{p("twelve")}</w:customXml>'
        + table([sdt(tr(sdt(tc("thirteen")), "fourteen"))])
    )
    found = places(parse_body(body))
    assert {text: source.path for text, source in found.items()} == {
        "one": "body/p[1]",
        "two": "body/tbl[1]/tr[1]/tc[1]/p[1]",
        "three": "body/tbl[1]/tr[1]/tc[2]/p[1]",
        "four": "body/tbl[1]/tr[1]/tc[2]/tbl[1]/tr[1]/tc[1]/p[1]",
        "five": "body/tbl[1]/tr[1]/tc[2]/p[2]",
        "six": "body/sdt[1]/p[1]",
        "seven": "body/sdt[1]/sdt[1]/p[1]",
        "eight nine": "body/p[2]",
        "ten": "body/p[2]/txbxContent[1]/p[1]",
        "eleven": "body/p[2]/txbxContent[1]/tbl[1]/tr[1]/tc[1]/p[1]",
        "twelve": "body/customXml[1]/p[1]",
        "thirteen": "body/tbl[2]/sdt[1]/tr[1]/sdt[1]/tc[1]/p[1]",
        "fourteen": "body/tbl[2]/sdt[1]/tr[1]/tc[1]/p[1]",
    }
    assert {source.part for source in found.values()} == {"word/document.xml"}
    assert found["one"].paraid == "0000000A"
    assert found["two"].paraid is None


def test_paths_lead_back_to_the_paragraph() -> None:
    """A path is an XPath once the prefix is put in and the content element of controls, which it leaves out."""
    body = p("a") + sdt(p("b") + table([["c", "d"], [sdt(p("e")), "f"]])) + p("g") + p("h")
    import io
    import zipfile

    data = docx(body)
    root = etree.fromstring(zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml"))
    namespaces = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main"}
    for text, source in places(parse_bytes(data)).items():
        path = re.sub(r"(^|/)([A-Za-z]+)", r"\1w:\2", source.path)
        path = re.sub(r"(w:sdt\[\d+\])", r"\1/w:sdtContent", path)
        found: Any = root.xpath(path, namespaces=namespaces)
        assert ["".join(found[0].itertext())] == [text]


def test_every_text_and_item_of_a_source_has_a_place() -> None:
    body = heading(1, "H") + li("a") + table([["b"]]) + p("c ", math(mr("x"))) + p(run(textbox(p("d"))))
    document = parse_body(body, footnotes={1: p("note")})
    for text in all_texts(document):
        assert text.source is not None or not text.text.strip(" \n-.0123456789")
    for block in document.blocks:
        for part in block.parts:
            if isinstance(part, Table | InlineEquation):
                assert part.source is not None


def test_one_paragraph_shares_one_source() -> None:
    document = parse_body(p(r("a", "<w:b/>"), r("b"), r("c", "<w:i/>")))
    sources = [text.source for text in all_texts(document)]
    assert sources[0] is sources[1] is sources[2]


# Pages --------------------------------------------------------------------------------------------------------------


def pages(body: str, **package: Any) -> dict[str, int | None]:
    return {text: source.page for text, source in places(parse_body(body, **package)).items()}


def test_without_breaks_there_are_no_pages() -> None:
    assert pages(p("a") + p("b")) == {"a": None, "b": None}


def test_explicit_breaks() -> None:
    assert pages(p("a") + p(run(PAGE)) + p("b")) == {"a": 1, "b": 2}


def test_a_break_inside_a_paragraph_splits_it() -> None:
    found = pages(p(r("a"), run(PAGE), r("b")))
    assert [page for _, page in sorted(found.items())] == [1, 2]


def test_recorded_breaks() -> None:
    found = pages(p("a") + p(run(DONE + "<w:t>b</w:t>")) + p("c ", run(DONE + "<w:t>d</w:t>")))
    assert found == {"a": 1, "b": 2, "c ": 2, "d": 3}


def test_a_recorded_break_behind_an_explicit_one_is_the_same() -> None:
    assert pages(p("a") + p(run(PAGE)) + p(run(DONE + "<w:t>b</w:t>"))) == {"a": 1, "b": 2}
    assert pages(p(r("a"), run(PAGE), run(DONE + "<w:t>b</w:t>")))["b"] == 2
    assert pages(p("a") + p(run(DONE + "<w:t>b</w:t>"), ppr="<w:pageBreakBefore/>")) == {"a": 1, "b": 2}
    assert pages(p("a") + p(run(PAGE)) + p("b") + p(run(DONE + "<w:t>c</w:t>"))) == {"a": 1, "b": 2, "c": 3}


def test_paragraphs_that_begin_a_page() -> None:
    styles = style("Chapter", "Chapter", ppr="<w:pageBreakBefore/>")
    body = (
        p("a")
        + p("b", ppr="<w:pageBreakBefore/>")
        + p("c", style="Chapter")
        + p("d", ppr='<w:pageBreakBefore w:val="0"/>')
    )
    assert pages(body, styles=styles) == {"a": 1, "b": 2, "c": 3, "d": 3}


def test_sections_begin_pages() -> None:
    section = "<w:sectPr><w:pgSz/></w:sectPr>"
    assert pages(p(r("a"), run(DONE)) + p("b", ppr=section) + p("c"))["c"] == 3
    continuous = '<w:type w:val="continuous"/>'
    assert pages(p(run(PAGE)) + p("b", ppr=section) + p("c"), section=continuous) == {"b": 2, "c": 2}


def test_cells_of_a_row_that_crosses_a_page_agree() -> None:
    cells = [p("a1") + p(run(DONE + "<w:t>a2</w:t>")), p("b1") + p(run(DONE + "<w:t>b2</w:t>"))]
    assert pages(table([cells, ["c", "d"]])) == {"a1": 1, "a2": 2, "b1": 1, "b2": 2, "c": 2, "d": 2}


def test_tables_and_equations_have_pages() -> None:
    document = parse_body(p(run(PAGE)) + table([["a"]]) + p(math(mr("x"))))
    assert [
        part.source.page for part in document.blocks[0].parts if isinstance(part, Table | Equation) and part.source
    ] == [2, 2]


# Properties ---------------------------------------------------------------------------------------------------------


def test_properties_go_to_the_attributes() -> None:
    app = (
        '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
        "<Application>Word</Application><Pages>3</Pages><Company/></Properties>"
    )
    custom = (
        '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" '
        'xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">'
        '<property fmtid="x" pid="2" name="Case"><vt:lpwstr>A-17</vt:lpwstr></property>'
        '<property fmtid="x" pid="3" name="Count"><vt:i4>12</vt:i4></property>'
        '<property fmtid="x" pid="4" name="Ready"><vt:bool>true</vt:bool></property>'
        '<property fmtid="x" pid="5" name="Broken"/></Properties>'
    )
    import io
    import zipfile

    from docx_builder import relationships, zip_bytes

    package = zipfile.ZipFile(
        io.BytesIO(docx(p("x"), core={"dc:title": "T", "dc:creator": "Ann", "cp:keywords": "a b"}))
    )
    entries: dict[str, str | bytes] = {name: package.read(name) for name in package.namelist()}
    entries["docProps/app.xml"], entries["docProps/custom.xml"] = app, custom
    entries["_rels/.rels"] = relationships(
        [
            ("rId1", "officeDocument", "word/document.xml"),
            (
                "rId2",
                "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
                "docProps/core.xml",
            ),
            ("rId3", "extended-properties", "docProps/app.xml"),
            ("rId4", "custom-properties", "docProps/custom.xml"),
        ]
    )
    assert parse_bytes(zip_bytes(entries)).attributes == {
        "title": "T",
        "creator": "Ann",
        "keywords": "a b",
        "app": {"Application": "Word", "Pages": "3"},
        "custom": {"Case": "A-17", "Count": 12, "Ready": True},
    }


def test_the_same_bytes_give_the_same_document() -> None:
    data = docx(heading(1, "H") + table([["a", tc(li("b"))]]) + p(run(textbox(p("c")))))
    assert parse_bytes(data) == parse_bytes(data)
