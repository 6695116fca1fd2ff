"""Items of a formula on their way to LaTeX: runs, arguments, and how they stand side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lrdoc.parsers.docx.math_text import PLAIN, TEXT, Style, function_name, join, text_to_pieces
from lrdoc.text.latex_symbols import LIMIT_FUNCTIONS

ARGUMENTS = frozenset("e num den sub sup deg lim fName mr".split())
SPACE = "\\ "


class Item:
    """A run, an argument or a structure on its way to LaTeX."""

    __slots__ = ("kind", "latex", "name", "number", "rows", "scripts", "style", "text")

    def __init__(
        self,
        name: str,
        latex: str = "",
        text: str = "",
        style: Style = PLAIN,
        kind: str = "",
        rows: list[str] | None = None,
        number: str = "",
        scripts: str = "",
    ) -> None:
        self.name = name
        self.latex = latex
        self.text = text
        """Characters of the file in order, delimiters included."""
        self.style = style
        self.kind = kind
        """What the parent may do with it: "text" (characters alone), "op" (takes limits), "over" and "under" (a brace
        that takes a script), "matrix", "array", "atop", "delimiters"."""
        self.rows: list[str] = rows if rows is not None else []
        """Rows of a matrix or equation array, cells of a matrix row, numerator and denominator without a bar."""
        self.number = number
        self.scripts = scripts
        """Scripts that an operator or brace carries already: "_", "^" or both."""


# Rows ---------------------------------------------------------------------------------------------------------------


def build_argument(name: str, items: list[Item], *, in_array: bool, is_name: bool) -> Item:
    """An argument of a structure: its items side by side."""
    if name == "mr":
        rows = [join(pieces_of([item])) for item in items]
        # Its own LaTeX counts where the row stands in no matrix.
        return Item("mr", join(rows), " ".join(item.text for item in items), rows=rows)
    if in_array:
        return _array_row(items)
    return _row(name, items, is_name=is_name)


def build_equation(items: list[Item]) -> Item:
    """The whole formula. Line breaks make rows."""
    if not any(item.name == "br" for item in items):
        return _row("oMath", items)
    lines: list[list[Item]] = [[]]
    for item in items:
        if item.name == "br":
            lines.append([])
        else:
            lines[-1].append(item)
    rows = [_row("oMath", line) for line in lines]
    rows = [row for row in rows if row.latex]
    if len(rows) < 2:
        return rows[0] if rows else Item("oMath")
    latex = environment("aligned", [row.latex for row in rows])
    numbers = ", ".join(row.number for row in rows if row.number)
    return Item("oMath", latex, "\n".join(row.text for row in rows), number=numbers)


def _row(name: str, items: list[Item], *, is_name: bool = False) -> Item:
    if len(items) == 1 and items[0].name == "r" and not is_name:
        only = items[0]
        return Item(name, join(trimmed(text_to_pieces(only.text, only.style))), only.text, only.style, "text")
    items = [item for item in items if item.name != "aln"]
    text = "".join(item.text for item in items)
    numbers = [item.number for item in items if item.number]
    number = numbers[0] if len(numbers) == 1 else ", ".join(numbers)
    if all(item.name == "r" for item in items):
        if is_name and (command := function_name(text)):
            kind = "op" if text.strip() in LIMIT_FUNCTIONS else "text"
            return Item(name, command, text, kind=kind)
        style = items[0].style if items else PLAIN
        return Item(name, join(trimmed(pieces_of(items))), text, style, kind="text")
    kept = [item for item in items if item.latex or item.text.strip()]
    if len(kept) == 1 and kept[0].name != "r":
        only = kept[0]
        return Item(name, only.latex, text, kind=only.kind, rows=only.rows, number=number, scripts=only.scripts)
    return Item(name, join(trimmed(pieces_of(items))), text, number=number)


def pieces_of(items: Iterable[Item]) -> list[str]:
    """LaTeX of items; neighbouring runs of the same font are read as one text, so that words are not torn."""
    pieces: list[str] = []
    pending: list[str] = []
    style = PLAIN
    for item in items:
        if item.name == "r":
            if pending and item.style != style:
                pieces.extend(text_to_pieces("".join(pending), style))
                pending = []
            style = item.style
            pending.append(item.text)
            continue
        if pending:
            pieces.extend(text_to_pieces("".join(pending), style))
            pending = []
        pieces.append(SPACE if item.name == "br" else item.latex)
    if pending:
        pieces.extend(text_to_pieces("".join(pending), style))
    return pieces


def trimmed(pieces: Sequence[str]) -> Sequence[str]:
    start, end = 0, len(pieces)
    while start < end and pieces[start] in (SPACE, ""):
        start += 1
    while end > start and pieces[end - 1] in (SPACE, ""):
        end -= 1
    return pieces[start:end]


def _array_row(items: list[Item]) -> Item:
    """A row of an equation array: "&" aligns, "#" stands before the number of the equation."""
    cells: list[list[Item]] = [[]]
    number: list[Item] | None = None
    for item in items:
        if number is not None:
            number.append(item)
        elif item.name == "aln":
            cells.append([])
        elif item.name != "r" or item.style == TEXT:
            cells[-1].append(item)
        else:
            before, sign, after = item.text.partition("#")
            first, *others = before.split("&")
            cells[-1].append(_with_text(item, first))
            cells.extend([_with_text(item, other)] for other in others)
            if sign:
                number = [_with_text(item, after)]
    latex = " & ".join(join(trimmed(pieces_of(cell))) for cell in cells)
    text = "".join(item.text for cell in cells for item in cell)
    if number is None:
        return Item("e", latex, text, rows=[latex], kind="" if len(cells) == 1 else "aligned")
    number_text = "".join(item.text for item in number).strip()
    latex = f"{latex} \\qquad {join(trimmed(pieces_of(number)))}"
    return Item("e", latex, f"{text} {number_text}", number=number_text)


def _with_text(item: Item, text: str) -> Item:
    return Item("r", text=text, style=item.style)


def environment(name: str, rows: list[str]) -> str:
    # After "\\" and after "\begin{…}" a bracket would be read as an option.
    guarded = [f"{{}}{row}" if row.startswith(("[", "*")) else row for row in rows]
    body = " \\\\ ".join(guarded)
    return f"\\begin{{{name}}} {body} \\end{{{name}}}"
