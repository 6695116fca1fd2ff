"""A docx package parsed and written: what the files in the folder say, in a form that is easy to compare."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lrdoc.audit.count import count
from lrdoc.audit.result import AuditResult
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx.parser import DocxParser
from lrdoc.sidecar.check import check_folder
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document

_ID = re.compile(r"\b(tb|im|eq)-0{32}-0*(\d+)")


@dataclass
class Written:
    """The content of a parsed folder. Methods shorten ids: tb-000…-0001 is tb1."""

    meta: dict[str, Any]
    blocks: list[dict[str, Any]]
    regions: list[dict[str, Any]]
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    assets: list[str] = field(default_factory=list)
    audit: AuditResult | None = None

    @property
    def content(self) -> str:
        return _short("\n".join(block["content"] for block in self.blocks))

    @property
    def headings(self) -> list[tuple[int, str]]:
        return [(block["level"], block["heading"]) for block in self.blocks if block["heading"]]

    @property
    def codes(self) -> list[str]:
        """Codes of all warnings but the one about missing paragraph ids."""
        return [w["code"] for w in self.meta["lrdoc"].get("warnings", []) if w["code"] != "missing_paraid"]

    def marks(self, *kinds: str) -> list[tuple[str, str]]:
        """(text, target) of the marks of these kinds."""
        return [
            (_short(line["content"][mark["chars"][0] : mark["chars"][1]]), mark.get("target", ""))
            for line in (*self.blocks, *self.regions)
            for mark in line.get("marks", ())
            if mark["kind"] in kinds
        ]

    def region(self, name: str) -> list[str]:
        return [_short(line["content"]) for line in self.regions if line["session_type"] == name]

    def grid(self, id_: str = "tb1") -> list[list[str]]:
        found: list[list[str]] = json.loads(_short(self.items[id_]["content"]))
        return found

    def extras(self, id_: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(_short(json.dumps(self.items[id_].get("extras", {}))))
        return found

    def place(self, text: str) -> dict[str, Any]:
        """Provenance of the first place where the text stands."""
        for line in (*self.blocks, *self.regions):
            at = line["content"].find(text)
            for entry in line.get("provenance", ()) if at >= 0 else ():
                if entry["chars"][0] <= at < entry["chars"][1]:
                    return {key: value for key, value in entry.items() if key != "chars"}
        return {}


def write_bytes(data: bytes, name: str = "test.docx", **params: Any) -> Written:
    """Parse and write a package, check the folder, count the characters: nothing may be missing or doubled."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / f"{name}.parsed"
        folder.mkdir()
        path = Path(top) / name
        path.write_bytes(data)
        document = DocxParser().parse(SourceFile(path, name), params, ParseContext(FolderAssets(folder, name)))
        given = ",".join(f"{key}={value}" for key, value in params.items())
        stored = f"native({given})" if given else ""
        info = FolderInfo("doc-" + "0" * 32, name, "native", "2024-01-01T00:00:00.000000+00:00", stored_engine=stored)
        write_document(document, info, folder)
        assert check_folder(folder) == []
        audit = count(path, folder)
        assert audit.problems == ()
        assert audit.ok
        return _read(folder, audit)


def _read(folder: Path, audit: AuditResult) -> Written:
    blocks: list[dict[str, Any]] = []
    regions: list[dict[str, Any]] = []
    items: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json*")):
        text = path.read_text(encoding="utf-8")
        if path.name.endswith(".blocks.jsonl"):
            blocks = [json.loads(line) for line in text.splitlines()]
        elif path.name.endswith(".regions.jsonl"):
            regions = [line for line in map(json.loads, text.splitlines()) if "content" in line]
        else:
            found = next(value for value in json.loads(text).values() if isinstance(value, dict))
            items |= {_short(id_): item for id_, item in found.items()}
    assets = sorted(path.name for path in folder.glob("*.assets/*"))
    return Written(blocks[0], blocks[1:], regions, items, assets, audit)


def _short(text: str) -> str:
    return _ID.sub(lambda match: match[1] + match[2], text)
