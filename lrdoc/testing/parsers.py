"""Hold an engine to its promises, with any test runner.

    class TestMyEngine(ParserContract):
        spec = SPEC

        def good_files(self):
            return {"small.xyz": b"…"}

Each promise is one test method, so a report names the promise that is broken. Without a test runner:
`check_parser(ParserCase(...))` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from lrdoc.parsers.base import Parser, ParserSpec, SourceFile
from lrdoc.testing import promises
from lrdoc.testing.case import ParserCase, PromiseBroken
from lrdoc.testing.promises import PROMISES, check_parser

__all__ = ["PROMISES", "ParserCase", "ParserContract", "PromiseBroken", "check_parser"]


class ParserContract:
    """Subclass this in a test module; set `spec` and write `good_files`."""

    spec: ClassVar[ParserSpec]
    params: ClassVar[Mapping[str, Any]] = {}
    seconds_per_mb: ClassVar[float] = 5.0
    memory_factor: ClassVar[float] = 60.0

    def make_parser(self) -> Parser:
        """A new instance of the engine."""
        module, _, name = self.spec.impl.partition(":")
        made: Parser = getattr(import_module(module), name)()
        return made

    def good_files(self) -> Mapping[str, bytes]:
        """Name → bytes of small files that parse: together they show everything that the engine can do."""
        raise NotImplementedError("write good_files")

    def lossy_files(self) -> Mapping[str, bytes]:
        """Files of which something cannot be kept."""
        return {}

    def bad_files(self) -> Mapping[str, bytes]:
        """Files that are broken in the ways of the format."""
        return {}

    def large_file(self, size: int) -> bytes | None:
        """A file of about `size` bytes; None: time, memory and late cancellation are not looked at."""
        return None

    def settings(self) -> Any:
        """The engine's slice of the settings."""
        return None

    def prepare(self, source: SourceFile, cache_dir: Path) -> None:
        """Put a recorded bundle into `cache_dir` (it does not exist yet), for engines behind a service."""

    def case(self) -> ParserCase:
        """What the promises need to know."""
        large = self.large_file if self.large_file(1000) is not None else None
        prepared = type(self).prepare is not ParserContract.prepare
        return ParserCase(
            self.spec,
            self.make_parser,
            self.good_files(),
            self.lossy_files(),
            self.bad_files(),
            None if large is None else lambda size: large(size) or b"",
            self.params,
            self.settings(),
            self.prepare if prepared else None,
            self.seconds_per_mb,
            self.memory_factor,
        )

    def test_fits_the_registry(self) -> None:
        promises.fits_the_registry(self.case())

    def test_gives_a_document(self) -> None:
        promises.gives_a_document(self.case())

    def test_leaves_the_world_alone(self) -> None:
        promises.leaves_the_world_alone(self.case())

    def test_asks_no_network(self) -> None:
        promises.asks_no_network(self.case())

    def test_is_deterministic(self) -> None:
        promises.is_deterministic(self.case())

    def test_works_in_threads(self) -> None:
        promises.works_in_threads(self.case())

    def test_knows_its_sources(self) -> None:
        promises.knows_its_sources(self.case())

    def test_closes_its_references(self) -> None:
        promises.closes_its_references(self.case())

    def test_keeps_the_outline(self) -> None:
        promises.keeps_the_outline(self.case())

    def test_makes_whole_tables(self) -> None:
        promises.makes_whole_tables(self.case())

    def test_warns_with_a_place(self) -> None:
        promises.warns_with_a_place(self.case())

    def test_is_written_and_read_back(self) -> None:
        promises.is_written_and_read_back(self.case())

    def test_takes_its_parameters(self) -> None:
        promises.takes_its_parameters(self.case())

    def test_stops_when_cancelled(self) -> None:
        promises.stops_when_cancelled(self.case())

    def test_survives_bad_input(self) -> None:
        promises.survives_bad_input(self.case())

    def test_keeps_its_budgets(self) -> None:
        promises.keeps_its_budgets(self.case())
