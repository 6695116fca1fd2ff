"""The first blocks as lines for a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from lrdoc.cli.preview import WIDTH, clip, outline
from lrdoc.document import Block, Document, Text

DOCUMENT = Document(
    "docx",
    "T",
    (
        Block("The title", 0, parts=(Text("The title\nby someone"),), is_title_block=True),
        Block("1 One", 1, parts=(Text("1 One\nBody  of\tone."),)),
        Block("1.1 Deep", 2, parts=(Text("1.1 Deep"),)),
        Block("", 0, parts=(Text("No heading here."),)),
        Block("", 0),
    ),
)


def test_headings_are_indented_by_level_and_followed_by_the_beginning_of_the_text() -> None:
    assert outline(DOCUMENT, 9) == (
        ["The title: by someone", "# 1 One: Body of one.", "  ## 1.1 Deep", "No heading here.", "(items only)"],
        0,
    )


def test_what_is_not_shown_is_counted() -> None:
    assert outline(DOCUMENT, 2)[1] == 3
    assert outline(DOCUMENT, 0) == ([], 0)


def test_plain_text_shows_its_first_lines() -> None:
    raw = Document("txt", "T", (Block(parts=(Text("\n one\n\ntwo\nthree"),)),), kind="raw")
    assert outline(raw, 2) == (["one", "two"], 0)


def test_long_lines_are_cut_by_columns() -> None:
    assert clip("x" * 300) == "x" * (WIDTH - 1) + "…"
    assert clip("x" * WIDTH) == "x" * WIDTH
    assert len(clip("水" * 300)) <= WIDTH // 2 + 1


@given(st.text(max_size=300))
def test_a_line_is_printable_whatever_the_text(text: str) -> None:
    assert len(clip(text)) <= WIDTH
    assert clip(text).isprintable()
