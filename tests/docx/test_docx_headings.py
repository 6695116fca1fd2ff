"""Headings, titles, blocks, tables of contents."""

from __future__ import annotations

import pytest
from docx_audit import assert_complete
from docx_builder import (
    DEFAULT_STYLES,
    abstract_num,
    docx,
    field,
    heading,
    li,
    lvl,
    num,
    num_pr,
    p,
    r,
    run,
    sdt,
    style,
    table,
    textbox,
)
from docx_parse import codes, lines, outline, parse_body, parse_bytes, region, shown

from lrdoc.document import Position, Text
from lrdoc.parsers.docx.headings import heading_level_of_id, heading_level_of_name


@pytest.mark.parametrize("level", range(1, 10))
def test_each_level_of_heading_is_kept(level: int) -> None:
    document = parse_body(heading(level, "H") + p("text"))
    assert outline(document) == [(level, "H")]
    assert shown(document.blocks[0].parts) == "H\ntext"


@pytest.mark.parametrize(
    ("paragraph", "styles", "level"),
    [
        (p("H", style="A"), style("A", "My own", ppr='<w:outlineLvl w:val="2"/>'), 3),
        (p("H", style="B"), style("A", "x", ppr='<w:outlineLvl w:val="1"/>') + style("B", "y", based_on="A"), 2),
        (p("H", style="B"), style("A", "heading 4") + style("B", "y", based_on="A"), 4),
        (p("H", style="A"), style("A", "heading 2", ppr='<w:outlineLvl w:val="9"/>'), 0),
        (p("H", style="A", ppr='<w:outlineLvl w:val="9"/>'), style("A", "heading 2"), 0),
        (p("H", ppr='<w:outlineLvl w:val="0"/>'), "", 1),
        (p("H", ppr='<w:outlineLvl w:val="8"/>'), "", 9),
        (p("H", style="A", ppr='<w:outlineLvl w:val="4"/>'), style("A", "heading 2"), 5),
        (p("H", style="A"), style("A", "Heading 3"), 3),
        (p("H", style="berschrift2"), style("berschrift2", "heading 2"), 2),
        (p("H", style="A"), style("A", "Überschrift 5"), 5),
        (p("H", style="A"), style("A", "标题 3"), 3),
        (p("H", style="A"), style("A", "見出し 1"), 1),
        (p("H", style="A"), style("A", "Заголовок 2"), 2),
        (p("H", style="Heading7"), "", 7),
        (p("H", style="berschrift3"), "", 3),
        (p("H", style="Titre2"), "", 2),
        (p("H"), style("N", "Normal", default=True, ppr='<w:outlineLvl w:val="0"/>'), 1),
        (p("H", style="A"), style("A", "heading 1x"), 0),
        (p("H", style="A"), style("A", "heading 10"), 0),
        (p("H", style="A"), style("A", "Subheading"), 0),
        (p("H", style="Unknown"), "", 0),
    ],
)
def test_what_makes_a_heading(paragraph: str, styles: str, level: int) -> None:
    document = parse_body(paragraph + p("text", style="Plain"), styles=styles)
    assert outline(document) == ([(level, "H")] if level else [])
    assert lines(document) == ["H", "text"]


def test_names_and_ids_of_headings() -> None:
    assert [heading_level_of_name(name) for name in ("heading 1", "HEADING 9", "Titre 2", "제목 3", "heading 0")] == [
        1,
        9,
        2,
        3,
        0,
    ]
    assert [heading_level_of_id(style) for style in ("Heading1", "Ttulo2", "Nagwek3", "1", "ListHeading1")] == [
        1,
        2,
        3,
        0,
        0,
    ]


def test_parents_are_the_headings_above_and_never_siblings() -> None:
    body = heading(1, "A") + heading(3, "B") + heading(2, "C") + heading(3, "D") + heading(3, "E") + heading(1, "F")
    document = parse_body(body)
    assert [(block.heading, block.parents) for block in document.blocks] == [
        ("A", ()),
        ("B", ("A",)),
        ("C", ("A",)),
        ("D", ("A", "C")),
        ("E", ("A", "C")),
        ("F", ()),
    ]


def test_text_before_the_first_heading_has_no_heading() -> None:
    document = parse_body(p("intro") + heading(1, "A") + p("text"))
    assert [(block.level, block.heading, block.is_title_block) for block in document.blocks] == [
        (0, "", False),
        (1, "A", False),
    ]


def test_a_title_with_what_follows_is_one_block() -> None:
    body = p("Report", style="Title") + p("A subtitle", style="Subtitle") + p("Author") + heading(1, "A") + p("t")
    document = parse_body(body + p("Second part", style="Title") + p("u"))
    assert [(block.level, block.heading, block.is_title_block) for block in document.blocks] == [
        (0, "Report", True),
        (1, "A", False),
        (1, "Second part", False),
    ]
    assert shown(document.blocks[0].parts) == "Report\nA subtitle\nAuthor"
    assert document.title == "Report"


def test_a_title_with_an_outline_level_is_a_title() -> None:
    styles = DEFAULT_STYLES + style("Cover", "Title", ppr='<w:outlineLvl w:val="0"/>')
    styles += style("Mine", "Section title", based_on="Cover")
    body = p("Report", style="Cover") + p("Author") + p("A", style="Mine") + p("B", style="Cover") + heading(2, "C")
    document = parse_body(body, styles=styles)
    assert [(block.level, block.heading, block.is_title_block) for block in document.blocks] == [
        (0, "Report", True),
        (1, "A", False),
        (1, "B", False),
        (2, "C", False),
    ]
    assert document.title == "Report"


def test_text_before_the_title_is_a_block_of_its_own() -> None:
    document = parse_body(p("Company") + p("Report", style="Title") + p("Author"))
    assert [(block.heading, block.is_title_block) for block in document.blocks] == [("", False), ("Report", True)]


def test_a_title_after_headings_is_a_heading() -> None:
    document = parse_body(heading(1, "A") + p("Late", style="Title"))
    assert [(block.level, block.heading, block.is_title_block) for block in document.blocks] == [
        (1, "A", False),
        (1, "Late", False),
    ]
    assert document.title == "Late"


@pytest.mark.parametrize(
    ("body", "core", "title"),
    [
        (p("T", style="Title") + heading(1, "A"), {"dc:title": "Core"}, "T"),
        (heading(1, "A"), {"dc:title": " Core  title "}, "Core title"),
        (heading(2, "B") + heading(1, "A"), None, "A"),
        (heading(2, "B") + heading(3, "C"), None, "B"),
        (p("text"), None, "test"),
        (p("", style="Title") + p("x"), {"dc:title": ""}, "test"),
    ],
)
def test_where_the_title_comes_from(body: str, core: dict[str, str] | None, title: str) -> None:
    assert parse_body(body, core=core).title == title


def test_a_heading_is_one_line() -> None:
    document = parse_body(heading(1, r("Two"), run("<w:br/>"), r("lines \t here"), run("<w:tab/>"), r("end ")))
    block = document.blocks[0]
    assert block.heading == "Two lines here end"
    assert shown(block.parts) == block.heading


def test_a_heading_that_begins_like_markdown_stays_as_it_is() -> None:
    assert outline(parse_body(heading(1, "# hash"))) == [(1, "# hash")]


def test_a_long_heading_is_body_text_with_a_warning() -> None:
    document = parse_body(heading(1, "A") + heading(2, "x" * 201) + heading(2, "y" * 200))
    assert [(level, len(text)) for level, text in outline(document)] == [(1, 1), (2, 200)]
    assert "x" * 201 in lines(document)
    assert codes(document) == ["heading_too_long"]
    assert "body/p[2]" in next(warning.where for warning in document.warnings if warning.code == "heading_too_long")


def test_empty_headings_make_no_block() -> None:
    document = parse_body(heading(1, "A") + heading(2) + heading(2, "  ") + p("text"))
    assert outline(document) == [(1, "A")]


def test_headings_in_controls_count() -> None:
    document = parse_body(heading(1, "A") + sdt(heading(2, "B") + p("x") + sdt(heading(3, "C"))))
    assert outline(document) == [(1, "A"), (2, "B"), (3, "C")]


def test_headings_in_tables_and_text_boxes_do_not_split() -> None:
    body = heading(1, "A") + table([[heading(2, "in cell")]]) + p(run(textbox(heading(2, "in box"))))
    document = parse_body(body)
    assert outline(document) == [(1, "A")]
    assert lines(document) == ["A", "<table>", "in box"]


def test_a_text_box_in_a_heading_follows_it() -> None:
    document = parse_body(heading(1, "A", run(textbox(p("box")))) + p("text"))
    assert outline(document) == [(1, "A")]
    assert lines(document) == ["A", "box", "text"]


def test_marks_in_headings_are_kept() -> None:
    document = parse_body(heading(1, "CO", r("2", '<w:vertAlign w:val="subscript"/>'), " rise"))
    assert document.blocks[0].heading == "CO2 rise"
    assert [part.marks[0].kind for part in document.blocks[0].parts if isinstance(part, Text) and part.marks] == ["sub"]


# Numbers ------------------------------------------------------------------------------------------------------------


def test_the_number_of_a_heading_is_in_it_and_apart() -> None:
    numbering = abstract_num(0, lvl(0, text="%1"), lvl(1, text="%1.%2")) + num(1, 0)
    styles = style("Heading1", "heading 1", ppr=num_pr(1, 0)) + style("Heading2", "heading 2", ppr=num_pr(1, 1))
    document = parse_body(
        heading(1, "A") + heading(2, "B") + p("t") + heading(2, "C"), styles=styles, numbering=numbering
    )
    assert [(block.heading, block.label) for block in document.blocks] == [
        ("1 A", "1"),
        ("1.1 B", "1.1"),
        ("1.2 C", "1.2"),
    ]
    assert shown(document.blocks[1].parts) == "1.1 B\nt"
    assert document.blocks[1].parents == ("1 A",)
    assert document.blocks[1].parts[0] == Text("1.1 ")


def test_lists_have_labels_and_indentation() -> None:
    body = li("a") + li("b", ilvl=1) + li("c", ilvl=1) + li("d") + li("x", 2) + li("y", 2, 1)
    assert lines(parse_body(body)) == ["1. a", "  1.1 b", "  1.2 c", "2. d", "- x", "  - y"]


def test_labels_and_indentation_come_from_no_source() -> None:
    block = parse_body(li("b", ilvl=1)).blocks[0]
    assert [(part.text, part.source is None) for part in block.parts if isinstance(part, Text)] == [
        ("  1.1 ", True),
        ("b", False),
    ]


def test_an_empty_numbered_paragraph_counts() -> None:
    assert lines(parse_body(li("a") + p(ppr=num_pr(1, 0)) + li("c"))) == ["1. a", "3. c"]


def test_the_default_style_may_number_everything() -> None:
    styles = style("N", "Normal", default=True, ppr=num_pr(1, 0)) + style("Q", "Quote")
    assert lines(parse_body(p("a") + p("b", style="Q") + p("c"), styles=styles)) == ["1. a", "b", "2. c"]


def test_an_unknown_list_makes_no_label() -> None:
    assert lines(parse_body(li("a", 77))) == ["a"]


# Tables of contents -------------------------------------------------------------------------------------------------

ENTRIES = (
    p(
        run('<w:fldChar w:fldCharType="begin"/>'),
        run('<w:instrText>TOC \\o "1-3" \\h</w:instrText>'),
        run('<w:fldChar w:fldCharType="separate"/>'),
        r("One"),
        run("<w:tab/>"),
        field("PAGEREF _Toc1", "3"),
        style="TOC1",
    )
    + p("Two", run("<w:tab/>"), "5", style="TOC2")
    + p(run('<w:fldChar w:fldCharType="end"/>'))
)
GALLERY = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'


@pytest.mark.parametrize(
    "toc",
    [
        ENTRIES,
        sdt(ENTRIES, GALLERY),
        p("One", run("<w:tab/>"), "3", style="TOC1") + p("Two", run("<w:tab/>"), "5", style="TOC2"),
    ],
)
def test_a_table_of_contents_is_a_region(toc: str) -> None:
    body = p("before") + toc + heading(1, "One") + p("text")
    document = parse_body(body)
    assert lines(document) == ["before", "One", "text"]
    assert [shown(block.parts) for block in region(document, "TOC")] == ["One\t3\nTwo\t5"]
    assert lines(parse_body(body, params={"toc": "body"})) == ["before", "One\t3", "Two\t5", "One", "text"]
    dropped = parse_body(body, params={"toc": "drop"})
    assert lines(dropped) == ["before", "One", "text"]
    assert not dropped.regions
    assert codes(dropped) == ["toc_dropped"]


def test_the_heading_of_a_contents_list_goes_with_it() -> None:
    styles = DEFAULT_STYLES + style("TOCHeading", "TOC Heading", based_on="Heading1")
    document = parse_body(sdt(p("Contents", style="TOCHeading") + ENTRIES, GALLERY) + heading(1, "A"), styles=styles)
    assert outline(document) == [(1, "A")]
    assert shown(region(document, "TOC")[0].parts).startswith("Contents\nOne")
    plain = docx(p("Contents") + ENTRIES + heading(1, "A"))
    for place in ("region", "body", "drop"):
        assert_complete(plain, toc=place)


def test_text_behind_the_end_of_a_contents_field_is_body() -> None:
    body = ENTRIES.replace("</w:p>", "", 0)
    body = body[: body.rindex("<w:p>")] + p(run('<w:fldChar w:fldCharType="end"/>'), r("Real text"))
    assert lines(parse_body(body)) == ["Real text"]


def test_a_heading_inside_a_contents_field_is_a_heading() -> None:
    body = ENTRIES[: ENTRIES.rindex("<w:p>")] + heading(1, "A") + p("t") + ENTRIES[ENTRIES.rindex("<w:p>") :]
    assert outline(parse_body(body)) == [(1, "A")]


# Positions ----------------------------------------------------------------------------------------------------------


def test_a_block_lies_between_its_first_and_last_paragraph() -> None:
    body = (
        heading(1, "A", paraid="0000000A")
        + p("x", paraid="0000000B")
        + heading(2, "B")
        + table([[p("c", paraid="0000000C"), p("d", paraid="0000000D")]])
        + heading(2, "C", paraid="0000000E")
        + heading(2, "D")
    )
    document = parse_body(body)
    assert [block.positions for block in document.blocks] == [
        (Position("paraid", range=("0000000A", "0000000B")),),
        (Position("paraid", range=("0000000C", "0000000D")),),
        (Position("paraid", range=("0000000E", "0000000E")),),
        (Position("paraid", range=None),),
    ]


def test_one_notice_counts_paragraphs_without_an_id() -> None:
    document = parse_body(p("a", paraid="0000000A") + p("b") + table([["c", p("d", paraid="0000000B")]]))
    notices = [warning for warning in document.warnings if warning.code == "missing_paraid"]
    assert [notice.message.split(";")[0] for notice in notices] == ["2 paragraphs lack paraId"]
    assert not parse_body(p("a", paraid="0000000A")).warnings


def test_smart_heading_says_that_it_is_not_built() -> None:
    from docx_builder import docx

    document = parse_bytes(docx(p("a")), smart_heading=True)
    assert codes(document) == ["smart_heading_unavailable"]
