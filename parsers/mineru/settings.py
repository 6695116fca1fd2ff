"""Variables that decide whether and how MinerU is used; `lrdoc.parsers.builtin` checks how they fit together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lrdoc.parsers.services.settings import PollSettings, read_address, read_bbox_attributes
from lrdoc.variables import variable

BBOX_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({"origin": "LEFTTOP", "max": 1000})

read_local_address = read_address("/tasks", "/file_parse", "/health", accepted=("/v1",))
read_official_address = read_address("/api/v4")


@dataclass(frozen=True, slots=True)
class MineruSettings(PollSettings):
    """The MinerU engine."""

    api_mode: str = variable(
        "MINERU_API_MODE", "local", "A service of one's own, or the official one.", choices=("local", "official")
    )
    local_endpoint: str = variable(
        "MINERU_LOCAL_ENDPOINT",
        "",
        "Address of one's own service. Unset: the engine is not configured.",
        parse=read_local_address,
    )
    local_api_key: str = variable(
        "MINERU_LOCAL_API_KEY", "", "Key that one's own service asks for (sent as a bearer token).", secret=True
    )
    api_token: str = variable("MINERU_API_TOKEN", "", "Token of the official service.", secret=True)
    official_endpoint: str = variable(
        "MINERU_OFFICIAL_ENDPOINT",
        "https://mineru.net",
        "Address of the official service.",
        parse=read_official_address,
    )
    language: str = variable("MINERU_LANGUAGE", "ch", "Language of OCR and parsing; MinerU 4 finds it by itself.")
    enable_table: bool = variable("MINERU_ENABLE_TABLE", True, "Recognise tables (not MinerU 4, which always does).")
    enable_formula: bool = variable(
        "MINERU_ENABLE_FORMULA", True, "Recognise formulas (not MinerU 4, which always does)."
    )
    page_ranges: str = variable(
        "MINERU_PAGE_RANGES", "", "Pages to parse where no rule or hint says; a local service takes one range only."
    )
    is_ocr: bool = variable("MINERU_IS_OCR", False, "Official service: recognise every page by OCR.")
    model_version: str = variable("MINERU_MODEL_VERSION", "vlm", "Official service: version of the model.")
    local_backend: str = variable(
        "MINERU_LOCAL_BACKEND", "hybrid-auto-engine", "Local service 2.7–3.x: which backend parses."
    )
    local_tier: str = variable(
        "MINERU_LOCAL_TIER",
        "",
        "Local service 4.x: flash, basic, standard or advanced. Unset: as the service likes.",
        choices=("", "flash", "basic", "standard", "advanced"),
    )
    local_parse_method: str = variable(
        "MINERU_LOCAL_PARSE_METHOD",
        "auto",
        "Local service: how pages are read.",
        choices=("auto", "txt", "ocr"),
    )
    local_image_analysis: bool = variable(
        "MINERU_LOCAL_IMAGE_ANALYSIS", False, "Local service 2.7–3.x: let its model describe pictures."
    )
    local_start_page_id: int = variable(
        "MINERU_LOCAL_START_PAGE_ID", 0, "Local service: first page, counted from 0.", minimum=0
    )
    local_end_page_id: int = variable(
        "MINERU_LOCAL_END_PAGE_ID", 99999, "Local service: last page, counted from 0.", minimum=0
    )
    poll_interval: float = variable(
        "MINERU_POLL_INTERVAL_SECONDS", 2.0, "Time between two looks at a task.", unit="seconds", minimum=0.01
    )
    max_polls: int = variable("MINERU_MAX_POLLS", 600, "How often a task is looked at.", minimum=1)
    engine_version: str = variable(
        "MINERU_ENGINE_VERSION", "", "Version of the service; another one than a kept bundle's makes it stale."
    )
    force_reparse: bool = variable("LIGHTRAG_FORCE_REPARSE_MINERU", False, "Never use a kept bundle of MinerU.")
    bbox_attributes: Mapping[str, Any] | None = variable(
        "MINERU_BBOX_ATTRIBUTES",
        None,
        'Origin and scale of boxes, for the meta line, as a JSON object. Unset: {"origin":"LEFTTOP","max":1000}.',
        lenient=True,
        parse=read_bbox_attributes,
    )
    additional_suffixes: tuple[str, ...] = variable(
        "MINERU_ADDITIONAL_SUFFIXES", (), "Further suffixes that the service takes. Rules must still name them."
    )
