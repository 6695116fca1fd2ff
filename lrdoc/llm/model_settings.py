"""Settings of the language models: a base and, for each role, what differs from it."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable

ROLES = ("extract", "vlm", "keyword", "query", "summary")
"""What models are asked for. A role takes from the base what it does not set itself."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model serves which role. Empty and zero mean: not set."""

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
    extract_binding: str = variable("EXTRACT_LLM_BINDING", "", "As LLM_BINDING, for the role EXTRACT.")
    extract_model: str = variable("EXTRACT_LLM_MODEL", "", "As LLM_MODEL, for the role EXTRACT.")
    extract_host: str = variable("EXTRACT_LLM_BINDING_HOST", "", "As LLM_BINDING_HOST, for the role EXTRACT.")
    extract_api_key: str = variable(
        "EXTRACT_LLM_BINDING_API_KEY", "", "As LLM_BINDING_API_KEY, for the role EXTRACT.", secret=True
    )
    extract_timeout_s: float = variable(
        "EXTRACT_LLM_TIMEOUT", 0.0, "As LLM_TIMEOUT, for the role EXTRACT.", unit="seconds", minimum=0
    )
    extract_max_async: int = variable("EXTRACT_MAX_ASYNC_LLM", 0, "As MAX_ASYNC_LLM, for the role EXTRACT.", minimum=0)
    extract_llm_max_async: int = variable(
        "EXTRACT_LLM_MAX_ASYNC", 0, "Another name for EXTRACT_MAX_ASYNC_LLM, which wins.", minimum=0
    )
    vlm_binding: str = variable("VLM_LLM_BINDING", "", "As LLM_BINDING, for the role VLM.")
    vlm_model: str = variable("VLM_LLM_MODEL", "", "As LLM_MODEL, for the role VLM.")
    vlm_host: str = variable("VLM_LLM_BINDING_HOST", "", "As LLM_BINDING_HOST, for the role VLM.")
    vlm_api_key: str = variable("VLM_LLM_BINDING_API_KEY", "", "As LLM_BINDING_API_KEY, for the role VLM.", secret=True)
    vlm_timeout_s: float = variable(
        "VLM_LLM_TIMEOUT", 0.0, "As LLM_TIMEOUT, for the role VLM.", unit="seconds", minimum=0
    )
    vlm_max_async: int = variable("VLM_MAX_ASYNC_LLM", 0, "As MAX_ASYNC_LLM, for the role VLM.", minimum=0)
    vlm_llm_max_async: int = variable(
        "VLM_LLM_MAX_ASYNC", 0, "Another name for VLM_MAX_ASYNC_LLM, which wins.", minimum=0
    )
    keyword_binding: str = variable("KEYWORD_LLM_BINDING", "", "As LLM_BINDING, for the role KEYWORD.")
    keyword_model: str = variable("KEYWORD_LLM_MODEL", "", "As LLM_MODEL, for the role KEYWORD.")
    keyword_host: str = variable("KEYWORD_LLM_BINDING_HOST", "", "As LLM_BINDING_HOST, for the role KEYWORD.")
    keyword_api_key: str = variable(
        "KEYWORD_LLM_BINDING_API_KEY", "", "As LLM_BINDING_API_KEY, for the role KEYWORD.", secret=True
    )
    keyword_timeout_s: float = variable(
        "KEYWORD_LLM_TIMEOUT", 0.0, "As LLM_TIMEOUT, for the role KEYWORD.", unit="seconds", minimum=0
    )
    keyword_max_async: int = variable("KEYWORD_MAX_ASYNC_LLM", 0, "As MAX_ASYNC_LLM, for the role KEYWORD.", minimum=0)
    keyword_llm_max_async: int = variable(
        "KEYWORD_LLM_MAX_ASYNC", 0, "Another name for KEYWORD_MAX_ASYNC_LLM, which wins.", minimum=0
    )
    query_binding: str = variable("QUERY_LLM_BINDING", "", "As LLM_BINDING, for the role QUERY.")
    query_model: str = variable("QUERY_LLM_MODEL", "", "As LLM_MODEL, for the role QUERY.")
    query_host: str = variable("QUERY_LLM_BINDING_HOST", "", "As LLM_BINDING_HOST, for the role QUERY.")
    query_api_key: str = variable(
        "QUERY_LLM_BINDING_API_KEY", "", "As LLM_BINDING_API_KEY, for the role QUERY.", secret=True
    )
    query_timeout_s: float = variable(
        "QUERY_LLM_TIMEOUT", 0.0, "As LLM_TIMEOUT, for the role QUERY.", unit="seconds", minimum=0
    )
    query_max_async: int = variable("QUERY_MAX_ASYNC_LLM", 0, "As MAX_ASYNC_LLM, for the role QUERY.", minimum=0)
    query_llm_max_async: int = variable(
        "QUERY_LLM_MAX_ASYNC", 0, "Another name for QUERY_MAX_ASYNC_LLM, which wins.", minimum=0
    )
    summary_binding: str = variable("SUMMARY_LLM_BINDING", "", "As LLM_BINDING, for the role SUMMARY.")
    summary_model: str = variable("SUMMARY_LLM_MODEL", "", "As LLM_MODEL, for the role SUMMARY.")
    summary_host: str = variable("SUMMARY_LLM_BINDING_HOST", "", "As LLM_BINDING_HOST, for the role SUMMARY.")
    summary_api_key: str = variable(
        "SUMMARY_LLM_BINDING_API_KEY", "", "As LLM_BINDING_API_KEY, for the role SUMMARY.", secret=True
    )
    summary_timeout_s: float = variable(
        "SUMMARY_LLM_TIMEOUT", 0.0, "As LLM_TIMEOUT, for the role SUMMARY.", unit="seconds", minimum=0
    )
    summary_max_async: int = variable("SUMMARY_MAX_ASYNC_LLM", 0, "As MAX_ASYNC_LLM, for the role SUMMARY.", minimum=0)
    summary_llm_max_async: int = variable(
        "SUMMARY_LLM_MAX_ASYNC", 0, "Another name for SUMMARY_MAX_ASYNC_LLM, which wins.", minimum=0
    )
