"""Changes to packages: their parts are changed one by one and packed again, so that check sums are right."""

from __future__ import annotations

import io
import random
import zipfile

from xml_mutations import mutate_bytes, mutate_xml


def unpack(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}


def pack(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content)
    return buffer.getvalue()


def mutate_package(data: bytes, rng: random.Random, main: str) -> bytes:
    """A package with one to three changed parts, most often the main one; at times a change to the package itself."""
    entries = unpack(data)
    xml = [name for name in entries if name.endswith((".xml", ".rels", ".vml"))]
    content = [name for name in xml if not name.endswith(".rels") and name != "[Content_Types].xml"]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if main in entries and rng.random() < 0.6:
            name = main
        elif content and rng.random() < 0.85:
            name = rng.choice(content)
        else:
            name = rng.choice(xml)
        entries[name] = mutate_xml(entries[name], rng, rng.choice((1, 1, 2, 3, 6, 15)))
    if rng.random() < 0.12:
        entries = _change_package(entries, rng)
    packed = pack(entries)
    return mutate_bytes(packed, rng) if rng.random() < 0.02 else packed


def _change_package(entries: dict[str, bytes], rng: random.Random) -> dict[str, bytes]:
    names = list(entries)
    name, other = rng.choice(names), rng.choice(names)
    kind = rng.randrange(5)
    if kind == 0:
        del entries[name]
    elif kind == 1:
        entries[name], entries[other] = entries[other], entries[name]
    elif kind == 2:
        entries[name] = b""
    elif kind == 3:
        entries[name] = entries[other]
    else:
        entries[name] = mutate_bytes(entries[name], rng)
    return entries
