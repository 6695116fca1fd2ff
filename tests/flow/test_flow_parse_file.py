"""The main flow with a parser that does what a test says."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from lrdoc.document import Block, Document, ParseWarning, Source, Text
from lrdoc.errors import Cancelled, EmptyDocumentError, EngineError, SidecarError, SourceError, UsageError
from lrdoc.flow import Event, FlowSettings, ParsedFile, Plan, measure_source, parse_file, parse_time
from lrdoc.parsers.base import ParseContext, SourceFile

TIME = "2026-01-02T03:04:05.000000+00:00"
PLAN = Plan(
    canonical_name="report.docx",
    engine="native",
    parse_engine="native(toc=body)",
    process_options="teP",
    chunk_options={"paragraph_semantic": {"chunk_token_size": 2000}},
    engine_params={"toc": "body"},
)
DOCUMENT = Document(
    "docx",
    "Report",
    (Block("One", 1, parts=(Text("One", Source(path="p[1]")), Text("\n"), Text("Body.", Source(path="p[2]")))),),
    warnings=(ParseWarning("odd", "something is odd"),),
)


class Fake:
    """A parser that calls a function."""

    def __init__(self, act: Callable[[ParseContext], Document] = lambda context: DOCUMENT) -> None:
        self.act = act
        self.seen: list[tuple[SourceFile, Mapping[str, Any], ParseContext]] = []

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        self.seen.append((source, params, context))
        return self.act(context)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "report.[native-teP].docx"
    path.write_bytes(b"the bytes")
    return path


def run(source: Path, parser: Fake, **more: Any) -> ParsedFile:
    return parse_file(source, PLAN, parser, source.parent / "out" / "report.docx.parsed", parse_time=TIME, **more)


def test_the_value_holds_what_a_store_keeps(source: Path) -> None:
    parser = Fake()
    parsed = run(source, parser, settings="mine", labels={"track": "7"}, cache_dir=Path("cache"), force_reparse=True)
    assert parsed.source == source
    assert parsed.plan == PLAN
    assert parsed.doc_id == "doc-" + hashlib.md5(b"report.docx").hexdigest()
    folder = source.parent / "out" / "report.docx.parsed"
    assert parsed.written.folder == folder
    assert parsed.written.blocks_path == folder / "report.blocks.jsonl"
    assert parsed.written.blocks_path.is_file()
    assert (parsed.written.parse_format, parsed.written.blocks) == ("lightrag", 1)
    assert parsed.original_name == "report.[native-teP].docx"
    assert (parsed.parse_format, parsed.content_hash) == ("lightrag", parsed.written.content_hash)
    assert parsed.document_path == folder / "report.blocks.jsonl"
    assert parsed.read_content() == "{{LRdoc}}# One\nBody."
    assert parsed.document is DOCUMENT
    assert parsed.cached is False
    assert parsed.labels == {"track": "7"}
    assert parsed.seconds.parse >= 0 and parsed.seconds.write >= 0
    [(file, params, context)] = parser.seen
    assert (file.path, file.name, file.suffix, file.stem) == (source, "report.docx", "docx", "report")
    assert params == {"toc": "body"}
    assert (context.settings, context.cache_dir, context.force_reparse) == ("mine", Path("cache"), True)
    assert source.read_bytes() == b"the bytes"


def test_the_meta_line_tells_engine_options_and_source_but_no_path(source: Path) -> None:
    parsed = run(source, Fake())
    assert parsed.written.blocks_path is not None
    meta = parsed.written.blocks_path.read_text().splitlines()[0]
    assert f'"parse_time":"{TIME}"' in meta
    assert '"parse_engine":"native"' in meta and '"parse_engine":"native(toc=body)"' in meta
    assert '"name":"report.[native-teP].docx"' in meta
    assert hashlib.sha256(b"the bytes").hexdigest() in meta
    assert str(source.parent) not in meta


def test_raw_text_is_a_text_file_and_its_content_has_no_marker(source: Path) -> None:
    raw = Document("txt", "Report", (Block(parts=(Text("plain\ntext", Source()),)),), kind="raw")
    parsed = run(source, Fake(lambda context: raw))
    assert (parsed.written.parse_format, parsed.written.blocks_path) == ("raw", None)
    assert parsed.read_content() == "plain\ntext"


def test_events_carry_the_stages_and_the_callers_labels(source: Path) -> None:
    def act(context: ParseContext) -> Document:
        context.progress("pages", 1, 2)
        return DOCUMENT

    events: list[Event] = []
    run(source, Fake(act), progress=events.append, labels={"track": "7"})
    assert [(e.stage, e.done, e.total) for e in events] == [("parse", 0, None), ("pages", 1, 2), ("write", 0, None)]
    assert all(e.source == source and e.labels == {"track": "7"} for e in events)


def test_the_engine_says_when_it_used_its_bundle(source: Path) -> None:
    def act(context: ParseContext) -> Document:
        context.cached = True
        return DOCUMENT

    assert run(source, Fake(act)).cached is True


def raises(error: BaseException) -> Callable[[ParseContext], Document]:
    def act(context: ParseContext) -> Document:
        context.assets.put(b"picture", "a.png")
        raise error

    return act


@pytest.mark.parametrize("error", [EngineError("no"), Cancelled(), KeyboardInterrupt(), KeyError("bug"), MemoryError()])
def test_whatever_ends_the_engine_leaves_the_old_folder_and_nothing_else(source: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        run(source, Fake(raises(error)))
    assert sorted(p.name for p in source.parent.iterdir()) == [source.name]
    run(source, Fake())
    before = sorted((p, p.read_bytes()) for p in source.parent.rglob("*") if p.is_file())
    with pytest.raises(type(error)):
        run(source, Fake(raises(error)))
    assert sorted((p, p.read_bytes()) for p in source.parent.rglob("*") if p.is_file()) == before


def test_cancelling_after_the_parse_still_leaves_the_old_folder(source: Path) -> None:
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return True

    with pytest.raises(Cancelled):
        run(source, Fake(), cancelled=cancelled)
    assert asked and not (source.parent / "out").exists()


def test_a_document_without_blocks_is_an_error(source: Path) -> None:
    with pytest.raises(EmptyDocumentError, match="holds nothing to extract"):
        run(source, Fake(lambda context: Document("docx", "Report")))
    assert not (source.parent / "out").exists()


def test_a_source_that_cannot_be_read_is_never_given_to_the_engine(tmp_path: Path) -> None:
    (tmp_path / "empty.docx").touch()
    parser = Fake()
    for name, told in {"missing.docx": "does not exist", "empty.docx": "is empty"}.items():
        with pytest.raises(SourceError, match=told):
            run(tmp_path / name, parser)
    assert parser.seen == []


def test_an_engines_trouble_with_the_file_system_is_told_about_the_source(source: Path) -> None:
    for number, told in {5: "Input/output error", 2: "No such file or directory"}.items():
        with pytest.raises(SourceError, match=f"cannot be read: {told}"):
            run(source, Fake(raises(OSError(number, told))))


def test_an_output_place_that_refuses_is_told(source: Path) -> None:
    (source.parent / "out").write_text("a file")
    with pytest.raises(SidecarError):
        run(source, Fake())


def test_a_folder_of_something_else_is_not_replaced(source: Path) -> None:
    other = source.parent / "papers"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    for target in (other, source.parent, source.parent.parent):
        with pytest.raises(UsageError, match="would be replaced"):
            parse_file(source, PLAN, Fake(), target, parse_time=TIME)
    assert (other / "thesis.txt").read_text() == "mine"
    assert source.is_file()
    (other / "thesis.txt").unlink()
    for _ in range(2):
        parse_file(source, PLAN, Fake(), other, parse_time=TIME)
    assert (other / "report.blocks.jsonl").is_file()


def test_an_id_that_could_not_stand_in_item_ids_is_refused(source: Path) -> None:
    assert run(source, Fake(), doc_id="doc-mine").doc_id == "doc-mine"
    with pytest.raises(UsageError, match="cannot be a document id"):
        run(source, Fake(), doc_id='"><x')


def test_a_folder_document_is_measured_by_names_and_bytes_of_its_files(tmp_path: Path) -> None:
    bundle = tmp_path / "notes.textbundle"
    (bundle / "assets").mkdir(parents=True)
    (bundle / "text.md").write_text("text")
    (bundle / "assets" / "a.png").write_text("picture")
    first = measure_source(bundle)
    assert (first.name, first.bytes) == ("notes.textbundle", 11)
    (bundle / "assets" / "a.png").rename(bundle / "assets" / "b.png")
    assert measure_source(bundle).sha256 != first.sha256
    (tmp_path / "nothing.textbundle").mkdir()
    with pytest.raises(SourceError, match="is empty"):
        measure_source(tmp_path / "nothing.textbundle")


def test_the_time_is_utc_with_microseconds_and_can_be_fixed() -> None:
    now = datetime(2026, 1, 2, 5, 4, 5, tzinfo=timezone(timedelta(hours=2)))
    assert parse_time(FlowSettings(), now) == "2026-01-02T03:04:05.000000+00:00"
    assert parse_time(FlowSettings(source_date_epoch=0), now) == "1970-01-01T00:00:00.000000+00:00"


def test_a_document_of_white_space_is_empty(source: Path) -> None:
    blank = Document("docx", blocks=(Block(parts=(Text(" \n"),)),))
    with pytest.raises(EmptyDocumentError, match="white space"):
        run(source, Fake(lambda context: blank))
    assert not (source.parent / "out").exists()


def test_raw_text_keeps_its_line_ends(source: Path) -> None:
    raw = Document("txt", blocks=(Block(parts=(Text("a\r\nb\r"),)),), kind="raw")
    assert run(source, Fake(lambda context: raw)).read_content() == "a\r\nb\r"
