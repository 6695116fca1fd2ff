"""Variables that decide whether and how docling is used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lrdoc.parsers.services.settings import PollSettings, read_address, read_bbox_attributes
from lrdoc.variables import variable

BBOX_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({"origin": "LEFTBOTTOM"})

read_docling_address = read_address("/v1/convert", "/v1/status", accepted=("/v1/convert/file/async", "/v1"))


def read_languages(text: str) -> tuple[str, ...]:
    """A JSON array of strings, or words between commas."""
    if text.lstrip().startswith("["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise ValueError('expected a list such as en,de or ["en","de"]')
        words = value
    else:
        words = text.split(",")
    return tuple(word for word in (word.strip() for word in words) if word)


@dataclass(frozen=True, slots=True)
class DoclingSettings(PollSettings):
    """The docling engine."""

    endpoint: str = variable(
        "DOCLING_ENDPOINT",
        "",
        "Address of docling-serve. Unset: the engine is not configured.",
        parse=read_docling_address,
    )
    api_key: str = variable("DOCLING_API_KEY", "", "Key that docling-serve asks for (X-Api-Key).", secret=True)
    do_ocr: bool = variable("DOCLING_DO_OCR", True, "Recognise text in pictures of pages.")
    force_ocr: bool = variable("DOCLING_FORCE_OCR", True, "Recognise every page, also those with text.")
    ocr_engine: str = variable("DOCLING_OCR_ENGINE", "auto", "OCR engine.")
    ocr_preset: str = variable("DOCLING_OCR_PRESET", "auto", "Preset of the OCR engine.")
    ocr_lang: tuple[str, ...] = variable(
        "DOCLING_OCR_LANG",
        (),
        "Languages for OCR, between commas or as a JSON array. Unset: as the service likes.",
        parse=read_languages,
    )
    do_formula_enrichment: bool = variable(
        "DOCLING_DO_FORMULA_ENRICHMENT", False, "Read formulas as LaTeX; the service needs the model for it."
    )
    poll_interval: float = variable(
        "DOCLING_POLL_INTERVAL_SECONDS",
        5.0,
        "Time between two looks at a task.",
        unit="seconds",
        minimum=0.01,
        lenient=True,
    )
    max_polls: int = variable("DOCLING_MAX_POLLS", 240, "How often a task is looked at.", minimum=1, lenient=True)
    engine_version: str = variable(
        "DOCLING_ENGINE_VERSION", "", "Version of the service; another one than a kept bundle's makes it stale."
    )
    force_reparse: bool = variable("LIGHTRAG_FORCE_REPARSE_DOCLING", False, "Never use a kept bundle of docling.")
    bbox_attributes: Mapping[str, Any] | None = variable(
        "DOCLING_BBOX_ATTRIBUTES",
        None,
        'Origin of boxes, written into the meta line, as a JSON object. Unset: {"origin":"LEFTBOTTOM"}.',
        lenient=True,
        parse=read_bbox_attributes,
    )
    additional_suffixes: tuple[str, ...] = variable(
        "DOCLING_ADDITIONAL_SUFFIXES", (), "Further suffixes that the service takes. Rules must still name them."
    )
