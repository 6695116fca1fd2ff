"""Decoding of bytes whose encoding nobody names."""

from __future__ import annotations

import pytest

from lrdoc.errors import SourceError
from lrdoc.text.encodings import decode

LEGACY = [
    ("cp1252", "# A\ncafé\n"),
    ("cp1252", "# Über\nFür die Größe müssen wir prüfen, ob es schön ist.\n"),
    ("cp1252", "“quotes” – and €5 naïve\n"),
    ("cp1252", "Mañana será otro día, ¿verdad? Canción.\n"),
    ("iso8859_2", "Zażółć gęślą jaźń\n"),
    ("cp1250", "Příliš žluťoučký kůň úpěl\n"),
    ("cp1251", "# Заголовок\nЭто русский документ для проверки.\n"),
    ("koi8_r", "# Заголовок\nЭто русский документ для проверки.\n"),
    ("cp1253", "# Τίτλος\nΑυτό είναι ένα ελληνικό κείμενο\n"),
    ("gb18030", "# 标题\n你好\n"),
    ("gb18030", "# 第一章\n系统支持多种文档格式的解析与检索。\n"),
    ("big5", "# 標題\n這是一個中文文件，用於測試。\n"),
    ("cp932", "# 題名\nこれは日本語の文書です。カタカナも。\n"),
    ("euc_jp", "# 題名\nこれは日本語の文書です。カタカナも。\n"),
    ("cp949", "# 제목\n이것은 한국어 문서입니다.\n"),
]


@pytest.mark.parametrize(("encoding", "text"), LEGACY)
def test_a_legacy_encoding_is_guessed_and_marked_as_a_guess(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == (text, encoding, True)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_is_no_part_of_the_text(encoding: str) -> None:
    decoded = decode("# Überschrift 标题\n".encode(encoding))
    assert decoded.text == "# Überschrift 标题\n"
    assert not decoded.guessed


def test_utf8_needs_no_guess() -> None:
    assert decode("日本 ü\r\n".encode()) == ("日本 ü\r\n", "utf-8", False)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_shows_by_its_zero_bytes(encoding: str) -> None:
    assert decode("# Hello wörld, again\n".encode(encoding)) == ("# Hello wörld, again\n", encoding, True)


def test_a_declared_encoding_is_believed_when_it_fits() -> None:
    assert decode("Grüße".encode("cp850"), declared="cp850") == ("Grüße", "cp850", False)
    assert decode("Grüße".encode(), declared="no such encoding").text == "Grüße"
    assert decode("Grüße".encode(), declared="base64").text == "Grüße"


def test_a_few_broken_bytes_do_not_make_utf8_another_encoding() -> None:
    decoded = decode(("Über größe " * 40).encode() + b"\xff")
    assert decoded.encoding == "utf-8"
    assert decoded.text.endswith("größe \ufffd")
    assert decoded.guessed


def test_a_long_line_may_be_cut_in_the_middle_of_a_character() -> None:
    text = "系统支持多种文档格式的解析与检索。" * 5000
    for shift in range(3):
        assert decode(b"a" * shift + text.encode("gb18030")).text == "a" * shift + text


def test_binary_data_is_refused_by_name() -> None:
    with pytest.raises(SourceError, match="binary"):
        decode(bytes(range(256)) * 20)
