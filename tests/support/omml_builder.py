"""OMML from short calls, and random OMML trees.

omath(r("a"), f(r("b"), r("c")), sup(r("x"), r("2")))
"""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from docx_builder import NAMESPACES
from hypothesis import strategies as st
from lxml import etree

_XMLNS = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())


def omath(*content: str) -> Any:
    """The m:oMath element with this content."""
    return etree.fromstring(f"<m:oMath {_XMLNS}>{''.join(content)}</m:oMath>")


def r(text: str, pr: str = "") -> str:
    """A run; `pr` is the XML inside m:rPr."""
    properties = f"<m:rPr>{pr}</m:rPr>" if pr else ""
    return f'<m:r>{properties}<m:t xml:space="preserve">{escape(text)}</m:t></m:r>'


def pr(**values: str | None) -> str:
    """Properties: pr(sty="p", nor=None)."""
    return "".join(
        f"<m:{name}/>" if value is None else f"<m:{name} m:val={quoteattr(value)}/>" for name, value in values.items()
    )


def struct(name: str, properties: str = "", **arguments: str | list[str]) -> str:
    """A structure: struct("f", pr(type="lin"), num=r("a"), den=r("b"))."""
    inner = f"<m:{name}Pr>{properties}</m:{name}Pr>" if properties else ""
    for argument, content in arguments.items():
        for each in [content] if isinstance(content, str) else content:
            inner += f"<m:{argument}>{each}</m:{argument}>"
    return f"<m:{name}>{inner}</m:{name}>"


def f(num: str, den: str, kind: str = "") -> str:
    return struct("f", pr(type=kind) if kind else "", num=num, den=den)


def sup(base: str, script: str) -> str:
    return struct("sSup", e=base, sup=script)


def sub(base: str, script: str) -> str:
    return struct("sSub", e=base, sub=script)


def d(*contents: str, **signs: str) -> str:
    """Delimiters: d("x", begChr="{", endChr="")."""
    return struct("d", pr(**signs), e=list(contents))


def matrix(rows: list[list[str]]) -> str:
    return struct("m", mr=["".join(f"<m:e>{cell}</m:e>" for cell in row) for row in rows])


def eqarr(*rows: str) -> str:
    return struct("eqArr", e=list(rows))


def func(name: str, argument: str) -> str:
    return struct("func", fName=name, e=argument)


def nary(sign: str | None, lower: str, upper: str, body: str, **more: str) -> str:
    properties = (pr(chr=sign) if sign is not None else "") + pr(**more)
    return struct("nary", properties, sub=lower, sup=upper, e=body)


# Random trees -------------------------------------------------------------------------------------------------------

_SIGNS = ["", "(", ")", "[", "]", "{", "}", "|", "‖", "⟨", "⟩", "⌊", "⌉", "«", "/", "⟦", "<", "!", "\\", "#"]
_TEXTS = st.one_of(
    st.sampled_from(
        ["x", "sin", "lim", "a b", " ", "α", "∑", "𝐀𝒃", "ℝ", "x²y₁", "′", "中文", "é", "50% & #1_$~^{}\\", "[1]", "*",
         "½", "x\u0302", "if x", "→", "≤", "#(1)", "a&b", "ﬁ", "–", "𝛼𝟎", "\u2061", "l\u2009m", "it's", "\"q\"", "№"]
    ),
    st.text("abcxyz0189 +-=<>,.()[]|/'\"!?:;*@`", max_size=8),
)  # fmt: skip
_RUN_PROPERTIES = st.sampled_from(
    ["", pr(sty="p"), pr(sty="b"), pr(sty="bi"), pr(nor=None), pr(scr="double-struck"), pr(scr="script", sty="b"),
     pr(scr="fraktur"), pr(scr="odd"), pr(sty="odd"), pr(aln=None)]
)  # fmt: skip
_ARGUMENTS = {
    "acc": ("e",), "bar": ("e",), "borderBox": ("e",), "box": ("e",), "d": ("e", "e"), "eqArr": ("e", "e"),
    "f": ("num", "den"), "func": ("fName", "e"), "groupChr": ("e",), "limLow": ("e", "lim"), "limUpp": ("e", "lim"),
    "nary": ("sub", "sup", "e"), "phant": ("e",), "rad": ("deg", "e"), "sPre": ("sub", "sup", "e"),
    "sSub": ("e", "sub"), "sSubSup": ("e", "sub", "sup"), "sSup": ("e", "sup"),
}  # fmt: skip
_PROPERTIES = {
    "acc": st.sampled_from(["\u0302", "\u0303", "⃗", "\u20db", "\u033f", "\u20d0", "^", "ˇ", "→", "", "x"]).map(
        lambda sign: pr(chr=sign)
    ),
    "bar": st.sampled_from(["top", "bot", "odd"]).map(lambda pos: pr(pos=pos)),
    "borderBox": st.sampled_from([pr(strikeH=None), pr(strikeBLTR="1", hideTop="on"), pr(strikeTLBR="0")]),
    "d": st.tuples(st.sampled_from(_SIGNS), st.sampled_from(_SIGNS), st.sampled_from([*_SIGNS, ",", "；"])).map(
        lambda signs: pr(begChr=signs[0], endChr=signs[1], sepChr=signs[2])
    ),
    "f": st.sampled_from(["bar", "noBar", "lin", "skw", "odd"]).map(lambda kind: pr(type=kind)),
    "groupChr": st.tuples(
        st.sampled_from(["⏞", "⏟", "→", "⏜", "", "x", "⇔"]), st.sampled_from(["top", "bot"])
    ).map(lambda both: pr(chr=both[0], pos=both[1])),
    "nary": st.tuples(
        st.sampled_from(["∑", "∫", "∮", "⋃", "", "X", "⨿", "字"]), st.sampled_from(["undOvr", "subSup", "odd"])
    ).map(lambda both: pr(chr=both[0], limLoc=both[1])),
    "phant": st.sampled_from([pr(show="0"), pr(show="0", zeroWid=None), pr(zeroAsc="1")]),
    "rad": st.sampled_from([pr(degHide="1"), pr(degHide="0")]),
}  # fmt: skip

runs = st.builds(r, _TEXTS, _RUN_PROPERTIES)


def _structures(content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    row = st.lists(content, max_size=3).map("".join)

    def build(name: str) -> st.SearchStrategy[str]:
        # Any argument may be missing, and so may the properties.
        parts = [
            st.one_of(row.map(lambda text, a=argument: f"<m:{a}>{text}</m:{a}>"), st.just(""))
            for argument in _ARGUMENTS[name]
        ]
        properties = st.one_of(st.just(""), _PROPERTIES.get(name, st.just("")))
        return st.tuples(properties, *parts).map(
            lambda all_: f"<m:{name}><m:{name}Pr>{all_[0]}</m:{name}Pr>{''.join(all_[1:])}</m:{name}>"
        )

    matrices = st.lists(st.lists(row, max_size=3), max_size=3).map(matrix)
    wrapped = st.tuples(st.sampled_from(["w:ins", "w:moveTo", "m:odd", "w:sdt"]), row).map(
        lambda both: f"<{both[0]}>{both[1]}</{both[0]}>"
    )
    return st.one_of(st.sampled_from(sorted(_ARGUMENTS)).flatmap(build), matrices, wrapped)


trees: st.SearchStrategy[str] = st.lists(st.recursive(runs, _structures, max_leaves=12), max_size=4).map("".join)
"""Content of random formulas."""
