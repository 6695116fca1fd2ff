"""Bytes to text when nobody says which encoding was used.

Order: byte order mark, the encoding that the file itself declares, UTF-8, UTF-16 without a mark, and only then a guess.
A guess is marked as one, so that the caller can warn.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections import Counter
from typing import NamedTuple

from lrdoc.errors import SourceError

_SAMPLE_BYTES = 64 * 1024
"""A guess looks at no more than this much of the text around its non-ASCII bytes."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the UTF-16 one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Characters that are frequent in running text. A right guess meets them often, a wrong one hardly ever.
_WESTERN = frozenset("àâäáãåæçéèêëíìîïñóòôöõøœúùûüýÿßšžÀÂÄÁÅÇÉÈÊÖÓÜÚÑØÆ«»“”‘’„–—…€°§·²³½©®™¿¡£•º ")
_CENTRAL = frozenset("ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽőűäöüßăâîșțşţđ„”“–—…«» ")
_HAN = frozenset(
    "的一是不了在有人我他这個个中大来來上国國到说們们为為子和你地出道也时時年得就那要下以生会會自着去之过過家学學对對可"
    "里裡后後小么心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開手十用主行方又如前所本见見经經头面公同三已"
    "老从從动動两長长這与與及或第章节節表图圖题題标標测測试試编編码碼数數据據系统統使其他它们"
)
_HANGUL = frozenset("이는은을를의에가다하고로한지도서인기사어나시자리해일으있것과대정그부수")
_CYRILLIC = frozenset("оеаинтсрвлкмдпуяыьгзбчйхжшюіїєґ")
_GREEK = frozenset("αοιετσνηυρπκμλςόίάέήύώ")


class Decoded(NamedTuple):
    """Text and how it was found."""

    text: str
    encoding: str
    guessed: bool
    """The file did not say, and it is not valid UTF-8: the caller should warn."""


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Text of the bytes without byte order mark. Line ends stay as they are.

    `declared` is what the format itself says (an XML declaration, a charset attribute); a mark or a plain
    contradiction outweighs it. Raises SourceError when the bytes are not text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            return Decoded(body.decode(encoding, "replace"), encoding, not _fits(body, encoding))
    if declared:
        named = _codec(declared)
        if named is not None and (text := _strict(data, named)) is not None:
            return Decoded(text, named, False)
    wide = _utf16_without_mark(data)
    if wide is not None and (text := _strict(data, wide)) is not None:
        return Decoded(text, wide, True)
    if (text := _strict(data, "utf-8")) is not None:
        if "\0" in text and _is_binary(data):
            raise SourceError("The file is not text: it holds binary data", hint="Check that its suffix is right.")
        return Decoded(text, "utf-8", False)
    if _is_binary(data):
        raise SourceError("The file is not text: it holds binary data", hint="Check that its suffix is right.")
    if _is_damaged_utf8(data):
        return Decoded(data.decode("utf-8", "replace"), "utf-8", True)
    return _guess(data)


def _codec(name: str) -> str | None:
    """Python's name of a text encoding, None for an unknown one."""
    try:
        info = codecs.lookup(name.strip())
    except (LookupError, ValueError):
        return None
    # rot13, base64 and their like are codecs too
    return info.name if getattr(info, "_is_text_encoding", True) else None


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeError:
        return None


def _cut(sample: bytes, encoding: str) -> str | None:
    """As `_strict`, but the last character may be cut off."""
    try:
        return codecs.getincrementaldecoder(encoding)("strict").decode(sample)
    except UnicodeError:
        return None


def _fits(data: bytes, encoding: str) -> bool:
    return _strict(data, encoding) is not None


def _utf16_without_mark(data: bytes) -> str | None:
    """UTF-16 whose text is mostly in one alphabet shows as NULs on every second byte."""
    head = data[:4096]
    if len(head) < 4 or len(data) % 2 or b"\0" not in head:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    if even > half * 0.4 and odd < half * 0.05:
        return "utf-16-be"
    return None


def _is_binary(data: bytes) -> bool:
    head = data[:_SAMPLE_BYTES]
    controls = sum(head.count(bytes((code,))) for code in (*range(9), *range(14, 27), 28, 29, 30, 31))
    return controls > max(8, len(head) * 0.02)


def _is_damaged_utf8(data: bytes) -> bool:
    """Many good sequences and few bad ones: a copy with broken bytes, not another encoding."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text.encode("utf-8", "replace")) - len(text) - 2 * bad
    return good >= 20 * bad


def _guess(data: bytes) -> Decoded:
    sample = _sample(data)
    best, best_score = "", 0.0
    for encoding in _CANDIDATES:
        text = _cut(sample, encoding)
        if text is not None and (score := _score(text, encoding)) > best_score:
            best, best_score = encoding, score
    if best_score < 0.45 or best not in _COMMON_LEADS:
        best = _by_common_characters(sample) or (
            best if best_score >= 0.45 else _second_opinion(sample) or best or "cp1252"
        )
    return Decoded(data.decode(best, "replace"), best, True)


def _sample(data: bytes) -> bytes:
    """Whole lines around the bytes that tell encodings apart."""
    if len(data) <= _SAMPLE_BYTES:
        return data
    lines: list[bytes] = []
    size = 0
    for line in data.split(b"\n"):
        if line.isascii():
            continue
        if size + len(line) > _SAMPLE_BYTES:
            break
        lines.append(line)
        size += len(line)
    return b"\n".join(lines) or data[:_SAMPLE_BYTES]


_CANDIDATES = (
    "cp1252",
    "gb18030",
    "cp932",
    "euc_jp",
    "big5",
    "cp949",
    "cp1250",
    "iso8859_2",
    "cp1251",
    "koi8_r",
    "cp1253",
    "mac_roman",
)


_COMMON_LEADS = {
    "cp932": range(0x88, 0x98),  # JIS level 1
    "cp949": range(0xB0, 0xC9),  # Hangul of KS X 1001
    "euc_jp": range(0xB0, 0xD0),
    "big5": range(0xA4, 0xC7),  # Big5 level 1
    "gb18030": range(0xB0, 0xD8),  # GB 2312 level 1
}
"""First bytes of the characters that each standard counts as common; on a tie the narrower range is right."""


def _by_common_characters(sample: bytes) -> str | None:
    """For a list of names or a few words: the encoding in which nearly all of them are common characters."""
    best, best_share = None, 0.0
    for encoding, leads in _COMMON_LEADS.items():
        text = _cut(sample, encoding)
        foreign = [char.encode(encoding) for char in text if char > "\x7f"] if text else []
        if len(foreign) >= 5:
            share = sum(1 for code in foreign if len(code) == 2 and code[0] in leads) / len(foreign)
            if share > best_share:
                best, best_share = encoding, share
    return best if best_share >= 0.93 else None


def _score(text: str, encoding: str) -> float:
    """How much the non-ASCII characters look like running text of the languages that use the encoding (0 to 1)."""
    counts = Counter(char for char in text if char > "\x7f")
    total = sum(counts.values())
    if not total:
        return 0.0
    share = sum(n for char, n in counts.items() if _is_expected(char, encoding)) / total
    strange = sum(n for char, n in counts.items() if unicodedata.category(char) in ("Cc", "Co", "Cn", "Cf")) / total
    if encoding in ("cp1252", "cp1250", "iso8859_2", "mac_roman"):
        # accents stand inside words with ASCII letters, so foreign text, which has none, is not western
        score = share - 1.5 * _lonely(text) - _odd_case(text)
        return score - strange - (0.05 if encoding == "iso8859_2" else 0.1 if encoding == "mac_roman" else 0.0)
    if encoding in ("cp1251", "koi8_r", "cp1253"):
        return min(1.0, 1.1 * share) - 2.0 * _odd_case(text) - strange
    # In Chinese, Japanese and Korean text a few characters make up a third of the whole
    return min(1.0, 2.5 * share) - strange - (0.02 if encoding == "gb18030" else 0.0)


def _is_expected(char: str, encoding: str) -> bool:
    match encoding:
        case "cp1252" | "mac_roman":
            return char in _WESTERN
        case "cp1250" | "iso8859_2":
            return char in _CENTRAL
        case "cp1251" | "koi8_r":
            return char.lower() in _CYRILLIC
        case "cp1253":
            return char.lower() in _GREEK
        case "cp932" | "euc_jp":
            return "ぁ" <= char <= "ヶ" or char == "ー"
        case "cp949":
            return char in _HANGUL
        case _:
            return char in _HAN or char in "，。、：；！？“”（）《》"


def _lonely(text: str) -> float:
    """Share of non-ASCII letters in words without any ASCII letter, longer than two letters."""
    letters = lonely = 0
    for word in text.split():
        foreign = sum(1 for char in word if char > "\x7f" and char.isalpha())
        if foreign:
            letters += foreign
            if foreign > 2 and not any(char.isascii() and char.isalpha() for char in word):
                lonely += foreign
    # a line of accented letters alone is a list of samples, which only short texts have
    return lonely / letters if letters > 8 else 0.0


def _odd_case(text: str) -> float:
    """Share of letters where a capital follows a small letter, the sign of a wrong single-byte table."""
    odd = letters = 0
    before = ""
    for char in text:
        if char > "\x7f" and char.isalpha():
            letters += 1
            if char.isupper() and before.islower():
                odd += 1
        before = char
    return odd / letters if letters else 0.0


def _second_opinion(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes  # 60 ms, needed by few files

    best = from_bytes(sample).best()
    return best.encoding if best is not None else None
