"""Jupyter notebooks as LightRAG Documents. This module is imported whenever engines are listed: keep it small."""

from lrdoc.sdk import ParamSpec, ParserSpec

SPEC = ParserSpec(
    engine_name="ipynb",
    impl="lrdoc_ipynb.parser:NotebookParser",
    suffixes=frozenset({"ipynb"}),
    default_for=frozenset({"ipynb"}),
    params=(
        ParamSpec("outputs", str, "keep", "what the cells printed and drew", ("keep", "drop"), aliases=("out",)),
        ParamSpec("fences", bool, True, "mark code by lines of backquotes with its language"),
    ),
    help="Jupyter notebooks: markdown, code, outputs and their pictures",
)
