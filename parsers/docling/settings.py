"""Variables that decide whether docling is used."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable


@dataclass(frozen=True, slots=True)
class DoclingSettings:
    """The docling engine."""

    endpoint: str = variable("DOCLING_ENDPOINT", "", "Address of docling-serve. Unset: the engine is not configured.")
    additional_suffixes: tuple[str, ...] = variable(
        "DOCLING_ADDITIONAL_SUFFIXES", (), "Further suffixes that the service takes. Rules must still name them."
    )
