"""Rules, engines and settings as `route` and `rules` need them: with all their mistakes instead of an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lrdoc.configuration import Choices, Configuration
from lrdoc.errors import SettingsError
from lrdoc.mistakes import Mistake, show


def load_routes(choices: Choices) -> Configuration:
    """Read settings, plug-ins and rules. Mistakes of rules and of engines' variables stay data.

    Raises SettingsError when another variable cannot be used.
    """
    found = Configuration.load(choices, check_plugins=True)
    if others := found.other_mistakes():
        raise SettingsError("\n  ".join(("Settings cannot be used:", *others)))
    return found


def lines_of(mistakes: Iterable[Mistake], label: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Mistakes for people: each with its caret where the text that it stands in is known."""
    for mistake in mistakes:
        text = texts.get(mistake.within, "")
        if text:
            yield from f"{label} in {mistake.within}, {show(mistake, text)}".split("\n")
        else:
            yield f"{label}: {mistake.message}" + (f"; {mistake.hint}" if mistake.hint else "")
