"""Footnotes: their calls, their texts, and definitions that nothing calls."""

from __future__ import annotations

from collections.abc import Callable

from markdown_builder import codes, show

from lrdoc.document import Document

Parse = Callable[..., Document]


def notes(document: Document) -> list[list[tuple[str, str]]]:
    return [[(note.mark, show(note.parts)) for note in block.notes] for block in document.blocks]


def test_notes_are_numbered_by_their_calls_and_stand_in_the_calling_block(md: Parse) -> None:
    document = md(
        "# A\n\nx[^b] y[^a]\n\n# B\n\nz[^a]\n\n[^a]: Alpha\n    more\n\n[^b]: Beta\n\n    ```\n    code\n    ```\n"
    )
    assert [show(block.parts) for block in document.blocks] == ["A\n\nx⟨note 1⟩ y⟨note 2⟩", "B\n\nz⟨note 2⟩"]
    assert notes(document) == [[("1", "Beta\n\n```\ncode\n```"), ("2", "Alpha\nmore")], []]


def test_a_call_without_a_definition_is_text(md: Parse) -> None:
    assert show(md("a[^x] [^1]: no\n").blocks[0].parts) == "a[^x] [^1]: no"


def test_a_definition_that_nothing_calls_stays_in_the_text(md: Parse) -> None:
    document = md("before\n\n[^x]: unused *words*\n\nafter\n")
    assert show(document.blocks[0].parts) == "before\n\n[^x]: unused words\n\nafter"
    assert codes(document) == ["footnote_not_called"]


def test_a_second_definition_stays_in_the_text(md: Parse) -> None:
    document = md("a[^x]\n\n[^x]: one\n\n[^x]: two\n")
    assert show(document.blocks[0].parts) == "a⟨note 1⟩\n\n[^x]: two"
    assert notes(document) == [[("1", "one")]]
    assert codes(document) == ["footnote_defined_twice"]


def test_notes_may_call_notes_even_in_a_circle(md: Parse) -> None:
    document = md("a[^1]\n\n[^1]: one[^2]\n\n[^2]: two[^1]\n")
    assert notes(document) == [[("1", "one⟨note 2⟩"), ("2", "two⟨note 1⟩")]]
    alone = md("text\n\n[^s]: self[^s]\n")
    assert show(alone.blocks[0].parts) == "text\n\n[^s]: self[^s]"
    assert notes(alone) == [[]]


def test_a_note_called_in_a_heading(md: Parse) -> None:
    document = md("# Title[^1]\n\n[^1]: Note\n")
    assert document.blocks[0].heading == "Title"
    assert show(document.blocks[0].parts) == "Title⟨note 1⟩"
    assert notes(document) == [[("1", "Note")]]
