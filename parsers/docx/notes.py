"""Footnotes and endnotes: the mark stays where the note is called, the text goes to the block (decision A6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lrdoc.document import Note, NoteRef, plain_text
from lrdoc.parsers.docx.names import W
from lrdoc.parsers.docx.state import Line, Reader

_Key = tuple[str, str, str]
"""Prefix of the package, "footnote" or "endnote", id."""


@dataclass(slots=True)
class _Notes:
    """The notes of a document and what has been read of them."""

    marks: dict[_Key, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    """Plain text by mark."""
    counts: dict[str, int] = field(default_factory=dict)
    parts: dict[tuple[str, str], tuple[str, dict[str, tuple[int, Any]]]] = field(default_factory=dict)
    """By package and kind: the part, and its notes by id with their number in the part."""
    waiting: list[tuple[Reader, _Key]] = field(default_factory=list)
    """Called and not yet read, with the reader of the document that called."""
    is_reading: bool = False


def read_reference(line: Line, element: Any) -> None:
    """Read a w:footnoteReference or w:endnoteReference."""
    reader = line.reader
    notes = _notes(reader)
    kind = "footnote" if element.tag == W + "footnoteReference" else "endnote"
    key = (reader.package.prefix, kind, element.get(W + "id") or "")
    mark = notes.marks.get(key)
    if mark is None:
        if key[2] not in _elements(reader, notes, kind)[1]:
            reader.warn("note_missing", f"The {kind} {key[2]!r} that is called here does not exist", line.source)
            return
        # Numbers follow the order of the calls in the document, as Word counts them.
        number = notes.counts[kind] = notes.counts.get(kind, 0) + 1
        mark = notes.marks[key] = str(number) if kind == "footnote" else f"e{number}"
        notes.waiting.append((reader, key))
    reader.note_calls.append(mark)
    line.add(NoteRef(mark, line.source))
    if not notes.is_reading:
        _read_waiting(notes)


def note_texts(reader: Reader, marks: list[str]) -> tuple[str, ...]:
    """Texts of notes by their marks, each once."""
    texts = _notes(reader).texts
    return tuple(texts[mark] for mark in dict.fromkeys(marks) if texts.get(mark))


def _notes(reader: Reader) -> _Notes:
    known = reader.shared.get("notes")
    if not isinstance(known, _Notes):
        known = reader.shared["notes"] = _Notes()
    return known


def _elements(reader: Reader, notes: _Notes, kind: str) -> tuple[str, dict[str, tuple[int, Any]]]:
    """The part with the notes of this kind and its notes by id, without the lines that separate notes from text."""
    package = reader.package
    key = (package.prefix, kind)
    known = notes.parts.get(key)
    if known is None:
        part = package.related(package.main, f"{kind}s")
        root = package.xml(part) if part is not None else None
        found: dict[str, tuple[int, Any]] = {}
        for number, note in enumerate(root.iterchildren(W + kind) if root is not None else (), 1):
            if note.get(W + "type", "normal") == "normal":
                found.setdefault(note.get(W + "id") or "", (number, note))
        known = notes.parts[key] = (part or "", found)
    return known


def _read_waiting(notes: _Notes) -> None:
    """Read the notes that were called. A note that calls another one puts it at the end of the queue."""
    notes.is_reading = True
    while notes.waiting:
        reader, key = notes.waiting.pop(0)
        part, found = _elements(reader, notes, key[1])
        number, element = found[key[2]]
        mark = notes.marks[key]
        parts = reader.read_blocks(element, part, f"{key[1]}s/{key[1]}[{number}]")
        notes.texts[mark] = plain_text(parts).strip()
        reader.called_notes.append(Note(mark, parts))
    notes.is_reading = False
