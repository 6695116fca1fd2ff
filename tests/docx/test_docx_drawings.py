"""Pictures and other graphics: where they stand, what is kept of them."""

from __future__ import annotations

import gzip
import struct

import pytest
from docx_audit import assert_complete
from docx_builder import alternate, docx, p, pic, picture, png, r, run, table, textbox
from docx_parse import body_text, codes, drawings, lines, parse_body, parse_bytes, region

from lrdoc.document import Drawing
from lrdoc.parsers.docx.ole import package_name
from lrdoc.testing.assets import MemoryAssets

EMF = b"\x01\0\0\0" + b"\0" * 36 + b" EMF" + b"\0" * 40
WMF = b"\xd7\xcd\xc6\x9a" + b"\0" * 40
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"><rect width="8" height="4" fill="red"/></svg>'
ONE = {"rP1": ("image1.png", png())}
SVG_URI = "http://schemas.microsoft.com/office/drawing/2016/SVG/main"


def one(body: str, **package: object) -> Drawing:
    found = drawings(parse_body(body, **package))  # type: ignore[arg-type]
    assert len(found) == 1
    return found[0]


def shape(inner: str, style: str = "width:72pt;height:1in", more: str = "") -> str:
    return f'<w:pict><v:shape style="{style}" {more}>{inner}</v:shape></w:pict>'


def test_a_picture_in_a_line() -> None:
    data = docx(p(r("a"), run(picture("rP1", descr="A red dot", title="Dot", name="Picture 7")), r("b")), media=ONE)
    document = parse_bytes(data)
    assert lines(document) == ["a<drawing>b"]
    found = drawings(document)[0]
    assert found.asset is not None and found.asset.name == "image1.png"
    assert found.format == "png"
    assert found.extras == {
        "alt_text": "A red dot",
        "title": "Dot",
        "name": "Picture 7",
        "width_pt": 72.0,
        "height_pt": 36.0,
    }
    assert found.source is not None and found.source.path == "body/p[1]"
    assert codes(document) == []
    assert_complete(data)


def test_identical_bytes_are_stored_once() -> None:
    assets = MemoryAssets()
    media = {"rP1": ("a.png", png()), "rP2": ("b.png", png()), "rP3": ("c.png", png(seed=3))}
    data = docx(p(*(run(picture(rid)) for rid in ("rP1", "rP1", "rP2", "rP3"))), media=media)
    found = drawings(parse_bytes(data, assets=assets))
    assert [d.asset.name for d in found if d.asset] == ["a.png", "a.png", "a.png", "c.png"]
    assert len(assets.files) == 2


def test_every_picture_of_a_group_with_its_own_description() -> None:
    group = (
        '<w:drawing><wp:anchor><wp:extent cx="1270000" cy="635000"/><wp:docPr id="1" name="Group 1" descr="Both"/>'
        "<a:graphic><a:graphicData><wpg:wgp>"
        + pic("rP1", descr="Left")
        + "<wpg:grpSp>"
        + pic("rP2")
        + "</wpg:grpSp></wpg:wgp></a:graphicData></a:graphic></wp:anchor></w:drawing>"
    )
    media = {"rP1": ("a.png", png()), "rP2": ("b.png", png(seed=1))}
    found = drawings(parse_body(p(run(group)), media=media))
    assert [(d.asset.name, d.extras["alt_text"]) for d in found if d.asset] == [("a.png", "Left"), ("b.png", "Both")]
    assert found[0].extras["width_pt"] == 72.0


def test_a_canvas_gives_its_pictures_and_texts() -> None:
    canvas = (
        '<w:drawing><wp:inline><wp:docPr id="1" name="Canvas"/><a:graphic><a:graphicData><wpc:wpc><wpc:bg/>'
        + pic("rP1")
        + f"<wps:wsp><wps:txbx><w:txbxContent>{p('inside')}</w:txbxContent></wps:txbx></wps:wsp>"
        + "</wpc:wpc></a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    data = docx(p(run(alternate(canvas, "<w:pict/>", "wpc"))), media=ONE)
    assert lines(parse_bytes(data)) == ["<drawing>", "inside"]
    assert_complete(data)


@pytest.mark.parametrize("inside_run", [True, False])
def test_a_picture_in_alternate_content_comes_once(inside_run: bool) -> None:
    fallback = shape('<v:imagedata r:id="rP1"/>')
    body = p(run(alternate(picture("rP1"), fallback)) if inside_run else alternate(run(picture("rP1")), run(fallback)))
    assert len(drawings(parse_body(body, media=ONE))) == 1


def test_ink_and_models_come_as_the_picture_in_their_fallback() -> None:
    ink = '<w14:contentPart r:id="rInk"/>'
    body = p(run(alternate(ink, picture("rP1"), "w14ink"))).replace(
        "<mc:AlternateContent>",
        '<mc:AlternateContent xmlns:w14ink="http://schemas.microsoft.com/office/word/2010/wordprocessingInk">',
    )
    found = one(body, media=ONE)
    assert found.asset is not None and found.asset.name == "image1.png"


def test_ink_without_a_picture_is_kept_as_it_is() -> None:
    found = one(
        p(run('<w14:contentPart r:id="rInk"/>')),
        parts={"word/ink/ink1.xml": ("application/inkml+xml", "<ink/>")},
        rels=[("rInk", "http://schemas.microsoft.com/office/2010/relationships/customXml", "ink/ink1.xml")],
    )
    assert found.asset is not None and found.asset.name == "ink1.xml"


def test_a_vml_picture() -> None:
    body = p(run(shape('<v:imagedata r:id="rP1" o:title="Old"/>', more='alt="A dot"')))
    found = one(body, media=ONE)
    assert found.asset is not None
    assert found.extras == {"alt_text": "A dot", "title": "Old", "width_pt": 72.0, "height_pt": 72.0}


def test_metafiles_are_kept() -> None:
    media = {"rP1": ("a.emf", EMF), "rP2": ("b.bin", WMF)}
    body = p(run(picture("rP1")), run(picture("rP2")))
    found = drawings(parse_body(body, media=media))
    assert [(d.format, d.asset.name) for d in found if d.asset] == [("emf", "a.emf"), ("wmf", "b.wmf")]


def test_the_first_bytes_tell_the_format() -> None:
    found = one(p(run(picture("rP1"))), media={"rP1": ("image1.tmp", png())})
    assert found.format == "png"
    assert found.asset is not None and found.asset.name == "image1.png"


def test_a_compressed_metafile_keeps_its_own_format() -> None:
    found = one(p(run(picture("rP1"))), media={"rP1": ("image1.emz", gzip.compress(EMF, mtime=0))})
    assert found.format == "emz"


def test_a_linked_picture_keeps_its_address() -> None:
    body = p(run(picture("rL", link=True, descr="far")))
    found = one(body, rels=[("rL", "image", "https://example.org/a/b.JPG?x=1", "External")])
    assert (found.asset, found.src, found.format) == (None, "https://example.org/a/b.JPG?x=1", "jpeg")
    assert found.extras["alt_text"] == "far"


def test_a_picture_that_is_linked_and_saved_keeps_both() -> None:
    body = p(run(picture("rP1").replace('r:embed="rP1"', 'r:embed="rP1" r:link="rL"')))
    found = one(body, media=ONE, rels=[("rL", "image", "file:///c:/a.png", "External")])
    assert found.asset is not None and found.src == "file:///c:/a.png"


def test_a_linked_vml_picture() -> None:
    body = p(run(shape('<v:imagedata r:id="rL"/>')))
    found = one(body, rels=[("rL", "image", "https://example.org/v.gif", "External")])
    assert (found.asset, found.src, found.format) == (None, "https://example.org/v.gif", "gif")


@pytest.mark.parametrize("rels", [[], [("rX", "image", "media/none.png")], [("rX", "image", "NULL")]])
def test_a_missing_picture_keeps_its_description(rels: list[tuple[str, str, str]]) -> None:
    document = parse_body(p(run(picture("rX", descr="gone"))) + p("after"), rels=rels)
    assert lines(document) == ["<drawing>", "after"]
    assert drawings(document)[0].extras["alt_text"] == "gone"
    assert codes(document) == ["picture_missing"]


def test_a_hyperlink_on_a_picture() -> None:
    body = p(run(picture("rP1").replace("<a:graphic>", "<a:graphic>", 1)).replace(
        'title=""/>', 'title=""><a:hlinkClick r:id="rH"/></wp:docPr>'
    ))  # fmt: skip
    found = one(body, media=ONE, rels=[("rH", "hyperlink", "https://example.org/", "External")])
    assert found.extras["link"] == "https://example.org/"


def test_a_picture_inside_a_link() -> None:
    body = p(f'<w:hyperlink r:id="rH">{run(picture("rP1"))}</w:hyperlink>')
    found = one(body, media=ONE, rels=[("rH", "hyperlink", "https://example.org/", "External")])
    assert found.extras["link"] == "https://example.org/"


def test_a_shape_with_a_description_and_nothing_else() -> None:
    drawing = (
        '<w:drawing><wp:inline><wp:docPr id="1" name="Arrow" descr="An arrow to the right"/><a:graphic>'
        "<a:graphicData><wps:wsp/></a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    found = one(p(run(drawing)))
    assert found.asset is None and found.extras["alt_text"] == "An arrow to the right"
    assert drawings(parse_body(p(r("a"), run(drawing.replace("An arrow to the right", ""))))) == []


def test_pictures_of_headers_come_from_their_own_part() -> None:
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rP1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/logo.png"/>'
        "</Relationships>"
    )
    data = docx(
        p("a"),
        headers={"default": p(run(picture("rP1")))},
        parts={"word/_rels/header1.xml.rels": (None, rels), "word/media/logo.png": (None, png(seed=9))},
    )
    block = region(parse_bytes(data), "header")[0]
    assert [part.asset.name for part in block.parts if isinstance(part, Drawing) and part.asset] == ["logo.png"]
    assert_complete(data)


# SVG ---------------------------------------------------------------------------------------------------------------


def svg_blip(embed: str = "") -> str:
    extension = f'<a:extLst><a:ext uri="x"><s:svgBlip xmlns:s="{SVG_URI}" r:embed="rS"/></a:ext></a:extLst>'
    plain = '<a:blip r:embed="rP1"/>'
    start = f'<a:blip r:embed="{embed}">' if embed else "<a:blip>"
    return picture("rP1").replace(plain, f"{start}{extension}</a:blip>")


def test_words_png_stands_for_an_svg() -> None:
    found = one(p(run(svg_blip("rP1"))), media={**ONE, "rS": ("image2.svg", SVG)})
    assert found.asset is not None
    assert (found.format, found.asset.name, "rasterized_from" in found.extras) == ("png", "image1.png", False)


@pytest.mark.parametrize("embed", ["", "rNone"])
def test_an_svg_without_a_png_is_drawn_or_kept(embed: str) -> None:
    data = docx(p(run(svg_blip(embed))), media={"rS": ("image2.svg", SVG)})
    document = parse_bytes(data)
    found = drawings(document)[0]
    assert found.asset is not None
    if codes(document):
        # Without cairo.
        assert codes(document) == ["svg_not_drawn"] and found.format == "svg"
    else:
        assert found.format == "png" and found.extras["rasterized_from"] == "word/media/image2.svg"
    assert_complete(data)


def test_a_hostile_svg_is_kept_with_a_warning() -> None:
    bomb = b'<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg width="9" height="9"><text>&b;</text></svg>'
    document = parse_body(p(run(picture("rP1"))), media={"rP1": ("a.svg", bomb)})
    assert codes(document) == ["svg_not_drawn"]
    assert drawings(document)[0].format == "svg"


# Embedded objects --------------------------------------------------------------------------------------------------

PREVIEW = '<v:shape style="width:10pt;height:20pt"><v:imagedata r:id="rP1"/></v:shape>'
XLSX = {"word/embeddings/Book1.xlsx": (None, b"PK workbook")}


def ole(program: str, kind: str = "Embed") -> str:
    return f'<w:object>{PREVIEW}<o:OLEObject Type="{kind}" ProgID="{program}" r:id="rO"/></w:object>'


def test_an_embedded_workbook_is_kept_and_named() -> None:
    assets = MemoryAssets()
    data = docx(
        p(run(ole("Excel.Sheet.12"))),
        media={"rP1": ("image1.emf", EMF)},
        parts=XLSX,
        rels=[("rO", "package", "embeddings/Book1.xlsx")],
    )
    found = drawings(parse_bytes(data, assets=assets))[0]
    assert found.format == "emf"
    assert found.extras["embedded"] == {"prog_id": "Excel.Sheet.12", "name": "Book1.xlsx", "asset": "Book1.xlsx"}
    assert assets.files["Book1.xlsx"] == b"PK workbook"
    assert_complete(data)


def compound_file(stream: bytes, *, sector: int = 9) -> bytes:
    """A compound file with one stream: small ones in small sectors, as Word writes them."""
    size = 1 << sector
    end, free, fat_sector = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    is_small = len(stream) < 4096
    n_data = -(-len(stream) // size)
    # Sectors: 0 table, 1 directory, 2 table of small sectors, from 3 on the data.
    table = [fat_sector, end, end, *range(4, 3 + n_data), end]
    n_small = -(-len(stream) // 64)
    small_table = [*range(1, n_small), end] if is_small else []

    def numbers(values: list[int]) -> bytes:
        return struct.pack(f"<{size // 4}I", *values, *[free] * (size // 4 - len(values)))

    def entry(name: str, kind: int, start: int, length: int) -> bytes:
        encoded = name.encode("utf-16-le") + b"\0\0"
        return encoded.ljust(64, b"\0") + struct.pack("<HBB12x36xII4x", len(encoded), kind, 1, start, length)

    root = entry("Root Entry", 5, 3 if is_small else end, len(stream) if is_small else 0)
    directory = root + entry("\x01Ole10Native", 2, 0 if is_small else 3, len(stream))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(24, b"\0") + struct.pack("<HHHHH", 62, 3, 0xFFFE, sector, 6)
    header = header.ljust(44, b"\0") + struct.pack("<IIIIIIII", 1, 1, 0, 4096, 2, 1, end, 0)
    header += struct.pack("<109I", 0, *[free] * 108)
    body = numbers(table) + directory.ljust(size, b"\0") + numbers(small_table) + stream.ljust(n_data * size, b"\0")
    return header.ljust(size, b"\0") + body


@pytest.mark.parametrize("sector", [9, 12])
@pytest.mark.parametrize("length", [10, 6_000])
def test_a_package_has_the_name_of_the_file_inside(sector: int, length: int) -> None:
    native = struct.pack("<IH", 0, 2) + "größe.txt\0C:\\tmp\\größe.txt\0".encode() + b"x" * length
    found = one(
        p(run(ole("Package"))),
        media={"rP1": ("image1.emf", EMF)},
        parts={"word/embeddings/oleObject1.bin": (None, compound_file(native, sector=sector))},
        rels=[("rO", "oleObject", "embeddings/oleObject1.bin")],
    )
    assert found.extras["embedded"] == {"prog_id": "Package", "name": "größe.txt", "asset": "oleObject1.bin"}


def test_a_damaged_package_has_no_name() -> None:
    whole = compound_file(struct.pack("<IH", 0, 2) + b"a.txt\0")
    assert package_name(whole) == "a.txt"
    for cut in range(0, len(whole), 61):
        assert package_name(whole[:cut]) in ("", "a.txt")
    for at in range(700):
        assert isinstance(package_name(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]), str)
    assert package_name(compound_file(struct.pack("<IH", 0, 2) + b"C:\\x\\\0C:\\x\\b.txt\0")) == "b.txt"


def test_a_linked_object_keeps_its_address() -> None:
    body = p(run(ole("Excel.Sheet.12", "Link")))
    found = one(body, media={"rP1": ("a.emf", EMF)}, rels=[("rO", "oleObject", "file:///c:/b.xlsx", "External")])
    assert found.extras["embedded"]["target"] == "file:///c:/b.xlsx"


def test_an_object_without_a_preview_is_named() -> None:
    body = p(run('<w:object><o:OLEObject ProgID="Package" r:id="rO"/></w:object>'))
    found = one(body, parts={"word/embeddings/o1.bin": (None, b"x")}, rels=[("rO", "oleObject", "embeddings/o1.bin")])
    assert found.asset is None and found.extras["embedded"]["asset"] == "o1.bin"


@pytest.mark.parametrize("program", ["Equation.3", "Equation.DSMT4", "MathType.1"])
def test_an_equation_of_an_old_editor_is_a_picture_with_a_warning(program: str) -> None:
    document = parse_body(
        p(r("x "), run(ole(program))),
        media={"rP1": ("a.wmf", WMF)},
        parts={"word/embeddings/o1.bin": (None, b"x")},
        rels=[("rO", "oleObject", "embeddings/o1.bin")],
    )
    assert drawings(document)[0].format == "wmf"
    assert codes(document) == ["equation_object"]


# Many --------------------------------------------------------------------------------------------------------------


def test_pictures_captions_and_cells() -> None:
    body = p(run(picture("rP1"))) + p("Figure 1: A dot", style="Caption") + table([[p(run(picture("rP1"))), "x"]])
    document = parse_body(body, media=ONE)
    assert [drawing.caption for drawing in drawings(document)] == ["Figure 1: A dot", ""]


def test_the_zip_is_opened_once_for_many_pictures() -> None:
    count = 300
    media = {f"rP{n}": (f"image{n}.png", png(seed=n)) for n in range(count)}
    document = parse_body("".join(p(run(picture(f"rP{n}"))) for n in range(count)), media=media)
    assert len({d.asset.name for d in drawings(document) if d.asset}) == count


def test_a_deep_group_does_not_recurse() -> None:
    depth = 600
    inner = "<wpg:grpSp>" * depth + pic("rP1") + "</wpg:grpSp>" * depth
    drawing = (
        f'<w:drawing><wp:inline><wp:docPr id="1" name="g"/><a:graphic><a:graphicData><wpg:wgp>{inner}</wpg:wgp>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    assert one(p(run(drawing)), media=ONE).asset is not None


@pytest.mark.parametrize("value", ["", "x", "-5", "99999999999999", "1.5"])
def test_bad_sizes_cost_the_size(value: str) -> None:
    body = p(run(picture("rP1").replace('cx="914400" cy="457200"', f'cx="{value}" cy="457200"', 1)))
    found = one(body, media=ONE)
    assert "width_pt" not in found.extras and found.extras["height_pt"] == 36.0


def test_a_text_box_beside_a_picture() -> None:
    body = p(r("a"), run(picture("rP1")), run(textbox(p("box"))))
    assert body_text(parse_body(body, media=ONE)) == "a<drawing>\nbox"
