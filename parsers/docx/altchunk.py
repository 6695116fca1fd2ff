"""altChunk: documents of other kinds that Word takes in when it opens the file (ISO 29500-1, 17.17.2).

HTML, web archives, plain text, RTF and Word documents are read; the lines carry the name of the part they come from.
"""

from __future__ import annotations

import zipfile
from typing import Any

from lrdoc.document import Source, Text
from lrdoc.errors import EncryptedFileError, LimitExceeded, SourceError
from lrdoc.parsers.docx.htmlchunk import decode, read_html
from lrdoc.parsers.docx.names import R_ID, W
from lrdoc.parsers.docx.package import Package, open_zip
from lrdoc.parsers.docx.state import Job, Line, Walk
from lrdoc.parsers.docx.styles import ParagraphStyle

_KINDS = (
    ("mht", ("message/rfc822", "multipart/related", "mht", "mhtml")),
    ("html", ("html", "htm", "xhtml")),
    ("rtf", ("rtf",)),
    ("docx", ("wordprocessingml", "docx", "docm", "dotx", "dotm")),
    ("text", ("text/plain", "txt")),
)
_LOOK_EVERY = 200
"""Lines of text between two looks whether to go on."""
_AGAIN = 16
"""What a document costs for each further time, in its own size: its lines take many times the room of its bytes."""
_DEEPEST = 8
"""Documents inside documents."""


def read_chunk(walk: Walk, element: Any, path: str, sink: Any) -> Job | None:
    """Read the part that a w:altChunk points to into the sink."""
    reader = walk.reader
    here = Source(walk.place, path, None, walk.page)
    rel = reader.package.rel(walk.part, element.get(R_ID))
    if rel is None or rel.external or not reader.package.has(rel.target):
        named = repr(rel.raw) if rel is not None else "without a target"
        reader.warn("altchunk_missing", f"The embedded document {named} is not in the package", here)
        return None
    data = reader.package.read(rel.target)
    if data is None:
        return None
    known: set[str] = reader.shared.setdefault("chunks", set())
    part = reader.package.prefix + rel.target
    if part in known:
        # A small file may take in a large part very many times.
        reader.package.budget.spend_bytes(_AGAIN * len(data), "A document that is embedded again and again")
    known.add(part)
    kind = _kind(rel.target, reader.package.content_type(rel.target))
    source = Source(reader.package.prefix + rel.target, "", None, walk.page)
    if kind == "docx":
        return _read_document(walk, data, rel.target, here, sink)
    if kind == "html":
        read_html(walk, data, source, sink)
    elif kind == "mht":
        page = _page_of_archive(data)
        if page is not None:
            read_html(walk, page, source, sink)
        else:
            reader.warn("altchunk_left_out", f"The web archive {rel.target} holds no page", here)
    elif kind == "rtf":
        _read_rtf(walk, data, source, here, sink)
    elif kind == "text":
        _read_text(walk, decode(data), source, sink)
    else:
        reader.warn("altchunk_left_out", f"The embedded document {rel.target} is of a kind that is not read", here)
    return None


def _kind(name: str, content_type: str) -> str:
    suffix = name.rpartition(".")[2].lower()
    for kind, words in _KINDS:
        if suffix in words or any(word in content_type.lower() for word in words):
            return kind
    return ""


def _read_text(walk: Walk, text: str, source: Source, sink: Any) -> None:
    for number, line_text in enumerate(text.splitlines()):
        if not number % _LOOK_EVERY:
            walk.reader.context.check()
        if line_text.strip():
            line = Line(walk, source, ParagraphStyle())
            line.parts.append(Text(line_text.rstrip(), source))
            sink.paragraph(line)


def _read_rtf(walk: Walk, data: bytes, source: Source, here: Source, sink: Any) -> None:
    from lrdoc.parsers.legacy.rtf import rtf_lines

    reader = walk.reader
    try:
        lines, problems = rtf_lines(data, reader.context)
    except LimitExceeded as error:
        reader.warn("altchunk_left_out", f"The embedded RTF document cannot be read: {error}", here)
        return
    for problem in problems:
        reader.warn("altchunk_damaged", f"The embedded RTF document is damaged: {problem}", here)
    _read_text(walk, "\n".join(lines), source, sink)


def _page_of_archive(data: bytes) -> bytes | None:
    """The HTML page of an MHTML file."""
    # Few documents embed web archives; the library costs a tenth of a small parse.
    import email
    import email.policy

    message = email.message_from_bytes(data, policy=email.policy.default)
    for part in message.walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            content = part.get_payload(decode=True)
            if isinstance(content, bytes):
                return content
    return None


def _read_document(walk: Walk, data: bytes, target: str, here: Source, sink: Any) -> Job:
    """A Word document inside this one: its own styles and lists, the same blocks, warnings and limits."""
    outer = walk.reader
    prefix = f"{outer.package.prefix}{target}!/"
    if prefix.count("!/") > _DEEPEST:
        outer.warn("altchunk_left_out", f"Documents are embedded in one another more than {_DEEPEST} deep", here)
        return
    try:
        package = Package.open(
            open_zip(data), target, outer.settings, outer.log.add, budget=outer.package.budget, prefix=prefix
        )
    except (zipfile.BadZipFile, SourceError, EncryptedFileError, NotImplementedError, ValueError) as error:
        outer.warn("altchunk_left_out", f"The embedded document {target} cannot be read: {error}", here)
        return
    root = package.xml(package.main)
    body = root.find(W + "body") if root is not None else None
    if body is None:
        outer.warn("altchunk_left_out", f"The embedded document {target} has no body", here)
        return
    inner = outer.embedded(package)
    walk_inside = inner.walk(package.main, numbering=inner.numbering)
    walk_inside.begin(body)
    walk_inside.in_cell = walk.in_cell
    yield inner.blocks(walk_inside, body, "body", sink)
    inner.report_numbering()
