"""Where two texts differ, and other small comparisons of strings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from lrdoc.audit.base import ANY, squeeze

_MAX_DIFF = 400_000
"""Product of two lengths above which the whole stretches are shown and not their differences."""


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, squeeze(text)))


def without_tags(text: str) -> str:
    for tag in ("<sup>", "</sup>", "<sub>", "</sub>"):
        text = text.replace(tag, "")
    return text


def matches(want: str, got: str) -> bool:
    """Equality where ANY in the source is any one character, or none."""
    if len(want) == len(got):
        return all(a in (b, ANY) for a, b in zip(want, got, strict=True))
    return False


def by_number(have: Iterable[str], need: Iterable[str]) -> dict[str, str]:
    """Needed numbers that are written in another form: 0.5 for 0.50000000000000001."""
    values: dict[float, str] = {}
    have = set(have)
    for text in have:
        number = _number(text)
        if number is not None:
            values.setdefault(number, text)
    return {
        text: values[number]
        for text in need
        if text not in have and (number := _number(text)) is not None and number in values
    }


def repeated(text: str, strings: Mapping[str, int]) -> tuple[str, int]:
    """The string that the text is made of by writing it several times, and how often; ("", 0) when it is not."""
    for times in (2, 3, 4):
        once = text[: len(text) // times]
        if len(text) % times == 0 and once in strings and once * times == text:
            return once, times
    return "", 0


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def difference(want: str, got: str, *, exact: bool = True) -> tuple[list[str], list[str]]:
    """What is missing and what is too much, as stretches in order."""
    start = 0
    limit = min(len(want), len(got))
    while start < limit and (want[start] == got[start] or want[start] == ANY):
        start += 1
    end = 0
    while end < limit - start and (want[-1 - end] == got[-1 - end] or want[-1 - end] == ANY):
        end += 1
    a, b = want[start : len(want) - end], got[start : len(got) - end]
    if not a or not b:
        return ([a] if a else []), ([b] if b else [])
    if not exact or len(a) * len(b) > _MAX_DIFF:
        return [a], [b]
    missing: list[str] = []
    extra: list[str] = []
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        lost, gained = a[a1:a2], b[b1:b2]
        if lost and gained and matches(lost, gained):
            continue
        if lost:
            missing.append(lost)
        if gained:
            extra.append(gained)
    return missing, extra


class Pool:
    """Strings of items in which missing text may be found, each once."""

    def __init__(self, strings: Iterable[str]) -> None:
        self._strings: Counter[str] = Counter(squeeze(without_tags(text)) for text in strings)

    def take(self, text: str) -> bool:
        if self._strings.get(text, 0) > 0:
            self._strings[text] -= 1
            return True
        return False
