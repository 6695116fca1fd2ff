"""Comments: who said what when, and about which text (ISO 29500-1, 17.13.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lrdoc.document import Anchor, Block, Mark, Part, Position
from lrdoc.parsers.docx.names import PARAID, W15, W
from lrdoc.parsers.docx.state import Line, Reader


@dataclass(frozen=True, slots=True)
class Comment:
    """One w:comment."""

    id: str
    """Its w:id, behind the place of the document when that is embedded in another."""
    element: Any
    part: str
    number: int
    """Place among the comments of the part, from 1."""
    author: str = ""
    date: str = ""
    initials: str = ""
    answers: str = ""
    """Id of the comment to which this one is a reply."""
    is_done: bool = False

    def extras(self) -> dict[str, Any]:
        values = {
            "id": self.id,
            "author": self.author,
            "date": self.date,
            "initials": self.initials,
            "answers": self.answers,
            "done": self.is_done,
        }
        return {key: value for key, value in values.items() if value}


@dataclass(slots=True)
class _Comments:
    reader: Reader
    by_id: dict[str, Comment]
    ranges: set[str] = field(default_factory=set)
    """Comments whose range of text was met."""
    placed: set[str] = field(default_factory=set)
    """Comments that were read into the body."""
    waiting: list[tuple[Line, Comment]] = field(default_factory=list)
    is_reading: bool = False


def comment_mark(reader: Reader, comment_id: str) -> Mark:
    """The mark of the text that a comment is about."""
    known = _comments(reader)
    known.ranges.add(comment_id)
    comment = known.by_id.get(comment_id)
    target = reader.package.prefix + comment_id
    return Mark("comment", target, comment.author, comment.date) if comment else Mark("comment", target)


def read_reference(line: Line, element: Any) -> None:
    """Read a w:commentReference: the point where a comment is anchored, at the end of its range if it has one."""
    reader = line.reader
    place = reader.options.comments
    comment_id = element.get(W + "id") or ""
    if place == "drop":
        return
    known = _comments(reader)
    comment = known.by_id.get(comment_id)
    if comment is None:
        return
    if comment_id not in known.ranges:
        line.add(Anchor(f"comment-{reader.package.prefix}{comment_id}"))
    if place == "body" and comment_id not in known.placed:
        known.placed.add(comment_id)
        known.waiting.append((line, comment))
        if not known.is_reading:
            known.is_reading = True
            while known.waiting:
                target, next_comment = known.waiting.pop(0)
                target.after(_read(reader, next_comment))
            known.is_reading = False


def comment_regions(reader: Reader) -> list[Block]:
    """All comments as regions, in the order of their part; those of embedded documents come last."""
    outer = _comments(reader)
    blocks: list[Block] = []
    for known in [outer, *(each for each in _all_comments(reader).values() if each is not outer)]:
        for comment in known.by_id.values():
            reader.called_notes.clear()
            parts = _read(known.reader, comment)
            if parts:
                notes = tuple(reader.called_notes)
                reader.called_notes.clear()
                extras = comment.extras()
                blocks.append(
                    Block(parts=parts, notes=notes, region="comment", positions=(Position("paraid"),), extras=extras)
                )
    return blocks


def _read(reader: Reader, comment: Comment) -> tuple[Part, ...]:
    return reader.read_blocks(comment.element, comment.part, f"comments/comment[{comment.number}]")


def _all_comments(reader: Reader) -> dict[str, _Comments]:
    """Comments by the prefix of their package, of this document and of those embedded in it that have some."""
    known: dict[str, _Comments] = reader.shared.setdefault("comments", {})
    return known


def _comments(reader: Reader) -> _Comments:
    known = _all_comments(reader)
    prefix = reader.package.prefix
    if prefix not in known:
        known[prefix] = _Comments(reader, _find(reader))
    return known[prefix]


def _find(reader: Reader) -> dict[str, Comment]:
    package = reader.package
    part = package.related(package.main, "comments")
    root = package.xml(part) if part is not None else None
    if root is None or part is None:
        return {}
    threads = _threads(reader)
    found: dict[str, Comment] = {}
    by_paraid: dict[str, str] = {}
    elements = list(root.iterchildren(W + "comment"))
    for element in elements:
        for paraid in _paraids(element):
            by_paraid[paraid] = element.get(W + "id") or ""
    for number, element in enumerate(elements, 1):
        reader.context.check()
        comment_id = element.get(W + "id") or ""
        # Threads are kept by the last paragraph of a comment.
        thread = next((threads[paraid] for paraid in reversed(_paraids(element)) if paraid in threads), None)
        found.setdefault(
            comment_id,
            Comment(
                package.prefix + comment_id,
                element,
                part,
                number,
                element.get(W + "author") or "",
                element.get(W + "date") or "",
                element.get(W + "initials") or "",
                package.prefix + by_paraid[thread[0]] if thread is not None and thread[0] in by_paraid else "",
                thread is not None and thread[1],
            ),
        )
    return found


def _paraids(element: Any) -> list[str]:
    return [paragraph.get(PARAID) for paragraph in element.iter(W + "p") if paragraph.get(PARAID)]


def _threads(reader: Reader) -> dict[str, tuple[str, bool]]:
    """By paragraph id: (paragraph id of the comment that is answered, marked as done)."""
    package = reader.package
    part = package.related(package.main, "commentsExtended")
    root = package.xml(part) if part is not None else None
    if root is None:
        return {}
    return {
        element.get(W15 + "paraId") or "": (
            element.get(W15 + "paraIdParent") or "",
            (element.get(W15 + "done") or "0") in ("1", "true"),
        )
        for element in root.iter(W15 + "commentEx")
    }
