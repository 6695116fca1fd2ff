"""Anchors of headings as GitHub makes them."""

from __future__ import annotations

import re

_DROPPED = re.compile(r"[^\w\- ]")


class Slugs:
    """Gives every heading of one document its own anchor: "usage", "usage-1", "usage-2"."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def make(self, heading: str) -> str:
        slug = _DROPPED.sub("", heading.lower()).replace(" ", "-")
        found = slug
        while found in self._used:
            self._used[slug] += 1
            found = f"{slug}-{self._used[slug]}"
        self._used[found] = 0
        return found
