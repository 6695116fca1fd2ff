"""Tables that came as HTML: made harmless for a page, or read as rows of text."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser

_KEPT = frozenset(
    "table caption colgroup col thead tbody tfoot tr th td p div span br hr b i em strong u s del ins sub sup small"
    " mark code pre kbd samp var blockquote ul ol li dl dt dd h1 h2 h3 h4 h5 h6 a abbr cite q".split()
)
_VOID = frozenset(["br", "hr", "col"])
_DROPPED = frozenset(["script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "math", "head"])
"""Their content goes with them."""
_ATTRIBUTES = frozenset(["rowspan", "colspan", "span", "align", "valign", "scope", "headers", "start", "title", "dir"])
_SAFE_LINKS = ("http://", "https://", "mailto:", "#")
_CELLS = frozenset(["td", "th"])


def safe_link(address: str) -> bool:
    """True for an address that runs no script when it is followed."""
    return address.strip().lower().startswith(_SAFE_LINKS)


def clean_html(html: str) -> str:
    """The HTML with harmless tags and attributes only, every open tag closed."""
    cleaner = _Cleaner()
    cleaner.feed(html)
    cleaner.close()
    return cleaner.result()


def html_to_rows(html: str) -> list[list[str]]:
    """Text of the cells, row by row, those of nested tables as rows of their own; text outside of cells is a row."""
    reader = _RowReader()
    reader.feed(html)
    reader.close()
    rows = [["".join(words) for words in row] for row in reader.rows]
    return [row for row in rows if any(cell.strip() for cell in row)]


class _Cleaner(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._open: list[str] = []
        self._counts: dict[str, int] = {}
        self._dropping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _DROPPED:
            self._dropping.append(tag)
        elif not self._dropping and tag in _KEPT:
            kept = [(name, value) for name, value in attrs if name in _ATTRIBUTES and value is not None]
            kept += [("href", value) for name, value in attrs if name == "href" and value and safe_link(value)][:1]
            attributes = "".join(f' {name}="{escape(value)}"' for name, value in dict(kept).items())
            self._pieces.append(f"<{tag}{attributes}>")
            if tag not in _VOID:
                self._open.append(tag)
                self._counts[tag] = self._counts.get(tag, 0) + 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID and not self._dropping:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _DROPPED:
            if self._dropping and self._dropping[-1] == tag:
                self._dropping.pop()
        elif not self._dropping and self._counts.get(tag):
            while self._open:
                last = self._open.pop()
                self._counts[last] -= 1
                self._pieces.append(f"</{last}>")
                if last == tag:
                    break

    def handle_data(self, data: str) -> None:
        if not self._dropping:
            self._pieces.append(escape(data, quote=False))

    def result(self) -> str:
        self._pieces.extend(f"</{tag}>" for tag in reversed(self._open))
        self._open = []
        return "".join(self._pieces)


class _RowReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[list[str]]] = []
        """Rows of cells of pieces of text."""
        self._row: list[list[str]] | None = None
        self._dropping = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _DROPPED:
            self._dropping += 1
        elif tag == "tr":
            self._row = []
            self.rows.append(self._row)
        elif tag in _CELLS:
            if self._row is None:
                self._row = []
                self.rows.append(self._row)
            self._row.append([])
        elif tag in ("br", "p", "li", "div"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _DROPPED:
            self._dropping = max(0, self._dropping - 1)
        elif tag in ("tr", "table", "caption"):
            self._row = None

    def handle_data(self, data: str) -> None:
        if self._dropping:
            return
        if self._row is None or not self._row:
            if data.strip():
                self.rows.append([[data]])
            return
        self._row[-1].append(data)
