"""LaTeX of the single OMML structures, from their finished arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lrdoc.parsers.docx.math_items import ARGUMENTS, SPACE, Item, environment, pieces_of, trimmed
from lrdoc.parsers.docx.math_tables import (
    ACCENTS,
    BIG_OPERATORS,
    DELIMITERS,
    INTEGRALS,
    MATRICES,
    NESTED_ACCENTS,
    SPACING_ACCENTS,
    STACKED_ACCENTS,
)
from lrdoc.parsers.docx.math_text import PLAIN, join, text_to_pieces
from lrdoc.parsers.docx.names import local_name
from lrdoc.text.latex_symbols import FUNCTIONS, LIMIT_FUNCTIONS

Element = Any

_ATOM = re.compile(
    r"[A-Za-z0-9]|\\[A-Za-z]+|\\(?:operatorname|mathrm|mathbf|mathbb|mathcal|mathfrak|mathsf|mathtt|boldsymbol|text)"
    r"\{[^{}\\]*\}"
)


# Structures ---------------------------------------------------------------------------------------------------------


class _Arguments:
    """Arguments of a structure by name, and whatever else stood in it."""

    def __init__(self, items: list[Item]) -> None:
        self.all: dict[str, list[Item]] = {}
        self.strays: list[Item] = []
        for item in items:
            if item.name in ARGUMENTS:
                self.all.setdefault(item.name, []).append(item)
            elif item.latex or item.text.strip():
                self.strays.append(item)

    def __getitem__(self, name: str) -> Item:
        """The argument; several of a name that allows one are taken together."""
        found = self.all.get(name)
        if found is None:
            return Item(name)
        if len(found) == 1:
            return found[0]
        return Item(name, join(item.latex for item in found), "".join(item.text for item in found))


def build_structure(name: str, properties: Element | None, items: list[Item]) -> Item:
    """LaTeX of a structure such as m:f from its arguments. Everything is optional: files leave out what they like."""
    arguments = _Arguments(items)
    item = STRUCTURES[name](_Properties(properties), arguments)
    item.name = name
    used = _USED[name]
    lost = arguments.strays
    for argument, found in arguments.all.items():
        if argument not in used:
            lost = lost + found
    if lost:
        item = Item(name, join([item.latex, *pieces_of(lost)]), item.text + "".join(each.text for each in lost))
    if not item.text:
        item.text = "".join(each.text for each in items)
    return item


class _Properties:
    """Values of the properties element of a structure, such as m:fPr."""

    def __init__(self, element: Element | None) -> None:
        self._values: dict[str, str | None] = {}
        for each in element if element is not None else ():
            self._values.setdefault(local_name(each.tag), value_of(each))

    def get(self, name: str, default: str = "") -> str:
        """The value; `default` when the property is absent, "" when it has no value."""
        if name not in self._values:
            return default
        return self._values[name] or ""

    def flag(self, name: str, default: bool = False) -> bool:
        return _is_true(self._values[name]) if name in self._values else default


def value_of(element: Element) -> str | None:
    """The m:val of a property, in any namespace."""
    for name, value in element.attrib.items():
        if name == "val" or name.endswith("}val"):
            return str(value)
    return None


def is_on(element: Element) -> bool:
    return _is_true(value_of(element))


def _is_true(value: str | None) -> bool:
    """Whether a property with this value is on; one without a value is."""
    return value is None or value.strip().lower() not in ("0", "false", "off", "no")


def _group(item: Item, scripts: str = "") -> str:
    """The LaTeX as one unit to which something, such as these scripts, may be attached."""
    latex = item.latex
    if not latex:
        return "{}"
    if any(script in item.scripts for script in scripts):
        return f"{{{latex}}}"
    if (
        (len(latex) == 1 and latex.isalnum())
        or item.kind in ("op", "over", "under", "delimiters")
        or _ATOM.fullmatch(latex)
    ):
        return latex
    return f"{{{latex}}}"


def _scripts(sub: Item, sup: Item) -> str:
    return (f"_{{{sub.latex}}}" if sub.latex else "") + (f"^{{{sup.latex}}}" if sup.latex else "")


def _fraction(properties: _Properties, arguments: _Arguments) -> Item:
    top, bottom = arguments["num"], arguments["den"]
    kind = properties.get("type", "bar")
    if kind in ("lin", "skw"):
        return Item("f", f"{_group(top)}/{_group(bottom)}", f"{top.text}/{bottom.text}")
    if kind == "noBar":
        rows = [top.latex, bottom.latex]
        return Item("f", f"{{{{{top.latex}}} \\atop {{{bottom.latex}}}}}", kind="atop", rows=rows)
    return Item("f", f"\\frac{{{top.latex}}}{{{bottom.latex}}}")


def _sup(_: _Properties, arguments: _Arguments) -> Item:
    return _with_scripts(arguments["e"], Item("sub"), arguments["sup"])


def _sub(_: _Properties, arguments: _Arguments) -> Item:
    return _with_scripts(arguments["e"], arguments["sub"], Item("sup"))


def _sub_sup(_: _Properties, arguments: _Arguments) -> Item:
    return _with_scripts(arguments["e"], arguments["sub"], arguments["sup"])


def _with_scripts(base: Item, sub: Item, sup: Item) -> Item:
    upright = base.kind == "text" and base.style.sty == "p" and not base.style.is_text
    if upright and (name := base.text.strip()) in FUNCTIONS and len(name) > 1:
        base = Item("e", f"\\{name}", base.text, kind="op")
    used = ("_" if sub.latex else "") + ("^" if sup.latex else "")
    return Item("sSubSup", _group(base, used) + _scripts(_primes(sub), _primes(sup)))


def _primes(script: Item) -> Item:
    """In a script a prime is a sign, not a script of its own."""
    if script.kind == "text" and script.latex and not script.latex.replace("{}", "").strip("'"):
        count = script.latex.count("'")
        return Item(script.name, "\\prime" * count, script.text)
    return script


def _pre_scripts(_: _Properties, arguments: _Arguments) -> Item:
    return Item("sPre", f"{{}}{_scripts(arguments['sub'], arguments['sup'])}{_group(arguments['e'])}")


def _nary(properties: _Properties, arguments: _Arguments) -> Item:
    sign = properties.get("chr", "∫").strip()
    location = properties.get("limLoc")
    if sign in INTEGRALS:
        operator = INTEGRALS[sign] + ("\\limits" if location == "undOvr" else "")
    elif sign in BIG_OPERATORS:
        operator = BIG_OPERATORS[sign] + ("\\nolimits" if location == "subSup" else "")
    else:
        drawn = join(trimmed(text_to_pieces(sign, PLAIN)))
        operator = f"\\mathop{{{drawn}}}" + ("\\nolimits" if location == "subSup" else "\\limits")
    sub, sup, body = arguments["sub"], arguments["sup"], arguments["e"]
    if operator.endswith("limits") and not sub.latex and not sup.latex:
        operator = operator.removesuffix("\\nolimits").removesuffix("\\limits")
    head = operator + _scripts(_primes(sub), _primes(sup))
    latex = f"{head} {body.latex}" if body.latex else head
    return Item("nary", latex, sign + sub.text + sup.text + body.text)


def _limit(base: Item, limit: Item, *, above: bool) -> Item:
    if not limit.latex:
        return Item("lim", base.latex, kind=base.kind, scripts=base.scripts)
    sign = "^" if above else "_"
    name = base.text.strip() if base.kind == "text" else ""
    operator = ""
    if name in LIMIT_FUNCTIONS:
        operator = f"\\{name}"
    elif name in BIG_OPERATORS or name in INTEGRALS:
        operator = (BIG_OPERATORS.get(name) or INTEGRALS[name]) + "\\limits"
    elif base.kind in ("op", "over" if above else "under") and sign not in base.scripts:
        operator = base.latex
    if operator:
        kind = base.kind if base.kind != "text" else "op"
        return Item("lim", f"{operator}{sign}{{{limit.latex}}}", kind=kind, scripts=base.scripts + sign)
    return Item("lim", f"\\{'over' if above else 'under'}set{{{limit.latex}}}{{{base.latex}}}")


def _limit_below(_: _Properties, arguments: _Arguments) -> Item:
    return _limit(arguments["e"], arguments["lim"], above=False)


def _limit_above(_: _Properties, arguments: _Arguments) -> Item:
    return _limit(arguments["e"], arguments["lim"], above=True)


def _function(_: _Properties, arguments: _Arguments) -> Item:
    name, argument = arguments["fName"], arguments["e"]
    if name.latex.startswith("\\operatorname") and argument.latex[:1] in ("", "{"):
        return Item("func", f"{name.latex} {argument.latex}".rstrip())
    return Item("func", join([name.latex, argument.latex]))


def _radical(_: _Properties, arguments: _Arguments) -> Item:
    degree, radicand = arguments["deg"], arguments["e"]
    if not degree.latex:
        return Item("rad", f"\\sqrt{{{radicand.latex}}}")
    # Brackets would end the option; braces at both ends are taken for one pair around it.
    is_plain = degree.latex[0] != "{" and not ("]" in degree.latex or "[" in degree.latex)
    inner = degree.latex if is_plain else f"{{{degree.latex}}}"
    return Item("rad", f"\\sqrt[{inner}]{{{radicand.latex}}}")


def _accent(properties: _Properties, arguments: _Arguments) -> Item:
    base = arguments["e"]
    sign = properties.get("chr", "\u0302").strip() or "\u0302"
    sign = SPACING_ACCENTS.get(sign, sign)
    if sign in ACCENTS:
        single, several = ACCENTS[sign]
        return Item("acc", f"{single if _ATOM.fullmatch(base.latex) else several}{{{base.latex}}}")
    if sign in NESTED_ACCENTS:
        command = NESTED_ACCENTS[sign]
        return Item("acc", f"{command}{{{command}{{{base.latex}}}}}")
    if sign in STACKED_ACCENTS:
        command, drawn = STACKED_ACCENTS[sign]
        return Item("acc", f"{command}{{{drawn}}}{{{base.latex}}}")
    return Item("acc", f"\\overset{{{join(text_to_pieces(sign, PLAIN))}}}{{{base.latex}}}")


def _bar(properties: _Properties, arguments: _Arguments) -> Item:
    command = "\\overline" if properties.get("pos", "bot") == "top" else "\\underline"
    return Item("bar", f"{command}{{{arguments['e'].latex}}}")


def _group_character(properties: _Properties, arguments: _Arguments) -> Item:
    base = arguments["e"].latex
    sign = properties.get("chr", "\u23df").strip()
    above = properties.get("pos", "bot") == "top"
    if sign == "\u23de" and above:
        return Item("groupChr", f"\\overbrace{{{base}}}", kind="over")
    if sign == "\u23df" and not above:
        return Item("groupChr", f"\\underbrace{{{base}}}", kind="under")
    if not sign:
        return Item("groupChr", base)
    drawn = {"\u23de": "\\frown", "\u23df": "\\smile", "\u23dc": "\\frown", "\u23dd": "\\smile"}.get(sign)
    drawn = drawn or join(text_to_pieces(sign, PLAIN))
    if above and sign in ("→", "←", "↔"):
        arrow = {"→": "\\overrightarrow", "←": "\\overleftarrow", "↔": "\\overleftrightarrow"}[sign]
        return Item("groupChr", f"{arrow}{{{base}}}")
    return Item("groupChr", f"\\{'over' if above else 'under'}set{{{drawn}}}{{{base}}}")


def _border_box(properties: _Properties, arguments: _Arguments) -> Item:
    latex = arguments["e"].latex
    up, down = properties.flag("strikeBLTR"), properties.flag("strikeTLBR")
    if up or down or properties.flag("strikeH") or properties.flag("strikeV"):
        latex = f"\\{'xcancel' if up and down else 'bcancel' if down else 'cancel'}{{{latex}}}"
    if not all(properties.flag(f"hide{side}") for side in ("Top", "Bot", "Left", "Right")):
        latex = f"\\boxed{{{latex}}}"
    return Item("borderBox", latex)


def _box(_: _Properties, arguments: _Arguments) -> Item:
    inner = arguments["e"]
    return Item("box", inner.latex, inner.text, kind=inner.kind, rows=inner.rows, scripts=inner.scripts)


def _phantom(properties: _Properties, arguments: _Arguments) -> Item:
    latex = arguments["e"].latex
    if properties.flag("show", True):
        return Item("phant", f"{{{latex}}}" if latex else "")
    if properties.flag("zeroWid"):
        return Item("phant", f"\\vphantom{{{latex}}}")
    if properties.flag("zeroAsc") and properties.flag("zeroDesc"):
        return Item("phant", f"\\hphantom{{{latex}}}")
    return Item("phant", f"\\phantom{{{latex}}}")


def _delimited(properties: _Properties, arguments: _Arguments) -> Item:
    contents = arguments.all.get("e", [])
    begin_sign, end_sign = properties.get("begChr", "("), properties.get("endChr", ")")
    separator = properties.get("sepChr", "|")
    text = begin_sign + separator.join(item.text for item in contents) + end_sign
    begin, end = _delimiter(begin_sign), _delimiter(end_sign)
    if len(contents) == 1:
        only = contents[0]
        if only.kind == "matrix" and begin is not None and (begin, end) in MATRICES:
            name = MATRICES[begin, str(end)]
            return Item("d", environment(name, only.rows), text, kind="delimiters")
        if only.kind == "atop" and (begin, end) == ("(", ")"):
            return Item("d", f"\\binom{{{only.rows[0]}}}{{{only.rows[1]}}}", text, kind="delimiters")
        if only.kind == "array" and begin == "\\{" and end == "." and all(row.count(" & ") < 2 for row in only.rows):
            return Item("d", environment("cases", only.rows), text, number=only.number)
    number = next((item.number for item in contents if item.number), "")
    if begin is None or end is None or (begin == "." and end == "." and len(contents) < 2):
        inner = _separated(contents, separator, middle=False)
        signs = [join(text_to_pieces(sign, PLAIN)) if sign.strip() else "" for sign in (begin_sign, end_sign)]
        return Item("d", f"{{{join([signs[0], inner, signs[1]])}}}", text, number=number)
    inner = _separated(contents, separator, middle=True)
    head = join([f"\\left{begin}", inner])
    closing = join([head, f"\\right{end}"])
    return Item("d", closing, text, kind="delimiters", number=number)


def _separated(contents: list[Item], sign: str, *, middle: bool) -> str:
    delimiter = _delimiter(sign)
    if middle and delimiter is not None and delimiter not in (".", "/"):
        between = f" \\middle{delimiter} "
    else:
        between = join(text_to_pieces(sign, PLAIN)) if sign.strip() else SPACE
        between = f"{between} "
    return between.join(item.latex for item in contents)


def _delimiter(sign: str) -> str | None:
    """What follows \\left or \\right; "." for none; None for a sign that cannot stand there."""
    sign = sign.strip()
    return DELIMITERS.get(sign) if sign else "."


def _matrix(_: _Properties, arguments: _Arguments) -> Item:
    rows = [" & ".join(item.rows) for item in arguments.all.get("mr", [])]
    text = " ".join(item.text for item in arguments.all.get("mr", []))
    return Item("m", environment("matrix", rows), text, kind="matrix", rows=rows)


def _equation_array(_: _Properties, arguments: _Arguments) -> Item:
    lines = arguments.all.get("e", [])
    rows = [item.latex for item in lines]
    text = "\n".join(item.text for item in lines)
    numbers = [item.number for item in lines if item.number]
    number = ", ".join(numbers)
    if len(rows) == 1 and " & " not in rows[0]:
        return Item("eqArr", rows[0], text, kind="array", rows=rows, number=number)
    return Item("eqArr", environment("aligned", rows), text, kind="array", rows=rows, number=number)


STRUCTURES: dict[str, Callable[[_Properties, _Arguments], Item]] = {
    "acc": _accent,
    "bar": _bar,
    "borderBox": _border_box,
    "box": _box,
    "d": _delimited,
    "eqArr": _equation_array,
    "f": _fraction,
    "func": _function,
    "groupChr": _group_character,
    "limLow": _limit_below,
    "limUpp": _limit_above,
    "m": _matrix,
    "nary": _nary,
    "phant": _phantom,
    "rad": _radical,
    "sPre": _pre_scripts,
    "sSub": _sub,
    "sSubSup": _sub_sup,
    "sSup": _sup,
}
_USED: dict[str, tuple[str, ...]] = {
    "d": ("e",),
    "eqArr": ("e",),
    "f": ("num", "den"),
    "func": ("fName", "e"),
    "limLow": ("e", "lim"),
    "limUpp": ("e", "lim"),
    "m": ("mr",),
    "nary": ("sub", "sup", "e"),
    "rad": ("deg", "e"),
    "sPre": ("sub", "sup", "e"),
    "sSub": ("e", "sub"),
    "sSubSup": ("e", "sub", "sup"),
    "sSup": ("e", "sup"),
} | dict.fromkeys(("acc", "bar", "borderBox", "box", "groupChr", "phant"), ("e",))
