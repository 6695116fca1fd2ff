"""Settings of the analysis stage."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """Gates and budgets of the analysis."""

    vlm_enabled: bool = variable(
        "VLM_PROCESS_ENABLE", False, "Let a vision model look at pictures. Tables and equations do not depend on it."
    )
    min_image_pixel: int = variable(
        "VLM_MIN_IMAGE_PIXEL", 64, "A picture with a shorter side is skipped.", unit="pixels", minimum=1
    )
    max_image_bytes: int = variable(
        "VLM_MAX_IMAGE_BYTES", 5 * 1024 * 1024, "A larger picture file is skipped.", unit="bytes", minimum=256 * 1024
    )
    max_image_side: int = variable(
        "VLM_MAX_IMAGE_SIDE", 2048, "A longer side is scaled down to this before sending.", unit="pixels", minimum=64
    )
    max_input_tokens: int = variable(
        "MAX_EXTRACT_INPUT_TOKENS", 20480, "Most tokens of one prompt; 0 or less: no limit.", unit="tokens"
    )
    min_content_tokens: int = variable(
        "MM_EXTRACT_CONTENT_MIN_TOKENS", 100, "Tokens of a prompt kept for the item itself.", unit="tokens", minimum=0
    )
    leading_tokens: int = variable(
        "SURROUNDING_LEADING_MAX_TOKENS", 2000, "Most tokens of the text before an item.", unit="tokens", lenient=True
    )
    trailing_tokens: int = variable(
        "SURROUNDING_TRAILING_MAX_TOKENS", 2000, "Most tokens of the text after an item.", unit="tokens", lenient=True
    )
    language: str = variable("SUMMARY_LANGUAGE", "English", "Language of names and descriptions.")
    cache_file: str = variable(
        "LLM_CACHE_FILE", "", "SQLite file that keeps answers; empty: llm_cache.sqlite beside the parsed folder."
    )
