"""Rules, engines and settings as `route` and `rules` need them: with all their mistakes instead of an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lrdoc.configuration import Choices, Configuration
from lrdoc.errors import SettingsError
from lrdoc.mistakes import Mistake, show
from lrdoc.parsers.registry import Registry
from lrdoc.routing.resolve import Decision, Router
from lrdoc.settings import Settings


@dataclass(frozen=True, slots=True)
class Routes:
    """A router and everything that is wrong with its configuration."""

    settings: Settings
    registry: Registry
    router: Router
    errors: tuple[Mistake, ...]
    """Mistakes of rules and variables: exit code 3."""
    warnings: tuple[Mistake, ...]

    @classmethod
    def load(cls, choices: Choices) -> Routes:
        """Read settings, plug-ins and rules. Mistakes of rules and of engines' variables become data.

        Raises SettingsError when another variable cannot be used.
        """
        found = Configuration.load(choices, check_plugins=True)
        if others := found.other_mistakes():
            raise SettingsError("\n  ".join(("Settings cannot be used:", *others)))
        return cls(found.settings, found.registry, found.router, found.errors, found.warnings)

    def texts_of(self, decision: Decision | None = None) -> dict[str, str]:
        """The texts in which columns count, by what mistakes call them."""
        texts = dict(self.router.texts)
        if decision is not None:
            texts["name"] = decision.name
        return texts

    def report(self) -> list[str]:
        """Lines about the configuration: errors, then warnings."""
        lines = [*self.settings.warnings]
        lines += self._lines(self.errors, "error")
        lines += self._lines(self.router.errors, "error")
        lines += self._lines(self.warnings, "warning")
        return lines

    def _lines(self, mistakes: Iterable[Mistake], label: str) -> Iterator[str]:
        for mistake in mistakes:
            yield from lines_of(mistake, label, self.texts_of().get(mistake.within) or self._value(mistake.within))

    def _value(self, variable: str) -> str:
        return self.settings.environ.get(variable, "")


def lines_of(mistake: Mistake, label: str, text: str) -> list[str]:
    """A mistake for people: with its caret where the text is known."""
    if not text:
        return [f"{label}: {mistake.message}" + (f"; {mistake.hint}" if mistake.hint else "")]
    return f"{label} in {mistake.within}, {show(mistake, text)}".split("\n")
