"""Letters and digits of LaTeX, mapped back to the characters that a formula of a word processor holds.

Compared are letters and digits in their plain form: 𝑥, \\mathbb{R}, ℝ and é are x, R, R and e. All else in a formula is
structure, which an office file keeps in elements and attributes and LaTeX in commands. A command that is not in the
table shows no letter, so a damaged one loses the letter that it stood for.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(
    r"\\(?P<env>begin|end)\s*\{(?P<name>[^{}]*)\}|\\(?P<word>[A-Za-z]+)|\\(?P<single>.)|(?P<other>[^\\]+)", re.DOTALL
)
_COLUMNS = re.compile(r"\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}")
_WITH_COLUMNS = frozenset({"array", "tabular", "alignedat", "alignat"})
_NAMES = frozenset(
    """
    sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim limsup liminf max min sup inf
    det dim ker hom arg deg gcd Pr injlim projlim varlimsup varliminf varinjlim varprojlim argmax argmin bmod mod pmod
    sech csch arccot arcsec arccsc arctg arcctg ctg cotg tg th sh ch cth cosec plim
    """.split()
)
_SPELLED = {
    "varlimsup": "lim", "varliminf": "lim", "varinjlim": "lim", "varprojlim": "lim", "injlim": "injlim",
    "bmod": "mod", "pmod": "mod",
}  # fmt: skip
_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο "
    "pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω digamma ϝ"
).split()
_LETTERS = {
    **dict(zip(_GREEK[::2], _GREEK[1::2], strict=True)),
    **{name.capitalize(): letter.upper() for name, letter in zip(_GREEK[::2], _GREEK[1::2], strict=True)},
    **{f"var{n}": c for n, c in zip(_GREEK[::2], _GREEK[1::2], strict=True)},
    **{f"var{n.capitalize()}": c.upper() for n, c in zip(_GREEK[::2], _GREEK[1::2], strict=True)},
    "varsigma": "ς", "straightphi": "φ", "straightepsilon": "ε",
    "aleph": "ℵ", "beth": "ℶ", "gimel": "ℷ", "daleth": "ℸ", "hbar": "ħ", "hslash": "ħ", "ell": "l", "imath": "ı",
    "jmath": "ȷ", "wp": "℘", "Re": "R", "Im": "I", "eth": "ð", "Bbbk": "k", "i": "ı", "j": "ȷ", "ss": "ß", "ae": "æ",
    "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "dh": "ð",
    "Finv": "Ⅎ", "Angstrom": "Å", "upalpha": "α",
}  # fmt: skip


def _kept(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


@lru_cache(maxsize=4096)
def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKD", text).replace("ς", "σ").replace("ϕ", "φ").replace("ϵ", "ε")
    return "".join(filter(_kept, text))


def plain_letters(text: str) -> str:
    """Letters and digits of text in their plain form."""
    if text.isascii():
        return "".join(filter(str.isalnum, text))
    return _fold(text)


def latex_letters(latex: str) -> str:
    """Letters and digits that a formula shows, in the order of its LaTeX. Linear in its length."""
    pieces: list[str] = []
    position = 0
    while match := _TOKEN.match(latex, position):
        position = match.end()
        if match["other"] is not None:
            pieces.append(plain_letters(match["other"]))
        elif (word := match["word"]) is not None:
            if word in _NAMES:
                pieces.append(_SPELLED.get(word, word))
            else:
                pieces.append(plain_letters(_LETTERS.get(word, "")))
        elif match["env"] == "begin" and match["name"].rstrip("*") in _WITH_COLUMNS:
            columns = _COLUMNS.match(latex, position)
            if columns:
                position = columns.end()
    return "".join(pieces)
