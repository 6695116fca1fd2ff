"""What the walk over a document knows and shares.

`Reader` stands for one document: package, definitions, options, warnings, regions. `Walk` stands for one story inside
it (body, one note, one header, one text box): the part, its list counters, open fields and marks, the page. `Line` is
one paragraph while it is read.

Nothing here recurses over the input. Block content is read by generators that hand inner content to `run` by yielding
another generator. Inside a paragraph, block content (a text box) is put off with `Line.box` and read when the
paragraph is done.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal

from lxml import etree

from lrdoc.document import Anchor, Block, Mark, Note, ParseWarning, Part, Source, Text
from lrdoc.errors import LimitExceeded
from lrdoc.parsers.base import ParseContext
from lrdoc.parsers.docx.numbering import Label, Numbering
from lrdoc.parsers.docx.package import Package
from lrdoc.parsers.docx.pairs import find_unpaired
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.parsers.docx.styles import ParagraphStyle, Styles

Element = etree._Element
Job = Generator[Any, None, None]
"""A generator that yields further jobs; the yielded one runs to its end first."""

BlockReader = Callable[..., Job]
StoryReader = Callable[["Reader", Element, str, str], tuple[Part, ...]]

Change = Literal["ins", "del"]
Place = Literal["region", "body", "drop"]
NEWLINE = Text("\n")
_MOST_MARKS = 32
_JOBS = 2
"""Jobs that a table or control takes: one for itself, one for what it holds."""
_KEPT_PER_CODE = 50
"""Warnings of one kind that are given one by one; the rest is counted in the last of them."""


@dataclass(frozen=True, slots=True)
class Options:
    """Engine parameters of one parse."""

    changes: Literal["accept", "reject", "annotate"] = "accept"
    comments: Place = "region"
    headers: Place = "region"
    toc: Place = "region"
    hidden: Literal["drop", "body"] = "drop"

    def shows(self, change: Change) -> bool:
        """Whether what was inserted or deleted is read."""
        return self.changes != ("reject" if change == "ins" else "accept")


@dataclass(slots=True)
class WarningLog:
    """Collects warnings; a kind that occurs very often is cut short and counted."""

    warnings: list[ParseWarning] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, code: str, message: str, source: Source | None = None) -> None:
        count = self.counts[code] = self.counts.get(code, 0) + 1
        if count <= _KEPT_PER_CODE:
            self.warnings.append(ParseWarning(code, message, source))

    def finish(self) -> tuple[ParseWarning, ...]:
        rest = [
            ParseWarning(code, f"{count - _KEPT_PER_CODE} more warnings of the kind {code}")
            for code, count in self.counts.items()
            if count > _KEPT_PER_CODE
        ]
        return (*self.warnings, *rest)


@dataclass(slots=True)
class Counts:
    """What one warning at the end tells of."""

    hidden_characters: int = 0
    hidden_first: Source | None = None
    without_paraid: int = 0


@dataclass(slots=True)
class Reader:
    """One document while it is read."""

    blocks: BlockReader
    """`body.blocks`. Tables, text boxes and notes hold blocks that hold tables: they get it from here."""
    story: StoryReader
    """`body.read_story`."""
    package: Package
    context: ParseContext
    settings: DocxSettings
    options: Options
    styles: Styles
    numbering: Numbering
    log: WarningLog
    regions: list[Block] = field(default_factory=list)
    """Blocks outside the body, in the order in which they were met."""
    sections: list[Element] = field(default_factory=list)
    """w:sectPr elements in document order."""
    called_notes: list[Note] = field(default_factory=list)
    """Notes called since the current block began, in order of first call; the block takes them at its end."""
    note_calls: list[str] = field(default_factory=list)
    """Marks of all notes called so far, repeated calls included: a table sees which were called inside it."""
    counts: Counts = field(default_factory=Counts)
    shared: dict[str, Any] = field(default_factory=dict)
    """State of modules that keep some of their own, by what it is about (note numbers, bytes of pictures)."""

    def embedded(self, package: Package) -> Reader:
        """A reader for a document inside this one, with which it shares everything but its definitions."""
        styles, numbering = read_definitions(package, self.context.check)
        return replace(self, package=package, styles=styles, numbering=numbering, sections=[])

    def report_numbering(self) -> None:
        """Give the warnings that came up while labels were made."""
        for warning in self.numbering.warnings:
            self.warn(warning.code, warning.message, warning.source)

    def warn(self, code: str, message: str, source: Source | None = None) -> None:
        self.log.add(code, message, source)

    def walk(self, part: str, *, numbering: Numbering | None = None) -> Walk:
        """A walk over a story in a part of its own: a note, a header, a comment."""
        place = self.package.prefix + part
        return Walk(self, part, place, numbering if numbering is not None else self.numbering.fresh())

    def read_blocks(self, element: Element, part: str, path: str) -> tuple[Part, ...]:
        """Read the block content of an element that is a story of its own (w:footnote, w:hdr, w:comment …).

        `path` is the place of the element inside the part; lines of the result are separated by "\\n".
        """
        return self.story(self, element, part, path)


def read_definitions(package: Package, look: Callable[[], None]) -> tuple[Styles, Numbering]:
    """Styles and lists of a document."""
    styles_part = package.related(package.main, "styles")
    styles = Styles(package.xml(styles_part) if styles_part else None)
    part = package.related(package.main, "numbering")
    numbering = Numbering.read(package.xml(part) if part else None, styles, package.prefix + (part or ""), look)
    return styles, numbering


@dataclass(slots=True)
class Field:
    """One complex field that has begun and not ended."""

    instruction: list[str] = field(default_factory=list)
    in_result: bool = False
    form: Element | None = None
    """w:ffData of a form field."""
    mark: Mark | None = None
    """What its result is marked with."""
    is_toc: bool = False
    formula_at: tuple[Line, int] | None = None
    """Of a field whose instruction is a formula: where its result begins, as a line and the number of its parts."""


@dataclass(slots=True)
class Walk:
    """One story while it is read."""

    reader: Reader
    part: str
    place: str
    """Name of the part for provenance: an embedded document stands behind its host, "word/chunk.docx!/…"."""
    numbering: Numbering
    page: int | None = None
    """Current page, None where the file records no page breaks."""
    fields: list[Field] = field(default_factory=list)
    muted: int = 0
    """Inside how many instructions of fields the walk is; there nothing is shown."""
    field_marks: list[Mark] = field(default_factory=list)
    """Marks of the open fields whose result is being read."""
    changes: tuple[Mark, ...] = ()
    """Tracked changes of the rows and cells around, where both states are shown."""
    open_marks: tuple[Mark, ...] = ()
    """Marks that run over several paragraphs: comment ranges, results of hyperlink and reference fields."""
    comments: dict[str, Mark] = field(default_factory=dict)
    anchors: list[Anchor] = field(default_factory=list)
    """Bookmarks from where nothing is shown (an empty paragraph, between rows): the next line begins with them."""
    toc_depth: int = 0
    """How many table-of-contents fields are open."""
    toc_controls: int = 0
    """How many content controls around a table of contents are open."""
    ignored: frozenset[Element] = frozenset()
    """w:fldChar elements that have no partner."""
    page_sections: frozenset[Element] = frozenset()
    """w:sectPr elements after which a new page begins."""
    break_pending: bool = False
    """An explicit page break was read and no text since: the recorded one that follows is the same."""
    carry: Line | None = None
    """A paragraph whose mark is deleted: the next one goes on in it."""
    is_nested: bool = False
    """Inside a text box, which has no pages of its own."""
    in_cell: int = 0
    """How many tables are around."""
    paraids: list[str] | None = None
    has_plain_style: bool = False
    """Paragraphs that name no style are neither numbered nor hidden nor anything else of note."""

    def __post_init__(self) -> None:
        style = self.reader.styles.paragraph(None)
        special = style.is_numbered or style.is_hidden or style.is_code or style.page_break_before
        self.has_plain_style = not (special or style.is_caption)

    @property
    def options(self) -> Options:
        return self.reader.options

    def begin(self, element: Element) -> None:
        """Look through a story before it is read: fields that never end must not swallow the rest."""
        shows = self.options.shows
        self.ignored = find_unpaired(element, shows("ins"), shows("del"), self.reader.context.check)

    def nested(self, changes: tuple[Mark, ...] = ()) -> Walk:
        """A walk over a text box inside this story: fields and marks of its own, same part and list counters."""
        inner = Walk(
            self.reader, self.part, self.place, self.numbering, self.page, ignored=self.ignored, is_nested=True
        )
        if changes or self.changes:
            inner.set_changes((*self.changes, *changes))
        return inner

    def keep_anchors(self, parts: Iterable[Any]) -> None:
        """Let the bookmarks of what is not shown wait for the next line."""
        self.anchors += [part for part in parts if type(part) is Anchor]

    def set_changes(self, changes: tuple[Mark, ...]) -> None:
        self.changes = changes
        self.renew_marks()

    def renew_marks(self) -> None:
        """Compute `open_marks` after a field or comment range began or ended.

        Marks count from the outside in, and only so many: each is repeated on every stretch of text inside.
        """
        marks = list(self.changes[:_MOST_MARKS])
        marks += islice(self.comments.values(), _MOST_MARKS)
        marks += self.field_marks[:_MOST_MARKS]
        self.open_marks = tuple(marks)


def changes_in(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """The marks that tell of tracked changes."""
    return tuple(mark for mark in marks if mark.kind in ("ins", "del"))


class Box:
    """Block content found inside a paragraph, read when the paragraph is done."""

    __slots__ = ("changes", "element", "parts", "path")

    def __init__(self, element: Element, path: str, changes: tuple[Mark, ...]) -> None:
        self.element = element
        self.path = path
        self.changes = changes
        """Tracked changes of the runs around it."""
        self.parts: tuple[Part, ...] = ()


class _Break:
    """A line end that is only made where there is something on both sides."""


BREAK = _Break()


class Line:
    """One paragraph while it is read: its inline parts, and what follows it on lines of its own."""

    # Values that few paragraphs change are class attributes: making a line is as cheap as it can be.
    boxes = 0
    """How many text boxes were found in it."""
    number: tuple[str, int] | None = None
    """List and level, when the paragraph is numbered."""
    label: Label | None = None
    """Its label, once it is counted."""
    break_at: tuple[int, int] | None = None
    """Where the last explicit page break stands: parts and waiting texts before it."""
    level = 0
    """Heading level, 0 for none."""
    in_toc = False
    has_equation = False
    is_seq = ""
    """Identifier of a SEQ field in the paragraph ("Table", "Figure")."""
    deleted_mark = False
    """The next paragraph goes on in this line: the mark is deleted, or this is only a drop cap."""
    end_marks: tuple[Mark, ...] = ()
    """Tracked changes of the paragraph mark, where both states are shown."""
    ends_section: Element | None = None
    """Its w:sectPr."""
    has_breaks = False
    blank_parts = 0
    """How many parts at the start are known to show nothing."""
    hidden = False
    """The run that is being read is hidden."""
    paraid: str | None = None
    marks: tuple[Mark, ...] = ()
    """Marks of the waiting text."""

    def __init__(self, walk: Walk, source: Source, style: ParagraphStyle) -> None:
        self.walk = walk
        self.source = source
        """Source of text that is added now."""
        self.style = style
        self.parts: list[Any] = []
        self.buffer: list[str] = []
        """Text that waits to become a part, all with `source` and `marks`."""
        self.later: list[Any] = []
        """Boxes and lists of parts that stand on lines of their own after the paragraph."""

    @property
    def reader(self) -> Reader:
        return self.walk.reader

    def text(self, text: str, marks: tuple[Mark, ...] = ()) -> None:
        """Add visible text of the source."""
        walk = self.walk
        if walk.muted:
            return
        if self.hidden:
            self.count_hidden(text)
            return
        if walk.open_marks:
            marks = walk.open_marks + marks
        if marks != self.marks:
            self.flush()
            self.marks = marks
        self.buffer.append(text)

    def count_hidden(self, text: str) -> None:
        counts = self.walk.reader.counts
        visible = len(text) - text.count(" ")
        if visible > 0:
            if not counts.hidden_characters:
                counts.hidden_first = self.source
            counts.hidden_characters += visible

    def generated(self, text: str) -> None:
        """Add text that does not stand in the source."""
        if not self.walk.muted and not self.hidden:
            self.flush()
            self.parts.append(Text(text))

    def flush(self) -> None:
        """Turn waiting text into a part."""
        if self.buffer:
            text = "".join(self.buffer)
            if text:
                self.parts.append(Text(text, self.source, self.marks))
            self.buffer = []

    def set_source(self, source: Source) -> None:
        if self.buffer:
            self.flush()
        self.source = source
        self.boxes = 0

    @property
    def is_silent(self) -> bool:
        """Nothing that is added now is shown: inside a field instruction, or hidden text that is dropped."""
        return self.hidden or self.walk.muted > 0

    def add(self, part: Part) -> None:
        """Add a part inside the line: a picture, an inline equation, the call of a note."""
        self.flush()
        self.parts.append(part)

    def own_line(self, part: Part) -> None:
        """Add a part that stands on a line of its own, between what precedes and follows it: a display equation."""
        self.flush()
        self.has_breaks = True
        self.parts += (BREAK, part, BREAK)

    def after(self, parts: Sequence[Part]) -> None:
        """Add parts on a line (or lines) of their own after the paragraph: a chart's table, texts of a diagram."""
        self.later.append(list(parts))

    def box(self, element: Element, step: str = "txbxContent", marks: tuple[Mark, ...] = ()) -> None:
        """Put off block content (w:txbxContent); its lines follow the paragraph."""
        self.boxes += 1
        self.later.append(Box(element, f"{self.source.path}/{step}[{self.boxes}]", changes_in(marks)))

    @property
    def is_empty(self) -> bool:
        """No character and no item so far; bookmarks do not count. What was looked at once is not looked at again."""
        self.flush()
        parts = self.parts
        while self.blank_parts < len(parts):
            part = parts[self.blank_parts]
            is_blank = part.text.isspace() if type(part) is Text else part is BREAK or type(part) is Anchor
            if not is_blank:
                return False
            self.blank_parts += 1
        return True


def run(job: Job, reader: Reader) -> None:
    """Run a job and all jobs that it yields, with a stack of our own instead of Python's."""
    stack = [job]
    limit = reader.settings.max_depth
    most = _JOBS * limit
    check = reader.context.check
    while stack:
        inner = next(stack[-1], None)
        if inner is None:
            stack.pop()
            check()
        else:
            stack.append(inner)
            if 0 < most < len(stack):
                raise LimitExceeded(
                    f"Tables, text boxes and other containers are nested more than {limit} deep (DOCX_MAX_DEPTH)",
                    limit="DOCX_MAX_DEPTH",
                    hint="Raise DOCX_MAX_DEPTH if the file is trusted.",
                )
