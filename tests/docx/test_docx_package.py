"""Packages: how parts are found, what broken ones cost, what is refused."""

from __future__ import annotations

import contextlib
import io
import itertools
import struct
import zipfile
from pathlib import Path

import pytest
from docx_builder import (
    WORD,
    abstract_num,
    docx,
    field,
    heading,
    li,
    lvl,
    num,
    p,
    picture,
    png,
    r,
    relationships,
    run,
    style,
    table,
    tc,
    xml_part,
    zip_bytes,
)
from docx_parse import body_text, codes, drawings, lines, outline, parse_body, parse_bytes, parse_path, rows, tables
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_files import shared_dir

from lrdoc.errors import (
    Cancelled,
    EmptyDocumentError,
    EncryptedFileError,
    LimitExceeded,
    LrdocError,
    SourceError,
    UnsupportedFormatError,
)
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx.parser import DocxParser
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.testing.assets import MemoryAssets

OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504


def test_the_main_part_is_found_through_relationships() -> None:
    document = parse_body(
        heading(1, "H") + p(run(picture("rId9"))), document_name="word/document2.xml", media={"rId9": ("a.png", png())}
    )
    assert outline(document) == [(1, "H")]
    assert drawings(document)[0].asset is not None


def test_the_main_part_may_lie_in_any_folder() -> None:
    assert lines(parse_body(p("text"), document_name="deep/er/main.xml")) == ["text"]


def test_the_content_type_names_the_main_part_when_relationships_are_missing() -> None:
    assert lines(parse_body(p("text"), document_name="word/other.xml", drop=["_rels/.rels"])) == ["text"]


def test_the_usual_name_is_tried_last() -> None:
    assert lines(parse_body(p("text"), drop=["_rels/.rels", "[Content_Types].xml"])) == ["text"]


@pytest.mark.parametrize(
    "content_type",
    [
        "application/vnd.ms-word.document.macroEnabled.main+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
        "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    ],
)
def test_macro_files_and_templates_are_documents(content_type: str) -> None:
    assert lines(parse_body(p("text"), content_type=content_type)) == ["text"]


def test_strict_documents_read_like_transitional_ones() -> None:
    body = heading(1, "H") + li("one") + table([["a", "b"]]) + p(run(picture("rId9")))
    package = docx(body, media={"rId9": ("a.png", png())}, strict=True)
    assert b"purl.oclc.org" in zipfile.ZipFile(io.BytesIO(package)).read("word/document.xml")
    strict, transitional = parse_bytes(package), parse_body(body, media={"rId9": ("a.png", png())})
    assert strict == transitional
    assert len(drawings(strict)) == 1


def test_names_of_parts_are_compared_without_case_and_with_any_slash() -> None:
    package = docx(p("text"), document_name="Word/Document.xml")
    entries = {
        name.replace("/", "\\") if name.startswith("Word") else name: zipfile.ZipFile(io.BytesIO(package)).read(name)
        for name in zipfile.ZipFile(io.BytesIO(package)).namelist()
    }
    entries["_rels/.rels"] = relationships([("rId1", "officeDocument", "/word/document.XML")]).encode()
    assert lines(parse_bytes(zip_bytes(entries))) == ["text"]


def test_parts_in_utf_16_are_read() -> None:
    text = xml_part("w:document", f"<w:body>{p('ünï 漢字')}</w:body>").replace("UTF-8", "UTF-16")
    package = zipfile.ZipFile(io.BytesIO(docx(p("x"))))
    entries: dict[str, str | bytes] = {name: package.read(name) for name in package.namelist()}
    entries["word/document.xml"] = text.encode("utf-16")
    assert lines(parse_bytes(zip_bytes(entries))) == ["ünï 漢字"]


def test_comments_and_processing_instructions_do_not_matter() -> None:
    body = "<?pi one?><!-- c -->" + p("<!-- x -->", r("a"), "<?pi two?>", run("<w:t>b<!-- in --></w:t>"))
    assert lines(parse_body(body)) == ["ab"]


@pytest.mark.parametrize("drop", ["word/styles.xml", "word/numbering.xml", "word/_rels/document.xml.rels"])
def test_missing_parts_cost_only_themselves(drop: str) -> None:
    document = parse_body(heading(1, "H") + p("text"), drop=[drop])
    assert outline(document) == [(1, "H")]
    assert "text" in lines(document)


def test_a_null_target_and_a_dangling_relationship_are_passed_over() -> None:
    rels = [("rIdX", "image", "NULL"), ("rIdY", "header", "gone.xml"), ("rIdZ", "http://x/y/custom", "../NULL")]
    document = parse_body(p("text", run(picture("rIdX")), run(picture("rIdQ"))), rels=rels)
    assert body_text(document).startswith("text")


def test_missing_sections_and_empty_bodies_are_fine() -> None:
    assert lines(parse_body(p("text"), section="none")) == ["text"]
    with pytest.raises(EmptyDocumentError, match="holds no text"):
        parse_body("")


def test_several_bodies_are_all_read() -> None:
    document = xml_part("w:document", f"<w:body>{p('one')}</w:body><w:body>{p('two')}</w:body>")
    assert lines(parse_body(document=document)) == ["one", "two"]


def test_damaged_xml_is_read_as_far_as_it_goes() -> None:
    document = xml_part("w:document", f"<w:body>{p('kept')}<w:p><w:r><w:t>also</w:t></w:r>")
    parsed = parse_body(document=document[: -len("</w:document>")])
    assert lines(parsed) == ["kept", "also"]
    assert "xml_repaired" in codes(parsed)


def test_a_main_part_that_is_no_xml_is_an_error() -> None:
    with pytest.raises(SourceError, match=r"main part of test\.docx cannot be read"):
        parse_body(document="this is no XML at all")


def test_bad_values_cost_their_own_attribute() -> None:
    body = (
        p("a", ppr='<w:outlineLvl w:val="abc"/>')
        + p("b", ppr='<w:numPr><w:ilvl w:val="x"/><w:numId w:val="1"/></w:numPr>')
        + table([tc("c", '<w:gridSpan w:val=""/>') + tc("d", '<w:gridSpan w:val="-3"/>')])
        .replace("<w:tblGrid>", '<w:tblGrid x="">', 1)
        .replace("<w:tc>", "<w:tr><w:tc>", 1)
        .replace("</w:tbl>", "</w:tr></w:tbl>")
    )
    document = parse_body(body)
    assert lines(document)[:2] == ["a", "1. b"]
    assert codes(document).count("bad_value") == 3


def test_a_bad_level_does_not_cost_other_lists() -> None:
    numbering = abstract_num(0, lvl(0).replace('w:ilvl="0"', 'w:ilvl="zz"')) + abstract_num(1, lvl(0, "upperRoman"))
    document = parse_body(li("a", 2), numbering=numbering + num(1, 0) + num(2, 1))
    assert lines(document) == ["I. a"]


def test_entities_in_styles_do_not_cost_the_styles() -> None:
    styles = xml_part("w:styles", style("Kop", "heading 1")).replace(
        "<w:styles", '<!DOCTYPE w [<!ENTITY e "x">]><w:styles', 1
    )
    document = parse_body(p("H", style="Kop"), parts={"word/s.xml": (WORD + "styles+xml", styles)}, styles=None,
                          rels=[("rS", "styles", "s.xml")])  # fmt: skip
    assert outline(document) == [(1, "H")]
    assert "dtd_ignored" in codes(document)


# Hostile files ------------------------------------------------------------------------------------------------------


def test_an_external_entity_is_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    body = xml_part("w:document", f"<w:body>{p(run('<w:t>before&x;after</w:t>'))}</w:body>").replace(
        "<w:document", f'<!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}">]><w:document', 1
    )
    document = parse_body(document=body)
    assert lines(document) == ["beforeafter"]
    assert "dtd_ignored" in codes(document)


def test_billion_laughs_stay_small() -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = xml_part("w:document", f"<w:body>{p(run('<w:t>a&l9;b</w:t>'))}</w:body>").replace(
        "<w:document", f'<!DOCTYPE d [<!ENTITY l0 "lol">{entities}]><w:document', 1
    )
    assert lines(parse_body(document=body)) == ["ab"]


def test_laughs_in_attributes_end_in_an_error_or_nothing() -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = xml_part(
        "w:document", f'<w:body><w:p><w:pPr><w:pStyle w:val="&l9;"/></w:pPr>{r("t")}</w:p></w:body>'
    ).replace("<w:document", f'<!DOCTYPE d [<!ENTITY l0 "lol">{entities}]><w:document', 1)
    with contextlib.suppress(LrdocError):
        parse_body(document=body)


@pytest.mark.parametrize("before", ['<!-- <!DOCTYPE [[[ " -->', "<?x <y ?>", "<!-- <y -->", "\n\n"])
def test_a_declaration_hidden_behind_something_is_as_harmless(before: str) -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = f'<w:body><w:p><w:pPr><w:pStyle w:val="&l9;"/></w:pPr>{r("t")}</w:p></w:body>'
    document = xml_part("w:document", body).replace(
        "<w:document", f'{before}<!DOCTYPE d [<!ENTITY l0 "lol">{entities}]><w:document', 1
    )
    with contextlib.suppress(LrdocError):
        parse_body(document=document)


def test_quadratic_blow_up_stays_small() -> None:
    body = xml_part("w:document", f"<w:body>{p(run('<w:t>' + '&x;' * 5000 + 'end</w:t>'))}</w:body>").replace(
        "<w:document", f'<!DOCTYPE d [<!ENTITY x "{"y" * 50_000}">]><w:document', 1
    )
    assert lines(parse_body(document=body)) == ["end"]


def test_a_zip_bomb_is_refused_by_its_size() -> None:
    data = zip_bytes({"word/document.xml": b"\0" * 3_000_000})
    with pytest.raises(LimitExceeded) as error:
        parse_bytes(data, settings=DocxSettings(max_uncompressed_bytes=1_000_000))
    assert error.value.limit == "DOCX_MAX_UNCOMPRESSED_BYTES"
    assert "DOCX_MAX_UNCOMPRESSED_BYTES" in str(error.value)


def test_a_ratio_alone_never_refuses() -> None:
    body = p("x" * 3_000_000)
    document = parse_bytes(docx(body), settings=DocxSettings(max_compression_ratio=2, ratio_floor_bytes=1000))
    assert len(lines(document)[0]) == 3_000_000
    assert "compression_ratio" in codes(document)
    assert "compression_ratio" not in codes(parse_body(p("x" * 3_000_000)))


@pytest.mark.parametrize(
    ("limit", "name"),
    [
        (DocxSettings(max_entries=3), "DOCX_MAX_ENTRIES"),
        (DocxSettings(max_parts=2), "DOCX_MAX_PARTS"),
        (DocxSettings(max_nodes=20), "DOCX_MAX_NODES"),
        (DocxSettings(max_depth=2), "DOCX_MAX_DEPTH"),
    ],
)
def test_each_limit_is_named_in_its_error(limit: DocxSettings, name: str) -> None:
    body = table([[table([[table([["deep"]])]])]])
    with pytest.raises(LimitExceeded) as error:
        parse_bytes(docx(body), settings=limit)
    assert error.value.limit == name
    assert name in str(error.value)


def test_limits_of_zero_are_off() -> None:
    off = DocxSettings(
        max_uncompressed_bytes=0, max_entries=0, max_compression_ratio=0, max_parts=0, max_nodes=0, max_depth=0
    )
    assert lines(parse_bytes(docx(p("text")), settings=off)) == ["text"]


def test_overlapping_entries_are_refused() -> None:
    data = bytearray(zip_bytes({"a.xml": b"<a/>" * 50, "b.xml": b"<b/>" * 50}, zipfile.ZIP_STORED))
    directory = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, directory + 42, 0)
    data[directory + 46 : directory + 51] = b"b.xml"
    with pytest.raises(SourceError, match="overlap"):
        parse_bytes(bytes(data))


def test_names_that_leave_the_folder_stay_inside_the_package() -> None:
    document = parse_body(
        p("t", run(picture("rIdX"))),
        parts={"../../etc/evil.png": ("image/png", png())},
        rels=[("rIdX", "image", "../../../etc/evil.png")],
    )
    assert lines(document)[0].startswith("t")


@pytest.mark.parametrize("depth", [300, 600])
def test_the_text_of_nested_tables_survives(depth: int) -> None:
    inner = p("DEEP")
    for number in range(depth):
        inner = table([[tc(inner + p(f"after {number}"))]])
    document = parse_body(inner)
    found = "".join(
        part.text for block in document.blocks for part in _walk_parts(block.parts) if hasattr(part, "text")
    )
    assert "DEEP" in found
    assert f"after {depth - 1}" in found


def _walk_parts(parts):  # type: ignore[no-untyped-def]
    stack = list(parts)
    while stack:
        part = stack.pop()
        yield part
        if hasattr(part, "rows"):
            stack += [inner for row in part.rows for cell in row if cell is not None for inner in cell.parts]


@pytest.mark.parametrize("wrapper", ["w:sdt><w:sdtContent", "w:smartTag", "w:hyperlink", "w:ins", "w:tbl><w:tr><w:tc"])
def test_thousands_of_nested_elements_end_in_an_error_that_names_the_limit(wrapper: str) -> None:
    names = wrapper.split("><")
    opened = "".join(f"<{name}>" for name in names)
    closed = "".join(f"</{name}>" for name in reversed(names))
    body = f"<w:p>{opened * 3000}{r('x')}{closed * 3000}</w:p>"
    with pytest.raises(LimitExceeded) as error:
        parse_body(body)
    assert error.value.limit == "DOCX_MAX_DEPTH"


def test_long_chains_of_styles_and_loops_end() -> None:
    chain = "".join(style(f"S{n}", f"s {n}", based_on=f"S{n + 1}") for n in range(90)) + style("L", "l", based_on="M")
    chain += style("M", "m", based_on="L") + style("S90", "heading 4")
    document = parse_body(p("a", style="S0") + p("b", style="L"), styles=chain)
    assert outline(document) == [(4, "a")]


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=2000))
def test_arbitrary_bytes_raise_only_our_errors(data: bytes) -> None:
    for content in (data, b"PK\x03\x04" + data, zip_bytes({"word/document.xml": data})):
        with pytest.raises(LrdocError):
            parse_bytes(content)


# Files that are something else --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"", SourceError, "is empty"),
        (b"just some text\n", UnsupportedFormatError, "plain text"),
        (b"{\\rtf1\\ansi hello}", UnsupportedFormatError, "RTF"),
        (b"%PDF-1.7\n", UnsupportedFormatError, "PDF"),
        (b"<!DOCTYPE html><html><body>x</body></html>", UnsupportedFormatError, "HTML"),
        (b'<?xml version="1.0"?><html xmlns="x"/>', UnsupportedFormatError, "HTML"),
        (b'<?xml?><?mso-application progid="Word.Document"?><pkg:package/>', UnsupportedFormatError, "flat XML"),
        (b'<?xml version="1.0"?><a/>', UnsupportedFormatError, "XML"),
        (OLE2 + "WordDocument".encode("utf-16-le"), UnsupportedFormatError, "97-2003"),
        (OLE2 + "Workbook".encode("utf-16-le"), UnsupportedFormatError, "Excel"),
        (OLE2 + "EncryptedPackage".encode("utf-16-le"), EncryptedFileError, "password"),
        (OLE2, UnsupportedFormatError, "old binary Office file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", UnsupportedFormatError, "no known kind"),
        (zip_bytes({"a.txt": b"x"}), UnsupportedFormatError, "zip archive of something else"),
        (
            zip_bytes({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<a/>"}),
            UnsupportedFormatError,
            "OpenDocument",
        ),
        (zip_bytes({"mimetype": b"application/epub+zip"}), UnsupportedFormatError, "EPUB"),
        (
            zip_bytes({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<w/>"}),
            UnsupportedFormatError,
            "Excel workbook",
        ),
        (docx(p("x"))[:400], SourceError, "cut off"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_named(data: bytes, error: type[SourceError], words: str) -> None:
    with pytest.raises(error) as raised:
        parse_bytes(data, name="report.docx")
    assert words in str(raised.value)
    assert "report.docx" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_workbook_is_refused_by_its_content_type() -> None:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    data = docx(document="<workbook/>", document_name="xl/workbook.xml", content_type=kind, styles=None, numbering=None)
    with pytest.raises(UnsupportedFormatError, match="Excel workbook"):
        parse_bytes(data)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        parse_path(tmp_path / "gone.docx")
    with pytest.raises(SourceError, match="no file"):
        parse_path(tmp_path)


def test_a_damaged_picture_costs_only_itself() -> None:
    package = bytearray(
        docx(p("text", run(picture("rId9"))), media={"rId9": ("a.png", png())}, compression=zipfile.ZIP_STORED)
    )
    at = package.index(b"\x89PNG") + 20
    package[at] ^= 0xFF
    document = parse_bytes(bytes(package))
    assert "text" in body_text(document)


def test_corpus_files_without_text_are_refused_clearly() -> None:
    shared = shared_dir()
    if shared is None:
        pytest.skip("the shared corpus is not here")
    with pytest.raises(EncryptedFileError):
        parse_path(shared / "corpus/docx/tika/testWORD_protected_passtika.docx")
    with pytest.raises(SourceError, match="cut off"):
        parse_path(shared / "corpus/docx/tika/testWORD_truncated.docx")


@pytest.mark.parametrize("body", [p("text") * 5000, table([["a", "b"]] * 3000)])
def test_a_parse_can_be_cancelled(body: str, tmp_path: Path) -> None:
    path = tmp_path / "long.docx"
    path.write_bytes(docx(body))
    looks = iter([False, False])
    context = ParseContext(MemoryAssets(), cancelled=lambda: next(looks, True), clock=itertools.count().__next__)
    with pytest.raises(Cancelled):
        DocxParser().parse(SourceFile(path, path.name), {}, context)


def test_a_main_part_with_a_strange_root_is_an_error() -> None:
    for root in ("w:sectPr", "w:p", "w:tbl"):
        with pytest.raises(SourceError, match="has no body"):
            parse_body(document=xml_part(root, p("x")))


def test_what_lies_elsewhere_is_never_fetched() -> None:
    """A fixture lets every test of this folder fail that opens a socket; this one has every reason to."""
    far = "http://127.0.0.1:9/x"
    body = (
        p(run(picture("rA", link=True)), run(picture("rB")))
        + p(run(f'<w:pict><v:shape><v:imagedata r:id="rA" src="{far}.png"/></v:shape></w:pict>'))
        + '<w:altChunk r:id="rC"/><w:subDoc r:id="rC"/>'
        + p(field(f'INCLUDEPICTURE "{far}.png"', "result"), '<w:subDoc r:id="rC"/>')
    )
    page = f'<html><link rel="stylesheet" href="{far}"><body><img src="{far}.png">text</body></html>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><image href="{far}.png" width="4" height="4"/></svg>'
    data = docx(
        body + '<w:altChunk r:id="rD"/>' + p(run(picture("rE"))),
        parts={"word/page.html": ("text/html", page)},
        media={"rE": ("far.svg", svg.encode())},
        rels=[
            ("rA", "image", f"{far}.png", "External"),
            ("rB", "image", f"{far}.png", "External"),
            ("rC", "aFChunk", f"{far}.docx", "External"),
            ("rD", "aFChunk", "page.html"),
            ("rT", "attachedTemplate", f"{far}.dotm", "External"),
        ],
    )
    document = parse_bytes(data)
    assert [found.src for found in drawings(document)][:3] == [f"{far}.png"] * 3
    assert "result" in lines(document)
    assert {"altchunk_missing", "subdocument_left_out"} <= set(codes(document))


@pytest.mark.parametrize(
    ("opening", "content", "closing"),
    [
        ("<w:sdt><w:sdtContent>", p("deep"), "</w:sdtContent></w:sdt>"),
        ("<w:tbl><w:tr><w:tc>", p("deep"), "</w:tc></w:tr></w:tbl>"),
        ("<w:ins>", p("deep"), "</w:ins>"),
        ('<mc:AlternateContent><mc:Choice Requires="wps">', p("deep"), "</mc:Choice></mc:AlternateContent>"),
    ],
)
def test_whatever_the_xml_library_can_read_is_walked(opening: str, content: str, closing: str) -> None:
    depth = 1_990 // opening.count("<")
    document = parse_body(opening * depth + content + closing * depth)
    if opening.startswith("<w:tbl"):
        assert len(tables(document)) == depth
        assert rows(tables(document)[-1]) == [["deep"]]
    else:
        assert lines(document) == ["deep"]
