"""`lrdoc export DIR --to FORMAT`: the document of a parsed folder as one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import click

from lrdoc.cli.chunk import chunk_page
from lrdoc.cli.common import PathType, debug_option, env_file_option
from lrdoc.errors import UsageError
from lrdoc.export import FORMATS, export
from lrdoc.sidecar.commit import replace_file
from lrdoc.sidecar.read import read_folder

EPILOG = """\b
Examples:
  lrdoc export __parsed__/report.docx.parsed --to markdown
  lrdoc export __parsed__/report.docx.parsed --to html -o report.html
  lrdoc export __parsed__/report.docx.parsed --to html --chunks P -o chunks.html
"""


@click.command("export", epilog=EPILOG)
@click.argument("folder", metavar="DIR", type=PathType(path_type=Path, file_okay=False, exists=True))
@click.option("--to", required=True, type=click.Choice(FORMATS), help="Format of the result.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=PathType(path_type=Path, dir_okay=False),
    help="Write to FILE instead of stdout.",
)
@click.option(
    "--regions", is_flag=True, help="Also headers, footers, comments: behind the body (json always has them)."
)
@click.option("--chunks", metavar="S", help="With html: show the chunks of a strategy (F, R, V, P), details on hover.")
@click.option("--set", "chunk_settings", metavar="K=V", multiple=True, help="With --chunks: an option of the strategy.")
@env_file_option
@debug_option
def command(
    folder: Path,
    to: str,
    output: Path | None,
    regions: bool,
    chunks: str | None,
    chunk_settings: tuple[str, ...],
    env_file: Path | None,
    debug: bool,
) -> int:
    """Write the document of a parsed folder as markdown, html, text or json.

    html is one self-contained page: pictures are in it and equations are MathML. markdown links to the pictures in the
    folder.
    """
    if chunks is not None or chunk_settings:
        if to != "html" or chunks is None:
            raise UsageError("--chunks needs --to html and a strategy", hint="Write --to html --chunks P.")
        _write(output, chunk_page(folder, chunks, chunk_settings, env_file))
        return 0
    parsed = read_folder(folder)
    seen_from = output.parent if output is not None else Path()
    try:
        assets_path = PurePosixPath(Path(os.path.relpath(parsed.assets, seen_from)).as_posix())
    except ValueError:  # another drive on Windows
        assets_path = PurePosixPath(parsed.assets.resolve().as_posix())
    pieces = export(parsed, to, regions=regions, assets_path=assets_path)
    _write(output, pieces)
    return 0


def _write(output: Path | None, pieces: Iterator[str]) -> None:
    if output is not None:
        replace_file(output, (piece.encode() for piece in pieces))
        return
    for piece in pieces:
        click.echo(piece, nl=False)
