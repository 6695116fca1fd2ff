"""What all formats ask of a document: lines, numbers of items, captions, tables from the inside out."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from urllib.parse import quote

from lrdoc.document import (
    Anchor,
    Asset,
    Block,
    Document,
    Drawing,
    Equation,
    Item,
    Part,
    Table,
    Text,
    iter_items,
    plain_text,
)
from lrdoc.errors import SidecarError
from lrdoc.sidecar.read import ParsedFolder

_MEDIA = {"svg": "image/svg+xml", "emf": "image/emf", "wmf": "image/wmf", "webp": "image/webp", "jpeg": "image/jpeg"}
SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "image/bmp"})
"""Media types that a browser shows."""
_DEEPEST = 100
_LABEL = re.compile(r"[^\w\s]|(?=\S*[\W\d])\S{1,12}")
"""One sign, or a short word with a digit or a sign in it: "-", "1.", "(a)", "2.1"."""


class View:
    """A document on its way into another format."""

    def __init__(self, parsed: ParsedFolder, *, regions: bool, assets_path: PurePosixPath) -> None:
        self.parsed = parsed
        self.document: Document = parsed.document
        self.assets_path = assets_path
        self.blocks: tuple[Block, ...] = (*self.document.blocks, *(self.document.regions if regions else ()))
        self.n_body = len(self.document.blocks)
        self.targets: dict[str, str] = {}
        """Key of an item that is cited → its name in the result: "item-1"."""
        for block in self.blocks:
            for item in _items_of(block):
                if item.key:
                    self.targets.setdefault(item.key, f"item-{len(self.targets) + 1}")

    def raw_text(self) -> Iterator[str]:
        """The text of a document that is nothing but text."""
        yield from (part.text for block in self.blocks for part in block.parts if isinstance(part, Text))

    def is_body(self, block_number: int) -> bool:
        """Whether block number n of `blocks` stands in the body."""
        return block_number < self.n_body

    def media_type(self, drawing: Drawing) -> str:
        """By the format of the drawing, else by the name of its file."""
        kind = drawing.format.lower()
        if kind in _MEDIA:
            return _MEDIA[kind]
        name = f"x.{kind}" if kind else drawing.asset.name if drawing.asset is not None else ""
        return mimetypes.guess_type(name)[0] or "application/octet-stream"

    def address(self, asset: Asset) -> str:
        """Address of the stored file, seen from the place of the result."""
        return quote(str(self.assets_path / asset.name))

    def picture(self, drawing: Drawing) -> bytes:
        """The stored bytes. Raises SidecarError when they cannot be read."""
        assert drawing.asset is not None
        path = self.parsed.assets / drawing.asset.name
        try:
            return path.read_bytes()
        except OSError as e:
            raise SidecarError(f"the picture {path.name} cannot be read: {e.strerror or e}", where=str(path)) from e


def lines_of(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts line by line. An empty line comes as an empty list."""
    line: list[Part] = []
    for part in parts:
        if not isinstance(part, Text) or "\n" not in part.text:
            line.append(part)
            continue
        words = part.text.split("\n")
        for n, word in enumerate(words):
            if n:
                yield line
                line = []
            if word:
                line.append(Text(word, part.source, part.marks))
    yield line


def pieces_of(line: Iterable[Part]) -> Iterator[list[Part] | Table | Equation]:
    """What may stand in one paragraph, and between it the tables and equations, which stand on their own."""
    run: list[Part] = []
    for part in line:
        if isinstance(part, Table | Equation):
            yield run
            yield part
            run = []
        else:
            run.append(part)
    yield run


def render_tables(parts: Sequence[Part], render: Callable[[Table, dict[int, str]], str]) -> dict[int, str]:
    """All tables in the parts, those in cells before those that hold them: id(table) → what `render` makes of it.

    `render` finds the tables in the cells of its table in the mapping that it is given. Raises SidecarError when tables
    stand in one another more than 100 deep.
    """
    done: dict[int, str] = {}
    level = [part for part in parts if isinstance(part, Table)]
    levels: list[list[Table]] = []
    while level:
        if len(levels) == _DEEPEST:
            raise SidecarError(f"tables stand in cells of tables more than {_DEEPEST} deep")
        levels.append(level)
        level = [
            part
            for table in level
            for row in table.rows
            for cell in row
            if cell is not None
            for part in cell.parts
            if isinstance(part, Table)
        ]
    for tables in reversed(levels):
        for table in tables:
            if id(table) not in done:
                done[id(table)] = render(table, done)
    return done


def told_lines(block: Block) -> frozenset[str]:
    """The lines of a block without white space: a caption that is one of them need not be shown again."""
    return frozenset(squash(line) for line in plain_text(block.parts).split("\n"))


def squash(text: str) -> str:
    return "".join(text.split())


def label_of(line: Sequence[Part]) -> tuple[str, int]:
    """The list label that begins a line, and the depth of its indentation; ("", 0) when there is none.

    Labels and indentation are text that no source has: "  - ", "1.1 ".
    """
    if len(line) < 2 or not isinstance(line[0], Text) or line[0].source is not None:
        return "", 0
    text = line[0].text
    label = text.strip()
    if not text.endswith((" ", "\t")) or not _LABEL.fullmatch(label):
        return "", 0
    return label, (len(text) - len(text.lstrip(" "))) // 2


def stands_alone(line: Sequence[Part]) -> bool:
    """True when a line holds a drawing and nothing else that can be seen."""
    shown = [
        part for part in line if not isinstance(part, Anchor) and not (isinstance(part, Text) and not part.text.strip())
    ]
    return len(shown) == 1 and isinstance(shown[0], Drawing)


def _items_of(block: Block) -> Iterator[Item]:
    yield from iter_items(block.parts)
    for note in block.notes:
        yield from iter_items(note.parts)
