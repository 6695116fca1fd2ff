"""SmartArt: the texts of the points in order, nested."""

from __future__ import annotations

from docx_audit import assert_complete
from docx_builder import docx, p, r, run, xml_part
from docx_parse import codes, drawings, lines, parse_bytes

from lrdoc.parsers.docx.diagrams import diagram_lines

DATA = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
FRAME = (
    '<w:drawing><wp:inline><wp:docPr id="1" name="Diagram 1" descr="Steps"/><a:graphic><a:graphicData>'
    '<dgm:relIds r:dm="rD" r:lo="rL" r:qs="rQ" r:cs="rS"/></a:graphicData></a:graphic></wp:inline></w:drawing>'
)


def pt(identity: str, *texts: str, kind: str = "") -> str:
    paragraphs = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
    attribute = f' type="{kind}"' if kind else ""
    return f'<dgm:pt modelId="{identity}"{attribute}><dgm:prSet/><dgm:t><a:bodyPr/>{paragraphs}</dgm:t></dgm:pt>'


def cxn(source: str, target: str, order: int = 0, kind: str = "") -> str:
    attribute = f' type="{kind}"' if kind else ""
    return f'<dgm:cxn modelId="{source}-{target}"{attribute} srcId="{source}" destId="{target}" srcOrd="{order}" destOrd="0"/>'


def package(points: str, connections: str = "") -> bytes:
    data = xml_part("dgm:dataModel", f"<dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{connections}</dgm:cxnLst>")
    return docx(
        p(r("See"), run(FRAME)),
        parts={"word/diagrams/data1.xml": (DATA, data)},
        rels=[("rD", "diagramData", "diagrams/data1.xml")],
    )


def shown(points: str, connections: str = "") -> list[str]:
    data = package(points, connections)
    assert_complete(data)
    return lines(parse_bytes(data))


def test_points_come_in_the_order_of_their_connections() -> None:
    points = pt("0", kind="doc") + pt("b", "Second") + pt("a", "First") + pt("x", "Part of second")
    found = shown(points, cxn("0", "b", 1) + cxn("0", "a", 0) + cxn("b", "x"))
    assert found == ["See<drawing>", "- First", "- Second", "  - Part of second"]


def test_a_point_may_hold_several_paragraphs() -> None:
    assert shown(pt("0", kind="doc") + pt("a", "One", "Two"), cxn("0", "a"))[1:] == ["- One", "- Two"]


def test_points_that_only_lay_out_are_left_out() -> None:
    points = pt("0", kind="doc") + pt("a", "Text") + pt("p", "Text", kind="pres") + pt("s", kind="sibTrans")
    assert shown(points, cxn("0", "a") + cxn("a", "p", kind="presOf"))[1:] == ["- Text"]


def test_points_without_connections_are_kept() -> None:
    assert shown(pt("a", "One") + pt("b", "Two"))[1:] == ["- One", "- Two"]


def test_points_that_lead_to_one_another_end() -> None:
    assert shown(pt("a", "One") + pt("b", "Two"), cxn("a", "b") + cxn("b", "a"))[1:] == ["- One", "  - Two"]


def test_the_drawing_names_its_data() -> None:
    found = drawings(parse_bytes(package(pt("a", "One"))))[0]
    assert found.extras == {"alt_text": "Steps", "name": "Diagram 1", "diagram": "word/diagrams/data1.xml"}


def test_a_missing_data_part_is_told() -> None:
    document = parse_bytes(docx(p(run(FRAME))))
    assert codes(document) == ["diagram_missing"]
    assert drawings(document)[0].extras["alt_text"] == "Steps"


def test_a_long_chain_does_not_recurse() -> None:
    from lxml import etree

    count = 3_000
    points = "".join(pt(str(n), f"t{n}") for n in range(count))
    connections = "".join(cxn(str(n), str(n + 1)) for n in range(count - 1))
    root = etree.fromstring(
        xml_part("dgm:dataModel", f"<dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{connections}</dgm:cxnLst>").encode()
    )
    assert len(diagram_lines(root, "data.xml")) == count
