"""Written folders made by hand, so that the counter is tested without any engine and without the writer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Claim = tuple[str, str]
"""Text of the content and the path that it claims ("" for text that claims nothing)."""

MAIN = "word/document.xml"


def line(*claims: Claim | tuple[str, str, str], region: str = "body") -> dict[str, Any]:
    """A content line from pieces: (text, path) or (text, path, part)."""
    content = ""
    provenance = []
    for text, path, *part in claims:
        if path:
            provenance.append(
                {"chars": [len(content), len(content) + len(text)], "part": part[0] if part else MAIN, "path": path}
            )
        content += text
    return {"type": "content", "content": content, "session_type": region, "heading": "", "provenance": provenance}


def write_folder(
    path: Path,
    lines: Sequence[Mapping[str, Any]],
    *,
    regions: Sequence[Mapping[str, Any]] = (),
    items: Mapping[str, Mapping[str, Any]] | None = None,
    assets: Mapping[str, bytes] | None = None,
    engine: str = "native",
    warnings: Sequence[Mapping[str, str]] = (),
    attributes: Mapping[str, Any] | None = None,
) -> Path:
    """Write the files of a parsed folder; `items` by file: {"tables": {id: item}}."""
    path.mkdir(parents=True, exist_ok=True)
    meta = {
        "type": "meta",
        "doc_attributes": dict(attributes or {}),
        "lrdoc": {"parse_engine": engine, "warnings": list(warnings)},
    }
    rows = [json.dumps(row, ensure_ascii=False) for row in (meta, *lines)]
    (path / "report.blocks.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    if regions:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in regions)
        (path / "report.regions.jsonl").write_text(text, "utf-8")
    for kind, entries in (items or {}).items():
        text = json.dumps({"version": "1.0", kind: entries}, ensure_ascii=False)
        (path / f"report.{kind}.json").write_text(text, "utf-8")
    for name, data in (assets or {}).items():
        (path / "report.blocks.assets").mkdir(exist_ok=True)
        (path / "report.blocks.assets" / name).write_bytes(data)
    return path
