"""Whether what stands in the output is a way to show a cell's number under its format.

The formats are not rendered a second time. What is written is read back: its digits have to be the number's, rounded
as they are shown; those of a date have to be year, month, day and time of the moment that the number stands for.
"""

from __future__ import annotations

import datetime
import math
import re

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*(.)|\[\$([^\]-]*)[^\]]*\]|\[(?![hms])[^\]]*\]', re.IGNORECASE)
_DATE = re.compile(r"[dmyhs]|AM/PM|A/P", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d[\d,\u00a0\u202f ]*(?:\.\d*)?(?:E[-+]?\d+)?|[-+]?\.\d+(?:E[-+]?\d+)?", re.IGNORECASE)
_FRACTION = re.compile(r"(?:(\d+)\s+)?(\d+)\s*/\s*(\d+)")
_GROUP = re.compile(r"\d+")
_DATE_FORMATS = frozenset({14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47, *range(27, 37), *range(50, 59)})
_FIRST_DAY = datetime.datetime(1899, 12, 30)


def is_shown(written: str, value: str, code: str, number_format: int, date1904: bool) -> bool:
    """Whether `written` shows the stored value."""
    if written == value:
        return True
    try:
        number = float(value)
    except ValueError:
        return False
    if not math.isfinite(number):
        return False
    bare = _LITERAL.sub("", code)
    if number_format in _DATE_FORMATS or (code.lower() != "general" and _DATE.search(bare)):
        return _is_moment(written, number, code, date1904) or _is_number(written, number, code)
    return _is_number(written, number, code)


def _is_number(written: str, number: float, code: str) -> bool:
    words = [word for match in _LITERAL.finditer(code) for word in match.groups() if word]
    rest = written
    for word in sorted(words, key=len, reverse=True):
        rest = rest.replace(word, " ", 1) if any(map(str.isdigit, word)) else rest
    fraction = _FRACTION.search(rest)
    if fraction is not None and "?" in code:
        whole, above, below = (int(group or 0) for group in fraction.groups())
        return below > 0 and abs(whole + above / below - abs(number)) <= 0.5 / below + 1e-9
    found = _NUMBER.search(rest)
    if found is None:
        # Nothing but words or marks: a section of the format that shows no number.
        return not any(map(str.isdigit, rest)) and (";" in code or not re.search(r"[0#?]", code))
    digits = re.sub(r"[,\u00a0\u202f ]", "", found.group()).lstrip("+")
    shown = abs(float(digits))
    mantissa, _, exponent = digits.upper().partition("E")
    step = 10.0 ** -len(mantissa.partition(".")[2]) * 10.0 ** int(exponent or 0)
    for scale in (1.0, 100.0, 1e-3, 1e-6):
        expected = abs(number) * scale
        if abs(shown - expected) <= 0.5 * step + abs(expected) * 1e-9:
            return True
    # Masks such as 000-00-0000 and (000) 000-0000 put marks between the digits.
    return "".join(_GROUP.findall(rest)).lstrip("0") == str(round(abs(number))).lstrip("0")


def _is_moment(written: str, number: float, code: str, date1904: bool) -> bool:
    if not 0 <= abs(number) < 3_000_000:
        return False
    allowed: set[int] = set()
    elapsed = abs(number) * 86400  # `[h]:mm` counts from nothing, in every calendar
    if date1904:
        number += 1462
    elif 0 <= number < 60:
        number += 1  # the 29th of February 1900, which the program counts and the calendar does not
    for slack in (0.0, 0.5, -0.5, 1.0):
        try:
            moment = _FIRST_DAY + datetime.timedelta(seconds=round(number * 86400 * 1000) / 1000 + slack)
        except OverflowError:
            return False
        seconds = elapsed + slack
        allowed |= {
            moment.year, moment.year % 100, moment.month, moment.day, moment.hour, moment.hour % 12 or 12,
            moment.minute, moment.second, int(seconds // 3600), int(seconds // 60), int(seconds),
            moment.year - 1988, moment.year - 2018, moment.year + 543, moment.year - 1911,
            moment.microsecond // 1000, moment.microsecond // 10_000, moment.microsecond // 100_000,
        }  # fmt: skip
    literal = [word for match in _LITERAL.finditer(code) for word in match.groups() if word]
    allowed |= {int(digits) for word in literal for digits in _GROUP.findall(word)}
    return all(int(digits[:12]) in allowed for digits in _GROUP.findall(written))
