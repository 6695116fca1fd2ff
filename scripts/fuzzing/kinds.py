"""The kinds of files that are fuzzed.

To add one, write a module beside this file with a class that fits `Kind`, and name it in `KINDS`. Mutations of XML
parts and zip packages are in xml_mutations.py and zip_mutations.py.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

KINDS = {
    "docx": "docx_kind:DocxKind",
    "pdf": "legacy_kinds:PdfKind",
    "pptx": "legacy_kinds:PptxKind",
    "xlsx": "legacy_kinds:XlsxKind",
    "odt": "legacy_kinds:OdtKind",
    "epub": "legacy_kinds:EpubKind",
    "html": "legacy_kinds:HtmlKind",
    "rtf": "legacy_kinds:RtfKind",
    "csv": "legacy_kinds:CsvKind",
    "xml": "legacy_kinds:XmlKind",
    "txt": "legacy_kinds:TxtKind",
}


class Kind(Protocol):
    """What the fuzzer has to know of one kind of file."""

    suffix: str
    """Without dot."""

    def seeds(self) -> Sequence[tuple[str, bytes]]:
        """(name, bytes) of good files; the same ones in the same order every time."""

    def mutate(self, data: bytes, rng: random.Random) -> bytes:
        """A changed file. All chance comes from `rng`."""

    def parse(self, path: Path) -> bool:
        """Parse a mutant, in a child process. Returns whether it got past opening: to the walk over the content.

        Raises LrdocError for a file that is refused; anything else is a finding. An LrdocError that is raised after
        the walk began carries `reached_walk = True`.
        """


def load(name: str) -> Kind:
    module, _, attribute = KINDS[name].partition(":")
    kind: Kind = getattr(importlib.import_module(module), attribute)()
    return kind
