"""List labels: formats, counters, overrides and inheritance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from docx_builder import XMLNS
from lxml import etree

from lrdoc.parsers.docx.numbering import Label, Numbering
from lrdoc.parsers.docx.numformats import FORMATS, find_format


class Styles:
    """Style chains from {style id: (based on, numPr XML)}."""

    def __init__(self, styles: dict[str, tuple[str | None, str]]) -> None:
        self._styles = styles

    def chain(self, style_id: str | None) -> Iterable[Any]:
        seen = set()
        while style_id and style_id in self._styles and style_id not in seen:
            seen.add(style_id)
            based_on, num_pr = self._styles[style_id]
            yield xml(f'<w:style w:styleId="{style_id}"><w:pPr>{num_pr}</w:pPr></w:style>')
            style_id = based_on


def xml(text: str) -> Any:
    return etree.fromstring(f"<root {XMLNS}>{text}</root>")[0]


def lvl(ilvl: int, fmt: str = "decimal", text: str | None = None, start: int | None = 1, extra: str = "") -> str:
    first = "" if start is None else f'<w:start w:val="{start}"/>'
    shown = f"%{ilvl + 1}." if text is None else text
    return f'<w:lvl w:ilvl="{ilvl}">{first}<w:numFmt w:val="{fmt}"/>{extra}<w:lvlText w:val="{shown}"/></w:lvl>'


def abstract(identity: int, *levels: str, extra: str = "") -> str:
    return f'<w:abstractNum w:abstractNumId="{identity}">{extra}{"".join(levels)}</w:abstractNum>'


def num(identity: int, abstract_id: int, overrides: str = "") -> str:
    return f'<w:num w:numId="{identity}"><w:abstractNumId w:val="{abstract_id}"/>{overrides}</w:num>'


def start_override(ilvl: int, start: int) -> str:
    return f'<w:lvlOverride w:ilvl="{ilvl}"><w:startOverride w:val="{start}"/></w:lvlOverride>'


def read(*definitions: str, styles: Styles | None = None) -> Numbering:
    root = etree.fromstring(f"<w:numbering {XMLNS}>{''.join(definitions)}</w:numbering>")
    return Numbering.read(root, styles)


def texts(numbering: Numbering, *uses: tuple[int, int]) -> list[str | None]:
    labels = [numbering.label(str(num_id), ilvl) for num_id, ilvl in uses]
    return [label.text if label else None for label in labels]


MULTI = (lvl(0, text="%1"), lvl(1, text="%1.%2"), lvl(2, text="%1.%2.%3"))


def test_levels_count_on_their_own_and_restart_below_a_higher_one() -> None:
    numbering = read(abstract(0, *MULTI), num(1, 0))
    uses = [(1, 0), (1, 1), (1, 1), (1, 2), (1, 0), (1, 1), (1, 2)]
    assert texts(numbering, *uses) == ["1", "1.1", "1.2", "1.2.1", "2", "2.1", "2.1.1"]


def test_a_skipped_level_counts_as_used() -> None:
    numbering = read(abstract(0, *MULTI), num(1, 0))
    assert texts(numbering, (1, 1), (1, 1), (1, 0)) == ["1.1", "1.2", "2"]


def test_two_instances_of_an_abstract_list_go_on_counting() -> None:
    numbering = read(abstract(0, *MULTI), num(1, 0), num(2, 0))
    assert texts(numbering, (1, 0), (1, 0), (2, 0), (1, 0)) == ["1", "2", "3", "4"]


def test_a_start_override_holds_once() -> None:
    numbering = read(abstract(0, *MULTI), num(1, 0), num(2, 0, start_override(0, 1)))
    assert texts(numbering, (1, 0), (1, 0), (2, 0), (2, 0), (1, 0), (2, 0)) == ["1", "2", "1", "2", "3", "4"]


def test_a_start_override_below_the_first_level_is_the_start_of_that_level() -> None:
    numbering = read(abstract(0, *MULTI), num(1, 0, start_override(1, 5)))
    assert texts(numbering, (1, 0), (1, 1), (1, 1), (1, 0), (1, 1)) == ["1", "1.5", "1.6", "2", "2.5"]


def test_an_override_may_define_a_level_anew() -> None:
    override = f'<w:lvlOverride w:ilvl="0">{lvl(0, "upperRoman", "(%1)", 4)}</w:lvlOverride>'
    numbering = read(abstract(0, *MULTI), num(1, 0), num(2, 0, override))
    assert texts(numbering, (2, 0), (2, 0), (2, 1)) == ["(IV)", "(V)", "V.1"]


def test_level_restart_says_after_which_level() -> None:
    never = lvl(1, text="%2", extra='<w:lvlRestart w:val="0"/>')
    after_first = lvl(2, text="%3", extra='<w:lvlRestart w:val="1"/>')
    numbering = read(abstract(0, lvl(0, text="%1"), never, after_first), num(1, 0))
    uses = [(1, 0), (1, 1), (1, 2), (1, 1), (1, 2), (1, 0), (1, 1), (1, 2)]
    assert texts(numbering, *uses) == ["1", "1", "1", "2", "2", "2", "3", "1"]


def test_legal_levels_show_all_numbers_in_decimal() -> None:
    levels = (lvl(0, "upperRoman", "%1"), lvl(1, "lowerLetter", "%1.%2", extra="<w:isLgl/>"))
    numbering = read(abstract(0, *levels), num(1, 0))
    assert texts(numbering, (1, 0), (1, 0), (1, 1)) == ["I", "II", "2.1"]


@pytest.mark.parametrize(("suff", "prefix"), [("tab", "1. "), ("space", "1. "), ("nothing", "1."), ("odd", "1. ")])
def test_the_suffix_separates_label_and_text(suff: str, prefix: str) -> None:
    numbering = read(abstract(0, lvl(0, extra=f'<w:suff w:val="{suff}"/>')), num(1, 0))
    label = numbering.label("1", 0)
    assert label is not None and label.prefix == prefix


@pytest.mark.parametrize("sign", ["\uf0b7", "o", "•", "–", "§", "v"])
def test_bullets_become_hyphens(sign: str) -> None:
    numbering = read(abstract(0, lvl(0, "bullet", sign), lvl(1, "bullet", sign)), num(1, 0))
    assert numbering.label("1", 1) == Label("-", "space", True, 1)
    assert numbering.label("1", 1).prefix == "- "  # type: ignore[union-attr]


def test_a_bullet_that_is_a_word_is_kept() -> None:
    numbering = read(abstract(0, lvl(0, "bullet", "Note:"), lvl(1, "bullet", "")), num(1, 0))
    assert numbering.label("1", 0) == Label("Note:", "tab", False, 0)
    assert numbering.label("1", 1) is None


def test_no_number_means_no_label() -> None:
    levels = (lvl(0, "none", "%1"), lvl(1, "decimal", "%1.%2"), lvl(2, "none", "Annex"), lvl(3, text=""))
    numbering = read(abstract(0, *levels), num(1, 0))
    assert texts(numbering, (1, 0), (1, 1), (1, 2), (1, 3)) == [None, ".1", "Annex", None]
    numbering = read(abstract(0, lvl(0, "none", "%1."), lvl(1, "none", "%1.%2)")), num(1, 0))
    assert texts(numbering, (1, 0), (1, 1)) == [None, None]


def test_hidden_numbers_count_and_are_not_shown() -> None:
    numbering = read(abstract(0, lvl(0, extra="<w:rPr><w:vanish/></w:rPr>"), lvl(1, text="%1.%2")), num(1, 0))
    assert texts(numbering, (1, 0), (1, 0), (1, 1)) == [None, None, "2.1"]


def test_without_a_start_a_level_begins_at_zero() -> None:
    """ISO 29500-1, 17.9.25."""
    assert texts(read(abstract(0, lvl(0, start=None)), num(1, 0)), (1, 0), (1, 0)) == ["0.", "1."]


def test_unknown_formats_are_decimal_with_a_warning() -> None:
    numbering = read(abstract(0, lvl(0, "klingon"), lvl(1, "klingon")), num(1, 0))
    assert texts(numbering, (1, 0), (1, 0)) == ["1.", "2."]
    assert [warning.code for warning in numbering.warnings] == ["unknown_number_format"]


def test_custom_formats_stand_in_the_choice_of_alternate_content() -> None:
    level = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><mc:AlternateContent><mc:Choice Requires="w14">'
        '<w:numFmt w:val="custom" w:format="00001, 00002, 00003, ..."/></mc:Choice>'
        '<mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="%1|"/></w:lvl>'
    )
    assert texts(read(abstract(0, level), num(1, 0)), (1, 0), (1, 0)) == ["00001|", "00002|"]


def test_a_bad_value_costs_that_value_alone() -> None:
    bad = '<w:lvl w:ilvl="x"><w:start w:val="one"/><w:numFmt/><w:lvlText w:val="%1)"/></w:lvl>'
    numbering = read(abstract(0, bad, lvl(1, text="%2")), num(1, 0), '<w:num w:numId="2"/>', abstract(7))
    assert texts(numbering, (1, 0), (1, 1), (2, 0), (3, 0), (1, 8)) == ["0)", "1", None, None, None]


def test_huge_numbers_make_short_labels() -> None:
    for name in FORMATS:
        numbering = read(abstract(0, lvl(0, name, "x%1", 2**31 - 1)), num(1, 0))
        label = numbering.label("1", 0)
        assert label is not None and len(label.text) < 800


# Which list --------------------------------------------------------------------------------------------------------


def ppr(num_pr: str = "") -> Any:
    return xml(f"<w:pPr>{num_pr}</w:pPr>")


def test_number_and_level_are_inherited_separately() -> None:
    styles = Styles(
        {
            "H1": (None, '<w:numPr><w:numId w:val="1"/></w:numPr>'),
            "H2": ("H1", '<w:numPr><w:ilvl w:val="1"/></w:numPr>'),
            "Mine": ("H2", ""),
        }
    )
    numbering = read(abstract(0, *MULTI), num(1, 0), num(2, 0), styles=styles)
    assert numbering.resolve(ppr(), "H1") == ("1", 0)
    assert numbering.resolve(None, "Mine") == ("1", 1)
    assert numbering.resolve(ppr('<w:numPr><w:numId w:val="2"/></w:numPr>'), "Mine") == ("2", 1)
    assert numbering.resolve(ppr('<w:numPr><w:ilvl w:val="2"/></w:numPr>'), "Mine") == ("1", 2)
    assert numbering.resolve(ppr('<w:numPr><w:numId w:val="0"/></w:numPr>'), "Mine") is None
    assert numbering.resolve(ppr(), None) is None


def test_a_linked_style_gets_the_level_of_its_link() -> None:
    styles = Styles({"Sub": (None, '<w:numPr><w:numId w:val="1"/></w:numPr>'), "Own": ("Sub", "")})
    levels = (lvl(0), lvl(1, text="%1.%2", extra='<w:pStyle w:val="Sub"/>'))
    numbering = read(abstract(0, *levels), num(1, 0), styles=styles)
    assert numbering.resolve(None, "Own") == ("1", 1)
    assert texts(numbering, (1, 1)) == ["1.1"]


def test_a_numbering_style_leads_to_its_definition() -> None:
    styles = Styles({"Legal": (None, '<w:numPr><w:numId w:val="1"/></w:numPr>')})
    numbering = read(
        abstract(0, *MULTI, extra='<w:styleLink w:val="Legal"/>'),
        abstract(1, extra='<w:numStyleLink w:val="Legal"/>'),
        abstract(2, extra='<w:numStyleLink w:val="Nowhere"/>'),
        num(1, 0),
        num(2, 1),
        num(3, 2),
        styles=styles,
    )
    assert texts(numbering, (2, 0), (2, 1), (3, 0)) == ["1", "1.1", None]


def test_numbering_styles_that_point_at_one_another_end() -> None:
    styles = Styles({"A": (None, '<w:numPr><w:numId w:val="1"/></w:numPr>')})
    numbering = read(abstract(0, extra='<w:numStyleLink w:val="A"/>'), num(1, 0), styles=styles)
    assert texts(numbering, (1, 0)) == [None]


def test_a_story_beside_the_body_counts_on_its_own() -> None:
    numbering = read(abstract(0, *MULTI), num(1, 0))
    assert texts(numbering, (1, 0), (1, 0)) == ["1", "2"]
    assert texts(numbering.fresh(), (1, 0)) == ["1"]
    assert texts(numbering, (1, 0)) == ["3"]


def test_without_a_numbering_part_nothing_is_numbered() -> None:
    numbering = Numbering.read(None, None)
    assert numbering.resolve(ppr('<w:numPr><w:numId w:val="1"/></w:numPr>'), None) is None
    assert numbering.label("1", 0) is None


# Formats -----------------------------------------------------------------------------------------------------------

CASES = {
    "upperLetter": {1: "A", 26: "Z", 27: "AA", 28: "BB", 53: "AAA", 0: "0"},
    "lowerLetter": {2: "b", 30: "dd", 781: "a"},
    "upperRoman": {4: "IV", 1999: "MCMXCIX", 4000: "MMMM"},
    "lowerRoman": {49: "xlix"},
    "ordinal": {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 111: "111th", 122: "122nd"},
    "cardinalText": {1: "One", 21: "Twenty-one", 100: "One hundred", 115: "One hundred fifteen"},
    "ordinalText": {1: "First", 12: "Twelfth", 20: "Twentieth", 21: "Twenty-first", 100: "One hundredth"},
    "decimalZero": {1: "01", 9: "09", 10: "10", 100: "100"},
    "decimalEnclosedCircle": {1: "①", 20: "⑳", 21: "21"},
    "decimalEnclosedFullstop": {3: "⒊"},
    "decimalEnclosedParen": {3: "⑶"},
    "decimalFullWidth": {12: "１２"},
    "ideographEnclosedCircle": {1: "㊀", 10: "㊉", 11: "11"},
    "numberInDash": {5: "- 5 -"},
    "hex": {255: "FF"},
    "chicago": {1: "*", 4: "§", 5: "**"},
    "chineseCounting": {10: "十", 11: "十一", 20: "二十", 99: "九十九", 100: "一○○", 123: "一二三"},
    "chineseCountingThousand": {
        10: "十",
        100: "一百",
        101: "一百零一",
        110: "一百一十",
        1001: "一千零一",
        10010: "一万零一十",
    },
    "chineseLegalSimplified": {1: "壹", 10: "壹拾", 25: "贰拾伍"},
    "taiwaneseCountingThousand": {10000: "一萬", 10001: "一萬零一"},
    "taiwaneseDigital": {10: "一○"},
    "ideographDigital": {10: "一〇", 2024: "二〇二四"},
    "ideographTraditional": {1: "甲", 10: "癸", 11: "11"},
    "ideographZodiac": {1: "子", 12: "亥", 13: "13"},
    "ideographZodiacTraditional": {1: "甲子", 11: "甲戌", 60: "癸亥", 61: "61"},
    "ideographLegalTraditional": {3: "參", 20: "貳拾"},
    "japaneseCounting": {10: "十", 100: "百", 101: "百一", 1000: "千", 20000: "二万"},
    "japaneseLegal": {1: "壱", 10: "壱拾", 23: "弐拾参"},
    "japaneseDigitalTenThousand": {10: "一〇"},
    "koreanDigital": {10: "일영"},
    "koreanDigital2": {10: "一零"},
    "koreanCounting": {10: "십", 21: "이십일", 100: "백"},
    "koreanLegal": {1: "하나", 10: "열", 21: "스물하나", 100: "100"},
    "aiueo": {1: "ｱ", 46: "ﾝ", 47: "ｱ"},
    "aiueoFullWidth": {6: "カ"},
    "iroha": {1: "ｲ", 3: "ﾊ"},
    "irohaFullWidth": {2: "ロ"},
    "ganada": {1: "가", 14: "하"},
    "chosung": {2: "ㄴ"},
    "hebrew1": {1: "א", 15: "טו", 16: "טז", 17: "יז", 115: "קטו"},
    "hebrew2": {1: "א", 22: "ת", 23: "תא"},
    "arabicAlpha": {1: "أ", 3: "ت", 29: "أأ"},
    "arabicAbjad": {3: "ج", 4: "د"},
    "hindiNumbers": {12: "१२"},
    "hindiVowels": {1: "क"},
    "hindiConsonants": {1: "अ", 17: "अं"},
    "hindiCounting": {2: "दो", 100: "सौ"},
    "thaiLetters": {1: "ก", 2: "ข", 3: "ค"},
    "thaiNumbers": {12: "๑๒"},
    "thaiCounting": {11: "สิบเอ็ด", 20: "ยี่สิบ"},
    "vietnameseCounting": {15: "mười lăm", 21: "hai mươi mốt", 105: "một trăm linh năm"},
    "russianLower": {1: "а", 10: "к", 30: "аа"},
    "russianUpper": {29: "Я"},
    "none": {1: ""},
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_formats_write_numbers_as_word_does(name: str) -> None:
    formatter = find_format(name)
    assert formatter is not None
    assert {value: formatter(value) for value in CASES[name]} == CASES[name]


def test_negative_numbers_never_fail() -> None:
    for formatter in FORMATS.values():
        formatter(-5)


@pytest.mark.parametrize(
    ("pattern", "value", "text"),
    [
        ("01, 02, 03, ...", 7, "07"),
        ("0001, 0002, ...", 12345, "12345"),
        ("α, β, γ, ...", 3, "γ"),
        ("а, б, в, ...", 2, "б"),
        ("๑, ๒, ๓, ...", 12, "๑๒"),
    ],
)
def test_custom_sequences_follow_their_first_member(pattern: str, value: int, text: str) -> None:
    formatter = find_format("custom", pattern)
    assert formatter is not None and formatter(value) == text


def test_an_unreadable_custom_sequence_is_unknown() -> None:
    assert find_format("custom", "?!") is None
