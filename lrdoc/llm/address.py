"""The address of a model's service, apart from the secrets that may stand in it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

SHORTEST_SECRET = 4
"""Shorter ones are words of ordinary messages as well."""


@dataclass(frozen=True, slots=True)
class Address:
    """`http://user:word@host/v1?key=x` in its parts. Only `shown` may be written anywhere."""

    shown: str
    """Without user, password and query; this is also what requests go to."""
    authorization: str = field(default="", repr=False)
    """Basic authorization made of user and password, "" without them."""
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Goes along with every request."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What must be taken out of other people's messages."""


def read_address(text: str) -> Address:
    """The parts of an address. Raises ValueError when it is no http or https address with a host."""
    try:
        parts = urlsplit(text.strip())
        _ = parts.port
    except ValueError:
        # The message of the standard library quotes what may be part of a password.
        raise ValueError(
            "host or port is malformed; a / @ : in user or password must be written as %2F %40 %3A"
        ) from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError("expected an address such as http://host:8080/v1")
    place = parts.netloc.rpartition("@")[2]
    shown = urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))
    if not shown.isprintable() or " " in shown or not _may_be_host(parts.hostname):
        raise ValueError("the host is no possible name, or there is a space or control character in the address")
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    secrets = [parts.password or "", unquote(parts.password or ""), *query.values()]
    authorization = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + base64.b64encode(pair.encode()).decode("ascii")
        secrets.append(authorization.removeprefix("Basic "))
        if parts.password is None:
            secrets.append(unquote(parts.username))  # a bare word before the @ is a token
    return Address(shown, authorization, query, tuple(dict.fromkeys(word for word in secrets if word)))


def _may_be_host(name: str) -> bool:
    try:
        name.encode("idna")
    except UnicodeError:
        return False
    return True


def without_secrets(text: str, secrets: tuple[str, ...]) -> str:
    """Text with every secret replaced by ***."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return text
