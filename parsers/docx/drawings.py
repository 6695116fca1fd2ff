"""Graphics in a line: pictures of every kind, and what leads to text boxes, charts, diagrams and embedded objects.

Pictures stay in the line where they are anchored; text boxes, charts and diagrams follow the paragraph on lines of
their own. Groups and canvases give each of their pictures. The tree of a graphic is walked with a stack of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lrdoc.document import Drawing, Mark
from lrdoc.parsers.docx import charts, diagrams, objects
from lrdoc.parsers.docx.branches import choose_branch
from lrdoc.parsers.docx.media import format_of, store_picture
from lrdoc.parsers.docx.names import DGM, MC, PIC, WP, WPC, WPG, WPS, A, C, O, R, V, W
from lrdoc.parsers.docx.state import Line

_SVG_BLIP = "{http://schemas.microsoft.com/office/drawing/2016/SVG/main}svgBlip"
_CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_EMU_PER_POINT = 12_700
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "pc": 12.0, "pi": 12.0, "px": 0.75, "": 0.75}
_LENGTH = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([0-9]*\.?[0-9]+)\s*([a-z]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Described:
    """What a graphic says about itself; inner elements inherit it and may say more."""

    name: str = ""
    alt_text: str = ""
    title: str = ""
    width_pt: float | None = None
    height_pt: float | None = None
    link: str = ""
    in_group: bool = False
    embedded: dict[str, str] | None = None
    """The embedded object of which the picture is a preview."""

    def extras(self) -> dict[str, Any]:
        """JSON values for `Drawing.extras`; what is not known is left out."""
        values: dict[str, Any] = {
            "alt_text": self.alt_text,
            "title": self.title,
            "name": self.name,
            "width_pt": self.width_pt,
            "height_pt": self.height_pt,
            "link": self.link,
            "embedded": self.embedded,
        }
        return {key: value for key, value in values.items() if value}


def read_graphic(line: Line, element: Any, marks: tuple[Mark, ...] = ()) -> None:
    """Read a w:drawing, w:pict, w:object or content part."""
    link = next((mark.target for mark in reversed(marks) if mark.kind == "link"), "")
    _Graphic(line, marks).read(element, Described(link=link))


class _Graphic:
    """One graphic while it is read."""

    def __init__(self, line: Line, marks: tuple[Mark, ...]) -> None:
        self.line = line
        self.marks = marks
        self.has_content = False
        """Something was found that stands for the graphic in the output."""
        self.described = Described()
        """The most that was said, for a graphic without any content."""

    def read(self, element: Any, described: Described) -> None:
        stack: list[tuple[Iterator[Any], Described]] = [(iter((element,)), described)]
        while stack:
            children, context = stack[-1]
            for child in children:
                handler = _HANDLERS.get(child.tag)
                if handler is None:
                    if len(child):
                        stack.append((iter(child), context))
                        break
                    continue
                inner = handler(self, child, context)
                if inner is not None:
                    stack.append(inner)
                    break
            else:
                stack.pop()
        if not self.has_content and (self.described.alt_text or self.described.title or self.described.embedded):
            self.line.add(Drawing(source=self.line.source, extras=self.described.extras()))

    # -- what describes

    def _frame(self, element: Any, context: Described) -> _Inner:
        """wp:inline or wp:anchor."""
        properties = element.find(WP + "docPr")
        extent = element.find(WP + "extent")
        context = replace(context, width_pt=_emu(extent, "cx"), height_pt=_emu(extent, "cy"))
        return iter(element), self._describe(properties, context)

    def _describe(self, properties: Any | None, context: Described) -> Described:
        if properties is None:
            return context
        click = properties.find(A + "hlinkClick")
        link = context.link
        if click is not None:
            rel = self.line.reader.package.rel(self.line.walk.part, click.get(R + "id"))
            link = rel.raw if rel is not None else link
        context = replace(
            context,
            name=properties.get("name") or context.name,
            alt_text=properties.get("descr") or context.alt_text,
            title=properties.get("title") or context.title,
            link=link,
        )
        if len(context.alt_text) + len(context.title) > len(self.described.alt_text) + len(self.described.title):
            self.described = context
        return context

    def _group(self, element: Any, context: Described) -> _Inner:
        return iter(element), replace(context, in_group=True)

    def _picture(self, element: Any, context: Described) -> _Inner:
        """pic:pic. In a group it has a description and a size of its own; else the frame's hold."""
        properties = element.find(f"{PIC}nvPicPr/{PIC}cNvPr")
        if properties is None:
            return iter(element), context
        own = self._describe(properties, context)
        if context.in_group:
            extent = element.find(f"{PIC}spPr/{A}xfrm/{A}ext")
            return iter(element), replace(own, width_pt=_emu(extent, "cx"), height_pt=_emu(extent, "cy"))
        return iter(element), replace(own, name=context.name or own.name, alt_text=context.alt_text or own.alt_text)

    def _shape(self, element: Any, context: Described) -> _Inner:
        """A VML shape, group, rectangle …"""
        size = {
            key.lower(): (number, unit.lower()) for key, number, unit in _LENGTH.findall(element.get("style") or "")
        }
        context = replace(
            context,
            alt_text=element.get("alt") or context.alt_text,
            title=element.get("title") or context.title,
            link=element.get("href") or context.link,
            width_pt=_points(size.get("width"), context.width_pt),
            height_pt=_points(size.get("height"), context.height_pt),
        )
        if context.alt_text or context.title:
            self.described = context
        return iter(element), context

    # -- pictures

    def _blip(self, element: Any, context: Described) -> None:
        """a:blip: embedded, linked, or both; as SVG with or without a PNG beside it."""
        line = self.line
        package, part = line.reader.package, line.walk.part
        linked = package.rel(part, element.get(R + "link"))
        src = linked.raw if linked is not None else ""
        embed = element.get(R + "embed")
        svg = next((blip.get(R + "embed") for blip in element.iter(_SVG_BLIP)), None)
        for rel_id in (embed, svg):
            rel = package.rel(part, rel_id)
            if rel is None:
                continue
            if rel.external:
                src = src or rel.raw
                continue
            if rel_id == embed and svg is not None and not package.has(rel.target):
                continue
            self._add(rel.target, src, context)
            return
        if embed and not src:
            self.line.reader.warn("picture_missing", f"No relationship {embed!r} leads to a picture", line.source)
        if src or embed:
            self._add("", src, context)

    def _image_data(self, element: Any, context: Described) -> None:
        """v:imagedata or v:fill."""
        line = self.line
        rel_id = element.get(R + "id") or element.get(R + "pict") or element.get(O + "relid")
        linked = line.reader.package.rel(line.walk.part, element.get(R + "href"))
        rel = line.reader.package.rel(line.walk.part, rel_id)
        title = element.get(O + "title") or ""
        context = replace(context, title=context.title or title)
        address = element.get("src") or ""
        if rel is not None and not rel.external:
            self._add(rel.target, linked.raw if linked is not None else "", context)
        elif (outside := rel or linked) is not None:
            self._add("", outside.raw, context)
        elif address and not address.startswith("rId"):
            self._add("", address, context)
        elif rel_id:
            line.reader.warn("picture_missing", f"No relationship {rel_id!r} leads to a picture", line.source)
            self._add("", "", context)

    def _fill(self, element: Any, context: Described) -> None:
        if element.get(R + "id"):
            self._image_data(element, context)

    def _add(self, target: str, src: str, context: Described) -> None:
        line = self.line
        self.has_content = True
        extras = context.extras()
        picture = store_picture(line.reader, target, line.source) if target else None
        if picture is None:
            line.add(Drawing(None, format_of(target or src), src, source=line.source, extras=extras))
            return
        if picture.rasterized_from:
            extras["rasterized_from"] = picture.rasterized_from
        line.add(Drawing(picture.asset, picture.format, src, source=line.source, extras=extras))

    def _content_part(self, element: Any, context: Described) -> None:
        """Ink: the strokes are kept as they are."""
        rel = self.line.reader.package.rel(self.line.walk.part, element.get(R + "id"))
        if rel is None or rel.external:
            return
        self._add(rel.target, "", replace(context, name=context.name or "ink"))

    # -- text

    def _box(self, element: Any, context: Described) -> None:
        self.has_content = True
        self.line.box(element, marks=self.marks)

    def _word_art(self, element: Any, context: Described) -> None:
        """v:textpath: the text of old WordArt is an attribute."""
        text = element.get("string")
        if text:
            self.has_content = True
            self.line.text(text, self.marks)

    def _canvas_text(self, element: Any, context: Described) -> None:
        """a:p outside of charts and diagrams: text of a locked canvas."""
        text = "".join(node.text or "" for node in element.iter(A + "t"))
        if text:
            if self.has_content:
                self.line.generated(" ")
            self.has_content = True
            self.line.text(text, self.marks)

    # -- what leads elsewhere

    def _alternate(self, element: Any, context: Described) -> _Inner | None:
        branch = choose_branch(element)
        return (iter(branch), context) if branch is not None else None

    def _chart(self, element: Any, context: Described) -> None:
        self.has_content = True
        charts.read_chart(self.line, element.get(R + "id"), context.extras())

    def _diagram(self, element: Any, context: Described) -> None:
        self.has_content = True
        diagrams.read_diagram(self.line, element.get(R + "dm"), context.extras())

    def _object(self, element: Any, context: Described) -> _Inner:
        embedded = objects.read_object(self.line, element)
        if embedded is not None:
            context = replace(context, embedded=embedded)
            self.described = context
        return iter(element), context


_Inner = tuple[Iterator[Any], Described]


def _skip(graphic: _Graphic, element: Any, context: Described) -> None:
    """Elements whose content is not shown."""


def _emu(element: Any | None, name: str) -> float | None:
    value = (element.get(name) or "").strip() if element is not None else ""
    if not (value.isascii() and value.isdigit()) or len(value) > 12:
        return None
    return round(int(value) / _EMU_PER_POINT, 2) or None


def _points(length: tuple[str, str] | None, default: float | None) -> float | None:
    if length is None or length[1] not in _POINTS or len(length[0]) > 12:
        return default
    return round(float(length[0]) * _POINTS[length[1]], 2) or default


_HANDLERS: dict[str, Callable[[_Graphic, Any, Described], _Inner | None]] = {
    WP + "inline": _Graphic._frame,
    WP + "anchor": _Graphic._frame,
    WPG + "wgp": _Graphic._group,
    WPG + "grpSp": _Graphic._group,
    WPC + "wpc": _Graphic._group,
    PIC + "pic": _Graphic._picture,
    A + "blip": _Graphic._blip,
    V + "imagedata": _Graphic._image_data,
    V + "fill": _Graphic._fill,
    W + "txbxContent": _Graphic._box,
    V + "textpath": _Graphic._word_art,
    A + "p": _Graphic._canvas_text,
    MC + "AlternateContent": _Graphic._alternate,
    C + "chart": _Graphic._chart,
    _CX + "chart": _Graphic._chart,
    DGM + "relIds": _Graphic._diagram,
    W + "object": _Graphic._object,
    W + "pict": _Graphic._object,
    **{
        V + name: _Graphic._shape
        for name in ("shape", "rect", "roundrect", "oval", "line", "polyline", "group", "image")
    },
    **dict.fromkeys((A + "extLst", WPS + "style", V + "shapetype", WP + "docPr", PIC + "nvPicPr"), _skip),
    "{http://schemas.microsoft.com/office/word/2010/wordml}contentPart": _Graphic._content_part,
    W + "contentPart": _Graphic._content_part,
}
