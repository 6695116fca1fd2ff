"""Tables of values separated by commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import io

from lrdoc.document import Source
from lrdoc.errors import LimitExceeded, SourceError
from lrdoc.parsers.base import SourceFile
from lrdoc.parsers.legacy.output import TextOut, clean_pieces
from lrdoc.parsers.legacy.plain import read_text

_DELIMITERS = ",;\t|:"
_SAMPLE_CHARS = 65536
_MAX_FIELD = 100_000_000


def read_csv(source: SourceFile, out: TextOut) -> str:
    """Rows as lines, cells separated by tabs; line breaks inside a cell become blanks."""
    text = "".join(clean_pieces(read_text(source, out), out.context))
    text, delimiter = _declared(text)
    delimiter = delimiter or guess_delimiter(text[:_SAMPLE_CHARS])
    out.warn("csv_delimiter", f"Cells are separated by {_name(delimiter)}.")
    limit = out.settings.max_cells
    previous = csv.field_size_limit(_MAX_FIELD)
    cells = 0
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        first = 1
        for row in reader:
            where = Source(lines=(first, reader.line_num + 1))
            first = reader.line_num + 1
            cells += len(row)
            if 0 < limit < cells:
                raise LimitExceeded(
                    f"{source.name} has more than {limit} cells",
                    limit="LEGACY_MAX_CELLS",
                    hint="Raise LEGACY_MAX_CELLS if the file is meant to be that large.",
                )
            out.row(row, where)
    except csv.Error as error:
        raise SourceError(
            f"{source.name} is not a table of values: {error}", hint="Rename it to .txt to take it as it is."
        ) from error
    finally:
        csv.field_size_limit(previous)
    return ""


def _declared(text: str) -> tuple[str, str | None]:
    """Excel's own first line "sep=;" is an instruction, not data."""
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep=") and len(first) == 5:
        return rest, first[4]
    return text, None


def guess_delimiter(sample: str) -> str:
    """The separator that gives the most even rows with more than one cell; a comma when none does."""
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        rows = []
        try:
            for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
                if row:
                    rows.append(len(row))
                if len(rows) == 50:
                    break
        except csv.Error:
            continue
        if len(rows) > 1 and len(sample) == _SAMPLE_CHARS and len(rows) < 50:
            rows.pop()
        if not rows:
            continue
        usual = max(set(rows), key=lambda n: (rows.count(n), n))
        if usual < 2:
            continue
        score = rows.count(usual) / len(rows) + min(usual, 20) / 1000
        if delimiter == ":":
            score -= 0.3  # times and addresses hold colons
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _name(delimiter: str) -> str:
    return {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", ":": "colons"}.get(delimiter, repr(delimiter))
