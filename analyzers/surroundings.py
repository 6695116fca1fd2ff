"""The text around an item, within a budget of tokens, nearest first.

A block is cut once into pieces: text, and tags as atoms. From an item the walk goes outwards and takes pieces while
they fit: a picture or an equation whole or not at all, a table by its nearest rows, text by its nearest sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lrdoc.analyzers.rows import html_rows, json_text, read_list
from lrdoc.analyzers.trim import largest
from lrdoc.text.tokens import Tokenizer

SEPARATORS = ("\n\n", "\n", "。", "！", "？", "；", "，", ". ", " ")
_TAG = re.compile(r"<(table|drawing|equation|cite)\b([^<>]*)>")
_ID = re.compile(r'\b(?:id|refid)="([^"]*)"')
_CAPTION = re.compile(r'\bcaption="([^"]*)"')


_IN_CELL = (("[", "]"), ('"', '"'), ('\\"', '\\"'), ("'", "'"))
"""What an item's id stands in when it is in a cell: our own mark, or an attribute, in HTML or in JSON."""


@dataclass(frozen=True, slots=True)
class Surrounding:
    """Text before and after an item, as stored in its entry."""

    leading: str = ""
    trailing: str = ""
    most_tokens: int | None = field(default=None, compare=False)
    """Both together have no more than this, None when nobody has counted."""

    def to_dict(self) -> dict[str, str]:
        return {"leading": self.leading, "trailing": self.trailing}


@dataclass(slots=True)
class _Piece:
    kind: str
    """text, table, drawing, equation or cite."""
    text: str
    """As it may be shown: without ids and paths."""
    id: str = ""
    is_table_cite: bool = False
    rows: list[str] | None = None
    counted: int | None = None


class BlockText:
    """One block, cut once for all items that stand in it."""

    def __init__(self, content: str, tokenizer: Tokenizer, separators: Sequence[str] = SEPARATORS) -> None:
        self._tokenizer = tokenizer
        self._separators = [separator for separator in separators if separator]
        self._pieces = _cut(content)
        self._places: dict[tuple[str, str], int] = {}
        for i, piece in enumerate(self._pieces):
            kind = "table" if piece.is_table_cite else piece.kind
            if piece.id:
                self._places.setdefault((kind, piece.id), i)

    def around(self, kind: str, item_id: str, leading_tokens: int, trailing_tokens: int) -> Surrounding | None:
        """Text around an item, None when its tag is not in the block."""
        place = start = self._places.get((kind, item_id), -1)
        if place < 0:
            # Other writers leave the tag in the cell: the table stands before what is in it.
            place = next((i for i, piece in enumerate(self._pieces) if _is_in_cell(piece, item_id)), -1)
            if place < 0:
                return None
            start = place + 1
        tables = kind != "table"
        before = self._walk(range(start - 1, -1, -1), max(leading_tokens, 0), tables, from_end=True)
        after = self._walk(range(place + 1, len(self._pieces)), max(trailing_tokens, 0), tables, from_end=False)
        most = max(leading_tokens, 0) + max(trailing_tokens, 0)
        return Surrounding("".join(reversed(before)), "".join(after), most)

    def _count(self, piece: _Piece) -> int:
        if piece.counted is None:
            piece.counted = self._tokenizer.count(piece.text)
        return piece.counted

    def _walk(self, order: range, budget: int, tables: bool, *, from_end: bool) -> list[str]:
        taken: list[str] = []
        for i in order:
            piece = self._pieces[i]
            if not piece.text or (not tables and (piece.kind == "table" or piece.is_table_cite)):
                continue
            if budget <= 0:
                break
            cost = self._count(piece)
            if cost <= budget:
                taken.append(piece.text)
                budget -= cost
                continue
            if piece.kind in ("text", "cite"):
                taken.append(self._nearest(piece.text, budget, from_end=from_end))
            elif piece.kind == "table":
                taken.append(self._nearest_rows(piece, budget, from_end=from_end))
            break
        return [text for text in taken if text]

    def _nearest(self, text: str, budget: int, *, from_end: bool) -> str:
        """The nearest whole segments that fit; a segment that is too long is cut by weaker separators."""
        count = self._tokenizer.count
        rest = text
        for separator in self._separators:
            if separator not in rest:
                continue
            segments = _split(rest, separator)
            kept = self._fitting(segments, budget, from_end=from_end)
            if kept:
                return kept
            rest = segments[-1 if from_end else 0]
        size = largest(len(rest), lambda n: count(rest[len(rest) - n :] if from_end else rest[:n]) <= budget)
        return rest[len(rest) - size :] if from_end else rest[:size]

    def _fitting(self, segments: list[str], budget: int, *, from_end: bool) -> str:
        """As many whole segments as fit, from the beginning or from the end."""

        def joined(n: int) -> str:
            return "".join(segments[len(segments) - n :] if from_end else segments[:n])

        return joined(largest(len(segments), lambda n: self._tokenizer.count(joined(n)) <= budget))

    def _nearest_rows(self, piece: _Piece, budget: int, *, from_end: bool) -> str:
        if piece.rows is None:
            piece.rows = _rows(piece.text)
        rows = piece.rows
        is_json = ' format="json"' in piece.text[:40]

        def joined(n: int) -> str:
            kept = rows[len(rows) - n :] if from_end else rows[:n]
            body = "[" + ", ".join(kept) + "]" if is_json else "".join(kept)
            return f'<table format="{"json" if is_json else "html"}">{body}</table>'

        taken = largest(len(rows), lambda n: self._tokenizer.count(joined(n)) <= budget) if rows else 0
        return joined(taken) if taken else ""


def _is_in_cell(piece: _Piece, item_id: str) -> bool:
    if piece.kind != "table" or item_id not in piece.text:
        return False
    return any(f"{before}{item_id}{after}" in piece.text for before, after in _IN_CELL)


def _split(text: str, separator: str) -> list[str]:
    """Segments that end with the separator; together they are the text."""
    pieces = text.split(separator)
    segments = [piece + separator for piece in pieces[:-1]]
    if pieces[-1]:
        segments.append(pieces[-1])
    return segments


def _cut(content: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    unclosed: set[str] = set()
    position = 0
    while True:
        match = _TAG.search(content, position)
        while match is not None and match.group(1) in unclosed:
            match = _TAG.search(content, match.end())
        if match is None:
            break
        name, attributes = match.group(1), match.group(2)
        end = match.end()
        body = ""
        if name != "drawing":
            closing = f"</{name}>"
            found = content.find(closing, end)
            if found < 0:
                # Without this note every further opening tag would search to the end again.
                unclosed.add(name)
                continue
            body, end = content[match.end() : found], found + len(closing)
        if match.start() > position:
            pieces.append(_Piece("text", content[position : match.start()]))
        pieces.append(_tag(name, attributes, body))
        position = end
    if position < len(content):
        pieces.append(_Piece("text", content[position:]))
    return pieces


def _tag(name: str, attributes: str, body: str) -> _Piece:
    """A tag as it may be shown: without ids, paths and references to other items."""
    found = _ID.search(attributes)
    item_id = found.group(1) if found else ""
    caption = _CAPTION.search(attributes)
    shown = f' caption="{caption.group(1)}"' if caption else ""
    if name == "drawing":
        return _Piece(name, f"<drawing{shown} />" if shown else "", item_id)
    if name == "cite":
        kind = ' type="table"' if 'type="table"' in attributes else ' type="equation"'
        return _Piece(name, f"<cite{kind}>{body}</cite>", item_id, is_table_cite="table" in kind)
    form = re.search(r' format="([a-z]+)"', attributes)
    told = f' format="{form.group(1)}"' if form else ""
    return _Piece(name, f"<{name}{told}{shown}>{body}</{name}>", item_id)


def _rows(table: str) -> list[str]:
    body = table[table.index(">") + 1 : table.rindex("<")]
    if body.lstrip().startswith("["):
        return [json_text(row) for row in read_list(body) or ()]
    return [body[a:b] for a, b in html_rows(body)]
