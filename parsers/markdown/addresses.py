"""Which addresses may be dialled: public ones, and ranges that the user allowed."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from lrdoc.parsers.markdown.settings import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_CLOSED_V4 = tuple(
    ipaddress.IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_OPEN_V6 = ipaddress.IPv6Network("2000::/3")
_CLOSED_V6 = tuple(
    ipaddress.IPv6Network(text)
    for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
    # 2001::/23 holds Teredo and 2002::/16 is 6to4: both carry an IPv4 address that nobody has checked
)
_CARRIERS = (ipaddress.IPv6Network("::ffff:0:0/96"), ipaddress.IPv6Network("64:ff9b::/96"))
"""IPv6 ranges that stand for an IPv4 address in their last 32 bits."""


def is_public(address: Address) -> bool:
    """The address is routed on the open internet and leads nowhere else."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    for carrier in _CARRIERS:
        if address in carrier:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _OPEN_V6 and not any(address in network for network in _CLOSED_V6)


def is_allowed(text: str, allowed: Sequence[Network]) -> bool:
    """The address in text form may be dialled."""
    try:
        address = ipaddress.ip_address(text.split("%", 1)[0])
    except ValueError:
        return False
    if is_public(address):
        return True
    candidates: list[Address] = [address]
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        candidates.append(address.ipv4_mapped)
    return any(
        candidate in network for candidate in candidates for network in allowed if network.version == candidate.version
    )
