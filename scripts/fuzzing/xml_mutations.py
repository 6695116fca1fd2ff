"""Changes to XML that keep it well-formed, and a few that do not."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from lxml import etree

VALUES = (
    "",
    "0",
    "1",
    "-1",
    "2",
    "9",
    "63",
    "1000",
    "32768",
    "2147483647",
    "-2147483648",
    "99999999999999999999",
    "1e9",
    "0x10",
    "abc",
    "NaN",
    "true",
    "off",
    "restart",
    "continue",
    "begin",
    "end",
    "separate",
    "nil",
    " ",
    "🙂",
    "\u202e",
    "a" * 5000,
    "rId1",
    "rId2",
    "NULL",
    "../NULL",
    "#",
    "Heading1",
    "Title",
    "Caption",
    "TOC1",
    "page",
    "%1.%2.%3",
    "chineseCounting",
)
TEXTS = (
    "",
    " ",
    "\n",
    "x" * 20_000,
    "_x000D_",
    "_xD800_",
    "\ufeff",
    "\u202e\u202d",
    "𝒳🙂",
    "[^1] [\\^2]",
    "{{TBL:tb1}}",
    '<table id="tb-1">',
    "</table>",
    "&lt;table&amp;",
    "Table 1: x",
    "Figure 9",
    'HYPERLINK "x"',
    "TOC \\o",
    "SEQ a",
    "]]>",
    "\\",
    "{",
    "}",
    "$$",
    "%",
    "# h",
)
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, remove_comments=False)


def mutate_xml(data: bytes, rng: random.Random, times: int) -> bytes:
    """XML after some changes; data that is no XML comes back with changed bytes."""
    try:
        root = etree.fromstring(data, _PARSER)
    except (etree.XMLSyntaxError, ValueError):
        return mutate_bytes(data, rng)
    for _ in range(times):
        change = rng.choices(_CHANGES, _WEIGHTS)[0]
        elements = [element for element in root.iter() if isinstance(element.tag, str)]
        change(elements, rng)
    result: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    if rng.random() < 0.03:
        return mutate_bytes(result, rng)
    if rng.random() < 0.02:
        return _with_doctype(result, rng)
    return result


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes cut off, changed, doubled or put in."""
    changed = bytearray(data)
    if not changed:
        return b"<"
    at = rng.randrange(len(changed))
    kind = rng.randrange(5)
    if kind == 0:
        del changed[at:]
    elif kind == 1:
        for _ in range(rng.randint(1, 8)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    elif kind == 2:
        changed[at:at] = rng.randbytes(rng.randint(1, 50))
    elif kind == 3:
        end = min(len(changed), at + rng.randint(1, 400))
        changed[at:at] = changed[at:end] * rng.randint(1, 5)
    else:
        del changed[at : at + rng.randint(1, 200)]
    return bytes(changed)


def _with_doctype(data: bytes, rng: random.Random) -> bytes:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, rng.randint(2, 10)))
    head = f'<!DOCTYPE x [<!ENTITY e0 "lol"><!ENTITY f SYSTEM "file:///etc/passwd">{entities}]>'.encode()
    at = data.find(b"?>") + 2
    changed = data[:at] + head + data[at:]
    return changed.replace(b"</", b"&e1;&f;</", rng.randint(1, 3))


def _parented(elements: list[Any], rng: random.Random) -> Any | None:
    inner = [element for element in elements[1:] if element.getparent() is not None]
    return rng.choice(inner) if inner else None


def _remove(elements: list[Any], rng: random.Random) -> None:
    element = _parented(elements, rng)
    if element is not None:
        element.getparent().remove(element)


def _double(elements: list[Any], rng: random.Random) -> None:
    element = _parented(elements, rng)
    if element is not None:
        for _ in range(rng.choice((1, 1, 1, 2, 5, 40))):
            if _size(element) < 2000:
                element.addnext(deepcopy(element))


def _move(elements: list[Any], rng: random.Random) -> None:
    element, target = _parented(elements, rng), rng.choice(elements)
    if element is not None and target is not element and not _is_inside(target, element):
        target.insert(rng.randint(0, len(target)), element)


def _copy_elsewhere(elements: list[Any], rng: random.Random) -> None:
    element, target = _parented(elements, rng), rng.choice(elements)
    if element is not None and _size(element) < 2000:
        target.insert(rng.randint(0, len(target)), deepcopy(element))


def _wrap(elements: list[Any], rng: random.Random) -> None:
    element = _parented(elements, rng)
    if element is None:
        return
    for _ in range(rng.choice((1, 1, 2, 10, 60))):
        wrapper = etree.Element(rng.choice(elements).tag)
        element.addprevious(wrapper)
        wrapper.append(element)


def _unwrap(elements: list[Any], rng: random.Random) -> None:
    element = _parented(elements, rng)
    if element is not None:
        for child in list(element):
            element.addprevious(child)
        element.getparent().remove(element)


def _rename(elements: list[Any], rng: random.Random) -> None:
    rng.choice(elements).tag = rng.choice(elements).tag


def _set_attribute(elements: list[Any], rng: random.Random) -> None:
    having = [element for element in elements if element.attrib]
    if having:
        element = rng.choice(having)
        element.set(rng.choice(list(element.attrib)), rng.choice(VALUES))


def _take_attribute(elements: list[Any], rng: random.Random) -> None:
    """Give an attribute the value that one of the same name has elsewhere."""
    having = [element for element in elements if element.attrib]
    if having:
        element = rng.choice(having)
        key = rng.choice(list(element.attrib))
        values = [other.get(key) for other in having if other.get(key) is not None]
        element.set(key, rng.choice(values))


def _drop_attribute(elements: list[Any], rng: random.Random) -> None:
    having = [element for element in elements if element.attrib]
    if having:
        element = rng.choice(having)
        del element.attrib[rng.choice(list(element.attrib))]


def _set_text(elements: list[Any], rng: random.Random) -> None:
    having = [element for element in elements if element.text] or elements
    rng.choice(having).text = rng.choice(TEXTS)


def _comment(elements: list[Any], rng: random.Random) -> None:
    target = rng.choice(elements)
    node = etree.Comment("c") if rng.random() < 0.5 else etree.ProcessingInstruction("p", "i")
    target.insert(rng.randint(0, len(target)), node)


def _size(element: Any) -> int:
    return sum(1 for _ in element.iter())


def _is_inside(element: Any, outer: Any) -> bool:
    return any(ancestor is outer for ancestor in element.iterancestors())


_CHANGES: tuple[Callable[[list[Any], random.Random], None], ...] = (
    _remove,
    _double,
    _move,
    _copy_elsewhere,
    _wrap,
    _unwrap,
    _rename,
    _set_attribute,
    _take_attribute,
    _drop_attribute,
    _set_text,
    _comment,
)
_WEIGHTS = (4, 3, 4, 4, 3, 2, 3, 6, 3, 3, 3, 1)
