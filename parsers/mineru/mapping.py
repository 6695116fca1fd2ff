"""Items of a bundle become a document. Pure but for the pictures, which go through the asset sink."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from lrdoc.document import Drawing, Equation, InlineEquation, Part, Source, Table, Text, plain_text
from lrdoc.parsers.mineru.items import TEXTS, Item, Kind
from lrdoc.parsers.mineru.markup import split_pictures
from lrdoc.parsers.services.builder import Place, ServedBuilder, fenced, load_picture, one_line
from lrdoc.parsers.services.html_tables import read_html_tables, to_grid


class Mapper:
    """Adds items to a builder, in their order."""

    def __init__(self, builder: ServedBuilder, bundle: Path) -> None:
        self.builder = builder
        self.bundle = bundle
        self.titled = False

    def add_all(self, items: Iterable[Item]) -> None:
        for item in items:
            self.builder.context.check()
            HANDLERS[item.kind](self, item)

    def heading(self, item: Item) -> None:
        for line in item.lines:
            if item.is_title and not self.titled:
                self.builder.title = plain_text(one_line(line))
                self.titled = True
            self.builder.heading(self._with_pictures(line), item.level, item.place)

    def text(self, item: Item) -> None:
        kind = item.extras.get("type", "")
        if kind and kind not in TEXTS:
            message = f"items of the kind {kind!r} are not known; their text is kept as paragraphs"
            self.builder.warn("unknown_item", message, item.place.source, once=kind)
        self.lines(item)

    def lines(self, item: Item) -> None:
        place = item.place
        for line in item.lines:
            self.builder.line(self._with_pictures(line), place)
            place = Place(place.source)

    def region(self, item: Item) -> None:
        parts: list[Part] = []
        for n, line in enumerate(item.lines):
            parts += [Text("\n"), *line] if n else line
        self.builder.region(item.region, self._with_pictures(parts), item.place)

    def code(self, item: Item) -> None:
        place = item.place
        for caption in item.captions:
            self.builder.line([Text(caption, place.source)], place)
            place = Place(place.source)
        if item.body.strip():
            self.builder.line(fenced(item.body, item.language, place.source), place)
        elif item.image:
            self.picture(item)
        for footnote in item.footnotes:
            self.builder.line([Text(footnote, place.source)], Place(place.source))

    def equation(self, item: Item) -> None:
        if not item.body:
            if item.image:
                self.picture(item)
            return
        caption, extras = self._caption(item)
        equation = Equation(item.body, caption, item.footnotes, item.place.source, item.ref, self._crop(item, extras))
        self.builder.item(equation, item.place)

    def inline_equation(self, item: Item) -> None:
        if item.body:
            self.builder.line([InlineEquation(item.body, item.place.source)], item.place)

    def table(self, item: Item) -> None:
        source = item.place.source
        tables: list[Table] = []
        around = ""
        pictures: tuple[str, ...] = ()
        if isinstance(item.body, list):
            grid = to_grid(item.body, source, item.header_rows)
            tables = [] if grid is None else [grid]
        else:
            found = read_html_tables(item.body, source, self.builder.context.check)
            tables, around, pictures = list(found.tables), found.around, found.pictures
            if not tables and around:
                grid = to_grid([[line] for line in around.split("\n")], source)
                tables, around = ([] if grid is None else [grid]), ""
        if not tables:
            if item.image or item.captions or item.footnotes:
                self.picture(item)
            return
        caption, extras = self._caption(item)
        extras = self._crop(item, extras)
        place = item.place
        if around:
            self.builder.line([Text(around, source)], place)
            place = Place(source)
        for n, table in enumerate(tables):
            last = n == len(tables) - 1
            self.builder.item(
                msgspec.structs.replace(
                    table,
                    caption=(caption or table.caption) if n == 0 else table.caption,
                    footnotes=item.footnotes if last else (),
                    self_ref=item.ref,
                    extras={**table.extras, **(extras if n == 0 else {})},
                ),
                place,
            )
            place = Place(source)
        for address in pictures:
            self._drawing(address, "", (), source, item.ref, {"in_table": True}, place)

    def picture(self, item: Item) -> None:
        caption, extras = self._caption(item)
        self._drawing(item.image, caption, item.footnotes, item.place.source, item.ref, extras, item.place)

    def _drawing(
        self,
        address: str,
        caption: str,
        footnotes: tuple[str, ...],
        source: Source,
        ref: str,
        extras: Mapping[str, Any],
        place: Place,
    ) -> None:
        asset, format, src = self._load(address, source)
        self.builder.item(Drawing(asset, format, src, caption, footnotes, source, ref, extras), place)

    def _load(self, address: str, source: Source) -> tuple[Any, str, str]:
        if address[:4].lower() == "http":
            # The official service may name a picture by its address; the file is in the bundle.
            local = f"images/{address.partition('?')[0].rpartition('/')[2]}"
            if (self.bundle / local).is_file():
                address = local
        elif address and "/" not in address and not (self.bundle / address).is_file():
            local = f"images/{address}"
            address = local if (self.bundle / local).is_file() else address
        return load_picture(self.builder, self.bundle, address, source)

    def _caption(self, item: Item) -> tuple[str, dict[str, Any]]:
        """All captions in one line; when there are several, each is in the extras as well."""
        extras = {key: value for key, value in item.extras.items() if value}
        if len(item.captions) > 1:
            extras["captions"] = list(item.captions)
        return " ".join(item.captions), extras

    def _crop(self, item: Item, extras: dict[str, Any]) -> dict[str, Any]:
        """Where the bundle keeps the picture of a table or formula."""
        return {**extras, "image": item.image} if item.image else extras

    def _with_pictures(self, parts: Iterable[Part]) -> list[Part]:
        """The parts with drawings in place of `![…](…)`, which office files have inside their lines."""
        done: list[Part] = []
        for part in parts:
            if not isinstance(part, Text) or part.source is None or "![" not in part.text:
                done.append(part)
                continue
            for words, address, alt in split_pictures(part.text):
                if words:
                    done.append(Text(words, part.source, part.marks))
                if address:
                    asset, format, src = self._load(address, part.source)
                    extras = {"alt_text": alt} if alt else {}
                    done.append(Drawing(asset, format, src, source=part.source, extras=extras))
        return done


HANDLERS: dict[Kind, Callable[[Mapper, Item], None]] = {
    "heading": Mapper.heading,
    "text": Mapper.text,
    "list": Mapper.lines,
    "code": Mapper.code,
    "equation": Mapper.equation,
    "inline_equation": Mapper.inline_equation,
    "table": Mapper.table,
    "picture": Mapper.picture,
    "region": Mapper.region,
}
"""What is done with each kind of item."""
