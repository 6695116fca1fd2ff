"""What a workbook shows: used cells, comments, drawings, charts and printed margins of each sheet.

Numbers are counted as they are written, once what is written is found to show the stored value (xlsx_shown.py).
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from lrdoc.audit.base import Place, SourceReader, SourceText, Stretch, squeeze
from lrdoc.audit.docx_package import Package, parse_xml
from lrdoc.audit.office import REFERENCES, add_referred, paragraph, plain, reference, short, shown
from lrdoc.audit.written import Written
from lrdoc.audit.xlsx_shown import is_shown
from lrdoc.errors import SourceError

_REFERENCE = re.compile(r"([A-Za-z]{1,3})(\d{1,9})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MARGINS = frozenset(f"s:{kind}{edge}" for kind in ("odd", "even", "first") for edge in ("Header", "Footer"))
_CODES = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|[0-9]+|.)')
_ANCHORS = frozenset({"xdr:twoCellAnchor", "xdr:oneCellAnchor", "xdr:absoluteAnchor"})


@dataclass(slots=True)
class _Cell:
    column: int
    text: str
    """What is shown, or the stored number."""
    is_number: bool = False
    code: str = "General"
    number_format: int = 0
    is_copy: bool = False
    """Repeated under the first cell of a merge."""


@dataclass(slots=True)
class _Workbook:
    strings: list[str] = field(default_factory=list)
    formats: list[tuple[int, str]] = field(default_factory=list)
    date1904: bool = False
    rows: dict[Place, list[_Cell]] = field(default_factory=dict)
    """Cells of each row, for the comparison of its numbers."""


@dataclass(slots=True)
class WorkbookText(SourceText):
    book: _Workbook = field(default_factory=_Workbook)


def read(path: Path, params: Mapping[str, Any]) -> SourceText:
    text = WorkbookText()
    with Package(path) as package:
        main = _main(package)
        root = package.xml(main)
        if root is None:
            raise SourceError(f"{path.name} has no readable workbook")
        relations = package.relationships(main)
        kinds = {relation.type: relation.target for relation in relations.values() if not relation.external}
        book = text.book
        met: set[str] = set()
        book.date1904 = any(short[e.tag] == "s:workbookPr" and e.get("date1904") in ("1", "true") for e in root.iter())
        book.strings = [_rich(item) for item in _stream(package, kinds.get("sharedStrings", ""), frozenset({"s:si"}))]
        book.formats = _formats(package, kinds.get("styles", ""))
        for entry in root.iter():
            if short[entry.tag] != "s:sheet":
                continue
            sheet = relations.get(reference(entry, "id"))
            if sheet is None or sheet.external or sheet.target in met:
                continue
            met.add(sheet.target)
            name = str(entry.get("name") or "")
            text.stretches.append(Stretch(main, f"sheet {name}", "heading", plain(name)))
            _sheet(package, sheet.target, text)
    return text


def _main(package: Package) -> str:
    for relation in package.relationships("").values():
        if relation.type == "officeDocument":
            return relation.target
    return "xl/workbook.xml"


def _stream(package: Package, part: str, wanted: frozenset[str]) -> Iterator[etree._Element]:
    """Elements of a large part, each emptied after use."""
    data = package.read(part) if part else None
    if data is None:
        return
    events = etree.iterparse(
        io.BytesIO(data), events=("end",), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    done = 0
    try:
        for _, element in events:
            if short[element.tag] in wanted:
                done += 1
                yield element
                element.clear()
        return
    except etree.XMLSyntaxError:
        pass  # the rest as far as it goes
    root = parse_xml(data)
    found = (element for element in root.iter() if short[element.tag] in wanted) if root is not None else iter(())
    yield from itertools.islice(found, done, None)


def _rich(item: etree._Element) -> str:
    words: list[str] = []
    stack = list(reversed(item))
    while stack:
        element = stack.pop()
        name = short[element.tag]
        if name == "s:t":
            words.append(element.text or "")
        elif name == "s:r":
            stack.extend(reversed(element))
    return _decoded("".join(words))


def _decoded(text: str) -> str:
    return plain(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))


def _formats(package: Package, part: str) -> list[tuple[int, str]]:
    root = package.xml(part) if part else None
    if root is None:
        return []
    codes: dict[str, str] = {}
    styles: list[str] = []
    for element in root.iter():
        name = short[element.tag]
        if name == "s:numFmt":
            codes[str(element.get("numFmtId"))] = str(element.get("formatCode") or "")
        elif name == "s:cellXfs":
            styles = [str(style.get("numFmtId") or "0") for style in element if short[style.tag] == "s:xf"]
    return [
        (int(key) if key.isdecimal() and len(key) < 9 else 0, codes.get(key, _BUILTIN.get(key, ""))) for key in styles
    ]


_BUILTIN = {
    "9": "0%", "10": "0.00%", "11": "0.00E+00", "12": "# ?/?", "13": "# ??/??", "48": "##0.0E+0", "0": "General",
    "37": "#,##0;(#,##0)", "38": "#,##0;[Red](#,##0)", "39": "#,##0.00;(#,##0.00)", "40": "#,##0.00;[Red](#,##0.00)",
    "41": "#,##0;(#,##0);-", "42": "$#,##0;($#,##0);-", "43": "#,##0.00;(#,##0.00);-", "44": "$#,##0.00;($#,##0.00);-",
}  # fmt: skip


def _sheet(package: Package, part: str, text: WorkbookText) -> None:
    book = text.book
    rows: dict[int, dict[int, _Cell]] = {}
    merges: list[tuple[int, int, int]] = []
    number = 0
    for element in _stream(package, part, _MARGINS | {"s:row", "s:mergeCell"}):
        name = short[element.tag]
        if name == "s:row":
            given = str(element.get("r") or "")
            number = int(given) if given.isdecimal() and len(given) < 10 else number + 1
            column = 0
            for child in element:
                if short[child.tag] == "s:c":
                    at = _REFERENCE.fullmatch(str(child.get("r") or ""))
                    column = _column(at[1]) if at else column + 1
                    cell = _cell(child, column, book)
                    if cell.text:
                        rows.setdefault(number, {})[column] = cell
        elif name == "s:mergeCell":
            ends = [_REFERENCE.fullmatch(end) for end in str(element.get("ref") or "").split(":")]
            if len(ends) == 2 and ends[0] and ends[1]:
                merges.append((int(ends[0][2]), int(ends[1][2]), _column(ends[0][1])))
        elif name in _MARGINS and (element.text or "").strip():
            words = _CODES.sub(" ", element.text or "")
            text.stretches.append(Stretch(part, name[2:], "margin", plain(words)))
    _repeat(rows, merges)
    for number, cells in sorted(rows.items()):
        place = (part, f"row {number}")
        ordered = [cells[column] for column in sorted(cells)]
        book.rows[place] = ordered
        words = " ".join(cell.text for cell in ordered if not cell.is_copy)
        text.stretches.append(Stretch(*place, "cell", words))
    for relation in package.relationships(part).values():
        if not relation.external and relation.type == "comments":
            _comments(package, relation.target, text)
        elif not relation.external and relation.type == "drawing":
            _drawing(package, relation.target, text)


def _repeat(rows: dict[int, dict[int, _Cell]], merges: list[tuple[int, int, int]]) -> None:
    """The first cell of a merge stands again in each row with other text that the merge covers."""
    for first, last, column in merges:
        origin = rows.get(first, {}).get(column)
        if origin is None or last <= first:
            continue
        covered = range(first + 1, last + 1) if last - first < len(rows) else [r for r in rows if first < r <= last]
        for row in covered:
            if row in rows and column not in rows[row]:
                rows[row][column] = _Cell(
                    column, origin.text, origin.is_number, origin.code, origin.number_format, is_copy=True
                )


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _cell(element: etree._Element, column: int, book: _Workbook) -> _Cell:
    kind = str(element.get("t") or "n")
    value, inline = None, None
    for child in element:
        name = short[child.tag]
        if name == "s:v":
            value = child.text
        elif name == "s:is":
            inline = _rich(child)
    if inline is not None:
        return _Cell(column, inline)
    if value is None:
        return _Cell(column, "")
    stripped = value.strip()
    if kind == "s":
        index = int(stripped) if stripped.isdecimal() and len(stripped) < 10 else -1
        return _Cell(column, book.strings[index] if 0 <= index < len(book.strings) else "")
    if kind == "b":
        return _Cell(column, "TRUE" if stripped in ("1", "true") else "FALSE")
    if kind != "n":
        return _Cell(column, _decoded(value))
    style = str(element.get("s") or "0")
    index = int(style) if style.isdecimal() and len(style) < 7 else 0
    number_format, code = book.formats[index] if index < len(book.formats) else (0, "General")
    return _Cell(column, stripped, True, code, number_format)


def _comments(package: Package, part: str, text: SourceText) -> None:
    root = package.xml(part)
    if root is None:
        return
    authors = [plain(e.text or "") for e in root.iter() if short[e.tag] == "s:author"]
    for comment in root.iter():
        if short[comment.tag] != "s:comment":
            continue
        body = next((_rich(child) for child in comment if short[child.tag] == "s:text"), "")
        key = str(comment.get("authorId") or "")
        author = authors[int(key)] if key.isdecimal() and len(key) < 7 and int(key) < len(authors) else ""
        words = body if not author or body.strip().startswith(author) else f"{author} {body}"
        text.stretches.append(Stretch(part, f"cell {comment.get('ref') or ''}", "comment", words))


def _drawing(package: Package, part: str, text: SourceText) -> None:
    root = package.xml(part)
    number = 0
    done: set[str] = {stretch.part for stretch in text.stretches}
    for element in shown(root, REFERENCES | {"a:p"}) if root is not None else ():
        name = short[element.tag]
        number += name in _ANCHORS
        if name == "xdr:cNvPr":
            words, kind = str(element.get("descr") or element.get("title") or ""), "description"
        elif name == "a:p":
            words, kind = paragraph(element), "box"
        else:
            if name in REFERENCES:
                add_referred(package, part, element, text, done)
            continue
        text.stretches.append(Stretch(part, f"anchor[{number}]", kind, plain(words)))


def place(entry: Mapping[str, Any]) -> Place:
    part, path = str(entry.get("part", "")), str(entry.get("path", ""))
    cells = str(entry.get("cells") or "")
    if cells and path:
        return part, f"{path} {cells}"
    if cells:
        found = _REFERENCE.match(cells)
        return part, f"row {found[2]}" if found else cells
    return part, f"sheet {entry.get('sheet', '')}" if path == "sheet" else path


def align(text: SourceText, written: Written) -> None:
    """Numbers become what is written for them when that shows their value; repeats of merged cells are taken out."""
    assert isinstance(text, WorkbookText)
    for stretch in text.stretches:
        at = (stretch.part, stretch.path)
        cells, pieces = text.book.rows.get(at), written.pieces.get(at, [])
        if cells is None or len(pieces) != 1:
            continue
        shown_cells = [cell for cell in pieces[0].text.split("\t") if cell.strip()]
        if not _agree(cells, shown_cells, text.book.date1904):
            # Cells whose format shows nothing.
            visible = [cell for cell in cells if not (cell.is_number and ";" in cell.code)]
            if len(visible) != len(shown_cells) or not _agree(visible, shown_cells, text.book.date1904):
                continue
            cells = visible
        pairs = list(zip(cells, shown_cells, strict=True))
        stretch.text = " ".join(written_text for cell, written_text in pairs if not cell.is_copy)
        pieces[0].text = stretch.text


def _agree(cells: list[_Cell], written: list[str], date1904: bool) -> bool:
    return len(cells) == len(written) and all(
        is_shown(text.strip(), cell.text, cell.code, cell.number_format, date1904)
        if cell.is_number
        else squeeze(cell.text) == squeeze(text)
        for cell, text in zip(cells, written, strict=True)
    )


READER = SourceReader(read, place, align)
