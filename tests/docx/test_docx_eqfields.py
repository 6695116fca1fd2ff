"""EQ fields: what Word computes from their instruction, which stands nowhere else in the file."""

from __future__ import annotations

import time

import latex2mathml.converter
import pytest
from docx_audit import assert_complete, audit_bytes
from docx_builder import docx, field, p, picture, png, r, run, table
from docx_parse import lines, parse_bytes, rows, tables
from hypothesis import given
from hypothesis import strategies as st
from katex import compile_errors, katex_module

from lrdoc.audit.latex import latex_letters
from lrdoc.parsers.docx import fields
from lrdoc.parsers.docx.eqfields import eq_to_omml
from lrdoc.parsers.docx.math import omml_to_latex

FORMULAS: dict[str, tuple[str, str]] = {
    "fraction": (r"\f(1,2)", r"\frac{1}{2}"),
    "fraction with semicolons": (r"\f(1,5;2)", r"\frac{1,5}{2}"),
    "fraction without denominator": (r"\f(1)", r"\frac{1}{}"),
    "nested, with text": (r"x=\f(-b\s\up8(2),2a)", r"x=\frac{-b{}^{2}}{2a}"),
    "root": (r"\r(3,x)", r"\sqrt[3]{x}"),
    "square root": (r"\R(x)", r"\sqrt{x}"),
    "array": (r"\a \al \co2 \vs3(Ax,Ay,Bx,By)", r"\begin{matrix} Ax & Ay \\ Bx & By \end{matrix}"),
    "parentheses": (r"\b(x)", r"\left(x\right)"),
    "braces": (r"\b\bc\{(x)", r"\left\{x\right\}"),
    "one brace": (r"\b\lc\{(\a(x=1,y=2))", r"\left\{\begin{matrix} x=1 \\ y=2 \end{matrix}\right."),
    "integral": (r"\i(a,b,3x)", r"\int\limits_{a}^{b} 3x"),
    "sum": (r"\i\su(1,5,x)", r"\sum_{1}^{5} x"),
    "limits at the side": (r"\i\pr\in(1,n,x)", r"\prod\nolimits_{1}^{n} x"),
    "another sign": (r"\i\in\fc\∮(a,b,x)", r"\oint_{a}^{b} x"),
    "raised and lowered": (r"\s\up8(UB)\s\do8(2)", "{}^{UB}{}_{2}"),
    "stacked": (r"\s(a,b)", r"\begin{matrix} a \\ b \end{matrix}"),
    "overlaid": (r"\o\al(a,/)", "a/"),
    "list": (r"\l(A,B,C)", "A,B,C"),
    "box": (r"\x(ab)", r"\boxed{ab}"),
    "line above": (r"\x\to(ab)", r"\overline{ab}"),
    "line below": (r"\x \bo(ab)", r"\underline{ab}"),
    "displaced": (r"\d\fo10\li()x", "x"),
    "escaped signs": (r"\f(f\(x\,y\),2)", r"\frac{f(x,y)}{2}"),
    "parentheses of the text": (r"\f(f(x,y),2)", r"\frac{f(x,y)}{2}"),
    "text": (r"\f(距离,时间)", r"\frac{\text{距离}}{\text{时间}}"),
    "formatting": (r'\* MERGEFORMAT \* "Font:Times" \f(1,2) \* jc2', r"\frac{1}{2}"),
    "not closed": (r"\f(1,\r(x", r"\frac{1}{\sqrt{x}}"),
    "closed too often": (r"a)b", "a)b"),
}
READING = r'EQ \* jc2 \* "Font:MS Mincho" \* hps10 \o\ad(\s\up 9(とうきょう),東京)'


def shown(*content: str) -> list[str]:
    data = docx(p(*content))
    assert_complete(data)
    return lines(parse_bytes(data))


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula(name: str) -> None:
    code, expected = FORMULAS[name]
    assert shown(r("see "), field(f"EQ {code}"), r(" there")) == [f"see ${expected}$ there"]


def test_a_formula_alone_is_a_display_equation() -> None:
    assert shown(field(r"eq \f(1,2)")) == [r"$$\frac{1}{2}$$"]


def test_a_field_without_a_place_for_its_result() -> None:
    begin, end = (run(f'<w:fldChar w:fldCharType="{kind}"/>') for kind in ("begin", "end"))
    code = run(r"<w:instrText>EQ \f(1</w:instrText>") + run("<w:instrText>,2)</w:instrText>")
    assert shown(r("a "), begin + code + end) == [r"a $\frac{1}{2}$"]
    assert shown(r("a "), r'<w:fldSimple w:instr="EQ \f(1,2)"/>') == [r"a $\frac{1}{2}$"]


def test_a_result_stands_for_the_formula() -> None:
    assert shown(r("a "), field(r"EQ \f(1,2)", "1/2")) == ["a 1/2"]
    assert shown(r("a "), field(r"EQ \f(1,2)", field("QUOTE b", "half"))) == ["a half"]
    data = docx(p(r("a "), field(r"EQ \f(1,2)", run(picture("rIdP")))), media={"rIdP": ("p.png", png())})
    assert_complete(data)
    assert "frac" not in lines(parse_bytes(data))[0]


def test_a_reading_stands_behind_its_base() -> None:
    assert shown(r("in "), field(READING), r("."), field("EQ"), field(r"EQUATION \f(1,2)")) == ["in 東京(とうきょう)."]


def test_enclosed_characters_are_marked() -> None:
    assert shown(field(r"eq \o\ac(○,1)"), r("x"), field(r"eq \o\ac(□,甲)")) == ["1\u20ddx甲\u20de"]


def test_what_is_hidden_deleted_or_an_instruction_is_not_shown() -> None:
    hidden = field(r"EQ \f(1,2)").replace("<w:r>", "<w:r><w:rPr><w:vanish/></w:rPr>")
    begin = run('<w:fldChar w:fldCharType="begin"/>') + run("<w:instrText>IF </w:instrText>")
    inside = begin + field(r"EQ \f(1,2)") + run('<w:fldChar w:fldCharType="end"/>')
    deleted = '<w:del w:id="1">' + field(r"EQ \f(1,2)").replace("instrText", "delInstrText") + "</w:del>"
    assert shown(r("a"), hidden, r("b"), inside, r("c"), deleted, r("d")) == ["abcd"]


def test_formulas_in_cells_stay_there() -> None:
    data = docx(table([[p(field(r"EQ \f(1,2)"))]]))
    assert_complete(data)
    assert rows(tables(parse_bytes(data))[0]) == [[r"$\frac{1}{2}$"]]


@pytest.mark.parametrize("code", [r"EQ \f(one,two)", READING, r"EQ \o\ac(○,1)"])
def test_the_counter_names_a_formula_that_is_not_written(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "show_formula", lambda line, instruction: None)
    found = audit_bytes(docx(p(r("a"), field(code))))
    assert {problem.code for problem in found.problems} == {"missing"}


SWITCHES = ("\\f(", "\\r(", "\\a\\co2(", "\\s\\up3(", "\\o\\ac(", "\\b\\lc\\[(", "\\i(", "\\x(")
codes = st.lists(st.sampled_from([*"abfr12 ,;()○東+", *SWITCHES]), max_size=30).map("".join)


@given(codes)
def test_whatever_is_written_every_letter_is_kept(code: str) -> None:
    latex = omml_to_latex(eq_to_omml(code)).latex
    assert latex.count("{") == latex.count("}")
    source = code
    for switch in SWITCHES:
        source = source.replace(switch, "")
    assert sorted(latex_letters(latex)) == sorted(filter(str.isalnum, source))
    assert not latex or latex2mathml.converter.convert(latex)


@pytest.mark.judge
def test_katex_compiles_the_formulas() -> None:
    if katex_module() is None:
        pytest.skip("KaTeX is not installed (scripts/_judges)")
    formulas = [expected for _, expected in FORMULAS.values()]
    assert compile_errors(formulas) == [""] * len(formulas)


@pytest.mark.parametrize(
    "part", ["\\f(", "a\\,", "\\bc\\a", "\\a\\co ", "(", "\\up ", "\\* ", "\\o(\\s\\up "], ids=repr
)
def test_long_instructions_cost_in_proportion(part: str) -> None:
    def cost(count: int) -> float:
        data = docx(p(r("a"), field("EQ \\f(1," + part * count)))
        began = time.process_time()
        parse_bytes(data)
        return time.process_time() - began

    ratios = []
    for _ in range(4):
        ratios.append(cost(24_000) / max(cost(6_000), 0.004))
        if ratios[-1] <= 2.6 * 2.6:
            return
    pytest.fail(f"four times the input cost {ratios} times as much")
