"""Text boxes, shapes and WordArt: their text once, where they are anchored."""

from __future__ import annotations

from docx_audit import assert_complete
from docx_builder import alternate, docx, field, li, p, picture, png, r, run, table, textbox, vml_textbox
from docx_parse import all_texts, lines, outline, parse_bytes, rows, tables


def shown(body: str, **package: object) -> list[str]:
    data = docx(body, **package)  # type: ignore[arg-type]
    assert_complete(data)
    return lines(parse_bytes(data))


def test_a_text_box_follows_the_paragraph_that_anchors_it() -> None:
    assert shown(p(r("a"), run(textbox(p("box 1") + p("box 2"))), r("b")) + p("c")) == ["ab", "box 1", "box 2", "c"]


def test_its_place_is_inside_the_paragraph() -> None:
    document = parse_bytes(docx(p(run(textbox(p("one"))), run(textbox(p("two"))))))
    paths = {text.text: text.source.path for text in all_texts(document) if text.source}
    assert paths == {"one": "body/p[1]/txbxContent[1]/p[1]", "two": "body/p[1]/txbxContent[2]/p[1]"}


def test_alternate_content_gives_a_box_once() -> None:
    both = alternate(textbox(p("box")), vml_textbox(p("box")))
    assert shown(p(run(both))) == ["box"]
    assert shown(p(r("a")) + p(alternate(run(textbox(p("box"))), run(vml_textbox(p("box")))))) == ["a", "box"]


def test_vml_boxes() -> None:
    assert shown(p(r("a"), run(vml_textbox(p("box"))))) == ["a", "box"]


def test_boxes_in_groups_and_in_one_another() -> None:
    inner = (
        f"<wps:wsp><wps:txbx><w:txbxContent>{p('one', run(textbox(p('deep'))))}</w:txbxContent></wps:txbx></wps:wsp>"
    )
    group = (
        '<w:drawing><wp:anchor><wp:docPr id="1" name="g"/><a:graphic><a:graphicData><wpg:wgp>'
        f"{inner}<wpg:grpSp>{inner.replace('one', 'two').replace('deep', 'low')}</wpg:grpSp>"
        "</wpg:wgp></a:graphicData></a:graphic></wp:anchor></w:drawing>"
    )
    assert shown(p(run(group))) == ["one", "deep", "two", "low"]


def test_tables_lists_and_pictures_in_a_box() -> None:
    content = li("item") + table([["x", "y"]]) + p(run(picture("rP1")))
    data = docx(p(run(textbox(content))), media={"rP1": ("a.png", png())})
    document = parse_bytes(data)
    assert lines(document) == ["1. item", "<table>", "<drawing>"]
    assert rows(tables(document)[0]) == [["x", "y"]]
    assert_complete(data)


def test_headings_in_a_box_do_not_split_sections() -> None:
    document = parse_bytes(docx(p("Top", style="Heading1") + p(r("a"), run(textbox(p("Inner", style="Heading2"))))))
    assert outline(document) == [(1, "Top")]
    assert lines(document) == ["Top", "a", "Inner"]


def test_a_box_in_a_cell() -> None:
    data = docx(table([[p(r("a"), run(textbox(p("box")))), "b"]]))
    assert rows(tables(parse_bytes(data))[0]) == [["a\nbox", "b"]]
    assert_complete(data)


def test_a_box_inside_a_field_result() -> None:
    assert shown(p(field("REF x", run(textbox(p("box"))), "text"))) == ["text", "box"]


def test_a_box_without_a_paragraph_around_it() -> None:
    assert shown(run(textbox(p("box"))) + p("a")) == ["box", "a"]


def test_word_art_of_vml_is_text_in_the_line() -> None:
    art = '<w:pict><v:shape><v:textpath on="t" string="DRAFT &amp; more"/></v:shape></w:pict>'
    assert shown(p(r("a "), run(art), r(" b"))) == ["a DRAFT & more b"]


def test_word_art_of_drawingml_is_a_box() -> None:
    assert shown(p(run(alternate(textbox(p("Art")), "")))) == ["Art"]


def test_the_text_of_a_locked_canvas() -> None:
    canvas = (
        '<w:drawing><wp:inline><wp:docPr id="1" name="c"/><a:graphic><a:graphicData><a:txBody>'
        "<a:p><a:r><a:t>One</a:t></a:r></a:p><a:p><a:r><a:t>Two</a:t></a:r></a:p></a:txBody>"
        "</a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    assert shown(p(run(canvas))) == ["One Two"]


def test_the_text_of_linked_boxes_stands_in_the_first() -> None:
    second = (
        '<w:drawing><wp:anchor><wp:docPr id="2" name="t"/><a:graphic><a:graphicData><wps:wsp>'
        '<wps:linkedTxbx id="1" seq="1"/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>'
    )
    assert shown(p(run(textbox(p("story"))), run(second))) == ["story"]


def test_deeply_nested_boxes_do_not_recurse() -> None:
    content = p("core")
    for _ in range(60):
        content = p(run(textbox(content)))
    assert shown(content) == ["core"]
