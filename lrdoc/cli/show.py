"""`lrdoc show DIR`: what is in a parsed folder, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lrdoc.cli.common import PathType, counts_to_text, debug_option, env_file_option, json_option, to_json
from lrdoc.cli.preview import clip, describe
from lrdoc.document import Drawing, Item, Table, iter_items, kind_of, plain_text
from lrdoc.export.html_tables import html_to_rows
from lrdoc.sidecar.names import ITEM_ROOT
from lrdoc.sidecar.read import ParsedFolder, read_folder

EPILOG = """\b
Examples:
  lrdoc show __parsed__/report.docx.parsed
  lrdoc show __parsed__/report.docx.parsed --json
"""
SHOWN_ROWS = 6
SHOWN_COLUMNS = 8
CELL_WIDTH = 18


@click.command("show", epilog=EPILOG)
@click.argument("folder", metavar="DIR", type=PathType(path_type=Path, file_okay=False, exists=True))
@json_option
@env_file_option
@debug_option
def command(folder: Path, as_json: bool, env_file: Path | None, debug: bool) -> int:
    """Show outline, tables and items of a parsed folder."""
    parsed = read_folder(folder)
    record = summary(parsed)
    if as_json:
        click.echo(to_json(record))
        return 0
    for line in to_lines(parsed, record):
        click.echo(clip(line))
    return 0


def summary(parsed: ParsedFolder) -> dict[str, Any]:
    """What --json prints."""
    document, info = parsed.document, parsed.info
    ids = iter(parsed.item_ids)
    record: dict[str, Any] = {
        "document_name": info.document_name,
        "document_format": document.format,
        "title": document.title,
        "doc_id": info.doc_id,
        "parse_engine": info.stored_engine or info.parse_engine,
        "process_options": info.process_options,
        "parse_time": info.parse_time,
        "source": {"name": info.source.name, "bytes": info.source.bytes, "sha256": info.source.sha256},
        "attributes": document.attributes,
        "blocks": [],
        "regions": [],
        "tables": [],
        "drawings": [],
        "equations": [],
        "warnings": [{"code": w.code, "message": w.message, "where": w.where} for w in document.warnings],
    }
    for name, blocks in (("blocks", document.blocks), ("regions", document.regions)):
        for n, block in enumerate(blocks):
            record[name].append(
                {
                    "level": block.level,
                    "heading": block.heading,
                    "region": block.region,
                    "characters": len(plain_text(block.parts)),
                    "notes": len(block.notes),
                }
            )
            for parts in (block.parts, *(note.parts for note in block.notes)):
                for item in iter_items(parts):
                    told = describe_item(item, next(ids, ""), n if name == "blocks" else None)
                    record[ITEM_ROOT[kind_of(item)]].append(told)
    return record


def describe_item(item: Item, item_id: str, block: int | None) -> dict[str, Any]:
    """`block` is the number of the block from 0; None outside the body."""
    told: dict[str, Any] = {"id": item_id, "block": block, "caption": item.caption}
    if isinstance(item, Table):
        rows, columns = dimension(item)
        told |= {"rows": rows, "columns": columns, "header_rows": item.header_rows}
        told |= {"format": "json" if item.html is None else "html", "preview": preview(item)}
    elif isinstance(item, Drawing):
        told |= {"format": item.format, "asset": item.asset.name if item.asset is not None else None}
        told |= {"bytes": item.asset.size if item.asset is not None else None, "src": item.src}
    else:
        told["latex"] = item.latex
    return told


def dimension(table: Table) -> tuple[int, int]:
    if table.html is not None:
        return table.dimension or (0, 0)
    return len(table.rows), max(map(len, table.rows), default=0)


def preview(table: Table) -> list[list[str]]:
    """The first rows and columns as short texts."""
    if table.html is not None:
        rows = html_to_rows(table.html)[:SHOWN_ROWS]
    else:
        rows = [["" if cell is None else plain_text(cell.parts) for cell in row] for row in table.rows[:SHOWN_ROWS]]
    return [[shorten(" ".join(text.split())) for text in row[:SHOWN_COLUMNS]] for row in rows]


def shorten(text: str) -> str:
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 1] + "…"


def to_lines(parsed: ParsedFolder, record: dict[str, Any]) -> Iterator[str]:
    """The summary for people."""
    document = parsed.document
    counts = {"block": len(record["blocks"]), "region": len(record["regions"]), "table": len(record["tables"])}
    counts |= {"drawing": len(record["drawings"]), "equation": len(record["equations"])}
    counts |= {"warning": len(record["warnings"])}
    yield f"{record['document_name']}: {counts_to_text(counts)}"
    yield f"title: {record['title']}"
    yield f"engine: {record['parse_engine']}, {record['parse_time']}"
    if record["source"]["name"]:
        yield f"source: {record['source']['name']}, {record['source']['bytes']:,} bytes"
    yield "outline:"
    yield from (f"  {describe(block)}" for block in document.blocks)
    if document.regions:
        yield "outside the body:"
        yield from (f"  {block.region}: {describe(block)}" for block in document.regions)
    for table in record["tables"]:
        yield f"table {table['id']}: {table['rows']} × {table['columns']}{_caption(table)}"
        widths = [max(map(len, column)) for column in zip(*table["preview"], strict=False)]
        for row in table["preview"]:
            yield "  | " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=False))
        if table["rows"] > SHOWN_ROWS:
            yield f"  … {table['rows'] - SHOWN_ROWS} rows more"
    for drawing in record["drawings"]:
        stored = (
            f"{drawing['asset']}, {drawing['bytes']:,} bytes" if drawing["asset"] else drawing["src"] or "not stored"
        )
        yield f"drawing {drawing['id']}: {stored}{_caption(drawing)}"
    for equation in record["equations"]:
        yield f"equation {equation['id']}: {' '.join(equation['latex'].split())}{_caption(equation)}"
    for warning in record["warnings"]:
        place = f" ({warning['where']})" if warning["where"] else ""
        yield f"warning {warning['code']}{place}: {warning['message']}"


def _caption(item: dict[str, Any]) -> str:
    return f" · {item['caption']}" if item["caption"] else ""
