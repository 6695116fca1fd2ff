"""The comparison of a source with what was written: in order, per part and paragraph."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from functools import cached_property

from lrdoc.audit.base import ANY, FORMULA, Picture, Place, SourceText, Stretch, squeeze
from lrdoc.audit.differences import Pool, by_number, difference, letters, matches, repeated, without_tags
from lrdoc.audit.latex import latex_letters, plain_letters
from lrdoc.audit.result import AuditResult, Characters, KindCount, Problem
from lrdoc.audit.written import Generated, Piece, Written
from lrdoc.sidecar.escape import unescape

_SHOWN = 60
_MAX_DIFF_WORK = 100_000_000
"""Product of two lengths, summed over all stretches, above which their differences are not looked for any more:
another document altogether is told in time as well."""
_MAX_LABEL = 80
_PAGE = re.compile(r" page \d+$")
_FLAT_LABEL = re.compile(r"\(?(?:\w{1,4}[.)])+")
_OWN_MARKS = re.compile(r"</?(?:sup|sub|cite|equation|drawing)(?: [^<>]*)?>|\[\^[^\]\s]*\]")


def excerpt(text: str) -> str:
    """Text for a message, not longer than a line."""
    text = " ".join(text.replace(FORMULA, "(formula)").replace(ANY, "(symbol)").split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def where(place: Place) -> str:
    return " ".join(word for word in place if word)


class Comparison:
    """One comparison; `result` gives its outcome."""

    def __init__(self, source: SourceText, written: Written) -> None:
        self.source = source
        self.written = written
        self.problems: list[Problem] = []
        self.total: Counter[str] = Counter()
        self.placed: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.reported = self.unaccounted = self.duplicated = 0
        self.excluded: Counter[str] = Counter(source.excluded)
        self.missing: list[tuple[Stretch, str]] = []
        self.surplus: list[tuple[Place, str, Piece]] = []
        self.diff_work = 0
        self.first: dict[Place, tuple[bool, tuple[int, ...]]] = {}

    def result(self) -> AuditResult:
        if self.written.raw:
            self._flatten()
        pieces = dict(self.written.pieces)
        bags: dict[str, list[Stretch]] = {}
        groups: dict[Place, list[Stretch]] = {}
        for stretch in self.source.stretches:
            if stretch.compare == "bag":
                bags.setdefault(stretch.part, []).append(stretch)
            else:
                groups.setdefault((stretch.part, stretch.path), []).append(stretch)
        if not pieces and self.source.has_text():
            return self._without_provenance()
        for part, stretches in bags.items():
            mine = {place: pieces.pop(place) for place in [place for place in pieces if place[0] == part]}
            self._bag(part, stretches, mine)
        for place, stretches in groups.items():
            first = stretches[0]
            for other in stretches[1:]:
                first.text += other.text
                first.formulas += other.formulas
            self._sequence(place, first, pieces.pop(place, []))
        for place, found in pieces.items():
            for piece in found:
                if not piece.copy:
                    self.surplus.append((place, squeeze(piece.text), piece))
        self._settle()
        self._formulas_without_source()
        if not self.written.raw:
            self._order()
            self._generated()
            self._items()
            self._pictures()
        return AuditResult(
            Characters(
                source=self.total.total(),
                placed=self.placed.total(),
                kept=self.kept.total(),
                reported=self.reported,
                excluded=sum(self.excluded.values()),
                unaccounted=self.unaccounted,
                duplicated=self.duplicated,
            ),
            dict(sorted(self.excluded.items())),
            {
                kind: KindCount(self.total[kind], self.placed[kind], self.kept[kind])
                for kind in sorted(self.total)
                if self.total[kind]
            },
            tuple(self.problems),
        )

    def _flatten(self) -> None:
        """Plain text has no cells and no pictures: a cell is one place, descriptions of pictures are text."""
        for stretch in self.source.stretches:
            stretch.path = _cell_of(stretch.path)
            stretch.text = stretch.text.replace("\ufeff", "")
        pieces: dict[Place, list[Piece]] = {}
        for (part, path), found in self.written.pieces.items():
            pieces.setdefault((part, _cell_of(path)), []).extend(found)
        self.written.pieces = pieces

    def _without_provenance(self) -> AuditResult:
        """A folder of another implementation: nothing says where its text is from."""
        sizes: Counter[str] = Counter()
        for stretch in self.source.stretches:
            if not stretch.optional:
                formulas = sum(len(squeeze("".join(runs))) for runs in stretch.formulas)
                sizes[stretch.kind] += len(squeeze(stretch.text).replace(FORMULA, "")) + formulas
        total = sizes.total()
        message = "the folder does not say where its text came from (no provenance), so nothing can be compared"
        return AuditResult(
            Characters(source=total, excluded=sum(self.excluded.values()), unaccounted=total),
            dict(sorted(self.excluded.items())),
            {kind: KindCount(size) for kind, size in sorted(sizes.items())},
            (Problem("no_provenance", message),),
        )

    def _problem(self, code: str, message: str, where: str) -> None:
        self.problems.append(Problem(code, message, where))

    # -- paragraphs ---------------------------------------------------------------------------------------------

    def _sequence(self, place: Place, stretch: Stretch, pieces: list[Piece]) -> None:
        """One paragraph against all that claims to be from it."""
        want = squeeze(stretch.text)
        if len(pieces) > 1:
            pieces = sorted(pieces, key=lambda piece: piece.order)
        copies = [piece for piece in pieces if piece.copy]
        pieces = [piece for piece in pieces if not piece.copy] or copies
        got = squeeze("".join(piece.text for piece in pieces))
        if not want and not got:
            return
        size = len(want) - want.count(FORMULA)
        if not pieces and stretch.optional:
            self.excluded[stretch.kind] += size + sum(len(squeeze("".join(runs))) for runs in stretch.formulas)
            return
        self.total[stretch.kind] += size
        kept = bool(pieces) and all(piece.kept for piece in pieces)
        if pieces:
            self.first[place] = kept, pieces[0].order
        if want == got or (ANY in want and matches(want, got)):
            self._credit(stretch.kind, size, kept)
            self._formulas(stretch, pieces, kept)
            return
        if self.written.raw and stretch.formulas and pieces and self._spelled(stretch, pieces, size, kept):
            return
        if not pieces:
            self.missing.append((stretch, want))
            self._formulas(stretch, [], kept)
            return
        missing, extra = difference(want, got, exact=self.diff_work < _MAX_DIFF_WORK)
        self.diff_work += len(want) * len(got)
        if want.count(FORMULA) == got.count(FORMULA) and not "".join((*missing, *extra)).replace(FORMULA, ""):
            self._problem("order", "a formula stands at another place of the paragraph", where(place))
        lost = sum(len(piece) - piece.count(FORMULA) for piece in missing)
        self._credit(stretch.kind, size - lost, kept)
        for text in missing:
            self.missing.append((_with_text(stretch, text), text))
        for text in extra:
            if text.strip(FORMULA):
                self.surplus.append((place, text, pieces[0]))
        self._formulas(stretch, pieces, kept)

    def _spelled(self, stretch: Stretch, pieces: list[Piece], size: int, kept: bool) -> bool:
        """Plain text writes its formulas among the words: then all letters and digits of a place count together."""
        want = stretch.text
        for runs in stretch.formulas:
            want = want.replace(FORMULA, "".join(runs), 1)
        if Counter(plain_letters(want)) != Counter(latex_letters("".join(piece.text for piece in pieces))):
            return False
        formulas = sum(len(squeeze("".join(runs))) for runs in stretch.formulas)
        self.total["formula"] += formulas
        self._credit("formula", formulas, kept)
        self._credit(stretch.kind, size, kept)
        return True

    def _credit(self, kind: str, size: int, kept: bool) -> None:
        (self.kept if kept else self.placed)[kind] += size

    # -- charts and other parts without paragraphs --------------------------------------------------------------

    def _bag(self, part: str, stretches: list[Stretch], pieces: dict[Place, list[Piece]]) -> None:
        """The strings of a part against the strings that claim to be from it, wherever they stand."""
        have: Counter[str] = Counter()
        examples: dict[str, tuple[Place, Piece]] = {}
        for place, found in pieces.items():
            for piece in found:
                if not piece.copy:
                    text = squeeze(piece.text)
                    have[text] += 1
                    examples.setdefault(text, (place, piece))
        need: Counter[str] = Counter()
        most: Counter[str] = Counter()
        for stretch in stretches:
            text = squeeze(stretch.text)
            most[text] += 1
            if stretch.repeatable:
                need[text] = max(need[text], 1)
            else:
                need[text] += 1
        kept = bool(pieces) and all(piece.kept for found in pieces.values() for piece in found)
        for text in [text for text in have if text not in need]:
            once, times = repeated(text, need)
            if times:
                have[once] += have.pop(text) * times
                examples.setdefault(once, examples[text])
        numbers = by_number(have, need)
        kind = stretches[0].kind
        for text, count in need.items():
            size = len(text)
            self.total[kind] += size * count
            found_count = have.pop(text, 0)
            if found_count < count and (other := numbers.get(text)) is not None:
                found_count += have.pop(other, 0)
            self._credit(kind, size * min(count, found_count), kept)
            for _ in range(count - found_count):
                self.missing.append((Stretch(part, "", kind, text), text))
            if found_count > most[text]:
                place, piece = examples.get(text, ((part, ""), next(iter(pieces.values()))[0]))
                for _ in range(found_count - most[text]):
                    self.surplus.append((place, text, piece))
        for text, count in have.items():
            place, piece = examples[text]
            for _ in range(count):
                self.surplus.append((place, text, piece))

    # -- formulas -----------------------------------------------------------------------------------------------

    def _formulas(self, stretch: Stretch, pieces: list[Piece], kept: bool) -> None:
        """Every letter and digit, formula by formula."""
        written = [latex for piece in pieces for latex in piece.formulas]
        for index, runs in enumerate(stretch.formulas):
            letters = [plain_letters(run) for run in runs]
            want = "".join(letters)
            # What is counted are all characters of the formula; what is compared are its letters and digits.
            size = len(squeeze("".join(runs)))
            self.total["formula"] += size
            if index >= len(written):
                self._lose(stretch, squeeze("".join(runs)), f"formula {index + 1}")
                continue
            got = latex_letters(written[index])
            if want == got:
                self._credit("formula", size, kept)
                continue
            lost = Counter(want) - Counter(got)
            gained = Counter(got) - Counter(want)
            if gained.total() <= sum(run.count(ANY) for run in runs):
                gained.clear()
            broken = next((run for run in letters if run not in got), "") if not lost and not gained else ""
            missing = "".join(lost.elements()) or broken
            self._credit("formula", size - min(size, len(missing)), kept)
            if missing:
                self._lose(stretch, missing, f"formula {index + 1}, written as {excerpt(written[index])!r}")
            if gained:
                self._problem(
                    "changed",
                    f"formula {index + 1} is written as {excerpt(written[index])!r}; the source does not hold"
                    f" {''.join(gained.elements())!r}",
                    where((stretch.part, stretch.path)),
                )
        # One of signs alone, such as empty brackets, is none that could be counted.
        for latex in filter(latex_letters, written[len(stretch.formulas) :]):
            self._problem(
                "invented", f"a formula that the source does not hold: {excerpt(latex)!r}",
                where((stretch.part, stretch.path)),
            )  # fmt: skip

    def _lose(self, stretch: Stretch, text: str, what: str) -> None:
        place = (stretch.part, stretch.path)
        if self._is_reported(place):
            self.reported += len(text)
            return
        self.unaccounted += len(text)
        self._problem("missing", f"{what}: not in the output: {excerpt(text)!r}", where(place))

    def _formulas_without_source(self) -> None:
        """Formulas that claim a place which the source does not have."""
        known = {(stretch.part, stretch.path) for stretch in self.source.stretches}
        for place, pieces in self.written.pieces.items():
            if place in known:
                continue
            for piece in pieces:
                for latex in filter(latex_letters, piece.formulas):
                    self._problem(
                        "invented", f"a formula that the source does not hold: {excerpt(latex)!r}", piece.where
                    )

    # -- what is left over --------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Bring together what is missing here and left over there, then say what remains."""
        spare: dict[str, list[tuple[Place, Piece]]] = {}
        for place, text, piece in self.surplus:
            spare.setdefault(text, []).append((place, piece))
        strings = Pool(text for text, _ in self.written.strings)
        for stretch, text in self.missing:
            place = (stretch.part, stretch.path)
            size = len(text) - text.count(FORMULA)
            found = spare.get(text)
            if found:
                elsewhere, piece = found.pop()
                self._credit(stretch.kind, size, piece.kept)
                self._problem("misplaced", f"{excerpt(text)!r} claims to be from {where(elsewhere)}", where(place))
            elif not size:
                continue
            elif strings.take(text):
                self.kept[stretch.kind] += size
            elif self._is_reported(place):
                self.reported += size
            else:
                self.unaccounted += size
                self._problem("missing", f"not in the output: {excerpt(stretch.text)!r}", where(place))
        shown = {squeeze(stretch.text) for stretch in self.source.stretches}
        texts = {(stretch.part, stretch.path): squeeze(stretch.text) for stretch in self.source.stretches}
        for text, found in spare.items():
            for place, piece in found:
                plain = text.replace(FORMULA, "")
                if not plain or (self.written.raw and self._is_ours(plain)):
                    continue
                if text in shown or (len(text) > 1 and text in texts.get(place, "")):
                    self.duplicated += len(plain)
                    self._problem("duplicated", f"more often than in {where(place)}: {excerpt(text)!r}", piece.where)
                else:
                    self._problem("invented", f"not in {where(place)}: {excerpt(text)!r}", piece.where)

    @cached_property
    def _descriptions(self) -> str:
        return letters(" ".join(self.source.texts))

    def _is_ours(self, text: str) -> bool:
        """In plain text: the description of a picture or the label of a list inside a cell."""
        return letters(text) in self._descriptions or _FLAT_LABEL.fullmatch(text) is not None

    @cached_property
    def _warned(self) -> frozenset[str]:
        """Places that warnings of the parse name, without the page that they tell for the reader."""
        return frozenset(
            _PAGE.sub("", str(warning.get("where", "")))
            for warning in self.written.warnings
            if str(warning.get("code", "")) not in NOT_LOSSES
        )

    def _is_reported(self, place: Place) -> bool:
        """Whether a warning names the place, or the part when it stands for all of it."""
        named = self._warned
        return bool(named) and any(name and name in named for name in (where(place), place[0]))

    # -- order --------------------------------------------------------------------------------------------------

    def _order(self) -> None:
        """Stretches of one container come out in the order of the source, body and regions each for themselves."""
        last: dict[tuple[int, bool], tuple[tuple[int, ...], Stretch]] = {}
        for stretch in self.source.stretches:
            found = self.first.get((stretch.part, stretch.path))
            if found is None or stretch.compare == "bag":
                continue
            kept, order = found
            late = False
            for container in (stretch.container, stretch.outer):
                before = last.get((container, kept)) if container else None
                if before is not None and order < before[0]:
                    if not late:
                        self._problem(
                            "order",
                            f"{excerpt(stretch.text)!r} stands before {excerpt(before[1].text)!r} of"
                            f" {where((before[1].part, before[1].path))}",
                            where((stretch.part, stretch.path)),
                        )
                    late = True
                elif container:
                    last[container, kept] = order, stretch

    # -- what claims no source ----------------------------------------------------------------------------------

    def _generated(self) -> None:
        """Labels before numbered paragraphs and a little punctuation are ours; all else needs a source."""
        numbered = {(s.part, s.path) for s in self.source.stretches if s.numbered}
        for found in self.written.generated:
            text = squeeze(found.text)
            if not text or not any(character.isalnum() for character in text):
                continue
            if found.line_start and self._is_label(found, text, numbered):
                continue
            self._problem("unclaimed", f"text without a source: {excerpt(found.text)!r}", found.where)

    def _is_label(self, found: Generated, text: str, numbered: set[Place]) -> bool:
        if self.source.label is not None:
            return self.source.label.fullmatch(found.text) is not None
        return len(text) <= _MAX_LABEL and (found.before is None or found.before in numbered)

    # -- items --------------------------------------------------------------------------------------------------

    def _items(self) -> None:
        """Item files and tags say the same, and captions and footnotes are words of the source."""
        texts = {squeeze(text) for text in self.source.texts}
        texts.update(squeeze(stretch.text) for stretch in self.source.stretches)
        everything = ""
        for id_, item in self.written.items.items():
            tag = self.written.tags.get(id_)
            if tag is None:
                self._problem("item_without_tag", "the content does not show this item", id_)
                continue
            content = item.get("content")
            if isinstance(content, str) and not _same_body(content, tag):
                self._problem("changed", f"the item's content differs from its tag: {excerpt(content)!r}", id_)
            notes = item.get("footnotes")
            for text in (item.get("caption"), *(notes if isinstance(notes, list) else ())):
                if not isinstance(text, str) or not text.strip() or squeeze(text) in texts:
                    continue
                # What we put in (brackets of readings, labels of lists) is no letter.
                everything = everything or self._all_letters()
                if letters(text) not in everything and letters(without_tags(text)) not in everything:
                    self._problem("changed", f"caption or footnote not in the source: {excerpt(text)!r}", id_)
        for id_ in self.written.tags:
            if id_ and id_ not in self.written.items:
                self._problem("tag_without_item", "no item file holds this item", id_)

    def _all_letters(self) -> str:
        """Letters of the source, and those of the output with labels and formulas as captions repeat them."""
        shown = ("".join(map(unescape, _OWN_MARKS.split(text))) for text in self.written.texts)
        return letters("".join([*(stretch.text for stretch in self.source.stretches), *shown]))

    # -- pictures -----------------------------------------------------------------------------------------------

    def _pictures(self) -> None:
        """Bytes of pictures: each of the source is stored, and nothing is stored that is not of the source."""
        digests: dict[str, str] = {}
        for name, path in self.written.assets.items():
            with path.open("rb") as stream:
                digests[name] = hashlib.file_digest(stream, "sha256").hexdigest()
        stored = set(digests.values())
        missing: set[str] = set()
        for picture in self.source.pictures:
            if picture.required and picture.sha256 not in stored and picture.sha256 not in missing:
                missing.add(picture.sha256)
                if not self._picture_reported(picture):
                    self._problem(
                        "missing_asset", f"{picture.name} is not among the assets", f"{picture.part} {picture.path}"
                    )
        made = _made_assets(self.written)
        known = {picture.sha256 for picture in self.source.pictures}
        for name, digest in digests.items():
            if digest in known:
                continue
            if not self.source.holds(digest) and name not in made:
                self._problem("changed_asset", "these bytes are not in the source", name)

    def _picture_reported(self, picture: Picture) -> bool:
        return (
            self._is_reported((picture.part, picture.path))
            or self._is_reported((picture.name, ""))
            or any(picture.name in str(warning.get("message", "")) for warning in self.written.warnings)
        )


NOT_LOSSES = frozenset({"missing_paraid"})
"""Codes of warnings that say something else than that text was left out."""


def _with_text(stretch: Stretch, text: str) -> Stretch:
    return Stretch(stretch.part, stretch.path, stretch.kind, text, container=stretch.container)


def _cell_of(path: str) -> str:
    """Path of the innermost cell that holds the place, the place itself when there is none."""
    start = path.rfind("/tc[")
    return path if start < 0 else path[: path.index("]", start) + 1]


def _made_assets(written: Written) -> set[str]:
    """Assets that the engine drew itself, from a vector picture."""
    found: set[str] = set()
    for item in written.items.values():
        extras = item.get("extras")
        if isinstance(extras, dict) and (extras.get("rasterized_from") or extras.get("rasterised_from")):
            found.add(str(item.get("path", "")).rpartition("/")[2])
    return found


def _same_body(content: str, tag: str) -> bool:
    """Content of an item against the body of its tag, which is escaped and has no outer table tag."""
    if content == tag or content == (tag := unescape(tag)):
        return True
    if not content.startswith("<table"):
        return False
    return squeeze(content.partition(">")[2].rpartition("</table")[0]) == squeeze(tag)
