"""The files of corpus/probes: one feature each, where lrdoc keeps it, and how to see that it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from docx_features import FEATURES
from docx_parse import all_texts, codes, drawings, lines, marked, outline, region, rows, shown, spans, tables

from lrdoc.document import Anchor, Document, Equation, InlineEquation, iter_items


@dataclass(frozen=True)
class Probe:
    number: int
    file: str
    feature: str
    kept: str
    """Where it goes, for the table in docs/docx.md."""
    check: Callable[[Document], bool]


def _equations(document: Document) -> list[str]:
    return [item.latex for block in document.blocks for item in iter_items(block.parts) if isinstance(item, Equation)]


def _inline(document: Document) -> list[str]:
    return [part.latex for block in document.blocks for part in block.parts if isinstance(part, InlineEquation)]


def _notes(document: Document) -> list[tuple[str, str]]:
    return [(note.mark, shown(note.parts)) for block in document.blocks for note in block.notes]


def _marks(document: Document, kind: str) -> list[tuple[str, str]]:
    return [(text, mark.target) for text, mark in marked(document, kind)]


def _pages(document: Document) -> dict[str, int | None]:
    return {text.text: text.source.page for text in all_texts(document) if text.source is not None}


_HEAD = ["H1ZQ", "H2ZQ"]
PROBES: tuple[Probe, ...] = (
    Probe(0, "000-heading-levels-1-3-built-in", "heading levels", "blocks with `level` 1–9", lambda d: outline(d) == [(1, "ONEZQ"), (3, "THREEZQ")]),
    Probe(2, "002-heading-via-basedon-style", "heading by `basedOn`", "`level`", lambda d: outline(d) == [(1, "AZQ"), (2, "BASEDZQ")]),
    Probe(4, "004-heading-via-direct-outlinelvl", "outline level on the paragraph", "`level`", lambda d: outline(d) == [(1, "AZQ"), (2, "DIRZQ")]),
    Probe(6, "006-list-labels-nested-decimal-1-1", "nested list labels", "label and indentation in the line", lambda d: lines(d) == ["1. LAZQ", "  1.1 LBZQ", "2. LCZQ"]),
    Probe(8, "008-list-upperroman-ii", "Roman labels", "label in the line", lambda d: lines(d) == ["I. R1ZQ", "II. R2ZQ"]),
    Probe(10, "010-list-lvltext-prefix-appendix-a", "words in labels", "label in the line", lambda d: lines(d) == ["Appendix A: APZQ"]),
    Probe(12, "012-numbered-heading-is-still-a-heading", "numbered heading", "in `heading` and alone in `label`", lambda d: [(b.level, b.heading, b.label) for b in d.blocks] == [(1, "1. HN1ZQ", "1.")]),
    Probe(14, "014-list-via-paragraph-style", "list by paragraph style", "label in the line", lambda d: lines(d) == ["- LSZQ"]),
    Probe(16, "016-gridspan-colspan", "`gridSpan`", "`extras.spans`", lambda d: (rows(tables(d)[0]), spans(tables(d)[0])) == ([_HEAD, ["SPANZQ", None], ["a", "b"]], [(1, 0, 1, 2)])),
    Probe(18, "018-hmerge-legacy-span", "`hMerge`", "`extras.spans`", lambda d: (rows(tables(d)[0]), spans(tables(d)[0])) == ([_HEAD, ["HMZQ", None]], [(1, 0, 1, 2)])),
    Probe(20, "020-nested-table-inside-cell", "nested table", "an item of its own, its id in the cell", lambda d: [rows(t) for t in tables(d)] == [[_HEAD, ["outZQ\n<table>", "b"]], [["NESTZQ", "n2ZQ"]]]),
    Probe(22, "022-multi-paragraph-cell-kept-apart", "paragraphs of a cell", "lines of the cell", lambda d: rows(tables(d)[0]) == [_HEAD, ["MP1ZQ\nMP2ZQ", "b"]]),
    Probe(24, "024-equation-inside-table-cell", "equation in a cell", "in the cell as LaTeX", lambda d: rows(tables(d)[0]) == [_HEAD, ["$\\frac{pZQ}{q}$", "b"]]),
    Probe(26, "026-table-inside-content-control", "table in a content control", "like any table", lambda d: rows(tables(d)[0]) == [_HEAD, ["SDTTZQ", "b"]]),
    Probe(28, "028-footnote-text", "footnote", "`[^1]` in the line, the text at the end of the block", lambda d: (lines(d), _notes(d)) == (["bodyZQ[^1]"], [("1", "FNZQ text")])),
    Probe(30, "030-endnote-text", "endnote", "`[^e1]` in the line, the text at the end of the block", lambda d: (lines(d), _notes(d)) == (["bodyZQ[^e1]"], [("e1", "ENZQ text")])),
    Probe(32, "032-comment-author", "comment and its author", "region `comment`; the range as a mark with author and date", lambda d: [shown(b.parts) for b in region(d, "comment")] == ["CMZQ"] and [t for t, _ in _marks(d, "comment")] == ["anchorZQ"] and all(m.author for _, m in marked(d, "comment"))),
    Probe(34, "034-tracked-deletion-not-in-final-text", "tracked deletion", "out (`changes=accept`)", lambda d: lines(d) == ["aZQ"]),
    Probe(36, "036-deleted-table-row-dropped", "deleted row", "out (`changes=accept`)", lambda d: rows(tables(d)[0]) == [["keepZQ"]]),
    Probe(38, "038-text-box-alternatecontent-once", "text box, both forms", "once, on the line after its paragraph", lambda d: lines(d) == ["afterZQ", "TBXZQ"]),
    Probe(40, "040-text-box-in-group-shape", "text box in a group", "on the line after its paragraph", lambda d: lines(d) == ["TBXZQ"]),
    Probe(42, "042-equation-inline-latex-frac", "inline equation", "in the line as LaTeX", lambda d: _inline(d) == ["\\frac{aZQ}{b}"] and not _equations(d)),
    Probe(44, "044-equation-n-ary-sum-limits", "display equation", "an equation item", lambda d: _equations(d) == ["\\sum_{i=1}^{n} i"]),
    Probe(46, "046-equation-matrix", "matrix", "LaTeX", lambda d: _equations(d) == ["\\begin{pmatrix} aZQ & b \\\\ c & d \\end{pmatrix}"]),
    Probe(48, "048-equation-accent-bar", "accents and bars", "LaTeX", lambda d: _equations(d) == ["\\hat{k}\\overline{z}"]),
    Probe(50, "050-equation-greek-symbols-escaped", "Greek and relations", "LaTeX commands", lambda d: _equations(d) == ["\\alpha\\le\\beta"]),
    Probe(52, "052-image-alt-text", "alternative text", "`extras.alt_text`", lambda d: [x.extras.get("alt_text") for x in drawings(d)] == ["ALTZQ"] and drawings(d)[0].asset is not None),
    Probe(54, "054-vml-image-v-imagedata", "VML picture", "a drawing with its asset", lambda d: [x.asset is not None and x.format for x in drawings(d)] == ["png"]),
    Probe(56, "056-linked-external-image-url", "linked picture", "`src`", lambda d: [(x.asset, x.src) for x in drawings(d)] == [(None, "http://ext.zq/p.png")]),
    Probe(58, "058-chart-data-values", "chart", "a drawing and a table with the data", lambda d: len(drawings(d)) == 1 and rows(tables(d)[0]) == [["", "CHARTSERZQ"], ["CHARTCATZQ", "7319.25"], ["c2", "2"]]),
    Probe(60, "060-header-text-available", "header and footer", "regions `header` and `footer`", lambda d: [shown(b.parts) for b in (*region(d, "header"), *region(d, "footer"))] == ["HEADERZQ", "FOOTERZQ"]),
    Probe(62, "062-hyperlink-url", "link", "mark `link` with its address", lambda d: _marks(d, "link") == [("LINKZQ", "http://zq.example/a")]),
    Probe(64, "064-bookmark-internal-link", "bookmark and link to it", "marks `anchor` and `link`", lambda d: Anchor("BMZQ") in d.blocks[0].parts and _marks(d, "link") == [("goZQ", "#BMZQ")]),
    Probe(66, "066-toc-recognised-or-dropped", "table of contents", "region `TOC`", lambda d: [shown(b.parts) for b in region(d, "TOC")] == ["Contents\nTOCLINEZQ\t7"] and outline(d) == [(1, "RealZQ")]),
    Probe(68, "068-w-sym-char-mapped", "symbol characters", "Unicode", lambda d: lines(d) == ["aZQα"]),
    Probe(70, "070-soft-line-break-kept", "soft line break", "a line end", lambda d: lines(d) == ["LB1ZQ", "LB2ZQ"]),
    Probe(72, "072-inline-content-control", "content control in a line", "its content", lambda d: lines(d) == ["a ISDTZQ"]),
    Probe(74, "074-customxml-smarttag-content", "custom XML and smart tags", "their content", lambda d: lines(d) == ["CXZQ"]),
    Probe(76, "076-ruby-base-text", "ruby", "base with the reading in parentheses", lambda d: lines(d) == ["漢字ZQ(かんじ)"]),
    Probe(78, "078-strikethrough-mark", "strike-through", "mark `strike`", lambda d: _marks(d, "strike") == [("STZQ", "")]),
    Probe(80, "080-code-style-code", "code style", "mark `code`", lambda d: _marks(d, "code") == [("codeZQ = 1", "")]),
    Probe(82, "082-page-break-recorded", "page break", "`page` in the provenance", lambda d: _pages(d) == {"PB1ZQ": 1, "PB2ZQ": 2}),
    Probe(84, "084-rtl-paragraph-text-order", "right-to-left text", "in logical order", lambda d: lines(d) == ["שלום ZQ"]),
    Probe(86, "086-core-title-author-metadata", "title and author", "`doc_title` and `doc_attributes`", lambda d: (d.title, d.attributes["creator"]) == ("METATITLEZQ", "AUTHORZQ")),
    Probe(88, "088-strict-ooxml-namespace", "strict OOXML", "like transitional", lambda d: outline(d) == [(1, "STRICTZQ")]),
    Probe(90, "090-no-styles-numbering-part", "no styles and numbering", "built-in ids still count", lambda d: outline(d) == [(1, "NSZQ")]),
    Probe(92, "092-dangling-image-relationship", "dangling relationship", "a drawing without asset and a warning", lambda d: lines(d) == ["DANGZQ<drawing>"] and codes(d) == ["picture_missing"]),
    Probe(94, "094-bad-relationship-target-null", "target `NULL`", "passed over", lambda d: lines(d) == ["NULLZQ"]),
    Probe(96, "096-undefined-style-id", "undefined style", "body text", lambda d: lines(d) == ["UNSZQ"] and not outline(d)),
    Probe(98, "098-xml-entity-bomb-xxe-rejected-or-ignored", "external entity", "never read; a warning", lambda d: lines(d) == ["XXEZQ"] and codes(d) == ["dtd_ignored"]),
    Probe(100, "100-control-chars-x000d-bom", "`_x000D_` and byte order marks", "control characters are blanks", lambda d: "".join(lines(d)).split() == ["CTLZQ", "x\ufeff"]),
)  # fmt: skip


def feature_table() -> list[str]:
    """Lines of the table in docs/docx.md."""
    rows = {known.number: (known.feature, known.kept) for known in (*PROBES, *FEATURES)}
    head = ["| # | feature | where it goes |", "|--|--|--|"]
    return head + [f"| {number} | {feature} | {kept} |" for number, (feature, kept) in sorted(rows.items())]
