"""One bundle of each version of MinerU that holds every kind of item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from service_bundles import PNG, strings

NO_CONTENT = frozenset(
    "type img_path image_path sub_type text_format guess_lang url path anchor list_type attribute math_type "
    "code_language style styles schema schema_version _backend _version_name table_type producer".split()
)
"""Keys whose strings are no text of the document."""

HTML = (
    "<table><thead><tr><th colspan=2>Numbers</th></tr></thead>"
    "<tr><td rowspan=2>north</td><td>seven</td></tr><tr><td>eight</td></tr></table>"
)

CONTENT_LIST: list[Any] = [
    {"type": "header", "text": "Running head", "bbox": [10, 10, 900, 30], "page_idx": 0},
    {"type": "text", "text": "Before any heading", "bbox": [1, 2, 3, 4], "page_idx": 0},
    {"type": "text", "text": "**Report** on *rain*", "text_level": 1, "bbox": [100, 100, 500, 120], "page_idx": 0},
    {"type": "text", "text": "Plain, **bold** and $a^2$; see [site](https://example.org/a).", "page_idx": 0},
    {"type": "list", "list_items": ["- first", "- second", {"text": "third", "children": ["inner"]}], "page_idx": 0},
    {
        "type": "code",
        "sub_type": "code",
        "code_caption": ["Listing 1"],
        "code_body": "```py\nx = 1\n```",
        "page_idx": 0,
    },
    {
        "type": "equation",
        "text": "$$\n\\frac{p}{q}\n$$",
        "text_format": "latex",
        "img_path": "images/e.png",
        "page_idx": 1,
    },
    {"type": "equation", "text": "z", "text_format": "inline", "page_idx": 1},
    {
        "type": "table",
        "img_path": "images/t.png",
        "table_caption": ["Table 1 rainfall", "continued here"],
        "table_footnote": ["measured", "estimated"],
        "table_body": f"<html><body>{HTML}</body></html>",
        "bbox": [1, 1, 2, 2],
        "page_idx": 1,
    },
    {"type": "table", "table_body": [["one", "two"], ["three", 4]], "page_idx": 1},
    {
        "type": "image",
        "img_path": "images/p.png",
        "image_caption": ["Figure 1 map", "detail"],
        "image_footnote": ["surveyed"],
        "content": "a model sees a map",
        "page_idx": 1,
    },
    {"type": "chart", "img_path": "images/c.png", "content": "| y | 3 |", "chart_caption": ["Chart A"], "page_idx": 1},
    {"type": "aside_text", "text": "at the margin", "page_idx": 1},
    {"type": "page_footnote", "text": "1 a note below", "page_idx": 1},
    {"type": "page_number", "text": "12", "page_idx": 1},
    {"type": "index", "text": "Contents line 9", "page_idx": 1},
    {"type": "ref_text", "text": "[1] Somebody", "page_idx": 1},
    {"type": "novelty", "text": "of a later version", "page_idx": 1},
    {"type": "footer", "text": "Running foot", "page_idx": 1},
]

PICTURES = {f"images/{name}.png": PNG + name.encode() for name in "etpc"}

MIDDLE: dict[str, Any] = {
    "metadata": {"producer": {"name": "mineru", "version": "4.0.12"}, "document": {"title": "Core title"}},
    "pages": [
        {
            "page_idx": 0,
            "blocks": [
                {
                    "type": "doc_title",
                    "level": 1,
                    "bbox": [0.1, 0.2, 0.5, 0.25],
                    "content": [{"type": "text", "content": "Report", "styles": ["bold"]}],
                },
                {
                    "type": "text",
                    "content": [
                        {"type": "text", "content": "Plain and "},
                        {
                            "type": "hyperlink",
                            "url": "https://example.org",
                            "content": [{"type": "text", "content": "site"}],
                        },
                        {"type": "equation_inline", "content": "a^2"},
                        {"type": "code_inline", "content": "call()"},
                    ],
                },
                {"type": "paragraph_title", "level": 2, "content": [{"type": "text", "content": "Part"}]},
                {
                    "type": "list",
                    "content": [
                        {"type": "text", "content": [{"type": "text", "content": "- outer"}]},
                        {
                            "type": "list",
                            "content": [{"type": "text", "content": [{"type": "text", "content": "- nested"}]}],
                        },
                    ],
                },
                {
                    "type": "table",
                    "content": [
                        {"type": "table_body", "content": HTML},
                        {"type": "table_caption", "content": [{"type": "text", "content": "Table 1 rain"}]},
                        {"type": "table_footnote", "content": [{"type": "text", "content": "measured"}]},
                    ],
                },
                {
                    "type": "image",
                    "content": [
                        {"type": "image_body", "image_path": "images/p.png", "content": "a model sees"},
                        {"type": "image_caption", "content": [{"type": "text", "content": "Figure 1"}]},
                        {"type": "image_caption", "content": [{"type": "text", "content": "more of it"}]},
                    ],
                },
                {
                    "type": "chart",
                    "content": [{"type": "chart_body", "image_path": "images/c.png", "content": "| y |"}],
                },
                {"type": "equation", "content": "\\frac{p}{q}"},
                {
                    "type": "code",
                    "guess_lang": "py",
                    "content": [
                        {"type": "code_body", "content": "x = 1"},
                        {"type": "code_caption", "content": [{"type": "text", "content": "Listing 1"}]},
                    ],
                },
                {
                    "type": "index",
                    "content": [{"type": "text", "content": [{"type": "text", "content": "Contents 9"}]}],
                },
                {"type": "ref_text", "content": [{"type": "text", "content": "[1] Somebody"}]},
                {"type": "novelty", "content": [{"type": "text", "content": "of a later version"}]},
                {"type": "header", "content": [{"type": "text", "content": "Running head"}]},
                {"type": "footer", "content": [{"type": "text", "content": "Running foot"}]},
                {"type": "page_number", "content": [{"type": "text", "content": "12"}]},
                {"type": "aside_text", "content": [{"type": "text", "content": "margin words"}]},
                {"type": "page_footnote", "content": [{"type": "text", "content": "1 a note"}]},
            ],
        }
    ],
    "schema": "docvortex.middle",
    "schema_version": "2.0",
}

STRUCTURED: dict[str, Any] = {
    "pages": [
        {
            "page_idx": 0,
            "blocks": [
                {"type": "doc_title", "level": 1, "content": "**Report**", "bbox": [0.1, 0.2, 0.5, 0.25]},
                {"type": "text", "content": "Intro **bold** and [link](http://x.example/) text."},
                {"type": "list", "content": "- one\n    - nested\n- two"},
                {
                    "type": "table",
                    "content": HTML,
                    "captions": [{"content": "**Table 1**"}],
                    "footnotes": [{"content": "est."}],
                },
                {"type": "image", "content": "seen", "captions": [{"content": "Fig"}], "image_source": "images/p.png"},
                {
                    "type": "code",
                    "sub_type": "code",
                    "content": "```py\nx = 1\n```",
                    "captions": [{"content": "Listing"}],
                },
                {"type": "equation", "content": "\\frac{a}{b}"},
                {"type": "header", "content": "Head"},
            ],
        }
    ],
}

OLD_MIDDLE: dict[str, Any] = {
    "pdf_info": [
        {
            "page_idx": 0,
            "page_size": [500, 1000],
            "para_blocks": [
                {
                    "type": "title",
                    "level": 1,
                    "bbox": [50, 100, 250, 200],
                    "lines": [{"spans": [{"type": "text", "content": "Report"}]}],
                },
                {
                    "type": "text",
                    "lines": [
                        {"spans": [{"type": "text", "content": "two lines of"}]},
                        {
                            "spans": [
                                {"type": "text", "content": "one paragraph"},
                                {"type": "inline_equation", "content": "a"},
                            ]
                        },
                    ],
                },
                {
                    "type": "list",
                    "attribute": "ordered",
                    "start": 3,
                    "blocks": [
                        {"type": "text", "lines": [{"spans": [{"type": "text", "content": "three"}]}]},
                        {"type": "text", "lines": [{"spans": [{"type": "text", "content": "four"}]}]},
                    ],
                },
                {
                    "type": "table",
                    "blocks": [
                        {"type": "table_caption", "lines": [{"spans": [{"type": "text", "content": "Table 1"}]}]},
                        {
                            "type": "table_body",
                            "lines": [{"spans": [{"type": "table", "html": HTML, "image_path": "t.png"}]}],
                        },
                    ],
                },
                {
                    "type": "image",
                    "blocks": [
                        {"type": "image_body", "lines": [{"spans": [{"type": "image", "image_path": "p.png"}]}]}
                    ],
                },
                {
                    "type": "interline_equation",
                    "lines": [{"spans": [{"type": "interline_equation", "content": "\\frac{p}{q}"}]}],
                },
            ],
            "discarded_blocks": [{"type": "header", "lines": [{"spans": [{"type": "text", "content": "Head"}]}]}],
        }
    ],
    "_version_name": "2.7.1",
}

CONTENT_LIST_V2: list[Any] = [
    [
        {
            "type": "title",
            "content": {"title_content": [{"type": "text", "content": "Report", "style": ["bold"]}], "level": 1},
        },
        {
            "type": "paragraph",
            "content": {
                "paragraph_content": [
                    {"type": "text", "content": "Energy "},
                    {"type": "equation_inline", "content": "E"},
                ]
            },
        },
        {
            "type": "list",
            "content": {
                "list_items": [
                    {"ilevel": 0, "prefix": "-", "item_content": [{"type": "text", "content": "first"}]},
                    {"ilevel": 1, "prefix": "a)", "item_content": [{"type": "text", "content": "inner"}]},
                ]
            },
        },
        {"type": "table", "content": {"table_caption": [{"type": "text", "content": "Table 1"}], "html": HTML}},
        {
            "type": "image",
            "content": {
                "image_source": {"path": "images/p.png"},
                "image_caption": [{"type": "text", "content": "Fig"}],
            },
        },
        {"type": "equation_interline", "content": {"math_content": "\\frac{p}{q}"}},
        {"type": "page_header", "content": {"page_header_content": [{"type": "text", "content": "Head"}]}},
    ]
]


def texts(value: Any) -> list[str]:
    """Strings of an item that are text of the document."""
    if isinstance(value, dict):
        return [
            text
            for key, inner in value.items()
            if key not in NO_CONTENT and key != "image_source"
            for text in texts(inner)
        ]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def items_of(value: Any) -> Iterator[Sequence[str]]:
    """The texts of each item of a bundle's file, in order."""
    if isinstance(value, dict):
        for page in value.get("pages") or value.get("pdf_info") or ():
            for key in ("para_blocks", "blocks", "discarded_blocks"):
                yield from (texts(block) for block in page.get(key, ()))
    else:
        for item in value:
            yield from ([texts(inner) for inner in item] if isinstance(item, list) else [texts(item)])


__all__ = ["CONTENT_LIST", "CONTENT_LIST_V2", "MIDDLE", "OLD_MIDDLE", "PICTURES", "STRUCTURED", "items_of", "strings"]
