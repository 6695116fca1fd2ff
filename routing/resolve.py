"""One file name → engine, options and parameters.

    explicit (--engine, --options) over hint over first usable rule over the engine's default suffixes over legacy

A rule is usable when its engine takes the suffix and, for external engines, the endpoint is configured. Options come
whole from the highest place that gives any; chunk parameters are laid over one another per chunker and key; engine
parameters belong to the engine that was chosen, those of others are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lrdoc.capabilities import Capabilities, EngineInfo
from lrdoc.mistakes import Mistake
from lrdoc.routing.chunk_options import ChunkConfig, ChunkOptions, ChunkSettings, build_chunk_config, snapshot
from lrdoc.routing.engines import endpoint_missing, place_of_engine, unknown_engine, without_effect
from lrdoc.routing.grammar import CHUNKERS, Directive, parse_engine, parse_options
from lrdoc.routing.names import SplitName, split_name
from lrdoc.routing.params import check_chunk_params, check_engine_params
from lrdoc.routing.persist import chunker_of, encode_engine, stored_options
from lrdoc.routing.rules import Rule, RuleSet, read_rules
from lrdoc.suggest import one_of

FALLBACK = "legacy"


@dataclass(frozen=True, slots=True)
class Layer:
    """What one place says: a rule, the name's hint, or the caller."""

    where: str
    """For explanations: "rule 2 of LIGHTRAG_PARSER", "hint in the name", "--engine"."""
    within: str
    engine: EngineInfo | None = None
    """None: this place names no engine."""
    engine_params: Mapping[str, Any] = field(default_factory=dict)
    options: str = ""
    chunk_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    directive: Directive = field(default_factory=Directive)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A rule that did not decide, and why."""

    number: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """What the rules say about a suffix."""

    rule: Rule | None
    passed_over: tuple[PassedOver, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to a file. With errors, the rest is what would happen without the part in error."""

    split: SplitName
    engine: EngineInfo | None
    """None: nobody takes it and there is no fallback engine."""
    engine_name: str
    engine_params: Mapping[str, Any]
    """Canonical names and values as stored; defaults of the engine are not among them."""
    process_options: str
    """What was asked, "" for the defaults."""
    chunk_params: Mapping[str, Mapping[str, Any]]
    """Chunker's letter → parameters given by rule, hint and caller."""
    supported: bool
    """The engine takes files of this suffix."""
    layers: tuple[Layer, ...]
    """Places that had a say, lowest first."""
    choice: RuleChoice
    why: str
    """Where the engine comes from."""
    errors: tuple[Mistake, ...] = ()
    warnings: tuple[Mistake, ...] = ()
    dropped: tuple[str, ...] = ()
    """Sentences about parameters that lost."""

    @property
    def name(self) -> str:
        return self.split.name

    @property
    def canonical(self) -> str:
        return self.split.canonical

    @property
    def suffix(self) -> str:
        return self.split.suffix

    @property
    def parse_engine(self) -> str:
        """Stored form with parameters: "mineru(page_range=1-3)"."""
        return encode_engine(self.engine, self.engine_params) if self.engine else self.engine_name

    @property
    def stored_process_options(self) -> str:
        """What an upload stores; "F" when nothing was asked."""
        return stored_options(self.process_options)

    @property
    def chunker(self) -> str:
        """Letter of the chunker, F by default."""
        return chunker_of(self.process_options)

    @property
    def explicit_chunker(self) -> bool:
        return any(c in CHUNKERS for c in self.process_options)

    @property
    def images(self) -> bool:
        return "i" in self.process_options

    @property
    def tables(self) -> bool:
        return "t" in self.process_options

    @property
    def equations(self) -> bool:
        return "e" in self.process_options

    @property
    def skip_kg(self) -> bool:
        return "!" in self.process_options


class Router:
    """Rules and capabilities, ready to decide about many names. Cheap per name: rules are looked at once a suffix."""

    def __init__(
        self,
        capabilities: Capabilities,
        rules: RuleSet | None = None,
        *,
        engine: str = "",
        options: str | None = None,
        default_label: str = "",
        chunks: ChunkConfig | None = None,
    ) -> None:
        """`engine` and `options` are the caller's explicit wish (--engine, --options).

        `default_label` says where the rules come from when that is no variable; `chunks` are the chunk parameters of
        this environment, None: the defaults.
        """
        self.capabilities = capabilities
        self.rules = rules if rules is not None else RuleSet()
        self.label = default_label or self.rules.within
        self._names = frozenset((*capabilities.engines, *capabilities.broken))
        self.chunks = chunks if chunks is not None else build_chunk_config(ChunkSettings())
        self._choices: dict[str, RuleChoice] = {}
        self._layers: dict[int, Layer] = {}
        self.errors: list[Mistake] = []
        """Mistakes of `engine` and `options`; they concern every name."""
        self.texts = {self.rules.within: self.rules.text, "--engine": engine, "--options": options or ""}
        self._explicit = self._read_explicit(engine, options)

    def resolve(self, name: str) -> Decision:
        """Decide about one file. Never raises: what is wrong with the name is in `errors`."""
        split = split_name(name, self._names)
        errors = list(split.mistakes)
        warnings: list[Mistake] = []
        choice = self._choose(split.suffix)
        layers: list[Layer] = []
        if choice.rule is not None:
            layers.append(self._rule_layer(choice.rule))
        hint = None
        if split.directive is not None and not split.mistakes:
            hint = self._read_hint(split, errors, warnings)
            if hint is not None:
                layers.append(hint)
        layers += self._explicit
        engine, engine_name, why = self._choose_engine(split.suffix, layers)
        supported = engine is not None and split.suffix in engine.suffixes
        params, dropped = self._engine_params(split.suffix, engine, layers, warnings)
        options = ""
        chunk_params: dict[str, Mapping[str, Any]] = {}
        for layer in layers:
            if layer.options:
                options = layer.options
            for letter, values in layer.chunk_params.items():
                chunk_params[letter] = {**chunk_params.get(letter, {}), **values}
        if engine is not None and options:
            warnings += self._ineffective(options, engine, layers)
        if not supported:
            self._refuse(split, engine_name, engine, errors, warnings)
        return Decision(
            split,
            engine,
            engine_name,
            params,
            options,
            chunk_params,
            supported,
            tuple(layers),
            choice,
            why,
            (*errors, *self.errors),
            tuple(warnings),
            tuple(dropped),
        )

    def chunk_options(self, decision: Decision) -> ChunkOptions:
        """The slim snapshot of chunk parameters for a file."""
        options = snapshot(self.chunks, decision.process_options, decision.chunk_params)
        if not options.warnings:
            return options
        placed = tuple(_place_in_layers(warning, decision) for warning in options.warnings)
        return replace(options, warnings=placed)

    def _choose(self, suffix: str) -> RuleChoice:
        """First usable rule for a suffix, with the reasons why others were passed over."""
        choice = self._choices.get(suffix)
        if choice is None:
            passed: list[PassedOver] = []
            chosen: Rule | None = None
            for rule in self.rules.rules:
                reason = _unusable(rule, suffix)
                if not reason and chosen is None:
                    chosen = rule
                elif not reason and chosen is not None:
                    passed.append(PassedOver(rule.number, rule.text, f"rule {chosen.number} came first"))
                elif reason:
                    passed.append(PassedOver(rule.number, rule.text, reason))
            passed += [PassedOver(item.number, item.text, "it has a mistake") for item in self.rules.broken]
            passed.sort(key=lambda rule: rule.number)
            choice = RuleChoice(chosen, tuple(passed))
            if len(self._choices) < 4096:
                self._choices[suffix] = choice
        return choice

    def _rule_layer(self, rule: Rule) -> Layer:
        layer = self._layers.get(rule.number)
        if layer is None:
            layer = self._layers[rule.number] = Layer(
                f"rule {rule.number} of {self.label}",
                self.rules.within,
                rule.engine,
                rule.engine_params,
                rule.directive.options,
                rule.chunk_params,
                rule.directive,
            )
        return layer

    def _read_hint(self, split: SplitName, errors: list[Mistake], warnings: list[Mistake]) -> Layer | None:
        directive = split.directive
        assert directive is not None
        engine = self.capabilities.engines.get(directive.engine)
        if engine is None and directive.engine:
            errors.append(unknown_engine(directive, self.capabilities, "name"))
            return None
        layer, mistakes = self._read_layer("hint in the name", "name", directive, engine)
        errors += mistakes
        if mistakes:
            return None
        if engine is None or self._explicit_engine() is not None:
            return layer
        if split.suffix not in engine.suffixes:
            message = f"{engine.name} takes no .{split.suffix}, so the engine is chosen by the rules"
            takers = self.capabilities.takers(split.suffix)
            hint = f".{split.suffix} is taken by {one_of(takers)}" if takers else f"no engine takes .{split.suffix}"
            warnings.append(Mistake("hint_engine_unusable", message, *place_of_engine(directive), hint))
            return replace(layer, engine=None, engine_params={})
        if not engine.configured:
            errors.append(endpoint_missing(directive, engine, "name"))
            return None
        return layer

    def _read_explicit(self, engine_text: str, options_text: str | None) -> list[Layer]:
        layers: list[Layer] = []
        if engine_text:
            directive, mistakes = parse_engine(engine_text)
            engine = self.capabilities.engines.get(directive.engine)
            if engine is None:
                mistakes.append(unknown_engine(directive, self.capabilities, "--engine"))
            layer, more = self._read_layer("--engine", "--engine", directive, engine)
            mistakes += more
            if engine is not None and not engine.configured:
                mistakes.append(endpoint_missing(directive, engine, "--engine"))
            self.errors += mistakes
            if not mistakes:
                layers.append(layer)
        if options_text is not None:
            directive, mistakes = parse_options(options_text)
            layer, more = self._read_layer("--options", "--options", directive, None)
            self.errors += [*mistakes, *more]
            if not mistakes and not more:
                layers.append(layer)
        return layers

    def _explicit_engine(self) -> EngineInfo | None:
        return next((layer.engine for layer in self._explicit if layer.engine is not None), None)

    def _read_layer(
        self, where: str, within: str, directive: Directive, engine: EngineInfo | None
    ) -> tuple[Layer, list[Mistake]]:
        mistakes: list[Mistake] = []
        params: dict[str, Any] = {}
        if engine is not None:
            params, mistakes = check_engine_params(directive, engine, within)
        chunk_params: dict[str, Mapping[str, Any]] = {}
        for block in directive.blocks:
            chunk_params[block.letter], found = check_chunk_params(block, self.capabilities, within)
            mistakes += found
        return Layer(where, within, engine, params, directive.options, chunk_params, directive), mistakes

    def _choose_engine(self, suffix: str, layers: list[Layer]) -> tuple[EngineInfo | None, str, str]:
        for layer in reversed(layers):
            if layer.engine is not None:
                return layer.engine, layer.engine.name, layer.where
        for engine in self.capabilities.engines.values():
            if suffix in engine.default_for and engine.configured and suffix in engine.suffixes:
                return engine, engine.name, f".{suffix} goes to {engine.name} by default"
        return self.capabilities.engines.get(FALLBACK), FALLBACK, "fallback when no rule applies"

    def _engine_params(
        self, suffix: str, engine: EngineInfo | None, layers: list[Layer], warnings: list[Mistake]
    ) -> tuple[dict[str, Any], list[str]]:
        if engine is None:
            return {}, []
        params: dict[str, Any] = dict(engine.env_params.get(suffix, {}))
        dropped: list[str] = []
        for layer in layers:
            if layer.engine is engine:
                params.update(layer.engine_params)
            elif layer.engine is not None and layer.engine_params:
                names = one_of(layer.engine_params)
                dropped.append(f"{names} of {layer.where} dropped: {layer.engine.name} was not chosen")
        if params:
            for spec in engine.params:
                if spec.name in params and spec.only_for and suffix not in spec.only_for:
                    warnings.append(_param_without_effect(spec.name, suffix, engine, layers))
        return params, dropped

    def _ineffective(self, options: str, engine: EngineInfo, layers: list[Layer]) -> list[Mistake]:
        lost = without_effect(options, engine)
        if not lost:
            return []
        layer = next(layer for layer in reversed(layers) if layer.options)
        verb = "has" if len(lost) == 1 else "have"
        message = f"{' '.join(lost)} {verb} no effect on {engine.name}, which makes plain text ({layer.where})"
        hint = "P cuts like R there" if "P" in lost else "choose an engine that makes tables and pictures, e.g. native"
        return [Mistake("option_without_effect", message, layer.directive.options_at + 1, 1, hint, layer.within)]

    def _refuse(
        self,
        split: SplitName,
        engine_name: str,
        engine: EngineInfo | None,
        errors: list[Mistake],
        warnings: list[Mistake],
    ) -> None:
        """Say why the file cannot be parsed and which rule would help."""
        suffix = split.suffix
        message = f"{engine_name} takes no .{suffix}" if suffix else f"{engine_name} takes no files without suffix"
        takers = self.capabilities.takers(suffix)
        usable = [name for name in takers if self.capabilities.engines[name].configured]
        if usable:
            hint = f"add the rule {suffix}:{usable[0]} to LIGHTRAG_PARSER, or name the file x.[{usable[0]}].{suffix}"
        elif takers:
            first = self.capabilities.engines[takers[0]]
            hint = f"set {first.requirement} and add the rule {suffix}:{first.name} to LIGHTRAG_PARSER"
        else:
            extendable = [e for e in self.capabilities.engines.values() if e.more_suffixes_env]
            hint = "no engine takes it"
            if suffix.isascii() and suffix.isalnum() and extendable:
                first = extendable[0]
                hint += f"; if your {first.name} does, set {first.more_suffixes_env}={suffix}"
                hint += f" and add the rule {suffix}:{first.name} to LIGHTRAG_PARSER"
        if self.capabilities.broken:
            hint += f"; plug-ins that did not load: {one_of(sorted(self.capabilities.broken))} (see `lrdoc engines`)"
        at = len(split.name.rstrip("/")) - len(suffix) + 1
        mistake = Mistake("suffix_not_supported", message, at, max(1, len(suffix)), hint)
        if self._explicit_engine() is engine and engine is not None:
            # Asked for by name: no fallback, no doubt.
            errors.append(mistake)
        else:
            warnings.append(mistake)


def resolve(
    name: str,
    rules: RuleSet | str,
    capabilities: Capabilities,
    *,
    engine: str = "",
    options: str | None = None,
) -> Decision:
    """Decide about one name; for many names make a Router once."""
    if isinstance(rules, str):
        rules = read_rules(rules, capabilities)
    return Router(capabilities, rules, engine=engine, options=options).resolve(name)


def _unusable(rule: Rule, suffix: str) -> str:
    if not rule.matches(suffix):
        return f"{rule.pattern} does not match .{suffix}" if suffix else f"{rule.pattern} matches no missing suffix"
    if suffix not in rule.engine.suffixes:
        return f"{rule.engine.name} takes no .{suffix}" if suffix else f"{rule.engine.name} takes no bare names"
    if not rule.engine.configured:
        return f"{rule.engine.name} is not configured: set {rule.engine.requirement}"
    return ""


def _place_in_layers(mistake: Mistake, decision: Decision) -> Mistake:
    """Point at the parameters of the chunker in the highest place that gives any."""
    for layer in reversed(decision.layers):
        for block in layer.directive.blocks:
            if block.letter == decision.chunker and block.params:
                first, last = block.params[0], block.params[-1]
                return replace(mistake, within=layer.within, column=first.at + 1, width=max(1, last.end - first.at))
    return mistake


def _param_without_effect(name: str, suffix: str, engine: EngineInfo, layers: list[Layer]) -> Mistake:
    layer = next((x for x in reversed(layers) if x.engine is engine and name in x.engine_params), None)
    at, end, within = 1, 2, "name"
    if layer is not None:
        within = layer.within
        param = next((p for p in layer.directive.engine_params or () if p.key == name), None)
        at, end = (param.at + 1, param.end + 1) if param is not None else (layer.directive.params_at + 1, 0)
    where = layer.where if layer is not None else "the environment"
    message = f"{name} ({where}) has no effect on .{suffix}"
    return Mistake("param_without_effect", message, at, max(1, end - at), "leave it out", within)
