"""Footnotes and endnotes: numbers, text, nesting."""

from __future__ import annotations

import pytest
from docx_audit import assert_complete
from docx_builder import docx, heading, p, picture, png, r, run, table, textbox
from docx_parse import codes, lines, parse_bytes, shown, tables

from lrdoc.document import Document, Drawing, Note, Table


def ref(identity: int | str, kind: str = "footnote", more: str = "") -> str:
    return run(f'<w:{kind}Reference w:id="{identity}"{more}/>')


def note(*content: str) -> str:
    return p(run("<w:footnoteRef/>"), r(" "), *content)


def parse(body: str, **package: object) -> Document:
    data = docx(body, **package)  # type: ignore[arg-type]
    assert_complete(data)
    return parse_bytes(data)


def notes(document: Document) -> list[tuple[str, str]]:
    return [(each.mark, shown(each.parts)) for block in document.blocks for each in block.notes]


def test_notes_are_numbered_in_the_order_of_their_calls() -> None:
    document = parse(
        p(r("a"), ref(5)) + p(r("b"), ref(2)),
        footnotes={2: note("two"), 5: note("five")},
    )
    assert lines(document) == ["a[^1]", "b[^2]"]
    assert notes(document) == [("1", "five"), ("2", "two")]


def test_endnotes_have_numbers_of_their_own() -> None:
    document = parse(p(r("a"), ref(1), r("b"), ref(1, "endnote")), footnotes={1: note("foot")}, endnotes={1: p("end")})
    assert lines(document) == ["a[^1]b[^e1]"]
    assert notes(document) == [("1", "foot"), ("e1", "end")]


def test_a_note_stands_with_the_block_that_calls_it() -> None:
    body = heading(1, r("A"), ref(1)) + p("x") + heading(1, "B") + p(r("y"), ref(2))
    document = parse(body, footnotes={1: note("one"), 2: note("two")})
    assert [[each.mark for each in block.notes] for block in document.blocks] == [["1"], ["2"]]
    assert document.blocks[0].heading == "A"


def test_a_note_called_in_a_heading_stands_in_the_block_of_the_heading() -> None:
    body = heading(1, "A") + p(r("x"), ref(1)) + heading(1, r("B"), ref(2)) + p(r("y"), ref(3))
    document = parse(
        body + heading(2, r("C"), ref(4)),
        footnotes={1: note("one"), 2: note("two", ref(5)), 3: note("three"), 4: note("four"), 5: note("five")},
    )
    assert [[each.mark for each in block.notes] for block in document.blocks] == [["1"], ["2", "3", "4"], ["5"]]


def test_a_note_of_a_table_is_told_to_the_table() -> None:
    document = parse(table([[p(r("cell"), ref(1)), "x"]]), footnotes={1: note("about the cell")})
    assert tables(document)[0].footnotes == ("about the cell",)
    assert notes(document) == [("1", "about the cell")]


def test_nested_content_is_kept() -> None:
    content = note("first") + p("second") + table([["x", "y"]])
    document = parse(p(r("a"), ref(1)), footnotes={1: content})
    assert notes(document) == [("1", "first\nsecond\n<table>")]
    parts = document.blocks[0].notes[0].parts
    assert any(isinstance(part, Table) for part in parts)
    sources = [part.source for part in parts if getattr(part, "source", None)]
    assert {source.part for source in sources} == {"word/footnotes.xml"}
    assert sources[0].path == "footnotes/footnote[2]/p[1]"


def test_pictures_in_notes_come_from_the_part_of_the_notes() -> None:
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rP1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/n.png"/>'
        "</Relationships>"
    )
    document = parse(
        p(r("a"), ref(1)),
        footnotes={1: note(run(picture("rP1")))},
        parts={"word/_rels/footnotes.xml.rels": (None, rels), "word/media/n.png": (None, png())},
    )
    found = [part for part in document.blocks[0].notes[0].parts if isinstance(part, Drawing)]
    assert found[0].asset is not None


def test_a_note_called_twice_is_given_once() -> None:
    document = parse(p(r("a"), ref(1), r("b"), ref(1)), footnotes={1: note("one")})
    assert lines(document) == ["a[^1]b[^1]"]
    assert notes(document) == [("1", "one")]


def test_notes_that_call_notes() -> None:
    document = parse(
        p(r("a"), ref(1)) + p(r("b"), ref(3)),
        footnotes={1: note("one", ref(2)), 2: note("two", ref(1)), 3: note("three", ref(3))},
    )
    assert notes(document) == [("1", "one[^2]"), ("2", "two[^1]"), ("3", "three[^3]")]


def test_a_long_chain_of_notes_does_not_recurse() -> None:
    count = 1_500
    chain = {n: p(r(f"n{n}"), ref(n + 1)) for n in range(1, count)} | {count: p("last")}
    document = parse_bytes(docx(p(ref(1)), footnotes=chain))
    assert len(document.blocks[0].notes) == count


@pytest.mark.parametrize("footnotes", [None, {}, {7: note("other")}])
def test_a_missing_note_is_told(footnotes: dict[int, str] | None) -> None:
    document = parse_bytes(docx(p(r("a"), ref(1), r("b")), footnotes=footnotes))
    assert lines(document) == ["ab"]
    assert codes(document) == ["note_missing"]


def test_notes_that_nobody_calls_are_not_shown() -> None:
    document = parse(p("a"), footnotes={1: note("unseen")})
    assert notes(document) == []


def test_a_deleted_call_has_no_note() -> None:
    document = parse(p(r("a"), f"<w:del>{ref(1)}</w:del>"), footnotes={1: note("gone")})
    assert lines(document) == ["a"] and notes(document) == []


def test_notes_of_a_contents_list_alone_stand_with_it() -> None:
    data = docx(p("One", run('<w:footnoteReference w:id="1"/>'), style="TOC1"), footnotes={1: p("note")})
    document = parse_bytes(data)
    assert [(block.region, [note.mark for note in block.notes]) for block in document.regions] == [("TOC", ["1"])]
    assert_complete(data)


def test_a_mark_of_ones_own_stays_text() -> None:
    body = p(r("a"), run('<w:footnoteReference w:id="1" w:customMarkFollows="1"/><w:t>*</w:t>'))
    document = parse(body, footnotes={1: p("* star")})
    assert lines(document) == ["a[^1]*"]


def test_a_document_of_notes_alone() -> None:
    document = parse(p(ref(1)), footnotes={1: note("only")})
    assert notes(document) == [("1", "only")]


def test_a_note_called_in_a_text_box() -> None:
    document = parse(p(run(textbox(p(r("box"), ref(1))))), footnotes={1: note("one")})
    assert lines(document) == ["box[^1]"]
    assert isinstance(document.blocks[0].notes[0], Note)


def test_lists_of_notes_count_on_their_own() -> None:
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    document = parse(p("x", ppr=item) + p(r("y"), ref(1), ppr=item), footnotes={1: p("n", ppr=item)})
    assert lines(document) == ["1. x", "2. y[^1]"]
    assert notes(document) == [("1", "1. n")]


def test_a_note_of_a_caption_is_told_to_the_item() -> None:
    body = p(run(picture("rP1"))) + p(r("Figure 1: dot"), ref(1), style="Caption")
    document = parse(body, footnotes={1: note("drawn by hand")}, media={"rP1": ("a.png", png())})
    drawing = next(part for part in document.blocks[0].parts if isinstance(part, Drawing))
    assert (drawing.caption, drawing.footnotes) == ("Figure 1: dot", ("drawn by hand",))
