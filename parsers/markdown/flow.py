"""One stretch of text under construction: its parts, the marks that are open, and the prefix of its lines."""

from __future__ import annotations

import re

from lrdoc.document import Anchor, Drawing, InlineEquation, Item, Mark, MarkKind, NoteRef, Part, Source, Text
from lrdoc.parsers.markdown.html import BLOCKS, MARKS, Tag
from lrdoc.parsers.markdown.images import Pictures, shorten

_ADDRESS = re.compile(r"(?<![A-Za-z0-9_])(?:https?://|www\.)[^\s<>\"'`]+", re.IGNORECASE)
_MAX_DATA = 200
"""Embedded bytes longer than this do not stay in the address of a link."""


class Flow:
    """Collects the parts of one paragraph, heading, cell or HTML fragment."""

    __slots__ = (
        "_active",
        "_after_item",
        "_counts",
        "_links",
        "_one_line",
        "_pictures",
        "_prefix",
        "aside",
        "line_is_empty",
        "parts",
        "source",
        "titles",
    )

    def __init__(self, pictures: Pictures, source: Source, *, prefix: str = "", one_line: bool = False) -> None:
        """`prefix` goes before every line but the first; `one_line` turns line ends into blanks."""
        self.parts: list[Part] = []
        self.source = source
        """Where what comes next is written."""
        self.line_is_empty = True
        self.titles: list[tuple[str, str]] = []
        """Address and title of the links that have one."""
        self.aside: list[Item] = []
        """Pictures and tables that have no place in a heading: they follow it."""
        self._pictures = pictures
        self._prefix = prefix
        self._one_line = one_line
        self._counts: dict[MarkKind, int] = {}
        self._links: list[str] = []
        self._active: tuple[Mark, ...] = ()
        self._after_item = False

    def text(self, text: str) -> None:
        """Characters as they are read."""
        if self._after_item:
            text = text.lstrip(" \t")
        if not text:
            return
        self._begin()
        if not self._links and ("://" in text or "www." in text):
            self._with_addresses(text)
        else:
            self.parts.append(Text(text, self.source, self._active))

    def _with_addresses(self, text: str) -> None:
        """Bare addresses are links, as GitHub shows them."""
        done = 0
        for match in _ADDRESS.finditer(text):
            address = match[0].rstrip("?!.,:;*_~")
            while address.endswith(")") and address.count(")") > address.count("("):
                address = address[:-1].rstrip("?!.,:;*_~")
            if len(address) < 8:
                continue
            target = address if address[:4].lower() != "www." else f"http://{address}"
            if match.start() > done:
                self.parts.append(Text(text[done : match.start()], self.source, self._active))
            done = match.start() + len(address)
            self.parts.append(Text(address, self.source, (*self._active, Mark("link", target))))
        if done < len(text):
            self.parts.append(Text(text[done:], self.source, self._active))

    def code(self, text: str) -> None:
        """Characters in a code span: no addresses in them."""
        if text:
            self._begin()
            self.open("code")
            self.parts.append(Text(text, self.source, self._active))
            self.close("code")

    def _begin(self) -> None:
        """Something is about to be put on the line."""
        if self._after_item:
            self.newline()
        self.line_is_empty = False

    def item(self, item: Item) -> None:
        """A table: it has its line for itself."""
        if self._one_line:
            self.aside.append(item)
            return
        if self._after_item:
            self.newline()
        elif not self.line_is_empty:
            last = self.parts[-1]
            if type(last) is Text and last.text.endswith((" ", "\t")):
                self.parts[-1] = Text(last.text.rstrip(" \t"), last.source, last.marks)
            self.newline()
        self.parts.append(item)
        self.line_is_empty = False
        self._after_item = True

    def newline(self) -> None:
        """A line end of the source."""
        self._after_item = False
        if self._one_line:
            self.parts.append(Text(" ", self.source))
            return
        self.parts.append(Text("\n", self.source))
        if self._prefix:
            self.parts.append(Text(self._prefix))
        self.line_is_empty = True

    def break_line(self) -> None:
        """What comes next stands on a line of its own."""
        if not self.line_is_empty:
            self.newline()

    def equation(self, latex: str) -> None:
        self._begin()
        self.parts.append(InlineEquation(latex, self.source))

    def note(self, mark: str) -> None:
        self._begin()
        self.parts.append(NoteRef(mark, self.source))

    def picture(self, src: str, alt: str, title: str, extras: dict[str, object] | None = None) -> None:
        """A drawing, or its alternative text when it is left out."""
        alt = " ".join(alt.split())
        facts: dict[str, object] = dict(extras or {})
        if alt:
            facts["alt_text"] = alt
        if title:
            facts["title"] = title
        if self._links:
            facts["link"] = shorten(self._links[-1], 2000)
        drawing: Drawing | None = self._pictures.drawing(src, self.source, facts, caption=alt)
        if drawing is None:
            self.text(alt)
            return
        if self._one_line:
            self.aside.append(drawing)
            return
        self._begin()
        self.parts.append(drawing)

    def open(self, kind: MarkKind, target: str = "", title: str = "") -> None:
        if kind == "link":
            if target[:5].lower() == "data:" and len(target) > _MAX_DATA:
                target = f"{target.partition(',')[0][:80]},…"
            self._links.append(target)
            if title:
                self.titles.append((target, title))
        else:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            if self._counts[kind] > 1:
                return
        self._update()

    def close(self, kind: MarkKind) -> None:
        if kind == "link":
            if not self._links:
                return
            self._links.pop()
        else:
            count = self._counts.get(kind, 0)
            if not count:
                return
            self._counts[kind] = count - 1
            if count > 1:
                return
        self._update()

    def _update(self) -> None:
        marks = [Mark(kind) for kind, count in self._counts.items() if count]
        if self._links:
            marks.append(Mark("link", self._links[-1]))
        self._active = tuple(marks)

    def tag(self, tag: Tag) -> None:
        """An HTML tag among the text."""
        name, closing = tag.name, tag.closing
        mark = MARKS.get(name)
        if mark is not None:
            if closing:
                self.close(mark)
            else:
                self.open(mark)
        elif name == "a":
            if closing:
                self.close("link")
            else:
                attributes = tag.attributes
                anchor = attributes.get("id") or attributes.get("name")
                if anchor:
                    self.parts.append(Anchor(anchor))
                if "href" in attributes:
                    self.open("link", attributes["href"], attributes.get("title", ""))
        elif name == "br":
            self.newline()
        elif name == "img":
            self.image_tag(tag)
        elif name == "li" and not closing:
            self.break_line()
            self.parts.append(Text("- "))
        elif name in ("td", "th"):
            if not closing and not self.line_is_empty:
                self.parts.append(Text(" ", self.source))
        elif name in BLOCKS:
            self.break_line()

    def image_tag(self, tag: Tag) -> None:
        """`<img src alt title width height>`."""
        if tag.closing:
            return
        attributes = tag.attributes
        facts: dict[str, object] = {}
        for name in ("width", "height"):
            value = attributes.get(name, "").removesuffix("px").strip()
            if value.isascii() and value.isdigit() and 0 < len(value) < 6:
                facts[f"{name}_px"] = int(value)
        self.picture(attributes.get("src", ""), attributes.get("alt", ""), attributes.get("title", ""), facts)
