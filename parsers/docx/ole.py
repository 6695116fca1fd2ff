"""The name of a file that was put into a document as a package: it stands in the OLE object around it.

An OLE object is a compound file ([MS-CFB]): sectors in chains, a directory of streams, a second level of small sectors
for short streams. Only what leads to the beginning of one stream is read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LAST = 0xFFFFFFFA
"""Sector numbers from here on are marks of the chain: its end, a free sector."""
_ENTRY, _ROOT = 128, 5
"""Bytes of a directory entry, and the kind of the first."""
_SMALL = 64
"""Bytes of a small sector."""
_NATIVE = "\x01Ole10Native"
_ENOUGH = 2_048
"""Bytes of the stream that are looked at; the names stand at its beginning."""


def package_name(data: bytes) -> str:
    """Name of the file inside an OLE package ("report.pdf"); "" when the data are none or do not say."""
    if not data.startswith(_MAGIC) or len(data) < 512 or data[30] not in (9, 12) or data[32:34] != b"\6\0":
        return ""
    try:
        return _name_in(_native_stream(data))
    except (struct.error, IndexError):
        # A damaged object is kept under the name of its part.
        return ""


def _native_stream(data: bytes) -> bytes:
    """Beginning of the stream in which packages keep their file."""
    file = _CompoundFile(data)
    directory = file.join(_number(data, 48))
    root_start = _LAST
    for at in range(0, len(directory) - _ENTRY + 1, _ENTRY):
        entry = directory[at : at + _ENTRY]
        start, size = _number(entry, 116), _number(entry, 120)
        if entry[66] == _ROOT:
            root_start = start
        name = entry[: max(0, _number(entry, 64) % 65_536 - 2)].decode("utf-16-le", "replace")
        if name == _NATIVE:
            long_enough = size >= _number(data, 56)
            found = file.join(start, _ENOUGH) if long_enough else file.join_small(start, root_start)
            return found[:size]
    return b""


class _CompoundFile:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = 1 << data[30]
        self.tables = [number for number in struct.unpack_from("<109I", data, 76) if number < _LAST]

    def sector(self, number: int) -> bytes:
        return self.data[(number + 1) * self.size : (number + 2) * self.size]

    def following(self, number: int) -> int:
        """The sector behind this one in its chain."""
        per_sector = self.size // 4
        return _number(self.sector(self.tables[number // per_sector]), number % per_sector * 4)

    def join(self, start: int, most: int | None = None) -> bytes:
        """A chain of sectors, as far as `most` bytes. A chain that goes round ends with the length of the file."""
        count = (len(self.data) if most is None else most) // self.size + 1
        return b"".join(map(self.sector, _chain(start, self.following, count)))

    def join_small(self, start: int, container_start: int) -> bytes:
        """A chain of the small sectors, which lie in a stream of their own."""
        table = self.join(_number(self.data, 60))
        container = self.join(container_start)
        numbers = _chain(start, lambda number: _number(table, number * 4), _ENOUGH // _SMALL + 1)
        return b"".join(container[number * _SMALL : (number + 1) * _SMALL] for number in numbers)


def _chain(start: int, following: Callable[[int], int], most: int) -> list[int]:
    found: list[int] = []
    while start < _LAST and len(found) < most:
        found.append(start)
        start = following(start)
    return found


def _name_in(stream: bytes) -> str:
    """The label of the package, else the last step of the path from which it was taken."""
    if len(stream) < 8:
        return ""
    label, _, rest = stream[6:].partition(b"\0")
    path = rest.partition(b"\0")[0]
    for raw in (label, path):
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("cp1252", "replace")
        name = text.replace("\\", "/").rpartition("/")[2].strip()
        if name and name.isprintable() and len(name) <= 255:
            return name
    return ""


def _number(data: bytes, at: int) -> int:
    found: int = struct.unpack_from("<I", data, at)[0]
    return found
