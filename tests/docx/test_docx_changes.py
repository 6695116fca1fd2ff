"""Tracked changes: accepted, rejected, annotated; at runs, paragraph marks, rows, cells and moves."""

from __future__ import annotations

import pytest
from docx_audit import assert_complete
from docx_builder import (
    docx,
    field,
    heading,
    math,
    math_para,
    mr,
    num_pr,
    p,
    picture,
    png,
    r,
    run,
    table,
    tc,
    textbox,
    tr,
    xml_part,
)
from docx_parse import (
    all_texts,
    body_text,
    lines,
    marked,
    outline,
    parse_body,
    parse_path,
    rows,
    shown,
    spans,
    tables,
    texts,
)
from docx_written import write_bytes
from shared_files import shared_dir

from lrdoc.document import Document

WHO = 'w:id="1" w:author="Ann" w:date="2024-01-02T03:04:05Z"'


def ins(content: str) -> str:
    return f"<w:ins {WHO}>{content}</w:ins>"


def dele(text: str, rpr: str = "") -> str:
    return f"<w:del {WHO}>{run(f'<w:delText>{text}</w:delText>', rpr)}</w:del>"


def change(kind: str) -> str:
    """Properties of a paragraph whose mark is inserted or deleted."""
    return f"<w:rPr><w:{kind} {WHO}/></w:rPr>"


def read(body: str, changes: str) -> Document:
    return parse_body(body, params={"changes": changes})


def test_runs() -> None:
    body = p("a ", ins(r("new ")), dele("old "), r("b"))
    assert lines(read(body, "accept")) == ["a new b"]
    assert lines(read(body, "reject")) == ["a old b"]
    assert lines(parse_body(body)) == ["a new b"]
    annotated = read(body, "annotate")
    assert lines(annotated) == ["a new old b"]
    assert [(text, mark.author, mark.date) for text, mark in marked(annotated, "ins")] == [
        ("new ", "Ann", "2024-01-02T03:04:05Z")
    ]
    assert [(text, mark.author) for text, mark in marked(annotated, "del")] == [("old ", "Ann")]


def test_an_insertion_that_was_deleted_again_is_nowhere_but_in_annotations() -> None:
    body = p("a", ins(dele("x")), r("b"))
    assert lines(read(body, "accept")) == ["ab"]
    assert lines(read(body, "reject")) == ["ab"]
    assert lines(read(body, "annotate")) == ["axb"]


def test_moves() -> None:
    body = p("a", f"<w:moveFrom {WHO}>{r('moved')}</w:moveFrom>") + p("b", f"<w:moveTo {WHO}>{r('moved')}</w:moveTo>")
    assert lines(read(body, "accept")) == ["a", "bmoved"]
    assert lines(read(body, "reject")) == ["amoved", "b"]


def test_paragraph_marks_join_lines() -> None:
    deleted = p("a", ppr=change("del")) + p(" b", ppr=change("del")) + p(" c") + p("d")
    assert lines(read(deleted, "accept")) == ["a b c", "d"]
    assert lines(read(deleted, "reject")) == ["a", "b", "c", "d"]
    inserted = p("a", ppr=change("ins")) + p(" b")
    assert lines(read(inserted, "accept")) == ["a", "b"]
    assert lines(read(inserted, "reject")) == ["a b"]
    moved = p("a", ppr=change("moveFrom")) + p("b")
    assert lines(read(moved, "accept")) == ["ab"]


def test_a_joined_paragraph_has_the_properties_of_the_last() -> None:
    body = p("body ", ppr=change("del")) + heading(2, "title") + p("x")
    assert outline(read(body, "accept")) == [(2, "body title")]
    numbered = p("a ", ppr=num_pr(1, 0) + change("del")) + p("b", ppr=num_pr(1, 0)) + p("c", ppr=num_pr(1, 0))
    assert lines(read(numbered, "accept")) == ["1. a b", "2. c"]


def test_each_stretch_of_a_joined_paragraph_keeps_its_place() -> None:
    document = read(p("a", ppr=change("del")) + p("b"), "accept")
    found = [part.source.path for part in document.blocks[0].parts if getattr(part, "source", None)]
    assert found == ["body/p[1]", "body/p[2]"]


def test_a_deleted_paragraph_is_gone() -> None:
    body = p("a") + p(dele("b"), ppr=change("del")) + p("c")
    assert lines(read(body, "accept")) == ["a", "c"]
    assert lines(read(body, "reject")) == ["a", "b", "c"]


def test_a_deleted_mark_before_a_table_and_at_the_end() -> None:
    body = p("a", ppr=change("del")) + table([["x"]]) + p("z", ppr=change("del"))
    assert lines(read(body, "accept")) == ["a", "<table>", "z"]
    cell = table([[p("a", ppr=change("del")), "b"]])
    assert rows(tables(read(cell, "accept"))[0]) == [["a", "b"]]


def test_a_deleted_mark_reaches_through_controls() -> None:
    body = f"<w:sdt><w:sdtContent>{p('a ', ppr=change('del'))}</w:sdtContent></w:sdt>{p('b')}"
    assert lines(read(body, "accept")) == ["a b"]


def test_rows() -> None:
    body = table([["a"], tr("old", pr=f"<w:del {WHO}/>"), tr("new", pr=f"<w:ins {WHO}/>")], 1)
    assert rows(tables(read(body, "accept"))[0]) == [["a"], ["new"]]
    assert rows(tables(read(body, "reject"))[0]) == [["a"], ["old"]]
    assert rows(tables(read(body, "annotate"))[0]) == [["a"], ["old"], ["new"]]


def test_a_table_of_deleted_rows_is_gone() -> None:
    body = p("a") + table([tr("old", pr=f"<w:del {WHO}/>")], 1)
    assert lines(read(body, "accept")) == ["a"]


def test_cells() -> None:
    body = table([tr("a", tc("old", f"<w:cellDel {WHO}/>"), tc("new", f"<w:cellIns {WHO}/>"))], 2)
    assert rows(tables(read(body, "accept"))[0]) == [["a", "new"]]
    assert rows(tables(read(body, "reject"))[0]) == [["a", "old"]]


def test_merges_of_cells() -> None:
    merge = '<w:cellMerge w:id="1" w:vMerge="{}"/>'
    body = table([tr(tc("a", merge.format("rest")), "x"), tr(tc("", merge.format("cont")), "y")], 2)
    assert spans(tables(read(body, "accept"))[0]) == [(0, 0, 2, 1)]
    assert spans(tables(read(body, "reject"))[0]) == []
    former = '<w:tcPrChange w:id="1"><w:tcPr><w:gridSpan w:val="2"/></w:tcPr></w:tcPrChange>'
    split = table([tr(tc("a", former), tc("b", f"<w:cellIns {WHO}/>")), ["1", "2"]], 2)
    assert rows(tables(read(split, "accept"))[0]) == [["a", "b"], ["1", "2"]]
    assert rows(tables(read(split, "reject"))[0]) == [["a", None], ["1", "2"]]


def test_former_properties_of_paragraphs_and_runs() -> None:
    was_heading = '<w:pPrChange w:id="1"><w:pPr><w:pStyle w:val="Heading2"/></w:pPr></w:pPrChange>'
    body = p("x", ppr=was_heading) + p(r("y", "<w:vanish/><w:rPrChange w:id='1'><w:rPr><w:b/></w:rPr></w:rPrChange>"))
    accepted, rejected = read(body, "accept"), read(body, "reject")
    assert outline(accepted) == []
    assert lines(accepted) == ["x"]
    assert outline(rejected) == [(2, "x")]
    assert [text for text, _ in marked(rejected, "bold")] == ["y"]


def test_fields() -> None:
    deleted = field("HYPERLINK x", "result").replace("<w:r>", f"<w:del {WHO}><w:r>").replace("</w:r>", "</w:r></w:del>")
    deleted = (
        deleted.replace("w:instrText", "w:delInstrText")
        .replace("<w:t ", "<w:delText ")
        .replace("</w:t>", "</w:delText>")
    )
    body = p("a ", deleted, r("b"))
    assert lines(read(body, "accept")) == ["a b"]
    assert lines(read(body, "reject")) == ["a resultb"]
    only_code = field("PAGE", "7")
    only_code = only_code.replace("<w:r><w:fldChar", f"<w:del {WHO}><w:r><w:fldChar").replace(
        "/></w:r>", "/></w:r></w:del>"
    )
    assert body_text(read(p("p ", only_code, " end"), "accept")).startswith("p ")
    assert body_text(read(p("p ", only_code, " end"), "accept")).endswith(" end")


def test_changes_inside_equations() -> None:
    body = p("x ", math(mr("a=") + ins(mr("1")) + f"<w:del {WHO}>{mr('2')}</w:del>"))
    assert shown(read(body, "accept").blocks[0].parts) == "x $a=1$"
    assert shown(read(body, "reject").blocks[0].parts) == "x $a=2$"


def _content(document: Document) -> list[object]:
    """Everything that is shown, as text and grids, without places."""
    found: list[object] = []
    for block in document.blocks:
        found.append(shown(block.parts))
        found += [shown(note.parts) for note in block.notes]
    return [*found, *((rows(one), spans(one)) for one in tables(document))]


TWINS = [
    ("RP002-Deleted-Text", "Accepted"),
    ("RP003-Inserted-Text", "Accepted"),
    ("RP007-Multiple-Deleted-Para-Mark", "Accepted"),
    ("RP010-Inserted-Table-Row", "Accepted"),
    ("RP010-Inserted-Table-Row", "Rejected"),
    ("RP011-Multiple-Deleted-Rows", "Rejected"),
    ("RP018-MoveFrom-MoveTo-CC", "Accepted"),
    ("RP035-Inserted-Cells", "Accepted"),
    ("RP035-Inserted-Cells", "Rejected"),
    ("RP036-Vert-Merged-Cells", "Accepted"),
    ("RP036-Vert-Merged-Cells", "Rejected"),
    ("RP049-Deleted-Para-Before-Table", "Rejected"),
    ("RP050-Deleted-Footnote", "Accepted"),
    ("RP050-Deleted-Footnote", "Rejected"),
]


@pytest.mark.parametrize(("name", "state"), TWINS)
def test_changed_documents_equal_their_twins(name: str, state: str) -> None:
    """What Word made of the same document when all changes were accepted or rejected."""
    shared = shared_dir()
    if shared is None:
        pytest.skip("the shared corpus is not here")
    folder = shared / "corpus/docx/powertools"
    ours = parse_path(folder / f"{name}.docx", changes="accept" if state == "Accepted" else "reject")
    assert _content(ours) == _content(parse_path(folder / f"{name}-{state}.docx"))


def test_annotations_tell_of_rows_cells_paragraph_marks_and_boxes() -> None:
    """Also where the runs inside do not say it themselves; those that do get one mark, not two."""
    body = (
        table(
            [
                tr("k", "l"),
                tr(tc(p(dele("gone"))), "plain", pr=f"<w:del {WHO}/>"),
                tr(table([["nested"]]) + p("n"), "new", pr=f"<w:ins {WHO}/>"),
                tr(tc("out", f"<w:cellDel {WHO}/>"), tc("in", f"<w:cellIns {WHO}/>")),
            ]
        )
        + p("first", ppr=change("del"))
        + heading(1, "second", ppr=change("ins"))
        + p("third", dele("x"), f"<w:del {WHO}>{run(textbox(p('boxed')))}</w:del>")
        + f"<w:ins {WHO}>{p('around')}</w:ins>"
        + p("last")
    )
    document = read(body, "annotate")
    assert sorted(text for text, _ in marked(document, "del")) == ["boxed", "gone", "out", "plain", "x"]
    assert all((mark.author, mark.date) == ("Ann", "2024-01-02T03:04:05Z") for _, mark in marked(document, "del"))
    assert sorted(text for text, _ in marked(document, "ins")) == ["\n", "around", "in", "n", "nested", "new"]
    assert [len(text.marks) for text in all_texts(document) if text.text == "gone"] == [1]


def test_a_line_end_that_is_deleted_is_marked() -> None:
    body = (
        p("a", ppr=change("del")) + p("b", ppr=change("ins")) + p("c") + table([[p("d", ppr=change("del")) + p("e")]])
    )
    document = read(body, "annotate")
    assert [(text.text, [mark.kind for mark in text.marks]) for text in texts(document.blocks[0].parts)] == [
        ("a", []),
        ("\n", ["del"]),
        ("b", []),
        ("\n", ["ins"]),
        ("c", []),
        ("\n", []),
    ]
    assert [mark.kind for text in texts(tables(document)[0].rows[0][0].parts) for mark in text.marks] == ["del"]


@pytest.mark.parametrize("level", ["row", "cell"])
def test_changes_may_stand_around_rows_and_cells(level: str) -> None:
    if level == "row":
        body = table(["<w:ins " + WHO + ">" + tr("new") + "</w:ins>", tr("x"), f"<w:del {WHO}>{tr('old')}</w:del>"], 1)
    else:
        cells = f"<w:ins {WHO}>{tc('new')}</w:ins>{tc('x')}<w:del {WHO}>{tc('old')}</w:del>"
        body = table([f"<w:tr>{cells}</w:tr>"], 2)
    seen = {
        changes: [text for row in rows(tables(read(body, changes))[0]) for text in row]
        for changes in ("accept", "reject", "annotate")
    }
    assert seen == {"accept": ["new", "x"], "reject": ["x", "old"], "annotate": ["new", "x", "old"]}
    document = read(body + p("after"), "annotate")
    assert [text for text, _ in marked(document, "ins")] == ["new"]
    assert [text for text, _ in marked(document, "del")] == ["old"]
    for changes in ("accept", "reject", "annotate"):
        assert_complete(docx(body), changes=changes)


def test_items_tell_their_changes_in_extras() -> None:
    """In the order from the outside in; formulas that stay in their line have no place for it."""
    shape = p(math_para(math(mr("x"))))
    gone = f"<w:del {WHO}>{run(picture('rP'))}</w:del>"
    added = f'<w:ins w:id="2" w:author="Bea">{run(picture("rP"))}{math_para(math(mr("x")))}</w:ins>'
    row = tr(tc(p(gone)), pr=f"<w:ins {WHO}/>")
    data = docx(p("a", gone, "b", added) + table([row]) + p(run(picture("rP"))) + shape, media={"rP": ("p.png", png())})
    ann = {"author": "Ann", "date": "2024-01-02T03:04:05Z"}
    written = write_bytes(data, changes="annotate")
    told = {id_: item.get("extras", {}).get("changes") for id_, item in written.items.items()}
    assert told == {
        "im1": [{"kind": "del"} | ann],
        "im2": [{"kind": "ins", "author": "Bea"}],
        "im3": [{"kind": "ins"} | ann, {"kind": "del"} | ann],
        "im4": None,
        "eq1": [{"kind": "ins", "author": "Bea"}],
        "eq2": None,
        "tb1": None,
    }
    assert written.marks("ins", "del") == []
    assert all("changes" not in item.get("extras", {}) for item in write_bytes(data).items.values())


def test_texts_of_an_inserted_diagram_are_marked() -> None:
    drawing = (
        '<w:drawing><a:graphic><a:graphicData uri="d"><dgm:relIds r:dm="rD"/></a:graphicData></a:graphic></w:drawing>'
    )
    points = "".join(
        f'<dgm:pt modelId="{n}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for n, text in enumerate(("one", "two"))
    )
    part = xml_part("dgm:dataModel", f"<dgm:ptLst>{points}</dgm:ptLst>")
    data = docx(
        p("before ", ins(run(drawing)), "behind"),
        parts={"word/d.xml": ("application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml", part)},
        rels=[("rD", "diagramData", "d.xml")],
    )
    assert [text for text, _ in write_bytes(data, changes="annotate").marks("ins")] == ["one", "two"]
