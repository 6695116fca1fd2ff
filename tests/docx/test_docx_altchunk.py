"""Embedded documents wherever they may stand, as often as they are shown."""

from __future__ import annotations

import pytest
from docx_builder import docx, p, r, sdt, table, tc, textbox, tr
from docx_builder import run as w_r
from docx_parse import lines, parse_bytes, rows, tables
from docx_written import write_bytes

from lrdoc.errors import LimitExceeded
from lrdoc.parsers.docx.settings import DocxSettings

CHUNK = '<w:altChunk r:id="rA"/>'


def package(body: str, data: bytes = b"one\ntwo") -> bytes:
    return docx(body, parts={"word/c.txt": ("text/plain", data)}, rels=[("rA", "aFChunk", "c.txt")])


@pytest.mark.parametrize(
    "body",
    [
        CHUNK,
        sdt(CHUNK),
        f"<w:customXml>{CHUNK}</w:customXml>",
        p(CHUNK),
        p(w_r(CHUNK)),
        p(sdt(w_r(CHUNK))),
        f"<w:r>{CHUNK}</w:r>",
        p(w_r(textbox(CHUNK))),
    ],
)
def test_an_embedded_document_may_stand_at_every_level(body: str) -> None:
    assert lines(parse_bytes(package(body))) == ["one", "two"]
    write_bytes(package(body))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (table([[CHUNK, "x"]]), [["one\ntwo", "x"]]),
        (table([tr(tc(p("a", w_r(CHUNK))), "x")], grid=2), [["a\none\ntwo", "x"]]),
        (table([["a", "b"]]).replace("</w:tr>", f"{CHUNK}</w:tr>"), [["a", "b", "one\ntwo"]]),
        (table([["a", "b"]]).replace("</w:tbl>", f"{CHUNK}</w:tbl>"), [["a", "b"], ["one\ntwo", ""]]),
    ],
)
def test_an_embedded_document_in_a_table_stays_there(body: str, expected: list[list[str]]) -> None:
    assert write_bytes(package(body)).grid() == expected


def test_an_embedded_document_is_shown_as_often_as_it_is_referred_to() -> None:
    written = write_bytes(package(CHUNK + p("x") + CHUNK))
    assert written.content == "one\ntwo\nx\none\ntwo"


def test_rtf_is_read_and_counted() -> None:
    text = rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}one {\b two}\par caf\'e9 \u8364?\u-10179?\u-8704?\par"
    rows_of = rb"\trowd\cellx9\cellx19 a\cell b\cell\row{\*\hidden no}{\pict 00ff}{\v no}{\deleted no} \{x\}}"
    rels = [("rA", "aFChunk", "c.rtf")]
    written = write_bytes(docx(p("x") + CHUNK, parts={"word/c.rtf": ("application/rtf", text + rows_of)}, rels=rels))
    assert written.content.split("\n")[:3] == ["x", "one two", "café €😀"]
    assert "a\tb" in written.content
    assert "{x}" in written.content
    assert "no" not in written.content.split("\n")[-1]


def test_endless_repetition_is_refused() -> None:
    data = package(CHUNK * 200, b"line of text\n" * 1_000)
    with pytest.raises(LimitExceeded, match="DOCX_MAX_UNCOMPRESSED_BYTES"):
        parse_bytes(data, settings=DocxSettings(max_uncompressed_bytes=1_000_000))


def test_what_stands_between_rows_and_cells_is_not_lost() -> None:
    body = table([["a", "b"]]).replace("</w:tr>", f"{p('c')}{table([['in']])}</w:tr>{p('d')}<w:tc>{p('e')}</w:tc>")
    written = write_bytes(docx(body))
    assert written.grid("tb1") == [["a", "b", "c", "[tb2]"], ["d", "", "", ""], ["e", "", "", ""]]
    assert rows(tables(parse_bytes(docx(body)))[1]) == [["in"]]
    assert written.place('d"')["path"] == "body/tbl[1]/p[1]"


def test_runs_beside_an_embedded_document_stay_in_their_line() -> None:
    assert lines(parse_bytes(package(p("a", w_r(CHUNK), r("b"))))) == ["ab", "one", "two"]


def test_what_an_embedded_document_leaves_out_is_told_with_the_rest() -> None:
    inner = docx(p(r("seen"), r("not seen", "<w:vanish/>")))
    chunk = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    outer = docx(
        p(r("hid", "<w:vanish/>")) + CHUNK, parts={"word/c.docx": (chunk, inner)}, rels=[("rA", "aFChunk", "c.docx")]
    )
    messages = {warning.code: warning.message for warning in parse_bytes(outer).warnings}
    assert messages["hidden_text_dropped"].startswith("10 characters of hidden text")
    assert messages["missing_paraid"].startswith("2 paragraphs")
    assert write_bytes(outer).content == "seen"
