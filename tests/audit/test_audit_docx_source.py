"""What the counter's own reader takes for visible text of a Word file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from docx_audit import assert_complete, audit_bytes
from docx_builder import (
    DEFAULT_STYLES,
    alternate,
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
    style,
    table,
    textbox,
    tr,
    vml_textbox,
    xml_part,
)

from lrdoc.audit.base import ANY, FORMULA, SourceText
from lrdoc.audit.docx import read_docx
from lrdoc.errors import SourceError


def read(tmp_path: Path, body: str, params: dict[str, Any] | None = None, **options: Any) -> SourceText:
    path = tmp_path / "a.docx"
    path.write_bytes(docx(body, **options))
    return read_docx(path, params or {})


def shown(source: SourceText) -> dict[str, str]:
    return {stretch.path: stretch.text for stretch in source.stretches}


def test_paths_count_siblings_of_the_same_name(tmp_path: Path) -> None:
    body = (
        p("one")
        + sdt(p("two") + table([["a", "b"]]))
        + f"<w:customXml>{p('three')}</w:customXml>"
        + alternate(p("four"), p("other"), "w14")
        + table([["c", table([["inner"]]) + p("after")]])
    )
    assert shown(read(tmp_path, body)) == {
        "body/p[1]": "one",
        "body/sdt[1]/p[1]": "two",
        "body/sdt[1]/tbl[1]/tr[1]/tc[1]/p[1]": "a",
        "body/sdt[1]/tbl[1]/tr[1]/tc[2]/p[1]": "b",
        "body/customXml[1]/p[1]": "three",
        "body/AlternateContent[1]/Choice[1]/p[1]": "four",
        "body/tbl[1]/tr[1]/tc[1]/p[1]": "c",
        "body/tbl[1]/tr[1]/tc[2]/tbl[1]/tr[1]/tc[1]/p[1]": "inner",
        "body/tbl[1]/tr[1]/tc[2]/p[1]": "after",
    }


def test_only_one_branch_of_an_alternative_is_shown(tmp_path: Path) -> None:
    known = read(tmp_path, p(run(alternate(textbox(p("box")), vml_textbox(p("box")), "wps"))))
    assert shown(known) == {"body/p[1]/txbxContent[1]/p[1]": "box"}
    assert known.excluded == {"alternate_branch": 3}
    unknown = alternate(r("new"), r("old"), "zz").replace("<mc:Choice", '<mc:Choice xmlns:zz="urn:unknown"')
    assert shown(read(tmp_path, p(unknown))) == {"body/p[1]": "old"}


def test_deleted_moved_and_hidden_text_is_excluded_by_kind(tmp_path: Path) -> None:
    styles = DEFAULT_STYLES + style("Secret", "Secret", rpr="<w:vanish/>")
    body = (
        p("a", '<w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del>', f"<w:ins>{r('new')}</w:ins>")
        + p(f"<w:moveFrom>{r('from')}</w:moveFrom>", f"<w:moveTo>{r('to')}</w:moveTo>")
        + p(r("hidden", "<w:vanish/>"), r("plain", '<w:vanish w:val="0"/>'))
        + p("secret", style="Secret")
        + p(r("both", '<w:vanish w:val="false"/>'), style="Secret")
        + table([tr("x", pr="<w:del/>"), tr("y")])
    )
    source = read(tmp_path, body, styles=styles)
    assert [s.text for s in source.stretches] == ["anew", "to", "plain", "both", "y"]
    assert source.excluded == {"deleted": 5, "moved_from": 4, "hidden": 12}


def test_the_changes_parameter_turns_the_view(tmp_path: Path) -> None:
    body = p("a", '<w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del>', f"<w:ins>{r('new')}</w:ins>")
    assert shown(read(tmp_path, body, {"changes": "reject"})) == {"body/p[1]": "agone"}
    assert shown(read(tmp_path, body, {"changes": "annotate"})) == {"body/p[1]": "agonenew"}
    assert shown(read(tmp_path, p(r("hidden", "<w:vanish/>")), {"hidden": "body"})) == {"body/p[1]": "hidden"}


def test_fields_show_their_result_and_not_their_instruction(tmp_path: Path) -> None:
    nested = field("IF 1 = ", "yes")
    body = (
        p(
            "see ",
            field("REF x", "Table 1"),
            " and ",
            '<w:fldSimple w:instr="PAGE"><w:r><w:t>7</w:t></w:r></w:fldSimple>',
        )
        + p(run('<w:fldChar w:fldCharType="begin"/>'), run("<w:instrText>IF</w:instrText>"), nested)
        + p(run('<w:fldChar w:fldCharType="separate"/>'), r("shown"), run('<w:fldChar w:fldCharType="end"/>'))
    )
    source = read(tmp_path, body)
    assert shown(source) == {"body/p[1]": "see Table 1 and 7", "body/p[3]": "shown"}
    assert source.excluded["field_code"] == len("REFx" + "PAGE" + "IF" + "IF1=" + "yes")


def test_special_characters_of_runs(tmp_path: Path) -> None:
    ruby = (
        "<w:ruby><w:rubyPr/><w:rt><w:r><w:t>reading</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>base</w:t></w:r></w:rubyBase></w:ruby>"
    )
    body = (
        p(run("<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d_x0041__x000D_</w:t>"))
        + p(run('<w:sym w:font="Wingdings" w:char="F0FC"/>'))
        + p(run(ruby))
        + p(
            "<m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>x</m:t></m:r></m:den></m:f></m:oMath>",
            " so",
        )
    )
    source = read(tmp_path, body)
    assert [s.text.rstrip() for s in source.stretches] == ["a b c‑dA", ANY, "basereading", f"{FORMULA} so"]
    assert source.stretches[3].formulas == (("1", "x"),)


@pytest.mark.parametrize("font", ["Symbol", "Wingdings", "Arial", ""])
@pytest.mark.parametrize("code", ["F020", "0020", "00A0", "0009", "0001", "FFFE", "D800", "F0FC", "61", "ZZ", ""])
def test_symbols_may_be_blanks_or_nothing(font: str, code: str) -> None:
    symbol = run(f'<w:sym w:font="{font}" w:char="{code}"/>')
    assert_complete(docx(p("a", run('<w:br w:type="page"/>')) + p("b", symbol, "c")))


def test_form_fields_show_their_choice(tmp_path: Path) -> None:
    def begin(data: str) -> str:
        return (
            run(f'<w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar>')
            + run("<w:instrText> FORMDROPDOWN </w:instrText>")
            + run('<w:fldChar w:fldCharType="end"/>')
        )

    entries = '<w:listEntry w:val="red"/><w:listEntry w:val="blue"/>'
    body = p(begin(f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>')) + p(
        begin(f"<w:ddList>{entries}</w:ddList>")
    )
    assert [s.text for s in read(tmp_path, body).stretches] == ["blue", "red"]


def test_notes_comments_and_margins_are_reached_through_references(tmp_path: Path) -> None:
    body = p(
        "text",
        run('<w:footnoteReference w:id="2"/>'),
        run('<w:endnoteReference w:id="5"/>'),
        run('<w:commentReference w:id="0"/>'),
    )
    source = read(
        tmp_path,
        body,
        footnotes={2: p("foot"), 3: p("nobody calls me")},
        endnotes={5: p("end")},
        comments={0: p("remark")},
        headers={"default": p("head"), "first": p("first head")},
        footers={"even": p("foot line")},
    )
    found = {(s.part.rpartition("/")[2], s.path, s.kind): s.optional for s in source.stretches}
    assert found == {
        ("document.xml", "body/p[1]", "text"): False,
        ("header1.xml", "hdr/p[1]", "header"): False,
        ("header2.xml", "hdr/p[1]", "header"): False,
        ("footer1.xml", "ftr/p[1]", "footer"): False,
        ("footnotes.xml", "footnotes/footnote[2]/p[1]", "note"): False,
        ("footnotes.xml", "footnotes/footnote[3]/p[1]", "unreferenced_note"): True,
        ("endnotes.xml", "endnotes/endnote[2]/p[1]", "note"): False,
        ("comments.xml", "comments/comment[1]/p[1]", "comment"): False,
    }


def test_a_note_called_from_deleted_text_is_not_shown(tmp_path: Path) -> None:
    body = p(
        "text", f'<w:del w:id="1">{run(chr(60) + "w:footnoteReference w:id=" + chr(34) + "2" + chr(34) + "/>")}</w:del>'
    )
    source = read(tmp_path, body, footnotes={2: p("foot")})
    assert [s.optional for s in source.stretches] == [False, True]


def test_dropped_regions_are_excluded_not_missing(tmp_path: Path) -> None:
    body = p("entry 1", style="TOC1") + heading(1, "Title") + p("t", run('<w:commentReference w:id="0"/>'))
    params = {"comments": "drop", "headers": "drop", "toc": "drop"}
    source = read(tmp_path, body, params, comments={0: p("remark")}, headers={"default": p("head")})
    assert [(s.text, s.optional) for s in source.stretches] == [("entry 1", True), ("Title", False), ("t", False)]
    assert source.excluded == {"comment": 6, "header": 4}


def test_pictures_lead_to_the_bytes_of_their_part(tmp_path: Path) -> None:
    data = png()
    source = read(tmp_path, p(run(picture("rIdP"))), media={"rIdP": ("p.png", data)})
    assert [(x.name, x.path, x.required) for x in source.pictures] == [("word/media/p.png", "body/p[1]", True)]
    assert source.holds(source.pictures[0].sha256)
    assert not source.holds("0" * 64)


def test_charts_give_titles_names_and_values(tmp_path: Path) -> None:
    chart = xml_part(
        "c:chartSpace",
        "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea>"
        + "".join(
            f"<c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
            "<c:cat><c:strRef><c:f>A1</c:f><c:strCache><c:pt><c:v>Q1</c:v></c:pt></c:strCache></c:strRef></c:cat>"
            f"<c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode><c:pt><c:v>{value}</c:v></c:pt>"
            "</c:numCache></c:numRef></c:val></c:ser>"
            for name, value in (("North", "1.5"), ("South", "2"))
        )
        + "</c:plotArea></c:chart>",
    )
    frame = (
        '<w:drawing><wp:inline><a:graphic><a:graphicData uri="x"><c:chart r:id="rIdC"/></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing>"
    )
    source = read(
        tmp_path,
        p(run(frame)),
        parts={"word/charts/chart1.xml": ("application/xml", chart)},
        rels=[("rIdC", "chart", "charts/chart1.xml")],
    )
    assert [s.text for s in source.stretches] == ["Sales", "North", "Q1", "1.5", "South", "Q1", "2"]
    assert [s.repeatable for s in source.stretches] == [False, False, True, False, False, True, False]


def test_strict_files_macro_files_and_other_part_names_read_alike(tmp_path: Path) -> None:
    body = p("text") + table([["cell"]])
    plain = shown(read(tmp_path, body))
    assert shown(read(tmp_path, body, strict=True)) == plain
    assert shown(read(tmp_path, body, document_name="other/main.xml")) == plain


def test_chunks_of_html_and_text_are_read(tmp_path: Path) -> None:
    body = '<w:altChunk r:id="rIdH"/>' + p("after") + '<w:altChunk r:id="rIdT"/>'
    html = "<html><head><title>no</title><style>p{}</style></head><body><p>Hello <b>you</b></p></body></html>"
    source = read(
        tmp_path,
        body,
        parts={"word/c.html": ("text/html", html), "word/c.txt": ("text/plain", "plain text")},
        rels=[("rIdH", "aFChunk", "c.html"), ("rIdT", "aFChunk", "c.txt")],
    )
    assert {(s.part, " ".join(s.text.split())) for s in source.stretches} == {
        ("word/document.xml", "after"),
        ("word/c.html", "Hello you"),
        ("word/c.txt", "plain text"),
    }


def test_six_hundred_nested_tables_need_no_recursion(tmp_path: Path) -> None:
    depth = 600
    body = "<w:tbl><w:tr><w:tc>" * depth + p("deep") + "</w:tc></w:tr></w:tbl>" * depth
    assert [s.text for s in read(tmp_path, body).stretches] == ["deep"]


def test_formulas_may_hold_tracked_changes(tmp_path: Path) -> None:
    body = p(math(mr("x") + f"<w:ins>{mr('y')}</w:ins><w:del>{mr('z')}</w:del>"))
    assert read(tmp_path, body).stretches[0].formulas == (("x", "y"),)
    assert read(tmp_path, body, {"changes": "reject"}).stretches[0].formulas == (("x", "z"),)


@pytest.mark.parametrize("data", [b"", b"text", b"PK\x03\x04 broken"])
def test_what_is_no_package_is_an_error_of_ours(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"a\.docx"):
        read_docx(path, {})


def test_a_field_that_never_ends_does_not_swallow_the_rest(tmp_path: Path) -> None:
    begin = run('<w:fldChar w:fldCharType="begin"/>') + run("<w:instrText>IF</w:instrText>")
    body = p("one", begin) + p("two ", field("PAGE", "3")) + p(run('<w:fldChar w:fldCharType="end"/>')) + p("four")
    whole = read(tmp_path, body)
    assert [s.text for s in whole.stretches] == ["one", "four"]
    open_end = read(tmp_path, p("one", begin) + p("two ", field("PAGE", "3")) + p("four"))
    assert [s.text for s in open_end.stretches] == ["one", "two 3", "four"]


def test_runs_that_stand_where_a_paragraph_should_are_read(tmp_path: Path) -> None:
    assert shown(read(tmp_path, p("a") + r("loose") + f"<w:ins>{p('b')}</w:ins>")) == {
        "body/p[1]": "a",
        "body/r[1]": "loose",
        "body/ins[1]/p[1]": "b",
    }


@pytest.mark.parametrize(
    "content_type",
    [
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    ],
)
def test_an_embedded_document_is_counted_with_its_notes_and_pictures(content_type: str) -> None:
    deepest = docx(p("deepest"))
    inner = docx(
        heading(1, "Inner")
        + li("one")
        + p("x", run('<w:footnoteReference w:id="2"/>'), run(picture("rIdP")))
        + '<w:altChunk r:id="rIdA"/>',
        footnotes={2: p("inner note")},
        media={"rIdP": ("p.png", png())},
        parts={"word/b.docx": (None, deepest)},
        rels=[("rIdA", "aFChunk", "b.docx")],
    )
    outer = docx(
        p("before") + '<w:altChunk r:id="rIdA"/>' + p("after"),
        parts={"word/a.docx": (content_type, inner)},
        rels=[("rIdA", "aFChunk", "a.docx")],
    )
    assert_complete(outer)
    assert audit_bytes(outer).characters.source == len("beforeInneronexinnernotedeepestafter")


def test_lists_of_an_embedded_page_have_labels_of_ours() -> None:
    page = b"<ul><li>one<ol><li>two</li></ol></li></ul><table><tr><td><ol><li>three</li></ol></td></tr></table>"
    rels = [("rIdA", "aFChunk", "a.html")]
    assert_complete(docx('<w:altChunk r:id="rIdA"/>', parts={"word/a.html": ("text/html", page)}, rels=rels))


@pytest.mark.parametrize(
    "formula",
    [
        '<m:r><w:sym w:font="Symbol" w:char="F061"/></m:r>',
        '<m:nary><m:naryPr><m:chr m:val="Q"/></m:naryPr><m:sub/><m:sup/><m:e><m:r><m:t>f</m:t></m:r></m:e></m:nary>',
        "<m:d/>",
    ],
)
def test_signs_of_formulas_may_be_letters_or_nothing(formula: str) -> None:
    assert_complete(docx(p("text") + p(math_para(math(formula)))))
