"""The document as one JSON object: the parts of every block as objects with a `type`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from lrdoc.document import (
    Anchor,
    Block,
    Citation,
    Drawing,
    Equation,
    InlineEquation,
    Note,
    NoteRef,
    Part,
    Table,
    Text,
)
from lrdoc.errors import SidecarError
from lrdoc.export.view import View

_TYPES: dict[type, str] = {
    Text: "text",
    Anchor: "anchor",
    InlineEquation: "inline_equation",
    NoteRef: "note_ref",
    Citation: "citation",
    Table: "table",
    Drawing: "drawing",
    Equation: "equation",
}
_EMPTY: tuple[Any, ...] = (None, "", (), {}, False)


def render(view: View) -> Iterator[str]:
    """Fields that say nothing (null, "", empty) are left out."""
    document, info = view.document, view.parsed.info
    head = {
        "document_name": info.document_name,
        "doc_id": info.doc_id,
        "parse_engine": info.stored_engine or info.parse_engine,
        "document_format": document.format,
        "title": document.title,
        "kind": document.kind,
        "attributes": document.attributes,
        "warnings": [{"code": w.code, "message": w.message, "where": w.where} for w in document.warnings],
    }
    yield "{\n" + ",\n".join(f"  {_dump(key)}: {_dump(value)}" for key, value in head.items())
    for name, blocks in (("blocks", document.blocks), ("regions", document.regions)):
        yield f',\n  "{name}": ['
        for n, block in enumerate(blocks):
            yield f"{',' if n else ''}\n    {_dump(_block(block))}"
        yield "\n  ]" if blocks else "]"
    yield "\n}\n"


def _dump(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError as e:
        raise SidecarError("the document is nested too deeply for one JSON object") from e


def _block(block: Block) -> dict[str, Any]:
    plain = _fields(block, without=("parts", "notes"))
    plain["parts"] = _parts(block.parts)
    if block.notes:
        plain["notes"] = [_note(note) for note in block.notes]
    return plain


def _note(note: Note) -> dict[str, Any]:
    return {"mark": note.mark, "parts": _parts(note.parts)}


def _parts(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Works off a list of what is still to do, since tables may stand in cells to any depth."""
    result: list[dict[str, Any]] = []
    todo: list[tuple[Sequence[Part], list[dict[str, Any]]]] = [(parts, result)]
    while todo:
        source, target = todo.pop()
        for part in source:
            plain = {"type": _TYPES[type(part)], **_fields(part, without=("rows",))}
            target.append(plain)
            if isinstance(part, Table) and part.html is None:
                rows: list[list[Any]] = []
                for row in part.rows:
                    cells: list[Any] = []
                    for cell in row:
                        if cell is None:
                            cells.append(None)
                            continue
                        inner: list[dict[str, Any]] = []
                        todo.append((cell.parts, inner))
                        cells.append({"parts": inner, **_fields(cell, without=("parts",))})
                    rows.append(cells)
                plain["rows"] = rows
    return result


def _fields(value: msgspec.Struct, without: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in value.__struct_fields__:
        if name in without:
            continue
        field = getattr(value, name)
        if (
            field in _EMPTY
            or (name in ("row_span", "col_span") and field == 1)
            or (name == "table_slice" and field == "none")
        ):
            continue
        found[name] = [_fields(mark, ()) for mark in field] if name == "marks" else field
    return found
