"""EQ fields: formulas from the time before Office Math, and what East Asian Word makes of them.

The instruction is the formula: `EQ \\f(1,2)`. Word computes what it shows and stores no result. Most of these fields
come from two dialogs: readings above characters, which become the base with the reading in parentheses like w:ruby,
and enclosed characters. Everything else is brought into the form of Office Math and converted like it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from lxml import etree

from lrdoc.document import Mark
from lrdoc.parsers.docx.equations import read_equation
from lrdoc.parsers.docx.math import MAX_DEPTH
from lrdoc.parsers.docx.names import M
from lrdoc.parsers.docx.state import Line

_NAME = re.compile(r"\s*EQ(?![^\s\\])", re.IGNORECASE)
_FORMATTING = re.compile(r"""\\\*\s*(?:"[^"]*"|“[^”]*”|[^\s"\\]+)""")
_OVERLAID = r"\s*\\o\s*(?:\\a[dclr]\s*)?\("
_PLAIN = r"((?:[^\\(),;]|\\[\\(),;])+)"
_READING = re.compile(rf"{_OVERLAID}\s*\\s\s*\\up\s*+\d*+\s*+\({_PLAIN}\)\s*[,;]{_PLAIN}\)\s*", re.IGNORECASE)
_ENCLOSED = re.compile(rf"{_OVERLAID}\s*([○◯□◇△])\s*[,;]{_PLAIN}\)\s*", re.IGNORECASE)
_ENCLOSING = {"○": "\u20dd", "◯": "\u20dd", "□": "\u20de", "◇": "\u20df", "△": "\u20e4"}
_HEAD = re.compile(
    r"\\([abdfilorsx])\s*+((?>\\(?>[lrbfv]c\s*+\\?+\S|[a-z]{2}\s*+(?:-?\d++)?+)\s*+){0,12}+)\(", re.IGNORECASE
)
"""A structure with its options up to the parenthesis. Nothing is tried twice."""
_OPTION = re.compile(r"\\([lrbfv]c)\s*\\?(\S)|\\([a-z]{2})\s*(-?\d*)", re.IGNORECASE)
_WORDS = re.compile(r"[^\\(),;]+")
_LOOK_EVERY = 5_000
"""Pieces of an instruction between two looks whether to go on; some milliseconds."""
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">", "⟨": "⟩"}


def is_formula(instruction: str) -> bool:
    return _NAME.match(instruction) is not None


def show_formula(line: Line, instruction: str, marks: tuple[Mark, ...] = ()) -> None:
    """Add what Word shows for an EQ field, which stores no result."""
    code = _FORMATTING.sub("", _NAME.sub("", instruction, count=1)).strip()
    reading, enclosed = _READING.fullmatch(code), _ENCLOSED.fullmatch(code)
    if reading is not None and (base := _plain(reading[2])) and (above := _plain(reading[1])):
        line.text(base, marks)
        line.generated("(")
        line.text(above, marks)
        line.generated(")")
    elif enclosed is not None and (inner := _plain(enclosed[2])):
        line.text(inner + _ENCLOSING[enclosed[1]], marks)
    elif not line.is_silent:
        read_equation(line, eq_to_omml(code, line.reader.context.check))


@dataclass(slots=True)
class _Open:
    """A structure whose parenthesis is open."""

    kind: str
    options: dict[str, str]
    arguments: list[list[Any]] = field(default_factory=lambda: [[]])
    """Elements of Office Math, and lists of strings for text."""
    depth: int = 0
    """Parentheses of the text that are open inside of it."""


def eq_to_omml(code: str, look: Callable[[], None] | None = None) -> Any:
    """The m:oMath that an EQ instruction, without its name, stands for. `look` is called now and then."""
    # Word parts arguments with the list separator of the system: a comma where that is no decimal sign.
    separator = ";" if ";" in code else ","
    top = _Open("", {})
    stack = [top]
    at = n_read = 0
    while at < len(code):
        n_read += 1
        if look is not None and not n_read % _LOOK_EVERY:
            look()
        current = stack[-1]
        char = code[at]
        head = _HEAD.match(code, at) if char == "\\" else None
        if head is not None and len(stack) < MAX_DEPTH:
            stack.append(_Open(head[1].lower(), _options(head[2])))
            at = head.end()
            continue
        if head is not None:
            # So deep inside that nothing of it could be told apart.
            current.depth += 1
            _add_text(current, "(")
            at = head.end()
            continue
        if char == "\\":
            _add_text(current, code[at + 1 : at + 2])
            at += 2
            continue
        words = _WORDS.match(code, at)
        if words is not None:
            _add_text(current, words[0])
            at = words.end()
            continue
        at += 1
        if char == separator and not current.depth and len(stack) > 1:
            current.arguments.append([])
        elif char == ")" and not current.depth and len(stack) > 1:
            _close(stack, separator)
        else:
            current.depth = max(0, current.depth + {"(": 1, ")": -1}.get(char, 0))
            _add_text(current, char)
    while len(stack) > 1:
        _close(stack, separator)
    return _element("oMath", top.arguments[0])


def _close(stack: list[_Open], separator: str) -> None:
    closed = stack.pop()
    stack[-1].arguments[-1] += _BUILDERS[closed.kind](closed, separator)


def _add_text(current: _Open, text: str) -> None:
    """Text goes on in the text before it, so that words are not torn."""
    items = current.arguments[-1]
    if items and isinstance(items[-1], list):
        items[-1].append(text)
    else:
        items.append([text])


def _options(text: str) -> dict[str, str]:
    """By their names: the sign or the number that belongs to them."""
    return {(m[1] or m[3]).lower(): (m[2] if m[1] else m[4]) for m in _OPTION.finditer(text)}


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL).strip()


# Structures ---------------------------------------------------------------------------------------------------------


def _element(name: str, children: Iterable[Any] = (), **values: str) -> Any:
    """An element of Office Math; `values` are its properties."""
    element = etree.Element(M + name)
    if values:
        properties = etree.SubElement(element, f"{M}{name}Pr")
        for key, value in values.items():
            etree.SubElement(properties, M + key).set(M + "val", value)
    for child in children:
        if isinstance(child, list):
            etree.SubElement(etree.SubElement(element, M + "r"), M + "t").text = "".join(child)
        else:
            element.append(child)
    return element


def _named(opened: _Open, *names: str) -> list[Any]:
    """Arguments under these names; those beyond them are kept under the last one."""
    last = len(names) - 1
    arguments = [*opened.arguments[:last], [*chain.from_iterable(opened.arguments[last:])]]
    return [_element(name, items) for name, items in zip(names, arguments, strict=False)]


def _side_by_side(opened: _Open, between: str = "") -> list[Any]:
    items: list[Any] = []
    for number, argument in enumerate(opened.arguments):
        if number and between:
            items.append([between])
        items += argument
    return items


def _list(opened: _Open, separator: str) -> list[Any]:
    return _side_by_side(opened, separator)


def _overlaid(opened: _Open, separator: str) -> list[Any]:
    """Signs on top of one another: LaTeX has them side by side."""
    return _side_by_side(opened)


def _array(opened: _Open, separator: str) -> list[Any]:
    columns = max(1, int(opened.options.get("co", "")[:3].lstrip("-") or 1))
    cells = [_element("e", items) for items in opened.arguments]
    return [_element("m", (_element("mr", cells[at : at + columns]) for at in range(0, len(cells), columns)))]


def _brackets(opened: _Open, separator: str) -> list[Any]:
    options = opened.options
    both = options.get("bc", "" if "lc" in options or "rc" in options else "(")
    begin, end = options.get("lc", both), options.get("rc", _CLOSING.get(both, both))
    return [_element("d", [_element("e", _side_by_side(opened, separator))], begChr=begin, endChr=end)]


def _fraction(opened: _Open, separator: str) -> list[Any]:
    return [_element("f", _named(opened, "num", "den"))]


def _integral(opened: _Open, separator: str) -> list[Any]:
    options = opened.options
    sign = options.get("fc") or options.get("vc") or ("∑" if "su" in options else "∏" if "pr" in options else "∫")
    place = "subSup" if "in" in options else "undOvr"
    return [_element("nary", _named(opened, "sub", "sup", "e"), chr=sign, limLoc=place)]


def _root(opened: _Open, separator: str) -> list[Any]:
    return [_element("rad", _named(opened, *(("deg", "e") if len(opened.arguments) > 1 else ("e",))))]


def _script(opened: _Open, separator: str) -> list[Any]:
    """Above or below the line; several arguments stand on top of one another."""
    if len(opened.arguments) > 1:
        return _array(opened, separator)
    if "do" in opened.options:
        return [_element("sSub", [_element("e"), *_named(opened, "sub")])]
    return [_element("sSup", [_element("e"), *_named(opened, "sup")])]


def _box(opened: _Open, separator: str) -> list[Any]:
    content = _element("e", _side_by_side(opened, separator))
    sides = {"to", "bo", "le", "ri"}.intersection(opened.options)
    if sides in ({"to"}, {"bo"}):
        return [_element("bar", [content], pos="top" if "to" in sides else "bot")]
    return [_element("borderBox", [content])]


_BUILDERS: dict[str, Callable[[_Open, str], list[Any]]] = {
    "a": _array,
    "b": _brackets,
    "d": _list,
    "f": _fraction,
    "i": _integral,
    "l": _list,
    "o": _overlaid,
    "r": _root,
    "s": _script,
    "x": _box,
}
