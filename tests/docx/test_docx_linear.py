"""Paragraphs, rows and fields that grow in one direction cost in proportion."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest
from docx_builder import docx, field, p, r, run, table, tc
from docx_parse import parse_bytes

MERGE = '<w:hMerge w:val="restart"/>'
PAGE, DONE = '<w:br w:type="page"/>', "<w:lastRenderedPageBreak/>"


def _nested_fields(count: int) -> str:
    begin = run('<w:fldChar w:fldCharType="begin"/>') + run("<w:instrText>HYPERLINK x</w:instrText>")
    begin += run('<w:fldChar w:fldCharType="separate"/>')
    return p(begin * count, r("x"), run('<w:fldChar w:fldCharType="end"/>') * count)


CASES: dict[str, tuple[int, Callable[[int], str]]] = {
    "paragraphs": (4000, lambda n: p("some words") * n),
    "runs": (8000, lambda n: p((r("a", "<w:b/>") + r("b")) * n)),
    "blank runs": (8000, lambda n: p((r(" ", "<w:b/>") + r(" ")) * n, "x", (r(" ", "<w:b/>") + r(" ")) * n)),
    "page breaks": (4000, lambda n: p((run(PAGE) + run(DONE)) * n) + p("x")),
    "bookmarks": (6000, lambda n: p('<w:bookmarkStart w:id="1" w:name="b"/>' * n, run(PAGE) * 10) + p("x")),
    "comment ranges": (
        4000,
        lambda n: p("".join(f'<w:commentRangeStart w:id="{i}"/>' for i in range(n)), (r("a", "<w:b/>") + r("b")) * 300),
    ),
    "nested fields": (4000, _nested_fields),
    "fields": (2000, lambda n: p(field("PAGE", "1") * n)),
    "contents fields": (2000, lambda n: p(field("TOC", "") * n) + p("x")),
    "joined paragraphs": (3000, lambda n: p("a", ppr='<w:rPr><w:del w:id="1"/></w:rPr>') * n + p("b")),
    "merged cells": (4000, lambda n: table(["<w:tr>" + tc("a", MERGE) + tc("b", "<w:hMerge/>") * n + "</w:tr>"], 1)),
    "wide rows": (4000, lambda n: table([f"<w:tr>{tc('a') * n}</w:tr>"], 1)),
    "rows": (3000, lambda n: table([["a", "b"]] * n)),
    "equations": (600, lambda n: p("<m:oMathPara><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></m:oMathPara>" * n)),
}


@pytest.mark.parametrize("name", CASES)
def test_cost_grows_in_proportion(name: str) -> None:
    count, make = CASES[name]
    small, large = docx(make(count // 3)), docx(make(count // 3 * 4))
    ratios = []
    for _ in range(4):
        ratios.append(_cpu_s(large) / max(_cpu_s(small), 0.004))
        # Twice as much may cost 2.6 times as much; four times as much, 2.6 × 2.6. A busy machine deserves another try.
        if ratios[-1] <= 2.6 * 2.6:
            return
    pytest.fail(f"four times the input cost {ratios} times as much")


def _cpu_s(data: bytes) -> float:
    # What other tests left in memory must not be looked through while the clock runs.
    gc.collect()
    gc.freeze()
    try:
        began = time.process_time()
        parse_bytes(data)
        return time.process_time() - began
    finally:
        gc.unfreeze()
