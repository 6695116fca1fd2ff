"""The code of docs/howto/add-a-chunker.md runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "add-a-chunker.md"


def test_the_function_of_the_page_cuts_by_paragraph(capsys: pytest.CaptureFixture[str]) -> None:
    (code, kit) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == "[((0, 14),), ((16, 28),)]\n"
    compile(re.sub(r"^ {3}", "", kit, flags=re.MULTILINE), str(PAGE), "exec")
