"""HTML as a browser shows it: text with headings, lists and tables; no scripts, styles or hidden elements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from lrdoc.document import Source, Text
from lrdoc.errors import LimitExceeded, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.html_guard import guard
from lrdoc.parsers.legacy.output import TextOut
from lrdoc.parsers.legacy.plain import read_text, xml_declared_encoding

_SKIPPED = (
    "applet audio canvas datalist embed head iframe map noembed noframes object script style svg template video "
    "- -comment -doctype -document"
).split()
"""Elements that hold no text to be read, and what is no element: instructions, comments."""
_BLOCKS = (
    "address aside body caption center dd details dialog dir div dt fieldset figcaption footer form frameset header "
    "hgroup html legend main menu nav noscript optgroup option search select summary tbody tfoot thead"
).split()
_SPACED = "article blockquote dl figure h1 h2 h3 h4 h5 h6 hr p section".split()
"""Blocks with a blank line before and after."""
_META_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]+)", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_HIDING = ("hidden", "display", "visibility")
_BREAK = "\0"
"""Ends a line inside a paragraph or cell; HTML text holds no such character, and its own line ends are blanks."""
_BLANKS = re.compile(r"[ \t\n\r\f]{2,}|[\t\n\r\f]")


def one_blank(text: str) -> str:
    """Every run of blanks becomes one; most texts hold none and are told apart without a search."""
    if text.isprintable() and "  " not in text:
        return text
    return _BLANKS.sub(" ", text)


def declared_encoding(head: bytes) -> str | None:
    """Encoding named by an XML declaration or a meta element (HTML standard, 13.2.3.2)."""
    named = xml_declared_encoding(head)
    if named is None:
        found = _META_CHARSET.search(head)
        named = found.group(1).decode("ascii") if found else None
    if named is not None and named.lower().replace("_", "-").startswith("utf-16"):
        return "utf-8"  # a meta element that can be read as ASCII cannot stand in UTF-16
    return named


def read_html(source: SourceFile, out: TextOut) -> str:
    with source.path.open("rb") as stream:
        head = stream.read(4096)
    text = read_text(source, out, declared_encoding(head))
    return write_html(text, out, Source())


def write_html(text: str, out: TextOut, where: Source) -> str:
    """Write the visible text of an HTML document and return its title."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    out.spend_elements(text.count("<") - text.count("</"), where.part or "")
    try:
        tree = LexborHTMLParser(guard(text, out.settings.max_nesting))
    except SelectolaxError as error:
        raise SourceError(f"The HTML cannot be parsed: {error}", where=where.part or "") from error
    title_node = tree.css_first("title")
    title = " ".join(title_node.text().split()) if title_node is not None else ""
    root = tree.body or tree.root
    if root is not None:
        walk = _Walk(out, where, text)
        walk.run(root)
        if walk.left_out:
            out.warn(
                "html_no_character",
                f"{walk.left_out} places name no character, such as &#0;; they were left out.",
                where if where.part else None,
            )
    return title if "\ufffd" in text else title.replace("\ufffd", "")


class _Row:
    """An open table row: its cells so far, and the cell that is open."""

    __slots__ = ("cells", "columns", "covered", "kept", "open", "out", "rows")

    def __init__(self, covered: dict[int, int], out: TextOut) -> None:
        self.cells: list[str] = []
        self.covered = covered
        """Column → rows that a cell above still covers; shared by the rows of the table."""
        self.out = out
        self.open = False
        self.columns = self.rows = 1
        """What the open cell spans."""
        self.kept: list[str] = []
        """The line that was begun before the open cell."""

    def skip_covered(self) -> None:
        while self.covered.get(len(self.cells), 0) > 0 and self.out.pad(1):
            self.covered[len(self.cells)] -= 1
            self.cells.append("")

    def add(self, text: str) -> None:
        columns = 1 + self.out.pad(self.columns - 1) if self.columns > 1 else 1
        for i in range(columns):
            if self.rows > 1:
                self.covered[len(self.cells)] = self.rows - 1
            self.cells.append("" if i else text)


class _Walk:
    """Walks the element tree without recursion. `_OPENERS` tells what an element begins and what ends it."""

    def __init__(self, out: TextOut, where: Source, text: str) -> None:
        lowered = text.lower()
        self.replacements = "\ufffd" in text
        """Whether the file itself holds U+FFFD. Else it is the parser's mark for a reference such as `&#0;`."""
        self.left_out = 0
        self.may_hide = any(word in lowered for word in _HIDING)
        """Whether any element can be hidden; most files have none, and looking at attributes costs."""
        self.may_span = "colspan" in lowered or "rowspan" in lowered
        self.out = out
        self.where = where
        self.line: list[str] = []
        self.lead = ""
        self.pre = 0
        self.lists: list[list[Any]] = []
        self.tables: list[dict[int, int]] = []
        """Open tables: column → rows that a cell above still covers."""
        self.rows: list[_Row] = []
        self.paragraph = 0

    def run(self, root: Any) -> None:
        deepest = self.out.settings.max_nesting
        may_hide = self.may_hide
        openers: dict[int, Opener] = {}
        closing: list[tuple[Any, Closer | None]] = []
        node = root
        while True:
            kind = node.tag_id  # Names cost more than numbers; each is asked for once.
            opener = openers.get(kind)
            if opener is None:
                opener = openers[kind] = _OPENERS.get(node.tag or "-", _Walk.open_inline)
            if opener is _read:
                self.line.append(node.text_content or "")
            elif opener is not _skip and not (may_hide and self.is_hidden(node)):
                after = opener(self, node)
                child = node.child
                if child is not None:
                    closing.append((node, after))
                    if 0 < deepest < len(closing):
                        raise LimitExceeded(
                            f"Elements are nested more than {deepest} deep",
                            limit="LEGACY_MAX_NESTING",
                            hint="Raise LEGACY_MAX_NESTING if the file is meant to be that deep.",
                        )
                    node = child
                    continue
                if after is not None:
                    after()
            if not closing:
                break
            following = node.next
            while following is None and closing:
                node, after = closing.pop()
                if after is not None:
                    after()
                following = node.next if closing else None
            if following is None:
                break
            node = following
        self.flush()

    def is_hidden(self, node: Any) -> bool:
        attributes = node.attributes
        if not attributes:
            return False
        if "hidden" in attributes or (node.tag == "input" and attributes.get("type") == "hidden"):
            return True
        style = attributes.get("style")
        return style is not None and _HIDDEN_STYLE.search(style) is not None

    # What begins with an element; each returns what is to be done after its content.

    def open_break(self, node: Any) -> None:
        self.line.append(_BREAK)

    def open_picture(self, node: Any) -> None:
        alt = node.attributes.get("alt")
        if alt:
            self.line.append(f" {alt} ")

    def open_input(self, node: Any) -> None:
        attributes = node.attributes
        kind = (attributes.get("type") or "text").lower()
        if kind in ("checkbox", "radio"):
            self.line.append("☒ " if "checked" in attributes else "☐ ")
        elif kind in ("submit", "button", "reset", "text", "number", "email", "tel", "url", "date", "search"):
            self.line.append(f" {attributes.get('value') or ''} ")

    def open_inline(self, node: Any) -> None:
        """Part of its line."""

    def open_block(self, node: Any) -> Closer:
        if self.in_cell():
            return self.break_line()
        self.flush()
        return self.flush

    def open_spaced(self, node: Any) -> Closer:
        if self.in_cell():
            return self.break_line()
        self.flush()
        self.out.gap()
        return self.close_spaced

    def open_pre(self, node: Any) -> Closer:
        if self.in_cell():
            return self.break_line()
        self.flush()
        self.out.gap()
        self.pre += 1
        return self.close_pre

    def open_list(self, node: Any) -> Closer:
        if self.in_cell():
            return self.break_line()
        self.flush()
        if not self.lists:
            self.out.gap()
        start = node.attributes.get("start") or "1"
        self.lists.append([node.tag, int(start) if start.lstrip("-").isdigit() and len(start) < 10 else 1])
        return self.close_list

    def open_item(self, node: Any) -> Closer:
        if self.in_cell():
            return self.break_line()
        self.flush()
        self.lead = "  " * max(len(self.lists) - 1, 0) + self.label(node)
        return self.flush

    def open_table(self, node: Any) -> Closer:
        self.tables.append({})
        if self.in_cell():
            self.line.append(_BREAK)
            return self.close_table_in_cell
        self.flush()
        self.out.gap()
        return self.close_table

    def open_row(self, node: Any) -> Closer:
        if not self.in_cell():
            self.flush()
        self.rows.append(_Row(self.tables[-1] if self.tables else {}, self.out))
        return self.close_row

    def open_cell(self, node: Any) -> Closer:
        if not self.rows or self.rows[-1].open:
            self.flush()
            return self.flush
        row = self.rows[-1]
        if row.covered:
            row.skip_covered()
        row.open = True
        if self.may_span:
            attributes = node.attributes
            row.columns = _span(attributes.get("colspan"), 1000)
            row.rows = _span(attributes.get("rowspan"), 65534)
        row.kept, self.line = self.line, []
        return self.close_cell

    # What ends with an element.

    def break_line(self) -> Closer:
        """Blocks inside a cell are lines of it."""
        self.line.append(_BREAK)
        return self.close_line

    def close_line(self) -> None:
        self.line.append(_BREAK)

    def close_spaced(self) -> None:
        self.flush()
        self.out.gap()

    def close_pre(self) -> None:
        self.flush()
        self.pre -= 1
        self.out.gap()

    def close_list(self) -> None:
        self.flush()
        self.lists.pop()
        if not self.lists:
            self.out.gap()

    def close_table(self) -> None:
        self.tables.pop()
        self.close_spaced()

    def close_table_in_cell(self) -> None:
        self.tables.pop()
        self.line.append(_BREAK)

    def close_row(self) -> None:
        row = self.rows.pop()
        if row.covered:
            row.skip_covered()
        if self.in_cell():
            # A table inside a cell becomes part of that cell's text.
            self.line += (_BREAK, " ".join(row.cells), _BREAK)
        else:
            self.out.row(row.cells, self.source())

    def close_cell(self) -> None:
        row = self.rows[-1]
        row.add(self.text_of_line().replace("\n", " "))
        row.open = False
        self.line = row.kept

    def in_cell(self) -> bool:
        return bool(self.rows) and self.rows[-1].open

    def label(self, node: Any) -> str:
        if not self.lists or self.lists[-1][0] == "ul":
            return "- "
        value = node.attributes.get("value")
        if value and value.isdigit() and len(value) < 10:
            self.lists[-1][1] = int(value)
        number = self.lists[-1][1]
        self.lists[-1][1] += 1
        return f"{number}. "

    def text_of_line(self) -> str:
        text = "".join(self.line)
        self.line = []
        if not self.replacements and "\ufffd" in text:
            self.left_out += text.count("\ufffd")
            text = text.replace("\ufffd", "")
        if self.pre:
            return text.replace(_BREAK, "\n").strip("\n")
        if _BREAK not in text:
            return one_blank(text).strip(" ")
        return "\n".join(line for line in (one_blank(x).strip(" ") for x in text.split(_BREAK)) if line)

    def source(self) -> Source:
        self.paragraph += 1
        where = self.where
        return Source(where.part, f"{where.path}p[{self.paragraph}]", chapter=where.chapter)

    def flush(self) -> None:
        if not self.line:
            return
        text = self.text_of_line()
        if text.strip():
            lead, self.lead = self.lead, ""
            if self.pre:
                self.out.verbatim(text, self.source())
                self.out.parts.append(Text("\n"))
            else:
                self.out.line(text, self.source(), lead)


Closer: TypeAlias = Callable[[], None]
Opener: TypeAlias = Callable[[_Walk, Any], Closer | None]


def _skip(walk: _Walk, node: Any) -> None:
    """Holds nothing to be read."""


def _read(walk: _Walk, node: Any) -> None:
    """Characters."""


_OPENERS: dict[str, Opener] = {
    **dict.fromkeys(_BLOCKS, _Walk.open_block),
    **dict.fromkeys(_SPACED, _Walk.open_spaced),
    **dict.fromkeys(_SKIPPED, _skip),
    "-text": _read,
    "br": _Walk.open_break,
    "img": _Walk.open_picture,
    "input": _Walk.open_input,
    "li": _Walk.open_item,
    "ol": _Walk.open_list,
    "pre": _Walk.open_pre,
    "table": _Walk.open_table,
    "td": _Walk.open_cell,
    "th": _Walk.open_cell,
    "tr": _Walk.open_row,
    "ul": _Walk.open_list,
}
"""What begins with an element."""


def _span(value: str | None, most: int) -> int:
    return min(int(value), most) if value and value.isdigit() and len(value) < 9 and int(value) else 1
