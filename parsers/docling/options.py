"""What a parse asks of docling: settings, with the parameters of the file over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lrdoc.parsers.docling.settings import DoclingSettings, read_docling_address
from lrdoc.parsers.services.settings import usable_address

FIXED = {
    "pipeline": "standard",
    "target_type": "zip",
    "to_formats": ["json", "md"],
    "image_export_mode": "referenced",
}
"""What this engine always asks for."""


@dataclass(frozen=True, slots=True)
class Options:
    """Made without network; part of it is the key of a kept bundle."""

    settings: DoclingSettings
    endpoint: str
    force_ocr: bool
    heading_hierarchy: bool
    page_range: tuple[int, int] | None
    """First and last page, counted from 1."""
    table_mode: str

    @classmethod
    def make(cls, settings: DoclingSettings, params: Mapping[str, Any]) -> Options:
        """Raises EngineNotConfigured when the engine has no address."""
        endpoint = usable_address(settings.endpoint, read_docling_address, "DOCLING_ENDPOINT", "docling")
        asked = params.get("page_range")
        pages: tuple[int, int] | None = None
        if isinstance(asked, str) and asked.strip():
            first, _, last = asked.strip().partition("-")
            pages = int(first), int(last or first)
        force = params.get("force_ocr")
        hierarchy = params.get("heading_hierarchy")
        return cls(
            settings,
            endpoint,
            settings.force_ocr if force is None else bool(force),
            True if hierarchy is None else bool(hierarchy),
            pages,
            params.get("table_mode") or "",
        )

    def fields(self) -> list[tuple[str, str]]:
        """The fields of the form."""
        settings = self.settings
        fields = [
            ("pipeline", "standard"),
            ("target_type", "zip"),
            ("image_export_mode", "referenced"),
            ("do_ocr", _flag(settings.do_ocr)),
            ("force_ocr", _flag(self.force_ocr)),
            ("ocr_engine", settings.ocr_engine),
            ("ocr_preset", settings.ocr_preset),
            ("do_formula_enrichment", _flag(settings.do_formula_enrichment)),
            ("do_pdf_heading_hierarchy", _flag(self.heading_hierarchy)),
            ("to_formats", "json"),
            ("to_formats", "md"),
        ]
        fields += [("ocr_lang", language) for language in settings.ocr_lang]
        if self.page_range is not None:
            fields += [("page_range", str(page)) for page in self.page_range]
        if self.table_mode:
            fields.append(("table_mode", self.table_mode))
        return fields

    def signed(self) -> dict[str, Any]:
        """All that changes the answer of the service."""
        settings = self.settings
        return {
            "signature_version": 1,
            "do_ocr": settings.do_ocr,
            "force_ocr": self.force_ocr,
            "ocr_engine": settings.ocr_engine,
            "ocr_preset": settings.ocr_preset,
            "ocr_lang": list(settings.ocr_lang),
            "do_formula_enrichment": settings.do_formula_enrichment,
            "heading_hierarchy": self.heading_hierarchy,
            "page_range": list(self.page_range or ()),
            "table_mode": self.table_mode,
            "fixed": FIXED,
        }


def _flag(value: bool) -> str:
    return "true" if value else "false"
