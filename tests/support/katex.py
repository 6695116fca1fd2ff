"""KaTeX as a judge of LaTeX: does it compile, strictly?

`scripts/_judges` installs it in build/judge. By hand: `npm install katex` in any folder, and LRDOC_KATEX set to that
folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

_SCRIPT = """
import katex from %s;
import fs from 'fs';
const formulas = JSON.parse(fs.readFileSync(0, 'utf8'));
const lenient = code => code === 'unknownSymbol' ? 'ignore' : 'error';
const strict = process.env.LRDOC_KATEX_LENIENT ? lenient : 'error';
const options = {strict, throwOnError: true, displayMode: true, output: 'mathml'};
const answers = formulas.map(formula => {
    try { katex.renderToString(formula, options); return ''; } catch (error) { return error.message; }
});
fs.writeFileSync(1, JSON.stringify(answers));
"""


def katex_module() -> Path | None:
    """The module file of an installed KaTeX, None when there is none (or no node to run it)."""
    folders = [Path(__file__).resolve().parents[2] / "build" / "judge"]
    if os.environ.get("LRDOC_KATEX"):
        folders.insert(0, Path(os.environ["LRDOC_KATEX"]))
    if shutil.which("node") is None:
        return None
    for folder in folders:
        module = folder / "node_modules" / "katex" / "dist" / "katex.mjs"
        if module.is_file():
            return module
    return None


def compile_errors(formulas: Sequence[str], *, allow_unknown_signs: bool = False) -> list[str]:
    """For each formula what KaTeX says against it, "" for nothing. One process for all of them."""
    module = katex_module()
    if module is None:
        raise FileNotFoundError("KaTeX is not installed: run scripts/_judges, or set LRDOC_KATEX")
    done = subprocess.run(
        ["node", "--input-type=module", "-e", _SCRIPT % json.dumps(module.as_uri())],
        input=json.dumps(list(formulas)),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        env={**os.environ, "LRDOC_KATEX_LENIENT": "1" if allow_unknown_signs else ""},
        check=True,
    )
    answers: list[str] = json.loads(done.stdout)
    return answers
