"""Front matter: YAML between `---` lines or TOML between `+++` lines at the very beginning."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_MAX_CHARS = 64 * 1024
_MAX_DEPTH = 20
_MAX_VALUES = 20_000
"""Values after aliases are followed: a few lines of YAML can stand for billions."""
_YAML_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*[\"']?(\S.{0,300}?)[\"']?[ \t]*$", re.MULTILINE)
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)


class FrontMatter(NamedTuple):
    """What stood before the text."""

    values: Mapping[str, Any]
    lines: int
    """Lines that it takes, fences included; 0 when there is none."""
    problem: str
    """Why something that looks like front matter could not be read; its text is then the value `front_matter`."""


_PLAIN: tuple[tuple[str, str, list[str]], ...] = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,17})", list("-+0123456789")),
    ("float", r"[-+]?(?:[0-9]{1,17}\.[0-9]{0,17}|\.[0-9]{1,17})(?:[eE][-+]?[0-9]{1,3})?", list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
)
"""Plain YAML values that are more than words: kind, pattern, first characters."""

_NONE = FrontMatter({}, 0, "")


def read(text: str) -> FrontMatter:
    """Front matter at the beginning of the text. What is no mapping is no front matter."""
    fence = text[:3]
    if fence not in ("---", "+++"):
        return _NONE
    first_end = text.find("\n")
    if first_end < 0 or text[3:first_end].strip(" \t"):
        return _NONE
    end = (_YAML_END if fence == "---" else _TOML_END).search(text, first_end + 1, first_end + 1 + _MAX_CHARS)
    if end is None:
        return _NONE
    body = text[first_end + 1 : end.start()]
    lines = text.count("\n", 0, end.end()) + 1
    if not body.strip():
        return _NONE
    try:
        values = _yaml(body) if fence == "---" else _toml(body)
        plain = _plain(values)
    except (ValueError, RecursionError, ArithmeticError) as e:
        looks = fence == "+++" or re.search(r"^[A-Za-z_][\w -]*:(?:\s|$)", body, re.MULTILINE)
        reason = " ".join(str(e).split())[:200] or type(e).__name__
        if not looks:
            return _NONE
        unread = {"front_matter": body.rstrip("\n")}
        title = _TITLE.search(body)
        return FrontMatter(unread if title is None else {"title": title[1], **unread}, lines, reason)
    if not isinstance(plain, dict):
        return _NONE
    return FrontMatter(plain, lines, "")


def _yaml(body: str) -> Any:
    import yaml  # 40 ms, needed by files with front matter only

    class Loader(yaml.SafeLoader):
        """YAML 1.2's idea of plain values: `no` is a word, 2026-01-31 stays as it is written."""

    Loader.yaml_implicit_resolvers = {}
    for kind, pattern, first in _PLAIN:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(rf"^(?:{pattern})$"), first)
    try:
        return yaml.load(body, Loader)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        where = f" in line {mark.line + 2}" if mark is not None else ""
        raise ValueError(f"{getattr(e, 'problem', None) or 'not valid YAML'}{where}") from None
    except (TypeError, AttributeError, KeyError) as e:  # explicit tags on values that do not fit them
        raise ValueError(f"not valid YAML: {e}") from None


def _toml(body: str) -> Any:
    import tomllib

    return tomllib.loads(body)


def _plain(value: Any) -> Any:
    """JSON values. Raises ValueError when there are too many or they lie too deep."""
    left = [_MAX_VALUES]

    def convert(value: Any, depth: int) -> Any:
        left[0] -= 1
        if left[0] < 0 or depth > _MAX_DEPTH:
            raise ValueError("too many or too deeply nested values")
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, dict):
            return {_key(key): convert(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set):
            return [convert(item, depth + 1) for item in value]
        if hasattr(value, "isoformat"):
            return value.isoformat()
        return value.decode("latin-1") if isinstance(value, bytes) else str(value)

    return convert(value, 0)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    return "null" if key is None else str(key).lower() if isinstance(key, bool) else str(key)
