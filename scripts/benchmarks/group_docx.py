"""The reference docx against the floor: unzip and parse all XML, touching nothing."""

from __future__ import annotations

from pathlib import Path

import inputs
import measure
import peers as other_programs
from report import Line


def run(folder: Path, quick: bool, peers: bool) -> list[Line]:
    name, make = ("small.docx", inputs.small) if quick else ("large.docx", inputs.large)
    source = str(inputs.prepared(folder, name, make))
    runs = 1 if quick else 5
    floor = measure.measure("work", "floor", source, runs=runs)
    touch = measure.measure("work", "touch", source, runs=runs)
    ours = measure.measure("work", "parse", source, runs=runs)
    ratio = ours.seconds / floor.seconds
    lines = [
        Line("docx", f"{name}: floor", floor.seconds, floor.peak_mib),
        Line("docx", f"{name}: touch", touch.seconds, touch.peak_mib, touch.seconds / floor.seconds, "floor"),
        Line(
            "docx",
            f"{name}: lrdoc",
            ours.seconds,
            ours.peak_mib,
            ratio,
            "floor",
            limit="≤ 10×, ≤ 100 MiB",
            ok=quick or (ratio <= 10 and ours.peak_mib <= 100),
            note="goal 8×",
        ),
    ]
    if peers:
        for peer, measured in other_programs.parse_docx(source, runs):
            times = measured.seconds / floor.seconds
            lines.append(Line("docx", f"{name}: {peer}", measured.seconds, measured.peak_mib, times, "floor"))
    return lines
