"""HTML as a browser shows it: text with headings, lists and tables; no scripts, styles or hidden elements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lrdoc.document import Source, Text
from lrdoc.errors import LimitExceeded, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.html_guard import guard
from lrdoc.parsers.legacy.output import TextOut
from lrdoc.parsers.legacy.plain import read_text, xml_declared_encoding

_SKIPPED = frozenset(
    "script style template head iframe object embed applet audio video canvas map datalist noembed noframes svg".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search "
    "section select summary table caption thead tbody tfoot tr td th ul noscript".split()
)
_SPACED = frozenset("p h1 h2 h3 h4 h5 h6 blockquote pre table ul ol dl figure section article hr".split())
_OPENED = _BLOCKS | {"br", "img", "input"}
_META_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]+)", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_HIDING = ("hidden", "display", "visibility")
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

    try:
        tree = LexborHTMLParser(guard(text, out.settings.max_nesting))
    except SelectolaxError as error:
        raise SourceError(f"The HTML cannot be parsed: {error}", where=where.part or "") from error
    title_node = tree.css_first("title")
    title = " ".join(title_node.text().split()) if title_node is not None else ""
    root = tree.body or tree.root
    if root is not None:
        walk = _Walk(out, where, "\ufffd" in text)
        lowered = text.lower()
        walk.may_hide = any(word in lowered for word in _HIDING)
        walk.run(root)
    return title if "\ufffd" in text else title.replace("\ufffd", "")


class _Row:
    """An open table row: its cells so far, and whether a cell is open."""

    __slots__ = ("cells", "covered", "open", "out")

    def __init__(self, covered: dict[int, int], out: TextOut) -> None:
        self.cells: list[str] = []
        self.covered = covered
        self.open = False
        self.out = out

    def skip_covered(self) -> None:
        while self.covered.get(len(self.cells), 0) > 0 and self.out.pad(1):
            self.covered[len(self.cells)] -= 1
            self.cells.append("")

    def add(self, text: str, columns: int, rows: int) -> None:
        columns = 1 + self.out.pad(columns - 1) if columns > 1 else 1
        for i in range(columns):
            if rows > 1:
                self.covered[len(self.cells)] = rows - 1
            self.cells.append("" if i else text)


class _Walk:
    """Walks the element tree without recursion; `_close` holds what is to be done after an element's content."""

    def __init__(self, out: TextOut, where: Source, replacements: bool) -> None:
        self.replacements = replacements
        """Whether the file itself holds U+FFFD. Else it is the parser's mark for a reference such as `&#0;`."""
        self.may_hide = True
        """Whether any element can be hidden; most files have none, and looking at attributes costs."""
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
        closing: list[tuple[Any, Callable[[], None] | None]] = []
        node = root
        while True:
            tag = node.tag or "-"
            if tag == "-text":
                text = node.text_content
                if text:
                    self.line.append(text if self.pre else one_blank(text))
                following = node.next
            elif tag[0] in "-_!" or tag in _SKIPPED or (may_hide and self.is_hidden(node)):
                following = node.next
            else:
                after = self.open(node, tag) if tag in _OPENED else None
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
                following = node.next
            while following is None and closing:
                node, after = closing.pop()
                if after is not None:
                    after()
                if not closing:
                    break
                following = node.next
            if following is None or not closing:
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

    def open(self, node: Any, tag: str) -> Callable[[], None] | None:
        """Begin an element; returns what ends it."""
        if tag == "br":
            self.line.append("\n")
            return None
        if tag == "img":
            alt = node.attributes.get("alt")
            if alt:
                self.text(f" {alt} ")
            return None
        if tag == "input":
            self.input(node.attributes)
            return None
        if tag in ("td", "th"):
            return self.open_cell(node.attributes)
        if tag == "tr":
            return self.open_row()
        if tag == "table":
            self.tables.append({})
        if self.in_cell():
            self.line.append("\n")
            return self.close_table_in_cell if tag == "table" else self.break_line
        self.flush()
        if tag in _SPACED and not (tag in ("ul", "ol") and self.lists):
            self.out.gap()
        if tag == "li":
            self.lead = "  " * max(len(self.lists) - 1, 0) + self.label(node)
            return self.flush
        if tag in ("ul", "ol"):
            start = node.attributes.get("start") or "1"
            self.lists.append([tag, int(start) if start.lstrip("-").isdigit() and len(start) < 10 else 1])
            return self.close_list
        if tag == "pre":
            self.pre += 1
            return self.close_pre
        if tag == "table":
            return self.close_table
        return self.close_spaced if tag in _SPACED else self.flush

    def break_line(self) -> None:
        self.line.append("\n")

    def close_table_in_cell(self) -> None:
        self.tables.pop()
        self.line.append("\n")

    def close_table(self) -> None:
        self.tables.pop()
        self.close_spaced()

    def label(self, node: Any) -> str:
        if not self.lists or self.lists[-1][0] == "ul":
            return "- "
        value = node.attributes.get("value")
        if value and value.isdigit() and len(value) < 10:
            self.lists[-1][1] = int(value)
        number = self.lists[-1][1]
        self.lists[-1][1] += 1
        return f"{number}. "

    def input(self, attributes: Any) -> None:
        kind = (attributes.get("type") or "text").lower()
        if kind in ("checkbox", "radio"):
            self.text("☒ " if "checked" in attributes else "☐ ")
        elif kind in ("submit", "button", "reset", "text", "number", "email", "tel", "url", "date", "search"):
            self.text(f" {attributes.get('value') or ''} ")

    def open_row(self) -> Callable[[], None]:
        if not self.in_cell():
            self.flush()
        self.rows.append(_Row(self.tables[-1] if self.tables else {}, self.out))
        return self.close_row

    def in_cell(self) -> bool:
        return bool(self.rows) and self.rows[-1].open

    def close_row(self) -> None:
        row = self.rows.pop()
        row.skip_covered()
        if self.in_cell():
            # A table inside a cell becomes part of that cell's text.
            self.line.append("\n" + " ".join(row.cells) + "\n")
            return
        source = self.source()
        self.out.row((cell, source) for cell in row.cells)

    def open_cell(self, attributes: Any) -> Callable[[], None]:
        if not self.rows or self.rows[-1].open:
            self.flush()
            return self.flush
        row = self.rows[-1]
        row.skip_covered()
        row.open = True
        columns = _span(attributes.get("colspan"), 1000)
        rows = _span(attributes.get("rowspan"), 65534)
        kept, self.line = self.line, []

        def close() -> None:
            row.add(self.text_of_line().replace("\n", " "), columns, rows)
            row.open = False
            self.line = kept

        return close

    def text(self, text: str | None) -> None:
        if text:
            self.line.append(text if self.pre else one_blank(text))

    def text_of_line(self) -> str:
        text = "".join(self.line)
        self.line = []
        if not self.replacements and "\ufffd" in text:
            text = text.replace("\ufffd", "")
        if self.pre:
            return text.strip("\n")
        if "\n" not in text:
            return one_blank(text).strip(" ")
        return "\n".join(line for line in (one_blank(x).strip(" ") for x in text.split("\n")) if line)

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

    def close_spaced(self) -> None:
        self.flush()
        self.out.gap()

    def close_list(self) -> None:
        self.flush()
        self.lists.pop()
        if not self.lists:
            self.out.gap()

    def close_pre(self) -> None:
        self.flush()
        self.pre -= 1
        self.out.gap()


def _span(value: str | None, most: int) -> int:
    return min(int(value), most) if value and value.isdigit() and len(value) < 9 and int(value) else 1
