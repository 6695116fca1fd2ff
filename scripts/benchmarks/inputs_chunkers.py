"""Texts and blocks for the chunkers, the same on every machine."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

ENGLISH = (
    "parser index policy graph system engine equation sidecar answer table document query chunk model queue data "
    "server memory budget user image context prompt worker edge storage node vector layout retrieval window cache "
    "the of and to in is for with that by from which are can not between through"
).split()
CHINESE = (
    "数据处理系统需要对文档进行解析并且把表格图片公式写入侧车文件然后按照标题层级切分段落保持语义完整避免跨主题污染"
)


def mixed_markdown(n_bytes: int, seed: int = 7) -> str:
    """Markdown in English and Chinese: headings, paragraphs, lists, code."""
    rnd = random.Random(seed)
    parts: list[str] = []
    numbers = [0, 0, 0]
    size = 0
    while size < n_bytes:
        kind = rnd.random()
        if kind < 0.12:
            level = rnd.randint(1, 3)
            numbers[level - 1] += 1
            label = ".".join(map(str, numbers[:level]))
            part = f"{'#' * level} {label} {' '.join(rnd.choices(ENGLISH, k=rnd.randint(2, 6))).title()}"
        elif kind < 0.75:
            part = " ".join(
                " ".join(rnd.choices(ENGLISH, k=rnd.randint(6, 18))).capitalize() + rnd.choice("...?!")
                for _ in range(rnd.randint(2, 9))
            )
        elif kind < 0.92:
            part = ""
            for _ in range(rnd.randint(2, 8)):
                start = rnd.randint(0, 30)
                part += CHINESE[start : start + rnd.randint(8, 24)] + rnd.choice("。。！？；，")
        elif kind < 0.97:
            part = "\n".join("- " + " ".join(rnd.choices(ENGLISH, k=rnd.randint(3, 10))) for _ in range(5))
        else:
            lines = (f"    {rnd.choice(ENGLISH)} = {rnd.choice(ENGLISH)}({rnd.randint(0, 9999)})" for _ in range(6))
            part = "```python\n" + "\n".join(lines) + "\n```"
        parts.append(part)
        size += len(part.encode()) + 2
    return "\n\n".join(parts)


def blocks_of(text: str) -> list[dict[str, Any]]:
    """Content lines: one per heading of the markdown."""
    lines: list[dict[str, Any]] = []
    above: list[tuple[int, str]] = []
    for part in text.split("\n\n"):
        level = len(part) - len(part.lstrip("#"))
        if level or not lines:
            name = part.lstrip("# ") if level else ""
            while above and above[-1][0] >= level:
                above.pop()
            parents = [heading for _, heading in above]
            row = {"type": "content", "blockid": f"b{len(lines)}", "heading": name, "level": level}
            lines.append({**row, "parent_headings": parents, "content": part})
            above.append((level, name))
        else:
            lines[-1]["content"] += "\n" + part
    return lines


def table_block(rows: int) -> list[dict[str, Any]]:
    rnd = random.Random(3)
    grid = [["No", "Name", "Value", "Note"]]
    grid += [[str(i), f"item {i}", str(rnd.randint(1, 9999)), " ".join(rnd.choices(ENGLISH, k=6))] for i in range(rows)]
    body = json.dumps(grid, ensure_ascii=False)
    content = f'# Inventory\nThe table.\n<table id="tb-0001" format="json">{body}</table>\nAfter it.'
    return [_block("Inventory", content)]


def ideal_blocks(count: int) -> list[dict[str, Any]]:
    """Blocks of about three quarters of 200 tokens, each too large to be merged."""
    rnd = random.Random(4)
    return [
        _block(f"Section {i}", f"# Section {i}\n" + " ".join(rnd.choices(ENGLISH, k=155)) + ".", i)
        for i in range(count)
    ]


def short_lines(count: int) -> list[dict[str, Any]]:
    """One block of short lines, all of which could be headings."""
    rnd = random.Random(5)
    return [_block("Lines", "# Lines\n" + "\n".join(" ".join(rnd.choices(ENGLISH, k=4)) for _ in range(count)))]


def _block(heading: str, content: str, number: int = 0) -> dict[str, Any]:
    return {
        "type": "content",
        "blockid": f"b{number}",
        "heading": heading,
        "level": 1,
        "parent_headings": [],
        "content": content,
    }


def no_separator(length: int) -> str:
    """One word."""
    rnd = random.Random(6)
    return "".join(rnd.choices("0123456789abcdef", k=length))


def one_line(length: int) -> str:
    """Words without a line end."""
    rnd = random.Random(8)
    words = " ".join(rnd.choices(ENGLISH, k=length // 5))
    return words[:length]


def write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def write_blocks(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
