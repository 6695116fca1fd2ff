"""Markdown beside the grammar library alone, which parses the same text and keeps its tokens.

The library passes HTML on unread. Texts that are all HTML are therefore measured beside the library and Python's own
HTML parser together.
"""

from __future__ import annotations

from pathlib import Path

import inputs
import measure
from report import Line

LIMIT = 1.8


def run(folder: Path, quick: bool, peers: bool) -> list[Line]:
    size = 100_000 if quick else 5_000_000
    runs = 1 if quick else 3
    lines: list[Line] = []
    for what, make, peer in (
        ("mixed", inputs.markdown_mixed(size), "grammar"),
        ("HTML blocks", inputs.markdown_html(size), "grammar_html"),
        ("HTML tables", inputs.markdown_html_tables(size), "grammar_html"),
    ):
        source = str(inputs.prepared(folder, f"{what.replace(' ', '_')}{size}.md", make))
        theirs = measure.measure("work", peer, source, runs=runs)
        ours = measure.measure("work", "markdown", source, runs=runs)
        ratio = ours.seconds / theirs.seconds if theirs.seconds else 0.0
        named = "markdown-it" if peer == "grammar" else "markdown-it and html.parser"
        limit, fits = f"≤ {LIMIT}×", quick or ratio <= LIMIT
        lines += [
            Line("markdown", f"{what}, {size} characters: {named}", theirs.seconds, theirs.peak_mib),
            Line("markdown", f"{what}: lrdoc", ours.seconds, ours.peak_mib, ratio, named, limit, fits),
        ]
    return lines
