"""Excel workbooks: sheets as text tables over used cells only, streamed (ECMA-376 part 1, 18).

Values are shown with their number formats, formulas by their cached results. A first look over the sheet finds the
columns in use and the merged cells, so that one far cell costs one column, not sixteen thousand.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from lxml import etree

from lrdoc.document import Source
from lrdoc.errors import EmptyDocumentError, LimitExceeded, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.archive import Archive, has_doctype, open_archive
from lrdoc.parsers.legacy.drawingml import A, paragraph_text, shown_elements, write_chart, write_diagram
from lrdoc.parsers.legacy.numbers import BUILTIN, show_number
from lrdoc.parsers.legacy.output import TextOut

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_ANCHORS = (XDR + "twoCellAnchor", XDR + "oneCellAnchor", XDR + "absoluteAnchor")
_REFERENCES = (
    "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart",
    "{http://schemas.microsoft.com/office/drawing/2014/chartex}chart",
    "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds",
)
_CELL = re.compile(rb"""<(?:\w+:)?c\s[^<>]{0,240}?\br=["']([A-Z]{1,3})\d+["'](?:[^<>]{0,240}[^/<>])?>""")
_MERGE = re.compile(rb"""<(?:\w+:)?mergeCell\s[^<>]{0,240}?ref=["']([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)["']""")
_LETTERS = re.compile(r"[A-Z]{1,3}")
_PIECE = 1 << 20
_HEAD_BYTES = 4096
_MAX_TAGS = 1_000_000
"""More than three times what a row with text in all of its 16,384 cells has."""
_MARGIN_BYTES = 32 * 1024
_TAIL = 512
"""Bytes carried over from one piece to the next, more than a cell's start tag has."""
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_HEADER_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|\d+|[A-Za-z&])')
_MARGIN = re.compile(rb"<(?:\w+:)?((?:odd|even|first)(?:Header|Footer))(?:\s[^<>]*)?>([^<]*)<")


@dataclass(slots=True)
class _Sheet:
    columns: dict[int, int] = field(default_factory=dict)
    """Used column → its place among the used ones."""
    down: list[tuple[int, int, int]] = field(default_factory=list)
    """Vertical merges: first row, last row, first column."""
    tail: bytes = b""
    """The last bytes of the part, where printed headers and footers stand."""


def read_xlsx(source: SourceFile, out: TextOut) -> str:
    with open_archive(source.path, "xlsx", out.settings) as archive:
        main = archive.main_part("xl/workbook.xml", f"{source.name} is not a workbook")
        workbook = archive.xml(main)
        if workbook is None or not str(workbook.tag).endswith("}workbook"):
            raise SourceError(f"{source.name} is an Office package but not a workbook", hint="Check its suffix.")
        relations = archive.relationships(main)
        by_kind = dict(relations.values())
        properties = workbook.find(S + "workbookPr")
        date1904 = properties is not None and properties.get("date1904") in ("1", "true")
        strings = _shared_strings(archive, by_kind.get("sharedStrings", ""), out)
        formats = _formats(archive, by_kind.get("styles", ""))
        reader = _Reader(archive, out, strings, formats, date1904)
        for sheet in workbook.iter(S + "sheet"):
            name = sheet.get("name") or ""
            kind, target = relations.get(sheet.get(R + "id") or "", ("", ""))
            state = sheet.get("state") or "visible"
            if state != "visible":
                out.warn("xlsx_hidden_sheet", f"The sheet “{name}” is hidden; its text was kept.", Source(sheet=name))
            if not target:
                out.warn("xlsx_missing_sheet", f"The sheet “{name}” is named but not there.", Source(sheet=name))
                continue
            if not archive.is_first(target):
                out.warn("xlsx_repeated_sheet", f"The sheet “{name}” is another one again.", Source(sheet=name))
                continue
            out.gap()
            out.line(name, Source(part=main, path="sheet", sheet=name))
            if kind == "worksheet":
                margins = reader.sheet(target, name)
                reader.attached(target, name)
                reader.margins(margins, target, name)
            else:
                reader.attached(target, name)
        if all(part.source is None or part.source.path == "sheet" for part in out.parts):
            raise EmptyDocumentError(f"{source.name} has no used cells", hint="There is nothing to index in it.")
        return archive.core_title()


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


class _Watched:
    """A stream that stops when one element of a large part grows beyond all measure, and lets work be cancelled."""

    def __init__(self, stream: IO[bytes], part: str, out: TextOut) -> None:
        self.stream = stream
        self.head = stream.read(_HEAD_BYTES)
        self.part = part
        self.out = out
        self.tags = 0

    def read(self, size: int = -1) -> bytes:
        self.out.context.check()
        data = self.head + self.stream.read(size)
        self.head = b""
        self.tags += data.count(b"<")
        if self.tags > _MAX_TAGS:
            raise LimitExceeded(
                f"One row or text of {self.part} holds more than {_MAX_TAGS} tags",
                limit="tags of one row",
                where=self.part,
                hint="No row has more than 16,384 cells; the file is damaged.",
            )
        return data


def _elements(archive: Archive, part: str, tag: str, out: TextOut) -> Iterator[etree._Element]:
    """Elements of a large part by local name, one at a time; each is emptied when the next is asked for."""
    with archive.open(part) as stream:
        watched = _Watched(stream, part, out)
        events = etree.iterparse(
            watched,
            events=("end",),
            tag=("{*}" + tag,),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=not has_doctype(watched.head),
            remove_comments=True,
            remove_pis=True,
        )
        done = 0
        try:
            for _, element in events:
                watched.tags = 0
                done += 1
                yield element
                element.clear()
                parent = element.getparent()
                while element.getprevious() is not None and parent is not None:
                    del parent[0]
            return
        except etree.XMLSyntaxError as error:
            out.warn(
                "xlsx_damaged_part",
                f"{part} is not well-formed XML ({error}); what can be read of it was kept.",
                Source(part),
            )
    # The parser that reads piece by piece takes quadratic time to find its way again, the other does not.
    root = archive.xml(part)
    for number, element in enumerate(root.iter("{*}" + tag) if root is not None else ()):
        out.context.check()
        if number >= done:
            yield element


def _shared_strings(archive: Archive, part: str, out: TextOut) -> list[str]:
    if not part:
        return []
    return [_rich_text(item) for item in _elements(archive, part, "si", out)]


def _rich_text(item: etree._Element) -> str:
    """Text of a string item: its own t or those of its runs, without phonetic hints (18.4.8)."""
    words: list[str] = []
    for child in item.iterchildren("*"):
        kind = _local(child)
        if kind == "t":
            words.append(child.text or "")
        elif kind == "r":
            words.extend(t.text or "" for t in child if _local(t) == "t")
    return _unescape("".join(words))


def _unescape(text: str) -> str:
    """`_x000D_` stands for a character that XML cannot hold (22.4.2.4)."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda m: chr(int(m.group(1), 16)), text)


def _formats(archive: Archive, part: str) -> list[str]:
    """Format code of each cell style."""
    root = archive.xml(part) if part else None
    if root is None:
        return []
    custom = {f.get("numFmtId"): f.get("formatCode") or "" for f in root.iter(S + "numFmt")}
    styles = root.find(S + "cellXfs")
    if styles is None:
        return []
    codes = []
    for style in styles.iterfind(S + "xf"):
        key = style.get("numFmtId") or "0"
        builtin = BUILTIN.get(int(key), "General") if key.isdigit() and len(key) < 6 else "General"
        codes.append(custom.get(key, builtin))
    return codes


def column_number(letters: str) -> int:
    """A → 1, Z → 26, AA → 27."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


@functools.lru_cache(maxsize=1024)
def column_of(letters: str) -> int:
    """Number of a column from the letters of a reference; 1 when they are none."""
    return column_number(letters) if _LETTERS.fullmatch(letters) else 1


@functools.lru_cache(maxsize=1024)
def column_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


class _Reader:
    def __init__(self, archive: Archive, out: TextOut, strings: list[str], formats: list[str], date1904: bool) -> None:
        self.archive = archive
        self.out = out
        self.strings = strings
        self.formats = formats
        self.date1904 = date1904
        self.cells_left = out.settings.max_cells if out.settings.max_cells > 0 else None
        self.shown: dict[tuple[str, int], str] = {}

    def look(self, part: str) -> _Sheet:
        """Used columns and vertical merges, from the bytes, before the rows are read."""
        sheet = _Sheet()
        letters: set[bytes] = set()
        merges: set[tuple[bytes, bytes, bytes, bytes]] = set()
        rest = b""
        with self.archive.open(part) as stream:
            while piece := stream.read(_PIECE):
                piece = rest + piece
                self.out.context.check()
                letters.update(_CELL.findall(piece))
                merges.update(_MERGE.findall(piece))
                rest = piece[-_TAIL:]
                sheet.tail = (sheet.tail + piece)[-_MARGIN_BYTES:]
        numbers = sorted(column_number(x.decode()) for x in letters)
        sheet.columns = {number: place for place, number in enumerate(numbers)}
        for left, top, _right, bottom in merges:
            first, last = int(top[:9]), int(bottom[:9])
            if first < last:
                sheet.down.append((first, last, column_number(left.decode())))
        return sheet

    def sheet(self, part: str, name: str) -> bytes:
        """Write the rows of a sheet; returns its last bytes."""
        layout = self.look(part)
        columns = layout.columns
        carried: dict[int, tuple[int, str]] = {}
        """Column → last row and text of the vertical merge that is open there."""
        starts = sorted(layout.down, reverse=True)
        row_number = 0
        for row in _elements(self.archive, part, "row", self.out):
            value = row.get("r")
            row_number = int(value) if value is not None and value.isdigit() and len(value) < 10 else row_number + 1
            texts: dict[int, str] = {}
            column = 0
            for cell in row.iterchildren("*"):
                reference = cell.get("r")
                column = column_of(reference.rstrip("0123456789")) if reference else column + 1
                text = self.cell_text(cell)
                if text:
                    texts[column] = text
            if self.cells_left is not None:
                self.cells_left -= len(texts)
                if self.cells_left < 0:
                    raise LimitExceeded(
                        f"The workbook has more than {self.out.settings.max_cells} used cells",
                        limit="LEGACY_MAX_CELLS",
                        hint="Raise LEGACY_MAX_CELLS if the file is meant to be that large.",
                    )
            if starts or carried:
                self.merge_down(row_number, texts, carried, starts)
            if texts:
                self.write_row(row_number, texts, columns, name, part)
        return layout.tail

    def merge_down(
        self,
        row: int,
        texts: dict[int, str],
        carried: dict[int, tuple[int, str]],
        starts: list[tuple[int, int, int]],
    ) -> None:
        """Repeat the value of a vertical merge in the rows with other text that it covers."""
        if texts and carried:
            for column in [c for c, (last, _) in carried.items() if last < row]:
                del carried[column]
            if self.out.pad(len(carried)) < len(carried):
                carried.clear()
            for column, (_, text) in carried.items():
                texts.setdefault(column, text)
        while starts and starts[-1][0] <= row:
            first, last, column = starts.pop()
            if first == row and column in texts:
                carried[column] = (last, texts[column])

    def write_row(self, number: int, texts: dict[int, str], columns: dict[int, int], name: str, part: str) -> None:
        ordered = sorted(texts)
        words: list[str] = []
        place = 0
        for column in ordered:
            at = columns.get(column, place)
            gap = max(at - place, 1 if words else 0)
            words.append("\t" * (gap if gap < 2 else 1 + self.out.pad(gap - 1)))
            text = texts[column]
            words.append(text.replace("\t", " ") if "\t" in text else text)
            place = max(at, place)
        cells = f"{column_letters(ordered[0])}{number}"
        if len(ordered) > 1:
            cells += f":{column_letters(ordered[-1])}{number}"
        self.out.table_line("".join(words), Source(part=part, sheet=name, cells=cells))

    def cell_text(self, cell: etree._Element) -> str:
        kind = cell.get("t") or "n"
        value = None
        for child in cell.iterchildren("*"):
            tag = child.tag
            if tag.endswith("}v"):
                value = child.text
            elif tag.endswith("}is"):
                return _rich_text(child)
        if value is None:
            return ""
        if kind == "n":
            return self.number_text(value, cell.get("s"))
        if kind == "s":
            text = value.strip()
            index = int(text) if text.isdigit() and len(text) < 10 else len(self.strings)
            return self.strings[index] if index < len(self.strings) else ""
        if kind == "b":
            return "TRUE" if value.strip() in ("1", "true") else "FALSE"
        return _unescape(value)

    def number_text(self, value: str, style: str | None) -> str:
        index = int(style) if style is not None and style.isdigit() and len(style) < 7 else 0
        key = (value, index)
        known = self.shown.get(key)
        if known is not None:
            return known
        code = self.formats[index] if index < len(self.formats) else "General"
        try:
            text = show_number(float(value), code, self.date1904)
        except (ValueError, OverflowError):
            text = value
        if len(self.shown) < 100_000:
            self.shown[key] = text
        return text

    def attached(self, part: str, name: str) -> None:
        """Comments, shapes and charts of a sheet, and its printed margins."""
        relations = self.archive.relationships(part)
        for kind, target in relations.values():
            if not target:
                continue
            if kind == "comments":
                self.comments(target, name)
            elif kind == "drawing":
                self.drawing(target, name)

    def comments(self, part: str, name: str) -> None:
        root = self.archive.xml(part)
        if root is None:
            return
        authors = [author.text or "" for author in root.iter(S + "author")]
        self.out.gap()
        for comment in root.iter(S + "comment"):
            key = comment.get("authorId") or ""
            author = authors[int(key)] if key.isdigit() and len(key) < 7 and int(key) < len(authors) else ""
            body = comment.find(S + "text")
            text = _rich_text(body).strip() if body is not None else ""
            reference = comment.get("ref") or ""
            if author and not text.startswith(author):
                text = f"{author}: {text}"
            self.out.line(text, Source(part=part, path="cell", sheet=name, cells=reference), f"{reference} ")

    def drawing(self, part: str, name: str) -> None:
        root = self.archive.xml(part)
        if root is None:
            return
        relations = self.archive.relationships(part)
        self.out.gap()
        number = 0
        for element in shown_elements(root):
            if element.tag in _ANCHORS:
                number += 1
            where = Source(part=part, path=f"anchor[{number}]", sheet=name)
            if element.tag == XDR + "cNvPr":
                self.out.line(element.get("descr") or element.get("title") or "", where)
            elif element.tag == A + "p":
                self.out.line(paragraph_text(element), where)
            elif element.tag in _REFERENCES:
                is_diagram = element.tag.endswith("relIds")
                target = relations.get(element.get(R + ("dm" if is_diagram else "id")) or "", ("", ""))[1]
                if not (write_diagram if is_diagram else write_chart)(self.archive, target, where, self.out):
                    self.out.warn("xlsx_missing_part", "A chart or diagram is named but not there.", where)

    def margins(self, found: bytes, part: str, name: str) -> None:
        """Text of printed headers and footers, without their codes (18.3.1.46)."""
        for tag, text in _MARGIN.findall(found):
            shown = html.unescape(text.decode("utf-8", "ignore"))
            shown = " ".join(_HEADER_CODE.sub(" ", shown).split())
            self.out.line(shown, Source(part=part, path=tag.decode(), sheet=name))
