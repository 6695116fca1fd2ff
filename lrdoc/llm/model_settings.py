"""Settings of the language models: a base and, for each role, what differs from it."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import repeated, variable

ROLES = ("extract", "vlm", "keyword", "query", "summary")
"""What models are asked for. A role takes from the base what it does not set itself."""


@dataclass(frozen=True)
class _OfRole:
    """What a role may set. Empty and zero mean: not set."""

    binding: str = variable("{}_LLM_BINDING", "", "As LLM_BINDING, for the role {}.")
    model: str = variable("{}_LLM_MODEL", "", "As LLM_MODEL, for the role {}.")
    host: str = variable("{}_LLM_BINDING_HOST", "", "As LLM_BINDING_HOST, for the role {}.")
    api_key: str = variable("{}_LLM_BINDING_API_KEY", "", "As LLM_BINDING_API_KEY, for the role {}.", secret=True)
    timeout_s: float = variable("{}_LLM_TIMEOUT", 0.0, "As LLM_TIMEOUT, for the role {}.", unit="seconds", minimum=0)
    max_async: int = variable("{}_MAX_ASYNC_LLM", 0, "As MAX_ASYNC_LLM, for the role {}.", minimum=0)
    llm_max_async: int = variable("{}_LLM_MAX_ASYNC", 0, "Another name for {}_MAX_ASYNC_LLM, which wins.", minimum=0)


@dataclass(frozen=True, slots=True)
@repeated(_OfRole, ROLES)
class ModelSettings:
    """Which model serves which role. Empty and zero mean: not set."""

    # The fields of each role follow these: extract_binding, extract_model …
    binding: str = variable("LLM_BINDING", "openai", "Protocol of the language model: openai or ollama.")
    model: str = variable("LLM_MODEL", "", "Name of the language model.")
    host: str = variable("LLM_BINDING_HOST", "", "Address of the model's service, such as http://host:8080/v1.")
    api_key: str = variable("LLM_BINDING_API_KEY", "", "Key of the model's service.", secret=True)
    timeout_s: float = variable("LLM_TIMEOUT", 180.0, "Time for one request.", unit="seconds", minimum=0.1)
    max_async: int = variable("MAX_ASYNC_LLM", 4, "Requests to the model at the same time.", minimum=1)
    base_max_async: int = variable("LLM_MAX_ASYNC", 0, "Another name for MAX_ASYNC_LLM, which wins.", minimum=0)
    cache_enabled: bool = variable(
        "ENABLE_LLM_CACHE_FOR_EXTRACT", True, "Keep the answers of the analysis, so that asking again costs nothing."
    )
