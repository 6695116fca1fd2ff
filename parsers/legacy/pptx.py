"""PowerPoint: slide by slide in reading order, everything a slide shows or says (ECMA-376 part 1, 19 and 20–21).

Reading order is the order of the shapes in the slide, which is the order a screen reader takes, with the title first.
"""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from lrdoc.document import Source, Text
from lrdoc.errors import LimitExceeded, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.archive import Archive, open_archive
from lrdoc.parsers.legacy.drawingml import (
    MC,
    A,
    choose_branch,
    paragraph_text,
    shown_elements,
    write_chart,
    write_diagram,
)
from lrdoc.parsers.legacy.output import TextOut

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SHAPES = tuple(P + name for name in ("sp", "grpSp", "cxnSp", "pic", "graphicFrame", "contentPart"))
_REFERENCES = (C + "chart", CX + "chart", DGM + "relIds")
_PLACEHOLDERS_LEFT_OUT = frozenset({"sldNum", "dt", "sldImg"})
_MAX_LEVEL = 8
_LEVELS = frozenset("012345678")


def read_pptx(source: SourceFile, out: TextOut) -> str:
    with open_archive(source.path, "pptx", out.settings) as archive:
        main = archive.main_part("ppt/presentation.xml", f"{source.name} is not a presentation")
        presentation = archive.xml(main)
        if presentation is None or not presentation.tag.endswith("}presentation"):
            raise SourceError(f"{source.name} is an Office package but not a presentation", hint="Check its suffix.")
        relations = archive.relationships(main)
        slides = [relations.get(entry.get(R + "id") or "") for entry in presentation.iter(P + "sldId")]
        limit = out.settings.max_pages
        if 0 < limit < len(slides):
            raise LimitExceeded(
                f"{source.name} has {len(slides)} slides, more than {limit}",
                limit="LEGACY_MAX_PAGES",
                hint="Raise LEGACY_MAX_PAGES if the file is meant to be that long.",
            )
        for number, slide in enumerate(slides, start=1):
            out.context.progress("slides", number, len(slides))
            if slide is None or not slide[1]:
                out.warn("pptx_missing_slide", f"Slide {number} is named but not there.", Source(slide=number))
                continue
            if not archive.is_first(slide[1]):
                out.warn("pptx_repeated_slide", f"Slide {number} is another one again.", Source(slide=number))
                continue
            out.gap()
            _read_slide(archive, slide[1], number, out)
        return archive.core_title()


def _read_slide(archive: Archive, part: str, number: int, out: TextOut) -> None:
    root = archive.xml(part)
    if root is None:
        out.warn("pptx_missing_slide", f"Slide {number} is named but not there.", Source(slide=number))
        return
    relations = archive.relationships(part)
    reader = _SlideReader(archive, part, relations, number, out)
    tree = root.find(f"{P}cSld/{P}spTree")
    if root.get("show") in ("0", "false"):
        out.warn("pptx_hidden_slide", f"Slide {number} is hidden; its text was kept.", Source(slide=number))
    if tree is not None:
        reader.shapes(tree)
    for kind, target in relations.values():
        if not target:
            continue
        if kind == "notesSlide":
            notes = archive.xml(target)
            body = notes.find(f"{P}cSld/{P}spTree") if notes is not None else None
            if body is not None:
                out.gap()
                notes_reader = _SlideReader(archive, target, archive.relationships(target), number, out)
                notes_reader.shapes(body, notes=True)
        elif kind == "comments":
            comments = archive.xml(target)
            if comments is not None:
                out.gap()
                for i, text in enumerate(_comment_texts(comments), start=1):
                    out.line(text, Source(target, f"comment[{i}]", slide=number))


def _comment_texts(root: etree._Element) -> Iterable[str]:
    for comment in root.iter(P + "text"):
        yield comment.text or ""
    for body in root.iter("{http://schemas.microsoft.com/office/powerpoint/2018/8/main}txBody"):
        yield "\n".join(paragraph_text(p) for p in body.iter(A + "p"))


class _SlideReader:
    def __init__(
        self, archive: Archive, part: str, relations: dict[str, tuple[str, str]], number: int, out: TextOut
    ) -> None:
        self.archive = archive
        self.part = part
        self.relations = relations
        self.number = number
        self.out = out

    def source(self, path: str) -> Source:
        return Source(self.part, path, slide=self.number)

    def shapes(self, tree: etree._Element, notes: bool = False) -> None:
        """All shapes of a tree, groups opened, the title first. Uses a stack of its own.

        Shapes are numbered in the order of the file.
        """
        limit = self.out.settings.max_nesting
        numbers = {shape: number for number, shape in enumerate(tree.iter(*_SHAPES), start=1)}
        ordered = sorted(_children(tree), key=lambda shape: not _is_title(shape))
        stack = [iter(ordered)]
        while stack:
            shape = next(stack[-1], None)
            if shape is None:
                stack.pop()
                continue
            tag = shape.tag
            if tag not in _SHAPES:
                continue
            self.out.context.check()
            path = f"shape[{numbers[shape]}]"
            kind = _placeholder(shape)
            if kind in _PLACEHOLDERS_LEFT_OUT:
                continue
            if tag == P + "grpSp":
                self.alt_text(shape, path)
                stack.append(iter(_children(shape)))
                if 0 < limit < len(stack):
                    raise LimitExceeded(
                        f"Groups on slide {self.number} are nested more than {limit} deep",
                        limit="LEGACY_MAX_NESTING",
                        hint="Raise LEGACY_MAX_NESTING if the file is meant to be that deep.",
                    )
                continue
            body = shape.find(P + "txBody")
            if body is not None:
                self.body(body, path, bullets=kind in ("body", "obj", "") and not notes)
            self.alt_text(shape, path)
            if tag == P + "graphicFrame":
                self.frame(shape, path)
            if kind in ("title", "ctrTitle"):
                self.out.gap()

    def alt_text(self, shape: etree._Element, path: str) -> None:
        for properties in shape.iterfind("*/" + P + "cNvPr"):
            text = properties.get("descr") or properties.get("title")
            if text and text.strip():
                self.out.line(text, self.source(f"{path}/alt"))

    def body(self, body: etree._Element, path: str, bullets: bool) -> None:
        for i, paragraph in enumerate(body.iterfind(A + "p"), start=1):
            level = 0
            properties = paragraph.find(A + "pPr")
            lead = ""
            if properties is not None:
                value = properties.get("lvl") or "0"
                level = min(int(value), _MAX_LEVEL) if value in _LEVELS else 0
            bare = properties is not None and properties.find(A + "buNone") is not None
            marked = properties is not None and any(
                properties.find(A + x) is not None for x in ("buChar", "buAutoNum", "buBlip")
            )
            if marked or (bullets and not bare):
                lead = "  " * level + "- "
            self.out.line(paragraph_text(paragraph), self.source(f"{path}/p[{i}]"), lead)

    def frame(self, frame: etree._Element, path: str) -> None:
        data = frame.find(f"{A}graphic/{A}graphicData")
        number = 0
        for child in shown_elements(data, A + "tbl", *_REFERENCES) if data is not None else ():
            if child.tag == A + "p":
                number += 1
                self.out.line(paragraph_text(child), self.source(f"{path}/p[{number}]"))
        for child in data.iter(A + "tbl", *_REFERENCES) if data is not None else ():
            where = Source(self.part, path, slide=self.number)
            if child.tag == A + "tbl":
                self.table(child, path)
            elif child.tag == DGM + "relIds":
                target = self.relations.get(child.get(R + "dm") or "", ("", ""))[1]
                if not write_diagram(self.archive, target, where, self.out):
                    self.out.warn("pptx_missing_part", "A diagram is named but not there.", where)
            else:
                target = self.relations.get(child.get(R + "id") or "", ("", ""))[1]
                if not write_chart(self.archive, target, where, self.out):
                    self.out.warn("pptx_missing_part", "A chart is named but not there.", where)

    def table(self, table: etree._Element, path: str) -> None:
        self.out.gap()
        for r, row in enumerate(table.iterfind(A + "tr"), start=1):
            cells = []
            for c, cell in enumerate(row.iterfind(A + "tc"), start=1):
                covered = cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")
                paragraphs = [] if covered else [paragraph_text(p) for p in cell.iterfind(f"{A}txBody/{A}p")]
                text = "\n".join(x for x in paragraphs if x).strip()
                cells.append([Text(text, self.source(f"{path}/tr[{r}]/tc[{c}]"))])
            self.out.row_of_texts(cells)
        self.out.gap()


def _children(tree: etree._Element) -> list[etree._Element]:
    """Shapes of a tree; of AlternateContent the branch that is shown."""
    shapes: list[etree._Element] = []
    for child in tree:
        if child.tag == MC + "AlternateContent":
            branch = choose_branch(child)
            if branch is not None:
                shapes.extend(x for x in branch if isinstance(x.tag, str))
        elif isinstance(child.tag, str):
            shapes.append(child)
    return shapes


def _placeholder(shape: etree._Element) -> str | None:
    """Type of a placeholder ("" when it names none), None for an ordinary shape."""
    found = shape.find(f"*/{P}nvPr/{P}ph")
    return None if found is None else (found.get("type") or "")


def _is_title(shape: etree._Element) -> bool:
    return _placeholder(shape) in ("title", "ctrTitle")
