"""JSON Schemas of the files, for readers in other languages.

They are made from the classes in `lrdoc.sidecar.strict`, which `check` uses: `python -m lrdoc.sidecar.schema` writes
them again, and a test fails when they differ.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from lrdoc.sidecar.strict import SCHEMAS

FOLDER = Path(__file__).parent

_TITLES = {
    "meta": "Line 1 of <stem>.blocks.jsonl",
    "content": "Every other line of <stem>.blocks.jsonl, and every line of <stem>.regions.jsonl",
    "tables": "<stem>.tables.json",
    "drawings": "<stem>.drawings.json",
    "equations": "<stem>.equations.json",
    "source_map": "<stem>.source_map.json",
}


def load(name: str) -> dict[str, Any]:
    """The shipped schema: meta, content, tables, drawings, equations or source_map."""
    schema: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text("utf-8"))
    return schema


def build(name: str) -> str:
    """The text of the schema as the classes say it."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLES[name],
        **msgspec.json.schema(SCHEMAS[name]),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
