"""Parsed folders made by hand for the analysis, and the stage in one call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lrdoc.analyzers.settings import AnalysisSettings
from lrdoc.analyzers.stage import AnalysisContext, AnalysisReport, analyze_folder
from lrdoc.llm.base import ChatModel
from lrdoc.text.tokens import Tokenizer, load_tokenizer

ENABLED = AnalysisSettings(vlm_enabled=True)


def picture(
    width: int = 100, height: int = 80, color: tuple[int, int, int] = (200, 30, 30), form: str = "PNG"
) -> bytes:
    import io

    import PIL.Image

    out = io.BytesIO()
    PIL.Image.new("RGB", (width, height), color).save(out, form)
    return out.getvalue()


def write_folder(
    path: Path,
    *,
    blocks: Mapping[str, str],
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    drawings: Mapping[str, Mapping[str, Any]] | None = None,
    equations: Mapping[str, Mapping[str, Any]] | None = None,
    assets: Mapping[str, bytes] | None = None,
    process_options: str = "ite",
    stem: str = "doc",
) -> Path:
    """Blocks by id, items by id; assets under the assets folder."""
    path.mkdir(parents=True, exist_ok=True)
    meta = {
        "type": "meta",
        "format": "lightrag",
        "version": "1.0",
        "document_name": "f.docx",
        "doc_id": "doc-1",
        "lrdoc": {"process_options": process_options},
    }
    lines = [meta, *({"type": "content", "blockid": key, "content": text} for key, text in blocks.items())]
    (path / f"{stem}.blocks.jsonl").write_text(
        "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in lines), "utf-8"
    )
    for root, items in (("tables", tables), ("drawings", drawings), ("equations", equations)):
        if items:
            text = json.dumps(
                {"version": "1.0", root: {k: {"id": k, **v} for k, v in items.items()}}, ensure_ascii=False
            )
            (path / f"{stem}.{root}.json").write_text(text, "utf-8")
    for name, data in (assets or {}).items():
        folder = path / f"{stem}.blocks.assets"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return path


def items_of(folder: Path, root: str, stem: str = "doc") -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((folder / f"{stem}.{root}.json").read_text("utf-8"))[root]
    return found


def results(folder: Path, root: str) -> dict[str, dict[str, Any]]:
    return {
        key: item["llm_analyze_result"] for key, item in items_of(folder, root).items() if "llm_analyze_result" in item
    }


def statuses(folder: Path, root: str) -> dict[str, str]:
    return {key: result["status"] for key, result in results(folder, root).items()}


def run_analysis(
    folder: Path,
    model: ChatModel | Callable[[str], ChatModel],
    *,
    options: str | None = None,
    settings: AnalysisSettings = ENABLED,
    tokenizer: Tokenizer | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    separators: Sequence[str] | None = None,
) -> AnalysisReport:
    """Analyse with one model for all roles, or with a function from role to model."""
    models = (lambda role: model) if hasattr(model, "complete") else model
    context = AnalysisContext(
        models=models,  # type: ignore[arg-type]
        settings=settings,
        tokenizer=tokenizer or load_tokenizer("estimate"),
        cancelled=cancelled,
        now=lambda: 1_700_000_000.5,
    )
    if separators is not None:
        context.separators = separators
    return analyze_folder(folder, options, context)
