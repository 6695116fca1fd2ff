"""The .env file: the forms that people and tools write."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrdoc.env_file import MAX_BYTES, find_env_file, parse_env_file
from lrdoc.errors import SettingsError

FILE = Path(".env")


def read(text: str) -> dict[str, str]:
    return {name: value for name, (value, _) in parse_env_file(text, FILE).values.items()}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("A = b c ", "b c"),
        ("export A=b", "b"),
        ("A=", ""),
        ("A=b # a remark", "b"),
        ("A=# a remark", ""),
        ("A=b#c", "b#c"),
        ('A="b # c"', "b # c"),
        ('A="b" # a remark', "b"),
        (r'A="b\nc\"d"', 'b\nc"d'),
        ("A='b\\nc'", "b\\nc"),
        (r"A='it\'s'", "it's"),
        (r'A=["\n\n","。"]', r'["\n\n","。"]'),
        (r'A="(?<=[.?!])\s+"', r"(?<=[.?!])\s+"),
        ('A="never closed', '"never closed'),
        ('A="x"y', '"x"y'),
        ("A=*:native-teP;*:legacy-R", "*:native-teP;*:legacy-R"),
    ],
)
def test_one_line(line: str, value: str) -> None:
    assert read(line) == {"A": value}


def test_lines_comments_and_line_ends() -> None:
    parsed = parse_env_file("# head\r\n\r\nA=1\r\nB='x\ny'\rC=3\nA=2\n", FILE)
    assert parsed.values == {"A": ("2", 7), "B": ("x\ny", 4), "C": ("3", 6)}
    assert parsed.mistakes == ()


def test_a_line_that_is_no_setting_is_named() -> None:
    assert parse_env_file("A=1\nhello there\n", FILE).mistakes == (
        ".env line 2: expected NAME=value, found 'hello there'",
    )


@given(st.text(alphabet=st.sampled_from("AB=\"'\\ #\n\r\t字export"), max_size=60))
def test_any_text_gives_values_or_mistakes(text: str) -> None:
    parsed = parse_env_file(text, FILE)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= line <= lines for _, line in parsed.values.values())


def test_the_file_of_the_current_folder_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_env_file() is None
    Path(".env").mkdir()
    assert find_env_file() is None
    Path(".env").rmdir()
    Path(".env").write_text("A=1", "utf-8-sig")
    found = find_env_file()
    assert found is not None and found.values == {"A": ("1", 1)}
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert find_env_file() is None, "folders above are not searched"


def test_a_named_file_must_be_there_and_be_text(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not exist"):
        find_env_file(tmp_path / "missing.env")
    bad = tmp_path / "bad.env"
    bad.write_bytes(b"A=\xff")
    with pytest.raises(SettingsError, match="not UTF-8"):
        find_env_file(bad)
    bad.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(SettingsError, match="larger than"):
        find_env_file(bad)
    with pytest.raises(SettingsError, match="cannot be read"):
        find_env_file(tmp_path)
