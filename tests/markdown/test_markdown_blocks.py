"""Headings, sections, paragraphs, lists, quotations, code: the blocks of a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from markdown_builder import codes, marked, show, texts

from lrdoc.document import Document, Source, Text
from lrdoc.errors import Cancelled, EmptyDocumentError
from lrdoc.parsers.base import ParseContext

Parse = Callable[..., Document]


def outline(document: Document) -> list[tuple[int, str, tuple[str, ...]]]:
    return [(block.level, block.heading, block.parents) for block in document.blocks]


def anchors(document: Document) -> list[str | None]:
    return [block.positions[0].anchor for block in document.blocks]


def body(document: Document) -> str:
    return "\n\n".join(show(block.parts) for block in document.blocks)


def test_siblings_are_never_each_others_children(md: Parse) -> None:
    document = md("# A\n## X\none\n## X\ntwo\n# A\n## X\nthree")
    assert outline(document) == [
        (1, "A", ()),
        (2, "X", ("A",)),
        (2, "X", ("A",)),
        (1, "A", ()),
        (2, "X", ("A",)),
    ]
    assert [show(block.parts) for block in document.blocks] == ["A", "X\none", "X\ntwo", "A", "X\nthree"]
    assert anchors(document) == ["a", "x", "x-1", "a-1", "x-2"]


def test_text_before_the_first_heading_has_no_heading_and_no_anchor(md: Parse) -> None:
    preface, section = md("Before.\n\n# Title\n").blocks
    assert (preface.heading, preface.level, preface.positions[0].type) == ("", 0, "heading")
    assert preface.positions[0].anchor is None
    assert section.positions[0].anchor == "title"


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Hello, World!", "hello-world"),
        ("A – B & C", "a--b--c"),
        ("`code` and *more*", "code-and-more"),
        ("日本語 見出し", "日本語-見出し"),
        ("snake_case-name", "snake_case-name"),
        ("1.2 Setup", "12-setup"),
    ],
)
def test_anchors_are_those_of_github(md: Parse, heading: str, anchor: str) -> None:
    assert anchors(md(f"# {heading}\n")) == [anchor]


def test_a_repeated_anchor_never_takes_one_that_exists(md: Parse) -> None:
    assert anchors(md("# a\n# a-1\n# a\n# a\n")) == ["a", "a-1", "a-2", "a-3"]


def test_setext_headings_and_skipped_levels(md: Parse) -> None:
    document = md("One\nmore\n===\n\nTwo\n---\n\n#### Four\n")
    assert outline(document) == [(1, "One more", ()), (2, "Two", ("One more",)), (4, "Four", ("One more", "Two"))]
    assert show(document.blocks[0].parts) == "One more"


def test_what_only_looks_like_a_heading_is_text(md: Parse) -> None:
    document = md(
        "#NoSpace\n####### seven\n\n    # code\n\n```\n# fenced\n```\n\n<!--\n# comment\n-->\n\n- # item\n> # quoted\n"
    )
    assert outline(document) == [(0, "", ())]
    assert "comment" not in body(document)
    assert "- item\n> quoted" in body(document)


def test_an_empty_heading_is_nothing(md: Parse) -> None:
    assert outline(md("#\n\ntext\n\n## \n")) == [(0, "", ())]


def test_a_very_long_heading_is_body_text_with_a_warning(md: Parse) -> None:
    document = md("# " + "word " * 60 + "\n\ntext\n")
    assert outline(document) == [(0, "", ())]
    assert codes(document) == ["heading_too_long"]


def test_a_heading_in_html_is_a_heading(md: Parse) -> None:
    document = md('<h1 align="center">\n  Big <b>Name</b>\n</h1>\n\ntext\n\n<h2>Second</h2>\nafter\n')
    assert outline(document) == [(1, "Big Name", ()), (2, "Second", ("Big Name",))]
    assert show(document.blocks[1].parts) == "Second\nafter"


def test_pictures_in_a_heading_follow_it(md: Parse) -> None:
    from markdown_builder import data_url, png

    document = md(f"# ![Logo]({data_url(png())}) Name\n\ntext\n")
    assert outline(document) == [(1, "Name", ())]
    assert show(document.blocks[0].parts).split("\n") == [" Name", "⟨drawing Logo⟩", "", "text"]


def test_lines_stay_lines_and_empty_lines_are_kept(md: Parse) -> None:
    assert body(md("# H\n\none\ntwo  \nthree\\\nfour\n\n\n\nfive\n")) == "H\n\none\ntwo\nthree\nfour\n\nfive"


def test_lists_keep_their_labels_and_their_depth(md: Parse) -> None:
    text = "- a\n- b\n  wrapped\n  1. one\n  7. two\n\n     para\n* other\n\n3) three\n4) four\n"
    assert body(md(text)) == ("- a\n- b\n  wrapped\n  1. one\n  2. two\n\n     para\n- other\n\n3) three\n4) four")


def test_labels_and_indentation_come_from_us_and_words_from_the_source(md: Parse) -> None:
    document = md("- a\n  > b\n")
    assert [(text.text, text.source) for text in document.blocks[0].parts if isinstance(text, Text)] == [
        ("- ", None),
        ("a", Source(lines=(1, 2))),
        ("\n  > ", None),
        ("b", Source(lines=(2, 3))),
    ]


def test_task_lists_show_what_is_done(md: Parse) -> None:
    assert body(md("- [x] done\n- [ ] open\n- [X] too\n- [x]\n- [y] no\n")) == (
        "- [x] done\n- [ ] open\n- [x] too\n- [x]\n- [y] no"
    )


def test_quotations_definitions_and_empty_items(md: Parse) -> None:
    assert body(md("> one\n> two\n>\n> > deep\n")) == "> one\n> two\n\n> > deep"
    assert body(md("Term\n: First\n: Second\n  line\n")) == "Term\n: First\n: Second\n  line"
    assert body(md("- \n- x\n")) == "-\n- x"


def test_code_is_verbatim_between_fences_with_its_language(md: Parse) -> None:
    document = md('```python title="x"\n# no heading\n| a | b |\n|---|---|\n  $x$ <b>\n```\n')
    assert body(document) == '```python title="x"\n# no heading\n| a | b |\n|---|---|\n  $x$ <b>\n```'
    generated = "".join(text.text for text in texts(document) if text.source is None)
    assert generated == "```\n\n```"


def test_indented_and_tilde_code_get_fences_that_hold(md: Parse) -> None:
    assert body(md("    a\n    \n      b\n")) == "```\na\n\n  b\n```"
    assert body(md("~~~\n```\nx\n```\n~~~\n")) == "````\n```\nx\n```\n````"
    assert body(md("- x\n\n      code\n")) == "- x\n\n  ```\n  code\n  ```"
    assert body(md("```\nnever closed\n# B\n")) == "```\nnever closed\n# B\n```"


def test_emphasis_links_and_code_are_marks_on_clean_text(md: Parse) -> None:
    document = md("a **b *c* d** ~~e~~ `f*g*` [h **i**](</x y> 'T') <https://j.k> https://l.m/n). H<sub>2</sub>O\n")
    assert body(document) == "a b c d e f*g* h i https://j.k https://l.m/n). H2O"
    assert marked(document, "bold") == ["b ", "c", " d", "i"]
    assert marked(document, "italic") == ["c"]
    assert marked(document, "strike") == ["e"]
    assert marked(document, "code") == ["f*g*"]
    assert marked(document, "sub") == ["2"]
    links = [(t.text, m.target) for t in texts(document) for m in t.marks if m.kind == "link"]
    assert links == [("h ", "/x y"), ("i", "/x y"), ("https://j.k", "https://j.k"), ("https://l.m/n", "https://l.m/n")]


def test_escapes_and_entities_are_read(md: Parse) -> None:
    assert body(md("\\*no\\* &lt;tag&gt; &#x41; &nosuch; AT&T\n")) == "*no* <tag> A &nosuch; AT&T"


def test_every_text_of_the_file_tells_its_lines(md: Parse) -> None:
    document = md("---\ntitle: T\n---\n\n# H\n\nfirst\nsecond\n\n> quoted\n")
    found = [(text.text, text.source.lines) for text in texts(document) if text.source is not None]
    assert found == [("H", (5, 6)), ("first\nsecond", (7, 9)), ("quoted", (10, 11))]


def test_only_line_feeds_and_carriage_returns_end_lines(md: Parse) -> None:
    assert outline(md("# A\rtext\r\n# B\x0bC\u2028D\n")) == [(1, "A", ()), (1, "B\x0bC\u2028D", ())]
    assert body(md("a\x0b# not\n")) == "a\x0b# not"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_encodings_need_no_warning(md: Parse, encoding: str) -> None:
    document = md("# Größe\r\n\r\n日本\r\n".encode(encoding))
    assert outline(document) == [(1, "Größe", ())]
    assert codes(document) == []


def test_a_legacy_encoding_is_a_warning_that_names_it(md: Parse) -> None:
    document = md("# A\ncafé\n".encode("latin-1"))
    assert body(document) == "A\ncafé"
    assert codes(document) == ["encoding_guessed"]
    assert "cp1252" in document.warnings[0].message


def test_smart_heading_is_ignored_with_a_warning(md: Parse) -> None:
    assert codes(md("# A\n", smart_heading=True)) == ["parameter_ignored"]
    assert codes(md("# A\n", smart_heading=False)) == []


@pytest.mark.parametrize("text", ["", " \n\t\n", "<!-- nothing -->\n", "[a]: /b\n"])
def test_a_file_without_text_is_an_error(md: Parse, text: str) -> None:
    with pytest.raises(EmptyDocumentError):
        md(text)


def test_deep_nesting_keeps_the_text_and_the_stack(md: Parse) -> None:
    for text in (
        "> " * 5000 + "end",
        "- " * 5000 + "end",
        "[" * 5000 + "end",
        "![" * 5000 + "end",
        "*a **" * 5000 + "end",
    ):
        assert "end" in body(md(text))
    nested = "".join("  " * depth + f"- item {depth}\n" for depth in range(200))
    assert all(f"item {depth}" in body(md(nested)) for depth in range(200))


def test_cancelling_stops_at_once(md: Parse) -> None:
    looks = 0

    def cancelled() -> bool:
        nonlocal looks
        looks += 1
        return looks > 1

    class Clock:
        now = 0.0

        def __call__(self) -> float:
            self.now += 1
            return self.now

    context = ParseContext(assets=Any, cancelled=cancelled, clock=Clock())  # type: ignore[arg-type]
    with pytest.raises(Cancelled):
        md("# A\n\ntext\n" * 1000, context=context)
    assert looks == 2


def test_a_label_stands_before_an_item_that_opens_its_list_item(md: Parse) -> None:
    document = md("text\n\n- | a |\n  |---|\n  | 1 |\n- $$x$$\n\n> | q |\n> |---|\n")
    assert body(document) == "text\n\n-\n⟨table [['a'], ['1']]⟩\n-\n⟨equation x⟩\n\n⟨table [['q']]⟩"


def test_titles_of_links_are_kept_beside_the_block(md: Parse) -> None:
    text = (
        '# A [one](u "first")\n\n[two][r] <a href="v" title="by &amp; by">x</a> [none](w) [again](u "first") and[^n]\n\n'
        '## B\n\n| a |\n|---|\n| [cell](c "in cell") |\n\n## C\n\n[plain](p)\n\n'
        '<table><tr><td>o<table><tr><td>i</td></tr></table><a href="g" title="grid">y</a></td></tr></table>\n\n'
        '[r]: /two "second"\n[^n]: A [note](n "of a note").\n'
    )
    a, b, c = md(text).blocks
    titles = [[(entry["target"], entry["title"]) for entry in block.extras["link_titles"]] for block in (a, b, c)]
    assert titles == [
        [("u", "first"), ("/two", "second"), ("v", "by & by"), ("n", "of a note")],
        [("c", "in cell")],
        [("g", "grid")],
    ]


def test_blocks_without_titles_of_links_have_no_extras(md: Parse) -> None:
    [block] = md("# A\n\n[plain](p) ![picture](none.png 'title')\n").blocks
    assert block.extras == {}
