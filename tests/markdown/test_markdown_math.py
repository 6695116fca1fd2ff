"""Equations: what is one, what only looks like one, and what must not be swallowed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from markdown_builder import equations, show

from lrdoc.document import Document, Source

Parse = Callable[..., Document]


def body(document: Document) -> str:
    return "\n\n".join(show(block.parts) for block in document.blocks)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("$$E=mc^2$$\n", "E=mc^2"),
        ("$$\nE = mc^2\n$$\n", "E = mc^2"),
        ("$$ a +\nb $$\n", "a +\nb"),
        ("$$\n\na\n\n$$\n", "a"),
        ("\\[ x = y \\]\n", "x = y"),
        ("\\[\n\\int x\\\\[2pt]\n\\]\n", "\\int x\\\\[2pt]"),
        ("```math\na+b\n```\n", "a+b"),
        ("\\begin{align}\na &= b \\\\\nc\n\\end{align}\n", "\\begin{align}\na &= b \\\\\nc\n\\end{align}"),
        ("$$\\text{\\$$5$}$$\n", "\\text{\\$$5$}"),
    ],
)
def test_a_block_equation_is_an_item(md: Parse, text: str, latex: str) -> None:
    document = md(text)
    assert [equation.latex for equation in equations(document)] == [latex]
    assert equations(document)[0].source == Source(lines=(1, text.count("\n") + 1))


@pytest.mark.parametrize("rest", ["(1)", ".", ", where", "trailing text", "$$", "5"])
def test_what_follows_on_the_line_is_text_and_the_rest_is_untouched(md: Parse, rest: str) -> None:
    document = md(f"$$a=b$$ {rest}\n\n# Heading\n\nmore $$\n")
    assert [block.heading for block in document.blocks] == ["", "Heading"]
    assert show(document.blocks[0].parts) == f"⟨equation a=b⟩\n{rest}"
    assert show(document.blocks[1].parts) == "Heading\n\nmore $$"


def test_the_number_of_an_equation_is_noted(md: Parse) -> None:
    assert equations(md("$$E=mc^2$$ (1.2)\n"))[0].extras == {"number": "(1.2)"}
    assert equations(md("$$E=mc^2$$ (see below)\n"))[0].extras == {}


def test_an_equation_in_the_middle_of_a_paragraph_stands_on_its_own_line(md: Parse) -> None:
    assert body(md("before\n$$\nx\n$$\nafter\n")) == "before\n⟨equation x⟩\nafter"
    assert body(md("> - a\n>   $$x$$ b\n>   c\n")) == "> - a\n⟨equation x⟩\n>   b\n>   c"


@pytest.mark.parametrize(
    "text",
    [
        "$$\nunclosed\nmore",
        "$$\na\n\nb\n$$x",
        "\\[1\\] Smith 2020",
        "\\[TODO\\]",
        "\\[ x = y",
        "$$$",
        "$$ $$",
        "\\begin{align} x",
        "    $$x$$",
    ],
)
def test_what_is_not_closed_or_not_mathematics_stays_text(md: Parse, text: str) -> None:
    document = md(f"{text}\n\n# H\n\ntail\n")
    assert equations(document) == []
    assert document.blocks[-1].heading == "H"


def test_an_equation_never_runs_over_a_heading_or_code(md: Parse) -> None:
    document = md("$$\na\n# H\n$$\n\n$$\n```\n$$\n```\n")
    assert equations(document) == []
    assert [block.heading for block in document.blocks] == ["", "H"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a $x^2$ b", "a ⟨x^2⟩ b"),
        ("$x$, $y$.", "⟨x⟩, ⟨y⟩."),
        ("其中$x_i$为", "其中⟨x_i⟩为"),
        ("$a_1 + b_1$ and $c_1$", "⟨a_1 + b_1⟩ and ⟨c_1⟩"),
        ("$x = \\text{the $n$th}$", "⟨x = \\text{the $n$th}⟩"),
        ("see $$E=mc^2$$ here", "see ⟨E=mc^2⟩ here"),
        ("$`a^2`$ and \\(b_1=2\\)", "⟨a^2⟩ and ⟨b_1=2⟩"),
        ("**$x$**", "⟨x⟩"),
        ("[$x$](u)", "⟨x⟩"),
        ("$\\$5$", "⟨\\$5⟩"),
    ],
)
def test_an_unambiguous_formula_in_a_line_is_tagged(md: Parse, text: str, shown: str) -> None:
    assert body(md(text)) == shown
    assert equations(md(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.",
        "$5-$10",
        "from $20 to $30, or 40$",
        "$5, or 5$",
        "US$5 and A$6",
        "$HOME/bin:$PATH",
        "echo $HOME and $USER",
        "a $ b $ c",
        "$ x$ and $x $",
        "$foo bar$",
        "$$$ three $$$",
        "1$2$3",
        "(note) and (see a)",
        "$1,000 to $2,000",
        "$",
        "$$",
        "$a",
    ],
)
def test_prices_and_shell_variables_stay_text(md: Parse, text: str) -> None:
    assert body(md(text)) == text


def test_escaped_parentheses_and_dollars_stay_text(md: Parse) -> None:
    assert body(md("\\(note\\) \\$x\\$ `$x$`")) == "(note) $x$ $x$"


def test_inline_mathematics_can_be_switched_off(md: Parse) -> None:
    assert body(md("a $x^2$ b\n\n$$y$$\n", inline_math=False)) == "a $x^2$ b\n\n⟨equation y⟩"
