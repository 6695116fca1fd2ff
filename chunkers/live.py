"""Variables that are read anew for every run instead of being stored with a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lrdoc.chunkers.base import DEFAULT_SENTENCE_PATTERN, LiveOptions, bound_separators
from lrdoc.variables import variable


def _names(text: str) -> tuple[str, ...] | None:
    return tuple(name.strip() for name in text.split("|") if name.strip()) or None


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """What chunkers read for every run, beside the sentence pattern and the separators."""

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


def live_options(
    settings: LiveSettings,
    *,
    sentence_pattern: str = DEFAULT_SENTENCE_PATTERN,
    separators: Sequence[str] | None = None,
) -> LiveOptions:
    """The options of one run, with the configured sentence pattern and cascade."""
    return LiveOptions(
        sentence_pattern,
        settings.references_tail_n,
        settings.references_headings,
        None if separators is None else bound_separators(separators)[0],
    )
