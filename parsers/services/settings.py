"""Variables that all engines behind a service read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lrdoc.errors import EngineNotConfigured
from lrdoc.variables import variable


def read_bbox_attributes(text: str) -> Mapping[str, Any]:
    """A JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ValueError('expected a JSON object such as {"origin":"LEFTTOP","max":1000}')
    return value


def read_address(*refused: str, accepted: tuple[str, ...] = ()) -> Callable[[str], str]:
    """A reader of base addresses: those that hold one of the `refused` paths are mistakes, `accepted` ends are cut."""

    def read(text: str) -> str:
        address = text.strip().rstrip("/")
        for end in accepted:
            address = address.removesuffix(end).rstrip("/")
        try:
            parts = urlsplit(address)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            good = False
        if not good:
            raise ValueError("expected an address such as http://127.0.0.1:8000")
        if parts.query or parts.fragment or any(path in parts.path for path in refused):
            raise ValueError(f"expected the address of the service alone, such as {parts.scheme}://{parts.netloc}")
        return address

    return read


def usable_address(text: str, read: Callable[[str], str], variable: str, engine: str) -> str:
    """The address in settings that a program made without reading variables. Raises EngineNotConfigured."""
    if not text.strip():
        raise EngineNotConfigured(f"{engine}: {variable} is not set", hint=f"Set {variable}.")
    try:
        return read(text)
    except ValueError as e:
        raise EngineNotConfigured(
            f"{engine}: {variable} holds no address of a service: {e}", hint=f"Write {variable}=http://host:port."
        ) from None


@dataclass(frozen=True, slots=True)
class PollSettings:
    """Limits of what a service may send."""

    bundle_max_entries: int = variable(
        "PARSER_RESULT_BUNDLE_MAX_ENTRIES", 10_000, "Files in a service's answer; 0: no limit.", minimum=0
    )
    bundle_max_bytes: int = variable(
        "PARSER_RESULT_BUNDLE_MAX_TOTAL_BYTES",
        512 << 20,
        "Size of a service's answer, unpacked; 0: no limit.",
        unit="bytes",
        minimum=0,
    )
    download_timeout: float = variable(
        "PARSER_RESULT_BUNDLE_DOWNLOAD_TIMEOUT",
        300.0,
        "Time for the download of an answer; 0: no limit.",
        unit="seconds",
        minimum=0,
        lenient=True,
    )
    download_max_bytes: int = variable(
        "PARSER_RESULT_BUNDLE_DOWNLOAD_MAX_BYTES",
        512 << 20,
        "Size of an answer as it is sent; 0: no limit.",
        unit="bytes",
        minimum=0,
    )
    request_timeout: float = variable(
        "PARSER_REQUEST_TIMEOUT_SECONDS",
        120.0,
        "Longest silence of a service within one request.",
        unit="seconds",
        minimum=0.1,
    )
    retries: int = variable(
        "PARSER_REQUEST_RETRIES",
        4,
        "How often a request is made again when the service cannot be reached or is busy.",
        minimum=0,
        maximum=20,
    )
