"""Registration: every mistake of a specification is said at once, with field and remedy."""

from __future__ import annotations

import dataclasses
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from lrdoc.errors import EngineNotConfigured, RegistrationError
from lrdoc.params import ParamSpec
from lrdoc.parsers.base import ParamLimit, ParserSpec
from lrdoc.parsers.builtin import BUILTIN
from lrdoc.parsers.registry import Registry
from lrdoc.parsers.validate import check_spec
from lrdoc.routing.rules import read_rules

CODE = """
class Engine:
    def parse(self, source, params, context): return None

class NoParse: pass

class Short:
    def parse(self, source): return None

class Extra:
    def parse(self, source, params, context, more): return None

class Async:
    async def parse(self, source, params, context): return None

class Needy:
    def __init__(self, path): pass
    def parse(self, source, params, context): return None

import dataclasses

@dataclasses.dataclass(frozen=True)
class GoodSettings:
    size: int = 1

@dataclasses.dataclass(frozen=True)
class NeedySettings:
    size: int

class Raising:
    def __init__(self): raise OSError("no licence")
    def parse(self, source, params, context): return None
"""


@pytest.fixture(autouse=True)
def engine_module() -> Iterator[None]:
    module = types.ModuleType("toy_engines")
    module.__spec__ = types.SimpleNamespace(name="toy_engines")  # type: ignore[assignment]
    sys.modules["toy_engines"] = module
    exec(CODE, module.__dict__)
    yield
    del sys.modules["toy_engines"]


def spec(**more: Any) -> ParserSpec:
    fields: dict[str, Any] = {"engine_name": "toy", "impl": "toy_engines:Engine", "suffixes": frozenset({"toy"})}
    return ParserSpec(**{**fields, "plugin": "toy-plugin", **more})


def test_a_right_engine_is_registered_and_can_be_made() -> None:
    registry = Registry()
    registry.register(spec(settings="toy_engines:GoodSettings"))
    assert registry.names()[-1] == "toy"
    assert registry.parser("toy") is registry.parser("toy")
    assert registry.availability("toy", {}).ok
    assert "toy" in registry.capabilities({}).engines


@pytest.mark.parametrize(
    ("more", "field", "remedy"),
    [
        ({"engine_name": "My-Engine"}, "engine_name", "my_engine"),
        ({"engine_name": "Toy"}, "engine_name", "toy"),
        ({"engine_name": "2md"}, "engine_name", "letter first"),
        ({"engine_name": ""}, "engine_name", "lower case"),
        ({"engine_name": 5}, "engine_name", "lower case"),
        ({"engine_name": "reuse"}, "engine_name", "reserved"),
        ({"engine_name": "native"}, "engine_name", "replace=True"),
        ({"impl": "toy_engines"}, "impl", "module:Class"),
        ({"impl": "toy_engines:Missing"}, "impl", "Engine"),
        ({"impl": "no_such_module:Engine"}, "impl", "ModuleNotFoundError"),
        ({"impl": "toy_engines:NoParse"}, "impl", "parse(self, source, params, context)"),
        ({"impl": "toy_engines:Short"}, "impl", "parse(self, source, params, context)"),
        ({"impl": "toy_engines:Extra"}, "impl", "found parse(self, source, params, context, more)"),
        ({"impl": "toy_engines:Async"}, "impl", "synchronously"),
        ({"impl": "toy_engines:Needy"}, "impl", "without arguments"),
        ({"suffixes": frozenset()}, "suffixes", "at least one"),
        ({"suffixes": "toy"}, "suffixes", "frozenset({'toy'})"),
        ({"suffixes": ["toy", "doll"]}, "suffixes", "frozenset({'toy', 'doll'})"),
        ({"suffixes": frozenset({5})}, "suffixes", "frozenset[str]"),
        ({"suffixes": frozenset({".TOY"})}, "suffixes", "'toy'"),
        ({"default_for": frozenset({"other"})}, "default_for", "suffixes"),
        ({"queue_group": ""}, "queue_group", "pool"),
        ({"concurrency": 0}, "concurrency", "at least 1"),
        ({"concurrency": 2}, "concurrency", "belongs to lrdoc"),
        ({"external": True}, "external", "endpoint_configured"),
        ({"endpoint_configured": lambda: True, "endpoint_requirement": "X"}, "endpoint_configured", "environ"),
        ({"endpoint_configured": lambda environ: True}, "endpoint_requirement", "variable"),
        (
            {"endpoint_configured": lambda environ: environ["A"], "endpoint_requirement": "A"},
            "endpoint_configured",
            "raised KeyError",
        ),
        ({"endpoint_configured": lambda environ: "yes", "endpoint_requirement": "A"}, "endpoint_configured", "str"),
        ({"param_limits": lambda environ: None}, "param_limits", "Mapping"),
        ({"check_environment": lambda environ: 5}, "check_environment", "Sequence"),
        ({"suffixes": frozenset({"textpack"}), "default_for": frozenset({"textpack"})}, "default_for", "textpack:toy"),
        ({"health": "toy_engines"}, "health", "module:function"),
        ({"settings": "Settings"}, "settings", "module:Class"),
        ({"settings": "toy_engines:Nothing"}, "settings", "AttributeError"),
        ({"settings": "toy_engines:Engine"}, "settings", "dataclass"),
        ({"settings": "toy_engines:NeedySettings"}, "settings", "default"),
        ({"raw_dir_suffix": "raw"}, "raw_dir_suffix", ".toy_raw"),
        ({"extra_suffixes_env": "more suffixes"}, "extra_suffixes_env", "MYENGINE_ADDITIONAL_SUFFIXES"),
        ({"params": (ParamSpec("Mode", str),)}, "params", "lower case"),
        ({"params": (ParamSpec("a", str), ParamSpec("b", str, aliases=("a",)))}, "params", "twice"),
        ({"params": (ParamSpec("a", str, "x", choices=("y",)),)}, "params", "default"),
        ({"params": (ParamSpec("a", int, "5"),)}, "params", "default"),
        ({"params": (ParamSpec("a", list),)}, "params", "bool, int, float or str"),  # type: ignore[arg-type]
        ({"params": ("a",)}, "params", "ParamSpec"),
        ({"params": ParamSpec("a", int)}, "params", "comma"),
        ({"params": (ParamSpec("a", int, minimum="1"),)}, "params: 'a'", "minimum: expected float"),  # type: ignore[arg-type]
        ({"params": (ParamSpec("a", str, aliases="b"),)}, "params: 'a'", "comma"),  # type: ignore[arg-type]
        ({"params": (ParamSpec("a", str, pattern="("),)}, "params: 'a'", "regular expression"),
        ({"params": (ParamSpec("a", str, "x", check=lambda text: 1 / 0),)}, "params: 'a'", "ZeroDivisionError"),  # type: ignore[arg-type,return-value]
        ({"default_for": None}, "default_for", "frozenset"),
        ({"settings_by_suffix": ["toy_engines:GoodSettings"]}, "settings_by_suffix", "Mapping"),
        ({"requires": "numpy"}, "requires", "comma"),
    ],
)
def test_a_mistake_names_plug_in_field_and_remedy(more: dict[str, Any], field: str, remedy: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        Registry().register(spec(**more))
    message = str(caught.value)
    assert field in message
    assert remedy in message
    assert "toy-plugin" in message


def test_all_mistakes_are_said_together() -> None:
    with pytest.raises(RegistrationError) as caught:
        Registry().register(spec(engine_name="A", suffixes=frozenset(), queue_group=""))
    assert all(field in str(caught.value) for field in ("engine_name", "suffixes", "queue_group"))


FIELDS = [field.name for field in dataclasses.fields(ParserSpec)]
PARAM_FIELDS = [field.name for field in dataclasses.fields(ParamSpec)]
ODD = (
    None,
    5,
    True,
    1.5,
    "x",
    b"x",
    [],
    ["a"],
    (1,),
    {},
    {"a": 1},
    frozenset({1}),
    object(),
    lambda: 1,
    lambda x: 1 / 0,
)


@pytest.mark.parametrize("field", FIELDS)
def test_whatever_a_field_holds_it_is_refused_or_works(field: str) -> None:
    for value in ODD:
        work_with({field: value})


@pytest.mark.parametrize("field", PARAM_FIELDS)
def test_whatever_a_field_of_a_parameter_holds_it_is_refused_or_works(field: str) -> None:
    for value in ODD:
        param = ParamSpec(**{"name": "a", "type": int, field: value})
        work_with({"params": (param,)})


def work_with(more: dict[str, Any]) -> None:
    registry = Registry()
    try:
        registry.register(spec(**more))
    except RegistrationError:
        return
    for environ in ({}, {"X": "1"}):
        known = registry.capabilities(environ)
        assert not registry.check_environment(environ)
        registry.availability("toy", environ)
        registry.queue_groups()
        read_rules("toy:toy(a=1)-R;toy:toy(a=7);*:toy(bb)", known)


def test_a_function_that_cannot_answer_costs_its_own_engine_only() -> None:
    def limits(environ: Any) -> dict[str, ParamLimit]:
        return {} if not environ else {"mode": environ["MODE"]}

    registry = Registry()
    registry.register(spec(param_limits=limits, check_environment=lambda environ: [] if not environ else 1 / 0))  # type: ignore[arg-type,return-value]
    assert registry.availability("toy", {}).ok
    assert registry.check_environment({"X": "1"}) == []
    assert registry.capabilities({"X": "1"}).engines["toy"].limits == {}
    told = registry.availability("toy", {"X": "1"})
    assert not told.ok
    assert "param_limits(environ) returns Mapping, but raised KeyError: 'MODE'" in told.reason
    assert "ZeroDivisionError" in told.reason


def test_a_built_in_engine_is_replaced_only_on_purpose() -> None:
    registry = Registry()
    registry.register(spec(engine_name="native"), replace=True)
    assert registry.spec("native").impl == "toy_engines:Engine"
    assert not registry.is_builtin("native")
    assert registry.is_builtin("legacy")


def test_a_queue_group_has_one_owner() -> None:
    registry = Registry()
    registry.register(spec(queue_group="gpu", concurrency=2))
    second = spec(engine_name="toy2", queue_group="gpu", concurrency=3)
    with pytest.raises(RegistrationError, match="'toy' with 2 workers"):
        registry.register(second)
    registry.register(dataclasses.replace(second, concurrency=None))
    assert registry.queue_groups() == {"native": None, "mineru": None, "docling": None, "gpu": 2}


def test_an_engine_whose_constructor_raises_is_not_configured() -> None:
    registry = Registry()
    registry.register(spec(impl="toy_engines:Raising"))
    with pytest.raises(EngineNotConfigured, match="no licence"):
        registry.parser("toy")


def test_an_engine_is_loaded_late_when_asked_to() -> None:
    registry = Registry()
    registry.register(spec(impl="toy_engines:Missing"), check=False)
    assert registry.availability("toy", {}).ok
    assert not registry.availability("toy", {}, check=True).ok
    with pytest.raises(EngineNotConfigured, match="Missing"):
        registry.parser("toy")


def test_what_is_missing_is_said_with_the_way_to_get_it() -> None:
    registry = Registry()
    registry.register(spec(requires=("no_such_package",), extra="toy[all]"))
    found = registry.availability("toy", {})
    assert (found.ok, found.remedy) == (False, "pip install 'toy[all]'")
    assert "no_such_package" in found.reason
    assert not registry.availability("mineru", {}).ok
    unknown = registry.availability("nobody", {})
    assert "native" in unknown.remedy


def test_an_unknown_engine_lists_the_known_ones() -> None:
    with pytest.raises(EngineNotConfigured, match="legacy"):
        Registry().spec("nobody")


def test_the_built_in_engines_fit_their_own_rules() -> None:
    for built_in in BUILTIN:
        assert check_spec(built_in, {}) == []


def test_capabilities_follow_the_environment() -> None:
    registry = Registry()
    assert not registry.capabilities({}).engines["mineru"].configured
    local = registry.capabilities({"MINERU_LOCAL_ENDPOINT": "http://m", "MINERU_ADDITIONAL_SUFFIXES": "doc, .PPT"})
    assert local.engines["mineru"].configured
    assert {"doc", "ppt"} <= local.engines["mineru"].suffixes
    assert (
        not registry.capabilities({"MINERU_API_MODE": "cloud", "MINERU_LOCAL_ENDPOINT": "http://m"})
        .engines["mineru"]
        .configured
    )
    assert local.engines["docling"].requirement == "DOCLING_ENDPOINT"


def test_an_engine_that_is_not_selectable_is_hidden_from_routing() -> None:
    registry = Registry()
    registry.register(spec(user_selectable=False))
    assert "toy" not in registry.capabilities({}).engines
    assert "toy" in registry.names()
