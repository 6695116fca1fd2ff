"""Variables that are read anew for every run instead of being stored with a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lrdoc.chunkers.base import DEFAULT_SENTENCE_PATTERN, LiveOptions, bound_separators
from lrdoc.variables import variable


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as e:
        raise ValueError(f"expected a regular expression ({e})") from None
    return text


def _names(text: str) -> tuple[str, ...] | None:
    return tuple(name.strip() for name in text.split("|") if name.strip()) or None


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """What chunkers read for every run."""

    sentence_split_regex: str = variable(
        "CHUNK_V_SENTENCE_SPLIT_REGEX",
        DEFAULT_SENTENCE_PATTERN,
        "Regular expression at which V splits sentences.",
        parse=_pattern,
    )
    references_tail_n: int = variable(
        "CHUNK_P_REFERENCES_TAIL_N",
        0,
        "P looks for references in the last n blocks only; 0: in all.",
        minimum=0,
        lenient=True,
    )
    references_headings: tuple[str, ...] | None = variable(
        "CHUNK_P_REFERENCES_HEADINGS",
        None,
        "Headings that begin a list of references, separated by |; unset: the usual ones of many languages.",
        parse=_names,
    )


def live_options(settings: LiveSettings, separators: Sequence[str] | None = None) -> LiveOptions:
    """The options of one run; `separators` is the configured cascade."""
    return LiveOptions(
        settings.sentence_split_regex,
        settings.references_tail_n,
        settings.references_headings,
        None if separators is None else bound_separators(separators)[0],
    )
