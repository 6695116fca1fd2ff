"""`compare` finds what only one of two parsed folders has, and nothing where there is nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cli_runner import run_here
from service_bundles import PNG

from lrdoc.document import (
    Block,
    Cell,
    Document,
    Drawing,
    Equation,
    InlineEquation,
    Mark,
    Note,
    NoteRef,
    Source,
    Table,
    Text,
)
from lrdoc.export.compare import compare
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.read import ParsedFolder, read_folder
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document

AT = Source(path="p[1]")
PARTS = ("headings", "tables", "equations", "drawings", "notes", "regions", "text")


def t(text: str, *marks: Mark) -> Text:
    return Text(text, AT, marks)


def table(*rows: tuple[str, ...], **more: Any) -> Table:
    return Table(tuple(tuple(Cell((t(text),)) for text in row) for row in rows), source=AT, **more)


def blocks() -> list[Block]:
    return [
        Block("Report", 1, (), (t("Report"), Text("\n"), t("Rain fell on forty days."))),
        Block(
            "Data",
            2,
            ("Report",),
            (
                t("Data"),
                Text("\n"),
                table(("place", "mm"), ("north", "7"), caption="Rainfall", header_rows=1),
                Text("\n"),
                t("as "),
                InlineEquation("a^2", AT),
                t(" shows"),
                NoteRef("1", AT),
                Text("\n"),
                Equation("\\frac{p}{q}", source=AT),
            ),
            notes=(Note("1", (t("Measured daily."),)),),
        ),
        Block("End", 2, ("Report",), (t("End"), Text("\n- "), t("one point"))),
    ]


def write(
    folder: Path, made: list[Block], picture: bytes | None = PNG, title: str = "Report", regions: bool = True
) -> ParsedFolder:
    folder.mkdir(parents=True)
    if picture is not None:
        asset = FolderAssets(folder, "x.docx").put(picture, "p.png")
        drawing = Drawing(asset, "png", caption="A map", source=AT)
        made = [*made[:-1], msgspec.structs.replace(made[-1], parts=(*made[-1].parts, Text("\n"), drawing))]
    outside = (Block(parts=(t("Running head"),), region="header"),) if regions else ()
    document = Document("docx", title, tuple(made), outside)
    write_document(document, FolderInfo("doc-t", "x.docx", "native", "2026-01-01T00:00:00.000000+00:00"), folder)
    return read_folder(folder)


def change(index: int, old: Any, new: Any) -> Callable[[list[Block]], list[Block]]:
    """Put other parts in the place of one in block `index`."""

    def apply(made: list[Block]) -> list[Block]:
        parts = [part for one in made[index].parts for part in (new if one == old else [one])]
        return [*made[:index], msgspec.structs.replace(made[index], parts=tuple(parts)), *made[index + 1 :]]

    return apply


def without(index: int) -> Callable[[list[Block]], list[Block]]:
    return lambda made: [*made[:index], *made[index + 1 :]]


def test_a_folder_is_the_same_as_itself(tmp_path: Path) -> None:
    result = compare(write(tmp_path / "a", blocks()), write(tmp_path / "b", blocks()))
    assert result["same"]
    assert all(result[part]["same"] for part in PARTS)
    assert result["a"]["words"] == result["b"]["words"] > 10


TABLE = table(("place", "mm"), ("north", "7"), caption="Rainfall", header_rows=1)

CHANGES: list[tuple[str, Callable[[list[Block]], list[Block]], dict[str, tuple[int, int, int]]]] = [
    ("word", change(0, t("Rain fell on forty days."), [t("Rain fell on fifty days.")]), {"text": (1, 0, 0)}),
    ("line lost", change(0, t("Rain fell on forty days."), []), {"text": (0, 1, 0)}),
    ("line more", change(2, t("one point"), [t("one point and more")]), {"text": (0, 0, 1)}),
    (
        "level",
        lambda made: [*made[:2], msgspec.structs.replace(made[2], level=3, parents=("Report", "Data"))],
        {"headings": (1, 0, 0)},
    ),
    ("block lost", without(0), {"headings": (0, 1, 0), "text": (0, 1, 0)}),
    (
        "cell",
        change(1, TABLE, [table(("place", "mm"), ("north", "9"), caption="Rainfall", header_rows=1)]),
        {"tables": (1, 0, 0), "text": (1, 0, 0)},
    ),
    (
        "header",
        change(1, TABLE, [table(("place", "mm"), ("north", "7"), caption="Rainfall")]),
        {"tables": (1, 0, 0)},
    ),
    ("table lost", change(1, TABLE, []), {"tables": (0, 1, 0), "text": (0, 1, 0)}),
    (
        "html",
        change(
            1,
            TABLE,
            [
                Table(
                    html="<table><thead><tr><th>place</th><th>mm</th></tr></thead><tr><td>north</td><td>7</td></tr></table>",
                    header_html="<thead><tr><th>place</th><th>mm</th></tr></thead>",
                    dimension=(2, 2),
                    caption="Rainfall",
                    source=AT,
                )
            ],
        ),
        {},
    ),
    (
        "formula",
        change(1, Equation("\\frac{p}{q}", source=AT), [Equation("p/q", source=AT)]),
        {"equations": (1, 0, 0), "text": (1, 0, 0)},
    ),
    (
        "formula moved",
        change(1, InlineEquation("a^2", AT), [Text("\n"), Equation("a^2", source=AT), Text("\n")]),
        {"equations": (1, 0, 0)},
    ),
    ("formula lost", change(1, InlineEquation("a^2", AT), []), {"equations": (0, 1, 0), "text": (0, 1, 0)}),
    ("bold", change(0, t("Rain fell on forty days."), [t("Rain "), t("fell", Mark("bold")), t(" on forty days.")]), {}),
    ("label", change(2, Text("\n- "), [Text("\n"), t("• ")]), {}),
]


@pytest.mark.parametrize("what, apply, expected", CHANGES, ids=[name for name, _, _ in CHANGES])
def test_each_difference_is_found_and_nothing_else(
    what: str, apply: Any, expected: dict[str, tuple[int, int, int]], tmp_path: Path
) -> None:
    result = compare(write(tmp_path / "a", blocks()), write(tmp_path / "b", apply(blocks())))
    found = {
        part: sizes
        for part in PARTS
        if any(sizes := tuple(len(result[part][key]) for key in ("changed", "only_a", "only_b")))
    }
    assert found == expected
    assert result["same"] == (not expected)


def test_pictures_are_told_apart_by_their_bytes(tmp_path: Path) -> None:
    first = write(tmp_path / "a", blocks())
    other = compare(first, write(tmp_path / "b", blocks(), PNG + b"x"))["drawings"]
    assert [(one["a"]["bytes"], one["b"]["bytes"]) for one in other["changed"]] == [(len(PNG), len(PNG) + 1)]
    lost = compare(first, write(tmp_path / "c", blocks(), None))["drawings"]
    assert [one["caption"] for one in lost["only_a"]] == ["A map"]


def test_notes_regions_and_titles(tmp_path: Path) -> None:
    made = blocks()
    parts = tuple(part for part in made[1].parts if not isinstance(part, NoteRef))
    made[1] = msgspec.structs.replace(made[1], parts=parts, notes=())
    result = compare(write(tmp_path / "a", blocks()), write(tmp_path / "b", made, title="Other", regions=False))
    assert result["notes"]["only_a"] == ["Measured daily."]
    assert result["regions"]["only_a"] == [{"under": "", "text": "Running head"}]
    assert result["title"] == ["Report", "Other"] and not result["same"]


def test_a_caption_that_is_a_line_as_well_counts_once(tmp_path: Path) -> None:
    twice = [Block(parts=(t("Figure 1"), Text("\n"), Drawing(caption="Figure 1", source=AT)))]
    once = [Block(parts=(Drawing(caption="Figure 1", source=AT),))]
    assert compare(write(tmp_path / "a", twice, None), write(tmp_path / "b", once, None))["same"]


def test_numbers_that_an_engine_makes_do_not_count(tmp_path: Path) -> None:
    theirs = [Block("2 Costs. All", 1, (), (t("2 Costs. All"), Text("\n"), t("1. They rose. Much")))]
    ours = [Block("2 Costs. All", 1, (), (Text("2 "), t("Costs. All"), Text("\n1. "), t("They rose. Much")))]
    result = compare(write(tmp_path / "a", ours, None), write(tmp_path / "b", theirs, None))
    assert result["same"] and result["text"]["same"] == 5


def test_long_lists_of_differences_are_cut_and_counted(tmp_path: Path) -> None:
    made = [Block(f"Heading {n}", 1, (), (t(f"Heading {n}"),)) for n in range(150)]
    result = compare(write(tmp_path / "a", made, None), write(tmp_path / "b", blocks(), None))
    assert len(result["headings"]["only_a"]) == 100 and result["headings"]["left_off"] == 50
    told = run_here("compare", tmp_path / "a", tmp_path / "b").out
    assert "headings: 0 the same, 0 changed, 100 only in A, 3 only in B, 50 more" in told


def test_the_command_tells_people_and_programs(tmp_path: Path) -> None:
    write(tmp_path / "a", blocks())
    write(tmp_path / "b", change(0, t("Rain fell on forty days."), [t("Rain fell on fifty days.")])(blocks()))
    run = run_here("compare", tmp_path / "a", tmp_path / "b")
    assert run.code == 0, run.err
    assert "forty → fifty (under Report)" in run.out
    run = run_here("compare", tmp_path / "a", tmp_path / "b", "--json")
    record = json.loads(run.out)
    assert run.out.count("\n") == 1
    assert record["a"]["folder"] == str(tmp_path / "a") and not record["same"]
    assert "say the same" in run_here("compare", tmp_path / "a", tmp_path / "a").out


def test_a_folder_without_document_is_one_clear_error(tmp_path: Path) -> None:
    write(tmp_path / "a", blocks())
    (tmp_path / "empty").mkdir()
    run = run_here("compare", tmp_path / "a", tmp_path / "empty")
    assert run.code == 1 and "holds no document" in run.err and "Traceback" not in run.err
    assert run_here("compare", tmp_path / "a", tmp_path / "none").code == 2
