"""DrawingML that presentations and workbooks share: paragraphs, charts and diagrams (ECMA-376 part 1, 20–21)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from msgspec.structs import replace

from lrdoc.document import Cell, Source, Table, Text
from lrdoc.parsers.docx.charts import chart_parts, shape_texts
from lrdoc.parsers.docx.diagrams import diagram_lines
from lrdoc.parsers.legacy.archive import Archive
from lrdoc.parsers.legacy.output import TextOut

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_VML = "urn:schemas-microsoft-com:vml"
_MICROSOFT = "http://schemas.microsoft.com/office/"
_ECMA = "http://schemas.openxmlformats.org/"
_INK = ("}contentPart", "}model3d")
_INK_SPACES = ("/ink", "Ink", "/model3d")


def choose_branch(element: etree._Element) -> etree._Element | None:
    """The branch of mc:AlternateContent that is shown: the first Choice that a current program understands.

    Ink and bodies are better shown by the picture of the Fallback.
    """
    drawn = fallback = None
    for branch in element:
        if branch.tag == MC + "Choice" and drawn is None:
            needed = [branch.nsmap.get(prefix) or "" for prefix in (branch.get("Requires") or "").split()]
            if needed and all(uri.startswith((_MICROSOFT, _ECMA)) or uri == _VML for uri in needed):
                drawn = branch
                is_ink = any(uri.endswith(_INK_SPACES) for uri in needed)
                if not is_ink and not any(str(child.tag).endswith(_INK) for child in branch):
                    return branch
        elif branch.tag == MC + "Fallback" and fallback is None:
            fallback = branch
    return drawn if fallback is None else fallback


def shown_elements(root: etree._Element, *skipped: str) -> Iterator[etree._Element]:
    """All elements below the root in order; of AlternateContent the branch that is shown, nothing below `skipped`."""
    stack = [iter(root)]
    while stack:
        for element in stack[-1]:
            if not isinstance(element.tag, str) or element.tag in skipped:
                continue
            if element.tag == MC + "AlternateContent":
                branch = choose_branch(element)
                if branch is not None:
                    stack.append(iter(branch))
                    break
                continue
            yield element
            if len(element):
                stack.append(iter(element))
                break
        else:
            stack.pop()


def paragraph_text(paragraph: etree._Element) -> str:
    """Text of an a:p: runs, fields, line breaks, and the characters of equations."""
    words: list[str] = []
    for element in shown_elements(paragraph):
        if element.tag == A + "br":
            words.append("\n")
        elif element.tag == A + "tab":
            words.append("\t")
        elif element.tag in (A + "t", M + "t") and element.text:
            words.append(element.text)
    return "".join(words)


def write_chart(archive: Archive, part: str, where: Source, out: TextOut) -> bool:
    """Titles, then a table: one row for each category, one column for each series, from the cached values.

    `where` tells the slide or sheet. False when the part is not there.
    """
    if part and not archive.is_first(part):
        return True
    root = archive.xml(part) if part else None
    if root is None:
        return False
    out.gap()
    for item in chart_parts(root, part):
        if isinstance(item, Text):
            out.line(item.text, _placed(item.source, where))
            continue
        write_table(item, where, out)
    for kind, target in archive.relationships(part).values():
        shapes = archive.xml(target) if kind == "chartUserShapes" and target else None
        if shapes is not None:
            for text in shape_texts(shapes, target):
                out.line(text.text, _placed(text.source, where))
    out.gap()
    return True


def write_table(table: Table, where: Source, out: TextOut) -> None:
    for row in table.rows:
        out.row_of_texts([_cell(cell, where)] for cell in row)


def write_diagram(archive: Archive, part: str, where: Source, out: TextOut) -> bool:
    """Texts of a SmartArt graphic, indented as its points are nested. False when the part is not there."""
    if part and not archive.is_first(part):
        return True
    root = archive.xml(part) if part else None
    if root is None:
        return False
    for lead, text in diagram_lines(root, part):
        if isinstance(lead, Text) and isinstance(text, Text):
            out.line(text.text, _placed(text.source, where), lead.text)
    return True


def _cell(cell: Cell | None, where: Source) -> Text:
    for part in cell.parts if cell is not None else ():
        if isinstance(part, Text):
            return Text(part.text.strip(), _placed(part.source, where))
    return Text("")


def _placed(source: Source | None, where: Source) -> Source:
    return replace(source or where, slide=where.slide, sheet=where.sheet)
