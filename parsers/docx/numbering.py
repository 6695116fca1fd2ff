"""List labels as Word shows them (ISO 29500-1, 17.9).

`Numbering` holds the definitions of word/numbering.xml and the counters of one story. Counters belong to the abstract
list: two `w:num` of the same abstract list go on counting, unless an override says where to start; that holds once,
when the `w:num` is first used at that level.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from lrdoc.document import ParseWarning, Source
from lrdoc.parsers.docx.branches import choose_branch
from lrdoc.parsers.docx.names import MC, VAL, W
from lrdoc.parsers.docx.numformats import Formatter, find_format
from lrdoc.parsers.docx.styles import is_on

Suffix = Literal["tab", "space", "nothing"]
Element = Any
"""An lxml element. lxml's stubs make every attribute optional, which buries the code in casts."""

LEVELS = 9
_MAX_LIST_DEPTH = 8
"""How many numStyleLink steps are followed."""
_MAX_ABS_VALUE = 2**31 - 1
_PLACEHOLDER = re.compile(r"%([1-9])")
_SYMBOL_FONTS = (
    "symbol",
    "wingdings",
    "webdings",
    "courier new",
    "zapfdingbats",
    "opensymbol",
    "starsymbol",
    "marlett",
)
_DECIMAL: Formatter = str


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before the text of a numbered paragraph."""

    text: str
    """The label alone ("2.1", "a)"); "-" for a bullet."""
    suffix: Suffix
    """What separates label and text."""
    is_bullet: bool
    level: int
    """Nesting depth from 0."""

    @property
    def prefix(self) -> str:
        """The label with its separator, ready to stand before the text: "2.1 ", "- "."""
        return self.text if self.suffix == "nothing" and not self.is_bullet else f"{self.text} "


@dataclass(frozen=True, slots=True)
class Level:
    """One `w:lvl`."""

    start: int = 0
    format: str = "decimal"
    formatter: Formatter = _DECIMAL
    text: str = ""
    suffix: Suffix = "tab"
    is_legal: bool = False
    restart: int | None = None
    """lvlRestart: None: after any level above; 0: never; n: after level n (from 1) or one above it."""
    is_bullet: bool = False
    is_hidden: bool = False
    """The number is formatted as hidden text."""


@dataclass(slots=True)
class AbstractList:
    """One `w:abstractNum`."""

    levels: dict[int, Level] = field(default_factory=dict)
    style_levels: dict[str, int] = field(default_factory=dict)
    """Style id of `w:pStyle` to the level it is linked with."""
    style_link: str = ""
    num_style_link: str = ""


@dataclass(slots=True)
class ListInstance:
    """One `w:num`."""

    abstract_id: str
    overrides: dict[int, Level] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)
    """startOverride by level."""
    style_levels: dict[str, int] = field(default_factory=dict)


class StyleChains(Protocol):
    def chain(self, style_id: str | None) -> Iterable[Element]:
        """The `w:style` element of the id, then those it is based on, nearest first; loops end."""


@dataclass(slots=True)
class _Counters:
    values: dict[int, int] = field(default_factory=dict)
    used_overrides: set[tuple[str, int]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _StyleNumbering:
    num_id: str | None
    levels: tuple[tuple[str, str | None], ...]
    """(style id, its own ilvl) along the chain, nearest first."""


class Numbering:
    """Definitions of all lists and the counters of one story (body, one header, one comment)."""

    def __init__(self, styles: StyleChains | None = None) -> None:
        self._styles = styles
        self._abstracts: dict[str, AbstractList] = {}
        self._instances: dict[str, ListInstance] = {}
        self._style_numbering: dict[str, _StyleNumbering] = {}
        self._resolved: dict[tuple[str | None, str | None, str | None], tuple[str, int] | None] = {}
        self._counters: dict[str, _Counters] = {}
        self._plans: dict[tuple[str, int], tuple[Level, dict[int, Level], str] | None] = {}
        self._warnings: dict[str, ParseWarning] = {}
        self._part = "word/numbering.xml"

    @classmethod
    def read(
        cls,
        root: Element | None,
        styles: StyleChains | None,
        part: str = "word/numbering.xml",
        look: Callable[[], None] | None = None,
    ) -> Numbering:
        """Read `w:numbering`. A bad value costs that value, a level without a number its own place in the order.

        `look` is called now and then (`ParseContext.check`).
        """
        numbering = cls(styles)
        numbering._part = part
        if root is None:
            return numbering
        for child in root.iterchildren(W + "abstractNum", W + "num"):
            if look is not None:
                look()
            if child.tag == W + "abstractNum":
                key = child.get(W + "abstractNumId")
                if key is not None and key.strip() not in numbering._abstracts:
                    numbering._abstracts[key.strip()] = numbering._read_abstract(child)
            else:
                key = child.get(W + "numId")
                if key is not None and key.strip() not in numbering._instances:
                    instance = numbering._read_instance(child)
                    if instance is not None:
                        numbering._instances[key.strip()] = instance
        return numbering

    def fresh(self) -> Numbering:
        """The same definitions with counters of their own, for a story beside the body."""
        other = Numbering(self._styles)
        other._abstracts = self._abstracts
        other._instances = self._instances
        other._style_numbering = self._style_numbering
        other._resolved = self._resolved
        other._plans = self._plans
        other._warnings = self._warnings
        other._part = self._part
        return other

    @property
    def warnings(self) -> tuple[ParseWarning, ...]:
        """What could not be read, once per kind."""
        return tuple(self._warnings.values())

    # -- which list a paragraph belongs to

    def resolve(self, ppr: Element | None, style_id: str | None) -> tuple[str, int] | None:
        """(numId, level) of a paragraph with these properties; None: it is not numbered.

        numId and ilvl are taken separately from the paragraph, else from its style chain. A style's level is the one
        that the list links with it (`w:pStyle`), else its own ilvl (17.9.23).
        """
        num_id, ilvl = _own_numbering(ppr)
        return self.resolve_values(num_id, ilvl, style_id)

    def resolve_values(self, num_id: str | None, ilvl: str | None, style_id: str | None) -> tuple[str, int] | None:
        """`resolve` for a paragraph whose own w:numPr holds these values (None: it does not say)."""
        key = (num_id, ilvl, style_id)
        if key not in self._resolved:
            self._resolved[key] = self._resolve_values(num_id, ilvl, style_id)
        return self._resolved[key]

    def _resolve_values(self, num_id: str | None, ilvl: str | None, style_id: str | None) -> tuple[str, int] | None:
        style = self._of_style(style_id) if style_id else None
        if num_id is None:
            if style is None or style.num_id is None:
                return None
            num_id = style.num_id
        instance = self._instances.get(num_id)
        if instance is None:
            return None
        level = _to_int(ilvl)
        if level is None and style is not None:
            level = self._style_level(instance, style)
        return num_id, min(max(level or 0, 0), LEVELS - 1)

    def _of_style(self, style_id: str) -> _StyleNumbering | None:
        cached = self._style_numbering.get(style_id)
        if cached is not None:
            return cached
        if self._styles is None:
            return None
        num_id: str | None = None
        levels: list[tuple[str, str | None]] = []
        for style in self._styles.chain(style_id):
            own_num, own_level = _own_numbering(style.find(W + "pPr"))
            if num_id is None:
                num_id = own_num
            levels.append((style.get(W + "styleId") or "", own_level))
        found = _StyleNumbering(num_id, tuple(levels))
        self._style_numbering[style_id] = found
        return found

    def _style_level(self, instance: ListInstance, style: _StyleNumbering) -> int | None:
        abstract = self._definition(instance.abstract_id)
        for style_id, own_level in style.levels:
            linked = instance.style_levels.get(style_id)
            if linked is None and abstract is not None:
                linked = abstract.style_levels.get(style_id)
            if linked is not None:
                return linked
            level = _to_int(own_level)
            if level is not None:
                return level
        return None

    # -- labels

    def label(self, num_id: str, ilvl: int) -> Label | None:
        """Count one paragraph of the list and give its label; None when nothing is shown."""
        key = (num_id, ilvl)
        if key not in self._plans:
            self._plans[key] = self._plan(num_id, ilvl)
        plan = self._plans[key]
        if plan is None:
            return None
        level, levels, abstract_id = plan
        counters = self._counters.get(abstract_id)
        if counters is None:
            counters = self._counters[abstract_id] = _Counters()
        self._count(counters, num_id, ilvl, levels)
        if level.is_hidden:
            return None
        if level.is_bullet:
            return Label("-", "space", True, ilvl)
        text = self._render(level, ilvl, levels, counters.values)
        return Label(text, level.suffix, False, ilvl) if text.strip() else None

    def _plan(self, num_id: str, ilvl: int) -> tuple[Level, dict[int, Level], str] | None:
        instance = self._instances.get(num_id)
        if instance is None:
            return None
        abstract = self._definition(instance.abstract_id)
        levels = dict(abstract.levels) if abstract is not None else {}
        levels.update(instance.overrides)
        level = levels.get(ilvl)
        if level is None:
            return None
        return level, levels, instance.abstract_id

    def _definition(self, abstract_id: str) -> AbstractList | None:
        """The abstract list itself, or the one that its numbering style stands for (17.9.21)."""
        abstract = self._abstracts.get(abstract_id)
        for _ in range(_MAX_LIST_DEPTH):
            if abstract is None or not abstract.num_style_link or abstract.levels:
                return abstract
            link = abstract.num_style_link
            target: AbstractList | None = None
            style = self._of_style(link)
            instance = self._instances.get(style.num_id) if style is not None and style.num_id is not None else None
            if instance is not None:
                target = self._abstracts.get(instance.abstract_id)
            if target is None or target is abstract:
                target = next((a for a in self._abstracts.values() if a.style_link == link and a.levels), None)
            abstract = target
        return abstract

    def _count(self, counters: _Counters, num_id: str, ilvl: int, levels: dict[int, Level]) -> None:
        values = counters.values
        instance = self._instances[num_id]
        for above in range(ilvl):
            # A level that was skipped counts as used once: "1.1" without a "1" before it.
            if above not in values:
                values[above] = self._start(instance, above, levels)
                counters.used_overrides.add((num_id, above))
        override = instance.starts.get(ilvl)
        if override is not None and (num_id, ilvl) not in counters.used_overrides:
            counters.used_overrides.add((num_id, ilvl))
            values[ilvl] = override
        elif ilvl in values:
            values[ilvl] += 1
        else:
            values[ilvl] = self._start(instance, ilvl, levels)
        for deeper in [level for level in values if level > ilvl]:
            definition = levels.get(deeper)
            restart = definition.restart if definition is not None else None
            if restart is None or restart > deeper or ilvl < restart:
                del values[deeper]

    @staticmethod
    def _start(instance: ListInstance, ilvl: int, levels: dict[int, Level]) -> int:
        start = instance.starts.get(ilvl)
        if start is not None:
            return start
        level = levels.get(ilvl)
        return level.start if level is not None else 1

    @staticmethod
    def _render(level: Level, ilvl: int, levels: dict[int, Level], values: dict[int, int]) -> str:
        def number(match: re.Match[str]) -> str:
            index = int(match[1]) - 1
            if index > ilvl or index not in values:
                return ""
            definition = levels.get(index)
            formatter = definition.formatter if definition is not None else _DECIMAL
            if level.is_legal and definition is not None and definition.format not in ("decimalZero", "none"):
                formatter = _DECIMAL
            return formatter(values[index])

        text = _PLACEHOLDER.sub(number, level.text)
        if level.format == "none" and not any(character.isalnum() for character in text):
            # The dot behind a number that is not there is no label.
            return ""
        return text

    # -- reading

    def _read_abstract(self, element: Element) -> AbstractList:
        abstract = AbstractList(
            style_link=_value(element.find(W + "styleLink")) or "",
            num_style_link=_value(element.find(W + "numStyleLink")) or "",
        )
        for position, level in enumerate(element.iterchildren(W + "lvl")):
            self._read_level(level, position, abstract.levels, abstract.style_levels)
        return abstract

    def _read_instance(self, element: Element) -> ListInstance | None:
        abstract_id = _value(element.find(W + "abstractNumId"))
        if abstract_id is None:
            return None
        instance = ListInstance(abstract_id)
        for position, override in enumerate(element.iterchildren(W + "lvlOverride")):
            ilvl = _level_number(override, position)
            for start in override.iterchildren(W + "startOverride"):
                value = _to_int(_value(start))
                if value is not None:
                    instance.starts[ilvl] = value
            for level in override.iterchildren(W + "lvl"):
                self._read_level(level, ilvl, instance.overrides, instance.style_levels)
        return instance

    def _read_level(self, element: Element, position: int, levels: dict[int, Level], styles: dict[str, int]) -> None:
        ilvl = _level_number(element, position)
        if ilvl >= LEVELS or ilvl in levels:
            return
        found: dict[str, Element] = {}
        for child in _level_children(element):
            found.setdefault(child.tag, child)
        start = _to_int(_value(found.get(W + "start")))
        number_format = found.get(W + "numFmt")
        name = _value(number_format) or "decimal"
        pattern = (number_format.get(W + "format") or "") if number_format is not None else ""
        formatter = find_format(name, pattern)
        if formatter is None:
            self._warn(
                f"format:{name}:{pattern}",
                "unknown_number_format",
                f"the list number format {pattern or name!r} is not known; its labels are written in decimal digits",
            )
            formatter = _DECIMAL
        text_element = found.get(W + "lvlText")
        # Blanks in the text of a level count.
        text = (text_element.get(VAL) or "") if text_element is not None and not _is_null(text_element) else ""
        is_picture = W + "lvlPicBulletId" in found
        suffix = _value(found.get(W + "suff"))
        style_id = _value(found.get(W + "pStyle"))
        if style_id and style_id not in styles:
            styles[style_id] = ilvl
        properties = found.get(W + "rPr")
        levels[ilvl] = Level(
            start=0 if start is None else start,
            format=name,
            formatter=formatter,
            text=text,
            suffix="space" if suffix == "space" else "nothing" if suffix == "nothing" else "tab",
            is_legal=is_on(found.get(W + "isLgl")),
            restart=_to_int(_value(found.get(W + "lvlRestart"))),
            is_bullet=is_picture or (name == "bullet" and _is_bullet_text(text, properties)),
            is_hidden=properties is not None and is_on(properties.find(W + "vanish")),
        )

    def _warn(self, key: str, code: str, message: str) -> None:
        self._warnings.setdefault(key, ParseWarning(code, message, Source(part=self._part)))


def _is_bullet_text(text: str, properties: Element | None) -> bool:
    """Whether a bullet level shows a sign. A word ("Note:") is a label of its own, an empty text shows nothing."""
    if not text.strip():
        return False
    if sum(char.isalnum() for char in text) < 2:
        return True
    fonts = properties.find(W + "rFonts") if properties is not None else None
    names = [str(value).lower() for value in fonts.attrib.values()] if fonts is not None else []
    return any(name.startswith(_SYMBOL_FONTS) for name in names)


def _level_children(element: Element) -> Iterator[Element]:
    """Children of a `w:lvl`; of an AlternateContent, where Word puts custom formats, the branch that is read."""
    for child in element:
        if child.tag != MC + "AlternateContent":
            yield child
        elif (branch := choose_branch(child)) is not None:
            yield from branch


def _level_number(element: Element, position: int) -> int:
    level = _to_int(element.get(W + "ilvl"))
    return level if level is not None and level >= 0 else position


def _own_numbering(properties: Element | None) -> tuple[str | None, str | None]:
    """(numId, ilvl) of a w:pPr, None for what it does not say."""
    found = properties.find(W + "numPr") if properties is not None else None
    return (_value(found.find(W + "numId")), _value(found.find(W + "ilvl"))) if found is not None else (None, None)


def _value(element: Element | None) -> str | None:
    """The `w:val` of an element without surrounding blanks."""
    value: str | None = element.get(VAL) if element is not None else None
    return value.strip() if value is not None else None


def _is_null(text: Element) -> bool:
    """Whether a w:lvlText says that it has none."""
    return (text.get(W + "null") or "0").strip().lower() in ("1", "true", "on")


def _to_int(value: str | None) -> int | None:
    """A number of the file, None when it is none or beyond 32 bits."""
    if value is None or len(value) > 12:
        return None
    try:
        number = int(value)
    except ValueError:
        return None
    return number if abs(number) <= _MAX_ABS_VALUE else None
