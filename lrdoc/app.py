"""Composition: the one place that knows settings, engines, routing and the flow, and joins them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from lrdoc import flow
from lrdoc.configuration import Choices, Configuration, tell
from lrdoc.document import ParseWarning
from lrdoc.errors import EmptyDocumentError, EngineError, UnsupportedFormatError, UsageError
from lrdoc.mistakes import Mistake
from lrdoc.params import fill

UNSUPPORTED = "suffix_not_supported"
"""Kind of the mistake when an engine does not take a file."""


class App:
    """Parses files under one configuration."""

    def __init__(self, configuration: Configuration) -> None:
        self.settings = configuration.settings
        self.registry = configuration.registry
        self.router = configuration.router

    @classmethod
    def load(cls, choices: Choices) -> App:
        """Read settings and rules. Raises ConfigurationError with all mistakes, UsageError for engine and options."""
        return cls(Configuration.load(choices).require())

    def takes(self, name: str) -> bool:
        """Whether the engine that the name routes to takes its suffix."""
        return self.router.resolve(name).supported

    def canonical_name(self, name: str) -> str:
        return self.router.resolve(name).canonical

    def plan(self, name: str) -> flow.Plan:
        """What happens to a file of this name. Raises UsageError or UnsupportedFormatError."""
        decision = self.router.resolve(name)
        if decision.canonical.endswith(".blocks.jsonl"):
            raise UnsupportedFormatError(
                f"{name} is a document that was parsed already", hint=f"Cut it into chunks with: lrdoc chunk {name}"
            )
        refusal = next((m for m in (*decision.errors, *decision.warnings) if m.kind == UNSUPPORTED), None)
        if refusal is not None and not decision.supported:
            hint = refusal.hint[:1].upper() + refusal.hint[1:]
            raise UnsupportedFormatError(f"{name}: {refusal.message}", hint=hint)
        if decision.errors or decision.engine is None:
            raise UsageError(tell(decision.errors, {**self.router.texts, "name": name}))
        chunk_options = self.router.chunk_options(decision)
        return flow.Plan(
            canonical_name=decision.canonical,
            engine=decision.engine_name,
            parse_engine=decision.parse_engine,
            process_options=decision.process_options,
            chunk_options=chunk_options.values,
            engine_params=fill(decision.engine.params, decision.engine_params),
            warnings=tuple(to_warning(mistake) for mistake in (*decision.warnings, *chunk_options.warnings)),
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
            if others:
                told = f"Other engines that take such files: {', '.join(others)} (--engine {others[0]})"
                e.hint = f"{e.hint.rstrip('.')}. {told}" if e.hint else told
            raise

    def other_engines(self, name: str, engine: str) -> list[str]:
        """Engines that take files with this suffix and can be used now, but for `engine`."""
        capabilities = self.router.capabilities
        suffix = self.router.resolve(name).suffix
        return [e for e in capabilities.takers(suffix) if e != engine and capabilities.engines[e].configured]


def to_warning(mistake: Mistake) -> ParseWarning:
    """What routing has to say about a file, as a warning of its parse."""
    return ParseWarning(mistake.kind, "; ".join(text for text in (mistake.message, mistake.hint) if text))
