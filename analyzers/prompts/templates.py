"""What the models are asked. Own wording; slots in braces are filled by `lrdoc.analyzers.prompts.build`."""

from __future__ import annotations

SYSTEM = (
    "You describe single items of a document for a search index. Say only what the item and its surroundings show; "
    "never guess numbers, names or causes. Keep numbers, units and proper names exactly as they stand. "
    "Write in {language}, whatever the language of the document."
)

_CONTEXT = """Where it stands: {headings}
Caption: {caption}
Notes: {footnotes}

Text before it:
{leading}

Text after it:
{trailing}
"""

DRAWING = (
    """Look at the attached picture from a document.

"""
    + _CONTEXT
    + """
Answer with a JSON object:
- "name": what the picture shows, in 3 to 8 words that somebody would search for
- "type": one of {types}
- "description": at most 500 words. First what the picture is for in this document, then what can be seen: for a chart \
its axes, series and the main values; for a diagram its parts and how they are connected; for text in the picture the \
text itself.
"""
)

TABLE = (
    """Here is a table from a document, as {format}.

"""
    + _CONTEXT
    + """
Column heads: {header}

The table:
{content}

Answer with a JSON object:
- "name": what the table is about, in 3 to 8 words that somebody would search for
- "description": at most 500 words. What a row stands for, what the columns hold and in which units, the span of the \
values, and what stands out: greatest and least, totals, gaps, changes.
"""
)

EQUATION = (
    """Here is an equation from a document, in LaTeX.

"""
    + _CONTEXT
    + """
The equation:
{content}

Answer with a JSON object:
- "name": what the equation states, in 3 to 8 words that somebody would search for
- "equation": the equation as LaTeX without surrounding dollar signs; mend obvious slips of recognition and change \
nothing else. Double every backslash, as JSON demands.
- "description": at most 300 words. What it states, what each symbol means as far as the surroundings tell, and what \
it is used for here.
"""
)

FORMATS = {
    "json": "a JSON list of rows, each a list of cells; a cell that spans several positions is repeated in each",
    "html": "an HTML table; rowspan and colspan tell which cells span several positions",
}
