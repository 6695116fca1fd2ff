"""Pipe tables and HTML tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from markdown_builder import cells, codes, data_url, drawings, png, show, tables

from lrdoc.document import Document, Source, Text, iter_items

Parse = Callable[..., Document]


def test_the_header_row_is_part_of_the_table(md: Parse) -> None:
    [table] = tables(md("| a | b |\n|---|:-:|\n| 1 | 2 |\n"))
    assert cells(table) == [["a", "b"], ["1", "2"]]
    assert table.header_rows == 1
    assert table.source == Source(lines=(1, 4))
    assert table.rows[1][0] is not None
    assert table.rows[1][0].parts[0].source == Source(lines=(3, 4))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "grid"),
    [
        ("a | b\n--- | ---\n1 | 2\n", [["a", "b"], ["1", "2"]]),
        ("| a |\n|---|\n| x\\|y |\n", [["a"], ["x|y"]]),
        ("| a | b |\n|---|---|\n| `p\\|q` | **c** |\n", [["a", "b"], ["p|q", "c"]]),
        ("| a | b |\n|---|---|\n| only one |\n", [["a", "b"], ["only one", ""]]),
        ("| a | b |\n|---|---|\n|  | x<br>y |\n", [["a", "b"], ["", "x\ny"]]),
        ("> | q |\n> |---|\n> | 1 |\n", [["q"], ["1"]]),
        ("- item\n  | l |\n  |---|\n  | 1 |\n", [["l"], ["1"]]),
        ("| a |\n|---|\n", [["a"]]),
        ("text\n| a | b |\n|---|---|\n| $x|1$ | y |\n", [["a", "b"], ["$x", "1$"]]),
    ],
)
def test_pipe_tables_are_read_as_github_reads_them(md: Parse, text: str, grid: list[list[str]]) -> None:
    assert [cells(table) for table in tables(md(text))] == [grid]


@pytest.mark.parametrize(
    "text", ["| no | delimiter |\n| 1 | 2 |\n", "| a | b |\n|---|\n", "    | a |\n    |---|\n", "para | x\n---\n"]
)
def test_what_is_no_table_stays_text(md: Parse, text: str) -> None:
    assert tables(md(text)) == []


def test_cells_beyond_the_last_column_are_kept_beside_the_table(md: Parse) -> None:
    document = md("| a | b |\n|---|---|\n| 1 | 2 | three | 4 |\n| 5 | 6 |\n")
    [table] = tables(document)
    assert cells(table) == [["a", "b"], ["1", "2"], ["5", "6"]]
    assert table.extras["cells_beyond_columns"] == [[1, ["three", "4"]]]
    assert codes(document) == ["table_cells_beyond_columns"]
    assert "three | 4" in document.warnings[0].message
    assert document.warnings[0].where == "line 3"


def test_cells_hold_pictures_equations_and_notes(md: Parse) -> None:
    document = md(f"| a | b |\n|---|---|\n| ![p]({data_url(png())}) | $x^2$ |\n| n[^1] | |\n\n[^1]: The note.\n")
    [table] = tables(document)
    assert cells(table) == [["a", "b"], ["⟨drawing p⟩", "⟨x^2⟩"], ["n⟨note 1⟩", ""]]
    assert table.footnotes == ("The note.",)
    assert [show(note.parts) for note in document.blocks[0].notes] == ["The note."]


def test_an_html_table_keeps_its_markup_and_spans(md: Parse) -> None:
    html = (
        '<table class="x"><caption>Sums &amp; more</caption><thead><tr><th colspan="2">H</th></tr></thead>'
        '<tbody><tr><td rowspan="2">1</td><td>2</td></tr><tr><td>3</td></tr></tbody></table>'
    )
    [table] = tables(md(f"{html}\n"))
    assert table.html == html
    assert table.dimension == (3, 2)
    assert table.header_html == '<thead><tr><th colspan="2">H</th></tr></thead>'
    assert table.caption == "Sums & more"


def test_rows_of_header_cells_are_the_header_without_thead(md: Parse) -> None:
    [table] = tables(md("<table><tr><th>a<th>b<tr><td>1<td>2</table>\n"))
    assert table.dimension == (2, 2)
    assert table.header_html == "<thead><tr><th>a<th>b</thead>"
    [single] = tables(md("<table><tr><th>a</th></tr></table>\n"))
    assert single.header_html is None


def test_text_around_a_table_on_its_line_is_not_swallowed(md: Parse) -> None:
    document = md("<table><tr><td>t1</td></tr></table> words <table><tr><td>t2</td></tr></table> end\n")
    assert show(document.blocks[0].parts) == "⟨html table⟩\nwords\n⟨html table⟩\nend"
    inside = md("text <table><tr><td>m</td></tr></table> after\n")
    assert show(inside.blocks[0].parts) == "text\n⟨html table⟩\nafter"
    wrapped = md("<div><table><tr><td>in div</td></tr></table></div>\n")
    assert show(wrapped.blocks[0].parts) == "⟨html table⟩"


def test_a_nested_table_keeps_its_identity_in_its_cell(md: Parse) -> None:
    document = md("<table><tr><td>outer<table><tr><td>inner</td></tr></table>rest</td><td>2</td></tr></table>\n")
    outer, inner = tables(document)
    assert cells(outer) == [["outer\n⟨html table⟩\nrest", "2"]]
    assert inner.html == "<table><tr><td>inner</td></tr></table>"
    assert all(item.html is None or item.html.lower().count("</table>") == 1 for item in (outer, inner))


def test_spans_of_a_table_with_nested_tables_are_spans_of_the_grid(md: Parse) -> None:
    html = (
        '<table><tr><th colspan="2">h</th><th>i</th></tr><tr><td rowspan="9">a</td><td>b</td><td>c</td></tr>'
        "<tr><td><table><tr><td>n</td></tr></table></td><td>d</td></tr></table>"
    )
    outer = tables(md(html))[0]
    assert cells(outer) == [["h", None, "i"], ["a", "b", "c"], [None, "⟨html table⟩", "d"]]
    assert [cell and (cell.row_span, cell.col_span) for cell in outer.rows[0]] == [(1, 2), None, (1, 1)]
    assert outer.rows[1][0] is not None
    assert outer.rows[1][0].row_span == 2
    assert outer.header_rows == 1


def test_text_of_hopeless_tables_is_kept(md: Parse) -> None:
    deep = "<table><tr><td>x" * 40 + "</td></tr></table>" * 40
    found = [cell.parts for table in tables(md(deep)) for row in table.rows for cell in row if cell is not None]
    words = [part.text for parts in found for part in parts if isinstance(part, Text)]
    assert "".join(words).count("x") == 40
    stray = "<table>lost<tr><td>a<table><tr><td>b</td></tr></table></td></tr>found</table>"
    assert show(md(stray).blocks[0].parts).split() == ["lost", "a", "b", "found"]


def test_a_huge_span_costs_nothing(md: Parse) -> None:
    html = '<table><tr><td colspan="99999999" rowspan="99999999">a<table><tr><td>b</td></tr></table></td></tr></table>'
    outer = tables(md(html))[0]
    assert (len(outer.rows), len(outer.rows[0])) == (1, 1000)


def test_a_table_goes_on_over_blank_lines_and_its_markdown_is_read(md: Parse) -> None:
    document = md("<table>\n<tr><td>\n\n**bold** text\n\n</td><td>\n\n- one\n\n</td></tr>\n</table>\n\nafter\n")
    assert show(document.blocks[0].parts) == "⟨html table⟩\n\nafter"
    [table] = tables(document)
    assert table.html is not None
    assert "<strong>bold</strong> text" in table.html
    assert "<li>one</li>" in table.html
    assert table.dimension == (1, 2)


def test_an_unclosed_table_swallows_nothing(md: Parse) -> None:
    document = md("# A\n<table><tr><td>x</td></tr>\n\n# B\ntext\n\n```\n</table>\n```\n")
    assert [block.heading for block in document.blocks] == ["A", "B"]
    assert show(document.blocks[0].parts) == "A\nx"


def test_pictures_in_an_html_table_follow_it(md: Parse) -> None:
    url = data_url(png())
    document = md(f'<table><tr><td><img src="{url}" alt="A &quot;b&quot;" title="T" width="30"></td></tr></table>\n')
    assert show(document.blocks[0].parts) == '⟨html table⟩\n⟨drawing A "b"⟩'
    [table] = tables(document)
    [drawing] = drawings(document)
    assert drawing.asset is not None
    assert table.html == f'<table><tr><td><img src="{drawing.asset.name}" alt="A &quot;b&quot;"></td></tr></table>'
    assert drawing.extras == {"alt_text": 'A "b"', "title": "T", "width_px": 30, "cell": [0, 0]}


def test_embedded_bytes_never_stay_in_a_table(md: Parse) -> None:
    url = data_url(png(50, 50, 7) * 3)
    document = md(f'<table><tr><td style="background:url({url})">x</td></tr></table>\n')
    [table] = tables(document)
    assert table.html is not None and "base64" not in table.html


def test_comments_and_scripts_in_a_table_go(md: Parse) -> None:
    [table] = tables(md("<table><!-- <table> --><tr><td>a<script>x</script></td></tr></table>\n"))
    assert table.html == "<table><tr><td>a</td></tr></table>"


def test_items_are_found_in_document_order(md: Parse) -> None:
    document = md("| a |\n|---|\n| 1 |\n\n$$x$$\n\n<table><tr><td>2</td></tr></table>\n")
    kinds = [type(item).__name__ for item in iter_items(document.blocks[0].parts)]
    assert kinds == ["Table", "Equation", "Table"]
