"""Tables that come as HTML, whatever the HTML is."""

from __future__ import annotations

import pytest
from growth import costs_in_proportion

from lrdoc.document import Source, plain_text
from lrdoc.parsers.services.html_tables import plain, read_html_tables

AT = Source(path="1")


def read(html: str) -> list[tuple[tuple[int, int] | None, str | None]]:
    return [(table.dimension, table.html) for table in read_html_tables(html, AT, lambda: None).tables]


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<TABLE><TR><TD>a</TABLE>", (1, 1)),
        ("<table><tr><td colspan=3>a</td></tr><tr><td>b<td>c<td>d</table>", (2, 3)),
        ("<tr><td>a</td><td>b</td></tr>", (1, 2)),
        ("<table class='x'><tbody><tr><th>a</th></tr><tr><td>b</td></tr></tbody></table>", (2, 1)),
        ("<table><tr><td rowspan=2>a<td>b<tr><td>c</table>", (2, 2)),
    ],
)
def test_dimensions(html: str, expected: tuple[int, int]) -> None:
    ((dimension, kept),) = read(html)
    assert dimension == expected
    assert kept is not None and kept.lower().startswith("<table") and kept.lower().endswith("</table>")


def test_comments_captions_headers_and_pictures() -> None:
    html = "<!-- x --><table><caption>Cap <b>one</b></caption><tr><th>h</th></tr><tr><td><img src='a.png'></td></tr></table>"
    found = read_html_tables(html, AT, lambda: None)
    (table,) = found.tables
    assert (table.caption, table.header_html, found.pictures) == (
        "Cap one",
        "<thead><tr><th>h</th></tr></thead>",
        ("a.png",),
    )
    assert found.around == ""


def test_tables_in_tables_are_a_grid_with_all_texts_and_pictures() -> None:
    inner = "<table><tr><td>in<img src='b.png'></td><td>side</td></tr></table>"
    found = read_html_tables(f"<table><tr><td>out{inner}</td><td>next</td></tr></table>", AT, lambda: None)
    (table,) = found.tables
    assert [[cell and plain_text(cell.parts) for cell in row] for row in table.rows] == [["out\nin\nside", "next"]]
    assert found.pictures == ("b.png",)


def test_plain_text_of_html() -> None:
    assert plain("a &lt; b<br>c<p> d  e </p>") == "a < b\nc\nd e"
    assert plain("no markup ") == "no markup"


@pytest.mark.parametrize("piece", ["<!--", "<table>", "<table><tr><td>", "</table>", "<td ", "<img ", "<tr><td>a", "<"])
def test_hostile_html_costs_in_proportion(piece: str) -> None:
    def read(pieces: str) -> None:
        for html in (pieces, f"-->{pieces}", f"<table>{pieces}</table>"):
            read_html_tables(html, AT, lambda: None)

    costs_in_proportion(read, lambda n: piece * n, 2_500, 20_000)
