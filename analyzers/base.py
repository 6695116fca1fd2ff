"""What the analysis makes of one item, and the three kinds of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lrdoc.errors import LrdocError

Status = Literal["success", "skipped", "failure"]


class AnalysisError(LrdocError):
    """The analysis of a document failed; what was answered before is kept."""


class ItemFailure(Exception):
    """One item cannot be analysed, which fails the document."""


class ItemSkipped(Exception):
    """One item is passed over; the document goes on."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of items: where it is kept, who explains it, and what the answer holds."""

    option: str
    """Letter of the processing options."""
    root: str
    """Root key of the item file: tables."""
    name: str
    """Word for a single one in messages, chunk ids and prompts: table."""
    role: str
    fields: tuple[str, ...]
    """Fields of the answer."""

    @property
    def label(self) -> str:
        """How messages name an item of this kind, before its id."""
        return "drawings" if self.name == "drawing" else self.name


DRAWINGS = Kind("i", "drawings", "drawing", "vlm", ("name", "type", "description"))
TABLES = Kind("t", "tables", "table", "extract", ("name", "description"))
EQUATIONS = Kind("e", "equations", "equation", "extract", ("name", "description", "equation"))
KINDS = (DRAWINGS, TABLES, EQUATIONS)
"""In the order in which they are analysed."""

IMAGE_TYPES = (
    "Photo",
    "Illustration",
    "Screenshot",
    "Icon",
    "Chart",
    "Table",
    "Infographic",
    "Flowchart",
    "Chat Log",
    "Wireframe",
    "Texture",
    "Other",
)


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of an item file, as far as the analysis needs it."""

    id: str
    kind: Kind
    data: Mapping[str, Any]
    """The entry as it stands in the file."""

    @property
    def content(self) -> str:
        value = self.data.get("content")
        return value if isinstance(value, str) else ""

    @property
    def caption(self) -> str:
        value = self.data.get("caption")
        return value if isinstance(value, str) else ""

    @property
    def footnotes(self) -> tuple[str, ...]:
        value = self.data.get("footnotes")
        return tuple(str(note) for note in value) if isinstance(value, list) else ()

    @property
    def is_explained(self) -> bool:
        """Whether an earlier analysis succeeded."""
        result = self.data.get("llm_analyze_result")
        return isinstance(result, Mapping) and result.get("status") == "success"

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings above the item, outermost first, its own last. Nested and flat form are read."""
        heading, parents = self.data.get("heading"), self.data.get("parent_headings")
        if isinstance(heading, Mapping):
            parents, heading = heading.get("parent_headings"), heading.get("heading")
        words = [str(parent) for parent in parents] if isinstance(parents, list) else []
        if isinstance(heading, str) and heading:
            words.append(heading)
        return tuple(words)

    @property
    def heading_dict(self) -> dict[str, Any]:
        """The heading as chunks carry it."""
        heading = self.data.get("heading")
        if isinstance(heading, Mapping):
            return {
                "level": heading.get("level", 0),
                "heading": heading.get("heading", ""),
                "parent_headings": list(heading.get("parent_headings") or ()),
            }
        level = self.data.get("level")
        return {
            "level": level if isinstance(level, int) else 0,
            "heading": heading if isinstance(heading, str) else "",
            "parent_headings": list(self.data.get("parent_headings") or ()),
        }

    def failure(self, reason: str) -> ItemFailure:
        return ItemFailure(f"{self.kind.label}/{self.id}: {reason}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one item."""

    status: Status
    message: str = ""
    fields: Mapping[str, str] | None = None
    cache_id: str = ""

    def result(self, now: int) -> dict[str, Any]:
        """`llm_analyze_result` as the format has it; `now` in seconds since 1970."""
        if self.status != "success":
            return {"analyze_time": now, "status": self.status, "message": self.message}
        return {**(self.fields or {}), "analyze_time": now, "status": "success", "message": ""}
