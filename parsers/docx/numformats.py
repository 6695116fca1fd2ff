"""Numbers as Word writes them in labels: the formats of ST_NumberFormat (ISO 29500-1, 17.18.59).

A formatter is total: a value that a format cannot express (0 as a letter, 25 in a circle) comes out in decimal
digits, which is what Word shows. The length of the result is bounded whatever the value is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

Formatter = Callable[[int], str]

_LETTER_LIMIT = 780
"""Word starts again at "A" after thirty rounds of the alphabet."""
_ROMAN_LIMIT = 32767
_WORDS_LIMIT = 1_000_000

_LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Without Ё, Й, Ъ and Ь, which Word leaves out of lists.
_RUSSIAN = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ"
_GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"
_CHICAGO = "*†‡§"
_AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_AIUEO_HALF = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_IROHA_HALF = "ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽﾝ"
_GANADA = "가나다라마바사아자차카타파하"
_CHOSUNG = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_ARABIC_ALPHA = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_ARABIC_ABJAD = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"
_HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"
# The standard's names are the wrong way round: "hindiVowels" are the consonants.
_HINDI_VOWELS = tuple(map(chr, range(0x0915, 0x093A)))
_HINDI_CONSONANTS = (*map(chr, range(0x0905, 0x0915)), "अं", "अः")
_THAI_LETTERS = "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"

_HAN = "一二三四五六七八九"
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_HEBREW_VALUES = (
    (400, "ת"), (300, "ש"), (200, "ר"), (100, "ק"), (90, "צ"), (80, "פ"), (70, "ע"), (60, "ס"), (50, "נ"), (40, "מ"),
    (30, "ל"), (20, "כ"), (10, "י"), (9, "ט"), (8, "ח"), (7, "ז"), (6, "ו"), (5, "ה"), (4, "ד"), (3, "ג"), (2, "ב"),
    (1, "א"),
)  # fmt: skip
_HEBREW_LIMIT = 392
"""Word starts again at alef after 392."""


def _words(text: str) -> tuple[str, ...]:
    """Words separated by blanks; "-" is an empty one."""
    return tuple("" if word == "-" else word for word in text.split())


_EN_ONES = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_EN_TENS = _words("- - twenty thirty forty fifty sixty seventy eighty ninety")
_EN_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_VI_ONES = _words("không một hai ba bốn năm sáu bảy tám chín")
_TH_ONES = _words("- หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า")
_TH_PLACES = _words("- สิบ ร้อย พัน หมื่น แสน")
_KO_ONES = _words("- 하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉")
_KO_TENS = _words("- 열 스물 서른 마흔 쉰 예순 일흔 여든 아흔")
_HI_WORDS = _words(
    "शून्य एक दो तीन चार पाँच छः सात आठ नौ दस ग्यारह बारह तेरह चौदह पन्द्रह सोलह सत्रह अठारह उन्नीस बीस "
    "इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस "
    "छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस "
    "अड़तालीस उनचास पचास इक्यावन बावन तिरेपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ साठ इकसठ बासठ तिरेसठ "
    "चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर "
    "अठहत्तर उनासी अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे "
    "बानवे तिरानवे चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे"
)


def _repeated(alphabet: Sequence[str]) -> Formatter:
    """A, B … Z, AA, BB …: a letter is written once more for each round of the alphabet."""

    def letters(value: int) -> str:
        if value < 1:
            return str(value)
        rounds, index = divmod((value - 1) % _LETTER_LIMIT, len(alphabet))
        return alphabet[index] * (rounds + 1)

    return letters


def _cycled(alphabet: str) -> Formatter:
    """ア, イ … ン, ア …: the alphabet starts again."""
    return lambda value: alphabet[(value - 1) % len(alphabet)] if value >= 1 else str(value)


def _limited(items: Sequence[str]) -> Formatter:
    """①, ② … ⑳, 21: digits after the last sign."""
    return lambda value: items[value - 1] if 1 <= value <= len(items) else str(value)


def _digits(signs: str) -> Formatter:
    """Positional notation with other digits; `signs` are the ten digits from zero."""
    table = str.maketrans("0123456789", signs)
    return lambda value: str(value).translate(table)


def roman(value: int) -> str:
    if not 1 <= value <= _ROMAN_LIMIT:
        return str(value)
    letters: list[str] = []
    for worth, sign in _ROMAN:
        count, value = divmod(value, worth)
        letters.append(sign * count)
    return "".join(letters)


def _ordinal(value: int) -> str:
    if value % 100 // 10 == 1:
        return f"{value}th"
    return f"{value}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th') }"


def _english(value: int) -> str:
    """ "twenty-one", "one hundred one"; only for 0 <= value < one million."""
    words: list[str] = []
    thousands, rest = divmod(value, 1000)
    if thousands:
        words += [_english(thousands), "thousand"]
    hundreds, rest = divmod(rest, 100)
    if hundreds:
        words += [_EN_ONES[hundreds], "hundred"]
    if rest >= 20:
        tens, ones = divmod(rest, 10)
        words.append(_EN_TENS[tens] + (f"-{_EN_ONES[ones]}" if ones else ""))
    elif rest or not words:
        words.append(_EN_ONES[rest])
    return " ".join(words)


def _cardinal_text(value: int) -> str:
    return _english(value).capitalize() if 0 <= value < _WORDS_LIMIT else str(value)


def _ordinal_text(value: int) -> str:
    if not 0 <= value < _WORDS_LIMIT:
        return str(value)
    words = _english(value)
    at = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[at:]
    if last in _EN_ORDINALS:
        last = _EN_ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return (words[:at] + last).capitalize()


def _dollar_text(value: int) -> str:
    return f"{_cardinal_text(value)} and 00/100"


def _east_asian(
    digits: str, places: str, myriad: str, zero: str = "", *, ones: bool = True, tens_one: bool = False
) -> Formatter:
    """Numbers with signs for ten, hundred and thousand in groups of ten thousand.

    `zero` stands for skipped places (一百零一), "" for none. `ones`: a 1 is written before hundred and thousand
    (一百, against 百); `tens_one`: also before ten at the front of a number (壹拾, against 十).
    """

    def group(value: int, leading: bool) -> str:
        text = ""
        gap = False
        for place in (1000, 100, 10, 1):
            digit, value = divmod(value, place)
            if not digit:
                gap = bool(text) or not leading
                continue
            if gap and zero:
                text += zero
            gap = False
            if place == 1:
                text += digits[digit - 1]
                continue
            sign = places[{10: 0, 100: 1, 1000: 2}[place]]
            if digit > 1 or tens_one or (place > 10 and ones) or (place == 10 and ones and (text or not leading)):
                text += digits[digit - 1]
            text += sign
        return text

    def number(value: int) -> str:
        if not 1 <= value < 100_000_000:
            return zero if value == 0 and zero else str(value)
        high, low = divmod(value, 10_000)
        if not high:
            return group(low, True)
        return group(high, True) + myriad + (group(low, False) if low else "")

    return number


def _counting_99(digits: str, zero: str) -> Formatter:
    """十, 二十一 up to 99, then digit by digit: 一○○."""
    small = _east_asian(digits, "十百千", "万")
    large = _digits(zero + digits)
    return lambda value: small(value) if 1 <= value < 100 else large(value)


def _hebrew_number(value: int) -> str:
    if value < 1:
        return str(value)
    value = (value - 1) % _HEBREW_LIMIT + 1
    letters: list[str] = []
    for worth, sign in _HEBREW_VALUES:
        # 15 and 16 would spell parts of the divine name: written 9+6 and 9+7.
        if value in (15, 16):
            return "".join([*letters, "ט", "ו" if value == 15 else "ז"])
        if value >= worth:
            value -= worth
            letters.append(sign)
    return "".join(letters)


def _hebrew_letters(value: int) -> str:
    """א … ת, תא … תת, תתא …"""
    if value < 1:
        return str(value)
    rounds, index = divmod((value - 1) % _HEBREW_LIMIT, len(_HEBREW))
    return _HEBREW[-1] * rounds + _HEBREW[index]


def _vietnamese(value: int) -> str:
    if not 0 <= value < _WORDS_LIMIT:
        return str(value)
    words: list[str] = []
    thousands, rest = divmod(value, 1000)
    if thousands:
        words += [_vietnamese(thousands), "nghìn"]
    hundreds, rest = divmod(rest, 100)
    if hundreds or (thousands and rest):
        words += [_VI_ONES[hundreds], "trăm"]
    tens, ones = divmod(rest, 10)
    if tens > 1:
        words += [_VI_ONES[tens], "mươi"]
    elif tens:
        words.append("mười")
    elif ones and words:
        words.append("linh")
    if ones == 1 and tens > 1:
        words.append("mốt")
    elif ones == 5 and tens:
        words.append("lăm")
    elif ones or not words:
        words.append(_VI_ONES[ones])
    return " ".join(words)


def _thai(value: int) -> str:
    if not 1 <= value < _WORDS_LIMIT:
        return "ศูนย์" if value == 0 else str(value)
    digits = str(value)
    words: list[str] = []
    for place, digit in zip(range(len(digits) - 1, -1, -1), map(int, digits), strict=True):
        if not digit:
            continue
        if place == 0 and digit == 1 and words:
            words.append("เอ็ด")
        elif place == 1 and digit <= 2:
            words.append("สิบ" if digit == 1 else "ยี่สิบ")
        else:
            words.append(_TH_ONES[digit] + _TH_PLACES[place])
    return "".join(words)


def _korean_native(value: int) -> str:
    if not 1 <= value < 100:
        return str(value)
    tens, ones = divmod(value, 10)
    return _KO_TENS[tens] + _KO_ONES[ones]


def _hindi_words(value: int) -> str:
    if not 0 <= value < 100_000:
        return str(value)
    words: list[str] = []
    thousands, rest = divmod(value, 1000)
    if thousands:
        words += [_HI_WORDS[thousands], "हज़ार"]
    hundreds, rest = divmod(rest, 100)
    if hundreds:
        words += [_HI_WORDS[hundreds], "सौ"] if value != 100 else ["सौ"]
    if rest or not words:
        words.append(_HI_WORDS[rest])
    return " ".join(words)


def _lower(formatter: Formatter) -> Formatter:
    return lambda value: formatter(value).lower()


_FULL_WIDTH = _digits("０１２３４５６７８９")

FORMATS: Mapping[str, Formatter] = MappingProxyType(
    {
        "decimal": str,
        "decimalHalfWidth": str,
        "decimalZero": lambda value: f"{value:02d}",
        "decimalFullWidth": _FULL_WIDTH,
        "decimalFullWidth2": _FULL_WIDTH,
        "decimalEnclosedCircle": _limited("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"),
        "decimalEnclosedCircleChinese": _limited("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"),
        "decimalEnclosedFullstop": _limited("⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛"),
        "decimalEnclosedParen": _limited("⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇"),
        "numberInDash": lambda value: f"- {value} -",
        "hex": lambda value: f"{value:X}",
        "chicago": _repeated(_CHICAGO),
        "upperRoman": roman,
        "lowerRoman": _lower(roman),
        "upperLetter": _repeated(_LATIN),
        "lowerLetter": _lower(_repeated(_LATIN)),
        "ordinal": _ordinal,
        "cardinalText": _cardinal_text,
        "ordinalText": _ordinal_text,
        "dollarText": _dollar_text,
        "russianUpper": _repeated(_RUSSIAN),
        "russianLower": _lower(_repeated(_RUSSIAN)),
        "aiueo": _cycled(_AIUEO_HALF),
        "aiueoFullWidth": _cycled(_AIUEO),
        "iroha": _cycled(_IROHA_HALF),
        "irohaFullWidth": _cycled(_IROHA),
        "ganada": _cycled(_GANADA),
        "chosung": _cycled(_CHOSUNG),
        "ideographDigital": _digits("〇" + _HAN),
        "japaneseDigitalTenThousand": _digits("〇" + _HAN),
        "taiwaneseDigital": _digits("○" + _HAN),
        "koreanDigital": _digits("영일이삼사오육칠팔구"),
        "koreanDigital2": _digits("零" + _HAN),
        "koreanCounting": _east_asian("일이삼사오육칠팔구", "십백천", "만", ones=False),
        "koreanLegal": _korean_native,
        "japaneseCounting": _east_asian(_HAN, "十百千", "万", ones=False),
        "japaneseLegal": _east_asian("壱弐参四伍六七八九", "拾百阡", "萬", tens_one=True),
        "chineseCounting": _counting_99(_HAN, "○"),
        "taiwaneseCounting": _counting_99(_HAN, "○"),
        "chineseCountingThousand": _east_asian(_HAN, "十百千", "万", "零"),
        "taiwaneseCountingThousand": _east_asian(_HAN, "十百千", "萬", "零"),
        "chineseLegalSimplified": _east_asian("壹贰叁肆伍陆柒捌玖", "拾佰仟", "万", "零", tens_one=True),
        "ideographLegalTraditional": _east_asian("壹貳參肆伍陸柒捌玖", "拾佰仟", "萬", "零", tens_one=True),
        "ideographTraditional": _limited(_STEMS),
        "ideographZodiac": _limited(_BRANCHES),
        "ideographZodiacTraditional": _limited(tuple(_STEMS[n % 10] + _BRANCHES[n % 12] for n in range(60))),
        "ideographEnclosedCircle": _limited("㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"),
        "vietnameseCounting": _vietnamese,
        "hebrew1": _hebrew_number,
        "hebrew2": _hebrew_letters,
        "arabicAlpha": _repeated(_ARABIC_ALPHA),
        "arabicAbjad": _repeated(_ARABIC_ABJAD),
        "hindiVowels": _repeated(_HINDI_VOWELS),
        "hindiConsonants": _repeated(_HINDI_CONSONANTS),
        "hindiNumbers": _digits("०१२३४५६७८९"),
        "hindiCounting": _hindi_words,
        "thaiLetters": _repeated(_THAI_LETTERS),
        "thaiNumbers": _digits("๐๑๒๓๔๕๖๗๘๙"),
        "thaiCounting": _thai,
        "bahtText": lambda value: _thai(value) + "บาทถ้วน",
        "bullet": lambda value: "",
        "none": lambda value: "",
    }
)

_CUSTOM_ALPHABETS = {
    "A": _repeated(_LATIN),
    "a": _lower(_repeated(_LATIN)),
    "I": roman,
    "i": _lower(roman),
    "Α": _repeated(_GREEK),
    "α": _lower(_repeated(_GREEK)),
    "А": _repeated(_RUSSIAN),
    "а": _lower(_repeated(_RUSSIAN)),
    "ア": _cycled(_AIUEO),
    "ｱ": _cycled(_AIUEO_HALF),
    "イ": _cycled(_IROHA),
    "一": FORMATS["chineseCountingThousand"],
    "①": FORMATS["decimalEnclosedCircle"],
}


def _custom(pattern: str) -> Formatter | None:
    """A sequence written out, "001, 002, 003, ...": its first member tells the format (17.9.17, `format`)."""
    first = pattern.split(",", 1)[0].strip()
    if first.isdecimal() and len(first) <= 20:
        if first.isascii():
            return lambda value: f"{value:0{len(first)}d}"
        zero = chr(ord(first[0]) - int(first[0]))
        digits = _digits("".join(chr(ord(zero) + n) for n in range(10)))
        return lambda value: digits(int(value)).rjust(len(first), zero)
    return _CUSTOM_ALPHABETS.get(first)


def find_format(name: str, pattern: str = "") -> Formatter | None:
    """The formatter for a `w:numFmt`; None when the name, or the pattern of "custom", is not known."""
    return _custom(pattern) if name == "custom" else FORMATS.get(name)
