"""One HTML page that shows what a chunking strategy does: every chunk in a box, its details on hover."""

from __future__ import annotations

import json
import mimetypes
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from lrdoc.chunkers.base import Chunk
from lrdoc.export.html_tables import clean_html
from lrdoc.export.math import to_mathml
from lrdoc.sidecar.escape import unescape

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
.chunk { border-left: 6px solid #7aa6d8; margin: 1.2em 0; padding: 0 0 0 1em; position: relative; }
.chunk:nth-of-type(even) { border-color: #d8a67a; }
.chunk:hover { background: #f6f8fb; }
.badge { font-size: 0.75em; color: #666; border-bottom: 1px dashed #bbb; display: block; }
.repeat { background: #fdf3d0; }
.summary { color: #555; }
"""
_ITEM = re.compile(
    r'<table\b(?P<table>(?:[^<>"]|"[^"]*")*)>(?P<body>.*?)</table>'
    r'|<equation\b(?P<equation>(?:[^<>"]|"[^"]*")*)>(?P<latex>.*?)</equation>'
    r'|<drawing\b(?P<drawing>(?:[^<>"]|"[^"]*")*)/?>'
    r'|<cite\b(?:[^<>"]|"[^"]*")*>(?P<cited>.*?)</cite>'
    r"|<(?P<script>/?su[bp])>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')

Describe = Callable[[Chunk], str]
"""The details of a chunk as plain text, shown on hover."""


def render_chunks(
    title: str, chunks: Sequence[Chunk], summary: Sequence[str], describe: Describe, assets: Path | None
) -> Iterator[str]:
    """The page, piece by piece. `assets`: the folder of the pictures, None when there is none."""
    style = (Path(__file__).parent / "page.css").read_text("utf-8")
    yield (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>\n'
        f"<style>\n{style}{_STYLE}</style>\n</head>\n<body>\n"
    )
    yield "".join(f'<p class="summary">{escape(line)}</p>\n' for line in summary)
    before = 0
    for chunk in chunks:
        yield _box(chunk, before, describe, assets)
        before = chunk.spans[-1][1] if chunk.spans else before
    yield "</body>\n</html>\n"


def _box(chunk: Chunk, before: int, describe: Describe, assets: Path | None) -> str:
    path = " › ".join(chunk.heading.path()) if chunk.heading is not None else ""
    badge = " · ".join(word for word in (f"#{chunk.chunk_order_index}", f"{chunk.tokens} tokens", path) if word)
    content = chunk.content
    repeated = before - chunk.spans[0][0] if chunk.spans else 0
    head = ""
    if 0 < repeated < len(content) and not chunk.inserts and "<" not in content[:repeated]:
        shown = _render(content[:repeated], assets)
        head = f'<div class="repeat" title="also in the chunk before">{shown}</div>\n'
        content = content[repeated:]
    return (
        f'<section class="chunk" title="{escape(describe(chunk))}">\n<span class="badge">{escape(badge)}</span>\n'
        f"{head}{_render(content, assets)}</section>\n"
    )


def _render(content: str, assets: Path | None) -> str:
    """Lines become paragraphs and headings; items are shown as what they are, broken tags as text."""
    lines: list[str] = []
    line: list[str] = []
    place = 0

    def text(words: str) -> None:
        first, *more = words.split("\n")
        line.append(escape(unescape(first), quote=False))
        for word in more:
            lines.append("".join(line))
            line[:] = [escape(unescape(word), quote=False)]

    for found in _ITEM.finditer(content):
        text(content[place : found.start()])
        place = found.end()
        line.append(_item(found, assets))
    text(content[place:])
    lines.append("".join(line))
    return "".join(_paragraph(line) for line in lines if line.strip())


def _paragraph(line: str) -> str:
    marks = re.match(r"(#{1,6}) ", line)
    if marks is not None:
        level = len(marks[1])
        return f"<h{level}>{line[level + 1 :]}</h{level}>\n"
    if line.lstrip().startswith(("<table", "<figure", '<div class="equation"')):
        return line + "\n"
    return f"<p>{line}</p>\n"


def _item(found: re.Match[str], assets: Path | None) -> str:
    if found["table"] is not None:
        return _table(found["body"], found[0])
    if found["equation"] is not None:
        is_block = 'id="' in found["equation"]
        shown = to_mathml(unescape(found["latex"]), block=is_block)
        return f'<div class="equation">{shown}</div>' if is_block else shown
    if found["drawing"] is not None:
        return _drawing(dict(_ATTRIBUTE.findall(found["drawing"])), assets)
    if found["cited"] is not None:
        return escape(unescape(found["cited"]), quote=False)
    return f"<{found['script']}>"


def _table(body: str, whole: str) -> str:
    if not body.lstrip().startswith("["):
        return clean_html(f"<table>{body}</table>")
    try:
        rows = json.loads(body)
    except (ValueError, RecursionError):
        return escape(whole, quote=False)
    cells = (row if isinstance(row, list) else [row] for row in rows)
    lines = (
        "<tr>" + "".join(f"<td>{escape(unescape(str(cell)), quote=False)}</td>" for cell in row) + "</tr>"
        for row in cells
    )
    return f"<table>{''.join(lines)}</table>"


def _drawing(attributes: dict[str, str], assets: Path | None) -> str:
    caption = escape(unescape(attributes.get("caption", "")), quote=False)
    name = attributes.get("path", "").rpartition("/")[2]
    media = mimetypes.guess_type(name)[0] or ""
    path = assets / name if assets is not None and name else None
    if path is None or not media.startswith("image/") or not path.is_file():
        return f"<figure>[picture {escape(name)}]<figcaption>{caption}</figcaption></figure>"
    data = b64encode(path.read_bytes()).decode()
    return f'<figure><img src="data:{media};base64,{data}" alt=""><figcaption>{caption}</figcaption></figure>'
