"""Signs of OMML properties and what they are in LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ACCENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "\u0300": ("\\grave", "\\grave"),
        "\u0301": ("\\acute", "\\acute"),
        "\u0302": ("\\hat", "\\widehat"),
        "\u0303": ("\\tilde", "\\widetilde"),
        "\u0304": ("\\bar", "\\overline"),
        "\u0305": ("\\bar", "\\overline"),
        "\u0306": ("\\breve", "\\breve"),
        "\u0307": ("\\dot", "\\dot"),
        "\u0308": ("\\ddot", "\\ddot"),
        "\u030a": ("\\mathring", "\\mathring"),
        "\u030c": ("\\check", "\\check"),
        "\u0331": ("\\underline", "\\underline"),
        "\u0332": ("\\underline", "\\underline"),
        "\u20d6": ("\\overleftarrow", "\\overleftarrow"),
        "\u20d7": ("\\vec", "\\overrightarrow"),
        "\u20db": ("\\dddot", "\\dddot"),
        "\u20dc": ("\\ddddot", "\\ddddot"),
        "\u20e1": ("\\overleftrightarrow", "\\overleftrightarrow"),
    }
)
"""Combining mark to the commands for one sign and for several."""

NESTED_ACCENTS: Mapping[str, str] = MappingProxyType({"\u0333": "\\underline", "\u033f": "\\overline"})
"""Double lines: the command is applied twice."""

STACKED_ACCENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "\u030b": ("\\overset", "{''}"),
        "\u030d": ("\\overset", "|"),
        "\u030e": ("\\overset", "\\|"),
        "\u0311": ("\\overset", "\\frown"),
        "\u20d4": ("\\overset", "\\curvearrowleft"),
        "\u20d5": ("\\overset", "\\curvearrowright"),
        "\u20f0": ("\\overset", "\\ast"),
        "\u20d0": ("\\overset", "\\leftharpoonup"),
        "\u20d1": ("\\overset", "\\rightharpoonup"),
        "\u0323": ("\\underset", "."),
        "\u0324": ("\\underset", ".."),
        "\u0325": ("\\underset", "\\circ"),
        "\u032d": ("\\underset", "\\wedge"),
        "\u0330": ("\\underset", "\\sim"),
        "\u20e8": ("\\underset", "\\ldots"),
        "\u20ec": ("\\underset", "\\rightharpoondown"),
        "\u20ed": ("\\underset", "\\leftharpoondown"),
        "\u20ee": ("\\underset", "\\leftarrow"),
        "\u20ef": ("\\underset", "\\rightarrow"),
    }
)
"""Marks without a command of their own: a sign above or below."""

SPACING_ACCENTS: Mapping[str, str] = MappingProxyType(
    {
        "`": "\u0300", "´": "\u0301", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "∼": "\u0303",
        "¯": "\u0304", "ˉ": "\u0304", "‾": "\u0305", "-": "\u0304", "_": "\u0332", "˘": "\u0306", "˙": "\u0307",
        ".": "\u0307", "¨": "\u0308", "˚": "\u030a", "°": "\u030a", "ˇ": "\u030c", "←": "\u20d6", "→": "\u20d7",
        "↔": "\u20e1", "\u20e1": "\u20e1", "…": "\u20db", "↼": "\u20d0", "⇀": "\u20d1",
    }
)  # fmt: skip
"""Spacing characters that some programs write for the combining mark."""

BIG_OPERATORS: Mapping[str, str] = MappingProxyType(
    {
        "∑": "\\sum", "∏": "\\prod", "∐": "\\coprod", "⋀": "\\bigwedge", "⋁": "\\bigvee", "⋂": "\\bigcap",
        "⋃": "\\bigcup", "⨀": "\\bigodot", "⨁": "\\bigoplus", "⨂": "\\bigotimes", "⨄": "\\biguplus",
        "⨆": "\\bigsqcup",
    }
)  # fmt: skip
"""Operators with limits above and below."""

INTEGRALS: Mapping[str, str] = MappingProxyType(
    {"∫": "\\int", "∬": "\\iint", "∭": "\\iiint", "∮": "\\oint", "∯": "\\oiint", "∰": "\\oiiint"}
)
"""Operators with limits at the side."""

DELIMITERS: Mapping[str, str] = MappingProxyType(
    {
        "(": "(", ")": ")", "[": "[", "]": "]", "{": "\\{", "}": "\\}", "|": "|", "∣": "|", "‖": "\\|", "∥": "\\|",
        "⟨": "\\langle", "⟩": "\\rangle", "〈": "\\langle", "〉": "\\rangle", "\u2329": "\\langle",
        "\u232a": "\\rangle", "❬": "\\langle", "❭": "\\rangle", "<": "<", ">": ">", "⌊": "\\lfloor",
        "⌋": "\\rfloor", "⌈": "\\lceil", "⌉": "\\rceil", "⟮": "\\lgroup", "⟯": "\\rgroup", "⎰": "\\lmoustache",
        "⎱": "\\rmoustache", "↑": "\\uparrow", "↓": "\\downarrow", "↕": "\\updownarrow", "⇑": "\\Uparrow",
        "⇓": "\\Downarrow", "⇕": "\\Updownarrow", "/": "/", "\\": "\\backslash", "∖": "\\backslash", "（": "(",
        "）": ")", "［": "[", "］": "]", "｛": "\\{", "｝": "\\}", "｜": "|",
    }
)  # fmt: skip
"""What may follow \\left, \\middle and \\right."""

MATRICES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("(", ")"): "pmatrix",
        ("[", "]"): "bmatrix",
        ("\\{", "\\}"): "Bmatrix",
        ("|", "|"): "vmatrix",
        ("\\|", "\\|"): "Vmatrix",
    }
)
"""Delimiters to the environment that draws them itself."""

SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "'": "'",
        "%": "\\%", "#": "\\#", "&": "\\&", "$": "\\$", "_": "\\_", "{": "\\{", "}": "\\}", "~": "\\sim",
        "^": "\\hat{}", "\\": "\\backslash", "\u2212": "-", "\u2013": "-", "\u2010": "-", "\u2011": "-",
        "·": "\\cdot", "∙": "\\bullet", "•": "\\bullet", "∶": ":", "⁄": "/", "∕": "/", "‖": "\\|", "〈": "\\langle",
        "〉": "\\rangle", "\u2329": "\\langle", "\u232a": "\\rangle", "⟂": "\\perp", "⊥": "\\perp", "″": "''",
        "‴": "'''", "⁗": "''''", "′": "'", "’": "'", "⩵": "==", "‼": "!!", "\u2061": "", "\u2062": "", "\u2063": "",
        "\u2064": "", "\u200b": "", "\u2060": "", "\ufeff": "", "\u200c": "", "\u200d": "", "\u00ad": "",
        "\u200e": "", "\u200f": "", "（": "(", "）": ")", "［": "[", "］": "]", "｛": "\\{", "｝": "\\}", "｜": "|",
        "＋": "+", "－": "-", "＝": "=", "＜": "<", "＞": ">", "，": ",", "：": ":", "；": ";", "！": "!",
        "？": "?", "○": "\\bigcirc", "●": "\\bullet", "◇": "\\Diamond", "◆": "\\blacklozenge", "∎": "\\blacksquare",
        "►": "\\blacktriangleright", "◄": "\\blacktriangleleft", "▵": "\\vartriangle", "▿": "\\triangledown",
        "⦵": "\\ominus",
        "\u2206": "\\Delta", "Ω": "\\Omega", "\u00b5": "\\mu", "≘": "≘", "≙": "≙", "≚": "≚", "≛": "≛",
        "≝": "≝", "≞": "≞", "≟": "≟", "≆": "≆", "∷": "::", "ℎ": "h", "ⅅ": "D", "ⅆ": "d", "ⅇ": "e", "ⅈ": "i",
        "ⅉ": "j", "Α": "Α", "Β": "Β", "Ε": "Ε", "Ζ": "Ζ", "Η": "Η", "Ι": "Ι", "Κ": "Κ", "Μ": "Μ", "Ν": "Ν",
        "Ο": "Ο", "Ρ": "Ρ", "Τ": "Τ", "Χ": "Χ",
    }
)  # fmt: skip
"""Signs of formulas that are not in `lrdoc.text.latex_symbols`, or that must be escaped."""

SPACES: Mapping[str, str] = MappingProxyType(
    {
        "\u2002": "\\enspace ",
        "\u2003": "\\quad ",
        "\u2004": "\\;",
        "\u2005": "\\:",
        "\u205f": "\\:",
        "\u2006": "\\,",
        "\u2009": "\\,",
        "\u200a": "\\,",
        "\u202f": "\\,",
        "\u3000": "\\quad ",
    }
)
"""Spaces of a certain width; all others are "\\ "."""
