"""Reading settings classes from a mapping."""

import ast
import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_files import shared_dir

from lrdoc.env_file import parse_env_file
from lrdoc.errors import SettingsError
from lrdoc.settings import COMPONENTS, load, load_class
from lrdoc.variables import variable, variables_of

ROOT = Path(__file__).resolve().parents[2]


def read_fraction(text: str) -> float:
    above, _, below = text.partition("/")
    if not (above.isdigit() and below.isdigit() and int(below)):
        raise ValueError("expected a fraction such as 1/2")
    return int(above) / int(below)


@dataclasses.dataclass(frozen=True, slots=True)
class Sample:
    """A component's settings."""

    flag: bool = variable("T_FLAG", False, "A flag.")
    pixels: int = variable("T_PIXELS", 64, "A number.", minimum=1, maximum=100, unit="pixels")
    wait: float = variable("T_WAIT", 1.5, "Seconds.", minimum=0)
    size: int | None = variable("T_SIZE", None, "May be unset.")
    mode: str = variable("T_MODE", "local", "A word.", choices=("local", "official"))
    names: tuple[str, ...] = variable("T_NAMES", (), "A list.")
    folder: Path = variable("T_FOLDER", Path("in"), "A folder.")
    part: float = variable("T_PART", 0.5, "A fraction.", parse=read_fraction)
    polls: int = variable("T_POLLS", 10, "Lenient.", lenient=True, minimum=1)
    token: str = variable("T_TOKEN", "", "A secret.", choices=("", "a"), secret=True)


def read(**environ: str) -> Sample:
    return load(environ, extra=[f"{Sample.__module__}:Sample"]).of(Sample)


def test_nothing_set_gives_the_defaults() -> None:
    assert read() == Sample()


def test_blank_means_unset() -> None:
    assert read(T_PIXELS=" ", T_MODE="", T_NAMES="", T_FLAG="") == Sample()


def test_values_of_every_kind() -> None:
    sample = read(
        T_FLAG="Yes", T_PIXELS=" 7 ", T_WAIT="2", T_SIZE="None", T_MODE="official", T_NAMES="a, b,,c", T_FOLDER="x/y",
        T_PART="1/4",
    )  # fmt: skip
    assert sample == Sample(True, 7, 2.0, None, "official", ("a", "b", "c"), Path("x/y"), 0.25)


@pytest.mark.parametrize("word", ["1", "true", "YES", "on", "t", "y"])
def test_words_for_yes(word: str) -> None:
    assert read(T_FLAG=word).flag is True


@pytest.mark.parametrize("word", ["0", "false", "NO", "off", "f", "n"])
def test_words_for_no(word: str) -> None:
    assert read(T_FLAG=word).flag is False


def test_all_mistakes_are_reported_together_with_value_and_what_is_allowed() -> None:
    with pytest.raises(SettingsError) as e:
        read(T_FLAG="maybe", T_PIXELS="0", T_WAIT="nan", T_MODE="cloud", T_PART="half", T_SIZE="1_0", T_TOKEN="s3cret")
    assert e.value.message.splitlines() == [
        "7 settings cannot be used:",
        "  T_FLAG=maybe: expected true or false (also 1, yes, on, 0, no, off)",
        "  T_PIXELS=0: expected a whole number of at least 1 and at most 100 (pixels)",
        "  T_WAIT=nan: expected a number of at least 0",
        "  T_SIZE=1_0: expected a whole number",
        "  T_MODE=cloud: expected one of local, official",
        "  T_PART=half: expected a fraction such as 1/2",
        "  T_TOKEN=…: expected one of , a",
    ]


def test_a_lenient_variable_falls_back_with_a_warning() -> None:
    settings = load({"T_POLLS": "-3"}, extra=[f"{Sample.__module__}:Sample"])
    assert settings.of(Sample).polls == 10
    assert settings.warnings == ("T_POLLS=-3: expected a whole number of at least 1; the default 10 is used",)


def test_the_environment_wins_over_the_file_and_the_file_is_named_in_mistakes() -> None:
    file = parse_env_file("T_PIXELS=5\nT_WAIT=x\nT_MODE=y\n", Path("my.env"))
    with pytest.raises(SettingsError) as e:
        load({"T_MODE": "local"}, file, [f"{Sample.__module__}:Sample"])
    assert e.value.message == "A setting cannot be used:\n  T_WAIT=x (my.env line 2): expected a number of at least 0"
    settings = load({"T_WAIT": "3", "T_MODE": ""}, file, [f"{Sample.__module__}:Sample"])
    sample = settings.of(Sample)
    assert (sample.pixels, sample.wait, sample.mode) == (5, 3.0, "local")
    assert settings.environ["T_PIXELS"] == "5"


@given(st.dictionaries(st.sampled_from([v.name for v in variables_of(Sample).values()]), st.text(max_size=40)))
def test_any_values_give_settings_or_a_settings_error(environ: dict[str, str]) -> None:
    try:
        load(environ, extra=[f"{Sample.__module__}:Sample"])
    except SettingsError as e:
        assert "cannot be used" in e.message


def test_the_table_names_settings_classes_with_help_on_every_variable() -> None:
    for impl in COMPONENTS:
        cls = load_class(impl)
        assert dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen, impl  # type: ignore[attr-defined]
        variables = variables_of(cls)
        assert set(variables) == {f.name for f in dataclasses.fields(cls)}, impl
        for found in variables.values():
            assert found.help, f"{impl}: {found.name} has no help"


def test_the_table_tells_how_the_names_of_a_class_begin() -> None:
    """Else a wrong value of a class that is not loaded would go unnoticed."""
    for impl, beginnings in COMPONENTS.items():
        for found in variables_of(load_class(impl)).values():
            assert found.name.startswith(beginnings), f"{found.name} of {impl}"


def test_a_class_is_loaded_when_one_of_its_variables_is_set_or_it_is_asked_for() -> None:
    code = (
        "import sys; from lrdoc.settings import load; name = 'lrdoc.parsers.docling.settings';"
        "settings = load({'DOCLING_ENDPOINT': ' '}); assert name not in sys.modules;"
        "assert settings.named(name + ':DoclingSettings').endpoint == '';"
        "assert load({'DOCLING_ENDPOINT': 'http://x'}).named(name + ':DoclingSettings').endpoint == 'http://x'"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_a_variable_read_in_two_places_has_one_meaning() -> None:
    seen: dict[str, tuple[object, object]] = {}
    for impl in COMPONENTS:
        cls = load_class(impl)
        defaults = {f.name: f.default for f in dataclasses.fields(cls)}
        for field, found in variables_of(cls).items():
            meaning = (dataclasses.replace(found, help="", parse=None), defaults[field])
            assert seen.setdefault(found.name, meaning) == meaning, f"{found.name} in {impl}"


def calls_of(node: ast.AST, function: str) -> Iterator[ast.Call]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == function:
            yield inner


@pytest.mark.checkout
def test_every_settings_class_of_the_code_is_in_the_table() -> None:
    declared = set()
    for top in ("lrdoc", "parsers", "chunkers", "analyzers", "routing"):
        for file in sorted((ROOT / top).rglob("*.py")):
            if file.name == "variables.py":
                continue
            parts = file.relative_to(ROOT).with_suffix("").parts
            module = ".".join(parts if top == "lrdoc" else ("lrdoc", *parts)).removesuffix(".__init__")
            tree = ast.parse(file.read_text("utf-8"))
            # Fields that `repeated` puts into another class are in the table with that class.
            patterns = {call.args[0].id for call in calls_of(tree, "repeated") if isinstance(call.args[0], ast.Name)}
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and node.name not in patterns and any(calls_of(node, "variable")):
                    declared.add(f"{module}:{node.name}")
    covered = {f"{cls.__module__}:{cls.__name__}" for impl in COMPONENTS for cls in load_class(impl).__mro__}
    assert declared - covered == set()


def test_loading_the_defaults_imports_nothing_heavy() -> None:
    code = (
        "import json, sys; from lrdoc.settings import COMPONENTS, load_class; [load_class(c) for c in COMPONENTS];"
        "print(json.dumps(sorted({'lxml', 'docx', 'numpy', 'httpx', 'pydantic', 'PIL'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert json.loads(done.stdout) == []


@pytest.mark.checkout
def test_the_reference_page_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/_docs.py", "--check"],
        cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_every_variable_of_the_public_document_is_read_or_listed_as_unread() -> None:
    """Its variables stand there by name; what else is written in capitals is no variable."""
    shared = shared_dir()
    if shared is None:
        pytest.skip("needs the shared material")
    text = (shared / "seeds" / "file-processing-pipeline.txt").read_text("utf-8")
    no_variables = {"DEFAULT_CHUNK_P_SIZE", "DEFAULT_R_SEPARATORS", "README_KG_INTEGRITY_REPAIR", "README_REBUILD_VDB"}
    elsewhere = {"TIKTOKEN_CACHE_DIR", "MAX_ASYNC_LLM"}
    named = set(re.findall(r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b", text)) - no_variables - elsewhere
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert {name for name in named if f"`{name}`" not in page} == set()
