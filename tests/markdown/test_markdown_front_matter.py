"""Front matter becomes attributes, its title the document's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from markdown_builder import codes, show

from lrdoc.document import Document

Parse = Callable[..., Document]


def test_yaml_becomes_attributes_and_gives_the_title(md: Parse) -> None:
    document = md(
        "---\ntitle:  My Title\ntags: [a, b]\nn: 3\ndate: 2026-01-31\ncountry: NO\nok: true\nx: ~\n---\n# H\n"
    )
    assert document.title == "My Title"
    assert document.attributes == {
        "title": "My Title",
        "tags": ["a", "b"],
        "n": 3,
        "date": "2026-01-31",
        "country": "NO",
        "ok": True,
        "x": None,
    }
    assert [block.heading for block in document.blocks] == ["H"]
    assert document.blocks[0].parts[0].source.lines == (10, 11)  # type: ignore[union-attr]


def test_toml_becomes_attributes(md: Parse) -> None:
    document = md('+++\ntitle = "T"\ndate = 2026-01-31T10:00:00Z\n[a]\nb = 1.5\n+++\ntext\n')
    assert document.title == "T"
    assert document.attributes == {"title": "T", "date": "2026-01-31T10:00:00+00:00", "a": {"b": 1.5}}


def test_the_title_comes_from_headings_or_the_name_without_it(md: Parse) -> None:
    assert md("## Two\n\n# One\n").title == "One"
    assert md("## Two\n").title == "Two"
    assert md("text\n", name="notes.v2.md").title == "notes.v2"
    assert md("---\ntitle:\n---\n# H\n").title == "H"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nrule\n\n---\n",
        "---\njust words\n---\n",
        "--- x\na: b\n---\n",
        "---\na: b\n",
        "text\n---\na: b\n---\n",
        "----\na: b\n----\n",
    ],
)
def test_what_is_no_front_matter_is_text(md: Parse, text: str) -> None:
    document = md(text)
    assert document.attributes == {}
    assert codes(document) == []


@pytest.mark.parametrize(
    "matter",
    [
        "---\ntitle: a: b: c\n---\n",
        "---\na: [1, 2\n---\n",
        "---\na: !!python/object:os.system x\n---\n",
        "---\na: !!int x\n---\n",
        "---\na: " + "[" * 3000 + "\n---\n",
        "---\na: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
        "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n---\n",
        "+++\na = \n+++\n",
        "+++\na = " + "[" * 3000 + "\n+++\n",
    ],
)
def test_broken_or_hostile_front_matter_is_kept_unread_with_a_warning(md: Parse, matter: str) -> None:
    document = md(f"{matter}\n# H\n\ntext\n")
    assert codes(document) == ["front_matter_unreadable"]
    assert document.attributes["front_matter"] == matter.strip("\n")[4:-4]
    assert [show(block.parts) for block in document.blocks] == ["H\n\ntext"]


def test_the_title_of_unreadable_front_matter_is_used(md: Parse) -> None:
    assert md("---\ntitle: Part one: the start\n---\ntext\n").title == "Part one: the start"
