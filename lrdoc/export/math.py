"""Equations as MathML."""

from __future__ import annotations

from functools import lru_cache
from html import escape

_LONGEST = 20_000
_DEEPEST = 60


@lru_cache(maxsize=4096)
def to_mathml(latex: str, *, block: bool) -> str:
    """MathML, or the LaTeX source in `<code>` when it cannot be converted."""
    converted = _convert(latex, "block" if block else "inline")
    if converted is None:
        return f'<code class="latex">{escape(latex, quote=False)}</code>'
    # The source stays with the formula: for copying, and for readers without MathML.
    return converted.replace("<math ", f'<math alttext="{escape(latex)}" ', 1)


def _convert(latex: str, display: str) -> str | None:
    if not latex.strip() or len(latex) > _LONGEST or _depth(latex) > _DEEPEST:
        return None
    # A third of the start-up time of the whole command line: loaded when the first equation is met.
    from latex2mathml import exceptions
    from latex2mathml.converter import convert

    # The library's errors have no common root, and wrong input also breaks its own assumptions.
    errors: list[type[Exception]] = [ArithmeticError, AttributeError, LookupError, RuntimeError, StopIteration]
    errors += [TypeError, ValueError]
    errors += [e for e in vars(exceptions).values() if isinstance(e, type) and issubclass(e, Exception)]
    try:
        return str(convert(latex, display=display))
    except tuple(errors):
        return None


def _depth(latex: str) -> int:
    """How deep braces and environments stand in one another, at most."""
    deepest = depth = 0
    for word in latex.replace(r"\left", "{").replace(r"\right", "}").replace(r"\begin", "{").replace(r"\end", "}"):
        if word == "{":
            depth += 1
            deepest = max(deepest, depth)
        elif word == "}":
            depth -= 1
    return deepest
