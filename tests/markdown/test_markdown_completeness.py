"""Nothing is lost: what is written is counted against the source by code of its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_builder import data_url, png
from shared_files import shared_dir

from lrdoc import audit
from lrdoc.errors import EmptyDocumentError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.markdown.settings import MarkdownSettings
from lrdoc.parsers.native import NativeParser
from lrdoc.sidecar.check import check_folder
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document

Complain = Callable[[Path], list[str]]
OFF = MarkdownSettings(download_enabled=False)


@pytest.fixture
def complaints(tmp_path: Path) -> Complain:
    """Parse, write, check and count a file; what is wrong with it."""

    def run(path: Path) -> list[str]:
        folder = tmp_path / "parsed"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        context = ParseContext(FolderAssets(folder, path.name), OFF)
        try:
            document = NativeParser().parse(SourceFile(path, path.name), {}, context)
        except EmptyDocumentError:
            return []
        info = FolderInfo("doc-" + "0" * 32, path.name, "native", "2026-01-01T00:00:00.000000+00:00")
        write_document(document, info, folder)
        return [str(problem) for problem in (*check_folder(folder), *audit.count(path, folder).problems)]

    return run


EVERYTHING = f"""---
title: Everything
---
Preface with **bold**, `code`, [link](u), <b>html</b>, H<sub>2</sub>O, $x^2$, $5 and a note[^n].

Setext
======

- item one
  wrapped
  1. nested
- [x] done

  > quoted in a list

| a | b |
|---|---|
| ![p]({data_url(png())}) | $y$ and[^n] |
| short |
| 1 | 2 | beyond |

$$E=mc^2$$ (1)

\\[
\\int x
\\]

```python
# no heading
```

    indented

<table><thead><tr><th colspan=2>H</th></tr></thead><tr><td>1</td><td><img src="{data_url(png())}" alt="in cell"></td></tr></table>

<table><tr><td>outer<table><tr><td>inner</td></tr></table></td></tr></table>

Term
: Definition

<!-- comment -->
<details><summary>More</summary>

Hidden *no more*, List<T> and [^undefined].

</details>

<h2>In HTML</h2>

![missing](none.png) ![external](https://x.y/z.png)

[^n]: The note.
[^unused]: Never called.
"""


def test_every_kind_of_content_is_accounted_for(complaints: Complain, tmp_path: Path) -> None:
    path = tmp_path / "all.md"
    path.write_text(EVERYTHING)
    assert complaints(path) == []


def test_literal_tags_and_marks_come_out_as_they_went_in(complaints: Complain, tmp_path: Path) -> None:
    path = tmp_path / "literal.md"
    path.write_text(
        "Literal {{TBL:tb1}}, `<table>`, \\<drawing id=x/>, &lt;/table>, [^1] and <equation>z</equation>.\n\n"
        "| `</table>` |\n|---|\n| &amp;lt;table> |\n\n    <table id='x'>\n"
    )
    assert complaints(path) == []


def test_the_corpus_is_accounted_for(complaints: Complain, tmp_path: Path) -> None:
    """All files, and a tenth of the examples in the grammar library's own fixtures."""
    shared = shared_dir()
    if shared is None:
        return
    files = sorted(path for kind in ("md/*/*.md", "synthetic/*.md") for path in shared.glob(f"corpus/{kind}"))
    for path in files:
        assert complaints(path) == [], path.name
    examples = [
        text
        for path in sorted(shared.glob("corpus/md/mdit/*.md"))
        for text, _ in re.findall(r"^\.\n(.*?)^\.\n(.*?)^\.$", path.read_text(), re.DOTALL | re.MULTILINE)
    ]
    for text in examples[::10]:
        path = tmp_path / "example.md"
        path.write_text(text)
        assert complaints(path) == [], text
