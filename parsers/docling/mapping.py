"""A DoclingDocument becomes a document. Pure but for the pictures, which go through the asset sink."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lrdoc.document import Drawing, Equation, Part, Table, Text, merge_text, plain_text
from lrdoc.parsers.docling.nodes import Node, Tree, inline_parts, join, marks_of, text_of
from lrdoc.parsers.docling.tables import read_grid
from lrdoc.parsers.services.builder import Place, ServedBuilder, as_text, fenced, load_picture, one_line

_LISTS = frozenset({"list", "ordered_list", "unordered_list"})
_REGION_GROUPS = {"page header": "header", "header": "header", "page footer": "footer", "footer": "footer"}
_CHECKBOXES = {"checkbox_selected": "[x] ", "checkbox_unselected": "[ ] "}
_FIELDS = frozenset({"field_item", "key_value_area"})
_DEEPEST_INDENT = 20


class _Step:
    """A node that is still to be visited, and what holds around it."""

    __slots__ = ("depth", "layer", "node", "ref", "region", "sheet")

    def __init__(self, ref: str, node: Node, layer: str, region: str, depth: int, sheet: str | None) -> None:
        self.ref = ref
        self.node = node
        self.layer = layer
        """body, furniture, notes, background or invisible."""
        self.region = region
        """Where its text goes; "" is the body."""
        self.depth = depth
        """Lists around it."""
        self.sheet = sheet


class Mapper:
    """Walks through the tree in the order of reading; each node once."""

    def __init__(self, builder: ServedBuilder, tree: Tree, bundle: Path) -> None:
        self.builder = builder
        self.tree = tree
        self.bundle = bundle
        self.seen: set[str] = set()
        self.titled = False

    def add_all(self) -> None:
        self.seen |= self._claimed()
        for root, layer in (("#/body", "body"), ("#/furniture", "furniture")):
            found = self.tree.find(root)
            if found is not None:
                self._walk(_Step(*found, layer, _region(found[1], layer, ""), 0, None))
        for ref, node in self.tree.collections():
            if ref in self.seen:
                continue
            if ref.startswith(("#/form_items/", "#/key_value_items/", "#/field_regions/", "#/field_items/")):
                # Forms have no place in the order of reading in some versions.
                self._walk(_Step(ref, node, "body", "", 0, None))
            elif node.get("label") == "comment_section":
                # Comments hang on what they comment.
                self._walk(_Step(ref, node, "body", "comment", 0, None))
        for ref, node in self.tree.collections():
            if ref not in self.seen and ref.startswith(("#/texts/", "#/tables/", "#/pictures/")):
                step = _Step(ref, node, "body", _region(node, as_text(node.get("content_layer")), "margin"), 0, None)
                message = "items that stand nowhere in the order of reading are kept as margin notes"
                self.builder.warn("unplaced_item", message, self._place(step).source, once="unplaced")
                self._walk(step)

    def _claimed(self) -> set[str]:
        """Captions and footnotes that an item shows by itself."""
        claimed: set[str] = set()
        for ref, node in self.tree.collections():
            if ref.startswith(("#/tables/", "#/pictures/")) or node.get("label") in ("code", "formula"):
                for key in ("captions", "footnotes"):
                    claimed.update(found for found, _ in self.tree.children(node, key))
        return claimed

    def _walk(self, first: _Step) -> None:
        stack = [first]
        while stack:
            self.builder.context.check()
            step = stack.pop()
            if step.ref in self.seen:
                continue
            self.seen.add(step.ref)
            stack += reversed(self._visit(step))

    def _visit(self, step: _Step) -> list[_Step]:
        """Handle one node; the children that are to be visited after it."""
        node = step.node
        layer = as_text(node.get("content_layer")) or step.layer
        step.region = _region(node, layer, step.region)
        step.layer = layer
        collection = step.ref.split("/")[1]
        label = as_text(node.get("label"))
        if collection == "texts":
            handler = HANDLERS.get(label, Mapper.line)
            if label not in HANDLERS:
                message = f"texts of the kind {label!r} are not known; they are kept as paragraphs"
                self.builder.warn("unknown_item", message, self._place(step).source, once=label)
        else:
            handler = COLLECTIONS.get(collection, Mapper.other)
        rest = handler(self, step)
        return self._steps(step, "children") if rest is None else rest

    def _steps(self, step: _Step, key: str, deeper: int = 0) -> list[_Step]:
        return [
            _Step(ref, node, step.layer, step.region, step.depth + deeper, step.sheet)
            for ref, node in self.tree.children(step.node, key)
        ]

    def _place(self, step: _Step) -> Place:
        return self.tree.place(step.ref, step.node, step.sheet)

    def _put(self, step: _Step, parts: Iterable[Part], place: Place | None = None) -> None:
        """A line of the body, or of the region that the node stands in."""
        place = place or self._place(step)
        if step.region:
            extras = {} if step.layer in ("body", "furniture") else {"content_layer": step.layer}
            self.builder.region(step.region, parts, place, extras)
        else:
            self.builder.line(parts, place)

    # texts by label; None: go on with the children

    def heading(self, step: _Step) -> list[_Step] | None:
        place = self._place(step)
        parts: list[Part] = [Text(text_of(step.node), place.source, marks_of(step.node))]
        inner = [] if text_of(step.node).strip() else self._inline_children(step)
        level = step.node.get("level")
        is_title = step.node.get("label") == "title"
        level = 1 if is_title else (level if type(level) is int and level > 0 else 1) + 1
        if is_title and (step.region == "" or step.layer == "furniture") and not self.titled:
            self.builder.title = plain_text(one_line(inner or parts))
            self.titled = not step.region
        if step.region:
            self._put(step, inner or parts, place)
        else:
            self.builder.heading(inner or parts, level, place)
        return None

    def line(self, step: _Step) -> list[_Step] | None:
        place = self._place(step)
        parts = inline_parts(self.tree, step.node, place.source) or self._inline_children(step)
        box = _CHECKBOXES.get(as_text(step.node.get("label")))
        self._put(step, [Text(box), *parts] if box else parts, place)
        return None

    def list_item(self, step: _Step) -> list[_Step] | None:
        place = self._place(step)
        marker = as_text(step.node.get("marker")).strip()
        parts = inline_parts(self.tree, step.node, place.source) or self._inline_children(step)
        label: list[Part] = [Text("  " * min(max(step.depth - 1, 0), _DEEPEST_INDENT))]
        label.append(Text(f"{marker} ", place.source) if marker else Text("- "))
        if parts or step.node.get("children"):
            self._put(step, merge_text([*label, *parts]), place)
        return None

    def code(self, step: _Step) -> list[_Step] | None:
        place = self._place(step)
        for caption in self._texts(step, "captions"):
            self._put(step, [Text(caption, place.source)], Place(place.source))
        language = as_text(step.node.get("code_language"))
        code = text_of(step.node)
        if code.strip():
            language = "" if language.lower() == "unknown" else language
            self._put(step, fenced(code, language, place.source), place)
        for footnote in self._texts(step, "footnotes"):
            self._put(step, [Text(footnote, place.source)], Place(place.source))
        return None

    def formula(self, step: _Step) -> list[_Step] | None:
        text = text_of(step.node).strip()
        place = self._place(step)
        captions, footnotes = self._texts(step, "captions"), self._texts(step, "footnotes")
        if text and self.tree.is_latex(step.node):
            equation = Equation(text, " ".join(captions), tuple(footnotes), place.source, step.ref)
            self._put(step, [equation], place)
            return None
        for words in (*captions, text, *footnotes):
            self._put(step, [Text(words, place.source)], place)
            place = Place(place.source)
        return None

    # other collections

    def group(self, step: _Step) -> list[_Step] | None:
        label = as_text(step.node.get("label"))
        if label == "inline":
            self._put(step, self._line_of(self.tree.children(step.node), step), self._inline_place(step))
            return self._steps(step, "children")
        if label in _LISTS:
            return self._steps(step, "children", deeper=1)
        if label == "sheet" and not step.region:
            name = as_text(step.node.get("name")).strip()
            if name:
                step.sheet = name
                self.builder.heading([Text(name, self._place(step).source)], 1, self._place(step))
        elif label in _FIELDS:
            self._field(step)
        return None

    def table(self, step: _Step) -> list[_Step] | None:
        place = self._place(step)
        source = place.source
        used: list[str] = []

        def rich(cell: Mapping[str, Any]) -> tuple[Part, ...] | None:
            found = self.tree.find(cell["ref"]) if "ref" in cell else None
            if found is None or found[0] in self.seen:
                return None
            parts = self._cell(found, step, as_text(cell.get("text")))
            used.extend(part.text for part in parts if isinstance(part, Text))
            return parts

        grid, header_rows = read_grid(step.node.get("data"), source, rich)
        if not grid:
            # Its captions stand for themselves then.
            for key in ("captions", "footnotes"):
                self.seen.difference_update(ref for ref, _ in self.tree.children(step.node, key))
            return self._steps(step, "captions") + self._steps(step, "footnotes") + self._steps(step, "children")
        captions, footnotes = self._texts(step, "captions"), self._texts(step, "footnotes")
        extras = self._extras(step.node, captions)
        if step.node.get("label") not in ("table", "", None):
            extras["label"] = step.node["label"]
        table = Table(
            grid,
            header_rows,
            caption=" ".join(captions),
            footnotes=tuple(footnotes),
            source=source,
            self_ref=step.ref,
            extras=extras,
        )
        self._put(step, [table], place)
        shown = {line for row in grid for cell in row if cell for line in plain_text(cell.parts).split("\n")}
        shown.update(plain_text(cell.parts) for row in grid for cell in row if cell is not None)
        return [child for child in self._steps(step, "children") if not self._is_shown(child, shown)]

    def _is_shown(self, step: _Step, shown: set[str]) -> bool:
        """The text of a child of a table stands in a cell already."""
        is_text = step.ref.startswith("#/texts/") and not step.node.get("children")
        return is_text and text_of(step.node) in shown

    def _cell(self, found: tuple[str, Node], step: _Step, text: str) -> tuple[Part, ...]:
        """A cell with structure of its own: lines of text, and the items in it."""
        lines: list[list[Part]] = []
        stack: list[tuple[tuple[str, Node], int]] = [(found, 0)]
        while stack:
            (ref, node), depth = stack.pop()
            if ref in self.seen:
                continue
            self.seen.add(ref)
            self.builder.context.check()
            inner = _Step(ref, node, step.layer, step.region, depth, step.sheet)
            source = self.tree.place(ref, node, step.sheet).source
            children = list(self.tree.children(node))
            if node.get("label") == "inline":
                lines.append(self._line_of(children, inner))
                continue
            if ref.startswith("#/pictures/"):
                lines.append([self._drawing(inner, self.tree.place(ref, node, step.sheet))])
                continue
            if ref.startswith("#/tables/") and depth < _DEEPEST_INDENT:
                grid, header_rows = read_grid(node.get("data"), source, lambda cell: None)
                if grid:
                    captions = " ".join(self._texts(inner, "captions"))
                    lines.append([Table(grid, header_rows, caption=captions, source=source, self_ref=ref)])
            elif ref.startswith("#/texts/"):
                parts = inline_parts(self.tree, node, source)
                if node.get("label") == "list_item" and parts:
                    parts = [Text(f"{as_text(node.get('marker')).strip() or '-'} "), *parts]
                lines.append(parts)
            stack += [(child, depth + 1) for child in reversed(children)]
        parts = []
        for line in lines:
            if line:
                parts += [Text("\n"), *line] if parts else line
        if not parts and text:
            parts = [Text(text, self._place(step).source)]
        return merge_text(parts)

    def picture(self, step: _Step) -> list[_Step] | None:
        place = self._place(step)
        drawing = self._drawing(step, place)
        self._put(step, [drawing], place)
        return [child for child in self._steps(step, "children") if not child.ref.startswith("#/texts/")]

    def _drawing(self, step: _Step, place: Place) -> Drawing:
        node = step.node
        captions, footnotes = self._texts(step, "captions"), self._texts(step, "footnotes")
        extras = self._extras(node, captions)
        image = node.get("image")
        uri = ""
        if isinstance(image, dict):
            uri = as_text(image.get("uri"))
            size = image.get("size")
            if isinstance(size, dict):
                extras["intrinsic_size"] = [size.get("width"), size.get("height")]
            extras.update({key: image[key] for key in ("dpi", "mimetype") if image.get(key) is not None})
        inner = self._inner_texts(step)
        if inner:
            extras["ocr_texts"] = "\n".join(inner)
            extras["ocr_texts_count"] = len(inner)
        asset, format, src = load_picture(self.builder, self.bundle, uri, place.source)
        return Drawing(asset, format, src, " ".join(captions), tuple(footnotes), place.source, step.ref, extras)

    def _inner_texts(self, step: _Step) -> list[str]:
        """Texts inside a picture, in order; they are not visited again."""
        found: list[str] = []
        stack = list(self.tree.children(step.node))[::-1]
        while stack:
            ref, node = stack.pop()
            if ref in self.seen or not ref.startswith(("#/texts/", "#/groups/")):
                continue
            self.seen.add(ref)
            if ref.startswith("#/texts/") and (text := text_of(node).strip()):
                found.append(text)
            stack += list(self.tree.children(node))[::-1]
        return found

    def other(self, step: _Step) -> list[_Step] | None:
        """Forms and fields, and whatever a later version adds."""
        graph = step.node.get("graph")
        if isinstance(graph, dict):
            self._form(step, graph)
        elif step.ref.startswith("#/field_items/"):
            self._field(step)
        elif text_of(step.node).strip():
            self.line(step)
        return None

    def _field(self, step: _Step) -> None:
        """Key and values on one line."""
        pieces: list[list[Part]] = []
        for ref, node in self.tree.children(step.node):
            if ref in self.seen or not ref.startswith("#/texts/") or node.get("children"):
                continue
            self.seen.add(ref)
            source = self.tree.place(ref, node, step.sheet).source
            parts = inline_parts(self.tree, node, source)
            if parts and node.get("label") == "field_key" and not text_of(node).rstrip().endswith((":", "：")):
                parts.append(Text(":"))
            pieces.append(parts)
        self._put(step, join(pieces))

    def _form(self, step: _Step, graph: Mapping[str, Any]) -> None:
        """Cells of a form: each key with its values. A cell whose text stands elsewhere is not repeated."""
        cells: dict[int, dict[str, Any]] = {}
        for n, cell in enumerate(_dicts(graph.get("cells"))):
            number = _id(cell.get("cell_id"))
            cells[number if number >= 0 and number not in cells else -2 - n] = cell
        values: dict[int, list[int]] = {}
        targets: set[int] = set()
        for link in _dicts(graph.get("links")):
            source_id, target_id = _id(link.get("source_cell_id")), _id(link.get("target_cell_id"))
            if link.get("label") == "to_value" and source_id in cells and target_id in cells:
                values.setdefault(source_id, []).append(target_id)
                targets.add(target_id)
        done: set[int] = set()
        for cell_id, cell in cells.items():
            self.builder.context.check()
            if cell_id in targets and cell.get("label") != "key":
                continue
            self._form_line(step, [cell, *(cells[one] for one in values.get(cell_id, ()) if one not in done)])
            done.update(values.get(cell_id, ()))
        for cell_id in cells:
            if cell_id in targets and cell_id not in done:
                self._form_line(step, [cells[cell_id]])

    def _form_line(self, step: _Step, cells: list[Mapping[str, Any]]) -> None:
        pieces: list[list[Part]] = []
        place = self._place(step)
        for n, cell in enumerate(cells):
            found = self.tree.find(cell.get("item_ref"))
            text = text_of(cell)
            if not text or (found is not None and found[0] in self.seen):
                continue
            if found is not None:
                self.seen.add(found[0])
            if n == 0:
                place = Place(place.source, self.tree.place(step.ref, {"prov": [cell.get("prov")]}).positions)
            pieces.append([Text(text, place.source)])
            if n == 0 and len(cells) > 1 and not text.rstrip().endswith((":", "：")):
                pieces[-1].append(Text(":"))
        self._put(step, join(pieces), place)

    # helpers

    def _inline_children(self, step: _Step) -> list[Part]:
        """The line of a text whose words stand in an inline group below it."""
        for ref, node in self.tree.children(step.node):
            if node.get("label") == "inline" and ref not in self.seen:
                self.seen.add(ref)
                return self._line_of(self.tree.children(node), step)
            break
        return []

    def _line_of(self, nodes: Iterable[tuple[str, Node]], step: _Step) -> list[Part]:
        pieces: list[list[Part]] = []
        for ref, node in nodes:
            if ref in self.seen or node.get("children") or not ref.startswith(("#/texts/", "#/pictures/")):
                continue
            self.seen.add(ref)
            place = self.tree.place(ref, node, step.sheet)
            if ref.startswith("#/pictures/"):
                inner = _Step(ref, node, step.layer, step.region, step.depth, step.sheet)
                pieces.append([self._drawing(inner, place)])
            else:
                pieces.append(inline_parts(self.tree, node, place.source))
        return join(pieces)

    def _inline_place(self, step: _Step) -> Place:
        """An inline group has no place of its own: it is where its texts are."""
        positions = [
            position
            for ref, node in self.tree.children(step.node)
            for position in self.tree.place(ref, node, step.sheet).positions
        ]
        first = next(iter(self.tree.children(step.node)), (step.ref, step.node))
        return Place(self.tree.place(*first, step.sheet).source, tuple(positions))

    def _texts(self, step: _Step, key: str) -> list[str]:
        """Texts of the captions or footnotes of an item."""
        found: list[str] = []
        for ref, node in self.tree.children(step.node, key):
            self.seen.add(ref)
            text = text_of(node).strip()
            if not text:
                text = plain_text(self._inline_children(_Step(ref, node, step.layer, "", 0, None))).strip()
            if text:
                found.append(text)
        return found

    def _extras(self, node: Node, captions: list[str]) -> dict[str, Any]:
        """What models said about an item: classes, descriptions, data of charts."""
        extras: dict[str, Any] = {key: node[key] for key in ("annotations", "meta") if node.get(key)}
        if len(captions) > 1:
            extras["captions"] = captions
        return extras


Handler = Callable[[Mapper, _Step], list[_Step] | None]

HANDLERS: dict[str, Handler] = {
    "title": Mapper.heading,
    "section_header": Mapper.heading,
    "list_item": Mapper.list_item,
    "code": Mapper.code,
    "formula": Mapper.formula,
    **dict.fromkeys(
        "text paragraph caption footnote reference page_header page_footer checkbox_selected checkbox_unselected "
        "document_index field_key field_value field_heading field_hint handwritten_text empty_value grading_scale "
        "marker".split(),
        Mapper.line,
    ),
}
"""What is done with a text of each label."""

COLLECTIONS: dict[str, Handler] = {
    "groups": Mapper.group,
    "tables": Mapper.table,
    "pictures": Mapper.picture,
    "body": Mapper.group,
    "furniture": Mapper.group,
}


def _region(node: Node, layer: str, above: str) -> str:
    """Where the text of a node goes: "" is the body."""
    label = as_text(node.get("label"))
    if label in ("page_header", "page_footer"):
        return "header" if label == "page_header" else "footer"
    if label == "comment_section" or layer == "notes":
        return "comment"
    if layer in ("", "body"):
        return above
    named = _REGION_GROUPS.get(as_text(node.get("name")).lower())
    if named or above:
        return named or above
    return "header" if layer == "furniture" else "margin"


def _id(value: Any) -> int:
    return value if type(value) is int else -1


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
