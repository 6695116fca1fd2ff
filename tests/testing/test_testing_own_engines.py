"""lrdoc's own engines keep the promises that they ask of others."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

from docx_builder import docx, heading, math, math_para, mr, p, png, r, table

from lrdoc.parsers.builtin import BUILTIN
from lrdoc.parsers.docx.settings import DocxSettings
from lrdoc.parsers.legacy.settings import LegacySettings
from lrdoc.parsers.markdown.settings import MarkdownSettings
from lrdoc.testing.parsers import ParserContract

SPECS = {spec.engine_name: spec for spec in BUILTIN}
MARKDOWN = b"""---
title: Report
---
Before.

# One

Text with *emphasis*, `code` and $x^2$.[^1]

[^1]: A note.

### Three

| a | b |
|---|---|
| 1 | 2 |

$$
y = x
$$

## Two

- item
- item

```python
print(1)
```
"""
BODY = (
    p("Before.")
    + heading(1, r("One"))
    + p("Text ", r("bold", "<w:b/>"), math(mr("x")))
    + table([["a", "b"], ["1", "2"]])
    + heading(3, r("Three"))
    + math_para(math(mr("y=x")))
    + heading(2, r("Two"))
    + p("End.")
)


class TestNativeDocx(ParserContract):
    spec = SPECS["native"]

    def settings(self) -> Any:
        return DocxSettings()

    def good_files(self) -> Mapping[str, bytes]:
        return {"small.docx": docx(BODY), "one.docx": docx(p("Only text."))}

    def large_file(self, size: int) -> bytes:
        # Packed it is far smaller; the promises count what the engine reads.
        return docx(heading(1, r("Part")) + p("A line of text. " * 4) * (size // 200))

    seconds_per_mb = 400.0
    memory_factor = 2000.0


class TestNativeMarkdown(ParserContract):
    spec = SPECS["native"]

    def settings(self) -> Any:
        return MarkdownSettings()

    def good_files(self) -> Mapping[str, bytes]:
        return {"small.md": MARKDOWN, "plain.md": b"Only text.\n"}

    def lossy_files(self) -> Mapping[str, bytes]:
        return {"lossy.md": b"# A\n\n![picture](data:image/png;base64,broken!)\n"}

    def large_file(self, size: int) -> bytes:
        part = b"## Part\n\n" + b"A line of *text* in a paragraph.\n\n" * 20
        return part * max(1, size // len(part))


class TestNativeTextpack(ParserContract):
    spec = SPECS["native"]

    def settings(self) -> Any:
        return MarkdownSettings()

    def good_files(self) -> Mapping[str, bytes]:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            file.writestr("text.md", b"# One\n\nText.\n\n![plot](assets/a.png)\n")
            file.writestr("assets/a.png", png())
        return {"small.textpack": packed.getvalue()}


class TestLegacy(ParserContract):
    spec = SPECS["legacy"]

    def settings(self) -> Any:
        return LegacySettings()

    def good_files(self) -> Mapping[str, bytes]:
        return {
            "small.txt": "First line.\nZweite Zeile: äöü 说明.\n".encode(),
            "table.csv": b"a,b\n1,2\n",
            "page.html": b"<html><body><h1>One</h1><p>Text.</p></body></html>",
            "paper.docx": docx(BODY),
        }

    def large_file(self, size: int) -> bytes:
        return b"A line of text in a file.\n" * (size // 26)
