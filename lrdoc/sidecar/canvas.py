"""Text that grows piece by piece, with its provenance and marks in code points of what has grown so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import get_args

from msgspec import json as mjson

from lrdoc.document import Anchor, Mark, MarkKind, Source, Text, is_all_text
from lrdoc.sidecar.escape import escape_with_offsets, needs_escape
from lrdoc.sidecar.shapes import MarkShape
from lrdoc.text.clean import clean

Entry = tuple[int, int, Source]
MarkRange = tuple[int, int, Mark | Anchor | str]
"""Start, end, and a mark, an anchor or the mark of a note."""

_ORDER: dict[str, int] = {kind: n for n, kind in enumerate(get_args(MarkKind))}


def sort_marks(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Marks of one text in the order in which they are written and read back."""
    return tuple(sorted(set(marks), key=lambda m: (_ORDER.get(m.kind, 99), m.target, m.author, m.date)))


class Canvas:
    """Content under construction."""

    __slots__ = ("_latest", "entries", "length", "pieces", "ranges")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.entries: list[Entry] = []
        self.ranges: list[MarkRange] = []
        self._latest: dict[Mark, int] = {}
        """Where in `ranges` a mark stands last: it grows with the text that follows."""

    def text(self) -> str:
        return "".join(self.pieces)

    def put(self, piece: str, source: Source | None = None) -> int:
        """Add ready-made content; returns where it begins."""
        start = self.length
        self.pieces.append(piece)
        self.length = start + len(piece)
        if source is not None:
            self._enter(start, self.length, source)
        return start

    def place(self, piece: str, entries: Iterable[Entry], ranges: Iterable[MarkRange]) -> None:
        """Add ready-made content with provenance and marks that count from its own beginning."""
        start = self.put(piece)
        if start:
            self.entries.extend([(a + start, b + start, source) for a, b, source in entries])
        else:
            self.entries.extend(entries)
        self.ranges.extend((a + start, b + start, mark) for a, b, mark in ranges)

    def note(self, start: int, mark: str) -> None:
        """Everything from `start` to here is the text of a note."""
        self.ranges.append((start, self.length, mark))

    def texts(self, run: Sequence[Text | Anchor], *, special: bool = True) -> None:
        """Add text; `special` False: nothing in it needs to be escaped."""
        if any(part.marks for part in run if type(part) is Text):
            for opening, closing, segment in _segments(run):
                self._segment(segment, opening, closing, special)
        elif special or not is_all_text(run):
            self._segment(run, "", "", special)
        else:
            self._plain(run)

    def _plain(self, run: Sequence[Text]) -> None:
        entries = self.entries
        end = self.length
        self.pieces.extend([part.text for part in run])
        last_end = -1
        last: Source | None = None
        if entries:
            _, last_end, last = entries[-1]
        for part in run:
            start = end
            end += len(part.text)
            source = part.source
            if source is None or start == end:
                continue
            if start == last_end and (source is last or source == last):
                entries[-1] = (entries[-1][0], end, source)
            else:
                entries.append((start, end, source))
                last = source
            last_end = end
        self.length = end

    def _segment(self, run: Sequence[Text | Anchor], opening: str, closing: str, special: bool) -> None:
        """Text of one script, between its tags. What is escaped may begin in one part and end in the next."""
        words = [part.text if type(part) is Text else "" for part in run]
        raw = "".join(words)
        offsets = list(accumulate(map(len, words), initial=0))
        if special and needs_escape(raw):
            raw, offsets = escape_with_offsets(raw, offsets)
        start = self.length
        self.pieces.append(f"{opening}{raw}{closing}")
        self.length = start + len(opening) + len(raw) + len(closing)
        base = start + len(opening)
        inner = len(raw)
        for n, part in enumerate(run):
            a, b = offsets[n], offsets[n + 1]
            if type(part) is Anchor:
                self.ranges.append((base + a, base + a, part))
                continue
            if a == b:
                continue
            # The tags around the segment belong to its first and last text.
            first = start if a == 0 else base + a
            last = self.length if b == inner else base + b
            if part.source is not None:
                self._enter(first, last, part.source)
            if part.marks:
                self._mark(first, last, part.marks)

    def _enter(self, start: int, end: int, source: Source) -> None:
        if self.entries:
            first, last_end, last = self.entries[-1]
            if last_end == start and (source is last or source == last):
                self.entries[-1] = (first, end, source)
                return
        self.entries.append((start, end, source))

    def _mark(self, start: int, end: int, marks: Iterable[Mark]) -> None:
        for mark in marks:
            if mark.kind == "sup" or mark.kind == "sub":
                continue
            latest = self._latest.get(mark)
            if latest is not None:
                first, last, _ = self.ranges[latest]
                if last == start:
                    self.ranges[latest] = (first, end, mark)
                    continue
                if last == end:
                    continue
            self._latest[mark] = len(self.ranges)
            self.ranges.append((start, end, mark))


def _segments(run: Sequence[Text | Anchor]) -> list[tuple[str, str, list[Text | Anchor]]]:
    """Cut where superscript or subscript begins or ends; an anchor stays with what stands before it."""
    segments: list[tuple[str, str, list[Text | Anchor]]] = []
    for part in run:
        if type(part) is Anchor:
            if not segments:
                segments.append(("", "", []))
            segments[-1][2].append(part)
            continue
        opening = closing = ""
        kinds = {mark.kind for mark in part.marks}
        if "sup" in kinds:
            opening, closing = "<sup>", "</sup>"
        if "sub" in kinds:
            opening, closing = f"{opening}<sub>", f"</sub>{closing}"
        if not part.text:
            continue
        if not segments or segments[-1][0] != opening:
            segments.append((opening, closing, []))
        segments[-1][2].append(part)
    return segments


def encode_provenance(entries: Sequence[Entry]) -> bytes:
    """The JSON list of provenance entries."""
    sources = [source for _, _, source in entries]
    try:
        lines = _ENCODER.encode_lines(sources).split(b"\n")
    except UnicodeEncodeError:
        lines = _ENCODER.encode_lines([_clean_source(source) for source in sources]).split(b"\n")
    words = [
        b'{"chars":[%d,%d],%b' % (a, b, line[1:]) if line != b"{}" else b'{"chars":[%d,%d]}' % (a, b)
        for (a, b, _), line in zip(entries, lines, strict=False)
    ]
    return b"[%b]" % b",".join(words)


def encode_marks(ranges: Iterable[MarkRange]) -> bytes:
    """The JSON list of marks, ascending; where two begin and end together, in the order of `sort_marks`."""
    shapes: list[tuple[tuple[int, int, int, str, str, str], MarkShape]] = []
    for start, end, what in ranges:
        if isinstance(what, Mark):
            shape = MarkShape((start, end), what.kind, clean(what.target), clean(what.author), clean(what.date))
            key = (start, end, _ORDER.get(what.kind, 99), shape.target, shape.author, shape.date)
        elif isinstance(what, Anchor):
            shape = MarkShape((start, end), "anchor", clean(what.name))
            key = (start, end, -1, "", "", "")
        else:
            shape = MarkShape((start, end), "note", what)
            key = (start, end, -2, "", "", "")
        shapes.append((key, shape))
    shapes.sort(key=lambda pair: pair[0])
    return _ENCODER.encode([shape for _, shape in shapes])


def _clean_source(source: Source) -> Source:
    return Source(
        clean(source.part),
        clean(source.path),
        None if source.paraid is None else clean(source.paraid),
        source.page,
        source.lines,
        source.slide,
        None if source.sheet is None else clean(source.sheet),
        None if source.cells is None else clean(source.cells),
        None if source.chapter is None else clean(source.chapter),
        source.bbox,
    )


_ENCODER = mjson.Encoder()
