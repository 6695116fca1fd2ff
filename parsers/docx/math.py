"""Office Math (OMML, ISO 29500-1, 22.1) to LaTeX.

The tree is walked with a stack of its own, so that depth costs nothing; what lies deeper than any formula people write
comes out as text. A node that is not understood keeps its text and leaves a warning: it never costs the formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lrdoc.document import ParseWarning, Source
from lrdoc.parsers.docx import math_nodes
from lrdoc.parsers.docx.branches import choose_branch
from lrdoc.parsers.docx.math_items import ARGUMENTS, Item, build_argument, build_equation
from lrdoc.parsers.docx.math_nodes import STRUCTURES
from lrdoc.parsers.docx.math_text import PLAIN, TEXT, Style
from lrdoc.parsers.docx.names import W, local_name
from lrdoc.parsers.docx.symbols import symbol_text

Element = Any

_LOOK_EVERY = 500
"""Structures between two looks whether to go on; some milliseconds."""
MAX_DEPTH = 60
"""Structures inside structures; deeper ones become text. Far beyond what a page can show."""

_TRANSPARENT = frozenset(
    (
        "oMath oMathPara sdt sdtContent smartTag customXml hyperlink fldSimple dir bdo Choice Fallback "
        "AlternateContent moveTo ins"
    ).split()
)
_IGNORED = frozenset(
    (
        "bookmarkStart bookmarkEnd proofErr permStart permEnd commentRangeStart commentRangeEnd sdtPr sdtEndPr "
        "customXmlPr smartTagPr customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart "
        "customXmlDelRangeEnd moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd "
        "lastRenderedPageBreak argSz"
    ).split()
)
_RUN_IGNORED = frozenset(
    (
        "rPr lastRenderedPageBreak softHyphen annotationRef commentReference fldChar instrText delText delInstrText "
        "footnoteReference endnoteReference footnoteRef endnoteRef drawing pict object"
    ).split()
)
_NUMBER = re.compile(
    r"\s*[(（\[【〔]\s*(?:eqn?\.?\s*|式\s*)?[A-Za-z]{0,3}[\s.\-–—]?\d+(?:[.\-–—:]\w{1,4})*[a-z']?\s*[)）\]】〕]\s*[.,;。]?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class MathResult:
    """One formula."""

    latex: str
    """Balanced LaTeX without dollar signs; "" when the formula is empty."""
    warnings: tuple[ParseWarning, ...] = ()
    number: str = ""
    """Number that stands inside the formula (Word's "#(1)"); it is part of `latex` too."""
    text: str = ""
    """The characters of the formula in order, as they stand in the file."""


class _Frame:
    """An element while its children are read."""

    __slots__ = ("children", "depth", "in_array", "is_name", "items", "name", "properties")

    def __init__(self, name: str, children: Iterator[Element], depth: int, is_name: bool, in_array: bool) -> None:
        self.name = name
        self.children = children
        self.depth = depth
        self.is_name = is_name
        """Inside the name of a function."""
        self.in_array = in_array
        """A row of an equation array."""
        self.properties: Element | None = None
        """Its properties element, such as m:fPr."""
        self.items: list[Item] = []


def omml_to_latex(
    node: Element,
    source: Source | None = None,
    *,
    changes: str = "accept",
    hidden: bool = False,
    look: Callable[[], None] | None = None,
) -> MathResult:
    """Convert one m:oMath (or any other math element).

    `changes`: "accept" drops deleted parts, "reject" drops inserted ones, anything else keeps both. `hidden` keeps
    hidden runs. `look` is called now and then (`ParseContext.check`).
    """
    return _Converter(source, changes, hidden, look).convert(node)


def math_elements(node: Element) -> list[Element]:
    """The m:oMath elements of an m:oMathPara (or of itself), in order, nested ones only as part of their outer one."""
    if local_name(node.tag) == "oMath":
        return [node]
    found: list[Element] = []
    stack = [iter(node)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif name := local_name(child.tag):
            if name == "oMath":
                found.append(child)
            elif name in _TRANSPARENT:
                stack.append(_branch(child) if name == "AlternateContent" else iter(child))
    return found


def equation_number(text: str) -> str:
    """The number of an equation when this is all that the text says: " (2.1)" gives "(2.1)"; else ""."""
    return text.strip() if len(text) <= 40 and _NUMBER.fullmatch(text) else ""


class _Converter:
    def __init__(self, source: Source | None, changes: str, hidden: bool, look: Callable[[], None] | None) -> None:
        self._look = look
        self._source = source
        self._keeps_hidden = hidden
        self._dropped = {"accept": ("del", "moveFrom"), "reject": ("ins", "moveTo")}.get(changes, ())
        self._warnings: dict[str, ParseWarning] = {}

    def convert(self, node: Element) -> MathResult:
        alone = local_name(node.tag) in STRUCTURES or local_name(node.tag) == "r"
        stack = [_Frame("oMath", iter((node,) if alone else node), 0, False, False)]
        n_read = 0
        while True:
            frame = stack[-1]
            opened: _Frame | None = None
            for child in frame.children:
                name = local_name(child.tag)
                if name == "r":
                    self._read_run(child, frame.items)
                elif name:
                    opened = self._open(name, child, frame)
                    if opened is not None:
                        stack.append(opened)
                        break
            if opened is None:
                stack.pop()
                if not stack:
                    row = build_equation(frame.items)
                    return MathResult(row.latex, tuple(self._warnings.values()), row.number, row.text)
                self._finish(frame, stack[-1].items)
                n_read += 1
                if self._look is not None and not n_read % _LOOK_EVERY:
                    self._look()

    def _open(self, name: str, child: Element, parent: _Frame) -> _Frame | None:
        """For an element with content the frame to go on with; None when it has none or is read already."""
        if name in ARGUMENTS:
            is_name = name == "fName" or (parent.is_name and name == "e")
            return _Frame(name, iter(child), parent.depth, is_name, name == "e" and parent.name == "eqArr")
        if name in STRUCTURES:
            if parent.depth < MAX_DEPTH:
                return _Frame(name, iter(child), parent.depth + 1, parent.is_name, False)
            self._warn(
                "math_too_deep", f"a formula is nested deeper than {MAX_DEPTH} levels; what lies deeper is kept as text"
            )
            parent.items.extend(self._flat_text(child))
            return None
        if name.endswith("Pr"):
            if parent.properties is None:
                parent.properties = child
            return None
        if name in _IGNORED or name in self._dropped:
            return None
        if name not in _TRANSPARENT and name not in ("del", "moveFrom"):
            self._warn(f"unknown:{name}", f"the math element {name!r} is not understood; its text is kept")
        children = _branch(child) if name == "AlternateContent" else iter(child)
        return _Frame(name, children, parent.depth, parent.is_name, parent.in_array)

    def _finish(self, frame: _Frame, items: list[Item]) -> None:
        if frame.name in STRUCTURES:
            if not _is_deleted(frame, self._dropped):
                items.append(math_nodes.build_structure(frame.name, frame.properties, frame.items))
        elif frame.name in ARGUMENTS:
            items.append(build_argument(frame.name, frame.items, in_array=frame.in_array, is_name=frame.is_name))
        else:
            items.extend(frame.items)

    def _read_run(self, run: Element, items: list[Item]) -> None:
        is_math = run.tag.endswith("/math}r")
        style = PLAIN if is_math else TEXT
        stack = [iter(run)]
        while stack:
            descent: Iterator[Element] | None = None
            for child in stack[-1]:
                name = local_name(child.tag)
                if name == "t" or (name == "delText" and not self._dropped):
                    items.append(Item("r", text=child.text or "", style=style))
                elif name == "rPr":
                    own, is_aligned, is_hidden = _run_style(child)
                    if is_hidden and not self._keeps_hidden:
                        return
                    if is_aligned:
                        items.append(Item("aln"))
                    if is_math and own is not PLAIN:
                        style = own
                elif name in ("br", "cr"):
                    items.append(Item("br"))
                elif name in ("tab", "ptab"):
                    items.append(Item("r", text=" ", style=style))
                elif name == "noBreakHyphen":
                    items.append(Item("r", text="-", style=style))
                elif name == "sym":
                    items.append(Item("r", text=_symbol(child), style=style))
                elif name == "AlternateContent":
                    descent = _branch(child)
                elif name in _TRANSPARENT or (name in ("del", "moveFrom", "r") and name not in self._dropped):
                    descent = iter(child) if name not in self._dropped else None
                elif name and name not in _RUN_IGNORED and name not in self._dropped:
                    self._warn(
                        f"unknown:{name}", f"the element {name!r} inside a formula is not understood and left out"
                    )
                if descent is not None:
                    break
            if descent is None:
                stack.pop()
            else:
                stack.append(descent)

    def _flat_text(self, element: Element) -> list[Item]:
        texts: list[str] = []
        stack = [iter(element)]
        while stack:
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
            elif name := local_name(child.tag):
                if name == "t":
                    texts.append(child.text or "")
                elif name not in self._dropped:
                    stack.append(_branch(child) if name == "AlternateContent" else iter(child))
        return [Item("r", text=" ".join(texts), style=PLAIN)] if texts else []

    def _warn(self, key: str, message: str) -> None:
        code = "math_too_deep" if key == "math_too_deep" else "math_unknown_element"
        self._warnings.setdefault(key, ParseWarning(code, message, self._source))


def _run_style(properties: Element) -> tuple[Style, bool, bool]:
    """(font, stands at an alignment point, is hidden) of a run, from its m:rPr or w:rPr."""
    sty, scr, is_text, aligned, hidden = "i", "roman", False, False, False
    for child in properties:
        name = local_name(child.tag)
        if name == "sty":
            sty = math_nodes.value_of(child) or "i"
        elif name == "scr":
            scr = math_nodes.value_of(child) or "roman"
        elif name == "nor":
            is_text = math_nodes.is_on(child)
        elif name == "aln":
            aligned = math_nodes.is_on(child)
        elif name == "vanish":
            hidden = math_nodes.is_on(child)
    if is_text:
        return TEXT, aligned, hidden
    if sty == "i" and scr == "roman":
        return PLAIN, aligned, hidden
    return Style(sty, scr), aligned, hidden


def _is_deleted(frame: _Frame, dropped: tuple[str, ...]) -> bool:
    """Whether the structure itself was deleted: it is empty and its control character says so."""
    if frame.properties is None or not dropped or any(item.text for item in frame.items):
        return False
    return any(local_name(node.tag) in dropped for node in frame.properties.iter())


def _branch(element: Element) -> Iterator[Element]:
    """Content of the branch of an AlternateContent that is read."""
    branch = choose_branch(element)
    return iter(branch) if branch is not None else iter(())


def _symbol(element: Element) -> str:
    try:
        code = int(element.get(W + "char") or "", 16)
    except ValueError:
        return ""
    return symbol_text(code, element.get(W + "font") or "") if code >= 0x20 else ""
