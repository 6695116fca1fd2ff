"""Laws of writing and reading, on random documents."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sidecar_documents import ASSETS, INFO, documents, nasty, normal_form, texts

from lrdoc.document import Asset, Block, Cell, Document, Drawing, Note, Part, Source, Table, Text
from lrdoc.sidecar.escape import escape, escape_html, escape_with_offsets, unescape, unescape_with_offsets
from lrdoc.sidecar.read import read_folder
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
LAW = settings(max_examples=60, deadline=None, suppress_health_check=SLOW)


def with_assets(document: Document, stored: dict[str, Asset]) -> Document:
    """The drawings of a random document name assets that are there."""

    def fix(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        fixed: list[Part] = []
        for part in parts:
            if isinstance(part, Drawing) and part.asset is not None:
                part = msgspec.structs.replace(part, asset=stored[part.asset.name])
            elif isinstance(part, Table):
                rows = tuple(
                    tuple(c if c is None else msgspec.structs.replace(c, parts=fix(c.parts)) for c in row)
                    for row in part.rows
                )
                part = msgspec.structs.replace(part, rows=rows)
            fixed.append(part)
        return tuple(fixed)

    def block(one: Block) -> Block:
        notes = tuple(Note(note.mark, fix(note.parts)) for note in one.notes)
        return msgspec.structs.replace(one, parts=fix(one.parts), notes=notes)

    return msgspec.structs.replace(
        document, blocks=tuple(map(block, document.blocks)), regions=tuple(map(block, document.regions))
    )


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@LAW
@given(documents)
def test_what_is_read_is_what_was_written(document: Document) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        sink = FolderAssets(Path(one), INFO.document_name)
        stored = {name: sink.put(data, name) for name, data in ASSETS.items()}
        document = with_assets(document, stored)
        write_document(document, INFO, Path(one))
        parsed = read_folder(Path(one))
        assert parsed.info == INFO
        assert parsed.document == normal_form(document)
        write_document(parsed.document, parsed.info, Path(two), assets_from=parsed.assets)
        assert files(Path(two)) == files(Path(one))


@LAW
@given(documents)
def test_every_place_of_provenance_and_marks_lies_in_the_content(document: Document) -> None:
    with tempfile.TemporaryDirectory() as one:
        sink = FolderAssets(Path(one), INFO.document_name)
        document = with_assets(document, {name: sink.put(data, name) for name, data in ASSETS.items()})
        write_document(document, INFO, Path(one))
        for line in (Path(one) / "report.blocks.jsonl").read_text("utf-8").split("\n")[1:-1]:
            shape = json.loads(line)
            last = 0
            for entry in shape.get("provenance", ()):
                a, b = entry["chars"]
                assert last <= a < b <= len(shape["content"])
                last = b
            starts = [mark["chars"][0] for mark in shape.get("marks", ())]
            assert starts == sorted(starts)


@settings(max_examples=300, deadline=None)
@given(nasty)
@example("&amp;amp;lt;/TABLE x")
@example("[\\\\^1]")
@example("<tablet <table")
def test_unescape_is_the_inverse_of_escape(text: str) -> None:
    assert unescape(escape(text)) == text
    assert unescape(escape_html(text)) == text


@settings(max_examples=300, deadline=None)
@given(nasty, st.data())
def test_offsets_survive_escaping(text: str, data: st.DataObject) -> None:
    offsets = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    escaped, moved = escape_with_offsets(text, offsets)
    assert escaped == escape(text)
    assert moved == sorted(moved)
    assert unescape_with_offsets(escaped, moved) == (text, offsets)


@settings(max_examples=200, deadline=None)
@given(st.lists(texts, max_size=6))
def test_the_range_of_a_text_gives_the_text(lines: list[str]) -> None:
    """content[a:b], unescaped, is the text of the part, in the body and in cells."""
    body = [Text(text, Source("d.xml", f"p[{n}]")) for n, text in enumerate(lines)]
    cells = tuple((Cell((Text(text, Source("d.xml", f"tc[{n}]")),)),) for n, text in enumerate(lines))
    parts: list[Part] = [Text("start")]
    for part in body:
        parts += [Text("\n"), part]
    document = Document("docx", blocks=(Block(parts=(*parts, Text("\n"), Table(cells))),))
    wanted = {part.source.path: part.text for part in normal_form(document).blocks[0].parts if part.source}  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory() as one:
        write_document(document, INFO, Path(one))
        for line in (Path(one) / "report.blocks.jsonl").read_text("utf-8").split("\n")[1:-1]:
            shape = json.loads(line)
            found = {e["path"]: shape["content"][slice(*e["chars"])] for e in shape.get("provenance", ())}
    for path, text in wanted.items():
        if "\n" not in text:
            assert unescape(found[path]) == text
    for n, text in enumerate(lines):
        cleaned = wanted.get(f"p[{n}]")
        if f"tc[{n}]" in found and cleaned == text:
            assert unescape(json.loads(f'"{found[f"tc[{n}]"]}"')) == text


@LAW
@given(documents)
def test_readers_of_the_public_format_find_the_items_and_no_others(document: Document) -> None:
    """Their patterns: a table up to the next `</table>`, a drawing without `>` in it, an equation's opening tag."""
    with tempfile.TemporaryDirectory() as one:
        sink = FolderAssets(Path(one), INFO.document_name)
        document = with_assets(document, {name: sink.put(data, name) for name, data in ASSETS.items()})
        write_document(document, INFO, Path(one))
        lines: list[str] = []
        for name in ("report.blocks.jsonl", "report.regions.jsonl"):
            if (Path(one) / name).exists():
                lines += (Path(one) / name).read_text("utf-8").split("\n")[:-1]
        contents = [json.loads(line).get("content", "") for line in lines]
        for root, pattern in (
            ("tables", r"<table\s+id=\"([^\"]*)\"[^>]*>(?:.*?)</table>"),
            ("drawings", r"<drawing\s+id=\"([^\"]*)\"[^>]*/>"),
            ("equations", r"<equation\s+id=\"([^\"]*)\"[^>]*>(?:.*?)</equation>"),
        ):
            path = Path(one) / f"report.{root}.json"
            told = list(json.loads(path.read_text("utf-8"))[root]) if path.exists() else []
            found = [item_id for content in contents for item_id in re.findall(pattern, content, re.DOTALL)]
            assert found == told
            assert len(re.findall(rf"<{root[:-1]}\b", "".join(contents))) - "".join(contents).count(
                "<equation format="
            ) * (root == "equations") == len(told)
