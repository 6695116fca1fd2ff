"""What Word shows of a .docx, .docm, .dotx or .dotm file, read for counting."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from lrdoc.audit.base import Picture, SourceReader, SourceText, Stretch
from lrdoc.audit.docx_package import Package, attribute, names
from lrdoc.audit.docx_parts import chart_texts, chunk_kind, chunk_text, diagram_texts
from lrdoc.audit.docx_shown import References, Rules, visible_text
from lrdoc.audit.docx_styles import Styles
from lrdoc.audit.docx_walk import Walk
from lrdoc.errors import SourceError

_NOTES = {"footnoteReference": ("footnotes", "w:footnote"), "endnoteReference": ("endnotes", "w:endnote")}
_DEEPEST = 8
"""Documents inside documents."""
_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})


def read_docx(path: Path, params: Mapping[str, Any]) -> SourceText:
    """All visible text of the file. `params` are those of the engine: changes, hidden, comments, headers, toc."""
    out = SourceText()
    members = _Members(path)
    with Package(path) as package:
        _Reader(package, params, out, members).read()
    out.holds = members
    _leave_out(out, params)
    out.stretches = [stretch for stretch in out.stretches if stretch.text.strip() or stretch.formulas]
    return out


class _Members:
    """Digests of all members of a package, taken when first asked for, and of the packages embedded in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digests: frozenset[str] | None = None
        self.embedded: set[str] = set()

    def __call__(self, digest: str) -> bool:
        if self._digests is None:
            with Package(self._path) as package:
                self._digests = frozenset(filter(None, map(package.sha256, package.names())))
        return digest in self._digests or digest in self.embedded


def _leave_out(out: SourceText, params: Mapping[str, Any]) -> None:
    """Kinds that a parameter of the engine drops are excluded, not missing."""
    dropped = {
        kind
        for name, kinds in (("comments", ("comment",)), ("headers", ("header", "footer")))
        if params.get(name) == "drop"
        for kind in kinds
    }
    kept: list[Stretch] = []
    for stretch in out.stretches:
        if stretch.kind in dropped:
            out.exclude(stretch.kind, stretch.text)
            continue
        if stretch.toc and (stretch.kind == "text" or params.get("toc") == "drop"):
            stretch.kind = "toc"
            # A contents list inside a cell, box or note is not a region of its own, so an engine may leave it there.
            stretch.optional = params.get("toc") == "drop"
        kept.append(stretch)
    out.stretches = kept
    for picture in out.pictures:
        picture.required = picture.required and picture.kind not in dropped


class _Reader:
    def __init__(
        self,
        package: Package,
        params: Mapping[str, Any],
        out: SourceText,
        members: _Members,
        containers: Iterator[int] | None = None,
        prefix: str = "",
    ) -> None:
        self.package = package
        self.params = params
        self.out = out
        self.members = members
        self.prefix = prefix
        """Place of a package inside its host: "word/chunk.docx!/"."""
        self.rules = Rules(changes=str(params.get("changes", "accept")), hidden=str(params.get("hidden", "drop")))
        self.containers = itertools.count(1) if containers is None else containers
        self.seen: set[str] = set()
        self.pictures: set[tuple[str, str]] = set()
        self.kinds: dict[str, str] = {}
        """header, footer or comment by part."""
        self.styles = Styles()

    def read(self) -> None:
        main = self.package.main_part()
        root = self.package.xml(main)
        if root is None:
            return
        for relationship in self.package.relationships(main).values():
            if relationship.type == "styles" and not relationship.external:
                self.styles = Styles.read(self.package.xml(relationship.target))
        self.seen.add(main)
        bodies = [node for node in root if names[node.tag] == "w:body"]
        references = References()
        for number, body in enumerate(bodies, 1):
            found = self._walk(main, iter(body), "body" if number == 1 else f"body[{number}]", "text")
            references.found += found.found
        self._follow(main, references)
        self._notes_and_comments(main, references)
        if not self.prefix:
            # Word does not take over the margins of a document that it takes in.
            self._unreferenced_margins(main)

    # -- other parts --------------------------------------------------------------------------------------------

    def _follow(self, part: str, references: References) -> None:
        """Read what the walk of a part met, in its order; parts of parts as well, each once."""
        waiting: list[tuple[str, Iterator[tuple[str, str, str]]]] = [(part, iter(references.found))]
        while waiting:
            owner, found = waiting[-1]
            reference = next(found, None)
            if reference is None:
                waiting.pop()
                continue
            kind, id_, path = reference
            if kind in _NOTES or kind == "commentReference":
                continue
            relationship = self.package.relationships(owner).get(id_)
            if relationship is None or relationship.external:
                continue
            target = relationship.target
            if kind in ("picture", "optional_picture", "embedded"):
                self._picture(owner, path, target, required=kind != "optional_picture")
                continue
            # An embedded document is shown as often as it is referred to, everything else is read once.
            if (target in self.seen and kind != "altChunk") or self.package.resolve(target) is None:
                continue
            self.seen.add(target)
            inner = self._read_part(kind, target)
            if inner is not None:
                waiting.append((target, iter(inner.found)))

    def _read_part(self, kind: str, target: str) -> References | None:
        if kind == "altChunk":
            self._chunk(target)
            return None
        root = self.package.xml(target)
        if root is None:
            return None
        if kind == "chart":
            self.out.stretches += chart_texts(self.prefix + target, root, next(self.containers))
            for relationship in self.package.relationships(target).values():
                if relationship.type == "chartUserShapes" and not relationship.external:
                    shapes = self.package.xml(relationship.target)
                    if shapes is not None:
                        part = self.prefix + relationship.target
                        self.out.stretches += chart_texts(part, shapes, next(self.containers))
        elif kind == "diagram":
            self.out.stretches += diagram_texts(self.prefix + target, root, next(self.containers))
        elif kind in ("headerReference", "footerReference") and not self.prefix:
            name = kind.removesuffix("Reference")
            return self._walk(target, iter(root), "hdr" if name == "header" else "ftr", name)
        return None

    def _walk(self, part: str, elements: Iterator[etree._Element], path: str, kind: str) -> References:
        self.kinds[part] = kind
        return Walk(self.prefix + part, self.styles, self.rules, self.out, self.containers).run(elements, path, kind)

    def _picture(self, owner: str, path: str, target: str, *, required: bool) -> None:
        if (target, path) in self.pictures:
            return
        self.pictures.add((target, path))
        digest = self.package.sha256(target)
        if digest is not None:
            kind = self.kinds.get(owner, "")
            self.out.pictures.append(Picture(self.prefix + owner, path, target, digest, required, kind))

    def _chunk(self, target: str) -> None:
        data = self.package.read(target) or b""
        kind = chunk_kind(target, self.package.content_type(target))
        if kind == "docx":
            self._document(target, data)
            return
        text = chunk_text(kind, data)
        if text is not None:
            place = self.prefix + target
            # Numbers of lists are made by the reader of a page, which has none in its text.
            numbered = kind in ("html", "mht")
            self.out.stretches.append(
                Stretch(place, "", "chunk", text, container=next(self.containers), numbered=numbered)
            )

    def _document(self, target: str, data: bytes) -> None:
        """A Word document inside this one."""
        prefix = f"{self.prefix}{target}!/"
        if prefix.count("!/") > _DEEPEST:
            return
        try:
            package = Package(Path(target), data)
        except SourceError:
            return
        with package:
            self.members.embedded.update(filter(None, map(package.sha256, package.names())))
            try:
                _Reader(package, self.params, self.out, self.members, self.containers, prefix).read()
            except SourceError:
                return

    def _unreferenced_margins(self, main: str) -> None:
        """Headers and footers that no section names are not shown; keeping them is no mistake."""
        for relationship in self.package.relationships(main).values():
            kind, target = relationship.type, relationship.target
            if kind not in ("header", "footer") or relationship.external or target in self.seen:
                continue
            root = self.package.xml(target)
            if root is None:
                continue
            self.seen.add(target)
            before = len(self.out.stretches)
            self._walk(target, iter(root), "hdr" if kind == "header" else "ftr", kind)
            for stretch in self.out.stretches[before:]:
                stretch.optional, stretch.kind = True, f"unreferenced_{kind}"

    def _notes_and_comments(self, main: str, references: References) -> None:
        """Notes and comments, in the order of their parts; those that nothing refers to are not shown."""
        cited = {(kind, id_) for kind, id_, _ in references.found}
        for relationship in self.package.relationships(main).values():
            if relationship.external or relationship.target in self.seen:
                continue
            for kind, (type_, element_name) in {**_NOTES, "commentReference": ("comments", "w:comment")}.items():
                if relationship.type != type_:
                    continue
                root = self.package.xml(relationship.target)
                if root is None:
                    continue
                self.seen.add(relationship.target)
                self._notes(relationship.target, root, kind, element_name, cited)

    def _notes(
        self, part: str, root: etree._Element, kind: str, element_name: str, cited: set[tuple[str, str]]
    ) -> None:
        folder = names[root.tag].partition(":")[2]
        notes = (node for node in root if names[node.tag] == element_name)
        for number, node in enumerate(notes, 1):
            if attribute(node, "w:type") in _SEPARATORS:
                self.out.exclude("note_separator", visible_text(node))
                continue
            before = len(self.out.stretches)
            one = element_name.partition(":")[2]
            name = "comment" if kind == "commentReference" else "note"
            references = self._walk(part, iter(node), f"{folder}/{one}[{number}]", name)
            if (kind, attribute(node, "w:id") or "") not in cited:
                for stretch in self.out.stretches[before:]:
                    stretch.optional, stretch.kind = True, f"unreferenced_{name}"
            else:
                self._follow(part, references)


READER = SourceReader(read_docx)
