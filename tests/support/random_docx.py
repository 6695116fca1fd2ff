"""Word documents made at random: every wrapper in every place, so that engine and counter meet what nobody thought of."""

from __future__ import annotations

from random import Random

from docx_builder import (
    alternate,
    docx,
    field,
    heading,
    li,
    math,
    math_para,
    mr,
    p,
    r,
    run,
    sdt,
    table,
    tc,
    textbox,
    tr,
    vml_textbox,
)

_WORDS = 'alpha Beta γάμμα 数据 [^1] <table> </sup> &lt;cite a|b "q" \\n don\'t x² 1.2 ﬁ e\u0301 _x0041_ 𝒳 العربية # - $5'.split()


class RandomDocx:
    """One document; the same seed gives the same bytes."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.count = 0
        self.footnotes: dict[int, str] = {}
        self.endnotes: dict[int, str] = {}
        self.comments: dict[int, str] = {}

    def bytes(self) -> bytes:
        body = self.blocks(self.random.randint(3, 12), 0)
        rnd = self.random
        return docx(
            body,
            footnotes=self.footnotes or None,
            endnotes=self.endnotes or None,
            comments=self.comments or None,
            headers={"default": self.blocks(1, 2)} if rnd.random() < 0.3 else None,
            footers={"first": self.blocks(1, 2)} if rnd.random() < 0.3 else None,
            strict=rnd.random() < 0.1,
        )

    def words(self) -> str:
        self.count += 1
        rnd = self.random
        return " ".join([f"w{self.count}", *(rnd.choice(_WORDS) for _ in range(rnd.randint(0, 3)))])

    def blocks(self, number: int, depth: int) -> str:
        return "".join(self.block(depth) for _ in range(number))

    def block(self, depth: int) -> str:
        rnd = self.random
        kinds = ["paragraph"] * 8 + ["heading", "list", "math", "caption", "loose"]
        if depth < 3:
            kinds += ["table", "table", "sdt", "custom", "ins", "del", "alternate", "movefrom"]
        kind = rnd.choice(kinds)
        if kind == "paragraph":
            marked = rnd.choice(("", "", "", '<w:rPr><w:del w:id="7"/></w:rPr>', '<w:rPr><w:ins w:id="8"/></w:rPr>'))
            return p(*self.inlines(rnd.randint(0, 4), depth), ppr=marked)
        if kind == "heading":
            return heading(rnd.randint(1, 9), *self.inlines(rnd.randint(1, 2), 3))
        if kind == "list":
            return li(self.words(), rnd.choice((1, 2)), rnd.randint(0, 3))
        if kind == "math":
            return p(*self.inlines(rnd.randint(0, 1), 3), math_para(*(self.math() for _ in range(rnd.randint(1, 2)))))
        if kind == "caption":
            return p(f"Table {self.count} ", self.words(), style="Caption")
        if kind == "loose":
            return r(self.words()) if depth == 0 else p(r(self.words()))
        if kind == "table":
            return self.table(depth + 1)
        inner = self.blocks(rnd.randint(1, 2), depth + 1)
        if kind == "sdt":
            return sdt(inner)
        if kind == "custom":
            return f'<w:customXml w:element="x"><w:customXmlPr/>{inner}</w:customXml>'
        if kind == "ins":
            return f'<w:ins w:id="3" w:author="A">{inner}</w:ins>'
        if kind == "del":
            return f'<w:del w:id="4" w:author="A">{inner}</w:del>'
        if kind == "movefrom":
            return f'<w:moveFrom w:id="5" w:author="A">{inner}</w:moveFrom>'
        return alternate(inner, self.blocks(1, depth + 1), rnd.choice(("w14", "wps", "v", "wps w14")))

    def table(self, depth: int) -> str:
        rnd = self.random
        columns = rnd.randint(1, 3)
        rows: list[str] = []
        for _ in range(rnd.randint(1, 3)):
            cells: list[str] = []
            left = columns
            while left > 0:
                width = rnd.choice((1, 1, 1, min(2, left)))
                left -= width
                span = f'<w:gridSpan w:val="{width}"/>' if width > 1 else ""
                merge = rnd.choice(("", "", "", '<w:vMerge w:val="restart"/>', "<w:vMerge/>"))
                change = rnd.choice(("", "", "", "", '<w:cellDel w:id="9"/>', '<w:cellIns w:id="9"/>'))
                content = self.blocks(rnd.randint(0, 2), depth) or "<w:p/>"
                cell = tc(content, span + merge + change)
                cells.append(sdt(cell) if rnd.random() < 0.1 else cell)
            row = tr(*cells, pr=rnd.choice(("", "", "", "<w:tblHeader/>", '<w:del w:id="1"/>', '<w:ins w:id="1"/>')))
            rows.append(rnd.choice((row, row, row, sdt(row), alternate(row, "", "w14"))))
        return table(rows, columns)

    def inlines(self, number: int, depth: int) -> list[str]:
        return [self.inline(depth) for _ in range(number)]

    def inline(self, depth: int) -> str:
        rnd = self.random
        kinds = ["run"] * 8 + ["marked", "hidden", "sym", "field", "simple", "link", "break", "math", "ruby"]
        if depth < 3:
            kinds += [
                "box",
                "vml",
                "ins",
                "del",
                "sdt",
                "alternate",
                "footnote",
                "endnote",
                "comment",
                "movefrom",
                "smart",
            ]
        kind = rnd.choice(kinds)
        if kind == "run":
            return r(f"{self.words()} ")
        if kind == "marked":
            marks = ("<w:b/>", "<w:i/>", '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>')
            return r(self.words(), rnd.choice(marks))
        if kind == "hidden":
            return r(self.words(), rnd.choice(("<w:vanish/>", '<w:vanish w:val="0"/>')))
        if kind == "sym":
            return run('<w:sym w:font="Symbol" w:char="F061"/>')
        if kind == "break":
            return run("<w:tab/><w:br/><w:noBreakHyphen/><w:softHyphen/><w:cr/>")
        if kind == "field":
            return field(rnd.choice(("REF x", "SEQ Table", "PAGE", 'HYPERLINK "u"', "TOC")), *self.inlines(1, 3))
        if kind == "simple":
            return f'<w:fldSimple w:instr="SEQ Figure">{r(self.words())}</w:fldSimple>'
        if kind == "link":
            return f'<w:hyperlink w:anchor="a">{r(self.words())}</w:hyperlink>'
        if kind == "math":
            return self.math()
        if kind == "ruby":
            return run(
                f"<w:ruby><w:rubyPr/><w:rt>{r('read')}</w:rt><w:rubyBase>{r(self.words())}</w:rubyBase></w:ruby>"
            )
        if kind == "footnote":
            return self.note(self.footnotes, "footnote")
        if kind == "endnote":
            return self.note(self.endnotes, "endnote")
        if kind == "comment":
            return self.note(self.comments, "comment")
        if kind == "box":
            return run(textbox(self.blocks(rnd.randint(1, 2), depth + 1)))
        if kind == "vml":
            return run(vml_textbox(self.blocks(rnd.randint(1, 2), depth + 1)))
        inner = "".join(self.inlines(rnd.randint(1, 2), depth + 1))
        if kind == "ins":
            return f'<w:ins w:id="1" w:author="A">{inner}</w:ins>'
        if kind == "del":
            return f'<w:del w:id="1" w:author="A">{inner}</w:del>'
        if kind == "movefrom":
            return f'<w:moveFrom w:id="1" w:author="A">{inner}</w:moveFrom>'
        if kind == "sdt":
            return sdt(inner)
        if kind == "smart":
            return f'<w:smartTag w:element="x">{inner}</w:smartTag>'
        return alternate(inner, r("other"), rnd.choice(("wps", "w14", "v")))

    def note(self, notes: dict[int, str], kind: str) -> str:
        number = len(notes) + 1
        notes[number] = ""
        notes[number] = self.blocks(1, 3)
        return run(f'<w:{kind}Reference w:id="{number}"/>')

    def math(self, depth: int = 0) -> str:
        rnd = self.random

        def part(level: int) -> str:
            kind = rnd.choice(("run", "run", "f", "sup", "rad", "d", "nary")) if level < 2 else "run"
            if kind == "run":
                return mr(rnd.choice(("x", "12", "α", "+", "=", "sin", "ab", "∑", "𝑥", "ℝ", "%", "_", "\\", "{")))
            one, two = part(level + 1), part(level + 1)
            if kind == "f":
                return f"<m:f><m:num>{one}</m:num><m:den>{two}</m:den></m:f>"
            if kind == "sup":
                return f"<m:sSup><m:e>{one}</m:e><m:sup>{two}</m:sup></m:sSup>"
            if kind == "rad":
                return f"<m:rad><m:deg>{one}</m:deg><m:e>{two}</m:e></m:rad>"
            if kind == "d":
                return f"<m:d><m:e>{one}</m:e><m:e>{two}</m:e></m:d>"
            return f"<m:nary><m:sub>{one}</m:sub><m:sup/><m:e>{two}</m:e></m:nary>"

        return math("".join(part(0) for _ in range(rnd.randint(1, 3))))
