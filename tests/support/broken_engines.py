"""A good engine for .toy files, and one broken engine for every promise of the kit."""

from __future__ import annotations

import logging
import os
import random
import re
import socket
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from lrdoc.document import Citation, NoteRef
from lrdoc.errors import LimitExceeded
from lrdoc.sdk import (
    Asset,
    Block,
    Cell,
    Document,
    DocumentBuilder,
    Drawing,
    ParamSpec,
    ParseContext,
    ParserSpec,
    ParseWarning,
    Source,
    SourceError,
    SourceFile,
    Table,
    Text,
    make_table,
)

MODES = ("plain", "upper")


def spec_of(name: str, **more: Any) -> ParserSpec:
    more = {**getattr(globals()[name], "spec_more", {}), **more}
    more = {"impl": f"broken_engines:{name}", "suffixes": frozenset({"toy"}), **more}
    return ParserSpec("toy", params=(ParamSpec("mode", str, "plain", choices=MODES),), **more)


class Good:
    """`# heading`, `! picture bytes`, `| a | b` rows, `? lost`, all else text."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        context.check()
        try:
            text = source.path.read_text("utf-8")
        except UnicodeDecodeError as e:
            raise SourceError(f"{source.name} is not UTF-8") from e
        document = DocumentBuilder(source)
        for number, line in enumerate(text.split("\n"), 1):
            context.check()
            self.read_line(line, Source(lines=(number, number + 1)), params, context, document)
        return self.finish(document)

    def read_line(
        self, line: str, place: Source, params: Mapping[str, Any], context: ParseContext, document: DocumentBuilder
    ) -> None:
        if heading := re.match(r"(#+) (.*)", line):
            document.heading(heading[2], len(heading[1]), place)
        elif line.startswith("! "):
            try:
                asset = context.assets.put(line.encode(), "picture.png")
            except LimitExceeded as e:
                document.warn("picture_refused", e.message, place)
                return
            document.item(Drawing(asset, "png", source=place))
        elif line.startswith("| "):
            document.item(make_table([line[2:].split(" | ")], place))
        elif line.startswith("? "):
            self.lose(line, place, document)
        else:
            document.line(line.upper() if params["mode"] == "upper" else line, place)

    def lose(self, line: str, place: Source, document: DocumentBuilder) -> None:
        document.warn("line_lost", "a line was left out", place)

    def finish(self, document: DocumentBuilder) -> Document:
        return document.build()


class MisfitSpec(Good):
    """fits the registry: a suffix with its dot."""

    spec_more: ClassVar[Mapping[str, Any]] = {"suffixes": frozenset({".toy"})}


class WrongFormat(Good):
    """gives a document"""

    def finish(self, document: DocumentBuilder) -> Document:
        built = document.build()
        return Document("md", built.title, built.blocks, warnings=built.warnings)


class LeavesFiles(Good):
    """leaves the world alone"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        (source.path.parent / "work.tmp").write_text("x")
        return super().parse(source, params, context)


class Prints(Good):
    """leaves the world alone"""

    def finish(self, document: DocumentBuilder) -> Document:
        print("done")
        return super().finish(document)


class Warns(Good):
    """leaves the world alone"""

    def finish(self, document: DocumentBuilder) -> Document:
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return super().finish(document)


class ChangesEnvironment(Good):
    """leaves the world alone"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        os.environ["LRDOC_TEST_COUNT"] = str(time.monotonic_ns())
        return super().parse(source, params, context)


class ChangesFolder(Good):
    """leaves the world alone"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        os.chdir("/")
        return super().parse(source, params, context)


class LeavesTemporaryFiles(Good):
    """leaves the world alone"""

    def finish(self, document: DocumentBuilder) -> Document:
        (Path(tempfile.mkdtemp()) / "work").write_text("x")
        return super().finish(document)


class SeedsRandom(Good):
    """leaves the world alone"""

    def finish(self, document: DocumentBuilder) -> Document:
        random.seed(1)
        return super().finish(document)


class DigsDeep(Good):
    """leaves the world alone: recursion may go deeper than before."""

    def finish(self, document: DocumentBuilder) -> Document:
        sys.setrecursionlimit(sys.getrecursionlimit() + 1)
        return super().finish(document)


class TakesOverLogging(Good):
    """leaves the world alone"""

    def finish(self, document: DocumentBuilder) -> Document:
        logging.root.addHandler(logging.NullHandler())
        return super().finish(document)


class CallsHome(Good):
    """asks no network"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        try:
            with socket.socket() as s:
                s.settimeout(0.01)
                s.connect(("127.0.0.1", 9))
        except OSError:
            pass
        return super().parse(source, params, context)


class KnowsItsProcess(Good):
    """is deterministic: the number of the process."""

    def finish(self, document: DocumentBuilder) -> Document:
        document.attributes["process"] = os.getpid()
        return document.build()


class HashOrder(Good):
    """is deterministic: the order of a set."""

    def finish(self, document: DocumentBuilder) -> Document:
        # Enough of them that no two seeds agree by chance.
        document.attributes["words"] = list({f"word {number}" for number in range(20)})
        return document.build()


class LooksAround(Good):
    """is deterministic: the time zone."""

    def finish(self, document: DocumentBuilder) -> Document:
        document.attributes["zone"] = time.strftime("%z", time.localtime(0))
        return document.build()


class SharesState(Good):
    """works in threads: the document of a parse stands in the instance."""

    def read_line(
        self, line: str, place: Source, params: Mapping[str, Any], context: ParseContext, document: DocumentBuilder
    ) -> None:
        self.current = line
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.002)
        super().read_line(self.current, place, params, context, document)


class NoSources(Good):
    """knows its sources"""

    def finish(self, document: DocumentBuilder) -> Document:
        built = document.build()
        blocks = tuple(
            Block(b.heading, b.level, b.parents, tuple(Text(p.text) if isinstance(p, Text) else p for p in b.parts))
            for b in built.blocks
        )
        return Document(built.format, built.title, blocks, warnings=built.warnings)


class EmptySources(Good):
    """knows its sources"""

    def read_line(
        self, line: str, place: Source, params: Mapping[str, Any], context: ParseContext, document: DocumentBuilder
    ) -> None:
        super().read_line(line, place if line.startswith("?") else Source(), params, context, document)


class PlacesOutside(Good):
    """knows its sources: lines that the file does not have."""

    def read_line(
        self, line: str, place: Source, params: Mapping[str, Any], context: ParseContext, document: DocumentBuilder
    ) -> None:
        super().read_line(line, Source(lines=(1, 1_000_000)), params, context, document)


class CitesNothing(Good):
    """closes its references"""

    def finish(self, document: DocumentBuilder) -> Document:
        document.parts([Citation("table", "t9", "Table 9", Source(path="end"))])
        return document.build()


class CallsNoNote(Good):
    """closes its references"""

    def finish(self, document: DocumentBuilder) -> Document:
        document.parts([NoteRef("1", Source(path="end"))])
        return document.build()


class StoresForNothing(Good):
    """closes its references"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        try:
            context.assets.put(b"unseen", "unseen.bin")
        except LimitExceeded:
            built = super().parse(source, params, context)
            more = (*built.warnings, ParseWarning("picture_refused", "a picture was refused"))
            return Document(built.format, built.title, built.blocks, warnings=more)
        return super().parse(source, params, context)


class FlatParents(Good):
    """keeps the outline: no parents."""

    def finish(self, document: DocumentBuilder) -> Document:
        built = document.build()
        blocks = tuple(Block(b.heading, b.level, (), b.parts) for b in built.blocks)
        return Document(built.format, built.title, blocks, warnings=built.warnings)


class RaggedTables(Good):
    """makes whole tables: a span that leaves the table."""

    def read_line(
        self, line: str, place: Source, params: Mapping[str, Any], context: ParseContext, document: DocumentBuilder
    ) -> None:
        if line.startswith("| "):
            cells = [Cell((Text(word, place),), col_span=2) for word in line[2:].split(" | ")]
            document.item(Table((tuple(cells),), source=place))
        else:
            super().read_line(line, place, params, context, document)


class LosesSilently(Good):
    """warns with a place"""

    def lose(self, line: str, place: Source, document: DocumentBuilder) -> None:
        return None


class ShoutsWarnings(Good):
    """warns with a place"""

    def lose(self, line: str, place: Source, document: DocumentBuilder) -> None:
        document.warn("Line-Lost", "a line was left out", place)


class GuessesNames(Good):
    """is written and read back: a picture under the name that was suggested, not under the one that put() gave it."""

    def read_line(
        self, line: str, place: Source, params: Mapping[str, Any], context: ParseContext, document: DocumentBuilder
    ) -> None:
        if not line.startswith("! "):
            super().read_line(line, place, params, context, document)
            return
        try:
            asset = context.assets.put(line.encode(), "a:b.png")
        except LimitExceeded as e:
            document.warn("picture_refused", e.message, place)
        else:
            document.item(Drawing(Asset("a:b.png", asset.sha256, asset.size), "png", source=place))


class RefusesItsParameter(Good):
    """takes its parameters"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        if params["mode"] == "upper":
            raise ValueError("mode upper is not written yet")
        return super().parse(source, params, context)


class IgnoresItsParameter(Good):
    """takes its parameters: it declares one and never looks at it."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        return super().parse(source, {"mode": "plain"}, context)


class NeverStops(Good):
    """stops when cancelled"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        context.cancelled = lambda: False
        return super().parse(source, params, context)


class StopsLate(Good):
    """stops when cancelled: it looks at the beginning only."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        context.check()
        context.cancelled = lambda: False
        stop = time.process_time() + source.path.stat().st_size / 700_000
        while time.process_time() < stop:
            pass
        return super().parse(source, params, context)


class Crashes(Good):
    """survives bad input"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        if not source.path.read_bytes():
            raise IndexError("list index out of range")
        return super().parse(source, params, context)


class Exits(Good):
    """survives bad input"""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        if not source.path.read_bytes():
            sys.exit(4)
        return super().parse(source, params, context)


class SwallowsErrors(Good):
    """survives bad input: what cannot be read is an empty document."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        try:
            return super().parse(source, params, context)
        except SourceError:
            return Document("toy", "t", ())


class FailsOnFullStore(Good):
    """keeps its budgets: a refused picture ends in another error."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        try:
            return super().parse(source, params, context)
        except LimitExceeded as e:
            raise RuntimeError("disk full") from e

    def read_line(
        self, line: str, place: Source, params: Mapping[str, Any], context: ParseContext, document: DocumentBuilder
    ) -> None:
        if line.startswith("! "):
            document.item(Drawing(context.assets.put(line.encode(), "picture.png"), "png", source=place))
        else:
            super().read_line(line, place, params, context, document)


class Quadratic(Good):
    """keeps its budgets: twice the bytes take four times as long."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        size = source.path.stat().st_size
        stop = time.process_time() + size * size * 1.5e-11
        while time.process_time() < stop:
            context.check()
        return super().parse(source, params, context)


class Hoards(Good):
    """keeps its budgets: memory."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        size = source.path.stat().st_size
        kept = bytearray(size * 200) if size > 100_000 else bytearray()
        document = super().parse(source, params, context)
        del kept
        return document


EXPECTED: Mapping[str, str] = {
    cls.__name__: (cls.__doc__ or "").split(":")[0].split("(")[0].strip().rstrip(".")
    for cls in list(globals().values())
    if isinstance(cls, type) and issubclass(cls, Good) and cls is not Good
}
"""Class → the promise that it breaks."""
