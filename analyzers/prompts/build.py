"""Builds the request for one item, within the budget of tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lrdoc.analyzers.base import DRAWINGS, IMAGE_TYPES, TABLES, Item
from lrdoc.analyzers.prompts import templates
from lrdoc.analyzers.settings import AnalysisSettings
from lrdoc.analyzers.surroundings import Surrounding
from lrdoc.analyzers.trim import trim_content
from lrdoc.llm.base import Image, Request
from lrdoc.sidecar.escape import unescape
from lrdoc.text.tokens import Tokenizer

RESERVE_TOKENS = 256
"""Kept free for what the protocol adds around a prompt."""
NONE = "n/a"

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
    """A request, and what it costs."""

    request: Request
    tokens: int
    """Tokens of the text, without pictures."""
    trimmed: bool


def build_prompt(
    item: Item,
    surrounding: Surrounding,
    settings: AnalysisSettings,
    tokenizer: Tokenizer,
    images: tuple[Image, ...] = (),
) -> Prompt:
    """The question about one item. Raises ItemFailure when the budget leaves too little for the item itself."""
    fill = _filler(item, surrounding, settings)
    system = templates.SYSTEM.format(language=settings.language)
    content = _content(item)
    text = fill(content)
    tokens = tokenizer.count(system) + tokenizer.count(text)
    trimmed = False
    cap = settings.max_input_tokens
    if cap > 0 and tokens > cap and item.kind is not DRAWINGS:
        frame = tokenizer.count(system) + tokenizer.count(fill(""))
        budget = cap - frame - RESERVE_TOKENS
        if budget <= 0 or budget < settings.min_content_tokens:
            raise item.failure(
                f"the prompt leaves {max(budget, 0)} tokens for the item, fewer than MM_EXTRACT_CONTENT_MIN_TOKENS "
                f"({settings.min_content_tokens}); raise MAX_EXTRACT_INPUT_TOKENS ({cap}) or lower "
                "SURROUNDING_LEADING_MAX_TOKENS and SURROUNDING_TRAILING_MAX_TOKENS"
            )
        text = fill(trim_content(content, budget, tokenizer))
        tokens = tokenizer.count(system) + tokenizer.count(text)
        trimmed = True
        if tokens > cap:
            raise item.failure(
                f"the prompt has {tokens} tokens after trimming, more than MAX_EXTRACT_INPUT_TOKENS ({cap})"
            )
    request = Request(
        text=text,
        system=system,
        images=images,
        schema=schema_for(item),
        schema_name=item.kind.name,
        purpose=item.kind.name,
    )
    return Prompt(request, tokens, trimmed)


def _content(item: Item) -> str:
    if item.kind is TABLES and item.data.get("format") == "json":
        # Cells are stored escaped; the model is to see what the document says.
        try:
            rows = json.loads(item.content)
        except ValueError:
            return item.content
        if isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            return (
                "[" + ",\n".join(json.dumps([unescape(str(c)) for c in row], ensure_ascii=False) for row in rows) + "]"
            )
    return item.content


def _filler(item: Item, surrounding: Surrounding, settings: AnalysisSettings) -> Callable[[str], str]:
    slots: Mapping[str, str] = {
        "headings": " › ".join(item.headings) or NONE,
        "caption": item.caption or NONE,
        "footnotes": "; ".join(item.footnotes) or NONE,
        "leading": unescape(surrounding.leading).strip() or NONE,
        "trailing": unescape(surrounding.trailing).strip() or NONE,
    }
    if item.kind is DRAWINGS:
        template, more = templates.DRAWING, {"types": ", ".join(IMAGE_TYPES)}
    elif item.kind is TABLES:
        form = str(item.data.get("format"))
        header = item.data.get("table_header")
        more = {"format": templates.FORMATS.get(form, form), "header": header if isinstance(header, str) else NONE}
        template = templates.TABLE
    else:
        template, more = templates.EQUATION, {}
    return lambda content: template.format(**slots, **more, content=content)
