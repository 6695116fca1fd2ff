"""`content_list.json` of MinerU 2.7 to 3.x: a flat list of items with strings in them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lrdoc.document import Anchor, Source, Text
from lrdoc.parsers.mineru.items import CODE, EQUATIONS, HEADINGS, PICTURES, REGIONS, Item, Line
from lrdoc.parsers.mineru.markup import plain, read_markup
from lrdoc.parsers.mineru.places import Places
from lrdoc.parsers.services.builder import Place, as_text

_WRAPPERS = ("content_list", "content", "items", "result")
_TEXTS = ("text", "content", "body", "code_body")


def find_list(value: Any) -> list[Any] | None:
    """The list of items in the value of a file, which may be wrapped in objects."""
    for _ in range(8):
        if isinstance(value, list):
            return value if any(isinstance(item, dict) for item in value) or not value else None
        if not isinstance(value, dict):
            return None
        value = next((value[key] for key in _WRAPPERS if key in value), None)
    return None


def read_content_list(value: Any, file: str, suffix: str, check: Callable[[], None] = lambda: None) -> Iterator[Item]:
    """The items in order."""
    places = Places(file, suffix)
    for index, item in enumerate(find_list(value) or ()):
        check()
        if not isinstance(item, dict):
            words = as_text(item)
            if words.strip():
                place = places.place(f"/{index}", None, None)
                yield Item("text", place, f"{file}#/{index}", (read_markup(words, place.source),))
            continue
        place = places.place(f"/{index}", item.get("page_idx"), item.get("bbox"))
        yield from _read(item, place, f"{file}#/{index}")


def _read(item: dict[str, Any], place: Place, ref: str) -> Iterator[Item]:
    kind = as_text(item.get("type")).strip().lower()
    level = _level(item)
    if kind in HEADINGS or (level and kind in ("text", "")):
        line = heading_line(_text(item), place.source)
        yield Item("heading", place, ref, (anchored(item, line),), level=level or 1)
    elif kind in PICTURES:
        yield from _picture(item, kind, place, ref)
    elif kind == "table":
        yield _table(item, place, ref)
    elif kind in EQUATIONS:
        yield _equation(item, place, ref)
    elif kind in CODE:
        yield _code(item, place, ref)
    elif kind == "list":
        yield Item("list", place, ref, _list_lines(item, place.source), extras=_sub_type(item))
    elif kind in REGIONS:
        lines = _list_lines(item, place.source)
        yield Item("region", place, ref, lines, region=REGIONS[kind])
    else:
        # Text, and whatever a later version adds: nothing that can be read is left out.
        lines = _list_lines(item, place.source)
        image = as_text(item.get("img_path"))
        captions, footnotes = _strings_like(item, "caption"), _strings_like(item, "footnote")
        if image or captions or footnotes:
            extras = {"type": kind}
            yield Item("picture", place, ref, image=image, captions=captions, footnotes=footnotes, extras=extras)
        if lines:
            yield Item("text", place, ref, lines, extras={"type": kind})


def heading_line(text: str, source: Source) -> Line:
    """A heading without the `#` that some versions write before it."""
    bare = text.lstrip()
    marks = len(bare) - len(bare.lstrip("#"))
    if 0 < marks <= 6 and bare[marks : marks + 1].isspace():
        text = bare[marks:].strip()
    return read_markup(text, source)


def anchored(item: Mapping[str, Any], line: Line) -> Line:
    """The line behind the point that links of the document lead to, when it has one."""
    name = as_text(item.get("anchor"))
    return (Anchor(name), *line) if name and line else line


def _level(item: Mapping[str, Any]) -> int:
    for key in ("text_level", "level"):
        value = item.get(key)
        if type(value) is int and value > 0:
            return value
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 4 and int(value):
            return int(value)
    return 0


def _text(item: Mapping[str, Any]) -> str:
    """All texts of the item, each once."""
    return "\n".join(dict.fromkeys(words for key in _TEXTS if (words := as_text(item.get(key))).strip()))


def _sub_type(item: Mapping[str, Any]) -> dict[str, Any]:
    value = as_text(item.get("sub_type"))
    return {"sub_type": value} if value else {}


def _list_lines(item: Mapping[str, Any], source: Source) -> tuple[Line, ...]:
    lines: list[Line] = []
    if text := _text(item):
        lines.append(read_markup(text, source))
    stack: list[tuple[Any, int]] = [(item.get("list_items"), 0)]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, list):
            stack += [(inner, depth) for inner in reversed(value)]
        elif isinstance(value, dict):
            words = _text(value)
            if words:
                lines.append((Text("  " * min(depth, 20)), *read_markup(words, source)))
            stack += [(value[key], depth + 1) for key in ("list_items", "children", "items") if key in value]
        elif (words := as_text(value)).strip():
            lines.append((Text("  " * min(depth, 20)), *read_markup(words, source)))
    return tuple(lines)


def _strings_like(item: Mapping[str, Any], ending: str) -> tuple[str, ...]:
    """Strings of all fields such as `caption`, `image_caption`, `table_caption`."""
    found: list[str] = []
    for key, value in item.items():
        if key == ending or key == f"{ending}s" or key.endswith((f"_{ending}", f"_{ending}s")):
            found += strings(value)
    return tuple(dict.fromkeys(found))


def strings(value: Any) -> list[str]:
    """All strings in a value, in order, without markup."""
    found: list[str] = []
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += reversed(value)
        elif isinstance(value, dict):
            stack += [value[key] for key in reversed(_TEXTS) if key in value]
        elif (words := as_text(value)).strip():
            found.append(plain(words).strip())
    return found


def _picture(item: dict[str, Any], kind: str, place: Place, ref: str) -> Iterator[Item]:
    extras = _sub_type(item)
    if kind in ("chart", "seal"):
        extras["type"] = kind
    if words := _text(item):
        extras["content"] = words
    image = as_text(item.get("img_path")) or as_text(item.get("image_path"))
    captions, footnotes = _strings_like(item, "caption"), _strings_like(item, "footnote")
    if kind == "seal" and not (image or extras.get("content") or captions or footnotes):
        return
    yield Item("picture", place, ref, image=image, captions=captions, footnotes=footnotes, extras=extras)


def _table(item: dict[str, Any], place: Place, ref: str) -> Item:
    body = next((item[key] for key in ("rows", "table_body", "html", "text", "content") if item.get(key)), "")
    if isinstance(body, str) and body.lstrip()[:1] in ("[", "{"):
        with contextlib.suppress(ValueError, RecursionError):
            body = json.loads(body)
    if isinstance(body, dict):
        body = next((body[key] for key in ("grid", "rows", "cells") if isinstance(body.get(key), list)), "")
    header_rows = 0
    if isinstance(body, list):
        body = [_cells(row) for row in body]
        header = item.get("header")
        above = [_cells(row) for row in header] if isinstance(header, list) else []
        if above and body[: len(above)] != above:
            body = above + body
        header_rows = len(above)
    return Item(
        "table",
        place,
        ref,
        body=body if isinstance(body, list) else as_text(body),
        header_rows=header_rows,
        image=as_text(item.get("img_path")),
        captions=_strings_like(item, "caption"),
        footnotes=_strings_like(item, "footnote"),
        extras=_sub_type(item),
    )


def _cells(row: Any) -> list[str]:
    cells = row if isinstance(row, list) else [row]
    return [" ".join(strings(cell)) if isinstance(cell, list | dict) else as_text(cell) for cell in cells]


def _equation(item: dict[str, Any], place: Place, ref: str) -> Item:
    inline = as_text(item.get("text_format")) in ("inline", "inline_equation")
    return Item(
        "inline_equation" if inline else "equation",
        place,
        ref,
        body=bare_latex(_text(item)),
        image=as_text(item.get("img_path")),
        captions=_strings_like(item, "caption"),
        footnotes=_strings_like(item, "footnote"),
    )


def bare_latex(text: str) -> str:
    """The formula without its delimiters."""
    text = text.strip()
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("$", "$"), ("\\(", "\\)")):
        if len(text) >= len(opening) + len(closing) and text.startswith(opening) and text.endswith(closing):
            return text[len(opening) : len(text) - len(closing)].strip()
    return text


def bare_code(text: str) -> tuple[str, str]:
    """Code without the fences around it, and the language that they name."""
    lines = text.strip("\n").split("\n")
    fence = lines[0].strip()
    ticks = len(fence) - len(fence.lstrip("`"))
    if ticks >= 3 and len(lines) > 1 and lines[-1].strip() == "`" * ticks:
        return "\n".join(lines[1:-1]), fence[ticks:].strip()
    return text, ""


def _code(item: dict[str, Any], place: Place, ref: str) -> Item:
    body, language = bare_code(_text(item))
    return Item(
        "code",
        place,
        ref,
        body=body,
        language=as_text(item.get("guess_lang")) or as_text(item.get("code_language")) or language,
        image=as_text(item.get("img_path")),
        captions=_strings_like(item, "caption"),
        footnotes=_strings_like(item, "footnote"),
        extras=_sub_type(item),
    )
