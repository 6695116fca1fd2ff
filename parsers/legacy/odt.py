"""OpenDocument text: headings, lists, tables and notes (OpenDocument 1.3, part 3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from lrdoc.document import Source
from lrdoc.errors import EncryptedFileError, LimitExceeded, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.archive import Archive, open_archive
from lrdoc.parsers.legacy.output import TextOut

_OASIS = "{urn:oasis:names:tc:opendocument:xmlns:"
TEXT, TABLE, OFFICE = f"{_OASIS}text:1.0}}", f"{_OASIS}table:1.0}}", f"{_OASIS}office:1.0}}"
DRAW, SVG, MANIFEST = f"{_OASIS}drawing:1.0}}", f"{_OASIS}svg-compatible:1.0}}", f"{_OASIS}manifest:1.0}}"
STYLE = f"{_OASIS}style:1.0}}"
DC = "{http://purl.org/dc/elements/1.1/}"
XLINK = "{http://www.w3.org/1999/xlink}"
MATH = "{http://www.w3.org/1998/Math/MathML}"
_MATH_TOKENS = (MATH + "mi", MATH + "mn", MATH + "mo", MATH + "mtext")
_PARAGRAPHS = {TEXT + "p", TEXT + "h"}
_SKIPPED = {
    TEXT + "tracked-changes",
    TEXT + "sequence-decls",
    TEXT + "variable-decls",
    TEXT + "user-field-decls",
    TEXT + "dde-connection-decls",
    TEXT + "alphabetical-index-auto-mark-file",
    TEXT + "table-of-content-source",
    TEXT + "illustration-index-source",
    TEXT + "table-index-source",
    TEXT + "alphabetical-index-source",
    TEXT + "bibliography-source",
    TEXT + "user-index-source",
    TEXT + "object-index-source",
    OFFICE + "forms",
    OFFICE + "scripts",
    TABLE + "table-source",
    OFFICE + "event-listeners",
    OFFICE + "binary-data",
}
_MAX_REPEATED = 200
"""Blanks and empty cells that stand in a row are not written more often than this."""


@dataclass(slots=True)
class _Line:
    """A paragraph being read."""

    path: str
    parts: list[str] = field(default_factory=list)
    slot: int = 0
    """Its place among what is read after the paragraph that holds it."""


def read_odt(source: SourceFile, out: TextOut) -> str:
    with open_archive(source.path, "odt", out.settings) as archive:
        _refuse_encrypted(archive)
        root = archive.xml("content.xml")
        if root is None:
            raise SourceError(
                f"{source.name} is not an OpenDocument text: it has no content.xml", hint="Check its suffix."
            )
        body = root.find(f"{OFFICE}body/{OFFICE}text")
        if body is None:
            kinds = [child.tag.rsplit("}", 1)[-1] for child in root.iterfind(f"{OFFICE}body/*")]
            raise SourceError(
                f"{source.name} is no text document but an OpenDocument {kinds[0] if kinds else 'file without body'}",
                hint="Give the file its true suffix.",
            )
        _Walk(out, "content.xml", archive).run(body)
        styles = archive.xml("styles.xml")
        if styles is not None:
            walk = _Walk(out, "styles.xml", archive)
            for page in styles.iter(STYLE + "master-page"):
                for margin in page.iterchildren("*"):
                    out.gap()
                    walk.run(margin)
        meta = archive.xml("meta.xml")
        title = meta.findtext(f".//{DC}title") if meta is not None else None
    return " ".join((title or "").split())


def _refuse_encrypted(archive: Archive) -> None:
    manifest = archive.xml("META-INF/manifest.xml")
    if manifest is not None and next(manifest.iter(MANIFEST + "encryption-data"), None) is not None:
        raise EncryptedFileError("The OpenDocument file is protected by a password", hint="Save it without a password.")


class _Walk:
    """Walks the content in document order with etree.iterwalk, so depth costs no stack of ours."""

    def __init__(self, out: TextOut, part: str, archive: Archive) -> None:
        self.out = out
        self.part = part
        self.archive = archive
        self.lines: list[_Line] = []
        """Open paragraphs, the innermost last: a text box or a note stands inside a paragraph."""
        self.after: list[tuple[str, str]] = []
        """Label and text of the notes and boxes to be read after the open paragraph."""
        self.lists: list[int] = []
        self.lead = ""
        self.rows: list[list[str]] = []
        self.row_numbers: list[int] = []
        self.cells: list[list[str]] = []
        self.counts: dict[str, int] = {}
        self.in_note = 0

    def run(self, root: etree._Element) -> None:
        limit = self.out.settings.max_nesting
        depth = 0
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag
            if event == "start":
                self.out.context.check()
                depth += 1
                if 0 < limit < depth:
                    raise LimitExceeded(
                        f"Elements of {self.part} are nested more than {limit} deep",
                        limit="LEGACY_MAX_NESTING",
                        hint="Raise LEGACY_MAX_NESTING if the file is meant to be that deep.",
                    )
                if tag in _SKIPPED or _is_hidden(tag, element):
                    walk.skip_subtree()
                else:
                    self.start(tag, element)
                    # What is no element is a reference to an entity that nobody declares.
                    if self.lines and element.text and isinstance(tag, str) and tag not in (TEXT + "s", TEXT + "tab"):
                        self.text(element.text)
            else:
                depth -= 1
                if tag not in _SKIPPED and not _is_hidden(tag, element):
                    self.end(tag)
                if depth and self.lines and element.tail:
                    self.text(element.tail)

    def text(self, text: str) -> None:
        parts = self.lines[-1].parts
        joined = " ".join(text.split())
        if text[:1].isspace() and parts and not parts[-1].endswith((" ", "\n", "\t")):
            joined = " " + joined
        if text[-1:].isspace() and joined.strip():
            joined += " "
        if parts and parts[-1].endswith((" ", "\n", "\t")):
            joined = joined.lstrip(" ")
        if joined:
            parts.append(joined)

    def start(self, tag: str, element: etree._Element) -> None:
        if tag in _PARAGRAPHS:
            name = tag.rsplit("}", 1)[-1]
            self.counts[name] = self.counts.get(name, 0) + 1
            self.lines.append(_Line(f"{name}[{self.counts[name]}]", slot=len(self.after)))
            if len(self.lines) > 1:
                self.after.append(("", ""))
            if name == "h" and not self.cells and len(self.lines) == 1:
                self.out.gap()
        elif tag == TEXT + "s" and self.lines:
            self.lines[-1].parts.append(" " * min(_number(element.get(TEXT + "c"), 1), _MAX_REPEATED))
        elif tag == TEXT + "tab" and self.lines:
            self.lines[-1].parts.append("\t")
        elif tag == TEXT + "line-break" and self.lines:
            self.lines[-1].parts.append("\n")
        elif tag == TEXT + "list":
            self.lists.append(0)
        elif tag == TEXT + "list-item":
            self.lead = "  " * max(len(self.lists) - 1, 0) + "- "
        elif tag == TABLE + "table":
            if not self.cells:
                self.out.gap()
        elif tag == TABLE + "table-row":
            self.rows.append([])
            self.row_numbers.append(self.count("row"))
        elif tag == TEXT + "ruby-text" and self.lines:
            self.lines[-1].parts.append("(")
        elif tag in (TABLE + "table-cell", TABLE + "covered-table-cell"):
            self.cells.append([])
            repeated = _number(element.get(TABLE + "number-columns-repeated"), 1)
            if repeated > 1 and self.rows and not len(element):
                self.rows[-1].extend([""] * self.out.pad(min(repeated, _MAX_REPEATED) - 1))
        elif tag in (SVG + "title", SVG + "desc"):
            self.lines.append(_Line("title"))
        elif tag == TEXT + "note-citation":
            self.lines.append(_Line("citation"))
        elif tag in (DC + "creator", DC + "date"):
            # Who wrote a comment, and when; in the text itself these are fields of another name.
            self.lines.append(_Line("comment"))
        elif tag == DRAW + "object":
            self.embedded(element)

    def embedded(self, element: etree._Element) -> None:
        """A formula stands in the line; the texts of a chart or another document are read after it."""
        href = (element.get(XLINK + "href") or "").removeprefix("./")
        name = self.archive.find(f"{href}/content.xml") if href and ":" not in href else None
        root = next(element.iterchildren("*"), None) if name is None else self.archive.xml(name)
        if root is None:
            return
        if str(root.tag).startswith(MATH):
            text = "".join("".join((t.text or "").split()) for t in root.iter(*_MATH_TOKENS))
            if self.lines:
                self.lines[-1].parts.append(text)
            else:
                self.place(text, Source(name or self.part, "math"))
            return
        source = Source(name or self.part, "object")
        for row in root.iter(TABLE + "table-row"):
            cells = [" ".join("".join(map(str, p.itertext())) for p in cell.iter(TEXT + "p")) for cell in row]
            self.place("\t".join(cells).rstrip(), source)
        in_table = {p for row in root.iter(TABLE + "table-row") for p in row.iter(TEXT + "p")}
        for paragraph in root.iter(TEXT + "p", TEXT + "h"):
            if paragraph not in in_table:
                self.place("".join(map(str, paragraph.itertext())), source)

    def end(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self.end_paragraph(self.lines.pop())
        elif tag in (SVG + "title", SVG + "desc"):
            line = self.lines.pop()
            self.place("".join(line.parts), Source(self.part, "alt"))
        elif tag in (DC + "creator", DC + "date"):
            line = self.lines.pop()
            self.place("".join(line.parts), Source(self.part, "comment"))
        elif tag == TEXT + "note-citation":
            mark = f"[{''.join(self.lines.pop().parts).strip()}]"
            if self.lines:
                self.lines[-1].parts.append(mark)
            self.lead = f"{mark} "
        elif tag == TEXT + "ruby-text" and self.lines:
            self.lines[-1].parts.append(")")
        elif tag == TEXT + "list":
            self.lists.pop()
            if not self.lists and not self.cells:
                self.out.gap()
        elif tag == TEXT + "list-item":
            self.lead = ""
        elif tag in (TABLE + "table-cell", TABLE + "covered-table-cell"):
            text = " ".join(x for x in self.cells.pop() if x)
            if self.rows:
                self.rows[-1].append(text)
        elif tag == TABLE + "table-row":
            row = self.rows.pop()
            source = Source(self.part, f"row[{self.row_numbers.pop()}]")
            if self.cells:
                self.cells[-1].append(" ".join(x for x in row if x))
            elif self.lines:
                self.place("\t".join(row), source)
            else:
                self.out.row(row, source)
        elif tag == TABLE + "table" and not self.cells:
            self.out.gap()

    def count(self, name: str) -> int:
        self.counts[name] = self.counts.get(name, 0) + 1
        return self.counts[name]

    def end_paragraph(self, line: _Line) -> None:
        text = "".join(line.parts).strip(" ")
        source = Source(self.part, line.path)
        lead, self.lead = self.lead, ""
        if self.lines:
            # A box or note inside a paragraph is read after it.
            self.after[line.slot] = (lead, text)
        elif self.cells:
            self.cells[-1].append(text)
            self.drain(source)
        else:
            self.out.line(text, source, lead)
            self.drain(source)
            if line.path.startswith("h"):
                self.out.gap()

    def place(self, text: str, source: Source) -> None:
        if self.lines:
            self.after.append(("", text))
        elif self.cells:
            self.cells[-1].append(text)
        else:
            self.out.line(text, source)

    def drain(self, source: Source) -> None:
        for lead, text in self.after:
            if self.cells:
                self.cells[-1].append(text)
            else:
                self.out.line(text, source, lead)
        self.after.clear()


def _is_hidden(tag: str, element: etree._Element) -> bool:
    """Sections and fields whose text is switched off; one with a condition is judged by what the program last saw."""
    if tag == TEXT + "section":
        return element.get(TEXT + "display") == "none" or element.get(TEXT + "is-hidden") == "true"
    return tag in (TEXT + "hidden-text", TEXT + "conditional-text") and element.get(TEXT + "is-hidden") == "true"


def _number(value: str | None, default: int) -> int:
    return int(value[:9]) if value is not None and value.isascii() and value.isdigit() else default
