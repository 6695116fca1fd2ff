"""From the text of a model to the fields of an answer."""

from __future__ import annotations

import json
import re
from typing import Any

from lrdoc.analyzers.base import IMAGE_TYPES, Item

_THOUGHT = re.compile(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = "```"
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_FORM_FEED = re.compile("\f(?=[A-Za-z])")
_BACKSPACE = re.compile("\b(?=[A-Za-z])")
# Commands whose first letter JSON reads as a tab, a line feed or a carriage return.
_TAB = re.compile(
    r"\t(imes|ext(?:bf|it|rm|tt|sf|sc|normal|style|color)?|heta|au|an(?:h)?|ilde|o|op|riangle(?:q|left|right|lefteq|righteq)?|"
    r"herefore|frac|binom|hinspace|hick(?:approx|sim)|ag|woheadrightarrow|elsym)(?![A-Za-z])"
)
_LINE_FEED = re.compile(
    r"\n(abla|e|eq|eg|u|ot|otin|onumber|olimits|i|mid|leq|geq|less|gtr|sim|cong|subseteq|supseteq|parallel|exists|"
    r"atural|ewline|ormalsize|earrow|warrow|(?:left|right|Left|Right)arrow|egthinspace)(?![A-Za-z])"
)
_RETURN = re.compile(
    r"\r(ho|ight|angle|floor|ceil|ight(?:left)?(?:arrow|arrows|harpoonup|harpoondown|harpoons)|m|brace|brack|oot|vert|"
    r"Vert|group|ule|aisebox|times|estriction)(?![A-Za-z])"
)
LONGEST = 1_000_000
"""Characters of an answer that are looked at; an answer to these questions has some thousands."""
_LONGEST_REPAIR = 200_000
_DEEPEST = 50
"""Repairing takes time that grows with the square of the depth."""


def recover_object(text: str) -> dict[str, Any]:
    """The JSON object in a model's answer; an empty one when there is none.

    Thoughts before the answer, code fences and prose around it are passed over; LaTeX whose backslashes were not
    doubled is understood; single quotes, trailing commas and missing brackets are repaired.
    """
    text = text[:LONGEST].lstrip("\ufeff \t\r\n")
    if text.startswith("{"):
        # What begins with the object may well speak of thoughts or hold code.
        value = _decoded(_with_backslashes(text))
        if isinstance(value, dict):
            return value
    text = _without_thoughts(text)
    if not text.lstrip().startswith("{"):
        text = _fenced(text)
    start = _first_structure(text)
    if start is None or text[start] != "{":
        return {}
    body = _with_backslashes(text[start:])
    value = _decoded(body)
    if value is None:
        value = _repaired(body)
    return value if isinstance(value, dict) else {}


def _with_backslashes(text: str) -> str:
    """Backslashes that begin no escape of JSON are doubled."""
    return _ESCAPE.sub(lambda m: m.group() if len(m.group()) > 1 else "\\\\", text)


def _decoded(text: str) -> Any:
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value


def _without_thoughts(text: str) -> str:
    """Text without blocks of thoughts; one whose beginning was left out goes as well."""
    kept: list[str] = []
    begin: int | None = 0
    """Where kept text begins, None inside thoughts."""
    depth = 0
    for tag in _THOUGHT.finditer(text):
        if not tag.group(1):
            if depth == 0 and begin is not None:
                kept.append(text[begin : tag.start()])
                begin = None
            depth += 1
        else:
            depth = max(depth - 1, 0)
            if depth == 0:
                if begin is not None:
                    kept.clear()
                begin = tag.end()
    if begin is not None:
        kept.append(text[begin:])
    return "".join(kept)


def _fenced(text: str) -> str:
    """What stands in the first code fence with an object in it, else the text."""
    position = 0
    while True:
        opening = text.find(_FENCE, position)
        line_end = text.find("\n", opening)
        if opening < 0 or line_end < 0:
            return text
        closing = text.find("\n" + _FENCE, line_end)
        body = text[line_end : closing if closing >= 0 else len(text)]
        if "{" in body:
            return body
        if closing < 0:
            return text
        position = closing + 1 + len(_FENCE)


def _first_structure(text: str) -> int | None:
    """Place of the first bracket that opens an object or a list, outside of quoted prose."""
    quoted = False
    for i, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif char == "\n":
            quoted = False
        elif not quoted and char in "{[":
            return i
    return None


def _repaired(body: str) -> Any:
    from json_repair import repair_json

    text = _balanced(body)
    if text is None:
        return None
    try:
        return repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        return None


def _balanced(body: str) -> str | None:
    """From the first brace to the one that closes it, or all when it is never closed; None for what no model means."""
    depth = 0
    quoted = escaped = False
    for i, char in enumerate(body):
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == '"':
            quoted = not quoted
        elif not quoted and char == "{":
            depth += 1
            if depth > _DEEPEST:
                return None
        elif not quoted and char == "}":
            depth -= 1
            if depth == 0:
                return body[: i + 1]
    return body[:_LONGEST_REPAIR]


def restore_latex(text: str, *, equation: bool = False) -> str:
    """Put back the backslashes of LaTeX commands that JSON took for control characters."""
    text = _BACKSPACE.sub(r"\\b", _FORM_FEED.sub(r"\\f", text))
    text = _TAB.sub(r"\\t\1", text)
    if equation:
        text = _RETURN.sub(r"\\r\1", _LINE_FEED.sub(r"\\n\1", text))
    return text


def read_fields(item: Item, text: str) -> dict[str, str]:
    """The fields of an answer, checked. Raises ItemFailure naming the field that is missing or of the wrong kind."""
    value = _unwrapped(recover_object(text), item.kind.fields)
    fields: dict[str, str] = {}
    for name in item.kind.fields:
        given = value.get(name)
        if name == "equation":
            given = given if _is_text(given) else value.get("equ")
            given = given if _is_text(given) else item.content
        if not _is_text(given):
            raise item.failure(f"missing or invalid field '{name}'")
        fields[name] = restore_latex(_clean(str(given)), equation=name == "equation").strip()
        if name == "equation":
            fields[name] = _without_delimiters(fields[name]) or fields[name]
    if "type" in fields:
        fields["type"] = _image_type(fields["type"])
    return fields


def _unwrapped(value: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """The answer itself when a model has put it into an object of its own or written its keys in capitals."""
    if not any(name in value for name in fields):
        value = {key.strip().lower(): given for key, given in value.items()}
        inner = [given for given in value.values() if isinstance(given, dict)]
        if len(value) == len(inner) == 1 and not any(name in value for name in fields):
            value = {str(key).strip().lower(): given for key, given in inner[0].items()}
    return value


def _without_delimiters(equation: str) -> str:
    for start, end in (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$")):
        inner = equation[len(start) : -len(end)]
        if equation.startswith(start) and equation.endswith(end) and start not in inner and end not in inner:
            return inner.strip()
    return equation


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


_CONTROL = re.compile("[\x00-\x07\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def _clean(text: str) -> str:
    """Halves of one character that came as two escapes are joined; control characters go."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return _CONTROL.sub("", text)


def _image_type(given: str) -> str:
    folded = " ".join(given.replace("_", " ").lower().split())
    return next((known for known in IMAGE_TYPES if known.lower() == folded), "Other")
