"""The measured work itself: `measure.py` calls `prepare` in a child process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token


def prepare(what: str, path: str, *rest: str) -> Callable[[], object]:
    works: dict[str, Callable[..., Callable[[], object]]] = {
        "floor": _floor,
        "touch": _touch,
        "parse": _parse,
        "markdown": _markdown,
        "grammar": _grammar,
        "grammar_html": _grammar_html,
    }
    return works[what](Path(path), *rest)


def _floor(path: Path) -> Callable[[], object]:
    """Unzip and parse all XML with lxml, touching nothing."""
    from lxml import etree

    def work() -> object:
        trees = []
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                data = archive.read(name)
                if name.endswith((".xml", ".rels")):
                    trees.append(etree.fromstring(data, etree.XMLParser(huge_tree=True)))
        return trees

    return work


def _touch(path: Path) -> Callable[[], object]:
    """The floor, and every element looked at once in Python."""
    from lxml import etree

    floor = _floor(path)

    def work() -> object:
        count = 0
        trees: list[etree._Element] = floor()  # type: ignore[assignment]
        for tree in trees:
            for element in tree.iter():
                if element.tag is not None:
                    count += 1
        return count

    return work


def _parse(path: Path) -> Callable[[], object]:
    """Parse with the native engine and write the folder, as `lrdoc parse -o` does, after imports."""
    from lrdoc.app import App
    from lrdoc.configuration import Choices

    target = Path(tempfile.mkdtemp(prefix="lrdoc-bench-"))
    atexit.register(shutil.rmtree, target, ignore_errors=True)
    warm = Path(__file__).resolve().parents[2] / "fixtures" / "report.docx"
    app = App.load(Choices(engine="native"))

    def once(source: Path) -> object:
        # A folder of its own for every run: removing the last one is not part of a parse.
        return app.parse(source, Path(tempfile.mkdtemp(dir=target)) / "out.parsed")

    once(warm if path.suffix == ".docx" else path)
    return lambda: once(path)


def _markdown(path: Path) -> Callable[[], object]:
    """The markdown engine alone, without pictures."""
    from lrdoc.parsers.base import ParseContext, SourceFile
    from lrdoc.parsers.markdown.parser import MarkdownParser
    from lrdoc.parsers.markdown.settings import MarkdownSettings
    from lrdoc.sidecar.store import FolderAssets

    assets = FolderAssets(Path(tempfile.mkdtemp(prefix="lrdoc-bench-")), path.name)
    atexit.register(shutil.rmtree, assets.folder.parent, ignore_errors=True)
    settings = MarkdownSettings(download_enabled=False)
    return lambda: MarkdownParser().parse(SourceFile(path, path.name), {}, ParseContext(assets, settings))


def _grammar(path: Path) -> Callable[[], list[Token]]:
    """Parse markdown with the grammar library alone, with the extensions that it brings."""
    from markdown_it import MarkdownIt

    text = path.read_text(encoding="utf-8")
    library = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return lambda: library.parse(text)


def _grammar_html(path: Path) -> Callable[[], object]:
    """The same, and the HTML with Python's own parser."""
    from html.parser import HTMLParser

    grammar = _grammar(path)

    def work() -> object:
        tokens = grammar()
        reader = HTMLParser()
        for token in tokens:
            if token.type == "html_block":
                reader.feed(token.content)
        return tokens

    return work
