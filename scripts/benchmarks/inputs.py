"""Benchmark documents, the same on every machine. Made once into build/bench and kept."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import legacy_files
import office
import ooxml

Make = Callable[[Path], None]
"""Writes one document to a path."""
Maker = Callable[[int], Make]

WORDS = (
    "system data model report analysis network value table figure method result process energy market policy "
    "patient court clause section vector graph index query storage signal river forest engine budget contract "
    "pressure temperature protein sample error margin growth"
).split()


def words(rnd: random.Random, count: int) -> str:
    return " ".join(rnd.choice(WORDS) for _ in range(count))


def sentence(rnd: random.Random) -> str:
    return words(rnd, rnd.randint(60, 110)).capitalize() + "."


def _equation(i: int) -> str:
    mr = ooxml.mr
    kind = i % 4
    if kind == 0:
        over = mr("a") + ooxml.superscript("x", "2") + mr(f"+{i}")
        return f"<m:f><m:num>{over}</m:num><m:den>{mr('2b')}</m:den></m:f>"
    if kind == 1:
        return (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{mr("i=1")}</m:sub><m:sup>{mr("n")}</m:sup>'
            f"<m:e>{ooxml.superscript('i', str(i))}</m:e></m:nary>"
        )
    if kind == 2:
        return f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>{mr("b")}{mr(f"-4a{i}")}</m:e></m:rad>'
    rows = "".join(f"<m:mr><m:e>{mr(a)}</m:e><m:e>{mr(b)}</m:e></m:mr>" for a, b in (("a", "b"), ("c", str(i))))
    return f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:m>{rows}</m:m></m:e></m:d>'


def _table(w: ooxml.Writer, rnd: random.Random, number: int, rows: int = 8, columns: int = 5) -> str:
    xml = [ooxml.row([w.cell(f"Head {number}.{c}") for c in range(columns)], "<w:tblHeader/>")]
    for k in range(rows - 1):
        if k == 2:
            wide = w.cell(f"merged {number}", '<w:gridSpan w:val="2"/>')
            xml.append(ooxml.row([wide, *(w.cell(str(rnd.randint(1, 9999))) for _ in range(columns - 2))]))
        elif k in (3, 4):
            merge = w.cell("vm", '<w:vMerge w:val="restart"/>') if k == 3 else w.cell("", "<w:vMerge/>")
            xml.append(ooxml.row([merge, *(w.cell(words(rnd, 3)) for _ in range(columns - 1))]))
        else:
            xml.append(ooxml.row([w.cell(words(rnd, 2)) for _ in range(columns)]))
    return ooxml.table(xml, columns)


def reference_docx(path: Path, sections: int, tables: int, pictures: int, equations: int, seed: int) -> None:
    """Sections with prose, lists, tables with merges, pictures, equations and notes in fixed proportions."""
    rnd, w = random.Random(seed), ooxml.Writer()
    body: list[str] = []
    media: dict[str, tuple[str, bytes]] = {}
    notes: dict[int, str] = {}
    n_tables = n_pictures = n_equations = 0
    for s in range(sections):
        body.append(w.h(f"Section {s + 1} {words(rnd, 4)}", 1 if s % 10 == 0 else 2 if s % 3 == 0 else 3))
        for k in range(4):
            text = sentence(rnd)
            third = len(text) // 3
            runs = [text[:third], ooxml.run(text[third : 2 * third], "<w:b/>"), text[2 * third :]]
            if k == 2 and s % 5 == 0:
                number = len(notes) + 1
                notes[number] = w.p(f"Footnote {number} text {words(rnd, 8)}")
                runs.append(f'<w:r><w:footnoteReference w:id="{number}"/></w:r>')
            body.append(w.p(*runs))
        body.extend(w.item(f"Item {k + 1} {words(rnd, 8)}", 1 + s % 2, k % 2) for k in range(3))
        while n_tables < tables * (s + 1) // sections:
            n_tables += 1
            body += [w.caption(f"Table {n_tables}: {words(rnd, 5)}"), _table(w, rnd, n_tables), w.p(words(rnd, 30))]
        while n_pictures < pictures * (s + 1) // sections:
            n_pictures += 1
            media[f"rIdI{n_pictures}"] = (f"image{n_pictures}.png", ooxml.png(160, 160, n_pictures, noise=True))
            body.append(w.p(ooxml.picture(f"rIdI{n_pictures}", n_pictures, f"Alt text {n_pictures}")))
            body.append(w.caption(f"Figure {n_pictures}: {words(rnd, 6)}"))
        while n_equations < equations * (s + 1) // sections:
            n_equations += 1
            content = _equation(n_equations)
            if n_equations % 2:
                body.append(w.p(ooxml.display_math(content)))
            else:
                body.append(w.p("where ", ooxml.math(content), f" holds for all {words(rnd, 5)}"))
    ooxml.write(path, "".join(body), media, notes or None)


def small(path: Path) -> None:
    reference_docx(path, 3, 2, 1, 2, seed=1)


def large(path: Path) -> None:
    reference_docx(path, 300, 200, 100, 200, seed=3)


def pictures(count: int) -> Make:
    def make(path: Path) -> None:
        w = ooxml.Writer()
        media = {f"rIdP{i}": (f"m{i}.png", ooxml.png(8, 8 + i // 256, i)) for i in range(count)}
        body = [w.p(ooxml.picture(f"rIdP{i}", i + 1, f"alt {i}")) for i in range(count)]
        ooxml.write(path, w.h("Pictures", 1) + "".join(body), media)

    return make


def paragraphs(count: int) -> Make:
    def make(path: Path) -> None:
        w = ooxml.Writer()
        ooxml.write(path, w.h("Long", 1) + "".join(w.p(f"word {i} " * 20) for i in range(count)))

    return make


def long_table(count: int, columns: int = 8) -> Make:
    def make(path: Path) -> None:
        w = ooxml.Writer()
        rows = [ooxml.row([w.cell(f"r{i}c{j}") for j in range(columns)]) for i in range(count)]
        ooxml.write(path, w.h("Table", 1) + ooxml.table(rows, columns))

    return make


def equations(count: int) -> Make:
    def make(path: Path) -> None:
        w = ooxml.Writer()
        content = ooxml.display_math("".join(ooxml.superscript("x", "2") for _ in range(10)))
        ooxml.write(path, w.h("Math", 1) + "".join(w.p(content) for _ in range(count)))

    return make


def headings(count: int) -> Make:
    def make(path: Path) -> None:
        w = ooxml.Writer()
        ooxml.write(path, "".join(w.h(f"Heading {i}", 1 + i % 4) + w.p("text") for i in range(count)))

    return make


def _text_file(make_text: Callable[[], str]) -> Make:
    def make(path: Path) -> None:
        path.write_text(make_text(), encoding="utf-8", newline="\n")

    return make


def _markdown(size: int) -> str:
    rnd = random.Random(5)
    pieces: list[str] = []
    n = s = 0
    while n < size:
        s += 1
        prose = "\n\n".join(sentence(rnd) + " **bold** `code` [link](http://example.org/a) $x^2$" for _ in range(4))
        items = "\n".join(f"- item {k} {words(rnd, 7)}" for k in range(4))
        rows = "\n".join(f"| {words(rnd, 2)} | {k} | {words(rnd, 1)} |" for k in range(6))
        piece = f"\n{'#' * (1 + s % 4)} Section {s} {words(rnd, 4)}\n\n{prose}\n\n{items}\n\n"
        piece += f"| a | b | c |\n|---|:-:|--:|\n{rows}\n"
        if s % 3 == 0:
            piece += f"\n```python\ndef f{s}(x):\n    return x + {s}\n```\n"
        if s % 4 == 0:
            piece += f"\n$$\n\\frac{{a_{{{s}}}}}{{b}} = \\sum_i i^2\n$$\n"
        pieces.append(piece)
        n += len(piece)
    return "".join(pieces)


def markdown_mixed(size: int) -> Make:
    return _text_file(lambda: _markdown(size))


def _repeated(size: int, piece: Callable[[random.Random], str]) -> str:
    rnd = random.Random(8)
    pieces: list[str] = []
    n = 0
    while n < size:
        pieces.append(piece(rnd))
        n += len(pieces[-1])
    return "".join(pieces)


def markdown_html(size: int) -> Make:
    """Paragraphs of HTML, each a block of its own."""

    def piece(rnd: random.Random) -> str:
        link = f'<a href="http://example.org/{words(rnd, 1)}">{words(rnd, 2)}</a>'
        return f'<p class="c">{words(rnd, 12)} <b>{words(rnd, 2)}</b> {link} <code>{words(rnd, 1)}</code></p>\n\n'

    return _text_file(lambda: _repeated(size, piece))


def markdown_html_tables(size: int) -> Make:
    def piece(rnd: random.Random) -> str:
        row = "".join(f"<tr><td>{words(rnd, 2)}</td><td>{k}</td><td>{words(rnd, 3)}</td></tr>\n" for k in range(20))
        return f"<table>\n<thead><tr><th>a</th><th>b</th><th>c</th></tr></thead>\n<tbody>\n{row}</tbody>\n</table>\n\n"

    return _text_file(lambda: _repeated(size, piece))


def markdown_scale(kind: str, count: int) -> Make:
    texts: dict[str, Callable[[], str]] = {
        "sections": lambda: "".join(
            f"## Section {i}\n\ntext\n\n| a | b |\n|---|---|\n| {i} | x |\n\n" for i in range(count)
        ),
        "dollars": lambda: "$$a$$ x\n" * count,
        # Without the line of text there would be nothing to extract.
        "tabletags": lambda: "text\n\n" + "<table>\n" * count,
        "brackets": lambda: "![" * count + "\n",
        "fences": lambda: "```\n~~~\n" * count,
    }
    return _text_file(texts[kind])


def prepared(folder: Path, name: str, make: Make) -> Path:
    """The file `name` in `folder`, made when it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if not path.exists():
        unfinished = path.with_name(path.name + ".new")
        make(unfinished)
        unfinished.rename(path)
    return path


def text_pdf(pages: int) -> Make:
    def make(path: Path) -> None:
        rnd = random.Random(7)
        legacy_files.pdf(path, [[words(rnd, 9).capitalize() for _ in range(48)] for _ in range(pages)])

    return make


def workbook(rows: int) -> Make:
    return lambda path: office.workbook(path, rows, words)


def deck(slides: int) -> Make:
    return lambda path: office.deck(path, slides, words)


def _html(size: int) -> str:
    rnd = random.Random(6)
    pieces: list[str] = []
    n = s = 0
    while n < size:
        s += 1
        level = 1 + s % 4
        piece = f"<h{level}>Section {s} {words(rnd, 4)}</h{level}>"
        piece += "".join(
            f'<p>{sentence(rnd)} <b>bold</b> <a href="http://example.org/{s}">link</a></p>' for _ in range(4)
        )
        piece += "<ul>" + "".join(f"<li>item {k} {words(rnd, 6)}</li>" for k in range(4)) + "</ul>"
        rows = "".join(f"<tr><td>{words(rnd, 2)}</td><td>{k}</td><td>{words(rnd, 1)}</td></tr>" for k in range(6))
        piece += f'<table><thead><tr><th>a</th><th colspan="2">b</th></tr></thead><tbody>{rows}</tbody></table>\n'
        pieces.append(piece)
        n += len(piece)
    head = "<!DOCTYPE html><html><head><title>Doc</title><style>p{color:red}</style><script>var x=1;</script></head>"
    return f"{head}<body><main>{''.join(pieces)}</main></body></html>"


html_5mb = _text_file(lambda: _html(5_000_000))
