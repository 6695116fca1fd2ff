"""Variables of the engines behind a service: names, defaults and mistakes."""

from __future__ import annotations

import pytest

from lrdoc.errors import SettingsError
from lrdoc.parsers.docling.settings import DoclingSettings
from lrdoc.parsers.mineru.settings import MineruSettings
from lrdoc.settings import load

PUBLIC_MINERU = {
    "MINERU_LANGUAGE": "ch",
    "MINERU_ENABLE_TABLE": True,
    "MINERU_ENABLE_FORMULA": True,
    "MINERU_PAGE_RANGES": "",
    "MINERU_LOCAL_BACKEND": "hybrid-auto-engine",
    "MINERU_LOCAL_PARSE_METHOD": "auto",
    "MINERU_LOCAL_IMAGE_ANALYSIS": False,
    "MINERU_LOCAL_START_PAGE_ID": 0,
    "MINERU_LOCAL_END_PAGE_ID": 99999,
    "MINERU_OFFICIAL_ENDPOINT": "https://mineru.net",
    "MINERU_MODEL_VERSION": "vlm",
    "MINERU_IS_OCR": False,
    "MINERU_POLL_INTERVAL_SECONDS": 2,
    "MINERU_MAX_POLLS": 600,
    "MINERU_ENGINE_VERSION": "",
    "LIGHTRAG_FORCE_REPARSE_MINERU": False,
}
PUBLIC_DOCLING = {
    "DOCLING_DO_OCR": True,
    "DOCLING_FORCE_OCR": True,
    "DOCLING_OCR_ENGINE": "auto",
    "DOCLING_OCR_PRESET": "auto",
    "DOCLING_OCR_LANG": (),
    "DOCLING_DO_FORMULA_ENRICHMENT": False,
    "DOCLING_POLL_INTERVAL_SECONDS": 5,
    "DOCLING_MAX_POLLS": 240,
    "DOCLING_ENGINE_VERSION": "",
    "LIGHTRAG_FORCE_REPARSE_DOCLING": False,
}


@pytest.mark.parametrize("cls, public", [(MineruSettings, PUBLIC_MINERU), (DoclingSettings, PUBLIC_DOCLING)])
def test_the_public_variables_have_the_public_defaults(cls: type, public: dict[str, object]) -> None:
    from lrdoc.variables import variables_of

    made = cls()
    found = {variable.name: getattr(made, field) for field, variable in variables_of(cls).items()}
    assert {name: found[name] for name in public} == public


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:8000", "ftp://h", "http://", "http://h:99999", "http://h/tasks", "http://h/file_parse", "http://h?x=1"],
)
def test_an_address_that_is_none_is_told_before_any_file_is_opened(address: str) -> None:
    with pytest.raises(SettingsError, match="MINERU_LOCAL_ENDPOINT"):
        load({"MINERU_LOCAL_ENDPOINT": address})


@pytest.mark.parametrize("address", ["http://h:8000", "http://h:8000/", "http://h:8000/v1", "http://h:8000/v1/"])
def test_spellings_of_an_address_are_one(address: str) -> None:
    assert load({"MINERU_LOCAL_ENDPOINT": address}).of(MineruSettings).local_endpoint == "http://h:8000"


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/convert/file/async"])
def test_the_former_address_of_docling_is_taken(end: str) -> None:
    found = load({"DOCLING_ENDPOINT": f"https://h/docling{end}"}).of(DoclingSettings)
    assert found.endpoint == "https://h/docling"


def test_coordinates_are_a_json_object_or_the_default() -> None:
    settings = load({"MINERU_BBOX_ATTRIBUTES": '{"origin":"X"}', "DOCLING_BBOX_ATTRIBUTES": "nonsense"})
    assert settings.of(MineruSettings).bbox_attributes == {"origin": "X"}
    assert settings.of(DoclingSettings).bbox_attributes is None
    assert any("DOCLING_BBOX_ATTRIBUTES" in warning for warning in settings.warnings)


def test_keys_are_never_shown() -> None:
    with pytest.raises(SettingsError) as caught:
        load({"MINERU_LOCAL_API_KEY": "SECRET", "MINERU_API_TOKEN": "SECRET", "MINERU_MAX_POLLS": "x"})
    assert "SECRET" not in str(caught.value)
