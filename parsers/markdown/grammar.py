"""The grammar: CommonMark and GFM by markdown-it-py, with the few rules that are our own.

The library's tokens are the interface to the mapping in `blocks`. What is changed here and why:
- block nesting beyond the limit keeps its text (the library drops it);
- links are not rewritten or filtered, since nothing is rendered to HTML: `data:` pictures must get through;
- an HTML block runs on to the end of a table that it opens, blank lines or not;
- equations, footnote references and tables inside a line are rules of their own.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.helpers import parseLinkLabel, parseLinkTitle
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock, html_block, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote.index import footnote_def

from lrdoc.parsers.markdown import math
from lrdoc.parsers.markdown.tabletags import match_tables

MAX_NESTING = 32
"""Containers inside containers, and brackets inside brackets; a list and its items are two levels. What lies deeper
is text. It bounds the recursion and the work per character."""

Check = Callable[[], None]


def make_grammar(check: Check, *, inline_math: bool) -> MarkdownIt:
    """A parser for one document; `check` is called all the time and raises to stop the work."""
    md = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING, "html": True})
    md.options["strikethrough_single_tilde"] = True
    md.block = _Blocks(check)
    md.inline = _Inlines(check)
    md.inline.ruler.disable("linkify")
    # all addresses stay as they are written: nothing is rendered here
    md.normalizeLink = lambda url: url  # type: ignore[method-assign]
    md.validateLink = lambda url: True  # type: ignore[method-assign]
    md.helpers = SimpleNamespace(  # type: ignore[assignment]
        parseLinkDestination=_link_destination, parseLinkLabel=parseLinkLabel, parseLinkTitle=parseLinkTitle
    )
    md.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    md.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    md.block.ruler.before("reference", "footnote_def", footnote_def, {"alt": ["paragraph", "reference"]})
    deflist_plugin(md)
    md.block.ruler.before(
        "fence", "math_block", math.block_rule, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    md.inline.ruler.before("link", "footnote_ref", _footnote_ref)
    md.inline.ruler.before("html_inline", "html_table", _inline_table)
    if inline_math:
        md.inline.ruler.before("escape", "math_inline", math.inline_rule)
    return md


class _Blocks(ParserBlock):
    """The library's block loop with a look at the caller's wish to stop, and text instead of loss when too deep."""

    def __init__(self, check: Check) -> None:
        super().__init__()
        self._check = check

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        rules = self.ruler.getRules("")
        line = startLine
        empty_lines = False
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            self._check()
            if state.level >= MAX_NESTING:
                _rest_as_paragraph(state, line, endLine)
            else:
                for rule in rules:
                    if rule(state, line, endLine, False):
                        break
            state.tight = not empty_lines
            line = state.line
            if (line - 1) < endLine and state.isEmpty(line - 1):
                empty_lines = True
            if line < endLine and state.isEmpty(line):
                empty_lines = True
                line += 1
                state.line = line


def _rest_as_paragraph(state: StateBlock, line: int, end: int) -> None:
    """Everything that belongs to the innermost container, as one paragraph."""
    stop = line + 1
    while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= state.blkIndent):
        stop += 1
    opening = state.push("paragraph_open", "p", 1)
    opening.map = [line, stop]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(line, stop, state.blkIndent, False).strip(" \t\n")
    inline.map = [line, stop]
    inline.children = []
    state.push("paragraph_close", "p", -1)
    state.line = stop


class _Inlines(ParserInline):
    """The library's inline loop with a look at the caller's wish to stop."""

    def __init__(self, check: Check) -> None:
        super().__init__()
        self._check = check

    def tokenize(self, state: StateInline) -> None:
        rules = self.ruler.getRules("")
        end = state.posMax
        steps = 0
        while state.pos < end:
            steps += 1
            if not steps & 0xFF:
                self._check()
            done = False
            if state.level < MAX_NESTING:
                for rule in rules:
                    done = rule(state, False)
                    if done:
                        break
            if not done:
                state.append_pending(state.src[state.pos])
                state.pos += 1
        if state.pending:
            state.pushPending()


_BARE = re.compile(r"[^\x00-\x20\x7f()\\]+")
_POINTED = re.compile(r"[^\n<>\\]+")


def _link_destination(text: str, pos: int, end: int) -> SimpleNamespace:
    """The library's rule for link destinations; it reads an embedded picture in one step, not byte by byte."""
    failed = SimpleNamespace(ok=False, pos=0, str="")
    start = pos
    if pos < end and text[pos] == "<":
        pos += 1
        start = pos
        while pos < end:
            char = text[pos]
            if char in "\n<":
                return failed
            if char == ">":
                return SimpleNamespace(ok=True, pos=pos + 1, str=unescapeAll(text[start:pos]))
            if char == "\\":
                pos += 2 if pos + 1 < end else 1
            else:
                match = _POINTED.match(text, pos, end)
                pos = match.end() if match else pos + 1
        return failed
    depth = 0
    while pos < end:
        char = text[pos]
        if char == "\\":
            if pos + 1 < end and text[pos + 1] == " ":
                break
            pos += 2 if pos + 1 < end else 1
        elif char == "(":
            depth += 1
            if depth > 32:
                return failed
            pos += 1
        elif char == ")":
            if not depth:
                break
            depth -= 1
            pos += 1
        else:
            match = _BARE.match(text, pos, end)
            if match is None:
                break
            pos = match.end()
    if start == pos or depth:
        return failed
    return SimpleNamespace(ok=True, pos=pos, str=unescapeAll(text[start:pos]))


_NOTE_REF = re.compile(r"\[\^([^\]\[\s]{1,999})\]")


def _footnote_ref(state: StateInline, silent: bool) -> bool:
    """`[^label]`, when the label is defined somewhere."""
    if not state.src.startswith("[^", state.pos):
        return False
    labels = state.env.get("footnotes", {}).get("refs")
    if not labels:
        return False
    match = _NOTE_REF.match(state.src, state.pos, state.posMax)
    if match is None or ":" + match[1] not in labels:
        return False
    if not silent:
        token = state.push("footnote_ref", "", 0)
        token.content = match[0]
        token.meta = {"label": match[1]}
    state.pos = match.end()
    return True


def _inline_table(state: StateInline, silent: bool) -> bool:
    """`<table>…</table>` inside a line of text, with its nested tables."""
    pos = state.pos
    if state.src[pos] != "<" or state.src[pos + 1 : pos + 6].lower() != "table":
        return False
    known: dict[str, dict[int, int]] = state.env.setdefault("inline_tables", {})
    spans = known.get(state.src)
    if spans is None:
        spans = known[state.src] = dict(match_tables(state.src))
    end = spans.get(pos)
    if end is None or end > state.posMax:
        return False
    if not silent:
        token = state.push("html_table", "", 0)
        token.content = state.src[pos:end]
    state.pos = end
    return True


def _table(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The library's table; cells beyond the last column, which it drops, are noted on the table's token."""
    first = len(state.tokens)
    if not table(state, startLine, endLine, silent):
        return False
    if silent:
        return True
    opening = state.tokens[first]
    columns = 0
    while state.tokens[first + 3 + 3 * columns].type == "th_open":
        columns += 1
    for line in range(startLine + 2, state.line):
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip(" \t")
        if text.count("|") < columns:
            continue
        cells = escapedSplit(text)
        if cells and not cells[0]:
            cells.pop(0)
        beyond = [cell.strip() for cell in cells[columns:]]
        while beyond and not beyond[-1]:
            beyond.pop()
        if beyond:
            opening.meta.setdefault("beyond", []).append((line - startLine - 1, beyond))
    return True


_UNENDING = (
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE | re.ASCII),
        re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE | re.ASCII),
    ),
)
"""HTML blocks that run to the end of the document when nothing closes them."""


def _never_ends(state: StateBlock, line: int) -> bool:
    """The line opens a comment, a script or the like that is closed nowhere: it would swallow all that follows."""
    start = state.bMarks[line] + state.tShift[line]
    for number, (opening, closing) in enumerate(_UNENDING):
        match = opening.match(state.src, start, state.eMarks[line])
        if match is None:
            continue
        known: dict[int, tuple[int, int]] = state.env.setdefault("html_ends", {})
        begin, found = known.get(number, (-1, -2))
        if found == -2 or begin > start or -1 < found < match.end():
            end = closing.search(state.src, match.end())
            begin, found = start, end.start() if end is not None else -1
            known[number] = begin, found
        return found < 0
    return False


_FENCE = re.compile(r"^[ \t>]{0,40}(?:```|~~~)", re.MULTILINE)


def _open_fence(state: StateBlock, first: int, last: int) -> bool:
    """Code begins between the lines and does not end there: the closing tag may be part of it."""
    if "fences" not in state.env:
        state.env["fences"] = [match.end() for match in _FENCE.finditer(state.src)]
    fences: list[int] = state.env["fences"]
    begin = bisect.bisect_left(fences, state.bMarks[first])
    return (bisect.bisect_left(fences, state.eMarks[last] + 1) - begin) % 2 == 1


def _first_outdented(state: StateBlock, line: int, end: int) -> int:
    """The first line from `line` on that belongs to an outer container. Many calls cost one walk: it is remembered."""
    known: dict[tuple[int, int], tuple[int, int]] = state.env.setdefault("outdented", {})
    key = (state.level, state.blkIndent)
    first, found = known.get(key, (0, -1))
    if not first <= line < found:
        found = line
        while found < end and (state.sCount[found] >= state.blkIndent or state.isEmpty(found)):
            found += 1
        known[key] = line, found
    return min(found, end)


def _html_block(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The library's HTML block, longer when a table in it is still open at the blank line that ends it."""
    start = state.bMarks[startLine] + state.tShift[startLine]
    if not state.src.startswith("<", start) or _never_ends(state, startLine):
        return False
    if not html_block(state, startLine, endLine, silent):
        return False
    if silent:
        return True
    env: dict[str, Any] = state.env  # type: ignore[assignment]
    if "block_tables" not in env:
        spans = match_tables(state.src)
        env["block_tables"] = ([start for start, _ in spans], [end for _, end in spans])
    starts, ends = env["block_tables"]
    token = state.tokens[-1]
    end = first_end = state.line
    index = bisect.bisect_left(starts, state.bMarks[startLine])
    close = 0
    while True:
        while index < len(starts) and starts[index] < state.eMarks[end - 1]:
            close = max(close, ends[index])
            index += 1
        if close <= state.eMarks[end - 1]:
            break
        last = bisect.bisect_left(state.eMarks, close)
        if last >= _first_outdented(state, end, endLine) or _open_fence(state, end, last):
            break
        end = last + 1
    if end != first_end:
        token.content = state.getLines(startLine, end, state.blkIndent, True)
        token.map = [startLine, end]
        state.line = end
    return True
