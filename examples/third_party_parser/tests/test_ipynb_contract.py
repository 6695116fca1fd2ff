"""The notebook engine keeps the promises of lrdoc's engines."""

from __future__ import annotations

import json
from collections.abc import Mapping

from lrdoc_ipynb import SPEC

from lrdoc.testing.parsers import ParserContract

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def notebook(*cells: dict[str, object]) -> bytes:
    metadata = {"language_info": {"name": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}).encode()


def markdown(text: str, **more: object) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True), **more}


def code(text: str, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "metadata": {}, "source": text, "outputs": list(outputs), "execution_count": 1}


def shown(**data: object) -> dict[str, object]:
    return {"output_type": "display_data", "metadata": {}, "data": {k.replace("_", "/", 1): v for k, v in data.items()}}


SMALL = notebook(
    markdown("# Results\n\nWe *measure*.\n\n## Method\n\n$$\nx^2\n$$\n\n![plot](attachment:a.png)\n",
             attachments={"a.png": {"image/png": PNG}}),
    code("print(1)\nplot()", {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
         shown(image_png=PNG, text_plain="<Figure>"), shown(text_latex="$$y$$"), shown(text_markdown="**bold**")),
    markdown("```python\n# no heading\n```\n### 结果\n"),
    code("1 / 0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero",
                   "traceback": ["\x1b[0;31mZeroDivisionError\x1b[0m: division by zero"]}),
    {"cell_type": "raw", "metadata": {}, "source": "raw text"},
)  # fmt: skip
OLD = json.dumps(
    {"nbformat": 3, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": ["Old"]},
        {"cell_type": "code", "input": ["1+1"], "outputs": [{"output_type": "pyout", "text": ["2"]}]},
    ]}]}
).encode()  # fmt: skip


class TestNotebookParser(ParserContract):
    spec = SPEC

    def good_files(self) -> Mapping[str, bytes]:
        return {"small.ipynb": SMALL, "old.ipynb": OLD}

    def lossy_files(self) -> Mapping[str, bytes]:
        return {"lossy.ipynb": notebook(markdown("# T"), code("x", shown(image_png="no base64!")))}

    def bad_files(self) -> Mapping[str, bytes]:
        return {
            "list.ipynb": b"[]",
            "no_cells.ipynb": b'{"metadata": 5}',
            "odd_cells.ipynb": b'{"cells": [5, null, {"cell_type": "markdown", "source": {"a": 1}}]}',
            "odd_outputs.ipynb": notebook(code("x", shown(image_png=5), {"output_type": 7})),
        }

    def large_file(self, size: int) -> bytes:
        cell = markdown("## Part\n\n" + "A line of text.\n" * 30)
        return notebook(*[cell] * max(1, size // 700))
