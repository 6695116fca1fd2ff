"""File names: suffix, canonical name, and which brackets are hints."""

from __future__ import annotations

import pytest
from routing_cases import decide

from lrdoc.routing.names import base_name, canonical_name, split_name, suffix_of

ENGINES = ("legacy", "native", "mineru", "docling", "ipynb", "md2")


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("a.[native].md", "a.md"),
        ("a.[NATIVE-R].MD", "a.MD"),
        ("a.[ native - R ].md", "a.md"),
        ("a.[-R].md", "a.md"),
        (".[native].md", ".md"),
        ("/x/y.[native]/a.[native].docx", "a.docx"),
        ("a.[legacy].[native].md", "a.[legacy].md"),
        ("a.[native-P(chunk_ts=900)].docx", "a.docx"),
        ("a.[native(toc=body,comments=drop)].docx", "a.docx"),
        ("a.[mineru(page_range=1-3,page_range=5)].pdf", "a.pdf"),
        ("a.[native].textbundle/", "a.textbundle"),
        # no hints
        ("a[native].md", "a[native].md"),
        ("[native].md", "[native].md"),
        ("a.[native].x.md", "a.[native].x.md"),
        ("a.[native]", "a.[native]"),
        ("a.[native].", "a.[native]."),
        ("a.[native].tar.gz", "a.[native].tar.gz"),
        ("a.[[native]].md", "a.[[native]].md"),
        ("a.[native.md", "a.[native.md"),
        ("a [draft].md", "a [draft].md"),
        ("a.[draft].md", "a.[draft].md"),
        ("a.[2024-01].md", "a.[2024-01].md"),
        ("a.[v1.2].md", "a.[v1.2].md"),
        ("a.[].md", "a.[].md"),
        ("", ""),
        (".", "."),
        ("..", ".."),
    ],
)
def test_the_canonical_name_is_the_name_without_its_hint(name: str, canonical: str) -> None:
    assert canonical_name(name, ENGINES) == canonical


@pytest.mark.parametrize(
    "inner",
    "draft v1.2 2024-01 final memo notes négatif notice mineral active legal md md3 native+speakers IET A-1 x=1 (a)"
    " natively-spoken 原稿 1 ~ [x itx".split(),
)
def test_ordinary_brackets_are_part_of_the_name(inner: str) -> None:
    split = split_name(f"a.[{inner}].md", ENGINES)
    assert not split.mistakes
    assert split.canonical == f"a.[{inner}].md"


@pytest.mark.parametrize(
    ("inner", "hint"),
    [
        ("iet", "[-iet]"),
        ("i", "[-i]"),
        ("R!", "[-R!]"),
        (" e t ", "[-et]"),
        ("P(chunk_ts=900)", "[-P(chunk_ts=900)]"),
        ("natve", "native"),
        ("Nativ", "native"),
        ("naitve-P", "native"),
        ("minreu", "mineru"),
        ("dockling", "docling"),
        ("legcy-R(chunk_ts=800)", "legacy"),
        ("nativve(toc=body)", "native"),
        ("native iet", "[native-iet]"),
        ("native:R", "[native-R]"),
        ("ipnb", "ipynb"),
    ],
)
def test_probable_mistakes_are_errors_with_a_suggestion(inner: str, hint: str) -> None:
    (mistake,) = split_name(f"a.[{inner}].md", ENGINES).mistakes
    assert hint in mistake.hint
    assert mistake.column == 4 + len(inner) - len(inner.lstrip())


@pytest.mark.parametrize(
    ("name", "kind", "column"),
    [
        ("a.[-].md", "empty_options", 4),
        ("a.[native-].md", "empty_options", 10),
        ("a.[native-x].md", "bad_option_char", 11),
        ("a.[native-RP].md", "multiple_chunkers", 12),
        ("a.[native(toc=body].md", "unbalanced_paren", 10),
        ("a.[-i(chunk_ts=1)].md", "misplaced_params", 6),
        ("dir/a.[-R(chunk_ts=x)].md", "not_int", 11),
        ("a.[-R(what=1)].md", "unknown_param", 7),
        ("a.[native(what=1)].md", "unknown_param", 11),
        ("a.[native(toc)].md", "flag_not_bool", 11),
        ("a.[native()].md", "empty_param", 10),
        ("a.[native(toc=body)R].md", "missing_hyphen", 20),
        ("a.[native(toc=body)(x=1)].md", "misplaced_params", 20),
        ("a.[native(toc=body,toc=drop)].docx", "param_repeated", 20),
        ("a.[legacy(x=1)].md", "engine_takes_no_params", 11),
        ("a.[-C(chunker=nobody)].md", "unknown_chunker", 7),
        ("a.[-C(chunker=lines,per_chunk=0)].md", "int_below_min", 21),
    ],
)
def test_mistakes_of_a_hint_know_their_column(name: str, kind: str, column: int) -> None:
    (mistake,) = decide(name).errors
    assert (mistake.kind, mistake.column, mistake.within) == (kind, column, "name")


@pytest.mark.parametrize(
    ("base", "suffix"),
    [("A.PDF", "pdf"), ("a.tar.gz", "gz"), ("noext", ""), (".bashrc", ""), ("a.", ""), ("ß.DOCX", "docx"), ("", "")],
)
def test_the_suffix_is_the_last_one_in_lower_case(base: str, suffix: str) -> None:
    assert suffix_of(base) == suffix


def test_folders_are_no_part_of_the_name() -> None:
    assert base_name("/a/b.md") == "b.md"
    assert base_name("a/b.textbundle/") == "b.textbundle"
    assert base_name("b.md") == "b.md"
