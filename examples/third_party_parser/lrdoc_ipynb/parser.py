"""A notebook becomes a document: headings from markdown cells, code, and what the code printed and drew."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lrdoc.sdk import (
    Document,
    DocumentBuilder,
    Drawing,
    Equation,
    LimitExceeded,
    Mark,
    ParseContext,
    Source,
    SourceError,
    SourceFile,
)

MAX_BYTES = 256 << 20
PICTURES = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp", "image/svg+xml": "svg"}
OLD = {
    "text": "text/plain",
    "latex": "text/latex",
    "html": "text/html",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
}
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
PICTURE = re.compile(r"[ \t]*!\[([^\]\n]*)\]\(([^)\s]+)(?:[ \t]+\"[^\"\n]*\")?\)[ \t]*")
COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class NotebookParser:
    """The engine `ipynb`."""

    def parse(self, source: SourceFile, params: Mapping[str, Any], context: ParseContext) -> Document:
        """Cells in order; every piece of text knows its cell."""
        notebook = read_notebook(source)
        document = DocumentBuilder(source)
        metadata = as_dict(notebook.get("metadata"))
        language = as_text(as_dict(metadata.get("language_info")).get("name"))
        language = language or as_text(as_dict(metadata.get("kernelspec")).get("language"))
        document.title = as_text(metadata.get("title"))
        document.attributes.update({"language": language} if language else {})
        cells = find_cells(notebook)
        for number, cell in enumerate(cells, 1):
            context.check()
            context.progress("cells", number, len(cells))
            reader = Cell(cell, f"cells[{number}]", document, context)
            kind = cell.get("cell_type")
            if kind == "markdown":
                reader.read_markdown()
            elif kind == "code":
                reader.read_code(language if params["fences"] else None)
                if params["outputs"] == "keep":
                    reader.read_outputs()
            elif kind == "heading":
                level = cell.get("level")
                document.heading(reader.text, level if type(level) is int else 1, reader.place())
            else:
                document.line(reader.text, reader.place())
        return document.build()


class Cell:
    """One cell and where its content goes."""

    def __init__(self, cell: dict[str, Any], path: str, document: DocumentBuilder, context: ParseContext) -> None:
        self.cell = cell
        self.path = path
        self.document = document
        self.context = context
        self.text = as_text(cell.get("source", cell.get("input")))

    def place(self, first: int = 1, end: int | None = None, part: str = "source") -> Source:
        """Lines of the cell, counted from 1; `end` is not included."""
        return Source(path=f"{self.path}/{part}", lines=(first, end or first + self.text.count("\n") + 1))

    def read_markdown(self) -> None:
        """Headings, block equations and pictures that stand alone on their line; all other lines as they are."""
        waiting: list[str] = []
        fence = ""
        lines = self.text.split("\n")
        number = 0
        while number < len(lines):
            self.context.check()
            line = lines[number]
            opening = FENCE.match(line)
            if fence:
                if opening and opening[1].startswith(fence) and not line.strip(" \t`~"):
                    fence = ""
            elif opening:
                fence = opening[1]
            elif (heading := HEADING.fullmatch(line)) and heading[2]:
                self._flush(waiting, number)
                self.document.heading(heading[2], len(heading[1]), self.place(number + 1, number + 2))
                number += 1
                continue
            elif picture := PICTURE.fullmatch(line):
                self._flush(waiting, number)
                self._read_picture(picture[1], picture[2], self.place(number + 1, number + 2))
                number += 1
                continue
            elif line.strip().startswith("$$") and (end := find_equation_end(lines, number)):
                self._flush(waiting, number)
                latex = "\n".join(lines[number:end]).strip()[2:-2].strip()
                self.document.item(Equation(latex, source=self.place(number + 1, end + 1)))
                number = end
                continue
            waiting.append(line)
            number += 1
        self._flush(waiting, number)

    def read_code(self, language: str | None) -> None:
        """The code; `language` None leaves the fences out."""
        if not self.text.strip():
            return
        if language is not None:
            self.document.line(f"```{language}")
        self.document.line(self.text, self.place(), (Mark("code"),))
        if language is not None:
            self.document.line("```")

    def read_outputs(self) -> None:
        """Pictures become drawings; of several forms of an output the richest readable one is kept."""
        outputs = self.cell.get("outputs")
        for number, output in enumerate(outputs if isinstance(outputs, list) else [], 1):
            self.context.check()
            output = as_dict(output)
            place = Source(path=f"{self.path}/outputs[{number}]")
            if output.get("output_type") in ("error", "pyerr"):
                trace = as_text(output.get("traceback"), "\n")
                self.document.line(without_colours(trace or f"{output.get('ename')}: {output.get('evalue')}"), place)
            elif output.get("output_type") == "stream":
                self.document.line(without_colours(as_text(output.get("text"))), place)
            else:
                # In format 3 the forms stand in the output itself, under short names.
                data = as_dict(output.get("data")) or {kind: output[key] for key, kind in OLD.items() if key in output}
                self._read_bundle(data, place)

    def _read_bundle(self, data: dict[str, Any], place: Source) -> None:
        plain = without_colours(as_text(data.get("text/plain"))).strip()
        kind = next((kind for kind in PICTURES if data.get(kind)), "")
        if kind:
            content = as_text(data[kind])
            found = content.encode() if kind == "image/svg+xml" else decode(content)
            if found is not None:
                self._store(found, PICTURES[kind], plain, place)
                return
            self.document.warn("broken_picture", f"a {kind} output is no base64 and was left out", place)
        latex = as_text(data.get("text/latex")).strip()
        if len(latex) > 4 and latex.startswith("$$") and latex.endswith("$$"):
            self.document.item(Equation(latex[2:-2].strip(), source=place))
        elif text := as_text(data.get("text/markdown")) or plain or latex:
            self.document.line(text, place)
        elif data:
            kinds = ", ".join(sorted(data))
            self.document.warn("unread_output", f"an output of {kinds} cannot be kept as text", place)

    def _read_picture(self, alt: str, target: str, place: Source) -> None:
        data, suffix = None, ""
        if target.startswith("attachment:"):
            attached = as_dict(as_dict(self.cell.get("attachments")).get(target.removeprefix("attachment:")))
            kind = next((kind for kind in PICTURES if attached.get(kind)), "")
            data, suffix = decode(as_text(attached.get(kind))), PICTURES.get(kind, "")
        elif target.startswith("data:"):
            head, _, body = target.partition(";base64,")
            data, suffix = decode(body), PICTURES.get(head.removeprefix("data:"), "")
        if data is not None and suffix:
            self._store(data, suffix, alt, place)
            return
        if target.startswith(("data:", "attachment:")):
            self.document.warn("broken_picture", f"the picture {alt or target[:60]!r} cannot be read", place)
        src = "" if target.startswith("data:") else target
        self.document.item(Drawing(src=src, source=place, extras={"alt_text": alt} if alt else {}))

    def _store(self, data: bytes, suffix: str, alt: str, place: Source) -> None:
        try:
            asset = self.context.assets.put(data, f"picture.{suffix}")
        except LimitExceeded as e:
            self.document.warn("picture_over_limit", f"a picture was not stored: {e.message}", place)
            asset = None
        extras = {"alt_text": alt} if alt else {}
        self.document.item(Drawing(asset, suffix, source=place, extras=extras))

    def _flush(self, waiting: list[str], end: int) -> None:
        """Write the lines that are no items, up to line `end` (from 0)."""
        if any(line.strip() for line in waiting):
            self.document.line("\n".join(waiting), self.place(end - len(waiting) + 1, end + 1))
        waiting.clear()


def read_notebook(source: SourceFile) -> dict[str, Any]:
    """The notebook's JSON; SourceError when it is none."""
    if source.path.stat().st_size > MAX_BYTES:
        raise LimitExceeded(f"{source.name} is larger than {MAX_BYTES >> 20} MiB")
    try:
        notebook = json.loads(source.path.read_bytes())
    except (ValueError, RecursionError) as e:
        raise SourceError(f"{source.name} is no notebook: {e}", hint="A notebook is a JSON file.") from e
    if not isinstance(notebook, dict) or not (isinstance(notebook.get("cells"), list) or "worksheets" in notebook):
        raise SourceError(f"{source.name} is no notebook: it holds no cells")
    return notebook


def find_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """All cells; those of format 3 stand in worksheets."""
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        sheets = notebook.get("worksheets")
        cells = [cell for sheet in (sheets if isinstance(sheets, list) else []) for cell in iter_cells(sheet)]
    return [cell for cell in cells if isinstance(cell, dict)]


def iter_cells(sheet: object) -> Iterator[object]:
    cells = as_dict(sheet).get("cells")
    yield from cells if isinstance(cells, list) else ()


def find_equation_end(lines: list[str], start: int) -> int:
    """Line behind the block equation that begins in line `start`; 0 when it does not end in this paragraph."""
    first = lines[start].strip()
    if len(first) > 4 and first.endswith("$$"):
        return start + 1
    for number in range(start + 1, len(lines)):
        stripped = lines[number].strip()
        if not stripped:
            return 0
        if stripped.endswith("$$"):
            return number + 1
    return 0


def decode(text: str) -> bytes | None:
    """Bytes of base64, None when it is none."""
    try:
        return base64.b64decode("".join(text.split()), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def without_colours(text: str) -> str:
    """Output of terminals without its escape codes."""
    return COLOURS.sub("", text)


def as_text(value: object, joiner: str = "") -> str:
    """A string, or the lines of one, as notebooks store them. Half surrogates, which JSON allows, are replaced."""
    if isinstance(value, list):
        value = joiner.join(item for item in value if isinstance(item, str))
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else ""


def as_dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
