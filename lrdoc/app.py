"""Composition: the one place that knows settings, engines, routing and the flow, and joins them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lrdoc import flow
from lrdoc.chunkers.named import NamedChunkers
from lrdoc.errors import ConfigurationError, EmptyDocumentError, EngineError, UnsupportedFormatError, UsageError
from lrdoc.mistakes import Mistake, show
from lrdoc.params import fill
from lrdoc.parsers.registry import Registry, load_registry
from lrdoc.routing.chunk_options import ChunkConfig, ChunkSettings, build_chunk_config, snapshot
from lrdoc.routing.resolve import Router
from lrdoc.routing.rules import read_rules
from lrdoc.routing.settings import RoutingSettings
from lrdoc.settings import Settings, read_process

COMMAND_LINE_RULES = "*:native-teP;*:legacy-R"
"""Rules of the command line when nothing is configured."""
COMMAND_LINE_DEFAULT = "command-line default"
UNSUPPORTED = "suffix_not_supported"
"""Kind of the mistake when an engine does not take a file."""


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
class App:
    """Everything that is the same for all files of a run."""

    settings: Settings
    registry: Registry
    router: Router
    chunking: ChunkConfig

    @classmethod
    def load(cls, choices: Choices) -> App:
        """Read settings and rules. Raises ConfigurationError with all mistakes, UsageError for engine and options."""
        registry = load_registry()
        settings = read_process(choices.env_file, [cls for spec in registry.specs() for cls in spec.settings_classes()])
        environ = settings.environ
        capabilities = registry.capabilities(environ, NamedChunkers())
        text, within, label = find_rules(choices, settings.of(RoutingSettings).rules)
        rules = read_rules(text, capabilities, within)
        wrong = list(settings.mistakes)
        wrong += [tell([mistake], environ) for mistake in registry.check_environment(environ)]
        if rules.errors:
            wrong.append(tell(rules.errors, {within: rules.text}))
        if wrong:
            raise ConfigurationError("\n".join(("The configuration cannot be used:", *wrong)))
        router = Router(capabilities, rules, engine=choices.engine or "", options=choices.options, default_label=label)
        if router.errors:
            raise UsageError(tell(router.errors, router.texts))
        return cls(settings, registry, router, build_chunk_config(settings.of(ChunkSettings)))

    def takes(self, name: str) -> bool:
        """Whether the engine that the name routes to takes its suffix."""
        return self.router.resolve(name).supported

    def canonical_name(self, name: str) -> str:
        return self.router.resolve(name).canonical

    def plan(self, name: str) -> flow.Plan:
        """What happens to a file of this name. Raises UsageError or UnsupportedFormatError."""
        decision = self.router.resolve(name)
        refusal = next((m for m in (*decision.errors, *decision.warnings) if m.kind == UNSUPPORTED), None)
        if refusal is not None and not decision.supported:
            hint = refusal.hint[:1].upper() + refusal.hint[1:]
            raise UnsupportedFormatError(f"{name}: {refusal.message}", hint=hint)
        if decision.errors or decision.engine is None:
            raise UsageError(tell(decision.errors, {**self.router.texts, "name": name}))
        return flow.Plan(
            canonical_name=decision.canonical,
            engine=decision.engine_name,
            parse_engine=decision.parse_engine,
            process_options=decision.process_options,
            chunk_options=snapshot(self.chunking, decision.process_options, decision.chunk_params).values,
            engine_params=fill(decision.engine.params, decision.engine_params),
        )

    def parse(
        self,
        path: Path,
        parsed_dir: Path,
        *,
        doc_id: str = "",
        force_reparse: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[flow.Event], None] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> flow.ParsedFile:
        """Parse one file by its name's decision; what `flow.parse_file` raises, with the engines that could help."""
        plan = self.plan(path.name)
        spec = self.registry.spec(plan.engine)
        raw_dir = spec.raw_dir_suffix
        suffix = self.router.resolve(path.name).suffix
        try:
            return flow.parse_file(
                path,
                plan,
                self.registry.parser(plan.engine),
                parsed_dir,
                parse_time=flow.parse_time(self.settings.of(flow.FlowSettings), datetime.now(UTC)),
                doc_id=doc_id,
                settings=self.settings.named(spec.settings_class(suffix)),
                cache_dir=parsed_dir.parent / f"{plan.canonical_name}{raw_dir}" if raw_dir else None,
                force_reparse=force_reparse,
                cancelled=cancelled,
                progress=progress or flow.silent,
                labels=labels,
            )
        except (EngineError, EmptyDocumentError) as e:
            others = self.other_engines(path.name, plan.engine)
            if others and not e.hint:
                e.hint = f"Other engines that take such files: {', '.join(others)} (--engine {others[0]})"
            raise

    def other_engines(self, name: str, engine: str) -> list[str]:
        """Engines that take files with this suffix and can be used now, but for `engine`."""
        capabilities = self.router.capabilities
        suffix = self.router.resolve(name).suffix
        return [e for e in capabilities.takers(suffix) if e != engine and capabilities.engines[e].configured]


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
