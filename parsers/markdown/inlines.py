"""Inline grammar: the tokens of a paragraph, heading or cell become parts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lrdoc.document import MarkKind
from lrdoc.parsers.markdown.flow import Flow
from lrdoc.parsers.markdown.fragments import Fragments
from lrdoc.parsers.markdown.html import KNOWN, read_tag

_MARKED = re.compile(r"[\\`*_~\[<&$]")
"""Without any of these, text is text."""
_MARKS: dict[str, MarkKind] = {
    "em_open": "italic",
    "strong_open": "bold",
    "s_open": "strike",
    "em_close": "italic",
    "strong_close": "bold",
    "s_close": "strike",
}


class Inlines:
    """Reads the inline grammar of one document."""

    def __init__(self, md: MarkdownIt, env: dict[str, Any], fragments: Fragments) -> None:
        self._md = md
        self._env = env
        self._fragments = fragments
        self.note_labels: list[str] = []
        """Labels of the notes that were called since the list was last emptied, in order."""

    def into(self, flow: Flow, content: str) -> None:
        """Append what `content` says to the flow."""
        if _MARKED.search(content) is None:
            if "\n" not in content:
                flow.text(content)
                return
            for n, line in enumerate(content.split("\n")):
                if n:
                    flow.newline()
                flow.text(line.strip(" \t"))
            return
        tokens: list[Token] = []
        self._md.inline.parse(content, self._md, self._env, tokens)
        for token in tokens:
            self._token(flow, token)

    def _token(self, flow: Flow, token: Token) -> None:
        kind = token.type
        if kind == "text" or kind == "text_special":
            flow.text(token.content)
        elif kind == "softbreak" or kind == "hardbreak":
            flow.newline()
        elif kind in _MARKS:
            if token.nesting > 0:
                flow.open(_MARKS[kind])
            else:
                flow.close(_MARKS[kind])
        elif kind == "code_inline":
            flow.code(token.content)
        elif kind == "link_open":
            flow.open("link", str(token.attrs.get("href", "")), str(token.attrs.get("title", "")))
        elif kind == "link_close":
            flow.close("link")
        elif kind == "image":
            alt = alternative_text(token.children or ())
            flow.picture(str(token.attrs.get("src", "")), alt, str(token.attrs.get("title", "")))
        elif kind == "math_inline":
            flow.equation(token.content)
        elif kind == "footnote_ref":
            self.note_labels.append(token.meta["label"])
            flow.note(token.meta["label"])
        elif kind == "html_inline":
            self._html(flow, token.content)
        elif kind == "html_table":
            self._fragments.table(flow, token.content)
        else:
            flow.text(token.content)

    def _html(self, flow: Flow, content: str) -> None:
        if content.startswith("<!--") or (content.startswith("<!") and not content.startswith("<![CDATA[")):
            return
        tag = read_tag(content)
        if tag is None or tag.name not in KNOWN:
            flow.text(content.removeprefix("<![CDATA[").removesuffix("]]>") if content[:2] == "<!" else content)
        else:
            flow.tag(tag)


def alternative_text(tokens: Iterable[Token]) -> str:
    """The words of an image's description; images in it give theirs."""
    words: list[str] = []
    stack = [iter(tokens)]
    while stack:
        token = next(stack[-1], None)
        if token is None:
            stack.pop()
        elif token.type == "image":
            stack.append(iter(token.children or ()))
        elif token.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif token.type != "html_inline":
            words.append(token.content)
    return "".join(words)
