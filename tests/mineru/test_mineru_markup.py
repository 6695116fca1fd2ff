"""Markup in MinerU's strings: what pairs up becomes marks, all else stays as it is."""

from __future__ import annotations

import pytest
from growth import costs_in_proportion

from lrdoc.document import InlineEquation, Source, Text
from lrdoc.parsers.mineru.markup import plain, read_markup


def read(text: str) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for part in read_markup(text, Source(path="1")):
        if isinstance(part, InlineEquation):
            found.append(("$", part.latex))
        else:
            assert isinstance(part, Text)
            found.append((part.text, *(mark.kind for mark in part.marks)))
    return found


@pytest.mark.parametrize(
    "text, expected",
    [
        ("plain", [("plain",)]),
        ("**b** x", [("b", "bold"), (" x",)]),
        ("in**ner**word", [("in",), ("ner", "bold"), ("word",)]),
        ("***both***", [("both", "bold", "italic")]),
        ("H<sub>2</sub>O<sup>+</sup>", [("H",), ("2", "sub"), ("O",), ("+", "sup")]),
        ("~~gone~~ <u>under</u>", [("gone", "strike"), (" ",), ("under", "underline")]),
        ("`a*b*`", [("a*b*", "code")]),
        ("mass $E=mc^{2}$ is", [("mass ",), ("$", "E=mc^{2}"), (" is",)]),
        (r"\(x\) and $$y$$", [("$", "x"), (" and ",), ("$", "y")]),
        (r"2 \* 3 costs 5\$", [("2 * 3 costs 5$",)]),
    ],
)
def test_pairs_are_marks(text: str, expected: list[tuple[str, ...]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4",
        "a * b * c",
        "$5 and $6",
        "**open",
        "close**",
        "****",
        "f(*args, **kwargs)",
        "[1](see below)",
        "[a] (b)",
        "x < y > z",
        "a <b unclosed",
        "C:\\\\server\\dir",
        "![",
        "](",
        "\\(",
        "`",
        "$$",
    ],
)
def test_what_does_not_pair_up_is_text(text: str) -> None:
    assert read(text) == [(text,)]


def test_links_keep_their_address() -> None:
    (part,) = read_markup("[site](https://example.org/a_(b))", Source())
    assert isinstance(part, Text)
    assert (part.text, part.marks[0].target) == ("site", "https://example.org/a_(b)")


def test_plain_text_keeps_formulas_in_dollars() -> None:
    assert plain("**Table 1**: $x$ <sup>a</sup>") == "Table 1: $x$ a"


@pytest.mark.parametrize(
    "piece", ["**", "*a", "$", "$$ ", "[", "](", "`", "<b>", "![", "\\(", "[a](http://x.y/(", "~~"]
)
def test_hostile_strings_cost_in_proportion(piece: str) -> None:
    costs_in_proportion(lambda text: read_markup(text, Source()), lambda n: piece * n, 4_000, 32_000)
