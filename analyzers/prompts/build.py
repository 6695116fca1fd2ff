"""Builds the request for one item, within the budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lrdoc.analyzers.base import DRAWINGS, IMAGE_TYPES, TABLES, Item
from lrdoc.analyzers.prompts import templates
from lrdoc.analyzers.rows import json_rows, json_text
from lrdoc.analyzers.settings import AnalysisSettings
from lrdoc.analyzers.surroundings import Surrounding
from lrdoc.analyzers.trim import cut_text, trim_content
from lrdoc.llm.base import Image, Request, form_in_words
from lrdoc.sidecar.escape import unescape
from lrdoc.text.tokens import Tokenizer

RESERVE_TOKENS = 256
"""Kept free for what the protocol adds around a prompt."""
NONE = "n/a"
_SLACK = 64
"""Tokens by which the whole may be more than the sum of its parts."""
_SHARE = 8
"""Heading path, caption, notes and column heads get no more than this part of the budget each."""
_MARK = re.compile(r"\[(im|tb|eq)-[0-9a-zA-Z_.-]+-\d{4,}\]")
_MARK_WORDS = {"im": "[picture]", "tb": "[table]", "eq": "[equation]"}

_TEXT = {"type": "string"}


def schema_for(item: Item) -> dict[str, Any]:
    """JSON schema of the answer."""
    properties: dict[str, Any] = dict.fromkeys(item.kind.fields, _TEXT)
    if "type" in properties:
        properties["type"] = {"type": "string", "enum": list(IMAGE_TYPES)}
    return {
        "type": "object",
        "properties": properties,
        "required": list(item.kind.fields),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request, and whether it had to be shortened."""

    request: Request
    trimmed: bool
    tokenizer: Tokenizer

    def count_tokens(self) -> int:
        """Tokens of the texts, without pictures."""
        return self.tokenizer.count(self.request.system) + self.tokenizer.count(self.request.text)


def build_prompt(
    item: Item,
    surrounding: Surrounding,
    settings: AnalysisSettings,
    tokenizer: Tokenizer,
    images: tuple[Image, ...] = (),
) -> Prompt:
    """The question about one item. Raises ItemFailure when the budget leaves too little for the item itself."""
    cap = settings.max_input_tokens
    count = tokenizer.count
    system = templates.SYSTEM.format(language=settings.language)
    schema = schema_for(item)
    # A service without schemas is told of the form in the text.
    fixed = count(system) + count(form_in_words(schema))
    fill = _filler(item, surrounding, cap // _SHARE if cap > 0 else None, tokenizer)
    content = _content(item)
    text = fill(content)
    trimmed = False
    if cap > 0 and _is_over(cap - fixed, text, surrounding, tokenizer):
        if item.kind is DRAWINGS:
            fill = _filler(item, _nearer(item, surrounding, fixed, cap, tokenizer), cap // _SHARE, tokenizer)
            text = fill("")
        else:
            budget = cap - fixed - count(fill("")) - RESERVE_TOKENS
            if budget <= 0 or budget < settings.min_content_tokens:
                raise item.failure(
                    f"the prompt leaves {max(budget, 0)} tokens for the item, fewer than MM_EXTRACT_CONTENT_MIN_TOKENS "
                    f"({settings.min_content_tokens}); raise MAX_EXTRACT_INPUT_TOKENS ({cap}) or lower "
                    "SURROUNDING_LEADING_MAX_TOKENS and SURROUNDING_TRAILING_MAX_TOKENS"
                )
            text = fill(trim_content(content, budget, tokenizer))
        trimmed = True
        if fixed + count(text) > cap:
            raise item.failure(
                f"the prompt has {fixed + count(text)} tokens after trimming, more than MAX_EXTRACT_INPUT_TOKENS "
                f"({cap})"
            )
    request = Request(
        text=text,
        system=system,
        images=images,
        schema=schema,
        schema_name=item.kind.name,
        purpose=item.kind.name,
    )
    return Prompt(request, trimmed, tokenizer)


def _is_over(room: int, text: str, surrounding: Surrounding, tokenizer: Tokenizer) -> bool:
    """Whether a text has more tokens than there is room for. Mostly it is enough to count what is not counted yet."""
    if surrounding.most_tokens is None:
        return tokenizer.count(text) > room
    around = surrounding.most_tokens + _SLACK
    rest = text
    for piece in (surrounding.leading, surrounding.trailing):
        plain = _plain(piece).strip()
        if plain:
            rest = rest.replace(plain, "", 1)
    return tokenizer.count(rest) + around > room and tokenizer.count(text) > room


def _nearer(item: Item, surrounding: Surrounding, fixed: int, cap: int, tokenizer: Tokenizer) -> Surrounding:
    """Surroundings that leave the question about a picture within the budget."""
    bare = tokenizer.count(_filler(item, Surrounding(), cap // _SHARE, tokenizer)(""))
    half = max(cap - fixed - bare - RESERVE_TOKENS // 4, 0) // 2
    return Surrounding(
        cut_text(surrounding.leading, half, tokenizer, from_end=True), cut_text(surrounding.trailing, half, tokenizer)
    )


def _content(item: Item) -> str:
    """The item as the model is to see it: what the document says, not how it is stored."""
    if item.kind is TABLES and item.data.get("format") == "json":
        rows = json_rows(_inside_tag(item.content))
        if rows is not None:
            return "[" + ",\n".join(_row(row) for row in rows) + "]"
    return _plain(item.content)


def _inside_tag(text: str) -> str:
    """The body of a table that was stored with its tag around it."""
    text = text.strip()
    if text.startswith("<table") and text.endswith("</table>"):
        return text[text.index(">") + 1 : -len("</table>")]
    return text


def _row(row: list[Any]) -> str:
    return json_text([_plain(cell if isinstance(cell, str) else json_text(cell)) for cell in row])


def _plain(text: str) -> str:
    """Unescaped, and with a word for each item that stands in a cell: its id says nothing and differs in a copy."""
    return _MARK.sub(lambda mark: _MARK_WORDS[mark.group(1)], unescape(text))


def _header(item: Item) -> str:
    header = item.data.get("table_header")
    if not isinstance(header, str) or not header.strip():
        return NONE
    rows = json_rows(header) if item.data.get("format") == "json" else None
    return ", ".join(map(_row, rows)) if rows is not None else _plain(header)


def _filler(item: Item, surrounding: Surrounding, share: int | None, tokenizer: Tokenizer) -> Callable[[str], str]:
    def short(text: str) -> str:
        return text if share is None else cut_text(text, share, tokenizer)

    slots: Mapping[str, str] = {
        "headings": short(" › ".join(item.headings)) or NONE,
        "caption": short(_plain(item.caption)) or NONE,
        "footnotes": short("; ".join(map(_plain, item.footnotes))) or NONE,
        "leading": _plain(surrounding.leading).strip() or NONE,
        "trailing": _plain(surrounding.trailing).strip() or NONE,
    }
    if item.kind is DRAWINGS:
        template, more = templates.DRAWING, {"types": ", ".join(IMAGE_TYPES)}
    elif item.kind is TABLES:
        form = str(item.data.get("format"))
        more = {"format": templates.FORMATS.get(form, form), "header": short(_header(item))}
        template = templates.TABLE
    else:
        template, more = templates.EQUATION, {}
    return lambda content: template.format(**slots, **more, content=content)
