"""Cutting one block into fragments that fit: tables by rows, prose at lines that look like headings, then by size."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Literal

from lrdoc.chunkers.base import ChunkContext, ChunkWarning
from lrdoc.chunkers.counting import RangeCounter
from lrdoc.chunkers.cutting import Cutter, strip_range
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.markup import Markup
from lrdoc.chunkers.tables import Item, TableCuts, n_body_header
from lrdoc.chunkers.units import Range, Unit, is_anchor, is_heading_text, read_lines

Role = Literal["none", "first", "middle", "last"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Lengths in tokens that follow from the size (public specification, 5.2: they scale with it)."""

    most: int
    overlap: int

    @property
    def ideal(self) -> int:
        """A fragment below this may be merged with its neighbour."""
        return max(int(self.most * 0.75), 1)

    @property
    def small_tail(self) -> int:
        """Following sections that together have fewer tokens are absorbed by a full one."""
        return max(int(self.most * 0.125), 1)


@dataclass(slots=True)
class Fragment:
    """A range of the text on its way to become a chunk."""

    ranges: list[Range]
    tokens: int
    level: int
    heading: str
    parents: tuple[str, ...]
    row: int
    """Index of the block that gave it its heading."""
    role: Role = "none"
    """Which slice of a divided table it holds."""
    is_pinned: bool = False
    """A title block: never absorbed by another one."""
    is_anchor: bool = False
    """Its heading is a line of the block, not the block's heading."""


class _NoRoom(Exception):
    """Tags and header of an item leave no room for its content."""

    def __init__(self, item: Item) -> None:
        super().__init__(item.id)
        self.item = item


@dataclass(slots=True)
class _Group:
    """Neighbouring units that stay together."""

    units: list[Unit]
    role: Role = "none"


@dataclass(slots=True)
class BlockSplitter:
    """Cuts the blocks of one document."""

    document: ChunkDocument
    counter: RangeCounter
    markup: Markup
    sizes: Sizes
    separators: Sequence[str]
    context: ChunkContext
    warnings: list[ChunkWarning] = field(default_factory=list)

    def measure(self, ranges: Sequence[Range]) -> int:
        """Tokens of the content that these ranges become."""
        if len(ranges) == 1:
            start, end = strip_range(self.document.text, *ranges[0])
            if start == end:
                return 0
            if self._is_plain(start, end):
                return self.counter.count(start, end)
            ranges = [(start, end)]
        return self.counter.tokenizer.count(self.markup.write(ranges).content)

    def _is_plain(self, start: int, end: int) -> bool:
        """Whether nothing is inserted when the range is written out."""
        if not self.markup.items:
            return True
        if self.markup.item_around(start) is not None or self.markup.item_around(end) is not None:
            return False
        return not self.document.tables or not self.markup.items_in(start, end)

    def split(self, row: int) -> list[Fragment]:
        """The fragments of one block, in order. Their ranges may overlap where text is repeated."""
        block = self.document.blocks[row]
        whole = self._fragment(row, [(block.start, block.end)], self.measure([(block.start, block.end)]))
        if whole.tokens <= self.sizes.most:
            return [whole]
        while True:
            try:
                fragments = [
                    f for group in self._cut_tables(self._units(block.start, block.end)) for f in self._fit(row, group)
                ]
                break
            except _NoRoom as e:
                self._give_up(e.item)
        for fragment in fragments[1:]:
            fragment.is_pinned = False
        return fragments

    def _give_up(self, item: Item) -> None:
        """Cut an item like any text."""
        self.markup.cut_as_text(item)
        self.warnings.append(
            ChunkWarning(
                "item_cut_as_text",
                f"The tags and header of this {item.kind} leave no room for its content within chunk_token_size "
                f"{self.sizes.most}; it was cut like any text.",
                f"{item.kind} {item.id}".rstrip(),
            )
        )

    def refit(self, fragment: Fragment, most: int) -> list[Fragment]:
        """A fragment of one block cut so that its first piece has at most `most` tokens; [] when that cannot be."""
        if most < 1:
            return []
        smaller = replace(self, sizes=Sizes(most, min(self.sizes.overlap, most - 1)))
        start, end = fragment.ranges[0]
        try:
            pieces = smaller._fit(fragment.row, _Group(smaller._units(start, end)))
        except _NoRoom:
            return []
        anchor = fragment.heading if fragment.is_anchor else ""
        if anchor and pieces:
            pieces[0] = smaller._fragment(fragment.row, pieces[0].ranges, pieces[0].tokens, anchor=anchor)
        return pieces

    def _fragment(self, row: int, ranges: list[Range], tokens: int, role: Role = "none", anchor: str = "") -> Fragment:
        block = self.document.blocks[row]
        level = block.level if block.is_title else max(block.level, 1)
        if anchor:
            parents = (*block.parents, block.heading) if block.heading else block.parents
            return Fragment(ranges, tokens, level + 1, anchor, parents, row, role, is_anchor=True)
        return Fragment(ranges, tokens, level, block.heading, block.parents, row, role, is_pinned=block.is_title)

    def _units(self, start: int, end: int) -> list[Unit]:
        units: list[Unit] = []
        place = start
        for item in self.markup.items_in(start, end):
            if item.kind == "table" and item.end <= end:
                units.extend(read_lines(self.counter, self.markup, place, item.start))
                units.append(Unit(item.start, item.end, self.measure([(item.start, item.end)]), "table", item))
                place = item.end
        units.extend(read_lines(self.counter, self.markup, place, end))
        return units

    # Tables

    def _cut_tables(self, units: list[Unit]) -> list[_Group]:
        """Groups of units; a table that does not fit is cut into slices, the text before it goes with the first and
        the text after it with the last."""
        most = self.sizes.most
        groups: list[_Group] = []
        held = _Group([])
        for unit in units:
            self.context.check()
            if unit.kind != "table" or unit.tokens <= most or unit.item is None:
                held.units.append(unit)
                continue
            lead = self._total(held.units) if held.role == "none" else 0
            travels = 0 < lead <= most * 3 // 8
            slices = self._slice_table(unit, lead + 1 if travels else 0)
            if len(slices) < 2:
                held.units.extend(slices)
                continue
            if held.role == "last":
                groups.extend(self._bridge(held, slices[0]))
            elif travels or not held.units:
                groups.append(_Group([*held.units, slices[0]], "first"))
            else:
                groups.append(held)
                groups.append(_Group([slices[0]], "first"))
            groups.extend(_Group([rows], "middle") for rows in slices[1:-1])
            held = _Group([slices[-1]], "last")
        if held.units:
            groups.append(held)
        return groups

    def _total(self, units: Sequence[Unit]) -> int:
        return self.measure([(units[0].start, units[-1].end)]) if units else 0

    def _slice_table(self, unit: Unit, lead: int) -> list[Unit]:
        """Row-wise slices of a table, each within the size; the first leaves room for `lead` tokens."""
        item = unit.item
        table = self.markup.table(item) if item is not None else None
        if item is None or table is None or self.markup.is_cut_as_text(item):
            return [unit]
        text, most = self.document.text, self.sizes.most
        count = self.counter.count_text
        header = count(table.header.text) if table.header is not None else 0
        if header * 2 > most and table.is_header_repeated:
            table.is_header_repeated = False
            self.warnings.append(
                ChunkWarning(
                    "header_not_repeated",
                    f"The header of this table has {header} tokens, more than half of chunk_token_size {most}; "
                    "it stands in the first slice only.",
                    f"table {item.id}".rstrip(),
                )
            )
        wrapper = count(text[item.start : item.body_start]) + count("[]</tbody></table>") + 2
        if 2 * wrapper > most:
            raise _NoRoom(item)
        room = most - wrapper - (header if table.is_header_repeated else 0)
        costs = [self.counter.count(table.start_of(r), table.end_of(r)) + 1 for r in range(len(table.rows))]
        slices: list[Unit] = []
        first = 0
        n_header = n_body_header(table)
        while first < len(costs):
            # Up to the next row that is too long to stand in a slice.
            stop = first
            while stop < len(costs) and (costs[stop] <= room or (stop < n_header and not slices)):
                stop += 1
            if stop > first:
                slices.extend(self._balance(table, costs, first, stop, room, lead if first == 0 else 0))
            if stop < len(costs):
                slices.append(self._long_row(table, stop))
            first = stop + 1
        return slices

    def _balance(self, table: TableCuts, costs: list[int], first: int, stop: int, room: int, lead: int) -> list[Unit]:
        """Slices of rows [first, stop) of about the same length."""
        least = n_body_header(table) + 1 if first == 0 else first + 1
        n = max(ceil((sum(costs[first:stop]) + lead) / max(room, 1)), 1)
        bounds = _even_bounds(costs, first, stop, n, lead, least)
        if any(sum(costs[a:b]) + (lead if a == first else 0) > room for a, b in itertools.pairwise(bounds)):
            bounds = _even_bounds(costs, first, stop, n + 1, lead, least)
        slices: list[Unit] = []
        for a, b in itertools.pairwise(bounds):
            slices.extend(self._fitting_rows(table, a, b, lead if a == 0 else 0))
        return slices

    def _fitting_rows(self, table: TableCuts, first: int, stop: int, lead: int) -> list[Unit]:
        """Rows [first, stop) as one slice, halved as long as it does not fit."""
        found: list[Unit] = []
        waiting = [(first, stop)]
        while waiting:
            a, b = waiting.pop()
            start, end = table.start_of(a), table.end_of(b - 1)
            tokens = self.measure([(start, end)])
            if tokens + (lead if a == 0 else 0) <= self.sizes.most:
                found.append(Unit(start, end, tokens, "rows", table.item))
            elif b - a == 1 or (a == 0 and b - 1 <= n_body_header(table)):
                # Header rows and the first row after them that do not fit together are cut apart.
                found.extend(self._long_row(table, r) for r in range(a, b))
            else:
                middle = (a + b) // 2
                if a == 0:
                    middle = max(middle, n_body_header(table) + 1)
                waiting.append((middle, b))
                waiting.append((a, middle))
        return found

    def _long_row(self, table: TableCuts, row: int) -> Unit:
        start, end = table.start_of(row), table.end_of(row)
        return Unit(start, end, self.measure([(start, end)]), "long_row", table.item, row)

    def _bridge(self, held: _Group, following: Unit) -> list[_Group]:
        """Groups for the last slice of a table, the text after it, and the first slice of the next table.

        The text is repeated on both sides as far as the overlap allows.
        """
        last, bridge = held.units[0], held.units[1:]
        if not bridge:
            return [held, _Group([following], "first")]
        most, overlap = self.sizes.most, self.sizes.overlap
        room_before = max(0, min(overlap, most - last.tokens - 1, most // 2))
        room_after = max(0, min(overlap, most - following.tokens - 1, most // 2))
        start, end = bridge[0].start, bridge[-1].end
        tokens = self._total(bridge)
        if overlap == 0 or any(unit.kind != "line" for unit in bridge):
            return [held, _Group([following], "first")]
        if tokens <= min(room_before, room_after):
            return [held, _Group([*bridge, following], "first")]
        head, tail = self._beginning(start, end, room_before), self._ending(start, end, room_after)
        groups = [_Group([last, *self._unit_of(start, head)], "last")]
        if head < tail:
            # The middle stands alone, with what is beside it repeated.
            a = self._ending(start, head, overlap) if head > start else start
            b = self._beginning(tail, end, overlap) if tail < end else end
            inside = [unit for unit in bridge if unit.start < b and unit.end > a]
            clipped = [self._clip(unit, a, b) for unit in inside]
            groups.append(_Group(clipped))
        groups.append(_Group([*self._unit_of(tail, end), following], "first"))
        return groups

    def _clip(self, unit: Unit, start: int, end: int) -> Unit:
        a, b = max(unit.start, start), min(unit.end, end)
        return unit._replace(start=a, end=b, tokens=self.counter.count(a, b))

    def _unit_of(self, start: int, end: int) -> list[Unit]:
        a, b = strip_range(self.document.text, start, end)
        return [Unit(a, b, self.counter.count(a, b), "line")] if a < b else []

    def _beginning(self, start: int, end: int, tokens: int) -> int:
        """End of the longest beginning of [start, end) with at most so many tokens; between words where it can."""
        text, counter = self.document.text, self.counter
        bounds = counter.bounds
        i = bisect.bisect_left(bounds, start)
        place = min(bounds[min(i + tokens, len(bounds) - 1)], end) if tokens > 0 else start
        if start < place < end and not text[place].isspace() and not text[place - 1].isspace():
            space = max(text.rfind(" ", start, place), text.rfind("\n", start, place))
            place = space if space > start else place
        while place > start and counter.count(start, place) > tokens:
            space = max(text.rfind(" ", start, place - 1), text.rfind("\n", start, place - 1))
            place = space if space > start else place - 1
        return place

    def _ending(self, start: int, end: int, tokens: int) -> int:
        """Start of the longest ending of [start, end) with at most so many tokens."""
        text, counter = self.document.text, self.counter
        bounds = counter.bounds
        i = bisect.bisect_left(bounds, end)
        place = max(bounds[max(i - tokens, 0)], start) if tokens > 0 else end
        if start < place < end and not text[place].isspace() and not text[place - 1].isspace():
            found = re.compile(r"\s").search(text, place, end)
            place = found.end() if found is not None else place
        while place < end and counter.count(place, end) > tokens:
            found = re.compile(r"\s").search(text, place + 1, end)
            place = found.end() if found is not None else place + 1
        return place

    # Prose

    def _fit(self, row: int, group: _Group) -> list[Fragment]:
        """Fragments of a group, each within the size."""
        found: list[Fragment] = []
        waiting: list[tuple[list[Unit], str]] = [(group.units, "")]
        while waiting:
            self.context.check()
            units, anchor = waiting.pop()
            whole = (units[0].start, units[-1].end)
            tokens = self.measure([whole])
            if tokens <= self.sizes.most:
                found.append(self._fragment(row, [whole], tokens, anchor=anchor))
                continue
            parts = self._cut_at_anchors(units, tokens)
            if parts is not None:
                later = [(part, self._anchor_text(part[0])) for part in parts[1:]]
                waiting.extend(reversed([(parts[0], anchor), *later]))
                continue
            found.extend(self._fragment(row, [r], n, anchor=anchor) for r, n in self._pack(units))
        if found:
            found[0].role = group.role
        return found

    def _anchor_text(self, unit: Unit) -> str:
        return self.document.text[unit.start : unit.end].strip()

    def _cut_at_anchors(self, units: list[Unit], total: int) -> list[list[Unit]] | None:
        """Parts of about the same length that begin with lines that look like headings; None when there is none."""
        sizes = self.sizes
        n = max(ceil(total / sizes.ideal), ceil(total / sizes.most))
        places: list[tuple[int, int]] = []
        before = 0
        for i, unit in enumerate(units):
            if i and is_anchor(self.text, units, i):
                places.append((before, i))
            before += unit.tokens
        if not places:
            return None
        chosen: list[int] = []
        for k in range(1, n):
            if not places:
                break
            wanted = k * total / n
            at = bisect.bisect_left(places, (wanted, 0))
            nearest = [j for j in (at - 1, at) if 0 <= j < len(places)]
            best = min(nearest, key=lambda j: (abs(places[j][0] - wanted), j))
            chosen.append(places.pop(best)[1])
        bounds = [0, *sorted(chosen), len(units)]
        return [units[a:b] for a, b in itertools.pairwise(bounds)]

    def _pack(self, units: list[Unit]) -> list[tuple[Range, int]]:
        """Units put together up to the size; a unit over it is cut."""
        most = self.sizes.most
        found: list[tuple[Range, int]] = []
        held: list[Unit] = []
        tokens = 0
        for unit in units:
            self.context.check()
            if held:
                # One token for the line end; what else stands between the units has to be counted.
                wide = unit.start - held[-1].end > 2
                joined = self.measure([(held[0].start, unit.end)]) if wide else tokens + 1 + unit.tokens
                if joined <= most:
                    held.append(unit)
                    tokens = joined
                    continue
            if unit.tokens <= most:
                found.extend(self._measured(held))
                held, tokens = [unit], unit.tokens
                continue
            # A heading is not left alone before a long unit: all pieces are made shorter, the first one has it.
            lead = 0
            if held and tokens * 8 <= most and is_heading_text(self.text, (held[0].start, held[-1].end)):
                lead = tokens + 1
            pieces = self._cut_unit(unit, most - lead)
            if lead and pieces:
                pieces[0] = (held[0].start, pieces[0][1])
            else:
                found.extend(self._measured(held))
            for piece in pieces:
                found.extend(self._measured([unit._replace(start=piece[0], end=piece[1])]))
            held, tokens = [], 0
        found.extend(self._measured(held))
        return found

    def _measured(self, units: list[Unit]) -> list[tuple[Range, int]]:
        """Neighbouring units as one piece, as several where they have more tokens together than their sum."""
        found: list[tuple[Range, int]] = []
        waiting = [units] if units else []
        while waiting:
            here = waiting.pop()
            whole = (here[0].start, here[-1].end)
            exact = self.measure([whole])
            if exact <= self.sizes.most:
                found.append((whole, exact))
            elif len(here) > 1:
                middle = (len(here) + 1) // 2
                waiting += [here[middle:], here[:middle]]
            else:
                for piece in self._cut_text(*whole, self.sizes.most):
                    tokens = self.measure([piece])
                    item = self._written_around(piece) if tokens > self.sizes.most else None
                    if item is not None:
                        raise _NoRoom(item)
                    found.append((piece, tokens))
        return found

    def _written_around(self, piece: Range) -> Item | None:
        """An item for which something is inserted when the piece is written out."""
        start, end = strip_range(self.text, *piece)
        around = (self.markup.item_around(start), self.markup.item_around(end), *self.markup.items_in(start, end))
        for item in around:
            if item is not None and item.kind in ("table", "equation") and not self.markup.is_cut_as_text(item):
                return item
        return None

    @property
    def text(self) -> str:
        return self.document.text

    def _cut_unit(self, unit: Unit, most: int) -> list[Range]:
        item = unit.item
        if item is None or unit.end > item.end or item.kind in ("drawing", "cite") or self.markup.is_cut_as_text(item):
            return self._cut_text(unit.start, unit.end, most)
        table = self.markup.table(item) if item.kind == "table" else None
        if table is not None and unit.row >= 0:
            return self._cut_inside(item, unit, table.unbreakable(unit.row), most)
        tags = [(item.start, item.body_start), (item.body_end, item.end)]
        return self._cut_inside(item, unit, tags, most)

    def _cut_inside(self, item: Item, unit: Unit, whole: list[Range], most: int) -> list[Range]:
        """Ranges of one item or row that does not fit; the tags written around each piece count."""
        start, end = unit.start, unit.end
        size = most
        widest = max((self.counter.count(a, b) for a, b in whole), default=1)
        tries = 0
        while size >= max(widest, 1):
            tries += 1
            ranges = [
                (a, b)
                for a, b, _ in Cutter(self.counter, size, 0, self.separators, self.context.check, whole).cut(start, end)
            ]
            # Ranges follow one another without a gap: what stands between them is part of the item.
            ranges = [(a, ranges[i + 1][0] if i + 1 < len(ranges) else end) for i, (a, _) in enumerate(ranges)]
            if ranges:
                ranges[0] = (start, ranges[0][1])
            excess = max((self.measure([r]) for r in ranges), default=0) - most
            if excess <= 0:
                return ranges
            size -= max(excess, size * tries // 64)
        raise _NoRoom(item)

    def _cut_text(self, start: int, end: int, size: int) -> list[Range]:
        """Recursive cutting that keeps equations, drawings and citations whole where they fit."""
        whole = [
            (item.start, item.end)
            for item in self.markup.items_in(start, end)
            if item.end <= end and self.counter.count(item.start, item.end) <= size
        ]
        overlap = min(self.sizes.overlap, size - 1)
        cutter = Cutter(self.counter, size, overlap, self.separators, self.context.check, whole)
        return [(a, b) for a, b, _ in cutter.cut(start, end)]


def _even_bounds(costs: list[int], first: int, stop: int, n: int, lead: int, least: int) -> list[int]:
    """Bounds of n groups of [first, stop) of about the same cost; the first ends at `least` or later."""
    total = sum(costs[first:stop]) + lead
    bounds = [first]
    done = lead
    for i in range(first, stop):
        if i >= least and i > bounds[-1] and done + costs[i] / 2 > len(bounds) * total / n:
            bounds.append(i)
        done += costs[i]
    return [*bounds, stop]
