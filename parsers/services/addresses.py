"""Addresses of services: how they are shown, and which lead into this network."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def public_form(url: str) -> str:
    """The address without name and password, for messages and files."""
    head, scheme, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{head}{scheme}{host.rpartition('@')[2]}{slash}{path}"


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port; empty for an address that is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, (parts.hostname or "").lower(), port
    except ValueError:
        return "", "", None


def is_inside_url(url: str) -> bool:
    """The host of the address stands in this network."""
    return is_inside(origin(url)[1])


def is_inside(host: str) -> bool:
    """The host is this machine or stands in a private network, as far as its name tells."""
    name = host.lower().strip("[]")
    if name.endswith((".localhost", ".local", ".internal", ".lan")) or ("." not in name and ":" not in name):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return not address.is_global
