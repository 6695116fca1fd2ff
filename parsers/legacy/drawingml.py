"""DrawingML that presentations and workbooks share: paragraphs of shapes, and charts (ECMA-376 part 1, 20–21)."""

from __future__ import annotations

from lxml import etree

from lrdoc.document import Source
from lrdoc.parsers.legacy.output import TextOut

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MAX_POINTS = 100_000


def paragraph_text(paragraph: etree._Element) -> str:
    """Text of an a:p: runs, fields, line breaks, and the characters of equations."""
    words: list[str] = []
    for element in paragraph.iter(A + "t", A + "br", A + "tab", M + "t"):
        if element.tag == A + "br":
            words.append("\n")
        elif element.tag == A + "tab":
            words.append("\t")
        elif element.text:
            words.append(element.text)
    return "".join(words)


def write_chart(root: etree._Element, source: Source, out: TextOut) -> None:
    """Titles, then a table: one row for each category, one column for each series, from the cached values."""
    out.gap()
    for title in root.iter(C + "title"):
        words = [paragraph_text(p) for p in title.iter(A + "p")] or [v.text or "" for v in title.iter(C + "v")]
        out.line(" ".join(words), source)
    series = list(root.iter(C + "ser"))
    names = [" ".join(v.text or "" for v in s.iterfind(f"{C}tx//{C}v")) for s in series]
    categories: dict[int, str] = {}
    values: list[dict[int, str]] = []
    for one in series:
        for index, text in _points(one, ("cat", "xVal")).items():
            categories.setdefault(index, text)
        values.append(_points(one, ("val", "yVal")))
    if any(names):
        out.row([("", None), *((name, source) for name in names)])
    for index in sorted(set(categories).union(*values) if values else categories):
        out.row([(categories.get(index, ""), source), *((v.get(index, ""), source) for v in values)])
    out.gap()


def _points(series: etree._Element, names: tuple[str, ...]) -> dict[int, str]:
    """Cached points by index; the levels of a multi-level category stand side by side, outermost first."""
    found: dict[int, str] = {}
    for name in names:
        for point in series.iterfind(f"{C}{name}//{C}pt"):
            index = point.get("idx") or ""
            value = point.findtext(C + "v")
            if value is not None and index.isdigit() and len(index) < 10 and len(found) < _MAX_POINTS:
                inner = found.get(int(index))
                found[int(index)] = value if inner is None else f"{value} {inner}"
    return found
