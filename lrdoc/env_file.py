"""The .env file: lines NAME=value that stand in for variables of the environment."""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Mapping
from pathlib import Path

from lrdoc.errors import SettingsError

MAX_BYTES = 1 << 20
"""A larger file is none of ours."""


@dataclasses.dataclass(frozen=True, slots=True)
class EnvFile:
    """A .env file: name → (value, line number)."""

    path: Path
    values: Mapping[str, tuple[str, int]]
    mistakes: tuple[str, ...] = ()


def find_env_file(path: Path | None = None) -> EnvFile | None:
    """Read the file that was named, which must exist, or else .env of the current folder if there is one."""
    chosen = path if path is not None else Path(".env")
    try:
        with chosen.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        if path is None:
            return None
        raise SettingsError(f"The settings file {path} does not exist") from None
    except OSError as e:
        if path is None and chosen.is_dir():
            return None
        raise SettingsError(f"The settings file {chosen} cannot be read: {e.strerror or e}") from e
    if len(data) > MAX_BYTES:
        raise SettingsError(f"The settings file {chosen} is larger than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise SettingsError(f"The settings file {chosen} is not UTF-8: {e.reason} at byte {e.start}") from e
    return parse_env_file(text, chosen)


_NAME = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*")
_QUOTED = {
    "'": re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL),
    '"': re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL),
}
_ESCAPES = {
    "'": re.compile(r"\\([\\'])"),
    '"': re.compile(r"\\([\\'\"abfnrtv])"),
}
_CONTROL = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LINE = re.compile(r"[^\n]*")
_COMMENT = re.compile(r"[ \t]+#.*")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?=\n|\Z)")


def parse_env_file(text: str, path: Path) -> EnvFile:
    """Read the lines of a .env file, in the form that other tools write.

    line  = ["export"] NAME "=" value
    value = bare text up to " #" | "text with \\n escapes, over several lines if need be" | 'text as it is'

    Nothing is substituted. A later line wins over an earlier one.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    values: dict[str, tuple[str, int]] = {}
    mistakes: list[str] = []
    at, line = 0, 1
    while at < len(text):
        end_of_line = _LINE.match(text, at)
        assert end_of_line is not None
        end, number = end_of_line.end(), line
        stripped = text[at:end].strip()
        name = _NAME.match(text, at, end)
        if name is not None:
            quoted = (
                _QUOTED[text[name.end()]].match(text, name.end()) if text[name.end() : end][:1] in _QUOTED else None
            )
            if quoted is not None and _REST.match(text, quoted.end()):
                escapes = _ESCAPES[quoted[0][0]]
                value = escapes.sub(lambda m: _CONTROL.get(m[1], m[1]), quoted[1])
                rest = _LINE.match(text, quoted.end())
                assert rest is not None
                end = rest.end()
            else:
                value = _COMMENT.sub("", text[name.end() : end]).strip()
                value = "" if value.startswith("#") else value
            values[name[1]] = (value, number)
        elif stripped and not stripped.startswith("#"):
            mistakes.append(f"{path} line {number}: expected NAME=value, found {stripped[:40]!r}")
        line += text.count("\n", at, end) + 1
        at = end + 1
    return EnvFile(path, types.MappingProxyType(values), tuple(mistakes))
