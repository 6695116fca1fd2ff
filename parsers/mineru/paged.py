"""The files of a MinerU bundle that go page by page.

`middle_json.json` (4.x) and `<stem>_middle.json` (2.7–3.x, `pdf_info`) hold blocks with typed spans and parts;
`structured_content.json` (4.x) holds blocks with strings; `content_list_v2.json` (3.x) holds pages of items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lrdoc.document import Part, Source, Text
from lrdoc.parsers.mineru.content_list import anchored, bare_code, bare_latex, heading_line, strings
from lrdoc.parsers.mineru.items import CODE, EQUATIONS, HEADINGS, PICTURES, REGIONS, Item, Line
from lrdoc.parsers.mineru.markup import read_markup, read_spans
from lrdoc.parsers.mineru.places import Places
from lrdoc.parsers.services.builder import Place, as_text, numbers

_DEEPEST = 40
"""Of lists in lists; what lies deeper is kept on this level."""


def read_pages(value: Any, file: str, suffix: str, check: Callable[[], None] = lambda: None) -> Iterator[Item]:
    """The items of all pages in order."""
    if not isinstance(value, dict):
        return
    reader = _Reader(file, suffix, typed=file != "structured_content.json")
    old = value.get("pdf_info")
    pages = old if isinstance(old, list) else value.get("pages")
    key = "pdf_info" if isinstance(old, list) else "pages"
    for number, page in enumerate(pages if isinstance(pages, list) else ()):
        check()
        if not isinstance(page, dict):
            continue
        reader.page = page.get("page_idx", number)
        reader.scale = _scale(page) if key == "pdf_info" else (1000.0, 1000.0)
        for name in ("para_blocks", "blocks", "discarded_blocks"):
            blocks = page.get(name)
            for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
                check()
                if isinstance(block, dict):
                    yield from reader.read(block, f"/{key}/{number}/{name}/{index}")


def read_metadata(value: Any) -> dict[str, Any]:
    """What the service found in the properties of the file (4.x)."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    document = metadata.get("document") if isinstance(metadata, dict) else None
    return document if isinstance(document, dict) else {}


def _scale(page: Mapping[str, Any]) -> tuple[float, float]:
    size = numbers(page.get("page_size"), 2)
    if size is None or min(size) <= 0:
        return 1.0, 1.0
    return 1000 / size[0], 1000 / size[1]


class _Reader:
    def __init__(self, file: str, suffix: str, typed: bool) -> None:
        self.file = file
        self.places = Places(file, suffix)
        self.typed = typed
        """Strings are text; else they hold markup."""
        self.page: Any = None
        self.scale = (1.0, 1.0)

    def read(self, block: dict[str, Any], path: str) -> Iterator[Item]:
        place = self.places.place(path, self.page, block.get("bbox"), self.scale)
        ref = f"{self.file}#{path}"
        kind = as_text(block.get("type")).lower()
        if kind in HEADINGS:
            level = block.get("level")
            level = level if type(level) is int and level > 0 else 1
            line = self.parts(block, place.source)
            if not self.typed:
                line = heading_line(as_text(block.get("content")), place.source)
            yield Item("heading", place, ref, (anchored(block, line),), level=level, is_title=kind == "doc_title")
        elif kind in EQUATIONS:
            latex = bare_latex(self.string(block))
            image = self.image(block)
            yield Item("equation", place, ref, body=latex, image=image, captions=self.captions(block, "caption"))
        elif kind in PICTURES or kind == "table" or kind in CODE:
            yield self.item(kind, block, place, ref)
        elif kind in REGIONS:
            yield Item("region", place, ref, self.lines(block, place.source), region=REGIONS[kind])
        else:
            item_kind = "list" if kind == "list" else "text"
            lines = self.lines(block, place.source)
            if lines:
                extras = {"type": kind}
                yield Item("list" if item_kind == "list" else "text", place, ref, lines, extras=extras)
            if image := self.image(block):
                yield Item("picture", place, ref, image=image, extras={"type": kind})

    def item(self, kind: str, block: dict[str, Any], place: Place, ref: str) -> Item:
        """A table, picture or piece of code with what belongs to it."""
        captions, footnotes = self.captions(block, "caption"), self.captions(block, "footnote")
        image = self.image(block)
        body = self.string(block)
        extras = {"sub_type": sub} if (sub := as_text(block.get("sub_type"))) else {}
        if kind == "table":
            return Item(
                "table", place, ref, body=body, image=image, captions=captions, footnotes=footnotes, extras=extras
            )
        if kind in CODE:
            code, language = bare_code(body)
            language = as_text(block.get("guess_lang")) or language
            return Item(
                "code",
                place,
                ref,
                body=code,
                language=language,
                image=image,
                captions=captions,
                footnotes=footnotes,
                extras=extras,
            )
        if kind in ("chart", "seal"):
            extras["type"] = kind
        if body.strip():
            extras["content"] = body
        return Item("picture", place, ref, image=image, captions=captions, footnotes=footnotes, extras=extras)

    def lines(self, block: dict[str, Any], source: Source) -> tuple[Line, ...]:
        """A line for each text in the block; those of nested lists are indented."""
        lines: list[Line] = []
        stack: list[tuple[dict[str, Any], int, str]] = [(block, 0, "")]
        while stack:
            one, depth, label = stack.pop()
            inner = _children(one)
            own = {key: value for key, value in one.items() if not (key in ("content", "blocks") and inner)}
            line = self.parts(own, source)
            if line:
                lines.append((Text("  " * min(max(depth - 1, 0), _DEEPEST) + label), *line))
            nested = depth + 1 if as_text(one.get("type")) in ("list", "index") else depth
            labels = list(_labels(one, inner))
            stack += [(child, nested, label) for child, label in zip(inner[::-1], labels[::-1], strict=True)]
        return tuple(lines)

    def parts(self, block: Mapping[str, Any], source: Source) -> Line:
        """Spans of the block itself."""
        content = block.get("content")
        if isinstance(content, str):
            return (_text(content, source),) if self.typed and content else read_markup(content, source)
        found: list[Part] = list(read_spans(content, source)) if isinstance(content, list) else []
        lines = block.get("lines")
        for line in lines if isinstance(lines, list) else ():
            spans = line.get("spans") if isinstance(line, dict) else None
            more = read_spans(spans, source)
            if more and found and _needs_blank(found[-1], more[0]):
                found.append(Text(" "))
            found += more
        return tuple(found)

    def string(self, block: Mapping[str, Any]) -> str:
        """The body of an item: HTML, LaTeX, code, or words about a picture."""
        found: list[str] = []
        stack: list[Any] = [block]
        while stack:
            one = stack.pop()
            if isinstance(one, str):
                found.append(one)
            elif isinstance(one, list):
                stack += reversed(one)
            elif isinstance(one, dict) and not as_text(one.get("type")).endswith(("_caption", "_footnote")):
                html = as_text(one.get("html"))
                found += [html] if html else []
                stack += [one[key] for key in ("spans", "lines", "blocks") if key in one]
                if not html and "content" in one:
                    stack.append(one["content"])
        return "\n".join(words for words in found if words.strip())

    def captions(self, block: Mapping[str, Any], ending: str) -> tuple[str, ...]:
        found = strings(block.get(f"{ending}s"))
        for child in _children(block):
            if as_text(child.get("type")).endswith(f"_{ending}"):
                line = self.parts(child, Source())
                words = "".join(_plain(part) for part in line).strip()
                found += [words] if words else []
        return tuple(found)

    def image(self, block: Mapping[str, Any]) -> str:
        """The first picture that the block or its parts name."""
        stack: list[Any] = [block]
        while stack:
            one = stack.pop()
            if isinstance(one, list):
                stack += reversed(one)
            elif isinstance(one, dict):
                for key in ("image_path", "image_source", "img_path"):
                    value = one.get(key)
                    value = value.get("path") if isinstance(value, dict) else value
                    if found := as_text(value):
                        return found
                stack += [one[key] for key in ("spans", "lines", "blocks", "content") if key in one]
        return ""


def _children(block: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Blocks inside the block; spans are none."""
    blocks = block.get("blocks")
    if isinstance(blocks, list):
        return [child for child in blocks if isinstance(child, dict)]
    content = block.get("content")
    if not isinstance(content, list):
        return []
    children = [child for child in content if isinstance(child, dict)]
    if any(isinstance(child.get("content"), list) and child.get("type") != "hyperlink" for child in children):
        return children
    if any(as_text(child.get("type")).endswith(("_body", "_caption", "_footnote")) for child in children):
        return children
    return []


def _labels(block: Mapping[str, Any], children: list[dict[str, Any]]) -> Iterator[str]:
    """Labels of the items of a list that does not hold them in its texts (2.7–3.x)."""
    attribute = block.get("attribute")
    number = block.get("start", 1)
    number = number if type(number) is int else 1
    for child in children:
        if attribute not in ("ordered", "unordered") or as_text(child.get("type")) == "list":
            yield ""
        elif attribute == "unordered":
            yield "- "
        else:
            yield f"{number}. "
            number += 1


def _needs_blank(before: Part, after: Part) -> bool:
    """Two lines of a paragraph are joined by a blank, but for scripts that have none, and hyphens."""
    if not isinstance(before, Text) or not isinstance(after, Text):
        return True
    last, first = before.text[-1:], after.text[:1]
    return not (last.isspace() or first.isspace() or (last > "\u2e7f" and first > "\u2e7f"))


def _text(words: str, source: Source) -> Text:
    return Text(words, source)


def _plain(part: Part) -> str:
    if isinstance(part, Text):
        return part.text
    latex = getattr(part, "latex", "")
    return f"${latex}$" if latex else ""
