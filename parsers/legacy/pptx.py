"""PowerPoint: slide by slide in reading order, everything a slide shows or says (ECMA-376 part 1, 19 and 20–21).

Reading order is the order of the shapes in the slide, which is the order a screen reader takes, with the title first.
"""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from lrdoc.document import Source
from lrdoc.errors import LimitExceeded, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.archive import Archive, open_archive
from lrdoc.parsers.legacy.drawingml import A, paragraph_text, write_chart
from lrdoc.parsers.legacy.output import TextOut

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_UNDERSTOOD = frozenset({"p14", "p15", "p16", "a14", "a16", "wps", "wpg", "c14", "cx1", "v", "am3d", "aink"})
_PLACEHOLDERS_LEFT_OUT = frozenset({"sldNum", "dt", "sldImg"})
_MAX_LEVEL = 8


def read_pptx(source: SourceFile, out: TextOut) -> str:
    with open_archive(source.path, "pptx", out.settings) as archive:
        main = _main_part(archive, source)
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
            out.gap()
            _read_slide(archive, slide[1], number, out)
        core = archive.xml("docProps/core.xml")
        title = core.findtext("{http://purl.org/dc/elements/1.1/}title") if core is not None else None
    return " ".join((title or "").split())


def _main_part(archive: Archive, source: SourceFile) -> str:
    for kind, target in archive.relationships("").values():
        if kind == "officeDocument" and target:
            return target
    found = archive.find("ppt/presentation.xml")
    if found is None:
        raise SourceError(f"{source.name} is not a presentation: no main part is named", hint="Check its suffix.")
    return found


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
        self.count = 0

    def source(self, path: str) -> Source:
        return Source(self.part, path, slide=self.number)

    def shapes(self, tree: etree._Element, notes: bool = False) -> None:
        """All shapes of a tree, groups opened, the title first. Uses a stack of its own."""
        limit = self.out.settings.max_nesting
        ordered = sorted(_children(tree), key=lambda shape: not _is_title(shape))
        stack = [iter(ordered)]
        while stack:
            shape = next(stack[-1], None)
            if shape is None:
                stack.pop()
                continue
            tag = shape.tag
            if tag == P + "grpSp":
                self.alt_text(shape)
                stack.append(iter(_children(shape)))
                if 0 < limit < len(stack):
                    raise LimitExceeded(
                        f"Groups on slide {self.number} are nested more than {limit} deep",
                        limit="LEGACY_MAX_NESTING",
                        hint="Raise LEGACY_MAX_NESTING if the file is meant to be that deep.",
                    )
                continue
            self.count += 1
            path = f"shape[{self.count}]"
            kind = _placeholder(shape)
            if kind in _PLACEHOLDERS_LEFT_OUT:
                continue
            if tag == P + "sp" or tag == P + "cxnSp":
                body = shape.find(P + "txBody")
                if body is not None:
                    self.body(body, path, bullets=kind in ("body", "obj", "") and not notes and kind is not None)
                if kind is None or body is None:
                    self.alt_text(shape)
                if kind in ("title", "ctrTitle"):
                    self.out.gap()
            elif tag == P + "pic":
                self.alt_text(shape)
            elif tag == P + "graphicFrame":
                self.alt_text(shape)
                self.frame(shape, path)
            elif tag == P + "contentPart":
                self.alt_text(shape)

    def alt_text(self, shape: etree._Element) -> None:
        for properties in shape.iterfind("*/" + P + "cNvPr"):
            text = properties.get("descr") or properties.get("title")
            if text and text.strip():
                self.out.line(text, self.source(f"shape[{self.count}]/alt"))

    def body(self, body: etree._Element, path: str, bullets: bool) -> None:
        for i, paragraph in enumerate(body.iterfind(A + "p"), start=1):
            level = 0
            properties = paragraph.find(A + "pPr")
            lead = ""
            if properties is not None:
                value = properties.get("lvl") or "0"
                level = min(int(value), _MAX_LEVEL) if value.isdigit() else 0
            bare = properties is not None and properties.find(A + "buNone") is not None
            marked = properties is not None and any(
                properties.find(A + x) is not None for x in ("buChar", "buAutoNum", "buBlip")
            )
            if marked or (bullets and not bare):
                lead = "  " * level + "- "
            self.out.line(paragraph_text(paragraph), self.source(f"{path}/p[{i}]"), lead)

    def frame(self, frame: etree._Element, path: str) -> None:
        data = frame.find(f"{A}graphic/{A}graphicData")
        if data is None:
            return
        table = data.find(A + "tbl")
        if table is not None:
            self.table(table, path)
            return
        for child in data.iterchildren("*"):
            if child.tag.endswith("}chart"):
                self.chart(child.get(R + "id") or "", path)
            elif child.tag == DGM + "relIds":
                self.diagram(child.get(R + "dm") or "", path)

    def table(self, table: etree._Element, path: str) -> None:
        self.out.gap()
        for r, row in enumerate(table.iterfind(A + "tr"), start=1):
            cells = []
            for c, cell in enumerate(row.iterfind(A + "tc"), start=1):
                covered = cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")
                paragraphs = [] if covered else [paragraph_text(p) for p in cell.iterfind(f"{A}txBody/{A}p")]
                cells.append(("\n".join(x for x in paragraphs if x), self.source(f"{path}/tr[{r}]/tc[{c}]")))
            self.out.row(cells)
        self.out.gap()

    def chart(self, rel_id: str, path: str) -> None:
        target = self.relations.get(rel_id, ("", ""))[1]
        root = self.archive.xml(target) if target else None
        if root is None:
            self.out.warn("pptx_missing_part", "A chart is named but not there.", self.source(path))
            return
        write_chart(root, Source(target, "chart", slide=self.number), self.out)

    def diagram(self, rel_id: str, path: str) -> None:
        """Texts of a SmartArt graphic in the order of its nodes, nested as its connections say."""
        target = self.relations.get(rel_id, ("", ""))[1]
        root = self.archive.xml(target) if target else None
        if root is None:
            self.out.warn("pptx_missing_part", "A diagram is named but not there.", self.source(path))
            return
        texts = {}
        roots: list[str] = []
        for point in root.iter(DGM + "pt"):
            kind = point.get("type") or "node"
            key = point.get("modelId") or ""
            if kind == "doc":
                roots.append(key)
            if kind in ("node", "asst"):
                texts[key] = "\n".join(x for x in (paragraph_text(p) for p in point.iterfind(f"{DGM}t/{A}p")) if x)
        children: dict[str, list[tuple[int, str]]] = {}
        for link in root.iter(DGM + "cxn"):
            if (link.get("type") or "parOf") == "parOf":
                order = link.get("srcOrd") or "0"
                entry = (int(order) if order.isdigit() else 0, link.get("destId") or "")
                children.setdefault(link.get("srcId") or "", []).append(entry)
        source = Source(target, "diagram", slide=self.number)
        done: set[str] = set()
        stack = [(key, -1) for key in reversed(roots)]
        while stack:
            key, level = stack.pop()
            if key in done:
                continue
            done.add(key)
            if texts.get(key):
                self.out.line(texts[key], source, "  " * max(level, 0) + "- ")
            stack.extend((child, level + 1) for _, child in sorted(children.get(key, []), reverse=True))
        for key, text in texts.items():
            if key not in done and text:
                self.out.line(text, source, "- ")


def _children(tree: etree._Element) -> list[etree._Element]:
    """Shapes of a tree; of AlternateContent the first choice that is understood, else the fallback."""
    shapes: list[etree._Element] = []
    for child in tree:
        if child.tag == MC + "AlternateContent":
            chosen = None
            for choice in child.iterfind(MC + "Choice"):
                if set((choice.get("Requires") or "").split()) <= _UNDERSTOOD:
                    chosen = choice
                    break
            if chosen is None:
                chosen = child.find(MC + "Fallback")
            if chosen is not None:
                shapes.extend(x for x in chosen if isinstance(x.tag, str))
        elif isinstance(child.tag, str):
            shapes.append(child)
    return shapes


def _placeholder(shape: etree._Element) -> str | None:
    """Type of a placeholder ("" when it names none), None for an ordinary shape."""
    found = shape.find(f"*/{P}nvPr/{P}ph")
    return None if found is None else (found.get("type") or "")


def _is_title(shape: etree._Element) -> bool:
    return _placeholder(shape) in ("title", "ctrTitle")
