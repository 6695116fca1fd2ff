"""Names of folders, files and assets."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrdoc.document import Block, Document, Text
from lrdoc.errors import LimitExceeded, SidecarError
from lrdoc.sidecar import names
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.merged import neutralise
from lrdoc.sidecar.read import read_folder
from lrdoc.sidecar.store import FolderAssets, safe_name
from lrdoc.sidecar.write import write_document


def test_the_document_id_is_that_of_the_name() -> None:
    assert names.make_doc_id("report.docx") == "doc-a42ed8e7b0adaf75bedb34944cf127d0"


def test_another_thing_in_the_way_gets_a_number(tmp_path: Path) -> None:
    plain = tmp_path / "r.docx.parsed"
    assert names.parsed_dir(tmp_path, "r.docx") == plain
    plain.mkdir()
    assert names.parsed_dir(tmp_path, "r.docx") == plain
    plain.rmdir()
    plain.write_text("mine")
    assert names.parsed_dir(tmp_path, "r.docx") == tmp_path / "r.docx.parsed_001"
    (tmp_path / "r.docx.parsed_001").symlink_to("nowhere")
    assert names.parsed_dir(tmp_path, "r.docx") == tmp_path / "r.docx.parsed_002"


@pytest.mark.parametrize("name", ["x" * 300 + ".docx", "报" * 100 + ".docx", "a.b.docx", ".docx", "报告.docx"])
def test_names_of_any_length_can_be_written_and_read(tmp_path: Path, name: str) -> None:
    folder = names.parsed_dir(tmp_path, name)
    folder.mkdir()
    FolderAssets(folder, name).put(b"x", "y" * 300 + ".png")
    info = FolderInfo(names.make_doc_id(name), name, "native", "T")
    blocks = (Block(parts=(Text("x"),)),)
    write_document(Document("docx", blocks=blocks, regions=blocks), info, folder)
    assert read_folder(folder).info.document_name == name
    assert all(len(path.name.encode()) <= 255 for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("name", ["", "a/b", "..", "a\\b", "a\0b"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SidecarError, match="no file name"):
        write_document(Document("docx"), FolderInfo("doc-1", name, "native", "T"), tmp_path)


def test_item_ids_and_asset_folders_are_neutral_in_the_content_hash() -> None:
    text = f'[im-{"0a" * 16}-0001] <drawing path="a b.blocks.assets/x.png" tb-{"0" * 32}-12345 tb-{"0" * 32}-123'
    assert neutralise(text) == f'[im-<DOC>-0001] <drawing path="<ASSETS>/x.png" tb-<DOC>-12345 tb-{"0" * 32}-123'
    assert neutralise("tb-mine-0001 xtb-mine-0001", "mine") == "tb-<DOC>-0001 xtb-mine-0001"


def test_identical_bytes_are_one_asset(tmp_path: Path) -> None:
    sink = FolderAssets(tmp_path, "r.docx")
    first = sink.put(b"one", "media/image1.png")
    assert sink.put(io.BytesIO(b"one"), "other.png") == first
    second = sink.put(io.BytesIO(b"two"), "IMAGE1.png")
    third = sink.put(b"three", "image1.png")
    assert [asset.name for asset in (first, second, third)] == ["image1.png", "IMAGE1-2.png", "image1-3.png"]
    assert {path.name for path in sink.folder.iterdir()} == {"image1.png", "IMAGE1-2.png", "image1-3.png"}
    assert (first.size, (sink.folder / second.name).read_bytes()) == (3, b"two")


def test_an_asset_over_its_limit_leaves_nothing(tmp_path: Path) -> None:
    sink = FolderAssets(tmp_path, "r.docx")
    for data in (b"12345", io.BytesIO(b"12345")):
        with pytest.raises(LimitExceeded, match="more than 4 bytes"):
            sink.put(data, "a.png", max_bytes=4)
    assert not sink.folder.exists() or list(sink.folder.iterdir()) == []
    assert sink.put(b"1234", "a.png", max_bytes=4).name == "a.png"


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("image1.png", "image1.png"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.png", "a.png"),
        ("", "asset"),
        ("...", "asset"),
        (" .png ", "png"),
        ("a\x00b\n.png", "ab.png"),
        ('<a>:"b"|?*.png', "_a___b____.png"),
        ("CON.png", "_CON.png"),
        ("图.png", "图.png"),
        ("e\u0301.png", "é.png"),
    ],
)
def test_suggested_names_are_made_safe(suggested: str, name: str) -> None:
    assert safe_name(suggested) == name


@given(st.text(max_size=300))
def test_every_suggested_name_is_safe(suggested: str) -> None:
    name = safe_name(suggested)
    assert name and name not in {".", ".."} and not set(name) & set('/\\<>:"|?*\0\n')
    assert len(name.encode()) <= 125
    assert name == safe_name(name)
