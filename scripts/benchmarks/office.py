"""Writers for the benchmark inputs of the plain-text engine: a workbook by hand, a deck with python-pptx."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from pathlib import Path

from ooxml import HEADER, OFFICE_REL, escape

PACKAGE_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
CONTENT_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"


def package(path: Path, types: dict[str, str], parts: dict[str, str]) -> None:
    overrides = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in types.items())
    content_types = (
        f'{HEADER}<Types xmlns="{CONTENT_TYPES}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {"[Content_Types].xml": content_types, **parts}.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)


def relationships(entries: list[tuple[str, str, str]]) -> str:
    xml = "".join(f'<Relationship Id="{a}" Type="{OFFICE_REL}{b}" Target="{c}"/>' for a, b, c in entries)
    return f'{HEADER}<Relationships xmlns="{PACKAGE_RELS}">{xml}</Relationships>'


def workbook(path: Path, rows: int, words: Callable[[random.Random, int], str]) -> None:
    """One sheet of six columns: number, word, number, decimal, date, two words; strings are shared."""
    rnd = random.Random(9)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    strings: dict[str, int] = {}

    def shared(text: str) -> int:
        return strings.setdefault(text, len(strings))

    xml = []
    for i in range(1, rows + 1):
        xml.append(
            f'<row r="{i}"><c r="A{i}"><v>{i}</v></c><c r="B{i}" t="s"><v>{shared(words(rnd, 1))}</v></c>'
            f'<c r="C{i}"><v>{rnd.randint(1, 999)}</v></c><c r="D{i}" s="1"><v>{rnd.random() * 100!r}</v></c>'
            f'<c r="E{i}" s="2"><v>{45000 + i % 365}</v></c><c r="F{i}" t="s"><v>{shared(words(rnd, 2))}</v></c></row>'
        )
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    office = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    package(
        path,
        {
            "xl/workbook.xml": kind + "sheet.main+xml",
            "xl/worksheets/sheet1.xml": kind + "worksheet+xml",
            "xl/styles.xml": kind + "styles+xml",
            "xl/sharedStrings.xml": kind + "sharedStrings+xml",
        },
        {
            "_rels/.rels": relationships([("rId1", "officeDocument", "xl/workbook.xml")]),
            "xl/workbook.xml": f'{HEADER}<workbook xmlns="{main}" {office}><sheets><sheet name="Data" sheetId="1" '
            'r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relationships(
                [
                    ("rId1", "worksheet", "worksheets/sheet1.xml"),
                    ("rId2", "styles", "styles.xml"),
                    ("rId3", "sharedStrings", "sharedStrings.xml"),
                ]
            ),
            "xl/styles.xml": f'{HEADER}<styleSheet xmlns="{main}"><cellXfs count="3">'
            '<xf numFmtId="0"/><xf numFmtId="4"/><xf numFmtId="14"/></cellXfs></styleSheet>',
            "xl/sharedStrings.xml": f'{HEADER}<sst xmlns="{main}">'
            + "".join(f"<si><t>{escape(text)}</t></si>" for text in strings)
            + "</sst>",
            "xl/worksheets/sheet1.xml": f'{HEADER}<worksheet xmlns="{main}"><sheetData>'
            + "".join(xml)
            + "</sheetData></worksheet>",
        },
    )


def deck(path: Path, slides: int, words: Callable[[random.Random, int], str]) -> None:
    """Slides with a title, five bullets and, on every third one, a table; written with python-pptx."""
    from pptx import Presentation
    from pptx.util import Inches

    rnd = random.Random(8)
    presentation = Presentation()
    for i in range(slides):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = f"Slide {i + 1} {words(rnd, 4)}"
        frame = slide.placeholders[1].text_frame
        frame.text = words(rnd, 10)
        for k in range(4):
            paragraph = frame.add_paragraph()
            paragraph.text = words(rnd, 10)
            paragraph.level = k % 3
        if i % 3 == 0:
            table = slide.shapes.add_table(4, 4, Inches(1), Inches(4), Inches(6), Inches(1.5)).table
            for a in range(4):
                for c in range(4):
                    table.cell(a, c).text = f"c{a}{c} {words(rnd, 1)}"
        slide.notes_slide.notes_text_frame.text = "Notes " + words(rnd, 15)
    presentation.save(str(path))
