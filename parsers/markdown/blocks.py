"""The token stream of the grammar becomes blocks of typed parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from markdown_it.token import Token

from lrdoc.document import (
    MAX_HEADING_CHARS,
    Block,
    Cell,
    Equation,
    Item,
    Note,
    NoteRef,
    Part,
    Position,
    Source,
    Table,
    Text,
    merge_text,
    plain_text,
)
from lrdoc.parsers.building import HeadingPath
from lrdoc.parsers.markdown.flow import Flow
from lrdoc.parsers.markdown.fragments import Fragments
from lrdoc.parsers.markdown.html import pieces
from lrdoc.parsers.markdown.images import Pictures, Warn, shorten
from lrdoc.parsers.markdown.inlines import Inlines
from lrdoc.parsers.markdown.slugs import Slugs

_NUMBER = re.compile(r"\s*(\((?:[A-Za-z]\.?)?\d[\w.\-]*\))[.,;]?\s*$")
_HTML_HEADING = re.compile(r"\s*<h([1-6])(?=[\s>])(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>", re.IGNORECASE)
_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")
_SPACES = re.compile(r"[ \t\n]+")
_RUN = re.compile(r"`{3,}")


class _Container:
    """A list item, quotation, definition or note that is open: what it puts before its lines."""

    __slots__ = ("first", "is_label", "rest", "used")

    def __init__(self, first: str, rest: str, *, is_label: bool = True) -> None:
        self.first = first
        """Before the first line."""
        self.rest = rest
        """Before all other lines."""
        self.is_label = is_label
        """`first` is not the same as `rest` and must be seen even when no text follows."""
        self.used = False


class _Draft:
    """A block or note under construction."""

    __slots__ = ("end", "heading", "labels", "level", "parents", "parts", "slug", "titles")

    def __init__(
        self, heading: str = "", level: int = 0, parents: tuple[str, ...] = (), slug: str | None = None
    ) -> None:
        self.heading = heading
        self.level = level
        self.parents = parents
        self.slug = slug
        self.parts: list[Part | _Definition] = []
        self.end: int | None = None
        """Source line after the last one that went in."""
        self.labels: list[str] = []
        """Notes that are called, in order."""
        self.titles: list[tuple[str, str]] = []
        """Address and title of the links that have one."""


class _Definition:
    """The place where a note is defined, until it is known whether something calls it."""

    __slots__ = ("draft", "label", "source")

    def __init__(self, label: str, draft: _Draft, source: Source) -> None:
        self.label = label
        self.draft = draft
        self.source = source


class Mapper:
    """Walks the tokens of one document."""

    def __init__(
        self,
        inlines: Inlines,
        fragments: Fragments,
        pictures: Pictures,
        warn: Warn,
        check: Callable[[], None],
        *,
        first_line: int,
        part: str = "",
    ) -> None:
        self._inlines = inlines
        self._fragments = fragments
        self._pictures = pictures
        self._warn = warn
        self._check = check
        self._offset = first_line
        self._part = part
        self._slugs = Slugs()
        self._path = HeadingPath()
        self._drafts: list[_Draft] = [_Draft()]
        self._draft = self._drafts[0]
        self._outer: list[tuple[_Draft, list[_Container], list[_List]]] = []
        """What is under construction around the note that is being read."""
        self._containers: list[_Container] = []
        self._lists: list[_List] = []
        self._definitions: dict[str, _Draft] = {}
        self._numbers: dict[str, str] = {}
        """Label of a note → its number, in the order of their calls."""
        self._in_text: set[str] = set()
        """Labels of notes that nothing calls, so that their text stays in place."""
        self.first_heading = ""
        self.first_title = ""
        """First heading of level 1."""

    # walking

    def run(self, tokens: Sequence[Token]) -> tuple[Block, ...]:
        """The blocks of the document; empty ones are left out."""
        n = 0
        handlers: dict[str, Callable[[Sequence[Token], int], int]] = {
            "heading_open": self._heading,
            "paragraph_open": self._paragraph,
            "fence": self._fence,
            "code_block": self._fence,
            "html_block": self._html_block,
            "math_block": self._math_block,
            "table_open": self._table,
            "bullet_list_open": self._open_list,
            "ordered_list_open": self._open_list,
            "bullet_list_close": self._close_list,
            "ordered_list_close": self._close_list,
            "list_item_open": self._open_item,
            "list_item_close": self._close_container,
            "blockquote_open": self._open_quote,
            "blockquote_close": self._close_container,
            "dt_open": self._paragraph,
            "dd_open": self._open_definition,
            "dd_close": self._close_container,
            "footnote_reference_open": self._open_note,
            "footnote_reference_close": self._close_note,
        }
        while n < len(tokens):
            self._check()
            handler = handlers.get(tokens[n].type)
            n = handler(tokens, n) if handler is not None else n + 1
        return self._finish()

    def _source(self, lines: Sequence[int] | None) -> Source:
        if not lines:
            return Source(self._part)
        first, end = lines[0], max(lines[1], lines[0] + 1)
        return Source(self._part, lines=(first + self._offset, end + self._offset))

    # putting things into the draft

    def _separate(self, lines: Sequence[int] | None) -> None:
        """Begin a new line, after an empty one when there is one in the source."""
        draft = self._draft
        if draft.parts:
            gap = lines is not None and draft.end is not None and lines[0] > draft.end
            draft.parts.append(Text("\n\n" if gap else "\n"))
        if lines is not None:
            draft.end = max(lines[1], draft.end or 0)

    def _prefix(self) -> str:
        """What stands before the line that begins now."""
        words: list[str] = []
        for container in self._containers:
            words.append(container.rest if container.used else container.first)
            container.used = True
        return "".join(words)

    def _rest_prefix(self) -> str:
        return "".join([container.rest for container in self._containers])

    def _leaf(self, lines: Sequence[int] | None) -> Flow:
        """A new line of text; the flow's parts are taken by `_take`."""
        self._separate(lines)
        if self._containers:
            prefix = self._prefix()
            if prefix:
                self._draft.parts.append(Text(prefix))
            return Flow(self._pictures, self._source(lines), prefix=self._rest_prefix())
        return Flow(self._pictures, self._source(lines))

    def _take(self, flow: Flow) -> None:
        self._draft.parts += flow.parts
        self._draft.titles += flow.titles
        if self._inlines.note_labels:
            self._draft.labels += self._inlines.note_labels
            self._inlines.note_labels.clear()

    def _item(self, item: Item, lines: Sequence[int] | None) -> None:
        """An item on a line of its own; a label that waits gets its line before it."""
        if any(container.is_label and not container.used for container in self._containers):
            self._separate([lines[0], lines[0]] if lines is not None else None)
            self._draft.parts.append(Text(self._prefix().rstrip()))
        self._separate(lines)
        self._draft.parts.append(item)

    # leaves

    def _heading(self, tokens: Sequence[Token], n: int) -> int:
        token, inline = tokens[n], tokens[n + 1]
        if token.level or self._containers or self._outer:
            return self._paragraph(tokens, n)
        flow = Flow(self._pictures, self._source(token.map), one_line=True)
        self._inlines.into(flow, inline.content)
        self._begin_section(flow, int(token.tag[1:]), token.map)
        return n + 3

    def _begin_section(self, flow: Flow, level: int, lines: Sequence[int] | None) -> None:
        parts = merge_text(flow.parts)
        heading = _SPACES.sub(" ", plain_text(parts)).strip(" ")
        if not heading or len(heading) > MAX_HEADING_CHARS:
            if heading:
                self._warn(
                    "heading_too_long",
                    f"A heading of {len(heading)} characters is body text: headings have at most {MAX_HEADING_CHARS}.",
                    flow.source,
                )
            if parts or flow.aside:
                self._separate(lines)
                self._take(flow)
            for k, item in enumerate(flow.aside):
                self._draft.parts += [Text("\n"), item] if k or parts else [item]
            return
        parents = self._path.enter(level, heading)
        self.first_heading = self.first_heading or heading
        if level == 1:
            self.first_title = self.first_title or heading
        self._draft = _Draft(heading, level, parents, self._slugs.make(heading))
        self._drafts.append(self._draft)
        self._draft.end = lines[1] if lines else None
        self._take(flow)
        for item in flow.aside:
            self._draft.parts += [Text("\n"), item]

    def _paragraph(self, tokens: Sequence[Token], n: int) -> int:
        """A paragraph, a term, or a heading inside something else."""
        inline = tokens[n + 1]
        if inline.content:
            lines = inline.map or tokens[n].map
            if lines is not None and lines[1] <= lines[0]:
                lines = [lines[0], lines[0] + 1]
            flow = self._leaf(lines)
            whole = tokens[n].map
            if whole is not None and self._draft.end is not None:
                self._draft.end = max(self._draft.end, whole[1])
            self._inlines.into(flow, inline.content)
            self._take(flow)
        return n + 3

    def _fence(self, tokens: Sequence[Token], n: int) -> int:
        """Code, verbatim, between fences that are longer than any in it; indented code gets fences as well."""
        token = tokens[n]
        info = " ".join(token.info.split()) if token.type == "fence" else ""
        if info.lower() == "math" and token.content.strip():
            self._item(Equation(token.content.strip(), source=self._source(token.map)), token.map)
            return n + 1
        flow = self._leaf(token.map)
        rest = self._rest_prefix()
        code = token.content.removesuffix("\n")
        longest = max((len(run) for run in _RUN.findall(code)), default=2)
        fence = "`" * (longest + 1 if longest >= 3 else 3)
        parts = self._draft.parts
        parts.append(Text(fence))
        if info:
            parts.append(Text(info, flow.source))
        parts.append(Text(f"\n{rest}"))
        if rest:
            for k, line in enumerate(code.split("\n")):
                if k:
                    parts.append(Text(f"\n{rest}"))
                parts.append(Text(line, flow.source))
        else:
            parts.append(Text(code, flow.source))
        parts.append(Text(f"\n{rest}{fence}"))
        return n + 1

    def _html_block(self, tokens: Sequence[Token], n: int) -> int:
        token = tokens[n]
        content = token.content
        lines = token.map or [0, 1]
        heading = None if token.level or self._containers or self._outer else _HTML_HEADING.match(content)
        if heading is not None:
            closing = f"</h{heading[1]}"
            end = content.lower().find(closing, heading.end())
            after = content.find(">", end) + 1 if end >= 0 else 0
            if after > 0:
                flow = Flow(self._pictures, self._source(lines), one_line=True)
                for piece in pieces(content[heading.end() : end]):
                    if piece.tag is not None:
                        flow.tag(piece.tag)
                    elif piece.kind == "text":
                        flow.text(re.sub(r"\s+", " ", piece.text))
                    else:
                        self._fragments.table(flow, piece.text)
                begin = content.count("\n", 0, after)
                self._begin_section(flow, int(heading[1]), [lines[0], lines[0] + begin + 1])
                content = content[after:]
                lines = [lines[0] + begin, lines[1]]
        flow = Flow(self._pictures, self._source(lines), prefix=self._rest_prefix())
        self._fragments.block(flow, content, lines[0] + self._offset, self._part)
        while flow.parts and type(last := flow.parts[-1]) is Text and not last.text.strip():
            flow.parts.pop()
        if flow.parts:
            self._separate(lines)
            prefix = self._prefix()
            if prefix:
                self._draft.parts.append(Text(prefix))
            self._take(flow)
        elif self._draft.end is not None and self._draft.end == lines[0]:
            # nothing to read stands there, such as a comment: the text around it is as far apart as before
            self._draft.end = lines[1]
        return n + 1

    def _math_block(self, tokens: Sequence[Token], n: int) -> int:
        token = tokens[n]
        extras: dict[str, Any] = {}
        if n + 2 < len(tokens) and tokens[n + 1].type == "paragraph_open":
            following = tokens[n + 2]
            if following.map and token.map and following.map[0] == token.map[1] - 1:
                number = _NUMBER.match(following.content)
                if number is not None:
                    extras["number"] = number[1]
        self._item(Equation(token.content, source=self._source(token.map), extras=extras), token.map)
        return n + 1

    def _table(self, tokens: Sequence[Token], n: int) -> int:
        rows: list[tuple[Cell, ...]] = []
        row: list[Cell] = []
        opening = tokens[n]
        labels: list[str] = []
        into = self._inlines.into
        source = Source(self._part)
        n += 1
        while tokens[n].type != "table_close":
            token = tokens[n]
            if token.type == "inline":
                if token.content:
                    flow = Flow(self._pictures, source)
                    into(flow, token.content)
                    self._draft.titles += flow.titles
                    if flow.parts:
                        row.append(Cell(merge_text(flow.parts) if len(flow.parts) > 1 else tuple(flow.parts)))
                    else:
                        row.append(_EMPTY)
                    if self._inlines.note_labels:
                        labels += self._inlines.note_labels
                        self._inlines.note_labels.clear()
                else:
                    row.append(_EMPTY)
            elif token.type == "tr_open":
                self._check()
                source = self._source(token.map)
            elif token.type == "tr_close":
                rows.append(tuple(row))
                row = []
            n += 1
        extras: dict[str, Any] = {}
        if "beyond" in opening.meta:
            beyond: list[tuple[int, list[str]]] = opening.meta["beyond"]
            extras["cells_beyond_columns"] = [[number, cells] for number, cells in beyond]
            for number, cells in beyond:
                line = (opening.map or [0])[0] + number + 1
                self._warn(
                    "table_cells_beyond_columns",
                    f"A row has more cells than the table has columns; not shown: {shorten(' | '.join(cells), 300)}",
                    self._source([line, line + 1]),
                )
        item = Table(rows=tuple(rows), header_rows=1, source=self._source(opening.map), extras=extras)
        self._item(item, opening.map)
        self._draft.labels += labels
        return n + 1

    # containers

    def _open_list(self, tokens: Sequence[Token], n: int) -> int:
        self._lists.append(_List(tokens[n].type == "ordered_list_open"))
        return n + 1

    def _close_list(self, tokens: Sequence[Token], n: int) -> int:
        self._lists.pop()
        return n + 1

    def _open_item(self, tokens: Sequence[Token], n: int) -> int:
        token = tokens[n]
        if self._lists and self._lists[-1].ordered:
            # the number that shows: counted from the first one, whatever the others say
            current = self._lists[-1]
            current.number = int(token.info) if current.number is None else current.number + 1
            label = f"{current.number}{token.markup} "
        else:
            label = "- "
        rest = " " * len(label)
        if tokens[n + 1].type == "paragraph_open" and (task := _TASK.match(tokens[n + 2].content)) is not None:
            label += "[ ] " if task[1] == " " else "[x] "
            tokens[n + 2].content = tokens[n + 2].content[task.end() :]
        self._containers.append(_Container(label, rest))
        if tokens[n + 1].type == "list_item_close":
            self._separate(token.map)
            self._draft.parts.append(Text(self._prefix().rstrip()))
        return n + 1

    def _open_quote(self, tokens: Sequence[Token], n: int) -> int:
        self._containers.append(_Container("> ", "> ", is_label=False))
        return n + 1

    def _open_definition(self, tokens: Sequence[Token], n: int) -> int:
        self._containers.append(_Container(": ", "  "))
        return n + 1

    def _close_container(self, tokens: Sequence[Token], n: int) -> int:
        self._containers.pop()
        return n + 1

    # notes

    def _open_note(self, tokens: Sequence[Token], n: int) -> int:
        token = tokens[n]
        label = str(token.meta["label"])
        note = _Draft()
        if label in self._definitions:
            self._warn(
                "footnote_defined_twice",
                f"The footnote [^{label}] is defined more than once; this definition stays in the text.",
                self._source(token.map),
            )
        else:
            self._definitions[label] = note
        self._draft.parts.append(_Definition(label, note, self._source(token.map)))
        self._outer.append((self._draft, self._containers, self._lists))
        self._draft, self._containers, self._lists = note, [], []
        return n + 1

    def _close_note(self, tokens: Sequence[Token], n: int) -> int:
        self._draft, self._containers, self._lists = self._outer.pop()
        return n + 1

    # finishing

    def _finish(self) -> tuple[Block, ...]:
        attached: set[str] = set()
        noted: list[list[str]] = []
        for draft in self._drafts:
            labels: list[str] = []
            queue = list(draft.labels)
            for label in queue:  # grows while it is walked: notes that notes call
                self._numbers.setdefault(label, str(len(self._numbers) + 1))
                if label in attached or label not in self._definitions:
                    continue
                attached.add(label)
                labels.append(label)
                queue += self._definitions[label].labels
            noted.append(labels)
        # a definition that nothing calls stays where it stands; what it calls is called from there
        blocks: list[Block] = []
        texts: dict[str, str] = {}
        for draft, labels in zip(self._drafts, noted, strict=True):
            self._check()
            parts = self._resolve(draft, attached, labels)
            notes: list[Note] = []
            for label in labels:
                note_parts = merge_text(self._number(self._resolve(self._definitions[label], attached, labels)))
                texts[label] = " ".join(plain_text(note_parts).split())
                notes.append(Note(self._numbers[label], note_parts))
            if draft.labels:
                parts = self._number(parts, texts)
            merged = merge_text(parts)
            if not notes and not any(type(part) is not Text or part.text.strip() for part in merged):
                continue
            position = Position("heading", anchor=draft.slug)
            titles = list(draft.titles)
            for label in labels:
                titles += self._definitions[label].titles
            extras: dict[str, Any] = {}
            if titles:
                extras["link_titles"] = [{"target": target, "title": title} for target, title in dict.fromkeys(titles)]
            blocks.append(
                Block(
                    draft.heading,
                    draft.level,
                    draft.parents,
                    merged,
                    tuple(notes),
                    positions=(position,),
                    extras=extras,
                )
            )
        return tuple(blocks)

    def _resolve(self, draft: _Draft, attached: set[str], labels: list[str]) -> list[Part]:
        """The parts of a draft, with uncalled definitions as text in their place."""
        parts: list[Part] = []
        stack: list[Any] = [iter(draft.parts)]
        while stack:
            part = next(stack[-1], None)
            if part is None:
                stack.pop()
                continue
            if not isinstance(part, _Definition):
                parts.append(part)
                continue
            label, note = part.label, part.draft
            if label in attached and self._definitions.get(label) is note:
                continue
            if self._definitions.get(label) is note:
                self._warn(
                    "footnote_not_called",
                    f"Nothing calls the footnote [^{label}]; its text stays where it is defined.",
                    part.source,
                )
            if parts:
                parts.append(Text("\n\n"))
            parts.append(Text(f"[^{label}]: ", part.source))
            if note.parts and type(opening := note.parts[0]) is Text and opening.source is None:
                parts.append(Text("\n"))  # a label stands at the beginning of a line
            if self._definitions.get(label) is note:
                self._in_text.add(label)
            for called in note.labels:
                known = called in self._definitions and called not in self._in_text
                if known and called not in attached:
                    attached.add(called)
                    labels.append(called)
                self._numbers.setdefault(called, str(len(self._numbers) + 1))
            draft.labels += note.labels
            draft.titles += note.titles
            stack.append(iter(note.parts))
        return parts

    def _number(self, parts: Sequence[Part], texts: dict[str, str] | None = None) -> list[Part]:
        """Labels of note calls become numbers; a table tells the text of the notes that its cells call."""
        numbered: list[Part] = []
        for part in parts:
            if type(part) is NoteRef:
                if part.mark in self._in_text:
                    part = Text(f"[^{part.mark}]", part.source)
                else:
                    part = NoteRef(self._numbers.get(part.mark, part.mark), part.source)
            elif isinstance(part, Table) and part.rows:
                part = self._number_cells(part, texts or {})
            numbered.append(part)
        return numbered

    def _number_cells(self, table: Table, texts: dict[str, str]) -> Table:
        called: list[str] = []
        rows: list[tuple[Cell | None, ...]] = []
        for row in table.rows:
            cells: list[Cell | None] = []
            for cell in row:
                if cell is not None and any(type(part) is NoteRef for part in cell.parts):
                    called += [part.mark for part in cell.parts if type(part) is NoteRef]
                    cell = msgspec.structs.replace(cell, parts=tuple(self._number(cell.parts)))
                cells.append(cell)
            rows.append(tuple(cells))
        if not called:
            return table
        footnotes = tuple(texts[label] for label in dict.fromkeys(called) if label in texts)
        return msgspec.structs.replace(table, rows=tuple(rows), footnotes=footnotes)


class _List:
    """A list that is open."""

    __slots__ = ("number", "ordered")

    def __init__(self, ordered: bool) -> None:
        self.ordered = ordered
        self.number: int | None = None


_EMPTY = Cell()
