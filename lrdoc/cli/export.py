"""`lrdoc export DIR --to FORMAT`: the document of a parsed folder as one file."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import click

from lrdoc.cli.common import debug_option
from lrdoc.export import FORMATS, export
from lrdoc.sidecar.commit import replace_file
from lrdoc.sidecar.read import read_folder

EPILOG = """\b
Examples:
  lrdoc export __parsed__/report.docx.parsed --to markdown
  lrdoc export __parsed__/report.docx.parsed --to html -o report.html
"""


@click.command("export", epilog=EPILOG)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--to", required=True, type=click.Choice(FORMATS), help="Format of the result.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to FILE instead of stdout.",
)
@click.option(
    "--regions", is_flag=True, help="Also headers, footers, comments: behind the body (json always has them)."
)
@debug_option
def command(folder: Path, to: str, output: Path | None, regions: bool, debug: bool) -> int:
    """Write the document of a parsed folder as markdown, html, text or json.

    html is one self-contained page: pictures are in it and equations are MathML. markdown links to the pictures in the
    folder.
    """
    parsed = read_folder(folder)
    seen_from = output.parent if output is not None else Path()
    try:
        assets_path = PurePosixPath(Path(os.path.relpath(parsed.assets, seen_from)).as_posix())
    except ValueError:  # another drive on Windows
        assets_path = PurePosixPath(parsed.assets.resolve().as_posix())
    pieces = export(parsed, to, regions=regions, assets_path=assets_path)
    if output is not None:
        replace_file(output, (piece.encode() for piece in pieces))
        return 0
    for piece in pieces:
        click.echo(piece, nl=False)
    return 0
