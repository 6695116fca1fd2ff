"""Characters, marks and fields of paragraphs."""

from __future__ import annotations

import re

import pytest
from docx_audit import assert_complete
from docx_builder import (
    MAIN,
    alternate,
    docx,
    field,
    p,
    r,
    run,
    sdt,
    style,
    table,
    tc,
    textbox,
    vml_textbox,
)
from docx_parse import all_texts, body_text, codes, lines, marked, parse_body, parse_bytes
from docx_written import Written, write_bytes

from lrdoc.document import Anchor

RUBY = "<w:ruby><w:rt><w:r><w:t>かんじ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢字</w:t></w:r></w:rubyBase></w:ruby>"
ARCHIVE = (
    b"MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    b"<p>one=20</p><p>two</p>\n"
)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<w:tab/>", "a\tb"),
        ('<w:ptab w:relativeTo="margin" w:alignment="right" w:leader="none"/>', "a\tb"),
        ("<w:br/>", "a\nb"),
        ('<w:br w:type="textWrapping"/>', "a\nb"),
        ('<w:br w:type="page"/>', "a\nb"),
        ('<w:br w:type="column"/>', "a\nb"),
        ("<w:cr/>", "a\nb"),
        ("<w:noBreakHyphen/>", "a\u2011b"),
        ("<w:softHyphen/>", "a\u00adb"),
        ('<w:sym w:font="Symbol" w:char="F061"/>', "aαb"),
        ('<w:sym w:font="Symbol" w:char="0061"/>', "aαb"),
        ('<w:sym w:font="Wingdings" w:char="F0FC"/>', "a✓b"),
        ('<w:sym w:font="Arial" w:char="00E9"/>', "aéb"),
        (RUBY, "a漢字(かんじ)b"),
        ("<w:t>x _x0041_ _x000D_ y</w:t>", "ax A   yb"),
        ("<w:t>\n      wrapped\n      words\n   </w:t>", "awrapped       wordsb"),
        ('<w:t xml:space="preserve"> kept </w:t>', "a kept b"),
        ("<w:t>\u200f\u202b العربية 𝒳 👩‍👩‍👧 \ufeff</w:t>", "a\u200f\u202b العربية 𝒳 👩‍👩‍👧 \ufeffb"),
        ("<w:lastRenderedPageBreak/>", "ab"),
        ("<w:pgNum/><w:separator/><w:annotationRef/><w:footnoteRef/>", "ab"),
        ("<w:unheard><w:t>still text</w:t></w:unheard>", "astill textb"),
    ],
)  # fmt: skip
def test_every_character_of_a_run_is_kept(content: str, text: str) -> None:
    assert body_text(parse_body(p(r("a"), run(content), r("b")))) == text


def test_a_symbol_without_a_picture_in_unicode_keeps_its_code() -> None:
    document = parse_body(p(r("a"), run('<w:sym w:font="Wingdings" w:char="F0FF"/>')))
    assert body_text(document) == "a\uf0ff"


def test_a_symbol_with_a_bad_code_is_a_warning() -> None:
    document = parse_body(p(r("a"), run('<w:sym w:font="Symbol" w:char="zz"/>')))
    assert body_text(document) == "a"
    assert codes(document) == ["bad_value"]


def test_private_use_characters_of_symbol_fonts_become_unicode() -> None:
    body = p(r("\uf0b7 \uf061", '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'), r("\uf061"))
    assert body_text(parse_body(body)) == "• α\uf061"


def test_adjacent_runs_with_equal_marks_are_one_text() -> None:
    document = parse_body(p(r("a"), r("b"), r("c", "<w:b/>"), r("d", "<w:b/><w:lang w:val='x'/>"), r("e")))
    assert [(text.text, [mark.kind for mark in text.marks]) for text in all_texts(document)] == [
        ("ab", []),
        ("cd", ["bold"]),
        ("e", []),
    ]


@pytest.mark.parametrize(
    ("rpr", "kind"),
    [
        ("<w:b/>", "bold"),
        ('<w:b w:val="1"/>', "bold"),
        ('<w:b w:val="on"/>', "bold"),
        ("<w:i/>", "italic"),
        ("<w:strike/>", "strike"),
        ("<w:dstrike/>", "strike"),
        ('<w:u w:val="single"/>', "underline"),
        ('<w:vertAlign w:val="superscript"/>', "sup"),
        ('<w:vertAlign w:val="subscript"/>', "sub"),
        ('<w:rStyle w:val="Strong"/>', "bold"),
        ('<w:rStyle w:val="VerbatimChar"/>', "code"),
        ('<w:rStyle w:val="Derived"/>', "bold"),
    ],
)
def test_formatting_becomes_marks(rpr: str, kind: str) -> None:
    styles = (
        style("Strong", "Strong", kind="character", rpr="<w:b/>")
        + style("VerbatimChar", "Verbatim Char", kind="character")
        + style("Derived", "Derived", kind="character", based_on="Strong", rpr="<w:sz w:val='4'/>")
    )
    document = parse_body(p("plain ", r("marked", rpr)), styles=styles)
    assert [text for text, _ in marked(document, kind)] == ["marked"]


@pytest.mark.parametrize(
    "rpr",
    [
        '<w:b w:val="0"/>',
        '<w:b w:val="false"/>',
        '<w:rStyle w:val="Strong"/><w:b w:val="off"/>',
        '<w:u w:val="none"/>',
        "<w:rPrChange><w:rPr><w:b/></w:rPr></w:rPrChange>",
    ],
)
def test_formatting_that_is_off_makes_no_mark(rpr: str) -> None:
    styles = style("Strong", "Strong", kind="character", rpr="<w:b/>")
    document = parse_body(p(r("text", rpr)), styles=styles)
    assert all_texts(document)[0].marks == ()


@pytest.mark.parametrize("name", ["Source Code", "HTML Preformatted", "Code", "Preformatted Text"])
def test_code_styles_mark_their_paragraphs(name: str) -> None:
    document = parse_body(p("x = 1", style="C"), styles=style("C", name))
    assert [text for text, _ in marked(document, "code")] == ["x = 1"]


def test_barcode_is_no_code_style() -> None:
    assert not marked(parse_body(p("x", style="C"), styles=style("C", "Barcode")), "code")


# Links --------------------------------------------------------------------------------------------------------------


def test_hyperlinks_carry_their_address() -> None:
    body = p(
        "see ",
        f'<w:hyperlink r:id="rL">{r("the ")}{r("page", "<w:b/>")}</w:hyperlink>',
        f'<w:hyperlink r:id="rL" w:anchor="part">{r(" part")}</w:hyperlink>',
        f'<w:hyperlink w:anchor="_Ref1">{r(" inside")}</w:hyperlink>',
        f'<w:hyperlink r:id="gone">{r(" nowhere")}</w:hyperlink>',
    )
    document = parse_body(body, rels=[("rL", "hyperlink", "https://example.org/?a=1&b=2", "External")])
    assert body_text(document) == "see the page part inside nowhere"
    assert [(text, mark.target) for text, mark in marked(document, "link")] == [
        ("the ", "https://example.org/?a=1&b=2"),
        ("page", "https://example.org/?a=1&b=2"),
        (" part", "https://example.org/?a=1&b=2#part"),
        (" inside", "#_Ref1"),
    ]


def test_hyperlink_fields_carry_their_address() -> None:
    document = parse_body(
        p(field('HYPERLINK "https://example.org/a b"', "one"), field('HYPERLINK \\l "_Toc1" \\h', r("two", "<w:i/>")))
    )
    assert body_text(document) == "onetwo"
    assert [(text, mark.target) for text, mark in marked(document, "link")] == [
        ("one", "https://example.org/a b"),
        ("two", "#_Toc1"),
    ]


def test_cross_references_and_bookmarks_find_each_other() -> None:
    body = p('<w:bookmarkStart w:id="0" w:name="_Ref7"/>', r("Target"), '<w:bookmarkEnd w:id="0"/>') + p(
        "see ", field(" REF _Ref7 \\h ", "Target"), " on ", field("PAGEREF _Ref7", "3"), " as ",
        '<w:fldSimple w:instr=" REF _Ref7 \\r "><w:r><w:t>1</w:t></w:r></w:fldSimple>',
    )  # fmt: skip
    document = parse_body(body)
    assert Anchor("_Ref7") in document.blocks[0].parts
    assert [(text, mark.target) for text, mark in marked(document, "ref")] == [
        ("Target", "_Ref7"),
        ("3", "_Ref7"),
        ("1", "_Ref7"),
    ]


def test_the_bookmark_of_the_last_edit_is_no_anchor() -> None:
    document = parse_body(p('<w:bookmarkStart w:id="0" w:name="_GoBack"/>', r("x")))
    assert not any(isinstance(part, Anchor) for part in document.blocks[0].parts)


def bookmark(name: str) -> str:
    return f'<w:bookmarkStart w:id="1" w:name="{name}"/><w:bookmarkEnd w:id="1"/>'


def test_bookmarks_outside_of_lines_wait_for_the_next_one() -> None:
    body = (
        bookmark("first")
        + p(bookmark("empty"), bookmark("too"))
        + p("a")
        + bookmark("above")
        + p("Head", style="Heading1")
        + table([f"<w:tr>{bookmark('row')}{tc(p('x'))}</w:tr>{bookmark('rows')}", [bookmark("cell") + p("y"), "z"]])
        + p(run(textbox(p(bookmark("box")))))
        + sdt(bookmark("control"))
        + p("b")
        + bookmark("last")
    )
    written = write_bytes(docx(body))
    assert written.content == ('a\n# Head\n<table id="tb1" format="json">[["x", ""], ["y", "z"]]</table>\nb')
    assert [name for name, _ in anchors(written)] == "first empty too above row rows cell box control last".split()
    assert [behind for _, behind in anchors(written)] == ["a", "a", "a", "Head", "x", "y", "y", "b", "b", ""]


def anchors(written: Written) -> list[tuple[str, str]]:
    """(name, text behind it up to the next quote or line end)."""
    return [
        (mark["target"], re.split('["\n]', block["content"][mark["chars"][0] :])[0])
        for block in written.blocks
        for mark in block.get("marks", ())
        if mark["kind"] == "anchor"
    ]


def test_a_bookmark_between_paragraphs_keeps_a_joined_one_whole() -> None:
    gone = p("one ", ppr='<w:rPr><w:del w:id="1" w:author="a"/></w:rPr>')
    assert lines(parse_body(gone + bookmark("b") + p("two"))) == ["one two"]


def test_the_bookmark_of_a_form_field_is_kept() -> None:
    inside = field("FORMTEXT", "typed").replace('"begin"/></w:r>', f'"begin"/></w:r>{bookmark("Text1")}', 1)
    document = parse_body(p("x ", inside))
    assert Anchor("Text1") in document.blocks[0].parts
    assert lines(document) == ["x typed"]


# Fields -------------------------------------------------------------------------------------------------------------


def test_results_are_kept_and_instructions_are_not() -> None:
    body = p("page ", field("PAGE \\* MERGEFORMAT", "12"), " of ") + p(
        '<w:fldSimple w:instr="NUMPAGES"><w:r><w:t>40</w:t></w:r></w:fldSimple>'
    )
    assert lines(parse_body(body)) == ["page 12 of", "40"]


def test_fields_nest_in_instructions_and_results() -> None:
    inner = field("MERGEFIELD x", "hidden value")
    nested_instruction = (
        run('<w:fldChar w:fldCharType="begin"/>')
        + run("<w:instrText> IF </w:instrText>")
        + inner
        + run('<w:instrText> = "1" "yes" "no"</w:instrText>')
        + run('<w:fldChar w:fldCharType="separate"/>')
        + r("yes")
        + run('<w:fldChar w:fldCharType="end"/>')
    )
    nested_result = field("HYPERLINK x", r("a "), field("PAGEREF y", "7"), r(" b"))
    document = parse_body(p(nested_instruction) + p(nested_result))
    assert lines(document) == ["yes", "a 7 b"]
    assert [text for text, _ in marked(document, "ref")] == ["7"]


def test_an_instruction_may_be_split_and_cross_paragraphs() -> None:
    body = p(
        run('<w:fldChar w:fldCharType="begin"/>'),
        run("<w:instrText>HYPER</w:instrText>"),
        run('<w:instrText>LINK "u"</w:instrText>'),
        run('<w:fldChar w:fldCharType="separate"/>'),
        r("one"),
    ) + p(r("two"), run('<w:fldChar w:fldCharType="end"/>'), r(" after"))
    document = parse_body(body)
    assert lines(document) == ["one", "two after"]
    assert [text for text, _ in marked(document, "link")] == ["one", "two"]


def test_a_field_that_never_ends_swallows_nothing() -> None:
    body = p(run('<w:fldChar w:fldCharType="begin"/>'), run("<w:instrText>PAGE</w:instrText>"), r("a")) + p("b")
    assert lines(parse_body(body)) == ["a", "b"]
    assert lines(parse_body(p(run('<w:fldChar w:fldCharType="end"/>'), r("a")) + p("b"))) == ["a", "b"]


COLOURS = '<w:listEntry w:val="red"/><w:listEntry w:val="blue"/>'


@pytest.mark.parametrize(
    ("data", "instruction", "shown"),
    [
        ("<w:checkBox><w:checked/></w:checkBox>", "FORMCHECKBOX", "☒"),
        ('<w:checkBox><w:default w:val="1"/></w:checkBox>', "FORMCHECKBOX", "☒"),
        ('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>', "FORMCHECKBOX", "☐"),
        ("<w:checkBox/>", "FORMCHECKBOX", "☐"),
        (f'<w:ddList><w:result w:val="1"/>{COLOURS}</w:ddList>', "FORMDROPDOWN", "blue"),
        (f"<w:ddList>{COLOURS}</w:ddList>", "FORMDROPDOWN", "red"),
        ('<w:ddList><w:result w:val="9"/><w:listEntry w:val="red"/></w:ddList>', "FORMDROPDOWN", ""),
    ],
)  # fmt: skip
def test_form_fields_show_their_state(data: str, instruction: str, shown: str) -> None:
    body = p(
        r("a "),
        run(f'<w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar>'),
        run(f"<w:instrText>{instruction}</w:instrText>"),
        run('<w:fldChar w:fldCharType="end"/>'),
        r(" b"),
    )
    assert body_text(parse_body(body)) == f"a {shown} b"


def test_the_text_of_a_button_is_shown() -> None:
    parts = ('<w:fldChar w:fldCharType="begin"/>', "<w:instrText>MACROBUTTON NoMacro [Click </w:instrText>")
    end = ("<w:instrText>here]</w:instrText>", '<w:fldChar w:fldCharType="end"/>')
    data = docx(p("a ", run("".join((*parts, *end))), " b", '<w:fldSimple w:instr="GOTOBUTTON bm go there"/>'))
    assert lines(parse_bytes(data)) == ["a [Click here] bgo there"]
    assert_complete(data)
    stored = docx(p(field("MACROBUTTON NoMacro Text", "result")))
    assert lines(parse_bytes(stored)) == ["result"]
    assert_complete(stored)


def test_a_text_form_field_shows_its_value() -> None:
    assert body_text(parse_body(p(field(" FORMTEXT ", "typed in")))) == "typed in"


def test_a_symbol_field_shows_its_character() -> None:
    body = p(
        run('<w:fldChar w:fldCharType="begin"/>'),
        run('<w:instrText>SYMBOL 97 \\f "Symbol"</w:instrText>'),
        run('<w:fldChar w:fldCharType="end"/>'),
    )
    assert body_text(parse_body(body)) == "α"


# Wrappers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: sdt(inner),
        lambda inner: f'<w:smartTag w:element="x">{inner}</w:smartTag>',
        lambda inner: f'<w:customXml w:element="x">{inner}</w:customXml>',
        lambda inner: f'<w:ins w:id="1" w:author="A">{inner}</w:ins>',
        lambda inner: f'<w:moveTo w:id="1" w:author="A">{inner}</w:moveTo>',
        lambda inner: f'<w:bdo w:val="rtl">{inner}</w:bdo>',
        lambda inner: f'<w:dir w:val="rtl">{inner}</w:dir>',
        lambda inner: alternate(inner, r("WRONG")),
        lambda inner: alternate(r("WRONG"), inner, requires="zz"),
        lambda inner: alternate("", inner, requires="unknown"),
        lambda inner: f"<w:anything>{inner}</w:anything>",
        lambda inner: sdt(f'<w:smartTag w:element="x">{sdt(inner)}</w:smartTag>'),
    ],
)
def test_wrappers_are_transparent_in_paragraphs_and_around_them(wrap) -> None:  # type: ignore[no-untyped-def]
    assert lines(parse_body(p("a ", wrap(r("b")), r(" c")))) == ["a b c"]
    assert lines(parse_body(p("a") + wrap(p("b")) + p("c"))) == ["a", "b", "c"]


def test_an_alternative_inside_a_run_is_read_once() -> None:
    body = p(run(alternate("<w:t>choice</w:t>", "<w:t>fallback</w:t>") + "<w:t> rest</w:t>"))
    assert lines(parse_body(body)) == ["choice rest"]
    second = (
        "<mc:AlternateContent><mc:Choice Requires='zz'><w:t>1</w:t></mc:Choice>"
        "<mc:Choice Requires='w14'><w:t>2</w:t></mc:Choice></mc:AlternateContent>"
    )
    assert lines(parse_body(p(run(second)))) == ["2"]


def test_runs_outside_paragraphs_are_lines() -> None:
    assert lines(parse_body(p("a") + r("loose") + p("b"))) == ["a", "loose", "b"]


def test_a_paragraph_inside_a_paragraph_follows_it() -> None:
    assert lines(parse_body(p("outer ", p("inner"), r("more")))) == ["outer more", "inner"]


# Text boxes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "graphic",
    [
        textbox(p("one") + p("two")),
        vml_textbox(p("one") + p("two")),
        alternate(textbox(p("one") + p("two")), vml_textbox(p("one") + p("two"))),
    ],
)
def test_a_text_box_is_read_once_behind_its_paragraph(graphic: str) -> None:
    document = parse_body(p("before ", run(graphic), r("after")) + p("next"))
    assert [line for line in lines(document) if line] == ["before after", "one", "two", "next"]
    sources = {text.text: text.source for text in all_texts(document) if text.source is not None}
    assert sources["two"] is not None
    assert sources["two"].path == "body/p[1]/txbxContent[1]/p[2]"


def test_text_boxes_nest_and_hold_tables() -> None:
    inner = textbox(p("deep") + table([["x", "y"]]))
    document = parse_body(p(run(textbox(p("outer", run(inner))))))
    assert lines(document) == ["outer", "deep", "<table>"]


# Hidden text --------------------------------------------------------------------------------------------------------


def test_hidden_text_is_left_out_and_counted() -> None:
    body = p("shown ", r("secret text", "<w:vanish/>"), r("also", '<w:vanish w:val="0"/>'))
    document = parse_body(body)
    assert lines(document) == ["shown also"]
    warning = next(warning for warning in document.warnings if warning.code == "hidden_text_dropped")
    assert "10 characters" in warning.message
    assert warning.where == "word/document.xml body/p[1]"
    assert lines(parse_body(body, params={"hidden": "body"})) == ["shown secret textalso"]


def test_hidden_styles_hide() -> None:
    styles = (
        style("H", "Hidden", rpr="<w:vanish/>")
        + style("C", "Hidden Char", kind="character", rpr="<w:vanish/>")
        + style("D", "Based", based_on="H")
    )
    body = p("a", style="H") + p("b", style="D") + p("c ", r("d", '<w:rStyle w:val="C"/>'), r("e"))
    body += p(r("f", '<w:vanish w:val="0"/>'), style="H")
    document = parse_body(body, styles=styles)
    assert lines(document) == ["c e", "f"]


def test_a_hidden_field_still_ends() -> None:
    hidden = "<w:vanish/>"
    body = p(
        run('<w:fldChar w:fldCharType="begin"/>', hidden),
        run("<w:instrText>XE word</w:instrText>", hidden),
        run('<w:fldChar w:fldCharType="end"/>', hidden),
        r("shown"),
    )
    assert lines(parse_body(body)) == ["shown"]


# Comments -----------------------------------------------------------------------------------------------------------


def test_comment_ranges_mark_what_they_cover() -> None:
    body = p("a ", '<w:commentRangeStart w:id="4"/>', r("b")) + p(
        r("c"), '<w:commentRangeEnd w:id="4"/>', run('<w:commentReference w:id="4"/>'), r(" d")
    )
    document = parse_body(body, comments={4: p("note")})
    assert lines(document) == ["a b", "c d"]
    assert [(text, mark.target) for text, mark in marked(document, "comment")] == [("b", "4"), ("c", "4")]


# Embedded documents -------------------------------------------------------------------------------------------------


def chunk(kind: str, data: str | bytes, content_type: str) -> bytes:
    return docx(
        p("before") + '<w:altChunk r:id="rA"/>' + p("after"),
        parts={f"word/chunk.{kind}": (content_type, data)},
        rels=[("rA", "aFChunk", f"chunk.{kind}")],
    )


def test_an_embedded_page_becomes_blocks() -> None:
    page = """<html><head><title>no</title><style>p{}</style></head><body><h2>Head</h2><p>one <b>two</b>
      <a href="http://x/">link</a></p><ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><ol start="3"><li>d</li></ol>
      <table><caption>Cap</caption><thead><tr><th colspan="2">h</th></tr></thead><tr><td rowspan="2">1</td>
      <td>2</td></tr>
      <tr><td>3<br>4</td></tr></table><pre>x
  y</pre><script>no()</script></body></html>"""
    document = parse_bytes(chunk("html", page, "text/html"))
    assert [block.heading for block in document.blocks] == ["", "Head"]
    found = lines(document)
    assert found[:10] == ["before", "Head", "one two link", "- a", "  - b", "- c", "3. d", "Cap", "<table>", "x"]
    assert found[-1] == "after"
    assert [(text, mark.target) for text, mark in marked(document, "link")] == [("link", "http://x/")]
    from docx_parse import rows, spans, tables

    assert rows(tables(document)[0]) == [["h", None], ["1", "2"], [None, "3\n4"]]
    assert spans(tables(document)[0]) == [(0, 0, 1, 2), (1, 0, 2, 1)]
    assert tables(document)[0].header_rows == 1
    source = next(text.source for text in all_texts(document) if text.text.startswith("one"))
    assert source is not None
    assert source.part == "word/chunk.html"


@pytest.mark.parametrize(
    ("kind", "data", "content_type", "text"),
    [
        ("txt", "one\ntwo ünï".encode(), "text/plain", ["one", "two ünï"]),
        ("txt", "one\r\ntwo ünï".encode("cp1252"), "text/plain", ["one", "two ünï"]),
        ("rtf", b"{\\rtf1\\ansi one\\par two}", "application/rtf", ["one", "two"]),
        ("mht", ARCHIVE, "message/rfc822", ["one", "two"]),
        ("docx", docx(p("one") + p("two")), MAIN, ["one", "two"]),
    ],
)  # fmt: skip
def test_embedded_documents_of_each_kind_are_read(kind: str, data: bytes, content_type: str, text: list[str]) -> None:
    assert lines(parse_bytes(chunk(kind, data, content_type))) == ["before", *text, "after"]


def test_an_embedded_word_document_keeps_its_own_styles_and_lists() -> None:
    inner = docx(p("Inner heading", style="X") + p("body"), styles=style("X", "heading 2"))
    document = parse_bytes(chunk("docx", inner, "application/octet-stream"))
    assert [(block.level, block.heading) for block in document.blocks] == [(0, ""), (2, "Inner heading")]
    source = next(text.source for text in all_texts(document) if text.text == "body")
    assert source is not None
    assert (source.part, source.path) == ("word/chunk.docx!/word/document.xml", "body/p[2]")


def test_an_embedded_document_that_cannot_be_read_is_a_warning() -> None:
    for kind, data in (("docx", b"no zip"), ("xyz", b"?"), ("mht", b"Content-Type: text/plain\n\nx")):
        document = parse_bytes(chunk(kind, data, "application/octet-stream"))
        assert lines(document) == ["before", "after"]
        assert codes(document) == ["altchunk_left_out"]
    missing = docx(p("a") + '<w:altChunk r:id="rZ"/>')
    assert codes(parse_bytes(missing)) == ["altchunk_missing"]


def test_chunks_in_cells_stay_there() -> None:
    from docx_parse import rows, tables

    body = table([['<w:altChunk r:id="rA"/><w:p/>', "x"]])
    data = docx(body, parts={"word/c.html": ("text/html", "<p>in</p>")}, rels=[("rA", "aFChunk", "c.html")])
    assert rows(tables(parse_bytes(data))[0]) == [["in", "x"]]


def test_a_drop_cap_is_the_first_letter_of_its_paragraph() -> None:
    body = p("O", ppr='<w:framePr w:dropCap="drop" w:lines="3"/>') + p("nce upon a time") + p("there")
    assert lines(parse_body(body)) == ["Once upon a time", "there"]
    assert lines(parse_body(p("a", ppr='<w:framePr w:w="3"/>') + p("b"))) == ["a", "b"]


def test_code_keeps_its_indentation() -> None:
    body = p("if x:", style="C") + p(r("    return 1  "), style="C") + p(r("  not code  "))
    assert lines(parse_body(body, styles=style("C", "Source Code"))) == ["if x:", "    return 1", "not code"]
