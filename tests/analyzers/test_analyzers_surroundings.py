"""Text around items and trimmed content."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrdoc.analyzers.surroundings import BlockText, Surrounding
from lrdoc.analyzers.trim import trim_content
from lrdoc.text.tokens import WrappedTokenizer


class PerCharacter:
    """One token per code point."""

    def encode(self, text: str) -> list[int]:
        return [ord(char) for char in text]

    def decode(self, tokens: list[int]) -> str:
        return "".join(map(chr, tokens))


CHARS = WrappedTokenizer(PerCharacter())


def around(content: str, kind: str, item_id: str, leading: int = 1000, trailing: int = 1000) -> Surrounding | None:
    return BlockText(content, CHARS).around(kind, item_id, leading, trailing)


TABLE = '<table id="tb-1" format="json">[["a"],["b"]]</table>'
DRAWING = '<drawing id="im-1" format="png" caption="A cat" path="x/a.png" src="" />'


def test_ids_paths_and_references_are_left_out() -> None:
    content = f'# H\nlead <equation id="eq-1" format="latex">x</equation> {TABLE}\n{DRAWING} tail'
    assert around(content, "table", "tb-1") == Surrounding(
        '# H\nlead <equation format="latex">x</equation> ', '\n<drawing caption="A cat" /> tail'
    )


def test_a_drawing_without_caption_disappears_and_other_tables_do_around_tables() -> None:
    plain = '<drawing id="im-2" format="png" path="x/b.png" src="" />'
    other = TABLE.replace("tb-1", "tb-2")
    assert around(f"a{plain}b{other}c{TABLE}d", "table", "tb-1") == Surrounding("abc", "d")
    assert around(f"a{other}c{DRAWING}", "drawing", "im-1") == Surrounding(
        'a<table format="json">[["a"],["b"]]</table>c'
    )


def test_an_item_whose_tag_is_not_there_has_none_and_a_cited_table_is_found() -> None:
    assert around("text", "table", "tb-1") is None
    assert around('see <cite type="table" refid="tb-1">Table 1</cite> here', "table", "tb-1") == Surrounding(
        "see ", " here"
    )


def test_the_nearest_text_is_taken_within_the_budget() -> None:
    content = f"First sentence.\n\nSecond one. Third one. {TABLE} Fourth one. Fifth one.\n\nLast."
    found = around(content, "table", "tb-1", leading=12, trailing=14)
    assert found == Surrounding("Third one. ", " Fourth one. ")
    assert around(content, "table", "tb-1", leading=0, trailing=-5) == Surrounding()


def test_atoms_are_whole_or_the_walk_stops() -> None:
    equation = '<equation id="eq-2" format="latex">' + "x" * 50 + "</equation>"
    assert around(f"far {equation} near {TABLE}", "table", "tb-1", leading=20) == Surrounding(" near ")


def test_a_neighbouring_table_gives_its_nearest_rows() -> None:
    rows = json.dumps([[f"row {i}"] for i in range(50)])
    content = f'<table id="tb-9" format="json">{rows}</table>{DRAWING}<table id="tb-8" format="json">{rows}</table>'
    found = around(content, "drawing", "im-1", leading=60, trailing=60)
    assert found == Surrounding(
        '<table format="json">[["row 48"], ["row 49"]]</table>', '<table format="json">[["row 0"], ["row 1"]]</table>'
    )


@given(
    st.lists(
        st.sampled_from(["word ", "句子。", "\n\n", "x" * 30, DRAWING, TABLE.replace("tb-1", "tb-7")]), max_size=30
    ),
    st.integers(0, 80),
    st.integers(0, 80),
)
def test_budgets_hold_and_the_text_is_the_neighbourhood(pieces: list[str], leading: int, trailing: int) -> None:
    """Each side has at most its budget, and text around a table is taken from the block without gaps."""
    before = "".join(pieces)
    found = around(f"{before}{TABLE}{before}", "table", "tb-1", leading, trailing)
    assert found is not None
    assert len(found.leading) <= leading and len(found.trailing) <= trailing
    shown = before.replace(TABLE.replace("tb-1", "tb-7"), "").replace(DRAWING, '<drawing caption="A cat" />')
    assert shown.endswith(found.leading) and shown.startswith(found.trailing)


def test_unclosed_tags_of_other_writers_cost_no_more_than_text() -> None:
    start = time.process_time()
    around("<table id='x'>" * 20_000 + TABLE[:-8], "table", "tb-1")
    assert time.process_time() - start < 1


def test_a_thousand_items_of_one_block_share_the_work() -> None:
    content = "".join(
        f'some text before <drawing id="im-{i}" format="png" path="a" src="" /> after. ' for i in range(1000)
    )
    text = BlockText(content, CHARS)
    start = time.process_time()
    for i in range(1000):
        found = text.around("drawing", f"im-{i}", 500, 500)
        assert found is not None
    assert time.process_time() - start < 2


def test_tables_are_trimmed_at_rows_and_keep_head_and_total() -> None:
    rows = [["name", "value"], *([f"n{i}", str(i)] for i in range(500)), ["total", "124750"]]
    trimmed = trim_content(json.dumps(rows), 400, CHARS)
    assert len(trimmed) <= 400
    shown = json.loads(trimmed[: trimmed.rindex("]") + 1])
    assert shown[0] == ["name", "value"] and shown[-1] == ["total", "124750"]
    assert shown[1:-1] == [[f"n{i}", str(i)] for i in range(len(shown) - 2)]
    assert "rows left out" in trimmed


def test_html_tables_are_trimmed_at_rows() -> None:
    html = (
        "<table><thead><tr><th>h</th></tr></thead>" + "".join(f"<tr><td>{i}</td></tr>" for i in range(200)) + "</table>"
    )
    trimmed = trim_content(html, 200, CHARS)
    assert len(trimmed) <= 200 and trimmed.startswith("<table><thead><tr><th>h</th></tr></thead><tr>")


@pytest.mark.parametrize("content", ["x" * 5000, json.dumps([["y" * 5000]]), "<table><tr><td>" + "z" * 5000])
@pytest.mark.parametrize("budget", [60, 100, 1000])
def test_nothing_is_over_the_budget(content: str, budget: int) -> None:
    assert len(trim_content(content, budget, CHARS)) <= budget


def test_a_row_keeps_the_table_that_stands_in_it() -> None:
    inner = "<table><tr><td>i</td></tr><tr><td>j</td></tr></table>"
    rows = [f"<tr><td rowspan=2>{i}</td><td>{inner}</td></tr>" for i in range(50)]
    trimmed = trim_content("<table><caption>c</caption>" + "".join(rows) + "</table>", 400, CHARS)
    body = trimmed.partition("\n<!--")[0]
    assert len(trimmed) <= 400 and body.startswith("<table><caption>c</caption>" + rows[0])
    assert body.endswith(rows[-1] + "</table>") and body.count("<table>") == body.count("</table>")


@pytest.mark.parametrize(
    "markup", ["<tr>" * 50_000, "<table><tr>" * 30_000, "</tr" + " " * 100_000, "<tr <tr" * 30_000]
)
def test_rows_of_hostile_markup_cost_no_more_than_its_length(markup: str) -> None:
    start = time.process_time()
    trim_content(markup, 300, CHARS)
    assert time.process_time() - start < 2


def test_only_the_near_part_of_a_long_text_is_counted() -> None:
    counted = [0]

    class Counting(PerCharacter):
        def encode(self, text: str) -> list[int]:
            counted[0] += len(text)
            return super().encode(text)

    text = BlockText(f"{'word ' * 200_000}{TABLE}{'word ' * 200_000}", WrappedTokenizer(Counting()))
    assert text.around("table", "tb-1", 100, 100) == Surrounding("word " * 20, "word " * 20)
    assert counted[0] < 2_100_000  # each side once as a whole


def test_an_item_in_a_cell_has_the_surroundings_of_its_table() -> None:
    cell = '<table id="tb-1" format="json">[["x <drawing id=\\"im-1\\" path=\\"p\\" />"]]</table>'
    found = around(f"before {cell} after", "drawing", "im-1")
    assert found is not None and found.leading.startswith("before <table") and found.trailing == " after"
    marked = '<table id="tb-1" format="html"><tr><td>[im-1]</td></tr></table>'
    assert around(f"before {marked} after", "drawing", "im-1") == Surrounding(
        'before <table format="html"><tr><td>[im-1]</td></tr></table>', " after"
    )
