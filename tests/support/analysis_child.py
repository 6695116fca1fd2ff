"""Run by a child process that dies in the middle of an analysis."""

from __future__ import annotations

import os
from pathlib import Path

from analysis_folder import run_analysis, write_folder

from lrdoc.llm.base import Request
from lrdoc.llm.cache import AnswerCache, CachedModel
from lrdoc.testing.models import ScriptedModel


def run(folder: Path, answers: int) -> None:
    table = {"blockid": "b1", "format": "json", "content": '[["a", "b"], ["1", "2"]]', "footnotes": ["f1"]}
    write_folder(folder / "d.parsed", blocks={}, tables={f"tb-{i}": {**table, "caption": f"c{i}"} for i in range(200)})
    left = [answers]

    def script(request: Request) -> dict[str, str]:
        if left[0] == 0:
            os._exit(9)
        left[0] -= 1
        return {"name": "n", "description": "d"}

    run_analysis(
        folder / "d.parsed", CachedModel(ScriptedModel(script), AnswerCache(folder / "cache.sqlite"), "extract")
    )
