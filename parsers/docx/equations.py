"""Equations in a line: inline ones stay in it, display ones stand on a line of their own."""

from __future__ import annotations

from typing import Any

from lrdoc.document import Equation, InlineEquation
from lrdoc.parsers.docx.math import omml_to_latex
from lrdoc.parsers.docx.names import M
from lrdoc.parsers.docx.state import Line

_MATH = M + "oMath"


def read_equation(line: Line, element: Any) -> None:
    """Read an m:oMath or m:oMathPara."""
    options = line.walk.options
    is_display = element.tag != _MATH
    for math in element.iterchildren(_MATH) if is_display else (element,):
        result = omml_to_latex(math, line.source, changes=options.changes, hidden=options.hidden == "body")
        for warning in result.warnings:
            line.reader.warn(warning.code, warning.message, warning.source)
        if not result.latex:
            continue
        if is_display:
            extras = {"number": result.number} if result.number else {}
            line.own_line(Equation(result.latex, source=line.source, extras=extras))
        else:
            line.add(InlineEquation(result.latex, line.source))
