"""Counting markdown: what a CommonMark and GFM reader shows, by ranges of lines."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from document_changes import change_document, holds

from lrdoc.audit import AuditResult, count
from lrdoc.audit.count import read_source
from lrdoc.document import Document, Equation, InlineEquation, Part, Table, Text
from lrdoc.errors import SourceError
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.markdown.settings import MarkdownSettings
from lrdoc.parsers.native import NativeParser
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document

EVERYTHING = """---
title: frontwords
---

# headingwords

Paragraph **boldwords** and [linkwords](https://example.org/hidden "t") with `codewords` and a&amp;b.
Second line<br>brokenwords <!-- not shown -->

setextwords
===========

- listwords
  1. orderedwords
     - [x] taskwords

> quotewords

| Head one | headtwo |
|---|:-:|
| cellwords | a \\| pipewords |

```python
fencewords = 1
```

    indentedwords

term
: definitionwords

Called[^n] and $inline_{mathwords}$ here.

$$
block_{equation}
$$

<table><thead><tr><th>htmlhead</th></tr></thead><tbody><tr><td>htmlcell</td></tr></tbody></table>

<div>
divwords
</div>

![altwords](missing.png)

[^n]: notewords
[ref]: https://example.org/also-hidden

lastwords
"""
WORDS = (
    "headingwords boldwords linkwords codewords brokenwords setextwords listwords orderedwords taskwords quotewords"
    " headtwo cellwords pipewords fencewords indentedwords definitionwords mathwords divwords notewords lastwords"
).split()


class Parsed:
    def __init__(self, folder: Path, text: str, name: str = "all.md") -> None:
        self.source = folder / name
        self.source.write_text(text, "utf-8")
        self.folder = folder
        context = ParseContext(assets=FolderAssets(folder, name), settings=MarkdownSettings())
        self.document = NativeParser().parse(SourceFile(self.source, name), {}, context)
        self.count = 0

    def audit(self, document: Document | None = None) -> AuditResult:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        info = FolderInfo("doc-0123456789abcdef0123456789abcdef", "all.md", "native", "2000-01-01T00:00:00+00:00")
        write_document(document or self.document, info, folder, assets_from=self.folder / "all.blocks.assets")
        return count(self.source, folder)


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> Parsed:
    return Parsed(tmp_path_factory.mktemp("markdown"), EVERYTHING)


def test_everything_is_there_to_begin_with(parsed: Parsed) -> None:
    result = parsed.audit()
    assert result.problems == ()
    assert result.excluded == {"front_matter": len("title:frontwords")}


@pytest.mark.parametrize("word", WORDS)
def test_what_is_left_out_is_named_with_its_lines(parsed: Parsed, word: str) -> None:
    result = parsed.audit(change_document(parsed.document, lambda part: () if holds(part, word) else (part,)))
    assert result.characters.unaccounted >= len(word)
    line = next(n for n, text in enumerate(EVERYTHING.split("\n"), 1) if word in text)
    assert any(problem.code == "missing" and covers(problem.where, line) for problem in result.problems)


def covers(where: str, line: int) -> bool:
    first, _, last = where.removeprefix("lines ").removeprefix("line ").partition("-")
    return int(first) <= line <= int(last or first)


@pytest.mark.parametrize("word", WORDS)
def test_what_stands_there_twice_is_named(parsed: Parsed, word: str) -> None:
    result = parsed.audit(change_document(parsed.document, lambda part: (part,) * (2 if holds(part, word) else 1)))
    assert not result.ok
    assert result.characters.duplicated or any(problem.code == "invented" for problem in result.problems)


@pytest.mark.parametrize("word", WORDS)
def test_a_single_changed_character_is_named(parsed: Parsed, word: str) -> None:
    def change(part: Part) -> Iterable[Part]:
        if holds(part, word):
            if isinstance(part, Text):
                return (msgspec.structs.replace(part, text=part.text.replace(word, "Q" + word[1:])),)
            assert isinstance(part, Equation | InlineEquation)
            return (msgspec.structs.replace(part, latex=part.latex.replace(word, "Q" + word[1:])),)
        return (part,)

    assert not parsed.audit(change_document(parsed.document, change)).ok


@pytest.mark.parametrize("word", ["htmlhead", "htmlcell"])
def test_html_tables_count_by_what_a_browser_shows(parsed: Parsed, word: str) -> None:
    def change(part: Part) -> Iterable[Part]:
        if isinstance(part, Table) and part.html is not None:
            return (msgspec.structs.replace(part, html=part.html.replace(word, "")),)
        return (part,)

    result = parsed.audit(change_document(parsed.document, change))
    assert result.characters.unaccounted == len(word)


def test_a_lost_block_equation_is_missing(parsed: Parsed) -> None:
    def change(part: Part) -> Iterable[Part]:
        return () if isinstance(part, Equation) else (part,)

    assert parsed.audit(change_document(parsed.document, change)).characters.unaccounted >= len("block_{equation}") - 2


def test_link_targets_definitions_and_comments_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("[shown](hidden)\n\n[x]: hidden\n\n<!-- hidden -->\n", "utf-8")
    source = read_source(path)
    assert source.has_text()
    result = Parsed(tmp_path, path.read_text("utf-8")).audit()
    assert result.problems == ()
    assert result.characters.source == len("shown")


def test_a_textpack_is_read_through_its_one_body(tmp_path: Path) -> None:
    path = tmp_path / "a.textpack"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("N.textbundle/text.md", "# Hi\n")
        archive.writestr("N.textbundle/info.json", "{}")
    assert read_source(path).has_text()
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("N.textbundle/other.md", "no")
    with pytest.raises(SourceError, match="2 texts"):
        read_source(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path, end: str) -> None:
    parsed = Parsed(tmp_path, "\ufeff" + "# Title\n\ntext *one*\ntwo\n".replace("\n", end))
    result = parsed.audit()
    assert result.problems == ()
    assert result.characters.source == len("Titletextonetwo")


FRAGMENTS = r"""
# A heading #
Setext
======
text with **bold**, *it*, `code`, ~~gone~~ and \*escapes\* &amp; &copy;
- item
  - [ ] task
1. one
7) seven
> quoted *text*
> > deeper
```js
let a = "<b>";
~~~
    indented code
| a | b |
|---|---|
| 1 | `x|y` | 3 |
a | b
<div class="x">html <b>bold</b></div>
<!-- comment -->
<br/>
<T> and <your name>
$$
x^2 + y_1
E = mc^2 $5 and $6 or $a+b$
\[ a = b \]
![alt *text*](missing.png "title") and ![x][ref]
[link](http://x.y/z "t") <http://auto.link> www.bare.example
[ref]: http://example.org/ref "not shown"
[^1]: a note
Call[^1] and [^none].
term
: definition
---
***
<table><tr><td>cell</td><td>two</td></tr></table>
<pre>
</pre>
tab\tand   spaces
日本語、Ελληνικά, e\u0301, 𝒳
""".strip("\n").split("\n")


@pytest.mark.parametrize("seed", range(50))
def test_fragments_in_any_order_are_complete(tmp_path: Path, seed: int) -> None:
    rnd = random.Random(seed)
    lines: list[str] = ["start"]
    for _ in range(rnd.randint(2, 9)):
        first = rnd.randrange(len(FRAGMENTS))
        lines += FRAGMENTS[first : first + rnd.randint(1, 3)]
        lines += [""] * rnd.randint(0, 1)
    assert Parsed(tmp_path, "\n".join(lines)).audit().problems == ()
