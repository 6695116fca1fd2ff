"""Small docx packages from XML snippets, for tests.

`docx(body, ...)` gives the bytes of a package; `body` and all other XML arguments may use the usual prefixes (w, r, m,
wp, a, pic, c, dgm, wps, wpg, mc, v, o, w14) without declaring them.

    docx(heading(1, "Results") + p("Text ", r("bold", "<w:b/>")) + table([["a", "b"]]))
"""

from __future__ import annotations

import io
import itertools
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = {
    "w": W,
    "r": RELATIONSHIPS,
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "wpg": "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
    "wpc": "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "w15": "http://schemas.microsoft.com/office/word/2012/wordml",
}
XMLNS = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items()) + ' mc:Ignorable="w14 w15"'
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
MAIN = WORD + "document.main+xml"
STRICT = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "http://purl.oclc.org/ooxml/wordprocessingml/main",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "http://purl.oclc.org/ooxml/officeDocument/relationships",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "http://purl.oclc.org/ooxml/officeDocument/math",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "http://purl.oclc.org/ooxml/drawingml/main",
    "http://schemas.openxmlformats.org/drawingml/2006/picture": "http://purl.oclc.org/ooxml/drawingml/picture",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "http://purl.oclc.org/ooxml/drawingml/chart",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "http://purl.oclc.org/ooxml/drawingml/diagram",
}

# Paragraphs and runs ------------------------------------------------------------------------------------------------


def r(text: str, rpr: str = "") -> str:
    """A run of text; `rpr` is the XML inside w:rPr."""
    return run(f'<w:t xml:space="preserve">{escape(text)}</w:t>', rpr)


def run(content: str, rpr: str = "") -> str:
    """A run with any XML content."""
    return f"<w:r>{f'<w:rPr>{rpr}</w:rPr>' if rpr else ''}{content}</w:r>"


def p(*content: str, style: str = "", ppr: str = "", paraid: str = "") -> str:
    """A paragraph. Content that begins with "<" is XML, anything else becomes a run of text."""
    inner = "".join(piece if piece.startswith("<") else r(piece) for piece in content)
    properties = (f'<w:pStyle w:val="{style}"/>' if style else "") + ppr
    identity = f' w14:paraId="{paraid}"' if paraid else ""
    return f"<w:p{identity}>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{inner}</w:p>"


def heading(level: int, *content: str, ppr: str = "", paraid: str = "") -> str:
    return p(*content, style=f"Heading{level}", ppr=ppr, paraid=paraid)


def num_pr(num_id: int | None = None, ilvl: int | None = None) -> str:
    """w:numPr, to be used in `ppr`."""
    level = f'<w:ilvl w:val="{ilvl}"/>' if ilvl is not None else ""
    number = f'<w:numId w:val="{num_id}"/>' if num_id is not None else ""
    return f"<w:numPr>{level}{number}</w:numPr>"


def li(text: str, num_id: int = 1, ilvl: int = 0) -> str:
    """A list paragraph."""
    return p(text, ppr=num_pr(num_id, ilvl))


def field(instruction: str, *result: str) -> str:
    """Runs of a complex field; each result piece is XML or text."""
    inner = "".join(piece if piece.startswith("<") else r(piece) for piece in result)
    return (
        run('<w:fldChar w:fldCharType="begin"/>')
        + run(f'<w:instrText xml:space="preserve">{escape(instruction)}</w:instrText>')
        + run('<w:fldChar w:fldCharType="separate"/>')
        + inner
        + run('<w:fldChar w:fldCharType="end"/>')
    )


# Tables -------------------------------------------------------------------------------------------------------------


def tc(content: str, pr: str = "") -> str:
    """A cell. Content that begins with "<" is block XML, anything else one paragraph of text."""
    inner = content if content.startswith("<") else p(content) if content else "<w:p/>"
    return f"<w:tc>{f'<w:tcPr>{pr}</w:tcPr>' if pr else ''}{inner}</w:tc>"


def tr(*cells: str, pr: str = "") -> str:
    """A row; each cell is a w:tc or content for one."""
    inner = "".join(cell if cell.startswith(("<w:tc", "<w:sdt", "<w:customXml")) else tc(cell) for cell in cells)
    return f"<w:tr>{f'<w:trPr>{pr}</w:trPr>' if pr else ''}{inner}</w:tr>"


def table(rows: Iterable[str | Sequence[str]], grid: int | None = None, pr: str = "") -> str:
    """A table from rows (w:tr XML or sequences of cells); `grid` is the number of w:gridCol, 0 leaves out w:tblGrid."""
    rows = list(rows)
    if grid is None:
        grid = max((len(row) for row in rows if not isinstance(row, str)), default=1)
    column = '<w:gridCol w:w="2000"/>'
    columns = f"<w:tblGrid>{column * grid}</w:tblGrid>" if grid else ""
    inner = "".join(row if isinstance(row, str) else tr(*row) for row in rows)
    return f"<w:tbl><w:tblPr>{pr}</w:tblPr>{columns}{inner}</w:tbl>"


def sdt(content: str, pr: str = "") -> str:
    """A content control around any XML."""
    return f"<w:sdt><w:sdtPr>{pr}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def alternate(choice: str, fallback: str = "", requires: str = "wps") -> str:
    last = f"<mc:Fallback>{fallback}</mc:Fallback>" if fallback else ""
    return f'<mc:AlternateContent><mc:Choice Requires="{requires}">{choice}</mc:Choice>{last}</mc:AlternateContent>'


# Pictures and equations ---------------------------------------------------------------------------------------------


def png(width: int = 8, height: int = 8, seed: int = 0) -> bytes:
    """A valid PNG whose bytes differ with the seed."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([seed * 37 % 256, y * 5 % 256, seed // 7 % 256]) * width for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def picture(rid: str, *, descr: str = "", title: str = "", name: str = "Picture 1", link: bool = False) -> str:
    """A w:drawing with one picture (no run around it)."""
    return (
        f'<w:drawing><wp:inline><wp:extent cx="914400" cy="457200"/>'
        f'<wp:docPr id="1" name={quoteattr(name)} descr={quoteattr(descr)} title={quoteattr(title)}/>'
        f'<a:graphic><a:graphicData uri="{NAMESPACES["pic"]}">{pic(rid, link=link)}</a:graphicData></a:graphic>'
        f"</wp:inline></w:drawing>"
    )


def pic(rid: str, *, link: bool = False, name: str = "p.png", descr: str = "") -> str:
    """A pic:pic, as it stands in a picture, group or canvas."""
    return (
        f'<pic:pic><pic:nvPicPr><pic:cNvPr id="1" name={quoteattr(name)} descr={quoteattr(descr)}/><pic:cNvPicPr/>'
        f'</pic:nvPicPr><pic:blipFill><a:blip r:{"link" if link else "embed"}="{rid}"/></pic:blipFill>'
        f'<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="457200"/></a:xfrm></pic:spPr></pic:pic>'
    )


def textbox(content: str) -> str:
    """A DrawingML text box (no run around it) with block content."""
    return (
        '<w:drawing><wp:anchor><wp:extent cx="914400" cy="457200"/><wp:docPr id="9" name="Text Box 9"/>'
        f'<a:graphic><a:graphicData uri="{NAMESPACES["wps"]}"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/>'
        f"<wps:txbx><w:txbxContent>{content}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData>"
        "</a:graphic></wp:anchor></w:drawing>"
    )


def vml_textbox(content: str) -> str:
    """A VML text box (no run around it) with block content."""
    return (
        '<w:pict><v:shape id="s1" type="#_x0000_t202"><v:textbox><w:txbxContent>'
        f"{content}</w:txbxContent></v:textbox></v:shape></w:pict>"
    )


def math(content: str) -> str:
    return f"<m:oMath>{content}</m:oMath>"


def math_para(*equations: str) -> str:
    return f"<m:oMathPara>{''.join(equations)}</m:oMathPara>"


def mr(text: str) -> str:
    return f"<m:r><m:t>{escape(text)}</m:t></m:r>"


# Styles and numbering -----------------------------------------------------------------------------------------------


def style(
    style_id: str,
    name: str,
    *,
    based_on: str = "",
    ppr: str = "",
    rpr: str = "",
    kind: str = "paragraph",
    default: bool = False,
) -> str:
    return (
        f'<w:style w:type="{kind}" w:styleId="{style_id}"'
        + (' w:default="1">' if default else ">")
        + f"<w:name w:val={quoteattr(name)}/>"
        + (f'<w:basedOn w:val="{based_on}"/>' if based_on else "")
        + (f"<w:pPr>{ppr}</w:pPr>" if ppr else "")
        + (f"<w:rPr>{rpr}</w:rPr>" if rpr else "")
        + "</w:style>"
    )


DEFAULT_STYLES = (
    style("Normal", "Normal", default=True)
    + "".join(
        style(f"Heading{n}", f"heading {n}", based_on="Normal", ppr=f'<w:outlineLvl w:val="{n - 1}"/>')
        for n in range(1, 10)
    )
    + style("Title", "Title", based_on="Normal")
    + style("Subtitle", "Subtitle", based_on="Normal")
    + style("Caption", "caption", based_on="Normal")
    + "".join(style(f"TOC{n}", f"toc {n}", based_on="Normal") for n in range(1, 4))
)


def lvl(ilvl: int, fmt: str = "decimal", text: str | None = None, start: int | None = 1, extra: str = "") -> str:
    """A level of a list; `text` defaults to "%1." for level 0, "%2." for level 1 and so on."""
    begin = f'<w:start w:val="{start}"/>' if start is not None else ""
    shown = escape(f"%{ilvl + 1}." if text is None else text)
    return f'<w:lvl w:ilvl="{ilvl}">{begin}<w:numFmt w:val="{fmt}"/>{extra}<w:lvlText w:val="{shown}"/></w:lvl>'


def abstract_num(abstract_id: int, *levels: str, extra: str = "") -> str:
    return f'<w:abstractNum w:abstractNumId="{abstract_id}">{extra}{"".join(levels)}</w:abstractNum>'


def num(num_id: int, abstract_id: int, overrides: str = "") -> str:
    return f'<w:num w:numId="{num_id}"><w:abstractNumId w:val="{abstract_id}"/>{overrides}</w:num>'


DEFAULT_NUMBERING = (
    abstract_num(
        0, *(lvl(n, "decimal", ".".join(f"%{k}" for k in range(1, n + 2)) + ("." if n == 0 else "")) for n in range(9))
    )
    + abstract_num(1, *(lvl(n, "bullet", "\u2022") for n in range(9)))
    + num(1, 0)
    + num(2, 1)
)
"""Number list 1: "1.", "1.1", "1.1.1"; list 2: bullets."""


# The package --------------------------------------------------------------------------------------------------------


def xml_part(root: str, content: str, attributes: str = "") -> str:
    """A part with root element such as "w:styles" and all namespaces declared."""
    return f"{DECLARATION}<{root} {XMLNS} {attributes}>{content}</{root}>"


def relationships(rels: Iterable[Sequence[str]]) -> str:
    """(id, type, target) or (id, type, target, "External"); a type without ":" is an officeDocument one."""
    rows = []
    for rel in rels:
        rel_id, kind, target = rel[:3]
        kind = kind if ":" in kind else f"{RELATIONSHIPS}/{kind}"
        mode = f' TargetMode="{rel[3]}"' if len(rel) > 3 and rel[3] else ""
        rows.append(f"<Relationship Id={quoteattr(rel_id)} Type={quoteattr(kind)} Target={quoteattr(target)}{mode}/>")
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'{DECLARATION}<Relationships xmlns="{namespace}">{"".join(rows)}</Relationships>'


def docx(
    body: str = "",
    *,
    styles: str | None = DEFAULT_STYLES,
    numbering: str | None = DEFAULT_NUMBERING,
    settings: str | None = None,
    footnotes: Mapping[int, str] | None = None,
    endnotes: Mapping[int, str] | None = None,
    comments: Mapping[int, str] | None = None,
    comment_author: str = "Ann",
    headers: Mapping[str, str] | None = None,
    footers: Mapping[str, str] | None = None,
    media: Mapping[str, tuple[str, bytes]] | None = None,
    parts: Mapping[str, tuple[str | None, str | bytes]] | None = None,
    rels: Iterable[Sequence[str]] = (),
    core: Mapping[str, str] | None = None,
    section: str = "",
    document: str | None = None,
    document_name: str = "word/document.xml",
    content_type: str = MAIN,
    drop: Iterable[str] = (),
    strict: bool = False,
    compression: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """Bytes of a package.

    `footnotes`, `endnotes`, `comments`: id → block XML. `headers`, `footers`: type (default, first, even) → block XML.
    `media`: relationship id → (file name, bytes). `parts`: part name → (content type or None, content). `rels`: further
    relationships of the main part. `core`: element name ("dc:title") → text. `section`: XML inside the last w:sectPr,
    which is left out when `section` is "none". `document`: the whole main part instead of `body`. `drop`: part names to
    leave out although they are referred to. `strict`: the namespaces of ISO 29500 strict.
    """
    folder, _, file_name = document_name.rpartition("/")
    inside = f"{folder}/" if folder else ""
    contents: dict[str, str | bytes] = {}
    types: dict[str, str] = {document_name: content_type}
    main_rels: list[Sequence[str]] = []
    counter = itertools.count(1)

    def add(kind: str, name: str, data: str, suffix: str = "") -> str:
        rel_id = f"rIdB{next(counter)}"
        contents[f"{inside}{name}"] = data
        types[f"{inside}{name}"] = f"{WORD}{suffix or kind}+xml"
        main_rels.append((rel_id, kind, name))
        return rel_id

    if styles is not None:
        add("styles", "styles.xml", xml_part("w:styles", styles))
    if numbering is not None:
        add("numbering", "numbering.xml", xml_part("w:numbering", numbering))
    if settings is not None:
        add("settings", "settings.xml", xml_part("w:settings", settings))
    for kind, one, notes in (("footnotes", "footnote", footnotes), ("endnotes", "endnote", endnotes)):
        if notes is not None:
            separator = f'<w:{one} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:{one}>'
            inner = separator + "".join(f'<w:{one} w:id="{key}">{text}</w:{one}>' for key, text in notes.items())
            add(kind, f"{kind}.xml", xml_part(f"w:{kind}", inner))
    if comments is not None:
        inner = "".join(
            f'<w:comment w:id="{key}" w:author={quoteattr(comment_author)} w:date="2024-01-02T03:04:05Z" '
            f'w:initials="A">{text}</w:comment>'
            for key, text in comments.items()
        )
        add("comments", "comments.xml", xml_part("w:comments", inner))
    references = ""
    for kind, root, margins in (("header", "w:hdr", headers), ("footer", "w:ftr", footers)):
        for number, (variant, text) in enumerate((margins or {}).items(), 1):
            rel_id = add(kind, f"{kind}{number}.xml", xml_part(root, text))
            references += f'<w:{kind}Reference w:type="{variant}" r:id="{rel_id}"/>'
    for rel_id, (name, data) in (media or {}).items():
        contents[f"{inside}media/{name}"] = data
        main_rels.append((rel_id, "image", f"media/{name}"))
    for name, (kind_of, data) in (parts or {}).items():
        contents[name] = data
        if kind_of:
            types[name] = kind_of
    main_rels.extend(rels)
    root_rels: list[Sequence[str]] = [("rId1", "officeDocument", document_name)]
    if core is not None:
        inner = "".join(f"<{key}>{escape(text)}</{key}>" for key, text in core.items())
        contents["docProps/core.xml"] = (
            f"{DECLARATION}<cp:coreProperties "
            'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
            f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{inner}</cp:coreProperties>'
        )
        types["docProps/core.xml"] = "application/vnd.openxmlformats-package.core-properties+xml"
        root_rels.append(
            (
                "rId2",
                "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
                "docProps/core.xml",
            )
        )
    last_section = "" if section == "none" else f"<w:sectPr>{references}{section}</w:sectPr>"
    contents[document_name] = (
        document if document is not None else xml_part("w:document", f"<w:body>{body}{last_section}</w:body>")
    )
    contents[f"{inside}_rels/{file_name}.rels"] = relationships(main_rels)
    contents["_rels/.rels"] = relationships(root_rels)
    defaults = {
        "rels": "application/vnd.openxmlformats-package.relationships+xml",
        "xml": "application/xml",
        "png": "image/png",
        "jpeg": "image/jpeg",
        "emf": "image/x-emf",
        "svg": "image/svg+xml",
        "bin": "application/vnd.openxmlformats-officedocument.oleObject",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "html": "text/html",
        "txt": "text/plain",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    }
    listed = "".join(f'<Default Extension="{key}" ContentType="{kind}"/>' for key, kind in defaults.items())
    listed += "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in types.items())
    namespace = "http://schemas.openxmlformats.org/package/2006/content-types"
    ordered = {"[Content_Types].xml": f'{DECLARATION}<Types xmlns="{namespace}">{listed}</Types>', **contents}
    left_out = set(drop)
    return zip_bytes(
        {name: _strict(data) if strict else data for name, data in ordered.items() if name not in left_out},
        compression,
    )


def _strict(data: str | bytes) -> str | bytes:
    if isinstance(data, bytes):
        return data
    for transitional, strict in STRICT.items():
        data = data.replace(transitional, strict)
    return data


def zip_bytes(entries: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with the same bytes every time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in entries.items():
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = compression
            archive.writestr(info, data)
    return buffer.getvalue()
