"""Whatever a document has most of, the engine looks often enough whether it shall stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from docx_builder import (
    abstract_num,
    docx,
    field,
    heading,
    li,
    lvl,
    math,
    math_para,
    mr,
    num,
    p,
    r,
    run,
    table,
    textbox,
    xml_part,
)

from lrdoc.errors import Cancelled
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx.parser import DocxParser
from lrdoc.testing.assets import MemoryAssets

_SQUARE = f"<m:sSup><m:e>{mr('x')}</m:e><m:sup>{mr('2')}</m:sup></m:sSup>"
_CHART = '<w:drawing><a:graphic><a:graphicData uri="c"><c:chart r:id="rIdC"/></a:graphicData></a:graphic></w:drawing>'
_CHUNK = '<w:altChunk r:id="rIdA"/>'
_CHUNK_REL = [("rIdA", "aFChunk", "chunk")]


def _chart() -> bytes:
    points = "".join(f'<c:pt idx="{i}"><c:v>{i}</c:v></c:pt>' for i in range(8_000))
    values = f"<c:val><c:numRef><c:numCache>{points}</c:numCache></c:numRef></c:val>"
    plot = f"<c:chart><c:plotArea><c:barChart><c:ser>{values}</c:ser></c:barChart></c:plotArea></c:chart>"
    return docx(
        p(run(_CHART)),
        parts={"word/chart.xml": ("application/chart+xml", xml_part("c:chartSpace", plot))},
        rels=[("rIdC", "chart", "chart.xml")],
    )


LONG: dict[str, Callable[[], bytes]] = {
    "paragraphs": lambda: docx(p("text") * 3_000),
    "headings": lambda: docx(heading(1, "text") * 3_000),
    "rows": lambda: docx(table([["a", "b"]] * 500)),
    "paragraphs of a cell": lambda: docx(table([[p("x") * 3_000]])),
    "runs of a paragraph": lambda: docx(p(r("x") * 9_000)),
    "runs of a link": lambda: docx(p(f'<w:hyperlink w:anchor="a">{r("x") * 9_000}</w:hyperlink>')),
    "fields": lambda: docx(p(field("PAGE", "1") * 2_000)),
    "text boxes": lambda: docx(p(run(textbox(p("x"))) * 2_000)),
    "structures of a formula": lambda: docx(p(math_para(math(_SQUARE * 3_000)))),
    "pieces of a formula in a field": lambda: docx(p(field("EQ " + "a\\," * 40_000))),
    "points of a chart": _chart,
    "comments": lambda: docx(p("x"), comments={n: p("c") for n in range(500)}),
    "notes": lambda: docx(
        p("".join(run(f'<w:footnoteReference w:id="{n}"/>') for n in range(1, 500))),
        footnotes={n: p("n") for n in range(1, 500)},
    ),
    "lists": lambda: docx(
        li("x", 1),
        numbering="".join(abstract_num(n, lvl(0)) for n in range(200)) + "".join(num(n, n) for n in range(1, 200)),
    ),
    "lines of an embedded text": lambda: docx(
        _CHUNK, parts={"word/chunk": ("text/plain", b"line\n" * 3_000)}, rels=_CHUNK_REL
    ),
    "elements of an embedded page": lambda: docx(
        _CHUNK, parts={"word/chunk": ("text/html", b"<p>x</p>" * 3_000)}, rels=_CHUNK_REL
    ),
    "words of an embedded RTF": lambda: docx(
        _CHUNK, parts={"word/chunk": ("application/rtf", b"{\\rtf1 " + b"line\\par " * 300 + b"}")}, rels=_CHUNK_REL
    ),
    "bytes of a part": lambda: docx(p("x" * 6_000_000)),
}


@pytest.mark.parametrize("what", LONG)
def test_the_engine_looks_while_it_works(what: str, tmp_path: Path) -> None:
    """The clock goes on by an hour with each look, so that every look counts."""
    path = tmp_path / "long.docx"
    path.write_bytes(LONG[what]())
    looks = 0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return looks * 3600.0

    DocxParser().parse(SourceFile(path, path.name), {}, ParseContext(MemoryAssets(), clock=clock))
    assert looks >= 14
    stop_at = looks - 3
    looks = 0
    context = ParseContext(MemoryAssets(), cancelled=lambda: looks >= stop_at, clock=clock)
    with pytest.raises(Cancelled):
        DocxParser().parse(SourceFile(path, path.name), {}, context)
    assert looks == stop_at
