"""Settings of routing."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable


@dataclass(frozen=True, slots=True)
class RoutingSettings:
    """Which engine takes which file."""

    rules: str = variable(
        "LIGHTRAG_PARSER",
        "",
        "Rules such as `md:native;*:legacy-R` (docs/routing.md). Unset: the command line uses "
        "`*:native-teP;*:legacy-R`, programs the legacy engine.",
    )
    smart_heading: bool = variable(
        "DOCX_SMART_HEADING",
        False,
        "Word files get the engine parameter `smart_heading=true` where no rule and no hint says otherwise.",
    )
