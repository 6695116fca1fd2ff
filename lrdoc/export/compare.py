"""What two parsed folders of one document have in common and what only one of them has."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lrdoc.document import (
    Block,
    Cell,
    Citation,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Item,
    Part,
    Table,
    Text,
    iter_items,
    plain_text,
)
from lrdoc.export.align import align, gaps
from lrdoc.export.html_tables import html_to_rows
from lrdoc.sidecar.grid import cover
from lrdoc.sidecar.read import ParsedFolder

MOST_TOLD = 100
"""Differences of each kind that are listed; the others are counted."""
_LONGEST = 300
_LABEL = re.compile(r"^(?:[-–•◦▪*·‣]|\(?(?:[0-9]{1,3}|[A-Za-z]|[ivxlcIVXLC]{1,5})[.)]|[0-9]+(?:\.[0-9]+)+)\s+")
"""Label of a list item at the beginning of a line."""
_NUMBER = re.compile(r"^[0-9]+(?:\.[0-9]+)*\.?\s+")
"""Number of a heading."""


def compare(a: ParsedFolder, b: ParsedFolder) -> dict[str, Any]:
    """The comparison as JSON values. Places and ids do not count, contents do."""
    one, other = _Side(a.document), _Side(b.document)
    result: dict[str, Any] = {
        "a": {**describe(a), **one.counts()},
        "b": {**describe(b), **other.counts()},
        "title": [a.document.title, b.document.title],
        "headings": _headings(one, other),
        "tables": _tables(one, other),
        "equations": _equations(one, other),
        "drawings": _drawings(one, other),
        "notes": _notes(one, other),
        "regions": _lines(one.regions, other.regions),
        "text": _lines(one.lines, other.lines),
    }
    result["same"] = a.document.title == b.document.title and all(
        not any(result[part][key] for key in ("changed", "only_a", "only_b"))
        for part in ("headings", "tables", "equations", "drawings", "notes", "regions", "text")
    )
    return result


def describe(parsed: ParsedFolder) -> dict[str, Any]:
    """Who made the folder of what."""
    info = parsed.info
    return {
        "document_name": info.document_name,
        "parse_engine": info.stored_engine or info.parse_engine,
        "engine_version": str(parsed.document.split_option.get("engine_version", "")),
        "source_sha256": info.source.sha256,
    }


def squash(text: str) -> str:
    """Text as it is compared: composed characters, single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text and the heading that it stands under."""

    text: str
    heading: str


class _Side:
    """One of the two documents, taken apart."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.headings = [(block.heading, block.level) for block in document.blocks if block.heading]
        self.items: list[Item] = [
            item
            for block in (*document.blocks, *document.regions)
            for parts in (block.parts, *(note.parts for note in block.notes))
            for item in iter_items(parts)
        ]
        self.lines = [line for block in document.blocks for line in _lines_of(block)]
        self.regions = [line for block in document.regions for line in _lines_of(block)]
        self.tables = [item for item in self.items if isinstance(item, Table)]
        self.drawings = [item for item in self.items if isinstance(item, Drawing)]
        self.notes = [
            squash(_text(note.parts)) for block in (*document.blocks, *document.regions) for note in block.notes
        ]
        self.equations = list(_formulas(document))

    def counts(self) -> dict[str, Any]:
        words = Counter(word for line in self.lines for word in line.text.split())
        marks = Counter(
            mark.kind
            for block in self.document.blocks
            for part in block.parts
            if isinstance(part, Text)
            for mark in part.marks
        )
        return {
            "blocks": len(self.document.blocks),
            "headings": len(self.headings),
            "levels": dict(sorted(Counter(str(level) for _, level in self.headings).items())),
            "tables": len(self.tables),
            "drawings": len(self.drawings),
            "drawings_with_image": sum(drawing.asset is not None for drawing in self.drawings),
            "equations": sum(not inline for _, inline, _ in self.equations),
            "inline_equations": sum(inline for _, inline, _ in self.equations),
            "notes": len(self.notes),
            "regions": dict(sorted(Counter(block.region for block in self.document.regions).items())),
            "marks": dict(sorted(marks.items())),
            "words": words.total(),
            "characters": sum(len(line.text) - line.text.count(" ") for line in self.lines),
            "warnings": dict(sorted(Counter(warning.code for warning in self.document.warnings).items())),
        }


def _lines_of(block: Block) -> Iterator[_Line]:
    """Lines of the block with those of its tables, captions and notes. Labels of lists do not count: some engines have
    them from the file and others make them. A caption that stands in a line as well counts once."""
    words: list[str] = []
    for parts in (block.parts, *(note.parts for note in block.notes)):
        told = frozenset(squash(line) for line in plain_text(parts).split("\n"))
        words += [*_pieces(parts, told), "\n"]
    heading = bool(block.heading)
    for line in "".join(words).split("\n"):
        text = squash(line)
        if not text:
            continue
        bare = (_NUMBER if heading else _LABEL).sub("", text)
        heading = False
        if bare:
            yield _Line(bare, block.heading)


def _pieces(parts: Sequence[Part], told: frozenset[str] = frozenset()) -> Iterator[str]:
    """Texts of the parts in order, captions in `told` left out. Does not recurse."""
    stack: list[Iterator[Part | str]] = [iter(parts)]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
        elif isinstance(part, str):
            yield part
        elif isinstance(part, Text):
            yield part.text if part.source is not None or not part.text.strip() else _without_labels(part.text)
        elif isinstance(part, Citation):
            yield part.text
        elif isinstance(part, InlineEquation):
            yield f" {_latex(part.latex)} "
        elif isinstance(part, Table | Drawing | Equation):
            yield "\n"
            stack.append(iter(_of_item(part, told)))


def _without_labels(text: str) -> str:
    """Our own text: line ends stay, labels such as "- " and fences do not count."""
    return "".join("\n" if c == "\n" else " " for c in text)


def _of_item(item: Item, told: frozenset[str]) -> list[Part | str]:
    found: list[Part | str] = []
    if item.caption and squash(item.caption) not in told:
        found += [item.caption, "\n"]
    if isinstance(item, Table):
        if item.html is not None:
            for row in html_to_rows(item.html):
                for text in row:
                    found += [text, "\n"]
        for cells in item.rows:
            for cell in cells:
                if cell is not None and cell.parts:
                    found += [*cell.parts, "\n"]
    elif isinstance(item, Equation):
        found += [_latex(item.latex), "\n"]
    for footnote in item.footnotes:
        if squash(footnote) not in told:
            found += [footnote, "\n"]
    return found


def _text(parts: Sequence[Part]) -> str:
    return "".join(_pieces(parts))


def _latex(latex: str) -> str:
    return "".join(latex.split())


def _formulas(document: Document) -> Iterator[tuple[str, bool, str]]:
    """(LaTeX without blanks, stands in a line, LaTeX) of all formulas in order."""
    stack: list[Iterator[Part]] = [
        iter(parts)
        for block in (*document.blocks, *document.regions)
        for parts in (block.parts, *(note.parts for note in block.notes))
    ][::-1]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
        elif isinstance(part, Table):
            stack.append(iter([p for row in part.rows for cell in row if cell is not None for p in cell.parts]))
        elif isinstance(part, InlineEquation | Equation):
            yield _latex(part.latex), isinstance(part, InlineEquation), squash(part.latex)


# The parts of the comparison: {"same": count, "changed": […], "only_a": […], "only_b": […], "left_off": count}


def _report(same: int, changed: list[Any], only_a: list[Any], only_b: list[Any]) -> dict[str, Any]:
    lists = (changed, only_a, only_b)
    return {
        "same": same,
        "changed": changed[:MOST_TOLD],
        "only_a": only_a[:MOST_TOLD],
        "only_b": only_b[:MOST_TOLD],
        "left_off": sum(max(0, len(one) - MOST_TOLD) for one in lists),
    }


def _headings(a: _Side, b: _Side) -> dict[str, Any]:
    names_a, names_b = ([squash(name) for name, _ in side.headings] for side in (a, b))
    pairs = align(names_a, names_b)
    changed = [
        {"heading": a.headings[i][0], "level": [a.headings[i][1], b.headings[j][1]]}
        for i, j in pairs
        if a.headings[i][1] != b.headings[j][1]
    ]
    return _report(
        len(pairs) - len(changed),
        changed,
        [_heading(*a.headings[n]) for n in _others(len(names_a), (i for i, _ in pairs))],
        [_heading(*b.headings[n]) for n in _others(len(names_b), (j for _, j in pairs))],
    )


def _heading(name: str, level: int) -> dict[str, Any]:
    return {"heading": name, "level": level}


def _others(size: int, taken: Iterable[int]) -> list[int]:
    known = set(taken)
    return [n for n in range(size) if n not in known]


@dataclass(frozen=True, slots=True)
class _TableFacts:
    cells: tuple[str, ...]
    size: tuple[int, int]
    header_rows: int
    spans: int
    caption: str

    @property
    def told(self) -> dict[str, Any]:
        return {
            "rows": self.size[0],
            "columns": self.size[1],
            "header_rows": self.header_rows,
            "spans": self.spans,
            "caption": self.caption,
            "begins": " | ".join(self.cells)[:80],
        }


def _facts(table: Table) -> _TableFacts:
    if table.html is not None:
        rows = html_to_rows(table.html)
        header = html_to_rows(f"<table>{table.header_html}</table>") if table.header_html else []
        lowered = table.html.lower()
        spans = lowered.count("rowspan") + lowered.count("colspan")
        size = table.dimension or (len(rows), max(map(len, rows), default=0))
        cells = tuple(text for row in rows for cell in row if (text := squash(cell)))
        return _TableFacts(cells, size, len(header), spans, squash(table.caption))
    spans = len(cover(table.rows)[0])
    cells = tuple(text for row in table.rows for cell in row if cell is not None and (text := _cell(cell)))
    width = max((len(row) for row in table.rows), default=0)
    return _TableFacts(cells, (len(table.rows), width), table.header_rows, spans, squash(table.caption))


def _cell(cell: Cell) -> str:
    return squash(_text(cell.parts))


def _tables(a: _Side, b: _Side) -> dict[str, Any]:
    facts_a, facts_b = [_facts(table) for table in a.tables], [_facts(table) for table in b.tables]
    pairs = align([facts.cells for facts in facts_a], [facts.cells for facts in facts_b])
    # Tables with other cells are the same table when most of their words are.
    for i, j, k, m in gaps(pairs, len(facts_a), len(facts_b)):
        pairs += _similar(facts_a, facts_b, range(i, j), range(k, m))
    changed = []
    for i, j in sorted(pairs):
        one, other = facts_a[i], facts_b[j]
        if one == other:
            continue
        common = (Counter(one.cells) & Counter(other.cells)).total()
        cells = [len(one.cells), len(other.cells)]
        changed.append({"a": one.told, "b": other.told, "cells": cells, "same_cells": common})
    return _report(
        len(pairs) - len(changed),
        changed,
        [facts_a[n].told for n in _others(len(facts_a), (i for i, _ in pairs))],
        [facts_b[n].told for n in _others(len(facts_b), (j for _, j in pairs))],
    )


def _similar(
    a: Sequence[_TableFacts], b: Sequence[_TableFacts], range_a: range, range_b: range
) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = 0
    for i in range_a:
        words = Counter(word for cell in a[i].cells for word in cell.split())
        for n in range(start, min(len(range_b), start + 5)):
            j = range_b[n]
            others = Counter(word for cell in b[j].cells for word in cell.split())
            if (words & others).total() * 2 >= max(words.total(), others.total(), 1):
                found.append((i, j))
                start = n + 1
                break
    return found


def _equations(a: _Side, b: _Side) -> dict[str, Any]:
    """Formulas are the same by their LaTeX without blanks; as many others between two that are, are changed ones."""
    pairs = align([key for key, _, _ in a.equations], [key for key, _, _ in b.equations])
    changed: list[Any] = [
        {"latex": a.equations[i][2], "inline": [a.equations[i][1], b.equations[j][1]]}
        for i, j in pairs
        if a.equations[i][1] != b.equations[j][1]
    ]
    same = len(pairs) - len(changed)
    only_a: list[Any] = []
    only_b: list[Any] = []
    for i, j, k, m in gaps(pairs, len(a.equations), len(b.equations)):
        if j - i == m - k:
            changed += [{"latex": [a.equations[i + n][2], b.equations[k + n][2]]} for n in range(j - i)]
        else:
            only_a += [latex for _, _, latex in a.equations[i:j]]
            only_b += [latex for _, _, latex in b.equations[k:m]]
    return _report(same, changed, only_a, only_b)


def _drawings(a: _Side, b: _Side) -> dict[str, Any]:
    """Pictures are the same by their bytes, else by their caption, else by their order between two that are."""
    keys_a, keys_b = ([_picture_key(drawing) for drawing in side.drawings] for side in (a, b))
    pairs = align(keys_a, keys_b)
    same = sum(_picture(a.drawings[i]) == _picture(b.drawings[j]) for i, j in pairs)
    changed = [(i, j) for i, j in pairs if _picture(a.drawings[i]) != _picture(b.drawings[j])]
    only_a: list[int] = []
    only_b: list[int] = []
    for i, j, k, m in gaps(pairs, len(keys_a), len(keys_b)):
        if j - i == m - k:
            changed += [(i + n, k + n) for n in range(j - i)]
        else:
            only_a += range(i, j)
            only_b += range(k, m)
    return _report(
        same,
        [{"a": _picture(a.drawings[i]), "b": _picture(b.drawings[j])} for i, j in sorted(changed)],
        [_picture(a.drawings[n]) for n in only_a],
        [_picture(b.drawings[n]) for n in only_b],
    )


def _picture_key(drawing: Drawing) -> str:
    if drawing.asset is not None:
        return drawing.asset.sha256
    return f"{drawing.src} {squash(drawing.caption)}".strip()


def _picture(drawing: Drawing) -> dict[str, Any]:
    return {
        "format": drawing.format,
        "caption": squash(drawing.caption),
        "bytes": drawing.asset.size if drawing.asset is not None else None,
        "src": drawing.src,
    }


def _notes(a: _Side, b: _Side) -> dict[str, Any]:
    pairs = align(a.notes, b.notes)
    return _report(
        len(pairs),
        [],
        [a.notes[n] for n in _others(len(a.notes), (i for i, _ in pairs))],
        [b.notes[n] for n in _others(len(b.notes), (j for _, j in pairs))],
    )


def _lines(a: Sequence[_Line], b: Sequence[_Line]) -> dict[str, Any]:
    """Words that both have in the same order; what differs, with the heading that it stands under."""
    texts_a, texts_b = [line.text for line in a], [line.text for line in b]
    pairs = align(texts_a, texts_b)
    same = sum(len(texts_a[i].split()) for i, _ in pairs)
    changed: list[Any] = []
    only_a: list[Any] = []
    only_b: list[Any] = []
    for i, j, k, m in gaps(pairs, len(a), len(b)):
        words_a = [(word, n) for n in range(i, j) for word in texts_a[n].split()]
        words_b = [(word, n) for n in range(k, m) for word in texts_b[n].split()]
        inner = align([word for word, _ in words_a], [word for word, _ in words_b])
        same += len(inner)
        for x, y, u, v in gaps(inner, len(words_a), len(words_b)):
            left, right = (_clip([word for word, _ in words]) for words in (words_a[x:y], words_b[u:v]))
            heading = a[words_a[x][1]].heading if x < y else b[words_b[u][1]].heading
            if left and right:
                changed.append({"under": heading, "a": left, "b": right})
            else:
                (only_a if left else only_b).append({"under": heading, "text": left or right})
    return _report(same, changed, only_a, only_b)


def _clip(words: Sequence[str]) -> str:
    text = " ".join(words)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
