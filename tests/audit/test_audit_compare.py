"""What the comparison notices, with folders written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from audit_folder import line, write_folder
from docx_builder import docx, math, mr, p, picture, png, run, table

from lrdoc.audit import AuditResult, Characters, KindCount, count
from lrdoc.errors import SidecarError, UnsupportedFormatError

BODY = p("First paragraph.") + p("Second one.") + p("Third")
FIRST, SECOND, THIRD = "body/p[1]", "body/p[2]", "body/p[3]"


def audit(tmp_path: Path, body: str, lines: list[dict[str, Any]], **options: Any) -> AuditResult:
    source = tmp_path / "report.docx"
    docx_options = options.pop("docx", {})
    source.write_bytes(docx(body, **docx_options))
    return count(source, write_folder(tmp_path / "report.docx.parsed", lines, **options))


def codes(result: AuditResult) -> list[str]:
    return [problem.code for problem in result.problems]


def complete() -> dict[str, Any]:
    return line(("First paragraph.", FIRST), ("\n", ""), ("Second one.", SECOND), ("\n", ""), ("Third", THIRD))


def test_a_complete_folder_has_no_problems(tmp_path: Path) -> None:
    result = audit(tmp_path, BODY, [complete()])
    assert result.ok
    assert result.problems == ()
    assert result.characters == Characters(source=30, placed=30)
    assert result.kinds == {"text": KindCount(source=30, placed=30)}


def test_a_missing_paragraph_is_named_with_its_text(tmp_path: Path) -> None:
    result = audit(tmp_path, BODY, [line(("First paragraph.", FIRST), ("\n", ""), ("Third", THIRD))])
    assert not result.ok
    assert result.characters.unaccounted == 10
    assert codes(result) == ["missing"]
    assert "Second one." in result.problems[0].message or "Secondone." in result.problems[0].message
    assert result.problems[0].where == "word/document.xml body/p[2]"


@pytest.mark.parametrize(
    ("written", "missing", "code"),
    [("First paragrph.", 1, "missing"), ("First paragXaph.", 1, "missing"), ("First paragraphs.", 0, "invented")],
)
def test_a_changed_character_is_noticed(tmp_path: Path, written: str, missing: int, code: str) -> None:
    content = line((written, FIRST), ("\n", ""), ("Second one.", SECOND), ("\n", ""), ("Third", THIRD))
    result = audit(tmp_path, BODY, [content])
    assert result.characters.unaccounted == missing
    assert code in codes(result)
    assert not result.ok


def test_a_paragraph_written_twice_is_duplicated(tmp_path: Path) -> None:
    again = line(("Second one.", SECOND))
    result = audit(tmp_path, BODY, [complete(), again])
    assert result.characters.duplicated == 10
    assert codes(result) == ["duplicated"]


def test_swapped_paragraphs_are_out_of_order(tmp_path: Path) -> None:
    content = line(("Second one.", SECOND), ("\n", ""), ("First paragraph.", FIRST), ("\n", ""), ("Third", THIRD))
    assert codes(audit(tmp_path, BODY, [content])) == ["order"]


def test_text_under_a_wrong_place_is_misplaced(tmp_path: Path) -> None:
    content = line(("First paragraph.", FIRST), ("\n", ""), ("Second one.", "body/p[9]"), ("\n", ""), ("Third", THIRD))
    result = audit(tmp_path, BODY, [content])
    assert codes(result) == ["misplaced"]
    assert result.characters.unaccounted == 0


def test_invented_and_unclaimed_text_is_noticed(tmp_path: Path) -> None:
    extra = line(("Once upon a time", "body/p[9]"))
    loose = line(("Third", THIRD), (" and something else", ""))
    content = line(("First paragraph.", FIRST), ("\n", ""), ("Second one.", SECOND))
    assert codes(audit(tmp_path, BODY, [content, loose, extra])) == ["invented", "unclaimed"]


def test_labels_and_heading_marks_are_taken_out_first(tmp_path: Path) -> None:
    body = p("Item", ppr='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>') + p("Tail")
    content = line(("# ", ""), ("1.2 ", ""), ("Item", FIRST), ("\n- \n", ""), ("Tail", SECOND))
    assert audit(tmp_path, body, [content]).ok
    wrong = line(("Item", FIRST), ("\nNo. 5 ", ""), ("Tail", SECOND))
    assert codes(audit(tmp_path, body, [wrong])) == ["unclaimed"]


def test_escapes_and_script_tags_are_undone(tmp_path: Path) -> None:
    body = p("a <table> [^1] x2 &lt;sup")
    written = line(("a &lt;table> [\\^1] x<sup>2</sup> &amp;lt;sup", FIRST))
    assert audit(tmp_path, body, [written]).ok


def table_line(rows: list[list[tuple[str, str]]], tag: str = "tb-00-0001") -> dict[str, Any]:
    """A line that holds one table; each cell is (text, path)."""
    pieces: list[tuple[str, str]] = [(f'<table id="{tag}" format="json">[', "")]
    for r, row in enumerate(rows):
        pieces.append((", [" if r else "[", ""))
        for c, (text, path) in enumerate(row):
            pieces += [(', "' if c else '"', ""), (json.dumps(text, ensure_ascii=False)[1:-1], path), ('"', "")]
        pieces.append(("]", ""))
    pieces.append(("]</table>", ""))
    return line(*pieces)


def item(content: str, **more: Any) -> dict[str, Any]:
    return {"content": content, "caption": "", "footnotes": [], **more}


def cell_path(row: int, column: int) -> str:
    return f"body/tbl[1]/tr[{row}]/tc[{column}]/p[1]"


def test_cells_count_once_however_a_merge_repeats_them(tmp_path: Path) -> None:
    body = table([['say "hi"', "b"], ["c", "d"]])
    rows = [[('say "hi"', cell_path(1, 1)), ('say "hi"', cell_path(1, 1)), ("b", cell_path(1, 2))],
            [("c", cell_path(2, 1)), ("c", ""), ("d", cell_path(2, 2))]]  # fmt: skip
    content = json.dumps([[text for text, _ in row] for row in rows], ensure_ascii=False)
    items = {"tables": {"tb-00-0001": item(content, extras={"spans": [[0, 0, 1, 2], [1, 0, 1, 2]]})}}
    result = audit(tmp_path, body, [table_line(rows)], items=items)
    assert result.problems == ()
    assert result.characters == Characters(source=10, placed=10)


def test_a_lost_or_changed_cell_is_named(tmp_path: Path) -> None:
    body = table([["a", "b"], ["c", "d"]])
    rows = [[("a", cell_path(1, 1)), ("B", cell_path(1, 2))], [("c", cell_path(2, 1)), ("", "")]]
    content = json.dumps([[text for text, _ in row] for row in rows])
    result = audit(tmp_path, body, [table_line(rows)], items={"tables": {"tb-00-0001": item(content)}})
    assert {(problem.code, problem.where) for problem in result.problems} >= {
        ("missing", f"word/document.xml {cell_path(1, 2)}"),
        ("missing", f"word/document.xml {cell_path(2, 2)}"),
        ("invented", problem_place(result, "invented")),
    }


def problem_place(result: AuditResult, code: str) -> str:
    return next(problem.where for problem in result.problems if problem.code == code)


def test_an_item_that_differs_from_its_tag_is_named(tmp_path: Path) -> None:
    body = table([["a"]])
    rows = [[("a", cell_path(1, 1))]]
    changed = audit(tmp_path, body, [table_line(rows)], items={"tables": {"tb-00-0001": item('[["x"]]')}})
    assert [(problem.code, problem.where) for problem in changed.problems] == [("changed", "tb-00-0001")]
    gone = audit(tmp_path, body, [table_line(rows)], items={"tables": {}})
    assert codes(gone) == ["tag_without_item"]


def formula(latex: str, path: str = FIRST) -> tuple[str, str]:
    return f'<equation format="latex">{latex}</equation>', path


@pytest.mark.parametrize(
    ("latex", "found"),
    [
        (r"\frac{1}{x}+\alpha", []),
        (r"\frac{x}{1}+\alpha", []),
        (r"\frac{1}{y}+\alpha", ["missing", "changed"]),
        (r"\frac{1}{}+\alpha", ["missing"]),
        (r"\frac{1}{x}+\alpho", ["missing"]),
        (r"\frac{12}{x}+\alpha", ["changed"]),
    ],
)
def test_formulas_keep_every_letter_and_digit(tmp_path: Path, latex: str, found: list[str]) -> None:
    body = p("so ", math(f"<m:f><m:num>{mr('1')}</m:num><m:den>{mr('x')}</m:den></m:f>{mr('+')}{mr('α')}"), " end")
    result = audit(tmp_path, body, [line(("so ", FIRST), formula(latex), (" end", FIRST))])
    assert codes(result) == found
    assert result.characters.source == 9


def test_a_formula_in_the_wrong_place_of_its_line_is_noticed(tmp_path: Path) -> None:
    body = p("so ", math(mr("x")), " end")
    result = audit(tmp_path, body, [line(("so  end", FIRST), formula("x"))])
    assert not result.ok


def test_an_equation_hoisted_from_a_cell_stands_where_the_cell_names_it(tmp_path: Path) -> None:
    body = table([[p("a ", math(mr("x")), " b")]])
    path = cell_path(1, 1)
    pieces = [
        ('<table id="tb-00-0001" format="json">[["', ""),
        ("a ", path),
        ("[eq-00-0001]", ""),
        (" b", path),
        ('"]]</table>\n<equation id="eq-00-0001" format="latex">', ""),
        ("x", path),
        ("</equation>", ""),
    ]
    items = {
        "tables": {"tb-00-0001": item('[["a [eq-00-0001] b"]]')},
        "equations": {"eq-00-0001": item("x", extras={"parent": {"id": "tb-00-0001", "row": 0, "col": 0}})},
    }
    assert audit(tmp_path, body, [line(*pieces)], items=items).problems == ()


def test_regions_and_item_fields_count_as_kept(tmp_path: Path) -> None:
    body = p("Text") + p("Figure 1: a cat")
    options: dict[str, Any] = {"headers": {"default": p("Head line")}}
    result = audit(
        tmp_path,
        body,
        [line(("Text", FIRST), ('\n<drawing id="im-00-0001" format="" path="" src="" />', ""))],
        docx=options,
        regions=[line(("Head line", "hdr/p[1]", "word/header1.xml"), region="header")],
        items={"drawings": {"im-00-0001": {"caption": "Figure 1: a cat", "footnotes": [], "path": ""}}},
    )
    assert result.problems == ()
    assert result.characters == Characters(source=24, placed=4, kept=20)


def test_a_caption_or_footnote_with_a_changed_character_is_noticed(tmp_path: Path) -> None:
    body = p("Text") + p("Figure 1: a cat")
    drawing = line(
        ("Text", FIRST), ('\n<drawing id="im-00-0001" format="" path="" src="" />\n', ""), ("Figure 1: a cat", SECOND)
    )
    for caption, notes, ok in (
        ("Figure 1: a cat", ["Text"], True),
        ("Figure 1: a hat", [], False),
        ("", ["Taxt"], False),
    ):
        items = {"drawings": {"im-00-0001": {"caption": caption, "footnotes": notes, "path": ""}}}
        result = audit(tmp_path, body, [drawing], items=items)
        assert result.ok is ok
        if not ok:
            assert [(problem.code, problem.where) for problem in result.problems] == [("changed", "im-00-0001")]


@pytest.mark.parametrize("page", ["", " page 12"])
def test_a_warning_that_names_the_place_makes_missing_text_reported(tmp_path: Path, page: str) -> None:
    content = line(("First paragraph.", FIRST), ("\n", ""), ("Third", THIRD))
    warning = {"code": "not_understood", "message": "left out", "where": "word/document.xml body/p[2]" + page}
    result = audit(tmp_path, BODY, [content], warnings=[warning])
    assert result.ok
    assert result.characters.reported == 10


def test_parameters_of_the_engine_decide_what_has_to_be_there(tmp_path: Path) -> None:
    body = p("a", '<w:del w:id="1"><w:r><w:delText>old</w:delText></w:r></w:del>')
    assert audit(tmp_path, body, [line(("a", FIRST))]).excluded == {"deleted": 3}
    rejected = audit(tmp_path, body, [line(("aold", FIRST))], engine="native(changes=reject)")
    assert rejected.ok
    assert rejected.characters.source == 4


def test_pictures_are_compared_by_their_bytes(tmp_path: Path) -> None:
    data = png()
    body = p("x", run(picture("rIdP")))
    options: dict[str, Any] = {"media": {"rIdP": ("p.png", data)}}
    good = audit(tmp_path / "1", body, [line(("x", FIRST))], docx=options, assets={"p.png": data})
    assert good.ok
    changed = audit(tmp_path / "2", body, [line(("x", FIRST))], docx=options, assets={"p.png": data + b"\0"})
    assert [(problem.code, problem.where) for problem in changed.problems] == [
        ("missing_asset", "word/document.xml body/p[1]"),
        ("changed_asset", "p.png"),
    ]


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path) -> None:
    for name in ("1", "2"):
        (tmp_path / name).mkdir()


def test_other_formats_and_other_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(b"x")
    with pytest.raises(UnsupportedFormatError, match="docx"):
        count(tmp_path / "x.dat", tmp_path)
    (tmp_path / "a.docx").write_bytes(docx(p("x")))
    with pytest.raises(SidecarError, match="blocks"):
        count(tmp_path / "a.docx", tmp_path)


def test_escapes_are_read_in_their_surroundings(tmp_path: Path) -> None:
    """`&lt;cite` before a letter is no tag, also when the letter is from another place or from us."""
    body = p("&lt;cite") + p("a <tab") + p("le>")
    joined = line(("&lt;cite", FIRST), ("x", ""), ("\n", ""), ("a &lt;tab", SECOND), ("le>", THIRD))
    result = audit(tmp_path, body, [joined])
    assert [problem.code for problem in result.problems] == ["unclaimed"]


def test_a_folder_without_provenance_is_told_in_one_sentence(tmp_path: Path) -> None:
    result = audit(tmp_path, BODY, [line(("First paragraph.\nSecond one.\nThird", ""))])
    assert codes(result) == ["no_provenance"]
    assert result.characters == Characters(source=30, unaccounted=30)


def test_plain_text_with_a_source_map_is_compared_cell_by_cell(tmp_path: Path) -> None:
    body = p("so ", math(mr("x") + mr("=") + mr("2"))) + table([[p("one") + p("two"), "b"]])
    source = tmp_path / "report.docx"
    source.write_bytes(docx(body))
    text = "so x=2\none two\tb\n"
    cell = "body/tbl[1]/tr[1]/tc[1]/p[1]"
    claims = [([0, 6], FIRST), ([7, 14], cell), ([15, 16], cell_path(1, 2))]
    entries = [{"chars": chars, "part": "word/document.xml", "path": path} for chars, path in claims]
    folder = tmp_path / "report.docx.parsed"
    folder.mkdir()
    (folder / "report.txt").write_text(text, "utf-8")
    (folder / "report.source_map.json").write_text(json.dumps({"version": "1.0", "map": entries}), "utf-8")
    assert count(source, folder).problems == ()
    (folder / "report.source_map.json").write_text(json.dumps({"version": "1.0", "map": entries[:-1]}), "utf-8")
    assert codes(count(source, folder)) == ["missing"]


@pytest.mark.parametrize(
    "line_fields",
    [
        {"content": 5},
        {"provenance": 5},
        {"provenance": [5, {"chars": 7}, {"chars": [1, "2"]}, {"chars": [5, 2]}, {"chars": [0, 10**9]}]},
        {"blockid": None, "heading": 3},
    ],
)
def test_lines_that_make_no_sense_are_no_traceback(tmp_path: Path, line_fields: dict[str, Any]) -> None:
    assert (
        not audit(tmp_path, BODY, [{**complete(), **line_fields}, line(("Third", THIRD))]).ok
        or "heading" in line_fields
    )


def test_items_that_make_no_sense_are_no_traceback(tmp_path: Path) -> None:
    rows = [[("a", cell_path(1, 1))]]
    for broken in (
        5,
        {"content": 1, "caption": 5, "footnotes": 7, "extras": [1]},
        {"content": "", "caption": "", "footnotes": [4], "extras": {"spans": [[0, 0, 10**9, 10**9], 5, [1]]}},
    ):
        items: dict[str, Any] = {"tables": {"tb-00-0001": broken}}
        assert isinstance(audit(tmp_path, table([["a"]]), [table_line(rows)], items=items), AuditResult)


def test_entities_are_not_followed(tmp_path: Path) -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    document = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{bomb}]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        '<w:p><w:pPr><w:pStyle w:val="&e11;"/></w:pPr><w:r><w:t>a&e11;b</w:t></w:r></w:p></w:body></w:document>'
    )
    source = tmp_path / "report.docx"
    source.write_bytes(docx(document=document))
    result = count(source, write_folder(tmp_path / "o", [line(("ab", FIRST))]))
    assert result.characters.source <= 2
