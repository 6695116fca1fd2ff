"""Characters that no file of ours holds: controls but tab, LF and CR; surrogates; U+FFFE and U+FFFF."""

from __future__ import annotations

_CONTROLS = bytes([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
_TABLE: dict[int, None] = dict.fromkeys([*_CONTROLS, 0xFFFE, 0xFFFF])


def is_clean(text: str) -> bool:
    """True when `clean` would change nothing. Fast: it looks at the UTF-8 bytes."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return False
    if len(data.translate(None, _CONTROLS)) != len(data):
        return False
    return text.isascii() or ("\ufffe" not in text and "\uffff" not in text)


def clean(text: str) -> str:
    """The text without such characters. A pair of surrogates becomes the character that it stands for."""
    if text.isprintable() or is_clean(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")  # drops lone surrogates
    return joined.translate(_TABLE)
