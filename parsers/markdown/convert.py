"""Text of one markdown document to a Document; where the text and its pictures come from is the caller's business."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lrdoc.document import Document, ParseWarning, Source
from lrdoc.errors import EmptyDocumentError
from lrdoc.parsers.base import ParseContext
from lrdoc.parsers.markdown import frontmatter
from lrdoc.parsers.markdown.blocks import Mapper
from lrdoc.parsers.markdown.fragments import Fragments
from lrdoc.parsers.markdown.grammar import MAX_NESTING, make_grammar
from lrdoc.parsers.markdown.images import Files, Pictures, Remote
from lrdoc.parsers.markdown.inlines import Inlines
from lrdoc.parsers.markdown.settings import MarkdownSettings

_MAX_SAME = 50
"""Warnings of one kind that are listed one by one."""


class Warnings:
    """Collects warnings; many of one kind end in a count."""

    def __init__(self) -> None:
        self._list: list[ParseWarning] = []
        self._counts: Counter[str] = Counter()

    def add(self, code: str, message: str, source: Source | None = None) -> None:
        self._counts[code] += 1
        if self._counts[code] <= _MAX_SAME:
            self._list.append(ParseWarning(code, message, source))

    def all(self) -> tuple[ParseWarning, ...]:
        rest = [
            ParseWarning(code, f"{count - _MAX_SAME} more warnings of this kind are not listed.")
            for code, count in self._counts.items()
            if count > _MAX_SAME
        ]
        return (*self._list, *rest)


def convert(
    text: str,
    *,
    format: str,
    stem: str,
    params: Mapping[str, Any],
    context: ParseContext,
    settings: MarkdownSettings,
    warnings: Warnings,
    files: Files | None,
    remote: Remote | None,
    no_files: str,
    part: str = "",
    attributes: Mapping[str, Any] | None = None,
) -> Document:
    """Parse the text. `part` is the name of the file inside a package, for provenance."""
    if params.get("smart_heading"):
        warnings.add(
            "parameter_ignored",
            "smart_heading is for docx: headings of markdown are marked as such. It was ignored.",
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    matter = frontmatter.read(text)
    if matter.problem:
        warnings.add(
            "front_matter_unreadable",
            f"The front matter cannot be read and is kept as it is, as the attribute front_matter: {matter.problem}.",
            Source(part, lines=(1, matter.lines + 1)),
        )
    body = _after_lines(text, matter.lines)
    pictures = Pictures(context.assets, settings, warnings.add, files=files, remote=remote, no_files=no_files)
    md = make_grammar(context.check, inline_math=params.get("inline_math") is not False)
    env: dict[str, Any] = {}
    fragments = Fragments(pictures, _renderer(env), context.check)
    inlines = Inlines(md, env, fragments)
    mapper = Mapper(inlines, fragments, pictures, warnings.add, context.check, first_line=matter.lines + 1, part=part)
    tokens: list[Token] = []
    if body:
        md.block.parse(body, md, env, tokens)
    blocks = mapper.run(tokens)
    if pictures.switched_off:
        warnings.add(
            "pictures_switched_off",
            f"{pictures.switched_off} external picture(s) were left out because NATIVE_MD_IMAGE_DOWNLOAD_ENABLED "
            "is false; their alternative text stays.",
        )
    if not blocks and not matter.values:
        raise EmptyDocumentError("The document holds no text", hint="Check that this is the right file.")
    title = matter.values.get("title")
    found = {**matter.values, **(attributes or {})}
    return Document(
        format=format,
        title=_title(title) or mapper.first_title or mapper.first_heading or stem,
        blocks=blocks,
        attributes=found,
        warnings=warnings.all(),
    )


def _title(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = " ".join(str(word) for word in value)
    return " ".join(str(value).split()) if value is not None and not isinstance(value, bool | dict) else ""


def _after_lines(text: str, count: int) -> str:
    pos = 0
    for _ in range(count):
        end = text.find("\n", pos)
        if end < 0:
            return ""
        pos = end + 1
    return text[pos:]


def _renderer(env: Mapping[str, Any]) -> Any:
    """Renders markdown that stands in the cells of an HTML table, with the document's link definitions."""
    made: list[MarkdownIt] = []

    def render(html: str) -> str:
        if not made:
            md = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING, "html": True})
            md.enable(["table", "strikethrough"])
            md.normalizeLink = lambda url: url  # type: ignore[method-assign]
            md.validateLink = lambda url: True  # type: ignore[method-assign]
            made.append(md)
        return str(made[0].render(html, {"references": env.get("references", {})}))

    return render
