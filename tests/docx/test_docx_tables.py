"""Tables: grids, merges, what stands in cells, captions."""

from __future__ import annotations

import pytest
from docx_builder import (
    abstract_num,
    alternate,
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
    run,
    sdt,
    style,
    table,
    tc,
    tr,
)
from docx_parse import codes, drawings, lines, parse_body, parse_bytes, rows, spans, tables

from lrdoc.document import Drawing, Equation, InlineEquation, Table, iter_items
from lrdoc.errors import LimitExceeded
from lrdoc.parsers.docx.settings import DocxSettings

SPAN2 = '<w:gridSpan w:val="2"/>'
START = '<w:vMerge w:val="restart"/>'
GO_ON = "<w:vMerge/>"


def one(body: str, **package: object) -> Table:
    found = tables(parse_body(body, **package))  # type: ignore[arg-type]
    assert len(found) == 1
    return found[0]


def test_a_simple_table() -> None:
    found = one(table([["a", "b"], ["1", "2"]]))
    assert rows(found) == [["a", "b"], ["1", "2"]]
    assert spans(found) == []
    assert found.header_rows == 0


def test_column_spans() -> None:
    found = one(table([tr(tc("ab", SPAN2), "c"), ["1", "2", "3"]], 3))
    assert rows(found) == [["ab", None, "c"], ["1", "2", "3"]]
    assert spans(found) == [(0, 0, 1, 2)]


def test_row_spans() -> None:
    found = one(
        table([tr(tc("a", START), "1"), tr(tc("", GO_ON), "2"), tr(tc("b", START), "3"), tr(tc("", GO_ON), "4")], 2)
    )
    assert rows(found) == [["a", "1"], [None, "2"], ["b", "3"], [None, "4"]]
    assert spans(found) == [(0, 0, 2, 1), (2, 0, 2, 1)]


def test_a_merge_ends_where_it_ends() -> None:
    """Empty cells below a finished merge stay empty."""
    found = one(table([tr(tc("a", START), "1"), tr(tc("", GO_ON), "2"), ["", "3"], ["", "4"]], 2))
    assert rows(found) == [["a", "1"], [None, "2"], ["", "3"], ["", "4"]]


def test_a_continuation_without_a_start_is_a_cell() -> None:
    found = one(table([["a", "b"], tr(tc("c", GO_ON), "d"), tr(tc("e", GO_ON), "f")], 2))
    assert rows(found) == [["a", "b"], ["c", "d"], ["e", "f"]]
    assert spans(found) == []


def test_a_continuation_of_another_width_is_a_cell() -> None:
    found = one(table([tr(tc("ab", SPAN2 + START), "c"), tr(tc("x", GO_ON), tc("y"), "z")], 3))
    assert rows(found) == [["ab", None, "c"], ["x", "y", "z"]]


def test_spans_in_both_directions() -> None:
    found = one(table([tr(tc("x", SPAN2 + START), "1"), tr(tc("", SPAN2 + GO_ON), "2"), ["a", "b", "3"]], 3))
    assert rows(found) == [["x", None, "1"], [None, None, "2"], ["a", "b", "3"]]
    assert spans(found) == [(0, 0, 2, 2)]


def test_text_in_a_continued_cell_is_not_lost() -> None:
    found = one(table([tr(tc("a", START), "1"), tr(tc("more", GO_ON), "2"), tr(tc("", GO_ON), "3")], 2))
    assert rows(found) == [["a", "1"], ["more", "2"], [None, "3"]]
    assert spans(found) == [(1, 0, 2, 1)]


def test_old_horizontal_merges() -> None:
    start, go_on = '<w:hMerge w:val="restart"/>', "<w:hMerge/>"
    found = one(table([tr(tc("a", start), tc("", go_on), tc("", go_on), "d"), ["1", "2", "3", "4"]], 4))
    assert rows(found) == [["a", None, None, "d"], ["1", "2", "3", "4"]]
    assert spans(found) == [(0, 0, 1, 3)]


def test_rows_may_begin_late_and_end_early() -> None:
    body = table(
        [
            ["a", "b", "c"],
            tr("x", "y", pr='<w:gridBefore w:val="1"/>'),
            tr("z", pr='<w:gridAfter w:val="2"/>'),
            ["short"],
        ],
        3,
    )
    assert rows(one(body)) == [["a", "b", "c"], ["", "x", "y"], ["z", "", ""], ["short", "", ""]]


def test_a_table_without_a_grid_and_rows_wider_than_it() -> None:
    assert rows(one(table([["a", "b"]], 0))) == [["a", "b"]]
    assert rows(one(table([["a", "b", "c"], ["d"]], 1))) == [["a", "b", "c"], ["d", "", ""]]


def test_header_rows_are_the_leading_ones() -> None:
    head = "<w:tblHeader/>"
    found = one(table([tr("a", pr=head), tr("b", pr=head), ["c"], tr("d", pr=head)], 1))
    assert found.header_rows == 2
    assert one(table([["x"], tr("a", pr=head)], 1)).header_rows == 0
    assert one(table([tr("a", pr='<w:tblHeader w:val="0"/>'), ["x"]], 1)).header_rows == 0


def test_paragraphs_of_a_cell_are_lines() -> None:
    found = one(table([[p("one") + p("") + p("two"), p("")]]))
    assert rows(found) == [["one\ntwo", ""]]


def test_lists_in_cells_have_labels() -> None:
    found = one(table([[li("a") + li("b", ilvl=1), li("x", 2)]]))
    assert rows(found) == [["1. a\n  1.1 b", "- x"]]


def test_a_column_of_numbers_without_text_shows_its_labels() -> None:
    numbering = abstract_num(0, lvl(0)) + num(1, 0)
    found = one(table([[li("", 1), "a"], [li("", 1), "b"]]), numbering=numbering)
    assert rows(found) == [["1.", "a"], ["2.", "b"]]


def test_empty_tables_are_left_out_and_empty_rows_are_not() -> None:
    document = parse_body(table([["", ""]]) + p("text"))
    assert not tables(document)
    assert lines(document) == ["text"]
    assert rows(one(table([["a"], [""], ["b"]]))) == [["a"], [""], ["b"]]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: sdt(inner),
        lambda inner: sdt(sdt(inner)),
        lambda inner: f'<w:customXml w:element="x">{inner}</w:customXml>',
        lambda inner: f'<w:ins w:id="1">{inner}</w:ins>',
        lambda inner: alternate(inner, "", requires="w14"),
    ],
)
def test_controls_may_stand_at_every_level(wrap) -> None:  # type: ignore[no-untyped-def]
    cell, row = tc("b"), tr("a", "b", "c")
    expected = [["a", "b", "c"]]
    assert rows(one(table([f"<w:tr>{tc('a')}{wrap(cell)}{tc('c')}</w:tr>"], 3))) == expected
    assert rows(one(table([wrap(row)], 3))) == expected
    assert rows(one(wrap(table([row], 3)))) == expected
    assert rows(one(table([tr("a", tc(wrap(p("b"))), "c")], 3))) == expected


def test_nested_tables_stay_in_their_cell() -> None:
    inner = table([["x", "y"]])
    document = parse_body(table([[p("before") + inner + p("after"), "b"]]))
    outer, nested = tables(document)
    assert rows(outer) == [["before\n<table>\nafter", "b"]]
    assert rows(nested) == [["x", "y"]]


def test_labels_around_a_nested_table_count_in_order() -> None:
    document = parse_body(table([[li("a") + table([[li("b")]]) + li("c")]]))
    outer, nested = tables(document)
    assert rows(outer) == [["1. a\n<table>\n3. c"]]
    assert rows(nested) == [["2. b"]]


def test_pictures_and_equations_in_cells_keep_their_identity() -> None:
    body = table([[p(run(picture("rI"))), p("x ", math(mr("y")))], [p(math_para(math(mr("z")))), "d"]])
    document = parse_body(body, media={"rI": ("a.png", png())})
    items = list(iter_items(document.blocks[0].parts))
    assert [type(item) for item in items] == [Table, Drawing, Equation]
    cell = tables(document)[0].rows[0][1]
    assert cell is not None
    assert any(isinstance(part, InlineEquation) for part in cell.parts)
    assert len(drawings(document)) == 1


def test_tables_know_where_they_come_from() -> None:
    body = p("a") + sdt(p("b") + table([[p("c", paraid="0000000C")]]))
    found = one(body)
    assert found.source is not None
    assert (found.source.part, found.source.path, found.source.paraid) == (
        "word/document.xml",
        "body/sdt[1]/tbl[1]",
        "0000000C",
    )


def test_titles_of_tables_are_kept() -> None:
    found = one(table([["a"]], pr='<w:tblCaption w:val="T"/><w:tblDescription w:val="D"/>'))
    assert found.extras == {"title": "T", "alt_text": "D"}


@pytest.mark.parametrize("value", ["0", "-1", "99999999999", "x", "1e3", "5000"])
def test_senseless_spans_cost_themselves(value: str) -> None:
    found = one(table([tr(tc("a", f'<w:gridSpan w:val="{value}"/>'), "b"), ["c", "d"]], 2))
    assert rows(found) == [["a", "b"], ["c", "d"]]


def test_a_row_beyond_all_measure_keeps_its_text() -> None:
    document = parse_body(table([tr(*(f"c{n}" for n in range(1100)))], 10))
    found = rows(tables(document)[0])[0]
    assert len(found) == 1024
    assert str(found[-1]).endswith("c1099")
    assert "table_too_wide" in codes(document)


def test_a_grid_far_larger_than_its_cells_is_refused() -> None:
    row = tr("a", pr='<w:gridBefore w:val="1000"/>')
    from docx_builder import docx

    with pytest.raises(LimitExceeded):
        parse_bytes(docx(table([row] * 3000, 1)), settings=DocxSettings())


# Captions -----------------------------------------------------------------------------------------------------------

GRID = table([["a"]])


def caption(words: str, name: str) -> str:
    return p(f"{words} ", field(f" SEQ {name} \\* ARABIC ", "1"), ": About it", style="Caption")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (caption("Table", "Table") + GRID, "Table 1: About it"),
        (GRID + caption("Table", "Table"), "Table 1: About it"),
        (caption("Tabelle", "Tabelle") + GRID, "Tabelle 1: About it"),
        (p("Whatever it is", style="Caption") + GRID, "Whatever it is"),
        (p("Table 3. By words") + GRID, "Table 3. By words"),
        (GRID + p("表 2：数据"), "表 2：数据"),
        (p("Table of things we like") + GRID, ""),
        (p("Table 3 is shown below") + p("between") + GRID, ""),
        (p("Figure 1: not mine") + GRID, ""),
        (caption("Table", "Table") + p("between") + GRID, ""),
    ],
)
def test_a_caption_belongs_to_the_table_beside_it(body: str, text: str) -> None:
    assert one(body).caption == text


def test_the_words_of_a_caption_stay_in_the_text() -> None:
    document = parse_body(heading(1, "H") + caption("Table", "Table") + GRID)
    assert lines(document) == ["H", "Table 1: About it", "<table>"]


def test_each_caption_finds_its_own_item() -> None:
    body = (
        caption("Table", "Table").replace(">1<", ">1<") + GRID + caption("Table", "Table").replace(">1<", ">2<") + GRID
    )
    assert [found.caption for found in tables(parse_body(body))] == ["Table 1: About it", "Table 2: About it"]


def test_captions_below_pictures_and_above_tables_are_not_mixed_up() -> None:
    body = p(run(picture("rI"))) + caption("Figure", "Figure") + caption("Table", "Table") + GRID
    document = parse_body(body, media={"rI": ("a.png", png())})
    assert drawings(document)[0].caption == "Figure 1: About it"
    assert tables(document)[0].caption == "Table 1: About it"


def test_captions_work_inside_cells_and_with_based_on_styles() -> None:
    styles = style("Caption", "caption") + style("Illustration", "Illustration", based_on="Caption")
    body = table([[p(run(picture("rI"))) + p("Anything", style="Illustration")]])
    document = parse_body(body, media={"rI": ("a.png", png())}, styles=styles)
    assert drawings(document)[0].caption == "Anything"


def test_a_caption_may_number_with_a_sign() -> None:
    assert one(p("Таблица №1") + GRID).caption == "Таблица №1"
    assert one(p("Table No. 4 – Results") + GRID).caption == "Table No. 4 – Results"
