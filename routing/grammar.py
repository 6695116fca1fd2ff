"""The grammar of rules and hints: text → syntax tree with places, and back.

    rule-list = [ rule ] { ( ";" | "," ) [ rule ] }        separators count outside parentheses only
    rule      = pattern ":" directive                       the first ":" counts
    directive = engine [ params ] [ "-" options ]
    hint      = directive | "-" options                     what stands in `name.[hint].ext`
    options   = { "i" | "t" | "e" | "!" | chunker [ params ] }      one distinct chunker; blanks and "-" are skipped
    chunker   = "F" | "R" | "V" | "P" | "C"
    params    = "(" param { "," param } ")"
    param     = name "=" value | name                       the bare form is for booleans
    value     = characters other than , ( ) ]

Nothing here knows engines or parameters. All places are offsets into the whole text. The parsers never raise: they
return what they understood and a list of mistakes. Every function is linear in its input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lrdoc.mistakes import Mistake
from lrdoc.params import clip

FLAGS = "ite!"
CHUNKERS = "FRVPC"
LETTERS = FLAGS + CHUNKERS
_LETTER_SET = frozenset(LETTERS)
_SKIPPED = frozenset(" \t\r\n\f\v-")
_BAD_RUN = re.compile(r"[^iteFRVPC!()\s-]+")
_NAME = re.compile(r"[^\W\d]\w*")
_PARENS_AND_SEPARATORS = re.compile(r"[();,]")


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter as written."""

    key: str
    value: str | None
    """None: the bare form."""
    at: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """Parameters in parentheses behind a chunker."""

    letter: str
    params: tuple[Param, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Directive:
    """What stands right of the colon of a rule, or inside the brackets of a hint."""

    engine: str = ""
    """Lower case; "" in a hint that names options only."""
    engine_params: tuple[Param, ...] | None = None
    """None: no parentheses."""
    options: str = ""
    """Option letters as written, in order, without blanks and hyphens."""
    blocks: tuple[Block, ...] = ()
    """At most one when the directive is right."""
    at: int = field(default=0, compare=False)
    engine_at: int = field(default=0, compare=False)
    engine_end: int = field(default=0, compare=False)
    params_at: int = field(default=0, compare=False)
    options_at: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def chunker(self) -> str:
        """The chunker's letter, "" when none is named."""
        return next((c for c in self.options if c in CHUNKERS), "")


@dataclass(frozen=True, slots=True)
class RuleSyntax:
    """One rule as written."""

    pattern: str
    """Lower case glob over the suffix."""
    directive: Directive
    number: int = field(default=1, compare=False)
    """Position in the list from 1; blank items count."""
    text: str = field(default="", compare=False)
    at: int = field(default=0, compare=False)
    pattern_at: int = field(default=0, compare=False)
    pattern_end: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    broken: bool = field(default=False, compare=False)
    """It has mistakes: what could be understood is here so that the rest can be checked; never apply it."""


class _Reader:
    """The text, its matching parentheses and the mistakes found so far."""

    def __init__(self, text: str, start: int, end: int, within: str) -> None:
        self.text = text
        self.within = within
        self.mistakes: list[Mistake] = []
        self.number: int | None = None
        self.closing: dict[int, int] = {}
        stack: list[int] = []
        for found in _PARENS_AND_SEPARATORS.finditer(text, start, end):
            if found[0] == "(":
                stack.append(found.start())
            elif found[0] == ")" and stack:
                self.closing[stack.pop()] = found.start()

    def mistake(self, kind: str, message: str, at: int, end: int, hint: str = "") -> None:
        self.mistakes.append(Mistake(kind, message, at + 1, max(1, end - at), hint, self.within, self.number))

    def close_of(self, at: int, end: int) -> int | None:
        """Where the parenthesis at `at` closes; None, with a mistake, when it does not before `end`."""
        close = self.closing.get(at)
        if close is not None and close < end:
            return close
        self.mistake("unbalanced_paren", "this '(' is never closed", at, at + 1, "add ')'")
        return None

    def skip_blank(self, at: int, end: int) -> int:
        while at < end and self.text[at].isspace():
            at += 1
        return at

    def trim(self, at: int, end: int) -> tuple[int, int]:
        at = self.skip_blank(at, end)
        while end > at and self.text[end - 1].isspace():
            end -= 1
        return at, end


def parse_rules(text: str, within: str = "LIGHTRAG_PARSER") -> tuple[list[RuleSyntax], list[Mistake]]:
    """All rules of a list (those with mistakes are marked broken), and all mistakes."""
    reader = _Reader(text, 0, len(text), within)
    rules: list[RuleSyntax] = []
    for number, (start, end) in enumerate(_split_rules(reader), 1):
        at, stop = reader.trim(start, end)
        if at == stop:
            continue
        reader.number = number
        rule = _parse_rule(reader, at, stop, number)
        if rule is not None:
            rules.append(rule)
    return rules, reader.mistakes


def parse_hint(
    text: str, start: int = 0, end: int | None = None, within: str = "name"
) -> tuple[Directive, list[Mistake]]:
    """The directive in `text[start:end]`, which stood in brackets."""
    end = len(text) if end is None else end
    reader = _Reader(text, start, end, within)
    directive = _parse_directive(reader, start, end)
    if not directive.options and directive.options_at and not reader.mistakes:
        reader.mistake(
            "empty_options",
            "no options after '-'",
            directive.options_at - 1,
            max(directive.options_at, end),
            f"leave out the '-' or add options: {' '.join(LETTERS)}",
        )
    return directive, reader.mistakes


def parse_options(
    text: str, start: int = 0, end: int | None = None, within: str = "--options"
) -> tuple[Directive, list[Mistake]]:
    """The options in `text[start:end]`, without a leading hyphen (one is allowed)."""
    end = len(text) if end is None else end
    reader = _Reader(text, start, end, within)
    options, blocks = _parse_options(reader, start, end)
    return Directive(options=options, blocks=blocks, at=start, options_at=start, end=end), reader.mistakes


def parse_engine(
    text: str, start: int = 0, end: int | None = None, within: str = "--engine"
) -> tuple[Directive, list[Mistake]]:
    """`engine` or `engine(params)`: what --engine takes and what is stored as parse_engine."""
    end = len(text) if end is None else end
    reader = _Reader(text, start, end, within)
    directive = _parse_directive(reader, start, end)
    if directive.options_at:
        at = directive.options_at - 1
        hint = "give options with --options" if within == "--engine" else "options are stored beside the engine"
        reader.mistake("unexpected_options", "only an engine and its parameters may stand here", at, end, hint)
    return directive, reader.mistakes


def format_rules(rules: list[RuleSyntax]) -> str:
    """Text that `parse_rules` turns into equal rules."""
    return ";".join(f"{rule.pattern}:{format_directive(rule.directive)}" for rule in rules)


def format_directive(directive: Directive) -> str:
    """Text that the parsers turn into an equal directive."""
    text = directive.engine
    if directive.engine_params is not None:
        text += format_params(directive.engine_params)
    if directive.options or not text:
        blocks = {block.letter: format_params(block.params) for block in directive.blocks}
        text += "-" + "".join(letter + blocks.pop(letter, "") for letter in directive.options)
    return text


def format_params(params: tuple[Param, ...]) -> str:
    """`(key=value,flag)`."""
    return "(" + ",".join(p.key if p.value is None else f"{p.key}={p.value}" for p in params) + ")"


def _split_rules(reader: _Reader) -> list[tuple[int, int]]:
    """Items between separators outside parentheses.

    A parenthesis that is never closed would swallow all rules after it; behind it ";" separates again, and "," does
    where the next item has a colon, so that their mistakes are reported too.
    """
    text = reader.text
    items: list[tuple[int, int]] = []
    start, inside_until, unclosed = 0, -1, False
    for found in _PARENS_AND_SEPARATORS.finditer(text):
        at, char = found.start(), found[0]
        if at < inside_until:
            continue
        if char == "(":
            if at in reader.closing:
                inside_until = reader.closing[at]
            else:
                unclosed = True
        elif char == ";" or (char == "," and not (unclosed and not _has_colon(text, at + 1))):
            items.append((start, at))
            start, unclosed = at + 1, False
    items.append((start, len(text)))
    return items


def _has_colon(text: str, at: int) -> bool:
    found = _PARENS_AND_SEPARATORS.search(text, at)
    return text.find(":", at, found.start() if found else len(text)) >= 0


def _parse_rule(reader: _Reader, at: int, end: int, number: int) -> RuleSyntax | None:
    """rule = pattern ":" directive"""
    text = reader.text
    before = len(reader.mistakes)
    colon = text.find(":", at, end)
    if colon < 0:
        reader.mistake("missing_colon", "expected 'suffix:engine', found no ':'", at, end, "write e.g. pdf:legacy")
        return None
    pattern_at, pattern_end = reader.trim(at, colon)
    pattern = text[pattern_at:pattern_end].lower()
    if not pattern:
        reader.mistake("empty_pattern", "expected a file suffix before ':'", colon, colon + 1, "write * for any suffix")
    elif "." in pattern:
        dot = text.find(".", pattern_at, pattern_end)
        bare = pattern.rpartition(".")[2]
        hint = f"write {bare}: rules match the suffix without its dot" if bare else "write the suffix without its dot"
        reader.mistake("dot_in_pattern", "a suffix is written without '.'", dot, dot + 1, hint)
    directive = _parse_directive(reader, colon + 1, end)
    found = {mistake.kind for mistake in reader.mistakes[before:]}
    if not directive.engine and "misplaced_params" not in found:
        place = directive.engine_at
        alone = directive.options_at and not found
        hint = "a rule names its engine: pdf:legacy-R" if alone else "write e.g. pdf:legacy-R"
        reader.mistake("empty_engine", "expected an engine after ':'", place, place + 1, hint)
    broken = len(reader.mistakes) > before
    return RuleSyntax(pattern, directive, number, text[at:end], at, pattern_at, pattern_end, end, broken)


def _parse_directive(reader: _Reader, at: int, end: int) -> Directive:
    """directive = [ engine [ params ] ] [ "-" options ]"""
    text = reader.text
    at = reader.skip_blank(at, end)
    stop = at
    while stop < end and text[stop] not in "-(":
        stop += 1
    engine_at, engine_end = reader.trim(at, stop)
    engine = text[engine_at:engine_end].lower()
    params: tuple[Param, ...] | None = None
    params_at = 0
    if stop < end and text[stop] == "(":
        close = _close_behind_engine(reader, engine, stop, end)
        if close is None:
            return Directive(engine, at=at, engine_at=engine_at, engine_end=engine_end, end=end)
        params_at = stop
        params = _parse_engine_params(reader, stop + 1, close)
        stop = reader.skip_blank(close + 1, end)
    options_at = _find_options(reader, stop, end)
    options, blocks = _parse_options(reader, options_at, end) if options_at else ("", ())
    return Directive(engine, params, options, blocks, at, engine_at, engine_end, params_at, options_at, end)


def _close_behind_engine(reader: _Reader, engine: str, at: int, end: int) -> int | None:
    """Where the parenthesis at `at` closes; None, with a mistake, when it cannot hold parameters of an engine."""
    if engine:
        return reader.close_of(at, end)
    after = reader.closing.get(at, end - 1) + 1
    message = "parameters stand behind an engine or a chunker, not before"
    reader.mistake("misplaced_params", message, at, after, "write engine(name=value)")
    return None


def _parse_engine_params(reader: _Reader, at: int, end: int) -> tuple[Param, ...] | None:
    """None when there are mistakes alone; () when there is nothing."""
    if reader.skip_blank(at, end) == end:
        return ()
    return _parse_params(reader, at, end) or None


def _find_options(reader: _Reader, at: int, end: int) -> int:
    """Place behind the "-" before the options; 0, with a mistake, when something else stands there, or when nothing."""
    if at == end:
        return 0
    if reader.text[at] == "-":
        return at + 1
    if reader.text[at] == "(":
        after = min(reader.closing.get(at, end - 1) + 1, end)
        hint = "put all parameters into the first: engine(a=1,b=2)"
        reader.mistake("misplaced_params", "an engine has one pair of parentheses", at, after, hint)
    else:
        message = f"expected '-' before options, found {clip(reader.text[at:end])}"
        reader.mistake("missing_hyphen", message, at, end, "write engine(…)-options")
    return 0


def _parse_options(reader: _Reader, at: int, end: int) -> tuple[str, tuple[Block, ...]]:
    """options = { letter | chunker [ params ] }"""
    text = reader.text
    letters: list[str] = []
    blocks: dict[str, Block] = {}
    chunkers: dict[str, int] = {}
    last = ""
    while at < end:
        char = text[at]
        if char in _LETTER_SET:
            letters.append(char)
            if char in CHUNKERS:
                chunkers.setdefault(char, at)
            last = char
            at += 1
        elif char in _SKIPPED or char.isspace():
            last = "" if char == "-" else last
            at += 1
        elif char == "(":
            close = reader.close_of(at, end)
            if close is None:
                _report_bare_params(reader, at + 1, end)
                break
            _parse_block(reader, last, at, close, blocks)
            last, at = "", close + 1
        elif char == ")":
            reader.mistake("bad_option_char", "this ')' closes nothing", at, at + 1, "add '(' or remove it")
            at += 1
        else:
            last, at = "", _skip_bad_letters(reader, at, end)
    if len(chunkers) > 1:
        second = list(chunkers.values())[1]
        message = f"at most one chunker, found {' and '.join(chunkers)}"
        reader.mistake("multiple_chunkers", message, second, second + 1, "keep one")
    return "".join(letters), tuple(blocks.values())


def _parse_block(reader: _Reader, letter: str, at: int, close: int, blocks: dict[str, Block]) -> None:
    """Parameters in parentheses behind the option `letter`, "" when they stand behind none."""
    if letter in blocks:
        hint = f"write them in one pair of parentheses: {letter}(a=1,b=2)"
        reader.mistake("duplicate_param_block", f"{letter} has parameters already", at, close + 1, hint)
    elif letter and letter in CHUNKERS:
        blocks[letter] = Block(letter, _parse_params(reader, at + 1, close), at)
    else:
        what = f"{letter!r} takes no parameters" if letter else "parameters stand right behind their chunker"
        hint = "chunk parameters follow F, R, V, P or C: R(chunk_ts=800); those of an engine its name"
        reader.mistake("misplaced_params", what, at, close + 1, hint)


def _report_bare_params(reader: _Reader, at: int, end: int) -> None:
    """Say what stands behind a parenthesis that is never closed, as far as it cannot be options."""
    bad = _BAD_RUN.search(reader.text, at, end)
    if bad is not None:
        message = f"without ')' {clip(bad[0])} is read as options and is none"
        reader.mistake("bad_option_char", message, bad.start(), bad.end(), "close the parenthesis")


def _skip_bad_letters(reader: _Reader, at: int, end: int) -> int:
    """Report a run of characters that are no options; the place behind it."""
    run = _BAD_RUN.match(reader.text, at, end)
    stop = run.end() if run else at + 1
    bad = reader.text[at:stop]
    message = f"{clip(bad)} {'is no option' if len(bad) == 1 else 'are no options'}"
    reader.mistake("bad_option_char", message, at, stop, _option_hint(bad))
    return stop


def _option_hint(text: str) -> str:
    swapped = [c.swapcase() for c in text if c.swapcase() in _LETTER_SET]
    if swapped and len(swapped) == len(text) <= 6:
        return f"did you mean {''.join(swapped)}? i, t, e are lower case, F, R, V, P, C upper case"
    return f"possible: {' '.join(LETTERS)}"


def _parse_params(reader: _Reader, at: int, end: int) -> tuple[Param, ...]:
    """params = "(" param { "," param } ")", of which `text[at:end]` is the inside"""
    text = reader.text
    params: list[Param] = []
    start, depth = at, 0
    stops: list[int] = []
    for found in _PARENS_AND_SEPARATORS.finditer(text, at, end):
        if found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth -= 1
        elif found[0] == "," and depth == 0:
            stops.append(found.start())
    for stop in (*stops, end):
        item_at, item_end = reader.trim(start, stop)
        if item_at == item_end:
            where = min(stop, end)
            reader.mistake("empty_param", "expected a parameter", where, where + 1, "write name=value or leave it out")
        else:
            param = _parse_param(reader, item_at, item_end)
            if param is not None:
                params.append(param)
        start = stop + 1
    return tuple(params)


def _parse_param(reader: _Reader, at: int, end: int) -> Param | None:
    """param = name "=" value | name"""
    text = reader.text
    bad = next((i for i in range(at, end) if text[i] in "()]"), None)
    if bad is not None:
        reader.mistake("bad_value_char", "a value cannot hold any of , ( ) ]", bad, bad + 1, "leave it out")
        return None
    equals = text.find("=", at, end)
    if equals < 0:
        return Param(text[at:end], None, at, end)
    key_at, key_end = reader.trim(at, equals)
    value_at, value_end = reader.trim(equals + 1, end)
    if key_at == key_end:
        reader.mistake("empty_param", "expected a name before '='", equals, equals + 1, "write name=value")
        return None
    if value_at == value_end:
        key = text[key_at:key_end]
        reader.mistake("empty_value", f"{clip(key)} has no value after '='", equals, equals + 1, "add a value")
        return None
    return Param(text[key_at:key_end], text[value_at:value_end], at, end)


def is_name(text: str) -> bool:
    """Whether a bare parameter could be meant as a name (else it is a stray value)."""
    return _NAME.fullmatch(text) is not None
