"""Every built-in chunker and the example pass the conformance kit; a chunker that does not fit is told what is wrong."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lrdoc.chunkers.base import ChunkContext, ChunkerSpec, ChunkResult, OptionSpec
from lrdoc.chunkers.document import ChunkDocument
from lrdoc.chunkers.finish import drafts_of_ranges, finish
from lrdoc.chunkers.registry import BUILTIN, Registry
from lrdoc.errors import RegistrationError, UsageError
from lrdoc.testing.chunkers import ChunkerConformance

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SIZE = OptionSpec("chunk_token_size", int, None, nullable=True)


def load_example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class TestBuiltin(ChunkerConformance):
    @pytest.fixture(params=[spec for spec in BUILTIN if spec.letter != "C"], ids=lambda spec: spec.letter)
    def chunker_spec(self, request: pytest.FixtureRequest) -> ChunkerSpec:
        found: ChunkerSpec = request.param
        return found


class TestExample(ChunkerConformance):
    @pytest.fixture
    def chunker_spec(self) -> ChunkerSpec:
        found: ChunkerSpec = load_example("line_chunker").SPEC
        return found


class Lossy:
    """Forgets the last word."""

    def chunk(self, document: ChunkDocument, options: Mapping[str, Any], context: ChunkContext) -> ChunkResult:
        text = document.text.rstrip()
        end = text.rfind(" ")
        ranges = [(0, end, len(text[:end]))] if end > 0 else []
        return ChunkResult(finish(document, "lossy", drafts_of_ranges(text, ranges)))


def test_the_kit_notices_text_that_is_lost() -> None:
    kit = ChunkerConformance()
    spec = ChunkerSpec("", "lossy", f"{__name__}:Lossy", (SIZE,))
    sys.modules.setdefault(__name__, sys.modules[Lossy.__module__])
    with pytest.raises(AssertionError, match="lost"):
        kit.run(spec, ChunkDocument.from_text("some words here"))


def test_letters_names_and_aliases_find_the_same_chunker() -> None:
    registry = Registry()
    for names in (
        ("F", "Fix", "fixed_token"),
        ("R", "recursive"),
        ("V", "Vector"),
        ("P", "PARAGRAPH"),
        ("C", "custom"),
    ):
        assert len({registry.spec(name).name for name in names}) == 1
    with pytest.raises(UsageError, match=r"unknown chunking strategy 'X'.*F \(fixed_token\)"):
        registry.spec("X")


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        (ChunkerSpec("", "Bad Name", "m:C", (SIZE,)), "name"),
        (ChunkerSpec("x", "good", "m:C", (SIZE,)), "letter"),
        (ChunkerSpec("", "good", "m", (SIZE,)), "impl"),
        (ChunkerSpec("", "good", "m:C", ()), "chunk_token_size"),
        (ChunkerSpec("", "good", "m:C", (SIZE, OptionSpec("a", int), OptionSpec("b", int, aliases=("a",)))), "'a'"),
        (ChunkerSpec("", "recursive", "m:C", (SIZE,), plugin="pack"), "recursive_character"),
    ],
)
def test_a_description_that_does_not_fit_names_the_field(spec: ChunkerSpec, field: str) -> None:
    with pytest.raises(RegistrationError, match=field):
        Registry().register(spec)


def test_a_class_that_does_not_fit_is_told_at_first_use() -> None:
    registry = Registry()
    registry.register(ChunkerSpec("", "missing", "no_such_module:Class", (SIZE,)))
    registry.register(ChunkerSpec("", "wrong", "collections:OrderedDict", (SIZE,)))
    with pytest.raises(RegistrationError, match="no_such_module"):
        registry.chunker("missing")
    with pytest.raises(RegistrationError, match="no method chunk"):
        registry.chunker("wrong")


def test_installed_chunkers_register_and_bad_ones_are_reported() -> None:
    load_example("line_chunker")
    registry = Registry()
    errors = registry.load_entry_points(
        [
            EntryPoint("whole_lines", "line_chunker:SPEC", "lrdoc.chunkers"),
            EntryPoint("gone", "no_such_module:SPEC", "lrdoc.chunkers"),
            EntryPoint("other", "collections:OrderedDict", "lrdoc.chunkers"),
        ]
    )
    assert registry.spec("whole_lines").name == "whole_lines"
    assert [("gone" in str(e), "other" in str(e)) for e in errors] == [(True, False), (False, True)]


@pytest.mark.parametrize("code", ["raise RuntimeError('no licence')", "import sys\nsys.exit('no licence')"])
def test_a_plug_in_that_fails_at_import_is_reported(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"failing_{len(code)}"
    (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry()
    errors = registry.load_entry_points([EntryPoint("failing", f"{name}:SPEC", "lrdoc.chunkers")])
    assert len(errors) == 1
    assert "no licence" in str(errors[0])
    registry.register(ChunkerSpec("", "failing", f"{name}:Class", (SIZE,)))
    with pytest.raises(RegistrationError, match="no licence"):
        registry.chunker("failing")


class FakeDocument:
    def __init__(self, **values: Any) -> None:
        self.relationships: dict[str, Any] = {}
        self.__dict__.update(values)


class Relationship:
    NEXT, PREVIOUS, SOURCE = "next", "previous", "source"


def test_the_adapters_keep_what_leads_back() -> None:
    adapters = load_example("chunks_in_langchain")
    registry = Registry()
    document = ChunkDocument.from_lines(
        [{"type": "content", "blockid": "b1", "content": "# A\none two three four", "heading": "A", "level": 1}],
        doc_id="doc-1",
    )
    from lrdoc.text.tokens import EstimateTokenizer

    chunks = registry.chunker("R").chunk(
        document,
        registry.options("R", {"chunk_token_size": 16, "chunk_overlap_token_size": 0}),
        ChunkContext(EstimateTokenizer()),
    ).chunks  # fmt: skip
    (made,) = adapters.to_langchain(chunks, FakeDocument)
    assert (made.id, made.page_content) == ("doc-1-chunk-000", document.text)
    assert made.metadata["sidecar"]["refs"] == [{"type": "block", "id": "b1"}]
    (node,) = adapters.to_llama_index(chunks, FakeDocument, Relationship, dict)
    assert node.relationships == {"source": {"node_id": "doc-1"}}
    two = adapters.to_llama_index([*chunks, *chunks], FakeDocument, Relationship, dict)
    assert two[0].relationships["next"] == {"node_id": two[1].id_}
