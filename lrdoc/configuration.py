"""What holds for all files of a run: settings, engines, rules, and everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lrdoc.chunkers.named import NamedChunkers
from lrdoc.errors import ConfigurationError, UsageError
from lrdoc.mistakes import Mistake, show
from lrdoc.parsers.registry import Registry, load_registry
from lrdoc.routing.chunk_options import ChunkSettings, build_chunk_config
from lrdoc.routing.resolve import Router
from lrdoc.routing.rules import read_rules
from lrdoc.routing.settings import RoutingSettings
from lrdoc.settings import Settings, read_process

COMMAND_LINE_RULES = "*:native-teP;*:legacy-R"
"""Rules of the command line when nothing is configured."""
COMMAND_LINE_DEFAULT = "command-line default"


@dataclass(frozen=True, slots=True)
class Choices:
    """What the caller says beyond the environment."""

    engine: str | None = None
    """Engine with parameters for every file: "native(toc=body)"."""
    options: str | None = None
    """Processing options with parameters for every file: "teP(chunk_ts=800)"."""
    rules: str | None = None
    """Instead of LIGHTRAG_PARSER."""
    env_file: Path | None = None
    """Instead of ./.env."""
    default_rules: str = COMMAND_LINE_RULES
    """Used when neither rules nor an engine are given; "" for the public document's own defaults."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings, engines and rules. Mistakes are data here; `require` makes an error of them."""

    settings: Settings
    registry: Registry
    router: Router
    errors: tuple[Mistake, ...]
    """Mistakes of rules, engines' variables and chunk options; those of other variables are in `settings`."""
    warnings: tuple[Mistake, ...]

    @classmethod
    def load(cls, choices: Choices, *, check_plugins: bool = False) -> Configuration:
        """Read everything. `check_plugins`: look at the plug-ins' implementations now and not on first use."""
        registry = load_registry(check=check_plugins)
        settings = read_process(choices.env_file, [cls for spec in registry.specs() for cls in spec.settings_classes()])
        capabilities = registry.capabilities(settings.environ, NamedChunkers())
        text, within, label = find_rules(choices, settings.of(RoutingSettings).rules)
        rules = read_rules(text, capabilities, within)
        chunks = build_chunk_config(settings.of(ChunkSettings))
        router = Router(
            capabilities,
            rules,
            engine=choices.engine or "",
            options=choices.options,
            default_label=label,
            chunks=chunks,
        )
        errors = (*registry.check_environment(settings.environ), *rules.errors, *chunks.errors)
        return cls(settings, registry, router, errors, (*rules.warnings, *chunks.warnings))

    def other_mistakes(self) -> list[str]:
        """Mistakes of variables that are not in `errors`, where they have their place."""
        told = {mistake.within for mistake in self.errors}
        return [text for text in self.settings.mistakes if text.partition("=")[0] not in told]

    def require(self) -> Configuration:
        """This configuration. Raises ConfigurationError with all mistakes, or UsageError for engine and options."""
        wrong = self.other_mistakes()
        if self.errors:
            wrong.append(tell(self.errors, self.texts))
        if wrong:
            raise ConfigurationError("\n".join(("The configuration cannot be used:", *wrong)))
        if self.router.errors:
            raise UsageError(tell(self.router.errors, self.router.texts))
        return self

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts in which the columns of mistakes count: variables, rules, engine, options."""
        return {**self.settings.environ, **self.router.texts}


def tell(mistakes: Iterable[Mistake], texts: Mapping[str, str]) -> str:
    """All mistakes, each with the text that it stands in and its place there."""
    return "\n".join(f"{m.within}: {show(m, texts.get(m.within, ''))}" for m in mistakes)


def find_rules(choices: Choices, configured: str) -> tuple[str, str, str]:
    """Which rules hold: their text, what messages call them, and what explanations call them."""
    if choices.rules is not None:
        return choices.rules, "--rules", ""
    if configured or choices.engine is not None:
        return configured, "LIGHTRAG_PARSER", ""
    return choices.default_rules, COMMAND_LINE_DEFAULT, COMMAND_LINE_DEFAULT
