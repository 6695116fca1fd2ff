"""Globs over suffixes: * ? [abc] [a-c] [!abc]. Never backtracks more than once per star."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

LONGEST = 128
"""Longer patterns match no suffix that an engine takes."""


def is_wild(pattern: str) -> bool:
    """Whether the pattern can match more than one suffix."""
    return "*" in pattern or "?" in pattern or "[" in pattern


@lru_cache(maxsize=1024)
def compile_glob(pattern: str) -> Callable[[str], bool]:
    """A function that says whether a suffix matches."""
    if pattern == "*":
        return lambda suffix: True
    if not is_wild(pattern):
        return pattern.__eq__
    tokens = _tokens(pattern)
    return lambda suffix: _matches(tokens, suffix)


_Token = str | tuple[bool, tuple[tuple[str, str], ...]]
"""A character, "*" as the empty string, "?" as two, or a set: (negated, ranges)."""

_STAR, _ANY = "", "??"


def _tokens(pattern: str) -> list[_Token]:
    tokens: list[_Token] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        i += 1
        if char == "*":
            if not tokens or tokens[-1] != _STAR:
                tokens.append(_STAR)
        elif char == "?":
            tokens.append(_ANY)
        elif char == "[":
            first = i + 1 if pattern[i : i + 1] == "!" else i
            close = pattern.find("]", first + 1)
            if close < 0:
                tokens.append(char)
            else:
                tokens.append((first > i, _ranges(pattern[first:close])))
                i = close + 1
        else:
            tokens.append(char)
    return tokens


def _ranges(text: str) -> tuple[tuple[str, str], ...]:
    ranges: list[tuple[str, str]] = []
    i = 0
    while i < len(text):
        if text[i + 1 : i + 2] == "-" and i + 2 < len(text):
            ranges.append((text[i], text[i + 2]))
            i += 3
        else:
            ranges.append((text[i], text[i]))
            i += 1
    return tuple(ranges)


def _matches(tokens: list[_Token], text: str) -> bool:
    t = i = 0
    star, resume = -1, 0
    while i < len(text):
        if t < len(tokens) and tokens[t] == _STAR:
            star, resume = t, i
            t += 1
        elif t < len(tokens) and _fits(tokens[t], text[i]):
            t += 1
            i += 1
        elif star >= 0:
            resume += 1
            t, i = star + 1, resume
        else:
            return False
    while t < len(tokens) and tokens[t] == _STAR:
        t += 1
    return t == len(tokens)


def _fits(token: _Token, char: str) -> bool:
    if isinstance(token, str):
        return token in (char, _ANY)
    negated, ranges = token
    return any(low <= char <= high for low, high in ranges) != negated
