"""Mistakes in text that people wrote: kind, place, expectation and remedy, shown with a caret."""

from __future__ import annotations

from dataclasses import dataclass

_WINDOW = 100
"""Characters of the text that are shown around a mistake."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake (or warning) in a text such as a rule list, a file name or a variable."""

    kind: str
    """Stable identifier in lower_snake_case."""
    message: str
    """One clause: what is wrong and what was expected."""
    column: int = 1
    """Where it starts, from 1; the length of the text + 1 means its end."""
    width: int = 1
    """How many characters it takes, at least 1."""
    hint: str = ""
    """What to write or do instead."""
    within: str = "name"
    """Which text the column counts in: name, LIGHTRAG_PARSER, --rules, --options, --engine or a variable."""
    number: int | None = None
    """Number of the rule, from 1, when the text is a list of rules."""

    def as_dict(self) -> dict[str, str | int]:
        """The form of `route --json` and `rules check --json`."""
        return {
            "kind": self.kind,
            "message": self.message,
            "in": self.within,
            "column": self.column,
            "hint": self.hint,
        }


def show(mistake: Mistake, text: str) -> str:
    """The mistake with its place marked:

    rule 1, column 5: unknown engine 'minru'
        pdf:minru-R,docx:native
            ^^^^^
      did you mean 'mineru'?
    """
    start = min(max(mistake.column - 1, 0), len(text))
    width = max(1, min(mistake.width, len(text) - start))
    left = max(0, start - _WINDOW // 2)
    right = min(len(text), max(start + width, left + _WINDOW))
    right = min(right, left + 2 * _WINDOW)
    width = max(1, min(width, right - start))
    before, after = ("…" if left else ""), ("…" if right < len(text) else "")
    excerpt = before + _flat(text[left:right]) + after
    caret = " " * (_cells(before + _flat(text[left:start]))) + "^" * max(1, _cells(_flat(text[start : start + width])))
    head = f"rule {mistake.number}, " if mistake.number is not None else ""
    lines = [f"{head}column {mistake.column}: {mistake.message}", f"    {excerpt}", f"    {caret}"]
    if mistake.hint:
        lines.append(f"  {mistake.hint}")
    return "\n".join(lines)


def _flat(text: str) -> str:
    """Control characters would break the line under which the caret stands."""
    return "".join(c if c.isprintable() else "�" for c in text)


def _cells(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    import unicodedata

    cells = 0
    for c in text:
        if not unicodedata.combining(c):
            cells += 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return cells
