"""Footnotes and endnotes."""

from __future__ import annotations

from typing import Any

from lrdoc.document import Note, NoteRef, plain_text
from lrdoc.parsers.docx.names import W
from lrdoc.parsers.docx.state import Line, Reader


def read_reference(line: Line, element: Any) -> None:
    """A w:footnoteReference or w:endnoteReference: the mark stays in the line, the note goes to the block."""
    reader = line.reader
    kind = "footnote" if element.tag == W + "footnoteReference" else "endnote"
    state = reader.extra.setdefault("notes", {"marks": {}, "texts": {}, "parts": {}, "counts": {}, "reading": False})
    key = (kind, element.get(W + "id"))
    mark = state["marks"].get(key)
    if mark is None:
        number = state["counts"][kind] = state["counts"].get(kind, 0) + 1
        mark = state["marks"][key] = f"{number}" if kind == "footnote" else f"e{number}"
        parts: tuple[Any, ...] = ()
        part = reader.package.related(reader.package.main, f"{kind}s")
        if part is not None and not state["reading"]:
            if part not in state["parts"]:
                root = reader.package.xml(part)
                state["parts"][part] = (
                    {note.get(W + "id"): (at, note) for at, note in enumerate(root.iterchildren(W + kind), 1)}
                    if root is not None
                    else {}
                )
            found = state["parts"][part].get(key[1])
            if found is not None:
                state["reading"] = True
                parts = reader.read_blocks(found[1], part, f"{kind}s/{kind}[{found[0]}]")
                state["reading"] = False
        reader.called_notes.append(Note(mark, parts))
        state["texts"][mark] = plain_text(parts)
    reader.note_calls.append(mark)
    line.add(NoteRef(mark, line.source))


def note_texts(reader: Reader, marks: list[str]) -> tuple[str, ...]:
    """Texts of notes by their marks, each once."""
    texts = reader.extra.get("notes", {}).get("texts", {})
    return tuple(texts.get(mark, "") for mark in dict.fromkeys(marks))
