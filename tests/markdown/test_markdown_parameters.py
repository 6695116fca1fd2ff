"""Engine parameters of markdown as the caller hears of them."""

from __future__ import annotations

from pathlib import Path

from lrdoc.app import App
from lrdoc.configuration import Choices


def test_smart_heading_is_ignored_and_that_is_said_once(tmp_path: Path) -> None:
    source = tmp_path / "a.md"
    source.write_text("# A\n")
    app = App.load(Choices(engine="native(smart_heading=true)", options=None, rules=None, env_file=None))
    parsed = app.parse(source, tmp_path / "a.parsed")
    assert [w.code for w in parsed.warnings] == ["parameter_ignored"]
    assert "smart_heading" in parsed.warnings[0].message
