"""Charts: the cached titles, series, categories and values as lines and a table (ISO 29500-1, 21.2).

A chart becomes a Drawing in its line and, after the paragraph, its title, other texts that it shows, and a table with
one row for each category and one column for each series. The newer charts (cx) are read into the same form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lrdoc.document import Cell, Drawing, Source, Table, Text
from lrdoc.parsers.docx.branches import choose_branch
from lrdoc.parsers.docx.media import store_file
from lrdoc.parsers.docx.names import MC, A, C, R, local_name
from lrdoc.parsers.docx.state import Line, Reader

CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"

_NOT_SHOWN = frozenset(
    (C + "extLst", CX + "extLst", A + "extLst", C + "errBars", C + "f", CX + "f", C + "formatCode", C + "externalData")
)
_STEPS = frozenset(
    "title ser series cat val xVal yVal bubbleSize tx lvl pt dLbl trendline data strDim numDim legend p v".split()
)
"""Elements that make a step of a place; the others are wrappers."""
_LONG_NUMBER = re.compile(r"-?\d{1,9}\.\d{12,20}")
"""A binary fraction written out: 4.4000000000000004 is what Word shows as 4.4."""
_LOOK_EVERY = 1_000
"""Points between two looks whether to go on; some milliseconds."""
_SPARSE = 4
"""A grid with more positions than this many per point is written as a list."""


@dataclass(frozen=True, slots=True)
class _String:
    """One text of the chart with its place."""

    text: str
    source: Source
    element: Any

    def part(self) -> Text:
        return Text(self.text, self.source)


Points = dict[int, _String]


def _go_on() -> None:
    """Nobody wants to stop the work."""


@dataclass(slots=True)
class _Series:
    name: _String | None = None
    categories: list[Points] = field(default_factory=list)
    """Levels of the categories, outermost first; usually one."""
    values: list[Points] = field(default_factory=list)
    """Values, and sizes of bubbles."""


@dataclass(slots=True)
class _Chart:
    strings: dict[Any, _String]
    """All texts that are shown, by element, in the order of the file."""
    look: Callable[[], None] = _go_on
    kind: str = ""
    series: list[_Series] = field(default_factory=list)
    titles: list[Any] = field(default_factory=list)
    """Title elements of the chart itself."""
    category_titles: list[Any] = field(default_factory=list)
    """Title elements of the axes along which the categories stand."""
    axis_titles: list[Any] = field(default_factory=list)


def read_chart(line: Line, rel_id: str | None, extras: dict[str, Any]) -> None:
    """Read the chart that a relationship of the current part leads to; its parts are added to the line."""
    reader = line.reader
    package = reader.package
    rel = package.rel(line.walk.part, rel_id)
    root = package.xml(rel.target) if rel is not None and not rel.external else None
    if rel is None or root is None:
        reader.warn("chart_missing", "A chart has no readable part in the package; its data are missing", line.source)
        line.add(Drawing(source=line.source, extras=extras))
        return
    part = rel.target
    known = reader.shared.setdefault("charts", set())
    is_new = (package.prefix, part) not in known
    known.add((package.prefix, part))
    chart = _read(root, package.prefix + part, reader.context.check)
    title = _title(chart)
    extras = {**extras, "chart": package.prefix + part}
    if chart.kind:
        extras["chart_type"] = chart.kind
    if title and "title" not in extras:
        extras["title"] = title
    embedded = _workbook(line, root, part)
    if embedded:
        extras["embedded"] = embedded
    line.add(Drawing(source=line.source, extras=extras))
    if not is_new:
        # Shown again: its texts stand where it was met first.
        return
    facts: dict[str, Any] = {key: extras[key] for key in ("chart", "chart_type") if key in extras}
    axes = [" ".join(string.text for string in _strings_in(chart, element)) for element in chart.axis_titles]
    if any(axes):
        facts["axis_titles"] = [axis for axis in axes if axis]
    for item in _lines(chart, title, Source(package.prefix + part, "chart"), facts):
        line.after([item])
    for shapes in _user_shapes(reader, part):
        line.after([shapes.part()])
    if not chart.strings:
        reader.warn("chart_without_data", "A chart holds no cached data, so the output has none either", line.source)


def chart_parts(root: Any, part: str) -> Iterator[Text | Table]:
    """What a chart says, for readers of other packages: its title and other texts, then the table of its data."""
    chart = _read(root, part)
    return _lines(chart, _title(chart), Source(part, "chart"), {})


def shape_texts(root: Any, part: str) -> Iterator[Text]:
    """Texts of the shapes that were drawn into a chart."""
    return (string.part() for string in _strings(root, part).values())


def _workbook(line: Line, root: Any, part: str) -> dict[str, str] | None:
    """The workbook behind the chart, stored as an asset."""
    data = next(root.iter(C + "externalData", CX + "externalData"), None)
    rel = line.reader.package.rel(part, data.get(R + "id")) if data is not None else None
    if rel is None:
        return None
    if rel.external:
        return {"target": rel.raw}
    asset = store_file(line.reader, rel.target, line.source)
    return {"name": rel.target.rpartition("/")[2], "asset": asset.name} if asset is not None else None


def _user_shapes(reader: Reader, part: str) -> Iterator[_String]:
    """Texts of shapes that were drawn into a chart; they stand in a part of their own."""
    target = reader.package.related(part, "chartUserShapes")
    root = reader.package.xml(target) if target is not None else None
    if root is not None and target is not None:
        yield from _strings(root, reader.package.prefix + target).values()


# Reading ------------------------------------------------------------------------------------------------------------


def _read(root: Any, part: str, look: Callable[[], None] = _go_on) -> _Chart:
    """`look` is called now and then (`ParseContext.check`)."""
    chart = _Chart(_strings(root, part, look), look)
    if root.tag.startswith(CX):
        _read_extended(root, chart)
        return chart
    plot: Any | None = None
    for element in root.iterchildren(C + "chart"):
        chart.titles += element.iterchildren(C + "title")
        plot = element.find(C + "plotArea")
    for element in plot if plot is not None else ():
        name = local_name(element.tag)
        if name.endswith("Chart"):
            chart.kind = chart.kind or name
            chart.series += [_series(chart, ser) for ser in element.iterchildren(C + "ser")]
        elif name.endswith("Ax"):
            titles = list(element.iterchildren(C + "title"))
            position = element.find(C + "axPos")
            chart.axis_titles += titles
            if name in ("catAx", "dateAx") or (
                name == "valAx" and position is not None and position.get("val") in ("b", "t")
            ):
                chart.category_titles += titles
    if any(local_name(axis.tag) in ("catAx", "dateAx") for axis in (plot if plot is not None else ())):
        chart.category_titles = [t for t in chart.category_titles if local_name(t.getparent().tag) != "valAx"]
    return chart


def _series(chart: _Chart, ser: Any) -> _Series:
    series = _Series()
    for element in ser:
        name = local_name(element.tag)
        if name == "tx":
            series.name = next(_strings_in(chart, element), None)
        elif name in ("cat", "xVal"):
            levels = [_points(chart, level) for level in element.iter(C + "lvl")]
            series.categories = levels[::-1] if levels else [_points(chart, element)]
        elif name in ("val", "yVal"):
            series.values.insert(0, _points(chart, element))
        elif name == "bubbleSize":
            series.values.append(_points(chart, element))
    series.categories = [points for points in series.categories if points]
    series.values = [points for points in series.values if points]
    return series


def _read_extended(root: Any, chart: _Chart) -> None:
    """cx:chartSpace: data stand apart from the series that show them."""
    data: dict[str, _Series] = {}
    for element in root.iter(CX + "data"):
        found = _Series()
        for dimension in element:
            levels = [points for points in (_points(chart, level) for level in dimension.iter(CX + "lvl")) if points]
            if dimension.tag == CX + "strDim":
                found.categories += levels[::-1]
            elif dimension.tag == CX + "numDim":
                found.values += levels
        data[element.get("id") or ""] = found
    for element in root.iter(CX + "title"):
        is_axis = local_name(element.getparent().tag) == "axis"
        (chart.axis_titles if is_axis else chart.titles).append(element)
    for element in root.iter(CX + "series"):
        chart.kind = chart.kind or element.get("layoutId") or ""
        data_id = element.find(CX + "dataId")
        found = data.pop(data_id.get("val") or "", _Series()) if data_id is not None else _Series()
        label = element.find(CX + "tx")
        if label is not None:
            found.name = next(_strings_in(chart, label), None)
        chart.series.append(found)
    chart.series += data.values()


def _points(chart: _Chart, container: Any) -> Points:
    """Texts of the points in a cache by their index."""
    points: Points = {}
    for number, element in enumerate(container.iter(C + "pt", CX + "pt")):
        if not number % _LOOK_EVERY:
            chart.look()
        string = next(_strings_in(chart, element), None)
        if string is not None:
            points.setdefault(_index(element, len(points)), string)
    return points


def _title(chart: _Chart) -> str:
    return " ".join(string.text for element in chart.titles for string in _strings_in(chart, element))


def _index(element: Any, default: int) -> int:
    value = element.get("idx") or ""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default


def _strings_in(chart: _Chart, element: Any) -> Iterator[_String]:
    for node in element.iter():
        string = chart.strings.get(node)
        if string is not None:
            yield string


def _strings(root: Any, part: str, look: Callable[[], None] = _go_on) -> dict[Any, _String]:
    """All texts that the chart shows, by the element that holds them."""
    found: dict[Any, _String] = {}
    stack: list[tuple[Iterator[Any], str, dict[str, int]]] = [(iter((root,)), "chart", {})]
    while stack:
        children, path, counts = stack[-1]
        for child in children:
            tag = child.tag
            if tag in _NOT_SHOWN or not isinstance(tag, str):
                continue
            if tag == CX + "txPr" and _says_itself(child):
                continue
            if tag == MC + "AlternateContent":
                branch = choose_branch(child)
                if branch is not None:
                    stack.append((iter(branch), path, counts))
                    break
                continue
            name = local_name(tag)
            place, inner = path, counts
            if name in _STEPS or name.endswith(("Chart", "Ax")):
                counts[name] = counts.get(name, 0) + 1
                place, inner = f"{path}/{name}[{counts[name]}]", {}
            text = _text_of(child)
            if text.strip():
                found[child] = _String(" ".join(text.split()), Source(part, place), child)
                if not len(found) % _LOOK_EVERY:
                    look()
            if tag != A + "p" and len(child):
                stack.append((iter(child), place, inner))
                break
        else:
            stack.pop()
    return found


def _says_itself(formatting: Any) -> bool:
    """Whether a title of the newer charts has its text elsewhere; its formatting then repeats it."""
    before = formatting.getprevious()
    return before is not None and before.tag == CX + "tx" and any((node.text or "").strip() for node in before.iter())


def _text_of(element: Any) -> str:
    tag = element.tag
    if tag == A + "p":
        return "".join(node.text or "" for node in element.iter(A + "t"))
    if tag in (C + "v", CX + "v", C + "name") or (tag == CX + "pt" and not len(element)):
        text: str = element.text or ""
        return repr(float(text)) if _LONG_NUMBER.fullmatch(text.strip()) else text
    return ""


# Writing ------------------------------------------------------------------------------------------------------------


def _lines(chart: _Chart, title: str, source: Source, facts: dict[str, Any]) -> Iterator[Text | Table]:
    """The chart's texts outside of the table, the title first, then the table."""
    used: set[Any] = set()
    table = _table(chart, used, title, source, facts)
    first = [string for element in chart.titles for string in _strings_in(chart, element)]
    for string in [*first, *chart.strings.values()]:
        if string.element not in used:
            used.add(string.element)
            yield string.part()
    if table is not None:
        yield table


def _table(chart: _Chart, used: set[Any], title: str, source: Source, facts: dict[str, Any]) -> Table | None:
    """One row for each category, one column for each series."""
    columns: list[tuple[_String | None, Points]] = []
    shown: list[Points] = []
    for series in chart.series:
        if series.categories and not _same(series.categories, shown):
            shown = series.categories
            columns += [(None, points) for points in shown]
            if len(columns) == len(shown):
                # The corner of the table names what the categories are.
                titles = [string for element in chart.category_titles for string in _strings_in(chart, element)]
                if len(titles) == 1:
                    columns[-1] = (titles[0], columns[-1][1])
        elif series.categories:
            used.update(string.element for points in series.categories for string in points.values())
        columns += [(series.name if at == 0 else None, points) for at, points in enumerate(series.values or [{}])]
    columns = [column for column in columns if column[0] is not None or column[1]]
    if not columns:
        return None
    chart.look()
    indexes = sorted({index for _, points in columns for index in points})
    chart.look()
    used.update(name.element for name, _ in columns if name is not None)
    used.update(string.element for _, points in columns for string in points.values())
    n_points = sum(len(points) for _, points in columns)
    chart.look()
    if len(indexes) * len(columns) > _SPARSE * (n_points + 1_000):
        rows = _list_rows(columns)
    else:
        rows = [tuple(_cell(points.get(index)) for _, points in columns) for index in indexes]
        if any(name is not None for name, _ in columns):
            rows.insert(0, tuple(_cell(name) for name, _ in columns))
            return Table(rows=tuple(rows), header_rows=1, caption=title, source=source, extras=facts)
    return Table(rows=tuple(rows), caption=title, source=source, extras=facts)


def _list_rows(columns: list[tuple[_String | None, Points]]) -> list[tuple[Cell | None, ...]]:
    """Name of the column and its values below one another, where the columns have hardly a row in common."""
    rows: list[tuple[Cell | None, ...]] = []
    for name, points in columns:
        label = name
        for index in sorted(points):
            rows.append((_cell(label), _cell(points[index])))
            label = None
        if label is not None:
            rows.append((_cell(label), _cell(None)))
    return rows


def _cell(string: _String | None) -> Cell:
    return Cell((string.part(),)) if string is not None else Cell()


def _same(one: list[Points], other: list[Points]) -> bool:
    texts = [[{index: string.text for index, string in points.items()} for points in levels] for levels in (one, other)]
    return texts[0] == texts[1]
