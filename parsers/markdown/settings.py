"""Variables of the markdown and textpack side of the native engine."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TypeAlias

from lrdoc.variables import variable

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(text: str) -> tuple[Network, ...]:
    networks: list[Network] = []
    wrong: list[str] = []
    for word in (part.strip() for part in text.split(",")):
        if not word:
            continue
        try:
            networks.append(ipaddress.ip_network(word, strict=False))
        except ValueError:
            wrong.append(word)
    if wrong:
        raise ValueError(f"expected ranges such as 10.0.0.0/8 or fd00::/8, separated by commas; not {', '.join(wrong)}")
    return tuple(networks)


@dataclass(frozen=True, slots=True)
class MarkdownSettings:
    """How pictures of markdown documents are fetched and drawn."""

    force_reparse: bool = variable(
        "LIGHTRAG_FORCE_REPARSE_NATIVE", False, "Download external pictures again instead of using the raw cache."
    )
    download_enabled: bool = variable(
        "NATIVE_MD_IMAGE_DOWNLOAD_ENABLED",
        True,
        "Download external pictures. When false they are left out and their alternative text stays.",
    )
    download_required: bool = variable(
        "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED",
        False,
        "A picture that cannot be downloaded fails the document instead of becoming a link with a warning.",
    )
    download_timeout: int = variable(
        "NATIVE_MD_IMAGE_DOWNLOAD_TIMEOUT",
        30,
        "Wall clock of one download, redirects included. Zero or less: every download is over time at once.",
        unit="seconds",
        lenient=True,
    )
    max_bytes: int = variable(
        "NATIVE_MD_IMAGE_MAX_BYTES", 26214400, "Largest picture; 0 leaves all pictures out.", unit="bytes", lenient=True
    )
    max_svg_pixels: int = variable(
        "NATIVE_MD_IMAGE_MAX_SVG_PIXELS",
        16000000,
        "Largest area to which an SVG picture is drawn.",
        unit="pixels",
        lenient=True,
    )
    max_total_bytes: int = variable(
        "NATIVE_MD_IMAGE_MAX_TOTAL_BYTES",
        67108864,
        "Bytes of all pictures of one document.",
        unit="bytes",
        minimum=1,
        lenient=True,
    )
    max_requests: int = variable(
        "NATIVE_MD_IMAGE_MAX_REQUESTS",
        100,
        "Requests for one document, redirects and failed ones included.",
        minimum=1,
        lenient=True,
    )
    download_total_timeout: int = variable(
        "NATIVE_MD_IMAGE_DOWNLOAD_TOTAL_TIMEOUT",
        120,
        "Wall clock of all downloads of one document, counted from the first.",
        unit="seconds",
        minimum=1,
        lenient=True,
    )
    allowed_networks: tuple[Network, ...] = variable(
        "NATIVE_MD_IMAGE_ALLOWED_NON_PUBLIC_CIDRS",
        (),
        "Ranges of non-public addresses from which pictures may be fetched, separated by commas.",
        parse=_networks,
    )
