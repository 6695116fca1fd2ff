"""Charts: titles, series, categories and values."""

from __future__ import annotations

import pytest
from docx_audit import assert_complete
from docx_builder import NAMESPACES, docx, p, r, run, table, xml_part
from docx_parse import codes, drawings, lines, parse_bytes, rows, tables

from lrdoc.document import Document, Table
from lrdoc.testing.assets import MemoryAssets

CHART = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
CX = "http://schemas.microsoft.com/office/drawing/2014/chartex"


def frame(rid: str = "rC", name: str = "Chart 1", prefix: str = "c") -> str:
    return (
        f'<w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><wp:docPr id="1" name="{name}"/><a:graphic>'
        f'<a:graphicData><{prefix}:chart r:id="{rid}"/></a:graphicData></a:graphic></wp:inline></w:drawing>'
    )


def title(text: str) -> str:
    return f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>"


def points(values: list[str | None]) -> str:
    return "".join(f'<c:pt idx="{n}"><c:v>{v}</c:v></c:pt>' for n, v in enumerate(values) if v is not None)


def strings(values: list[str | None]) -> str:
    return f"<c:strRef><c:f>Sheet1!$A$1</c:f><c:strCache>{points(values)}</c:strCache></c:strRef>"


def numbers(values: list[str | None]) -> str:
    return f"<c:numRef><c:numCache><c:formatCode>General</c:formatCode>{points(values)}</c:numCache></c:numRef>"


def ser(name: str, values: list[str | None], categories: str = "", kind: tuple[str, str] = ("cat", "val")) -> str:
    label = f"<c:tx>{strings([name])}</c:tx>" if name else ""
    cats = f"<c:{kind[0]}>{categories}</c:{kind[0]}>" if categories else ""
    return f"<c:ser>{label}{cats}<c:{kind[1]}>{numbers(values)}</c:{kind[1]}></c:ser>"


def chart(plot: str, before: str = "", after: str = "") -> str:
    return xml_part("c:chartSpace", f"<c:chart>{before}<c:plotArea>{plot}</c:plotArea></c:chart>{after}")


def package(part: str, body: str | None = None, **more: object) -> bytes:
    parts = {"word/charts/chart1.xml": (CHART, part), **more.pop("parts", {})}  # type: ignore[dict-item]
    return docx(
        p(run(frame())) if body is None else body, parts=parts, rels=[("rC", "chart", "charts/chart1.xml")], **more
    )  # type: ignore[arg-type]


def parse(part: str, body: str | None = None, **more: object) -> Document:
    data = package(part, body, **more)
    assert_complete(data)
    return parse_bytes(data)


CATEGORIES = strings(["North", "South"])
BARS = f"<c:barChart>{ser('2022', ['1', '2.5'], CATEGORIES)}{ser('2023', ['3', '4'], CATEGORIES)}</c:barChart>"
AXES = f'<c:catAx>{title("Region")}<c:axPos val="b"/></c:catAx><c:valAx>{title("Sales")}<c:axPos val="l"/></c:valAx>'


def test_a_bar_chart_with_all_titles() -> None:
    document = parse(chart(BARS + AXES, title("Sales by region")), p(r("See"), run(frame())))
    assert lines(document) == ["See<drawing>", "Sales by region", "Sales", "<table>"]
    found = tables(document)[0]
    assert rows(found) == [["Region", "2022", "2023"], ["North", "1", "3"], ["South", "2.5", "4"]]
    assert found.header_rows == 1
    assert found.caption == "Sales by region"
    assert found.extras == {
        "chart": "word/charts/chart1.xml",
        "chart_type": "barChart",
        "axis_titles": ["Region", "Sales"],
    }
    drawing = drawings(document)[0]
    assert drawing.extras["chart"] == found.extras["chart"]
    assert drawing.extras["title"] == "Sales by region"
    assert found.source is not None and found.source.part == "word/charts/chart1.xml"


def test_series_without_names_and_categories() -> None:
    document = parse(chart(f"<c:lineChart>{ser('', ['1', None, '3'])}</c:lineChart>"))
    assert rows(tables(document)[0]) == [["1"], ["3"]]
    assert tables(document)[0].header_rows == 0


def test_series_with_categories_of_their_own() -> None:
    plot = ser("a", ["1"], strings(["x"])) + ser("b", ["2"], strings(["y"]))
    document = parse(chart(f"<c:barChart>{plot}</c:barChart>"))
    assert rows(tables(document)[0]) == [["", "a", "", "b"], ["x", "1", "y", "2"]]


def test_several_kinds_in_one_plot() -> None:
    lines_ = f"<c:lineChart>{ser('trend', ['7', '8'], CATEGORIES)}</c:lineChart>"
    document = parse(chart(BARS + lines_))
    assert rows(tables(document)[0])[0] == ["", "2022", "2023", "trend"]


def test_a_scatter_chart() -> None:
    kind = ("xVal", "yVal")
    plot = ser("a", ["1", "4"], numbers(["1", "2"]), kind) + ser("b", ["2", "5"], numbers(["1", "2"]), kind)
    document = parse(chart(f"<c:scatterChart>{plot}</c:scatterChart>"))
    assert rows(tables(document)[0]) == [["", "a", "b"], ["1", "1", "2"], ["2", "4", "5"]]


def test_bubble_sizes_are_a_column() -> None:
    one = ser("a", ["1"], numbers(["5"]), ("xVal", "yVal")).replace(
        "</c:ser>", f"<c:bubbleSize>{numbers(['9'])}</c:bubbleSize></c:ser>"
    )
    document = parse(chart(f"<c:bubbleChart>{one}</c:bubbleChart>"))
    assert rows(tables(document)[0]) == [["", "a", ""], ["5", "1", "9"]]


def test_categories_of_several_levels() -> None:
    levels = f"<c:lvl>{points(['Q1', 'Q2', 'Q1'])}</c:lvl><c:lvl>{points(['2022', None, '2023'])}</c:lvl>"
    categories = f"<c:multiLvlStrRef><c:multiLvlStrCache>{levels}</c:multiLvlStrCache></c:multiLvlStrRef>"
    document = parse(chart(f"<c:barChart>{ser('s', ['1', '2', '3'], categories)}</c:barChart>"))
    assert rows(tables(document)[0]) == [["", "", "s"], ["2022", "Q1", "1"], ["", "Q2", "2"], ["2023", "Q1", "3"]]


def test_labels_and_trend_lines_are_kept() -> None:
    label = '<c:dLbls><c:dLbl><c:idx val="0"/><c:tx><c:rich><a:p><a:r><a:t>peak</a:t></a:r></a:p></c:rich></c:tx>'
    extra = f"{label}</c:dLbl></c:dLbls><c:trendline><c:name>Fit</c:name></c:trendline>"
    plot = ser("s", ["1"], strings(["x"])).replace("</c:ser>", f"{extra}</c:ser>")
    document = parse(chart(f"<c:lineChart>{plot}</c:lineChart>"))
    assert lines(document) == ["<drawing>", "peak", "Fit", "<table>"]


def test_a_title_taken_from_a_cell() -> None:
    document = parse(chart(BARS, f"<c:title><c:tx>{strings(['From a cell'])}</c:tx></c:title>"))
    assert lines(document)[1] == "From a cell"


def test_a_title_in_two_paragraphs() -> None:
    two = title("One").replace("</a:p>", "</a:p><a:p><a:r><a:t>Two</a:t></a:r></a:p>")
    document = parse(chart(BARS, two))
    assert lines(document)[1:3] == ["One", "Two"]
    assert tables(document)[0].caption == "One Two"


def test_numbers_are_written_as_word_shows_them() -> None:
    document = parse(chart(f"<c:barChart>{ser('s', ['4.4000000000000004', '0.1', '1E-3'])}</c:barChart>"))
    assert rows(tables(document)[0]) == [["s"], ["4.4"], ["0.1"], ["1E-3"]]


def test_the_workbook_behind_the_chart_is_kept() -> None:
    assets = MemoryAssets()
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/package" '
        'Target="../embeddings/Book1.xlsx"/></Relationships>'
    )
    parts = {"word/charts/_rels/chart1.xml.rels": (None, rels), "word/embeddings/Book1.xlsx": (None, b"PK")}
    data = package(chart(BARS, after='<c:externalData r:id="rId1"/>'), parts=parts)
    found = drawings(parse_bytes(data, assets=assets))[0]
    assert found.extras["embedded"] == {"name": "Book1.xlsx", "asset": "Book1.xlsx"}
    assert assets.files == {"Book1.xlsx": b"PK"}
    assert_complete(data)


def test_shapes_drawn_into_a_chart_keep_their_text() -> None:
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartUserShapes" '
        'Target="../drawings/drawing1.xml"/></Relationships>'
    )
    shapes = xml_part("c:userShapes", "<a:p><a:r><a:t>Note in the chart</a:t></a:r></a:p>")
    parts = {"word/charts/_rels/chart1.xml.rels": (None, rels), "word/drawings/drawing1.xml": ("a/b+xml", shapes)}
    assert lines(parse(chart(BARS), parts=parts))[-1] == "Note in the chart"


def test_a_chart_in_a_cell() -> None:
    document = parse(chart(BARS), table([[p(run(frame())), "x"]]))
    host, inner = tables(document)
    assert any(isinstance(part, Table) for part in host.rows[0][0].parts)  # type: ignore[union-attr]
    assert rows(inner)[1] == ["North", "1", "3"]


def test_a_chart_that_is_shown_twice_gives_its_data_once() -> None:
    document = parse(chart(BARS), p(run(frame())) + p(run(frame())))
    assert len(drawings(document)) == 2 and len(tables(document)) == 1


def test_a_caption_belongs_to_the_chart() -> None:
    document = parse(chart(BARS, title("Sales")), p(run(frame())) + p("Figure 1: Sales", style="Caption"))
    assert drawings(document)[0].caption == "Figure 1: Sales"


def test_sparse_series_become_a_list() -> None:
    many = "".join(
        f'<c:ser><c:tx><c:v>s{n}</c:v></c:tx><c:val><c:numLit><c:pt idx="{n}"><c:v>{n}</c:v></c:pt></c:numLit></c:val>'
        "</c:ser>"
        for n in range(400)
    )
    document = parse(chart(f"<c:barChart>{many}</c:barChart>"))
    found = rows(tables(document)[0])
    assert len(found) == 400 and found[7] == ["s7", "7"]


def test_bad_charts_give_a_warning_and_stay_as_drawings() -> None:
    for part in ("<not xml", chart("")):
        document = parse_bytes(package(part))
        assert len(drawings(document)) == 1 and tables(document) == []
        assert codes(document)[-1] in ("chart_missing", "chart_without_data")
    document = parse_bytes(docx(p(run(frame()))))
    assert codes(document) == ["chart_missing"]


def test_odd_indexes_cost_nothing() -> None:
    values = '<c:numLit><c:pt idx="999999999"><c:v>1</c:v></c:pt><c:pt idx="x"><c:v>2</c:v></c:pt><c:pt><c:v>3</c:v></c:pt></c:numLit>'
    document = parse(chart(f"<c:barChart><c:ser><c:val>{values}</c:val></c:ser></c:barChart>"))
    assert sorted(row[0] or "" for row in rows(tables(document)[0])) == ["1", "2", "3"]


def test_the_newer_charts() -> None:
    data = (
        '<cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:f>A</cx:f><cx:lvl ptCount="2"><cx:pt idx="0">In</cx:pt>'
        '<cx:pt idx="1">Out</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl ptCount="2" formatCode="General">'
        '<cx:pt idx="0">10</cx:pt><cx:pt idx="1">-4</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>'
    )
    plot = (
        "<cx:chart><cx:title><cx:tx><cx:txData><cx:v>Flow</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea>"
        '<cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Cash</cx:v></cx:txData></cx:tx>'
        '<cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart>'
    )
    part = xml_part("cx:chartSpace", data + plot, f'xmlns:cx="{CX}"')
    body = p(run(frame(prefix="cx"))).replace("<w:drawing>", f'<w:drawing xmlns:cx="{CX}">')
    document = parse(part, body)
    assert lines(document) == ["<drawing>", "Flow", "<table>"]
    assert rows(tables(document)[0]) == [["", "Cash"], ["In", "10"], ["Out", "-4"]]
    assert drawings(document)[0].extras["chart_type"] == "waterfall"


@pytest.mark.parametrize("own", ["<cx:tx><cx:txData><cx:v>Flow</cx:v></cx:txData></cx:tx>", ""])
def test_a_title_of_the_newer_charts_is_read_once(own: str) -> None:
    """Word repeats the title in its formatting, and writes it only there when it made the title itself."""
    repeated = "<cx:txPr><a:bodyPr/><a:p><a:pPr/><a:r><a:t>Flow</a:t></a:r></a:p></cx:txPr>"
    points = '<cx:lvl ptCount="1"><cx:pt idx="0">10</cx:pt></cx:lvl>'
    data = f'<cx:chartData><cx:data id="0"><cx:numDim type="val">{points}</cx:numDim></cx:data></cx:chartData>'
    series = '<cx:series layoutId="funnel"><cx:dataId val="0"/></cx:series>'
    region = f"<cx:plotArea><cx:plotAreaRegion>{series}</cx:plotAreaRegion></cx:plotArea>"
    part = xml_part(
        "cx:chartSpace", f"{data}<cx:chart><cx:title>{own}{repeated}</cx:title>{region}</cx:chart>", f'xmlns:cx="{CX}"'
    )
    body = p(run(frame(prefix="cx"))).replace("<w:drawing>", f'<w:drawing xmlns:cx="{CX}">')
    document = parse(part, body)
    assert lines(document) == ["<drawing>", "Flow", "<table>"]
    assert_complete(package(part, body))


def test_strict_charts() -> None:
    assert NAMESPACES["c"]
    data = package(chart(BARS), strict=True)
    assert rows(tables(parse_bytes(data))[0])[0] == ["", "2022", "2023"]
    assert_complete(data)
