"""What the routing tests share: capabilities for an environment, and decisions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from shared_files import shared_dir

from lrdoc.capabilities import Capabilities
from lrdoc.params import ParamSpec
from lrdoc.parsers.registry import Registry
from lrdoc.routing.resolve import Decision, Router
from lrdoc.routing.rules import read_rules

CONFIGURED = {"MINERU_LOCAL_ENDPOINT": "http://m:8000", "DOCLING_ENDPOINT": "http://d:5001"}
CHUNKERS = {"lines": (ParamSpec("per_chunk", int, 10, minimum=1), ParamSpec("keep_blank", bool, False))}


def capabilities(environ: Mapping[str, str] | None = None) -> Capabilities:
    """The built-in engines and one registered chunker, `lines`."""
    return Registry().capabilities(environ or {}, CHUNKERS)


def router(rules: str = "", environ: Mapping[str, str] | None = None, **explicit: Any) -> Router:
    known = capabilities(environ)
    return Router(known, read_rules(rules, known), **explicit)


def decide(name: str, rules: str = "", environ: Mapping[str, str] | None = None, **explicit: Any) -> Decision:
    return router(rules, environ, **explicit).resolve(name)


@cache
def recorded_cases() -> list[dict[str, Any]]:
    """cases/routing-cases.json; empty when the shared material is not there."""
    folder = shared_dir()
    if folder is None:
        return []
    found: list[dict[str, Any]] = json.loads((folder / "cases" / "routing-cases.json").read_text("utf-8"))["cases"]
    return found
