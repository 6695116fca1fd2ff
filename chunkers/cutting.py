"""Cutting a stretch of text recursively along a cascade of separators, to an exact number of tokens.

The cuts are those of LangChain's recursive splitter, with these rules of our own: sentence punctuation stays with the
sentence that it ends, a piece is measured as it will stand in the chunk so that the size is never exceeded, and every
result is a range of the text.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lrdoc.chunkers.counting import RangeCounter
from lrdoc.errors import ChunkingError

_SENTENCE_ENDS = frozenset("。！？；，、：…．.!?;,:")
_CLOSING = "”’」』）】》〉〕］｝\"')]}"


class Piece(NamedTuple):
    """A range of the text without white space at its ends, and its tokens."""

    start: int
    end: int
    tokens: int


_FIRST_INK = re.compile(r"\S")


def strip_range(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at both ends; start == end when nothing is left."""
    found = _FIRST_INK.search(text, start, end)
    if found is None:
        return end, end
    start = found.start()
    while text[end - 1].isspace():
        end -= 1
    return start, end


def stays_left(separator: str) -> bool:
    """True for sentence punctuation, which belongs to the text before it."""
    core = separator.strip()
    return bool(core) and all(char in _SENTENCE_ENDS for char in core)


def split_points(text: str, start: int, end: int, separator: str) -> list[int]:
    """Where [start, end) is cut at a separator, both ends included.

    A separator begins the piece after it; sentence punctuation ends the piece before it, together with closing quotes
    and brackets and with further punctuation.
    """
    if stays_left(separator):
        follow = "[" + re.escape("".join(sorted(_SENTENCE_ENDS - set(".,:")))) + "]*[" + re.escape(_CLOSING) + "]*"
        pattern = re.compile(re.escape(separator) + follow)
        places = [found.end() for found in pattern.finditer(text, start, end)]
    else:
        places = [found.start() for found in re.finditer(re.escape(separator), text[start:end])]
        if start:
            places = [start + place for place in places]
    return [start, *(place for place in places if start < place < end), end]


class Cutter:
    """Recursive cutting with fixed size, overlap and cascade."""

    def __init__(
        self,
        counter: RangeCounter,
        size: int,
        overlap: int,
        separators: Sequence[str],
        check: Callable[[], None] = lambda: None,
        whole: Sequence[tuple[int, int]] = (),
    ) -> None:
        """`separators` ends with "" (see `bound_separators`). Ranges in `whole` (ascending, apart from one another)
        are cut only when they do not fit."""
        self._text = counter.text
        self._counter = counter
        self._size = size
        self._overlap = overlap
        self._separators = tuple(separators)
        self._check = check
        self._whole = whole
        self._whole_ends = [end for _, end in whole]

    def cut(self, start: int, end: int) -> list[Piece]:
        """Pieces of [start, end) that together hold everything but white space, in order, none inside another."""
        pieces: list[Piece] = []
        start, end = strip_range(self._text, start, end)
        for piece in self._cut(start, end, 0) if start < end else ():
            while pieces and pieces[-1].start >= piece.start:
                pieces.pop()
            if pieces and piece.end <= pieces[-1].end:
                continue
            pieces.append(piece)
        return pieces

    def _measure(self, start: int, end: int) -> Piece:
        start, end = strip_range(self._text, start, end)
        return Piece(start, end, self._counter.count(start, end) if start < end else 0)

    def _cut(self, start: int, end: int, level: int) -> Iterator[Piece]:
        text, separators = self._text, self._separators
        last = len(separators) - 1
        while True:
            while level < last and text.find(separators[level], start, end) < 0:
                level += 1
            if level >= last:
                yield from self._cut_characters(start, end)
                return
            points = self._without_forbidden(split_points(text, start, end, separators[level]))
            level += 1
            if len(points) > 2:
                break
        # Runs of pieces that fit are merged; a piece that does not is cut at weaker separators.
        counts: list[int] = []
        run_points = [start]
        for a, b in itertools.pairwise(points):
            tokens = self._counter.count(a, b)
            if tokens < self._size:
                counts.append(tokens)
                run_points.append(b)
                continue
            if counts:
                yield from self._merge(run_points, counts, level)
            self._check()
            yield from self._cut(a, b, level)
            counts, run_points = [], [b]
        if counts:
            yield from self._merge(run_points, counts, level)

    def _without_forbidden(self, points: list[int]) -> list[int]:
        """Points that do not lie inside a range to be kept whole."""
        if not self._whole:
            return points
        kept = []
        for point in points:
            i = bisect.bisect_right(self._whole_ends, point)
            if i == len(self._whole) or not self._whole[i][0] < point:
                kept.append(point)
        return kept

    def _cut_characters(self, start: int, end: int) -> Iterator[Piece]:
        """The last resort: between any two characters, except inside what is to be kept whole."""
        inside = self._whole[bisect.bisect_right(self._whole_ends, start) :] if self._whole else ()
        ranges = [(a, b) for a, b in itertools.takewhile(lambda r: r[0] < end, inside) if start <= a and b <= end]
        if not ranges:
            yield from self._merge_characters(start, end)
            return
        points = [start]
        for a, b in ranges:
            points.extend(p for p in (a, b) if p > points[-1])
        if points[-1] < end:
            points.append(end)
        counts: list[int] = []
        run_points = [start]
        for a, b in itertools.pairwise(points):
            tokens = self._counter.count(a, b)
            if tokens <= self._size:
                counts.append(tokens)
                run_points.append(b)
                continue
            if counts:
                yield from self._merge(run_points, counts, len(self._separators))
            yield from self._merge_characters(a, b)
            counts, run_points = [], [b]
        if counts:
            yield from self._merge(run_points, counts, len(self._separators))

    def _merge_characters(self, start: int, end: int) -> Iterator[Piece]:
        codes = np.frombuffer(self._text[start:end].encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        kinds, which = np.unique(codes, return_inverse=True)
        costs = np.array([self._counter.count_text(chr(code)) for code in kinds.tolist()], dtype=np.int64)
        widest = int(costs.max(initial=0))
        if widest > self._size:
            char = chr(int(kinds[int(costs.argmax())]))
            raise ChunkingError(
                f"the character {char!r} (U+{ord(char):04X}) alone has {widest} tokens, "
                f"more than chunk_token_size {self._size}",
                hint="Raise chunk_token_size.",
            )
        yield from self._merge(range(start, end + 1), costs[which].tolist(), None)

    def _merge(self, points: Sequence[int], counts: list[int], level: int | None) -> Iterator[Piece]:
        """Windows of neighbouring pieces whose counts add up to at most the size, overlapping by whole pieces.

        `level`: where to go on cutting when one piece alone is over the size as it stands in the chunk; None: it is
        a single character.
        """
        size, n = self._size, len(counts)
        total = [0, *itertools.accumulate(counts)]
        i = 0
        while True:
            self._check()
            j = max(bisect.bisect_right(total, total[i] + size, i + 1) - 1, i + 1)
            found = self._measure(points[i], points[j])
            while found.tokens > size and j > i + 1:
                # The join can have more tokens than its pieces: take as many pieces back as there are tokens too many.
                excess = found.tokens - size
                j -= 1
                while j > i + 1 and total[j + 1] - total[j] < excess:
                    excess -= total[j + 1] - total[j]
                    j -= 1
                found = self._measure(points[i], points[j])
            if found.tokens > size:
                if level is None:
                    raise ChunkingError(
                        f"the character {self._text[found.start : found.end]!r} alone has {found.tokens} tokens, "
                        f"more than chunk_token_size {size}",
                        hint="Raise chunk_token_size.",
                    )
                yield from self._cut(found.start, found.end, min(level, len(self._separators) - 1))
            elif found.start < found.end:
                yield found
            if j == n:
                return
            # Pieces at the end of the window that the next one begins with.
            k = max(bisect.bisect_left(total, total[j] - self._overlap, i + 1, j), i + 1)
            while k < j and total[j + 1] - total[k] > size:
                k += 1
            while k < j and self._measure(points[k], points[j]).tokens > self._overlap:
                k += 1
            i = k
