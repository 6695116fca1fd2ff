"""One block with many tables, analysed with a scripted model; `measure.py` calls `prepare` in a child process."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def prepare(count: str) -> Callable[[], object]:
    import openai  # noqa: F401  (imports are not part of the work)

    from lrdoc.analyzers.settings import AnalysisSettings
    from lrdoc.analyzers.stage import AnalysisContext, analyze_folder
    from lrdoc.testing.models import ScriptedModel
    from lrdoc.text.tokens import load_tokenizer

    root = Path(tempfile.mkdtemp(prefix="lrdoc-bench-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    folder = root / "d.parsed"
    folder.mkdir()
    rows = json.dumps([["name", "value"], *([f"row {i}", str(i)] for i in range(8))])
    tables = {
        f"tb-{i}": {
            "id": f"tb-{i}",
            "blockid": f"b{i // 10}",
            "format": "json",
            "content": rows,
            "caption": f"Table {i}",
        }
        for i in range(int(count))
    }
    prose = "What stands around a table in an ordinary report, a sentence or two. " * 4
    blocks = {
        f"b{k}": "".join(
            f'{prose}<table id="tb-{i}" format="json">{rows}</table>\n' for i in range(k * 10, k * 10 + 10)
        )
        for k in range((int(count) + 9) // 10)
    }
    lines = [{"type": "meta", "document_name": "d.docx", "doc_id": "doc-1"}]
    lines += [{"type": "content", "blockid": key, "content": text} for key, text in blocks.items()]
    (folder / "d.blocks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    tokenizer = load_tokenizer("o200k_base")
    tokenizer.count("warm")

    def work() -> object:
        (folder / "d.tables.json").write_text(json.dumps({"version": "1.0", "tables": tables}), encoding="utf-8")
        model = ScriptedModel(lambda request: {"name": "n", "description": "d"})
        context = AnalysisContext(lambda role: model, AnalysisSettings(), tokenizer)
        return analyze_folder(folder, "t", context)

    return work
