"""Shows a number as a spreadsheet cell with a given format shows it (ECMA-376 part 1, 18.8.30–31)."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction

BUILTIN = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "yyyy-mm-dd",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    37: "#,##0;-#,##0",
    38: "#,##0;-#,##0",
    39: "#,##0.00;-#,##0.00",
    40: "#,##0.00;-#,##0.00",
    41: "#,##0",
    42: "#,##0",
    43: "#,##0.00",
    44: "#,##0.00",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}
"""Built-in formats. Those that depend on the reader's country (14, 22) are shown in ISO order."""

_UNITS = tuple(Decimal(1).scaleb(-places) for places in range(16))
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?'
    r"|\\(?P<escaped>.)"
    r"|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]"
    r"|\[(?P<elapsed>h+|m+|s+)\]"
    r"|\[(?P<condition>[<>=]+-?[\d.]+)\]"
    r"|\[(?P<bracket>[^\]]*)\]"
    r"|_(?P<space>.)"
    r"|\*(?P<fill>.)"
    r"|(?P<ampm>AM/PM|A/P|上午/下午)"
    r"|(?P<general>General)"
    r"|(?P<exponent>E[+-])"
    r"|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|e+|b+)"
    r"|(?P<digit>[0#?])"
    r"|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)


class _Section:
    """One of the up to four parts of a format, separated by semicolons."""

    def __init__(self, code: str) -> None:
        self.plan: _Plan | None = None
        self.tokens: list[tuple[str, str]] = []
        self.condition: tuple[str, float] | None = None
        for match in _TOKEN.finditer(code):
            kind = match.lastgroup or "other"
            value = match.group(kind)
            if kind == "condition":
                operator = re.match(r"[<>=]+", value)
                if operator is not None:
                    self.condition = (operator.group(), float(value[operator.end() :] or 0))
                continue
            if kind == "bracket":
                continue
            self.tokens.append((kind, value))
        kinds = {kind for kind, _ in self.tokens}
        self.is_date = "elapsed" in kinds or "ampm" in kinds or ("date" in kinds and "digit" not in kinds)
        self.is_text = any(kind == "other" and value == "@" for kind, value in self.tokens)

    def holds(self, value: float) -> bool:
        if self.condition is None:
            return True
        operator, bound = self.condition
        return {
            "<": value < bound,
            ">": value > bound,
            "=": value == bound,
            "<=": value <= bound,
            ">=": value >= bound,
            "<>": value != bound,
        }.get(operator, True)


@functools.lru_cache(maxsize=2048)
def _sections(code: str) -> tuple[_Section, ...]:
    parts: list[str] = []
    current = ""
    quoted = escaped = False
    for ch in code[:1000]:
        if escaped:
            escaped = False
        elif ch == "\\":
            escaped = True
        elif ch == '"':
            quoted = not quoted
        elif ch == ";" and not quoted:
            parts.append(current)
            current = ""
            continue
        current += ch
    return tuple(_Section(part) for part in [*parts, current][:4])


@functools.lru_cache(maxsize=2048)
def _numeric(code: str) -> tuple[_Section, ...]:
    """The sections that numbers may be shown by."""
    sections = _sections(code)
    return tuple(section for section in sections[:3] if not section.is_text) or sections[:1]


def general(value: float) -> str:
    """As the format "General" shows a number in a cell that is wide enough.

    Excel would round a long whole number to fit a narrow cell; an account number must keep its digits.
    """
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    magnitude = abs(value)
    if magnitude >= 1e15 or (magnitude and magnitude < 1e-4):
        mantissa, _, exponent = f"{value:.5E}".partition("E")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"
    whole = len(str(int(magnitude)))
    return f"{value:.{max(0, 10 - whole)}f}".rstrip("0").rstrip(".")


def show_number(value: float, code: str, date1904: bool = False) -> str:
    """The text of a number under a format. A format that cannot be understood gives the plain number."""
    if not code or code == "General":
        return general(value)
    section, value_shown = _choose(_numeric(code), value)
    if section.is_text:
        return general(value)
    if section.is_date:
        shown = _date(value, section, date1904)
        return general(value) if shown is None else shown
    return _number(value_shown, section).strip()


def _choose(sections: tuple[_Section, ...], value: float) -> tuple[_Section, float]:
    if len(sections) == 1 and sections[0].condition is None:
        return sections[0], value
    if any(section.condition for section in sections):
        for section in sections:
            if section.holds(value):
                return section, value
        return sections[-1], value
    if value < 0 and len(sections) > 1:
        return sections[1], -value
    if value == 0 and len(sections) > 2:
        return sections[2], value
    return sections[0], value


@dataclasses.dataclass(frozen=True, slots=True)
class _Plan:
    """How a section shows a number, worked out once."""

    kind: str
    """general, literal, fraction, exponent or plain."""
    lead: str = ""
    tail: str = ""
    middle: str = ""
    decimals: str = ""
    """Placeholders after the point: "00", "0#"."""
    point: bool = False
    needed: int = 0
    """Digits that the whole part has at least."""
    thousands: bool = False
    shift: int = 0
    """Power of ten to multiply with: 2 for each percent sign, -3 for each trailing comma."""
    step: int = 1
    width: int = 0
    plus: str = ""
    first: int = 0
    last: int = 0


def _plan(section: _Section) -> _Plan:
    tokens = section.tokens
    if any(kind == "general" for kind, _ in tokens):
        return _Plan("general")
    digits = [i for i, (kind, _) in enumerate(tokens) if kind == "digit"]
    if not digits:
        return _Plan("literal", lead="".join(_literal(kind, text) for kind, text in tokens))
    first, last = digits[0], digits[-1]
    inside = tokens[first : last + 1]
    if any(kind == "other" and text == "/" for kind, text in inside):
        return _Plan("fraction", first=first, last=last)
    exponent_at = next((i for i, (kind, _) in enumerate(inside) if kind == "exponent"), None)
    mantissa = inside if exponent_at is None else inside[:exponent_at]
    point_at = next((i for i, (kind, text) in enumerate(mantissa) if kind == "other" and text == "."), None)
    whole = mantissa if point_at is None else mantissa[:point_at]
    scale = 0
    for kind, text in tokens[last + 1 :]:
        if kind != "other" or text != ",":
            break
        scale += 1
    percent = sum(1 for kind, text in tokens if kind == "other" and text == "%")
    return _Plan(
        "plain" if exponent_at is None else "exponent",
        lead="".join(_literal(kind, text) for kind, text in tokens[:first]),
        tail="".join(_literal(kind, text) for kind, text in tokens[last + 1 :]),
        middle="".join(_literal(k, t) for k, t in inside if k in ("quoted", "escaped", "currency")),
        decimals="".join(t for k, t in mantissa[point_at + 1 :] if k == "digit") if point_at is not None else "",
        point=point_at is not None,
        needed=sum(1 for kind, t in whole if kind == "digit" and t == "0"),
        thousands=any(kind == "other" and text == "," for kind, text in whole),
        shift=2 * percent - 3 * scale,
        step=max(sum(1 for kind, _ in whole if kind == "digit"), 1),
        width=0 if exponent_at is None else sum(1 for kind, _ in inside[exponent_at + 1 :] if kind == "digit"),
        plus="" if exponent_at is None else inside[exponent_at][1][1:].replace("-", ""),
    )


def _number(value: float, section: _Section) -> str:
    plan = section.plan
    if plan is None:
        plan = section.plan = _plan(section)
    if plan.kind == "general":
        return "".join(general(value) if kind == "general" else _literal(kind, text) for kind, text in section.tokens)
    if plan.kind == "literal":
        return ("-" if value < 0 and plan.lead.strip() else "") + plan.lead
    if plan.kind == "fraction":
        return _fraction(value, section.tokens, plan.first, plan.last)
    decimals, places = plan.decimals, len(plan.decimals)
    try:
        number = Decimal(repr(value))
        if plan.shift:
            number = number.scaleb(plan.shift)
        exponent = ""
        if plan.kind == "exponent":
            power = number.adjusted() if number else 0
            power -= power % plan.step if plan.step > 1 else 0
            number = number.scaleb(-power)
            exponent = f"E{'-' if power < 0 else plan.plus}{str(abs(power)).zfill(plan.width)}"
        number = number.quantize(_UNITS[places] if places < 16 else Decimal(1).scaleb(-places), ROUND_HALF_UP)
    except InvalidOperation:
        return general(value)
    text = f"{abs(number):f}"
    left, _, right = text.partition(".")
    while right and decimals[len(right) - 1] == "#" and right.endswith("0"):
        right = right[:-1]
    left = left.lstrip("0")
    if plan.thousands and len(left) > 3:
        left = f"{int(left):,}"
    left = left.zfill(plan.needed)
    body = left + (f".{right}" if right else ("." if plan.point and not decimals else ""))
    sign = "-" if number < 0 else ""
    return f"{sign}{plan.lead}{body}{exponent}{plan.middle}{plan.tail}"


def _literal(kind: str, text: str) -> str:
    if kind in ("quoted", "escaped", "currency"):
        return text
    if kind == "other" and text not in ",.@":
        return text
    return ""


def _fraction(value: float, tokens: list[tuple[str, str]], first: int, last: int) -> str:
    slash = next(i for i, (kind, text) in enumerate(tokens) if kind == "other" and text == "/")
    fixed = "".join(text for kind, text in tokens[slash + 1 :] if kind in ("other", "digit") and text.isdigit())
    has_whole = any(kind == "other" and text == " " for kind, text in tokens[first:slash])
    width = sum(1 for kind, _ in tokens[slash + 1 : last + 1] if kind == "digit")
    whole = int(abs(value)) if has_whole else 0
    rest = abs(value) - whole
    if fixed and int(fixed):
        bottom = int(fixed)
        top = round(rest * bottom)
    else:
        close = Fraction(rest).limit_denominator(10 ** min(max(width, 1), 6) - 1)
        top, bottom = close.numerator, close.denominator
    if top == bottom and has_whole:
        whole, top = whole + 1, 0
    sign = "-" if value < 0 else ""
    if not top:
        return f"{sign}{whole}"
    return f"{sign}{whole} {top}/{bottom}" if whole else f"{sign}{top}/{bottom}"


def _date(value: float, section: _Section, date1904: bool) -> str | None:
    moment = to_datetime(value, date1904)
    if moment is None:
        return None
    tokens = section.tokens
    twelve = any(kind == "ampm" for kind, _ in tokens)
    # Seconds are rounded to what is shown, so that 11:59:59.9997 is noon.
    places = max(
        (len(text) - text.index(".") - 1 for kind, text in tokens if kind == "date" and "." in text), default=0
    )
    step = datetime.timedelta(microseconds=10 ** (6 - min(places, 6)))
    moment = datetime.datetime.min + round((moment - datetime.datetime.min) / step) * step
    total = value * 86400
    words: list[str] = []
    for i, (kind, text) in enumerate(tokens):
        lower = text.lower()
        if kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[lower[0]]
            words.append(str(int(total / unit + 1e-6)).zfill(len(lower)))
        elif kind == "ampm":
            words.append(
                ("AM" if moment.hour < 12 else "PM")
                if "/" in text and len(text) > 3
                else ("A" if moment.hour < 12 else "P")
            )
        elif kind == "date":
            words.append(_date_token(lower, moment, twelve, _is_minute(tokens, i)))
        elif kind == "other" and text == ",":
            words.append(",")
        elif kind == "other" and text == ".":
            words.append(".")
        elif kind == "digit":
            continue
        else:
            words.append(_literal(kind, text))
    return "".join(words).strip()


def _is_minute(tokens: list[tuple[str, str]], index: int) -> bool:
    """An m is minutes after hours or before seconds (18.8.31)."""
    dates = [i for i, (kind, _) in enumerate(tokens) if kind in ("date", "elapsed")]
    at = dates.index(index)
    before = tokens[dates[at - 1]][1].lower() if at else ""
    after = tokens[dates[at + 1]][1].lower() if at + 1 < len(dates) else ""
    return before.startswith("h") or after.startswith("s")


def _date_token(token: str, moment: datetime.datetime, twelve: bool, minute: bool) -> str:
    letter, width = token[0], len(token)
    if letter in "ye":
        return f"{moment.year % 100:02d}" if letter == "y" and width <= 2 else f"{moment.year:04d}"
    if letter == "b":
        return str(moment.year + 543)
    if letter == "m" and minute:
        return f"{moment.minute:02d}" if width > 1 else str(moment.minute)
    if letter == "m":
        name = _MONTHS[moment.month - 1]
        return {1: str(moment.month), 2: f"{moment.month:02d}", 3: name[:3], 5: name[0]}.get(width, name)
    if letter == "d":
        name = _DAYS[moment.weekday()]
        return {1: str(moment.day), 2: f"{moment.day:02d}", 3: name[:3]}.get(width, name)
    if letter == "h":
        hour = (moment.hour % 12 or 12) if twelve else moment.hour
        return f"{hour:02d}" if width > 1 else str(hour)
    whole, _, fraction = token.partition(".")
    text = f"{moment.second:02d}" if len(whole) > 1 else str(moment.second)
    return f"{text}.{f'{moment.microsecond:06d}'[: len(fraction)]}" if fraction else text


def to_datetime(value: float, date1904: bool) -> datetime.datetime | None:
    """Moment of a serial date; None outside of what calendars know."""
    if date1904:
        start = datetime.datetime(1904, 1, 1)
    else:
        # Serial 60 is 29 February 1900, which never was: days before it are one further from the start.
        start = datetime.datetime(1899, 12, 31) if value < 60 else datetime.datetime(1899, 12, 30)
    try:
        return start + datetime.timedelta(days=value)
    except (OverflowError, ValueError):
        return None
