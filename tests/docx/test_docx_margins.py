"""Headers, footers and comments."""

from __future__ import annotations

from typing import Any

import pytest
from docx_audit import assert_complete
from docx_builder import DECLARATION, docx, heading, p, picture, png, r, run, table, tc, vml_textbox, xml_part
from docx_parse import codes, lines, marked, parse_bytes, region, shown

from lrdoc.document import Anchor, Block, Document

TITLE_PAGE = "<w:titlePg/>"
EVEN = "<w:evenAndOddHeaders/>"
THREE = {"default": p("usual"), "first": p("front"), "even": p("left")}


def parse(body: str, params: dict[str, Any] | None = None, **package: Any) -> Document:
    data = docx(body, **package)
    assert_complete(data, **(params or {}))
    return parse_bytes(data, **(params or {}))


def texts(blocks: list[Block]) -> list[str]:
    return [shown(block.parts) for block in blocks]


# Headers and footers -----------------------------------------------------------------------------------------------


def test_headers_and_footers_are_regions() -> None:
    document = parse(p("a"), headers={"default": p("head")}, footers={"default": p("foot")})
    assert lines(document) == ["a"]
    assert texts(region(document, "header")) == ["head"]
    assert texts(region(document, "footer")) == ["foot"]
    assert region(document, "header")[0].extras == {"kinds": ["default"], "sections": [1]}


def test_kinds_are_told_and_whether_word_shows_them() -> None:
    document = parse(p("a"), headers=THREE)
    found = {shown(block.parts): dict(block.extras) for block in region(document, "header")}
    assert found == {
        "usual": {"kinds": ["default"], "sections": [1]},
        "front": {"kinds": ["first"], "sections": [1], "shown": False},
        "left": {"kinds": ["even"], "sections": [1], "shown": False},
    }
    document = parse(p("a"), headers=THREE, section=TITLE_PAGE, settings=EVEN)
    assert all("shown" not in block.extras for block in region(document, "header"))


def sections(*references: str) -> dict[str, Any]:
    """A body with one section for each string of references; headers h1, h2 … exist as parts."""
    *inner, last = references
    body = "".join(p(f"s{n}", ppr=f"<w:sectPr>{one}</w:sectPr>") for n, one in enumerate(inner, 1))
    body += p(f"s{len(references)}")
    parts = {f"word/h{n}.xml": ("x/header+xml", xml_part("w:hdr", p(f"head {n}"))) for n in range(1, 4)}
    rels = [(f"rH{n}", "header", f"h{n}.xml") for n in range(1, 4)]
    document = xml_part("w:document", f"<w:body>{body}<w:sectPr>{last}</w:sectPr></w:body>")
    return {"document": document, "parts": parts, "rels": rels}


def use(number: int, kind: str = "default") -> str:
    return f'<w:headerReference w:type="{kind}" r:id="rH{number}"/>'


def test_each_part_comes_once_with_its_sections() -> None:
    document = parse("", **sections(use(1), "", use(2), use(1)))
    found = [(shown(block.parts), block.extras["sections"]) for block in region(document, "header")]
    assert found == [("head 1", [1, 2, 4]), ("head 2", [3])]


def test_one_part_may_be_of_several_kinds() -> None:
    document = parse("", **sections(use(1) + use(1, "even")))
    assert region(document, "header")[0].extras["kinds"] == ["default", "even"]


def test_headers_that_no_section_names_are_left_out() -> None:
    document = parse("", **sections(use(3)))
    assert texts(region(document, "header")) == ["head 3"]


def test_a_header_may_hold_anything() -> None:
    rels = (
        f'{DECLARATION}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="rP1" Target="media/l.png" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"/></Relationships>'
    )
    content = table([["left", "right"]]) + p(run(picture("rP1"))) + p(run(vml_textbox(p("box"))))
    document = parse(
        heading(1, "A"),
        headers={"default": content},
        parts={"word/_rels/header1.xml.rels": (None, rels), "word/media/l.png": (None, png())},
    )
    assert texts(region(document, "header")) == ["<table>\n<drawing>\nbox"]


def test_empty_headers_make_no_region() -> None:
    assert region(parse(p("a"), headers={"default": p("")}), "header") == []


def test_headers_may_go_into_the_body_or_be_dropped() -> None:
    package = {"headers": {"default": p("head")}, "footers": {"default": p("foot")}}
    document = parse(heading(1, "A"), {"headers": "body"}, **package)
    assert lines(document) == ["head", "A", "foot"]
    assert document.regions == ()
    document = parse(heading(1, "A"), {"headers": "drop"}, **package)
    assert lines(document) == ["A"] and document.regions == ()


def test_a_missing_header_part_costs_nothing() -> None:
    document = parse_bytes(docx(p("a"), headers={"default": p("x")}, drop=["word/header1.xml"]))
    assert lines(document) == ["a"] and region(document, "header") == []


def test_a_document_of_headers_alone() -> None:
    document = parse("", headers={"default": p("only")})
    assert texts(region(document, "header")) == ["only"]


# Comments ----------------------------------------------------------------------------------------------------------


def start(identity: int) -> str:
    return f'<w:commentRangeStart w:id="{identity}"/>'


def end(identity: int) -> str:
    return f'<w:commentRangeEnd w:id="{identity}"/>' + run(f'<w:commentReference w:id="{identity}"/>')


def test_a_comment_with_author_date_and_range() -> None:
    document = parse(p(r("a "), start(0), r("said"), end(0), r(" b")), comments={0: p("why?")})
    block = region(document, "comment")[0]
    assert shown(block.parts) == "why?"
    assert block.extras == {"id": "0", "author": "Ann", "date": "2024-01-02T03:04:05Z", "initials": "A"}
    [(text, mark)] = marked(document, "comment")
    assert (text, mark.target, mark.author, mark.date) == ("said", "0", "Ann", "2024-01-02T03:04:05Z")
    assert lines(document) == ["a said b"]


def test_ranges_overlap_and_cross_paragraphs() -> None:
    body = p(start(0), r("a"), start(1), r("b")) + p(r("c"), end(0), r("d"), end(1))
    document = parse(body, comments={0: p("x"), 1: p("y")})
    found = {text: sorted(m.target for t, m in marked(document, "comment") if t == text) for text in "abcd"}
    assert found == {"a": ["0"], "b": ["0", "1"], "c": ["0", "1"], "d": ["1"]}


def test_ranges_may_begin_and_end_between_rows_and_cells() -> None:
    begin, end = '<w:commentRangeStart w:id="0"/>', '<w:commentRangeEnd w:id="0"/>'
    rows = f"<w:tr>{tc(p('a'))}{begin}{tc(p('b'))}</w:tr><w:tr>{tc(p('c'))}{tc(p('d'))}{end}</w:tr>"
    document = parse_bytes(docx(table([rows], 2) + p("e"), comments={0: p("note")}))
    assert [text for text, _ in marked(document, "comment")] == ["b", "c", "d"]


def test_a_comment_without_a_range_is_anchored_at_its_reference() -> None:
    document = parse(p(r("a"), run('<w:commentReference w:id="0"/>')), comments={0: p("x")})
    assert [part.name for part in document.blocks[0].parts if isinstance(part, Anchor)] == ["comment-0"]


def test_answers_name_the_comment_they_answer() -> None:
    comments = {0: p("ask", paraid="00000001"), 1: p("x") + p("reply", paraid="00000002")}
    extended = xml_part(
        "w15:commentsEx",
        '<w15:commentEx w15:paraId="00000001" w15:done="1"/>'
        '<w15:commentEx w15:paraId="00000002" w15:paraIdParent="00000001" w15:done="0"/>',
    )
    document = parse(
        p(start(0), start(1), r("a"), end(0), end(1)),
        comments=comments,
        parts={"word/commentsExtended.xml": ("x/y+xml", extended)},
        rels=[
            (
                "rE",
                "http://schemas.microsoft.com/office/2011/relationships/commentsExtended",
                "commentsExtended.xml",
            )
        ],
    )
    first, second = region(document, "comment")
    assert first.extras.get("done") is True and "answers" not in first.extras
    assert second.extras["answers"] == "0"


def test_comments_hold_lists_and_several_paragraphs() -> None:
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    document = parse(p(start(0), r("a"), end(0)), comments={0: p("x", ppr=item) + p("y", ppr=item)})
    assert texts(region(document, "comment")) == ["1. x\n2. y"]


def test_comments_may_go_into_the_body() -> None:
    body = p(start(0), r("a"), end(0), r("b")) + p("c")
    document = parse(body, {"comments": "body"}, comments={0: p("said")})
    assert lines(document) == ["ab", "said", "c"]
    assert document.regions == ()


def test_comments_may_be_dropped() -> None:
    document = parse(p(start(0), r("a"), end(0)), {"comments": "drop"}, comments={0: p("said")})
    assert document.regions == () and marked(document, "comment") == []


def test_comments_that_refer_to_themselves_end() -> None:
    loop = p(r("x"), run('<w:commentReference w:id="0"/>'))
    document = parse_bytes(docx(p(run('<w:commentReference w:id="0"/>'), r("a")), comments={0: loop}), comments="body")
    assert lines(document) == ["a", "x"]


@pytest.mark.parametrize("comments", [None, {}, {4: p("other")}])
def test_a_reference_to_no_comment_costs_nothing(comments: dict[int, str] | None) -> None:
    document = parse_bytes(docx(p(start(0), r("a"), end(0)), comments=comments))
    assert lines(document) == ["a"] and codes(document) == []


def test_comments_and_notes_of_an_embedded_document_do_not_mix_with_ours() -> None:
    note = '<w:footnoteReference w:id="1"/>'
    inner = docx(p(start(0), r("x"), end(0), run(note)), comments={0: p("inner")}, footnotes={1: p("in")})
    document = parse_bytes(
        docx(
            p(start(0), r("a"), end(0), run(note)) + '<w:altChunk r:id="rA"/>',
            comments={0: p("outer")},
            footnotes={1: p("out")},
            parts={"word/in.docx": (None, inner)},
            rels=[("rA", "aFChunk", "in.docx")],
        )
    )
    assert [(block.extras["id"], shown(block.parts)) for block in region(document, "comment")] == [
        ("0", "outer"),
        ("word/in.docx!/0", "inner"),
    ]
    assert [(text, mark.target) for text, mark in marked(document, "comment")] == [
        ("a", "0"),
        ("x", "word/in.docx!/0"),
    ]
    assert [(each.mark, shown(each.parts)) for each in document.blocks[0].notes] == [("1", "out"), ("2", "in")]
