"""A fixed tenth of the corpora, and documents made at random: nothing is lost, doubled, invented or out of order.

The whole corpora are counted by scripts/judge completeness.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from random_docx import RandomDocx
from shared_files import shared_dir

from lrdoc.app import App, Choices
from lrdoc.audit import count, supported
from lrdoc.audit.count import read_source
from lrdoc.errors import EmptyDocumentError, LrdocError, SourceError


def tenth() -> list[Path]:
    shared = shared_dir()
    if shared is None:
        return []
    files = [
        path
        for name in ("docx", "md", "synthetic", "probes")
        for path in sorted((shared / "corpus" / name).rglob("*"))
        if path.is_file() and supported(path.suffix[1:])
    ]
    return [path for path in files if zlib.crc32(path.name.encode()) % 10 == 0 and path.stat().st_size < 200_000]


@pytest.mark.parametrize("path", tenth(), ids=lambda path: path.name)
def test_a_real_document_is_complete(path: Path, tmp_path: Path) -> None:
    try:
        App.load(Choices(engine="native")).parse(path, tmp_path / "out")
    except LrdocError:
        with pytest.raises(SourceError):
            if not read_source(path).has_text():
                raise EmptyDocumentError("nothing to extract") from None
        return
    result = count(path, tmp_path / "out")
    assert result.problems == ()
    assert result.characters.unaccounted == result.characters.duplicated == 0


@pytest.mark.parametrize("changes", ["accept", "reject", "annotate"])
@pytest.mark.parametrize("seed", range(1000, 1012))
def test_a_random_document_is_complete(seed: int, changes: str, tmp_path: Path) -> None:
    path = tmp_path / "random.docx"
    path.write_bytes(RandomDocx(seed).bytes())
    try:
        App.load(Choices(engine=f"native(changes={changes})")).parse(path, tmp_path / "out")
    except EmptyDocumentError:
        assert not read_source(path, {"changes": changes}).has_text()
        return
    assert count(path, tmp_path / "out").problems == ()
