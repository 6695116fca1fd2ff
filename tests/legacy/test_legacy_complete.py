"""`check --source` for plain text: nothing of a source is lost, doubled or invented, and what is missing is named.

An eighth of the corpus; all of it: scripts/judge completeness --engine legacy.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from docx_builder import docx, p, table
from legacy_files import HEADER, deck, epub, odt, rels, save, shape, workbook
from shared_files import shared_dir

from lrdoc.app import App, Choices
from lrdoc.audit import AuditResult, count
from lrdoc.errors import LrdocError, UnsupportedFormatError

KINDS = ("pptx", "xlsx", "odt", "epub", "html", "docx", "csv", "xml", "md", "txt", "json")


def corpus() -> list[Path]:
    shared = shared_dir()
    if shared is None:
        return []
    found = [path for path in sorted((shared / "corpus").rglob("*")) if path.suffix[1:] in KINDS and path.is_file()]
    small = [path for path in found if path.stat().st_size < 200_000 and "groundtruth" not in path.parts]
    return [path for path in small if zlib.crc32(path.name.encode()) % 8 == 0]


def audited(source: Path, folder: Path) -> AuditResult:
    App.load(Choices(engine="legacy")).parse(source, folder)
    return count(source, folder)


@pytest.mark.parametrize("path", corpus(), ids=lambda path: path.name)
def test_a_real_file_is_complete(path: Path, tmp_path: Path) -> None:
    try:
        result = audited(path, tmp_path / "out")
    except LrdocError as refusal:
        assert len(str(refusal)) > 20
        return
    assert result.problems == ()
    assert result.characters.unaccounted == result.characters.duplicated == 0
    assert result.characters.source > 0


def slides(path: Path, leave_out: str = "") -> Path:
    def kept(name: str, xml: str) -> str:
        return "" if name == leave_out else xml

    frame = (
        "<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p>"
        "</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    chart = (
        '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rIdC"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    diagram = chart.replace("c:chart r:id", "dgm:relIds r:dm").replace("rIdC", "rIdD")
    tree = (
        shape("The title", placeholder="title")
        + kept("body", shape("First point", "1:Second point", placeholder="body"))
        + kept("group", f"<p:grpSp>{shape('Grouped words')}</p:grpSp>")
        + kept("alt", shape(alt="A red balloon"))
        + kept("cell", frame.format("Cell content"))
        + kept("chart", chart)
        + kept("diagram", diagram)
    )
    point = '<c:pt idx="0"><c:v>{}</c:v></c:pt>'
    extra = {
        "ppt/slides/_rels/slide1.xml.rels": rels(
            ("rIdN", "notesSlide", "../notes.xml"),
            ("rIdK", "comments", "../comments.xml"),
            ("rIdC", "chart", "../chart.xml"),
            ("rIdD", "diagramData", "../diagram.xml"),
        ),
        "ppt/notes.xml": f"{HEADER}<p:notes NAMES><p:cSld><p:spTree>"
        f"{kept('note', shape('Say this slowly', placeholder='body'))}</p:spTree></p:cSld></p:notes>",
        "ppt/comments.xml": f"{HEADER}<p:cmLst NAMES>{kept('comment', '<p:cm><p:text>Too long</p:text></p:cm>')}</p:cmLst>",
        "ppt/chart.xml": f"{HEADER}<c:chartSpace NAMES><c:chart><c:plotArea><c:barChart><c:ser>"
        f"<c:cat><c:strRef><c:strCache>{point.format('Apples')}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache>{point.format('4.25')}</c:numCache></c:numRef></c:val>"
        "</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>",
        "ppt/diagram.xml": f'{HEADER}<dgm:dataModel NAMES><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r>'
        "<a:t>Node words</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>",
    }
    return deck(path, [tree], extra)


def cells(path: Path, leave_out: str = "") -> Path:
    def kept(name: str, xml: str) -> str:
        return "" if name == leave_out else xml

    sheet = (
        "<sheetData><row r='1'><c r='A1' t='s'><v>0</v></c>"
        + kept("text", "<c r='C1' t='inlineStr'><is><t>Right here</t></is></c>")
        + "</row><row r='2'>"
        + kept("number", "<c r='B2' s='1'><v>1234.5678</v></c>")
        + "<c r='C2' t='b'><v>1</v></c></row><row r='3'>"
        + kept("date", "<c r='B3' s='2'><v>45000</v></c>")
        + "<c r='C3'><v>7</v></c></row></sheetData><mergeCells><mergeCell ref='A1:A3'/></mergeCells>"
        + kept("margin", "<headerFooter><oddHeader>&amp;CTop secret</oddHeader></headerFooter>")
    )
    names = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    comment = '<comment ref="A1" authorId="0"><text><t>Check this sum</t></text></comment>'
    return workbook(
        path,
        {"Sums": sheet},
        strings="<si><t>Region</t></si>",
        styles='<numFmts><numFmt numFmtId="170" formatCode="#,##0.00"/></numFmts><cellXfs><xf/><xf numFmtId="170"/>'
        '<xf numFmtId="14"/></cellXfs>',
        extra={
            "xl/worksheets/_rels/sheet1.xml.rels": rels(("rId1", "comments", "../comments.xml")),
            "xl/comments.xml": f"{HEADER}<comments {names}><authors><author>Ada</author></authors>"
            f"<commentList>{kept('comment', comment)}</commentList></comments>",
        },
    )


def text(path: Path, leave_out: str = "") -> Path:
    def kept(name: str, xml: str) -> str:
        return "" if name == leave_out else xml

    note = (
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Note words</text:p>"
        "</text:note-body></text:note>"
    )
    return odt(
        path,
        "<text:h>Chapter</text:h><text:p>Words"
        + kept("note", note)
        + kept("box", "<draw:frame><draw:text-box><text:p>Boxed words</text:p></draw:text-box></draw:frame>")
        + " and more</text:p>"
        + kept("list", "<text:list><text:list-item><text:p>Item words</text:p></text:list-item></text:list>")
        + "<table:table><table:table-row><table:table-cell><text:p>One</text:p></table:table-cell>"
        + f"<table:table-cell>{kept('cell', '<text:p>Cell words</text:p>')}</table:table-cell></table:table-row></table:table>"
        + '<text:section text:display="none"><text:p>Not shown</text:p></text:section>',
        styles="<style:master-page><style:header><text:p>"
        + kept("margin", "Running words")
        + "</text:p></style:header></style:master-page>",
    )


def page(path: Path, leave_out: str = "") -> Path:
    words = {
        "list": "<ol><li>Item words</ol>", "cell": "<table><tr><td>Cell words</table>", "form": "<input value='Field words'>",
        "alt": "<img alt='Picture words'>", "text": "<p>Plain <b>words</b>",
    }  # fmt: skip
    body = "".join(html for name, html in words.items() if name != leave_out)
    return save(
        path, f"<title>T</title><style>p {{}}</style><h1>Head</h1>{body}<p hidden>Not shown</p><script>x</script>"
    )


def book(path: Path, leave_out: str = "") -> Path:
    chapters = {"a.xhtml": "<h1>One</h1>", "b.xhtml": "<p>Second words</p>" if leave_out != "chapter" else "<p>x</p>"}
    return epub(path, chapters)


def report(path: Path, leave_out: str = "") -> Path:
    body = p("Start") + (table([["Cell words"]]) if leave_out != "table" else "")
    return save(path, docx(body, footnotes={}, headers={"default": p("Head words")} if leave_out != "header" else {}))


def values(path: Path, leave_out: str = "") -> Path:
    return save(path, 'a;b\n"x;y";' + ("Cell words" if leave_out != "cell" else "") + "\n")


def data(path: Path, leave_out: str = "") -> Path:
    return save(path, "<a><b>One</b>" + ("<c>Other <i>words</i></c>" if leave_out != "element" else "") + "</a>")


Build = Callable[..., Path]
LEFT_OUT: list[tuple[Build, str, str, str]] = [
    *((slides, "pptx", name, words) for name, words in {
        "body": "Second point", "group": "Grouped words", "alt": "red balloon", "cell": "Cell content", "chart": "Apples",
        "diagram": "Node words", "note": "Say this slowly", "comment": "Too long",
    }.items()),
    *((cells, "xlsx", name, words) for name, words in {
        "text": "Right here", "number": "1234", "date": "45000", "margin": "Top secret", "comment": "Check this sum",
    }.items()),
    *((text, "odt", name, words) for name, words in {
        "note": "Note words", "box": "Boxed words", "list": "Item words", "cell": "Cell words", "margin": "Running words",
    }.items()),
    *((page, "html", name, words) for name, words in {
        "list": "Item words", "cell": "Cell words", "form": "Field words", "alt": "Picture words", "text": "Plain words",
    }.items()),
    (book, "epub", "chapter", "Second words"),
    (report, "docx", "table", "Cell words"),
    (report, "docx", "header", "Head words"),
    (values, "csv", "cell", "Cell words"),
    (data, "xml", "element", "Other words"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "kind"), dict.fromkeys((build, kind) for build, kind, _, _ in LEFT_OUT))
def test_a_small_file_is_complete(build: Build, kind: str, tmp_path: Path) -> None:
    result = audited(build(tmp_path / f"a.{kind}"), tmp_path / "out")
    assert result.problems == ()
    assert result.characters.placed == result.characters.source > 5


@pytest.mark.parametrize(
    ("build", "kind", "name", "words"), LEFT_OUT, ids=lambda value: getattr(value, "__name__", value)
)
def test_what_a_parse_leaves_out_is_named(build: Build, kind: str, name: str, words: str, tmp_path: Path) -> None:
    whole, less = tmp_path / f"whole.{kind}", tmp_path / f"less.{kind}"
    build(whole)
    build(less, leave_out=name)
    App.load(Choices(engine="legacy")).parse(less, tmp_path / "out")
    result = count(whole, tmp_path / "out")
    assert not result.ok
    assert result.characters.unaccounted > 0
    squeezed = "".join(words.split())
    told = "".join("".join(problem.message for problem in result.problems if problem.code == "missing").split())
    assert squeezed in told or told in squeezed or any(part in told for part in words.split())


@pytest.mark.parametrize(
    ("build", "kind", "name", "words"), LEFT_OUT, ids=lambda value: getattr(value, "__name__", value)
)
def test_what_a_parse_adds_is_named(build: Build, kind: str, name: str, words: str, tmp_path: Path) -> None:
    whole, less = tmp_path / f"whole.{kind}", tmp_path / f"less.{kind}"
    build(whole)
    build(less, leave_out=name)
    App.load(Choices(engine="legacy")).parse(whole, tmp_path / "out")
    assert not count(less, tmp_path / "out").ok


def test_text_that_stands_twice_is_noticed(tmp_path: Path) -> None:
    source = save(tmp_path / "a.txt", "One line\nAnother line\n")
    App.load(Choices(engine="legacy")).parse(source, tmp_path / "out")
    twice = save(tmp_path / "b.txt", "One line\nAnother line\nAnother line\n")
    App.load(Choices(engine="legacy")).parse(twice, tmp_path / "twice")
    assert count(source, tmp_path / "out").ok
    assert not count(source, tmp_path / "twice").ok
    assert count(twice, tmp_path / "out").characters.unaccounted == len("Anotherline")


def test_kinds_that_are_not_counted_say_so(tmp_path: Path) -> None:
    source = save(tmp_path / "a.rtf", r"{\rtf1 Hello}")
    App.load(Choices(engine="legacy")).parse(source, tmp_path / "out")
    with pytest.raises(UnsupportedFormatError, match=r"completeness of \.rtf files cannot be counted"):
        count(source, tmp_path / "out")


def test_a_changed_number_is_noticed(tmp_path: Path) -> None:
    source = cells(tmp_path / "a.xlsx")
    App.load(Choices(engine="legacy")).parse(source, tmp_path / "out")
    [found] = (tmp_path / "out").glob("*.txt")
    before = found.read_text(encoding="utf-8")
    assert "1,234.57" in before
    for wrong in ("1,234.67", "1,234.56", "9,234.57", "1.234,57"):
        shutil.copytree(tmp_path / "out", tmp_path / wrong)
        (tmp_path / wrong / found.name).write_text(before.replace("1,234.57", wrong), encoding="utf-8")
        assert not count(source, tmp_path / wrong).ok


def test_a_tab_in_a_cell_is_no_border_of_cells(tmp_path: Path) -> None:
    cells = '<c r="A1" t="inlineStr"><is><t>one\ttwo</t></is></c><c r="B1" s="1"><v>-5.5</v></c>'
    styles = (
        '<numFmts><numFmt numFmtId="170" formatCode="#,##0.0;(#,##0.0)"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>'
    )
    sheet = f'<sheetData><row r="1">{cells}</row></sheetData>'
    source = workbook(tmp_path / "a.xlsx", {"S": sheet}, styles=styles)
    result = audited(source, tmp_path / "a.parsed")
    assert not result.problems
    assert "one two\t(5.5)" in (tmp_path / "a.parsed" / "a.txt").read_text()


@pytest.mark.parametrize(
    "xml",
    [
        '<!DOCTYPE x [<!ENTITY co "Ink &amp; <b>Co</b>">]><a>Made by &co; today</a>',
        "<a>caf&eacute;<![CDATA[ &eacute; ]]>&NotEqualTilde;</a>",
        '<!DOCTYPE x [<!ENTITY eacute "E">]><a>caf&eacute;</a>',
    ],
)
def test_entities_of_xml_are_counted(xml: str, tmp_path: Path) -> None:
    assert not audited(save(tmp_path / "a.xml", xml), tmp_path / "a.parsed").problems


@pytest.mark.parametrize("properties", ["", '<workbookPr date1904="1"/>'])
@pytest.mark.parametrize(("code", "value", "shown"), [("[h]:mm", "1.25", "30:00"), ("[mm]:ss", "0.5", "720:00")])
def test_elapsed_time_counts_from_nothing(code: str, value: str, shown: str, properties: str, tmp_path: Path) -> None:
    styles = (
        f'<numFmts><numFmt numFmtId="170" formatCode="{code}"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>'
    )
    sheet = f'<sheetData><row r="1"><c r="A1" s="1"><v>{value}</v></c></row></sheetData>'
    source = workbook(tmp_path / "a.xlsx", {"S": sheet}, styles=styles, properties=properties)
    assert not audited(source, tmp_path / "a.parsed").problems
    assert shown in (tmp_path / "a.parsed" / "a.txt").read_text()
