"""Names of the elements and attributes that the docx engine reads.

Strict documents (ISO 29500 strict) use other namespaces for the same names; `package` maps them to the transitional
ones before parsing, so that everything here exists once.
"""

from __future__ import annotations

import re
from functools import lru_cache

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
PIC = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
WPS = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
WPG = "{http://schemas.microsoft.com/office/word/2010/wordprocessingGroup}"
WPC = "{http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V = "{urn:schemas-microsoft-com:vml}"
O = "{urn:schemas-microsoft-com:office:office}"  # noqa: E741
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
W15 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"

VAL = W + "val"
PARAID = W14 + "paraId"
R_ID = R + "id"

UNDERSTOOD = frozenset(
    {
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://schemas.microsoft.com/office/word/2010/wordml",
        "http://schemas.microsoft.com/office/word/2012/wordml",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing",
        "http://schemas.microsoft.com/office/drawing/2010/main",
        "http://schemas.microsoft.com/office/drawing/2007/8/2/chart",
        "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "http://schemas.openxmlformats.org/drawingml/2006/main",
        "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "urn:schemas-microsoft-com:vml",
        "urn:schemas-microsoft-com:office:office",
        "urn:schemas-microsoft-com:office:word",
    }
)
"""Namespaces that a Choice of mc:AlternateContent may require."""

_STRICT_TO_TRANSITIONAL = {
    "wordprocessingml/main": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "officeDocument/relationships": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "officeDocument/math": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "officeDocument/customProperties": "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties",
    "officeDocument/extendedProperties": "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties",
    "officeDocument/docPropsVTypes": "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes",
    "officeDocument/bibliography": "http://schemas.openxmlformats.org/officeDocument/2006/bibliography",
    "officeDocument/customXml": "http://schemas.openxmlformats.org/officeDocument/2006/customXml",
    "officeDocument/sharedTypes": "http://schemas.openxmlformats.org/officeDocument/2006/sharedTypes",
    "schemaLibrary/main": "http://schemas.openxmlformats.org/schemaLibrary/2006/main",
    "drawingml/main": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "drawingml/chart": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "drawingml/chartDrawing": "http://schemas.openxmlformats.org/drawingml/2006/chartDrawing",
    "drawingml/diagram": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "drawingml/picture": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "drawingml/lockedCanvas": "http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas",
    "drawingml/wordprocessingDrawing": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "drawingml/spreadsheetDrawing": "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing",
}
_STRICT_DECLARATION = re.compile(rb"""(xmlns(?::[\w.-]+)?\s*=\s*["'])http://purl\.oclc\.org/ooxml/([\w/]+)(["'])""")


def strict_to_transitional(data: bytes) -> bytes:
    """XML with the namespace declarations of strict documents replaced by the transitional ones."""
    # The root element declares them.
    if data.find(b"http://purl.oclc.org/ooxml/", 0, 65_536) < 0:
        return data

    def replaced(match: re.Match[bytes]) -> bytes:
        known = _STRICT_TO_TRANSITIONAL.get(match[2].decode("ascii"))
        return match[1] + known.encode() + match[3] if known else match[0]

    return _STRICT_DECLARATION.sub(replaced, data)


@lru_cache(maxsize=1024)
def local_name(tag: object) -> str:
    """Name without its namespace; "" for comments and the like."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
