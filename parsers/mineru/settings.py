"""Variables that decide whether and how MinerU is used; `lrdoc.parsers.builtin` checks how they fit together."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable


@dataclass(frozen=True, slots=True)
class MineruSettings:
    """The MinerU engine."""

    api_mode: str = variable(
        "MINERU_API_MODE", "local", "A service of one's own, or the official one.", choices=("local", "official")
    )
    local_endpoint: str = variable(
        "MINERU_LOCAL_ENDPOINT", "", "Address of one's own service. Unset: the engine is not configured."
    )
    api_token: str = variable("MINERU_API_TOKEN", "", "Token of the official service.", secret=True)
    page_ranges: str = variable(
        "MINERU_PAGE_RANGES", "", "Pages to parse where no rule or hint says; a local service takes one range only."
    )
    additional_suffixes: tuple[str, ...] = variable(
        "MINERU_ADDITIONAL_SUFFIXES", (), "Further suffixes that the service takes. Rules must still name them."
    )
