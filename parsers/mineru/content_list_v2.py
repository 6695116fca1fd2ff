"""`content_list_v2.json` of MinerU 3.x: pages of items with typed spans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lrdoc.document import Part, Source, Text
from lrdoc.parsers.mineru.content_list import bare_code, strings
from lrdoc.parsers.mineru.items import CODE, EQUATIONS, HEADINGS, PICTURES, REGIONS, Item, Kind, Line
from lrdoc.parsers.mineru.markup import read_spans
from lrdoc.parsers.mineru.places import Places
from lrdoc.parsers.services.builder import Place, as_text

_DEEPEST = 40
_NO_TEXT = frozenset({"caption", "footnote", "source", "path"})


def read_content_list_v2(
    value: Any, file: str, suffix: str, check: Callable[[], None] = lambda: None
) -> Iterator[Item]:
    """The items of all pages in order."""
    places = Places(file, suffix)
    for number, page in enumerate(value if isinstance(value, list) else ()):
        for index, item in enumerate(page if isinstance(page, list) else ()):
            check()
            if not isinstance(item, dict):
                continue
            content = item.get("content")
            content = content if isinstance(content, dict) else {"text_content": content}
            path = f"/{number}/{index}"
            place = places.place(path, item.get("page_idx", number), item.get("bbox"))
            yield _read(as_text(item.get("type")).lower(), content, place, f"{file}#{path}")


def _read(kind: str, content: dict[str, Any], place: Place, ref: str) -> Item:
    source = place.source
    captions = tuple(words for key, value in content.items() if key.endswith("_caption") for words in _words(value))
    footnotes = tuple(words for key, value in content.items() if key.endswith("_footnote") for words in _words(value))
    picture = next((value for key, value in content.items() if key.endswith("image_source")), None)
    image = as_text(picture.get("path")) if isinstance(picture, Mapping) else as_text(picture)
    extras: dict[str, Any] = {}
    if kind in HEADINGS:
        level = content.get("level")
        return Item("heading", place, ref, (_spans(content, source),), level=level if type(level) is int else 1)
    if kind == "table":
        html = as_text(content.get("html"))
        return Item("table", place, ref, body=html, image=image, captions=captions, footnotes=footnotes)
    if kind in PICTURES:
        if words := as_text(content.get("content")):
            extras["content"] = words
        if kind != "image":
            extras["type"] = kind
        return Item("picture", place, ref, image=image, captions=captions, footnotes=footnotes, extras=extras)
    if kind in EQUATIONS:
        return Item("equation", place, ref, body=as_text(content.get("math_content")).strip(), image=image)
    if kind in CODE:
        body, language = bare_code("".join(_texts(content)))
        language = as_text(content.get("code_language")) or language
        return Item("code", place, ref, body=body, language=language, captions=captions, footnotes=footnotes)
    lines = _list_lines(content, source)
    if line := _spans(content, source):
        lines = (line, *lines)
    if kind in REGIONS:
        return Item("region", place, ref, lines, region=REGIONS[kind])
    of_list: Kind = "list" if "list_items" in content else "text"
    return Item(of_list, place, ref, lines, extras={"type": kind})


def _spans(content: Mapping[str, Any], source: Source) -> Line:
    parts: list[Part] = []
    for key, value in content.items():
        name = key.rpartition("_")[2]
        if name == "content" and key != "math_content":
            parts += read_spans(value, source)
    return tuple(parts)


def _texts(content: Mapping[str, Any]) -> Iterator[str]:
    for key, value in content.items():
        if key.endswith("content") and key.rpartition("_")[2] not in _NO_TEXT:
            for part in read_spans(value, Source()):
                yield part.text if isinstance(part, Text) else getattr(part, "latex", "")


def _words(value: Any) -> list[str]:
    if isinstance(value, list) and any(isinstance(span, dict) and "type" in span for span in value):
        words = "".join(
            part.text if isinstance(part, Text) else f"${getattr(part, 'latex', '')}$"
            for part in read_spans(value, Source())
        ).strip()
        return [words] if words else []
    return strings(value)


def _list_lines(content: Mapping[str, Any], source: Source) -> tuple[Line, ...]:
    lines: list[Line] = []
    stack: list[Any] = [content.get("list_items")]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack += reversed(item)
        elif isinstance(item, dict):
            level = item.get("ilevel")
            indent = "  " * min(max(level if type(level) is int else 0, 0), _DEEPEST)
            prefix = as_text(item.get("prefix"))
            line = read_spans(item.get("item_content"), source)
            if line:
                lines.append((Text(indent), *((Text(prefix, source), Text(" ")) if prefix else ()), *line))
            stack += [item[key] for key in ("list_items", "children") if key in item]
        elif words := as_text(item):
            lines.append((Text(words, source),))
    return tuple(lines)
