"""The conformance kit: a good engine keeps every promise, and each broken one fails exactly the check it breaks."""

from __future__ import annotations

import unittest
import warnings
from collections.abc import Mapping

import broken_engines
import pytest
from broken_engines import EXPECTED, spec_of

from lrdoc.testing.parsers import PROMISES, ParserCase, ParserContract, check_parser

SMALL = b"# One\ntext\n## Two\n| a | b\n! picture\nmore\n### Deep\nx\n## Three\ny\n"
LOSSY = b"# One\n? gone\ntext\n"


def large(size: int) -> bytes:
    part = b"## Part\n" + b"A line of text.\n" * 40
    return part * max(1, size // len(part))


TIMED = ("Good", "StopsLate", "Quadratic", "Hoards")
"""Engines that are tried on a large file too."""

ELSEWHERE = ("Good", "KnowsItsProcess", "HashOrder", "LooksAround")
"""Engines that are tried in another process too; settings of their own keep the others from it."""


def case_of(name: str) -> ParserCase:
    return ParserCase(
        spec_of(name), getattr(broken_engines, name), {"small.toy": SMALL, "text.toy": b"only text\n"},
        {"lossy.toy": LOSSY}, large_file=large if name in TIMED else None,
        settings=None if name in ELSEWHERE else "set",
    )  # fmt: skip


def test_a_good_engine_keeps_every_promise() -> None:
    assert check_parser(case_of("Good")) == []


@pytest.mark.parametrize("name", EXPECTED)
def test_a_broken_engine_fails_exactly_its_check(name: str) -> None:
    with warnings.catch_warnings():
        # One of them warns: the kit has to notice that by itself.
        warnings.simplefilter("ignore")
        found = check_parser(case_of(name))
    assert [error.promise for error in found] == [EXPECTED[name]], [str(error) for error in found]
    assert EXPECTED[name] in str(found[0])
    assert "toy" in str(found[0])


def test_every_promise_has_an_engine_that_breaks_it() -> None:
    assert set(EXPECTED.values()) == {promise.__name__.replace("_", " ") for promise in PROMISES}


def test_the_class_has_a_test_for_every_promise() -> None:
    tests = {name.removeprefix("test_") for name in vars(ParserContract) if name.startswith("test_")}
    assert tests == {promise.__name__ for promise in PROMISES}


class TestGoodEngine(ParserContract):
    """As an author would write it."""

    spec = spec_of("Good")

    def good_files(self) -> Mapping[str, bytes]:
        return {"small.toy": SMALL}

    def lossy_files(self) -> Mapping[str, bytes]:
        return {"lossy.toy": LOSSY}

    def large_file(self, size: int) -> bytes:
        return large(size)


def test_the_class_works_with_unittest_too() -> None:
    # The large file, which takes its time, is looked at by the class above.
    cls = type("Toy", (TestGoodEngine, unittest.TestCase), {"large_file": lambda self, size: None})
    suite = unittest.TestLoader().loadTestsFromTestCase(cls)
    result = unittest.TestResult()
    suite.run(result)
    assert result.testsRun == len(PROMISES)
    assert result.wasSuccessful(), result.failures + result.errors


def test_an_engine_that_cannot_parse_its_good_file_fails_with_a_message() -> None:
    class Nothing:
        def parse(self, source: object, params: object, context: object) -> object:
            raise KeyError("x")

    case = ParserCase(spec_of("Good"), Nothing, {"a.toy": b"a"})  # type: ignore[arg-type]
    found = check_parser(case)
    assert found
    assert "KeyError" in str(found[0])
