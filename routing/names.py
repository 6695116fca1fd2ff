"""File names: suffix, canonical name, and whether a bracket before the suffix is a hint.

    hinted-name = stem ".[" inner "]." suffix

`inner` is a hint when it starts with "-" or when its head, up to the first "-" or "(", is the name of an engine. Any
other bracket is part of an ordinary name, except two kinds of probable mistakes: only option letters ("[iet]") and a
near miss of an engine name ("[natve]"). The canonical name depends on this syntax and on the engines' names alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from lrdoc.mistakes import Mistake
from lrdoc.params import clip
from lrdoc.routing.grammar import LETTERS, Directive, parse_hint, parse_options
from lrdoc.routing.params import check_chunk_syntax
from lrdoc.suggest import edit_distance

LONGEST_HEAD = 64
"""Engine names are short; a longer head is no near miss of one."""

_OPTIONS_AFTER = re.compile(rf"[\s:_.,/+&]+([{LETTERS}]+)")


@dataclass(frozen=True, slots=True)
class SplitName:
    """A file name taken apart."""

    name: str
    """As given."""
    base: str
    """Without folders."""
    canonical: str
    """`base` without its hint."""
    suffix: str
    """Last suffix, lower case, without dot; "" when there is none."""
    directive: Directive | None = None
    """What the hint says, also when it has mistakes."""
    mistakes: tuple[Mistake, ...] = ()
    """Mistakes of syntax; places count in `name`."""
    bracket: Literal["", "hint", "ordinary", "mistake"] = ""
    """What stands before the suffix."""
    inner: str = ""
    """Text in the brackets."""


def base_name(name: str) -> str:
    """The last component of a path."""
    name = name.rstrip("/")
    base = name[name.rfind("/") + 1 :]
    return base[base.rfind("\\") + 1 :] if os.sep == "\\" else base


def suffix_of(base: str) -> str:
    """Last suffix, lower case, without dot: "A.PDF" → "pdf", ".bashrc" and "a." → ""."""
    dot = base.rfind(".")
    return base[dot + 1 :].lower() if dot > 0 else ""


def split_name(name: str, engines: Collection[str]) -> SplitName:
    """Take a name apart; `engines` are the names that may head a hint. Linear, never raises."""
    base = base_name(name)
    dot = base.rfind(".")
    if dot < 2 or dot == len(base) - 1 or base[dot - 1] != "]":
        return SplitName(name, base, base, suffix_of(base))
    suffix = base[dot + 1 :].lower()
    opening = base.rfind(".[", 0, dot)
    if opening < 0 or base.find("]", opening, dot - 1) >= 0:
        return SplitName(name, base, base, suffix)
    start = len(name.rstrip("/")) - len(base) + opening + 2
    inner = base[opening + 2 : dot - 1]
    stripped = inner.strip()
    head = re.split(r"[-(]", stripped[: LONGEST_HEAD + 1], maxsplit=1)[0].strip().lower()
    if not stripped.startswith("-") and head not in engines:
        mistake = _probable_mistake(inner, start, head, engines)
        if mistake is None:
            return SplitName(name, base, base, suffix, None, (), "ordinary", inner)
        return SplitName(name, base, base, suffix, None, (mistake,), "mistake", inner)
    directive, mistakes = parse_hint(name, start, start + len(inner))
    if not mistakes:
        for block in directive.blocks:
            mistakes += check_chunk_syntax(block, "name")
    canonical = base if mistakes else base[:opening] + base[dot:]
    return SplitName(name, base, canonical, suffix, directive, tuple(mistakes), "hint", inner)


def canonical_name(name: str, engines: Collection[str]) -> str:
    """The name under which a file is known, whatever its hint says."""
    return split_name(name, engines).canonical


def _probable_mistake(inner: str, start: int, head: str, engines: Collection[str]) -> Mistake | None:
    stripped = inner.strip()
    place = start + len(inner) - len(inner.lstrip())

    def mistake(kind: str, message: str, width: int, hint: str) -> Mistake:
        return Mistake(kind, message, place + 1, max(1, width), hint)

    if stripped and all(c in LETTERS or c.isspace() for c in stripped):
        fixed = "".join(stripped.split())
        message = f"[{fixed[:40]}] holds options without a hyphen"
        return mistake("unknown_engine", message, len(stripped), f"write [-{fixed[:40]}]")
    if not head or len(head) > LONGEST_HEAD:
        return None
    rest = stripped[len(head) :].lstrip()
    if stripped[0] in LETTERS and "(" in rest[:1] and len(head) < 12 and not parse_options(stripped)[1]:
        message = f"[{stripped[:40]}] holds options without a hyphen"
        return mistake("unknown_engine", message, len(stripped), f"write [-{stripped[:40]}]")
    for engine in engines:
        after = stripped[len(engine) :]
        if head.startswith(engine) and (found := _OPTIONS_AFTER.fullmatch(after)):
            message = f"expected '-' between {engine} and its options"
            return mistake("unknown_engine", message, len(stripped), f"write [{engine}-{found[1]}]")
    has_options = bool(rest) and _reads_as_tail(rest)
    for engine in sorted(engines):
        limit = 2 if has_options and len(engine) > 4 else 1 if len(engine) > 4 or has_options else 0
        if limit and 0 < edit_distance(head, engine, limit) <= limit:
            message = f"unknown engine {clip(head)}"
            hint = f"did you mean {engine!r}? Write [{engine}{rest[:40]}], or another bracket for an ordinary name"
            return mistake("unknown_engine", message, len(head), hint)
    return None


def _reads_as_tail(rest: str) -> bool:
    """Whether what follows the head is a well-formed rest of a hint that says something."""
    directive, mistakes = parse_hint("x" + rest)
    return not mistakes and bool(directive.options or directive.engine_params)
