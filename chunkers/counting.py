"""Exact token counts of many stretches of one text, from encoding the text once."""

from __future__ import annotations

import bisect
import re

from lrdoc.text.tokens import Tokenizer

_MEMO_CHARS = 32
_MEMO_ENTRIES = 100_000
_HEAD_CHARS = 160


class RangeCounter:
    """Counts tokens of ranges of one text. For one document; not to be shared by threads.

    When the tokenizer knows places where a text can be cut without changing its tokens, a range is counted from the
    tokens of the whole text: only what stands before its first and after its last such place is encoded again.
    """

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self.text = text
        self.tokenizer = tokenizer
        self._memo: dict[str, int] = {}
        self._safe: re.Pattern[str] | None = getattr(tokenizer, "safe_cut", None)
        self._bounds: list[int] | None = None

    @property
    def bounds(self) -> list[int]:
        """Where the tokens of the whole text begin; see `Tokenizer.boundaries`."""
        if self._bounds is None:
            self._bounds = self.tokenizer.boundaries(self.text).tolist()
        return self._bounds

    def count(self, start: int, end: int) -> int:
        """Tokens of text[start:end] as it stands alone."""
        text = self.text
        if end - start <= _MEMO_CHARS:
            return self.count_text(text[start:end])
        if self._safe is None:
            return self.tokenizer.count(text[start:end])
        head = self._safe.search(text, start + 1, min(start + _HEAD_CHARS, end))
        tail = None
        for width in (24, _HEAD_CHARS):
            for found in self._safe.finditer(text, max(end - width, start + 1), end):
                tail = found
            if tail is not None:
                break
        if head is None or tail is None or tail.start() <= head.start():
            return self.tokenizer.count(text[start:end])
        first, last = head.start(), tail.start()
        bounds = self.bounds
        between = bisect.bisect_left(bounds, last) - bisect.bisect_left(bounds, first)
        return self.count_text(text[start:first]) + between + self.count_text(text[last:end])

    def count_text(self, text: str) -> int:
        """Tokens of a text that need not stand in the document; short ones are remembered."""
        if len(text) > _MEMO_CHARS:
            return self.tokenizer.count(text)
        found = self._memo.get(text)
        if found is None:
            if len(self._memo) >= _MEMO_ENTRIES:
                self._memo.clear()
            found = self._memo[text] = self.tokenizer.count(text)
        return found
