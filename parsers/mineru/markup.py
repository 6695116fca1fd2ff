"""Inline markup in the strings of a MinerU bundle: emphasis, code, links, pictures, formulas.

MinerU writes `**bold**`, `~~strike~~`, `<u>`, `<sup>`, `$x$` and `[text](url)` into its strings and escapes what the
page itself shows of `* ~ $` and backquotes with a backslash. What does not pair up is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lrdoc.document import InlineEquation, Mark, MarkKind, Part, Source, Text, merge_text, plain_text
from lrdoc.parsers.services.builder import as_text

_TOKEN = re.compile(
    r"\\[*`~$]|\\\(|\$\$?|\*+|~~|`|!?\[|</?(?:b|strong|i|em|u|s|del|strike|sup|sub)>|\]\(", re.IGNORECASE
)
_DOLLAR = re.compile(r"\$(?![\s$])((?:[^$\\\n]|\\.)+)(?<!\s)\$(?![0-9])")
_DOUBLE = re.compile(r"\$\$((?:[^$\\]|\\.)+)\$\$", re.DOTALL)
_PAREN = re.compile(r"\\\(((?:[^\\\n]|\\[^()\n])+)\\\)")
_CODE = re.compile(r"`([^`\n]+)`")
_TARGET = re.compile(
    r"\]\(\s*<?((?:[a-z][a-z0-9+.-]{1,20}:|#|\.{0,2}/)[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?\s*\)",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[([^\[\]\n]*)\]\(\s*<?([^\s()<>]+)>?(?:\s+\"[^\"\n]*\")?\s*\)")

_TAGS: dict[str, MarkKind] = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "s": "strike",
    "del": "strike",
    "strike": "strike",
    "sup": "sup",
    "sub": "sub",
}
_STYLES: dict[str, MarkKind] = {
    **_TAGS,
    "bold": "bold",
    "italic": "italic",
    "underline": "underline",
    "strikethrough": "strike",
    "superscript": "sup",
    "subscript": "sub",
    "code": "code",
}


def read_markup(text: str, source: Source) -> tuple[Part, ...]:
    """The string as parts; pictures are left as they are written."""
    return _Scanner(text, source).parts()


def split_pictures(text: str) -> list[tuple[str, str, str]]:
    """Stretches of the string, each with the address and the alternative text of the picture behind it."""
    found: list[tuple[str, str, str]] = []
    done = 0
    for match in _IMAGE.finditer(text) if "](" in text else ():
        found.append((text[done : match.start()], match[2], match[1]))
        done = match.end()
    if done < len(text) or not found:
        found.append((text[done:], "", ""))
    return found


def plain(text: str) -> str:
    """The string without markup; formulas keep their dollars."""
    parts = read_markup(text, Source())
    return "".join(f"${part.latex}$" if isinstance(part, InlineEquation) else plain_text((part,)) for part in parts)


class _Node:
    """A stretch of text, a formula, or a delimiter that may still become a mark."""

    __slots__ = ("latex", "text")

    def __init__(self, text: str, latex: str | None = None) -> None:
        self.text = text
        self.latex = latex


class _Scanner:
    def __init__(self, text: str, source: Source) -> None:
        self.text = text
        self.source = source
        self.nodes: list[_Node] = []
        self.open: dict[str, int] = {}
        """Kind of delimiter → index of the node that opened it."""
        self.marks: list[tuple[int, int, Mark]] = []
        """First node, node behind the last one, mark."""

    def parts(self) -> tuple[Part, ...]:
        text = self.text
        if _TOKEN.search(text) is None:
            return (Text(text, self.source),) if text else ()
        pos = 0
        while (match := _TOKEN.search(text, pos)) is not None:
            if match.start() > pos:
                self.nodes.append(_Node(text[pos : match.start()]))
            pos = self._token(match)
        if pos < len(text):
            self.nodes.append(_Node(text[pos:]))
        return self._finish()

    def _token(self, match: re.Match[str]) -> int:
        """Take one token; where to go on."""
        token, start, end = match[0], match.start(), match.end()
        if token[0] == "\\":
            if token == "\\(":
                return self._formula(_PAREN, start, end)
            self.nodes.append(_Node(token[1]))
            return end
        if token[0] == "$":
            return self._formula(_DOUBLE if token == "$$" else _DOLLAR, start, end)
        if token == "`":
            code = _CODE.match(self.text, start)
            if code is None:
                self.nodes.append(_Node(token))
                return end
            self.nodes.append(_Node(code[1]))
            self.marks.append((len(self.nodes) - 1, len(self.nodes), Mark("code")))
            return code.end()
        if token[0] == "<":
            self._tag(token)
        elif token == "[":
            self.open["["] = len(self.nodes)
            self.nodes.append(_Node(token))
        elif token == "](":
            return self._link(start, end)
        elif token[0] in "*~":
            self._delimiter(token, start, end)
        else:
            self.nodes.append(_Node(token))
        return end

    def _formula(self, pattern: re.Pattern[str], start: int, end: int) -> int:
        match = pattern.match(self.text, start)
        if match is None or not match[1].strip():
            self.nodes.append(_Node(self.text[start:end]))
            return end
        self.nodes.append(_Node("", match[1].strip()))
        return match.end()

    def _tag(self, token: str) -> None:
        name = token.strip("</>").lower()
        self.nodes.append(_Node(token))
        if token[1] != "/":
            self.open.setdefault(f"<{name}", len(self.nodes) - 1)
        elif (begin := self.open.pop(f"<{name}", None)) is not None:
            self._mark(begin, Mark(_TAGS[name]))

    def _link(self, start: int, end: int) -> int:
        begin = self.open.pop("[", None)
        target = _TARGET.match(self.text, start) if begin is not None else None
        if target is None or begin is None:
            self.nodes.append(_Node(self.text[start:end]))
            return end
        self.nodes.append(_Node(""))
        self._mark(begin, link(target[1]))
        return target.end()

    def _delimiter(self, token: str, start: int, end: int) -> None:
        before = self.text[start - 1 : start]
        after = self.text[end : end + 1]
        may_open = bool(after) and not after.isspace()
        may_close = bool(before) and not before.isspace()
        kinds: list[tuple[str, MarkKind]] = []
        if token == "~~":
            kinds = [("~~", "strike")]
        elif len(token) == 2:
            kinds = [("**", "bold")]
        elif len(token) == 3:
            kinds = [("**", "bold"), ("*", "italic")]
        elif len(token) == 1:
            # A product such as 2*3*4 is no emphasis.
            kinds = [("*", "italic")]
            may_open = may_open and not _is_word(before)
            may_close = may_close and not _is_word(after)
        if not kinds:
            self.nodes.append(_Node(token))
            return
        for kind, mark in kinds:
            self.nodes.append(_Node("~~" if kind == "~~" else kind))
            if may_close and kind in self.open:
                begin = self.open.pop(kind)
                if begin + 1 < len(self.nodes) - 1:
                    self._mark(begin, Mark(mark))
                    continue
            if may_open:
                self.open[kind] = len(self.nodes) - 1

    def _mark(self, begin: int, mark: Mark) -> None:
        """The stretch between the node `begin` and the last one carries a mark; both are delimiters and vanish."""
        self.nodes[begin].text = self.nodes[-1].text = ""
        self.marks.append((begin, len(self.nodes), mark))

    def _finish(self) -> tuple[Part, ...]:
        starts: dict[int, list[Mark]] = {}
        ends: dict[int, list[Mark]] = {}
        for begin, end, mark in self.marks:
            starts.setdefault(begin, []).append(mark)
            ends.setdefault(end, []).append(mark)
        active: list[Mark] = []
        parts: list[Part] = []
        for index, node in enumerate(self.nodes):
            for mark in ends.get(index, ()):
                active.remove(mark)
            active += starts.get(index, ())
            if node.latex is not None:
                parts.append(InlineEquation(node.latex, self.source))
            elif node.text:
                parts.append(Text(node.text, self.source, order(active)))
        return merge_text(parts)


def link(address: str) -> Mark:
    """A link, or a reference to an anchor of the same document."""
    return Mark("ref", address[1:]) if address.startswith("#") and len(address) > 1 else Mark("link", address)


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def order(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Each mark once, in a fixed order."""
    return tuple(sorted(set(marks), key=lambda mark: (mark.kind, mark.target)))


def read_spans(spans: Any, source: Source, marks: tuple[Mark, ...] = ()) -> tuple[Part, ...]:
    """Typed spans as parts. A string among them is text; what is unknown gives the text in it."""
    parts: list[Part] = []
    stack: list[tuple[Any, tuple[Mark, ...]]] = [(spans, marks)]
    while stack:
        value, around = stack.pop()
        if isinstance(value, str):
            if value:
                parts.append(Text(value, source, order(around)))
        elif isinstance(value, list):
            stack += [(inner, around) for inner in reversed(value)]
        elif isinstance(value, dict):
            kind = as_text(value.get("type"))
            content = value.get("content")
            if "equation" in kind and isinstance(content, str):
                latex = content.strip().strip("$").strip()
                if latex:
                    parts.append(InlineEquation(latex, source))
                continue
            own = around
            styles = value.get("styles", value.get("style"))
            for style in styles if isinstance(styles, list) else ():
                if isinstance(style, str) and style.lower() in _STYLES:
                    own = (*own, Mark(_STYLES[style.lower()]))
            if kind == "code_inline":
                own = (*own, Mark("code"))
            if kind == "hyperlink" and (url := as_text(value.get("url")) or as_text(value.get("href"))):
                own = (*own, link(url))
            children = value.get("children")
            if content in (None, "", []) and children is not None:
                content = children
            stack.append((content, own))
    return merge_text(parts)
