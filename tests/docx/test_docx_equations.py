"""Equations in paragraphs: inline or on a line of their own, numbers, order."""

from __future__ import annotations

from docx_audit import assert_complete
from docx_builder import docx, field, heading, li, math, math_para, mr, p, r, table
from docx_parse import codes, lines, parse_bytes, rows, tables
from omml_builder import d, eqarr
from omml_builder import r as mrun

from lrdoc.document import Document, Equation

A, B, C = math(mr("a")), math(mr("b")), math(mr("c"))


def parse(body: str) -> Document:
    data = docx(body)
    assert_complete(data)
    return parse_bytes(data)


def equations(document: Document) -> list[tuple[str, str]]:
    return [
        (part.latex, str(part.extras.get("number", "")))
        for block in document.blocks
        for part in block.parts
        if isinstance(part, Equation)
    ]


def test_an_equation_beside_words_is_inline() -> None:
    assert lines(parse(p(r("where "), A, r(" holds")))) == ["where $a$ holds"]


def test_an_equation_alone_is_a_display_equation() -> None:
    assert lines(parse(p(A))) == ["$$a$$"]
    assert lines(parse(p(math_para(A)))) == ["$$a$$"]


def test_a_display_equation_beside_words_takes_a_line_of_its_own() -> None:
    assert lines(parse(p(r("before"), math_para(A), r("after")))) == ["before", "$$a$$", "after"]


def test_a_numbered_equation_keeps_its_number() -> None:
    for body in (p(A, r("\t(2.1)")), p(math_para(A), r(" (2.1)"))):
        document = parse(body)
        assert lines(document) == ["$$a$$", "(2.1)"]
        assert equations(document) == [("a", "(2.1)")]


def test_a_number_before_the_equation() -> None:
    document = parse(p(r("(7)\t"), A))
    assert lines(document) == ["(7)", "$$a$$"]
    assert equations(document) == [("a", "(7)")]


def test_a_number_that_is_a_field() -> None:
    document = parse(p(A, r("\t("), field("SEQ Equation", "4"), r(")")))
    assert equations(document) == [("a", "(4)")]


def test_a_number_inside_the_formula() -> None:
    document = parse(p(math_para(math(eqarr(mrun("x=1#") + d(mrun("3")))))))
    assert equations(document) == [(r"x=1 \qquad \left(3\right)", "(3)")]


def test_a_full_stop_does_not_make_it_inline() -> None:
    assert equations(parse(p(A, r(".")))) == [("a", "")]


def test_several_equations_are_several_items_in_order() -> None:
    assert equations(parse(p(A, B, C))) == [("a", ""), ("b", ""), ("c", "")]
    assert equations(parse(p(math_para(A, B), r("(1)")))) == [("a", ""), ("b", "(1)")]
    assert lines(parse(p(A, r(" and "), B))) == ["$a$ and $b$"]


def test_equations_in_cells_lists_and_headings_stay_in_their_line() -> None:
    assert rows(tables(parse(table([[p(A), "x"]])))[0]) == [["$a$", "x"]]
    item = li("").replace("</w:pPr>", f"</w:pPr>{A}")
    assert lines(parse(item)) == ["1. $a$"]
    document = parse(heading(1, A))
    assert document.blocks[0].heading == "a"


def test_one_bad_equation_costs_no_other() -> None:
    bad = math("<m:odd><m:e>" + mr("q") + "</m:e></m:odd>")
    document = parse(p(r("x "), A, bad, B))
    assert lines(document) == ["x $a$$q$$b$"]
    assert codes(document) == ["math_unknown_element"]


def test_an_empty_equation_leaves_nothing() -> None:
    assert lines(parse(p(r("a"), math(""), r("b")))) == ["ab"]
