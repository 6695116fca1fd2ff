"""Faults that the established implementation is known for, each with the right behaviour."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from chunk_cases import StubEmbedder
from shared_files import shared_dir

from lrdoc.chunkers.base import Chunk, ChunkContext, ChunkResult, LiveOptions
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.hard_split import split_to_limit
from lrdoc.chunkers.registry import Registry, build_options
from lrdoc.errors import ChunkingError, SettingsError
from lrdoc.testing.chunkers import CharTokenizer, FakeEmbedder, check_chunks
from lrdoc.text.tokens import load_tokenizer

REGISTRY = Registry()
TOKENIZER = load_tokenizer("o200k_base")
WORDS = "index policy graph system engine answer table document query chunk model queue data server memory".split()


def prose(n_words: int, seed: int = 1) -> str:
    rnd = random.Random(seed)
    words = rnd.choices(WORDS, k=n_words)
    return " ".join(word + ("." if i % 9 == 8 else "") for i, word in enumerate(words))


def block(content: str, heading: str = "", level: int = 1, **more: Any) -> dict[str, Any]:
    number = more.pop("number", 0)
    return {
        "type": "content",
        "blockid": f"b{number}",
        "content": content,
        "heading": heading,
        "level": level,
        "parent_headings": more.pop("parents", []),
        **more,
    }


def run(
    strategy: str,
    source: str | Sequence[Mapping[str, Any]],
    size: int,
    tables: Mapping[str, Any] | None = None,
    tokenizer: Any = TOKENIZER,
    live: LiveOptions | None = None,
    checked: bool = True,
    **options: Any,
) -> ChunkResult:
    document = ChunkDocument.from_text(source) if isinstance(source, str) else ChunkDocument.from_lines(source, tables)
    context = ChunkContext(tokenizer, FakeEmbedder(), live or LiveOptions())
    built = REGISTRY.options(strategy, {"chunk_token_size": size, **options})
    result = REGISTRY.chunker(strategy).chunk(document, built, context)
    if checked:
        check_chunks(document, result, context, size)
    return result


def table(rows: Sequence[Sequence[str]], name: str = "tb-0001") -> str:
    return f'<table id="{name}" format="json">{json.dumps(rows, ensure_ascii=False)}</table>'


def html_rows(rows: Sequence[Sequence[str]]) -> str:
    return "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)


def rows_of(chunk: Chunk) -> list[list[str]]:
    found: list[list[str]] = []
    for body in re.findall(r"<table[^>]*>(.*?)</table>", chunk.content, re.DOTALL):
        found.extend(json.loads(body))
    return found


GRID = [["id", "name", "qty"], *([str(i), f"item {i} {prose(6, i)}", str(i * 7)] for i in range(40))]


# A: content lost or wrong


def test_a1_column_names_that_only_tables_json_has_stand_in_every_slice() -> None:
    result = run("P", [block("# T\n" + table(GRID[1:]), "T")], 200, {"tb-0001": {"table_header": json.dumps(GRID[:1])}})
    for chunk in result.chunks:
        if "<table" in chunk.content:
            assert rows_of(chunk)[0] == GRID[0]
    assert [row for chunk in result.chunks for row in rows_of(chunk) if row != GRID[0]] == GRID[1:]


def test_a2_merging_keeps_the_ids_of_all_blocks() -> None:
    lines = [
        block("## X\n" + prose(90), "X", 2, number=1),
        block("## Y\nA short tail.", "Y", 2, number=2),
    ]
    (chunk,) = run("P", lines, 130).chunks
    assert chunk.refs == ("b1", "b2")
    assert [section.heading for section in chunk.sections] == ["X", "Y"]


@pytest.mark.parametrize("text", ["👩‍🔬🧪𠮷𠀋😀 " * 60, "é́ ǟ̈ " * 80])
def test_a3_no_character_is_cut(text: str) -> None:
    for chunk in run("F", text, 24, chunk_overlap_token_size=6).chunks:
        assert "�" not in chunk.content
        assert chunk.spans


def test_a4_caption_columns_and_attributes_of_an_html_table_stay() -> None:
    body = "<caption>Stock</caption><colgroup><col/></colgroup><tbody>" + html_rows(GRID[1:]) + "</tbody>"
    content = f'<table id="tb-0001" format="html" class="wide">{body}</table>'
    chunks = run("P", [block(content)], 200).chunks
    assert "<caption>Stock</caption><colgroup>" in chunks[0].content
    assert all('class="wide"' in chunk.content for chunk in chunks)


def test_a5_only_the_long_row_is_cut_and_its_first_cell_is_repeated() -> None:
    rows = [["k", "v"], ["1", "one"], ["big", prose(160)], ["2", "two"]]
    chunks = run("P", [block("# T\n" + table(rows), "T")], 100).chunks
    rows_in = [rows_of(chunk) for chunk in chunks if "<table" in chunk.content]
    assert ["1", "one"] in rows_in[0]
    assert ["2", "two"] in rows_in[-1]
    pieces = [row for rows in rows_in for row in rows if row[0] == "big"]
    assert len(pieces) > 1
    assert " ".join(piece[1] for piece in pieces).split() == prose(160).split()
    assert all(rows[0] == ["k", "v"] for rows in rows_in)


def test_a6_text_before_the_first_heading_stays_apart() -> None:
    lines = [block("A preface.", "", 0, number=1), block("# One\nText.", "One", 1, number=2)]
    first, second = run("P", lines, 500).chunks
    assert (first.heading.heading, first.heading.level) == ("", 0) if first.heading else False
    assert second.heading is not None and second.heading.heading == "One"


def test_a7_every_heading_in_a_chunk_is_listed() -> None:
    lines = [block(f"# {name}\nShort.", name, number=i) for i, name in enumerate("ABC")]
    (chunk,) = run("P", lines, 500).chunks
    assert [section.heading for section in chunk.sections] == ["A", "B", "C"]


# B: limits and quality


def test_b1_a_chunk_is_counted_as_it_stands() -> None:
    result = run("R", prose(4000).replace(".", ""), 120, chunk_overlap_token_size=20)
    assert max(chunk.tokens for chunk in result.chunks) <= 120


SENTENCE = "数据处理系统需要对文档进行解析，并且把表格写入侧车文件。"


@pytest.mark.parametrize("strategy", ["P", "V", "R"])
def test_b2_b3_the_configured_cascade_is_used_everywhere_and_full_stops_stay(strategy: str) -> None:
    text = SENTENCE * 40
    source: Any = [block(text, "总则")] if strategy == "P" else text
    options: dict[str, Any] = {} if strategy == "V" else {"chunk_overlap_token_size": 0}
    chunks = run(strategy, source, 100, **options).chunks
    assert all(chunk.content.endswith("。") for chunk in chunks)
    assert all(chunk.content.startswith("数") for chunk in chunks)


def test_b2_other_separators_from_the_settings_are_used_in_p() -> None:
    text = "§".join(prose(30, i) for i in range(12))
    live = LiveOptions(separators=("§", " ", ""))
    chunks = run("P", [block(text)], 60, live=live, chunk_overlap_token_size=0).chunks
    assert all(chunk.content.startswith("§") for chunk in chunks[1:])


def test_closing_quotes_stay_with_their_sentence() -> None:
    text = "他说：“好的。”然后他走了。" * 20
    for chunk in run("R", text, 40, chunk_overlap_token_size=0).chunks:
        assert not chunk.content.startswith(("。", "”"))


@pytest.mark.parametrize(
    "line",
    [
        '<drawing id="im-0001" format="png" path="a.png" src="" />',
        '<equation id="eq-0001" format="latex">x</equation>',
        "}",
        "- an item of a list",
        "A whole sentence that ends here.",
        "return value;",
        "| a | b |",
    ],
)
def test_b4_only_lines_that_look_like_headings_become_headings(line: str) -> None:
    content = "\n".join(["# T", *(f"{prose(40, i)}\n{line}" for i in range(6))])
    for chunk in run("P", [block(content, "T")], 100).chunks:
        assert chunk.heading is not None
        assert chunk.heading.heading.startswith("T")


def test_b4_a_heading_inside_a_block_is_one_level_deeper() -> None:
    content = "\n".join(["## T", *(f"Step {i}: prepare\n{prose(60, i)}" for i in range(6))])
    chunks = run("P", [block(content, "T", 2, parents=["Top"])], 150, chunk_overlap_token_size=0).chunks
    later = [chunk.heading for chunk in chunks if chunk.heading and chunk.heading.heading.startswith("Step")]
    assert later
    assert all((h.level, h.parent_headings) == (3, ("Top", "T")) for h in later)


def test_b5_an_equation_is_whole_while_it_fits_and_keeps_its_tag_when_not() -> None:
    def content(n: int) -> str:
        return (
            f'# E\n{prose(60)}\n<equation id="eq-1" format="latex">{" + ".join(f"x_{i}" for i in range(n))}</equation>'
        )

    short = run("P", [block(content(20), "E")], 120).chunks
    assert sum("<equation" in chunk.content for chunk in short) == 1
    long = [chunk for chunk in run("P", [block(content(200), "E")], 120).chunks if "<equation" in chunk.content]
    assert len(long) > 1
    assert all(chunk.content.count("<equation") == chunk.content.count("</equation>") == 1 for chunk in long)


@pytest.mark.parametrize(
    "head", ["<thead><tr><th>id</th><th>name</th></tr></thead>", "<tr><th>id</th><th>name</th></tr>"]
)
def test_b6_the_own_header_of_an_html_table_stands_in_every_slice(head: str) -> None:
    content = f'<table id="tb-0001" format="html">{head}<tbody>{html_rows(GRID[1:])}</tbody></table>'
    chunks = run("P", [block(content)], 200).chunks
    assert len(chunks) > 2
    assert all(chunk.content.count("<th>name</th>") == 1 for chunk in chunks)


def test_b6_a_first_row_that_names_the_columns_stands_in_every_slice() -> None:
    chunks = run("P", [block(table(GRID))], 200).chunks
    assert all(rows_of(chunk)[0] == GRID[0] for chunk in chunks)
    assert [row for chunk in chunks for row in rows_of(chunk)[1:]] == GRID[1:]


def test_b6_a_first_row_of_data_is_not_repeated() -> None:
    chunks = run("P", [block(table(GRID[1:]))], 200).chunks
    assert [row for chunk in chunks for row in rows_of(chunk)] == GRID[1:]


def test_b7_slices_are_filled() -> None:
    chunks = run("P", [block(table(GRID))], 300).chunks
    assert all(chunk.tokens > 150 for chunk in chunks)


@pytest.mark.parametrize("n_words", range(100, 200, 7))
def test_b8_no_window_inside_the_one_before(n_words: int) -> None:
    chunks = run("F", prose(n_words), 64, chunk_overlap_token_size=20).chunks
    for first, second in itertools.pairwise(chunks):
        assert second.spans[0][1] > first.spans[0][1]


def test_b8_blank_text_gives_no_chunk() -> None:
    assert run("F", " \n\n ", 60, chunk_overlap_token_size=0).chunks == ()


def test_b9_v_asks_in_batches_within_the_limit_and_can_have_a_minimum() -> None:
    seen: list[str] = []

    class Limited(StubEmbedder):
        max_input_tokens = 32

        def embed(self, texts: Sequence[str], *, context: str = "document") -> Any:
            assert context == "document"
            assert len(texts) <= 64
            seen.extend(texts)
            return super().embed(texts)

    document = ChunkDocument.from_text(prose(3000))
    options = REGISTRY.options(
        "V", {"chunk_token_size": 400, "breakpoint_threshold_amount": 20.0, "min_chunk_token_size": 50}
    )
    context = ChunkContext(TOKENIZER, Limited())
    result = REGISTRY.chunker("V").chunk(document, options, context)
    check_chunks(document, result, context, 400)
    assert max(TOKENIZER.count(text) for text in seen) <= 32
    assert min(chunk.tokens for chunk in result.chunks) >= 50


@pytest.mark.parametrize(
    "heading",
    [
        "References",
        "8. References",
        "IV. REFERENCES",
        "Works Cited",
        "Literaturverzeichnis",
        "第六章 参考文献",
        "Références",
    ],
)
def test_b10_references_are_left_out_whatever_their_number_or_language(heading: str) -> None:
    lines = [
        block("# A\nText.", "A", number=1),
        block(f"# {heading}\n[1] x", heading, number=2),
        block("## Web pages\n[2] y", "Web pages", 2, parents=[heading], number=3),
        block("# B\nMore text.", "B", number=4),
    ]
    result = run("P", lines, 200, checked=False, drop_references=True)
    assert {ref for chunk in result.chunks for ref in chunk.refs} == {"b1", "b4"}
    assert [warning.code for warning in result.warnings] == ["references_dropped"]


@pytest.mark.parametrize("heading", ["Referenced work", "Preferences", "Reference", "2 Reference model"])
def test_b10_other_headings_stay(heading: str) -> None:
    lines = [block("# A\nText.", "A", number=1), block(f"# {heading}\nText.", heading, number=2)]
    result = run("P", lines, 200, drop_references=True)
    assert result.warnings == ()


def test_b10_the_settings_of_the_run_decide_what_references_are() -> None:
    lines = [block("# Sources\nx", "Sources", number=1), block("# A\nText.", "A", number=2)]
    live = LiveOptions(references_headings=("Sources",))
    assert run("P", lines, 200, live=live, checked=False, drop_references=True).chunks[0].refs == ("b2",)
    live = LiveOptions(references_headings=("Sources",), references_tail_n=1)
    assert run("P", lines, 200, live=live, drop_references=True).warnings == ()


def test_b12_parts_are_counted_without_gaps_and_real_headings_stay() -> None:
    lines = [block("# Plan [part 2]\n" + "\n".join(prose(50, i) for i in range(8)), "Plan [part 2]")]
    chunks = run("P", lines, 100).chunks
    names = [chunk.heading.heading for chunk in chunks if chunk.heading]
    assert names == [f"Plan [part 2] [part {k}]" for k in range(1, len(chunks) + 1)]


def test_b13_tables_are_found_inside_a_line_and_without_attributes() -> None:
    inline = f"# S\nSee {table(GRID)} here"
    bare = "# S\n<table>\n" + html_rows(GRID[1:]).replace("</tr>", "</tr>\n") + "</table>"
    for content in (inline, bare):
        chunks = run("P", [block(content, "S")], 200).chunks
        assert len(chunks) > 2
        assert all(chunk.content.count("<table") == chunk.content.count("</table>") for chunk in chunks)


# C: robustness


@pytest.mark.parametrize("level", ["H1", "two", None, 3.0, True, [], 10**9, -4])
def test_c2_a_level_of_any_kind_is_read(level: Any) -> None:
    lines = [block("# S\nx", "S", level)]
    assert [chunk.content for chunk in run("P", lines, 100).chunks] == ["# S\nx"]


@pytest.mark.parametrize("header", ["<thead><tr><td>a</td></tr></thead>", "not json", '{"a": 1}', "[1, 2]", "[[", ""])
def test_c2_a_header_of_another_format_does_no_harm(header: str) -> None:
    run("P", [block(table(GRID))], 200, {"tb-0001": {"table_header": header}})


def test_c3_a_cascade_without_the_empty_separator_keeps_the_size() -> None:
    result = run("R", "x" * 900, 40, separators=["\n"], chunk_overlap_token_size=0, tokenizer=CharTokenizer())
    assert max(chunk.tokens for chunk in result.chunks) == 40


def test_c8_pieces_of_a_chunk_over_the_models_limit_refer_to_their_own_blocks() -> None:
    lines = [block(f"# {name}\n{prose(60, i)}", name, number=i) for i, name in enumerate("ABC")]
    document = ChunkDocument.from_lines(lines)
    context = ChunkContext(TOKENIZER)
    chunks = REGISTRY.chunker("P").chunk(document, REGISTRY.options("P", {"chunk_token_size": 500}), context).chunks
    assert [chunk.refs for chunk in chunks] == [("b0", "b1", "b2")]
    pieces = split_to_limit(chunks, document, 70, 10, context)
    check_chunks(document, ChunkResult(pieces), context, 70)
    assert [piece.chunk_order_index for piece in pieces] == list(range(len(pieces)))
    assert len({piece.refs for piece in pieces}) > 2
    assert pieces[0].refs == ("b0",)
    assert pieces[0].to_dict()["split_total"] == len(pieces)
    with pytest.raises(SettingsError, match="EMBEDDING_CHUNK_OVERLAP_TOKEN_SIZE"):
        split_to_limit(chunks, document, 70, -1, context)
    # An overlap as large as the limit would make every piece repeat the one before but for a word.
    repeating = split_to_limit(chunks, document, 70, 100, context)
    check_chunks(document, ChunkResult(repeating), context, 70)
    assert len(repeating) <= 2 * len(pieces)


# More of what the strategies promise


def test_a_header_over_half_the_size_stands_in_the_first_slice_only() -> None:
    rows = [[prose(70, 3), "value"], *([str(i), str(i * 11)] for i in range(60))]
    header = {"tb-0001": {"table_header": json.dumps(rows[:1])}}
    result = run("P", [block(table(rows))], 120, header)
    assert [warning.code for warning in result.warnings] == ["header_not_repeated"]
    assert sum("value" in chunk.content for chunk in result.chunks) == 1


def test_slices_say_which_rows_and_merged_cells_they_hold() -> None:
    spans = {"tb-0001": {"table_header": json.dumps(GRID[:1]), "extras": {"spans": [[0, 0, 1, 2], [10, 0, 12, 1]]}}}
    result = run("P", [block(table(GRID))], 200, spans)
    slices = [chunk.tables[0] for chunk in result.chunks]
    assert slices[0].rows[0] == 0 and slices[-1].rows[1] == 41
    assert all(a.rows[1] == b.rows[0] for a, b in itertools.pairwise(slices))
    assert all(s.header_rows == (0 if i == 0 else 1) for i, s in enumerate(slices))
    for chunk, part in zip(result.chunks, slices, strict=True):
        first, last = part.rows
        shown = rows_of(chunk)
        for row, _, n_rows, _ in part.spans:
            assert row + n_rows <= len(shown)
        wanted = [(max(10, first) - first + part.header_rows, 0, min(22, last) - max(10, first), 1)]
        if min(22, last) - max(10, first) > 1:
            assert wanted[0] in part.spans


def test_a_cell_that_spans_the_cut_is_put_into_the_next_slice() -> None:
    tall = '<td rowspan="30">A</td>'
    rows = [f"<tr>{tall if i == 0 else ''}<td>{i}</td><td>{prose(8, i)}</td></tr>" for i in range(30)]
    chunks = run("P", [block(f'<table id="tb-0001" format="html">{"".join(rows)}</table>')], 200).chunks
    assert len(chunks) > 2
    left = 30
    for chunk in chunks:
        assert f'<td rowspan="{left}">A</td>' in chunk.content
        left -= chunk.content.count("<tr>")


def test_text_between_two_divided_tables_stands_with_both() -> None:
    content = "\n".join(["# T", table(GRID, "tb-0001"), "Between the tables.", table(GRID, "tb-0002")])
    chunks = run("P", [block(content, "T")], 200, chunk_overlap_token_size=30).chunks
    assert sum("Between the tables." in chunk.content for chunk in chunks) == 2
    chunks = run("P", [block(content, "T")], 200, chunk_overlap_token_size=0).chunks
    assert sum("Between the tables." in chunk.content for chunk in chunks) == 1


def test_a_long_text_between_two_divided_tables_is_kept_whole() -> None:
    content = "\n".join(["# T", table(GRID, "tb-0001"), prose(150), table(GRID, "tb-0002")])
    run("P", [block(content, "T")], 200, chunk_overlap_token_size=30)


def test_headings_without_a_body_join_the_section_that_follows() -> None:
    lines = [
        block("# A", "A", 1, number=1),
        block("## B", "B", 2, parents=["A"], number=2),
        block("### C\n" + prose(80), "C", 3, parents=["A", "B"], number=3),
    ]
    (chunk,) = run("P", lines, 110).chunks
    assert chunk.heading is not None and chunk.heading.heading == "A"
    assert [section.heading for section in chunk.sections] == ["A", "B", "C"]


def test_title_blocks_are_never_absorbed() -> None:
    lines = [
        block("# Intro\nx", "Intro", 1, number=1),
        block("Second document", "Second document", 0, is_title_block=True, number=2),
        block("# Intro\ny", "Intro", 1, parents=["Second document"], number=3),
    ]
    first, second = run("P", lines, 300).chunks
    assert first.refs == ("b1",)
    assert second.heading is not None
    assert second.heading.heading == "Second document"


def test_sections_of_other_parents_are_not_mixed() -> None:
    lines = [
        block("# A", "A", 1, number=1),
        block("## A1\n" + prose(60), "A1", 2, parents=["A"], number=2),
        block("# B", "B", 1, number=3),
        block("## B1\n" + prose(60), "B1", 2, parents=["B"], number=4),
    ]
    assert [chunk.refs for chunk in run("P", lines, 100).chunks] == [("b1", "b2"), ("b3", "b4")]


def test_strict_f_raises_and_names_the_segment() -> None:
    with pytest.raises(ChunkingError, match=r"exceeds chunk_token_size 20.*Preview: 'index"):
        text = "short\n\nindex " + prose(60)
        run("F", text, 20, split_by_character="\n\n", split_by_character_only=True, chunk_overlap_token_size=0)


def test_f_keeps_a_separator_that_is_not_white_space() -> None:
    chunks = run("F", "one@@two@@three", 20, split_by_character="@@", chunk_overlap_token_size=0).chunks
    assert [chunk.content for chunk in chunks] == ["one", "@@two", "@@three"]


@pytest.mark.parametrize("strategy", "FR")
def test_an_overlap_as_large_as_the_size_is_an_error(strategy: str) -> None:
    with pytest.raises(ChunkingError, match=r"\(40\) must be < chunk_token_size \(40\)"):
        run(strategy, "text", 40, chunk_overlap_token_size=40)


def test_options_are_checked_all_at_once() -> None:
    with pytest.raises(ChunkingError) as caught:
        build_options(REGISTRY.spec("R"), {"chunk_token_size": "800", "overlap": 3, "separators": "abc"})
    message = str(caught.value)
    assert all(name in message for name in ("chunk_token_size", "overlap", "separators"))


def test_p_and_v_fall_back_to_r_with_a_warning() -> None:
    text = prose(300)
    wanted = [c.content for c in run("R", text, 100, chunk_overlap_token_size=20).chunks]
    p = run("P", text, 100, chunk_overlap_token_size=20)
    assert ([c.content for c in p.chunks], [w.code for w in p.warnings]) == (wanted, ["no_blocks"])
    document = ChunkDocument.from_text(text)
    v = REGISTRY.chunker("V").chunk(document, REGISTRY.options("V", {"chunk_token_size": 100}), ChunkContext(TOKENIZER))
    without = run("R", text, 100, chunk_overlap_token_size=0).chunks
    assert ([c.content for c in v.chunks], [w.code for w in v.warnings]) == (
        [c.content for c in without],
        ["no_embedder"],
    )


def test_a_stored_sentence_pattern_is_ignored_and_said_once() -> None:
    result = run("V", prose(100), 100, sentence_split_regex="(x+x+)+y")
    assert [warning.code for warning in result.warnings] == ["stored_pattern_ignored"]


def test_a_runaway_pattern_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lrdoc.chunkers.semantic._PATTERN_SECONDS", 0.2)
    with pytest.raises(ChunkingError, match="did not come to an end"):
        run("V", "x" * 60, 100, live=LiveOptions(sentence_split_regex="(x|xx|x)+y(?<!z)|(x+x+)+z"))
    with pytest.raises(ChunkingError, match="no regular expression"):
        run("V", "x y", 100, live=LiveOptions(sentence_split_regex="(("))


@pytest.mark.skipif(shared_dir() is None, reason="the recorded cases are not there")
def test_the_recorded_faults_keep_all_laws() -> None:
    folder = shared_dir()
    assert folder is not None
    for case in json.loads((folder / "cases/chunkers/defect_cases.json").read_text(encoding="utf-8")):
        source = case["text"] if case["text"] is not None else case["case"]["blocks"]
        tables = None if case["case"] is None else case["case"].get("tables")
        tokenizer = CharTokenizer() if case["tokenizer"] == "char1" else TOKENIZER
        params = dict(case["params"])
        run(case["strategy"], source, params.pop("chunk_token_size"), tables, tokenizer, **params)
