"""What a CommonMark and GFM reader shows of a markdown file, read for counting, and its places: ranges of lines.

An engine may cut a line range finer or coarser than this reader does, so places are brought together first: ranges of
both sides that overlap are one place. Whether `$…$` is an equation, and whether `<T>` is a tag, is a matter of taste;
where only that differs, the letters and digits of the lines decide.
"""

from __future__ import annotations

import html
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote.index import footnote_def

from lrdoc.audit.base import Place, SourceReader, SourceText, Stretch, squeeze
from lrdoc.audit.html_text import html_text
from lrdoc.audit.written import Piece, Written
from lrdoc.errors import SourceError
from lrdoc.text.encodings import decode

_BODY = re.compile(r"(?:[^/]+\.textbundle/)?[^/]+\.(?:md|markdown)$", re.IGNORECASE)
_MATTER = {"---": re.compile(r"(?:---|\.\.\.)[ \t]*$"), "+++": re.compile(r"\+\+\+[ \t]*$")}
_NOTE_MARK = re.compile(r"\[\^[^\]\[\s]{1,999}\]:?")
_TASK = re.compile(r"\[[ xX]\]")
_MARKUP = str.maketrans(dict.fromkeys("$\\*_~`[](){}<>|#\"'=^&;:!/", ""))
_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]+\]:[^\n]+$", re.MULTILINE)
_LABEL = re.compile(r"(?:[\s>:`-]|\d{1,10}[.)]|\[[ x]\])*")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(slots=True)
class Segment:
    """A stretch of visible text; `optional` when it may as well stand in a field of an item, or nowhere."""

    text: str
    optional: bool = False
    alternative: bool = False
    """Alternative text of a picture: must be kept somewhere."""


@dataclass(slots=True)
class _Run:
    """Visible text of one range of lines, before the ranges are brought together."""

    first: int
    end: int
    kind: str
    container: int
    segments: list[Segment]


@dataclass(slots=True)
class MarkdownText(SourceText):
    """The runs and raw lines; the stretches are made when the output's own ranges are known."""

    part: str = ""
    lines: list[str] = field(default_factory=list)
    runs: list[_Run] = field(default_factory=list)

    def has_text(self) -> bool:
        return any(segment.text.strip() for run in self.runs for segment in run.segments)


def read_markdown(path: Path, params: Mapping[str, Any]) -> MarkdownText:
    part, data = _body_of(path)
    text = decode(data).text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "�")
    source = MarkdownText(part=part, lines=text.split("\n"), label=_LABEL)
    skipped = _front_matter(source)
    body = "\n".join(source.lines[skipped:])
    for run in _runs(body):
        run.first += skipped + 1
        run.end += skipped + 1
        source.runs.append(run)
    return source


def _body_of(path: Path) -> tuple[str, bytes]:
    """Name of the part ("" for a plain file) and its bytes."""
    try:
        if path.is_dir():
            names = [p.relative_to(path).as_posix() for p in (*path.iterdir(), *path.glob("*.textbundle/*"))]
            name = _only_body(names, path.name)
            return name, (path / name).read_bytes()
        if path.suffix.lower() == ".textpack":
            with zipfile.ZipFile(path) as archive:
                name = _only_body(archive.namelist(), path.name)
                return name, archive.read(name)
        return "", path.read_bytes()
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
        raise SourceError(f"cannot read {path.name}: {error}") from error


def _only_body(names: list[str], package: str) -> str:
    found = sorted(name for name in names if _BODY.fullmatch(name))
    inner = [name for name in found if "/" in name]
    if len(inner or found) != 1:
        raise SourceError(f"{package} holds {len(inner or found)} texts, not one")
    return (inner or found)[0]


def _front_matter(source: MarkdownText) -> int:
    """Lines of front matter; they are metadata and not shown."""
    lines = source.lines
    end = _MATTER.get(lines[0].rstrip(" \t")) if lines else None
    if end is None:
        return 0
    for number, line in enumerate(lines[1:2000], 1):
        if end.match(line):
            inside = "\n".join(lines[1:number])
            if not re.search(r"^[\w\"'][^\n]*[:=]", inside, re.MULTILINE):
                return 0
            source.exclude("front_matter", inside)
            return number + 1
    return 0


# Reading ------------------------------------------------------------------------------------------------------------


def _grammar() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": True, "maxNesting": 40})
    md.enable(["table", "strikethrough"])
    md.normalizeLink = lambda url: url  # type: ignore[method-assign]
    md.validateLink = lambda url: True  # type: ignore[method-assign]
    md.block.ruler.at("html_block", _closed_html, {"alt": ["paragraph", "reference", "blockquote"]})
    md.block.ruler.before("reference", "footnote_def", footnote_def, {"alt": ["paragraph", "reference"]})
    deflist_plugin(md)
    return md


_CLOSINGS = {"<!--": "-->", "<?": "?>", "<![cdata[": "]]>"} | {
    f"<{name}": f"</{name}>" for name in ("script", "pre", "style", "textarea")
}


def _closed_html(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """A comment or the like that nothing closes is text: it does not hide the rest of the document."""
    start = state.bMarks[startLine] + state.tShift[startLine]
    if not state.src.startswith("<", start):
        return False
    head = state.src[start : start + 12].lower()
    for opening, closing in _CLOSINGS.items():
        if head.startswith(opening):
            last: dict[str, int] = state.env.setdefault("last_closing", {})
            if closing not in last:
                last[closing] = state.src.lower().rfind(closing)
            if last[closing] < start:
                return False
    return html_block(state, startLine, endLine, silent)


def _runs(text: str) -> Iterator[_Run]:
    """Leaves of the document in order. Lines count from 0."""
    lines: list[list[int]] = []  # ranges of the open blocks that know theirs
    container = containers = 1
    note_level: int | None = None
    in_table = False
    for token in _grammar().parse(text):
        if token.nesting >= 0 and token.map:
            del lines[token.level :]
            while len(lines) < token.level:
                lines.append(lines[-1] if lines else token.map)
            lines.append(token.map)
        here = token.map or (lines[-1] if lines else [0, 1])
        if token.type == "footnote_reference_open":
            containers += 1
            container, note_level = containers, token.level
        elif token.type == "footnote_reference_close" and token.level == note_level:
            container, note_level = 1, None
            continue
        elif token.type in ("table_open", "table_close"):
            in_table = token.nesting > 0
        kind = "note" if note_level is not None else "cell" if in_table else "text"
        segments: list[Segment] = []
        if token.type == "footnote_reference_open":
            segments = [Segment(f"[^{(token.meta or {}).get('label', '')}]:", optional=True)]
            here = [here[0], here[0] + 1]
        elif token.type == "inline":
            segments = list(_inline(token.children or ()))
        elif token.type in ("fence", "code_block"):
            kind = "code"
            segments = [Segment(token.info, optional=True)] if token.info else []
            segments.append(Segment(token.content))
        elif token.type == "html_block":
            kind = "html"
            segments = list(_html(token.content))
        # what is all tags may still be shown: whether `<T>` is a tag is a matter of taste
        if segments or (token.type in ("inline", "html_block") and token.content):
            yield _Run(here[0], max(here[1], here[0] + 1), kind, container, segments)


def _inline(tokens: Sequence[Token]) -> Iterator[Segment]:
    """Visible text of one inline token; what looks like a note mark or a task box may be taken for one."""
    pieces: list[str] = []
    for token in tokens:
        if token.type in ("text", "text_special", "code_inline"):
            pieces.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append("\n")
        elif token.type == "image":
            yield from _split("".join(pieces))
            pieces = []
            alternative = _alternative(token.children or ())
            if alternative.strip():
                yield Segment(alternative, optional=True, alternative=True)
        elif token.type == "html_inline":
            if re.match(r"<img[\s/>]", token.content, re.IGNORECASE):
                yield from _split("".join(pieces))
                pieces = []
                yield from _pictures(token.content)
            elif token.content.startswith("<!["):
                pieces.append(token.content[9:-3])
            elif not re.match(r"<(?:[A-Za-z/!?])", token.content):
                pieces.append(token.content)
    yield from _split("".join(pieces))


def _split(text: str) -> Iterator[Segment]:
    done = 0
    for match in re.finditer(rf"{_NOTE_MARK.pattern}|{_TASK.pattern}", text):
        if match.start() > done:
            yield Segment(text[done : match.start()])
        yield Segment(match[0], optional=True)
        done = match.end()
    if done < len(text):
        yield Segment(text[done:])


def _alternative(tokens: Sequence[Token]) -> str:
    words: list[str] = []
    stack = [iter(tokens)]
    while stack:
        token = next(stack[-1], None)
        if token is None:
            stack.pop()
        elif token.type == "image":
            stack.append(iter(token.children or ()))
        elif token.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif token.type != "html_inline":
            words.append(token.content)
    return "".join(words)


def _html(content: str) -> Iterator[Segment]:
    content = _COMMENT.sub("", content)
    yield Segment(html_text(content.encode("utf-8", "replace"), "utf-8"))
    yield from _pictures(content)


def _pictures(content: str) -> Iterator[Segment]:
    for tag in re.finditer(r"<img(?=[\s/>])[^<>]*>", content, re.IGNORECASE):
        alternative = re.search(r"\salt\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", tag[0], re.IGNORECASE)
        if alternative:
            text = html.unescape(next((group for group in alternative.groups() if group), ""))
            if text.strip():
                yield Segment(text, optional=True, alternative=True)


# Bringing the places of both sides together -------------------------------------------------------------------------


def place_by_lines(entry: Mapping[str, Any]) -> Place:
    part = str(entry.get("part", ""))
    match entry.get("lines"):
        case [int(first), int(end)] if 0 < first < end:
            return part, f"{first}-{end}"
    return part, ""


def align(source: SourceText, written: Written) -> None:
    """Give both sides the same places, and decide which optional text is there."""
    assert isinstance(source, MarkdownText)
    own = {place: pieces for place, pieces in written.pieces.items() if place[0] == source.part and place[1]}
    ranges = [(run.first, run.end) for run in source.runs]
    ranges += [_range(place) for place in own]
    groups = _merge(ranges)
    runs: dict[tuple[int, int], list[_Run]] = {}
    for run in source.runs:
        runs.setdefault(groups[run.first, run.end], []).append(run)
    found: dict[tuple[int, int], list[Piece]] = {}
    for place, pieces in own.items():
        del written.pieces[place]
        found.setdefault(groups[_range(place)], []).extend(pieces)
    strings = Counter(squeeze(text) for text, _ in written.strings)
    for (first, end), members in sorted(runs.items()):
        pieces = sorted(found.get((first, end), []), key=lambda piece: piece.order)
        text = squeeze("".join(_flat(piece) for piece in pieces if not piece.copy))
        raw = "\n".join(source.lines[first - 1 : end - 1])
        segments = [segment for run in members for segment in run.segments]
        want = _agree(segments, text, raw, strings, moved="<table" in raw.lower())
        source.texts.extend(segment.text for segment in segments if segment.alternative)
        source.stretches.append(
            Stretch(source.part, _name(first, end), members[0].kind, want, container=members[0].container)
        )
    for (first, end), pieces in found.items():
        if (first, end) not in runs:
            # Nothing to be seen for this reader, such as a definition of a link that an engine leaves in the text.
            text = squeeze("".join(_flat(piece) for piece in pieces))
            raw = "\n".join(source.lines[first - 1 : end - 1])
            if _is_within(_letters(text), _letters(html.unescape(raw))):
                source.stretches.append(Stretch(source.part, _name(first, end), "text", text))
        for piece in pieces:
            piece.text, piece.formulas = _flat(piece), ()
        written.pieces.setdefault((source.part, _name(first, end)), []).extend(pieces)


def _flat(piece: Piece) -> str:
    """Text of a piece with its formulas spelled out."""
    text = piece.text
    for latex in piece.formulas:
        text = text.replace("\x00", latex, 1)
    return text


def _range(place: Place) -> tuple[int, int]:
    first, _, end = place[1].partition("-")
    return int(first), int(end)


def _name(first: int, end: int) -> str:
    return f"line {first}" if end <= first + 1 else f"lines {first}-{end - 1}"


def _merge(ranges: list[tuple[int, int]]) -> dict[tuple[int, int], tuple[int, int]]:
    """For every range the union of all that it overlaps with, directly or through others."""
    union: dict[tuple[int, int], tuple[int, int]] = {}
    members: list[tuple[int, int]] = []
    first = end = 0
    for one in sorted(set(ranges)):
        if members and one[0] >= end:
            union.update(dict.fromkeys(members, (first, end)))
            members = []
        if not members:
            first, end = one
        members.append(one)
        end = max(end, one[1])
    union.update(dict.fromkeys(members, (first, end)))
    return union


def _agree(segments: list[Segment], got: str, raw: str, strings: Counter[str], *, moved: bool) -> str:
    """The text that these lines have to show, given what they do show.

    Optional segments count where they stand. When nothing but markup differs, what is shown is right; else the
    letters and digits of the lines decide.
    """
    words: list[str] = []
    position = 0
    for segment in segments:
        text = squeeze(segment.text)
        if segment.optional and not got.startswith(text, position):
            if segment.alternative and strings[text] > 0:
                strings[text] -= 1
            elif segment.alternative and text not in got:
                words.append(text)
            continue
        words.append(text)
        position += len(text)
    want = "".join(words)
    if want == got or want.translate(_MARKUP) == got.translate(_MARKUP):
        return got
    wanted, shown, there = _letters(want), _letters(got), _letters(html.unescape(raw))
    for match in _DEFINITION.finditer(raw):
        # Whether a definition follows a formula or goes on a paragraph is a matter of taste as well.
        definition = _letters(match[0])
        if definition in wanted and definition not in shown:
            wanted = wanted.replace(definition, "", 1)
    if _is_within(wanted, shown) and _is_within(shown, there):
        return got
    # Tables inside tables come out after the table that holds them: the same letters in another order.
    if moved and not Counter(wanted) - Counter(shown) and not Counter(shown) - Counter(there):
        return got
    return want


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _is_within(part: str, whole: str) -> bool:
    """Whether the characters of `part` occur in `whole` in their order."""
    characters = iter(whole)
    return all(character in characters for character in part)


READER = SourceReader(read_markdown, place_by_lines, align)
