"""Merging fragments along the outline: headings without body join what follows, small sections join their kin."""

from __future__ import annotations

from dataclasses import replace

from lrdoc.chunkers.base import ChunkContext
from lrdoc.chunkers.fragments import BlockSplitter, Fragment, Sizes
from lrdoc.chunkers.units import Range, is_heading_text

_SLACK = 8


def join_ranges(text: str, first: list[Range], second: list[Range]) -> list[Range]:
    """Ranges of both; those with nothing but white space between them become one."""
    joined = list(first)
    for start, end in second:
        a, b = joined[-1]
        if a <= start and (start <= b or not text[b:start].strip()):
            joined[-1] = (a, max(b, end))
        else:
            joined.append((start, end))
    return joined


class Outline:
    """Merges the fragments of one document."""

    def __init__(self, splitter: BlockSplitter, context: ChunkContext) -> None:
        self._text = splitter.document.text
        self._sizes: Sizes = splitter.sizes
        self._measure = splitter.measure
        self._splitter = splitter
        self._context = context

    # Headings without a body

    def is_heading_only(self, fragment: Fragment) -> bool:
        """Whether nothing but heading lines stands in a fragment."""
        if not fragment.heading or len(fragment.ranges) != 1:
            return False
        return is_heading_text(self._text, fragment.ranges[0])

    def glue_headings(self, fragments: list[Fragment]) -> list[Fragment]:
        """Headings without a body put before the deeper section that follows."""
        # From the end to the beginning, so that a chain of headings collapses into its last one's section.
        done: list[Fragment] = []
        for fragment in reversed(fragments):
            self._context.check()
            following = done[-1] if done else None
            if (
                following is None
                or fragment.is_pinned
                or following.is_pinned
                or following.level <= fragment.level
                or following.role not in ("none", "first")
                or not self.is_heading_only(fragment)
            ):
                done.append(fragment)
                continue
            merged = self._join(fragment, following)
            if merged is not None:
                merged.role = following.role
                done[-1] = merged
            else:
                parts = self._split_behind(fragment, following)
                if parts is None:
                    done.append(fragment)
                else:
                    done[-1:] = reversed(parts)
        done.reverse()
        return done

    def _split_behind(self, heading: Fragment, following: Fragment) -> list[Fragment] | None:
        """The following section cut so that its first piece has room for the heading; None when it cannot be."""
        if len(following.ranges) != 1 or following.role != "none":
            return None
        pieces = self._splitter.refit(following, self._sizes.most - heading.tokens - 1)
        if not pieces:
            return None
        first = self._join(heading, pieces[0])
        return [first, *pieces[1:]] if first is not None else None

    def _join(self, first: Fragment, second: Fragment) -> Fragment | None:
        """Both as one with the heading of the first; None when that is over the size."""
        most = self._sizes.most
        if first.tokens + second.tokens > most + _SLACK:
            return None
        ranges = join_ranges(self._text, first.ranges, second.ranges)
        tokens = self._measure(ranges)
        if tokens > most:
            return None
        return replace(first, ranges=ranges, tokens=tokens, role="none")

    # Small sections

    def merge_levels(self, fragments: list[Fragment]) -> list[Fragment]:
        """From the deepest level upwards: small sections of one parent together, then into their parent."""
        for level in sorted({f.level for f in fragments}, reverse=True):
            changed = True
            while changed:
                self._context.check()
                fragments, a = self._merge_kin(fragments, level)
                fragments, b = self._merge_into_parents(fragments, level)
                changed = a or b
        return fragments

    def _is_free(self, fragment: Fragment, level: int) -> bool:
        return fragment.level == level and fragment.role == "none" and not fragment.is_pinned

    def _are_kin(self, first: Fragment, second: Fragment, level: int) -> bool:
        return (
            self._is_free(first, level)
            and self._is_free(second, level)
            and first.parents == second.parents
            # Text before the first heading is nobody's section.
            and bool(first.heading) == bool(second.heading)
        )

    def _merge_kin(self, fragments: list[Fragment], level: int) -> tuple[list[Fragment], bool]:
        ideal = self._sizes.ideal
        out: list[Fragment] = []
        changed = False
        i, n = 0, len(fragments)
        while i < n:
            current = fragments[i]
            i += 1
            if not self._is_free(current, level):
                out.append(current)
                continue
            if current.tokens < ideal:
                merged = None
                if i < n and self._are_kin(current, fragments[i], level):
                    merged = self._join(current, fragments[i])
                    if merged is not None:
                        out.append(merged)
                        i += 1
                        changed = True
                        continue
                if out and out[-1].tokens < ideal and self._are_kin(out[-1], current, level):
                    merged = self._join(out[-1], current)
                    if merged is not None:
                        out[-1] = merged
                        changed = True
                        continue
                out.append(current)
                continue
            absorbed, count = self._absorb_tail(current, fragments, i, level)
            changed = changed or count > 0
            i += count
            out.append(absorbed)
        return out, changed

    def _absorb_tail(self, current: Fragment, fragments: list[Fragment], i: int, level: int) -> tuple[Fragment, int]:
        """A full section takes a run of very small ones that follows it. (the section, how many it took)"""
        total, j = 0, i
        while j < len(fragments) and self._are_kin(current, fragments[j], level):
            total += fragments[j].tokens
            if total >= self._sizes.small_tail:
                return current, 0
            j += 1
        if j == i or current.tokens + total > self._sizes.most:
            return current, 0
        merged = current
        for following in fragments[i:j]:
            joined = self._join(merged, following)
            if joined is None:
                return current, 0
            merged = joined
        return merged, j - i

    def _merge_into_parents(self, fragments: list[Fragment], level: int) -> tuple[list[Fragment], bool]:
        ideal = self._sizes.ideal
        out: list[Fragment] = []
        changed = False
        for current in fragments:
            previous = out[-1] if out else None
            if (
                previous is not None
                and previous.role == "none"
                and current.role == "none"
                and not current.is_pinned
                and previous.level < current.level
                and (
                    (previous.level == level and previous.tokens < ideal)
                    or (current.level == level and current.tokens < ideal and previous.tokens < ideal)
                )
                and is_ancestor(previous, current)
            ):
                merged = self._join(previous, current)
                if merged is not None:
                    out[-1] = merged
                    changed = True
                    continue
            out.append(current)
        return out, changed


def is_ancestor(upper: Fragment, lower: Fragment) -> bool:
    """Whether one's heading path is the beginning of the other's parents."""
    if not upper.heading:
        return False
    path = (*upper.parents, upper.heading)
    return lower.parents[: len(path)] == path
