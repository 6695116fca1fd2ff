"""Say what a file is that cannot be opened as a Word document."""

from __future__ import annotations

import zipfile
from pathlib import Path

from lrdoc.errors import EncryptedFileError, LrdocError, SourceError, UnsupportedFormatError

_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def refuse_by_content(path: Path, name: str) -> LrdocError | None:
    """The error for a file that is no zip package at all, None when it looks like one."""
    with path.open("rb") as file:
        head = file.read(4096)
    if not head:
        return SourceError(f"{name} is empty (0 bytes)", hint="Save or copy the file again.")
    if head.startswith(b"PK"):
        return None
    if head.startswith(_OLE2):
        return _refuse_ole(path, name)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith(b"{\\rtf"):
        return _disguised(name, "an RTF document", "rename it to .rtf")
    if text.startswith(b"%pdf"):
        return _disguised(name, "a PDF", "rename it to .pdf")
    if b"pkg:package" in text or b'progid="word.document"' in text:
        return _disguised(name, "a Word document in flat XML form", "open it in Word and save it as .docx")
    if text.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) or b"<html" in text:
        return _disguised(name, "an HTML page", "rename it to .html")
    if text.startswith(b"<"):
        return _disguised(name, "an XML file", "open it in Word and save it as .docx")
    if text.startswith(b"mime-version:"):
        return _disguised(name, "a web archive (MHTML)", "open it in Word and save it as .docx")
    if b"\0" in head:
        return UnsupportedFormatError(f"{name} is not a Word document: its bytes are of no known kind")
    return _disguised(name, "plain text", "rename it to .txt")


def _disguised(name: str, kind: str, remedy: str) -> UnsupportedFormatError:
    return UnsupportedFormatError(
        f"{name} is not a Word document but {kind} under another name",
        hint=f"To parse it, {remedy}.",
    )


def _refuse_ole(path: Path, name: str) -> LrdocError:
    # Names of streams stand in UTF-16LE in the directory of the compound file, which may lie anywhere in it.
    with path.open("rb") as file:
        data = file.read(64 * 1024 * 1024)
    if "EncryptedPackage".encode("utf-16-le") in data:
        return EncryptedFileError(
            f"{name} is encrypted with a password", hint="Open it in Word, remove the password and save it again."
        )
    if "DataSpaces".encode("utf-16-le") in data:
        return EncryptedFileError(f"{name} is under rights management", hint="Save an unprotected copy and parse that.")
    if "WordDocument".encode("utf-16-le") in data:
        return UnsupportedFormatError(
            f"{name} is a Word 97-2003 document (.doc) under another name",
            hint="Open it in Word or LibreOffice and save it as .docx.",
        )
    for stream, kind in (
        ("Workbook", "an Excel 97-2003 workbook"),
        ("PowerPoint Document", "a PowerPoint 97-2003 file"),
    ):
        if stream.encode("utf-16-le") in data:
            return UnsupportedFormatError(f"{name} is not a Word document but {kind} under another name")
    return UnsupportedFormatError(f"{name} is an old binary Office file, not a .docx package")


def refuse_bad_zip(path: Path, name: str, reason: Exception) -> SourceError:
    """The error for a file that begins like a zip and cannot be opened as one."""
    data_end = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, data_end - 66_000))
        tail = file.read()
    if b"PK\x05\x06" not in tail:
        return SourceError(
            f"{name} is a damaged zip package: its end is missing, so the file was cut off or not fully copied",
            hint="Copy or download the file again.",
        )
    return SourceError(f"{name} is a damaged zip package ({reason})", hint="Copy or download the file again.")


def refuse_other_package(archive_names: list[str], mimetype: str, name: str) -> UnsupportedFormatError:
    """The error for a zip that holds no Word document."""
    names = set(archive_names)
    if mimetype.startswith("application/epub"):
        kind = "an EPUB book"
    elif mimetype.startswith("application/vnd.oasis.opendocument"):
        kind = "an OpenDocument file"
    elif "xl/workbook.xml" in names or "xl/workbook.bin" in names:
        kind = "an Excel workbook"
    elif "ppt/presentation.xml" in names:
        kind = "a PowerPoint presentation"
    elif any(entry.endswith(".iwa") for entry in names):
        kind = "an Apple Pages document"
    elif "[Content_Types].xml" in names:
        kind = "an Office package without a Word main part"
    else:
        kind = "a zip archive of something else"
    return UnsupportedFormatError(f"{name} is not a Word document but {kind}")


def zip_mimetype(archive: zipfile.ZipFile) -> str:
    """Content of the `mimetype` entry that EPUB and OpenDocument files begin with."""
    try:
        info = archive.getinfo("mimetype")
        if info.file_size > 200:
            return ""
        return archive.read(info).decode("ascii", "replace").strip()
    except (KeyError, zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError):
        return ""
