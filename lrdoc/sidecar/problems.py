"""What a check reports."""

from __future__ import annotations

from typing import Any

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """Something that is wrong."""

    code: str
    """Stable identifier in lower_snake_case; docs/sidecar-format.md lists them."""
    message: str
    where: str
    """File and line, or item id; "" for the whole folder."""


class Missing(msgspec.Struct, frozen=True):
    """An optional fact that the folder does not tell."""

    code: str
    message: str
    count: int = 1
    """How many lines or items lack it."""


class Report:
    """Collects what is found."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._missing: dict[str, Missing] = {}

    def problem(self, code: str, message: str, where: str) -> None:
        self.problems.append(Problem(code, message, where))

    def lacks(self, code: str, message: str) -> None:
        known = self._missing.get(code)
        self._missing[code] = Missing(code, message, 1 if known is None else known.count + 1)

    def missing(self) -> list[Missing]:
        return list(self._missing.values())

    def schema(self, decoder: msgspec.json.Decoder[Any], data: bytes, where: str) -> None:
        """Report when the object is not as the schema says."""
        try:
            decoder.decode(data)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as e:
            self.problem("schema", str(e), where)
