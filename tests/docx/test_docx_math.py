"""Office Math to LaTeX: every construct, odd input, and what the LaTeX must satisfy."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import latex2mathml.converter
import pytest
from docx_builder import NAMESPACES, docx, p
from hypothesis import given, settings
from katex import compile_errors, katex_module
from lxml import etree
from omml_builder import d, eqarr, f, func, matrix, nary, omath, pr, r, struct, sub, sup, trees
from shared_files import shared_dir

from lrdoc.audit.latex import latex_letters, plain_letters
from lrdoc.parsers.docx.math import MAX_DEPTH, equation_number, math_elements, omml_to_latex
from lrdoc.text.latex_symbols import CHARACTERS, COMMANDS, FUNCTIONS

M = f"{{{NAMESPACES['m']}}}"
X, Y, A, B, N = r("x"), r("y"), r("a"), r("b"), r("n")


def latex(*content: str) -> str:
    result = omml_to_latex(omath(*content))
    assert result.warnings == ()
    return result.latex


CASES: dict[str, tuple[str, str]] = {
    "fraction": (f(A, B), r"\frac{a}{b}"),
    "fraction without its properties element": ("<m:f><m:num/><m:den/></m:f>", r"\frac{}{}"),
    "linear fraction": (f(r("a+b"), B, "lin"), r"{a+b}/b"),
    "skewed fraction": (f(A, B, "skw"), r"a/b"),
    "fraction without a bar": (f(A, B, "noBar"), r"{{a} \atop {b}}"),
    "binomial": (d(f(N, r("k"), "noBar")), r"\binom{n}{k}"),
    "superscript": (sup(X, r("2")), r"x^{2}"),
    "superscript of a fraction": (sup(f(A, B), r("2")), r"{\frac{a}{b}}^{2}"),
    "superscript of several signs": (sup(r("10"), N), r"{10}^{n}"),
    "superscript of delimiters": (sup(d(r("x+y")), r("2")), r"\left(x+y\right)^{2}"),
    "subscript": (sub(r("α"), r("i")), r"\alpha_{i}"),
    "both": (struct("sSubSup", e=X, sub=r("1"), sup=r("2")), "x_{1}^{2}"),
    "scripts before": (struct("sPre", sub=r("1"), sup=r("2"), e=X), "{}_{1}^{2}x"),
    "script without a base": (sup("", r("2")), "{}^{2}"),
    "empty script": (sub(X, ""), "x"),
    "prime as a script": (sup(r("f"), r("′")), r"f^{\prime}"),
    "negated sign": (r("a≢b⊄c"), r"a\not{\equiv}b\not{\subset}c"),
    "accented Greek": (r("ώ"), r"\acute{\omega}"),
    "accented Greek in text": (r("ώ", pr(nor="1")), r"\acute{\omega}"),
    "accented Latin": (r("é"), r"\text{é}"),
    "circles and squares": (r("○●◇◆∎⦵"), r"\bigcirc\bullet\Diamond\blacklozenge\blacksquare\ominus"),
    "prime in the text": (r("f′(x)"), "f'(x)"),
    "prime after a script": (sup(X, r("2")) + r("′"), "x^{2}{}'"),
    "square root": (struct("rad", pr(degHide="1"), deg="", e=X), r"\sqrt{x}"),
    "root": (struct("rad", deg=r("3"), e=X), r"\sqrt[3]{x}"),
    "root with a bracket": (struct("rad", deg=d(A, begChr="[", endChr="]"), e=X), r"\sqrt[{\left[a\right]}]{x}"),
    "sum": (nary("∑", r("i=1"), N, r("i")), r"\sum_{i=1}^{n} i"),
    "sum with limits at the side": (nary("∑", r("i"), "", X, limLoc="subSup"), r"\sum\nolimits_{i} x"),
    "integral": (nary(None, r("0"), r("1"), X), r"\int_{0}^{1} x"),
    "integral with limits below": (nary("∮", r("C"), "", X, limLoc="undOvr"), r"\oint\limits_{C} x"),
    "any operator": (nary("⨿", r("i"), "", X), r"\mathop{\amalg}\limits_{i} x"),
    "operator without argument": ("<m:nary><m:sub>" + A + "</m:sub></m:nary>", r"\int_{a}"),
    "limit": (func(struct("limLow", e=r("lim", pr(sty="p")), lim=r("x→0")), r("f")), r"\lim_{x\rightarrow0}f"),
    "limit outside of a function": (struct("limLow", e=r("lim"), lim=X), r"\lim_{x}"),
    "limit of a word": (func(struct("limLow", e=r("argmax"), lim=X), Y), r"\underset{x}{\operatorname{argmax}}y"),
    "limit above": (struct("limUpp", e=A, lim=N), r"\overset{n}{a}"),
    "limits of an operator": (struct("limUpp", e=struct("limLow", e=r("∑"), lim=A), lim=B), r"\sum\limits_{a}^{b}"),
    "function": (func(r("sin"), X), r"\sin x"),
    "function in several runs": (func(r("arc") + r("sin"), X), r"\arcsin x"),
    "function with a power": (func(sup(r("cos", pr(sty="p")), r("2")), X), r"\cos^{2}x"),
    "function with delimiters": (func(r("ln"), d(X)), r"\ln\left(x\right)"),
    "function without a command": (func(r("sinc"), X), r"\operatorname{sinc}x"),
    "upright function name": (r("max", pr(sty="p")) + A, r"\max a"),
    "parentheses": (d(X), r"\left(x\right)"),
    "delimiters without their properties element": (struct("d", e=X), r"\left(x\right)"),
    "braces": (d(X, begChr="{", endChr="}"), r"\left\{x\right\}"),
    "empty end": (d(X, begChr="|", endChr=""), r"\left|x\right."),
    "empty beginning": (d(r("f"), begChr="", endChr="|"), r"\left.f\right|"),
    "angle brackets": (d(r("ψ"), begChr="⟨", endChr="⟩"), r"\left\langle\psi\right\rangle"),
    "separators": (d(A, B), r"\left(a \middle| b\right)"),
    "separators that are no delimiters": (d(A, B, sepChr=","), r"\left(a, b\right)"),
    "no delimiters": (d(A, begChr="", endChr=""), "{a}"),
    "signs that cannot grow": (d(A, begChr="«", endChr="»"), r"{\text{«}a\text{»}}"),
    "white brackets": (d(A, begChr="⟦", endChr="⟧"), r"{\llbracket a\rrbracket}"),
    "matrix": (matrix([[A, B], [X, ""]]), r"\begin{matrix} a & b \\ x &  \end{matrix}"),
    "matrix in parentheses": (d(matrix([[A]])), r"\begin{pmatrix} a \end{pmatrix}"),
    "determinant": (d(matrix([[A]]), begChr="|", endChr="|"), r"\begin{vmatrix} a \end{vmatrix}"),
    "cases": (
        d(eqarr(r("1,&x>0"), r("0,&x≤0")), begChr="{", endChr=""),
        r"\begin{cases} 1, & x>0 \\ 0, & x\le0 \end{cases}",
    ),
    "equation array": (eqarr(r("x&=1"), r("y&=2")), r"\begin{aligned} x & =1 \\ y & =2 \end{aligned}"),
    "alignment by a property": (eqarr(X + r("=1", pr(aln=None)), Y), r"\begin{aligned} x & =1 \\ y \end{aligned}"),
    "row that begins with a bracket": (eqarr(r("[1]"), r("[2]")), r"\begin{aligned} {}[1] \\ {}[2] \end{aligned}"),
    "line break": (A + "<m:r><w:br/></m:r>" + B, r"\begin{aligned} a \\ b \end{aligned}"),
    "accent": (struct("acc", e=X), r"\hat{x}"),
    "accent over several signs": (struct("acc", pr(chr="\u0303"), e=r("xy")), r"\widetilde{xy}"),
    "vector": (struct("acc", pr(chr="\u20d7"), e=r("v")), r"\vec{v}"),
    "double overline": (struct("acc", pr(chr="\u033f"), e=X), r"\overline{\overline{x}}"),
    "unknown accent": (struct("acc", pr(chr="★"), e=X), r"\overset{\bigstar}{x}"),
    "overbar": (struct("bar", pr(pos="top"), e=X), r"\overline{x}"),
    "underbar is the default": (struct("bar", e=X), r"\underline{x}"),
    "underbrace": (struct("limLow", e=struct("groupChr", e=A), lim=N), r"\underbrace{a}_{n}"),
    "overbrace": (
        struct("limUpp", e=struct("groupChr", pr(chr="⏞", pos="top"), e=A), lim=N),
        r"\overbrace{a}^{n}",
    ),
    "arrow with text": (struct("groupChr", pr(chr="→", pos="bot"), e=A), r"\underset{\rightarrow}{a}"),
    "box": (struct("box", e=A), "a"),
    "border": (struct("borderBox", e=A), r"\boxed{a}"),
    "strike": (
        struct("borderBox", pr(hideTop="1", hideBot="1", hideLeft="1", hideRight="1", strikeBLTR="1"), e=A),
        r"\cancel{a}",
    ),
    "phantom": (struct("phant", pr(show="0"), e=A), r"\phantom{a}"),
    "visible phantom": (struct("phant", pr(zeroAsc="1"), e=A), "{a}"),
    "words": (r("a b mod n"), r"a\ b\ mod\ n"),
    "spaces beside operators": (r("a = b"), "a=b"),
    "wide spaces": (r("a\u2003b\u2009c"), r"a\quad b\,c"),
    "text": (r("if x is even", pr(nor=None)), r"\text{if x is even}"),
    "text keeps its spaces": (A + r(" and ", pr(nor=None)) + B, r"a\text{ and }b"),
    "special characters in text": (r("50% & α", pr(nor=None)), r"\text{50}\%\ \&\ \alpha"),
    "special characters": (r("%#&_${}~^\\"), r"\%\#\&\_\$\{\}\sim\hat{}\backslash"),
    "upright": (r("Re", pr(sty="p")), r"\mathrm{Re}"),
    "bold": (r("v", pr(sty="b")), r"\mathbf{v}"),
    "bold italic": (r("v", pr(sty="bi")), r"\boldsymbol{v}"),
    "bold greek": (r("β", pr(sty="b")), r"\boldsymbol{\beta}"),
    "double-struck": (r("R", pr(scr="double-struck")), r"\mathbb{R}"),
    "script": (r("L", pr(scr="script")), r"\mathcal{L}"),
    "bold fraktur": (r("g", pr(scr="fraktur", sty="b")), r"\boldsymbol{\mathfrak{g}}"),
    "mathematical letters": (r("𝑥𝐯𝒜ℝ𝔤𝟐𝛼"), r"x\mathbf{v}\mathcal{A}\mathbb{R}\mathfrak{g}\mathbf{2}\alpha"),
    "greek and signs": (r("αΩ≤≠×→∞∂∇"), r"\alpha\Omega\le\ne\times\rightarrow\infty\partial\nabla"),
    "command before a letter": (r("αx"), r"\alpha x"),
    "superscript characters": (r("x²y₁²"), "x^{2}y_{1}^{2}"),
    "combining marks": (r("x\u0302"), r"\hat{x}"),
    "other scripts": (r("速度v"), r"\text{速度}v"),
    "compatibility characters": (r("℃"), r"\degree\mathrm{C}"),
    "invisible operators": (r("a\u2062b"), "ab"),
    "dashes": (r("a–b−c"), "a-b-c"),
    "tracked insertion": ("<w:ins>" + A + "</w:ins><w:del>" + B + "</w:del>", "a"),
    "tracked insertion inside a run": ("<m:r><m:t>A</m:t><w:ins><m:t>2</m:t></w:ins></m:r>", "A2"),
    "deleted structure": ("<m:f><m:fPr><m:ctrlPr><w:del/></m:ctrlPr></m:fPr><m:num/><m:den/></m:f>" + A, "a"),
    "hidden run": ("<m:r><w:rPr><w:vanish/></w:rPr><m:t>h</m:t></m:r>" + A, "a"),
    "control": ("<w:sdt><w:sdtPr/><w:sdtContent>" + A + "</w:sdtContent></w:sdt>", "a"),
    "ordinary run": ("<w:r><w:t>where </w:t></w:r>" + A, r"\text{where }a"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_construct(name: str) -> None:
    content, expected = CASES[name]
    assert latex(content) == expected


@pytest.mark.parametrize("name", CASES)
def test_constructs_are_read_by_latex2mathml(name: str) -> None:
    mathml = latex2mathml.converter.convert(CASES[name][1] or "x")
    assert not re.search(r"\\[A-Za-z]{2}", mathml)


def test_a_number_inside_the_formula_is_kept_and_told() -> None:
    result = omml_to_latex(omath(eqarr(r("E=m#") + d(r("2.1")))))
    assert (result.latex, result.number) == (r"E=m \qquad \left(2.1\right)", "(2.1)")


def test_an_unknown_element_keeps_its_text_and_warns() -> None:
    result = omml_to_latex(omath(A, "<m:odd><m:e>", B, "</m:e></m:odd>", f(X, Y)))
    assert result.latex == r"ab\frac{x}{y}"
    assert [warning.code for warning in result.warnings] == ["math_unknown_element"]


def test_arguments_that_do_not_belong_are_kept() -> None:
    assert latex(struct("f", num=A, den=B, sup=X)) == r"\frac{a}{b}x"
    assert latex("<m:f>" + A + "<m:num>" + B + "</m:num></m:f>") == r"\frac{b}{}a"


def test_changes_may_be_rejected_or_shown() -> None:
    node = omath("<w:ins>", A, "</w:ins><w:del>", B, "</w:del>")
    assert omml_to_latex(node, changes="reject").latex == "b"
    assert omml_to_latex(node, changes="annotate").latex == "ab"


def test_hidden_runs_may_be_shown() -> None:
    node = omath("<m:r><w:rPr><w:vanish/></w:rPr><m:t>h</m:t></m:r>")
    assert omml_to_latex(node, hidden=True).latex == "h"


def test_alternate_content_is_read_once() -> None:
    fallback = f"<mc:Fallback>{B}</mc:Fallback>"
    for requires, expected in (("w14", "a"), ("unknown", "b")):
        choice = f'<mc:Choice xmlns:unknown="urn:unknown" Requires="{requires}">{A}</mc:Choice>'
        assert latex(f"<mc:AlternateContent>{choice}{fallback}</mc:AlternateContent>") == expected


def test_symbols_of_symbol_fonts_become_unicode() -> None:
    assert latex('<m:r><w:sym w:font="Symbol" w:char="F061"/></m:r>') == "\\alpha"
    assert latex('<m:r><w:sym w:font="Symbol" w:char="zz"/><m:t>x</m:t></m:r>') == "x"


def test_a_degree_that_begins_and_ends_with_braces_stays_whole() -> None:
    """A LaTeX reader takes "[{a}{b}]" for one pair of braces around the option."""
    script = f"<m:sSup><m:e/><m:sup>{A}</m:sup></m:sSup>"
    assert latex(f"<m:rad><m:deg>{script}</m:deg><m:e>{B}</m:e></m:rad>") == "\\sqrt[{{}^{a}}]{b}"


def test_rows_outside_a_matrix_keep_their_text() -> None:
    row = f"<m:mr><m:e>{A}</m:e><m:e>{B}</m:e></m:mr>"
    assert latex(f"<m:borderBox>{row}</m:borderBox>") == "\\boxed{}ab"
    assert latex(f"<m:m><m:mr>{A}<m:e>{B}</m:e></m:mr></m:m>") == "\\begin{matrix} a & b \\end{matrix}"


def test_an_accent_without_a_command_stands_above() -> None:
    assert latex(f'<m:acc><m:accPr><m:chr m:val="\u20f0"/></m:accPr><m:e>{A}</m:e></m:acc>') == "\\overset{\\ast}{a}"


def test_depth_ends_in_text_with_a_warning() -> None:
    depth = 1_000
    node = root = omath()
    for _ in range(depth):
        script = etree.SubElement(node, M + "sSup")
        node = etree.SubElement(script, M + "e")
        run = etree.SubElement(etree.SubElement(script, M + "sup"), M + "r")
        etree.SubElement(run, M + "t").text = "b"
    node.append(omath(A)[0])
    result = omml_to_latex(root)
    assert [warning.code for warning in result.warnings] == ["math_too_deep"]
    assert result.latex.count("b") == depth and result.latex.count("a") == 1
    assert result.latex.count("^{") == MAX_DEPTH


def test_the_formulas_of_a_paragraph_of_formulas_come_in_order() -> None:
    paragraph = etree.fromstring(
        etree.tostring(omath("<m:oMath>", A, "</m:oMath><w:ins><m:oMath>", B, "</m:oMath></w:ins>"))
        .decode()
        .replace("<m:oMath xmlns", "<m:oMathPara xmlns", 1)[: -len("</m:oMath>")]
        + "</m:oMathPara>"
    )
    assert [omml_to_latex(node).latex for node in math_elements(paragraph)] == ["a", "b"]


@pytest.mark.parametrize("text", ["(1)", " (2.1) ", "\t(A-3)", "（1）", "[12]", "(1a)", "(Eq. 4)", "(3.2.1)"])
def test_equation_numbers_are_recognised(text: str) -> None:
    assert equation_number(text) == text.strip()


@pytest.mark.parametrize("text", ["", "see (1)", "(x)", "(a+b)", "1", ".", "(in Figure 1)", "(" * 50])
def test_other_text_is_no_equation_number(text: str) -> None:
    assert equation_number(text) == ""


# Laws --------------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"\\(?:begin|end)\{\w+\}|\\[A-Za-z]+|\\.|[{}]")


def check_balance(text: str) -> None:
    stack: list[str] = []
    for token in _TOKEN.findall(text):
        if token == "{" or token == "\\left" or token.startswith("\\begin"):
            stack.append(token)
        elif token == "}":
            assert stack and stack.pop() == "{", text
        elif token == "\\right":
            assert stack and stack.pop() == "\\left", text
        elif token.startswith("\\end"):
            assert stack and stack.pop() == token.replace("\\end", "\\begin"), text
    assert not stack, text


def source_letters(node: Any) -> Counter[str]:
    return Counter("".join(plain_letters(t.text or "") for t in node.iter("{*}t")))


@settings(max_examples=100, deadline=None)
@given(trees)
def test_any_formula_balances_and_keeps_every_letter(content: str) -> None:
    """Whatever the tree: braces, \\left and \\right and environments pair up, and no letter or digit is lost."""
    node = omath(content)
    result = omml_to_latex(node)
    check_balance(result.latex)
    if result.latex:
        latex2mathml.converter.convert(result.latex)
    assert not source_letters(node) - Counter(latex_letters(result.latex))


def test_symbols_are_one_to_one_and_read_by_latex2mathml() -> None:
    assert len(COMMANDS) == len(CHARACTERS)
    for command in [*COMMANDS.values(), *(f"\\{name}" for name in FUNCTIONS)]:
        assert command not in latex2mathml.converter.convert(command)


# Corpus ------------------------------------------------------------------------------------------------------------


def corpus_formulas() -> list[tuple[str, Any]]:
    """(file in the corpus, outermost m:oMath) of all formulas of the corpus; empty without it."""
    shared = shared_dir()
    if shared is None:
        return []
    found: list[tuple[str, Any]] = []
    for path in sorted((shared / "corpus").rglob("*")):
        name = path.relative_to(shared / "corpus").as_posix()
        if path.suffix == ".xml" and "omml" in path.parts:
            found += [(name, node) for node in _outermost(etree.parse(path).getroot())]
        elif path.suffix in (".docx", ".docm", ".dotx"):
            found += [(name, node) for node in _formulas_of(path)]
    return found


def _formulas_of(path: Path) -> list[Any]:
    found: list[Any] = []
    try:
        with zipfile.ZipFile(path) as package:
            for name in package.namelist():
                if name.endswith(".xml") and b"oMath" in (data := package.read(name)):
                    found += _outermost(etree.fromstring(data))
    except (zipfile.BadZipFile, NotImplementedError, etree.XMLSyntaxError):
        pass
    return found


def _outermost(root: Any) -> list[Any]:
    formulas = root.iter("{*}oMath")
    return [node for node in formulas if not any(str(a.tag).endswith("}oMath") for a in node.iterancestors())]


def test_every_formula_of_the_corpus_keeps_its_letters() -> None:
    for name, node in corpus_formulas():
        result = omml_to_latex(node)
        assert result.warnings == (), name
        check_balance(result.latex)
        for deleted in node.findall(".//{*}del"):
            deleted.clear()
        assert source_letters(node) == Counter(latex_letters(result.latex)), (name, result.latex)
        assert not re.search(r"\\[A-Za-z]{2}", latex2mathml.converter.convert(result.latex)), (name, result.latex)


@pytest.mark.judge
def test_katex_compiles_every_construct_sign_and_formula_of_the_corpus() -> None:
    if katex_module() is None:
        pytest.skip("KaTeX is not installed (scripts/_judges)")
    formulas = [expected for _, expected in CASES.values()]
    formulas += [*COMMANDS.values(), *(f"\\{name}" for name in FUNCTIONS)]
    formulas += [omml_to_latex(node).latex for _, node in corpus_formulas()]
    errors = {formula: error for formula, error in zip(formulas, compile_errors(formulas), strict=True) if error}
    assert {formula for formula in errors if "«" not in formula} == set()


@pytest.mark.judge
def test_katex_compiles_random_formulas() -> None:
    if katex_module() is None:
        pytest.skip("KaTeX is not installed (scripts/_judges)")
    formulas: list[str] = []

    @settings(max_examples=1_000, deadline=None, database=None, derandomize=True)
    @given(trees)
    def collect(content: str) -> None:
        formulas.append(omml_to_latex(omath(content)).latex)

    collect()
    # KaTeX has no glyph for some signs, such as guillemets, and says so when it is strict.
    answers = compile_errors(formulas, allow_unknown_signs=True)
    assert {formula: answer for formula, answer in zip(formulas, answers, strict=True) if answer} == {}


@pytest.mark.judge
def test_katex_compiles_every_sign_of_unicode() -> None:
    """Signs without a glyph count as compiled here; what KaTeX refuses altogether does not."""
    if katex_module() is None:
        pytest.skip("KaTeX is not installed (scripts/_judges)")
    signs = [
        chr(code)
        for code in range(0xA0, 0x1D800)
        if not 0x3400 <= code < 0xD7A4 and unicodedata.category(chr(code))[0] in "LNPSM"
    ]
    texts = ["a".join(signs[at : at + 20]) for at in range(0, len(signs), 20)]
    formulas = [omml_to_latex(omath(run)).latex for text in texts for run in (r(text), r(text, pr(nor="1")))]
    answers = compile_errors(formulas, allow_unknown_signs=True)
    assert {formula: answer for formula, answer in zip(formulas, answers, strict=True) if answer} == {}


def _pandoc_formulas(value: Any) -> Iterator[str]:
    """LaTeX of the formulas in pandoc's JSON, in order."""
    if isinstance(value, dict):
        if value.get("t") == "Math":
            yield value["c"][1]
        else:
            yield from _pandoc_formulas(value.get("c", value.get("blocks")))
    elif isinstance(value, list):
        for each in value:
            yield from _pandoc_formulas(each)


def _sorted_letters(formula: str) -> str:
    # Order differs where one side writes a limit before its operator.
    return "".join(sorted(latex_letters(formula)))


UNREAD_BY_PANDOC = {
    "docx/dedoc/not_stripped_xml.docx": [r"e^{i\pi}+1=0=2+3"],
    "docx/powertools/WC012-Math-After.docx": [r"A=2\pi r^{2}"],
    "synthetic/math.docx": [r"\bigoplus V", "a=1", "b=2"],
    "synthetic/tables.docx": ["x+1"],
}
"""Formulas that it leaves out, wholly or without their inserted runs, reads as one, or whose operator it does not know."""


@pytest.mark.judge
def test_pandoc_reads_the_same_formulas() -> None:
    if shutil.which("pandoc") is None:
        pytest.skip("pandoc is not installed (scripts/_judges)")
    shared = shared_dir()
    if shared is None:
        pytest.skip("needs the shared corpus")
    unread: dict[str, list[str]] = {}
    for name, formulas in itertools.groupby(corpus_formulas(), key=lambda found: found[0]):
        nodes = [node for _, node in formulas]
        data = (shared / "corpus" / name).read_bytes()
        if name.endswith(".xml"):
            data = docx("".join(p(etree.tostring(node, encoding="unicode", with_tail=False)) for node in nodes))
        command = ["pandoc", "-f", "docx", "-t", "json"]
        done = subprocess.run(command, input=data, capture_output=True, check=True, timeout=600)
        theirs = Counter(map(_sorted_letters, _pandoc_formulas(json.loads(done.stdout))))
        for formula in (omml_to_latex(node).latex for node in nodes):
            if theirs[_sorted_letters(formula)]:
                theirs[_sorted_letters(formula)] -= 1
            else:
                unread.setdefault(name, []).append(formula)
    assert unread == UNREAD_BY_PANDOC
