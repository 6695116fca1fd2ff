"""A DoclingDocument with every kind of node, made in a few words."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any


class Docling:
    """Collects nodes; each method gives the reference of what it made."""

    def __init__(self, mimetype: str = "application/pdf") -> None:
        self.value: dict[str, Any] = {
            "schema_name": "DoclingDocument",
            "version": "1.10.0",
            "name": "x",
            "origin": {"mimetype": mimetype, "filename": "x"},
            "furniture": {"self_ref": "#/furniture", "children": [], "content_layer": "furniture"},
            "body": {"self_ref": "#/body", "children": [], "content_layer": "body", "label": "unspecified"},
            **{name: [] for name in ("groups", "texts", "pictures", "tables", "key_value_items", "form_items")},
            "pages": {},
        }

    def add(self, collection: str, node: dict[str, Any], parent: str | None = "#/body") -> str:
        nodes = self.value.setdefault(collection, [])
        ref = f"#/{collection}/{len(nodes)}"
        node = {"self_ref": ref, "children": [], "content_layer": "body", "prov": [], **node}
        nodes.append(node)
        if parent is not None:
            self.node(parent)["children"].append({"$ref": ref})
            node["parent"] = {"$ref": parent}
        return ref

    def node(self, ref: str) -> dict[str, Any]:
        words = ref.split("/")[1:]
        value = self.value[words[0]]
        found: dict[str, Any] = value[int(words[1])] if len(words) > 1 else value
        return found

    def text(self, text: str, label: str = "text", parent: str | None = "#/body", **more: Any) -> str:
        return self.add("texts", {"label": label, "text": text, "orig": text, **more}, parent)

    def group(self, label: str, parent: str = "#/body", name: str = "group", **more: Any) -> str:
        return self.add("groups", {"label": label, "name": name, **more}, parent)

    def table(self, cells: Sequence[Sequence[Any]], parent: str = "#/body", **more: Any) -> str:
        """Cells as (row, column, rows, columns, text, is_header, …)."""
        made = [
            {
                "start_row_offset_idx": row,
                "end_row_offset_idx": row + rows,
                "start_col_offset_idx": column,
                "end_col_offset_idx": column + columns,
                "row_span": rows,
                "col_span": columns,
                "text": text,
                "column_header": header,
                **(rest[0] if rest else {}),
            }
            for row, column, rows, columns, text, header, *rest in cells
        ]
        height = max((cell["end_row_offset_idx"] for cell in made), default=0)
        width = max((cell["end_col_offset_idx"] for cell in made), default=0)
        data = {"table_cells": made, "num_rows": height, "num_cols": width}
        return self.add("tables", {"label": "table", "captions": [], "footnotes": [], "data": data, **more}, parent)

    def picture(self, parent: str = "#/body", **more: Any) -> str:
        return self.add("pictures", {"label": "picture", "captions": [], "footnotes": [], **more}, parent)

    def copy(self) -> dict[str, Any]:
        return copy.deepcopy(self.value)


def prov(page: int, box: Sequence[float] | None = None, origin: str = "BOTTOMLEFT") -> list[dict[str, Any]]:
    if box is None:
        return [{"page_no": page}]
    sides = dict(zip("ltrb", box, strict=True))
    return [{"page_no": page, "bbox": {**sides, "coord_origin": origin}, "charspan": [0, 5]}]


def everything() -> dict[str, Any]:
    """Every label and collection once."""
    d = Docling()
    d.text("Running head", "page_header", content_layer="furniture")
    d.text("Report", "title", prov=prov(1, (1, 9, 5, 2)))
    d.text("Plain words", prov=prov(1, (1, 2, 3, 4), "TOPLEFT"))
    d.text("Section one", "section_header", level=1)
    outer = d.group("list")
    item = d.text("outer item", "list_item", outer, marker="", enumerated=False)
    d.text("inner item", "list_item", d.group("list", item), marker="a)", enumerated=True)
    line = d.group("inline")
    d.text("Mass", parent=line)
    d.text("bold", parent=line, formatting={"bold": True, "script": "baseline"})
    d.text("E=mc^{2}", "formula", line)
    d.text(", see", parent=line)
    d.text("site", parent=line, hyperlink="https://example.org")
    d.text("\\frac{a}{b}", "formula")
    d.text("a + b", "formula")
    d.text("x = 1", "code", code_language="Python", captions=[{"$ref": d.text("Listing", "caption")}])
    caption, note = d.text("Table caption", "caption"), d.text("Table note", "footnote")
    d.table(
        [
            (0, 0, 1, 2, "Head", True),
            (1, 0, 1, 1, "A", True),
            (1, 1, 1, 1, "B", True),
            (2, 0, 2, 1, "tall", False),
            (2, 1, 1, 1, "one", False),
            (3, 1, 1, 1, "two", False),
        ],
        captions=[{"$ref": caption}],
        footnotes=[{"$ref": note}],
        prov=prov(2, (1, 2, 3, 4)),
    )
    shown = d.picture(
        image={"uri": "artifacts/i.png", "mimetype": "image/png", "dpi": 72, "size": {"width": 4, "height": 3}},
        annotations=[{"kind": "description", "text": "a model sees a map"}],
        prov=prov(2),
    )
    d.node(shown)["captions"] = [{"$ref": d.text("Figure one", "caption", shown)}]
    d.text("words in the picture", parent=shown)
    bare = d.picture()
    d.node(bare)["captions"] = [{"$ref": d.text("Figure without image", "caption", bare)}]
    d.text("inner words", parent=bare)
    d.text("done", "checkbox_selected")
    d.text("open", "checkbox_unselected")
    d.text("[1] Somebody", "reference")
    d.text("of a later version", "novelty")
    d.text("a comment", parent=d.group("comment_section"))
    d.text("hidden words", content_layer="invisible")
    d.add(
        "form_items",
        {
            "label": "form",
            "graph": {
                "cells": [
                    {"cell_id": 0, "label": "key", "text": "Name"},
                    {"cell_id": 1, "label": "value", "text": "Ada"},
                ],
                "links": [{"label": "to_value", "source_cell_id": 0, "target_cell_id": 1}],
            },
        },
        None,
    )
    region = d.add("field_regions", {"label": "field_region"})
    field = d.add("field_items", {"label": "field_item"}, region)
    d.text("Born", "field_key", field)
    d.text("1815", "field_value", field)
    d.text("Running foot", "page_footer", content_layer="furniture")
    return d.copy()


def items_of(value: dict[str, Any]) -> Iterator[list[str]]:
    """The texts of each node in the order of reading; an item comes with its captions and what is inside it."""
    taken: set[str] = set()
    for name in ("tables", "pictures", "texts"):
        for node in value[name]:
            for ref in (*node.get("captions", ()), *node.get("footnotes", ())):
                taken.add(ref["$ref"])
    seen: set[str] = set()

    def find(ref: str) -> dict[str, Any]:
        words = ref.split("/")[1:]
        return value[words[0]][int(words[1])] if len(words) > 1 else value[words[0]]

    def below(node: dict[str, Any]) -> Iterator[str]:
        for child in (*node.get("captions", ()), *node.get("footnotes", ()), *node.get("children", ())):
            if child["$ref"] not in seen:
                seen.add(child["$ref"])
                inner = find(child["$ref"])
                yield inner.get("text", "")
                yield from below(inner)

    def walk(ref: str) -> Iterator[list[str]]:
        if ref in seen or ref in taken:
            return
        seen.add(ref)
        node = find(ref)
        if ref.startswith(("#/tables/", "#/pictures/")):
            cells = node.get("data", {}).get("table_cells", ())
            yield [*(cell["text"] for cell in cells), *below(node)]
            return
        captions = [find(one["$ref"])["text"] for one in (*node.get("captions", ()), *node.get("footnotes", ()))]
        yield [node.get("text", ""), *captions]
        for child in node.get("children", ()):
            yield from walk(child["$ref"])

    yield from walk("#/body")
    for form in (*value["form_items"], *value["key_value_items"]):
        yield [cell["text"] for cell in form.get("graph", {}).get("cells", ())]
