"""The walk through one part of a Word document: what is shown, where it stands, and what is left out and why.

The walk keeps its own stack, so the depth of a file costs memory and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from lrdoc.audit.base import ANY, FORMULA, SourceText, Stretch
from lrdoc.audit.docx_fields import Fields, Shown, button_text, equation_shown
from lrdoc.audit.docx_package import attribute, attributes, names
from lrdoc.audit.docx_shown import References, Rules, choose_branch, decode_escapes, symbol_shown, visible_text
from lrdoc.audit.docx_styles import Styles, child

_CONTROL = re.compile("[\x00\x02-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_SKIPPED = frozenset(
    {
        "w:pPr", "w:rPr", "w:tblPr", "w:tblGrid", "w:tblPrEx", "w:sdtPr", "w:sdtEndPr", "w:smartTagPr", "w:customXmlPr",
        "w:rubyPr", "m:oMathParaPr", "m:ctrlPr", "w:background", "a:extLst", "wps:spPr",
        "wps:style", "wps:bodyPr", "v:path", "v:formulas", "v:handles", "v:stroke", "v:shadow",
        "wp14:sizeRelH", "wp14:sizeRelV", "wp:positionH", "wp:positionV", "w:bookmarkStart", "w:bookmarkEnd",
        "w:proofErr", "w:lastRenderedPageBreak", "w:commentRangeStart", "w:commentRangeEnd", "w:annotationRef",
        "w:footnoteRef", "w:endnoteRef", "w:separator", "w:continuationSeparator", "o:lock", "w10:wrap",
    }
)  # fmt: skip


@dataclass(slots=True)
class _Paragraph:
    stretch: Stretch
    style: str
    steps: dict[str, int] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    formulas: list[tuple[str, ...]] = field(default_factory=list)


@dataclass(slots=True)
class _Place:
    """A step of the path that paragraphs and tables are counted under."""

    path: str
    kind: str
    container: int
    outer: int = 0
    steps: dict[str, int] = field(default_factory=dict)


class Walk:
    """Walks one part and adds its stretches to `out` in the order in which they are shown."""

    def __init__(self, part: str, styles: Styles, rules: Rules, out: SourceText, containers: Iterator[int]) -> None:
        self.part = part
        self.styles = styles
        self.rules = rules
        self.out = out
        self.references = References()
        self._containers = containers
        self._fields = Fields()
        self._toc_depth = 0
        self._why: list[str] = []  # reasons why what is met now is not shown, innermost last
        self._place = _Place("", "text", next(containers))
        self._paragraph: _Paragraph | None = None
        self._formula: list[str] | None = None
        self._stack: list[tuple[Iterator[etree._Element], Callable[[], None] | None]] = []

    # -- driving ------------------------------------------------------------------------------------------------

    def run(self, elements: Iterator[etree._Element], path: str, kind: str) -> References:
        """Walk the elements as the content of the place `path`.

        A field that never ends would turn all that follows into its instruction: then the walk is done again without
        the characters that begin such fields.
        """
        before, excluded = len(self.out.stretches), dict(self.out.excluded)
        nodes = list(elements)
        self._walk(nodes, path, kind)
        if self._fields.unclosed:
            self._fields = Fields(ignored=self._fields.unclosed)
            del self.out.stretches[before:]
            self.out.excluded = excluded
            self.references = References()
            self._walk(nodes, path, kind)
        return self.references

    def _walk(self, nodes: list[etree._Element], path: str, kind: str) -> None:
        self._place = _Place(path, kind, next(self._containers))
        self._push(iter(nodes), self._fields.close)
        stack = self._stack
        while stack:
            element = next(stack[-1][0], None)
            if element is None:
                leave = stack.pop()[1]
                if leave is not None:
                    leave()
                continue
            name = names[element.tag]
            handler = _HANDLERS.get(name)
            if handler is not None:
                handler(self, element)
            elif name in _SKIPPED or not name or name[0] == "?":
                continue
            elif self._paragraph is None:
                self.wrapper(element)
            else:
                stack.append((iter(element), None))

    def _push(self, elements: Iterator[etree._Element], leave: Callable[[], None] | None) -> None:
        self._stack.append((elements, leave))

    def _without(self, element: etree._Element, reason: str) -> None:
        """Walk an element whose text is not shown."""
        self._why.append(reason)
        self._push(iter(element), self._leave_reason)

    def _leave_reason(self) -> None:
        self._why.pop()

    # -- text ---------------------------------------------------------------------------------------------------

    def _text(self, text: str) -> None:
        if not text:
            return
        if not text.isprintable() and (controls := _CONTROL.findall(text)):
            self.out.exclude("control", "".join(controls))
            text = _CONTROL.sub("", text)
        if self._why:
            self.out.exclude(self._why[-1], text)
        elif self._fields.open and self._fields.in_code():
            self.out.exclude("field_code", text)
        else:
            self._fields.note_result()
            if self._formula is not None:
                self._formula.append(text)
            elif self._paragraph is not None:
                self._paragraph.pieces.append(text)

    def _shown(self) -> bool:
        return not self._why and not self._fields.in_code()

    # -- places -------------------------------------------------------------------------------------------------

    def _step(self, steps: dict[str, int], name: str) -> str:
        steps[name] = number = steps.get(name, 0) + 1
        return f"{name}[{number}]"

    def _enter_place(self, path: str, kind: str, container: int, element: etree._Element, outside: int = 0) -> None:
        outer, self._place = self._place, _Place(path, kind, container, outside)
        paragraph, self._paragraph = self._paragraph, None

        def leave() -> None:
            self._place, self._paragraph = outer, paragraph

        self._push(iter(element), leave)

    def _down(self, element: etree._Element) -> str:
        """Path of an element of block content: steps count among siblings of the same name."""
        place = self._place
        local = names[element.tag].partition(":")[2]
        if self._paragraph is not None:  # a paragraph or table inside a paragraph
            return f"{self._paragraph.stretch.path}/{local}[1]"
        step = self._step(place.steps, local)
        return f"{place.path}/{step}" if place.path else step

    def wrapper(self, element: etree._Element) -> None:
        """Whatever stands around block content, rows or cells is a step of the path."""
        place = self._place
        self._enter_place(self._down(element), place.kind, place.container, element, place.outer)

    def loose(self, element: etree._Element) -> None:
        """A run or other inline content where a paragraph should stand: read as a paragraph of its own."""
        if self._paragraph is not None:
            self._inline(element)
            return
        self._begin_paragraph(self._down(element), "", False, iter([element]))

    def paragraph(self, element: etree._Element) -> None:
        path = self._down(element)
        properties = child(element, "w:pPr")
        style = ""
        numbered = False
        if properties is not None:
            for node in properties:
                name = names[node.tag]
                if name == "w:pStyle":
                    style = attribute(node, "w:val") or ""
                elif name == "w:numPr":
                    numbered = True
                elif name == "w:rPr":
                    # A paragraph whose mark is changed may go on in the next, which may be numbered.
                    numbered = numbered or any(names[change.tag] in _CHANGES for change in node)
                elif name == "w:sectPr":
                    self.section(node)
        numbered = numbered or self.styles.numbered(style or self.styles.default_paragraph)
        self._begin_paragraph(path, style, numbered, iter(element))

    def _begin_paragraph(self, path: str, style: str, numbered: bool, elements: Iterator[etree._Element]) -> None:
        place = self._place
        stretch = Stretch(self.part, path, place.kind, container=place.container, numbered=numbered)
        stretch.outer = place.outer
        stretch.toc = self._toc_depth > 0 or self.styles.is_toc(style) or self._fields.in_toc()
        # The stretch is put down at once so that text boxes come after the paragraph that anchors them.
        self.out.stretches.append(stretch)
        outer = self._paragraph
        self._paragraph = current = _Paragraph(stretch, style)

        def leave() -> None:
            stretch.text = "".join(current.pieces)
            stretch.formulas = tuple(current.formulas)
            self._paragraph = outer

        self._push(elements, leave)

    def _inline(self, element: etree._Element) -> None:
        _INLINE.get(names[element.tag], Walk.descend)(self, element)

    def descend(self, element: etree._Element) -> None:
        self._push(iter(element), None)

    def table(self, element: etree._Element) -> None:
        self._enter_place(self._down(element), self._place.kind, next(self._containers), element)

    def row(self, element: etree._Element) -> None:
        place = self._place
        path = self._down(element)
        reason = ""
        properties = child(element, "w:trPr")
        if properties is not None:
            if child(properties, "w:del") is not None and self.rules.changes == "accept":
                reason = "deleted"
            elif child(properties, "w:ins") is not None and self.rules.changes == "reject":
                reason = "inserted"
        self._enter_place(path, place.kind, place.container, element)
        self._with_reason(reason)

    def cell(self, element: etree._Element) -> None:
        place = self._place
        path = self._down(element)
        reason = ""
        continued = False
        properties = child(element, "w:tcPr")
        if properties is not None:
            for name in ("w:vMerge", "w:hMerge"):
                merge = child(properties, name)
                continued = continued or (merge is not None and attribute(merge, "w:val") != "restart")
            if child(properties, "w:cellDel") is not None and self.rules.changes == "accept":
                reason = "deleted"
            elif child(properties, "w:cellIns") is not None and self.rules.changes == "reject":
                reason = "inserted"
        kind = "cell" if place.kind == "text" else place.kind
        # What stands in a cell that continues another goes there, before the cells between them.
        self._enter_place(path, kind, next(self._containers), element, 0 if continued else place.container)
        self._with_reason(reason)

    def _with_reason(self, reason: str) -> None:
        """Mark the element just entered as not shown."""
        if not reason:
            return
        elements, leave = self._stack.pop()
        self._why.append(reason)

        def leave_both() -> None:
            self._why.pop()
            if leave is not None:
                leave()

        self._push(elements, leave_both)

    def box(self, element: etree._Element) -> None:
        """w:txbxContent: numbered inside the paragraph that anchors it."""
        anchor = self._paragraph
        steps = anchor.steps if anchor is not None else self._place.steps
        base = anchor.stretch.path if anchor is not None else self._place.path
        # A box that is not shown has no number.
        step = self._step(steps, "txbxContent") if self._shown() else "txbxContent[0]"
        kind = "box" if self._place.kind in ("text", "cell") else self._place.kind
        fields, self._fields.open = self._fields.open, []
        formula, self._formula = self._formula, None
        self._enter_place(f"{base}/{step}" if base else step, kind, next(self._containers), element)
        elements, leave = self._stack.pop()

        def leave_all() -> None:
            self._fields.close()
            self._fields.open, self._formula = fields, formula
            if leave is not None:
                leave()

        self._push(elements, leave_all)

    # -- runs ---------------------------------------------------------------------------------------------------

    def run_element(self, element: etree._Element) -> None:
        properties = None
        for node in element:
            if names[node.tag] == "w:rPr":
                properties = node
            break
        style = self._paragraph.style if self._paragraph is not None else ""
        if self.rules.hidden == "drop" and self.styles.hidden(style, properties):
            self._without(element, "hidden")
        else:
            self._push(iter(element), None)

    def text(self, element: etree._Element) -> None:
        text = element.text or ""
        if len(element):  # a reference to an entity, which is not followed
            text += "".join(node.tail or "" for node in element)
        if text:
            self._text(decode_escapes(text))

    def deleted_text(self, element: etree._Element) -> None:
        if self.rules.changes == "accept":
            self.out.exclude(self._why[-1] if self._why else "deleted", element.text or "")
        else:
            self.text(element)

    def instruction(self, element: etree._Element) -> None:
        self.out.exclude("field_code", element.text or "")
        self._fields.add_code(element.text or "")

    def symbol(self, element: etree._Element) -> None:
        self._text(symbol_shown(attribute(element, "w:char"), attribute(element, "w:font")))

    def no_break_hyphen(self, element: etree._Element) -> None:
        self._text("‑")

    def soft_hyphen(self, element: etree._Element) -> None:
        self._text("\u00ad")

    def space(self, element: etree._Element) -> None:
        if self._formula is None and self._shown() and self._paragraph is not None:
            self._paragraph.pieces.append(" ")

    def ruby(self, element: etree._Element) -> None:
        """The base comes first, then the reading."""
        base = [node for node in element if names[node.tag] == "w:rubyBase"]
        reading = [node for node in element if names[node.tag] == "w:rt"]
        self._push(iter(base + reading), None)

    # -- fields -------------------------------------------------------------------------------------------------

    def field_character(self, element: etree._Element) -> None:
        if any(reason != "hidden" for reason in self._why):
            return
        for shown in self._fields.character(element):
            self._show(shown)
        if self._paragraph is not None and self._fields.in_toc():
            self._paragraph.stretch.toc = True

    def _show(self, shown: Shown) -> None:
        if isinstance(shown, str):
            self._text(shown)
        elif self._shown() and self._formula is None:
            self._add_formula(self._paragraph, shown)

    def simple_field(self, element: etree._Element) -> None:
        code = attribute(element, "w:instr") or ""
        self.out.exclude("field_code", code)
        if not len(element):
            self._show(button_text(code) or equation_shown(code))
        self._push(iter(element), None)

    # -- changes and branches -----------------------------------------------------------------------------------

    def change(self, element: etree._Element) -> None:
        """w:ins, w:del, w:moveFrom, w:moveTo around runs, paragraphs, rows or cells."""
        view, reason = _CHANGES[names[element.tag]]
        if self._paragraph is None:
            self.wrapper(element)
        else:
            self._push(iter(element), None)
        self._with_reason(reason if self.rules.changes == view else "")

    def alternate(self, element: etree._Element) -> None:
        chosen = choose_branch(element)
        for branch in element:
            if branch is not chosen:
                self.out.exclude("alternate_branch", visible_text(branch))
        if chosen is None:
            return
        if self._paragraph is not None:
            self._push(iter(chosen), None)
            return
        place = self._place
        local = names[chosen.tag].partition(":")[2]
        self._enter_place(f"{self._down(element)}/{local}[1]", place.kind, place.container, chosen, place.outer)

    def control(self, element: etree._Element) -> None:
        """w:sdt; a gallery of tables of contents is one."""
        content = child(element, "w:sdtContent")
        path = self._down(element) if self._paragraph is None else ""
        if content is None:
            return
        gallery = child(child(child(element, "w:sdtPr"), "w:docPartObj"), "w:docPartGallery")
        is_toc = gallery is not None and (attribute(gallery, "w:val") or "").lower() == "table of contents"
        self._toc_depth += is_toc

        def leave() -> None:
            self._toc_depth -= is_toc

        self._push(iter(()), leave)
        if self._paragraph is not None:
            self._push(iter(content), None)
        else:
            place = self._place
            self._enter_place(path, place.kind, place.container, content, place.outer)

    # -- formulas -----------------------------------------------------------------------------------------------

    def formula(self, element: etree._Element) -> None:
        if self._formula is not None:  # an oMath inside another adds its text to it
            self._push(iter(element), None)
            return
        runs: list[str] = []
        self._formula = runs
        paragraph = self._paragraph

        def leave() -> None:
            self._formula = None
            self._add_formula(paragraph, runs)

        self._push(iter(element), leave)

    @staticmethod
    def _add_formula(paragraph: _Paragraph | None, runs: Sequence[str]) -> None:
        if paragraph is not None and any(text.strip() for text in runs):
            paragraph.pieces.append(FORMULA)
            paragraph.formulas.append(tuple(runs))

    def formula_sign(self, element: etree._Element) -> None:
        """m:chr and its like: an operator or delimiter. One that is a letter may be written, and need not be."""
        sign = attribute(element, "m:val") or ""
        if self._formula is not None and any(character.isalnum() for character in sign):
            self._text(ANY * len(sign))

    # -- what leads elsewhere -----------------------------------------------------------------------------------

    def _refer(self, kind: str, id_: str | None) -> None:
        path = self._paragraph.stretch.path if self._paragraph is not None else self._place.path
        shown = self._shown()
        if shown:
            self._fields.note_result()
        self.references.add(kind, id_, path, shown)

    def note_reference(self, element: etree._Element) -> None:
        self._refer(names[element.tag].partition(":")[2], attribute(element, "w:id"))

    def chunk(self, element: etree._Element) -> None:
        self._refer("altChunk", attribute(element, "r:id"))

    def blip(self, element: etree._Element) -> None:
        found = attributes(element)
        if found.get("r:embed"):
            self._refer("picture", found["r:embed"])
            for node in element.iter():
                if names[node.tag] == "asvg:svgBlip":
                    self._refer("optional_picture", attribute(node, "r:embed"))
            return
        for node in element.iter():
            if names[node.tag] == "asvg:svgBlip":
                self._refer("optional_picture", attribute(node, "r:embed"))

    def description(self, element: etree._Element) -> None:
        """Alternative text and title of a picture: words that plain text shows in its place."""
        found = attributes(element)
        self.out.texts.extend(filter(None, (found.get("descr"), found.get("title"), found.get("alt"))))

    def image_data(self, element: etree._Element) -> None:
        parent = element.getparent()
        if parent is not None:
            self.description(parent)
        self._refer("picture", attribute(element, "r:id"))

    def ole(self, element: etree._Element) -> None:
        self._refer("embedded", attribute(element, "r:id"))

    def chart(self, element: etree._Element) -> None:
        self._refer("chart", attribute(element, "r:id"))

    def diagram(self, element: etree._Element) -> None:
        self._refer("diagram", attribute(element, "r:dm"))

    def text_path(self, element: etree._Element) -> None:
        """WordArt of VML: its text is an attribute."""
        text = attribute(element, "v:string")
        if text:
            self._text(text)

    def drawing_text(self, element: etree._Element) -> None:
        """a:t outside charts and diagrams: text of a locked canvas."""
        self.text(element)

    def section(self, element: etree._Element) -> None:
        for node in element:
            name = names[node.tag]
            if name in ("w:headerReference", "w:footerReference"):
                self._refer(name.partition(":")[2], attribute(node, "r:id"))


_CHANGES = {
    "w:del": ("accept", "deleted"),
    "w:moveFrom": ("accept", "moved_from"),
    "w:ins": ("reject", "inserted"),
    "w:moveTo": ("reject", "moved_to"),
}
"""Element → in which view its content is not there, and why."""
_INLINE: Mapping[str, Callable[[Walk, etree._Element], None]] = {
    "w:r": Walk.run_element,
    "w:fldSimple": Walk.simple_field,
    "m:oMath": Walk.formula,
}
_HANDLERS: Mapping[str, Callable[[Walk, etree._Element], None]] = {
    "w:p": Walk.paragraph,
    "w:tbl": Walk.table,
    "w:tr": Walk.row,
    "w:tc": Walk.cell,
    "w:txbxContent": Walk.box,
    **dict.fromkeys(
        (
            "w:r",
            "w:hyperlink",
            "w:fldSimple",
            "w:smartTag",
            "w:drawing",
            "w:pict",
            "w:object",
            "w:bdo",
            "w:dir",
            "m:oMath",
            "m:oMathPara",
        ),
        Walk.loose,
    ),
    "w:t": Walk.text,
    "m:t": Walk.text,
    "m:chr": Walk.formula_sign,
    "m:begChr": Walk.formula_sign,
    "m:sepChr": Walk.formula_sign,
    "m:endChr": Walk.formula_sign,
    "a:t": Walk.drawing_text,
    "w:delText": Walk.deleted_text,
    "w:instrText": Walk.instruction,
    "w:delInstrText": Walk.instruction,
    "w:sym": Walk.symbol,
    "w:noBreakHyphen": Walk.no_break_hyphen,
    "w:softHyphen": Walk.soft_hyphen,
    "w:tab": Walk.space,
    "w:ptab": Walk.space,
    "w:br": Walk.space,
    "w:cr": Walk.space,
    "w:ruby": Walk.ruby,
    "w:fldChar": Walk.field_character,
    "w:del": Walk.change,
    "w:moveFrom": Walk.change,
    "w:ins": Walk.change,
    "w:moveTo": Walk.change,
    "mc:AlternateContent": Walk.alternate,
    "w:sdt": Walk.control,
    "w:footnoteReference": Walk.note_reference,
    "w:endnoteReference": Walk.note_reference,
    "w:commentReference": Walk.note_reference,
    "w:altChunk": Walk.chunk,
    "a:blip": Walk.blip,
    "wp:docPr": Walk.description,
    "pic:cNvPr": Walk.description,
    "wps:cNvPr": Walk.description,
    "v:imagedata": Walk.image_data,
    "o:OLEObject": Walk.ole,
    "c:chart": Walk.chart,
    "cx:chart": Walk.chart,
    "dgm:relIds": Walk.diagram,
    "v:textpath": Walk.text_path,
    "w:sectPr": Walk.section,
}
