"""Binding `ollama`: Ollama through its OpenAI-compatible endpoint."""

from __future__ import annotations

from typing import Any

from lrdoc.llm.openai_binding import OpenAIModel

DEFAULT_HOST = "http://localhost:11434"


class OllamaModel(OpenAIModel):
    """A model served by Ollama; its native address is completed to the OpenAI one."""

    binding = "ollama"

    def __init__(self, name: str, *, host: str = "", api_key: str = "", **options: Any) -> None:
        address, mark, query = (host or DEFAULT_HOST).partition("?")
        address = address.rstrip("/")
        if not address.endswith("/v1"):
            address = address.removesuffix("/api") + "/v1"
        super().__init__(name, host=address + mark + query, api_key=api_key or "ollama", **options)
