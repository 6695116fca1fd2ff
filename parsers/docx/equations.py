"""Equations in a paragraph: inline ones stay in the line, display ones stand on a line of their own."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from lrdoc.document import Anchor, Equation, InlineEquation, Text
from lrdoc.parsers.docx.math import equation_number, math_elements, omml_to_latex
from lrdoc.parsers.docx.names import M
from lrdoc.parsers.docx.state import BREAK, Line

_MATH = M + "oMath"
_PUNCTUATION = re.compile(r"[\s.,;:，。；：、]*")


def read_equation(line: Line, element: Any) -> None:
    """Read an m:oMath or m:oMathPara."""
    options = line.walk.options
    is_display = element.tag != _MATH
    for math in math_elements(element):
        result = omml_to_latex(
            math,
            line.source,
            changes=options.changes,
            hidden=options.hidden == "body",
            look=line.reader.context.check,
        )
        for warning in result.warnings:
            line.reader.warn(warning.code, warning.message, warning.source)
        if not result.latex:
            continue
        line.has_equation = True
        if is_display or result.number:
            # Only an equation on a line of its own has a number.
            line.own_line(Equation(result.latex, source=line.source, extras=_extras(result.number)))
        else:
            line.add(InlineEquation(result.latex, line.source))


def settle_equations(line: Line) -> None:
    """Decide, once the paragraph is read, how its equations stand.

    Alone in a paragraph, or with nothing but a number and punctuation beside them, they are display equations even
    where the file does not call them so; in cells, lists and headings they stay in their line. The number stays in the
    text and is told to the equation next to it.
    """
    texts: list[list[str]] = [[]]
    for part in line.parts:
        if isinstance(part, Equation | InlineEquation):
            texts.append([])
        elif type(part) is Text:
            texts[-1].append(part.text)
        elif part is not BREAK and type(part) is not Anchor:
            return
    between = ["".join(words) for words in texts]
    numbers = [_number(text) for text in between]
    if any(number is None for number in numbers):
        return
    number = next((number for number in reversed(numbers) if number), "")
    path = line.source.path
    is_in_cell = path.rfind("/tc[") > path.rfind("/txbxContent[")
    keeps_lines = line.level > 0 or line.number is not None or is_in_cell
    last = max(at for at, part in enumerate(line.parts) if isinstance(part, Equation | InlineEquation))
    parts: list[Any] = []
    for at, part in enumerate(line.parts):
        if type(part) is InlineEquation and not keeps_lines:
            parts += (
                BREAK,
                Equation(part.latex, source=part.source, extras=_extras(number if at == last else "")),
                BREAK,
            )
        elif type(part) is Equation and at == last and number and "number" not in part.extras:
            parts.append(msgspec.structs.replace(part, extras={**part.extras, "number": number}))
        else:
            parts.append(part)
    line.parts[:] = parts
    line.has_breaks = line.has_breaks or not keeps_lines


def _extras(number: str) -> dict[str, str]:
    return {"number": number} if number else {}


def _number(text: str) -> str | None:
    """The number that the text beside an equation is, "" when it is blank or punctuation; None for any other text."""
    if _PUNCTUATION.fullmatch(text):
        return ""
    return equation_number(text.lstrip(" \t\n.,;:，。；：、")) or None
