r"""Equations: `$$…$$`, `\[…\]` and LaTeX environments as blocks, `$…$` inside a line.

Only what is unambiguous is an equation. A price, a shell variable and an escaped bracket stay text.
"""

from __future__ import annotations

import re
from typing import Any

from markdown_it.rules_block import StateBlock, paragraph
from markdown_it.rules_inline import StateInline

_ENVIRONMENT = re.compile(
    r"\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|flalign|displaymath|math)\*?)\}"
)
_OTHER_BLOCK = re.compile(r"#{1,6}(?:[ \t]|$)|```|~~~|(?:-{3,}|={3,})[ \t]*$|</?[A-Za-z][^<>]*>")
"""What no formula holds at the beginning of a line."""

_COMMAND = re.compile(r"\\[A-Za-z]")
_OPERATOR = re.compile(r"[=^]|_[{A-Za-z0-9]|[≤≥≠≈±×÷·∑∏∫√∞∈→]|\w\s*[+*/]\s*\w|\w\s*[<>]\s*\w|\w\s+[-]\s+\w|\\[A-Za-z]")


def block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    r"""A block equation at the start of a line. It ends inside its paragraph and never runs over a heading.

    What follows the closing marks on their line stays text: the equation cannot swallow it.
    """
    start = state.bMarks[start_line] + state.tShift[start_line]
    src = state.src
    first = src[start : start + 1]
    if first not in ("$", "\\") or state.is_code_block(start_line):
        return False
    if src.startswith("$$", start):
        found = _dollars(state, start, start_line, end_line)
    elif src.startswith("\\[", start):
        found = _brackets(state, start, start_line, end_line)
    elif (match := _ENVIRONMENT.match(src, start, state.eMarks[start_line])) is not None:
        found = _environment(state, start, match[1], start_line, end_line)
    else:
        return False
    if found is None:
        return False
    if silent:
        return True
    close_line, close_start, close_end, body_start = found
    token = state.push("math_block", "math", 0)
    token.content = _body(state, start_line, body_start, close_line, close_start)
    token.map = [start_line, close_line + 1]
    rest = src[close_end : state.eMarks[close_line]].strip(" \t")
    state.line = close_line + 1
    if rest:
        _text_after(state, close_line, close_end, end_line)
    return True


def _text_after(state: StateBlock, line: int, pos: int, end_line: int) -> None:
    """The rest of the closing line and the lines that go on with it, as a paragraph."""
    marks = state.bMarks[line], state.tShift[line], state.sCount[line]
    state.bMarks[line], state.tShift[line], state.sCount[line] = pos, 0, state.blkIndent
    line_max, state.lineMax = state.lineMax, min(state.lineMax, end_line)
    paragraph(state, line, end_line, False)
    state.lineMax = line_max
    state.bMarks[line], state.tShift[line], state.sCount[line] = marks


def _stop(state: StateBlock, line: int, end_line: int) -> int:
    """The first line from `line` on that ends the paragraph: empty, outdented, a heading or code.

    Remembered per container, so that many openers without an end cost one walk.
    """
    known: dict[tuple[int, int], tuple[int, int]] = state.env.setdefault("math_stop", {})
    key = (state.level, state.blkIndent)
    first, stop = known.get(key, (0, -1))
    if first <= line < stop:
        return min(stop, end_line)
    stop = line
    while stop < end_line and not state.isEmpty(stop):
        if 0 <= state.sCount[stop] < state.blkIndent:
            break
        begin = state.bMarks[stop] + state.tShift[stop]
        shallow = state.sCount[stop] - state.blkIndent < 4
        if shallow and state.src[begin] in "#`~-=<" and _OTHER_BLOCK.match(state.src[begin : state.eMarks[stop]]):
            break
        stop += 1
    known[key] = (line, stop)
    return stop


def _next(state: StateBlock, mark: str, pos: int) -> int:
    """Offset of the next `mark` from `pos` on, -1 for none; many calls cost one walk over the text."""
    known: dict[str, tuple[int, int]] = state.env.setdefault("math_next", {})
    first, found = known.get(mark, (-1, 0))
    if first >= 0 and first <= pos and (found < 0 or pos <= found):
        return found
    found = state.src.find(mark, pos)
    known[mark] = (pos, found)
    return found


def _escaped(src: str, pos: int) -> bool:
    """An odd number of backslashes stands before `pos`."""
    count = 0
    while pos > count and src[pos - 1 - count] == "\\":
        count += 1
    return count % 2 == 1


Found = tuple[int, int, int, int]
"""Line, start and end of the closing marks; start of the body."""


def _dollars(state: StateBlock, start: int, start_line: int, end_line: int) -> Found | None:
    src = state.src
    end = state.eMarks[start_line]
    body = start + 2
    if src.startswith("$", body):
        return None
    close = src.find("$$", body, end)
    while close >= 0 and _escaped(src, close):
        close = src.find("$$", close + 2, end)
    if close >= 0:
        if not src[body:close].strip():
            return None
        return start_line, close, close + 2, body
    bare = not src[body:end].strip(" \t")
    line = start_line + 1
    if bare:
        # blank lines next to lone marks are tolerated: `$$`, blank, one paragraph, blank, `$$`
        while line < end_line and state.isEmpty(line) and line < start_line + 3:
            line += 1
    stop = _stop(state, line, end_line)
    for at in range(line, stop):
        begin = state.bMarks[at] + state.tShift[at]
        close = src.find("$$", begin, state.eMarks[at])
        while close >= 0 and _escaped(src, close):
            close = src.find("$$", close + 2, state.eMarks[at])
        if close >= 0:
            if line > start_line + 1 and src[begin : state.eMarks[at]].strip(" \t") != "$$":
                return None
            if not src[body:close].strip():
                return None
            return at, close, close + 2, body
    if bare and stop > line:
        after = stop
        while after < end_line and state.isEmpty(after) and after < stop + 2:
            after += 1
        if after < end_line and after > stop and state.sCount[after] >= state.blkIndent:
            begin = state.bMarks[after] + state.tShift[after]
            if src[begin : state.eMarks[after]].strip(" \t") == "$$":
                return after, begin, begin + 2, body
    return None


def _brackets(state: StateBlock, start: int, start_line: int, end_line: int) -> Found | None:
    r"""`\[…\]` is also how brackets are escaped, so the inside must look like mathematics."""
    src = state.src
    body = start + 2
    stop = _stop(state, start_line, end_line)
    if stop <= start_line:
        return None
    limit = state.eMarks[stop - 1]
    close = _next(state, "\\]", body)
    while 0 <= close < limit and src[close - 1] == "\\":  # the line break `\\` before a bracket
        close = _next(state, "\\]", close + 1)
    if close < 0 or close + 2 > limit:
        return None
    line = start_line
    while state.eMarks[line] < close:
        line += 1
    inside = src[body:close]
    alone = not src[body : state.eMarks[start_line]].strip(" \t")
    if not inside.strip() or not (alone or _OPERATOR.search(inside)):
        return None
    return line, close, close + 2, body


def _environment(state: StateBlock, start: int, name: str, start_line: int, end_line: int) -> Found | None:
    stop = _stop(state, start_line, end_line)
    closing = f"\\end{{{name}}}"
    close = _next(state, closing, start)
    if close < 0 or stop <= start_line or close >= state.eMarks[stop - 1]:
        return None
    line = start_line
    while state.eMarks[line] < close:
        line += 1
    # the environment itself is part of the formula
    return line, close + len(closing), close + len(closing), start


def _body(state: StateBlock, first: int, start: int, last: int, end: int) -> str:
    """The formula without the marks of the containers around it."""
    if first == last:
        return state.src[start:end].strip()
    lines = [state.src[start : state.eMarks[first]]]
    lines += [
        state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]] for line in range(first + 1, last)
    ]
    begin = state.bMarks[last] + state.tShift[last]
    lines.append(state.src[min(begin, end) : end])
    return "\n".join(line.rstrip(" \t") for line in lines).strip()


_PRICE = re.compile(r"\d[\d.,]*\s?(?:[kKmMbB]|bn|mn|mio)?[\s,;:.!?-]+(?:[A-Za-z]{2,}|\d)")
_WORDS = re.compile(r"(?<![\\A-Za-z])[^\W\d_]{2,}[\s,;:.]+[^\W\d_]{2,}")
_QUOTED = re.compile(r"\$`([^`$\n]+)`\$")
_BRACES = re.compile(r"\\.|[{}$]", re.DOTALL)
_PARENTHESES = re.compile(r"\\[()]")


def inline_rule(state: StateInline, silent: bool) -> bool:
    r"""`$…$`, `$$…$$`, ``$`…`$`` and `\(…\)` inside a line, when nothing else can be meant."""
    src, pos = state.src, state.pos
    char = src[pos]
    if char == "$":
        found = _inline_dollars(src, pos, state.posMax)
    elif char == "\\" and src.startswith("\\(", pos):
        found = _inline_parentheses(src, pos, state.posMax)
    else:
        return False
    if found is None:
        if char == "$" and src.startswith("$$", pos):
            # the whole run is text, and none of its dollars opens anything
            end = pos
            while end < state.posMax and src[end] == "$":
                end += 1
            if not silent:
                state.append_pending(src[pos:end])
            state.pos = end
            return True
        return False
    end, latex = found
    if not silent:
        token: Any = state.push("math_inline", "math", 0)
        token.content = latex
    state.pos = end
    return True


def _inline_dollars(src: str, pos: int, end: int) -> tuple[int, str] | None:
    before = src[pos - 1 : pos]
    if before and (before in "$\\" or (before.isascii() and before.isalnum())):
        return None
    if src.startswith("$$", pos):
        if src.startswith("$$$", pos):
            return None
        close = src.find("$", pos + 2, end)
        if close < 0 or not src.startswith("$$", close) or src.startswith("$$$", close) or close == pos + 2:
            return None
        inside = src[pos + 2 : close]
        formula = inside.strip(" \t")
        if not formula or formula != inside.strip() or not is_formula(formula):
            return None
        return close + 2, formula
    if src.startswith("`", pos + 1):
        quoted = _QUOTED.match(src, pos, end)
        return (quoted.end(), quoted[1].strip()) if quoted and quoted[1].strip() else None
    if src[pos + 1 : pos + 2].isspace():
        return None
    close = _after_braces(src, pos + 1, end)
    if close < 0:
        close = src.find("$", pos + 1, end)
        while close > 0 and _escaped(src, close):
            close = src.find("$", close + 1, end)
    if close <= pos + 1:
        return None
    inside = src[pos + 1 : close]
    after = src[close + 1 : close + 2]
    if (
        inside[0].isspace()
        or inside[-1].isspace()
        or (after.isascii() and after.isalnum())
        or after == "$"
        or "\n\n" in inside
    ):
        return None
    return (close + 1, inside) if is_formula(inside) else None


_MAX_BRACED = 1000
_MAX_DEPTH = 8


def _after_braces(src: str, pos: int, end: int) -> int:
    r"""The next dollar outside braces, as in `$x = \text{the $n$th}$`; -1 when braces do not match up nearby."""
    depth = 0
    for match in _BRACES.finditer(src, pos, min(end, pos + _MAX_BRACED)):
        mark = match[0]
        if mark == "{":
            depth += 1
            if depth > _MAX_DEPTH:
                return -1
        elif mark == "}":
            depth -= 1
            if depth < 0:
                return -1
        elif mark == "$" and not depth:
            return match.start()
    return -1


def is_formula(inside: str) -> bool:
    """The text between two dollars can only be mathematics."""
    if _PRICE.match(inside):
        return False
    if _COMMAND.search(inside):
        return True
    if _WORDS.search(inside):
        return False
    return bool(_OPERATOR.search(inside)) or not re.search(r"\s", inside) or len(inside) <= 8


def _inline_parentheses(src: str, pos: int, end: int) -> tuple[int, str] | None:
    r"""`\(` is also an escaped parenthesis: commands or operators must show that it is not."""
    close = _PARENTHESES.search(src, pos + 2, end)
    if close is None or close[0] != "\\)":
        return None
    inside = src[pos + 2 : close.start()].strip()
    if not inside or "\n\n" in inside or not (_COMMAND.search(inside) or re.search(r"[=^]|_[{A-Za-z0-9]", inside)):
        return None
    return close.end(), inside
