"""Provenance and marks of one content line, to be asked by position."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import cast

import msgspec

from lrdoc.document import Anchor, Mark, MarkKind, Part, Source, Text
from lrdoc.errors import SidecarError
from lrdoc.sidecar.canvas import sort_marks
from lrdoc.sidecar.escape import unescape, unescape_with_offsets
from lrdoc.sidecar.shapes import CharsShape, MarkShape

_MOST_MARKS = 64
"""Over one place. Every character would carry a copy of a longer list."""

_CHARS = msgspec.json.Decoder(list[CharsShape])
_SOURCES = msgspec.json.Decoder(list[Source])
_MARKS = msgspec.json.Decoder(list[MarkShape])


class Places:
    """Where the characters of a content line come from and what marks they have."""

    __slots__ = ("_anchor_at", "_anchors", "_ends", "_mark_ends", "_mark_sets", "_mark_starts", "_sources", "_starts")

    def __init__(
        self,
        spans: Sequence[tuple[int, int]] = (),
        sources: Sequence[Source] = (),
        marks: Sequence[MarkShape] = (),
    ) -> None:
        self._starts = [a for a, _ in spans]
        self._ends = [b for _, b in spans]
        self._sources = sources
        anchors = [mark for mark in marks if mark.kind == "anchor"]
        self._anchor_at = [mark.chars[0] for mark in anchors]
        self._anchors = [mark.target for mark in anchors]
        self._mark_starts: list[int] = []
        self._mark_ends: list[int] = []
        self._mark_sets: list[tuple[Mark, ...]] = []
        if len(anchors) < len(marks):
            self._sweep([mark for mark in marks if mark.kind != "anchor"])

    def _sweep(self, marks: Sequence[MarkShape]) -> None:
        """Cut overlapping marks into stretches that have the same marks throughout."""
        cuts = sorted({place for mark in marks for place in mark.chars})
        ending: dict[int, list[int]] = {}
        active: dict[int, Mark] = {}
        next_mark = 0
        for a, b in itertools.pairwise(cuts):
            for index in ending.pop(a, ()):
                active.pop(index, None)
            while next_mark < len(marks) and marks[next_mark].chars[0] <= a:
                shape = marks[next_mark]
                if shape.chars[1] > a:
                    active[next_mark] = Mark(cast(MarkKind, shape.kind), shape.target, shape.author, shape.date)
                    ending.setdefault(shape.chars[1], []).append(next_mark)
                next_mark += 1
            if len(active) > _MOST_MARKS:
                raise SidecarError(f"more than {_MOST_MARKS} marks over one place", where=f"character {a}")
            if active:
                self._mark_starts.append(a)
                self._mark_ends.append(b)
                self._mark_sets.append(sort_marks(active.values()))

    def source_at(self, place: int) -> Source | None:
        n = bisect_right(self._starts, place) - 1
        return self._sources[n] if n >= 0 and place < self._ends[n] else None

    def has_marks(self, start: int, end: int) -> bool:
        """True when a mark or anchor touches the stretch."""
        n = bisect_right(self._mark_ends, start)
        if n < len(self._mark_starts) and self._mark_starts[n] < end:
            return True
        n = bisect_left(self._anchor_at, start)
        return n < len(self._anchor_at) and self._anchor_at[n] <= end

    def only_source(self, start: int, end: int) -> tuple[bool, Source | None]:
        """Whether the whole stretch has one source (or none), and which."""
        n = bisect_right(self._ends, start)
        if n == len(self._starts) or self._starts[n] >= end:
            return True, None
        return self._starts[n] <= start and self._ends[n] >= end, self._sources[n]

    def emit(
        self, parts: list[Part], content: str, start: int, end: int, script: tuple[Mark, ...], escaped: bool = True
    ) -> None:
        """Append the text of a stretch, cut where source or marks change, and the anchors in it."""
        cuts = self._cuts(start, end)
        raw = content[start:end]
        if escaped and ("&" in raw or "[\\" in raw):
            if len(cuts) == 2:
                raw = unescape(raw)
                offsets = [0, len(raw)]
            else:
                raw, offsets = unescape_with_offsets(raw, [cut - start for cut in cuts])
        else:
            offsets = [cut - start for cut in cuts]
        if self._anchor_at:
            self._emit_with_anchors(parts, raw, cuts, offsets, script)
            return
        for n in range(len(cuts) - 1):
            text = raw[offsets[n] : offsets[n + 1]]
            if text:
                parts.append(Text(text, self.source_at(cuts[n]), self._marks_at(cuts[n], script)))

    def _emit_with_anchors(
        self, parts: list[Part], raw: str, cuts: list[int], offsets: list[int], script: tuple[Mark, ...]
    ) -> None:
        n_anchor = bisect_left(self._anchor_at, cuts[0])
        for n, cut in enumerate(cuts):
            while n_anchor < len(self._anchor_at) and self._anchor_at[n_anchor] == cut:
                parts.append(Anchor(self._anchors[n_anchor]))
                n_anchor += 1
            if n + 1 < len(cuts):
                text = raw[offsets[n] : offsets[n + 1]]
                if text:
                    parts.append(Text(text, self.source_at(cut), self._marks_at(cut, script)))

    def _cuts(self, start: int, end: int) -> list[int]:
        """Start, end and every place between them where something changes. One place when the stretch is empty."""
        cuts = {start, end}
        for starts, ends in ((self._starts, self._ends), (self._mark_starts, self._mark_ends)):
            n = bisect_right(ends, start)
            while n < len(starts) and starts[n] < end:
                if starts[n] > start:
                    cuts.add(starts[n])
                if ends[n] < end:
                    cuts.add(ends[n])
                n += 1
        if self._anchor_at:
            n = bisect_left(self._anchor_at, start)
            while n < len(self._anchor_at) and self._anchor_at[n] <= end:
                cuts.add(self._anchor_at[n])
                n += 1
        return sorted(cuts)

    def _marks_at(self, place: int, script: tuple[Mark, ...]) -> tuple[Mark, ...]:
        n = bisect_right(self._mark_starts, place) - 1
        if n >= 0 and place < self._mark_ends[n]:
            return sort_marks((*self._mark_sets[n], *script)) if script else self._mark_sets[n]
        return script

    def within(self, start: int, end: int, moved: Sequence[int]) -> Places:
        """The places of a stretch that was decoded: position `start + n` is `moved[n]` now."""
        spans: list[tuple[int, int]] = []
        sources: list[Source] = []
        n = bisect_right(self._ends, start)
        while n < len(self._starts) and self._starts[n] < end:
            spans.append((moved[max(self._starts[n], start) - start], moved[min(self._ends[n], end) - start]))
            sources.append(self._sources[n])
            n += 1
        inner = Places(spans, sources)
        n = bisect_right(self._mark_ends, start)
        while n < len(self._mark_starts) and self._mark_starts[n] < end:
            inner._mark_starts.append(moved[max(self._mark_starts[n], start) - start])
            inner._mark_ends.append(moved[min(self._mark_ends[n], end) - start])
            inner._mark_sets.append(self._mark_sets[n])
            n += 1
        n = bisect_left(self._anchor_at, start)
        while n < len(self._anchor_at) and self._anchor_at[n] <= end:
            inner._anchor_at.append(moved[self._anchor_at[n] - start])
            inner._anchors.append(self._anchors[n])
            n += 1
        return inner


def read_places(
    provenance: msgspec.Raw | None, marks: msgspec.Raw | None, length: int
) -> tuple[Places, list[MarkShape]]:
    """The places of a line with content of `length`, and the marks that are notes. Raises SidecarError."""
    spans: list[tuple[int, int]] = []
    sources: list[Source] = []
    shapes: list[MarkShape] = []
    if provenance is not None:
        spans = [shape.chars for shape in _CHARS.decode(provenance)]
        sources = _SOURCES.decode(provenance)
        last = 0
        for a, b in spans:
            if not last <= a < b <= length:
                raise SidecarError(
                    f"provenance [{a}, {b}] does not fit: entries ascend, do not overlap, end in {length}"
                )
            last = b
    if marks is not None:
        shapes = _MARKS.decode(marks)
        last = 0
        for shape in shapes:
            a, b = shape.chars
            if not last <= a <= b <= length:
                raise SidecarError(f"mark [{a}, {b}] does not fit: they ascend and end before {length + 1}")
            last = a
    notes = [shape for shape in shapes if shape.kind == "note"]
    others = [shape for shape in shapes if shape.kind != "note"]
    return Places(spans, sources, others), notes
