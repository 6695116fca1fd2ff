"""What a parse asks of MinerU: settings, with the parameters of the file over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lrdoc.errors import EngineNotConfigured
from lrdoc.parsers.mineru.settings import MineruSettings, read_local_address, read_official_address
from lrdoc.parsers.services.settings import usable_address


@dataclass(frozen=True, slots=True)
class Options:
    """Made without network; part of it is the key of a kept bundle."""

    settings: MineruSettings
    mode: str
    """local or official."""
    endpoint: str
    page_ranges: tuple[str, ...]
    """ "3" or "1-3"; a local service takes one."""
    language: str
    asked_language: bool
    """The file itself asks for the language, not the settings alone."""
    parse_method: str

    @classmethod
    def make(cls, settings: MineruSettings, params: Mapping[str, Any]) -> Options:
        """Raises EngineNotConfigured when the engine has no usable address."""
        local = settings.api_mode == "local"
        if local:
            endpoint = usable_address(settings.local_endpoint, read_local_address, "MINERU_LOCAL_ENDPOINT", "mineru")
        else:
            endpoint = usable_address(
                settings.official_endpoint, read_official_address, "MINERU_OFFICIAL_ENDPOINT", "mineru"
            )
            if not settings.api_token:
                raise EngineNotConfigured("mineru: MINERU_API_TOKEN is not set", hint="Set MINERU_API_TOKEN.")
        asked = params.get("page_range")
        ranges = [asked] if isinstance(asked, str) else list(asked or settings.page_ranges.split(","))
        page_ranges = tuple(text for text in (one.strip() for one in ranges) if text)
        if local and len(page_ranges) > 1:
            raise EngineNotConfigured(
                "mineru: a local service takes one page or one range of pages",
                hint="Write one page_range, or use MINERU_API_MODE=official.",
            )
        return cls(
            settings,
            settings.api_mode,
            endpoint,
            page_ranges,
            params.get("language") or settings.language,
            bool(params.get("language")),
            params.get("local_parse_method") or settings.local_parse_method,
        )

    @property
    def page_ids(self) -> tuple[int, int]:
        """First and last page, counted from 0 (local service 2.7–3.x)."""
        if self.page_ranges:
            first, _, last = self.page_ranges[0].partition("-")
            return int(first) - 1, int(last or first) - 1
        return self.settings.local_start_page_id, self.settings.local_end_page_id

    @property
    def page_range(self) -> str:
        """Pages counted from 1 (local service 4.x); "" for all."""
        if self.page_ranges:
            return self.page_ranges[0]
        first, last = self.page_ids
        if (first, last) == (0, 99999):
            return ""
        return f"{first + 1}-{last + 1}"

    def signed(self) -> dict[str, Any]:
        """All that changes the answer of the service."""
        settings = self.settings
        signed: dict[str, Any] = {
            "signature_version": 1,
            "api_mode": self.mode,
            "language": self.language,
            "enable_table": settings.enable_table,
            "enable_formula": settings.enable_formula,
        }
        if self.mode == "official":
            return signed | {
                "model_version": settings.model_version,
                "is_ocr": settings.is_ocr,
                "page_ranges": ",".join(self.page_ranges),
            }
        first, last = self.page_ids
        return signed | {
            "local_backend": settings.local_backend,
            "local_tier": settings.local_tier,
            "local_parse_method": self.parse_method,
            "local_image_analysis": settings.local_image_analysis,
            "local_start_page_id": first,
            "local_end_page_id": last,
        }
