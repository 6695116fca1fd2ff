"""HTML and EPUB: what a reader sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from legacy_files import codes, epub, lines_of, read, save, text_of

from lrdoc.errors import EncryptedFileError, LimitExceeded, SourceError
from lrdoc.parsers.legacy.settings import LegacySettings


def shown(tmp_path: Path, body: str) -> list[str]:
    return lines_of(save(tmp_path / "a.html", f"<!doctype html><meta charset=utf-8><title>T</title><body>{body}"))


def test_scripts_styles_comments_and_hidden_elements_are_not_text(tmp_path: Path) -> None:
    body = (
        "<script>no()</script><style>p{}</style><!-- no --><template>no</template><p hidden>no</p>"
        '<p style="color:red; display : none">no</p><p style="visibility:hidden">no</p><input type=hidden value=no><p>yes</p>'
    )
    assert shown(tmp_path, body) == ["yes"]


def test_blanks_fold_and_lines_break_where_a_browser_breaks_them(tmp_path: Path) -> None:
    assert shown(tmp_path, "<p>a\n  b<b>c</b> d<br>e</p>f<div>g<span>h</span></div>i") == [
        "a bc d",
        "e",
        "f",
        "gh",
        "i",
    ]


def test_lists_are_labelled_and_nested(tmp_path: Path) -> None:
    body = "<ul><li>a<ul><li>b</li></ul></li></ul><ol start=3><li>c<li value=9>d<li>e</ol>"
    assert shown(tmp_path, body) == ["- a", "  - b", "3. c", "9. d", "10. e"]


def test_table_cells_keep_their_columns(tmp_path: Path) -> None:
    body = (
        "<table><caption>Cap</caption><tr><th rowspan=2>r<th colspan=2>wide<th>x<tr><td>1<td>2<td>3"
        "<tr><td><p>two</p><p>lines</p><td>b<td>c<td>d</table>after"
    )
    assert shown(tmp_path, body) == ["Cap", "r\twide\t\tx", "\t1\t2\t3", "two lines\tb\tc\td", "after"]


def test_a_table_inside_a_cell_stays_in_that_cell(tmp_path: Path) -> None:
    body = "<table><tr><td>a<table><tr><td>in1<td>in2</table>b<td>z</table>"
    assert shown(tmp_path, body) == ["a in1 in2 b\tz"]


def test_preformatted_text_keeps_its_form(tmp_path: Path) -> None:
    assert shown(tmp_path, "<pre><code>def f():\n    return  1\n</code></pre>x") == ["def f():", "    return  1", "x"]


def test_a_heading_inside_a_paragraph_loses_nothing(tmp_path: Path) -> None:
    assert shown(tmp_path, "<p>before<h1>Title</h1>after</p>") == ["before", "Title", "after"]


def test_alternative_texts_and_form_values_are_kept(tmp_path: Path) -> None:
    body = '<p>x <img src=a.png alt="a cat"> y</p><input type=checkbox checked> done <select><option>one<option>two</select>'
    assert shown(tmp_path, body) == ["x a cat y", "☒ done", "one", "two"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('<meta charset="windows-1251"><p>Привет'.encode("cp1251"), "Привет"),
        ('<?xml version="1.0" encoding="GBK"?><p>中文内容'.encode("gbk"), "中文内容"),
        ("<p>中文".encode("utf-16"), "中文"),
        ('<meta charset="utf-16"><p>é'.encode(), "é"),
    ],
)
def test_declared_encodings(tmp_path: Path, data: bytes, text: str) -> None:
    document = read(save(tmp_path / "a.html", data))
    assert text_of(document) == text
    assert codes(document) == []


def test_the_title_is_the_documents(tmp_path: Path) -> None:
    assert read(save(tmp_path / "a.html", "<title> My \n page</title><p>x")).title == "My page"


def test_deep_nesting_is_a_named_limit_and_no_recursion(tmp_path: Path) -> None:
    deep = save(tmp_path / "a.html", "<div>" * 400 + "x")
    assert text_of(read(deep)) == "x"
    with pytest.raises(LimitExceeded, match="LEGACY_MAX_NESTING"):
        read(deep, LegacySettings(max_nesting=100))


def test_epub_reads_the_spine_in_order(tmp_path: Path) -> None:
    path = epub(tmp_path / "b.epub", {"z.xhtml": "<h1>One</h1><p>first</p>", "a.xhtml": "<h1>Two</h1><p>second</p>"})
    document = read(path)
    assert text_of(document).split("\n") == ["One", "", "first", "", "Two", "", "second"]
    assert document.title == "A Book"
    chapters = [part.source.chapter for part in document.blocks[0].parts if getattr(part, "source", None)]
    assert chapters == ["1", "1", "2", "2"]


def test_epub_without_a_chapter_of_its_spine_warns(tmp_path: Path) -> None:
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
        'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="gone"/><itemref idref="a"/></spine></package>'
    )
    document = read(epub(tmp_path / "b.epub", {"a.xhtml": "<p>x</p>"}, {"OPS/book.opf": opf}))
    assert (text_of(document), codes(document)) == ("x", ["epub_missing_chapter"])


def test_epub_under_rights_management_is_refused_but_obfuscated_fonts_are_not(tmp_path: Path) -> None:
    def encryption(algorithm: str) -> dict[str, str]:
        return {
            "META-INF/encryption.xml": '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
            'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
            f'<enc:EncryptionMethod Algorithm="{algorithm}"/></enc:EncryptedData></encryption>'
        }

    fonts = epub(tmp_path / "f.epub", {"a.xhtml": "<p>x</p>"}, encryption("http://www.idpf.org/2008/embedding"))
    assert text_of(read(fonts)) == "x"
    with pytest.raises(EncryptedFileError, match="rights"):
        read(
            epub(
                tmp_path / "p.epub", {"a.xhtml": "<p>x</p>"}, encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
            )
        )


def test_an_epub_without_package_is_named(tmp_path: Path) -> None:
    from legacy_files import pack

    with pytest.raises(SourceError, match="not an EPUB"):
        read(pack(tmp_path / "b.epub", {"x.txt": "x"}))


def test_references_to_no_character_are_left_out_with_a_warning(tmp_path: Path) -> None:
    document = read(save(tmp_path / "a.html", "<p>a&#0;b</p><p>c &#xD800; d</p>"))
    assert text_of(document).split() == ["ab", "c", "d"]
    (warning,) = document.warnings
    assert warning.code == "html_no_character"
    assert warning.message.startswith("2 places")
