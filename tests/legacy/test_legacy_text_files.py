"""Files that are text already, tables of values and XML."""

from __future__ import annotations

from pathlib import Path

import pytest
from legacy_files import codes, lines_of, read, save, text_of

from lrdoc.document import Text
from lrdoc.errors import EmptyDocumentError, LimitExceeded, SourceError, UnsupportedFormatError
from lrdoc.parsers.legacy.parser import READERS
from lrdoc.parsers.legacy.settings import LegacySettings

PUBLIC = (
    "txt md mdx pdf docx pptx xlsx rtf odt tex epub html htm csv json xml yaml yml log conf ini properties sql bat sh c "
    "h cpp hpp py java js ts swift go rb php css scss less markdown xhtml"
).split()


def test_every_suffix_of_the_public_table_has_a_reader() -> None:
    assert sorted(READERS) == sorted(PUBLIC)


@pytest.mark.parametrize("suffix", ["txt", "md", "py", "json", "tex", "sql"])
def test_text_stays_as_it_is_with_line_ends_and_blank_lines_told_apart(tmp_path: Path, suffix: str) -> None:
    path = save(tmp_path / f"a.{suffix}", "one\r\n\r\n    two\tthree\rfour\n\n\n")
    assert text_of(read(path)) == "one\n\n    two\tthree\nfour"


@pytest.mark.parametrize(
    "data",
    [
        "naïve 中文".encode(),
        b"\xef\xbb\xbf" + "naïve 中文".encode(),
        "naïve 中文".encode("utf-16"),
        b"\xfe\xff" + "naïve 中文".encode("utf-16-be"),
        "naïve 中文".encode("utf-32"),
    ],
)
def test_unicode_encodings_need_no_guess(tmp_path: Path, data: bytes) -> None:
    document = read(save(tmp_path / "a.txt", data))
    assert text_of(document) == "naïve 中文"
    assert codes(document) == []


def test_a_guessed_encoding_is_a_warning(tmp_path: Path) -> None:
    text = "Die schöne Frau kostet Kuchen für drei Euro. Größe und Maß, süß und heiß."
    document = read(save(tmp_path / "a.txt", text.encode("cp1252")))
    assert text_of(document) == text
    assert codes(document) == ["encoding_guessed"]


def test_a_line_that_begins_like_a_bytes_literal_is_text(tmp_path: Path) -> None:
    assert text_of(read(save(tmp_path / "a.py", "b'x' + b\"y\""))) == "b'x' + b\"y\""


def test_every_stretch_names_its_lines(tmp_path: Path) -> None:
    document = read(save(tmp_path / "a.txt", "\n".join(f"line {i}" for i in range(1, 201))))
    for part in document.blocks[0].parts:
        assert isinstance(part, Text) and part.source is not None and part.source.lines is not None
        first, end = part.source.lines
        assert part.text.rstrip("\n").split("\n") == [f"line {i}" for i in range(first, end)]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"%PDF-1.7 whatever", "PDF"),
        (b"PK\x03\x04rest", "zip"),
        (b"\x89PNG\r\n\x1a\nrest", "PNG"),
        (bytes(range(256)) * 40, "not text"),
        (b"abc\0def", "not text"),
    ],
)
def test_binary_data_under_a_text_suffix_is_refused(tmp_path: Path, data: bytes, word: str) -> None:
    with pytest.raises(SourceError, match=word):
        read(save(tmp_path / "a.txt", data))


@pytest.mark.parametrize("data", [b"", b" \r\n\t ", b"\xef\xbb\xbf"])
def test_nothing_but_blanks_is_an_error_of_its_own(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(EmptyDocumentError):
        read(save(tmp_path / "a.txt", data))


def test_another_suffix_is_refused_with_the_list(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFormatError, match=r"\.exe.*docx"):
        read(save(tmp_path / "a.exe", b"x"))


def test_limits_name_their_variable(tmp_path: Path) -> None:
    path = save(tmp_path / "a.txt", "x" * 1000)
    for settings in (LegacySettings(max_file_bytes=10), LegacySettings(max_text_chars=10)):
        with pytest.raises(LimitExceeded) as caught:
            read(path, settings)
        assert caught.value.limit in str(caught.value)
    assert text_of(read(path, LegacySettings(max_file_bytes=0, max_text_chars=0))) == "x" * 1000


def test_csv_finds_the_delimiter_and_keeps_the_header(tmp_path: Path) -> None:
    for delimiter in ",;\t|":
        rows = [["name", "note"], ["Ann", "a;b,c|d\te"], ["Bob", 'say "hi"\nthere']]
        body = "\n".join(delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
        document = read(save(tmp_path / "a.csv", body))
        assert text_of(document).split("\n")[0] == "name\tnote"
        assert text_of(document).split("\n")[2] == 'Bob\tsay "hi" there'
        assert codes(document) == ["csv_delimiter"]


def test_csv_obeys_the_separator_line_of_excel(tmp_path: Path) -> None:
    assert lines_of(save(tmp_path / "a.csv", "sep=;\na;b,c\n1;2,5\n")) == ["a\tb,c", "1\t2,5"]


def test_csv_in_a_legacy_encoding(tmp_path: Path) -> None:
    body = "名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪\n"
    document = read(save(tmp_path / "a.csv", body.encode("cp932")))
    assert text_of(document) == "名前\t年齢\t住所\n佐藤太郎\t30\t東京\n三木英子\t25\t大阪"


def test_xml_gives_its_texts_in_element_order(tmp_path: Path) -> None:
    xml = '<?xml version="1.0" encoding="ISO-8859-1"?><r><!-- no --><a>caf\xe9</a><b>one <i>two</i> three</b><c x="no"/></r>'
    assert lines_of(save(tmp_path / "a.xml", xml.encode("latin-1"))) == ["café", "one two three"]


def test_xml_entities_are_never_fetched_or_blown_up(tmp_path: Path) -> None:
    secret = save(tmp_path / "secret.txt", "SECRET")
    xxe = f'<!DOCTYPE r [<!ENTITY x SYSTEM "{secret.as_uri()}">]><r>a&x;b</r>'
    assert "SECRET" not in text_of(read(save(tmp_path / "a.xml", xxe)))
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    laughs = f'<!DOCTYPE r [<!ENTITY l0 "ha">{entities}]><r>start &l11; end</r>'
    assert "haha" not in text_of(read(save(tmp_path / "b.xml", laughs)))


def test_broken_xml_keeps_what_can_be_read_and_warns(tmp_path: Path) -> None:
    document = read(save(tmp_path / "a.xml", "<r><a>one</a><b>two</r>"))
    assert text_of(document).split("\n") == ["one", "two"]
    assert codes(document) == ["xml_repaired"]


def test_bytes_of_no_character_are_left_out_with_a_warning(tmp_path: Path) -> None:
    text = ("Größe und Wärme, über alles hinweg geprüft. " * 20).encode()
    document = read(save(tmp_path / "a.txt", b"A" + b"\xff" + text))
    assert "\ufffd" not in text_of(document)
    assert text_of(document).rstrip() == "A" + text.decode().rstrip()
    assert codes(document) == ["encoding_guessed", "encoding_damaged"]


def test_a_replacement_character_of_the_file_itself_stays(tmp_path: Path) -> None:
    assert lines_of(save(tmp_path / "a.txt", "before \ufffd after")) == ["before \ufffd after"]


def test_a_wrong_declaration_is_not_called_a_missing_one(tmp_path: Path) -> None:
    document = read(save(tmp_path / "a.html", b"<meta charset=utf-8><p>caf\xe9 \xe0 Paris, d\xe9j\xe0 vu</p>"))
    (warning,) = document.warnings
    assert warning.code == "encoding_guessed"
    assert "that it declares (utf-8)" in warning.message


def test_an_xml_of_which_nothing_can_be_read_says_why(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    path = save(tmp_path / "a.xml", f'<!DOCTYPE r [<!ENTITY l0 "ha">{entities}]><r>&l11;</r>')
    with pytest.raises(SourceError, match=r"Nothing can be read of a\.xml, which is not XML: "):
        read(path)
