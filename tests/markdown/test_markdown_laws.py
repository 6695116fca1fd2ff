"""What holds for every text."""

from __future__ import annotations

import contextlib
import re
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_builder import parse_bytes, show
from markdown_it import MarkdownIt
from shared_files import shared_dir

from lrdoc.document import Document, Drawing, Equation, Text, merge_text, plain_text
from lrdoc.errors import LrdocError
from lrdoc.parsers.markdown.settings import MarkdownSettings

OFF = MarkdownSettings(download_enabled=False)

WORDS = st.sampled_from(
    "alpha|x|1|**b**|*i*|`code`|~~s~~|[l](u)|[r]|![alt](p.png)|<b>bold</b>|<br>|<!-- c -->|&amp;|\\*|$x^2$|$5|<T>|H<sub>2</sub>|"
    "[^n]|https://e.org/a|_|*|`|[|]|<|é中|<table><tr><td>c</td></tr></table>|<img src='q.png' alt='pic'>|\\(a=b\\)|$$y=1$$".split(
        "|"
    )
)
LINES = st.sampled_from(
    [
        "# ",
        "## ",
        "- ",
        "1. ",
        "> ",
        "    ",
        "\t",
        "```\n",
        "~~~ py\n",
        "| a | b |\n|---|---|\n| ",
        "$$\n",
        "\n",
        "\n\n",
        "---\n",
        "===\n",
        "<div>",
        "</div>\n",
        "<table>\n",
        "</table>\n",
        "[^n]: ",
        "[r]: /u\n",
        ": ",
        "- [x] ",
        "</td>",
        "<tr>",
        "\\[",
        "\\]",
        "```math\n",
        "<pre>",
        "</pre>",
        "<!--",
        "-->",
        " | ",
        "<h2>T</h2>\n",
        " ",
    ]
)
MARKDOWN = st.lists(st.one_of(WORDS, LINES, st.just(" "), st.just("\n")), max_size=40).map("".join)
ANY = st.one_of(MARKDOWN, st.text(max_size=200), st.text("[]()!*_`~<>#$\\|-=:^ \n\tab1", max_size=200))


def parse(text: str) -> Document | None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return parse_bytes(text.encode("utf-8", "replace"), Path(folder), settings=OFF)
        except LrdocError:
            return None


@given(ANY)
@example("# #  | ")
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_gives_a_document_in_normal_form_or_a_clear_error(text: str) -> None:
    document = parse(text)
    if document is None:
        return
    for block in document.blocks:
        assert merge_text(block.parts) == block.parts
        assert len(block.heading) <= 200
        assert (block.level == 0) == (block.heading == "")
        # spaces stay in the content as they are written; in the heading they are one
        assert re.sub(r"[ \t\n]+", " ", plain_text(block.parts)).lstrip(" ").startswith(block.heading)
        called = {note.mark for note in block.notes}
        assert len(called) == len(block.notes)
        for part in block.parts:
            if isinstance(part, Drawing | Equation):
                assert part.source is not None and part.source.lines is not None
    assert parse(text) == document


@given(st.lists(st.sampled_from(["# A", "## B", "### C", "text", "- item", "| a |\n|---|\n| 1 |", "> q"]), min_size=1))
@settings(max_examples=60, deadline=None)
def test_every_heading_is_one_block_and_parents_are_above_it(pieces: list[str]) -> None:
    document = parse("\n\n".join(pieces) + "\n")
    assert document is not None
    headings = [piece.lstrip("# ") for piece in pieces if piece.startswith("#")]
    assert [block.heading for block in document.blocks if block.level] == headings
    levels = {block.heading: block.level for block in document.blocks}
    for block in document.blocks:
        assert [levels[parent] for parent in block.parents] == sorted({levels[parent] for parent in block.parents})
        assert all(levels[parent] < block.level for parent in block.parents)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=80))
@settings(max_examples=80, deadline=None)
def test_code_is_never_changed(text: str) -> None:
    lines = text.split("\n")
    document = parse("`````x\n" + "\n".join(lines) + "\n`````\n")
    if "`````" in text:
        return
    assert document is not None
    fence = show(document.blocks[0].parts).split("x", 1)[0]
    code = "".join(part.text for part in document.blocks[0].parts if isinstance(part, Text) and part.source)
    assert code == "x" + text
    assert len(fence) >= 3


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_arbitrary_bytes_raise_only_our_errors(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(LrdocError):
        parse_bytes(data, Path(folder), settings=OFF)


GROWING = {
    "sections": lambda n: "".join(f"## Section {i}\n\ntext\n\n| a | b |\n|---|---|\n| {i} | x |\n\n" for i in range(n)),
    "dollars": lambda n: "$$a$$ x\n" * n,
    "table tags": lambda n: "<table>\n" * n,
    "brackets": lambda n: "![" * n,
    "fences": lambda n: "```\n~~~\n" * n,
    "same headings": lambda n: "# a\n" * n,
    "open formulas": lambda n: "\\[a\n" * n + "# h\n\\]\n",
    "open tables": lambda n: "<table>\n\n" * n + "```\n" + "</table>\n" * n,
    "tables in a list": lambda n: "- x\n\n" + "  <table>\n\n" * n + "out\n\n" + "</table>\n" * n,
    "open scripts": lambda n: "<div>\n" + "<script>\n<style>\n" * n,
    "open comments": lambda n: "<!-- a\n\n" * n,
    "note chains": lambda n: "a[^0]\n\n" + "".join(f"[^{i}]: note[^{i + 1}]\n\n" for i in range(n)),
    "braces": lambda n: "${" * n,
    "cells": lambda n: "<table>" + "<tr><td rowspan=99 colspan=9>x</td><td>y</td></tr>" * n + "</table>",
    "nested tables": lambda n: "<table><tr><td>" * n + "x" + "</td></tr></table>" * n,
    "addresses": lambda n: "http://a.b/c)))). " * n,
}


@pytest.mark.parametrize("name", GROWING)
def test_cost_grows_in_proportion(name: str) -> None:
    """Eight times the text in at most twenty times the time: a quadratic step would take sixty-four."""
    texts = [GROWING[name](count) for count in (250, 2000)]
    ratios = []
    for _ in range(4):
        # A busy machine may disturb a measurement; a quadratic step shows in all.
        seconds = []
        for text in texts:
            started = time.process_time()
            parse(text)
            seconds.append(time.process_time() - started)
        ratios.append(seconds[1] / max(seconds[0], 0.005))
        if ratios[-1] < 20:
            return
    raise AssertionError(f"eight times the text costs {min(ratios):.0f} times as much")


def test_an_ordinary_text_costs_less_than_twice_the_grammar_alone() -> None:
    paragraph = "Some *words* of **text** with a [link](https://x.y) and `code`, wrapped\nover lines that go on.\n\n"
    table = "| a | b | c |\n|---|---|---|\n" + "| one two | three | four |\n" * 8 + "\n"
    text = "".join(f"## Section {n}\n\n{paragraph * 4}- item\n- item two\n\n{table}" for n in range(150))
    library = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    ratios = []
    for _ in range(3):
        started = time.process_time()
        library.parse(text)
        between = time.process_time()
        parse(text)
        ratios.append((time.process_time() - between) / (between - started))
    assert min(ratios) < 1.8


def test_the_corpus_parses_with_the_same_result_each_time(tmp_path: Path) -> None:
    shared = shared_dir()
    files = sorted(shared.glob("corpus/md/*/*.md")) + sorted(shared.glob("corpus/synthetic/*.md")) if shared else []
    for path in files:
        first = parse_bytes(path.read_bytes(), tmp_path, settings=OFF)
        assert first == parse_bytes(path.read_bytes(), tmp_path, settings=OFF)
        assert first.blocks
