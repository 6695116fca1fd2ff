"""Check a parsed folder: is the format valid, do all references close, are hashes and assets right.

What `check` demands of the JSON objects stands in `strict` (the shipped schemas are made from it); the rest is said
here. Optional facts that a folder of another implementation lacks are no problems: they are listed apart.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from lrdoc.errors import SidecarError, UsageError
from lrdoc.sidecar import names
from lrdoc.sidecar.check_items import ItemChecker
from lrdoc.sidecar.check_lines import LineChecker
from lrdoc.sidecar.digest import OWN, meta_digest, source_map_digest
from lrdoc.sidecar.encode import strings_in
from lrdoc.sidecar.files import list_files
from lrdoc.sidecar.merged import MergedHash
from lrdoc.sidecar.places import read_places
from lrdoc.sidecar.problems import Missing, Problem, Report
from lrdoc.sidecar.shapes import ContentLine, LrdocShape, MetaLine, SourceMap
from lrdoc.sidecar.strict import StrictContent, StrictMeta, StrictSourceMap

__all__ = ["Checked", "Missing", "Problem", "check_folder", "examine"]

_META = msgspec.json.Decoder(MetaLine)
_STRICT_META = msgspec.json.Decoder(StrictMeta)
_LINE = msgspec.json.Decoder(ContentLine)
_STRICT_LINE = msgspec.json.Decoder(StrictContent)


class Checked(msgspec.Struct, frozen=True):
    """What a check found."""

    problems: list[Problem]
    missing: list[Missing]
    """Optional facts that the folder does not tell."""


def check_folder(path: Path) -> list[Problem]:
    """The problems of a folder; none when it is valid. Never raises for what is in the folder."""
    return examine(path).problems


def examine(path: Path) -> Checked:
    """Problems, and the optional facts that are missing."""
    report = Report()
    try:
        files = sorted(entry.name for entry in os.scandir(path) if entry.is_file())
    except OSError as e:
        report.problem("unreadable", f"the folder cannot be read: {e.strerror or e}", str(path))
        return Checked(report.problems, [])
    documents = [name for name in files if name.endswith((".blocks.jsonl", ".source_map.json"))]
    if not documents:
        report.problem("no_document", "no file ends in .blocks.jsonl or .source_map.json", "")
    elif len(documents) > 1:
        report.problem("several_documents", f"the folder holds {len(documents)} documents", ", ".join(documents))
    elif documents[0].endswith(".blocks.jsonl"):
        _FolderChecker(path, documents[0].removesuffix(".blocks.jsonl"), report).check()
    else:
        _check_raw(path, documents[0].removesuffix(".source_map.json"), report)
    return Checked(report.problems, report.missing())


class _FolderChecker:
    """The check of one structured document."""

    def __init__(self, folder: Path, stem: str, report: Report) -> None:
        self.folder = folder
        self.stem = stem
        self.report = report

    def check(self) -> None:
        blocks_name = names.blocks_file(self.stem)
        lines = list(self._lines(blocks_name))
        meta = self._meta(lines[0][1] if lines else b"", blocks_name)
        if meta is None:
            return
        ours = isinstance(meta.lrdoc, LrdocShape)
        items = ItemChecker(self.folder, self.stem, meta.doc_id, ours, self.report)
        items.read()
        checker = LineChecker(meta.doc_id, ours, items, self.report)
        hashes = MergedHash(meta.doc_id)
        lines_digest = hashlib.sha256()
        for number, line in lines[1:]:
            lines_digest.update(line.rstrip(b"\n") + b"\n")
            shape = self._line(line, f"{blocks_name}, line {number}")
            if shape is not None:
                checker.check(shape, f"{blocks_name}, line {number}", region=False)
                if shape.content.strip():
                    hashes.add(shape.content)
        regions_name = names.regions_file(self.stem)
        digest = hashlib.sha256()
        has_regions = (self.folder / regions_name).is_file()
        for number, line in self._lines(regions_name) if has_regions else ():
            digest.update(line.rstrip(b"\n") + b"\n")
            shape = self._line(line, f"{regions_name}, line {number}")
            if shape is not None:
                checker.check(shape, f"{regions_name}, line {number}", region=True)
        checker.finish()
        items.finish()
        digests = dict(items.digests)
        if has_regions:
            digests["regions"] = digest.hexdigest()
        self._compare(meta, len(lines) - 1, hashes, digests, f"{blocks_name}, line 1")
        self._assets(meta, items, f"{blocks_name}, line 1")
        if isinstance(meta.lrdoc, LrdocShape):
            self._own_digests(meta.lrdoc, lines[0][1], lines_digest.hexdigest(), blocks_name)

    def _own_digests(self, facts: LrdocShape, meta_line: bytes, lines_digest: str, name: str) -> None:
        """What no other check of this file covers: places, marks, names and facts."""
        told = facts.digests if isinstance(facts.digests, dict) else {}
        if self.report.problems:
            # The line with the changed text is named already.
            return
        if told.get("blocks", lines_digest) != lines_digest:
            self.report.problem("digest", "the lines after the first are not as the parse wrote them", name)
        if OWN in told and told[OWN] != meta_digest(meta_line):
            self.report.problem("digest", "the meta line is not as the parse wrote it", f"{name}, line 1")

    def _lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        try:
            with (self.folder / name).open("rb") as file:
                number = 0
                line = b"\n"
                for number, line in enumerate(file, 1):
                    if line.isspace():
                        self.report.problem("blank_line", "a blank line", f"{name}, line {number}")
                    else:
                        yield number, line
                if not line.endswith(b"\n"):
                    self.report.problem("no_line_end", "the last line has no line end", f"{name}, line {number}")
        except OSError as e:
            self.report.problem("unreadable", f"the file cannot be read: {e.strerror or e}", name)

    def _meta(self, line: bytes, name: str) -> MetaLine | None:
        where = f"{name}, line 1"
        try:
            meta = _META.decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as e:
            self.report.problem("schema", f"the meta line is not valid: {e}", where)
            return None
        self.report.schema(_STRICT_META, line, where)
        try:
            if names.stem_of(names.check_document_name(meta.document_name)) != self.stem:
                self.report.problem("name", f"document_name {meta.document_name!r} does not give this file name", where)
        except SidecarError as e:
            self.report.problem("name", e.message, where)
        try:
            names.check_doc_id(meta.doc_id)
        except UsageError as e:
            self.report.problem("doc_id", e.message, where)
        return meta

    def _line(self, line: bytes, where: str) -> ContentLine | None:
        try:
            shape = _LINE.decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as e:
            self.report.problem("schema", f"the line is not valid: {e}", where)
            return None
        self.report.schema(_STRICT_LINE, line, where)
        return shape

    def _compare(self, meta: MetaLine, n_lines: int, hashes: MergedHash, digests: dict[str, str], where: str) -> None:
        if meta.blocks != n_lines:
            self.report.problem("block_count", f"blocks says {meta.blocks}, there are {n_lines} lines", where)
        if meta.document_hash != hashes.document_hash:
            self.report.problem("document_hash", f"it is {hashes.document_hash} for this text", where)
        for root, flag in (
            ("tables", meta.table_file),
            ("drawings", meta.drawing_file),
            ("equations", meta.equation_file),
        ):
            if flag != (self.folder / names.items_file(self.stem, root)).is_file():
                told = "is there and the meta line denies it" if not flag else "is missing"
                self.report.problem("file_flag", f"{names.items_file(self.stem, root)} {told}", where)
        if not isinstance(meta.lrdoc, LrdocShape):
            self.report.lacks("lrdoc", "the meta line has no `lrdoc`: source, options and warnings are not told")
            return
        facts = meta.lrdoc
        if facts.content_hash != hashes.content_hash:
            self.report.problem("content_hash", f"it is {hashes.content_hash} for this text", where)
        if not facts.source.sha256:
            self.report.lacks("source", "the digest of the source is not told")
        told_digests = facts.digests if isinstance(facts.digests, dict) else {}
        for root in sorted({*told_digests, *digests} - {"blocks", OWN}):
            if told_digests.get(root) != digests.get(root):
                name = names.regions_file(self.stem) if root == "regions" else names.items_file(self.stem, root)
                self.report.problem("digest", "the file is not as the parse wrote it", name)

    def _assets(self, meta: MetaLine, items: ItemChecker, where: str) -> None:
        folder = self.folder / names.assets_folder(self.stem)
        present = list_files(folder)
        try:
            others = sorted(entry.name for entry in os.scandir(folder)) if folder.is_dir() else []
        except OSError as e:
            self.report.problem("unreadable", f"the folder cannot be read: {e.strerror or e}", folder.name)
            others = []
        if meta.asset_dir != bool(others):
            told = "has files and the meta line denies it" if others else "is missing or empty"
            self.report.problem("file_flag", f"{folder.name} {told}", where)
        prefix = f"{folder.name}/"
        named = items.asset_names | {
            text.removeprefix(prefix)
            for text in strings_in(meta.doc_attributes if isinstance(meta.doc_attributes, dict) else None)
        }
        for name in others:
            if name not in present:
                self.report.problem("stray_asset", "only files may stand here", f"{folder.name}/{name}")
            elif name not in named:
                self.report.problem("stray_asset", "no item names this file", f"{folder.name}/{name}")


def _check_raw(folder: Path, stem: str, report: Report) -> None:
    map_name, text_name = names.source_map_file(stem), names.text_file(stem)
    try:
        data = (folder / map_name).read_bytes()
        source_map = msgspec.json.decode(data, type=SourceMap)
    except OSError as e:
        report.problem("unreadable", f"the file cannot be read: {e.strerror or e}", map_name)
        return
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as e:
        report.problem("schema", f"the file is not valid: {e}", map_name)
        return
    report.schema(msgspec.json.Decoder(StrictSourceMap), data, map_name)
    if names.stem_of(source_map.document_name) != stem:
        report.problem("name", f"document_name {source_map.document_name!r} does not give this file name", map_name)
    try:
        text_data = (folder / text_name).read_bytes()
        text = text_data.decode()
    except OSError as e:
        report.problem("unreadable", f"the text cannot be read: {e.strerror or e}", text_name)
        return
    except UnicodeDecodeError as e:
        report.problem("unclean_text", f"the text is not UTF-8: {e}", text_name)
        return
    if hashlib.sha256(text_data).hexdigest() != source_map.text_sha256:
        report.problem("text_hash", "the text is not as the parse wrote it", text_name)
    if isinstance(source_map.lrdoc, LrdocShape):
        hashes = MergedHash(source_map.lrdoc.raw.doc_id if isinstance(source_map.lrdoc.raw, msgspec.Struct) else "")
        hashes.add(text)
        if source_map.lrdoc.content_hash != hashes.content_hash:
            report.problem("content_hash", f"it is {hashes.content_hash} for this text", map_name)
        if not source_map.lrdoc.source.sha256:
            report.lacks("source", "the digest of the source is not told")
        told = source_map.lrdoc.digests if isinstance(source_map.lrdoc.digests, dict) else {}
        if not report.problems and OWN in told and told[OWN] != source_map_digest(source_map):
            report.problem("digest", "the source map is not as the parse wrote it", map_name)
    try:
        marks = source_map.marks if isinstance(source_map.marks, msgspec.Raw) else None
        read_places(source_map.map, marks, len(text))
    except (SidecarError, msgspec.MsgspecError) as e:
        report.problem("provenance", str(e), map_name)
