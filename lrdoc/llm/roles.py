"""Which model serves which role: the role's own settings over those of the base."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lrdoc.errors import SettingsError
from lrdoc.llm.address import read_address
from lrdoc.llm.base import ChatModel, ModelNotConfigured
from lrdoc.llm.cache import AnswerCache, CachedModel
from lrdoc.llm.model_settings import ROLES, ModelSettings
from lrdoc.llm.queue import QueuedModel

BINDINGS: Mapping[str, str] = {
    "openai": "lrdoc.llm.openai_binding:OpenAIModel",
    "ollama": "lrdoc.llm.ollama_binding:OllamaModel",
}
"""Binding → class, imported on first use. One file for each."""


@dataclass(frozen=True, slots=True)
class RoleModel:
    """What serves a role."""

    role: str
    binding: str
    model: str
    host: str = field(repr=False)
    """May hold a password."""
    api_key: str = field(repr=False)
    timeout_s: float
    max_async: int


def role_model(settings: ModelSettings, role: str) -> RoleModel | None:
    """The model of a role, None when neither the role nor the base names one.

    A role that names a binding of its own takes neither host nor key from the base: they belong to another service.
    Raises SettingsError for a binding that is not known.
    """
    if role not in ROLES:
        raise ValueError(f"no role {role}; there are {', '.join(ROLES)}")

    def own(name: str) -> Any:
        return getattr(settings, f"{role}_{name}")

    binding = (own("binding") or settings.binding).lower()
    if binding not in BINDINGS:
        variable = f"{role.upper()}_LLM_BINDING" if own("binding") else "LLM_BINDING"
        raise SettingsError(
            f"{variable}={binding} is not a binding; there are {', '.join(sorted(BINDINGS))}",
            hint="Services that speak OpenAI's protocol take openai with LLM_BINDING_HOST set to their address.",
        )
    model = own("model") or settings.model
    if not model:
        return None
    same_service = binding == settings.binding.lower()
    own_host = own("host")
    host = own_host or (settings.host if same_service else "")
    if host:
        try:
            read_address(host)
        except ValueError as error:
            variable = f"{role.upper()}_LLM_BINDING_HOST" if own_host else "LLM_BINDING_HOST"
            raise SettingsError(f"{variable} cannot be read: {error}") from error
    return RoleModel(
        role=role,
        binding=binding,
        model=model,
        host=host,
        api_key=own("api_key") or (settings.api_key if same_service else ""),
        timeout_s=own("timeout_s") or settings.timeout_s,
        max_async=own("max_async") or own("llm_max_async") or base_max_async(settings),
    )


def base_max_async(settings: ModelSettings) -> int:
    """MAX_ASYNC_LLM when it was changed, else LLM_MAX_ASYNC, else the default."""
    default = ModelSettings().max_async
    if settings.max_async == default and settings.base_max_async:
        return settings.base_max_async
    return settings.max_async


def not_configured(role: str) -> ModelNotConfigured:
    """The error for a role without model."""
    name = role.upper()
    return ModelNotConfigured(
        f"No model serves the role {name}",
        hint=f"Set {name}_LLM_MODEL or LLM_MODEL, and for a service of your own {name}_LLM_BINDING_HOST or "
        "LLM_BINDING_HOST.",
    )


def open_model(settings: ModelSettings, role: str, cache: AnswerCache | None = None) -> QueuedModel | CachedModel:
    """The model of a role, with its limit and, when a cache is given, its memory. Raises ModelNotConfigured."""
    found = role_model(settings, role)
    if found is None:
        raise not_configured(role)
    module, _, name = BINDINGS[found.binding].partition(":")
    maker = getattr(importlib.import_module(module), name)
    model: ChatModel = maker(found.model, host=found.host, api_key=found.api_key, timeout_s=found.timeout_s)
    queued = QueuedModel(model, found.max_async)
    return CachedModel(queued, cache, role) if cache is not None and settings.cache_enabled else queued
