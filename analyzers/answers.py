"""From the text of a model to the fields of an answer."""

from __future__ import annotations

import json
import re
from typing import Any

from lrdoc.analyzers.base import IMAGE_TYPES, Item

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THINKING = re.compile(r"^.*?</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)(?:\n\s*```|$)", re.DOTALL)
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_FORM_FEED = re.compile("\f(?=[A-Za-z])")
_BACKSPACE = re.compile("\b(?=[A-Za-z])")
# Commands whose first letter JSON reads as a tab, a line feed or a carriage return.
_TAB = re.compile(r"\t(imes|ext(?:bf|it|rm|tt)?|heta|au|an(?:h)?|ilde|o|op|riangle|herefore|frac)(?![A-Za-z])")
_LINE_FEED = re.compile(r"\n(abla|e|eq|u|ot|otin|onumber|i|mid|ormalsize|eg|earrow)(?![A-Za-z])")
_RETURN = re.compile(r"\r(ho|ight|angle|floor|ceil|ightarrow|m|brace|brack|oot|vert)(?![A-Za-z])")


def recover_object(text: str) -> dict[str, Any]:
    """The JSON object in a model's answer; an empty one when there is none.

    Thoughts before the answer, code fences and prose around it are passed over; LaTeX whose backslashes were not
    doubled is understood; single quotes, trailing commas and missing brackets are repaired.
    """
    text = _THINKING.sub("", text)
    text = _OPEN_THINKING.sub("", text)
    fenced = _FENCE.search(text)
    if fenced and "{" in fenced.group(1):
        text = fenced.group(1)
    start = _first_structure(text)
    if start is None or text[start] != "{":
        return {}
    body = _ESCAPE.sub(lambda m: m.group() if len(m.group()) > 1 else "\\\\", text[start:])
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(body)
    except (json.JSONDecodeError, RecursionError):
        value = _repaired(body)
    return value if isinstance(value, dict) else {}


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

    try:
        return repair_json(_balanced(body), return_objects=True)
    except (ValueError, RecursionError):
        return None


def _balanced(body: str) -> str:
    """From the first brace to the one that closes it, or all when it is never closed."""
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
        elif not quoted and char == "}":
            depth -= 1
            if depth == 0:
                return body[: i + 1]
    return body


def restore_latex(text: str, *, equation: bool = False) -> str:
    """Put back the backslashes of LaTeX commands that JSON took for control characters."""
    text = _BACKSPACE.sub(r"\\b", _FORM_FEED.sub(r"\\f", text))
    text = _TAB.sub(r"\\t\1", text)
    if equation:
        text = _RETURN.sub(r"\\r\1", _LINE_FEED.sub(r"\\n\1", text))
    return text


def read_fields(item: Item, text: str) -> dict[str, str]:
    """The fields of an answer, checked. Raises ItemFailure naming the field that is missing or of the wrong kind."""
    value = recover_object(text)
    fields: dict[str, str] = {}
    for name in item.kind.fields:
        given = value.get(name)
        if name == "equation":
            given = given if _is_text(given) else value.get("equ")
            given = given if _is_text(given) else item.content
        if not _is_text(given):
            raise item.failure(f"missing or invalid field '{name}'")
        fields[name] = restore_latex(_clean(str(given)), equation=name == "equation").strip()
    if "type" in fields:
        fields["type"] = _image_type(fields["type"])
    return fields


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
