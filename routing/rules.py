"""LIGHTRAG_PARSER: from text to rules that can be applied, and everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lrdoc.capabilities import Capabilities, EngineInfo
from lrdoc.errors import RoutingSyntaxError
from lrdoc.mistakes import Mistake, show
from lrdoc.params import clip
from lrdoc.routing import glob
from lrdoc.routing.engines import endpoint_missing, unknown_engine, without_effect
from lrdoc.routing.grammar import Directive, RuleSyntax, parse_rules
from lrdoc.routing.params import check_chunk_params, check_engine_params
from lrdoc.suggest import one_of

_IN_LETTERS = frozenset({"bad_option_char", "multiple_chunkers"})
"""Mistakes with which a rule still says what its engine is."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that can be applied: without mistakes but, at most, in its option letters."""

    number: int
    text: str
    pattern: str
    matches: Callable[[str], bool]
    engine: EngineInfo
    directive: Directive
    engine_params: Mapping[str, Any]
    chunk_params: Mapping[str, Mapping[str, Any]]
    """Chunker's letter → its parameters."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """All rules of one text."""

    text: str = ""
    within: str = "LIGHTRAG_PARSER"
    rules: tuple[Rule, ...] = ()
    """Those that can be applied, in order. One whose only mistakes are in its option letters is among them, with the
    letters that are right, so that a decision can be shown beside the errors."""
    broken: tuple[RuleSyntax, ...] = ()
    """Those with mistakes; they are passed over."""
    errors: tuple[Mistake, ...] = ()
    warnings: tuple[Mistake, ...] = ()

    def report(self) -> str:
        """All errors, each with its caret."""
        return "\n".join(show(mistake, self.text) for mistake in self.errors)

    def require(self) -> RuleSet:
        """These rules, or RoutingSyntaxError with all their mistakes."""
        if self.errors:
            head = "a mistake" if len(self.errors) == 1 else f"{len(self.errors)} mistakes"
            raise RoutingSyntaxError(f"{self.within} has {head}:\n{self.report()}")
        return self


def read_rules(text: str, capabilities: Capabilities, within: str = "LIGHTRAG_PARSER") -> RuleSet:
    """Parse and check a list of rules. Never raises: all mistakes of all rules are in the result."""
    syntax, mistakes = parse_rules(text, within)
    errors = list(mistakes)
    warnings: list[Mistake] = []
    rules: list[Rule] = []
    broken: list[RuleSyntax] = []
    served: set[str] = set()
    kinds: dict[int | None, set[str]] = {}
    for mistake in mistakes:
        kinds.setdefault(mistake.number, set()).add(mistake.kind)
    for item in syntax:
        rule, found = _check_rule(item, capabilities, within)
        errors += found
        if rule is None or found or not kinds.get(item.number, _IN_LETTERS) <= _IN_LETTERS:
            broken.append(item)
            continue
        rules.append(rule)
        if item.broken:
            continue
        warnings += _warn(rule, item, within, served)
    errors.sort(key=lambda mistake: mistake.column)
    return RuleSet(text, within, tuple(rules), tuple(broken), tuple(errors), tuple(warnings))


def _check_rule(item: RuleSyntax, capabilities: Capabilities, within: str) -> tuple[Rule | None, list[Mistake]]:
    directive = item.directive
    if not directive.engine:
        return None, []
    mistakes: list[Mistake] = []
    chunk_params: dict[str, Mapping[str, Any]] = {}
    for block in directive.blocks:
        chunk_params[block.letter], found = check_chunk_params(block, capabilities, within, item.number)
        mistakes += found
    engine = capabilities.engines.get(directive.engine)
    if engine is None:
        return None, [unknown_engine(directive, capabilities, within, item.number), *mistakes]
    engine_params, found = check_engine_params(directive, engine, within, item.number)
    mistakes += found
    if item.pattern and "." not in item.pattern:
        mistakes += _check_pattern(item, engine, capabilities, within)
    matches = glob.compile_glob(item.pattern)
    rule = Rule(item.number, item.text, item.pattern, matches, engine, directive, engine_params, chunk_params)
    return rule, mistakes


def _check_pattern(item: RuleSyntax, engine: EngineInfo, capabilities: Capabilities, within: str) -> list[Mistake]:
    at, width = item.pattern_at + 1, max(1, item.pattern_end - item.pattern_at)
    if len(item.pattern) > glob.LONGEST:
        message = f"a suffix pattern has at most {glob.LONGEST} characters"
        return [Mistake("pattern_too_long", message, at, width, "write a short suffix or *", within, item.number)]
    matches = glob.compile_glob(item.pattern)
    if not any(map(matches, engine.suffixes)):
        wild = glob.is_wild(item.pattern)
        what = (
            f"no suffix of {engine.name} matches {item.pattern!r}"
            if wild
            else f"{engine.name} takes no .{item.pattern}"
        )
        hint = f"{engine.name} takes {one_of(sorted(engine.suffixes), 60)}"
        if not wild:
            takers = capabilities.takers(item.pattern)
            if takers:
                hint = f".{item.pattern} is taken by {one_of(takers)}"
            elif engine.more_suffixes_env:
                hint = f"if your service takes it, set {engine.more_suffixes_env}={item.pattern}; {hint}"
        return [Mistake("suffix_not_supported", what, at, width, hint, within, item.number)]
    if not engine.configured and not glob.is_wild(item.pattern):
        return [endpoint_missing(item.directive, engine, within, item.number)]
    return []


def _warn(rule: Rule, item: RuleSyntax, within: str, served: set[str]) -> list[Mistake]:
    """Warnings about a rule without mistakes; `served` are the suffixes that rules before it take."""
    engine = rule.engine
    if not engine.configured:
        mistake = endpoint_missing(item.directive, engine, within, item.number)
        return [replace(mistake, hint=f"{mistake.hint}, else this rule is passed over")]
    warnings: list[Mistake] = []
    fresh = {suffix for suffix in engine.suffixes - served if rule.matches(suffix)}
    if not fresh:
        at, width = item.pattern_at + 1, max(1, item.pattern_end - item.pattern_at)
        message = f"no file reaches {clip(item.text)}: rules before it take all its suffixes"
        hint = "move it to the front or remove it"
        warnings.append(Mistake("unreachable_rule", message, at, width, hint, within, item.number))
    served |= fresh
    warnings += _ineffective_options(rule, within)
    return warnings


def _ineffective_options(rule: Rule, within: str) -> list[Mistake]:
    lost = without_effect(rule.directive.options, rule.engine)
    if not lost:
        return []
    message = f"{' '.join(lost)} {'has' if len(lost) == 1 else 'have'} no effect on {rule.engine.name}"
    hint = f"{rule.engine.name} makes plain text" + ("; P cuts like R there" if "P" in lost else "")
    return [Mistake("option_without_effect", message, rule.directive.options_at + 1, 1, hint, within, rule.number)]
