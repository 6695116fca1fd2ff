"""Parse, write and count a docx package in one go."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from lrdoc.audit.count import count
from lrdoc.audit.result import AuditResult
from lrdoc.parsers.base import ParseContext, SourceFile
from lrdoc.parsers.docx.parser import DocxParser
from lrdoc.sidecar.info import FolderInfo
from lrdoc.sidecar.store import FolderAssets
from lrdoc.sidecar.write import write_document


def audit_bytes(data: bytes, **params: Any) -> AuditResult:
    """What the counter says about this package, parsed with these engine parameters."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "test.docx.parsed"
        folder.mkdir()
        path = Path(name) / "test.docx"
        path.write_bytes(data)
        source = SourceFile(path, path.name)
        document = DocxParser().parse(source, params, ParseContext(FolderAssets(folder, path.name)))
        given = ",".join(f"{key}={value}" for key, value in params.items())
        info = FolderInfo(
            "doc-" + "0" * 32,
            path.name,
            "native",
            "2024-01-01T00:00:00.000000+00:00",
            stored_engine=f"native({given})" if given else "",
        )
        write_document(document, info, folder)
        return count(path, folder)


def assert_complete(data: bytes, **params: Any) -> None:
    """Nothing missing, nothing twice, nothing invented."""
    result = audit_bytes(data, **params)
    assert result.problems == ()
    assert result.characters.unaccounted == 0
    assert result.characters.duplicated == 0
