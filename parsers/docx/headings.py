"""Which styles are headings, titles, captions, contents entries or code, by the names that programs write.

Word writes built-in styles with their English names whatever its language; other programs and templates do not, and
style ids are made from local names by leaving out what is not ASCII ("Überschrift 2" → "berschrift2").
"""

from __future__ import annotations

import re

_HEADING_WORDS = (
    "heading",
    "headline",
    "überschrift",
    "titre",
    "título",
    "titulo",
    "titolo",
    "kop",
    "rubrik",
    "overskrift",
    "otsikko",
    "nagłówek",
    "nadpis",
    "címsor",
    "naslov",
    "titlu",
    "başlık",
    "pealkiri",
    "virsraksts",
    "antraštė",
    "заголовок",
    "заглавие",
    "επικεφαλίδα",
    "标题",
    "標題",
    "見出し",
    "제목",
    "tiêu đề",
    "đầu đề",
    "judul",
    "tajuk",
    "عنوان",
    "כותרת",
    "หัวเรื่อง",
    "शीर्षक",
)
_HEADING_NAME = re.compile(rf"(?:{'|'.join(_HEADING_WORDS)})[ _\u00a0]*([1-9])", re.IGNORECASE)
_HEADING_IDS = sorted(
    {
        ascii_word
        for word in _HEADING_WORDS
        if len(ascii_word := "".join(char for char in word if char.isascii() and char.isalnum())) >= 3
    }
)
_HEADING_ID = re.compile(rf"(?:{'|'.join(_HEADING_IDS)})(?:_20_|-)?([1-9])", re.IGNORECASE)
_TITLE_NAMES = frozenset(
    "title|document title|titel|titre|título|titolo|tytuł|название|标题|標題|表題|제목|titulo".split("|")
)
_CAPTION_NAMES = frozenset(
    (
        "caption|beschriftung|légende|legende|epígrafe|leyenda|legenda|didascalia|bijschrift|название объекта|题注|"
        "標號|図表番号|캡션|"
        "table caption|image caption|figure caption|captioned figure caption|tablecaption|imagecaption"
    ).split("|")
)
_TOC_NAME = re.compile(
    r"(?:toc|contents|verzeichnis|tm|目录|目次)[ _]*[1-9]|table of (?:figures|authorities)", re.IGNORECASE
)
_TOC_ID = re.compile(r"(?:toc|verzeichnis|tm|contents)[1-9]|tableof(?:figures|authorities)", re.IGNORECASE)
_TOC_HEADING_NAMES = frozenset(
    ("toc heading", "contents heading", "toa heading", "tocheading", "inhaltsverzeichnisüberschrift")
)
_CONTENTS_WORDS = frozenset(
    (
        "contents|table of contents|inhalt|inhaltsverzeichnis|table des matières|sommaire|contenido|índice|"
        "tabla de contenido|sommario|indice|inhoud|inhoudsopgave|conteúdo|sumário|spis treści|obsah|содержание|"
        "оглавление|目录|目錄|目次|차례|목차|içindekiler|mục lục|daftar isi|المحتويات|תוכן עניינים|list of figures|"
        "list of tables|abbildungsverzeichnis|tabellenverzeichnis"
    ).split("|")
)
_CODE_NAME = re.compile(
    r"source ?code|\bcode\b|preformatted|verbatim|program ?listing|source text|teletype|"
    r"html (?:code|typewriter|keyboard|sample|variable)|macro text",
    re.IGNORECASE,
)


def heading_level_of_name(name: str) -> int:
    """1–9 for the name of a built-in heading style in any of the languages known here, else 0."""
    match = _HEADING_NAME.fullmatch(name.strip())
    return int(match[1]) if match else 0


def heading_level_of_id(style_id: str) -> int:
    """The same for the id of a style that the file does not define."""
    match = _HEADING_ID.fullmatch(style_id)
    return int(match[1]) if match else 0


def is_title_name(name: str) -> bool:
    return name.strip().lower() in _TITLE_NAMES


def is_caption_name(name: str) -> bool:
    return name.strip().lower() in _CAPTION_NAMES


def is_toc_name(name: str) -> bool:
    """An entry of a table of contents or of figures."""
    return _TOC_NAME.fullmatch(name.strip()) is not None or _TOC_ID.fullmatch(name.strip()) is not None


def is_toc_heading_name(name: str) -> bool:
    return name.strip().lower() in _TOC_HEADING_NAMES


def is_contents_word(text: str) -> bool:
    """A line that says nothing but that a table of contents follows."""
    return len(text) < 60 and " ".join(text.split()).strip(" :.").lower() in _CONTENTS_WORDS


def is_code_name(name: str) -> bool:
    return _CODE_NAME.search(name) is not None
