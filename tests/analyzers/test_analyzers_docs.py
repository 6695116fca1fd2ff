"""What docs/analysis.md shows works."""

from __future__ import annotations

import re
from pathlib import Path

from analysis_folder import statuses, write_folder

PAGE = Path(__file__).resolve().parents[2] / "docs" / "analysis.md"


def test_the_example_with_the_stand_in_model_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    table = {"blockid": "b1", "format": "json", "content": '[["a"], ["1"]]', "caption": "Cap"}
    folder = write_folder(tmp_path / "d.parsed", blocks={"b1": "x"}, tables={"tb-1": table})
    (prompt,) = names["explain"](folder)  # type: ignore[operator]
    assert "Caption: Cap" in prompt and statuses(folder, "tables") == {"tb-1": "success"}


def test_the_page_names_every_variable_of_the_stage() -> None:
    from lrdoc.analyzers.settings import AnalysisSettings
    from lrdoc.variables import variables_of

    page = PAGE.read_text("utf-8")
    assert [v.name for v in variables_of(AnalysisSettings).values() if v.name not in page] == []
