"""Which files a command line means."""

import os
from pathlib import Path

import pytest
from cli_runner import run_command

from lrdoc.cli.inputs import list_inputs
from lrdoc.errors import SourceError


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def walk(root: Path) -> list[str]:
    return [str(item.path.relative_to(root)) for item in list_inputs(root)]


def test_a_folder_is_walked_in_sorted_order_without_outputs_hidden_and_lock_files(tmp_path: Path) -> None:
    make(
        tmp_path,
        "b.md", "a/z.md", "a/c/y.md", "a.md", "B.md",
        "__parsed__/a.md", "x.docx.parsed/x.blocks.jsonl", "x.pdf.mineru_raw/full.md", ".git/c.md", ".hidden.md",
        "~$open.docx", "a/__parsed__/q.md",
    )  # fmt: skip
    assert walk(tmp_path) == ["B.md", "a/c/y.md", "a/z.md", "a.md", "b.md"]


def test_sub_folders_are_told_for_the_output_folder(tmp_path: Path) -> None:
    make(tmp_path, "a/c/y.md", "b.md")
    assert [(item.folder, item.named) for item in list_inputs(tmp_path)] == [("a/c", False), ("", False)]


def test_a_text_bundle_is_a_document_and_not_a_folder(tmp_path: Path) -> None:
    make(tmp_path, "notes.textbundle/text.md", "a/other.TextBundle/text.md")
    assert walk(tmp_path) == ["a/other.TextBundle", "notes.textbundle"]
    assert [item.named for item in list_inputs(tmp_path / "notes.textbundle")] == [True]


def test_a_named_file_is_taken_as_it_is_even_if_hidden_or_missing(tmp_path: Path) -> None:
    assert [(i.path, i.folder, i.named) for i in list_inputs(tmp_path / ".x")] == [(tmp_path / ".x", "", True)]


def test_links_to_files_are_followed_and_links_to_folders_are_not(tmp_path: Path) -> None:
    make(tmp_path, "d/a.md")
    (tmp_path / "d" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "d" / "b.md").symlink_to(tmp_path / "d" / "a.md")
    (tmp_path / "d" / "dangling.md").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "d" / "pipe.md")
    assert walk(tmp_path) == ["d/a.md", "d/b.md"]


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SourceError, match="cannot be read: Permission denied"):
        list(list_inputs(tmp_path))


def test_a_mistyped_name_does_not_exist_whatever_its_suffix(tmp_path: Path) -> None:
    names = ("nosuch", "nosuch.xyz", "nosuch.docx", "a" * 300 + ".docx")
    ran = run_command("parse", *names, cwd=tmp_path)
    assert ran.code == 1
    assert ran.err.splitlines()[: len(names)] == [f"{name} does not exist" for name in names]


@pytest.mark.parametrize(
    "arguments",
    [
        ("parse", ""), ("parse", "a.md", ""), ("parse", "a.md", "-o", ""), ("check", ""), ("show", ""), ("chunk", ""),
        ("export", "", "--to", "text"),
    ],
)  # fmt: skip
def test_an_empty_path_does_not_mean_the_current_folder(arguments: tuple[str, ...], tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    ran = run_command(*arguments, cwd=tmp_path)
    assert ran.code == 2
    assert "the path is empty" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
