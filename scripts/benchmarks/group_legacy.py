"""The plain-text engine beside plain libraries."""

from __future__ import annotations

from pathlib import Path

import inputs
import measure
from report import Line


def run(folder: Path, quick: bool, peers: bool) -> list[Line]:
    scale = 50 if quick else 1
    runs = 1 if quick else 3
    lines: list[Line] = []
    for name, make, peer, most, most_mib in (
        (f"text{500 // scale}.pdf", inputs.text_pdf(500 // scale), "pdfium", 2.5, None),
        (f"rows{100_000 // scale}.xlsx", inputs.workbook(100_000 // scale), "openpyxl", 1.0, 120),
        (f"deck{max(50 // scale, 2)}.pptx", inputs.deck(max(50 // scale, 2)), "python-pptx", 1.5, None),
    ):
        source = str(inputs.prepared(folder, name, make))
        theirs = measure.measure("work_legacy", peer, source, runs=runs)
        ours = measure.measure("work_legacy", "ours", source, runs=runs)
        ratio = ours.seconds / theirs.seconds if theirs.seconds else 0.0
        fits = ratio <= most and (most_mib is None or ours.peak_mib <= most_mib)
        limit = f"≤ {most}×" + (f", ≤ {most_mib} MiB" if most_mib else "")
        lines += [
            Line("legacy", f"{name}: {peer}", theirs.seconds, theirs.peak_mib),
            Line("legacy", f"{name}: lrdoc", ours.seconds, ours.peak_mib, ratio, peer, limit, quick or fits),
        ]
    if not quick:
        source = str(inputs.prepared(folder, "page5.html", inputs.html_5mb))
        ours = measure.measure("work_legacy", "ours", source, runs=runs)
        fits = ours.seconds <= 0.5
        lines.append(Line("legacy", "5 MB html: lrdoc", ours.seconds, ours.peak_mib, limit="≤ 0.5 s", ok=fits))
    return lines
