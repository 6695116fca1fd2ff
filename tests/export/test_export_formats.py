"""A parsed folder as markdown, html, text and json."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from growth import costs_in_proportion
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from sidecar_documents import INFO, documents, texts

from lrdoc.document import (
    Anchor,
    Block,
    Cell,
    Citation,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Mark,
    Note,
    NoteRef,
    Part,
    Source,
    Table,
    Text,
)
from lrdoc.errors import SidecarError, UsageError
from lrdoc.export import FORMATS, export
from lrdoc.export.html_tables import clean_html, html_to_rows
from lrdoc.export.math import to_mathml
from lrdoc.sidecar.read import read_folder
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document

PNG = b"\x89PNG\r\n\x1a\n...."


def cell(*parts: Part | str, rows: int = 1, cols: int = 1) -> Cell:
    return Cell(tuple(Text(part) if isinstance(part, str) else part for part in parts), rows, cols)


def result(folder: Path, to: str, *parts: Part, regions: bool = False, **more: Any) -> str:
    """Write a document with one block, read it back, export it."""
    notes = more.pop("notes", ())
    block = {key: more.pop(key) for key in ("heading", "level", "is_title_block") if key in more}
    document = Document("docx", "The <title>", (Block(parts=parts, notes=notes, **block),), **more)
    write_document(document, INFO, folder)
    return "".join(export(read_folder(folder), to, regions=regions))


def body(html: str) -> str:
    return html.partition("<section>\n")[2].partition("</section>")[0]


def test_html_is_one_page_that_loads_nothing(tmp_path: Path) -> None:
    asset = FolderAssets(tmp_path, INFO.document_name).put(PNG, "a.png")
    html = result(tmp_path, "html", Text("T"), Text("\n"), Drawing(asset, "png", extras={"alt_text": 'a "b"'}))
    assert html.startswith("<!DOCTYPE html>")
    assert "<title>The &lt;title&gt;</title>" in html
    assert '<figure><img src="data:image/png;base64,iVBORw0KGgouLi4u" alt="a &quot;b&quot;"></figure>' in html
    assert "default-src 'none'" in html
    assert not re.search(r"<(script|link|iframe)", html)


def test_html_tables_have_spans_headers_and_tables_in_cells(tmp_path: Path) -> None:
    inner = Table(((cell("deep"),),))
    table = Table(
        (
            (cell("Region", cols=2), None, cell("a<b")),
            (cell("x", rows=2), cell(inner), cell("one\ntwo")),
            (None, cell(), cell(Equation("y"))),
        ),
        header_rows=1,
        caption="Numbers",
        footnotes=("a note",),
    )
    assert body(result(tmp_path, "html", Text("T\n"), table)).split("\n") == [
        "<p>T</p>",
        '<table><caption>Numbers</caption><thead><tr><th colspan="2">Region</th><th>a&lt;b</th></tr>',
        '</thead><tbody><tr><td rowspan="2">x</td><td><table><tbody><tr><td>deep</td></tr>',
        "</tbody></table></td><td>one<br>two</td></tr>",
        f'<tr><td></td><td><div class="equation">{to_mathml("y", block=True)}</div></td></tr>',
        '</tbody></table><p class="footnote">a note</p>',
        "",
    ]


def test_a_header_that_reaches_into_the_body_is_not_cut(tmp_path: Path) -> None:
    table = Table(((cell("A", rows=2), cell("B")), (None, cell("C"))), header_rows=1)
    html = body(result(tmp_path, "html", table))
    assert '<tbody><tr><th rowspan="2">A</th><th>B</th></tr>\n<tr><td>C</td></tr>' in html


def test_html_text_has_its_marks_links_notes_and_citations(tmp_path: Path) -> None:
    html = body(
        result(
            tmp_path,
            "html",
            Text("Head", None, (Mark("italic"),)),
            Text("\nH"),
            Text("2", None, (Mark("sub"),)),
            Text("O ", None, (Mark("bold"), Mark("ins", "", "Ann", "2020"))),
            Text("safe", None, (Mark("link", "https://e.org/?a&b"),)),
            Text("not", None, (Mark("link", "javascript:alert(1)"),)),
            Text("to", None, (Mark("ref", "here"),)),
            Anchor("here"),
            NoteRef("1"),
            InlineEquation("x"),
            Citation("table", "t", "Table 1"),
            Text("\n"),
            Table(((cell("x"),),), key="t"),
            heading="Head",
            level=7,
            notes=(Note("1", (Text("The <note>"),)),),
        )
    )
    assert "<h6><em>Head</em></h6>" in html
    assert 'H<sub>2</sub><ins title="Ann 2020"><strong>O </strong></ins>' in html
    assert '<a href="https://e.org/?a&amp;b">safe</a>not<a href="#anchor-here">to</a><a id="anchor-here"></a>' in html
    assert "javascript" not in html
    assert '<a href="#note-1">1</a>' in html
    assert '<a href="#item-1">Table 1</a>' in html and '<table id="item-1">' in html
    assert 'id="note-1"><a href="#call-1">1</a> The &lt;note&gt;</div>' in html
    assert "<math" in html


def test_captions_are_not_said_twice(tmp_path: Path) -> None:
    drawing = Drawing(caption="Figure 1: X")
    assert "figcaption" not in body(result(tmp_path, "html", drawing, Text("\nFigure 1:  X")))
    (tmp_path / "2").mkdir()
    assert "<figcaption>Figure 1: X</figcaption>" in result(tmp_path / "2", "html", drawing)


def test_pictures_that_browsers_do_not_show_are_links(tmp_path: Path) -> None:
    asset = FolderAssets(tmp_path, INFO.document_name).put(b"emf", "a.emf")
    html = result(tmp_path, "html", Drawing(asset, "emf"), Text("\n"), Drawing(src="https://e.org/x.png"))
    assert '<a download="a.emf" href="data:image/emf;base64,ZW1m">[picture a.emf]</a>' in html
    assert '<a href="https://e.org/x.png">[picture]</a>' in html


def test_markdown(tmp_path: Path) -> None:
    asset = FolderAssets(tmp_path, INFO.document_name).put(PNG, "a b.png")
    table = Table(((cell("a|b"), cell("c\nd")), (cell("1"), cell(InlineEquation("x")))), header_rows=1)
    merged = Table(((cell("AB", cols=2), None),))
    text = result(
        tmp_path,
        "markdown",
        Text("Head\nPlain *text* and "),
        Text("bold ", None, (Mark("bold"),)),
        Text("f`x`", None, (Mark("code"),)),
        Text(" "),
        Text("link", None, (Mark("link", "https://e.org/(a) b"),)),
        NoteRef("1"),
        Text("\n- "),
        Text("one", Source(path="p")),
        Text("\n  - "),
        Text("two", Source(path="p")),
        Text("\n# no heading\n1. no list\n"),
        table,
        Text("\n"),
        merged,
        Text("\n"),
        Drawing(asset, "png", caption="Cap"),
        Text("\n"),
        Equation("\\frac{a}\n{b}"),
        heading="Head",
        level=2,
        notes=(Note("1", (Text("The note\nmore"),)),),
    )
    assert text == (
        "## Head\n\n"
        "Plain \\*text\\* and **bold** `` f`x` `` [link](https://e.org/%28a%29%20b)[^1]\n\n"
        "- one\n   - two\n\n"
        "\\# no heading\n\n"
        "1\\. no list\n\n"
        "| a\\|b | c<br>d |\n| --- | --- |\n| 1 | $x$ |\n\n"
        '<table><tbody><tr><td colspan="2">AB</td></tr>\n</tbody></table>\n\n'
        "![Cap](report.blocks.assets/a%20b.png)\n\nCap\n\n"
        "$$\n\\frac{a} {b}\n$$\n\n"
        "[^1]: The note\n\n    more\n"
    )


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(max_examples=150, deadline=None)
@given(st.lists(texts, min_size=1, max_size=4))
def test_markdown_shows_the_text_that_was_there(lines: list[str]) -> None:
    """Whatever the text looks like, a markdown reader shows these characters."""
    lines = [line.replace("\n", " ") for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        text = result(Path(folder), "markdown", Text("\n".join(lines)))
        parsed = read_folder(Path(folder)).document
    words = _Words()
    words.feed(MarkdownIt("gfm-like", {"linkify": False}).render(text))
    wanted = "".join(part.text for block in parsed.blocks for part in block.parts if isinstance(part, Text))
    assert "".join(words.text.split()) == "".join(wanted.split())


def test_text(tmp_path: Path) -> None:
    table = Table(((cell("A", cols=2), None), (cell("one\ntwo"), cell(InlineEquation("x")))), caption="Cap")
    parts = (Text("Head\nsee <b>"), NoteRef("1"), Text("\n"), table, Text("\n"), Drawing(caption="Pic"), Equation("y"))
    text = result(tmp_path, "text", *parts, heading="Head", level=1, notes=(Note("1", (Text("note"),)),))
    assert text == "Head\nsee <b>[1]\nCap\nA\t\none two\tx\n[picture: Pic]y\n[1] note\n"


def test_json_is_the_document(tmp_path: Path) -> None:
    table = Table(((cell("A", cols=2), None),), header_rows=1)
    told = json.loads(
        result(
            tmp_path,
            "json",
            Text("Head", Source(path="p[1]"), (Mark("bold"),)),
            table,
            heading="Head",
            level=1,
            regions=False,
        )
    )
    assert told["document_name"] == "report.docx"
    assert told["regions"] == []
    assert told["blocks"] == [
        {
            "heading": "Head",
            "level": 1,
            "region": "body",
            "parts": [
                {"type": "text", "text": "Head", "source": {"path": "p[1]"}, "marks": [{"kind": "bold"}]},
                {
                    "type": "table",
                    "header_rows": 1,
                    "rows": [[{"parts": [{"type": "text", "text": "A"}], "col_span": 2}, None]],
                },
            ],
        }
    ]


def test_regions_come_when_they_are_asked_for(tmp_path: Path) -> None:
    blocks, regions = (Block(parts=(Text("Body"),)),), (Block(region="header", parts=(Text("Head"),)),)
    write_document(Document("docx", blocks=blocks, regions=regions), INFO, tmp_path)
    parsed = read_folder(tmp_path)
    for to in ("markdown", "html", "text"):
        assert "Head" not in "".join(export(parsed, to))
        assert "Head" in "".join(export(parsed, to, regions=True))
    assert "Head" in "".join(export(parsed, "json"))


def test_raw_text(tmp_path: Path) -> None:
    write_document(Document("txt", "t", (Block(parts=(Text("a <b>\n*c*\n"),)),), kind="raw"), INFO, tmp_path)
    parsed = read_folder(tmp_path)
    assert "".join(export(parsed, "text")) == "".join(export(parsed, "markdown")) == "a <b>\n*c*\n"
    assert "<pre>a &lt;b&gt;\n*c*\n</pre>" in "".join(export(parsed, "html"))


def test_html_that_came_with_the_document_is_made_harmless() -> None:
    html = (
        '<table onclick="x()" class="a"><script>alert(1)</script><tr><td colspan=2 style="x"><img src=x onerror=y>'
        'a &lt;b&gt; &amp; <a href="javascript:x">j</a><a href="https://e.org">k</a><b>bold</td></tr>'
    )
    assert clean_html(html) == (
        '<table><tbody><tr><td colspan="2">a &lt;b&gt; &amp; <a>j</a><a href="https://e.org">k</a><b>bold</b></td></tr>'
        "</tbody></table>"
    )
    assert html_to_rows("<table><tr><th>a<td>b<br>c</tr><tr></tr><tr><td>d</table>tail") == [
        ["a", "b c"],
        ["d"],
        ["tail"],
    ]


HOSTILE = ("<table", "<", "<td a=", "<!--", "<table><tr><td>", "</td>", "<a href='", "<b><p>", "<![", "&")


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("work", [clean_html, html_to_rows])
def test_html_costs_in_proportion(work: Callable[[str], object], hostile: str) -> None:
    costs_in_proportion(work, lambda count: hostile * count, 2_000, 20_000)


@given(st.text("<>/ab\"'=td sriptc!-&;", max_size=60))
def test_no_html_leaves_a_tag_open_or_runs(html: str) -> None:
    cleaned = clean_html(html)
    opened = re.findall(r"<([a-z][a-z0-9]*)", cleaned)
    closed = re.findall(r"</([a-z][a-z0-9]*)>", cleaned)
    assert sorted(name for name in opened if name not in ("br", "hr", "col")) == sorted(closed)
    assert "<script" not in cleaned


@pytest.mark.parametrize("latex", ["\\left(", "{" * 500, "x" * 30_000, "", "\\frac", "a_b_c", "\\begin{matrix}"])
def test_an_equation_that_cannot_be_converted_shows_its_source(latex: str) -> None:
    assert to_mathml(latex, block=True) == f'<code class="latex">{latex}</code>'


def test_equations_are_mathml_with_their_source() -> None:
    assert to_mathml("a<\\frac{1}{2}", block=True).startswith('<math alttext="a&lt;\\frac{1}{2}" ')
    assert 'display="inline"' in to_mathml("x", block=False)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(documents)
def test_every_document_can_be_exported(document: Document) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "report.blocks.assets").mkdir()
        for asset in ("a.png", "b.jpg"):
            (folder / "report.blocks.assets" / asset).write_bytes(PNG)
        write_document(document, INFO, folder)
        parsed = read_folder(folder)
        for to in FORMATS:
            text = "".join(export(parsed, to, regions=True, assets_path=PurePosixPath("x")))
            if to == "json":
                json.loads(text)


def test_tables_in_tables_without_end_are_refused(tmp_path: Path) -> None:
    table = Table(((cell("x"),),))
    for _ in range(500):
        table = Table(((cell(table),),))
    write_document(Document("docx", blocks=(Block(parts=(table,)),)), INFO, tmp_path)
    parsed = read_folder(tmp_path)
    for to in ("markdown", "html", "text"):
        with pytest.raises(SidecarError, match="100 deep"):
            list(export(parsed, to))


def test_an_unknown_format_is_told() -> None:
    with pytest.raises(UsageError, match="no export format"):
        export(None, "pdf")  # type: ignore[arg-type]
