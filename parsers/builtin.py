"""The built-in engines as data. Nothing here imports an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lrdoc.capabilities import ParamLimit
from lrdoc.mistakes import Mistake
from lrdoc.params import ParamSpec, clip
from lrdoc.parsers.base import ParserSpec

WORD = frozenset({"docx", "docm", "dotx", "dotm"})
PACKED_MARKDOWN = frozenset({"textpack", "textbundle"})
MARKDOWN = frozenset({"md", "markdown", "mdx"}) | PACKED_MARKDOWN
LEGACY = frozenset(
    "txt md mdx pdf docx pptx xlsx rtf odt tex epub html htm csv json xml yaml yml log conf ini properties sql bat sh c"
    " h cpp hpp py java js ts swift go rb php css scss less".split()
) | {"markdown", "xhtml"}
MINERU = frozenset("pdf docx pptx xlsx png jpg jpeg jp2 webp gif bmp".split())
DOCLING = frozenset("pdf docx pptx xlsx md html xhtml png jpg jpeg tiff webp bmp".split())

REGIONS = ("region", "body", "drop")


def _region(name: str, what: str) -> ParamSpec:
    return ParamSpec(name, str, "region", f"where {what} go: beside the body, into it, nowhere", REGIONS, only_for=WORD)


def page_range_fault(text: str) -> str:
    """What is wrong with one page or range of pages, "" when nothing is."""
    first, dash, last = text.partition("-")
    if not _is_page(first) or (dash and not _is_page(last)):
        return f"expected a page or a range such as 1-3, found {clip(text)}"
    if dash and int(last) < int(first):
        return f"the range {clip(text)} ends before it starts"
    return ""


def _is_page(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0


NATIVE_PARAMS = (
    ParamSpec(
        "smart_heading",
        bool,
        False,
        "find headings that no style marks",
        only_for=WORD,
        default_env="DOCX_SMART_HEADING",
    ),
    ParamSpec(
        "changes",
        str,
        "accept",
        "tracked changes: the final text, the original, or both marked",
        ("accept", "reject", "annotate"),
        only_for=WORD,
    ),
    _region("comments", "comments"),
    _region("headers", "page headers and footers"),
    _region("toc", "tables of contents"),
    ParamSpec("hidden", str, "drop", "hidden text: left out with a warning, or kept", ("drop", "body"), only_for=WORD),
    ParamSpec("inline_math", bool, True, "read $…$ as equations", only_for=MARKDOWN),
    ParamSpec(
        "local_images", bool, False, "read pictures beside a single markdown file", only_for=MARKDOWN - PACKED_MARKDOWN
    ),
)

MINERU_PARAMS = (
    ParamSpec(
        "page_range",
        str,
        None,
        "pages to parse, e.g. 1-3 or 5",
        aliases=("pr",),
        repeated=True,
        check=page_range_fault,
        bad_value_kind="bad_page_range",
    ),
    ParamSpec("language", str, None, "language of OCR and model, e.g. en or ch"),
    ParamSpec(
        "local_parse_method",
        str,
        None,
        "how a local service reads pages",
        ("auto", "txt", "ocr"),
        aliases=("local_pm",),
    ),
)

DOCLING_PARAMS = (
    ParamSpec("force_ocr", bool, None, "recognise every page, also those with text", aliases=("ocr",)),
    ParamSpec("heading_hierarchy", bool, True, "ask the service for heading levels"),
    ParamSpec(
        "page_range", str, None, "pages to parse, e.g. 1-3", check=page_range_fault, bad_value_kind="bad_page_range"
    ),
    ParamSpec("table_mode", str, None, "how much care tables get", ("fast", "accurate")),
)


def mineru_mode(environ: Mapping[str, str]) -> str:
    """local (default), official, or whatever stands in the variable."""
    return environ.get("MINERU_API_MODE", "").strip().lower() or "local"


def mineru_configured(environ: Mapping[str, str]) -> bool:
    mode = mineru_mode(environ)
    if mode == "local":
        return bool(environ.get("MINERU_LOCAL_ENDPOINT", "").strip())
    return mode == "official" and bool(environ.get("MINERU_API_TOKEN", "").strip())


def mineru_requirement(environ: Mapping[str, str]) -> str:
    """What to set so that MinerU can be used under this environment."""
    mode = mineru_mode(environ)
    if mode == "official":
        return "MINERU_API_TOKEN"
    return "MINERU_LOCAL_ENDPOINT" if mode == "local" else "MINERU_API_MODE to local or official"


def mineru_limits(environ: Mapping[str, str]) -> Mapping[str, ParamLimit]:
    if mineru_mode(environ) == "official":
        return {
            "local_parse_method": ParamLimit(
                0,
                "param_needs_local_mode",
                "local_parse_method has an effect with MINERU_API_MODE=local only",
                "leave it out",
            )
        }
    return {
        "page_range": ParamLimit(
            1,
            "page_list_needs_official",
            "several page ranges need MINERU_API_MODE=official",
            "a local service takes one page or one range",
        )
    }


def check_mineru(environ: Mapping[str, str]) -> Sequence[Mistake]:
    found: list[Mistake] = []
    mode = mineru_mode(environ)
    ranges = environ.get("MINERU_PAGE_RANGES", "")
    place = 0
    for count, item in enumerate(ranges.split(",") if ranges.strip() else (), 1):
        column, width = place + 1, max(1, len(item))
        place += len(item) + 1
        if fault := page_range_fault(item.strip()):
            found.append(Mistake("bad_page_range", fault, column, width, "write e.g. 1-3", "MINERU_PAGE_RANGES"))
        elif count == 2 and mode == "local":
            message = "several page ranges need MINERU_API_MODE=official"
            hint = "a local service takes one page or one range"
            found.append(Mistake("page_list_needs_official", message, column, width, hint, "MINERU_PAGE_RANGES"))
    return found


def docling_configured(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("DOCLING_ENDPOINT", "").strip())


BUILTIN: tuple[ParserSpec, ...] = (
    ParserSpec(
        "legacy",
        impl="lrdoc.parsers.legacy.parser:LegacyParser",
        suffixes=LEGACY,
        structured=False,
        settings="lrdoc.parsers.legacy.settings:LegacySettings",
        help="plain text from many formats",
    ),
    ParserSpec(
        "native",
        impl="lrdoc.parsers.native:NativeParser",
        suffixes=WORD | MARKDOWN,
        params=NATIVE_PARAMS,
        default_for=frozenset({"textpack", "textbundle", "docm", "dotx", "dotm"}),
        raw_dir_suffix=".native_raw",
        settings_by_suffix={
            **dict.fromkeys(WORD, "lrdoc.parsers.docx.settings:DocxSettings"),
            **dict.fromkeys(MARKDOWN, "lrdoc.parsers.markdown.settings:MarkdownSettings"),
        },
        abilities={"SVG pictures in markdown": "lrdoc.parsers.markdown.svg:availability"},
        help="Word and markdown with headings, tables, pictures, equations and notes, without any service",
    ),
    ParserSpec(
        "mineru",
        impl="lrdoc.parsers.mineru.parser:MineruParser",
        suffixes=MINERU,
        params=MINERU_PARAMS,
        settings="lrdoc.parsers.mineru.settings:MineruSettings",
        queue_group="mineru",
        external=True,
        endpoint_configured=mineru_configured,
        endpoint_requirement="MINERU_LOCAL_ENDPOINT, or MINERU_API_MODE=official with MINERU_API_TOKEN",
        requirement=mineru_requirement,
        extra_suffixes_env="MINERU_ADDITIONAL_SUFFIXES",
        raw_dir_suffix=".mineru_raw",
        health="lrdoc.parsers.mineru.client:probe",
        param_limits=mineru_limits,
        check_environment=check_mineru,
        help="PDF, office files and pictures through a MinerU service",
    ),
    ParserSpec(
        "docling",
        impl="lrdoc.parsers.docling.parser:DoclingParser",
        suffixes=DOCLING,
        params=DOCLING_PARAMS,
        settings="lrdoc.parsers.docling.settings:DoclingSettings",
        queue_group="docling",
        external=True,
        endpoint_configured=docling_configured,
        endpoint_requirement="DOCLING_ENDPOINT",
        extra_suffixes_env="DOCLING_ADDITIONAL_SUFFIXES",
        raw_dir_suffix=".docling_raw",
        health="lrdoc.parsers.docling.client:probe",
        help="PDF, office files, web pages and pictures through docling-serve",
    ),
)
